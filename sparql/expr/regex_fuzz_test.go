package expr_test

import (
	"testing"
	"unicode/utf8"

	"trails/rdf"
	"trails/sparql"
	"trails/sparql/expr"
)

// FuzzRegex: no pattern makes REGEX or REPLACE panic, and what q makes literal
// matches itself.
func FuzzRegex(f *testing.F) {
	for _, pattern := range []string{`^[\w-]+\.\p{Lu}$`, `[^\S\d]`, `a{2,}|(b)\c`, `[a-z-[aeiou]]`, `\`, `[`, `(?:a)`, `\i*?`} {
		f.Add(pattern, "smix", "$1")
	}
	f.Fuzz(func(t *testing.T, pattern, flags, replacement string) {
		text := func(s string) sparql.Expr { return sparql.TermExpr{Term: rdf.Literal(s, "")} }
		args := []sparql.Expr{text("some text"), text(pattern), text(replacement), text(flags)}
		_, _ = expr.Compile(sparql.Call{Func: "REPLACE", Args: args}).Eval(&world{})
		_, _ = expr.Compile(sparql.Call{Func: "REGEX", Args: []sparql.Expr{args[0], args[1], args[3]}}).Eval(&world{})
		if len(pattern) > 1000 || !utf8.ValidString(pattern) {
			return
		}
		found, err := expr.Compile(sparql.Call{Func: "REGEX", Args: []sparql.Expr{text(pattern), text(pattern), text("q")}}).Test(&world{})
		if err != nil || !found {
			t.Errorf("%q does not match itself: %v", pattern, err)
		}
	})
}
