package kg_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"trails/kg"
	"trails/kg/load"
)

// BenchmarkUndo takes back a validated load, and reports how many times as long as the load
// that takes, and a dry run of it.
func BenchmarkUndo(b *testing.B) {
	for _, n := range benchSizes() {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			text := generated(n)
			var loading, trying, undoing time.Duration
			for b.Loop() {
				b.StopTimer()
				path := filepath.Join(b.TempDir(), "undo.db")
				if err := kg.Create(b.Context(), path, kg.CreateOptions{Base: base, Schema: []byte(benchSchema)}); err != nil {
					b.Fatal(err)
				}
				g := open(b, path)
				start := time.Now()
				loaded, err := g.Session(ana).Load(b.Context(), kg.Load{Options: load.Options{Format: load.NQuads, Inputs: []load.Input{{Name: "generated", Reader: bytes.NewReader(text)}}}})
				if err != nil {
					b.Fatal(err)
				}
				loading += time.Since(start)
				start = time.Now()
				if _, err := g.Session(ana).Undo(b.Context(), kg.Undo{Commit: loaded.After.ID, Set: kg.ChangeSet{DryRun: true}}); err != nil {
					b.Fatal(err)
				}
				trying += time.Since(start)
				b.StartTimer()
				start = time.Now()
				undone, err := g.Session(ana).Undo(b.Context(), kg.Undo{Commit: loaded.After.ID})
				if err != nil || undone.RemovedCount != loaded.AddedCount {
					b.Fatalf("%d of %d statements are removed, error %v", undone.RemovedCount, loaded.AddedCount, err)
				}
				undoing += time.Since(start)
			}
			b.ReportMetric(float64(trying)/float64(loading), "dry-run/load")
			b.ReportMetric(float64(undoing)/float64(loading), "undo/load")
		})
	}
}
