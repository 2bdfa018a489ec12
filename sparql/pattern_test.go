package sparql_test

import (
	"strings"
	"testing"

	"trails/fault"
	"trails/rdf"
	"trails/sparql"
)

// TestAPatternThatCannotBeUsedIsAnErrorOfTheQuery holds what is said of constant patterns
// of REGEX and REPLACE, and where.
func TestAPatternThatCannotBeUsedIsAnErrorOfTheQuery(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT * { ?s ?p ?o\nFILTER REGEX(?o, '(a)\\\\1') }":     `line 2, column 8: REGEX: the pattern "(a)\\1" cannot be used: the back-reference \1 is not supported`,
		`SELECT (REPLACE(?o, "(", "") AS ?x) { ?s ?p ?o }`:        `column 9: REPLACE: the pattern "(" cannot be used: missing closing )`,
		`ASK { FILTER REGEX("a", "\\p{IsKlingon}") }`:             `"Klingon" is no block of Unicode`,
		`ASK { FILTER REGEX("a", "[a-[b]c]") }`:                   `behind a class that is subtracted only ']' can stand`,
		`ASK { FILTER REGEX("a", "\\bx") }`:                       `\b is no escape of XPath`,
		`ASK { FILTER REGEX("a", "a", "g") }`:                     `the flags are s, m, i, x and q, not "g"`,
		`ASK { FILTER REGEX("a", "a{2000}") }`:                    `a repetition goes to 1,000 at most`,
		`ASK { FILTER REGEX("a", "[a-z-[aeiou]]\\p{IsGreek}") }`:  "",
		`ASK { FILTER REGEX("a", ?pattern) }`:                     "",
		`ASK { SERVICE <urn:x> { FILTER REGEX("a", "(a)\\1") } }`: "",
	} {
		_, err := sparql.Parse(text, sparql.Options{})
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", text, err)
		case want != "" && (!fault.Is(err, fault.Malformed) || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}

func TestAParameterThatIsNoPatternIsRefused(t *testing.T) {
	q, err := sparql.Parse(`ASK { ?s ?p ?o FILTER REGEX(?o, ?pattern) }`, sparql.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = q.Bind(map[sparql.Var]rdf.Term{"pattern": rdf.Literal(`(a)\1`, "")})
	if !fault.Is(err, fault.InvalidArguments) || !strings.Contains(err.Error(), "back-reference") {
		t.Errorf("got %v", err)
	}
	if _, err = q.Bind(map[sparql.Var]rdf.Term{"pattern": rdf.Literal(`[a-z-[b]]`, "")}); err != nil {
		t.Error(err)
	}
}

func TestALanguageTagHasItsForm(t *testing.T) {
	if _, err := sparql.Parse(`ASK { ?s ?p "x"@en-GB-12345678 }`, sparql.Options{}); err != nil {
		t.Error(err)
	}
	_, err := sparql.Parse("ASK {\n?s ?p \"x\"@en-123456789 }", sparql.Options{})
	if !fault.Is(err, fault.Malformed) || !strings.Contains(err.Error(), "line 2, column 10") || !strings.Contains(err.Error(), "8 characters") {
		t.Errorf("got %v", err)
	}
}
