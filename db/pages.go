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

// pages reads the pages of the connection's transaction in SQLite's memory, without a copy: those of its snapshot,
// with the changes of an open write. The table sqlite_dbpage does the same with one statement for each page. See
// docs/decisions/0073-pages-in-place.md. It must be released; the end of the transaction releases it as well.
type pages struct {
	conn  *conn
	pager uintptr
	size  int
	reads bool // no write is open
	// pinned are the pinned pages, indexed by handle; 0 is a free handle.
	pinned []uintptr
	free   []int
}

// handles returns the library's own handles of a connection.
func handles(c *sqlite.Conn) (tls *libc.TLS, handle uintptr) {
	fields := reflect.ValueOf(c).Elem()
	return (*libc.TLS)(fields.FieldByName("tls").UnsafePointer()), uintptr(fields.FieldByName("conn").Uint())
}

// pagerGet and pagerUnref are unexported functions of SQLite's pager in the library.
//
//go:linkname pagerGet modernc.org/sqlite/lib._sqlite3PagerGet
func pagerGet(tls *libc.TLS, pager uintptr, number sqlite3.TPgno, page uintptr, flags int32) int32

//go:linkname pagerUnref modernc.org/sqlite/lib._sqlite3PagerUnref
func pagerUnref(tls *libc.TLS, page uintptr)

// pages starts reading pages of the main file.
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

// release unpins all pages; a second call does nothing.
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

// Pin pins a page and returns it.
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

// pin records a page that SQLite has pinned.
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

// Unpin unpins a page.
func (p *pages) Unpin(page scan.Page) {
	pagerUnref(p.conn.tls, p.pinned[page.Handle])
	p.pinned[page.Handle] = 0
	p.free = append(p.free, page.Handle)
}

const rootOf = "SELECT rootpage FROM sqlite_schema WHERE name = ?"

// tree returns the b-tree of an index or a table. The root is cached until the schema cookie in the first page
// changes (https://sqlite.org/fileformat2.html#schema_cookie). What an open write says of it is not cached, because
// it may be rolled back.
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

// roots are the root pages of b-trees, for one version of the schema.
type roots struct {
	schema [4]byte
	of     map[string]uint32
}

// termPages reads rows of the table of terms from their pages. It must be used by one goroutine.
type termPages struct {
	pages *pagesOfTree
	rows  *scan.Rows
	row   rowOfTerm // the row that was read last
}

// rowOfTerm is a dictionary row: id, kind, value, datatype and language. Its texts point into a page, and are valid
// until the next row is read.
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

// read reads the row of a term. whole is false, and nothing is read, if the row has several pages or does not exist,
// because the value is inlined in the id or the term belongs to the query only.
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
