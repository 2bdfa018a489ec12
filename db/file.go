// Package db is the SQLite file and the only room with SQL. It stores quads,
// their history and the provenance of each change; it knows nothing of types,
// schemas or actors, which are the graph's (package kg, its only user).
//
// Read [File] first. A [Reader] is one pinned state of the file; a [Writer] is
// one transaction that ends in a [Commit]. Terms cross the border as rdf.Term;
// the ids that stand for them in the file never leave this package.
//
// Several processes on one file are the normal case. Nothing is remembered from
// one transaction to the next except what does not change until a backup is restored:
// terms with their ids, and what was true of a commit. See caches.
package db

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"
	"zombiezen.com/go/sqlite"

	"trails/db/lower"
	"trails/db/scan"
	"trails/fault"
)

// Options change how a file is opened. The zero value is the normal way.
type Options struct {
	// Synchronous is "normal" (the default: an acknowledged commit survives the
	// process) or "full" (it survives a power cut too).
	Synchronous string
	// LockWait bounds the wait for another process's write; 0 means one minute.
	LockWait time.Duration
	// Readers caps the concurrent readers; 0 means 16, so that a few long queries do
	// not keep short ones waiting.
	Readers int
	// LongLog is the size in bytes from which the write-ahead log is made to start
	// over before the next write; 0 means 64 MiB.
	LongLog int64
	// KeepActivities bounds the recorded reads: activities with the outcome ok that made
	// no commit. KeepRefusals bounds those with another outcome. 0 means 100,000 of each.
	KeepActivities, KeepRefusals int64
	// ArtifactQuota bounds the bytes of the artifacts that are kept; 0 means 256 MiB.
	ArtifactQuota int64
	// Scans says when queries read whole ranges of an index in the place of SQL.
	Scans Scans
	// ScanFailed hears of each scan that failed by a fault of ours, and where; nil means nobody does.
	ScanFailed func(err error, stack string)
	// Inspect opens a file of today's format that has what no format has, too, for reading
	// alone: see [File.Foreign].
	Inspect bool
}

// Scans is one of [ScansChosen], the default, [ScansNever] and [ScansAlways].
type Scans = lower.Scans

// When whole ranges are read: where that is estimated to be faster; never; wherever a
// pattern allows it.
const (
	ScansChosen = lower.ScansChosen
	ScansNever  = lower.ScansNever
	ScansAlways = lower.ScansAlways
)

func (o Options) withDefaults() Options {
	if o.LockWait == 0 {
		o.LockWait = time.Minute
	}
	if o.Readers == 0 {
		o.Readers = 16
	}
	if o.LongLog == 0 {
		o.LongLog = 64 << 20
	}
	if o.KeepActivities == 0 {
		o.KeepActivities = 100_000
	}
	if o.KeepRefusals == 0 {
		o.KeepRefusals = 100_000
	}
	if o.ArtifactQuota == 0 {
		o.ArtifactQuota = 256 << 20
	}
	return o
}

func (o Options) synchronous() string {
	if o.Synchronous == "full" {
		return "FULL"
	}
	return "NORMAL"
}

// Meta is what a file says of itself. It is set when the file is made.
type Meta struct {
	Base, Name string
	Created    time.Time
	Format     int
}

// File is an open trails file. It is safe for concurrent use: many readers and
// one writer at a time, the others waiting in order.
type File struct {
	path    string // with no symbolic link in it
	given   string // the path as the caller has it
	opts    Options
	meta    Meta
	inode   *inode
	foreign []foreign // what no format has; without it the file may be written
	caches  atomic.Pointer[caches]

	write   *semaphore.Weighted // of one: who has it is the writer
	waiting atomic.Int64        // how many want it
	writer  *conn               // of who has it
	readers *semaphore.Weighted // of as many as may be open

	// Of the writer: the stage at which the log did not start over, and when
	// that was tried last after a write.
	logInVain  logStage
	logGlanced time.Time

	stuck lockWatch

	failedScans atomic.Int64

	mu      sync.Mutex
	idle    []*conn      // of readers; the one that is taken first is the last
	open    int          // connections of readers, idle or not
	held    atomic.Int64 // bytes of the queries that run
	closed  bool
	commits commitsSeen

	watch struct {
		sync.Mutex
		conn *conn
	}
}

// FailedScans returns how many scans have failed by a fault of ours since the file was opened. SQL
// answered in their place, unless a part of the answer was out already.
func (f *File) FailedScans() int64 { return f.failedScans.Load() }

func (f *File) scanFailed(bug *scan.Bug) {
	f.failedScans.Add(1)
	if f.opts.ScanFailed != nil {
		f.opts.ScanFailed(bug, string(bug.Stack))
	}
}

// Open opens the trails file at path. The faults are Missing when there is none
// and Unusable when the file is foreign, newer, truncated, damaged, read-only, has
// several names or lies beside the log of another file; such a file is not touched.
// An older format is migrated.
func Open(ctx context.Context, path string, opts Options) (*File, error) {
	if opts.Synchronous != "" && opts.Synchronous != "normal" && opts.Synchronous != "full" {
		return nil, fault.New(fault.InvalidArguments, "synchronous %q: give normal or full", opts.Synchronous)
	}
	given, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open: %w", err)
	}
	path, node, err := holdInode(ctx, given)
	if err != nil {
		return nil, err
	}
	f := newFile(given, path, opts.withDefaults(), node)
	if err := f.start(ctx); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func newFile(given, path string, opts Options, node *inode) *File {
	f := &File{
		path: path, given: given, opts: opts, inode: node,
		write: semaphore.NewWeighted(1), readers: semaphore.NewWeighted(int64(opts.Readers)),
	}
	f.caches.Store(newCaches(""))
	return f
}

func (f *File) start(ctx context.Context) error {
	format, err := checkHeader(f.inode.file, f.path)
	if err != nil {
		return err
	}
	if err := f.writable(); err != nil {
		return err
	}
	if format < Format {
		if err := f.checkForeign(ctx, format); err != nil {
			return err
		}
		if err := migrate(ctx, f.path, f.opts.LockWait); err != nil {
			return asFault(ctx, f.path, "migrate", err)
		}
	}
	c, err := f.connect(ctx, reading)
	if err != nil {
		return err
	}
	err = retry(ctx, f.opts.LockWait, func() error { return f.readMeta(c) })
	if err != nil {
		c.close()
		return asFault(ctx, f.path, "open", err)
	}
	f.idle, f.open = append(f.idle, c), 1
	return nil
}

// checkForeign refuses a file of an older format for what no format has: a migration would run
// its triggers.
func (f *File) checkForeign(ctx context.Context, format int) error {
	c, err := f.connect(ctx, reading)
	if err != nil {
		return err
	}
	var list []foreign
	err = retry(ctx, f.opts.LockWait, func() (err error) {
		list, err = c.foreign(format)
		return err
	})
	if err == nil && len(list) > 0 {
		err = foreignFault(f.path, "", list)
	}
	return asFault(ctx, f.path, "open", errors.Join(err, c.close()))
}

// layout has statements that name every table, and every index that others name: a
// file for which they cannot be prepared has lost one.
var layout = []string{
	metaRows, termRows, liveRows, histRows, provSums.rows, idempotencySums.rows, commitChain.rows, descriptorChain.rows,
	"SELECT " + commitColumns,
	"SELECT line, parent, fork, name, head FROM lines",
	"SELECT line, seq, s, p, o, g, op FROM changes",
	artifactColumns, "SELECT content, at, data FROM artifact_chunks",
	"SELECT p FROM live INDEXED BY live_pos",
	"SELECT o FROM live INDEXED BY live_osp",
	"SELECT g FROM live INDEXED BY live_g WHERE g <> 0",
	"SELECT hash FROM terms INDEXED BY terms_hash",
	"SELECT seq FROM prov INDEXED BY prov_reads WHERE commit_seq = 0 AND outcome = 'ok'",
	"SELECT seq FROM prov INDEXED BY prov_refusals WHERE commit_seq = 0 AND outcome <> 'ok'",
}

func (f *File) readMeta(c *conn) error {
	format, err := c.int64("PRAGMA user_version")
	if err != nil {
		return err
	}
	if format > Format {
		return newerFormat(f.path, int(format))
	}
	if f.foreign, err = c.foreign(Format); err != nil {
		return err
	}
	lost := func(err error) error {
		switch {
		case resultCode(err) != sqlite.ResultError:
			return err
		case slices.ContainsFunc(f.foreign, func(o foreign) bool { return o.anew }):
			return foreignFault(f.path, "", f.foreign)
		}
		return damageError{fmt.Sprintf("its tables are not those of format %d", Format), err}
	}
	meta := map[string]string{}
	err = c.exec("SELECT key, value FROM meta", func(s *stmt) error {
		meta[s.ColumnText(0)] = s.ColumnText(1)
		return nil
	})
	if err != nil {
		return lost(err)
	}
	created, err := time.Parse(time.RFC3339Nano, meta["created"])
	if err != nil {
		return fault.New(fault.Unusable, "%s has no creation time and was not finished; make another with: trails init", fault.Path(f.path))
	}
	f.meta = Meta{Base: meta["base"], Name: meta["name"], Created: created.UTC(), Format: int(format)}
	for _, sql := range layout {
		s, _, err := c.PrepareTransient(sql)
		if err != nil {
			return lost(err)
		}
		if err := s.Finalize(); err != nil {
			return err
		}
	}
	if len(f.foreign) > 0 && !f.opts.Inspect {
		return foreignFault(f.path, f.meta.Base, f.foreign)
	}
	return nil
}

// Path returns the file's absolute path, without symbolic links.
func (f *File) Path() string { return f.path }

// Meta returns what the file says of itself.
func (f *File) Meta() Meta { return f.meta }

// Close closes every connection. Readers and the writer must have been closed;
// Close waits for the writer and for them.
func (f *File) Close() error {
	f.mu.Lock()
	if f.closed {
		f.mu.Unlock()
		return nil
	}
	f.closed = true
	f.mu.Unlock()

	// Neither fails: nothing ends this context, and no one asks for more than there are.
	_ = f.write.Acquire(context.Background(), 1)
	_ = f.readers.Acquire(context.Background(), int64(f.opts.Readers))
	if f.inPlace() != nil {
		f.leaveLog()
	}
	err := f.closeConns()
	f.inode.release()
	if err != nil {
		return asFault(context.Background(), f.path, "close", err)
	}
	return nil
}

// leaveLog is [conn.leaveLog] through any connection there is; the caller holds the token
// for writing.
func (f *File) leaveLog() {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.writer != nil:
		f.writer.leaveLog()
	case len(f.idle) > 0:
		f.idle[0].leaveLog()
	}
}

// closeConns closes the writer last, so that the final checkpoint is its.
func (f *File) closeConns() error {
	f.watch.Lock()
	defer f.watch.Unlock()
	conns := append(f.idle, f.watch.conn, f.writer)
	var first error
	for _, c := range conns {
		if c == nil {
			continue
		}
		if err := c.close(); err != nil && first == nil {
			first = err
		}
	}
	return first
}

func (f *File) isClosed() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.closed
}

// DataVersion returns a number that changes whenever any process, this one
// included, has committed a write. It is cheap enough to ask on every call.
func (f *File) DataVersion(ctx context.Context) (int64, error) {
	f.watch.Lock()
	defer f.watch.Unlock()
	if f.isClosed() {
		return 0, errClosed
	}
	if f.watch.conn == nil {
		c, err := f.connect(ctx, reading)
		if err != nil {
			return 0, err
		}
		f.watch.conn = c
	}
	var n int64
	err := retry(ctx, f.opts.LockWait, func() (err error) {
		n, err = f.watch.conn.int64("PRAGMA data_version")
		return err
	})
	return n, asFault(ctx, f.path, "watch", err)
}

var errClosed = fmt.Errorf("the file is closed")
