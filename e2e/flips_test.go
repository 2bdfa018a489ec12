package e2e_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"hash"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"trails/e2e/testrun"
)

// TestAFlippedByteIsNoticed damages single bytes in the pages that a file uses: verify
// notices each of them, unless it stands where nobody reads, and nothing crashes or hangs.
func TestAFlippedByteIsNoticed(t *testing.T) {
	testrun.Alone(t)
	flipBytes(t, 40)
}

// flipCounts counts flipped bytes: those that verify named, and those that change nothing that can be read.
type flipCounts struct{ noticed, unread int }

func flipBytes(t *testing.T, flips int) flipCounts {
	random := testrun.Random(t)
	content, pages := variedFile(t)
	dir := t.TempDir()
	sound := filepath.Join(dir, "sound.db")
	if err := os.WriteFile(sound, content, 0o600); err != nil {
		t.Fatal(err)
	}
	want, err := dump(sound)
	if err != nil {
		t.Fatal(err)
	}
	used := slices.Sorted(maps.Keys(pages))
	var counts flipCounts
	for i := range flips {
		page := used[random.IntN(len(used))]
		at := (page-1)*pageBytes + random.IntN(pageBytes)
		flip := byte(1 + random.IntN(255))
		where := fmt.Sprintf("flip %d: byte %d of page %d (%s), xor %#x", i, at%pageBytes, page, pages[page], flip)
		file := filepath.Join(dir, fmt.Sprintf("flipped-%d.db", i))
		damaged := slices.Clone(content)
		damaged[at] ^= flip
		if err := os.WriteFile(file, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		got, dumpErr := dump(file)
		other := [][]string{{"stats", file}, {"log", file}, {"export", file, "--format", "nquads"}, {"doctor", file}, {"query", file, "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }"}}[random.IntN(5)]
		survives(t, where, other...)
		out := survives(t, where, "verify", file)
		switch unread := dumpErr == nil && got == want; {
		case out.code != 0:
			counts.noticed++
		case unread:
			counts.unread++
		default:
			t.Errorf("%s: verify says that all is well, but what can be read is another (%v)", where, dumpErr)
		}
		for _, name := range []string{file, file + "-wal", file + "-shm"} {
			_ = os.Remove(name) // the latter two are seldom there
		}
	}
	if counts.noticed == 0 {
		t.Errorf("none of %d flips was noticed", flips)
	}
	return counts
}

// survives runs a command on a damaged file. The command may fail, but not crash, hang, or print an internal
// error.
func survives(t *testing.T, where string, args ...string) output {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience/2)
	defer cancel()
	cmd := exec.CommandContext(ctx, trailsBinary, args...)
	cmd.Env = environment()
	out := finish(t, cmd)
	if ctx.Err() != nil {
		t.Errorf("%s: trails %s hangs", where, args[0])
	}
	if out.code < 0 || out.code > 6 || strings.Contains(out.stderr, "goroutine ") || strings.Contains(out.stderr, "internal error") {
		t.Errorf("%s: trails %s: exit %d\n%s", where, args[0], out.code, out.stderr)
	}
	return out
}

const pageBytes = 4096

// variedFile returns the content of a file that has rows in each table, and for each page in use what it
// belongs to.
func variedFile(t *testing.T) (content []byte, pages map[int]string) {
	t.Helper()
	file := notesFile(t)
	var lines strings.Builder
	for i := range 400 {
		lines.WriteString(noteLine(fmt.Sprintf("n%d", i)) + "\n")
	}
	data := write(t, "notes.ndjson", lines.String())
	must(t, "load", file, data)
	for i := range 5 {
		id := fmt.Sprintf("n%d", i)
		must(t, "invoke", file, "note.update", "id="+id, "title=Once more", "--idempotency-key", id)
	}
	must(t, "invoke", file, "note.delete", "id=n7")
	must(t, "update", file, `PREFIX x: <urn:x:> INSERT DATA { x:a x:b "one"@en, 1.5, "007"^^<http://www.w3.org/2001/XMLSchema#integer> . GRAPH x:g { x:a x:b _:c . x:a x:b 7 } }`)
	must(t, "update", file, `DELETE DATA { <urn:x:a> <urn:x:b> "one"@en }`)
	must(t, "query", file, "SELECT * { ?s ?p ?o } LIMIT 1")
	if out := trails(t, "invoke", file, "note.create", "code=n1"); out.code != 6 {
		t.Fatalf("a note without a title: exit %d", out.code)
	}
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pages = map[int]string{}
	err = inFile(file, func(c *sqlite.Conn) error {
		return each(c, "SELECT pageno, name FROM dbstat", func(s *sqlite.Stmt) error {
			pages[s.ColumnInt(0)] = s.ColumnText(1)
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return content, pages
}

// inFile opens a file whose log is empty, read-only.
func inFile(file string, do func(*sqlite.Conn) error) error {
	c, err := sqlite.OpenConn("file:"+file+"?immutable=1", sqlite.OpenReadOnly, sqlite.OpenURI)
	if err != nil {
		return err
	}
	defer c.Close()
	return do(c)
}

func each(c *sqlite.Conn, sql string, row func(*sqlite.Stmt) error) error {
	return sqlitex.ExecuteTransient(c, sql, &sqlitex.ExecOptions{ResultFunc: row})
}

// dump returns a digest of the rows of all tables and indexes, except statistics of the query planner and times
// of migrations.
func dump(file string) (digest string, err error) {
	sum := sha256.New()
	err = inFile(file, func(c *sqlite.Conn) error {
		queries := []string{"PRAGMA user_version", "PRAGMA application_id", "SELECT type, name, tbl_name, sql FROM sqlite_schema",
			"SELECT id, version_id, is_applied FROM goose_db_version"}
		err := each(c, "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema", func(s *sqlite.Stmt) error {
			kind, name, table := s.ColumnText(0), s.ColumnText(1), s.ColumnText(2)
			if table == "goose_db_version" || strings.HasPrefix(table, "sqlite_") {
				return nil
			}
			if name == "words" { // an index without rows of its own; word_places has what is in it
				return nil
			}
			if kind == "table" {
				queries = append(queries, "SELECT * FROM "+quoted(name))
				return nil
			}
			var columns []string
			err := each(c, "SELECT coalesce(name, 'rowid') FROM pragma_index_xinfo('"+strings.ReplaceAll(name, "'", "''")+"')", func(s *sqlite.Stmt) error {
				columns = append(columns, quoted(s.ColumnText(0)))
				return nil
			})
			query := fmt.Sprintf("SELECT %s FROM %s INDEXED BY %s", strings.Join(columns, ", "), quoted(table), quoted(name))
			if _, where, partial := strings.Cut(s.ColumnText(3), " WHERE "); partial {
				query += " WHERE " + where
			}
			queries = append(queries, query)
			return err
		})
		for _, query := range queries {
			if err == nil {
				err = addRows(c, sum, query)
			}
		}
		return err
	})
	return fmt.Sprintf("%x", sum.Sum(nil)), err
}

func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// addRows adds the rows of a query to a digest.
func addRows(c *sqlite.Conn, sum hash.Hash, query string) error {
	fmt.Fprintln(sum, query)
	return each(c, query, func(s *sqlite.Stmt) error {
		for i := range s.ColumnCount() {
			fmt.Fprintf(sum, "%d %q ", s.ColumnType(i), s.ColumnText(i))
		}
		fmt.Fprintln(sum)
		return nil
	})
}
