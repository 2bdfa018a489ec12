package db

import (
	"slices"

	"zombiezen.com/go/sqlite"

	"trails/db/inline"
)

// module is a virtual table. The function best plans a search, and a cursor reads it. The module itself stores
// nothing.
type module struct {
	best func(*sqlite.IndexInputs) (*sqlite.IndexOutputs, error)
	open func() sqlite.VTableCursor
}

// register makes a virtual table with these columns.
func (c *conn) register(name, columns string, m module) error {
	return c.SetModule(name, &sqlite.Module{
		Connect: func(*sqlite.Conn, *sqlite.VTableConnectOptions) (sqlite.VTable, *sqlite.VTableConfig, error) {
			return m, &sqlite.VTableConfig{Declaration: "CREATE TABLE x (" + columns + ")"}, nil
		},
		UseConnectAsCreate: true, // registered under another name too
	})
}

// BestIndex plans a search.
func (m module) BestIndex(in *sqlite.IndexInputs) (*sqlite.IndexOutputs, error) { return m.best(in) }

// Open returns a cursor.
func (m module) Open() (sqlite.VTableCursor, error) { return m.open(), nil }

// Disconnect does nothing.
func (m module) Disconnect() error { return nil }

// Destroy does nothing.
func (m module) Destroy() error { return nil }

// inRowOrder plans a search that reads the whole table from the first row to the last.
func inRowOrder(rows int64) func(*sqlite.IndexInputs) (*sqlite.IndexOutputs, error) {
	return func(in *sqlite.IndexInputs) (*sqlite.IndexOutputs, error) {
		none := make([]sqlite.IndexConstraintUsage, len(in.Constraints))
		return &sqlite.IndexOutputs{ConstraintUsage: none, EstimatedCost: float64(rows), EstimatedRows: rows}, nil
	}
}

// constraint is a condition that a search can use. The estimated number of rows is divided by its factor.
type constraint struct {
	column  int
	op      sqlite.IndexConstraintOp
	divides float64
}

// takeConstraints plans a search that uses the given constraints. The plan's number has a bit for each, and their
// values are passed in this order.
func takeConstraints(in *sqlite.IndexInputs, wanted []constraint, rows float64) (out *sqlite.IndexOutputs, plan int) {
	out = &sqlite.IndexOutputs{ConstraintUsage: make([]sqlite.IndexConstraintUsage, len(in.Constraints))}
	taken := 0
	for bit, want := range wanted {
		i := slices.IndexFunc(in.Constraints, func(c sqlite.IndexConstraint) bool {
			return c.Usable && c.Column == want.column && c.Op == want.op
		})
		if i < 0 {
			continue
		}
		taken++
		out.ConstraintUsage[i] = sqlite.IndexConstraintUsage{ArgvIndex: taken, Omit: true}
		plan |= 1 << bit
		rows /= want.divides
	}
	out.ID, out.EstimatedCost, out.EstimatedRows = sqlite.IndexID{Num: int32(plan)}, rows, int64(rows)
	return out, plan
}

// idValue and idOf convert ids for functions and virtual tables.
func idValue(id inline.TermID) sqlite.Value { return sqlite.IntegerValue(int64(id)) }

func idOf(v sqlite.Value) inline.TermID { return inline.TermID(v.Int64()) }
