package db

import (
	"context"
	"fmt"
	"runtime"
	"trails/db/pager"
)

// role is the purpose of a connection, which decides its pragmas.
type role uint8

const (
	reading role = iota
	// crowding is a reader beyond those that share the cache.
	crowding
	// past reads the state of an earlier commit, for one reader.
	past
	writing
)

// Cache sizes in KiB, as negative pragma values. The readers of a server share a budget, so that its memory does not
// grow with the number of cores. Readers beyond one per core have a small cache, in which SQLite also sorts.
// Memory-mapped reads are off: each connection's mapping would count again.
const (
	readerCache  = 16 << 10
	readersCache = 48 << 10
	crowdCache   = 2 << 10
	writerCache  = 16 << 10
	bulkCache    = 64 << 10
	// Each thread of the sorter may use as much memory as the cache, and compares rows from all over it. A sort that
	// fits into the processor's cache is faster.
	sorterCache = 4 << 10
	// indexedCache is the cache size after a load, when its indexes exist again: for the check, and for the index of
	// words.
	indexedCache = 32 << 10
)

// pragmas returns the pragmas that every connection gets before its first statement.
func (f *File) pragmas(r role) []string {
	list := []string{
		"PRAGMA synchronous = " + f.opts.synchronous(),
		"PRAGMA wal_autocheckpoint = 4000",
		"PRAGMA foreign_keys = OFF",
		"PRAGMA trusted_schema = OFF",
		"PRAGMA mmap_size = 0",
		"PRAGMA analysis_limit = 1000",
	}
	switch r {
	case reading:
		cache := min(readerCache, readersCache/min(f.opts.Readers, cachedReaders()))
		return append(list, cacheSize(cache), "PRAGMA query_only = ON")
	case crowding:
		return append(list, cacheSize(crowdCache), "PRAGMA query_only = ON")
	case past:
		return append(list, cacheSize(crowdCache)) // and query_only once its tables exist
	case writing:
	}
	return append(list, cacheSize(writerCache))
}

// cachedReaders returns how many readers share the cache.
func cachedReaders() int { return max(4, min(8, runtime.GOMAXPROCS(0))) }

func cacheSize(kib int) string { return fmt.Sprintf("PRAGMA cache_size = -%d", kib) }

// connect opens a connection. SQLite itself never waits for locks; [retry] does, because it observes ctx.
func (f *File) connect(ctx context.Context, r role) (*conn, error) {
	raw, temporary, err := pager.Open(f.path)
	if err != nil {
		if gone := f.place.Here(); gone != nil {
			return nil, gone
		}
		return nil, asFault(ctx, f.path, "open", err)
	}
	raw.SetBusyTimeout(0)
	c := newConn(raw)
	c.role, c.temporary = r, temporary
	if err := f.place.Here(); err != nil { // SQLite has opened another file by this name
		c.close()
		return nil, err
	}
	err = retry(ctx, f.opts.LockWait, func() error { return c.apply(f.pragmas(r)) })
	if err != nil {
		c.close()
		return nil, asFault(ctx, f.path, "open", err)
	}
	return c, nil
}

func (c *conn) apply(pragmas []string) error {
	for _, p := range pragmas {
		if err := c.once(p); err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
	}
	return nil
}
