package db

import (
	"slices"

	"zombiezen.com/go/sqlite"
)

// module is a virtual table: a search is planned by best and read by a cursor. It holds
// nothing itself.
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
		UseConnectAsCreate: true, // under another name too
	})
}

// BestIndex plans a search.
func (m module) BestIndex(in *sqlite.IndexInputs) (*sqlite.IndexOutputs, error) { return m.best(in) }

// Open returns a cursor.
func (m module) Open() (sqlite.VTableCursor, error) { return m.open(), nil }

// Disconnect has nothing to give back.
func (m module) Disconnect() error { return nil }

// Destroy has nothing to give back.
func (m module) Destroy() error { return nil }

// inRowOrder plans every search of a table that is read from its first row to its last.
func inRowOrder(rows int64) func(*sqlite.IndexInputs) (*sqlite.IndexOutputs, error) {
	return func(in *sqlite.IndexInputs) (*sqlite.IndexOutputs, error) {
		none := make([]sqlite.IndexConstraintUsage, len(in.Constraints))
		return &sqlite.IndexOutputs{ConstraintUsage: none, EstimatedCost: float64(rows), EstimatedRows: rows}, nil
	}
}

// constraint is a condition that a search can take, and by how much it divides the rows,
// about.
type constraint struct {
	column  int
	op      sqlite.IndexConstraintOp
	divides float64
}

// takeConstraints plans a search of so many rows with those of the constraints that are
// given. Its number has their bits, and they are handed over in this order.
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
