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
	for _, want := range []string{"Took back " + undone + ": deleted Note two", "Took back " + span + ": changed 1 statement of the graph urn:g", "Loaded data: 60 Note", "Loaded people.csv: Note Read", "Changed title of Note Owned", "Changed the policies", "Changed the schema"} {
		found := false
		for _, one := range all {
			found = found || one == want
		}
		if !found {
			t.Errorf("no commit is told as %q: %q", want, all)
		}
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
