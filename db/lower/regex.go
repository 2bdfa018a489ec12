package lower

import (
	"fmt"
	"slices"
	"strings"

	"trails/rdf"
	"trails/sparql"
	"trails/sparql/expr"
)

// testRegex is REGEX with a constant pattern. SQL first looks for pieces of text that a match needs. Only texts that
// have them are matched, or none if the pieces decide.
func (l *lowerer) testRegex(e sparql.Call, b *block, s scope) (string, bool) {
	needs := expr.NeedsOf(e)
	folds := slices.ContainsFunc(needs, func(n expr.Needs) bool { return n.Fold })
	if len(needs) == 0 || folds && (len(needs) > 1 || strings.Contains(strings.Join(needs[0].Pieces, ""), "\x00")) {
		return "", false // several LIKE cost more than the match
	}
	text, ok := l.text(e.Args[0], b, s)
	switch {
	case !ok:
		return "", false
	case folds:
		return l.foldedRegex(text, needs[0], e, b, s), true
	}
	tests, decides := make([]string, len(needs)), true
	for i, n := range needs {
		tests[i] = l.has(text, n)
		decides = decides && n.Exact && len(n.Pieces) == 1
	}
	some := "(" + strings.Join(tests, " OR ") + ")"
	if decides {
		return some, true
	}
	return "(" + some + " AND " + l.call("t_ebv", e, b, s) + ")", true
}

// foldedRegex does this regardless of case. LIKE reads texts only up to the first NUL.
func (l *lowerer) foldedRegex(text string, needs expr.Needs, e sparql.Call, b *block, s scope) string {
	like := text + " LIKE " + l.piece(likePattern(needs), false) + ` ESCAPE '\'`
	cut := "instr(" + text + ", char(0)) > 0"
	asked := " AND " + l.call("t_ebv", e, b, s)
	if needs.Exact && !needs.End {
		return "(" + like + " OR " + cut + asked + ")"
	}
	return "((" + like + " OR " + cut + ")" + asked + ")"
}

// has tests the two ends of a text, and the longest piece in between. NULL must not reach the match.
func (l *lowerer) has(text string, needs expr.Needs) string {
	rest := needs.Pieces
	if len(rest) == 1 && needs.Start && needs.End {
		return text + " = " + l.piece(rest[0], false)
	}
	var tests []string
	if needs.Start {
		tests = append(tests, text+" BETWEEN "+l.piece(rest[0], false)+" AND "+l.piece(rest[0], true))
		rest = rest[1:]
	}
	if needs.End {
		last := rest[len(rest)-1]
		p := l.piece(last, false)
		tests = append(tests, fmt.Sprintf("instr(%s, %s) > 0 AND substr(CAST(%[1]s AS BLOB), %[3]d) = CAST(%[2]s AS BLOB)", text, p, -len(last)))
		rest = rest[:len(rest)-1]
	}
	longest := ""
	for _, p := range rest {
		if len(p) > len(longest) {
			longest = p
		}
	}
	if longest != "" {
		tests = append(tests, "instr("+text+", "+l.piece(longest, false)+") > 0")
	}
	return strings.Join(tests, " AND ")
}

func (l *lowerer) piece(p string, high bool) string {
	return l.arg(Arg{Term: rdf.Literal(p, ""), Text: true, High: high})
}

var likeSigns = strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`, string(expr.AnyRune), "_")

func likePattern(needs expr.Needs) string {
	pattern := ""
	for i, p := range needs.Pieces {
		if i > 0 || !needs.Start {
			pattern += "%"
		}
		pattern += likeSigns.Replace(p)
	}
	if !needs.End {
		pattern += "%"
	}
	return pattern
}
