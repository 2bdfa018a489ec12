package mcp_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"trails/invoke"
	"trails/mcp"
)

// late is an engine whose calls report progress, and then fail in some way or none.
type late struct {
	fake
	err error
}

func (e *late) Call(_ context.Context, c invoke.Call) (invoke.Result, error) {
	if c.Progress != nil {
		c.Progress(invoke.Progress{Phase: "read", Done: 1, Total: 2, Unit: "bytes"})
	}
	return invoke.Result{Structured: []byte(`{"ok":true}`)}, e.err
}

// GO-SDK 1.1: where it answers in JSON, the SDK drops progress; where it may not, it
// makes a stream of every answer, and writes an error that has a status of its own
// into the stream as it is.
func TestTrapSection1AnAnswerIsAStreamWhenSomethingComesBeforeIt(t *testing.T) {
	const progress = `event: message` + "\n" + `data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p",`
	for _, version := range versions {
		for _, c := range []struct {
			name     string
			token    bool
			err      error
			has      string
			inStream bool
		}{
			{"a result alone", false, nil, `"structuredContent":{"ok":true}`, false},
			{"a result after progress", true, nil, `"structuredContent":{"ok":true}`, true},
			{"an error alone", false, failures["invalid_data"], `"error":{"code":-32602`, false},
			{"an error after progress", true, failures["invalid_data"], `"error":{"code":-32602`, true},
		} {
			t.Run(c.name+" "+version, func(t *testing.T) {
				params := callTool("echo", nil)
				if c.token {
					params["_meta"] = map[string]any{"progressToken": "p"}
				}
				opts := options("")
				opts.ToolErrors = mcp.ToolErrorsProtocol
				h := mcp.New(&late{err: c.err}, opts).Handler()
				w := post(t, h, ask(version, 1, "tools/call", params, ""), versionHeaders(version, "tools/call", "echo")...)
				body, media := w.Body.String(), w.Result().Header.Get("Content-Type") // as it was sent
				if !strings.Contains(body, c.has) {
					t.Errorf("no %s in %s", c.has, body)
				}
				if !c.inStream && (media != "application/json" || !strings.HasPrefix(body, `{"jsonrpc":"2.0","id":1,`)) {
					t.Errorf("%s %s", media, body)
				}
				if events := strings.Split(strings.TrimSuffix(body, "\n\n"), "\n\n"); c.inStream &&
					(w.Code != 200 || media != "text/event-stream" || len(events) != 2 || !strings.HasPrefix(events[0], progress) ||
						!strings.HasPrefix(events[1], fmt.Sprintf("event: message\ndata: {%q:%q,%q:1,", "jsonrpc", "2.0", "id"))) {
					t.Errorf("%d %s %q", w.Code, media, events)
				}
			})
		}
	}
}
