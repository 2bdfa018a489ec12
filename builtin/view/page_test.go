package view_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trails/e2e/testrun"
	"trails/invoke"
	"trails/invoke/invoketest"
	"trails/text/outline"
)

func TestAListSaysWhichPartOfItThisIs(t *testing.T) {
	testrun.Alone(t)
	e := invoketest.Example(t)
	for uri, want := range map[string]*invoke.Page{
		"trails://kg/Decision":                        {Limit: 100},
		"trails://kg/Decision?limit=3":                {Limit: 3, More: true},
		"trails://kg/Decision?limit=3&offset=3":       {Limit: 3, Offset: 3, More: true},
		"trails://kg/Decision?limit=3&offset=9999":    {Limit: 3, Offset: 9999},
		"trails://kg/Decision?where=number=1&limit=1": {Limit: 1},
		"trails://kg/Decision/1":                      nil,
		"trails://schema":                             nil,
	} {
		doc, err := e.Read(t.Context(), uri, invoke.Call{Principal: invoketest.Ana})
		if err != nil {
			t.Errorf("%s: %v", uri, err)
		}
		if diff := cmp.Diff(want, doc.Page); diff != "" {
			t.Errorf("%s: %s", uri, diff)
		}
	}
}

// TestALineOfAListHasTheWholeLabel holds for a program, which reads as much as there is; a model
// reads the beginning.
func TestALineOfAListHasTheWholeLabel(t *testing.T) {
	testrun.Alone(t)
	e := invoketest.New(t, `types: {Part: {abstract: true, label: title, properties: {title: string}}, Note: {extends: Part}, Other: {extends: Part, label: name, properties: {name: string}}}`, invoke.Config{})
	long := strings.Repeat("é and ", 100)
	e.Must(t, "note.create", `{"id":"a","title":"`+long+`"}`)
	e.Must(t, "note.create", `{"id":"b","title":"short"}`)
	e.Must(t, "note.create", `{"id":"c"}`)
	e.Must(t, "other.create", `{"id":"d","title":"no label","name":"`+long+`"}`)
	for uri, want := range map[string][]string{"trails://kg/Part": {long, "short", "c", long}, "trails://kg/Note": {long, "short", "c"}, "trails://kg/Other": {long}} {
		for _, whole := range []bool{true, false} {
			doc, err := e.Read(t.Context(), uri, invoke.Call{Principal: invoketest.Ana, Whole: whole})
			if err != nil {
				t.Fatal(err)
			}
			var lines []struct{ Label string }
			if err := json.Unmarshal(doc.Body, &lines); err != nil {
				t.Fatal(err)
			}
			var got, shown []string
			for i, l := range lines {
				got = append(got, l.Label)
				shown = append(shown, want[i])
				if !whole {
					shown[i] = outline.Shorten(want[i], 200)
				}
			}
			if diff := cmp.Diff(shown, got); diff != "" || len(lines) != len(want) {
				t.Errorf("%s, whole %v: %s", uri, whole, diff)
			}
		}
	}
}

// TestANodeOfMoreTypesThanAreReadIsListed: the type of the list is not among the first ones of the
// node, whose whole label is that of the type all the same.
func TestANodeOfMoreTypesThanAreReadIsListed(t *testing.T) {
	testrun.Alone(t)
	e := invoketest.New(t, "", invoke.Config{})
	var types strings.Builder
	for i := range 80 {
		fmt.Fprintf(&types, " <urn:n> a <urn:class:%d> .", i)
	}
	e.Must(t, "mutate", `{"update":"INSERT DATA {`+types.String()+` }"}`)
	e.Must(t, "trails.meta.schema.apply", `{"schema":"types: {Note: {open: true, label: title, properties: {title: string}}}"}`)
	e.Must(t, "mutate", `{"update":"INSERT DATA { <urn:n> a :Note ; :title '`+strings.Repeat("long ", 80)+`' }"}`)
	doc, err := e.Read(t.Context(), "trails://kg/Note", invoke.Call{Principal: invoketest.Ana, Whole: true})
	if err != nil || !strings.Contains(string(doc.Body), `"iri":"urn:n","label":"long long `) {
		t.Errorf("%s, %v", doc.Body, err)
	}
}
