package pager

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"modernc.org/libc"
	_ "modernc.org/sqlite" // the driver of database/sql
	sqlite3 "modernc.org/sqlite/lib"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
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

const smallCache = "PRAGMA cache_size = -64"

// A program that embeds trails may use SQLite for other things, through either driver:
// before, while and after a file is open with counted ones.
func TestOtherDatabasesOfTheProcessAreLeftAlone(t *testing.T) {
	dir := t.TempDir()
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
		for _, sql := range []string{smallCache, "PRAGMA journal_mode = WAL", "CREATE TABLE IF NOT EXISTS x (a)", sortToFiles} {
			if err := sqlitex.ExecuteTransient(c, sql, &sqlitex.ExecOptions{ResultFunc: func(*sqlite.Stmt) error { watched(); return nil }}); err != nil {
				t.Error(err)
			}
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}

		handle, err := sql.Open("sqlite", filepath.Join(dir, "modernc.db"))
		if err != nil {
			t.Fatal(err)
		}
		defer handle.Close()
		handle.SetMaxOpenConns(1)
		if _, err := handle.Exec(smallCache); err != nil {
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
	c, counted := opened(t)
	others("while a file is open")
	largest := int64(0)
	for _, sql := range []string{smallCache, sortToFiles} {
		err := sqlitex.ExecuteTransient(c, sql, &sqlitex.ExecOptions{ResultFunc: func(*sqlite.Stmt) error {
			largest = max(largest, counted.bytes.Load())
			return nil
		}})
		if err != nil {
			t.Error(err)
		}
	}
	if largest == 0 {
		t.Error("ours are not counted")
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	counted.Forget()
	temporaryFiles.mu.Lock()
	left := temporaryFiles.of[counted.vfs]
	temporaryFiles.mu.Unlock()
	if left != nil {
		t.Error("a closed connection has left its file system behind")
	}
	others("after,")
}
