package db

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
	"zombiezen.com/go/sqlite"

	"trails/e2e/testrun"
	"trails/rdf"
)

// defaultVFS is the name of the file system that SQLite opens files with when it is
// told nothing else.
func defaultVFS(t *testing.T) string {
	t.Helper()
	tls := libc.NewTLS()
	defer tls.Close()
	vfs := sqlite3.Xsqlite3_vfs_find(tls, 0)
	if vfs == 0 {
		t.Fatal("SQLite has no file system")
	}
	return libc.GoString(at[sqlite3.Tsqlite3_vfs](vfs).FzName)
}

// sortToFiles sorts more than a cache holds, so that SQLite writes temporary files.
const sortToFiles = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
	SELECT i * 7919 % 50021 AS k, hex(zeroblob(100)) FROM n ORDER BY k`

// A program that embeds trails may use SQLite for other things, through either driver:
// before, while and after a trails file is open.
func TestOtherDatabasesOfTheProcessAreLeftAlone(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "graph.db")
	others := func(when string) {
		t.Helper()
		if got := defaultVFS(t); strings.HasPrefix(got, "trails") {
			t.Errorf("%s SQLite's default file system is %q, not the system's", when, got)
		}
		temporaryFiles.mu.Lock()
		registered := len(temporaryFiles.of)
		temporaryFiles.mu.Unlock()
		before := allTemporary.Load()
		largest := int64(0)
		watched := func() { largest = max(largest, allTemporary.Load()-before) }

		c, err := sqlite.OpenConn(filepath.Join(dir, "zombiezen.db"), sqlite.OpenReadWrite|sqlite.OpenCreate)
		if err != nil {
			t.Fatal(err)
		}
		direct := newConn(c)
		if err := direct.apply([]string{cacheSize(64), "PRAGMA journal_mode = WAL", "CREATE TABLE IF NOT EXISTS x (a)"}); err != nil {
			t.Error(err)
		}
		if err := direct.exec(sortToFiles, func(*stmt) error { watched(); return nil }); err != nil {
			t.Error(err)
		}
		if err := direct.close(); err != nil {
			t.Error(err)
		}

		handle, err := sql.Open("sqlite", filepath.Join(dir, "modernc.db"))
		if err != nil {
			t.Fatal(err)
		}
		defer handle.Close()
		handle.SetMaxOpenConns(1)
		if _, err := handle.Exec(cacheSize(64)); err != nil {
			t.Error(err)
		}
		rows, err := handle.Query(sortToFiles)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			watched()
		}
		if err := rows.Err(); err != nil {
			t.Error(err)
		}
		if largest > 0 {
			t.Errorf("%s the temporary files of others are counted: %d bytes", when, largest)
		}
		temporaryFiles.mu.Lock()
		defer temporaryFiles.mu.Unlock()
		if len(temporaryFiles.of) != registered {
			t.Errorf("%s others got a file system of ours", when)
		}
	}

	others("before,")
	if err := Create(t.Context(), path, CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	f, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	others("while a file is open")
	largest := int64(0)
	r, err := f.Read(t.Context(), View{})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.conn.once(cacheSize(64)); err != nil {
		t.Error(err)
	}
	err = r.conn.exec(sortToFiles, func(*stmt) error {
		largest = max(largest, r.conn.temporary.bytes.Load())
		return nil
	})
	if err != nil || largest == 0 {
		t.Errorf("ours are not counted: %d bytes, %v", largest, err)
	}
	vfs := r.conn.temporary.vfs
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	temporaryFiles.mu.Lock()
	left := temporaryFiles.of[vfs]
	temporaryFiles.mu.Unlock()
	if left != nil {
		t.Error("a closed connection has left its file system behind")
	}
	others("after,")
}

// The name of a file goes to SQLite as a URI, where these characters mean something.
func TestAFileMayHaveAnyName(t *testing.T) {
	testrun.Alone(t)
	for _, name := range []string{
		"a b.db", "a?vfs=none.db", "a#b.db", "100%.db", "a%3Fb.db", "a&mode=ro.db", "file:x.db", "ä\xff.db", "a;b=c.db", "'\"[].db", "\\a\nb.db",
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := Create(t.Context(), path, CreateOptions{}); err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		f, err := Open(t.Context(), path, Options{})
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		w, err := f.Write(t.Context())
		if err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		if _, err := w.Add(t.Context(), rdf.Quad{Subject: rdf.IRI("urn:s"), Predicate: rdf.IRI("urn:p"), Object: rdf.IRI("urn:o")}); err != nil {
			t.Errorf("%q: %v", name, err)
		}
		if _, err := w.Commit(t.Context(), CommitMeta{Author: "test", Time: time.Unix(1, 0)}, nil); err != nil {
			t.Errorf("%q: %v", name, err)
		}
		if _, err := os.Stat(path + "-wal"); err != nil {
			t.Errorf("%q: the log is elsewhere: %v", name, err)
		}
		if err := f.Close(); err != nil {
			t.Errorf("%q: %v", name, err)
		}
		left, err := os.ReadDir(filepath.Dir(path))
		if err != nil || len(left) != 1 || left[0].Name() != name {
			t.Errorf("%q: the directory has %v, %v", name, left, err)
		}
	}
}
