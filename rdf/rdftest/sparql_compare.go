package rdftest

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strings"

	"trails/rdf"
)

// CompareAnswers returns the difference between two answers, or nil. Graphs must be isomorphic. Tables must
// have the same columns in any order and the same rows equally often, in the same order if want is ordered,
// under one mapping of blank nodes. Numbers are equal if datatype and value are.
func CompareAnswers(want, got Answer) error {
	switch {
	case (want.Truth == nil) != (got.Truth == nil), want.IsGraph != got.IsGraph:
		return errors.New("an answer of another form")
	case want.Truth != nil:
		if *want.Truth != *got.Truth {
			return fmt.Errorf("got %t", *got.Truth)
		}
		return nil
	case want.IsGraph:
		if !rdf.Isomorphic(want.Graph, got.Graph) {
			return fmt.Errorf("another graph:\ngot\n%swant\n%s", lines(got.Graph), lines(want.Graph))
		}
		return nil
	}
	return compareTables(want, got)
}

func compareTables(want, got Answer) error {
	columns := make([]int, len(want.Vars))
	for i, v := range want.Vars {
		columns[i] = slices.Index(got.Vars, v)
	}
	if slices.Contains(columns, -1) || len(want.Vars) != len(got.Vars) {
		return fmt.Errorf("got the variables %v, want %v", got.Vars, want.Vars)
	}
	rows := make([][]rdf.Term, len(got.Rows))
	for i, row := range got.Rows {
		for _, c := range columns {
			term := row[c]
			if want.TextOnly {
				term = textOnly(term)
			}
			rows[i] = append(rows[i], term)
		}
	}
	if want.Lax && onceEach(&want.Rows) >= len(rows) {
		onceEach(&rows)
	}
	if len(rows) == len(want.Rows) && (sameRows(want.Rows, rows, want.Ordered) || newMatcher(want, rows).match(0)) {
		return nil
	}
	return fmt.Errorf("another table:\ngot %v\n%swant %v\n%s", want.Vars, table(rows), want.Vars, table(want.Rows))
}

// sameRows reports whether two lists have the same rows with the same labels of blank nodes. Of many rows a matcher
// takes minutes to find that out.
func sameRows(want, got [][]rdf.Term, ordered bool) bool {
	lines := func(rows [][]rdf.Term) []string {
		list := strings.SplitAfter(table(rows), "\n")
		if !ordered {
			slices.Sort(list)
		}
		return list
	}
	return slices.Equal(lines(want), lines(got))
}

// textOnly returns a term as CSV writes it.
func textOnly(t rdf.Term) rdf.Term {
	if _, blank := t.(rdf.BNode); blank {
		return t
	}
	return rdf.Literal(rdf.Lexical(t), "")
}

func table(rows [][]rdf.Term) string {
	var out strings.Builder
	for _, row := range rows {
		for _, term := range row {
			fmt.Fprintf(&out, " %s", rdf.AppendTerm(nil, term))
			if term == nil {
				out.WriteString(" UNDEF")
			}
		}
		out.WriteByte('\n')
	}
	return out.String()
}

// matcher maps rows to rows, and blank nodes to blank nodes, one to one.
type matcher struct {
	want, got   [][]rdf.Term
	ordered     bool
	there, back map[rdf.BNode]rdf.BNode
	taken       []bool
}

func newMatcher(want Answer, rows [][]rdf.Term) *matcher {
	return &matcher{
		want: want.Rows, got: rows, ordered: want.Ordered, taken: make([]bool, len(rows)),
		there: map[rdf.BNode]rdf.BNode{}, back: map[rdf.BNode]rdf.BNode{},
	}
}

// onceEach removes duplicates, and returns the former number of rows.
func onceEach(rows *[][]rdf.Term) int {
	var once [][]rdf.Term
	for _, row := range *rows {
		if !slices.ContainsFunc(once, func(r []rdf.Term) bool { return slices.Equal(r, row) }) {
			once = append(once, row)
		}
	}
	n := len(*rows)
	*rows = once
	return n
}

// match maps the rows of want from i on, and backtracks.
func (m *matcher) match(i int) bool {
	if i == len(m.want) {
		return true
	}
	for j, row := range m.got {
		if m.taken[j] || m.ordered && i != j {
			continue
		}
		there, back := maps.Clone(m.there), maps.Clone(m.back)
		if !m.rowsMatch(m.want[i], row) {
			m.there, m.back = there, back
			continue
		}
		m.taken[j] = true
		if m.match(i + 1) {
			return true
		}
		m.taken[j] = false
		m.there, m.back = there, back
		if !hasBlank(row) {
			return false // other matching rows are equal to this one
		}
	}
	return false
}

func hasBlank(row []rdf.Term) bool {
	return slices.ContainsFunc(row, func(t rdf.Term) bool { _, ok := t.(rdf.BNode); return ok })
}

func (m *matcher) rowsMatch(want, got []rdf.Term) bool {
	for i := range want {
		if !m.termsMatch(want[i], got[i]) {
			return false
		}
	}
	return true
}

func (m *matcher) termsMatch(want, got rdf.Term) bool {
	a, blank := want.(rdf.BNode)
	b, both := got.(rdf.BNode)
	switch {
	case blank != both:
		return false
	case !blank:
		return sameTerm(want, got)
	}
	x, known := m.there[a]
	y, used := m.back[b]
	if known || used {
		return known && used && x == b && y == a
	}
	m.there[a], m.back[b] = b, a
	return true
}

// sameTerm compares language tags without case, and numbers by value.
func sameTerm(want, got rdf.Term) bool {
	if want == got {
		return true
	}
	lang, tagged := rdf.LangOf(want)
	other, both := rdf.LangOf(got)
	if tagged || both {
		return tagged && both && strings.EqualFold(lang, other) && rdf.Lexical(want) == rdf.Lexical(got)
	}
	return rdf.DatatypeOf(want) != "" && rdf.DatatypeOf(want) == rdf.DatatypeOf(got) &&
		sameNumber(rdf.Lexical(want), rdf.Lexical(got), rdf.DatatypeOf(want))
}

// tolerance is the allowed relative difference of floats and quotients.
const tolerance = 1e-12

func sameNumber(want, got string, datatype rdf.IRI) bool {
	a, ok := new(big.Rat).SetString(want)
	b, both := new(big.Rat).SetString(got)
	if !ok || !both {
		return false
	}
	switch datatype {
	case rdf.XSDInteger:
		return a.Cmp(b) == 0
	case rdf.XSDDecimal, rdf.XSDDouble, rdf.XSDFloat:
		x, _ := a.Float64()
		y, _ := b.Float64()
		near := tolerance
		if datatype == rdf.XSDFloat {
			near = 1e-6
		}
		return math.Abs(x-y) <= near*math.Max(math.Abs(x), math.Abs(y))
	}
	return false
}
