// Package telemetry provides monitoring of a process: metrics for Prometheus ([Metrics]) and a span for every call
// over OTLP ([Traces]). The engine reports finished calls to both (invoke.Config's Observe); other values are read on
// demand. Neither ever makes a call wait.
//
// It knows nothing of the graph: what is measured comes as functions.
package telemetry

import (
	"maps"
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

// Metrics keeps the numbers of one process, or of one of its graphs. It is safe for concurrent use.
type Metrics struct {
	registry *prometheus.Registry  // of the process, or of the graph
	all      prometheus.Registerer // that of the process, with the graph's label; nil for the metrics of a process
	graph    string
	calls    *prometheus.CounterVec
	duration *prometheus.HistogramVec
	series   *series

	mu         sync.Mutex
	registered map[*registration]struct{}
	removed    bool // they are not registered any more
}

// registration is collectors that come and go together.
type registration struct{ all []prometheus.Collector }

// series bounds the capabilities that have series of their own, in all graphs together.
type series struct {
	mu    sync.Mutex
	known map[[2]string]struct{} // graphs and capabilities
}

// buckets are upper bounds in seconds, from half a millisecond (a read of one node) to half a minute (a long
// load).
var buckets = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}

// maxCapabilities bounds the series, because changes of the schema can create capabilities without end. Later
// ones are counted as "other".
const maxCapabilities = 2048

// New returns metrics with their own registry, for a program's version.
func New(version string) *Metrics {
	m := NewGraphs(version)
	m.register(m.calls, m.duration)
	return m
}

// NewGraphs returns metrics of a process that serves several graphs: those of calls are added by [Metrics.Graph].
func NewGraphs(version string) *Metrics {
	m := newMetrics(&series{known: map[[2]string]struct{}{}})
	m.register(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "trails_build_info", Help: "Always 1; the label says which version runs.", ConstLabels: prometheus.Labels{"version": version},
		}, func() float64 { return 1 }))
	return m
}

func newMetrics(s *series) *Metrics {
	return &Metrics{
		registry: prometheus.NewRegistry(), registered: map[*registration]struct{}{}, series: s,
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "trails_calls_total", Help: "Finished calls.",
		}, []string{"capability", "outcome", "via"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "trails_call_duration_seconds", Help: "How long calls took, from their arrival to their result.", Buckets: buckets,
		}, []string{"capability"}),
	}
}

// Graph returns the metrics of one of several graphs. They are among those of m, too, with its id as a label, until
// [Metrics.Remove]. Their handler has those of this graph alone.
func (m *Metrics) Graph(id string) *Metrics {
	of := newMetrics(m.series)
	of.graph, of.all = id, prometheus.WrapRegistererWith(prometheus.Labels{"graph": id}, m.registry)
	of.register(of.calls, of.duration)
	return of
}

// Remove ends the metrics of a graph, with those that were added, so that there may be another graph by its id.
func (m *Metrics) Remove() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.removed = true
	m.series.forget(m.graph)
	for r := range m.registered {
		m.unregister(r)
	}
}

func (m *Metrics) register(all ...prometheus.Collector) *registration {
	m.registry.MustRegister(all...)
	if m.all != nil {
		m.all.MustRegister(all...)
	}
	r := &registration{all}
	m.registered[r] = struct{}{}
	return r
}

func (m *Metrics) unregister(r *registration) {
	delete(m.registered, r)
	for _, c := range r.all {
		m.registry.Unregister(c)
		if m.all != nil {
			m.all.Unregister(c)
		}
	}
}

// Add adds metrics of further sources, until remove is called; each source may be added once.
func (m *Metrics) Add(s Sources) (remove func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.removed {
		return func() {}
	}
	added := m.register(gauges(s)...)
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		if !m.removed { // else another graph may have metrics by these names
			m.unregister(added)
		}
	}
}

// Observe counts a finished call.
func (m *Metrics) Observe(o invoke.Observation) {
	capability := m.series.of(m.graph, o.Capability)
	m.calls.WithLabelValues(capability, o.Outcome, o.Via).Inc()
	m.duration.WithLabelValues(capability).Observe(o.Ended.Sub(o.Started).Seconds())
}

// of returns the capability's label in a graph.
func (s *series) of(graph, capability string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := [2]string{graph, capability}
	if _, ok := s.known[key]; ok {
		return capability
	}
	if len(s.known) >= maxCapabilities {
		return "other"
	}
	s.known[key] = struct{}{}
	return capability
}

// forget takes the series of a graph out.
func (s *series) forget(graph string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.known, func(key [2]string, _ struct{}) bool { return key[0] == graph })
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
