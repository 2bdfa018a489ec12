package db

import "zombiezen.com/go/sqlite"

// feed is what the virtual tables feed_quads and feed_terms of one connection
// hold. They exist to stream rows from Go into an INSERT … SELECT.
type feed struct {
	quads []quadIDs
	terms []termRow
}

func registerFeeds(c *conn) error {
	c.feed = &feed{}
	if err := register(c, "feed_quads", "CREATE TABLE x (s, p, o, g)", func() *feedCursor {
		return &feedCursor{rows: len(c.feed.quads), column: c.feed.quadColumn}
	}); err != nil {
		return err
	}
	return register(c, "feed_terms", "CREATE TABLE x (id, kind, value, datatype, lang, hash)", func() *feedCursor {
		return &feedCursor{rows: len(c.feed.terms), column: c.feed.termColumn}
	})
}

func register(c *conn, name, declaration string, open func() *feedCursor) error {
	return c.SetModule(name, &sqlite.Module{
		Connect: func(*sqlite.Conn, *sqlite.VTableConnectOptions) (sqlite.VTable, *sqlite.VTableConfig, error) {
			return feedTable{open}, &sqlite.VTableConfig{Declaration: declaration}, nil
		},
	})
}

func (f *feed) quadColumn(row, column int) sqlite.Value {
	return idValue(f.quads[row][column])
}

func (f *feed) termColumn(row, column int) sqlite.Value {
	t := &f.terms[row]
	switch column {
	case 0:
		return idValue(t.id)
	case 1:
		return sqlite.IntegerValue(t.kind)
	case 2:
		return sqlite.TextValue(t.value)
	case 3:
		if t.kind == kindTyped {
			return idValue(t.datatype)
		}
	case 4:
		if t.kind == kindLang {
			return sqlite.TextValue(t.lang)
		}
	case 5:
		return sqlite.IntegerValue(t.hash)
	}
	return sqlite.Value{} // NULL
}

// feedTable is a table that can only be read from its first row to its last.
type feedTable struct{ open func() *feedCursor }

// BestIndex has one plan: all rows, in their order.
func (t feedTable) BestIndex(*sqlite.IndexInputs) (*sqlite.IndexOutputs, error) {
	return &sqlite.IndexOutputs{EstimatedCost: 1e6, EstimatedRows: 1e6}, nil
}

// Open returns a cursor over the rows that the feed holds now.
func (t feedTable) Open() (sqlite.VTableCursor, error) { return t.open(), nil }

// Disconnect has nothing to give back.
func (t feedTable) Disconnect() error { return nil }

// Destroy has nothing to give back.
func (t feedTable) Destroy() error { return nil }

type feedCursor struct {
	row, rows int
	column    func(row, column int) sqlite.Value
}

func (c *feedCursor) Filter(sqlite.IndexID, []sqlite.Value) error { c.row = 0; return nil }
func (c *feedCursor) Next() error                                 { c.row++; return nil }
func (c *feedCursor) EOF() bool                                   { return c.row >= c.rows }
func (c *feedCursor) RowID() (int64, error)                       { return int64(c.row), nil }
func (c *feedCursor) Close() error                                { return nil }
func (c *feedCursor) Column(i int, _ bool) (sqlite.Value, error)  { return c.column(c.row, i), nil }
