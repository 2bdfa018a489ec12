package lower

import (
	"strconv"
	"strings"

	"trails/sparql"
)

// JoinedTerms is how many columns have the rows of their terms in a statement.
const JoinedTerms = 8

// alone reports that each solution of the block is a row of the statement: then what
// is shown of it may be in the row, too.
func (b *block) alone() bool { return !b.distinct && b.limit == "" }

// selectVars is the whole statement.
func (l *lowerer) selectVars(b *block, vars []sparql.Var, without []bool) string {
	fields := make([]string, len(vars))
	for i, v := range vars {
		fields[i] = b.shown(v) + " AS c" + strconv.Itoa(i+1)
	}
	if len(fields) == 0 {
		fields = []string{"1"}
	}
	if b.alone() {
		rows := b.growing()
		rows.order = b.order
		for i, v := range vars[:min(len(vars), JoinedTerms)] {
			if without[i] {
				v = ""
			}
			fields = append(fields, l.rowOfTerm(v, rows))
		}
		b = rows.grown()
	}
	return b.render(strings.Join(fields, ", "))
}

// shown is a column of the statement. What has no id yet needs none.
func (b *block) shown(v sparql.Var) string {
	c, ok := b.cols.get(v)
	if !ok {
		return "NULL"
	}
	if call, ok := strings.CutPrefix(c.sql, "t_eval("); ok && !b.distinct {
		return "t_show(" + call
	}
	return c.sql
}

// rowOfTerm is kind, value, datatype and lang of a column.
func (l *lowerer) rowOfTerm(v sparql.Var, b *block) string {
	fields := "T.kind, T.value, T.datatype, T.lang"
	if c, ok := b.cols.get(v); ok {
		if t := l.wordsAt(c, b, len(b.from)); t != "" {
			return strings.ReplaceAll(fields, "T", t)
		}
	}
	return "NULL, NULL, NULL, NULL"
}
