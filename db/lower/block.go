package lower

import (
	"maps"
	"slices"
	"strings"

	"trails/sparql"
)

// column is where a variable's id is.
type column struct {
	sql string
	// maybe is set when it can be NULL.
	maybe bool
	// computed is set when it is no column of a table: beside an outer join it would
	// have a value where there is no row.
	computed bool
	// tied is set when the patterns have compared it with the outer solution.
	tied bool
	// node is set when no term is a literal.
	node bool
	// order, when set, is a number in whose order the column's terms are.
	order string
	// listed is where it is in the rows of a scan, when it is there.
	listed Listed
	// domain estimates how many terms its values are among, 0 when unknown; it may be nil.
	domain func() float64
}

// columns are variables with their columns, in the order in which they came.
type columns struct {
	vars []sparql.Var
	of   map[sparql.Var]column
}

func (c *columns) get(v sparql.Var) (column, bool) {
	if c == nil {
		return column{}, false
	}
	col, ok := c.of[v]
	return col, ok
}

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

// item is one table of FROM. An outer one has its condition; others are compared in
// the WHERE clause.
type item struct {
	table string
	left  bool
	on    []string
	// tables is how many tables it counts for in SQLite's limit.
	tables int
	// inline is set when it is the rows of VALUES.
	inline bool
	// sides are the SELECTs when it is nothing but a union of them, all with so many
	// columns; distinct is set when the union has no repeats.
	sides    []string
	width    int
	distinct bool
	// alias is the name of a table of triples or terms, words the column whose row of
	// terms it is.
	alias, words string
	// alone are the conditions of a table of triples, when it comes first, gives one
	// variable a value, another for each row in their order, and needs no other table.
	alone []string
	// sorted is the column in whose order a table of triples gives its rows, or "".
	sorted string
	// program is set when the table has the rows of a scan: its place counted from 1, and own
	// how many conditions of the block say nothing else.
	program, own int
	// fanOut estimates how many of its rows there are for each solution of the tables
	// before it; nil is one.
	fanOut func() float64
}

// block is a SELECT that is being built: FROM and WHERE, and for the modifiers of a
// query also what comes behind. A block is changed only by who made it.
type block struct {
	from  []item
	where []string
	cols  columns

	order        []string
	distinct     bool
	limit        string
	materialized bool
	// grows is set while expressions may join rows of terms.
	grows bool
}

// flat reports that a join may take the block's tables as its own.
func (b *block) flat() bool {
	return !b.distinct && b.limit == "" && !b.materialized
}

func (b *block) tables() (n int) {
	for _, i := range b.from {
		n += max(1, i.tables)
	}
	return n
}

// isBound reports whether the block gives a variable a value in every solution.
func (b *block) isBound(v sparql.Var) bool {
	if b == nil {
		return false
	}
	c, ok := b.cols.get(v)
	return ok && !c.maybe
}

// known is what a join has before an operand: blocks that give values.
type known struct {
	block *block
	more  *known
	// beside is set when more stands beside an OPTIONAL or a MINUS, of whose right side it
	// gives nothing: a solution there counts whatever it is joined with in the end.
	beside bool
}

func (k *known) isBound(v sparql.Var) bool {
	for ; k != nil; k = k.more {
		if k.block.isBound(v) {
			return true
		}
	}
	return false
}

// has reports whether a block gives v a value in some solutions.
func (k *known) has(v sparql.Var) bool {
	for ; k != nil; k = k.more {
		if _, ok := k.block.cols.get(v); ok {
			return true
		}
	}
	return false
}

// giver returns a block with tables that gives v a value in every solution, or nil. No
// other value needs to be looked at.
func (k *known) giver(v sparql.Var) *block {
	for ; k != nil; k = k.more {
		if k.block.isBound(v) && len(k.block.from) > 0 {
			return k.block
		}
		if k.beside {
			return nil
		}
	}
	return nil
}

// source is FROM and WHERE.
func (b *block) source() string {
	var out strings.Builder
	for i, it := range b.from {
		switch {
		case i == 0:
			out.WriteString(" FROM ")
		case it.left:
			out.WriteString(" LEFT JOIN ")
		default:
			out.WriteString(" CROSS JOIN ")
		}
		out.WriteString(it.table)
		if it.left {
			out.WriteString(" ON " + conjunction(it.on))
		}
	}
	if len(b.where) > 0 {
		out.WriteString(" WHERE " + conjunction(b.where))
	}
	return out.String()
}

// exists asks whether the block has a row. SQLite adds up how deep the expressions of
// conditions inside each other are, but not of tables: a condition that has another
// EXISTS stands in one.
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

// maxRow is how many operands stand in a row: each is an expression that is one deeper
// than the one before it, and SQLite has 1,000.
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

// unbound is a column without a value. It has the affinity of an id: SQLite takes the
// sides of a union into the join around it only when all have the same.
const unbound = "CAST(NULL AS INTEGER)"

// fields lists the block's columns under their variables' names.
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

// wrap makes a block with one table: the other block as a subquery.
func (l *lowerer) wrap(b *block) *block {
	if b.limit == "" {
		b.order = nil // no order survives a join
	}
	sql := b.render(l.fields(b, b.cols.vars))
	if b.materialized {
		m := l.alias()
		sql = "WITH " + m + " AS MATERIALIZED (" + sql + ") SELECT * FROM " + m
	}
	return l.derived(sql, &b.cols, b.rows).around(b)
}

// short is the text of a subquery; one that is too long already stands for nothing, so
// that what repeats it does not grow with each level around it.
func (l *lowerer) short(sql string) string {
	if len(sql) <= maxText {
		return sql
	}
	l.fail("the query is too large: its statement has more than %d bytes", maxText)
	return "SELECT 1"
}

// derived is a subquery whose columns have the variables' names, and about how many rows.
func (l *lowerer) derived(sql string, cols *columns, rows func() float64) *block {
	t := l.alias()
	out := &block{from: []item{{table: "(" + l.short(sql) + ") " + t, fanOut: rows}}}
	for _, v := range cols.vars {
		c := cols.of[v]
		out.cols.set(v, column{sql: t + "." + l.name(v), maybe: c.maybe, tied: c.tied, node: c.node, domain: c.domain})
	}
	return out
}

// flatten returns the block, or what stands for it in a join.
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

// allRows is a limit that is none.
const allRows = " LIMIT -1"

// apart is the block as a table of its own, which is read as its rows are asked for:
// SQLite takes no subquery with a limit into the join around it.
func (b *block) apart() *block {
	if b.limit == "" {
		b.limit = allRows
	}
	return b
}
