package db

import (
	"zombiezen.com/go/sqlite"

	"trails/db/dictionary"
)

// feed is the content of the virtual tables feed_quads and feed_terms of one connection, which stream rows from Go
// into an INSERT … SELECT.
type feed struct {
	quads []quadIDs
	terms []dictionary.Row
}

func registerFeeds(c *conn) error {
	c.feed = &feed{}
	quads := func() sqlite.VTableCursor { return &feedCursor{rows: len(c.feed.quads), column: c.feed.quadColumn} }
	if err := c.register("feed_quads", "s, p, o, g", module{inRowOrder(1e6), quads}); err != nil {
		return err
	}
	terms := func() sqlite.VTableCursor { return &feedCursor{rows: len(c.feed.terms), column: c.feed.termColumn} }
	return c.register("feed_terms", "id, kind, value, datatype, lang, hash", module{inRowOrder(1e6), terms})
}

func (f *feed) quadColumn(row, column int) sqlite.Value {
	return idValue(f.quads[row][column])
}

func (f *feed) termColumn(row, column int) sqlite.Value {
	t := &f.terms[row]
	switch column {
	case 0:
		return idValue(t.ID)
	case 1:
		return sqlite.IntegerValue(t.Kind)
	case 2:
		return sqlite.TextValue(t.Value)
	case 3:
		if t.Kind == dictionary.KindTyped {
			return idValue(t.Datatype)
		}
	case 4:
		if t.Kind == dictionary.KindLang {
			return sqlite.TextValue(t.Lang)
		}
	case 5:
		return sqlite.IntegerValue(t.Hash)
	}
	return sqlite.Value{} // NULL
}

// feedCursor iterates over the rows that the feed held when it was opened.
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
