package telemetry

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/url"
	"os"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"trails/invoke"
)

// The environment variables for the destination and format of spans; the client (otlp.go) reads the rest of
// OTEL_EXPORTER_OTLP_*. https://opentelemetry.io/docs/specs/otel/protocol/exporter/
const (
	allEndpoint    = "OTEL_EXPORTER_OTLP_ENDPOINT"
	traceEndpoint  = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
	allProtocol    = "OTEL_EXPORTER_OTLP_PROTOCOL"
	traceProtocol  = "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"
	tracesExporter = "OTEL_TRACES_EXPORTER"
	sdkDisabled    = "OTEL_SDK_DISABLED"
)

// Traces sends a span for every call to an OTLP collector. A nil Traces sends nothing. It is safe for
// concurrent use. Close it.
type Traces struct {
	exporter *quiet
	provider *sdk.TracerProvider
	tracer   trace.Tracer
}

// StartTraces returns nil if the environment names no collector. An invalid environment is an error; an
// unreachable collector is logged once.
func StartTraces(ctx context.Context, version string, log *slog.Logger) (*Traces, error) {
	endpoint := cmp.Or(os.Getenv(traceEndpoint), os.Getenv(allEndpoint))
	if endpoint == "" || os.Getenv(tracesExporter) == "none" || os.Getenv(sdkDisabled) == "true" {
		return nil, nil
	}
	if err := checkEnvironment(endpoint); err != nil {
		return nil, err
	}
	c, err := newClient()
	if err != nil {
		return nil, fmt.Errorf("start traces: %w", err)
	}
	exporter, err := otlptrace.New(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("start traces: %w", err)
	}
	about, err := describe(ctx, version)
	if err != nil {
		return nil, fmt.Errorf("start traces: %w", err)
	}
	t := &Traces{exporter: &quiet{SpanExporter: exporter, log: log}}
	t.provider = sdk.NewTracerProvider(sdk.WithBatcher(t.exporter), sdk.WithIDGenerator(ids{}), sdk.WithResource(about))
	t.tracer = t.provider.Tracer("trails")
	return t, nil
}

// checkEnvironment refuses settings that the exporter would silently replace.
func checkEnvironment(endpoint string) error {
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("%s: %q is no http or https URL", traceEndpoint, endpoint)
	}
	switch protocol := cmp.Or(os.Getenv(traceProtocol), os.Getenv(allProtocol)); protocol {
	case "", "http/protobuf", "http/json":
		return nil
	default:
		return fmt.Errorf("%s: %q is not spoken here; take http/protobuf or http/json", traceProtocol, protocol)
	}
}

// describe returns the attributes of the process; OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES take
// precedence.
func describe(ctx context.Context, version string) (*resource.Resource, error) {
	return resource.New(ctx,
		resource.WithTelemetrySDK(),
		resource.WithAttributes(attribute.String("service.name", "trails"), attribute.String("service.version", version)),
		resource.WithFromEnv())
}

// Observe queues a span for a finished call. The queue is sent periodically; if it is full the span is lost.
func (t *Traces) Observe(o invoke.Observation) {
	if t == nil {
		return
	}
	_, span := t.tracer.Start(parent(o), o.Capability,
		trace.WithTimestamp(o.Started), trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(attributes(o)...))
	if o.Outcome == "failed" {
		span.SetStatus(codes.Error, o.Kind)
	}
	span.End(trace.WithTimestamp(o.Ended))
}

func attributes(o invoke.Observation) []attribute.KeyValue {
	list := []attribute.KeyValue{
		attribute.String("trails.capability", o.Capability),
		attribute.String("trails.via", o.Via),
		attribute.String("trails.outcome", o.Outcome),
	}
	if o.Kind != "" {
		list = append(list, attribute.String("trails.kind", o.Kind))
	}
	if o.Commit != "" {
		list = append(list, attribute.String("trails.commit", o.Commit))
	}
	return list
}

// closeWait bounds how long a process waits for its collector when it ends.
const closeWait = 5 * time.Second

// Close sends the queue, for at most five seconds.
func (t *Traces) Close(ctx context.Context) error {
	if t == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, closeWait)
	defer cancel()
	err := t.provider.Shutdown(ctx)
	if err == nil {
		return nil
	}
	// The provider has stopped waiting, but the exporter may still be sending.
	err = errors.Join(err, t.exporter.Shutdown(context.WithoutCancel(ctx)))
	t.exporter.log.Warn("traces were lost at the end", "error", err)
	return nil
}

// traceKey holds the trace id of a span without a parent.
type traceKey struct{}

// parent returns a context with the call's trace id and, if the caller named one, its parent span.
func parent(o invoke.Observation) context.Context {
	ctx := context.Background()
	var id trace.TraceID
	if n, err := hex.Decode(id[:], digits(o.TraceID, len(id))); err != nil || n != len(id) || !id.IsValid() {
		return ctx
	}
	var span trace.SpanID
	if n, err := hex.Decode(span[:], digits(o.ParentSpan, len(span))); err != nil || n != len(span) || !span.IsValid() {
		return context.WithValue(ctx, traceKey{}, id)
	}
	return trace.ContextWithRemoteSpanContext(ctx, trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: id, SpanID: span, TraceFlags: trace.FlagsSampled, Remote: true,
	}))
}

// digits decodes n bytes of hex; it returns nil for other text.
func digits(text string, n int) []byte {
	if len(text) != hex.EncodedLen(n) {
		return nil
	}
	return []byte(text)
}

// ids generates span ids, and uses the trace ids of calls.
type ids struct{}

// NewIDs implements sdk.IDGenerator.
func (g ids) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	id, ok := ctx.Value(traceKey{}).(trace.TraceID)
	for !ok || !id.IsValid() {
		random(id[:])
		ok = true
	}
	return id, g.NewSpanID(ctx, id)
}

// NewSpanID implements sdk.IDGenerator.
func (ids) NewSpanID(context.Context, trace.TraceID) (id trace.SpanID) {
	for !id.IsValid() {
		random(id[:])
	}
	return id
}

func random(b []byte) {
	for i := range b {
		b[i] = byte(rand.Uint32())
	}
}

// quiet is an exporter that logs once that it cannot send, and once that it can again.
type quiet struct {
	sdk.SpanExporter
	log    *slog.Logger
	failed atomic.Bool
}

// ExportSpans implements sdk.SpanExporter. It returns no errors, because the SDK would print them to stderr.
func (q *quiet) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	err := q.SpanExporter.ExportSpans(ctx, spans)
	if failed := err != nil; failed == q.failed.Swap(failed) {
		return nil
	}
	if err != nil {
		q.log.Warn("traces cannot be sent; calls go on without", "error", err)
		return nil
	}
	q.log.Info("traces are sent again")
	return nil
}
