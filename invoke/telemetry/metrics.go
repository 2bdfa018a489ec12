// Package telemetry provides monitoring of a process: metrics for Prometheus ([Metrics]) and a span for every call
// over OTLP ([Traces]). The engine reports finished calls to both (invoke.Config's Observe); other values are read on
// demand. Neither ever makes a call wait.
//
// It knows nothing of the graph: what is measured comes as functions.
package telemetry

import (
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"trails/invoke"
)

// Sources are functions that return values for the metrics of a process. A nil function leaves its metrics out.
type Sources struct {
	// Sessions counts the open MCP sessions by transport.
	Sessions func() map[string]int
	// SubscriptionQueue counts the notifications that wait for their readers.
	SubscriptionQueue func() int
	// Watchers counts those who watch changes, and how many of them have not received the last one.
	Watchers func() (open, behind int)
	// Sizes are the bytes of the file and of its write-ahead log.
	Sizes func() (file, log int64)
	// FailedScans counts the scans of queries that failed because of a bug.
	FailedScans func() int64
	// QueryQueue counts the queries and exports that wait for their turn.
	QueryQueue func() int
	// ProvenanceQueue counts the calls that are not written down yet.
	ProvenanceQueue func() int
	// WriterQueue counts the calls that wait for the one writer.
	WriterQueue func() int
}

// Metrics keeps the numbers of one process. It is safe for concurrent use.
type Metrics struct {
	registry *prometheus.Registry
	calls    *prometheus.CounterVec
	duration *prometheus.HistogramVec

	mu    sync.Mutex
	known map[string]struct{} // capabilities that have series of their own
}

// buckets are upper bounds in seconds, from half a millisecond (a read of one node) to half a minute (a long
// load).
var buckets = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}

// maxCapabilities bounds the series, because changes of the schema can create capabilities without end. Later
// ones are counted as "other".
const maxCapabilities = 2048

// New returns metrics with their own registry, for a program's version.
func New(version string) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "trails_calls_total", Help: "Finished calls.",
		}, []string{"capability", "outcome", "via"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "trails_call_duration_seconds", Help: "How long calls took, from their arrival to their result.", Buckets: buckets,
		}, []string{"capability"}),
		known: map[string]struct{}{},
	}
	m.registry.MustRegister(m.calls, m.duration,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "trails_build_info", Help: "Always 1; the label says which version runs.", ConstLabels: prometheus.Labels{"version": version},
		}, func() float64 { return 1 }))
	return m
}

// Add adds metrics of further sources; each source may be added once.
func (m *Metrics) Add(s Sources) { m.registry.MustRegister(gauges(s)...) }

// Observe counts a finished call.
func (m *Metrics) Observe(o invoke.Observation) {
	capability := m.series(o.Capability)
	m.calls.WithLabelValues(capability, o.Outcome, o.Via).Inc()
	m.duration.WithLabelValues(capability).Observe(o.Ended.Sub(o.Started).Seconds())
}

// series returns the capability's label.
func (m *Metrics) series(capability string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.known[capability]; ok {
		return capability
	}
	if len(m.known) >= maxCapabilities {
		return "other"
	}
	m.known[capability] = struct{}{}
	return capability
}

// Bounds for readers of the metrics.
const (
	maxReaders  = 4
	readTimeout = 10 * time.Second
)

// Handler answers GET /metrics in the formats of Prometheus.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: maxReaders, Timeout: readTimeout})
}
