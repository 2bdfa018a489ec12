// Package db is the SQLite file, and the only package with SQL. It stores quads, their history and the provenance of
// each change. It knows no types, schemas or actors; these belong to package kg, its only user.
//
// Read [File] first. A [Reader] is one fixed state of the file; a [Writer] is one transaction that ends in a
// [Commit]. The exported API has terms as rdf.Term; their ids in the file never leave this package.
//
// Several processes on one file are the normal case. Between transactions a process only remembers what does not
// change until a backup is restored: terms with their ids, and facts about a commit. See caches.
package db

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"
	"zombiezen.com/go/sqlite"

	"trails/db/disk"
	"trails/db/lower"
	"trails/db/pager"
	"trails/db/scan"
	"trails/db/stmt"
	"trails/fault"
)

// SQLiteVersion is the version of SQLite that is built in.
const SQLiteVersion = pager.SQLiteVersion

// DefaultReaders is how many readers a file has at once if [Options] do not say it: so many that a few long queries do not
// delay short ones.
const DefaultReaders = 16

// Options change how a file is opened. The zero value is the normal way.
type Options struct {
	// Synchronous is "normal" (the default: an acknowledged commit survives the
	// process) or "full" (it survives a power cut too).
	Synchronous string
	// LockWait bounds the wait for another process's write; 0 means one minute.
	LockWait time.Duration
	// Readers bounds the concurrent readers, of which those of [File.AsOne] count as one; 0 means [DefaultReaders].
	Readers int
	// LongLog is the size of the write-ahead log in bytes from which it is made to start over before the next write;
	// 0 means 64 MiB.
	LongLog int64
	// KeepActivities bounds the stored activities with the outcome ok that made no commit, KeepRefusals those with
	// another outcome. 0 means 100,000 of each.
	KeepActivities, KeepRefusals int64
	// ArtifactQuota bounds the bytes of all artifacts; 0 means 256 MiB.
	ArtifactQuota int64
	// Scans says when queries read whole ranges of an index directly, instead of using SQL.
	Scans Scans
	// ScanFailed is called for each scan that failed because of a bug, with its place; nil means not to.
	ScanFailed func(err error, stack string)
	// Migrates is called before a file of an older format is migrated, which programs that know that format alone cannot
	// open any more; nil means not to.
	Migrates func(from, to int)
	// Pool is the memory that this file shares with others of the process; nil means that this is the only one.
	Pool *Pool
	// Inspect opens a file of the current format even if it has objects that no format has, for reading only: see
	// [File.Foreign].
	Inspect bool
}

// Scans is one of [ScansChosen], the default, [ScansNever] and [ScansAlways].
type Scans = lower.Scans

// When queries scan: where that is estimated to be faster; never; wherever a pattern allows it.
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
		o.Readers = DefaultReaders
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

// Meta is the file's data about itself. It is set at creation.
type Meta struct {
	Base, Name string
	Created    time.Time
	Format     int
}

// File is an open trails file. It is safe for concurrent use, by many readers and one writer at a time; other writers
// wait in order.
type File struct {
	path    string // that of the place
	place   *disk.Place
	opts    Options
	meta    Meta
	foreign []foreign // objects that no format has; if there are any, the file may not be written
	caches  atomic.Pointer[caches]

	write   *semaphore.Weighted // token of the writer
	waiting atomic.Int64        // number of goroutines that wait for the token
	writer  *conn               // connection of the writer, on main or on a branch
	readers *semaphore.Weighted // tokens of readers

	otherWriter *conn // connection for the other of both, see openWriter

	// For the writer: the stage at which the log could not start over, and the time of the last such attempt after a
	// write.
	logInVain  logStage
	logGlanced time.Time

	stuck lockWatch

	failedScans atomic.Int64

	mu      sync.Mutex
	idle    [restricted + 1][]*conn // idle connections of readers, by their roles; the last one is taken first
	sharing int                     // connections of readers that share the memory of page caches, idle or not
	held    *atomic.Int64           // bytes held by running queries, of the pool if there is one
	closed  bool
	commits commitsSeen

	watch struct {
		sync.Mutex
		conn *conn
	}
}

// FailedScans returns how many scans have failed because of a bug since the file was opened. SQL answered instead,
// unless a part of the answer had already been returned.
func (f *File) FailedScans() int64 { return f.failedScans.Load() }

func (f *File) scanFailed(bug *scan.Bug) {
	f.failedScans.Add(1)
	if f.opts.ScanFailed != nil {
		f.opts.ScanFailed(bug, string(bug.Stack))
	}
}

// Open opens the trails file at path. No file is the fault Missing. A file that is foreign, newer, truncated, damaged
// or read-only, has several names or stands beside the log of another file is the fault Unusable, and is not changed.
// An older format is migrated.
func Open(ctx context.Context, path string, opts Options) (*File, error) {
	if opts.Synchronous != "" && opts.Synchronous != "normal" && opts.Synchronous != "full" {
		return nil, fault.New(fault.InvalidArguments, "synchronous %q: give normal or full", opts.Synchronous)
	}
	place, err := disk.Hold(ctx, path)
	if err != nil {
		return nil, err
	}
	f := newFile(place, opts.withDefaults())
	if err := f.start(ctx); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func newFile(place *disk.Place, opts Options) *File {
	f := &File{
		path: place.Path, place: place, opts: opts,
		write: semaphore.NewWeighted(1), readers: semaphore.NewWeighted(int64(opts.Readers)), held: new(atomic.Int64),
	}
	if opts.Pool != nil {
		f.held = &opts.Pool.held
		opts.Pool.files.Add(1)
	}
	f.caches.Store(newCaches(""))
	return f
}

func (f *File) start(ctx context.Context) error {
	format, err := f.place.Format()
	if err != nil {
		return err
	}
	if err := f.place.Writable(); err != nil {
		return err
	}
	if format < disk.Format {
		if err := f.checkForeign(ctx); err != nil {
			return err
		}
		if f.opts.Migrates != nil {
			f.opts.Migrates(format, disk.Format)
		}
		if err := migrate(ctx, f.path, f.opts.LockWait); err != nil {
			return asFault(ctx, f.path, "migrate", err)
		}
	}
	c, err := f.connect(ctx, reading)
	if err != nil {
		return err
	}
	err = stmt.Retry(ctx, f.opts.LockWait, func() error { return f.readMeta(c) })
	if err != nil {
		c.Close()
		return asFault(ctx, f.path, "open", err)
	}
	c.shares, f.sharing = true, 1
	f.idle[reading] = append(f.idle[reading], c)
	return nil
}

// checkForeign refuses a file of an older format with objects that no format has: a migration would run its triggers. Format
// and objects are read as of one moment, since another process may migrate the file meanwhile.
func (f *File) checkForeign(ctx context.Context) error {
	c, err := f.connect(ctx, reading)
	if err != nil {
		return err
	}
	var list []foreign
	err = stmt.Retry(ctx, f.opts.LockWait, func() error {
		if err := c.Exec("BEGIN", nil); err != nil {
			return err
		}
		format, err := c.Int64("PRAGMA user_version")
		if err == nil && format < disk.Format {
			list, err = c.foreign(int(format))
		}
		return errors.Join(err, c.End("ROLLBACK"))
	})
	if err == nil && len(list) > 0 {
		err = foreignFault(f.path, "", list)
	}
	return asFault(ctx, f.path, "open", errors.Join(err, c.Close()))
}

// layout has statements that use every table and every index by name. If they cannot be prepared, the file has lost
// one.
var layout = []string{
	metaRows, termRows, liveRows, histRows, provSums.rows, idempotencySums.rows, commitChain.rows, descriptorChain.rows, tagSums.rows, requestSums.rows,
	"SELECT " + commitColumns,
	"SELECT line, parent, fork, name, head, protected FROM lines",
	"SELECT line, seq, s, p, o, g, op FROM changes",
	artifactColumns, "SELECT content, at, data FROM artifact_chunks",
	"SELECT p FROM live INDEXED BY live_pos",
	"SELECT o FROM live INDEXED BY live_osp",
	"SELECT g FROM live INDEXED BY live_g WHERE g <> 0",
	"SELECT hash FROM terms INDEXED BY terms_hash",
	"SELECT seq FROM prov INDEXED BY prov_reads WHERE commit_seq = 0 AND outcome = 'ok'",
	"SELECT seq FROM requests INDEXED BY requests_pending WHERE state = 'pending'",
	"SELECT seq FROM prov INDEXED BY prov_refusals WHERE commit_seq = 0 AND outcome <> 'ok'",
}

func (f *File) readMeta(c *conn) error {
	format, err := c.Int64("PRAGMA user_version")
	if err != nil {
		return err
	}
	if format > disk.Format {
		return disk.Newer(f.path, int(format))
	}
	if f.foreign, err = c.foreign(disk.Format); err != nil {
		return err
	}
	lost := func(err error) error {
		switch {
		case stmt.ResultCode(err) != sqlite.ResultError:
			return err
		case slices.ContainsFunc(f.foreign, func(o foreign) bool { return o.anew }):
			return foreignFault(f.path, "", f.foreign)
		}
		return stmt.Damage{What: fmt.Sprintf("its tables are not those of format %d", disk.Format), Cause: err}
	}
	meta := map[string]string{}
	err = c.Exec("SELECT key, value FROM meta", func(s *stmt.Stmt) error {
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

// Surroundings returns the current surroundings of the file.
func (f *File) Surroundings() (disk.Surroundings, error) { return disk.SurroundingsOf(f.path) }

// Path returns the file's absolute path, without symbolic links.
func (f *File) Path() string { return f.path }

// Meta returns what the file says of itself.
func (f *File) Meta() Meta { return f.meta }

// Close closes all connections. It waits for readers and the writer, which must be closed by their owners.
func (f *File) Close() error {
	f.mu.Lock()
	if f.closed {
		f.mu.Unlock()
		return nil
	}
	f.closed = true
	f.mu.Unlock()
	if f.opts.Pool != nil {
		defer f.opts.Pool.files.Add(-1)
	}

	// Neither can fail: the context never ends, and no more tokens are requested than exist.
	_ = f.write.Acquire(context.Background(), 1)
	_ = f.readers.Acquire(context.Background(), int64(f.opts.Readers))
	if f.place.Here() != nil {
		f.leaveLog()
	}
	err := f.closeConns()
	f.place.Release()
	if err != nil {
		return asFault(context.Background(), f.path, "close", err)
	}
	return nil
}

// leaveLog is [conn.leaveLog] with a reader's connection or a new one. The caller holds the token for writing.
func (f *File) leaveLog() {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.writer != nil:
		f.writer.leaveLog()
	case len(f.idle[reading]) > 0:
		f.idle[reading][0].leaveLog()
	}
}

// closeConns closes the writer last, so that it makes the final checkpoint.
func (f *File) closeConns() error {
	f.watch.Lock()
	defer f.watch.Unlock()
	conns := append(slices.Concat(f.idle[:]...), f.watch.conn, f.otherWriter, f.writer)
	var first error
	for _, c := range conns {
		if c == nil {
			continue
		}
		if err := c.Close(); err != nil && first == nil {
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

// DataVersion returns a number that changes whenever a process, including this one, commits a write. It is cheap
// enough for every call.
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
	err := stmt.Retry(ctx, f.opts.LockWait, func() (err error) {
		n, err = f.watch.conn.Int64("PRAGMA data_version")
		return err
	})
	return n, asFault(ctx, f.path, "watch", err)
}

var errClosed = fmt.Errorf("the file is closed")
