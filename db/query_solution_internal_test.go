package db

import (
	"testing"

	"pgregory.net/rapid"

	"trails/sparql/sparqltest"
)

func TestAWrittenTermIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		term := sparqltest.AnyTerm(t)
		if term == nil {
			t.Skip("unbound")
		}
		if got := readTerm(written(term)); got != term {
			t.Errorf("got %v, want %v", got, term)
		}
	})
}
