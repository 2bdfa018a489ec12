// Package leaf is the tables of statements: their names, the b-trees in which they lie, and the SQL that reads and
// changes them. The table live has the statements of main's newest commit; hist has those that were there before, and
// those of branches. Who reads statements asks here, by SQL or by the b-tree of an order.
//
// Read [Order] first.
package leaf

import "fmt"

// Order is an order in which statements lie, by the first letters of its columns.
type Order uint8

const (
	// Any leaves the choice to SQLite.
	Any Order = iota
	// SPO is the order of the table itself. It is asked for by the name of the index: NOT INDEXED would not keep SQLite
	// from weighing the others, which is a third of compiling a chain.
	SPO
	// POS has the statements of a predicate together.
	POS
	// OSP has those of an object together.
	OSP
	// GPOS has the statements of named graphs only.
	GPOS
)

// The columns of a statement, by their numbers.
const (
	colS = iota
	colP
	colO
	colG
	colAdded
)

const columnNames = "spog"

// order is what there is of an order: its name for people, how SQL asks for it, the b-trees of present and of retired
// statements, and its columns.
type order struct {
	name, hint, present, retired string
	columns                      [4]int
}

var orders = [...]order{
	SPO:  {"SPO", " INDEXED BY sqlite_autoindex_live_1", "live", "hist", [4]int{colS, colP, colO, colG}},
	POS:  {"POS", " INDEXED BY live_pos", "live_pos", "hist_pos", [4]int{colP, colO, colS, colG}},
	OSP:  {"OSP", " INDEXED BY live_osp", "live_osp", "hist_osp", [4]int{colO, colS, colP, colG}},
	GPOS: {"GPOS", " INDEXED BY live_g", "live_g", "hist_g", [4]int{colG, colP, colO, colS}},
}

// Trees are all orders that have a b-tree of their own; the first is that of the table.
var Trees = [...]Order{SPO, POS, OSP, GPOS}

// String returns the name for people, such as POS.
func (o Order) String() string { return orders[o].name }

// Present is the name of the b-tree of present statements: live or one of its indexes. Its rows have the columns of
// the order, and the commit that added the statement.
func (o Order) Present() string { return orders[o].present }

// Retired is the name of the b-tree of retired statements in the same order.
func (o Order) Retired() string { return orders[o].retired }

// Columns are the numbers of the columns in the order: 0 to 3 for s, p, o and g.
func (o Order) Columns() [4]int { return orders[o].columns }

// First is the name of the first column.
func (o Order) First() string { return columnNames[orders[o].columns[0]:][:1] }

// Fields are the columns of a row of the b-tree, as they stand in SELECT.
func (o Order) Fields() (list string) {
	for _, column := range orders[o].columns {
		list += columnNames[column:column+1] + ", "
	}
	return list + "added"
}

// Table is the name of the present statements in SQL. On a connection that shows an earlier commit or a branch, it is
// that of a virtual table with the statements that were present there.
const Table = "live"

// Hint asks SQLite for the order, behind the table and its alias; a virtual table takes none.
func (o Order) Hint() string { return orders[o].hint }

// SQL is a statement that reads the present ones. For main's newest commit it names the index of each table, so that
// statistics cannot lead SQLite's planner to another; for views it names none.
type SQL struct{ newest, view string }

// Text returns the statement for a connection that shows the newest commit, or views.
func (s SQL) Text(ofViews bool) string {
	if ofViews {
		return s.view
	}
	return s.newest
}

// Within returns the statement as a part of another one.
func (s SQL) Within(before, after string) SQL {
	return SQL{before + s.newest + after, before + s.view + after}
}

// from is the table in an order, under an alias that may be "".
type from struct {
	alias string
	by    Order
}

func (f from) text(hint string) string {
	if f.alias != "" {
		return Table + " " + f.alias + hint
	}
	return Table + hint
}

// sql makes a statement in which tables stand for %s.
func sql(statement string, tables ...from) SQL {
	newest, view := make([]any, len(tables)), make([]any, len(tables))
	for i, t := range tables {
		newest[i], view[i] = t.text(t.by.Hint()), t.text("")
	}
	return SQL{fmt.Sprintf(statement, newest...), fmt.Sprintf(statement, view...)}
}
