package sparql_test

import (
	"strings"
	"testing"

	"trails/fault"
	"trails/rdf"
	"trails/sparql"
	"trails/sparql/expr"
)

// TestAPatternThatCannotBeUsedIsAnErrorOfItsExpression holds that the query is read, and what is said of its pattern,
// its flags and its replacement: the errors FORX0001 to FORX0004 of XPath Functions.
func TestAPatternThatCannotBeUsedIsAnErrorOfItsExpression(t *testing.T) {
	for text, want := range map[string]string{
		// FORX0001
		`REGEX("a", "a", "g")`:                 `REGEX: the flags "g" cannot be used: the flags are s, m, i, x and q, not "g"`,
		`REGEX("a", ?pattern, "I")`:            `the flags "I" cannot be used`,
		`REPLACE("o", "a", "b", "i m")`:        `the flags "i m" cannot be used`,
		`REGEX("a", "a", "iiiiiiiiiiiiiiiii")`: `there are at most 16 flags`,
		`REGEX("a", "a", "smixq")`:             "",
		`REGEX("a", "a", "ii")`:                "",
		`REGEX("a", "a", "")`:                  "",
		`REPLACE("o", "a(", "$", "q")`:         "",
		// FORX0002
		`REGEX('o', '(a)\\1')`:                    `REGEX: the pattern "(a)\\1" cannot be used: the back-reference \1 is not supported`,
		`REPLACE("o", "(", "")`:                   `REPLACE: the pattern "(" cannot be used: missing closing )`,
		`REGEX("a", "a)")`:                        `unexpected )`,
		`REGEX("a", "\\p{IsKlingon}")`:            `"Klingon" is no block of Unicode`,
		`REGEX("a", "\\p{Abc}")`:                  `"Abc" is no general category`,
		`REGEX("a", "[a-[b]c]")`:                  `behind a class that is subtracted only ']' can stand`,
		`REGEX("a", "[z-a]")`:                     `invalid character class range`,
		`REGEX("a", "[]")`:                        `a character class is empty`,
		`REGEX("a", "[a")`:                        `a character class has no end`,
		`REGEX("a", "\\bx")`:                      `\b is no escape of XPath`,
		`REGEX("a", "a\\")`:                       `nothing stands behind the last backslash`,
		`REGEX("a", "*a")`:                        `missing argument to repetition operator`,
		`REGEX("a", "a**")`:                       `invalid nested repetition operator`,
		`REGEX("a", "(?i)a")`:                     `flags are an argument of their own`,
		`REGEX("a", "(?=a)")`:                     `groups begin with ( or (?:`,
		`REGEX("a", "a{2000}")`:                   `a repetition goes to 1,000 at most`,
		`REGEX("a", "a{3,2}")`:                    `in {3,2} the first number is the larger one`,
		`REGEX("o", "a*")`:                        "",
		`REGEX("a", "[a-z-[aeiou]]\\p{IsGreek}")`: "",
		`REGEX("a", "a{2,3}?|b{4}")`:              "",
		`REGEX("a", ?pattern)`:                    "",
		// FORX0003
		`REPLACE("o", "a*", "b")`:      `it matches the empty text, which REPLACE does not allow`,
		`REPLACE("o", "", "b")`:        `the pattern "" cannot be used: it matches the empty text`,
		`REPLACE("o", "^|a", "b")`:     `it matches the empty text`,
		`REPLACE("o", "a?", "b", "i")`: `it matches the empty text`,
		`REPLACE("o", "", "b", "q")`:   `it matches the empty text`,
		`REPLACE("o", "a*b", "b")`:     "",
		// FORX0004
		`REPLACE("o", "a", "$")`:          `REPLACE: the replacement "$" cannot be used: a $ stands before the number of a group alone; the character itself is \$, which a query writes as "\\$"`,
		`REPLACE("o", "a", "5 $ each")`:   `the replacement "5 $ each" cannot be used: a $`,
		`REPLACE("o", "a", "$x")`:         `a $ stands before`,
		`REPLACE("o", "a", "$$")`:         `a $ stands before`,
		`REPLACE(?o, ?pattern, "x$")`:     `a $ stands before`,
		`REPLACE("o", "a", "\\")`:         `the replacement "\\" cannot be used: a \ stands`,
		`REPLACE("o", "a", "C:\\new")`:    `a \ stands before $ or another \ alone`,
		`REPLACE("o", "a", "x\\", "i")`:   `a \ stands`,
		`REPLACE("o", "a", "\\\\\\")`:     `a \ stands`,
		`REPLACE("o", "a", "$0")`:         "",
		`REPLACE("o", "(a)", "$1$2$10")`:  "",
		`REPLACE("o", "a", "\\$\\\\")`:    "",
		`REPLACE("o", "a", "$", "q")`:     "",
		`REPLACE("o", "a", "\\", "iq")`:   "",
		`REPLACE("o", "a", "$", ?flags)`:  "",
		`REPLACE("o", "a", ?replacement)`: "",
	} {
		q, err := sparql.Parse("SELECT (("+text+") AS ?x) { ?s ?p ?o }", sparql.Options{})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		var wrong error
		var constant sparql.Call
		for op := q.Op; op != nil; {
			e, isExtend := op.(sparql.Extend)
			if isExtend {
				constant = e.Expr.(sparql.Call)
				wrong = sparql.WrongPattern(constant)
				break
			}
			op = op.(sparql.Project).Op
		}
		if !strings.Contains(text, "?pattern") && !strings.Contains(text, "?flags") && !strings.Contains(text, "?replacement") {
			if value, err := expr.Compile(constant).Eval(nil); (err == nil) != (wrong == nil) {
				t.Errorf("%s: the value is %v, %v, and %v is said", text, value, err, wrong)
			}
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
