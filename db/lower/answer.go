package lower

import (
	"strconv"
	"strings"

	"trails/sparql"
)

// selectVars writes the whole statement.
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

// program returns the number (from 1) of the scan program whose rows are exactly those of the block; 0 if there is
// none.
func (b *block) program() int {
	if len(b.from) != 1 || len(b.where) != b.from[0].own || b.distinct || b.materialized || len(b.order) > 0 || b.limit != "" && b.limit != allRows {
		return 0
	}
	return b.from[0].program
}

// listing returns the scan program that the whole statement only lists, or nil.
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

// around makes a block whose only table is another block pass on that block's listing.
func (b *block) around(inner *block) *block {
	b.from[0].program = inner.program()
	for _, v := range b.cols.vars {
		c := b.cols.of[v]
		c.listed = inner.cols.of[v].listed
		b.cols.of[v] = c
	}
	return b
}

// shown returns an output column of the statement.
func (b *block) shown(v sparql.Var) string {
	c, ok := b.cols.get(v)
	if !ok {
		return "NULL"
	}
	if c.shown != "" && !b.distinct {
		return c.shown
	}
	return c.sql
}
