package builtin_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

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
		if p, told := read(args); told != want || p.Passed != 7-len(p.Commits) || p.More || (want == "") != strings.Contains(p.Note, "for type, id and origin") {
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

// trails://changes is the end of the feed: whole commits, the newest last, within its bounds, on a branch and at a commit.
func TestTheNewestChanges(t *testing.T) {
	e := invoketest.New(t, `types: {Note: {properties: {title: {type: string}}}}`, invoke.Config{})
	type page struct {
		Commits []struct {
			Commit  string
			Changes [][]any
		}
		Cursor, Note, Cut string
		More              bool
	}
	read := func(address string) (p page, size int) {
		t.Helper()
		d, err := e.Read(t.Context(), address, invoke.Call{Principal: invoketest.Ana, Via: "test"})
		if err == nil {
			err = json.Unmarshal(d.Body, &p)
		}
		if err != nil {
			t.Fatalf("%s: %v", address, err)
		}
		return p, utf8.RuneCount(d.Body)
	}
	// agrees checks that a page has so many commits, and that the capability says the same of them.
	agrees := func(step, address, branch string, commits int, older bool) page {
		t.Helper()
		p, size := read(address)
		if len(p.Commits) != commits || p.Cut != "" || size > 20_000 || older != strings.Contains(p.Note, "older commits") {
			t.Fatalf("%s: %d commits, not %d, in %d characters; %q, cut %q", step, len(p.Commits), commits, size, p.Note, p.Cut)
		}
		start := "beginning"
		if older {
			start = fmt.Sprintf("after:head~%d", commits)
		}
		var same page
		text, err := json.Marshal(e.Must(t, "changes", fmt.Sprintf(`{"branch": %q, "start": %q}`, branch, start)))
		if err == nil {
			err = json.Unmarshal(text, &same)
		}
		if err != nil || cmp.Diff(same.Commits[:commits], p.Commits) != "" || !older && same.Cursor != p.Cursor {
			t.Errorf("%s: %v\n%s", step, err, cmp.Diff(same.Commits, p.Commits))
		}
		return p
	}
	agrees("the schema alone", "trails://changes", "main", 1, false)
	e.Must(t, "note.create", `{"id": "first", "title": "F"}`)
	e.Must(t, "branches_create", `{"name": "draft"}`)
	for i := range 25 {
		e.Must(t, "note.update", fmt.Sprintf(`{"id": "first", "title": "T%d"}`, i))
	}
	before := agrees("many commits", "trails://changes", "main", 20, true)
	if p, _ := read("trails://changes?at=head"); cmp.Diff(before, p) != "" {
		t.Error("at=head is another page")
	}
	e.Must(t, "note.create", `{"branch": "draft", "id": "there", "title": "D"}`)
	if p := agrees("a branch", "trails://changes?branch=draft", "draft", 3, false); fmt.Sprint(p.Commits[2].Changes[0][1]) != "Note/there" {
		t.Errorf("the branch has %v", p.Commits)
	}
	e.Must(t, "mutate", `{"update": "INSERT { ?x a :Note ; :title ?t } WHERE { VALUES ?k { 1 2 3 4 5 6 7 8 9 } VALUES ?l { 1 2 3 4 } BIND(STR(?k * 10 + ?l) AS ?t) BIND(IRI(CONCAT(STR(:Note), \"/n\", ?t)) AS ?x) }"}`)
	if p := agrees("a commit of 72 statements", "trails://changes", "main", 15, true); p.More {
		t.Error("there is more")
	}
	e.Must(t, "mutate", `{"update": "DELETE { ?x :title ?t } INSERT { ?x :title ?u } WHERE { ?x :title ?t BIND(CONCAT(?t, \"!\") AS ?u) }"}`)
	agrees("two that are not in one page", "trails://changes", "main", 1, true)
	then, _ := read("trails://changes?at=head~2")
	if cmp.Diff(before, then) != "" {
		t.Errorf("at an earlier commit:\n%s", cmp.Diff(before, then))
	}
	for i := range 4 {
		e.Must(t, "note.update", fmt.Sprintf(`{"id": "first", "title": %q}`, strings.Repeat("long ", 1500)+fmt.Sprint(i)))
	}
	agrees("long values", "trails://changes", "main", 1, true)
	e.Must(t, "mutate", `{"update": "INSERT { ?x a :Note ; :title ?t } WHERE { ?y a :Note . VALUES ?k { 1 2 3 } BIND(CONCAT(SHA1(STR(?y)), STR(?k)) AS ?t) BIND(IRI(CONCAT(STR(:Note), \"/\", ?t)) AS ?x) }"}`)
	if p := agrees("a commit that is not in one page", "trails://changes", "main", 1, true); !p.More || !strings.Contains(p.Note, "goes on with cursor") {
		t.Errorf("the beginning of a commit: %t, %q", p.More, p.Note)
	} else if rest := e.Must(t, "changes", fmt.Sprintf(`{"cursor": %q, "limit": 1000}`, p.Cursor)); rest["more"] != false {
		t.Errorf("the rest: %v", rest["more"])
	}
	if _, err := e.Read(t.Context(), "trails://changes?limit=5", invoke.Call{Principal: invoketest.Ana}); !fault.Is(err, fault.NotFound) {
		t.Errorf("an unknown parameter: %v", err)
	}
}
