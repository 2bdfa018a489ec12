package sparql_test

import (
	"strings"
	"testing"

	"trails/fault"
	"trails/rdf"
	"trails/sparql"
)

// TestAPatternThatCannotBeUsedIsAnErrorOfItsExpression holds that the query is read, and what
// is said of its pattern.
func TestAPatternThatCannotBeUsedIsAnErrorOfItsExpression(t *testing.T) {
	for text, want := range map[string]string{
		`REGEX(?o, '(a)\\1')`:                     `REGEX: the pattern "(a)\\1" cannot be used: the back-reference \1 is not supported`,
		`REPLACE(?o, "(", "")`:                    `REPLACE: the pattern "(" cannot be used: missing closing )`,
		`REGEX("a", "\\p{IsKlingon}")`:            `"Klingon" is no block of Unicode`,
		`REGEX("a", "[a-[b]c]")`:                  `behind a class that is subtracted only ']' can stand`,
		`REGEX("a", "\\bx")`:                      `\b is no escape of XPath`,
		`REGEX("a", "a", "g")`:                    `the flags are s, m, i, x and q, not "g"`,
		`REPLACE(?o, "a*", "b")`:                  `it matches the empty text, which REPLACE does not allow`,
		`REPLACE(?o, "a*b", "b")`:                 "",
		`REGEX(?o, "a*")`:                         "",
		`REGEX("a", "a{2000}")`:                   `a repetition goes to 1,000 at most`,
		`REGEX("a", "[a-z-[aeiou]]\\p{IsGreek}")`: "",
		`REGEX("a", ?pattern)`:                    "",
	} {
		q, err := sparql.Parse("SELECT (("+text+") AS ?x) { ?s ?p ?o }", sparql.Options{})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		var wrong error
		for op := q.Op; op != nil; {
			e, isExtend := op.(sparql.Extend)
			if isExtend {
				wrong = sparql.WrongPattern(e.Expr.(sparql.Call))
				break
			}
			op = op.(sparql.Project).Op
		}
		if want == "" && wrong != nil || want != "" && (wrong == nil || !strings.Contains(wrong.Error(), want)) {
			t.Errorf("%s: got %v, want %s", text, wrong, want)
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
