//go:build !sqlite_public

package pager

import (
	_ "unsafe" // go:linkname

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// These are all private names of the library that are used, beside these fields of its structures: aDb of sqlite3, pBt of
// Db, pBt of Btree, pPager and pageSize of BtShared, eState, fd, dbSize and pWal of Pager, and pData of PgHdr.

// Private says that private names are used.
const Private = true

// pagerGet and pagerUnref pin and unpin a page. pagerLookup pins one that is in the cache.
//
//go:linkname pagerGet modernc.org/sqlite/lib._sqlite3PagerGet
func pagerGet(tls *libc.TLS, pager uintptr, number sqlite3.TPgno, page uintptr, flags int32) int32

//go:linkname pagerUnref modernc.org/sqlite/lib._sqlite3PagerUnref
func pagerUnref(tls *libc.TLS, page uintptr)

//go:linkname pagerLookup modernc.org/sqlite/lib._sqlite3PagerLookup
func pagerLookup(tls *libc.TLS, pager uintptr, number sqlite3.TPgno) uintptr

// osRead reads a part of a file. walFindFrame finds the frame of the log that has a page as the transaction sees it, 0 if
// the page is in the file.
//
//go:linkname osRead modernc.org/sqlite/lib._sqlite3OsRead
func osRead(tls *libc.TLS, file, to uintptr, bytes int32, from int64) int32

//go:linkname walFindFrame modernc.org/sqlite/lib._sqlite3WalFindFrame
func walFindFrame(tls *libc.TLS, wal uintptr, number sqlite3.TPgno, frame uintptr) int32

// pageCaches is the state that the page caches of all connections share. The library is compiled with
// SQLITE_ENABLE_MEMORY_MANAGEMENT, which makes them one group: a connection that reads much takes the pages of all
// others, and each access to a page takes a lock of the process.
//
//go:linkname pageCaches modernc.org/sqlite/lib._pcache1_g
var pageCaches sqlite3.TPCacheGlobal

// separatePageCaches gives each connection opened from now on its own cache, as SQLite does without that option.
// SQLite must be initialized, and have no connection.
func separatePageCaches() { pageCaches.FseparateCache = 1 }
