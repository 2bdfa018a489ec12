package db

import (
	"context"
	"fmt"
	"runtime"

	"trails/db/scan"
	"trails/db/stmt"
)

// conn is a connection with what readers, queries and the writer attach to it.
type conn struct {
	*stmt.Conn
	role role
	// shares means that it is of a reader and among those that share the memory of page caches.
	shares bool
	// cache is the size of its page cache in KiB.
	cache int
	// questions are the queries that run on this connection; nil before the first.
	questions *questions
	// chain are the lines of history that the state is made of, which a connection for earlier commits or branches shows.
	chain []scan.Bound
	// sight is what the reader of the connection may see; nil is everything.
	sight *sight
	// rights are those of the reader; nil are all.
	rights *Rights
	// feed has the rows that the writer streams into SQLite; nil for readers.
	feed *feed
}

// role is the purpose of a connection, which decides its pragmas.
type role uint8

const (
	reading role = iota
	// past shows an earlier commit, or a branch.
	past
	// restricted shows what a reader has the rights to see, of any commit.
	restricted
	writing
	// branching writes to a branch.
	branching
)

// Cache sizes in KiB, as negative pragma values. The readers of a server share a budget, so that its memory does not
// grow with the number of cores. It is the same for readers of the newest commit, of earlier ones and of branches, and
// for those with rights. Readers beyond one per core have a small cache, in which SQLite also sorts. Memory-mapped reads are off: each connection's mapping would count again.
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
	return append(list, cacheSize(f.cacheOf(r, false)))
}

// leastCache is the cache of a connection, however many files share the memory.
const leastCache = 256

// cacheOf returns the size of a connection's page cache in KiB: its share, if the process has several files open.
func (f *File) cacheOf(r role, shares bool) int {
	cache := crowdCache
	switch {
	case r == writing, r == branching:
		cache = writerCache
	case shares:
		cache = min(readerCache, readersCache/f.cachedReaders())
	}
	return max(leastCache, cache/f.opts.Pool.share())
}

// fit gives a connection the page cache that it has now.
func (f *File) fit(c *conn) error {
	cache := f.cacheOf(c.role, c.shares)
	if cache == c.cache {
		return nil
	}
	c.cache = cache
	return c.Apply([]string{cacheSize(cache)})
}

// cachedReaders returns how many readers share the memory of page caches.
func (f *File) cachedReaders() int { return min(f.opts.Readers, max(4, min(8, runtime.GOMAXPROCS(0)))) }

func cacheSize(kib int) string { return fmt.Sprintf("PRAGMA cache_size = -%d", kib) }

// connect opens a connection.
func (f *File) connect(ctx context.Context, r role) (*conn, error) {
	opened, err := stmt.Open(f.path)
	if err != nil {
		if gone := f.place.Here(); gone != nil {
			return nil, gone
		}
		return nil, asFault(ctx, f.path, "open", err)
	}
	c := &conn{Conn: opened, role: r, cache: f.cacheOf(r, false)}
	if err := f.place.Here(); err != nil { // SQLite has opened another file by this name
		c.Close()
		return nil, err
	}
	err = stmt.Retry(ctx, f.opts.LockWait, func() error { return c.Apply(f.pragmas(r)) })
	if err == nil {
		err = c.name()
	}
	if err != nil {
		c.Close()
		return nil, asFault(ctx, f.path, "open", err)
	}
	return c, nil
}

const readOnly = "PRAGMA query_only = ON"

// name gives the tables the names by which statements use them.
func (c *conn) name() error {
	switch c.role {
	case past, restricted, branching:
		if err := c.showPast(); err != nil || c.role == branching {
			return err
		}
		return c.Apply([]string{readOnly})
	case writing:
		return c.Apply([]string{commitsOfMain})
	case reading:
	}
	return c.Apply([]string{commitsOfMain, readOnly})
}
