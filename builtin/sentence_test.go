package builtin_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// told are the sentences about the newest commits that fit, the newest first.
func (o origins) told(args string) []string {
	o.Helper()
	var list []string
	for _, row := range o.through("admin", "commits_find", args)["rows"].([]any) {
		list = append(list, row.([]any)[3].(string))
	}
	return list
}

func TestACommitIsToldInASentence(t *testing.T) {
	o := newOrigins(t)
	var many []string
	for i := range 60 {
		many = append(many, fmt.Sprintf(`{"type": "Note", "id": "n%d", "data": {"title": "N", "tags": ["a", "b", "c"]}}`, i))
	}
	data, _ := json.Marshal(strings.Join(many, "\n"))
	o.through("http", "load", `{"data": `+string(data)+`}`)
	for _, step := range []struct{ capability, args, want string }{
		{"note.create", `{"id": "one", "title": "A title"}`, "Added Note “A title”"},
		{"note.update", `{"id": "one", "title": "Title", "add": {"tags": ["x"]}}`, "Changed tags, title of Note Title"},
		{"mutate", `{"update": "INSERT { ?n <urn:example:tags> \"new\" } WHERE { ?n a <urn:example:Note> FILTER (STRSTARTS(STR(?n), \"urn:example:Note/n1\")) }"}`, "Changed tags of 11 Note"},
		{"note.delete", `{"id": "one"}`, "Deleted Note one"},
		{"mutate", `{"update": "DELETE { ?n ?p ?o } WHERE { ?n a <urn:example:Note>; ?p ?o FILTER (STRSTARTS(STR(?n), \"urn:example:Note/n\")) }"}`, "Deleted 60 Note"},
		{"mutate", `{"update": "INSERT DATA { GRAPH <urn:g> { <urn:a> <urn:b> <urn:c> } }"}`, "Changed 1 statement of the graph urn:g"},
	} {
		o.through("http", step.capability, step.args)
		if got := o.told(`{"limit": 1}`); got[0] != step.want {
			t.Errorf("%s %s is told as %q; want %q", step.capability, step.args, got[0], step.want)
		}
	}
	undone := o.through("http", "note.create", `{"id": "two", "title": "Two"}`)["commit"].(string)
	o.through("http", "undo", `{"commit": "`+undone+`"}`)
	span := o.through("http", "undo", `{"commit": "head~3..head"}`)["undone"].(string)
	o.through("http", "load", `{"data": "{\"type\": \"Note\", \"id\": \"own\", \"data\": {\"title\": \"Owned\"}}"}`)
	o.through("admin", "trails.meta.policy.apply", `{"policies": "permit (principal, action, resource);"}`)
	all := o.told(`{"limit": 100}`)
	for _, want := range []string{"Took back " + undone + ": deleted Note two", "Took back " + span + ": changed 1 statement of the graph urn:g", "Loaded data: 60 Note", "Loaded people.csv: Note Read", "Changed title of Note Owned", "Changed the policies", "Added the type Note"} {
		found := false
		for _, one := range all {
			found = found || one == want
		}
		if !found {
			t.Errorf("no commit is told as %q: %q", want, all)
		}
	}
}

func TestAChangeOfDefinitionsIsToldAsWhatItIs(t *testing.T) {
	o := newOrigins(t)
	var many []string
	for i := range 1001 {
		many = append(many, fmt.Sprintf(`{"type": "Note", "id": "n%d", "data": {"title": "N", "keyword": ["a"]}}`, i))
	}
	rows, _ := json.Marshal(strings.Join(many, "\n"))
	for _, step := range []struct{ capability, args, want string }{
		{"note.create", `{"id": "few", "title": "A title"}`, "Added Note “A title”"},
		{"schema_apply", `{"patch": "- rename_type: {Note: Memo}"}`, "Renamed Note to Memo"},
		{"schema_apply", `{"patch": "- rename_property: {Memo.tags: keyword}\n- alter_property: {Memo.keyword: {label: Key word}}"}`, "Renamed tags of Memo to keyword; changed label of the property keyword “Key word” of Memo"},
		{"memo.update", `{"id": "few", "add": {"keyword": ["x"]}}`, "Changed “Key word” of Memo “A title”"},
		{"load", strings.ReplaceAll(`{"data": `+string(rows)+`}`, "Note", "Memo"), "Loaded data: 1001 Memo"},
		{"mutate", `{"update": "INSERT { ?n <urn:example:keyword> \"new\" } WHERE { ?n a <urn:example:Memo> FILTER (STRSTARTS(STR(?n), \"urn:example:Note/n1\")) }"}`, "Changed “Key word” of 112 Memo"},
		{"schema_apply", `{"patch": "- rename_type: {Memo: Note}\n- rename_property: {Note.keyword: tags}"}`, "Renamed Memo to Note; renamed keyword of Note to tags"},
		{"schema_apply", `{"patch": "- add_type: {Place: {properties: {name: string}}}\n- add_type: {Thing: {properties: {name: string}}}\n- add_property: {Note.due: date}\n- add_property: {Note.done: boolean}"}`, "Added the types Place, Thing; added the properties due, done of Note"},
		{"schema_apply", `{"patch": "- drop_type: Thing\n- add_property: {Place.kind: {type: string, required: true, default: town}}"}`, "Added the property kind of Place; dropped the type Thing"},
		{"trails.meta.query.add", `{"queries": [{"text": "#+ id: first\nASK {}"}, {"text": "#+ id: second\nASK {}"}]}`, "Added the stored queries first, second"},
		{"trails.meta.query.remove", `{"names": ["first"]}`, "Removed the stored query first"},
		{"trails.meta.migrate.apply", `{"migrations": [{"name": "0001_urgent.yaml", "text": "steps: [{add_property: {Note.urgent: {type: boolean, default: false, required: true}}}]"}]}`, "Applied 0001_urgent.yaml: added the property urgent of Note; changed urgent of 1006 Note"},
		{"trails.meta.migrate.rollback", `{"allow_mass_change": true}`, "Rolled 0001_urgent.yaml back: dropped the property urgent of Note; changed urgent of 1006 Note"},
	} {
		o.through("admin", step.capability, step.args)
		if got := o.told(`{"limit": 1}`); got[0] != step.want {
			t.Errorf("%s %s is told as %q; want %q", step.capability, step.args[:min(len(step.args), 200)], got[0], step.want)
		}
	}
	all := o.told(`{"limit": 100}`)
	for i, row := range o.through("admin", "history", `{"limit": 100}`)["rows"].([]any) { // the history of the graph says it in the same words, and once
		got := row.([]any)[3].(string)
		if at := strings.Index(got, all[i]); at < 0 || strings.HasPrefix(got, "schema_apply") && at != len("schema_apply: ") {
			t.Errorf("history says %q of the commit that is told as %q", got, all[i])
		}
	}
	o.through("admin", "branches_create", `{"name": "draft"}`)
	picked := o.through("admin", "schema_apply", `{"branch": "draft", "patch": "- add_property: {Note.state: {type: string, required: true, default: open}}"}`)["commit"].(string)
	o.through("admin", "cherry_pick", `{"commit": "`+picked+`"}`)
	if got, want := o.told(`{"limit": 1}`)[0], "Took over "+picked+": added the property state of Note; changed state of 1006 Note"; got != want {
		t.Errorf("a commit that another branch made is told as %q; want %q", got, want)
	}
}

func TestCommitsAreFoundByWhoWhatAndWhen(t *testing.T) {
	o := newOrigins(t)
	for args, want := range map[string]int{
		`{"author": "ana"}`: 6, `{"author": "nobody"}`: 0, `{"door": "page"}`: 2, `{"door": "mcp"}`: 2, `{"call": "load"}`: 1, `{"call": "no.such"}`: 0,
		`{"type": "Note"}`: 5, `{"type": "Note", "door": "page", "call": "note.update"}`: 1, `{"when": "today", "author": "ana"}`: 6, `{"when": "..2001"}`: 0, `{"when": "2001.."}`: 6, `{"when": "yesterday"}`: 0,
	} {
		got := o.through("admin", "commits_find", args)
		if n := len(got["rows"].([]any)); n != want {
			t.Errorf("commits_find %s has %d commits; want %d", args, n, want)
		}
		if said := fmt.Sprint(got["warnings"]); (want == 0) != strings.Contains(said, "leave one of them out") {
			t.Errorf("commits_find %s warns: %s", args, said)
		}
	}
	if days := o.through("admin", "commits_find", `{"limit": 1, "days": 3}`)["days"].([]any); len(days) != 1 || days[0].(map[string]any)["commits"] != float64(6) {
		t.Errorf("the days are %v", days)
	} else if day := days[0].(map[string]any); day["statements"] != o.through("admin", "snapshot", `{}`)["quads"] || fmt.Sprint(day["authors"]) != "[map[author:local:ana via test commits:6]]" {
		t.Errorf("the day is %v", day)
	}
	for args, says := range map[string]string{`{"when": "whenever"}`: "give today", `{"type": "Nite"}`: "Note", `{"door": "window"}`: "door"} {
		if _, err := o.Do(t, "commits_find", args); err == nil || !strings.Contains(err.Error()+fmt.Sprint(err), says) {
			t.Errorf("commits_find %s: %v", args, err)
		}
	}
}
