package db_test

import (
	"fmt"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"trails/db"
	"trails/rdf"
	"trails/sparql"
	"trails/sparql/expr"
)

// TestRegexFindsTheTextsThatExpressionsFind draws patterns with their flags and asks
// them of a file.
func TestRegexFindsTheTextsThatExpressionsFind(outer *testing.T) {
	var quads []rdf.Quad
	for i, text := range []string{
		"", "a", "A", "ab", "AB", "aab", "cab", "abc", "a\nb", "b\na", "a\x00", "a\x00b", "\x00ab", "k", "K", "\u212a", "s", "S", "ſ", "ask", "aſ\u212a", "ASK",
		"é", "É", "aéb", "AÉB", "a_b", "a%b", "axb", `a\b`, "77", "a77", "77a", "😀a", "a😀b", "\uFFFD", "a\uFFFDb", "the cask", "THE CA\u212aK", "the\ncask",
	} {
		term := []rdf.Term{rdf.String(text), rdf.LangString{Value: rdf.String(text), Lang: "en"}, rdf.Literal(text, "http://example.org/type"), rdf.IRI("http://example.org/i" + fmt.Sprint(i))}[i%7%4]
		quads = append(quads, q(fmt.Sprintf("s%02d", i), "v", term), q(fmt.Sprintf("t%02d", i), "v", rdf.String(text)))
	}
	r := readerOf(outer, quads)
	literal := `a|b|A|B|k|s|S|é|😀|_|%|7|\\\\|ab|the|cask|\n|\x00|\x{FFFD}`
	pattern := rapid.StringMatching(`(\.\*)?\^?((` + literal + `|\.|\.\*|a\*|\(a\|b\)|\[ab\]|\$|\|){0,4})\$?(\.\*)?`)
	rapid.Check(outer, func(t *rapid.T) {
		x := rapid.SampledFrom([]string{"?x", "STR(?x)"}).Draw(t, "text")
		call := fmt.Sprintf("REGEX(%s, %s, %q)", x, rdf.AppendTerm(nil, rdf.String(pattern.Draw(t, "pattern"))), rapid.StringMatching(`s?m?i?x?q?`).Draw(t, "flags"))
		for _, filter := range []string{call, "!" + call} {
			if diff := gocmp.Diff(filtered(t, quads, filter), found(outer, r, filter)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", filter, diff)
			}
		}
	})
}

// filtered are the subjects whose objects pass a filter, as package expr has it.
func filtered(t *rapid.T, quads []rdf.Quad, filter string) (list []string) {
	query, err := sparql.Parse("SELECT * { ?s ?p ?x FILTER("+filter+") }", sparql.Options{})
	if err != nil {
		t.Fatal(err)
	}
	program := expr.Compile(query.Op.(sparql.Project).Op.(sparql.Filter).Expr)
	for _, q := range quads {
		if yes, err := program.Test(objectOf{q: q}); err == nil && yes {
			list = append(list, rdf.Lexical(q.Subject))
		}
	}
	slices.Sort(list)
	return list
}

// objectOf is an Env whose variables are the object.
type objectOf struct {
	expr.Env
	q rdf.Quad
}

// Value returns the object.
func (e objectOf) Value(sparql.Var) rdf.Term { return e.q.Object }

// found are the same as the file has it.
func found(t *testing.T, r *db.Reader, filter string) (list []string) {
	for _, s := range column(t, r, "SELECT ?s { ?s :v ?x FILTER("+filter+") }") {
		list = append(list, rdf.Lexical(s))
	}
	slices.Sort(list)
	return list
}
