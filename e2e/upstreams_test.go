package e2e_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"trails/e2e/testrun"
)

// bank starts an MCP server with one tool, owner, that names the owner of the credential it receives and
// repeats the credential.
func bank(t *testing.T) string {
	t.Helper()
	at := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		shown := r.Header.Get("Authorization")
		var m struct {
			ID     json.RawMessage
			Method string
		}
		switch err := json.NewDecoder(r.Body).Decode(&m); {
		case !strings.HasSuffix(shown, "-s3cret"):
			w.WriteHeader(http.StatusUnauthorized)
			return
		case r.Method != http.MethodPost:
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		case err != nil || m.ID == nil:
			w.WriteHeader(http.StatusAccepted)
			return
		}
		for name := range r.Header {
			if strings.HasPrefix(name, "Trails-") {
				shown += " with " + name
			}
		}
		who, _, _ := strings.Cut(strings.TrimPrefix(shown, "Bearer "), "-")
		result := map[string]any{
			"initialize": map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{"tools": map[string]any{}}, "serverInfo": map[string]any{"name": "bank", "version": "1"}},
			"tools/list": map[string]any{"tools": []any{map[string]any{"name": "owner", "inputSchema": map[string]any{"type": "object"}}}},
			"tools/call": map[string]any{"content": []any{map[string]any{"type": "text", "text": who + " " + shown}}},
		}[m.Method]
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": result})
	}))
	t.Cleanup(func() { at.CloseClientConnections(); at.Close() })
	return at.URL
}

var owner = regexp.MustCompile(`bank:owner#[0-9a-f]{8}`)

// Over each transport the credentials that a caller shows reach the upstream server, and those of nobody else.
// They are not in the file, the log or the traces.
func TestCallersShowUpstreamsCredentialsOfTheirOwn(t *testing.T) {
	t.Parallel()
	var traces testrun.Output
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(&traces, r.Body) }))
	t.Cleanup(collector.Close)
	file := notesFile(t)
	must(t, "gateway", "add", file, "bank", "--elsewhere", "--http", bank(t), "--caller-header", "Authorization")
	env := []string{"TRAILS_TRUST_UPSTREAMS=bank", "TRAILS_LOG=debug", "OTEL_EXPORTER_OTLP_ENDPOINT=" + collector.URL}
	stateless, stateful := openWeb(t, file, env...), startWeb(t, env, file, "--stateful")
	// At the command line and over stdio it is in the environment, which is no caller's over HTTP.
	cmd := command(t, "gateway", "show", file, "bank")
	cmd.Env = environment("TRAILS_TRUST_UPSTREAMS=bank", "TRAILS_UPSTREAM_BANK=Bearer cli-s3cret")
	shown := finish(t, cmd)
	id := owner.FindString(shown.stdout)
	if id == "" {
		t.Fatalf("%+v", shown)
	}
	call := map[string]any{"name": "tool_execute", "arguments": map[string]any{"tool_id": id, "args": map[string]any{}}}
	s := openStdio(t, file, "TRAILS_TRUST_UPSTREAMS=bank", "TRAILS_LOG=debug", "TRAILS_UPSTREAM_BANK=Bearer cid-s3cret")
	if r, err := tool(s, "tool_execute", call["arguments"]); err != nil || r.Content[0].Text != "cid [credential]" {
		t.Errorf("%+v %v", r, err)
	}
	shared := openWeb(t, file, append(env, "TRAILS_UPSTREAM_BANK=Bearer own-s3cret")...)
	if r, err := tool(shared, "tool_execute", call["arguments"]); err != nil || !strings.Contains(string(r.Structured), "Trails-Upstream-Bank") {
		t.Errorf("who shows nothing over HTTP is told %+v, %v", r, err)
	}
	greet := func(w *web) string {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.base+"/mcp", strings.NewReader(string(request(1, "initialize", greeting(t.Name())))))
		if err != nil {
			t.Fatal(err)
		}
		r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		return response.Header.Get("Mcp-Session-Id")
	}
	session := greet(stateful) // one for all: a message counts for who sends it
	arguments, err := json.Marshal(call["arguments"])
	if err != nil {
		t.Fatal(err)
	}
	var work sync.WaitGroup
	for name, post := range map[string]func(header http.Header) ([]byte, error){
		"/mcp": func(header http.Header) ([]byte, error) {
			header.Set("Mcp-Protocol-Version", "2025-11-25")
			_, text, err := stateless.post("/mcp", request(7, "tools/call", call), header)
			return text, err
		},
		"a session": func(header http.Header) ([]byte, error) {
			header.Set("Mcp-Protocol-Version", "2025-11-25")
			header.Set("Mcp-Session-Id", session)
			_, text, err := stateful.post("/mcp", request(stateful.last.Add(1)+1_000, "tools/call", call), header)
			return text, err
		},
		"/invoke": func(header http.Header) ([]byte, error) {
			_, text, err := stateless.post("/invoke/tool_execute", arguments, header)
			return text, err
		},
	} {
		for shows, want := range map[string]string{
			"Bearer ann-s3cret": "ann [credential]", "Bearer bob-s3cret": "bob [credential]", "Bearer eve": "401 Unauthorized", "": "Trails-Upstream-Bank",
		} {
			work.Go(func() {
				for range 3 {
					header := http.Header{}
					if shows != "" {
						header.Set("Trails-Upstream-Bank", shows)
					}
					if text, err := post(header); err != nil || !strings.Contains(string(text), want) || strings.Contains(string(text), "s3cret") || strings.Contains(string(text), "with Trails") {
						t.Errorf("%s: who shows %q is told %s, %v, want %s", name, shows, text, err, want)
					}
				}
			})
		}
	}
	work.Wait()
	if err := s.stop(); err != nil {
		t.Error(err)
	}
	heard := map[string]string{"the log of stdio": s.stderr.String()}
	for _, w := range []*web{stateless, stateful, shared} {
		if err := w.stop(); err != nil {
			t.Error(err)
		}
		heard["the log of "+w.base] = w.stderr.String()
	}
	heard["the traces"] = traces.String()
	files, _ := filepath.Glob(file + "*")
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if len(text) > 0 {
			heard[name] = string(text)
		}
	}
	for name, text := range heard {
		if text == "" || strings.Contains(text, "s3cret") || strings.Contains(text, "Bearer eve") {
			t.Errorf("%s is empty, or has a credential", name)
		}
	}
	must(t, "verify", file)
}

// A client is notified of changes to a resource of an upstream server, which here is another file: over a
// session, and by an open request of the protocol without sessions.
func TestResourcesOfUpstreamsAreSubscribedTo(t *testing.T) {
	t.Parallel()
	file, other := notesFile(t), notesFile(t)
	must(t, "gateway", "add", file, "other", "--elsewhere", "--stdio", trailsBinary, "--", "mcp", other)
	agent := openStdio(t, file, "TRAILS_TRUST_UPSTREAMS=other")
	cards, err := tool(agent, "resource_browse", map[string]any{"query": "Note", "top_k": 20})
	if err != nil {
		t.Fatal(err)
	}
	var found struct {
		Cards []struct{ ID, Name string }
	}
	if err := json.Unmarshal(cards.Structured, &found); err != nil {
		t.Fatal(err)
	}
	id := ""
	for _, card := range found.Cards {
		if card.Name == "kg-Note" && id == "" { // the other one is a template
			id = card.ID
		}
	}
	if _, err := agent.call("resources/subscribe", map[string]any{"uri": id}); err != nil {
		t.Fatalf("%s of %s: %v", id, cards.Structured, err)
	}
	write := func(n int) {
		t.Helper()
		d := openStdio(t, other)
		if _, err := put(d, "note_create", note(fmt.Sprintf("n%d", n))); err != nil {
			t.Fatal(err)
		}
		if err := d.stop(); err != nil {
			t.Fatal(err)
		}
	}
	write(1)
	for deadline := time.Now().Add(patience); agent.heard.Load() == 0; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("nobody hears that %s has changed\n%s", id, agent.stderr)
		}
	}
	if _, err := agent.call("resources/unsubscribe", map[string]any{"uri": id}); err != nil {
		t.Fatal(err)
	}
	if _, err := agent.call("resources/subscribe", map[string]any{"uri": "resource::other:nothing#00000000"}); err == nil || !strings.Contains(err.Error(), "RESOURCE_NOT_FOUND") {
		t.Errorf("one that is not there: %v", err)
	}
	if err := agent.stop(); err != nil {
		t.Error(err)
	}
}
