package invoke

import (
	"context"
	"log/slog"
	"time"
)

// Observation is one finished call, for metrics and traces.
type Observation struct {
	// Capability is the descriptor's id, "unknown" when there is no such capability.
	Capability string
	Via        string
	// Outcome is ok, invalid, denied or failed, as in provenance; Kind is the fault's, "" when ok.
	Outcome, Kind  string
	Started, Ended time.Time
	// ParentSpan is the caller's span, "" when it named none.
	TraceID, ParentSpan string
	Commit              string
}

// observe tells the process's metrics and traces of the call, and the log at debug.
func (r *Request) observe(err error) {
	log, tell := r.engine.config.Log, r.engine.config.Observe
	debug := log.Enabled(context.Background(), slog.LevelDebug)
	if tell == nil && !debug {
		return
	}
	if r.recorded {
		r.finish(err)
	}
	o := r.observation()
	if debug {
		o.log(log)
	}
	if tell != nil {
		tell(o)
	}
}

func (r *Request) observation() Observation {
	o := Observation{
		Capability: "unknown", Via: r.call.Via, Outcome: r.activity.Outcome, Kind: r.activity.Error,
		Started: r.activity.Started, Ended: r.activity.Ended, TraceID: r.call.TraceID, ParentSpan: r.call.ParentSpan}
	if r.written != nil && r.written.Commit != nil {
		o.Commit = *r.written.Commit
	}
	if r.Capability != nil {
		o.Capability = r.Capability.ID
	}
	return o
}

func (o Observation) log(log *slog.Logger) {
	attrs := []slog.Attr{
		slog.String("trace_id", o.TraceID), slog.String("capability", o.Capability), slog.String("via", o.Via),
		slog.String("outcome", o.Outcome), slog.Float64("ms", float64(o.Ended.Sub(o.Started).Microseconds())/1000),
	}
	if o.Kind != "" {
		attrs = append(attrs, slog.String("kind", o.Kind))
	}
	log.LogAttrs(context.Background(), slog.LevelDebug, "call", attrs...)
}
