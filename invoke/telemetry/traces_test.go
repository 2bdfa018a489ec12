package telemetry_test

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"

	"trails/invoke"
	"trails/invoke/telemetry"
)

// received is an OTLP collector and what it was sent.
type received struct {
	mu       sync.Mutex
	paths    []string
	resource []string
	spans    []string
}

func (c *received) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var request collector.ExportTraceServiceRequest
	if err != nil || proto.Unmarshal(body, &request) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.paths = append(c.paths, r.Method+" "+r.URL.Path)
	for _, resource := range request.ResourceSpans {
		for _, a := range resource.Resource.Attributes {
			c.resource = append(c.resource, a.Key+"="+a.Value.GetStringValue())
		}
		for _, scope := range resource.ScopeSpans {
			for _, s := range scope.Spans {
				line := fmt.Sprintf("%s %x<%x %s %s", s.Name, s.TraceId, s.ParentSpanId,
					time.Unix(0, int64(s.EndTimeUnixNano)).Sub(time.Unix(0, int64(s.StartTimeUnixNano))), s.Status.GetCode())
				for _, a := range s.Attributes {
					line += " " + strings.TrimPrefix(a.Key, "trails.") + "=" + a.Value.GetStringValue()
				}
				c.spans = append(c.spans, line)
			}
		}
	}
}

const (
	traceID = "0af7651916cd43dd8448eb211c80319c"
	spanID  = "b7ad6b7169203331"
)

func TestACallIsASpanOfItsCallersTrace(t *testing.T) {
	c := &received{}
	server := httptest.NewServer(c)
	defer server.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL)
	traces, err := telemetry.StartTraces(t.Context(), "1.2", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ended := at.Add(1500 * time.Microsecond)
	for _, o := range []invoke.Observation{
		{Capability: "note.create", Via: "http", Outcome: "ok", Started: at, Ended: ended, TraceID: traceID, ParentSpan: spanID, Commit: "c0ffee"},
		{Capability: "query", Via: "mcp-stdio", Outcome: "failed", Kind: "internal", Started: at, Ended: ended, TraceID: traceID},
		{Capability: "unknown", Via: "http", Outcome: "denied", Kind: "unknown_tool", Started: at, Ended: ended, TraceID: "no trace id", ParentSpan: spanID},
	} {
		traces.Observe(o)
	}
	if err := traces.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"POST /v1/traces"}, c.paths); diff != "" {
		t.Error(diff)
	}
	if !slices.Contains(c.resource, "service.name=trails") || !slices.Contains(c.resource, "service.version=1.2") {
		t.Errorf("the resource is %v", c.resource)
	}
	if len(c.spans) != 3 {
		t.Fatalf("got %v", c.spans)
	}
	own, _, _ := strings.Cut(strings.TrimPrefix(c.spans[2], "unknown "), "<")
	if id, err := hex.DecodeString(own); err != nil || len(id) != 16 {
		t.Errorf("a call without a usable trace id: %s", c.spans[2])
	}
	want := []string{
		"note.create " + traceID + "<" + spanID + " 1.5ms STATUS_CODE_UNSET capability=note.create via=http outcome=ok commit=c0ffee",
		"query " + traceID + "< 1.5ms STATUS_CODE_ERROR capability=query via=mcp-stdio outcome=failed kind=internal",
		"unknown " + own + "< 1.5ms STATUS_CODE_UNSET capability=unknown via=http outcome=denied kind=unknown_tool",
	}
	if diff := cmp.Diff(want, c.spans); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestACollectorThatIsDownDelaysNobody: spans beyond the queue are lost, the log
// has one line, and closing gives up.
func TestACollectorThatIsDownDelaysNobody(t *testing.T) {
	stuck, release := make(chan struct{}), make(chan struct{})
	var once sync.Once
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		once.Do(func() { close(stuck) })
		<-release
		w.WriteHeader(http.StatusInternalServerError)
	}))
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", server.URL)
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "1")
	log := make(lines, 100)
	traces, err := telemetry.StartTraces(t.Context(), "1.2", slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	call := invoke.Observation{Capability: "health", Outcome: "ok", Started: at, Ended: at, TraceID: traceID}
	traces.Observe(call)
	<-stuck // the collector holds the first batch and will not let go
	for range 10_000 {
		traces.Observe(call) // would wait here for ever
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // stands for five seconds
	if err := traces.Close(ctx); err != nil {
		t.Error(err)
	}
	close(release)
	server.Close()
	got := []string{<-log, <-log} // one of sending, one of the end
	if slices.Sort(got); !strings.Contains(got[0], "traces cannot be sent") || !strings.Contains(got[1], "traces were lost at the end") {
		t.Errorf("got %q", got)
	}
	if len(log) > 0 {
		t.Errorf("and then %q", <-log)
	}
}

// lines is a log that can be waited for.
type lines chan string

func (l lines) Write(line []byte) (int, error) {
	_, message, _ := strings.Cut(string(line), "level=WARN ")
	l <- message
	return len(line), nil
}

func TestWithoutACollectorNothingIsTraced(t *testing.T) {
	for name, env := range map[string]map[string]string{
		"nothing is set":    {},
		"the SDK is off":    {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:1", "OTEL_SDK_DISABLED": "true"},
		"traces are off":    {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:1", "OTEL_TRACES_EXPORTER": "none"},
		"metrics alone are": {"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": "http://localhost:1"},
	} {
		t.Run(name, func(t *testing.T) {
			for k, v := range env {
				t.Setenv(k, v)
			}
			traces, err := telemetry.StartTraces(t.Context(), "1.2", slog.New(slog.DiscardHandler))
			if err != nil || traces != nil {
				t.Errorf("got %v, %v", traces, err)
			}
			traces.Observe(invoke.Observation{})
			if err := traces.Close(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestAnEnvironmentThatCannotBeFollowedIsRefused(t *testing.T) {
	for name, env := range map[string][2]string{
		"an address without a scheme": {"OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318"},
		"no address at all":           {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://"},
		"a protocol we do not speak":  {"OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://localhost:4318")
			t.Setenv(env[0], env[1])
			if _, err := telemetry.StartTraces(t.Context(), "1.2", slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), env[1]) {
				t.Errorf("got %v", err)
			}
		})
	}
}
