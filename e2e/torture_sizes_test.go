//go:build torture

package e2e_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestTortureSizesOfQueries runs queries of n, 2n and 4n elements. A text that is four times as long may take
// at most twelve times as long; quadratic work takes sixteen times. The time to start the program is
// subtracted.
func TestTortureSizesOfQueries(t *testing.T) {
	var data strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&data, "<urn:s%d> <urn:v> %q .\n<urn:s%d> <urn:link> <urn:s%d> .\n", i, fmt.Sprint(i), i, (i+1)%20_000)
	}
	file := filepath.Join(t.TempDir(), "sizes.trails")
	must(t, "init", file)
	must(t, "load", file, write(t, "sizes.nt", data.String()))
	row := func(n int, format string) string {
		var out strings.Builder
		for i := range n {
			fmt.Fprintf(&out, format, i, i+1)
		}
		return out.String()
	}
	took := func(text string) time.Duration {
		least := time.Hour
		for range 3 {
			begin := time.Now()
			must(t, "query", file, "-f", write(t, "q.rq", text), "-o", "csv")
			least = min(least, time.Since(begin))
		}
		return least
	}
	start := took("ASK {}")
	for _, c := range []struct {
		name string
		n    int
		text func(n int) string
	}{
		{"OPTIONALs", 100, func(n int) string {
			return "SELECT * { ?s <urn:v> ?v " + row(n, "OPTIONAL { ?s <urn:p%[1]d> ?o%[1]d } ") + "} LIMIT 10"
		}},
		{"rows of VALUES", 8000, func(n int) string {
			return "SELECT (COUNT(*) AS ?n) { VALUES ?s { " + row(n, "<urn:s%[1]d> ") + "} ?s <urn:v> ?v }"
		}},
		{"MINUS", 400, func(n int) string {
			return "SELECT * { ?s <urn:v> ?v " + row(n, "MINUS { ?s <urn:p%[1]d> ?o%[1]d } ") + "} LIMIT 10"
		}},
		{"EXISTS inside each other", 15, func(n int) string {
			return "SELECT * { ?s0 <urn:v> ?v " + row(n, "FILTER EXISTS { ?s%d <urn:link> ?s%d ") + strings.Repeat("}", n) + "} LIMIT 10"
		}},
	} {
		n := tortureCount(c.n)
		const noise = 20 * time.Millisecond
		var times []time.Duration
		for _, size := range []int{n, 2 * n, 4 * n} {
			times = append(times, max(took(c.text(size))-start, 0)+noise)
		}
		if times[2] > 12*times[0] {
			t.Errorf("%d, %d and %d %s take %v", n, 2*n, 4*n, c.name, times)
		}
		t.Logf("torture: %d, %d and %d %s: %v beyond a start of %v", n, 2*n, 4*n, c.name, times, start)
	}
}
