package pager

import (
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// A load sorts with threads, which write to files that the connection has opened.
func TestAThreadOfASorterWritesToItsConnectionsFiles(t *testing.T) {
	c, counted := opened(t)
	// Enough for more runs than one merge takes: threads merge the runs of threads.
	const rows = 100_000
	n, last := 0, int64(0)
	before := allTemporary.Load()
	for _, pragma := range []string{"PRAGMA cache_size = -64", "PRAGMA threads = 2"} {
		if err := sqlitex.ExecuteTransient(c, pragma, nil); err != nil {
			t.Fatal(err)
		}
	}
	err := sqlitex.ExecuteTransient(c, `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
		SELECT i * 7919 % 400009 AS k, hex(zeroblob(100)) FROM n ORDER BY k`, &sqlitex.ExecOptions{Args: []any{rows}, ResultFunc: func(s *sqlite.Stmt) error {
		if k := s.ColumnInt64(0); k < last {
			t.Fatalf("%d after %d", k, last)
		} else {
			last = k
		}
		n++
		return nil
	}})
	if err != nil || n != rows {
		t.Fatalf("%d rows, %v", n, err)
	}
	if left := counted.bytes.Load(); left != 0 || allTemporary.Load() != before {
		t.Errorf("%d bytes are still counted, %d of all", left, allTemporary.Load()-before)
	}
}
