package pager

import (
	_ "unsafe" // go:linkname

	sqlite3 "modernc.org/sqlite/lib"
)

// pageCaches is the state that the page caches of all connections share. The library is compiled with
// SQLITE_ENABLE_MEMORY_MANAGEMENT, which makes them one group: a connection that reads much takes the pages of all
// others, and each access to a page takes a lock of the process.
//
//go:linkname pageCaches modernc.org/sqlite/lib._pcache1_g
var pageCaches sqlite3.TPCacheGlobal

// separatePageCaches gives each connection opened from now on its own cache, as SQLite does without that option.
// SQLite must be initialized, and have no connection.
func separatePageCaches() { pageCaches.FseparateCache = 1 }
