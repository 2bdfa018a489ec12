package lower

import (
	"slices"
	"strings"

	"trails/sparql"
)

// The row of the table terms that an id has is joined in once for all expressions of
// a block: a function of Go that has to look for it needs five times as long. Ids
// that are not in the dictionary, since they carry their value or are the query's
// own, have no row: its columns are NULL, and functions are asked by the id.

// words returns the alias of the row of terms of a column, "" when none can be joined.
// It is where the fewest solutions are left.
func (l *lowerer) words(c column, b *block) string {
	place := b.behind(c)
	if b.grows && place > 0 {
		place = b.cheapest(place-1) + 1
	}
	return l.wordsAt(c, b, place)
}

// wordsAt is words for one that stands at a place among the tables.
func (l *lowerer) wordsAt(c column, b *block, place int) string {
	if !b.grows || len(b.from) == 0 || c.computed || strings.ContainsAny(c.sql, "(? ") || b.tables() >= maxTables {
		return ""
	}
	for _, it := range b.from {
		if it.words == c.sql {
			return it.alias
		}
	}
	t := l.alias()
	it := item{table: "terms " + t, left: true, on: []string{t + ".id = " + c.sql}, words: c.sql, alias: t}
	b.from = slices.Insert(b.from, place, it)
	return t
}

// behind is the place behind the table that a column is of: what is asked of the term
// there spares the tables that follow.
func (b *block) behind(c column) int {
	name, _, _ := strings.Cut(c.sql, ".")
	for i, it := range b.from {
		if strings.HasSuffix(it.table, " "+name) || strings.Contains(it.table, " "+name+" ") {
			return i + 1
		}
	}
	return len(b.from)
}

// mark notes that a variable was met as subject (0), predicate (1) or object (2): the first
// two are no literals.
func (b *block) mark(v sparql.Var, position int) {
	if c, ok := b.cols.get(v); ok && position < 2 && !c.maybe {
		c.node = true
		b.cols.set(v, c)
	}
}

// growing is a copy of the block to which the rows of terms may be added.
func (b *block) growing() *block {
	return &block{from: slices.Clone(b.from), where: slices.Clone(b.where), cols: b.cols.clone(), grows: true}
}

// grown ends that.
func (b *block) grown() *block {
	b.grows = false
	return b
}

// fixed is the block without that.
func (b *block) fixed() *block {
	fixed := *b
	fixed.grows = false
	return &fixed
}

// fieldsOfTerm is what a function is given of a term beside its id.
var fieldsOfTerm = []string{"kind", "value", "datatype", "lang"}

// asTerm lists the arguments that are a term, and says how it is passed.
func (l *lowerer) asTerm(c column, b *block) (string, Pass) {
	t := l.words(c, b)
	if t == "" {
		return c.sql, PassID
	}
	args := c.sql
	for _, f := range fieldsOfTerm {
		args += ", " + t + "." + f
	}
	return args, PassTerm
}
