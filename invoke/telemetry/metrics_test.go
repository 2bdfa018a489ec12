package telemetry_test

import (
	"fmt"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"trails/invoke"
	"trails/invoke/telemetry"
)

// at is when the calls of these tests begin.
var at = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// scrape returns the lines that Prometheus would read, without help and types.
func scrape(t testing.TB, m *telemetry.Metrics) []string {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	if w.Code != 200 || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain") {
		t.Fatalf("got %d %v: %s", w.Code, w.Header(), w.Body)
	}
	var lines []string
	for line := range strings.Lines(w.Body.String()) {
		if !strings.HasPrefix(line, "#") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

// ours are the lines of trails' own metrics, but for empty buckets.
func ours(lines []string) []string {
	var out []string
	empty := regexp.MustCompile(`_bucket.* 0$`)
	for _, line := range lines {
		if strings.HasPrefix(line, "trails_") && !empty.MatchString(line) {
			out = append(out, line)
		}
	}
	return out
}

func TestMetricsSayWhatAProcessDoes(t *testing.T) {
	m := telemetry.New("1.2")
	m.Add(telemetry.Sources{
		Watchers:        func() (int, int) { return 7, 2 },
		Sizes:           func() (int64, int64) { return 4096, 512 },
		ProvenanceQueue: func() int { return 5 },
		QueryQueue:      func() int { return 6 },
		WriterQueue:     func() int { return 4 },
		FailedScans:     func() int64 { return 8 },
	})
	m.Add(telemetry.Sources{ // known later
		Sessions:          func() map[string]int { return map[string]int{"mcp-http": 3, "mcp-sse": 1} },
		SubscriptionQueue: func() int { return 6 },
	})
	for _, o := range []invoke.Observation{
		{Capability: "health", Via: "http", Outcome: "ok", Started: at, Ended: at.Add(20 * time.Second)},
		{Capability: "health", Via: "http", Outcome: "ok", Started: at, Ended: at.Add(time.Minute)},
		{Capability: "note.create", Via: "mcp-stdio", Outcome: "invalid", Kind: "invalid_data", Started: at, Ended: at.Add(25 * time.Second)},
	} {
		m.Observe(o)
	}
	want := []string{
		`trails_build_info{version="1.2"} 1`,
		`trails_call_duration_seconds_bucket{capability="health",le="30"} 1`,
		`trails_call_duration_seconds_bucket{capability="health",le="+Inf"} 2`,
		`trails_call_duration_seconds_sum{capability="health"} 80`,
		`trails_call_duration_seconds_count{capability="health"} 2`,
		`trails_call_duration_seconds_bucket{capability="note.create",le="30"} 1`,
		`trails_call_duration_seconds_bucket{capability="note.create",le="+Inf"} 1`,
		`trails_call_duration_seconds_sum{capability="note.create"} 25`,
		`trails_call_duration_seconds_count{capability="note.create"} 1`,
		`trails_calls_total{capability="health",outcome="ok",via="http"} 2`,
		`trails_calls_total{capability="note.create",outcome="invalid",via="mcp-stdio"} 1`,
		`trails_failed_scans_total 8`,
		`trails_file_bytes 4096`,
		`trails_mcp_sessions{transport="mcp-http"} 3`,
		`trails_mcp_sessions{transport="mcp-sse"} 1`,
		`trails_provenance_queue 5`,
		`trails_query_queue 6`,
		`trails_subscription_queue 6`,
		`trails_wal_bytes 512`,
		`trails_watchers 7`,
		`trails_watchers_behind 2`,
		`trails_writer_queue 4`,
	}
	lines := scrape(t, m)
	if diff := cmp.Diff(want, ours(lines)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	all := strings.Join(lines, "\n")
	for _, name := range []string{"go_goroutines ", "process_resident_memory_bytes "} {
		if !strings.Contains(all, name) {
			t.Errorf("%s is missing", name)
		}
	}
}

func TestWhatAProcessDoesNotKnowIsLeftOut(t *testing.T) {
	got := ours(scrape(t, telemetry.New("1.2")))
	if diff := cmp.Diff([]string{`trails_build_info{version="1.2"} 1`}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestSeriesAreBounded guards the collector, and us, against a schema that changes
// all day.
func TestSeriesAreBounded(t *testing.T) {
	m := telemetry.New("")
	for i := range 5000 {
		m.Observe(invoke.Observation{Capability: fmt.Sprintf("t%d.create", i), Outcome: "ok", Via: "http", Started: at, Ended: at})
	}
	series := 0
	for _, line := range ours(scrape(t, m)) {
		if strings.HasPrefix(line, "trails_calls_total") {
			series++
		}
		if strings.Contains(line, `trails_calls_total{capability="other"`) && !strings.HasSuffix(line, " 2952") {
			t.Errorf("the rest: %s", line)
		}
	}
	if series != 2049 {
		t.Errorf("%d series, want 2,048 and the rest", series)
	}
}
