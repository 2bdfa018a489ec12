//go:build sqlite_public

package pager

import (
	"errors"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
	"zombiezen.com/go/sqlite"

	"trails/db/scan"
)

// Private says that private names are used.
const Private = false

// Pages reads the pages of the connection's transaction by the table sqlite_dbpage: those of its snapshot, with the changes
// of an open write. It must be released; the end of the transaction releases it as well.
type Pages struct {
	of    *Handle
	root  func(name string) (int64, error)
	read  *sqlite.Stmt
	reads bool // no write is open
}

const readPage = "SELECT data FROM sqlite_dbpage('main') WHERE pgno = ?"

// Pages starts reading pages of the main file; root returns the root page of an index or a table.
func (h *Handle) Pages(root func(name string) (int64, error)) (*Pages, error) {
	main, err := libc.CString("main")
	if err != nil {
		return nil, err
	}
	defer libc.Xfree(h.tls, main)
	state := sqlite3.Xsqlite3_txn_state(h.tls, h.db, main)
	if state == sqlite3.SQLITE_TXN_NONE {
		return nil, errors.New("pages are read outside of a transaction")
	}
	read, _, err := h.conn.PrepareTransient(readPage)
	if err != nil {
		return nil, err
	}
	p := &Pages{of: h, root: root, read: read, reads: state == sqlite3.SQLITE_TXN_READ}
	h.reading[p] = struct{}{}
	return p, nil
}

// Release ends the reading; a second call does nothing.
func (p *Pages) Release() {
	if p.of == nil {
		return
	}
	_ = p.read.Finalize() // its error is that of the last page, which the caller has seen
	delete(p.of.reading, p)
	p.of = nil
}

// Pin returns a copy of a page.
func (p *Pages) Pin(number uint32) (scan.Page, error) {
	p.read.BindInt64(1, int64(number))
	more, err := p.read.Step()
	var page scan.Page
	switch {
	case sqlite.ErrCode(err).ToPrimary() == sqlite.ResultCorrupt:
		err = scan.ErrPage
	case err == nil && !more:
		err = scan.ErrPage // there is no such page
	case err == nil:
		page.Bytes = make([]byte, p.read.ColumnLen(0))
		p.read.ColumnBytes(0, page.Bytes)
	}
	if reset := p.read.Reset(); err == nil {
		err = reset
	}
	return page, err
}

// Unpin does nothing.
func (p *Pages) Unpin(scan.Page) {}

// TreePages reads the pages of one tree.
type TreePages struct {
	*Pages
	pins int // number of pages so far
}

// Pin returns a copy of a page.
func (t *TreePages) Pin(number uint32) (scan.Page, error) {
	t.pins++
	return t.Pages.Pin(number)
}

// Pins returns how often a page was read so far.
func (t *TreePages) Pins() int { return t.pins }

// separatePageCaches does nothing: the caches are one group.
func separatePageCaches() {}
