package db

import (
	"errors"
	"reflect"
	_ "unsafe" // go:linkname

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
	"zombiezen.com/go/sqlite"

	"trails/db/inline"
	"trails/db/scan"
)

// pages reads the pages of the connection's own transaction where SQLite has them, without a
// copy: those of its snapshot, and those that an open write has changed. It is what the table
// sqlite_dbpage does, a statement for each page. See docs/decisions/0073-pages-in-place.md.
// Whoever has asked for it releases it; the end of the transaction does, too.
type pages struct {
	conn  *conn
	pager uintptr
	size  int
	reads bool // no write is open
	// pinned are the pages that are held, by their handles; 0 where a handle is free.
	pinned []uintptr
	free   []int
}

// handles are what the library calls a connection by.
func handles(c *sqlite.Conn) (tls *libc.TLS, handle uintptr) {
	fields := reflect.ValueOf(c).Elem()
	return (*libc.TLS)(fields.FieldByName("tls").UnsafePointer()), uintptr(fields.FieldByName("conn").Uint())
}

// pagerGet and pagerUnref are functions of SQLite's pager that have no name outside of the
// library.
//
//go:linkname pagerGet modernc.org/sqlite/lib._sqlite3PagerGet
func pagerGet(tls *libc.TLS, pager uintptr, number sqlite3.TPgno, page uintptr, flags int32) int32

//go:linkname pagerUnref modernc.org/sqlite/lib._sqlite3PagerUnref
func pagerUnref(tls *libc.TLS, page uintptr)

// pages begins to read the pages of the main file.
func (c *conn) pages() (*pages, error) {
	file := at[sqlite3.TBtShared](at[sqlite3.TBtree](at[sqlite3.TDb](at[sqlite3.Tsqlite3](c.handle).FaDb).FpBt).FpBt)
	state := at[sqlite3.TPager](file.FpPager).FeState
	if state == sqlite3.PAGER_OPEN || state == sqlite3.PAGER_ERROR {
		return nil, errors.New("pages are read outside of a transaction")
	}
	p := &pages{conn: c, pager: file.FpPager, size: int(file.FpageSize), reads: state == sqlite3.PAGER_READER}
	c.reading[p] = struct{}{}
	return p, nil
}

// release gives back all pages that are still held; a second call does nothing.
func (p *pages) release() {
	if p.conn == nil {
		return
	}
	for _, page := range p.pinned {
		if page != 0 {
			pagerUnref(p.conn.tls, page)
		}
	}
	delete(p.conn.reading, p)
	p.conn = nil
}

// Pin is a page.
func (p *pages) Pin(number uint32) (scan.Page, error) {
	const word = 8
	out := p.conn.tls.Alloc(word)
	defer p.conn.tls.Free(word)
	*at[uintptr](out) = 0
	if code := sqlite.ResultCode(pagerGet(p.conn.tls, p.pager, number, out, 0)); code != sqlite.ResultOK {
		if code.ToPrimary() == sqlite.ResultCorrupt {
			return scan.Page{}, scan.ErrPage
		}
		return scan.Page{}, code.ToError()
	}
	return p.pin(*at[uintptr](out)), nil
}

// pin takes a page that SQLite has pinned.
func (p *pages) pin(page uintptr) scan.Page {
	handle := len(p.pinned)
	if n := len(p.free); n > 0 {
		handle, p.free = p.free[n-1], p.free[:n-1]
		p.pinned[handle] = page
	} else {
		p.pinned = append(p.pinned, page)
	}
	return scan.Page{Bytes: libc.GoBytes(at[sqlite3.TPgHdr](page).FpData, p.size), Handle: handle}
}

// Unpin gives a page back.
func (p *pages) Unpin(page scan.Page) {
	pagerUnref(p.conn.tls, p.pinned[page.Handle])
	p.pinned[page.Handle] = 0
	p.free = append(p.free, page.Handle)
}

const rootOf = "SELECT rootpage FROM sqlite_schema WHERE name = ?"

// tree is the b-tree of an index or a table. Where its root is stays known until the schema
// changes, which the first page of the file says (https://sqlite.org/fileformat2.html#schema_cookie);
// what an open write says of it may be taken back.
func (p *pages) tree(name string) (scan.Tree, error) {
	const cookie, end = 40, 44
	first, err := p.Pin(1)
	if err != nil {
		return scan.Tree{}, err
	}
	schema := [end - cookie]byte(first.Bytes[cookie:end])
	p.Unpin(first)
	roots := &p.conn.roots
	if roots.schema != schema || roots.of == nil {
		roots.schema, roots.of = schema, map[string]uint32{}
	}
	root, known := roots.of[name]
	if !known || !p.reads {
		n, err := p.conn.int64(rootOf, name)
		if err != nil {
			return scan.Tree{}, err
		}
		if root = uint32(n); p.reads {
			roots.of[name] = root
		}
	}
	return scan.Tree{Pages: &pagesOfTree{pages: p}, Root: root}, nil
}

// roots are the first pages of trees, as of a schema.
type roots struct {
	schema [4]byte
	of     map[string]uint32
}

// termPages reads rows of the table of terms from their pages. It serves one goroutine.
type termPages struct {
	pages *pagesOfTree
	rows  *scan.Rows
	row   rowOfTerm // that was read last
}

// rowOfTerm is the row of a term: id, kind, value, datatype and language. Its texts are those of
// a page, and good until the next row is read.
type rowOfTerm [5]scan.Value

func (r *rowOfTerm) kind() int64             { return r[1].Int }
func (r *rowOfTerm) value() []byte           { return r[2].Text }
func (r *rowOfTerm) datatype() inline.TermID { return inline.TermID(r[3].Int) }
func (r *rowOfTerm) lang() []byte            { return r[4].Text }

func (p *pages) terms() (*termPages, error) {
	tree, err := p.tree("terms")
	if err != nil {
		return nil, err
	}
	rows, err := scan.NewRows(tree)
	return &termPages{pages: tree.Pages.(*pagesOfTree), rows: rows}, err
}

// read reads the row of a term. It is not whole, and not read, where it has several pages or
// where there is none, because the id carries the value or is one of the query's own.
func (t *termPages) read(id int64) (whole bool, err error) {
	if id <= 0 || id >= localTerms {
		return false, nil
	}
	found, whole, err := t.rows.Row(id, t.row[:])
	if err == nil && !found {
		err = damaged("no term %d", id)
	}
	return whole, err
}
