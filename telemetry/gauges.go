package telemetry

import "github.com/prometheus/client_golang/prometheus"

// gauges asks a process for its numbers whenever the metrics are read.
type gauges struct {
	described []*prometheus.Desc
	read      []func(chan<- prometheus.Metric)
}

// Describe implements prometheus.Collector.
func (g *gauges) Describe(out chan<- *prometheus.Desc) {
	for _, d := range g.described {
		out <- d
	}
}

// Collect implements prometheus.Collector.
func (g *gauges) Collect(out chan<- prometheus.Metric) {
	for _, read := range g.read {
		read(out)
	}
}

// about is the metric that says which version runs.
func about(version string) *gauges {
	g := &gauges{}
	d := g.describe("trails_build_info", "Always 1; the label says which version runs.", "version")
	g.read = append(g.read, func(out chan<- prometheus.Metric) { send(out, d, 1, version) })
	return g
}

func newGauges(s Sources) *gauges {
	g := &gauges{}
	if s.Sessions != nil {
		g.sessions(s.Sessions)
	}
	if s.Watchers != nil {
		g.watchers(s.Watchers)
	}
	if s.Sizes != nil {
		g.sizes(s.Sizes)
	}
	g.queue("trails_subscription_queue", "Notifications that wait for their readers.", s.SubscriptionQueue)
	g.queue("trails_provenance_queue", "Calls whose provenance is not written down yet.", s.ProvenanceQueue)
	g.queue("trails_query_queue", "Queries and exports of this process that wait for their turn.", s.QueryQueue)
	g.queue("trails_writer_queue", "Calls of this process that wait to write.", s.WriterQueue)
	return g
}

func (g *gauges) sessions(read func() map[string]int) {
	d := g.describe("trails_mcp_sessions", "Open MCP sessions.", "transport")
	g.read = append(g.read, func(out chan<- prometheus.Metric) {
		for transport, n := range read() {
			send(out, d, float64(n), transport)
		}
	})
}

func (g *gauges) watchers(read func() (open, behind int)) {
	all := g.describe("trails_watchers", "Those of this process who hear of changes.")
	late := g.describe("trails_watchers_behind", "Those of them who have not taken the last report yet.")
	g.read = append(g.read, func(out chan<- prometheus.Metric) {
		open, behind := read()
		send(out, all, float64(open))
		send(out, late, float64(behind))
	})
}

func (g *gauges) sizes(read func() (file, log int64)) {
	whole := g.describe("trails_file_bytes", "Size of the graph's file.")
	wal := g.describe("trails_wal_bytes", "Size of the graph's write-ahead log.")
	g.read = append(g.read, func(out chan<- prometheus.Metric) {
		file, log := read()
		send(out, whole, float64(file))
		send(out, wal, float64(log))
	})
}

// queue adds a gauge without labels, unless there is nothing to read.
func (g *gauges) queue(name, help string, read func() int) {
	if read == nil {
		return
	}
	d := g.describe(name, help)
	g.read = append(g.read, func(out chan<- prometheus.Metric) { send(out, d, float64(read())) })
}

func (g *gauges) describe(name, help string, labels ...string) *prometheus.Desc {
	d := prometheus.NewDesc(name, help, labels, nil)
	g.described = append(g.described, d)
	return d
}

func send(out chan<- prometheus.Metric, d *prometheus.Desc, value float64, labels ...string) {
	out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
}
