package builtin_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"trails/builtin"
	"trails/capability"
	"trails/e2e/testrun"
	"trails/fault"
	"trails/invoke"
	"trails/invoke/invoketest"
	"trails/kg"
)

const notesOfOwner = "#+ id: open_notes\n#+ description: Notes with a status.\n#+ params: {status: string, titles: {type: list(string), nullable: true}}\n" +
	"SELECT ?note ?title WHERE { ?note :status ?status ; :title ?titles . ?note :title ?title } ORDER BY ?title"

// storing is a graph with notes, and what stores queries in it.
func storing(t *testing.T, queries ...string) *invoketest.Engine {
	t.Helper()
	e := invoketest.New(t, withStatus, invoke.Config{})
	for _, id := range []string{"a", "b", "c"} {
		e.Must(t, "note.create", fmt.Sprintf(`{"id": %q, "title": "T%s", "status": "open"}`, id, id))
	}
	if len(queries) > 0 {
		e.Must(t, "trails.meta.query.add", `{"queries": [`+texts(t, queries...)+`]}`)
	}
	return e
}

// texts are queries as trails.meta.query.add takes them.
func texts(t *testing.T, queries ...string) string {
	t.Helper()
	var all []string
	for _, q := range queries {
		text, err := json.Marshal(map[string]string{"text": q})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(text))
	}
	return strings.Join(all, ", ")
}

func toolsOf(t *testing.T, e *invoketest.Engine) []string {
	t.Helper()
	tools, err := e.Tools(t.Context(), invoketest.Ana)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, d := range tools.Listed {
		ids = append(ids, d.ID)
	}
	return ids
}

func TestAStoredQueryIsACapability(t *testing.T) {
	e := storing(t, notesOfOwner)
	if !slices.Contains(toolsOf(t, e), "open_notes") {
		t.Errorf("the tools are %v", toolsOf(t, e))
	}
	for args, want := range map[string]string{
		`{"params": {"status": "open"}}`:                         `[[Note/a Ta] [Note/b Tb] [Note/c Tc]]`,
		`{"params": {"status": "open", "titles": ["Tb", "Tx"]}}`: `[[Note/b Tb]]`,
		`{"params": {"status": "open", "titles": []}}`:           `[]`,
		`{"params": {"status": "\" || true"}}`:                   `[]`,
		`{"params": {"status": "open"}, "limit": 1}`:             `[[Note/a Ta]]`,
	} {
		if got := fmt.Sprint(e.Must(t, "open_notes", args)["rows"]); got != want {
			t.Errorf("%s: got %s, want %s", args, got, want)
		}
	}
	e.Refused(t, invoke.Call{Capability: "open_notes", Args: json.RawMessage(`{"params": {}}`), Principal: invoketest.Ana}, fault.InvalidArguments)
	e.Refused(t, invoke.Call{Capability: "open_notes", Args: json.RawMessage(`{"params": {"status": "open", "branch": "x"}}`), Principal: invoketest.Ana}, fault.InvalidArguments)
	if got := fmt.Sprint(e.Must(t, "stored_query_run", `{"name": "open_notes", "texts": {"status": ["open"], "titles": ["Ta", "Tc"]}}`)["rows"]); got != `[[Note/a Ta] [Note/c Tc]]` {
		t.Errorf("by name: %s", got)
	}
	e.Must(t, "trails.meta.query.remove", `{"names": ["open_notes"]}`)
	if slices.Contains(toolsOf(t, e), "open_notes") {
		t.Error("a removed query is a tool")
	}
}

// A parameter may have the name of what stands beside the parameters. Where at is no argument,
// and where an address names a branch, that is refused in words.
// A parameter that is left out is no variable that was forgotten: however a text asks whether it
// has a value, nothing is warned of, while a variable that nothing binds still is.
func TestAParameterThatIsLeftOutIsNotWarnedOf(t *testing.T) {
	testrun.Alone(t)
	const front = "#+ id: asked\n#+ description: x\n#+ params: {least: {type: string, nullable: true}}\n"
	for _, filter := range []string{
		"FILTER(!BOUND(?least) || ?title > ?least)",
		`FILTER(?title > COALESCE(?least, ""))`,
		"FILTER(IF(BOUND(?least), ?title > ?least, true))",
		`OPTIONAL { ?note :status ?s FILTER(!BOUND(?least) || ?s > ?least) }`,
		`BIND(COALESCE(?least, "") AS ?from) FILTER(?title > ?from)`,
		"FILTER NOT EXISTS { ?note :title ?t FILTER(BOUND(?least) && ?t < ?least) }",
	} {
		e := storing(t, front+"SELECT ?title { ?note :title ?title "+filter+" } ORDER BY ?title")
		for _, args := range []string{`{}`, `{"params": {"least": null}}`, `{"params": {"least": "T"}}`} {
			if got := e.Must(t, "asked", args); got["warnings"] != nil || fmt.Sprint(got["rows"]) != "[[Ta] [Tb] [Tc]]" {
				t.Errorf("%s with %s: %v", filter, args, got)
			}
		}
		u := storing(t, front+`DELETE { ?note :status "open" } INSERT { ?note :status "done" } WHERE { ?note :title ?title `+filter+" }")
		if got := e.Must(t, "query", `{"query": "SELECT ?title { ?note :title ?title FILTER(!BOUND(?least) || ?title > ?least) }"}`); got["warnings"] == nil {
			t.Errorf("a variable that nothing binds is not warned of: %v", got)
		}
		if got := u.Must(t, "asked", `{}`); strings.Contains(fmt.Sprint(got), "never has a value") {
			t.Errorf("an update with %s: %v", filter, got)
		}
	}
}

// The subtypes of a type, asked as the guide says, are none where the schema has no supertypes: the answer is
// explained, and no name is called wrong; elsewhere the name is unknown.
func TestTheSubtypesOfATypeWithoutAnyAreAskedWithoutAWarning(t *testing.T) {
	e := storing(t)
	asked := func(pattern string) any {
		text, err := json.Marshal(map[string]string{"query": "SELECT ?x { " + pattern + " }"})
		if err != nil {
			t.Fatal(err)
		}
		return e.Must(t, "query", string(text))["warnings"]
	}
	for _, path := range []string{"rdfs:subClassOf*", "rdfs:subClassOf", "^rdfs:subClassOf", "rdfs:subClassOf+"} {
		in := "?x a ?type . GRAPH <urn:trails:graph:schema> { ?type " + path + " :Note }"
		got, _ := asked(in).([]any)
		if empty := path != "rdfs:subClassOf*"; (len(got) > 0) != empty || empty && !strings.HasPrefix(fmt.Sprint(got...), "no solution meets all parts of the pattern; there are some without ") {
			t.Errorf("%s: %v", in, got)
		}
		if got := asked("?x a ?type . ?type " + path + " :Note"); got == nil {
			t.Errorf("%s in the default graph is not warned of", path)
		}
	}
}

func TestParametersMayBeCalledBranchAndAt(t *testing.T) {
	e := storing(t, notesOfOwner, "#+ id: named\n#+ params: {branch: string, at: string}\nSELECT ?note { ?note :title ?branch ; :status ?at }",
		"#+ id: open\n#+ params: {note: ref(Note)}\nINSERT { ?note :status \"open\" } WHERE { ?note :title ?was }")
	for id, args := range map[string]string{
		"named":            `{"params": {"branch": "Tb", "at": "open"}, "branch": "main"}`,
		"stored_query_run": `{"name": "named", "texts": {"branch": ["Tb"], "at": ["open"]}}`,
	} {
		if got := fmt.Sprint(e.Must(t, id, args)["rows"]); got != "[[Note/b]]" {
			t.Errorf("%s %s: got %s", id, args, got)
		}
	}
	for _, c := range []struct{ id, args, field, says string }{
		{"update", `{"id": "Note/a", "set": {"title": "Tz"}, "at": "head"}`, "at", "reads of the graph alone take at, which names an earlier commit: leave it out"},
		{"open", `{"params": {"note": "Note/a"}, "at": "head"}`, "at", "reads of the graph alone take at"},
		{"stored_query_run", `{"name": "open", "params": {"note": "Note/a"}, "at": "head"}`, "at", "reads of the graph alone take at"},
		{"stored_query_run", `{"name": "open_notes", "texts": {"status": ["open"], "at": ["head", "head"]}}`, "at", "more than once"},
		{"stored_query_run", `{"name": "open_notes", "texts": {"status": ["open"], "branch": ["main", "main"]}}`, "branch", "more than once"},
	} {
		f := e.Refused(t, invoke.Call{Capability: c.id, Args: json.RawMessage(c.args), Principal: invoketest.Ana}, fault.InvalidArguments)
		if len(f.Fields) != 1 || f.Fields[0].Field != c.field || !strings.Contains(f.Fields[0].Message, c.says) {
			t.Errorf("%s %s: %v", c.id, c.args, f.Fields)
		}
	}
}

// At a commit a query has the rows that it had when the commit was the newest one.
func TestAStoredQueryReadsAnEarlierCommit(t *testing.T) {
	e := storing(t, notesOfOwner, "#+ id: named\n#+ params: {at: string}\nSELECT ?note { ?note :status ?at } ORDER BY ?note")
	now := func() string { return fmt.Sprint(e.Must(t, "open_notes", `{"params": {"status": "open"}}`)["rows"]) }
	was := now()
	then := fmt.Sprint(e.Must(t, "open_notes", `{"params": {"status": "open"}}`)["head"])
	e.Must(t, "update", `{"id": "Note/a", "set": {"title": "Tz"}}`)
	e.Must(t, "delete", `{"id": "Note/b"}`)
	if now() == was {
		t.Fatal("nothing has changed")
	}
	for _, c := range [][2]string{
		{"open_notes", `{"params": {"status": "open"}, "at": %q}`},
		{"stored_query_run", `{"name": "open_notes", "params": {"status": "open"}, "at": %q}`},
		{"stored_query_run", `{"name": "open_notes", "texts": {"status": ["open"], "at": [%q]}}`},
		{"query", `{"query": "SELECT ?note ?title { ?note :status \"open\" ; :title ?title } ORDER BY ?title", "at": %q}`},
	} {
		for _, id := range []string{then, then[:6]} {
			out := e.Must(t, c[0], fmt.Sprintf(c[1], id))
			if got := fmt.Sprint(out["rows"]); got != was || out["head"] != then {
				t.Errorf("%s %s at %s: %s of %v, want %s", c[0], c[1], id, got, out["head"], was)
			}
		}
		if got := fmt.Sprint(e.Must(t, c[0], fmt.Sprintf(c[1], "head"))["rows"]); got != now() {
			t.Errorf("%s %s at head: %s", c[0], c[1], got)
		}
		f := e.Refused(t, invoke.Call{Capability: c[0], Args: json.RawMessage(fmt.Sprintf(c[1], "ffffffffff")), Principal: invoketest.Ana}, fault.Missing)
		if !strings.Contains(f.Error(), "ffffffffff") {
			t.Errorf("no word of the commit: %v", f)
		}
	}
	if steps := fmt.Sprint(e.Must(t, "query", fmt.Sprintf(`{"query": "SELECT ?note { ?note :status ?s } ORDER BY ?s", "at": %q, "explain": true, "format": "sql"}`, then))["steps"]); !strings.Contains(steps, "VIRTUAL TABLE") {
		t.Errorf("steps of an earlier commit:\n%s", steps)
	}
	if got := fmt.Sprint(e.Must(t, "named", fmt.Sprintf(`{"params": {"at": "open"}, "at": %q}`, then))["rows"]); got != "[[Note/a] [Note/b] [Note/c]]" {
		t.Errorf("beside a parameter of that name: %s", got)
	}
}

func TestAStoredUpdateIsAValidatedWrite(t *testing.T) {
	e := storing(t, "#+ id: finish\n#+ params: {note: ref(Note), status: {type: string, default: done}}\nDELETE { ?note :status ?was } INSERT { ?note :status ?status } WHERE { ?note :status ?was }",
		"#+ id: spoil\n#+ params: {note: ref(Note)}\nDELETE { ?note :title ?was } WHERE { ?note :title ?was }")
	if out := e.Must(t, "finish", `{"params": {"note": "Note/a"}, "dry_run": true}`); fmt.Sprint(out["added"], out["commit"]) != "1 <nil>" {
		t.Errorf("a dry run says %v", out)
	}
	if out := e.Must(t, "finish", `{"params": {"note": "a"}, "message": "why"}`); fmt.Sprint(out["added"], out["removed"]) != "1 1" {
		t.Errorf("got %v", out)
	}
	before := state(t, e)
	e.Refused(t, invoke.Call{Capability: "spoil", Args: json.RawMessage(`{"params": {"note": "a"}}`), Principal: invoketest.Ana}, fault.InvalidData)
	e.Refused(t, invoke.Call{Capability: "stored_query_run", Args: json.RawMessage(`{"name": "finish", "params": {"note": "a"}, "reads": true}`), Principal: invoketest.Ana}, fault.InvalidArguments)
	if state(t, e) != before {
		t.Error("a refused update changed something")
	}
	if a := e.Activities(t); !slices.ContainsFunc(a, func(one kg.Activity) bool { return one.Capability == "finish" && one.Outcome == "ok" }) {
		t.Error("provenance does not know the stored update")
	}
}

func TestQueriesAreStoredAllOrNone(t *testing.T) {
	e := storing(t, notesOfOwner)
	before := state(t, e)
	for name, c := range map[string]struct{ args, want string }{
		"one of two is wrong":       {`{"queries": [` + texts(t, "#+ id: good\nASK {}", "#+ id: bad\nASK {") + `]}`, "queries[1]"},
		"a name of a built-in":      {`{"queries": [` + texts(t, "#+ id: note.create\nASK {}") + `]}`, "belongs to the built-in capability note.create"},
		"a tool name of a built-in": {`{"queries": [` + texts(t, "#+ id: x\n#+ tool_name: note_create\nASK {}") + `]}`, "belongs to the built-in capability note.create"},
		"one name twice":            {`{"queries": [` + texts(t, "#+ id: x\nASK {}", "#+ id: x\nASK {?s ?p ?o}") + `]}`, "rename one"},
		"one tool name twice":       {`{"queries": [` + texts(t, "#+ id: x.y\nASK {}", "#+ id: x_y\nASK {?s ?p ?o}") + `]}`, "rename one"},
		"the tool name of another":  {`{"queries": [` + texts(t, "#+ id: x\n#+ tool_name: open_notes\nASK {}") + `]}`, "which the stored query open_notes has"},
		"another property":          {`{"queries": [` + texts(t, "#+ id: x\n#+ params: {p: ref(Nope)}\nASK { ?p ?q ?r }") + `]}`, `there is no type "Nope"`},
	} {
		t.Run(name, func(t *testing.T) {
			f := e.Refused(t, invoke.Call{Capability: "trails.meta.query.add", Args: json.RawMessage(c.args), Principal: invoketest.Ana}, fault.InvalidData)
			said := ""
			for _, field := range f.Fields {
				said += field.Source + ": " + field.Message + "\n"
			}
			if !strings.Contains(said, c.want) || state(t, e) != before {
				t.Errorf("it says %s", said)
			}
		})
	}
	e.Refused(t, invoke.Call{Capability: "trails.meta.query.remove", Args: json.RawMessage(`{"names": ["open_notes", "nope"]}`), Principal: invoketest.Ana}, fault.InvalidData)
	e.Refused(t, invoke.Call{Capability: "trails.meta.query.add", Args: json.RawMessage(`{"queries": [` + texts(t, "#+ id: x\nASK {}") + `]}`), Principal: invoketest.Callers["runtime"]}, fault.ScopeDenied)
	if state(t, e) != before {
		t.Error("something was stored or removed")
	}
	e.Must(t, "trails.meta.query.add", `{"queries": [`+texts(t, "#+ id: x\nASK {}")+`], "dry_run": true}`)
	if slices.Contains(toolsOf(t, e), "x") {
		t.Error("a dry run stored it")
	}
	e.Must(t, "trails.meta.query.add", `{"queries": [`+texts(t, strings.Replace(notesOfOwner, "Notes with", "All notes with", 1))+`]}`)
	if got := fmt.Sprint(e.Must(t, "stored_query_list", `{}`)["queries"]); !strings.Contains(got, "All notes") || strings.Count(got, "open_notes(")+strings.Count(got, "name:open_notes") != 1 {
		t.Errorf("after a replacement: %s", got)
	}
}

// A list of tools does not grow without bound: many stored queries are two tools.
func TestManyStoredQueriesAreTwoTools(t *testing.T) {
	e := storing(t)
	var many []string
	for i := range 25 {
		many = append(many, fmt.Sprintf("#+ id: q%d\nSELECT (%d AS ?n) {}", i, i))
	}
	e.Must(t, "trails.meta.query.add", `{"queries": [`+texts(t, many[:24]...)+`]}`)
	if ids := toolsOf(t, e); !slices.Contains(ids, "q23") || slices.Contains(ids, "stored_query_run") {
		t.Errorf("with 24: %v", ids)
	}
	e.Must(t, "trails.meta.query.add", `{"queries": [`+texts(t, many[24:]...)+`]}`)
	if ids := toolsOf(t, e); slices.Contains(ids, "q23") || !slices.Contains(ids, "stored_query_run") || !slices.Contains(ids, "stored_query_list") {
		t.Errorf("with 25: %v", ids)
	}
	for _, c := range []struct{ capability, args string }{{"q7", `{}`}, {"stored_query_run", `{"name": "q7"}`}} {
		if got := fmt.Sprint(e.Must(t, c.capability, c.args)["rows"]); got != "[[7]]" {
			t.Errorf("%s: %s", c.capability, got)
		}
	}
}

// What is built in wins over a stored query of an older file; the query stays, and can be
// asked again when the name is free.
func TestATypeWhoseToolsMeetAStoredQueryWins(t *testing.T) {
	e := storing(t, "#+ id: page.create\nASK {}")
	e.Must(t, "schema_apply", fmt.Sprintf(`{"schema": %q}`, withStatus+"  Page:\n    properties:\n      title: string\n"))
	if out := e.Must(t, "page.create", `{"title": "T"}`); out["commit"] == nil {
		t.Errorf("got %v", out)
	}
	if got := fmt.Sprint(e.Must(t, "stored_query_list", `{}`)["queries"]); !strings.Contains(got, "page.create") {
		t.Errorf("the query is gone: %s", got)
	}
}

// A file of an earlier version can have stored queries with names that are built in since:
// what is built in answers, and the queries are listed with the way to have them again.
func TestWhatIsBuiltInHidesStoredQueriesOfAnOlderFile(t *testing.T) {
	testrun.Alone(t)
	e := storing(t, notesOfOwner)
	older := map[string]string{
		"note.create":           "#+ id: note.create\nASK {}",
		"stored_query_list":     "#+ id: stored_query_list\nASK {}",
		"finder":                "#+ id: finder\n#+ tool_name: search\nASK {}",
		"trails_meta_query_add": "#+ id: trails_meta_query_add\nASK {}",
		"remembered":            "#+ id: remembered\nSELECT (1 AS ?n) {}",
	}
	var change kg.QueryChange // without the check that the call makes
	for id, text := range older {
		change.Add = append(change.Add, kg.QueryText{Name: id, Text: text})
	}
	if _, _, err := e.Graph().Session(invoketest.Ana).ChangeQueries(t.Context(), change); err != nil {
		t.Fatal(err)
	}
	e.Must(t, "note.create", `{"id": "d", "title": "Td", "status": "open"}`)
	e.Must(t, "search", `{"text": "Td"}`)
	problems := map[string]string{}
	for _, q := range e.Must(t, "stored_query_list", `{}`)["queries"].([]any) {
		q := q.(map[string]any)
		problems[q["name"].(string)], _ = q["problem"].(string)
		if q["problem"] != nil && q["tool"] != nil {
			t.Errorf("a hidden query is called by %v", q["tool"])
		}
	}
	doctor := fmt.Sprint(e.Must(t, "trails.meta.doctor.run", `{}`)["checks"])
	for id, want := range map[string]string{
		"note.create": "the capability note.create has its name", "stored_query_list": "the capability stored_query_list has its name",
		"finder": "the capability search has its tool_name", "trails_meta_query_add": "the capability trails.meta.query.add has its name", "remembered": "", "open_notes": "",
	} {
		if got := problems[id]; !strings.Contains(got, want) || (want == "") != (got == "") {
			t.Errorf("of %s the list says %q", id, got)
		}
		if want == "" {
			continue
		}
		if !strings.Contains(doctor, "it is hidden, because "+want) {
			t.Errorf("of %s the doctor says %s", id, doctor)
		}
		f := e.Refused(t, invoke.Call{Capability: "stored_query_run", Args: json.RawMessage(fmt.Sprintf(`{"name": %q}`, id)), Principal: invoketest.Ana}, fault.InvalidArguments)
		if !strings.Contains(f.Told(500), want) {
			t.Errorf("running %s says %s", id, f.Told(500))
		}
		e.Refused(t, invoke.Call{Capability: "trails.meta.query.add", Args: json.RawMessage(`{"queries": [` + texts(t, older[id]) + `]}`), Principal: invoketest.Ana}, fault.InvalidData)
	}
	// The way that is named leads out.
	e.Must(t, "trails.meta.query.add", `{"queries": [`+texts(t, "#+ id: make_note\nASK {}", "#+ id: finder\n#+ tool_name: found\nASK {}")+`]}`)
	e.Must(t, "trails.meta.query.remove", `{"names": ["note.create", "stored_query_list", "trails_meta_query_add"]}`)
	if list := fmt.Sprint(e.Must(t, "stored_query_list", `{}`)["queries"]); strings.Contains(list, "hidden") {
		t.Errorf("afterwards the list is %s", list)
	}
	for _, id := range []string{"make_note", "found", "remembered"} {
		e.Must(t, id, `{}`)
	}
}

func TestAnotherProcessSeesWhatIsStored(t *testing.T) {
	e := storing(t)
	other := invoketest.Open(t, e.Graph().Path(), invoke.Config{})
	if slices.Contains(toolsOf(t, other), "open_notes") {
		t.Fatal("it is there before")
	}
	e.Must(t, "trails.meta.query.add", `{"queries": [`+texts(t, notesOfOwner)+`]}`)
	if !slices.Contains(toolsOf(t, other), "open_notes") {
		t.Error("it is not seen")
	}
}

// A change of the schema that breaks a stored query is planned as such, and refused before
// anything changes; a new name goes into the text in the same commit.
func TestTheSchemaCarriesStoredQueriesOrIsRefused(t *testing.T) {
	testrun.Alone(t)
	e := storing(t, notesOfOwner, "#+ id: all_notes\n#+ params: {n: {type: ref(Note), nullable: true}}\nSELECT ?n { ?n a :Note }")
	change := func(args string) invoke.Call {
		return invoke.Call{Capability: "schema_apply", Args: json.RawMessage(args), Principal: invoketest.Ana}
	}
	before := state(t, e)
	const drop = `{"patch": "drop_property: Note.status", "allow_data_loss": true`
	plan := e.Must(t, "schema_apply", drop+`, "plan": true}`)["plan"].(map[string]any)
	if got := fmt.Sprint(plan["rows"]); plan["blocked"] != true || !strings.Contains(got, "stored query open_notes breaks; correct or remove it first") || !strings.Contains(got, "open_notes, line 4, column 35: the new schema has no :status") {
		t.Errorf("the plan is %v", plan)
	}
	f := e.Refused(t, change(drop+`}`), fault.InvalidData)
	if said := f.Told(1000); !strings.Contains(said, "open_notes, line 4, column 35: the new schema has no :status; correct or remove the stored query first, or pass allow_broken_queries") {
		t.Errorf("it says %s", said)
	}
	runtime := change(`{"patch": "drop_property: Note.status", "allow_broken_queries": true}`)
	runtime.Principal = invoketest.Nobody
	e.Refused(t, runtime, fault.Unauthenticated)
	if state(t, e) != before {
		t.Error("a refused change changed something")
	}
	renamed := e.Must(t, "schema_apply", `{"patch": "- rename_property: {Note.status: state}\n- rename_type: {Note: Memo}"}`)
	if got := fmt.Sprint(renamed["plan"]); !strings.Contains(got, "stored query open_notes safe, renames 1 in it") || !strings.Contains(got, "stored query all_notes safe, renames 2 in it") {
		t.Errorf("the plan is %s", got)
	}
	if got := fmt.Sprint(e.Must(t, "open_notes", `{"params": {"status": "open", "titles": ["Ta"]}}`)["rows"]); got != "[[Memo/a Ta]]" && got != "[[Note/a Ta]]" {
		t.Errorf("after the renaming: %s", got)
	}
	if commits := e.Must(t, "commits_list", `{"limit": 2}`)["rows"].([]any); !strings.HasPrefix(fmt.Sprint(renamed["commit"]), commits[0].([]any)[0].(string)) {
		t.Errorf("the renaming is no commit alone: %v", commits)
	}
	e.Must(t, "schema_apply", `{"patch": "drop_property: Memo.state", "allow_data_loss": true, "allow_broken_queries": true}`)
	if got := fmt.Sprint(e.Must(t, "open_notes", `{"params": {"status": "open"}}`)["rows"]); got != "[]" {
		t.Errorf("a broken query answers %s", got)
	}
}

// What is refused when it is stored would be refused each time it runs.
func TestAnUpdateThatNeverRunsIsNotStored(t *testing.T) {
	testrun.Alone(t)
	e := storing(t)
	for _, text := range []string{
		"INSERT { [] a :Note ; :status ?s } WHERE { ?n a :Note ; :status ?s }",
		"INSERT { ?n :title 3 } WHERE { ?n a :Note }",
		"INSERT { ?n :statis 'x' } WHERE { ?n a :Note }",
		"INSERT { ?n :title 'a', 'b' } WHERE { ?n a :Note }",
		"INSERT { GRAPH <urn:g> { ?n :statis 'x' } } WHERE { ?n a :Note }",
	} {
		args, err := json.Marshal(map[string]string{"update": text})
		if err != nil {
			t.Fatal(err)
		}
		ran := e.Refused(t, invoke.Call{Capability: "mutate", Args: args, Principal: invoketest.Ana}, fault.InvalidData)
		add := json.RawMessage(`{"queries": [` + texts(t, "#+ id: x\n"+text) + `]}`)
		stored := e.Refused(t, invoke.Call{Capability: "trails.meta.query.add", Args: add, Principal: invoketest.Ana}, fault.InvalidData)
		if ran.Fields[0].Code != stored.Fields[0].Code || !strings.HasPrefix(stored.Fields[0].Source, "queries[0], line 2, column ") {
			t.Errorf("%s\nruns as   %s\nstored as %s", text, ran.Told(300), stored.Told(300))
		}
	}
	out := e.Must(t, "trails.meta.query.add", `{"queries": [`+texts(t, "#+ id: x\nSELECT ?n { ?n :statis ?s }")+`]}`)
	if got := fmt.Sprint(out["warnings"]); !strings.Contains(got, "x, line 2, column 16: neither the schema nor the data has the property :statis; did you mean :status?") {
		t.Errorf("the warnings are %s", got)
	}
	if got := fmt.Sprint(e.Must(t, "trails.meta.doctor.run", `{}`)); !strings.Contains(got, "x, line 2, column 16: neither the schema") {
		t.Errorf("the doctor says %s", got)
	}
}

// What the front matter says of the capability is so.
func TestFrontMatterIsHonoured(t *testing.T) {
	e := storing(t, "#+ id: quiet\n#+ expose: false\nSELECT (1 AS ?n) {}",
		"#+ id: long_name\n#+ tool_name: short\n#+ cost: constant\nSELECT (2 AS ?n) {}",
		"#+ id: finish\n#+ idempotent: true\n#+ cost: change\n#+ params: {note: ref(Note)}\nDELETE { ?note :status ?was } INSERT { ?note :status 'done' } WHERE { ?note :status ?was }")
	ids := toolsOf(t, e)
	if slices.Contains(ids, "quiet") || !slices.Contains(ids, "short") || slices.Contains(ids, "long_name") {
		t.Errorf("the tools are %v", ids)
	}
	for _, line := range e.Must(t, "stored_query_list", `{}`)["queries"].([]any) {
		q := line.(map[string]any)
		if exposed, said := q["exposed"]; said != (q["name"] == "quiet") || said && exposed != false {
			t.Errorf("%s is listed as exposed: %v", q["name"], exposed)
		}
	}
	for name, want := range map[string]string{"quiet": "[[1]]", "short": "[[2]]"} {
		if got := fmt.Sprint(e.Must(t, name, `{}`)["rows"]); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
	if got := fmt.Sprint(e.Must(t, "stored_query_run", `{"name": "long_name"}`)["rows"]); got != "[[2]]" {
		t.Errorf("by its id: %s", got)
	}
	tools, err := e.Tools(t.Context(), invoketest.Ana)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range tools.Listed {
		got := fmt.Sprintf("%s %t", d.CostEstimate, d.Idempotent)
		if want := map[string]string{"short": "constant true", "finish": "change true"}[d.ID]; want != "" && got != want {
			t.Errorf("%s: %s, want %s", d.ID, got, want)
		}
	}
}

// A process decides how many stored queries are tools of their own.
func TestHowManyStoredQueriesAreToolsIsASetting(t *testing.T) {
	e := storing(t, "#+ id: one\nASK {}", "#+ id: two\nASK {}", "#+ id: three\n#+ expose: false\nASK {}")
	for most, own := range map[int]bool{-1: false, 0: true, 1: false, 2: true} {
		other := invoketest.Open(t, e.Graph().Path(), invoke.Config{Providers: builtin.Options{StoredTools: most}.Providers()})
		ids := toolsOf(t, other)
		if slices.Contains(ids, "one") != own || slices.Contains(ids, "stored_query_run") == own || slices.Contains(ids, "three") {
			t.Errorf("with %d: %v", most, ids)
		}
	}
}

// Values of every kind come in as JSON and as text, and are terms of their types.
func TestParametersOfEveryKindAreBound(t *testing.T) {
	testrun.Alone(t)
	e := storing(t, "#+ id: echo\n#+ params: {b: blob, v: vector, n: bigint, d: date, m: datetime, x: decimal, f: float, y: bool, i: iri}\n"+
		"SELECT (DATATYPE(?b) AS ?tb) (STR(?b) AS ?sb) (DATATYPE(?v) AS ?tv) (STR(?v) AS ?sv) (STR(?n) AS ?sn) (STR(?d) AS ?sd) (STR(?m) AS ?sm) (STR(?x) AS ?sx) (DATATYPE(?f) AS ?tf) (?y AS ?sy) (STR(?i) AS ?si) {}")
	byJSON := e.Must(t, "echo", `{"params": {"b": "aGk=", "v": [1, 2.5], "n": "123456789012345678901234567890", "d": "2026-02-28", "m": "2026-02-28T10:00:00Z", "x": 1.50, "f": 2.5, "y": true, "i": "urn:x:y"}}`)
	byText := e.Must(t, "stored_query_run", `{"name": "echo", "texts": {"b": ["aGk="], "v": ["[1, 2.5]"], "n": ["123456789012345678901234567890"], "d": ["2026-02-28"], "m": ["2026-02-28T10:00:00Z"], "x": ["1.50"], "f": ["2.5"], "y": ["true"], "i": ["urn:x:y"]}}`)
	if got, want := fmt.Sprint(byText["rows"]), fmt.Sprint(byJSON["rows"]); got != want {
		t.Errorf("by texts %s, by JSON %s", got, want)
	}
	for _, part := range []string{"base64Binary", "aGk=", "123456789012345678901234567890", "2026-02-28", "2026-02-28T10:00:00Z", "1.5", "true", "urn:x:y"} {
		if got := fmt.Sprint(byJSON["rows"]); !strings.Contains(got, part) {
			t.Errorf("%s is not in %s", part, got)
		}
	}
	for _, wrong := range []string{`"b": "*"`, `"v": ["x"]`, `"n": "1.5"`, `"d": "2026-02-30"`, `"m": "soon"`, `"x": "a"`, `"f": "b"`, `"y": "maybe"`} {
		args := `{"params": {"b": "aGk=", "v": [1], "n": "1", "d": "2026-02-28", "m": "2026-02-28T10:00:00Z", "x": 1, "f": 1, "y": true, "i": "urn:x", ` + wrong + `}}`
		e.Refused(t, invoke.Call{Capability: "echo", Args: json.RawMessage(args), Principal: invoketest.Ana}, fault.InvalidArguments)
	}
}

// The output shape of a stored query has the members of its answers, whatever their format,
// and of a table the columns.
func TestTheOutputShapeIsThatOfTheAnswers(t *testing.T) {
	e := storing(t, "#+ id: rows\nSELECT ?note (COUNT(*) AS ?n) { ?note :title ?t } GROUP BY ?note", "#+ id: truth\nASK { ?n a :Note }", "#+ id: graph\nCONSTRUCT WHERE { ?n :title ?t }")
	tools, err := e.Tools(t.Context(), invoketest.Ana)
	if err != nil {
		t.Fatal(err)
	}
	for id, c := range map[string]struct {
		has, hasNot string
		formats     []string
	}{
		"rows":  {"rows", "boolean", []string{"table", "sparql-json", "csv", "tsv", "xml"}},
		"truth": {"boolean", "rows", []string{"table", "sparql-json", "xml"}},
		"graph": {"triples", "rows", []string{"turtle", "ntriples", "jsonld"}},
	} {
		i := slices.IndexFunc(tools.Listed, func(d capability.Descriptor) bool { return d.ID == id })
		shape := tools.Listed[i].OutputShape
		_, has := shape.Field(c.has)
		if _, hasNot := shape.Field(c.hasNot); !has || hasNot {
			t.Errorf("%s has %v", id, shape.Fields)
		}
		if columns, _ := shape.Field("columns"); id == "rows" && columns.Description != "Of a table: note, n." {
			t.Errorf("the columns are %q", columns.Description)
		}
		for _, format := range c.formats {
			for member := range e.Must(t, id, fmt.Sprintf(`{"format": %q}`, format)) {
				if _, known := shape.Field(member); !known {
					t.Errorf("%s as %s has %s", id, format, member)
				}
			}
		}
	}
}
