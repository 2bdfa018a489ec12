package builtin_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"trails/fault"
	"trails/invoke"
	"trails/invoke/invoketest"
)

// A feed of a type or a node goes over what is of others, counts it, ends its page when that is much, and tells of the end
// of a node, too.
func TestAFeedOfATypeOrANode(t *testing.T) {
	e := invoketest.New(t, `types: {Note: {properties: {title: {type: string}}}, Memo: {extends: [Note]}, Task: {properties: {title: {type: string}}}}`, invoke.Config{})
	type page struct {
		Commits []struct{ Changes [][]any }
		Cursor  string
		More    bool
		Passed  int
		Note    string
	}
	read := func(args string) (p page, told string) {
		t.Helper()
		text, err := json.Marshal(e.Must(t, "changes", args))
		if err == nil {
			err = json.Unmarshal(text, &p)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range p.Commits {
			for _, row := range c.Changes {
				told += fmt.Sprintf("%v %v;", row[0], row[1])
			}
		}
		return p, told
	}
	e.Must(t, "task.create", `{"id": "t", "title": "T"}`)
	e.Must(t, "memo.create", `{"id": "m", "title": "M"}`)
	e.Must(t, "note.create", `{"id": "n", "title": "N"}`)
	e.Must(t, "task.update", `{"id": "t", "title": "U"}`)
	e.Must(t, "memo.delete", `{"id": "m"}`)
	e.Must(t, "task.update", `{"id": "t", "title": "V"}`)
	const memo = "insert Memo/m;insert Memo/m;"
	for args, want := range map[string]string{
		`{"type": "Memo"}`:                 memo + "delete Memo/m;delete Memo/m;",
		`{"type": "Note"}`:                 memo + "insert Note/n;insert Note/n;delete Memo/m;delete Memo/m;",
		`{"id": "Memo/m"}`:                 memo + "delete Memo/m;delete Memo/m;",
		`{"id": "Task/t", "type": "Note"}`: "",
	} {
		if p, told := read(args); told != want || p.Passed != 7-len(p.Commits) || p.More || (want == "") != strings.Contains(p.Note, "for type and id") {
			t.Errorf("%s: %q, %d passed, %t, %q", args, told, p.Passed, p.More, p.Note)
		}
	}
	if _, err := e.Do(t, "changes", `{"type": "Nott"}`); !fault.Is(err, fault.InvalidArguments) || !strings.Contains(err.Error(), "Note") {
		t.Errorf("an unknown type: %v", err)
	}
	if _, err := e.Do(t, "changes", `{"id": "Note/never"}`); err == nil {
		t.Error("a node that there never was has a feed")
	}
	var lines strings.Builder
	for i := range 15_000 {
		fmt.Fprintf(&lines, `{"type": "Note", "id": "n%d", "data": {"title": "title"}}`+"\n", i)
	}
	args, _ := json.Marshal(map[string]any{"data": lines.String(), "format": "ndjson"})
	e.Must(t, "load", string(args))
	e.Must(t, "task.delete", `{"id": "t"}`)
	p, told := read(`{"type": "Task", "start": "after:head~2"}`)
	if !p.More || told != "" || !strings.Contains(p.Note, "go on") {
		t.Errorf("a page in a large load has %q, %t, %q", told, p.More, p.Note)
	}
	for pages := 0; p.More; pages++ {
		if p, told = read(fmt.Sprintf(`{"type": "Task", "cursor": %q}`, p.Cursor)); pages > 5 {
			t.Fatal("the pages have no end")
		}
	}
	if !strings.Contains(told, "delete Task/t") {
		t.Errorf("behind the load there is %q", told)
	}
}
