package telemetry

import "github.com/prometheus/client_golang/prometheus"

// gauges are metrics of the sources, read whenever the metrics are.
func gauges(s Sources) []prometheus.Collector {
	var all []prometheus.Collector
	add := func(name, help string, read func() float64) {
		all = append(all, prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, read))
	}
	if s.Sessions != nil {
		all = append(all, sessions(s.Sessions))
	}
	if s.Watchers != nil {
		add("trails_watchers", "Those of this process who hear of changes.", func() float64 { open, _ := s.Watchers(); return float64(open) })
		add("trails_watchers_behind", "Those of them who have not taken the last report yet.", func() float64 { _, behind := s.Watchers(); return float64(behind) })
	}
	if s.Sizes != nil {
		add("trails_file_bytes", "Size of the graph's file.", func() float64 { file, _ := s.Sizes(); return float64(file) })
		add("trails_wal_bytes", "Size of the graph's write-ahead log.", func() float64 { _, log := s.Sizes(); return float64(log) })
	}
	if s.FailedScans != nil {
		all = append(all, prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "trails_failed_scans_total", Help: "Scans of queries that failed by a fault of trails; SQL answered in their place."},
			func() float64 { return float64(s.FailedScans()) }))
	}
	for _, queue := range []struct {
		name, help string
		length     func() int
	}{
		{"trails_subscription_queue", "Notifications that wait for their readers.", s.SubscriptionQueue},
		{"trails_provenance_queue", "Calls whose provenance is not written down yet.", s.ProvenanceQueue},
		{"trails_query_queue", "Queries and exports of this process that wait for their turn.", s.QueryQueue},
		{"trails_writer_queue", "Calls of this process that wait to write.", s.WriterQueue},
	} {
		if queue.length != nil {
			add(queue.name, queue.help, func() float64 { return float64(queue.length()) })
		}
	}
	return all
}

// sessions are the open MCP sessions by transport.
type sessions func() map[string]int

var sessionsDesc = prometheus.NewDesc("trails_mcp_sessions", "Open MCP sessions.", []string{"transport"}, nil)

// Describe implements prometheus.Collector.
func (sessions) Describe(out chan<- *prometheus.Desc) { out <- sessionsDesc }

// Collect implements prometheus.Collector.
func (s sessions) Collect(out chan<- prometheus.Metric) {
	for transport, n := range s() {
		out <- prometheus.MustNewConstMetric(sessionsDesc, prometheus.GaugeValue, float64(n), transport)
	}
}
