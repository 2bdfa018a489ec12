package querykit_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"

	"trails/db/dbtest"
	"trails/db/querykit"
	"trails/kg"
	"trails/kg/load"
)

// BenchmarkLoad loads N-Triples from a file into a new graph, including indexes and commit. It reports triples
// per second by the clock and by processor time, and the peak memory of the process.
func BenchmarkLoad(b *testing.B) {
	counts := []int{1_000_000, 5_000_000}
	if testing.Short() {
		counts = []int{100_000}
	}
	for _, n := range counts {
		b.Run(fmt.Sprint(n), func(b *testing.B) { benchLoad(b, n) })
	}
}

func benchLoad(b *testing.B, n int) {
	text := triplesFile(b, querykit.Library, n)
	peak, cpu := 0.0, 0.0
	for b.Loop() {
		b.StopTimer()
		path := filepath.Join(b.TempDir(), "load.db")
		forgetPeak()
		before := float64(dbtest.ProcessorTime())
		b.StartTimer()
		loadInto(b, path, text)
		peak, cpu = max(peak, peakMB()), cpu+float64(dbtest.ProcessorTime())-before
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "triples/s")
	b.ReportMetric(float64(n)*float64(b.N)/cpu*1e9, "triples/cpu-s")
	b.ReportMetric(peak, "peak-MB")
}

func loadInto(b *testing.B, path, text string) {
	b.Helper()
	if err := kg.Create(b.Context(), path, kg.CreateOptions{Base: querykit.Base}); err != nil {
		b.Fatal(err)
	}
	g, err := kg.Open(b.Context(), path, kg.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer g.Close()
	in, err := os.Open(text)
	if err != nil {
		b.Fatal(err)
	}
	defer in.Close()
	_, err = g.Session(anyone).Load(b.Context(), kg.Load{Options: load.Options{Format: load.NQuads, Inputs: []load.Input{{Name: "kit", Reader: in}}}})
	if err != nil {
		b.Fatal(err)
	}
}

// forgetPeak resets the peak of resident memory, where the system allows it.
func forgetPeak() {
	debug.FreeOSMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // without it the peak is higher
}

// peakMB returns the peak of resident memory, 0 if the system does not tell it.
func peakMB() float64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		var kib float64
		if n, _ := fmt.Sscanf(lines.Text(), "VmHWM: %f kB", &kib); n == 1 {
			return kib / 1024
		}
	}
	return 0
}
