package telemetry

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// A collector gets what the environment asks for, is asked again when it says so, and what
// it refuses is an error.
func TestSpansAreSentAsTheEnvironmentSays(t *testing.T) {
	spans := []*tracepb.ResourceSpans{{ScopeSpans: []*tracepb.ScopeSpans{{Spans: []*tracepb.Span{{
		Name: "search", TraceId: []byte("0123456789abcdef"), SpanId: []byte("01234567"), Kind: tracepb.Span_SPAN_KIND_SERVER,
		Attributes: []*common.KeyValue{{Key: "traceId", Value: &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: "AAAA"}}}},
	}}}}}}
	partial, err := proto.Marshal(&collector.ExportTraceServiceResponse{PartialSuccess: &collector.ExportTracePartialSuccess{RejectedSpans: 3, ErrorMessage: "too old"}})
	if err != nil {
		t.Fatal(err)
	}
	type answer struct {
		status            int
		contentType, text string
	}
	for name, c := range map[string]struct {
		env     map[string]string
		answers []answer
		path    string
		fails   string
	}{
		"one endpoint for all": {map[string]string{"ENDPOINT": "/base/"}, []answer{{200, "", ""}}, "/base/v1/traces", ""},
		"one for traces":       {map[string]string{"TRACES_ENDPOINT": "/t", "HEADERS": "x-key=a%20b, y=z"}, []answer{{202, asProtobuf, ""}}, "/t", ""},
		"zipped":               {map[string]string{"ENDPOINT": "", "COMPRESSION": "gzip", "TIMEOUT": "2000"}, []answer{{200, "", ""}}, "/v1/traces", ""},
		"as JSON":              {map[string]string{"ENDPOINT": "", "TRACES_PROTOCOL": "http/json"}, []answer{{200, asJSON, "{}"}}, "/v1/traces", ""},
		"again":                {map[string]string{"ENDPOINT": ""}, []answer{{503, "", "busy"}, {429, "", ""}, {200, "", ""}}, "/v1/traces", ""},
		"never again":          {map[string]string{"ENDPOINT": ""}, []answer{{400, "", "no"}}, "/v1/traces", `400 Bad Request: "no"`},
		"sent elsewhere":       {map[string]string{"ENDPOINT": "", "HEADERS": "x-key=a%20b, y=z"}, []answer{{307, "", ""}}, "/v1/traces", "307 Temporary Redirect"},
		"some refused":         {map[string]string{"ENDPOINT": ""}, []answer{{200, asProtobuf, string(partial)}}, "/v1/traces", "refuses 3 spans: too old"},
		"some refused in JSON": {map[string]string{"ENDPOINT": ""}, []answer{{200, asJSON, `{"partialSuccess":{"rejectedSpans":"2"}}`}}, "/v1/traces", "refuses 2 spans"},
		"an answer of noise":   {map[string]string{"ENDPOINT": ""}, []answer{{200, asProtobuf, "\xff\xff\xff"}}, "/v1/traces", ""},
	} {
		t.Run(name, func(t *testing.T) {
			asked := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body := io.Reader(r.Body)
				if r.Header.Get("Content-Encoding") == "gzip" {
					if body, err = gzip.NewReader(r.Body); err != nil {
						t.Error(err)
						return
					}
				}
				text, err := io.ReadAll(body)
				if err != nil {
					t.Error(err)
				}
				var request collector.ExportTraceServiceRequest
				switch {
				case r.Header.Get("Content-Type") == asJSON:
					if !strings.Contains(string(text), `"traceId":"30313233343536373839616263646566"`) || !strings.Contains(string(text), `"kind":2`) || !strings.Contains(string(text), `"AAAA"`) {
						t.Errorf("got %s", text)
					}
				case proto.Unmarshal(text, &request) != nil || len(request.ResourceSpans) == 0 || request.ResourceSpans[0].ScopeSpans[0].Spans[0].Name != "search":
					t.Errorf("got %q", text)
				}
				if r.URL.Path != c.path || c.env["HEADERS"] != "" && (r.Header.Get("X-Key") != "a b" || r.Header.Get("Y") != "z") {
					t.Errorf("%s %v", r.URL.Path, r.Header)
				}
				says := c.answers[min(asked, len(c.answers)-1)]
				asked++
				w.Header().Set("Content-Type", says.contentType)
				if says.status/100 == 3 {
					w.Header().Set("Location", "/elsewhere")
				}
				w.WriteHeader(says.status)
				_, _ = io.WriteString(w, says.text)
			}))
			defer server.Close()
			for name, value := range c.env {
				if strings.HasSuffix(name, "ENDPOINT") {
					value = server.URL + value
				}
				t.Setenv("OTEL_EXPORTER_OTLP_"+name, value)
			}
			client, err := newClient()
			if err != nil {
				t.Fatal(err)
			}
			client.pause = time.Millisecond
			err = client.UploadTraces(t.Context(), spans)
			if c.fails == "" && err != nil || c.fails != "" && (err == nil || !strings.Contains(err.Error(), c.fails)) || asked != len(c.answers) {
				t.Errorf("asked %d times: %v", asked, err)
			}
		})
	}
}

// Stop ends a wait for a collector.
func TestStopEndsSending(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }))
	defer server.Close()
	t.Setenv(allEndpoint, server.URL)
	c, err := newClient()
	if err != nil {
		t.Fatal(err)
	}
	c.pause = time.Hour
	done := make(chan error)
	go func() { done <- c.UploadTraces(t.Context(), nil) }()
	if err := c.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err == nil {
		t.Error("what was not sent is no error")
	}
}

func TestACertificateThatIsNoneIsRefused(t *testing.T) {
	t.Setenv(allEndpoint, "https://localhost:1")
	t.Setenv("OTEL_EXPORTER_OTLP_CERTIFICATE", "otlp.go")
	if _, err := newClient(); err == nil || !strings.Contains(err.Error(), "has no certificate") {
		t.Errorf("got %v", err)
	}
}
