package builtin_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"trails/auth/cedar"
	"trails/auth/policy"
	"trails/e2e/testrun"
	"trails/fault"
	"trails/invoke"
	"trails/invoke/invoketest"
)

const looseSchema = `types:
  Note:
    label: title
    properties:
      title: {type: string, required: true, pattern: "^[A-Z]", max_length: 20}
      state: {type: string, one_of: [draft, done]}
      about: {class: Part}
  Part:
    properties:
      name: {type: string}
`

// patchArgs are the arguments of schema_apply with a patch of one step.
func patchArgs(step, more string) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"patch":%q%s}`, "- "+step, more))
}

// Who is not known to the process adds to the schema and tightens it, and changes nothing that
// others rely on, whichever way it is asked; a builder may. A refusal names the steps, and a plan
// tells of it before.
func TestWhoLacksBuilderCannotLoosenTheSchema(t *testing.T) {
	testrun.Alone(t)
	for step, loosens := range map[string]bool{
		"add_type: {Task: {properties: {title: string}}}":        false,
		"add_property: {Note.due: date}":                         false,
		"alter_property: {Note.title: {max_length: 19}}":         false,
		"alter_property: {Note.title: {description: Its title}}": false,
		"alter_property: {Note.title: {pattern: null}}":          true,
		"alter_property: {Note.title: {required: false}}":        true,
		"alter_property: {Note.title: {max_length: 21}}":         true,
		"alter_property: {Note.state: {one_of: null}}":           true,
		"alter_property: {Note.about: {class: null, type: iri}}": true,
		"alter_type: {Note: {open: true}}":                       true,
		"rename_type: {Note: Memo}":                              true,
		"rename_property: {Note.title: name}":                    true,
		"drop_property: Note.state":                              true,
		"drop_type: Part":                                        true,
	} {
		t.Run(step, func(t *testing.T) {
			if step == "drop_type: Part" {
				step = "drop_property: Note.about\n- drop_type: Part"
			}
			e := invoketest.New(t, looseSchema, invoke.Config{})
			e.Govern(t, cedar.Starter)
			before := e.Must(t, "schema_get", `{"format":"yaml"}`)
			for who, p := range map[string]policy.Principal{"nobody": invoketest.Nobody, "runtime": invoketest.Callers["runtime"]} {
				planned, err := e.Call(t.Context(), invoke.Call{Capability: "schema_apply", Args: patchArgs(step, `,"plan":true`), Principal: p})
				if err != nil {
					t.Fatal(err)
				}
				if told := strings.Contains(strings.Join(planned.Warnings, " "), "builder"); told != loosens {
					t.Errorf("%s: the plan warns %q", who, planned.Warnings)
				}
				if !loosens {
					continue
				}
				want := fault.ScopeDenied
				if !p.Authenticated {
					want = fault.Unauthenticated
				}
				for _, more := range []string{"", `,"dry_run":true`} {
					refused := e.Refused(t, invoke.Call{Capability: "schema_apply", Args: patchArgs(step, more), Principal: p}, want)
					if steps, _ := refused.Details["needs_builder"].([]string); len(steps) == 0 {
						t.Errorf("%s: the refusal names no step: %v", who, refused.Details)
					}
				}
			}
			if now := e.Must(t, "schema_get", `{"format":"yaml"}`); now["text"] != before["text"] {
				t.Errorf("the schema is %s", now["text"])
			}
			p := invoketest.Nobody
			if loosens {
				p = policy.Principal{ID: "token:b", Scopes: policy.NewScopes(policy.Runtime, policy.Builder), Authenticated: true}
			}
			if _, err := e.Call(t.Context(), invoke.Call{Capability: "schema_apply", Args: patchArgs(step, ""), Principal: p}); err != nil {
				t.Error(err)
			}
		})
	}
}

// undo takes a change of the schema back, with what it did to the data, as it takes back any
// other commit; and the undo, too.
func TestUndoTakesBackChangesOfTheSchema(t *testing.T) {
	testrun.Alone(t)
	for _, step := range []string{
		"add_type: {Task: {properties: {title: string}}}",
		"add_property: {Note.due: date}",
		"add_property: {Note.level: {type: integer, required: true, default: 3}}",
		"alter_property: {Note.title: {pattern: null, required: false, max_length: 7}}",
		"alter_type: {Note: {open: true, description: What was noted}}",
		"rename_type: {Note: Memo}",
		"rename_property: {Note.title: name}",
		"drop_property: Note.state",
		"drop_property: Note.about\n- drop_type: Part",
	} {
		t.Run(step, func(t *testing.T) {
			e := invoketest.New(t, looseSchema, invoke.Config{})
			e.Must(t, "note.create", `{"id":"a","title":"One","state":"draft"}`)
			e.Must(t, "part.create", `{"id":"p","name":"Part"}`)
			all := func() string {
				rows := e.Must(t, "query", `{"query":"SELECT * { { ?s ?p ?o } UNION { GRAPH <urn:trails:graph:schema> { ?s ?p ?o } } } ORDER BY ?s ?p ?o","limit":10000}`)
				return fmt.Sprint(e.Must(t, "schema_get", `{"format":"yaml"}`)["text"], rows["rows"])
			}
			before := all()
			e.Must(t, "schema_apply", string(patchArgs(step, `,"allow_data_loss":true`)))
			changed := all()
			if changed == before {
				t.Fatal("the step changed nothing")
			}
			if e.Must(t, "undo", `{"commit":"head","dry_run":true}`); all() != changed {
				t.Error("a dry run changed something")
			}
			if e.Must(t, "undo", `{"commit":"head"}`); all() != before {
				t.Errorf("taken back it is\n%s\nwant\n%s", all(), before)
			}
			if e.Must(t, "undo", `{"commit":"head"}`); all() != changed {
				t.Errorf("done again it is\n%s\nwant\n%s", all(), changed)
			}
		})
	}
}

// What was written since decides whether a change of the schema can be taken back, and a later
// change of it comes first. What the way back loosens needs the scope builder; what was added
// goes without it.
func TestUndoOfASchemaIsRefusedWhereSomethingStandsAgainstIt(t *testing.T) {
	e := invoketest.New(t, looseSchema, invoke.Config{})
	apply := func(step string) string {
		return e.Must(t, "schema_apply", string(patchArgs(step, "")))["commit"].(string)
	}
	undo := func(commit string) invoke.Call {
		return invoke.Call{Capability: "undo", Args: json.RawMessage(fmt.Sprintf(`{"commit":%q}`, commit)), Principal: invoketest.Nobody}
	}
	due := apply("add_property: {Note.due: date}")
	e.Must(t, "note.create", `{"id":"a","title":"One","due":"2026-01-02"}`)
	if refused := e.Refused(t, undo(due), fault.InvalidData); !strings.Contains(refused.Error()+fmt.Sprint(refused.Fields), "due") {
		t.Errorf("the refusal does not say what stands against it: %v", refused)
	}
	tightened := apply("alter_property: {Note.title: {max_length: 9}}")
	if refused := e.Refused(t, undo(due), fault.Conflict); !strings.Contains(refused.Error(), "take back commit "+tightened+" first") {
		t.Error(refused)
	}
	e.Refused(t, undo(tightened), fault.Unauthenticated)
	renamed := apply("rename_property: {Note.title: name}")
	e.Refused(t, undo(renamed), fault.Unauthenticated)
	e.Must(t, "undo", fmt.Sprintf(`{"commit":%q}`, renamed))
	e.Must(t, "trails.meta.query.add", `{"queries":[{"text":"#+ id: notes\nSELECT ?n { ?n a :Note }"}]}`)
	e.Refused(t, undo("head"), fault.Unauthenticated)
	added := apply("add_property: {Note.size: integer}")
	if _, err := e.Call(t.Context(), undo(added)); err != nil {
		t.Errorf("an addition without data is not taken back: %v", err)
	}
}

// A change of stored queries, and a merge with definitions, are taken back as a change of the schema is.
func TestUndoTakesBackStoredQueriesAndMergesOfDefinitions(t *testing.T) {
	e := invoketest.New(t, looseSchema, invoke.Config{})
	e.Must(t, "note.create", `{"id":"a","title":"One"}`)
	all := func() string {
		return fmt.Sprint(e.Must(t, "query", `{"query":"SELECT * { { ?s ?p ?o } UNION { GRAPH <urn:trails:graph:schema> { ?s ?p ?o } } } ORDER BY ?s ?p ?o","limit":10000}`)["rows"])
	}
	const query = `{"queries":[{"text":"#+ id: notes\nSELECT ?n { ?n a :Note }"}]%s}`
	before := all()
	e.Must(t, "trails.meta.query.add", fmt.Sprintf(query, ""))
	if e.Must(t, "undo", `{"commit":"head"}`); all() != before {
		t.Errorf("the stored query is taken back to\n%s\nwant\n%s", all(), before)
	}
	e.Must(t, "branches_create", `{"name":"draft"}`)
	e.Must(t, "schema_apply", string(patchArgs("add_property: {Note.due: date}", `,"branch":"draft"`)))
	e.Must(t, "trails.meta.query.add", fmt.Sprintf(query, `,"branch":"draft"`))
	e.Must(t, "note.create", `{"id":"b","title":"Two","due":"2026-01-02","branch":"draft"}`)
	merged := e.Must(t, "branches_merge", `{"source":"draft"}`)["commit"].(string)
	e.Refused(t, invoke.Call{Capability: "undo", Args: json.RawMessage(`{"commit":"head"}`), Principal: invoketest.Nobody}, fault.Unauthenticated)
	e.Must(t, "note.update", `{"id":"a","due":"2026-01-03"}`)
	if f := e.Refused(t, invoke.Call{Capability: "undo", Args: json.RawMessage(`{"commit":"` + merged + `"}`), Principal: invoketest.Ana}, fault.InvalidData); !strings.Contains(fmt.Sprint(f.Fields), "Note/a") {
		t.Errorf("the refusal does not name the node that has a due: %v", f)
	}
	e.Must(t, "note.update", `{"id":"a","due":null}`)
	if e.Must(t, "undo", `{"commit":"`+merged+`"}`); all() != before {
		t.Errorf("the merge is taken back to\n%s\nwant\n%s", all(), before)
	}
}
