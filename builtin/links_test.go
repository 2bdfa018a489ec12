package builtin_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"trails/invoke"
	"trails/invoke/invoketest"
)

// An answer links to the resources that have all of what it shows a part of, and a whole one to none.
func TestACutAnswerLinksToWhatHasAllOfIt(t *testing.T) {
	e := invoketest.New(t, "types:\n  Note:\n    description: "+strings.Repeat("What people write down. ", 120)+"\n    label: title\n    properties:\n      title: {type: string}\n      tag: {type: string, many: true}\n", invoke.Config{})
	var tags []string
	for i := range 30 {
		tags = append(tags, fmt.Sprintf("tag%02d", i))
	}
	list, _ := json.Marshal(tags)
	e.Must(t, "note.create", `{"id": "short", "title": "Short"}`)
	e.Must(t, "note.create", `{"id": "many", "title": "Many", "tag": `+string(list)+`}`)
	e.Must(t, "note.create", `{"id": "long", "title": "`+strings.Repeat("long ", 900)+`end"}`)
	e.Must(t, "branches_create", `{"name": "draft"}`)
	e.Must(t, "note.update", `{"id": "long", "title": "`+strings.Repeat("other ", 900)+`end", "branch": "draft"}`)
	e.Must(t, "note.update", `{"id": "many", "tag": ["last"]}`)
	for args, want := range map[string]map[string]string{
		`{"ids": ["Note/short"]}`:                                       {},
		`{"ids": ["Note/short", "Note/many"]}`:                          {},
		`{"ids": ["Note/short", "Note/many"], "at": "head~1"}`:          {"Note/many": "tag29"},
		`{"ids": ["Note/short", "Note/long"]}`:                          {"Note/long": "long end"},
		`{"ids": ["Note/long"], "branch": "draft"}`:                     {"Note/long": "other end"},
		`{"ids": ["Note/short", "Note/long", "Note/many"], "depth": 2}`: {"Note/long": "long end"},
	} {
		res, err := e.Do(t, "get", args)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for _, piece := range res.Content {
			d, err := e.Read(t.Context(), piece.URI, invoke.Call{Principal: invoketest.Ana})
			if err != nil || piece.Kind() != invoke.LinkKind {
				t.Errorf("%s: %s: %v", args, piece, err)
			}
			if got[piece.Name] = string(d.Body); strings.Contains(string(d.Body), `"cut":"`) || !strings.Contains(string(d.Body), want[piece.Name]) {
				t.Errorf("%s: %s has %.200s", args, piece, d.Body)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s: links to %v, want %v", args, got, want)
		}
	}
	for most, links := range map[int]int{2_000: 1, 20_000: 0} {
		res, err := e.Do(t, "schema_get", fmt.Sprintf(`{"format": "json", "max_chars": %d}`, most))
		if err != nil || len(res.Content) != links {
			t.Errorf("the schema in %d characters: links %v, %v", most, res.Content, err)
		}
	}
}
