package pager

import (
	"errors"
	"fmt"
	"net/url"
	"sync"
	"sync/atomic"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
	"zombiezen.com/go/sqlite"

	"trails/fault"
)

// sharedTemporary bounds the temporary files of all queries of the process together.
const sharedTemporary = 4 << 30

// Temporary counts the bytes of the temporary files of one connection. SQLite cannot bound them, but allows a file
// system of our own: see [temporaryFiles].
type Temporary struct {
	vfs     uintptr // the file system of the connection
	bytes   atomic.Int64
	limit   atomic.Int64 // 0 is none
	refused atomic.Int32 // why a write was refused since the limit was set
}

// Reasons for refusing a write.
const (
	notRefused int32 = iota
	ownLimit
	sharedLimit
)

// allTemporary counts for all connections together.
var allTemporary atomic.Int64

// Limit sets the limit in bytes for a query until the returned function is called. For nested queries the limit of
// the outermost one holds.
func (t *Temporary) Limit(bytes int64) (end func()) {
	if !t.limit.CompareAndSwap(0, bytes) {
		return func() {}
	}
	t.refused.Store(notRefused)
	return func() { t.limit.Store(0) }
}

// Fault returns the fault of a query to which a write was refused, otherwise err.
func (t *Temporary) Fault(err error) error {
	why := t.refused.Load()
	switch {
	case err == nil || why == notRefused:
		return err
	case why == sharedLimit:
		return fault.New(fault.Exhausted, "the queries that run now need more than %d bytes of temporary files together; try again later", int64(sharedTemporary))
	}
	return fault.New(fault.TooLarge, "the query needs more than %d bytes of temporary files to sort or group its solutions; restrict it", t.limit.Load())
}

// grow adds bytes, and reports whether that is allowed.
func (t *Temporary) grow(bytes int64) bool {
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

func (t *Temporary) add(bytes int64) {
	t.bytes.Add(bytes)
	allTemporary.Add(bytes)
}

// temporaryFiles are the file systems (VFS) of the connections. Each connection is opened with its own, by name; the
// default stays that of the operating system, for other users of SQLite in this process. The only difference is that
// bytes written to temporary files are counted, and refused beyond the connection's limit. The C code of SQLite,
// translated to Go, calls plain functions, which find the connection by its file system.
var temporaryFiles struct {
	mu      sync.Mutex
	tls     *libc.TLS
	base    uintptr // the default file system; 0 before the first connection
	open    openFunc
	extra   uintptr // offset of our part of an open file
	last    int     // the number in the name of the last file system
	of      map[uintptr]*Temporary
	methods map[uintptr]uintptr // our methods, by the original ones
}

// ours is our part of an open file, behind the original part.
type ours struct {
	methods uintptr // the original methods
	vfs     uintptr // file system of the connection that opened the file
	size    int64
}

// The replaced functions of a file system and of a file.
type (
	openFunc     = func(tls *libc.TLS, vfs, name, file uintptr, flags int32, out uintptr) int32
	closeFunc    = func(tls *libc.TLS, file uintptr) int32
	writeFunc    = func(tls *libc.TLS, file, from uintptr, n int32, offset int64) int32
	truncateFunc = func(tls *libc.TLS, file uintptr, size int64) int32
)

// Open opens a database whose temporary files are counted.
func Open(path string) (*sqlite.Conn, *Temporary, error) {
	t, name, err := newTemporary()
	if err != nil {
		return nil, nil, err
	}
	c, err := sqlite.OpenConn(URI(path, "vfs="+name), sqlite.OpenReadWrite|sqlite.OpenURI)
	if err != nil {
		t.Forget()
		return nil, nil, err
	}
	return c, t, nil
}

// URI returns the URI of a database with parameters (https://sqlite.org/uri.html).
func URI(path, parameters string) string {
	uri := url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: parameters}
	return uri.String()
}

// newTemporary registers a file system for one connection, under a new name.
func newTemporary() (*Temporary, string, error) {
	f := &temporaryFiles
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.base == 0 {
		f.tls = libc.NewTLS()
		if f.base = sqlite3.Xsqlite3_vfs_find(f.tls, 0); f.base == 0 {
			return nil, "", errors.New("SQLite has no file system")
		}
		separatePageCaches()
		system := at[sqlite3.Tsqlite3_vfs](f.base)
		f.open = goFunc[openFunc](system.FxOpen)
		f.extra = (uintptr(system.FszOsFile) + 7) &^ 7
		f.of, f.methods = map[uintptr]*Temporary{}, map[uintptr]uintptr{}
	}
	f.last++
	name := fmt.Sprintf("trails-%d", f.last)
	cName, err := libc.CString(name)
	if err != nil {
		return nil, "", err
	}
	vfs := *at[sqlite3.Tsqlite3_vfs](f.base)
	vfs.FszOsFile = int32(f.extra + unsafe.Sizeof(ours{}))
	vfs.FxOpen, vfs.FzName, vfs.FpNext = cFunc[openFunc](openFile), cName, 0
	t := &Temporary{vfs: kept(f.tls, vfs)}
	f.of[t.vfs] = t
	if rc := sqlite3.Xsqlite3_vfs_register(f.tls, t.vfs, 0); rc != sqlite3.SQLITE_OK {
		t.free()
		return nil, "", sqlite.ResultCode(rc).ToError()
	}
	return t, name, nil
}

// Forget is called after a connection and all its files were closed.
func (t *Temporary) Forget() {
	f := &temporaryFiles
	f.mu.Lock()
	defer f.mu.Unlock()
	sqlite3.Xsqlite3_vfs_unregister(f.tls, t.vfs)
	t.free()
}

// free releases the memory of a file system; mu must be held.
func (t *Temporary) free() {
	f := &temporaryFiles
	delete(f.of, t.vfs)
	libc.Xfree(f.tls, at[sqlite3.Tsqlite3_vfs](t.vfs).FzName)
	libc.Xfree(f.tls, t.vfs)
}

// isTemporary are the flags of files that end with their statement or connection.
const isTemporary = sqlite3.SQLITE_OPEN_TEMP_DB | sqlite3.SQLITE_OPEN_TRANSIENT_DB |
	sqlite3.SQLITE_OPEN_TEMP_JOURNAL | sqlite3.SQLITE_OPEN_SUBJOURNAL

func openFile(tls *libc.TLS, vfs, name, file uintptr, flags int32, out uintptr) int32 {
	f := &temporaryFiles
	rc := f.open(tls, f.base, name, file, flags, out)
	if rc != sqlite3.SQLITE_OK || flags&isTemporary == 0 {
		return rc
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	methods := &at[sqlite3.Tsqlite3_file](file).FpMethods
	*at[ours](file + f.extra) = ours{methods: *methods, vfs: vfs}
	*methods = countingMethods(tls, *methods)
	return rc
}

// countingMethods returns the methods of a file with counting; mu must be held.
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

// counted returns our part of a file, the original methods, and the connection's counter.
func counted(file uintptr) (*ours, *sqlite3.Tsqlite3_io_methods, *Temporary) {
	f := &temporaryFiles
	f.mu.Lock()
	defer f.mu.Unlock()
	o := at[ours](file + f.extra)
	return o, at[sqlite3.Tsqlite3_io_methods](o.methods), f.of[o.vfs]
}

// writeFile refuses a write as if interrupted: that ends only the statement, while a full disk would end the
// transaction.
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

// kept copies a value to memory that the translated SQLite may refer to for ever.
func kept[T any](tls *libc.TLS, v T) uintptr {
	p := libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(v)))
	*at[T](p) = v
	return p
}

// at is a value in the memory of the translated SQLite, which is not moved.
func at[T any](p uintptr) *T { return *(**T)(unsafe.Pointer(&p)) }

// cFunc converts a plain function (no closure) to the form of the translated SQLite; goFunc converts it back.
func cFunc[F any](f F) uintptr { return *(*uintptr)(unsafe.Pointer(&struct{ f F }{f})) }

func goFunc[F any](p uintptr) F { return *(*F)(unsafe.Pointer(&struct{ p uintptr }{p})) }
