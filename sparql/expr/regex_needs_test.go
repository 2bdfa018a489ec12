package expr_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"trails/rdf"
	"trails/sparql"
	"trails/sparql/expr"
)

// TestRegexFindsWhatItsPatternMatches draws patterns in what XPath and RE2 share, and
// texts with pieces of them.
func TestRegexFindsWhatItsPatternMatches(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		letters := rapid.SampledFrom([]string{"a|b", "a|A", "k|K|\u212a", "s|ſ|as", "é|É|a", `\n|a|b`, `\.|7`, `\x00|a|b`, `\x{FFFD}|a`}).Draw(t, "letters")
		pattern := rapid.StringMatching(`(\.\*|\(\.\*\))?\^?((`+letters+`|`+letters+`|`+letters+`|\.|\.\*|\.\*|a\*|b\?|\(a\|b\)|\(ab\)\+|\(\^a\)\+|\(b\$\)\*|(ab){2}|\[ab\]|\[aA\]|\[^a\]|\$|\^){0,4})\$?(\.\*|b\?)?`).Draw(t, "pattern")
		if rapid.Bool().Draw(t, "alternatives") {
			pattern = rapid.StringMatching(`\.\*\(\^?(ab|`+letters+`)\$?\|\^?(ba|`+letters+`)\.\*`).Draw(t, "first") + "|" + pattern + ")"
		}
		texts := rapid.SliceOfN(rapid.StringMatching(`(`+letters+`|ab|AB){0,5}`), 30, 30).Draw(t, "texts")
		flags := rapid.SampledFrom([]string{"", "", "s", "i", "i", "si", "mi", "ix", "q", "qi"}).Draw(t, "flags")
		re, err := regexp.Compile(asRE2(pattern, flags))
		if err != nil {
			t.Skip(err)
		}
		program := expr.Compile(regexCall(pattern, flags))
		for _, text := range texts {
			got, err := program.Test(&textWorld{text: text})
			if want := re.MatchString(text); err != nil || got != want {
				t.Errorf("%q with %q in %q is %v, %v; want %v", pattern, flags, text, got, err, want)
			}
		}
	})
}

// asRE2 says a pattern with flags of XPath without them.
func asRE2(pattern, flags string) string {
	modes := "i"
	switch {
	case strings.Contains(flags, "q"):
		pattern = regexp.QuoteMeta(pattern)
	case strings.Contains(flags, "x"):
		pattern = strings.ReplaceAll(pattern, "\n", "")
		fallthrough
	default:
		modes = "smi"
	}
	for _, mode := range modes {
		if strings.ContainsRune(flags, mode) {
			pattern = fmt.Sprintf("(?%c)", mode) + pattern
		}
	}
	return pattern
}

func regexCall(pattern, flags string) sparql.Call {
	return sparql.Call{Func: "REGEX", Args: []sparql.Expr{
		sparql.VarExpr{Var: "x"}, sparql.TermExpr{Term: rdf.Literal(pattern, "")}, sparql.TermExpr{Term: rdf.Literal(flags, "")},
	}}
}

// textWorld is an Env with one variable.
type textWorld struct {
	world
	text string
}

// Value returns the text.
func (w *textWorld) Value(sparql.Var) rdf.Term { return rdf.Literal(w.text, "") }

func TestNeedsOfPatterns(t *testing.T) {
	piece := func(n expr.Needs, pieces ...string) []expr.Needs {
		n.Pieces = pieces
		return []expr.Needs{n}
	}
	for _, c := range []struct {
		pattern, flags string
		want           []expr.Needs
	}{
		{"abc", "", piece(expr.Needs{Exact: true}, "abc")},
		{"^abc$", "", piece(expr.Needs{Start: true, End: true, Exact: true}, "abc")},
		{"^abc$", "m", piece(expr.Needs{}, "abc")},
		{".*abc(d)?", "", piece(expr.Needs{Exact: true}, "abc")},
		{"^.*abc$", "", piece(expr.Needs{End: true}, "abc")},
		{"^.*abc$", "s", piece(expr.Needs{End: true, Exact: true}, "abc")},
		{"winter.*[0-9]$", "", piece(expr.Needs{}, "winter")},
		{"^the .*castle", "i", piece(expr.Needs{Start: true, Fold: true}, "the ", "ca\uFFFDtle")},
		{"ABC.*1$", "si", piece(expr.Needs{End: true, Fold: true, Exact: true}, "abc", "1")},
		{"[aA]b", "", piece(expr.Needs{Fold: true}, "ab")},
		{"77$", "i", piece(expr.Needs{End: true, Exact: true}, "77")},
		{"a.c", "q", piece(expr.Needs{Exact: true}, "a.c")},
		{"harbo(u?)r|harbe", "", piece(expr.Needs{}, "harb")},
		{"(ab)+c", "", piece(expr.Needs{}, "ab", "c")},
		{"a{100}b", "", piece(expr.Needs{}, strings.Repeat("a", 64))},
		{"a\uFFFDb", "", piece(expr.Needs{}, "a", "b")},
		{".*(^fire|(water.+)|wind$)", "", slices.Concat(
			piece(expr.Needs{Start: true, Exact: true}, "fire"), piece(expr.Needs{}, "water"), piece(expr.Needs{End: true, Exact: true}, "wind"))},
		{"fire|[0-9]+", "", nil},
		{"ab|bc|cd|de|ef|fg|gh|hi|ij", "", nil},
		{"[0-9]+", "", nil},
		{"k", "i", nil},
		{"(", "", nil},
	} {
		if diff := cmp.Diff(c.want, expr.NeedsOf(regexCall(c.pattern, c.flags))); diff != "" {
			t.Errorf("%q with %q (-want +got):\n%s", c.pattern, c.flags, diff)
		}
	}
}
