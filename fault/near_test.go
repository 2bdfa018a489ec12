package fault_test

import (
	"strings"
	"testing"

	"trails/fault"
)

func TestOnlyNearNamesAreSuggested(t *testing.T) {
	names := []string{"note.create", "note.update", "load", "log", "init", "verify", "title", "entity_get", "Straße"}
	for word, want := range map[string]string{
		"note.creat": "note.create",
		"notecreate": "note.create",
		"Load":       "load",
		"laod":       "load",
		"lod":        "load",
		"titel":      "title",
		"verfy":      "verify",
		"strasse":    "Straße",
		"entityget":  "entity_get",
		// Short names are near to almost everything, and long ones to nothing of another kind.
		"x": "", "ini": "init", "in": "", "lo": "", "list": "", "foo": "", "note": "", "update": "", "frobnicate!": "",
		strings.Repeat("load", 1000): "",
	} {
		if got := fault.Nearest(word, names); got != want {
			t.Errorf("%.40s: got %q, want %q", word, got, want)
		}
	}
	if got := fault.DidYouMean("titel", names); got != `; did you mean "title"?` {
		t.Errorf("got %s", got)
	}
	if got := fault.DidYouMean("foo", names); got != "" {
		t.Errorf("got %s", got)
	}
}

func TestANameOfSharedPartsIsSuggested(t *testing.T) {
	names := []string{"query", "list", "get", "note.create", "note.update", "schema_get", "migrate.plan", "migrate.apply", "firstSeen", "ab", "aliases", "country"}
	for word, want := range map[string]string{
		"run_query": "query", "runQuery": "query", "sparql-query": "query", "query.run": "query", "list_nodes": "list",
		"create_note": "note.create", "get_the_schema": "schema_get", "schema": "schema_get", "first_seen": "firstSeen", "plan": "migrate.plan",
		"alias": "aliases", "lists": "list",
		// Several that share as many, a part that is no part, and what only shares a part of each are not.
		"note": "", "migrate": "", "countries": "", "delete_schema": "", "ab_c": "", "": "", "_": "",
	} {
		if got := fault.Meant(word, names); got != want {
			t.Errorf("%s: got %q, want %q", word, got, want)
		}
	}
}

func TestANumberHasItsNoun(t *testing.T) {
	for want, got := range map[string]string{
		"1 field": fault.Counted(1, "field"), "0 fields": fault.Counted(0, "field"), "2 fields": fault.Counted(int64(2), "field"),
		"1 clash": fault.Counted(1, "clash"), "2 clashes": fault.Counted(2, "clash"),
		"2 replies": fault.Counted(2, "reply"), "2 days": fault.Counted(2, "day"), "2 boxes": fault.Counted(2, "box"), "2 branches": fault.Counted(2, "branch"),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestWhatIsAddedStandsBeforeTheQuestion(t *testing.T) {
	near := fault.DidYouMean("lsit", []string{"list"})
	for _, c := range [][3]string{
		{"no lsit" + near, "; browse for it", `no lsit; browse for it; did you mean "list"?`},
		{"no lsit; did you mean :list?", "; or so", "no lsit; or so; did you mean :list?"},
		{"no lsit", near, `no lsit; did you mean "list"?`},
		{"no lsit; it has list", "; or so", "no lsit; it has list; or so"},
		{`"; did you mean " is no name`, "; or so", `"; did you mean " is no name; or so`},
	} {
		if got := fault.Add(c[0], c[1]); got != c[2] {
			t.Errorf("%q and %q are %q", c[0], c[1], got)
		}
	}
}
