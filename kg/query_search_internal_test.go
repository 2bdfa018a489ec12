package kg

import (
	"slices"
	"testing"
	"time"

	"trails/auth/policy"
	"trails/sparql/lint"
)

// TestASearchOfAnEmptyAnswerIsMadeOnce takes from the searches of a query what they search in: what explains its answer
// needs nothing but what they found. A misspelt search is no other property.
func TestASearchOfAnEmptyAnswerIsMadeOnce(t *testing.T) {
	g := notesToPlan(t, time.Now)
	s, err := g.Session(policy.Local("ana", "test")).Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for text, want := range map[string]string{
		`SELECT ?n { ?n trails:matches "d" . ?n :size 1 }`:                              "no solution meets all parts of the pattern; there are some without ?n :size 1, or without trails:matches",
		`SELECT ?n { ?n trails:match "A" }`:                                             "neither the schema nor the data has the property trails:match; did you mean trails:matches?",
		`SELECT ?n { ?n trails:matches "A" . ?n :mtaches "A" }`:                         "neither the schema nor the data has the property :mtaches; did you mean trails:matches?",
		`SELECT ?n { VALUES ?w { "A" } ?n trails:matches ?w FILTER(STR(?n) = "none") }`: "no solution meets all parts of the pattern; there are some without STR(?n) = \"none\"",
	} {
		q, err := s.ParseQuery(text, "")
		if err != nil {
			t.Fatal(err)
		}
		a, err := s.Query(t.Context(), q, QueryOptions{})
		if err != nil {
			t.Fatal(err)
		}
		a.searched.reader, a.searched.snapshot = nil, nil
		warnings, err := s.LintQuery(t.Context(), q, QueryOptions{Found: lint.Answer{Empty: true}, Searched: a.Searched()})
		if sentences := lint.Sentences(warnings, false); err != nil || !slices.Contains(sentences, want) {
			t.Errorf("%s\nwarns of %q: %v", text, sentences, err)
		}
	}
}
