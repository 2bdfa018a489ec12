package db

import (
	"context"
	"fmt"
	"runtime"
)

// role says what a connection is for; its pragmas follow from it.
type role uint8

const (
	reading role = iota
	// crowding reads, too, beside as many readers as share the cache.
	crowding
	// past reads the state that an earlier commit left, for one reader.
	past
	writing
)

// Cache sizes in KiB, as negative pragma values. A server's readers share a
// budget, so that its resident memory does not grow with the machine's cores;
// those beyond one per core have little, which SQLite also sorts in.
// Memory-mapped reads are off: each connection's mapping would count again.
const (
	readerCache  = 16 << 10
	readersCache = 48 << 10
	crowdCache   = 2 << 10
	writerCache  = 16 << 10
	bulkCache    = 64 << 10
	// Each of the sorter's threads takes as much as the cache may have, and compares rows
	// that lie all over it: what the processor's own cache holds is sorted sooner.
	sorterCache = 4 << 10
	// indexedCache is for what comes when the indexes of a load are there again: its
	// check, and the index of words.
	indexedCache = 32 << 10
)

// pragmas lists what every connection gets before its first statement.
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
		return append(list, cacheSize(crowdCache)) // and query_only when its tables are made
	case writing:
	}
	return append(list, cacheSize(writerCache))
}

// cachedReaders is how many readers share the cache.
func cachedReaders() int { return max(4, min(8, runtime.GOMAXPROCS(0))) }

func cacheSize(kib int) string { return fmt.Sprintf("PRAGMA cache_size = -%d", kib) }

// connect opens one connection. Waiting for locks is [retry]'s work, which hears
// ctx, so SQLite itself never waits.
func (f *File) connect(ctx context.Context, r role) (*conn, error) {
	raw, temporary, err := openCounted(f.path)
	if err != nil {
		if gone := f.inPlace(); gone != nil {
			return nil, gone
		}
		return nil, asFault(ctx, f.path, "open", err)
	}
	raw.SetBusyTimeout(0)
	c := newConn(raw)
	c.role, c.temporary = r, temporary
	if err := f.inPlace(); err != nil { // SQLite has opened another file by this name
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
