//go:build !sqlite_public

package pager

import (
	"errors"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
	"zombiezen.com/go/sqlite"

	"trails/db/scan"
)

// Pages reads the pages of the connection's transaction in SQLite's memory, without a copy: those of its snapshot,
// with the changes of an open write. The table sqlite_dbpage does the same with one statement for each page. See
// docs/decisions/0073-pages-in-place.md. It must be released; the end of the transaction releases it as well.
type Pages struct {
	of    *Handle
	root  func(name string) (int64, error)
	pager uintptr
	size  int
	reads bool // no write is open
	// pinned are the pinned pages, indexed by handle; 0 is a free handle.
	pinned []uintptr
	free   []int
}

// Pages starts reading pages of the main file; root returns the root page of an index or a table.
func (h *Handle) Pages(root func(name string) (int64, error)) (*Pages, error) {
	file := at[sqlite3.TBtShared](at[sqlite3.TBtree](at[sqlite3.TDb](at[sqlite3.Tsqlite3](h.db).FaDb).FpBt).FpBt)
	state := at[sqlite3.TPager](file.FpPager).FeState
	if state == sqlite3.PAGER_OPEN || state == sqlite3.PAGER_ERROR {
		return nil, errors.New("pages are read outside of a transaction")
	}
	p := &Pages{of: h, root: root, pager: file.FpPager, size: int(file.FpageSize), reads: state == sqlite3.PAGER_READER}
	h.reading[p] = struct{}{}
	return p, nil
}

// Release unpins all pages; a second call does nothing.
func (p *Pages) Release() {
	if p.of == nil {
		return
	}
	for _, page := range p.pinned {
		if page != 0 {
			pagerUnref(p.of.tls, page)
		}
	}
	delete(p.of.reading, p)
	p.of = nil
}

// Pin pins a page and returns it.
func (p *Pages) Pin(number uint32) (scan.Page, error) {
	const word = 8
	out := p.of.tls.Alloc(word)
	defer p.of.tls.Free(word)
	*at[uintptr](out) = 0
	if code := sqlite.ResultCode(pagerGet(p.of.tls, p.pager, number, out, 0)); code != sqlite.ResultOK {
		if code.ToPrimary() == sqlite.ResultCorrupt {
			return scan.Page{}, scan.ErrPage
		}
		return scan.Page{}, code.ToError()
	}
	return p.pin(*at[uintptr](out)), nil
}

// pin records a page that SQLite has pinned.
func (p *Pages) pin(page uintptr) scan.Page {
	handle := len(p.pinned)
	if n := len(p.free); n > 0 {
		handle, p.free = p.free[n-1], p.free[:n-1]
		p.pinned[handle] = page
	} else {
		p.pinned = append(p.pinned, page)
	}
	return scan.Page{Bytes: libc.GoBytes(at[sqlite3.TPgHdr](page).FpData, p.size), Handle: handle}
}

// Unpin unpins a page.
func (p *Pages) Unpin(page scan.Page) {
	pagerUnref(p.of.tls, p.pinned[page.Handle])
	p.pinned[page.Handle] = 0
	p.free = append(p.free, page.Handle)
}
