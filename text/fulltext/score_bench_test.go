package fulltext_test

import (
	"strings"
	"testing"

	"trails/text/fulltext"
)

// BenchmarkScore rates a text of some 2,000 words, of which few are asked for, by a query whose last word is open.
func BenchmarkScore(b *testing.B) {
	text := strings.Repeat("Melanie said that she had painted a lake at sunrise, and Caroline told her on 8 May, 2023 how the support group went. ", 90)
	q, err := fulltext.Parse("When did Caroline go to the support group for pottery")
	if err != nil {
		b.Fatal(err)
	}
	var goals []fulltext.Goal
	for _, t := range q.Terms {
		goals = append(goals, fulltext.Goal{Term: t, Ways: [][][]string{{{t.Parts[0], t.Parts[0] + "s"}}}, Weight: 1})
	}
	s := fulltext.NewScorer(q, goals)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if s.Of(text).Words == 0 {
			b.Fatal("no words")
		}
	}
}
