package mcp_test

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"trails/auth/policy"
	"trails/invoke/invoketest"
	"trails/mcp"
)

func logTo(w io.Writer) *slog.Logger { return slog.New(slog.NewTextHandler(w, nil)) }

func scopes(t testing.TB, list string) policy.Scopes {
	t.Helper()
	s, err := policy.ParseScopes(list)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// traceID matches the trace id that an edge made.
var traceID = regexp.MustCompile(`"trace_id":"[0-9a-f]{32}"`)

// The contract's table, section 7, to the byte.
func TestEveryKindOfFaultHasItsAnswer(t *testing.T) {
	asError := `{"jsonrpc":"2.0","id":1,"error":%s}`
	asResult := `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":%q}],"structuredContent":%s,"isError":true}}`
	answers := map[string]string{
		"internal":          fmt.Sprintf(asError, `{"code":-32603,"message":"Internal error","data":{"trace_id":"0af7651916cd43dd8448eb211c80319c"}}`),
		"plain":             fmt.Sprintf(asError, `{"code":-32603,"message":"Internal error","data":{"trace_id":"…"}}`),
		"cancelled":         fmt.Sprintf(asError, `{"code":-32603,"message":"Internal error","data":{"trace_id":"…"}}`),
		"invalid_data":      fmt.Sprintf(asError, `{"code":-32602,"message":"validation failed on 1 field\nstatus must be one of a, b","data":{"count":1,"fields":[{"field":"status","code":"one_of","message":"status must be one of a, b","value":"<draft>&","constraint":["a","b"]}]}}`),
		"invalid_arguments": fmt.Sprintf(asError, `{"code":-32602,"message":"invalid arguments: 1 field\ntext must have at most 5 characters","data":{"count":1,"fields":[{"field":"text","code":"max_length","message":"text must have at most 5 characters","value":"too long","constraint":5}]}}`),
		"filter":            fmt.Sprintf(asError, `{"code":-32602,"message":"Invalid params","data":{"expected_datatype":"xsd:integer","field":"n","reason":"type_mismatch"}}`),
		"unauthenticated":   fmt.Sprintf(asError, `{"code":-32001,"message":"Authentication failed"}`),
		"scope_denied":      fmt.Sprintf(asError, `{"code":-32004,"message":"scope denied: x requires dev; start the process with TRAILS_MCP_SCOPES=dev,runtime","data":{"caller_scopes":["runtime"],"required_scope":"dev","tool":"x"}}`),
		"denied":            fmt.Sprintf(asError, `{"code":-32002,"message":"denied: change on Secret"}`),
		"exhausted":         fmt.Sprintf(asError, `{"code":-32003,"message":"budget exhausted","data":{"limit":10,"retry_after":3,"used":10}}`),
		"not_found":         fmt.Sprintf(asError, `{"code":-32602,"message":"Resource not found","data":{"uri":"trails://nothing"}}`),
		"missing":           fmt.Sprintf(asResult, "there is no Requirement \"R1\"\nid: R1", `{"kind":"missing","message":"there is no Requirement \"R1\"","id":"R1"}`),
		"precondition":      fmt.Sprintf(asResult, "the head is b, not a\nhead: b", `{"kind":"precondition_failed","message":"the head is b, not a","head":"b"}`),
		"conflict":          fmt.Sprintf(asResult, "R1 exists", `{"kind":"conflict","message":"R1 exists"}`),
		"malformed":         fmt.Sprintf(asResult, "no such <syntax>\nline: 3", `{"kind":"malformed","message":"no such <syntax>","line":3}`),
		"too_large":         fmt.Sprintf(asResult, "more than 1000 rows", `{"kind":"too_large","message":"more than 1000 rows"}`),
		"timed_out":         fmt.Sprintf(asResult, "the write lock was not free", `{"kind":"timed_out","message":"the write lock was not free"}`),
		"unusable":          fmt.Sprintf(asResult, "the disk is full", `{"kind":"unusable","message":"the disk is full"}`),
	}
	h := mcp.New(&fake{}, options("")).Handler()
	for kind := range failures {
		t.Run(kind, func(t *testing.T) {
			line := ask("2025-11-25", 1, "tools/call", callTool("fail", map[string]any{"kind": kind}), "")
			got := post(t, h, line).Body.String()
			if kind != "internal" {
				got = traceID.ReplaceAllString(got, `"trace_id":"…"`)
			}
			if got != answers[kind] {
				t.Errorf("got  %s\nwant %s", got, answers[kind])
			}
		})
	}
}

func TestARefusalHasTheMembersOfItsFault(t *testing.T) {
	for _, f := range invoketest.Refusals(t, "../builtin/testdata/calls") {
		for _, way := range mcp.AllToolErrors() {
			opts := options("")
			opts.ToolErrors = way
			line := ask("2025-11-25", 1, "tools/call", callTool("fail", map[string]any{}), "")
			text := post(t, mcp.New(&fake{refuses: f}, opts).Handler(), line).Body.Bytes()
			var got struct {
				Error  struct{ Data json.RawMessage }
				Result struct {
					Structured json.RawMessage `json:"structuredContent"`
				}
			}
			if err := json.Unmarshal(text, &got); err != nil {
				t.Fatalf("%v: %s", err, text)
			}
			invoketest.HasMembers(t, f, append(got.Result.Structured, got.Error.Data...), "kind", "code", "message", "trace_id")
		}
	}
}

// Hosts show their models different parts of an answer, so each says it all.
func TestInvalidArgumentsComeAsTheServerWasTold(t *testing.T) {
	const words = `validation failed on 1 field\nstatus must be one of a, b`
	for _, c := range []struct {
		version string
		way     mcp.ToolErrors
		result  bool
	}{
		{"2025-11-25", "", false}, {"2025-11-25", mcp.ToolErrorsAuto, false}, {"2025-11-25", mcp.ToolErrorsProtocol, false}, {"2025-11-25", mcp.ToolErrorsResult, true},
		{"2026-07-28", "", true}, {"2026-07-28", mcp.ToolErrorsAuto, true}, {"2026-07-28", mcp.ToolErrorsProtocol, false}, {"2026-07-28", mcp.ToolErrorsResult, true},
	} {
		opts := options("")
		opts.ToolErrors = c.way
		line := ask(c.version, 1, "tools/call", callTool("fail", map[string]any{"kind": "invalid_data"}), "")
		got := post(t, mcp.New(&fake{}, opts).Handler(), line, versionHeaders(c.version, "tools/call", "fail")...).Body.String()
		want := `"error":{"code":-32602,"message":"` + words + `","data":{"count":1,`
		if c.result {
			want = `"content":[{"type":"text","text":"` + words + `"}],"structuredContent":{"kind":"invalid_data","code":-32602,"message":"validation failed on 1 field","count":1,"fields":[{"field":"status",`
		}
		if !strings.Contains(got, want) || strings.Contains(got, `"isError":true`) != c.result {
			t.Errorf("%s %q: no %s in\n%s", c.version, c.way, want, got)
		}
	}
}

// GO-SDK 0.3: plain errors have code 0 on the wire, some before any middleware.
func TestTrap03NoErrorHasTheCodeZero(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := openStdio(t, &fake{}, options(""))
		var heard []string
		heard = append(heard, s.send(ask("2025-11-25", 1, "tools/list", nil, ""))...)
		s.greet("2025-11-25", "")
		heard = append(heard, s.send(hello("2025-11-25", ""), ask("2025-11-25", 2, "server/discover", nil, ""),
			ask("2026-07-28", 3, "ping", nil, ""), ask("2026-07-28", 4, "subscriptions/listen", nil, ""),
			`{"jsonrpc":"2.0","id":5,"method":"tools/call"}`, `{"jsonrpc":"2.0","id":6,"method":"resources/read","params":null}`,
			`{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`,
			`{"jsonrpc":"2.0","id":8,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01","io.modelcontextprotocol/clientCapabilities":{}}}}`)...)
		for kind := range failures {
			heard = append(heard, s.send(ask("2025-11-25", 9, "tools/call", callTool("fail", map[string]any{"kind": kind}), ""))...)
		}
		if len(heard) != 9+len(failures) {
			t.Fatalf("%d answers: %v", len(heard), heard)
		}
		for _, got := range heard {
			if a := parse(t, got); a.Error != nil && (a.Error.Code == 0 || a.Error.Message == "") {
				t.Errorf("got %s", got)
			}
		}
	})
}

// GO-SDK 0.2: a panic in a handler ends the process, over HTTP too.
func TestTrap02APanicIsAnErrorWithATraceID(t *testing.T) {
	var log buffer
	opts := options("")
	opts.Log = logTo(&log)
	requests := []string{
		ask("2025-11-25", 1, "tools/call", callTool("panic", map[string]any{}), ""),
		ask("2025-11-25", 1, "resources/read", map[string]any{"uri": "trails://kg/Note/panic"}, ""),
	}
	check := func(got string) {
		t.Helper()
		want := `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Internal error","data":{"trace_id":"…"}}}`
		if traceID.ReplaceAllString(got, `"trace_id":"…"`) != want {
			t.Errorf("got %s", got)
		}
		id := strings.Trim(strings.TrimPrefix(traceID.FindString(got), `"trace_id":`), `"`)
		if logged := log.String(); !strings.Contains(logged, "trace_id="+id) || !strings.Contains(logged, "boom") || !strings.Contains(logged, "fake_test.go") {
			t.Errorf("logged: %s", logged)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		s := openStdio(t, &fake{}, opts)
		s.greet("2025-11-25", "")
		for _, r := range requests {
			check(s.one(r))
		}
		s.alive("panics")
	})
	h := mcp.New(&fake{}, opts).Handler()
	for _, r := range requests {
		check(post(t, h, r).Body.String())
	}
}

func TestTheCauseOfOurOwnFaultsGoesToTheLogAlone(t *testing.T) {
	var log buffer
	opts := options("")
	opts.Log = logTo(&log)
	h := mcp.New(&fake{}, opts).Handler()
	got := post(t, h, ask("2025-11-25", 1, "tools/call", callTool("fail", map[string]any{"kind": "plain"}), "")).Body.String()
	if strings.Contains(got, "secret") {
		t.Errorf("shown: %s", got)
	}
	if logged := log.String(); !strings.Contains(logged, "secret cause") {
		t.Errorf("logged: %s", logged)
	}
}

// GO-SDK 0.6: the Go client takes these codes for its own, so look at the wire.
func TestTrap06ScopeAndBudgetErrorsAreWholeOnTheWire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := openStdio(t, &fake{}, options(token))
		s.greet("2025-11-25", token)
		for want, params := range map[string]map[string]any{
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32004,"message":"scope denied: trails_meta_gen_type requires dev; start the process with TRAILS_MCP_SCOPES=dev,runtime","data":{"caller_scopes":["runtime"],"required_scope":"dev","tool":"trails_meta_gen_type"}}}`: callTool("trails_meta_gen_type", nil),
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32003,"message":"budget exhausted","data":{"limit":10,"retry_after":3,"used":10}}}`:                                                                                                                                  callTool("fail", map[string]any{"kind": "exhausted"}),
		} {
			if got := s.one(ask("2025-11-25", 1, "tools/call", params, "")); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		}
	})
}

// GO-SDK 2: the SDK's messages for params of the wrong type name Go types.
func TestTrapSection2NoMessageNamesGoTypes(t *testing.T) {
	for _, c := range []struct{ method, params string }{
		{"tools/call", `{"name":5}`},
		{"tools/call", `{"name":"echo","arguments":7}`},
		{"tools/call", `{"name":"echo","arguments":[]}`},
		{"tools/call", `{"name":"echo","inputResponses":5}`},
		{"tools/call", `{"name":"echo","_meta":5}`},
		{"tools/call", `{"name":"echo","_meta":{"trails/idempotencyKey":5}}`},
		{"tools/call", `[]`},
		{"tools/call", `5`},
		{"tools/call", `{}`},
		{"tools/list", `{"cursor":{}}`},
		{"tools/list", `"x"`},
		{"resources/read", `{"uri":5}`},
		{"resources/read", `{}`},
		{"initialize", `{"protocolVersion":"2025-11-25","capabilities":5}`},
		{"initialize", `{"protocolVersion":"2025-11-25","capabilities":{"roots":5},"clientInfo":{"name":"x","version":"1"}}`},
		{"initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":{},"version":"1"}}`},
	} {
		t.Run(c.method+" "+c.params, func(t *testing.T) {
			line := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, c.method, c.params)
			var heard []string
			synctest.Test(t, func(t *testing.T) {
				s := openStdio(t, &fake{}, options(""))
				if c.method != "initialize" {
					s.greet("2025-11-25", "")
				}
				heard = append(heard, s.one(line))
				s.alive(line)
			})
			heard = append(heard, post(t, mcp.New(&fake{}, options("")).Handler(), line).Body.String())
			for _, got := range heard {
				if code(t, got) != -32602 || strings.Contains(got, "mcp.") || strings.Contains(got, "Go ") || strings.Contains(got, "json:") {
					t.Errorf("got %s", got)
				}
			}
		})
	}
}

// GO-SDK 2: an unknown tool is the contract's, and one that is hidden looks the same.
func TestTrapSection2AnUnknownToolIsNamedWithoutQuotes(t *testing.T) {
	h := mcp.New(&fake{}, options("")).Handler()
	for _, name := range []string{"nosuch", "__tick", "a b\n<c>"} {
		got := parse(t, post(t, h, ask("2025-11-25", 1, "tools/call", callTool(name, nil), "")).Body.String())
		if got.Error == nil || got.Error.Code != -32602 || got.Error.Message != "unknown tool: "+name || got.Error.Data != nil {
			t.Errorf("%q: %+v", name, got.Error)
		}
	}
}

// GO-SDK 8: a validation failure must not become text with isError, which is what
// the SDK's own validation makes of it.
func TestTrapSection8InvalidDataIsAnErrorAndNoResult(t *testing.T) {
	h := mcp.New(&fake{}, options("")).Handler()
	got := post(t, h, ask("2025-11-25", 1, "tools/call", callTool("fail", map[string]any{"kind": "invalid_data"}), "")).Body.String()
	if a := parse(t, got); a.Result != nil || a.Error == nil || !strings.Contains(string(a.Error.Data), `"fields":[`) {
		t.Errorf("got %s", got)
	}
}

// Clients of the newest protocol tell by this error that a method is gone, whatever its params.
func TestMethodsOfSessionsAreNotFoundWithoutThem(t *testing.T) {
	send := over(t, &fake{}, options(""))
	for _, method := range []string{"initialize", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"} {
		for _, params := range []map[string]any{nil, {"uri": "trails://schema", "level": "info", "protocolVersion": "2025-11-25", "capabilities": map[string]any{}}} {
			if got := send(ask("2026-07-28", 1, method, params, "")); code(t, got) != -32601 {
				t.Errorf("%s with %v: %s", method, params, got)
			}
		}
	}
}
