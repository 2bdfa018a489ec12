package db

import (
	"cmp"
	"errors"
	"sync"
	"sync/atomic"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
	"zombiezen.com/go/sqlite"

	"trails/kg/fault"
)

// DefaultQueryTemporary is the bound on a query's temporary files when [Limits] has none.
const DefaultQueryTemporary = 1 << 30

// sharedTemporary is what the queries of the process may have in temporary files together.
const sharedTemporary = 4 << 30

// temporary counts the bytes of the temporary files of one connection. SQLite has no
// bound on them, but lets us stand between it and the system: see [temporaryFiles].
type temporary struct {
	tls     *libc.TLS
	bytes   atomic.Int64
	limit   atomic.Int64 // 0 is none
	refused atomic.Int32 // why a write was, since the limit was set
}

// Why a write is refused.
const (
	notRefused int32 = iota
	ownLimit
	sharedLimit
)

// allTemporary is what all connections have together.
var allTemporary atomic.Int64

// limited sets the limit for a query until its end is called; of queries inside each
// other the first one's is good for all.
func (t *temporary) limited(l Limits) (end func()) {
	if !t.limit.CompareAndSwap(0, cmp.Or(l.Temporary, DefaultQueryTemporary)) {
		return func() {}
	}
	t.refused.Store(notRefused)
	return func() { t.limit.Store(0) }
}

// fault says what a query that was refused a write can do; otherwise it returns err.
func (t *temporary) fault(err error) error {
	why := t.refused.Load()
	switch {
	case err == nil || why == notRefused:
		return err
	case why == sharedLimit:
		return fault.New(fault.Exhausted, "the queries that run now need more than %d bytes of temporary files together; try again later", int64(sharedTemporary))
	}
	return fault.New(fault.TooLarge, "the query needs more than %d bytes of temporary files to sort or group its solutions; restrict it", t.limit.Load())
}

// grow reports whether a file may grow. One whose connection is gone may.
func (t *temporary) grow(bytes int64) bool {
	if t == nil {
		t.add(bytes)
		return true
	}
	switch limit := t.limit.Load(); {
	case limit == 0:
	case t.bytes.Load()+bytes > limit:
		t.refused.Store(ownLimit)
		return false
	case allTemporary.Load()+bytes > sharedTemporary:
		t.refused.Store(sharedLimit)
		return false
	}
	t.add(bytes)
	return true
}

func (t *temporary) add(bytes int64) {
	if t != nil {
		t.bytes.Add(bytes)
	}
	allTemporary.Add(bytes)
}

// temporaryFiles is the file system of SQLite with one difference: what is written to
// temporary files is counted, and refused past the limit of the connection that opened
// them. The translated SQLite calls plain functions, so there is one for the process. A
// connection is known by the thread that its calls carry when it opens a file: a sorter
// with threads of its own, that of a load, writes with others.
var temporaryFiles struct {
	opening sync.Mutex // held while a connection opens its database
	once    sync.Once
	failed  error
	base    uintptr // the file system of the system
	open    openFunc
	extra   uintptr // where our part of a file begins

	mu      sync.Mutex
	last    *libc.TLS              // of the connection that is new
	of      map[uintptr]*temporary // by the connection's thread
	methods map[uintptr]uintptr    // ours, by those of the system
}

// ours is what follows the system's part of an open file.
type ours struct {
	methods uintptr // the system's
	owner   uintptr // the thread of the connection that opened it
	size    int64
}

// The functions of a file system and of a file that are replaced.
type (
	openFunc     = func(tls *libc.TLS, vfs, name, file uintptr, flags int32, out uintptr) int32
	closeFunc    = func(tls *libc.TLS, file uintptr) int32
	writeFunc    = func(tls *libc.TLS, file, from uintptr, n int32, offset int64) int32
	truncateFunc = func(tls *libc.TLS, file uintptr, size int64) int32
)

// openCounted opens a database whose temporary files are counted.
func openCounted(path string) (*sqlite.Conn, *temporary, error) {
	f := &temporaryFiles
	f.opening.Lock()
	defer f.opening.Unlock()
	f.once.Do(func() { f.failed = countTemporaries() })
	if f.failed != nil {
		return nil, nil, f.failed
	}
	c, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	f.mu.Lock()
	defer f.mu.Unlock()
	tls := f.last
	f.last = nil
	t := &temporary{tls: tls}
	if err == nil && tls != nil {
		f.of[thread(tls)] = t
	}
	return c, t, err
}

// forget is for a connection that is closed.
func (t *temporary) forget() {
	if t == nil {
		return
	}
	f := &temporaryFiles
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.of, thread(t.tls))
}

// countTemporaries makes our file system the one that databases are opened with.
func countTemporaries() error {
	f, tls := &temporaryFiles, libc.NewTLS()
	if f.base = sqlite3.Xsqlite3_vfs_find(tls, 0); f.base == 0 {
		return errors.New("SQLite has no file system")
	}
	f.of, f.methods = map[uintptr]*temporary{}, map[uintptr]uintptr{}
	vfs := *at[sqlite3.Tsqlite3_vfs](f.base)
	f.open = goFunc[openFunc](vfs.FxOpen)
	f.extra = (uintptr(vfs.FszOsFile) + 7) &^ 7
	name, err := libc.CString("trails")
	if err != nil {
		return err
	}
	vfs.FszOsFile = int32(f.extra + unsafe.Sizeof(ours{}))
	vfs.FxOpen, vfs.FzName, vfs.FpNext = cFunc[openFunc](openFile), name, 0
	if rc := sqlite3.Xsqlite3_vfs_register(tls, kept(tls, vfs), 1); rc != sqlite3.SQLITE_OK {
		return sqlite.ResultCode(rc).ToError()
	}
	return nil
}

// isTemporary are the flags of files that end with their statement or connection.
const isTemporary = sqlite3.SQLITE_OPEN_TEMP_DB | sqlite3.SQLITE_OPEN_TRANSIENT_DB |
	sqlite3.SQLITE_OPEN_TEMP_JOURNAL | sqlite3.SQLITE_OPEN_SUBJOURNAL

func openFile(tls *libc.TLS, _, name, file uintptr, flags int32, out uintptr) int32 {
	f := &temporaryFiles
	rc := f.open(tls, f.base, name, file, flags, out)
	f.mu.Lock()
	defer f.mu.Unlock()
	counted := f.of[thread(tls)] != nil
	if !counted && flags&sqlite3.SQLITE_OPEN_MAIN_DB != 0 {
		f.last = tls
	}
	if rc != sqlite3.SQLITE_OK || !counted || flags&isTemporary == 0 {
		return rc
	}
	methods := &at[sqlite3.Tsqlite3_file](file).FpMethods
	*at[ours](file + f.extra) = ours{methods: *methods, owner: thread(tls)}
	*methods = countingMethods(tls, *methods)
	return rc
}

// countingMethods are the methods of a file that count; mu is held.
func countingMethods(tls *libc.TLS, methods uintptr) uintptr {
	f := &temporaryFiles
	if p, ok := f.methods[methods]; ok {
		return p
	}
	m := *at[sqlite3.Tsqlite3_io_methods](methods)
	m.FxWrite, m.FxTruncate, m.FxClose = cFunc[writeFunc](writeFile), cFunc[truncateFunc](truncateFile), cFunc[closeFunc](closeFile)
	f.methods[methods] = kept(tls, m)
	return f.methods[methods]
}

// thread is a key for a thread, which its connection keeps alive.
func thread(tls *libc.TLS) uintptr { return uintptr(unsafe.Pointer(tls)) }

// counted returns our part of a file, the system's methods, and who has it.
func counted(file uintptr) (*ours, *sqlite3.Tsqlite3_io_methods, *temporary) {
	f := &temporaryFiles
	f.mu.Lock()
	defer f.mu.Unlock()
	o := at[ours](file + f.extra)
	return o, at[sqlite3.Tsqlite3_io_methods](o.methods), f.of[o.owner]
}

// writeFile refuses as if it was interrupted: that ends the statement alone, where a
// full disk would end the transaction.
func writeFile(tls *libc.TLS, file, from uintptr, n int32, offset int64) int32 {
	o, system, t := counted(file)
	if more := offset + int64(n) - o.size; more > 0 {
		if !t.grow(more) {
			return sqlite3.SQLITE_INTERRUPT
		}
		o.size += more
	}
	return goFunc[writeFunc](system.FxWrite)(tls, file, from, n, offset)
}

func truncateFile(tls *libc.TLS, file uintptr, size int64) int32 {
	o, system, t := counted(file)
	if size < o.size {
		t.add(size - o.size)
		o.size = size
	}
	return goFunc[truncateFunc](system.FxTruncate)(tls, file, size)
}

func closeFile(tls *libc.TLS, file uintptr) int32 {
	o, system, t := counted(file)
	t.add(-o.size)
	o.size = 0
	return goFunc[closeFunc](system.FxClose)(tls, file)
}

// kept copies a value to where the translated SQLite may point at it for ever.
func kept[T any](tls *libc.TLS, v T) uintptr {
	p := libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(v)))
	*at[T](p) = v
	return p
}

// at is a value in the memory of the translated SQLite, which does not move.
func at[T any](p uintptr) *T { return *(**T)(unsafe.Pointer(&p)) }

// cFunc is a plain function, no closure, as the translated SQLite holds it; goFunc is
// the way back.
func cFunc[F any](f F) uintptr { return *(*uintptr)(unsafe.Pointer(&struct{ f F }{f})) }

func goFunc[F any](p uintptr) F { return *(*F)(unsafe.Pointer(&struct{ p uintptr }{p})) }
