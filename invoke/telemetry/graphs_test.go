package telemetry_test

import (
	"slices"
	"strings"
	"testing"

	"trails/invoke"
	"trails/invoke/telemetry"
)

// The metrics of a process of several graphs have those of each, which alone has its own, until it is removed.
func TestMetricsOfSeveralGraphs(t *testing.T) {
	all := telemetry.NewGraphs("1.2")
	a, b := all.Graph("a"), all.Graph("b")
	for _, m := range []*telemetry.Metrics{a, b, b} {
		m.Observe(invoke.Observation{Capability: "health", Via: "http", Outcome: "ok", Started: at, Ended: at})
	}
	sources := func(writers int) telemetry.Sources {
		return telemetry.Sources{WriterQueue: func() int { return writers }, Sessions: func() map[string]int { return map[string]int{"mcp-http": 1} }}
	}
	a.Add(sources(3))() // it was opened and closed before
	removeSources := a.Add(sources(4))
	counts := func(m *telemetry.Metrics) []string {
		return slices.DeleteFunc(ours(scrape(t, m)), func(line string) bool {
			return !strings.HasPrefix(line, "trails_calls_total") && !strings.HasPrefix(line, "trails_writer_queue")
		})
	}
	for name, c := range map[string]struct {
		of   *telemetry.Metrics
		want []string
	}{
		"the process": {all, []string{
			`trails_calls_total{capability="health",graph="a",outcome="ok",via="http"} 1`,
			`trails_calls_total{capability="health",graph="b",outcome="ok",via="http"} 2`, `trails_writer_queue{graph="a"} 4`,
		}},
		"a": {a, []string{`trails_calls_total{capability="health",outcome="ok",via="http"} 1`, `trails_writer_queue 4`}},
		"b": {b, []string{`trails_calls_total{capability="health",outcome="ok",via="http"} 2`}},
	} {
		if got := counts(c.of); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q", name, got)
		}
	}
	a.Remove() // while a call of it is under way
	next := all.Graph("a")
	next.Add(sources(5))
	removeSources()
	a.Add(sources(6)) // it was being opened
	if got := counts(all); !slices.Contains(got, `trails_writer_queue{graph="a"} 5`) || len(got) != 2 {
		t.Errorf("after another graph took the id: %q", got)
	}
	next.Observe(invoke.Observation{Capability: "health", Via: "http", Outcome: "ok", Started: at, Ended: at})
	b.Remove()
	if got := counts(all); !slices.Equal(got, []string{`trails_calls_total{capability="health",graph="a",outcome="ok",via="http"} 1`, `trails_writer_queue{graph="a"} 5`}) {
		t.Errorf("after the end of one: %q", got)
	}
	if again := all.Graph("b"); len(counts(again)) != 0 {
		t.Errorf("another graph by the same id has %q", counts(again))
	}
}
