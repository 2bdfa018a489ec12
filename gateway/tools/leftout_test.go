package tools_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"trails/builtin"
	"trails/gateway"
	"trails/gateway/embed"
	"trails/gateway/tools"
	"trails/gateway/upstream"
	"trails/invoke"
	"trails/invoke/invoketest"
)

type log struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// TestNothingDisappearsFromTheDirectoryUnseen has a server that offers one good tool beside one of
// each kind that is left out. Each is told of where people look, and counted where agents do.
func TestNothingDisappearsFromTheDirectoryUnseen(t *testing.T) {
	const object = `{"type":"object"}`
	for name, test := range map[string]struct{ tools, why string }{
		"two of one id":            {`{"name":"twin","inputSchema":` + object + `},{"name":"twin","inputSchema":` + object + `}`, `has the id up:twin`},
		"a name that gets no id":   {`{"name":"a name with blanks","inputSchema":` + object + `}`, `a name with blanks`},
		"no name":                  {`{"name":"","inputSchema":` + object + `}`, "its name is empty"},
		"a name that hides":        {`{"name":"x\u001b[2J","inputSchema":` + object + `}`, `x\x1b[2J`},
		"a name that is too long":  {`{"name":"` + strings.Repeat("n", 200) + `","inputSchema":` + object + `}`, "longer than 128"},
		"an id that is too long":   {`{"name":"` + strings.Repeat("n", 128) + `","inputSchema":` + object + `}`, "nnnn"},
		"a schema that is too big": {`{"name":"big","inputSchema":{"type":"object","description":"` + strings.Repeat("d", 300<<10) + `"}}`, "more than 262144 bytes"},
		"a schema that is deep":    {`{"name":"deep","inputSchema":{"type":"object","a":` + strings.Repeat(`{"a":`, 100) + "1" + strings.Repeat("}", 100) + `}}`, "deeper than 64"},
		"one that needs a task":    {`{"name":"long","execution":{"taskSupport":"required"},"inputSchema":` + object + `}`, "as a task alone"},
		"a secret in a name":       {`{"name":"ghp_` + strings.Repeat("a1B2", 10) + `","inputSchema":` + object + `}`, "whose name has a secret"},
		"all as it should be":      {`{"name":"other","execution":{"taskSupport":"optional"},"inputSchema":` + object + `}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			at := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				var asked struct {
					ID     json.RawMessage
					Method string
					Params struct{ ProtocolVersion string }
				}
				_ = json.Unmarshal(body, &asked) // nothing for GET
				result := `{"protocolVersion":"` + asked.Params.ProtocolVersion + `","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}`
				if asked.Method == "tools/list" {
					result = `{"tools":[{"name":"good","inputSchema":` + object + `},` + test.tools + `]}`
				}
				if asked.ID == nil {
					w.WriteHeader(http.StatusAccepted)
					return
				}
				w.Header().Set("Content-Type", "application/json")
				fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, asked.ID, result)
			}))
			t.Cleanup(at.Close)
			heard, embedder := &log{}, embed.Open(embed.Config{})
			pool := upstream.Open(upstream.Config{Trusts: func(gateway.Server) bool { return true }, Log: slog.New(slog.NewTextHandler(heard, nil))})
			t.Cleanup(pool.Close)
			e := invoketest.New(t, people, invoke.Config{Providers: builtin.Options{Upstreams: pool, Embedder: embedder, Gateway: tools.New(pool, embedder, false)}.Providers()})
			e.Must(t, "trails.meta.gateway.add", `{"definition":`+gateway.Server{Name: "up", HTTP: at.URL}.Text()+`}`)

			r, _ := answered(t, e, "tool_browse", `{"query":"good"}`)
			first, _, _ := strings.Cut(r.Text, "\n")
			shown, _ := json.Marshal(e.Must(t, "gateway_show", `{"name":"up"}`))
			checked, _ := json.Marshal(e.Must(t, "trails.meta.doctor.run", `{}`))
			list, _ := json.Marshal(e.Must(t, "gateway_list", `{}`))
			if !strings.Contains(string(shown), "up:good#") {
				t.Errorf("the good one is not shown: %s", shown)
			}
			written := strings.ReplaceAll(strings.ReplaceAll(test.why, `\`, `\\`), `"`, `'`)
			for where, said := range map[string]string{"gateway show": string(shown), "the doctor": string(checked), "the log": heard.String()} {
				if test.why == "" && strings.Contains(said, "left out") || test.why != "" && (!strings.Contains(said, written) || !strings.Contains(said, "left out")) {
					t.Errorf("%s says %.3000s", where, said)
				}
			}
			for where, said := range map[string]string{"the first line": first, "gateway list": string(list)} {
				if strings.Contains(said, "1 of the things that") != (test.why != "") {
					t.Errorf("%s says %s", where, said)
				}
			}
		})
	}
}
