package db

import (
	_ "unsafe" // go:linkname

	sqlite3 "modernc.org/sqlite/lib"
)

// pageCaches is what the page caches of all connections have in common. The library is
// compiled with SQLITE_ENABLE_MEMORY_MANAGEMENT, by which they are one group: whoever reads
// much takes the pages of all others for good, which then keep none, and each page that is
// asked for takes a lock of the process.
//
//go:linkname pageCaches modernc.org/sqlite/lib._pcache1_g
var pageCaches sqlite3.TPCacheGlobal

// separatePageCaches gives each connection that is opened from now on a cache of its own, as
// SQLite has it without that option. SQLite is initialized already, and has no connection.
func separatePageCaches() { pageCaches.FseparateCache = 1 }
