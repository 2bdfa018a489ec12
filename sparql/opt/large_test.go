package opt_test

import (
	"fmt"
	"strings"
	"testing"

	"trails/sparql"
	"trails/sparql/opt"
)

// large are queries of many parts of one kind, each of which a pass might hold against
// all others: what comes first, what is said often, and what more is at the end.
var large = map[string][3]string{
	"optionals":  {"?s ?p ?o . ", " ?s :p% ?o% OPTIONAL { ?s :q% ?x% FILTER(?s = ?x%) }", ""},
	"minus":      {"?s ?p ?o . ", " MINUS { ?s :q% ?x% }", " FILTER(?o > %)"},
	"equalities": {"", " ?s :p% ?o% .", " FILTER(?o% = :x)"},
	"binds":      {"?s ?p ?o . ", " ?s :p% ?o% BIND(?o% + 1 AS ?x%)", ""},
	"unions":     {"{ ?s ?p ?x }", " UNION { ?s :q% ?x }", " FILTER(?x > %)"},
}

// TestLargeQueriesAreNotMuchLargerBehindThePasses: what a pass copies is bounded.
func TestLargeQueriesAreNotMuchLargerBehindThePasses(t *testing.T) {
	for name, texts := range large {
		q, err := sparql.Parse("SELECT * { "+texts[0]+often(texts[1])+often(texts[2])+" }", sparql.Options{Prefixes: prefixes})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		parts := func(op sparql.Op) int { return strings.Count(sparql.Dump(op, nil), "(") }
		if before, after := parts(q.Op), parts(opt.Rewrite(q.Op, q.Vars)); after > 3*before {
			t.Errorf("%s: %d parts became %d", name, before, after)
		}
	}
}

// often says a text with a number again and again, one without once.
func often(text string) string {
	if !strings.Contains(text, "%") {
		return text
	}
	var out strings.Builder
	for i := range 400 {
		out.WriteString(strings.ReplaceAll(text, "%", fmt.Sprint(i)))
	}
	return out.String()
}
