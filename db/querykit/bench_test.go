package querykit_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"trails/db"
	"trails/db/querykit"
	"trails/kg"
)

// sizes returns the numbers of triples to measure with: those in TRAILS_SIZES, otherwise those of the published
// figures.
func sizes() (all []int) {
	for _, n := range strings.Fields(os.Getenv("TRAILS_SIZES")) {
		size, err := strconv.Atoi(n)
		if err != nil {
			panic(err)
		}
		all = append(all, size)
	}
	switch {
	case all != nil:
		return all
	case testing.Short():
		return []int{100_000}
	}
	return []int{100_000, 1_000_000}
}

// BenchmarkShapes measures each shape, by turns with the engine, with the engine without scans, and with SQL. A
// measurement lasts from the text of the query, which is a new one each time, to its last row as terms. SQL
// runs in a process of its own, and is prepared beforehand.
//
// ns/op and sql-ns are the fastest rounds by the clock, and ratio is their quotient. cpu-ns and sql-cpu-ns are
// the cheapest rounds by processor time; cpu-ratio is the quotient of the medians. again-ratio is for a text
// that the graph has seen before. unscanned-cpu-ns is the engine without scans, and gain is its quotient with
// cpu-ns. After the shapes of a set comes the geometric mean of the gains of those that look at many rows.
func BenchmarkShapes(b *testing.B) {
	for _, set := range querykit.Sets {
		for _, n := range sizes() {
			b.Run(fmt.Sprint(set.Name, "/", n), func(b *testing.B) {
				path := fileOf(b, set, n)
				g, without, h := open(b, path), openWith(b, path, db.ScansNever), startHand(b, path, set)
				var gains []float64
				for _, s := range set.Shapes {
					b.Run(s.Name, func(b *testing.B) {
						if gain := benchShape(b, g, without, h, s); slices.Contains(set.Scans, s.Name) {
							gains = append(gains, gain)
						}
					})
				}
				b.Logf("%d shapes that look at many rows: %.2f times as fast as without scans", len(gains), mean(gains))
			})
		}
	}
}

// benchShape measures one shape and returns its gain: processor time without scans, divided by processor time
// with them.
func benchShape(b *testing.B, g, without *kg.Graph, h *peer, s querykit.Shape) float64 {
	first, ok := askInTime(b, g, s)
	if !ok {
		b.Skipf("SKIPPED: no answer in %s", patience)
	}
	if s.SQL != "" {
		if r := h.shape(b, s, true); r.Rows != first.Rows || r.Digest != first.Digest {
			b.Fatalf("%s: the engine says %+v, SQL %+v", s.Name, first, r)
		}
	}
	var ours, unscanned, again, byHand rounds
	for i := 0; b.Loop(); i++ {
		if i%2 == 0 { // whoever comes behind the other process finds nothing in the processor's cache
			ours.add(b, s, first.Rows, ask(b, g, s, false))
			unscanned.add(b, s, first.Rows, ask(b, without, s, false))
		} else {
			unscanned.add(b, s, first.Rows, ask(b, without, s, false))
			ours.add(b, s, first.Rows, ask(b, g, s, false))
		}
		again.add(b, s, first.Rows, askText(b, g, s, s.Text(), false))
		if s.SQL != "" {
			byHand.add(b, s, first.Rows, h.shape(b, s, false))
		}
	}
	b.ReportMetric(float64(first.Rows), "rows")
	b.ReportMetric(ours.clock.least(), "ns/op")
	b.ReportMetric(ours.cpu.least(), "cpu-ns")
	gain := unscanned.cpu.least() / ours.cpu.least()
	b.ReportMetric(unscanned.cpu.least(), "unscanned-cpu-ns")
	b.ReportMetric(gain, "gain")
	if s.SQL == "" {
		return gain
	}
	b.ReportMetric(byHand.clock.least(), "sql-ns")
	b.ReportMetric(ours.clock.least()/byHand.clock.least(), "ratio")
	b.ReportMetric(byHand.cpu.least(), "sql-cpu-ns")
	b.ReportMetric(ours.cpu.median()/byHand.cpu.median(), "cpu-ratio")
	b.ReportMetric(again.clock.least()/byHand.clock.least(), "again-ratio")
	return gain
}

// asks counts calls of [ask], which makes each text a new one.
var asks int

// ask runs a shape on the engine with a text that was not used before, so that no plan is kept for it.
func ask(tb testing.TB, g *kg.Graph, s querykit.Shape, digest bool) reply {
	tb.Helper()
	asks++
	return askText(tb, g, s, fmt.Sprintf("%s\n# %d", s.Text(), asks), digest)
}

func askText(tb testing.TB, g *kg.Graph, s querykit.Shape, text string, digest bool) reply {
	tb.Helper()
	r := answered(asked(tb.Context(), g, text), question{Ordered: s.Ordered, Digest: digest})
	if r.Error != "" {
		tb.Fatalf("%s: %s", s.Name, r.Error)
	}
	return r
}

// askInTime runs a shape on the engine with a digest of its rows. ok is false after [patience].
func askInTime(tb testing.TB, g *kg.Graph, s querykit.Shape) (r reply, ok bool) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), patience)
	defer cancel()
	r = answered(asked(ctx, g, s.Text()), question{Ordered: s.Ordered, Digest: true})
	if r.Error != "" && ctx.Err() == nil {
		tb.Fatalf("%s: %s", s.Name, r.Error)
	}
	return r, r.Error == ""
}

// times are the durations of the rounds of a benchmark in nanoseconds.
type times []float64

// rounds are durations by the clock and by the processor.
type rounds struct{ clock, cpu times }

func (t *rounds) add(tb testing.TB, s querykit.Shape, rows int, r reply) {
	tb.Helper()
	if r.Rows != rows {
		tb.Fatalf("%s: %d rows, want %d", s.Name, r.Rows, rows)
	}
	t.clock, t.cpu = append(t.clock, r.NS), append(t.cpu, r.CPU)
}

func (t times) least() float64 { return slices.Min(t) }

func (t times) median() float64 {
	sorted := slices.Sorted(slices.Values(t))
	return sorted[len(sorted)/2]
}
