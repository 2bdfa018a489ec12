package builtin_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"trails/invoke"
	"trails/invoke/invoketest"
)

// Each value has the commit that set it, with its author, its call and its message, on a branch and at a commit, too.
func TestBlameTellsWhoSetAValue(t *testing.T) {
	e := invoketest.New(t, withStatus, invoke.Config{})
	e.Must(t, "note.create", `{"id": "a", "title": "A", "status": "open", "message": "begin"}`)
	e.Must(t, "note.update", `{"id": "a", "status": "done", "message": "end"}`)
	e.Must(t, "branches_create", `{"name": "draft"}`)
	e.Must(t, "note.update", `{"id": "a", "title": "B", "message": "better", "branch": "draft"}`)
	commits, _ := e.Must(t, "commits_list", `{"branch": "draft"}`)["rows"].([]any)
	id := func(back int) string {
		row, _ := commits[back].([]any)
		return fmt.Sprint(row[0])
	}
	for args, want := range map[string]map[string]string{
		`{"id": "Note/a"}`:                    {"title": "A " + id(2) + " note.create begin", "status": "done " + id(1) + " note.update end"},
		`{"id": "Note/a", "at": "head~1"}`:    {"status": "open " + id(2) + " note.create begin"},
		`{"id": "Note/a", "branch": "draft"}`: {"title": "B " + id(0) + " note.update better", "status": "done " + id(1) + " note.update end", "rdf:type": ":Note " + id(2) + " note.create begin"},
	} {
		rows, _ := e.Must(t, "blame", args)["rows"].([]any)
		got := map[string]string{}
		for _, row := range rows {
			of, _ := row.([]any)
			got[fmt.Sprint(of[0])] = fmt.Sprint(of[1], " ", of[2], " ", of[5], " ", of[6])
		}
		for property, says := range want {
			if got[property] != says || len(rows) != 3 {
				t.Errorf("%s of %s: %v, want %s", property, args, got, says)
			}
		}
	}
	part, err := e.Call(t.Context(), invoke.Call{Capability: "blame", Args: json.RawMessage(`{"id": "Note/a", "limit": 1, "offset": 1}`), Principal: invoketest.Ana})
	if err != nil || !strings.Contains(string(part.Structured), "go on with offset 2") {
		t.Errorf("a part: %s %v", part.Structured, err)
	}
}
