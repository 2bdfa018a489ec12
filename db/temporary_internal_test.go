package db

import (
	"testing"
)

// A load sorts with threads, which write to files that the connection has opened.
func TestAThreadOfASorterWritesToItsConnectionsFiles(t *testing.T) {
	f := emptyFile(t)
	w, err := f.Write(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	// Enough for more runs than one merge takes: threads merge the runs of threads.
	const rows = 100_000
	n, last := 0, int64(0)
	before := allTemporary.Load()
	for _, pragma := range []string{cacheSize(64), "PRAGMA threads = 2"} {
		if err := w.conn.once(pragma); err != nil {
			t.Fatal(err)
		}
	}
	err = w.conn.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
		SELECT i * 7919 % 400009 AS k, hex(zeroblob(100)) FROM n ORDER BY k`, func(s *stmt) error {
		if k := s.ColumnInt64(0); k < last {
			t.Fatalf("%d after %d", k, last)
		} else {
			last = k
		}
		n++
		return nil
	}, rows)
	if err != nil || n != rows {
		t.Fatalf("%d rows, %v", n, err)
	}
	if left := w.conn.temporary.bytes.Load(); left != 0 || allTemporary.Load() != before {
		t.Errorf("%d bytes are still counted, %d of all", left, allTemporary.Load()-before)
	}
}
