package expr_test

import (
	"regexp"
	"testing"

	"pgregory.net/rapid"

	"trails/kg/rdf"
	"trails/kg/sparql"
	"trails/kg/sparql/expr"
)

// TestRegexFindsWhatItsPatternMatches draws patterns in what XPath and RE2 share.
func TestRegexFindsWhatItsPatternMatches(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pattern := rapid.StringMatching(`\^?(a|b|ab|\(a\|b\)|\(ab\)|a\*|b\?|\(ab\)\+|\.|\[ab\]|é){0,6}\$?`).Draw(t, "pattern")
		text := rapid.StringMatching(`[abé]{0,8}`).Draw(t, "text")
		re, err := regexp.Compile(pattern)
		if err != nil {
			t.Skip(err)
		}
		call := sparql.Call{Func: "REGEX", Args: []sparql.Expr{
			sparql.TermExpr{Term: rdf.Literal(text, "")}, sparql.TermExpr{Term: rdf.Literal(pattern, "")},
		}}
		got, err := expr.Compile(call).Test(nil)
		if want := re.MatchString(text); err != nil || got != want {
			t.Errorf("%q in %q is %v, %v; want %v", pattern, text, got, err, want)
		}
	})
}
