// Package pager is all that reaches into SQLite's private parts: pages of the file where SQLite has them in memory,
// whole blocks of them past its cache, a cache for each connection, a count of the bytes of temporary files, and
// triggers and views that do not run. Another version of the library may break it, and nothing else.
//
// private.go lists each private name that is used. With the build tag sqlite_public none is: pages are read by the table
// sqlite_dbpage, some ten times as slowly, and connections share one group of page caches. So a version that breaks this
// package can be used on the day it comes. The file system of temporary files is SQLite's public interface.
//
// Read [Handle] first, which is a connection by the names that the library itself has for it.
package pager

import (
	"fmt"
	"reflect"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
	"zombiezen.com/go/sqlite"

	"trails/db/scan"
)

// SQLiteVersion is the version of SQLite that is built in.
const SQLiteVersion = sqlite3.SQLITE_VERSION

// On linux/arm64 SQLite must know the size of a page of memory. The driver of modernc.org/sqlite for database/sql does
// this when it is imported, and zombiezen.com/go/sqlite does not.
func init() { sqlite3.PatchIssue199() }

// Handle is a connection by the names that the library itself has for it.
type Handle struct {
	conn    *sqlite.Conn
	tls     *libc.TLS
	db      uintptr
	reading map[*Pages]struct{}
	roots   roots
	// pause is what SQLite calls; the translated SQLite alone does not keep it alive.
	pause func(*libc.TLS, uintptr) int32
}

// Of returns the handle of a connection.
func Of(c *sqlite.Conn) *Handle {
	fields := reflect.ValueOf(c).Elem()
	return &Handle{
		conn: c, tls: (*libc.TLS)(fields.FieldByName("tls").UnsafePointer()), db: uintptr(fields.FieldByName("conn").Uint()),
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

// Release releases all that is being read.
func (h *Handle) Release() {
	for p := range h.reading {
		p.Release()
	}
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
