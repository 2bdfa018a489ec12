package tools_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"trails/gateway"
	"trails/invoke"
)

// TestWhatFailsAtAServerIsRecordedAsFailed has a tool that says that it failed, and one that is
// there at the third attempt: provenance has each attempt, and what an agent was told.
func TestWhatFailsAtAServerIsRecordedAsFailed(t *testing.T) {
	attempts := 0
	at := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var asked struct {
			ID     json.RawMessage
			Method string
			Params struct{ Name, ProtocolVersion string }
		}
		_ = json.Unmarshal(body, &asked) // nothing for GET
		result := ""
		switch asked.Method {
		case "initialize":
			result = `{"protocolVersion":"` + asked.Params.ProtocolVersion + `","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}`
		case "tools/list":
			result = `{"tools":[{"name":"broken","inputSchema":{"type":"object"}},{"name":"busy","inputSchema":{"type":"object"}},{"name":"gone","inputSchema":{"type":"object"}},{"name":"mute","inputSchema":{"type":"object"}},{"name":"empty","inputSchema":{"type":"object"}}]}`
		case "tools/call":
			attempts++
			switch {
			case asked.Params.Name == "broken":
				result = `{"isError":true,"content":[{"type":"text","text":"it broke"}]}`
			case asked.Params.Name == "mute":
				result = `{"isError":true,"content":[]}`
			case asked.Params.Name == "empty":
				result = `{"content":[{"type":"text","text":" "}]}`
			case attempts%3 != 0 || asked.Params.Name == "gone":
				w.Header().Set("Retry-After", map[string]string{"busy": "0", "gone": "3600"}[asked.Params.Name])
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			default:
				result = `{"content":[{"type":"text","text":"done"}]}`
			}
		default:
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, asked.ID, result)
	}))
	t.Cleanup(at.Close)
	e := engineOf(t, invoke.Config{}, gateway.Server{Name: "up", HTTP: at.URL})
	e.Must(t, "trails.meta.gateway.configure", `{"settings":{"retry":{"max_attempts":3,"base_delay_ms":1}}}`)
	outcomes := func(id string) (all []string) {
		for _, a := range e.Activities(t) {
			if a.Capability == id {
				all = append(all, a.Outcome)
			}
		}
		return all
	}
	for name, want := range map[string]struct {
		outcomes string
		attempts int
		says     string
	}{"broken": {"failed", 1, "it broke"}, "busy": {"ok failed failed", 3, "done"}, "gone": {"failed", 1, ""}, "mute": {"failed", 1, "does not say why"}, "empty": {"ok", 1, "answered with nothing"}} {
		attempts = 0
		id := idOf(t, e, "tool_browse", name)
		r, err := e.Do(t, "tool_execute", `{"tool_id":"`+id+`","args":{}}`)
		if !strings.Contains(r.Text, want.says) {
			t.Errorf("%s says %q", name, r.Text)
		}
		failed := `{"status":"error","result":"` // all that a program over HTTP sees
		if err == nil && (strings.HasPrefix(string(r.Structured), failed) != r.Failed || r.Failed != (want.outcomes == "failed") || r.Failed && !strings.Contains(string(r.Structured), want.says)) {
			t.Errorf("%s answers programs with %s", name, r.Structured)
		}
		if (err != nil) != (name == "gone") || attempts != want.attempts {
			t.Errorf("%s: %d attempts, %v", name, attempts, err)
		}
		if got := strings.Join(outcomes(id), " "); got != want.outcomes {
			t.Errorf("%s is recorded, newest first, as %s, want %s", name, got, want.outcomes)
		}
	}
}
