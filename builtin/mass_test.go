package builtin_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"trails/capability"
	"trails/e2e/testrun"
	"trails/fault"
	"trails/invoke"
	"trails/invoke/invoketest"
)

// crowd is a graph of which no call may remove more than five statements, with three notes
// that have a status, and as many statements in a named graph and of one node.
func crowd(t *testing.T) *invoketest.Engine {
	t.Helper()
	e := invoketest.New(t, withStatus+"      tags: {type: string, many: true}\n", invoke.Config{MassChange: 5})
	var lines []string
	for _, id := range []string{"a", "b", "c"} {
		lines = append(lines, fmt.Sprintf(`{"type":"Note","id":%q,"data":{"title":"T","status":"open","tags":["1","2","3"]}}`, id))
	}
	data, err := json.Marshal(strings.Join(lines, "\n"))
	if err != nil {
		t.Fatal(err)
	}
	e.Must(t, "trails.meta.query.add", `{"queries": [{"name": "empty", "text": "DELETE WHERE { GRAPH <urn:g> { ?s ?p ?o } }"}]}`)
	e.Must(t, "load", `{"data": `+string(data)+`}`)
	e.Must(t, "load", `{"data": "<urn:a> <urn:b> 1, 2, 3, 4, 5, 6 .", "graph": "urn:g"}`)
	e.Must(t, "branches_create", `{"name": "thinner"}`)
	e.Must(t, "note.delete", `{"id": "a", "branch": "thinner", "allow_mass_change": true}`)
	return e
}

// mass are calls that remove more than five statements of the graph of [crowd], or just so
// many.
var mass = []struct {
	name, capability, args string
	removes                int64 // 0 for a call that is let through
}{
	{"CLEAR", "mutate", `{"update": "CLEAR GRAPH <urn:g>"}`, 6},
	{"DROP, with others", "mutate", `{"update": "INSERT DATA {<urn:x> <urn:y> 1} ; DROP ALL"}`, 24},
	{"DELETE WHERE", "mutate", `{"update": "DELETE WHERE {?s <urn:trails:example:tags> ?o}"}`, 9},
	{"as many as may go", "mutate", `{"update": "DELETE DATA {GRAPH <urn:g> {<urn:a> <urn:b> 1, 2, 3, 4, 5}}"}`, 0},
	{"what comes again stays", "mutate", `{"update": "CLEAR GRAPH <urn:g> ; INSERT DATA {GRAPH <urn:g> {<urn:a> <urn:b> 1, 2, 3, 4, 5}}"}`, 0},
	{"overwrite", "load", `{"mode": "overwrite", "data": "{\"type\":\"Note\",\"id\":\"d\",\"data\":{\"title\":\"D\"}}"}`, 18},
	{"replace", "load", `{"mode": "replace", "graph": "urn:g", "data": "<urn:x> <urn:y> 1 ."}`, 6},
	{"a deletion", "note.delete", `{"id": "a"}`, 6},
	{"an update", "note.update", `{"id": "a", "status": null, "tags": null}`, 0},
	{"an undo", "undo", `{"commit": "head"}`, 6},
	{"an undo of a range", "undo", `{"commit": "head~1..head"}`, 6},
	{"an undo of one node", "undo", `{"commit": "head~1", "nodes": ["Note/a"]}`, 6},
	{"an undo of an author", "undo_by", `{"by": "local:ana", "since": "head~1"}`, 6},
	{"a stored update", "empty", `{"branch": "main"}`, 6},
	{"a stored update, by the call for all", "stored_query_run", `{"name": "empty"}`, 6},
	{"a merge", "branches_merge", `{"source": "thinner"}`, 6},
	{"a pick", "cherry_pick", `{"commit": "thinner"}`, 6},
	{"a patch of the schema", "schema_apply", `{"patch": "- drop_property: Note.tags", "allow_data_loss": true}`, 9},
	{"a patch of the schema, by its older id", "trails.meta.schema.apply", `{"patch": "- drop_property: Note.tags", "allow_data_loss": true}`, 9},
	{"a patch that renames", "schema_apply", `{"patch": "- rename_property: {Note.tags: words}"}`, 0},
	{"a migration", "trails.meta.migrate.apply", `{"migrations": [{"name": "0001_a.yaml", "text": "steps:\n- update: {forward: 'DELETE WHERE {?s :tags ?o}', reverse: history}"}]}`, 9},
	{"a migration that renames", "trails.meta.migrate.apply", `{"migrations": [{"name": "0001_a.yaml", "text": "steps:\n- rename_property: {Note.tags: words}"}]}`, 0},
}

// definitionsAlone are what removes definitions or settings of the file and no data.
var definitionsAlone = []string{
	"trails.meta.query.add", "trails.meta.query.remove",
	"trails.meta.gateway.accept", "trails.meta.gateway.add", "trails.meta.gateway.configure", "trails.meta.gateway.remove",
	"trails.meta.budget.set", "trails.meta.budget.remove",
	"trails.meta.policy.apply",
}

// What can remove data takes the yes that its refusal asks for.
func TestWhatRemovesDataTakesTheYes(t *testing.T) {
	for _, d := range notes(t).Callable(t) {
		_, takes := d.InputShape.Field(capability.AllowMassChange)
		if d.ID == "link" || d.ID == "unlink" {
			continue // one link at most
		}
		removes := d.PolicyRequired.Action.Writes() && d.SideEffects == capability.Destroys && d.ID != "tool_execute" && // it is in the arguments of the tool
			!slices.Contains(definitionsAlone, d.ID) && d.ID != "gc" // it removes nothing that a branch has
		if takes != removes {
			t.Errorf("%s takes %s: %t, and removes data: %t", d.ID, capability.AllowMassChange, takes, removes)
		}
	}
}

func TestACallThatRemovesMuchSaysThatItMeansTo(t *testing.T) {
	testrun.Alone(t)
	for _, m := range mass {
		t.Run(m.name, func(t *testing.T) {
			e := crowd(t)
			before := state(t, e)
			c := invoke.Call{Capability: m.capability, Args: json.RawMessage(m.args), Principal: invoketest.Ana, Via: "test"}
			if m.removes == 0 {
				e.Must(t, m.capability, m.args)
				return
			}
			f := e.Refused(t, c, fault.Conflict)
			if f.Details["removes"] != m.removes || f.Details["limit"] != int64(5) || !strings.Contains(f.Message, "allow_mass_change: true") || state(t, e) != before {
				t.Errorf("got %v: %s", f.Details, f.Message)
			}
			tried := e.Must(t, m.capability, strings.Replace(m.args, "{", `{"dry_run": true, `, 1))
			if removed := fmt.Sprint(tried["removed"]); removed != fmt.Sprint(m.removes) && !strings.Contains(m.capability, "apply") { // of the schema, too
				t.Errorf("a dry run removes %s", removed)
			}
			if said := fmt.Sprint(tried["warnings"]); !strings.Contains(said, "allow_mass_change: true") {
				t.Errorf("a dry run warns %s", said)
			}
			e.Must(t, m.capability, strings.Replace(m.args, "{", `{"allow_mass_change": true, `, 1))
			if state(t, e) == before {
				t.Error("what was allowed did nothing")
			}
		})
	}
}

func TestAPersonIsAskedBeforeMuchIsRemoved(t *testing.T) {
	testrun.Alone(t)
	for _, m := range mass {
		if m.removes == 0 {
			continue
		}
		for _, says := range []bool{true, false} {
			t.Run(fmt.Sprint(m.name, " ", says), func(t *testing.T) {
				e, person := crowd(t), &asked{yes: says}
				before := state(t, e)
				c := invoke.Call{Capability: m.capability, Args: json.RawMessage(m.args), Principal: invoketest.Ana, Via: "test", Ask: person.answer}
				if says {
					if _, err := e.Call(t.Context(), c); err != nil || state(t, e) == before {
						t.Errorf("after a yes: %v", err)
					}
				} else if e.Refused(t, c, fault.Conflict); state(t, e) != before {
					t.Error("after a no something is gone")
				}
				if len(person.questions) != 1 {
					t.Errorf("asked %q", person.questions)
				}
			})
		}
	}
}

func TestAYesToMuchIsForTheHeadThatItWasAskedOn(t *testing.T) {
	e := crowd(t)
	person := &asked{yes: true, meanwhile: func() { e.Must(t, "note_create", `{"id": "z", "title": "Z"}`) }}
	c := invoke.Call{Capability: "mutate", Args: json.RawMessage(`{"update": "CLEAR GRAPH <urn:g>"}`), Principal: invoketest.Ana, Via: "test", AskMass: person.answer}
	e.Refused(t, c, fault.Precondition)
	want := `In the graph "example" at commit `
	if len(person.questions) != 1 || !strings.HasPrefix(person.questions[0], want) || !strings.HasSuffix(person.questions[0], " the change would remove 6 statements and touch 1 node: urn:a. The history keeps what goes. Go on?") {
		t.Errorf("asked %q", person.questions)
	}
	e.Must(t, "undo", `{"commit": "head"}`)
	person.meanwhile = nil
	if _, err := e.Call(t.Context(), c); err != nil {
		t.Error(err)
	}
}

func TestWhatGoesIsCountedByTypeInARefusalAndInADryRun(t *testing.T) {
	e := crowd(t)
	args := func(more string) string {
		return `{"update": "DELETE WHERE { ?n a <urn:trails:example:Note> ; ?p ?o }"` + more + `}`
	}
	notes := e.Must(t, "query", `{"query": "SELECT (COUNT(*) AS ?n) { ?s a <urn:trails:example:Note> }"}`)
	n := fmt.Sprint(notes["rows"].([]any)[0].([]any)[0])
	if tried := fmt.Sprint(e.Must(t, "mutate", args(`, "dry_run": true`))["warnings"]); !strings.Contains(tried, "this takes away "+n+" Note") {
		t.Errorf("of %s notes the dry run says %s", n, tried)
	}
	_, err := e.Call(t.Context(), invoke.Call{Capability: "mutate", Args: []byte(args("")), Principal: invoketest.Ana, Via: "test"})
	if text := fault.Of(err).Message; !strings.Contains(text, "what goes as a whole is "+n+" Note.") {
		t.Errorf("of %s notes the refusal says %s", n, text)
	}
	// A node that gets another type stays.
	moved := `{"update": "DELETE { ?n a <urn:trails:example:Note> } INSERT { ?n a <urn:x:Other> } WHERE { ?n a <urn:trails:example:Note> }", "dry_run": true}`
	if answer, err := e.Call(t.Context(), invoke.Call{Capability: "mutate", Args: []byte(moved), Principal: invoketest.Ana, Via: "test"}); err == nil && strings.Contains(string(answer.Structured), "takes away") {
		t.Errorf("nodes that stay go: %s", answer.Structured)
	}
}
