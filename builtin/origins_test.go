package builtin_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"trails/auth/policy"
	"trails/fault"
	"trails/invoke"
	"trails/invoke/invoketest"
	"trails/kg"
	"trails/kg/load"
)

const originSchema = `
base: "urn:example:"
types:
  Note:
    label: title
    properties:
      title: {type: string}
      tags: {type: string, many: true}
`

// origins is a graph in which a person, an agent and a file have said something.
type origins struct {
	*testing.T
	*invoketest.Engine
}

func newOrigins(t *testing.T) origins {
	o := origins{t, invoketest.New(t, originSchema, invoke.Config{})}
	o.through("admin", "note.create", `{"id": "own", "title": "Own", "message": "by hand"}`)
	o.through("mcp-http", "note.create", `{"id": "made", "title": "Made"}`)
	o.through("mcp-http", "note.create", `{"id": "both", "title": "Both"}`)
	o.through("admin", "note.update", `{"id": "both", "add": {"tags": ["seen"]}}`)
	c := invoke.Call{Capability: "load", Via: policy.Terminal, Args: json.RawMessage(`{"type": "Note"}`), Principal: invoketest.Ana}
	c.Inputs = []load.Input{{Name: "some/people.csv", Source: "people.csv", Reader: strings.NewReader("id,title\nread,Read\n")}}
	if _, err := o.Call(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	return o
}

func (o origins) through(door, capability, args string) map[string]any {
	o.Helper()
	r, err := o.Call(o.Context(), invoke.Call{Capability: capability, Args: json.RawMessage(args), Principal: invoketest.Ana, Via: door, Whole: true})
	if err != nil {
		o.Fatalf("%s %s: %v", capability, args, err)
	}
	var out map[string]any
	if err := json.Unmarshal(r.Structured, &out); err != nil {
		o.Fatal(err)
	}
	return out
}

// firsts are the first cells of an answer's rows, or the cells of a column.
func firsts(answer map[string]any, column ...string) (list []string) {
	at := 0
	for _, name := range column {
		columns, _ := answer["columns"].([]any)
		at = slices.Index(columns, any(name))
	}
	rows, _ := answer["rows"].([]any)
	for _, row := range rows {
		cells, _ := row.([]any)
		list = append(list, fmt.Sprint(cells[at]))
	}
	return list
}

// The counts of a class are those of its list and of a query, also on a branch and behind a merge, where what was merged is of
// who said it there; and what is counted is bounded.
func TestStatsCountWhatAClassSays(t *testing.T) {
	o := newOrigins(t)
	o.through("mcp-http", "branches_create", `{"name": "draft"}`)
	o.through("mcp-http", "note.create", `{"id": "drafted", "title": "Drafted", "tags": ["a", "b"], "branch": "draft"}`)
	o.through("admin", "note.create", `{"id": "more", "title": "More", "branch": "draft"}`)
	check := func(branch string) {
		for _, origin := range policy.OriginNames() {
			doc, err := o.Read(t.Context(), "trails://stats?origin="+origin+"&branch="+branch, invoke.Call{Principal: invoketest.Ana})
			if err != nil {
				t.Fatal(err)
			}
			var got struct {
				Origin, Note string
				Quads        float64
				Types        map[string]float64
			}
			if err := json.Unmarshal(doc.Body, &got); err != nil {
				t.Fatal(err)
			}
			listed := o.through("http", "list", `{"type": "Note", "origin": "`+origin+`", "branch": "`+branch+`"}`)["total"]
			counted := o.through("http", "query", `{"query": "SELECT (COUNT(*) AS ?n) { GRAPH <urn:trails:origin:`+origin+`> { ?s ?p ?o } }", "branch": "`+branch+`"}`)
			quads := counted["rows"].([]any)[0].([]any)[0]
			if got.Types["Note"] != listed || got.Quads != quads || got.Origin != origin || got.Note != "" {
				t.Errorf("%s on %s: %s; the list has %v, the query %v", origin, branch, doc.Body, listed, quads)
			}
		}
	}
	check("main")
	check("draft")
	o.through("admin", "branches_merge", `{"source": "draft"}`)
	check("main")
	if _, err := o.Read(t.Context(), "trails://stats?origin=agents", invoke.Call{Principal: invoketest.Ana}); !fault.Is(err, fault.InvalidArguments) || !strings.Contains(err.Error(), `did you mean "agent"?`) {
		t.Error(err)
	}
	if _, err := o.Read(t.Context(), "trails://stats?class=agent", invoke.Call{Principal: invoketest.Ana}); !fault.Is(err, fault.NotFound) {
		t.Error(err)
	}
	err := o.Graph().Session(invoketest.Ana).View(t.Context(), func(s *kg.Snapshot) error {
		statements, counts, part, err := s.CountOrigin(t.Context(), policy.Agent, 2)
		if !part || statements > 2 || counts[0].Count > 1 {
			t.Errorf("of two statements: %d, %v, %t", statements, counts, part)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestAListHasWhatOneClassAloneSays(t *testing.T) {
	o := newOrigins(t)
	for origin, want := range map[string][]string{"person": {"Note/own"}, "agent": {"Note/made"}, "import": {"Note/read"}, "upstream": nil} {
		for _, sort := range []string{"", `, "sort": "title"`, `, "where": [{"property": "title", "op": "not_empty"}]`} {
			got := o.through("http", "list", `{"type": "Note", "origin": "`+origin+`"`+sort+`}`)
			if !slices.Equal(firsts(got), want) || got["total"] != float64(len(want)) {
				t.Errorf("%s%s: %v", origin, sort, got)
			}
			if warned := strings.Contains(fmt.Sprint(got["warnings"]), "others than "+origin); warned != (want == nil) {
				t.Errorf("%s%s: warnings %v", origin, sort, got["warnings"])
			}
		}
	}
	if f := o.Refused(t, invoke.Call{Capability: "list", Args: json.RawMessage(`{"type": "Note", "origin": "agents"}`), Principal: invoketest.Ana}, fault.InvalidArguments); !strings.Contains(f.Error(), `did you mean "agent"?`) {
		t.Error(f)
	}
}

func TestAnswersSayWhatClassTheirSourcesAreOf(t *testing.T) {
	o := newOrigins(t)
	both := o.through("http", "blame", `{"id": "Note/both"}`)
	if got := firsts(both, "origin"); !slices.Contains(got, "person") || !slices.Contains(got, "agent") || both["origin"] != nil {
		t.Errorf("blame of values that differ: %v", both)
	}
	made := o.through("http", "blame", `{"id": "Note/made"}`)
	if columns := made["columns"].([]any); made["origin"] != "agent" || slices.Contains(columns, any("origin")) || len(made["rows"].([]any)[0].([]any)) != len(columns) {
		t.Errorf("blame of values that are alike: %v", made)
	}
	if got := o.through("http", "history", `{"id": "Note/own"}`); got["origin"] != "person" {
		t.Errorf("history: %v", got)
	}
	if got := o.through("http", "commits_get", `{"id": "head"}`); got["commit"].(map[string]any)["origin"] != "import" {
		t.Errorf("commits_get: %v", got)
	}
	for origin, want := range map[string]int{"person": 2, "agent": 2, "import": 1, "upstream": 0} {
		got := o.through("http", "commits_list", `{"origin": "`+origin+`"}`)
		if rows := got["rows"].([]any); len(rows) != want || want > 0 && got["origin"] != origin {
			t.Errorf("commits_list of %s: %v", origin, got)
		}
		first := o.through("http", "commits_list", `{"limit": 1, "origin": "`+origin+`"}`)
		if next, more := first["next"].(string); more != (want > 1) {
			t.Errorf("commits_list of %s by pages: %v", origin, first)
		} else if more {
			if rest := o.through("http", "commits_list", `{"origin": "`+origin+`", "before": "`+next+`"}`); len(rest["rows"].([]any)) != want-1 {
				t.Errorf("the second page of %s: %v", origin, rest)
			}
		}
		feed := o.through("http", "changes", `{"start": "beginning", "origin": "`+origin+`"}`)
		if commits := feed["commits"].([]any); len(commits) != want || feed["passed"] != float64(6-want) {
			t.Errorf("changes of %s: %v", origin, feed)
		}
	}
}

func TestEverythingFromOneSourceIsTakenBack(t *testing.T) {
	for args, want := range map[string][]string{
		`{"origin": "agent"}`:                              {"Note/own", "Note/read"},
		`{"origin": "import"}`:                             {"Note/both", "Note/made", "Note/own"},
		`{"source": "people.csv"}`:                         {"Note/both", "Note/made", "Note/own"},
		`{"source": "people.csv", "origin": "import"}`:     {"Note/both", "Note/made", "Note/own"},
		`{"by": "local:ana via test", "origin": "import"}`: {"Note/both", "Note/made", "Note/own"},
	} {
		o := newOrigins(t)
		take := strings.TrimSuffix(args, "}") + `, "take": "theirs"`
		before := o.through("admin", "list", `{"type": "Note"}`)
		o.through("admin", "undo_by", take+`, "dry_run": true}`)
		if after := o.through("admin", "list", `{"type": "Note"}`); !slices.Equal(firsts(before), firsts(after)) {
			t.Errorf("%s: a dry run changed %v to %v", args, before, after)
		}
		o.through("admin", "undo_by", take+"}")
		got := firsts(o.through("admin", "list", `{"type": "Note"}`))
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("%s left %v, want %v", args, got, want)
		}
	}
	o := newOrigins(t)
	for args, kind := range map[string]fault.Kind{
		`{}`:                      fault.InvalidArguments,
		`{"origin": "upstream"}`:  fault.Missing,
		`{"source": "other.csv"}`: fault.Missing,
		`{"source": "people.csv", "origin": "person"}`: fault.Missing,
		`{"origin": "agents"}`:                         fault.InvalidArguments,
	} {
		o.Refused(t, invoke.Call{Capability: "undo_by", Args: json.RawMessage(args), Principal: invoketest.Ana}, kind)
	}
}

// What an agent said is taken back of a merge, and what a person said beside it on the same branch stays.
func TestOfAMergeOneClassIsTakenBack(t *testing.T) {
	o := newOrigins(t)
	o.through("admin", "branches_create", `{"name": "draft"}`)
	o.through("mcp-http", "note.create", `{"id": "theirs", "title": "T", "branch": "draft"}`)
	o.through("admin", "note.create", `{"id": "mine", "title": "M", "branch": "draft"}`)
	o.through("admin", "branches_merge", `{"source": "draft"}`)
	if got := o.through("http", "commits_get", `{"id": "head"}`); got["commit"].(map[string]any)["origin"] != "agent" {
		t.Errorf("the merge: %v", got["commit"])
	}
	if got := o.through("http", "blame", `{"id": "Note/mine"}`); got["origin"] != "person" {
		t.Errorf("blame: %v", got)
	}
	o.through("admin", "undo_by", `{"origin": "agent", "since": "head~1"}`)
	got := firsts(o.through("admin", "list", `{"type": "Note"}`))
	if slices.Sort(got); !slices.Equal(got, []string{"Note/both", "Note/made", "Note/mine", "Note/own", "Note/read"}) {
		t.Errorf("left %v", got)
	}
}

// A policy that is about the origin of a call holds at every door, and is explained and tried.
func TestPoliciesKnowTheOriginOfACall(t *testing.T) {
	e := invoketest.New(t, originSchema, invoke.Config{})
	e.Govern(t, `permit (principal, action, resource);
@id("by-hand") forbid (principal, action == Action::"change", resource in Type::"Note") unless { context.origin == "person" };`)
	caller := policy.Principal{ID: "token:ci", Scopes: policy.AllScopes(), Authenticated: true}
	for i, c := range []struct {
		via, capability, args string
		allowed               bool
	}{
		{"admin", "note.create", `{"title": "a"}`, true},
		{"mcp-http", "note.create", `{"title": "b"}`, false},
		{"http", "mutate", `{"update": "INSERT DATA { <urn:example:Note/x> a <urn:example:Note> }"}`, false},
		{"admin", "mutate", `{"update": "INSERT DATA { <urn:example:Note/y> a <urn:example:Note> }"}`, true},
		{"admin", "load", `{"type": "Note", "data": "id,title\nz,Z\n", "format": "csv"}`, false},
	} {
		caller.Origin = policy.Person // a claim
		_, err := e.Call(t.Context(), invoke.Call{Capability: c.capability, Args: json.RawMessage(c.args), Principal: caller, Via: c.via})
		if c.allowed != (err == nil) || err != nil && !fault.Is(err, fault.Denied) && !fault.Is(err, fault.UnknownTool) {
			t.Errorf("%d: %s through %s: %v", i, c.capability, c.via, err)
		}
	}
	for origin, want := range map[string]bool{`, "origin": "person"`: true, `, "origin": "import"`: false, "": false} {
		got := e.Must(t, "trails.meta.policy.explain", `{"as": "token:ci", "call": "note.create"`+origin+`}`)
		if got["allowed"] != want {
			t.Errorf("explained for %s: %v", origin, got)
		}
	}
	got := e.Must(t, "trails.meta.policy.test", `{"cases": "- {as: token:ci, call: note.create, origin: person, expect: allowed}\n- {as: token:ci, call: note.create, expect: denied, by: by-hand}\n- {as: token:ci, call: note.create, origin: agent, expect: allowed}"}`)
	if got["passed"] != float64(2) || got["failed"] != float64(1) {
		t.Errorf("tested: %v", got)
	}
}

// What an import writes came from elsewhere, whoever sent it, and names the file; types that it adds do, too.
func TestWhatIsImportedIsOfTheClassOfImports(t *testing.T) {
	o := newOrigins(t)
	for _, c := range [][2]string{
		{`{"tables": [{"type": "Note"}]}`, "Note/sent"},
		{`{"tables": [{"type": "Room"}], "patch": "- add_type: {Room: {iri: preserve, properties: {title: string}}}"}`, "Room/sent"},
	} {
		call := invoke.Call{Capability: "import", Via: "admin", Args: json.RawMessage(c[0]), Principal: invoketest.Ana}
		call.Inputs = []load.Input{{Name: "sent.csv", Source: "sent.csv", Reader: strings.NewReader("id,title\nsent,Sent\n")}}
		if _, err := o.Call(t.Context(), call); err != nil {
			t.Fatal(err)
		}
		if told := fmt.Sprint(o.through("http", "blame", `{"id": "`+c[1]+`"}`)); !strings.Contains(told, "import") || strings.Contains(told, "person") {
			t.Errorf("%s: %s", c[1], told)
		}
	}
	if got := o.through("http", "commits_list", `{"origin": "import", "limit": 2}`); len(firsts(got)) != 2 {
		t.Errorf("commits: %v", got)
	}
}
