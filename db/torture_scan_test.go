//go:build torture

package db_test

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"trails/db"
	"trails/e2e/testrun"
	"trails/fault"
)

// TestTortureScansBesideSQL asks a hundred thousand statements random questions for ten minutes,
// with scans wherever one fits, as is chosen, and by SQL alone. Who has no answer after five seconds
// is not compared, and counted. TRAILS_TORTURE_SCALE makes it shorter.
func TestTortureScansBesideSQL(t *testing.T) {
	scale := 1.0
	if text := os.Getenv("TRAILS_TORTURE_SCALE"); text != "" {
		var err error
		if scale, err = strconv.ParseFloat(text, 64); err != nil {
			t.Fatal(err)
		}
	}
	const nodes = 16_000
	path := filepath.Join(t.TempDir(), "scans.db")
	quads := scanGraph(rand.New(rand.NewPCG(31, 32)), nodes)
	written, err := fileOf(t.Context(), path, quads)
	if err != nil {
		t.Fatal(err)
	}
	if err := written.Close(); err != nil {
		t.Fatal(err)
	}
	readers := map[db.Scans]*db.Reader{}
	for _, scans := range []db.Scans{db.ScansNever, db.ScansChosen, db.ScansAlways} {
		f, err := db.Open(t.Context(), path, db.Options{Scans: scans})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		readers[scans] = read(t, f)
	}
	queries := rapid.Custom(func(t *rapid.T) string { return drawScan(t, nodes) })
	seed := int(testrun.Random(t).Int64() / 2)
	compared, late, chosen, scanned := 0, 0, 0, 0
	for end := time.Now().Add(time.Duration(scale * float64(10*time.Minute))); time.Now().Before(end); seed++ {
		text := queries.Example(seed)
		inTime := func(scans db.Scans) ([]string, int, error) {
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			defer cancel()
			return solved(ctx, readers[scans], text)
		}
		want, _, err := inTime(db.ScansNever)
		if err != nil {
			late++ // or too many rows
			continue
		}
		for _, scans := range []db.Scans{db.ScansChosen, db.ScansAlways} {
			got, n, err := inTime(scans)
			if fault.Is(err, fault.TimedOut) {
				late++
				continue
			}
			if err != nil {
				t.Errorf("seed %d: %s\n%v", seed, text, err)
			} else if diff := gocmp.Diff(want, got); diff != "" {
				t.Errorf("seed %d: %s\n%s", seed, text, diff)
			}
			if scans == db.ScansChosen {
				chosen += min(n, 1)
			} else {
				scanned += min(n, 1)
			}
		}
		compared++
	}
	t.Logf("%d statements, %d queries compared, of which scans took %d when they were chosen and %d wherever one fits; %d answers not in time", len(quads), compared, chosen, scanned, late)
	if chosen == 0 || scanned < compared/10 {
		t.Errorf("of %d queries scans took %d when they were chosen and %d wherever one fits", compared, chosen, scanned)
	}
}
