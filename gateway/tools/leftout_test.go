package tools_test

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"trails/builtin"
	"trails/e2e/testrun"
	"trails/fault"
	"trails/gateway"
	"trails/gateway/embed"
	"trails/gateway/tools"
	"trails/gateway/upstream"
	"trails/invoke"
	"trails/invoke/invoketest"
)

// offering is the address of a server that lists a good tool, and others.
func offering(t *testing.T, tools string) string {
	t.Helper()
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
			result = `{"tools":[{"name":"good","inputSchema":{"type":"object"}},` + tools + `]}`
		}
		if asked.ID == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, asked.ID, result)
	}))
	t.Cleanup(at.Close)
	return at.URL
}

// TestNothingDisappearsFromTheDirectoryUnseen has a server that offers one good tool beside one of
// each kind that is left out. Each is told of where people look, and counted where agents do.
func TestNothingDisappearsFromTheDirectoryUnseen(t *testing.T) {
	testrun.Alone(t)
	const object = `{"type":"object"}`
	for name, test := range map[string]struct{ tools, why string }{
		"two of one id":              {`{"name":"twin","inputSchema":` + object + `},{"name":"twin","inputSchema":` + object + `}`, `has the id up:twin`},
		"a name that gets no id":     {`{"name":"a name with blanks","inputSchema":` + object + `}`, `a name with blanks`},
		"no name":                    {`{"name":"","inputSchema":` + object + `}`, "its name is empty"},
		"a name that hides":          {`{"name":"x\u001b[2J","inputSchema":` + object + `}`, `x\x1b[2J`},
		"a name that is too long":    {`{"name":"` + strings.Repeat("n", 200) + `","inputSchema":` + object + `}`, "longer than 128"},
		"an id that is too long":     {`{"name":"` + strings.Repeat("n", 128) + `","inputSchema":` + object + `}`, "nnnn"},
		"a schema that is too big":   {`{"name":"big","inputSchema":{"type":"object","description":"` + strings.Repeat("d", 300<<10) + `"}}`, "more than 262144 bytes"},
		"a schema that is deep":      {`{"name":"deep","inputSchema":{"type":"object","a":` + strings.Repeat(`{"a":`, 100) + "1" + strings.Repeat("}", 100) + `}}`, "deeper than 64"},
		"one that needs a task":      {`{"name":"long","execution":{"taskSupport":"required"},"inputSchema":` + object + `}`, "as a task alone"},
		"a secret in a name":         {`{"name":"ghp_` + strings.Repeat("a1B2", 10) + `","inputSchema":` + object + `}`, "whose name has a secret"},
		"a name with a blank around": {`{"name":"padded ","inputSchema":` + object + `}`, "white space"},
		"all as it should be":        {`{"name":"other","execution":{"taskSupport":"optional"},"inputSchema":` + object + `}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			heard, embedder := &testrun.Output{}, embed.Open(embed.Config{})
			pool := upstream.Open(upstream.Config{Trusts: func(gateway.Server) bool { return true }, Log: slog.New(slog.NewTextHandler(heard, nil))})
			t.Cleanup(pool.Close)
			e := invoketest.New(t, people, invoke.Config{Providers: builtin.Options{Upstreams: pool, Embedder: embedder, Gateway: tools.New(pool, embedder, false)}.Providers()})
			e.Must(t, "trails.meta.gateway.add", `{"definition":`+gateway.Server{Name: "up", HTTP: offering(t, test.tools)}.Text()+`}`)

			if test.why != "" {
				var named []struct{ Name string }
				_ = json.Unmarshal([]byte("["+test.tools+"]"), &named) // all of these have one
				args, _ := json.Marshal(map[string]any{"tool_id": "up:" + named[0].Name, "args": map[string]any{}})
				_, err := ask(t, e, "tool_execute", string(args))
				if said := fmt.Sprint(err); name != "two of one id" && !strings.Contains(said, "left out") {
					t.Errorf("the call of it says %s", said)
				}
			}
			if _, err := ask(t, e, "tool_execute", `{"tool_id":"up:goood","args":{}}`); !strings.Contains(fmt.Sprint(err), `; did you mean "up:good#`) || strings.Contains(fmt.Sprint(err), "left out") != (test.why != "") || !strings.HasSuffix(fmt.Sprint(err), "?") {
				t.Errorf("an id that is like that of the good one: %v", err)
			}
			r, _ := answered(t, e, "tool_browse", `{"query":"good"}`)
			first, _, _ := strings.Cut(r.Told(), "\n")
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

// TestAToolThatNobodyCanCallIsToldOf has schemas that are none, or that no arguments can fit. Browsing
// does not read them; whoever looks at the server, or calls the tool, is told.
func TestAToolThatNobodyCanCallIsToldOf(t *testing.T) {
	testrun.Alone(t)
	for schema, why := range map[string]string{
		`"x"`: "is none", `[]`: "is none", `{"type":"strange"}`: "takes no object", `{"$ref":"http://127.0.0.1:9/x.json"}`: "not fetched", `{"$ref":"file:///etc/passwd"}`: "not fetched", `{"$ref":"#/$defs/none"}`: "is none",
		`{"type":"array"}`: "takes no object", `{"type":["string","null"]}`: "takes no object", `{"type":"string"}`: "takes no object",
		`null`: "", `{}`: "", `true`: "", `{"type":["object","null"]}`: "", `{"type":"object","properties":{"a":{"type":"array"}}}`: "", `{"properties":{"a":{"$ref":"#"}}}`: "",
	} {
		e := engineOf(t, invoke.Config{}, gateway.Server{Name: "up", HTTP: offering(t, `{"name":"other","inputSchema":`+schema+`}`)})
		shown, _ := json.Marshal(e.Must(t, "gateway_show", `{"name":"up"}`))
		checked, _ := json.Marshal(e.Must(t, "trails.meta.doctor.run", `{}`))
		for where, said := range map[string]string{"gateway show": string(shown), "the doctor": string(checked)} {
			if is := strings.Contains(said, "cannot be called") && strings.Contains(said, why); is != (why != "") || strings.Contains(said, "up:good cannot") {
				t.Errorf("%s: %s says %.2000s", schema, where, said)
			}
		}
		r, err := ask(t, e, "tool_execute", `{"tool_id":"up:other","args":{}}`)
		if (err != nil) != (why != "") || err != nil && (fault.Of(err).Details["error"] != gateway.SchemaInvalid || !strings.Contains(err.Error(), why)) {
			t.Errorf("%s: the call answers %v, %v", schema, r.Text, err)
		}
	}
}
