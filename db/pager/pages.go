// Package pager is all that reaches into SQLite's private parts: pages of the file where SQLite has them in memory,
// whole blocks of them past its cache, a cache for each connection, a count of the bytes of temporary files, and
// triggers and views that do not run. Another version of the library may break it, and nothing else.
//
// Read [Handle] first, which is a connection by the names that the library itself has for it.
package pager

import (
	"errors"
	"fmt"
	"reflect"
	_ "unsafe" // go:linkname

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
	"zombiezen.com/go/sqlite"

	"trails/db/scan"
)

// SQLiteVersion is the version of SQLite that is built in.
const SQLiteVersion = sqlite3.SQLITE_VERSION

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

// Handle is a connection by the names that the library itself has for it.
type Handle struct {
	tls     *libc.TLS
	db      uintptr
	reading map[*Pages]struct{}
	roots   roots
}

// Of returns the handle of a connection.
func Of(c *sqlite.Conn) *Handle {
	fields := reflect.ValueOf(c).Elem()
	return &Handle{
		tls: (*libc.TLS)(fields.FieldByName("tls").UnsafePointer()), db: uintptr(fields.FieldByName("conn").Uint()),
		reading: map[*Pages]struct{}{},
	}
}

// Disarm disables triggers and views on a connection. No trails file has any, and those that somebody added are never
// run.
func (h *Handle) Disarm() {
	off := libc.NewVaList(int32(0), uintptr(0))
	if off == 0 {
		panic("pager: no memory to turn triggers off")
	}
	defer libc.Xfree(h.tls, off)
	for _, option := range []int32{sqlite3.SQLITE_DBCONFIG_ENABLE_TRIGGER, sqlite3.SQLITE_DBCONFIG_ENABLE_VIEW} {
		if rc := sqlite3.Xsqlite3_db_config(h.tls, h.db, option, off); rc != sqlite3.SQLITE_OK {
			panic(fmt.Sprintf("pager: triggers and views cannot be turned off: %v", sqlite.ResultCode(rc)))
		}
	}
}

// pagerGet and pagerUnref are unexported functions of SQLite's pager in the library.
//
//go:linkname pagerGet modernc.org/sqlite/lib._sqlite3PagerGet
func pagerGet(tls *libc.TLS, pager uintptr, number sqlite3.TPgno, page uintptr, flags int32) int32

//go:linkname pagerUnref modernc.org/sqlite/lib._sqlite3PagerUnref
func pagerUnref(tls *libc.TLS, page uintptr)

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

// Release releases all that is being read.
func (h *Handle) Release() {
	for p := range h.reading {
		p.Release()
	}
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

// Tree returns the b-tree of an index or a table. The root is cached until the schema cookie in the first page
// changes (https://sqlite.org/fileformat2.html#schema_cookie). What an open write says of it is not cached, because
// it may be rolled back.
func (p *Pages) Tree(name string) (scan.Tree, error) {
	const cookie, end = 40, 44
	first, err := p.Pin(1)
	if err != nil {
		return scan.Tree{}, err
	}
	schema := [end - cookie]byte(first.Bytes[cookie:end])
	p.Unpin(first)
	roots := &p.of.roots
	if roots.schema != schema || roots.of == nil {
		roots.schema, roots.of = schema, map[string]uint32{}
	}
	root, known := roots.of[name]
	if !known || !p.reads {
		n, err := p.root(name)
		if err != nil {
			return scan.Tree{}, err
		}
		if root = uint32(n); p.reads {
			roots.of[name] = root
		}
	}
	return scan.Tree{Pages: &TreePages{Pages: p}, Root: root}, nil
}

// roots are the root pages of b-trees, for one version of the schema.
type roots struct {
	schema [4]byte
	of     map[string]uint32
}
