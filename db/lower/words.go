package lower

import (
	"slices"

	"trails/sparql"
)

// The row of the table terms for an id is joined once for all expressions of a block: looking it up from a Go
// function takes five times as long. Ids that are not in the dictionary, because their value is inlined or they
// belong to the query, have no row: its columns are NULL, and functions use the id.

// words returns the alias of the row of terms of a column, "" if none can be joined. It is joined where the fewest
// solutions are left.
func (l *lowerer) words(c column, b *block) string {
	place := b.behind(c)
	if b.grows && place > 0 {
		place = b.cheapest(place-1) + 1
	}
	return l.wordsAt(c, b, place)
}

// wordsAt is words for a given position among the tables.
func (l *lowerer) wordsAt(c column, b *block, place int) string {
	if !b.grows || len(b.from) == 0 || c.computed || c.field.table == "" || b.tables() >= maxTables {
		return ""
	}
	for _, it := range b.from {
		if it.words == c.sql {
			return it.alias
		}
	}
	t := l.alias()
	it := item{table: "terms", alias: t, left: true, on: []string{t + ".id = " + c.sql}, words: c.sql}
	b.from = slices.Insert(b.from, place, it)
	return t
}

// behind returns the position behind the table of a column: tests of the term there save reading the following
// tables.
func (b *block) behind(c column) int {
	if i := slices.IndexFunc(b.from, func(it item) bool { return it.alias == c.field.table }); i >= 0 && c.field.table != "" {
		return i + 1
	}
	return len(b.from)
}

// mark records that a variable was the subject (0), predicate (1) or object (2) of a pattern; the first two are never
// literals.
func (b *block) mark(v sparql.Var, position int) {
	if c, ok := b.cols.get(v); ok && position < 2 && !c.maybe {
		c.node = true
		b.cols.set(v, c)
	}
}

// growing returns a copy of the block to which rows of terms may be added.
func (b *block) growing() *block {
	return &block{from: slices.Clone(b.from), where: slices.Clone(b.where), cols: b.cols.clone(), grows: true, node: b.node}
}

// grown ends growing.
func (b *block) grown() *block {
	b.grows = false
	return b
}

// fixed returns the block to which no rows of terms may be added.
func (b *block) fixed() *block {
	fixed := *b
	fixed.grows = false
	return &fixed
}

// fieldsOfTerm are the columns of a term that a function gets besides its id.
var fieldsOfTerm = []string{"kind", "value", "datatype", "lang"}

// asTerm lists the arguments for a term, and says how it is passed.
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
