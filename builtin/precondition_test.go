package builtin_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"trails/auth/cedar"
	"trails/e2e/testrun"
	"trails/fault"
	"trails/invoke"
	"trails/invoke/invoketest"
)

// breaking breaks a precondition: a call that is refused for it, after what comes before.
type breaking struct {
	before func(*testing.T, *invoketest.Engine) (commit string)
	args   string // with COMMIT for the commit
	want   fault.Kind
}

func doing(calls ...string) func(*testing.T, *invoketest.Engine) string {
	return func(t *testing.T, e *invoketest.Engine) (commit string) {
		for i := 0; i < len(calls); i += 2 {
			done := e.Must(t, calls[i], calls[i+1])
			if i == 0 {
				commit, _ = done["commit"].(string)
			}
		}
		return commit
	}
}

// asking makes a branch with a change, asks for its merge, and goes on.
func asking(calls ...string) func(*testing.T, *invoketest.Engine) string {
	return doing(append([]string{"branches_create", `{"name": "draft"}`, "note.update", `{"id": "a", "title": "One", "branch": "draft"}`, "branches_merge", `{"source": "draft", "ask": true}`}, calls...)...)
}

const oneStatus = `"types:\n  Note:\n    iri: preserve\n    properties:\n      title: {type: string, required: true}\n      about: {class: Note, many: true}\n      status: {type: string, one_of: [open]}\n"`

// byAnother is doing with the first call by another caller.
func byAnother(capability, args string, more ...string) func(*testing.T, *invoketest.Engine) string {
	return func(t *testing.T, e *invoketest.Engine) string {
		e.Govern(t, cedar.Starter)
		if _, err := e.Call(t.Context(), invoke.Call{Capability: capability, Args: json.RawMessage(args), Principal: invoketest.Callers["runtime"]}); err != nil {
			t.Fatal(err)
		}
		return doing(more...)(t, e)
	}
}

// broken has a call for every precondition of a capability.
var broken = map[string]map[string]breaking{
	"note.create": {
		"No node has the id yet.":        {nil, `{"id": "a", "title": "C"}`, fault.InvalidData},
		"Nodes that it refers to exist.": {nil, `{"id": "c", "title": "C", "about": ["Note/d"]}`, fault.InvalidData},
	},
	"note.update": {
		"A Note has the id.":             {nil, `{"id": "c", "title": "C"}`, fault.Missing},
		"Nodes that it refers to exist.": {nil, `{"id": "a", "about": ["Note/d"]}`, fault.InvalidData},
	},
	"note.delete": {
		"A Note has the id.": {nil, `{"id": "c"}`, fault.Missing},
		"No node refers to it where that is required.": {doing(
			"schema_apply", `{"patch": "- add_type: {Task: {properties: {note: {class: Note, required: true}}}}"}`,
			"create", `{"type": "Task", "data": {"note": "Note/a"}}`,
		), `{"id": "a"}`, fault.InvalidData},
	},
	"finish": {
		"The graph fits its schema at the end.": {doing("schema_apply", `{"patch": "- alter_property: {Note.title: {unique: true}}"}`, "finish", `{}`), `{"params": {"note": "Note/b"}}`, fault.InvalidData},
	},
	"undo": {
		"No later commit touched the same values.": {doing("note.update", `{"id": "a", "title": "One"}`, "note.update", `{"id": "a", "title": "Two"}`), `{"commit": "COMMIT"}`, fault.Conflict},
		"The graph fits its schema at the end.":    {doing("note.create", `{"id": "c", "title": "C"}`, "link", `{"from": "Note/a", "property": "about", "to": "Note/c"}`), `{"commit": "COMMIT"}`, fault.InvalidData},
	},
	"requests_decide": {
		"The request is pending.":               {asking("requests_decide", `{"request": 1, "decision": "decline"}`), `{"request": 1, "decision": "approve"}`, fault.Conflict},
		"Each clash is decided.":                {doing("branches_create", `{"name": "draft"}`, "note.update", `{"id": "a", "title": "One", "branch": "draft"}`, "note.update", `{"id": "a", "title": "Two"}`, "branches_merge", `{"source": "draft", "ask": true}`), `{"request": 1, "decision": "approve"}`, fault.Conflict},
		"The graph fits its schema at the end.": {doing("branches_create", `{"name": "draft"}`, "note.update", `{"id": "a", "title": "One", "branch": "draft"}`, "link", `{"from": "Note/a", "property": "about", "to": "Note/b", "branch": "draft"}`, "note.update", `{"id": "a", "title": "Two"}`, "note.delete", `{"id": "b"}`, "branches_merge", `{"source": "draft", "ask": true}`), `{"request": 1, "decision": "approve", "resolutions": ["Note/a.title=theirs"]}`, fault.Conflict},
	},
	"branches_merge": {
		"Each clash is decided.":                {doing("branches_create", `{"name": "draft"}`, "note.update", `{"id": "a", "title": "One", "branch": "draft"}`, "note.update", `{"id": "a", "title": "Two"}`), `{"source": "draft"}`, fault.Conflict},
		"The graph fits its schema at the end.": {doing("branches_create", `{"name": "draft"}`, "link", `{"from": "Note/a", "property": "about", "to": "Note/b", "branch": "draft"}`, "note.delete", `{"id": "b"}`), `{"source": "draft"}`, fault.Conflict},
	},
	"undo_by": {
		"Each clash is decided.":                {byAnother("note.update", `{"id": "a", "title": "One"}`, "note.update", `{"id": "a", "title": "Two"}`), `{"by": "token:ci"}`, fault.Conflict},
		"The graph fits its schema at the end.": {byAnother("note.create", `{"id": "c", "title": "C"}`, "link", `{"from": "Note/a", "property": "about", "to": "Note/c"}`), `{"by": "token:ci"}`, fault.Conflict},
	},
	"cherry_pick": {
		"Each clash is decided.":                {doing("branches_create", `{"name": "draft"}`, "note.update", `{"id": "a", "title": "One", "branch": "draft"}`, "note.update", `{"id": "a", "title": "Two"}`), `{"commit": "draft"}`, fault.Conflict},
		"The graph fits its schema at the end.": {doing("branches_create", `{"name": "draft"}`, "link", `{"from": "Note/a", "property": "about", "to": "Note/b", "branch": "draft"}`, "note.delete", `{"id": "b"}`), `{"commit": "draft"}`, fault.Conflict},
	},
	"schema_undo": {
		"No definition was changed after it, or all that was is taken back.": {doing("schema_apply", `{"patch": "- add_property: {Note.extra: string}"}`, "schema_apply", `{"patch": "- add_type: {Task: {}}"}`), `{"commit": "COMMIT"}`, fault.Conflict},
		"The graph fits the schema before.":                                  {doing("schema_apply", `{"patch": "- add_property: {Note.extra: string}"}`, "note.update", `{"id": "a", "extra": "x"}`), `{"commit": "COMMIT"}`, fault.InvalidData},
	},
	"mutate": {
		"The graph fits its schema at the end.": {nil, `{"update": "DELETE { ?n :title ?t } WHERE { ?n :title ?t }"}`, fault.InvalidData},
	},
	"load": {
		"The types of nodes are in the schema.": {nil, `{"data": "{\"type\":\"Nothing\",\"id\":\"c\",\"data\":{}}"}`, fault.InvalidData},
	},
	"import": {
		"The rows fit, or rejects leaves them out.": {nil, `{"data": "id,status\nc,open\n", "tables": [{"type": "Note"}]}`, fault.InvalidData},
	},
	"import_types": {
		"The rows fit, or rejects leaves them out.": {nil, `{"data": "id,size\na,big\n", "tables": [{"type": "Room"}], "patch": "- add_type: {Room: {iri: preserve, properties: {size: integer}}}"}`, fault.InvalidData},
		"The schema is that of the plan.":           {nil, `{"data": "title\na\n", "tables": [{"type": "Note"}], "patch": "- drop_property: Note.status"}`, fault.InvalidArguments},
	},
	"schema_apply": {
		"The data and the stored queries that are there fit the new schema.": {nil, `{"schema": ` + oneStatus + `}`, fault.InvalidData},
	},
	"trails.meta.schema.apply": {
		"The data and the stored queries that are there fit the new schema.": {nil, `{"patch": "- drop_property: Note.title", "allow_data_loss": true}`, fault.InvalidData},
	},
	"trails.meta.query.add": {
		"No built-in capability has the name.": {nil, `{"queries": [{"text": "#+ id: search\nASK {}"}]}`, fault.InvalidData},
	},
	"trails.meta.migrate.apply": {
		"Those that are applied have the texts that they had.": {doing("trails.meta.migrate.apply", samples["trails.meta.migrate.apply"]), `{"migrations": [{"name": "0001_pages.yaml", "text": "steps: []\n"}]}`, fault.InvalidData},
		"The data that is there fits the new schema.":          {nil, `{"migrations": [{"name": "0001_open.yaml", "text": "steps:\n- alter_property: {Note.status: {one_of: [open]}}\n"}]}`, fault.InvalidData},
	},
	"trails.meta.migrate.rollback": {
		"A migration is applied.": {nil, `{}`, fault.Missing},
	},
	"trails.meta.promote.apply": {
		"All migrations that are applied here are among the definitions.": {doing("trails.meta.migrate.apply", samples["trails.meta.migrate.apply"]), samples["trails.meta.promote.apply"], fault.Conflict},
		"The data that is there fits the new schema.":                     {nil, `{"definitions": {"schema": ` + oneStatus + `}, "replace": true}`, fault.InvalidData},
	},
	"trails.meta.promote.undo": {
		"No later commit changed definitions, or the values that it changed.": {doing("trails.meta.promote.apply", samples["trails.meta.promote.apply"], "schema_apply", `{"patch": "- add_type: {Task: {}}"}`), `{"commit": "COMMIT"}`, fault.Conflict},
	},
}

// A call that breaks a precondition of its capability is refused, and changes nothing.
func TestPreconditionsHold(t *testing.T) {
	testrun.Alone(t)
	for _, d := range notes(t).Callable(t) {
		said := slices.Sorted(slices.Values(d.Preconditions))
		if !slices.Equal(said, slices.Sorted(maps.Keys(broken[d.ID]))) {
			t.Errorf("%s: a call for each of %q is to be tried", d.ID, said)
		}
		for _, precondition := range said {
			t.Run(d.ID+"/"+precondition, func(t *testing.T) {
				b, e, commit := broken[d.ID][precondition], notes(t), ""
				if b.before != nil {
					commit = b.before(t, e)
				}
				was := state(t, e)
				c := sample(d, strings.ReplaceAll(b.args, "COMMIT", commit))
				c.Ask = yes
				t.Log(e.Refused(t, c, b.want))
				if state(t, e) != was {
					t.Error("it changed the graph")
				}
			})
		}
	}
}
