package builtin_test

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"trails/auth/policy"
	capabilities "trails/capability"
	"trails/e2e/testrun"
	"trails/fault"
	"trails/invoke"
	"trails/invoke/invoketest"
)

// bot has no more than the scope runtime, and nobody behind it who can be asked.
var bot = policy.Principal{ID: "token:bot", Scopes: policy.NewScopes(policy.Runtime), Process: policy.AllScopes(), Authenticated: true}

// callAs makes a call as an agent, and returns its answer.
func callAs(t *testing.T, e *invoketest.Engine, p policy.Principal, capability, args string) (map[string]any, error) {
	t.Helper()
	res, err := e.Call(t.Context(), invoke.Call{Capability: capability, Args: json.RawMessage(args), Principal: p, Via: "mcp-stdio"})
	out := map[string]any{}
	if err == nil {
		if err := json.Unmarshal(res.Structured, &out); err != nil {
			t.Fatal(err)
		}
	}
	return out, err
}

func waiting(t *testing.T, e *invoketest.Engine, args string) []any {
	t.Helper()
	return e.Must(t, "requests_list", args)["rows"].([]any)
}

// Every refusal of what a person has to allow says that the call can be kept, that is so, and whoever approves it makes it.
func TestARefusedCallIsKeptAsItsRefusalSays(t *testing.T) {
	testrun.Alone(t)
	kept := 0
	for _, m := range mass {
		if m.removes == 0 || m.capability == "branches_merge" { // which asks for a merge
			continue
		}
		t.Run(m.name, func(t *testing.T) {
			e := crowd(t)
			before := head(t, e)
			_, err := e.Call(t.Context(), sampleCall(m.capability, m.args))
			if err == nil || !strings.Contains(err.Error(), "or give ask: true") {
				t.Fatalf("refused with %v", err)
			}
			asked := strings.Replace(m.args, "{", `{"ask": true, `, 1)
			first, again := e.Must(t, m.capability, asked), e.Must(t, m.capability, asked)
			if first["request"] != 1.0 || again["request"] != 1.0 || first["commit"] != nil || head(t, e) != before {
				t.Fatalf("asked for, it answers %v", first)
			}
			if said := fmt.Sprint(first["warnings"]); !strings.Contains(said, "trails request approve FILE 1") || !strings.Contains(said, "/admin/requests/1") || strings.Contains(said, "allow_mass_change") {
				t.Errorf("it warns %s", said)
			}
			tried := e.Must(t, "requests_decide", `{"request": 1, "decision": "approve", "dry_run": true}`)
			if tried["answer"] == nil || tried["head"] == nil || head(t, e) != before {
				t.Errorf("tried it answers %v", tried)
			}
			done := e.Must(t, "requests_decide", `{"request": 1, "decision": "approve", "reason": "meant"}`)
			if done["state"] != "done" || done["commit"] == nil || head(t, e) == before {
				t.Errorf("approved it answers %v", done)
			}
			row := waiting(t, e, `{"request": 1}`)[0].([]any)
			if row[1] != "done" || row[10] != done["commit"] || row[9] != "meant" {
				t.Errorf("the request is %v", row)
			}
			e.Refused(t, sampleCall("requests_decide", `{"request": 1, "decision": "approve"}`), fault.Conflict)
		})
		kept++
	}
	if kept < 12 {
		t.Errorf("only %d calls are kept", kept)
	}
}

// Who lacks a scope asks for what only a builder may do, and cannot approve it.
func TestAnAgentAsksForALossThatOnlyABuilderMayAllow(t *testing.T) {
	testrun.Alone(t)
	e := crowd(t)
	e.Must(t, "trails.meta.policy.apply", `{"starter": true}`)
	const patch = `{"patch": "- drop_property: Note.tags"`
	if _, err := callAs(t, e, bot, "schema_apply", patch+`}`); !fault.Is(err, fault.ScopeDenied) || !strings.Contains(err.Error(), "ask: true") {
		t.Fatalf("refused with %v", err)
	}
	if _, err := callAs(t, e, bot, "schema_apply", patch+`, "ask": true, "allow_data_loss": true}`); !fault.Is(err, fault.ScopeDenied) || !strings.Contains(err.Error(), "leave allow_data_loss out") {
		t.Errorf("what it may not allow is answered with %v", err)
	}
	out, err := callAs(t, e, bot, "schema_apply", patch+`, "ask": true, "message": "tags go"}`)
	if err != nil || out["request"] != 1.0 || out["plan"].(map[string]any)["loses"] != 9.0 {
		t.Fatalf("got %v, %v", out, err)
	}
	if _, err := callAs(t, e, bot, "trails.meta.migrate.rollback", `{"ask": true}`); err == nil {
		t.Error("it asks for a call that is not its own")
	}
	if _, err := callAs(t, e, bot, "requests_decide", `{"request": 1, "decision": "approve"}`); !fault.Is(err, fault.ScopeDenied) {
		t.Errorf("approved with %v", err)
	}
	if _, err := e.Call(t.Context(), invoke.Call{Capability: "requests_decide", Args: json.RawMessage(`{"request": 1, "decision": "approve"}`), Principal: bot, Via: policy.Terminal}); !fault.Is(err, fault.ScopeDenied) {
		t.Errorf("by a person whose scopes do not reach it is approved with %v", err)
	}
	if done := e.Must(t, "requests_decide", `{"request": 1, "decision": "approve"}`); done["state"] != "done" {
		t.Errorf("got %v", done)
	}
	commit := e.Must(t, "commits_list", `{"limit": 1}`)
	if said := fmt.Sprint(commit); !strings.Contains(said, "local:ana") || !strings.Contains(said, "tags go") {
		t.Errorf("the commit is %s", said)
	}
	used := e.Must(t, "query", `{"query": "ASK {GRAPH <urn:trails:graph:prov> {?a <http://www.w3.org/ns/prov#used> <urn:trails:request:1>, <urn:trails:agent:token:bot>, <urn:trails:origin:agent>}}"}`)
	if fmt.Sprint(used["boolean"]) != "true" {
		t.Errorf("its provenance says %v", used)
	}
}

// A policy that forbids the call to whoever approves it holds, and the request waits on.
func TestWhoApprovesMustBeAllowedToMakeTheCall(t *testing.T) {
	e := crowd(t)
	e.Must(t, "trails.meta.policy.apply", `{"policies": "permit(principal, action, resource); forbid(principal == Actor::\"token:boss\", action in Action::\"writes\", resource);"}`)
	if out, err := callAs(t, e, bot, "mutate", `{"update": "CLEAR GRAPH <urn:g>", "ask": true}`); err != nil || out["request"] != 1.0 {
		t.Fatalf("got %v, %v", out, err)
	}
	boss := policy.Principal{ID: "token:boss", Scopes: policy.AllScopes(), Process: policy.AllScopes(), Authenticated: true}
	if _, err := callAs(t, e, boss, "requests_decide", `{"request": 1, "decision": "approve"}`); !fault.Is(err, fault.Denied) && !fault.Is(err, fault.UnknownTool) {
		t.Errorf("approved with %v", err)
	}
	if row := waiting(t, e, `{}`); len(row) != 1 {
		t.Errorf("there wait %v", row)
	}
}

// Once the branch has moved, a call is approved of the state that was looked at, and of no other.
func TestACallOfAnotherHeadIsApprovedAsItIsThere(t *testing.T) {
	e := crowd(t)
	e.Must(t, "mutate", `{"update": "DELETE WHERE {?s <urn:trails:example:tags> ?o}", "ask": true}`)
	e.Must(t, "note_create", `{"id": "z", "title": "Z", "tags": ["1", "2"]}`)
	f := e.Refused(t, sampleCall("requests_decide", `{"request": 1, "decision": "approve"}`), fault.Conflict)
	tried := e.Must(t, "requests_decide", `{"request": 1, "decision": "approve", "dry_run": true}`)
	if tried["state"] != "lapsed" || fmt.Sprint(tried["answer"].(map[string]any)["removed"]) != "11" || !strings.Contains(f.Message, fmt.Sprintf("%s as if_commit approves that", tried["head"])) {
		t.Fatalf("%s; tried: %v", f.Message, tried)
	}
	if polled := fmt.Sprint(e.Must(t, "requests_list", `{"request": 1}`)["warnings"]); !strings.Contains(polled, "has lapsed, because main has moved") || !strings.Contains(polled, "ask: true makes a new request") {
		t.Errorf("whoever asked is told %s", polled)
	}
	approve := fmt.Sprintf(`{"request": 1, "decision": "approve", "if_commit": %q}`, tried["head"])
	e.Must(t, "note_create", `{"id": "y", "title": "Y", "tags": ["1"]}`)
	e.Refused(t, sampleCall("requests_decide", approve), fault.Precondition)
	approve = fmt.Sprintf(`{"request": 1, "decision": "approve", "if_commit": %q}`, head(t, e))
	if done := e.Must(t, "requests_decide", approve); done["state"] != "done" {
		t.Errorf("got %v", done)
	}
}

// An agent cannot agree to its own call, and a person with the same scopes can.
func TestAPersonAgreesAndAnAgentDoesNot(t *testing.T) {
	e := crowd(t)
	e.Must(t, "trails.meta.policy.apply", `{"starter": true}`)
	for door, agrees := range map[string]bool{"mcp-stdio": false, "mcp-http": false, "http": false, "cli": false, policy.Terminal: true, "admin": true} {
		out, err := callAs(t, e, bot, "note.delete", `{"id": "a", "ask": true}`)
		if err != nil {
			t.Fatal(err)
		}
		args := fmt.Appendf(nil, `{"request": %v, "decision": "approve", "dry_run": true}`, out["request"])
		if _, err := e.Call(t.Context(), invoke.Call{Capability: "requests_decide", Args: args, Principal: bot, Via: door}); (err == nil) != agrees {
			t.Errorf("through %s: %v", door, err)
		}
	}
}

// The same call asked again after the decision says what became of it, whether trying it once more fails, would change
// nothing or would change something; with another message it is a new request.
func TestACallAskedAgainSaysWhatBecameOfIt(t *testing.T) {
	testrun.Alone(t)
	e := crowd(t)
	e.Must(t, "note_create", `{"id": "z", "title": "Z", "tags": ["1"]}`)
	e.Must(t, "trails.meta.policy.apply", `{"starter": true}`)
	e.Must(t, "branches_create", `{"name": "draft/1"}`)
	e.Must(t, "note_create", `{"id": "y", "title": "Y", "branch": "draft/1"}`)
	number := 0.0
	for _, c := range []struct{ name, capability, args, decision string }{
		{"a deletion that fails when it is tried again", "note.delete", `{"id": "z"}`, "approve"},
		{"an update that changes nothing any more", "mutate", `{"update": "DELETE WHERE {?s <urn:trails:example:tags> ?o}"}`, "approve"},
		{"a deletion that was declined", "note.delete", `{"id": "a"}`, "decline"},
		{"a merge that was declined", "branches_merge", `{"source": "draft/1"}`, "decline"},
		{"a merge that was made", "branches_merge", `{"source": "draft/1", "message": "two"}`, "approve"},
	} {
		asked := strings.Replace(c.args, "{", `{"ask": true, `, 1)
		number++
		if first, err := callAs(t, e, bot, c.capability, asked); err != nil || first["request"] != number {
			t.Fatalf("%s: asked for, it answers %v, %v", c.name, first, err)
		}
		done := e.Must(t, "requests_decide", fmt.Sprintf(`{"request": %v, "decision": %q, "reason": "since 5"}`, number, c.decision))
		before := head(t, e)
		_, err := callAs(t, e, bot, c.capability, asked)
		f := fault.Of(err)
		state := fmt.Sprint(done["state"])
		if err == nil || f.Kind != fault.Conflict || !strings.Contains(f.Message, fmt.Sprintf("request %v asked for the same, and is %s since ", number, state)) || !strings.Contains(f.Message, "by local:ana") {
			t.Errorf("%s: asked again, it answers %v", c.name, err)
		}
		if f.Details["reason"] != "since 5" || f.Details["commit"] != done["commit"] || head(t, e) != before {
			t.Errorf("%s: it says %v of %v", c.name, f.Details, done)
		}
		if rows := waiting(t, e, `{}`); len(rows) != 0 {
			t.Errorf("%s: there wait %v", c.name, rows)
		}
	}
	if _, err := callAs(t, e, bot, "note.delete", `{"id": "z", "ask": true, "if_commit": "head~1"}`); !strings.Contains(fmt.Sprint(err), "request 1 asked for the same") {
		t.Errorf("with the head of that time it answers %v", err)
	}
	if out, err := callAs(t, e, bot, "note.delete", `{"id": "a", "ask": true, "message": "it is old"}`); err != nil || out["request"] != number+1 {
		t.Errorf("with another message it answers %v, %v", out, err)
	}
	if out := e.Must(t, "note.delete", `{"id": "a", "ask": true}`); out["request"] != number+2 {
		t.Errorf("by somebody else it answers %v", out)
	}
	e.Must(t, "branches_create", `{"name": "draft/2"}`)
	if out, err := callAs(t, e, bot, "note.delete", `{"id": "a", "ask": true, "branch": "draft/2"}`); err != nil || out["request"] != number+3 {
		t.Errorf("on another branch it answers %v, %v", out, err)
	}
}

// comesInFiles are calls whose data comes in files, which a request does not keep.
var comesInFiles = []string{"import", "import_types", "trails.meta.bundle.apply"}

// Whatever can remove much can be asked for: the arguments that allow it and that ask go together.
func TestWhatMayRemoveMuchCanBeAskedFor(t *testing.T) {
	e := notes(t)
	for _, d := range e.Callable(t) {
		_, mass := d.InputShape.Field(capabilities.AllowMassChange)
		if _, asks := d.InputShape.Field(capabilities.Ask); mass && !asks && d.ID != "requests_decide" && !slices.Contains(comesInFiles, d.ID) {
			t.Errorf("%s may remove much, and takes no ask", d.ID)
		}
	}
}

// An update of one node is asked for as it is made, by the call for its type and by the one for all.
func TestAnUpdateOfANodeIsAskedFor(t *testing.T) {
	e := crowd(t)
	e.Must(t, "note_create", `{"id": "z", "title": "Z", "tags": ["1", "2", "3", "4", "5", "6"]}`)
	for number, c := range []struct{ capability, args string }{
		{"note.update", `{"id": "z", "tags": []}`},
		{"update", `{"type": "Note", "id": "z", "set": {"tags": []}, "message": "again"}`},
	} {
		f := e.Refused(t, sampleCall(c.capability, c.args), fault.Conflict)
		if !strings.Contains(f.Message, "or give ask: true") {
			t.Fatal(f)
		}
		if out := e.Must(t, c.capability, strings.Replace(c.args, "{", `{"ask": true, `, 1)); out["request"] != float64(number+1) {
			t.Errorf("%s: asked for, it answers %v", c.capability, out)
		}
	}
	if done := e.Must(t, "requests_decide", `{"request": 2, "decision": "approve"}`); done["state"] != "done" {
		t.Error(done)
	}
	if n := e.Must(t, "get", `{"ids": ["Note/z"]}`); strings.Contains(fmt.Sprint(n), "tags") {
		t.Errorf("it still has tags: %v", n)
	}
}

// A property that is called ask is a property to each call.
func TestAPropertyMayBeCalledAsk(t *testing.T) {
	e := invoketest.New(t, "types: {Bid: {properties: {ask: boolean, size: integer}}}", invoke.Config{})
	e.Must(t, "create", `{"type": "Bid", "id": "a", "data": {"ask": true}}`)
	e.Must(t, "bid.update", `{"id": "a", "ask": false}`)
	e.Must(t, "update", `{"type": "Bid", "id": "a", "set": {"ask": true}}`)
	if f := e.Refused(t, sampleCall("update", `{"type": "Bid", "id": "a", "set": {"size": 1}, "ask": true}`), fault.InvalidArguments); !strings.Contains(f.Told(500), "mutate") {
		t.Error(f)
	}
	for _, c := range []refusedCall{{"bid.delete", `{"id": "a", "ask": true}`}, {"delete", `{"type": "Bid", "id": "a", "ask": true}`}} {
		if f := e.Refused(t, sampleCall(c.capability, c.args), fault.InvalidArguments); !strings.Contains(f.Told(500), "Bid has a property ask, so nobody can be asked for this; delete it with mutate") {
			t.Errorf("%s: %s", c.capability, f.Told(500))
		}
	}
	if rows := waiting(t, e, `{"all": true}`); len(rows) != 0 {
		t.Errorf("there wait %v", rows)
	}
	e.Must(t, "bid.delete", `{"id": "a"}`)
}

// A delete of a type with a property called detach says that it has no such argument, and the way out.
func TestAPropertyMayBeCalledDetach(t *testing.T) {
	e := invoketest.New(t, "types: {Bid: {properties: {detach: string}}}", invoke.Config{})
	e.Must(t, "create", `{"type": "Bid", "id": "a", "data": {"detach": "x"}}`)
	for _, c := range []refusedCall{{"bid.delete", `{"id": "a", "detach": true}`}, {"delete", `{"type": "Bid", "id": "a", "detach": true}`}} {
		if f := e.Refused(t, sampleCall(c.capability, c.args), fault.InvalidArguments); !strings.Contains(f.Told(500), "Bid has a property detach, so this does not remove the links to it; delete it with mutate") {
			t.Errorf("%s: %s", c.capability, f.Told(500))
		}
	}
	e.Must(t, "mutate", `{"update": "DELETE WHERE {?s a :Bid; ?p ?o}"}`)
}

// refusedCall is a call that is refused.
type refusedCall struct{ capability, args string }

// One agent cannot take the places of all others, and gets its own back by declining.
func TestAnAgentHasSoManyRequestsThatWait(t *testing.T) {
	testrun.Alone(t)
	e := crowd(t)
	e.Must(t, "trails.meta.policy.apply", `{"starter": true}`)
	ask := func(p policy.Principal, i int) (map[string]any, error) {
		return callAs(t, e, p, "mutate", fmt.Sprintf(`{"update": "INSERT DATA {<urn:a> <urn:b> %d}", "ask": true}`, i))
	}
	for i := range 100 {
		if _, err := ask(bot, i); err != nil {
			t.Fatal(err)
		}
	}
	if again, err := ask(bot, 7); err != nil || again["request"] != 8.0 {
		t.Errorf("one that waits answers %v, %v", again, err)
	}
	if _, err := ask(bot, 100); !fault.Is(err, fault.TooLarge) || !strings.Contains(err.Error(), "100 requests of token:bot wait") {
		t.Errorf("one too many answers %v", err)
	}
	if out, err := ask(invoketest.Ana, 100); err != nil || out["request"] != 101.0 {
		t.Errorf("somebody else is answered %v, %v", out, err)
	}
	if _, err := callAs(t, e, bot, "requests_decide", `{"request": 1, "decision": "decline"}`); err != nil {
		t.Fatal(err)
	}
	if out, err := ask(bot, 100); err != nil || out["request"] != 102.0 {
		t.Errorf("after it declined one it is answered %v, %v", out, err)
	}
}

// What an argument calls a commit is resolved when the call is asked for: approved after other writes, it is about the commits
// that it named then.
func TestARequestKeepsTheCommitsThatItNamed(t *testing.T) {
	testrun.Alone(t)
	for _, c := range []struct{ capability, args, kept string }{
		{"undo", `{"commit": "head"}`, `{"commit":"HEAD"}`},
		{"undo", `{"commit": "2100-01-01T00:00:00Z"}`, `{"commit":"HEAD"}`},
		{"undo", `{"commit": "here"}`, `{"commit":"HEAD"}`},
		{"undo", `{"commit": "head~1.."}`, `{"commit":"BEFORE..HEAD"}`},
		{"undo_by", `{"by": "local:ana", "since": "head~1"}`, `{"by":"local:ana","since":"BEFORE"}`},
		{"cherry_pick", `{"commit": "draft"}`, `{"commit":"DRAFT"}`},
		{"cherry_pick", `{"commit": "draft~1..draft"}`, `{"commit":"HEAD..DRAFT"}`},
	} {
		t.Run(c.capability+c.args, func(t *testing.T) {
			e := crowd(t)
			before := head(t, e)
			e.Must(t, "note_create", `{"id": "y", "title": "Y"}`)
			named := head(t, e)
			e.Must(t, "tags_create", `{"name": "here"}`)
			e.Must(t, "branches_create", `{"name": "draft"}`)
			drafted := e.Must(t, "note_create", `{"id": "w", "title": "W", "branch": "draft"}`)["commit"]
			asked := e.Must(t, c.capability, strings.Replace(c.args, "{", `{"ask": true, `, 1))
			if asked["request"] != 1.0 {
				t.Fatalf("asked for, it answers %v", asked)
			}
			want := strings.NewReplacer("HEAD", named, "BEFORE", before, "DRAFT", fmt.Sprint(drafted)).Replace(c.kept)
			if got := waiting(t, e, `{"request": 1}`)[0].([]any)[16]; got != want {
				t.Fatalf("kept is %s, not %s", got, want)
			}
			e.Must(t, "note_create", `{"id": "x", "title": "X"}`)
			e.Must(t, "note_create", `{"id": "v", "title": "V", "branch": "draft"}`)
			e.Must(t, "requests_decide", fmt.Sprintf(`{"request": 1, "decision": "approve", "if_commit": %q}`, head(t, e)))
			has := func(title string) bool {
				return fmt.Sprint(e.Must(t, "query", fmt.Sprintf(`{"query": "ASK {?note :title '%s'}"}`, title))["boolean"]) == "true"
			}
			if has("X") == (c.capability == "undo_by") { // which takes back all since then
				t.Errorf("that the note of after the request is there is %v", has("X"))
			}
			if has("Y") != (c.capability == "cherry_pick") {
				t.Errorf("that the note of before the request is there is %v", has("Y"))
			}
			if has("V") || has("W") != (c.capability == "cherry_pick") {
				t.Errorf("that the notes of the draft are there is %v, %v", has("W"), has("V"))
			}
		})
	}
}

func TestWhatCannotBeKeptIsRefused(t *testing.T) {
	e := crowd(t)
	const clear = `"update": "CLEAR GRAPH <urn:g>", "ask": true`
	for name, c := range map[string]struct {
		capability, args string
		inputs           []invoke.Input
		kind             fault.Kind
		says             string
	}{
		"a dry run":        {capability: "mutate", args: `{` + clear + `, "dry_run": true}`, kind: fault.InvalidArguments, says: "no dry run"},
		"a plan":           {capability: "schema_apply", args: `{"patch": "- drop_property: Note.tags", "plan": true, "ask": true}`, kind: fault.InvalidArguments, says: "no dry run"},
		"a file":           {capability: "load", args: `{"ask": true}`, inputs: []invoke.Input{{Name: "a.nt", Reader: io.NopCloser(strings.NewReader("<urn:a> <urn:b> <urn:c> ."))}}, kind: fault.InvalidArguments, says: "keeps no files"},
		"a new branch":     {capability: "load", args: `{"data": "<urn:a> <urn:b> <urn:c> .", "branch": "new", "from": "main", "ask": true}`, kind: fault.InvalidArguments, says: "branches_create"},
		"a credential":     {capability: "mutate", args: `{"update": "INSERT DATA {<urn:a> <urn:b> 'trails_bot_` + strings.Repeat("A", 26) + `'}", "ask": true}`, kind: fault.InvalidArguments, says: "credential"},
		"too much":         {capability: "load", args: `{"data": "` + strings.Repeat("<urn:a> <urn:b> <urn:c> .\\n", 4_000) + `", "ask": true}`, kind: fault.TooLarge, says: "branches_merge"},
		"what is wrong":    {capability: "mutate", args: `{"update": "CLEAR GRAPH", "ask": true}`, kind: fault.Malformed, says: "expected an IRI"},
		"another head":     {capability: "mutate", args: `{` + clear + `, "if_commit": "head~1"}`, kind: fault.Precondition, says: "head"},
		"a later head":     {capability: "mutate", args: `{"update": "INSERT {?s ?p ?o} WHERE {GRAPH <urn:trails:at:head> {?s ?p ?o}}", "ask": true}`, kind: fault.InvalidArguments, says: "<urn:trails:at:head> may name another commit when the update is made; write <urn:trails:at:"},
		"what is not kept": {capability: "link", args: `{"from": "Note/a", "property": "status", "to": "Note/b", "ask": true}`, kind: fault.InvalidArguments, says: "there is no argument \"ask\""},
	} {
		_, err := e.Call(t.Context(), invoke.Call{Capability: c.capability, Args: json.RawMessage(c.args), Inputs: c.inputs, Principal: invoketest.Ana, Via: "test"})
		f := fault.Of(err)
		if err == nil || f.Kind != c.kind || !strings.Contains(f.Told(2000), c.says) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if out := e.Must(t, "mutate", `{"update": "CLEAR GRAPH <urn:none>", "ask": true}`); out["request"] != nil || !strings.Contains(fmt.Sprint(out["warnings"]), "nobody is asked") {
		t.Errorf("what changes nothing is answered with %v", out)
	}
	if rows := waiting(t, e, `{"all": true}`); len(rows) != 0 {
		t.Errorf("there wait %v", rows)
	}
}
