package lower

import (
	"strconv"
	"strings"

	"trails/sparql"
)

// selectVars is the whole statement.
func (b *block) selectVars(vars []sparql.Var) string {
	fields := make([]string, len(vars))
	for i, v := range vars {
		fields[i] = b.shown(v) + " AS c" + strconv.Itoa(i+1)
	}
	if len(fields) == 0 {
		fields = []string{"1"}
	}
	return b.render(strings.Join(fields, ", "))
}

// program is the place, counted from 1, of the scan whose rows the block has, all and as they
// come; 0 when it has others.
func (b *block) program() int {
	if len(b.from) != 1 || len(b.where) != b.from[0].own || b.distinct || b.materialized || len(b.order) > 0 || b.limit != "" && b.limit != allRows {
		return 0
	}
	return b.from[0].program
}

// listing is what the whole statement lists, nil when it does more.
func (b *block) listing(vars []sparql.Var) *Listing {
	k := b.program()
	if k == 0 {
		return nil
	}
	out := &Listing{Program: k - 1, Columns: make([]Listed, len(vars))}
	for i, v := range vars {
		c, ok := b.cols.get(v)
		if out.Columns[i] = c.listed; ok && c.listed.Place == 0 {
			return nil
		}
	}
	return out
}

// around says of a block that has another one as its table that it lists what that does.
func (b *block) around(inner *block) *block {
	b.from[0].program = inner.program()
	for _, v := range b.cols.vars {
		c := b.cols.of[v]
		c.listed = inner.cols.of[v].listed
		b.cols.of[v] = c
	}
	return b
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
