package e2e_test

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"trails/db/querykit"
	"trails/kg/rdf"
)

// BenchmarkLoadFile loads N-Quads text into a fresh file as people do: the rate, and
// the most memory that the process had, which Linux gives in KiB.
func BenchmarkLoadFile(b *testing.B) {
	for _, n := range []int{1_000_000, 5_000_000} {
		if testing.Short() {
			n /= 100
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			text := writeTriples(b, n)
			most := int64(0)
			for b.Loop() {
				b.StopTimer()
				file := filepath.Join(b.TempDir(), "load.db")
				must(b, "init", file)
				b.StartTimer()
				cmd := command(b, "load", file, text)
				if out := finish(b, cmd); out.code != 0 {
					b.Fatalf("exit %d\n%s", out.code, out.stderr)
				}
				if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
					most = max(most, usage.Maxrss)
				}
			}
			b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "quads/s")
			b.ReportMetric(float64(most)/1024, "MB-peak")
		})
	}
}

func writeTriples(b *testing.B, n int) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "load.nq")
	file, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	text := bufio.NewWriterSize(file, 1<<20)
	for q := range querykit.Triples(n) {
		if _, err := text.Write(append(rdf.AppendQuad(text.AvailableBuffer(), q), '\n')); err != nil {
			b.Fatal(err)
		}
	}
	if err := text.Flush(); err != nil {
		b.Fatal(err)
	}
	return path
}
