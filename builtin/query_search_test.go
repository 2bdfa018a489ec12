package builtin_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"trails/auth/policy"
	"trails/builtin"
	"trails/gateway/meaning"
	"trails/invoke"
	"trails/invoke/invoketest"
	"trails/kg"
	"trails/rdf"
)

// queriedFor are the first cells of a query's rows, and what it warns of.
func queriedFor(t *testing.T, e *invoketest.Engine, id, args string) (cells []string, warnings string, err error) {
	t.Helper()
	r, err := e.Do(t, id, args)
	if err != nil {
		return nil, "", err
	}
	var out struct{ Rows [][]any }
	if err := json.Unmarshal(r.Structured, &out); err != nil {
		t.Fatal(err)
	}
	for _, row := range out.Rows {
		cells = append(cells, fmt.Sprint(row[0]))
	}
	return cells, strings.Join(r.Warnings, "\n"), nil
}

// TestAQuerySearchesByMeaning holds a query against the tool: the same hits in the same order, and the same warnings.
func TestAQuerySearchesByMeaning(t *testing.T) {
	endpoint, embedder := newMeaningEndpoint(t), embedding(t, true)
	var rights *kg.Rights
	e := invoketest.New(t, meaningSchema, invoke.Config{
		Providers: builtin.Options{Embedder: embedder}.Providers(), Rights: func(policy.Principal) *kg.Rights { return rights },
	})
	for _, write := range [][2]string{
		{"note.create", `{"id":"n1","title":"one","body":"the kitten sleeps"}`},
		{"note.create", `{"id":"n2","title":"two","body":"a vehicle stands there"}`},
		{"note.create", `{"id":"n3","title":"cat"}`},
		{"diary.create", `{"id":"d1","title":"day","day":"a feline day"}`},
	} {
		e.Must(t, write[0], write[1])
	}
	const query = `{"query":"SELECT ?n { (?n ?s) trails:matches ($words) } ORDER BY DESC(?s)","params":{"words":"cat toys"}}`
	const alone = `{"query":"SELECT ?n { (?n ?s) trails:matches (\"cat toys\" trails:meaning) } ORDER BY DESC(?s)"}`
	same := func(when, warned string) {
		t.Helper()
		want, _, told := foundBy(t, e, `{"text":"cat toys"}`)
		got, warnings, err := queriedFor(t, e, "query", query)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, and the tool finds %v: %v", when, got, want, err)
		}
		if !strings.Contains(told, warned) || !strings.Contains(warnings, warned) {
			t.Errorf("%s: %q, and the tool says %q", when, warnings, told)
		}
	}
	same("by words alone", "")
	if _, _, err := queriedFor(t, e, "query", alone); err == nil || !strings.Contains(err.Error(), "no property with embed: true, or its gateway no endpoint") {
		t.Errorf("by meaning alone without an endpoint: %v", err)
	}
	e.Must(t, "trails.meta.gateway.configure", fmt.Sprintf(`{"settings":{"embeddings":{"url":%q,"model":"m"}}}`, endpoint.URL))
	same("without vectors", "found by words alone: there are no vectors yet")
	if _, err := meaning.Fill(t.Context(), e.Graph(), embedder, 0, nil); err != nil {
		t.Fatal(err)
	}
	same("by meaning", "")
	got, _, err := queriedFor(t, e, "query", alone)
	if err != nil || !slices.Equal(slices.Sorted(slices.Values(got)), []string{"Diary/d1", "Note/n1", "Note/n2"}) || got[2] != "Note/n2" {
		t.Errorf("by meaning alone: %v, %v", got, err)
	}
	e.Must(t, "mutate", `{"update":"INSERT { ?n :aside \"found\" } WHERE { ?n trails:matches (\"cat toys\" trails:meaning :Note 1) }"}`)
	if got, _, err := queriedFor(t, e, "query", `{"query":"SELECT ?n { ?n :aside \"found\" } ORDER BY ?n"}`); err != nil || len(got) == 0 || got[0] != "Note/n1" {
		t.Errorf("an update by meaning: %v, %v", got, err)
	}
	scores := func() string {
		r, err := e.Do(t, "query", `{"query":"SELECT ?n ?s { (?n ?s) trails:matches (\"cat toys\" :Note) } ORDER BY DESC(?s)"}`)
		if err != nil {
			t.Fatal(err)
		}
		var out struct{ Rows any }
		if err := json.Unmarshal(r.Structured, &out); err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(out.Rows)
	}
	seen := scores()
	rights = &kg.Rights{Types: []rdf.IRI{rdf.IRI(e.Graph().Base() + "Diary")}}
	same("to whom diaries are hidden", "")
	if hidden := scores(); hidden != seen {
		t.Errorf("scores tell of what is hidden: %s, and %s", hidden, seen)
	}
	rights = nil
	endpoint.change(func() { endpoint.broken = true })
	got, warnings, err := queriedFor(t, e, "query", strings.ReplaceAll(query, "cat toys", "cat food"))
	if err != nil || len(got) == 0 || strings.Count(warnings, "found by words alone") != 1 {
		t.Errorf("with a broken endpoint: %v, %q, %v", got, warnings, err)
	}
}

// TestAStoredQuerySearches holds that the text of a search may be a parameter of a stored query.
func TestAStoredQuerySearches(t *testing.T) {
	e := invoketest.New(t, meaningSchema, invoke.Config{})
	e.Must(t, "note.create", `{"id":"n1","title":"one","body":"the kitten sleeps"}`)
	e.Must(t, "trails.meta.query.add", `{"queries": [`+texts(t, "#+ id: told\n#+ params:\n#+   words: {type: string}\nSELECT ?n ?score ?passage { (?n ?score ?passage) trails:matches ($words :Note 5) }")+`]}`)
	got, _, err := queriedFor(t, e, "told", `{"params":{"words":"kitten"}}`)
	if err != nil || !slices.Equal(got, []string{"Note/n1"}) {
		t.Errorf("%v, %v", got, err)
	}
}
