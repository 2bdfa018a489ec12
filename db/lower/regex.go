package lower

import (
	"fmt"
	"strings"

	"trails/kg/rdf"
	"trails/kg/sparql"
	"trails/kg/sparql/expr"
)

// testRegex is REGEX with a constant pattern. SQL looks for what a text needs to match,
// and only those that have it are asked about, or none when that decides.
func (l *lowerer) testRegex(e sparql.Call, b *block, s scope) (string, bool) {
	needs, ok := expr.NeedsOf(e)
	if !ok {
		return "", false
	}
	text, ok := l.text(e.Args[0], b, s)
	switch {
	case !ok:
		return "", false
	case needs.Fold && strings.Contains(strings.Join(needs.Pieces, ""), "\x00"):
		return "", false
	case needs.Fold:
		return l.foldedRegex(text, needs, e, b, s), true
	}
	sql := l.has(text, needs)
	if needs.Exact && len(needs.Pieces) == 1 {
		return "(" + sql + ")", true
	}
	return "(" + sql + " AND " + l.call("t_ebv", e, b, s) + ")", true
}

// has tests the ends of a text, and the longest piece between. The end of a text
// without one is NULL, which is not to be asked.
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

// foldedRegex looks for capitals and small letters alike. LIKE reads texts up to the
// first NUL.
func (l *lowerer) foldedRegex(text string, needs expr.Needs, e sparql.Call, b *block, s scope) string {
	like := text + " LIKE " + l.piece(likePattern(needs), false) + ` ESCAPE '\'`
	cut := "instr(" + text + ", char(0)) > 0"
	asked := " AND " + l.call("t_ebv", e, b, s)
	if needs.Exact && !needs.End {
		return "(" + like + " OR " + cut + asked + ")"
	}
	return "((" + like + " OR " + cut + ")" + asked + ")"
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
