package builtin_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trails/auth/cedar"
	"trails/auth/policy"
	"trails/capability"
	"trails/e2e/testrun"
	"trails/fault"
	"trails/gateway/artifact"
	"trails/invoke"
	"trails/invoke/invoketest"
	"trails/kg"
	"trails/kg/load"
	"trails/text/jsontext"
)

// oneMigration is a migration of the graph of [notes].
const oneMigration = `{"name": "0001_pages.yaml", "text": "steps:\n- add_property: {Note.pages: integer}\n"}`

// allMay are policies under which everybody may do everything.
const allMay = `permit (principal, action, resource);`

// samples has a call of every capability on the graph of [notes]. Where consent is
// required it is one that removes something.
var samples = map[string]string{
	"health": `{}`, "snapshot": `{}`, "schema_get": `{}`, "commits_list": `{}`, "commits_find": `{"author": "ana"}`, "changes": `{"limit": 5}`, "branches_list": `{}`, "diff": `{}`, "blame": `{"id":"Note/a"}`, "branches_create": `{"name":"draft"}`, "branches_delete": `{"name":"draft"}`, "branches_merge": `{"source":"draft"}`, "cherry_pick": `{"commit":"draft"}`, "guide": `{}`, "prompts_list": `{}`, "skills_list": `{}`, "trails.meta.ping": `{}`, "trails.meta.doctor.run": `{}`, "capability_history": `{"id":"search"}`, "paths": `{"from": "Note/a", "to": "Note/b"}`,
	"branches_rename": `{"name":"draft","to":"other"}`, "branches_reset": `{"name":"draft","to":"main~1"}`, "branches_protect": `{"name":"main"}`, "tags_list": `{}`, "tags_create": `{"name":"v1"}`, "tags_delete": `{"name":"v1"}`, "requests_list": `{}`, "refusals_list": `{}`, "requests_decide": `{"request":1,"decision":"approve"}`,
	"gc":                       `{"grace": "0d"}`,
	"trails.meta.token.create": `{"name":"ci"}`, "trails.meta.token.list": `{}`, "trails.meta.token.revoke": `{"name":"ci"}`,
	"trails.meta.grant.list": `{}`, "trails.meta.grant.end": `{"name":"grant-sample"}`,
	"trails.meta.budget.set": `{"actor":"*","capability":"query","per":"day","rows":1000}`, "trails.meta.budget.list": `{}`, "trails.meta.budget.remove": `{"actor":"*","capability":"query","per":"day"}`,
	"trails.meta.policy.show": `{}`, "trails.meta.policy.plan": `{"policies":"` + allMay + `"}`, "trails.meta.policy.apply": `{"policies":"` + allMay + `"}`,
	"trails.meta.policy.explain": `{"as":"token:ci","call":"note.update"}`, "trails.meta.policy.test": `{"cases":"- {as: token:ci, call: note.update, expect: allowed}","policies":"` + allMay + `"}`,
	"query":                      `{"query": "SELECT * {?s ?p ?o}"}`,
	"mutate":                     `{"update": "DELETE DATA {GRAPH <urn:g> {<urn:a> <urn:b> 1}}"}`,
	"load":                       `{"data": "{\"type\":\"Note\",\"id\":\"c\",\"data\":{\"title\":\"C\"}}", "mode": "overwrite"}`,
	"import_plan":                `{"data": "id,title\nc,C\n", "type": "Note"}`,
	"import":                     `{"data": "id,title\nc,C\n", "tables": [{"type": "Note"}]}`,
	"import_types":               `{"data": "id,size\na,1\n", "tables": [{"type": "Room"}], "patch": "- add_type: {Room: {iri: preserve, properties: {size: integer}}}"}`,
	"export":                     `{}`,
	"commits_get":                `{"id": "head"}`,
	"commit_view":                `{"id": "head"}`,
	"tool_browse":                `{"query": "create a note"}`,
	"tool_execute":               `{"tool_id": "note.update", "args": {"id": "a", "title": "B"}}`,
	"tool_hydrate":               `{"tool_id": "trails:snapshot#0efa963b"}`,
	"resources_read":             `{"uri": "trails://kg/types"}`,
	"entity_get":                 `{"type": "Note", "id": "a"}`,
	"entity_graph":               `{"type": "Note", "id": "a"}`,
	"entity_history":             `{"type": "Note", "id": "a"}`,
	"entities_list":              `{"type": "Note"}`,
	"reconcile":                  `{"queries": {"q0": {"query": "a"}}}`,
	"suggest":                    `{"what": "types", "prefix": ""}`,
	"prompts_get":                `{"name": "explore"}`,
	"skills_get":                 `{"name": "read-graph"}`,
	"schema_apply":               fmt.Sprintf(`{"schema": %q}`, withoutStatus),
	"trails.meta.schema.plan":    fmt.Sprintf(`{"schema": %q}`, withoutStatus),
	"trails.meta.schema.apply":   fmt.Sprintf(`{"schema": %q}`, withoutStatus),
	"trails.meta.gen.shape":      `{"type": "Note"}`,
	"trails.meta.gen.type":       `{"type": "Task", "properties": ["due: date"]}`,
	"trails.meta.gen.migration":  fmt.Sprintf(`{"name": "less", "schema": %q}`, withoutStatus),
	"trails.meta.gen.capability": `{"id": "note.find", "type": "Note"}`,
	"stored_query_list":          `{}`,
	"stored_query_run":           `{"name": "finish"}`,
	"trails.meta.query.add":      `{"queries": [{"text": "#+ id: more\nASK {}"}]}`,
	"trails.meta.query.remove":   `{"names": ["notes"]}`,

	"trails.meta.bundle.create":     `{}`,
	"trails.meta.bundle.apply":      `{"data": "BUNDLE", "into": "taken"}`,
	"trails.meta.diff.data":         `{"data": "<urn:a> <urn:b> <urn:c> .\n"}`,
	"trails.meta.migrate.status":    `{}`,
	"trails.meta.migrate.plan":      `{"migrations": [` + oneMigration + `]}`,
	"trails.meta.migrate.apply":     `{"migrations": [` + oneMigration + `]}`,
	"trails.meta.migrate.rollback":  `{}`,
	"notes":                         `{}`,
	"finish":                        `{}`,
	"undo":                          `{"commit": "head"}`,
	"undo_by":                       `{"by": "token:ci"}`,
	"schema_undo":                   `{"commit": "head"}`,
	"definitions_get":               `{}`,
	"definitions_diff":              fmt.Sprintf(`{"definitions": {"schema": %q}}`, withoutStatus),
	"trails.meta.promote.plan":      fmt.Sprintf(`{"definitions": {"schema": %q}}`, withoutStatus),
	"trails.meta.promote.apply":     fmt.Sprintf(`{"definitions": {"schema": %q}, "allow_data_loss": true, "replace": true}`, withoutStatus),
	"trails.meta.promote.undo":      `{"commit": "head"}`,
	"artifacts_list":                `{}`,
	"tool_view":                     `{"handle": "text:fake:0", "selector": {"type": "head"}}`,
	"gateway_list":                  `{}`,
	"gateway_show":                  `{"name": "fake"}`,
	"gateway_refresh":               `{"name": "fake"}`,
	"trails.meta.gateway.accept":    `{"name": "fake"}`,
	"trails.meta.gateway.add":       `{"definition": {"name": "other", "command": ["other"]}}`,
	"trails.meta.gateway.remove":    `{"name": "fake"}`,
	"trails.meta.gateway.configure": `{"settings": {"cache_stable": true}}`,
	"create":                        `{"type": "Note", "data": {"title": "C"}, "id": "c"}`,
	"update":                        `{"type": "Note", "id": "a", "set": {"title": "Another"}}`,
	"delete":                        `{"type": "Note", "id": "a"}`,
	"search":                        `{"text": "a"}`,
	"get":                           `{"ids": ["Note/a"]}`,
	"describe":                      `{"type": "Note"}`,
	"list":                          `{"type": "Note"}`,
	"history":                       `{}`,
	"link":                          `{"from": "Note/a", "property": "about", "to": "Note/b"}`,
	"unlink":                        `{"from": "Note/a", "property": "about", "to": "Note/b"}`,
	"note.create":                   `{"id": "c", "title": "C"}`,
	"note.update":                   `{"id": "a", "title": "Another"}`,
	"note.delete":                   `{"id": "a"}`,
}

// sampled is the graph for the sample of a capability.
func sampled(t *testing.T, d capability.Descriptor) *invoketest.Engine {
	t.Helper()
	e := notes(t)
	prepare(t, e, d.ID)
	return e
}

// prepare makes what the sample of a capability needs in the graph of [notes].
func prepare(t *testing.T, e *invoketest.Engine, id string) {
	t.Helper()
	switch id {
	case "trails.meta.bundle.apply":
		var out bytes.Buffer
		if _, err := e.Call(t.Context(), invoke.Call{Capability: "trails.meta.bundle.create", Principal: invoketest.Ana, Output: &out}); err != nil {
			t.Fatal(err)
		}
		sampleBundle = out.String()
	case "branches_delete":
		e.Must(t, "branches_create", samples["branches_delete"])
	case "branches_rename", "branches_reset":
		prepare(t, e, "branches_delete")
	case "gc":
		prepare(t, e, "branches_merge")
		e.Must(t, "branches_delete", samples["branches_delete"])
	case "tags_delete":
		e.Must(t, "tags_create", samples["tags_create"])
	case "trails.meta.token.revoke":
		e.Must(t, "trails.meta.token.create", samples["trails.meta.token.create"])
	case "trails.meta.grant.end":
		grant(t, e, invoketest.Ana, "grant-sample")
	case "trails.meta.budget.remove":
		e.Must(t, "trails.meta.budget.set", samples["trails.meta.budget.set"])
	case "trails.meta.policy.show", "trails.meta.policy.explain":
		e.Must(t, "trails.meta.policy.apply", samples["trails.meta.policy.apply"])
	case "requests_decide":
		prepare(t, e, "branches_merge")
		e.Must(t, "branches_merge", `{"source":"draft","ask":true}`)
	case "branches_merge", "cherry_pick":
		prepare(t, e, "branches_delete")
		e.Must(t, "note.update", `{"id": "a", "title": "Of a draft", "branch": "draft"}`)
	case "undo_by":
		e.Govern(t, cedar.Starter)
		c := invoke.Call{Capability: "note.update", Args: json.RawMessage(`{"id": "b", "title": "Of another"}`), Principal: invoketest.Callers["runtime"]}
		if _, err := e.Call(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	case "unlink":
		e.Must(t, "link", samples["link"])
	case "trails.meta.migrate.rollback":
		e.Must(t, "trails.meta.migrate.apply", samples["trails.meta.migrate.apply"])
	case "gateway_show", "gateway_refresh", "trails.meta.gateway.accept", "trails.meta.gateway.remove":
		e.Must(t, "trails.meta.gateway.add", fmt.Sprintf(`{"definition": {"name": "fake", "http": %q}}`, fakeUpstream(t)))
	case "tool_view":
		kept := artifact.Artifact{Ref: artifact.Ref{Handle: "text:fake:0", ContentHash: fmt.Sprintf("%x", sha256.Sum256([]byte("a text"))), MediaType: "text/plain", SizeBytes: 6}, Data: []byte("a text")}
		for _, p := range invoketest.Callers {
			if err := e.Graph().Session(p).KeepArtifacts(t.Context(), "fake", []artifact.Artifact{kept}); err != nil {
				t.Fatal(err)
			}
		}
	case "schema_undo":
		e.Must(t, "schema_apply", `{"patch": "- add_property: {Note.extra: string}"}`)
	case "trails.meta.promote.undo":
		e.Must(t, "trails.meta.promote.apply", samples["trails.meta.promote.apply"])
	}
}

func state(t *testing.T, e *invoketest.Engine) string {
	t.Helper()
	var out bytes.Buffer
	if _, err := e.Call(t.Context(), invoke.Call{Capability: "export", Principal: invoketest.Ana, Output: &out}); err != nil {
		t.Fatal(err)
	}
	for _, list := range []string{"branches_list", "tags_list", "requests_list", "trails.meta.token.list", "trails.meta.budget.list"} {
		fmt.Fprintln(&out, e.Must(t, list, `{}`)["rows"])
	}
	fmt.Fprintln(&out, e.Must(t, "trails.meta.policy.show", `{}`)["text"])
	fmt.Fprintln(&out, e.Must(t, "gc", `{"grace": "0d", "dry_run": true}`)["commits"])
	return out.String()
}

// Every field of every descriptor is true of what its capability does.
func TestWhatADescriptorSaysIsSo(t *testing.T) {
	testrun.Alone(t)
	callable := notes(t).Callable(t)
	if len(callable) != len(samples) {
		t.Errorf("there are %d capabilities and %d samples", len(callable), len(samples))
	}
	for _, d := range callable {
		t.Run(d.ID, func(t *testing.T) {
			args, known := samples[d.ID]
			if !known {
				t.Fatal("there is no call to try")
			}
			t.Run("version", func(t *testing.T) {
				if again := d.Stamped("1.0.0"); again.Version != d.Version {
					t.Errorf("version %s, and its content is %s", d.Version, again.Version)
				}
			})
			t.Run("input_shape", func(t *testing.T) {
				e := notes(t)
				c := sample(d, args)
				c.Args = json.RawMessage(strings.Replace(args, "{", `{"no_such_argument": 1,`, 1))
				if args == "{}" {
					c.Args = json.RawMessage(`{"no_such_argument": 1}`)
				}
				if _, err := e.Call(t.Context(), c); !fault.Is(err, fault.InvalidArguments) && !fault.Is(err, fault.InvalidData) {
					t.Errorf("an argument that there is not: %v", err)
				}
			})
			t.Run("policy_required", func(t *testing.T) { checkPolicy(t, d, args) })
			t.Run("effects", func(t *testing.T) { checkEffects(t, d, args) })
			t.Run("consent_required", func(t *testing.T) { checkConsent(t, d, args) })
		})
	}
}

// sampleBundle is a bundle of the graph that was prepared last.
var sampleBundle string

func sample(d capability.Descriptor, args string) invoke.Call {
	args = strings.Replace(args, `"BUNDLE"`, string(jsontext.AppendText(nil, sampleBundle)), 1)
	c := invoke.Call{Capability: d.ID, Args: json.RawMessage(args), Principal: invoketest.Ana, Via: "test"}
	if d.ID == "export" || d.ID == "trails.meta.bundle.create" {
		c.Output = new(bytes.Buffer)
	}
	return c
}

// yes is what lets a sample through that removes something.
func yes(context.Context, invoke.Question) (bool, error) { return true, nil }

// checkEffects tries side_effects, output_shape, idempotent and assurance.
func checkEffects(t *testing.T, d capability.Descriptor, args string) {
	e := sampled(t, d)
	before := state(t, e)
	c := sample(d, args)
	c.Ask = yes
	if d.SideEffects != capability.None {
		tried := c
		tried.Args = json.RawMessage(strings.Replace(args, "{", `{"dry_run": true, `, 1))
		_, _ = e.Call(t.Context(), tried) // refused or not
		if now := state(t, e); now != before {
			t.Error("a dry run changed something")
		}
	}
	res, err := e.Call(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	invoketest.CheckResult(t, e, d.ID, res.Structured)
	once := state(t, e)
	if changed := once != before; changed != (d.SideEffects != capability.None) {
		t.Errorf("side effects %q, and changed is %t", d.SideEffects, changed)
	}
	if !d.Idempotent {
		return
	}
	_, _ = e.Call(t.Context(), c) // refused or not, the graph stays
	if diff := cmp.Diff(once, state(t, e)); diff != "" {
		t.Errorf("done twice it is another graph:\n%s", diff)
	}
}

// checkPolicy tries the scope with invoketest.Callers that have all but that one.
func checkPolicy(t *testing.T, d capability.Descriptor, args string) {
	e := notes(t)
	before := state(t, e)
	var others []policy.Scope
	for _, s := range []policy.Scope{policy.Runtime, policy.Builder, policy.Dev} {
		if s != d.PolicyRequired.Scope {
			others = append(others, s)
		}
	}
	c := sample(d, args)
	c.Principal = policy.Principal{ID: "token:other", Scopes: policy.NewScopes(others...), Authenticated: true}
	e.Refused(t, c, fault.ScopeDenied)
	tools, err := e.Tools(t.Context(), c.Principal)
	if err != nil {
		t.Fatal(err)
	}
	for _, listed := range tools.Descriptors {
		if listed.ID == d.ID {
			t.Error("it is listed to a caller whose call is refused")
		}
	}
	if d.PolicyRequired.Scope != policy.Runtime {
		c.Principal = policy.Anonymous("", policy.AllScopes())
		e.Refused(t, c, fault.Unauthenticated)
	}
	if state(t, e) != before {
		t.Error("a refused call changed something")
	}
}

// checkConsent tries a person who says no. Where nobody can be asked, the call goes on
// or its arguments do not allow it.
func checkConsent(t *testing.T, d capability.Descriptor, args string) {
	e, person := sampled(t, d), &asked{}
	before := state(t, e)
	c := sample(d, args)
	c.Ask = person.answer
	_, err := e.Call(t.Context(), c)
	if asked := len(person.questions) == 1; asked != d.ConsentRequired {
		t.Errorf("consent_required is %t, asked %q", d.ConsentRequired, person.questions)
	}
	if d.ConsentRequired && (!fault.Is(err, fault.Conflict) || state(t, e) != before) {
		t.Errorf("after a no: %v", err)
	}
	if !d.ConsentRequired && err != nil {
		t.Error(err)
	}
	if !d.ConsentRequired {
		return
	}
	c.Ask = nil
	switch _, err := e.Call(t.Context(), c); {
	case d.PolicyRequired.Action == policy.SchemaApply:
		if !fault.Is(err, fault.Conflict) || state(t, e) != before {
			t.Errorf("a schema that loses data without allow_data_loss: %v", err)
		}
	case err != nil || state(t, e) == before:
		t.Errorf("nobody to ask: %v", err)
	}
}

// A session of the graph that is bound to an action does nothing else.
func TestASessionForAnActionDoesNothingElse(t *testing.T) {
	e := notes(t)
	before := state(t, e)
	write := map[policy.Action]func(*kg.Session) error{
		policy.Change: func(s *kg.Session) error {
			_, err := s.Load(t.Context(), kg.Load{Options: load.Options{Inputs: []load.Input{{Name: "x.nt", Reader: strings.NewReader("<urn:x> <urn:y> <urn:z> .")}}}})
			return err
		},
		policy.SchemaApply: func(s *kg.Session) error {
			_, _, err := s.ApplySchema(t.Context(), kg.SchemaChange{Source: []byte(withoutStatus), AllowDataLoss: true})
			return err
		},
		policy.Restore: func(s *kg.Session) error {
			_, err := s.Import(t.Context(), kg.Load{})
			return err
		},
		policy.BranchCreate: func(s *kg.Session) error {
			_, err := s.MakeBranch(t.Context(), kg.NewBranch{Name: "draft"})
			return err
		},
		policy.BranchMerge: func(s *kg.Session) error {
			_, err := s.Merge(t.Context(), kg.Merge{Source: "head~1"})
			return err
		},
		policy.BranchDelete: func(s *kg.Session) error {
			_, err := s.DropBranch(t.Context(), "draft", false, kg.Activity{})
			return err
		},
		policy.BundleApply: func(s *kg.Session) error {
			_, err := s.Apply(t.Context(), kg.Arrival{Bundle: strings.NewReader("")})
			return err
		},
		policy.Administer: func(s *kg.Session) error {
			_, _, err := s.IssueToken(t.Context(), kg.NewToken{Name: "ci"}, false, kg.Activity{})
			return err
		},
	}
	for _, action := range []policy.Action{policy.Read, policy.Export, policy.Change, policy.SchemaApply, policy.Restore, policy.BranchCreate, policy.BranchMerge, policy.BranchDelete, policy.BundleApply, policy.Administer} {
		for does, try := range write {
			if does == action {
				continue
			}
			if err := try(e.Graph().Session(invoketest.Ana).For(action)); err == nil || state(t, e) != before {
				t.Errorf("a session for %s did %s: %v", action, does, err)
			}
		}
	}
}

// What is answered of a type by way of its subtypes is inferred, and reasoning says so; what
// is answered as it was stated is not.
func TestReasoningSaysWhatIsInferred(t *testing.T) {
	e := invoketest.New(t, "types:\n  Software: {properties: {name: {type: string, required: true}}}\n  Worm: {extends: Software}\n", invoke.Config{})
	e.Must(t, "worm.create", `{"id":"w","name":"Ice bear"}`)
	for id, c := range map[string]struct {
		args string
		hit  string // what the answer has only when an instance of Worm is one of Software
	}{
		"list":           {`{"type":"Software"}`, "Ice bear"},
		"search":         {`{"text":"ice","type":"Software"}`, "Ice bear"},
		"entities_list":  {`{"type":"Software"}`, "Ice bear"},
		"describe":       {`{"type":"Software"}`, `"nodes":"1"`},
		"snapshot":       {`{}`, `"Software":1`},
		"resources_read": {`{"uri":"trails://kg/Software"}`, "Worm/w"},
		"query":          {`{"query":"SELECT ?x { ?x a :Software }"}`, "Worm/w"},
		"get":            {`{"ids":["Worm/w"]}`, `"Software"`},
	} {
		res, err := e.Do(t, id, c.args)
		if err != nil {
			t.Fatal(id, err)
		}
		var d capability.Descriptor
		for _, one := range e.Callable(t) {
			if one.ID == id {
				d = one
			}
		}
		text := string(res.Structured)
		if inferred := strings.Contains(text, c.hit); inferred != (d.Reasoning == capability.ReasoningSubclasses) {
			t.Errorf("%s says reasoning %q, and answers %s", id, d.Reasoning, text)
		}
	}
}

// fakeUpstream is the address of an MCP server that offers one tool.
func fakeUpstream(t *testing.T) string {
	t.Helper()
	answers := map[string]string{
		"initialize": `{"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "fake", "version": "1"}}`,
		"tools/list": `{"tools": [{"name": "echo", "description": "Say it again.", "inputSchema": {"type": "object"}}]}`,
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			ID     json.RawMessage
			Method string
		}
		answer, known := "", false
		if json.NewDecoder(r.Body).Decode(&asked) == nil {
			answer, known = answers[asked.Method]
		}
		if !known {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc": "2.0", "id": %s, "result": %s}`, asked.ID, answer)
	}))
	t.Cleanup(s.Close)
	return s.URL
}
