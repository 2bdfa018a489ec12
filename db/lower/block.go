package lower

import (
	"maps"
	"slices"
	"strings"

	"trails/db/plan"
	"trails/sparql"
)

// field is a column of a table of FROM, by the alias of the table.
type field struct{ table, name string }

// column returns the field as the column of a variable that is always bound.
func (f field) column() column { return column{sql: f.table + "." + f.name, field: f} }

// column is the SQL expression for the id of a variable.
type column struct {
	sql string
	// field is what sql is, if that is a field.
	field field
	// shown is the call by which an answer shows the value of an expression, "" if that is sql. It gives a text for a
	// computed term without an id.
	shown string
	// maybe means that it can be NULL.
	maybe bool
	// computed means that it is not a column of a table: on the right of an outer join it would have a value even
	// where there is no row.
	computed bool
	// tied means that the patterns have already compared it with the outer solution.
	tied bool
	// node means that it is never a literal.
	node bool
	// order, when set, is a number that sorts like the terms of the column.
	order string
	// listed is its position in the rows of a scan, if it is there.
	listed Listed
	// domain estimates the number of different values, 0 if unknown; it may be nil.
	domain func() float64
}

// columns are variables with their columns, in order of first appearance.
type columns struct {
	vars []sparql.Var
	of   map[sparql.Var]column
}

// columnsFor returns columns with room for n variables.
func columnsFor(n int) columns {
	return columns{vars: make([]sparql.Var, 0, n), of: make(map[sparql.Var]column, n)}
}

// Not inlined, for the size of the binary.
//
//go:noinline
func (c *columns) get(v sparql.Var) (column, bool) {
	if c == nil {
		return column{}, false
	}
	col, ok := c.of[v]
	return col, ok
}

// Not inlined, for the size of the binary.
//
//go:noinline
func (c *columns) set(v sparql.Var, col column) {
	if c.of == nil {
		c.of = map[sparql.Var]column{}
	}
	if _, ok := c.of[v]; !ok {
		c.vars = append(c.vars, v)
	}
	c.of[v] = col
}

func (c *columns) clone() columns {
	return columns{vars: slices.Clone(c.vars), of: maps.Clone(c.of)}
}

// item is one table of FROM: its name or a subquery, the alias by which fields name it, and the order in which its rows
// are found. An outer join has its condition here; other conditions are in WHERE.
type item struct {
	table, alias string
	// hint is how SQLite is asked for the order of its rows, or "".
	hint string
	// triples means that it has the columns of a table of triples.
	triples bool
	left    bool
	on      []string
	// tables is how many tables it counts towards SQLite's limit.
	tables int
	// inline means that it is the rows of VALUES.
	inline bool
	// sides are the SELECTs of a table that is only a union of them, all with the same columns. distinct means that
	// the union has no duplicates.
	sides    []string
	width    int
	distinct bool
	// words is the column whose row of terms it is.
	words string
	// alone are the conditions of a table of triples if it comes first and needs no other table. single means that all
	// its positions but one are constants, so that this one has a different value in each row.
	alone  []string
	single bool
	// sorted is the name of the field by which the rows of a table of triples are sorted, or "".
	sorted string
	// program is the number (from 1) of a scan program, if the table has its rows. own is how many conditions of the
	// block only repeat what the program tests.
	program, own int
	// fanOut estimates the number of its rows for each solution of the tables before it; nil means one.
	fanOut func() float64
	// seen counts the rows of the table for an explanation, and joined those of operators of which it is the last
	// table; both are conditions or "". key is a column of the table for further ones, "" if none will do.
	seen, joined, key string
}

// block is a SELECT that is being built: FROM, WHERE, and the clauses for solution modifiers. A block is only changed
// by the function that made it.
type block struct {
	from  []item
	where []string
	cols  columns

	order        []string
	distinct     bool
	limit        string
	materialized bool
	// grows means that expressions may join rows of terms to the block.
	grows bool
	// node is the operator whose rows the block has, if the plan is explained.
	node *plan.Node
}

// flat reports that a join may merge the tables of the block with its own.
func (b *block) flat() bool {
	return !b.distinct && b.limit == "" && !b.materialized
}

func (b *block) tables() (n int) {
	for _, i := range b.from {
		n += max(1, i.tables)
	}
	return n
}

// isBound reports whether the block binds a variable in every solution.
func (b *block) isBound(v sparql.Var) bool {
	if b == nil {
		return false
	}
	c, ok := b.cols.get(v)
	return ok && !c.maybe
}

// text returns the table as it stands in FROM.
func (it *item) text() string {
	sql := it.table
	if it.alias != "" {
		sql += " " + it.alias
	}
	return sql + it.hint
}

// source returns FROM and WHERE.
func (b *block) source() string {
	var out strings.Builder
	where := b.where
	for i, it := range b.from {
		switch {
		case i == 0:
			out.WriteString(" FROM ")
		case it.left:
			out.WriteString(" LEFT JOIN ")
		default:
			out.WriteString(" CROSS JOIN ")
		}
		out.WriteString(it.text())
		if it.left {
			out.WriteString(" ON " + and(conjunction(it.on), it.seen))
			it.seen = ""
		}
		if counted := and(it.seen, it.joined); counted != "" {
			where = append(where[:len(where):len(where)], counted)
		}
	}
	if len(where) > 0 {
		out.WriteString(" WHERE " + conjunction(where))
	}
	return out.String()
}

// exists returns the condition that the block has a row. SQLite adds up the depth of nested conditions, but not of
// nested tables; so a condition that contains an EXISTS is put into a table.
func (b *block) exists() string {
	sql := b.render("1")
	if slices.ContainsFunc(b.where, func(c string) bool { return strings.Contains(c, "EXISTS (") }) {
		sql = "SELECT 1 FROM (" + sql + ")"
	}
	return "EXISTS (" + sql + ")"
}

func (b *block) render(fields string) string {
	sql := "SELECT "
	if b.distinct {
		sql += "DISTINCT "
	}
	sql += fields + b.source()
	if len(b.order) > 0 {
		sql += " ORDER BY " + strings.Join(b.order, ", ")
	}
	return sql + b.limit
}

// maxRow is how many operands are chained: each one makes the expression one level deeper, and SQLite allows 1,000.
const maxRow = 200

func conjunction(terms []string) string {
	if len(terms) == 0 {
		return "1"
	}
	var rows []string
	for row := range slices.Chunk(terms, maxRow) {
		rows = append(rows, strings.Join(row, " AND "))
	}
	if len(rows) == 1 {
		return rows[0]
	}
	return "(" + strings.Join(rows, ") AND (") + ")"
}

// unbound is a column without a value. It has the type affinity of ids, because SQLite merges the sides of a union
// into the join around it only if the affinities agree.
const unbound = "CAST(NULL AS INTEGER)"

// fields lists the columns of the block under the names of their variables.
func (l *lowerer) fields(b *block, vars []sparql.Var) string {
	if len(vars) == 0 {
		return "1"
	}
	list := make([]string, len(vars))
	for i, v := range vars {
		sql := unbound
		if c, ok := b.cols.get(v); ok {
			sql = c.sql
		}
		list[i] = sql + " AS " + l.name(v)
	}
	return strings.Join(list, ", ")
}

// wrap returns a block whose only table is the other block as a subquery.
func (l *lowerer) wrap(b *block) *block {
	if b.limit == "" {
		b.order = nil // a join does not keep the order
	}
	fields := l.fields(b, b.cols.vars)
	counts := b.node != nil && (b.distinct || b.limit != "" && b.limit != allRows)
	if counts {
		fields += ", 1 AS " + countedColumn
	}
	sql := b.render(fields)
	if b.materialized {
		m := l.alias()
		sql = "WITH " + m + " AS MATERIALIZED (" + sql + ") SELECT * FROM " + m
	}
	out := l.derived(sql, &b.cols, b.rows).around(b)
	out.node = b.node
	if counts {
		out.countDerived()
	}
	return out
}

// short returns the text of a subquery. If the statement is already too long (and will be refused) it returns a short
// one, so that repeated texts do not grow with each level.
func (l *lowerer) short(sql string) string {
	if len(sql) <= maxText {
		return sql
	}
	l.fail("the query is too large: its statement has more than %d bytes", maxText)
	return "SELECT 1"
}

// derived is a subquery whose columns are named after the variables, with the estimated number of rows.
func (l *lowerer) derived(sql string, cols *columns, rows func() float64) *block {
	t := l.alias()
	out := &block{from: []item{{table: "(" + l.short(sql) + ")", alias: t, fanOut: rows}}}
	for _, v := range cols.vars {
		inner, c := cols.of[v], field{t, l.name(v)}.column()
		c.maybe, c.tied, c.node, c.domain = inner.maybe, inner.tied, inner.node, inner.domain
		out.cols.set(v, c)
	}
	return out
}

// flatten returns the block itself if it is flat, or a block with it as a subquery.
func (l *lowerer) flatten(b *block) *block {
	if !b.flat() {
		return l.wrap(b)
	}
	b.order = nil
	return b
}

// narrow makes room for more tables.
func (l *lowerer) narrow(b *block) *block {
	if b.tables() < maxTables {
		return b
	}
	return l.wrap(b.apart())
}

// allRows is a limit above any number of rows.
const allRows = " LIMIT -1"

// apart returns the block as a subquery that is evaluated lazily: SQLite does not merge a subquery with a limit into
// the join around it.
func (b *block) apart() *block {
	if b.limit == "" {
		b.limit = allRows
	}
	return b
}
