package rdf_test

import (
	"regexp"
	"testing"

	"pgregory.net/rapid"

	"trails/rdf"
)

func TestNumberTypeFollowsTheProductions(t *testing.T) {
	forms := []struct {
		datatype rdf.IRI
		form     *regexp.Regexp
	}{
		{rdf.XSDInteger, regexp.MustCompile(`^[+-]?[0-9]+$`)},
		{rdf.XSDDecimal, regexp.MustCompile(`^[+-]?[0-9]*\.[0-9]+$`)},
		{rdf.XSDDouble, regexp.MustCompile(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)[eE][+-]?[0-9]+$`)},
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[+-]{0,2}[0-9]{0,2}\.?[0-9]{0,2}([eE]?[+-]?[0-9]{0,2})?[x.]?`).Draw(t, "text")
		want := rdf.IRI("")
		for _, f := range forms {
			if f.form.MatchString(text) {
				want = f.datatype
			}
		}
		if got := rdf.NumberType(text); got != want {
			t.Fatalf("%q is %q, want %q", text, got, want)
		}
	})
}
