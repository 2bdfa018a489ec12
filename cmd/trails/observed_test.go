package main

import (
	"bufio"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"
)

const (
	callersTrace = "0af7651916cd43dd8448eb211c80319c"
	callersSpan  = "b7ad6b7169203331"
)

// TestACallCanBeFollowed from the caller's traceparent to the span, the provenance,
// the log and the metrics of a server.
func TestACallCanBeFollowed(t *testing.T) {
	spans := &spanCollector{}
	server := httptest.NewServer(spans)
	defer server.Close()
	cmd := exec.Command("trails", "serve", starter(t, newNotes(t)), "--addr", "127.0.0.1:0")
	cmd.Env = append(cmd.Environ(), "TRAILS_MCP_TOKEN=s3cret", "TRAILS_LOG=debug", "OTEL_EXPORTER_OTLP_ENDPOINT="+server.URL)
	errs, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill() }()
	said := bufio.NewReader(errs)
	base := ""
	for base == "" {
		line, err := said.ReadString('\n')
		if err != nil {
			t.Fatalf("serve ended: %v", err)
		}
		base = regexp.MustCompile(`http://127\.0\.0\.1:\d+`).FindString(line)
	}
	var log strings.Builder
	var logged sync.WaitGroup
	logged.Go(func() { _, _ = io.Copy(&log, said) })

	ask(t, "POST", base+"/invoke/note.create", `{"title":"Followed"}`)
	prov, metrics := ask(t, "GET", base+"/prov", ""), ask(t, "GET", base+"/metrics", "")
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	logged.Wait()
	if err := cmd.Wait(); err != nil {
		t.Fatalf("after SIGTERM: %v\n%s", err, log.String())
	}
	if !strings.Contains(prov, callersTrace) {
		t.Errorf("the provenance does not name the trace:\n%s", prov)
	}
	for _, want := range []string{
		`trails_calls_total{capability="note.create",outcome="ok",via="http"} 1`, "trails_file_bytes ", "trails_wal_bytes ", "trails_watchers ",
		"trails_provenance_queue ", "trails_writer_queue 0", "trails_subscription_queue 0", "trails_build_info{",
	} {
		if !strings.Contains(metrics, want) {
			t.Errorf("the metrics have no %s:\n%s", want, metrics)
		}
	}
	if want := "msg=call trace_id=" + callersTrace + " capability=note.create via=http outcome=ok ms="; !strings.Contains(log.String(), want) {
		t.Errorf("the log has no %q:\n%s", want, log.String())
	}
	if want := "note.create " + callersTrace + "<" + callersSpan; !spans.has(want) {
		t.Errorf("the collector has no %q: %v", want, spans.got)
	}
}

// ask makes one request as part of the caller's trace, which must succeed.
func ask(t *testing.T, method, url, body string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer s3cret")
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Traceparent", "00-"+callersTrace+"-"+callersSpan+"-01")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, _ := io.ReadAll(res.Body)
	if res.StatusCode != http.StatusOK {
		t.Fatalf("%s %s: %d %s", method, url, res.StatusCode, text)
	}
	return string(text)
}

// spanCollector keeps the spans it is sent as "name trace<parent".
type spanCollector struct {
	mu  sync.Mutex
	got []string
}

func (c *spanCollector) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var request collector.ExportTraceServiceRequest
	_ = proto.Unmarshal(body, &request) // what is not read is missed
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, resource := range request.ResourceSpans {
		for _, scope := range resource.ScopeSpans {
			for _, s := range scope.Spans {
				c.got = append(c.got, s.Name+" "+hex.EncodeToString(s.TraceId)+"<"+hex.EncodeToString(s.ParentSpanId))
			}
		}
	}
}

func (c *spanCollector) has(span string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.got {
		if s == span {
			return true
		}
	}
	return false
}

func TestACollectorThatCannotBeMeantIsRefused(t *testing.T) {
	for _, command := range []string{"serve", "mcp"} {
		cmd := exec.Command("trails", command, newNotes(t))
		cmd.Env = append(cmd.Environ(), "OTEL_EXPORTER_OTLP_ENDPOINT=collector:4318")
		out, _ := cmd.CombinedOutput()
		if got := cmd.ProcessState.ExitCode(); got != exitUsage || !strings.Contains(string(out), "collector:4318") {
			t.Errorf("%s: exit %d: %s", command, got, out)
		}
	}
}

// The metrics name what others called, and have numbers of all that there is: who may see a part has none of them.
func TestMetricsAreForWhoMaySeeAll(t *testing.T) {
	dir := t.TempDir()
	file, policies := filepath.Join(dir, "notes.trails"), filepath.Join(dir, "policies.cedar")
	runs(t, "init", file, "--schema", "testdata/notes/schema.yaml")
	text := `permit (principal, action, resource);
		forbid (principal, action, resource in Type::"Note") unless { principal == Actor::"token:keeper" };`
	if err := os.WriteFile(policies, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	tokens := map[string]string{}
	for _, name := range []string{"keeper", "bot"} {
		tokens[name] = issued(t, file, name, "runtime,builder")
	}
	runs(t, "policy", "set", file, policies)
	base, _ := startServer(t, nil, file)
	if res, text := (sent{method: "POST", path: "/invoke/note.create", body: `{"title":"Kept"}`, token: tokens["keeper"]}).send(t, base); res.StatusCode != 200 {
		t.Fatalf("%d %s", res.StatusCode, text)
	}
	if res, text := (sent{method: "GET", path: "/metrics", token: tokens["keeper"]}).send(t, base); res.StatusCode != 200 || !strings.Contains(text, `capability="note.create"`) {
		t.Errorf("who sees all: %d %.300s", res.StatusCode, text)
	}
	if res, text := (sent{method: "GET", path: "/metrics", token: tokens["bot"]}).send(t, base); res.StatusCode != 403 || !strings.Contains(text, "see a part") || strings.Contains(text, "note.create") {
		t.Errorf("who sees a part: %d %.300s", res.StatusCode, text)
	}
	if res, _ := (sent{method: "GET", path: "/metrics"}).send(t, base); res.StatusCode != 401 {
		t.Errorf("nobody: %d", res.StatusCode)
	}
}

// The numbers of all graphs are for who may use all of them.
func TestMetricsOfAllGraphs(t *testing.T) {
	dir, tokens := twoGraphs(t)
	runs(t, "token", "revoke", filepath.Join(dir, "alpha.trails"), "reader", "--forget") // which everybody may use now
	base, _ := startServer(t, nil, "--graphs", dir)
	if res, text := (sent{method: "GET", path: "/graphs/beta/kg/Note/n1", token: tokens["beta"]}).send(t, base); res.StatusCode != 200 {
		t.Fatalf("%d %s", res.StatusCode, text)
	}
	if res, text := (sent{method: "GET", path: "/metrics"}).send(t, base); res.StatusCode != 403 || strings.Contains(text, "beta") {
		t.Errorf("who may use one of two: %d %.300s", res.StatusCode, text)
	}
	if res, text := (sent{method: "GET", path: "/graphs/beta/metrics", token: tokens["beta"]}).send(t, base); res.StatusCode != 200 || !strings.Contains(text, "trails_calls_total") {
		t.Errorf("those of a graph: %d %.300s", res.StatusCode, text)
	}
	base, _ = startServer(t, []string{"TRAILS_MCP_TOKEN=of-all"}, "--graphs", dir)
	for _, id := range []string{"alpha", "beta"} {
		if res, text := (sent{method: "GET", path: "/graphs/" + id + "/kg", token: "of-all"}).send(t, base); res.StatusCode != 200 {
			t.Fatalf("%d %s", res.StatusCode, text)
		}
	}
	if res, text := (sent{method: "GET", path: "/metrics", token: "of-all"}).send(t, base); res.StatusCode != 200 || !strings.Contains(text, `graph="beta"`) || !strings.Contains(text, `graph="alpha"`) {
		t.Errorf("who may use all: %d %.300s", res.StatusCode, text)
	}
}
