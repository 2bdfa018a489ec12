package main

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// Whoever waits for news must not hold up the end: the log would say that something
// was cut.
func TestOpenStreamsDoNotHoldUpTheEnd(t *testing.T) {
	s := start(t, []string{"TRAILS_LOG=warn"}, "serve", newNotes(t), "--addr", "127.0.0.1:0", "--stateful")
	session := initialize(t, s.base)
	var streams []io.ReadCloser
	for _, open := range []struct {
		path   string
		header http.Header
	}{
		{"/admin/events", nil},
		{"/sse", nil},
		{"/mcp", http.Header{"Mcp-Session-Id": {session}, "Mcp-Protocol-Version": {"2025-11-25"}}},
	} {
		streams = append(streams, follow(t, s.base+open.path, open.header))
	}
	said := s.stop(t)
	if strings.Contains(said, "cut") {
		t.Errorf("it said\n%s", said)
	}
	for _, stream := range streams {
		_, _ = io.Copy(io.Discard, stream)
		_ = stream.Close()
	}
}

// initialize opens an MCP session and returns its id.
func initialize(t *testing.T, base string) string {
	t.Helper()
	res := send(t, http.MethodPost, base+"/mcp", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`,
		http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}})
	defer func() { _ = res.Body.Close() }()
	_, _ = io.Copy(io.Discard, res.Body)
	if id := res.Header.Get("Mcp-Session-Id"); id != "" {
		return id
	}
	t.Fatalf("no session: %d", res.StatusCode)
	return ""
}

// follow opens a stream of events.
func follow(t *testing.T, address string, header http.Header) io.ReadCloser {
	t.Helper()
	if header == nil {
		header = http.Header{}
	}
	header.Set("Accept", "text/event-stream")
	res := send(t, http.MethodGet, address, "", header)
	if res.StatusCode != http.StatusOK || !strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		t.Errorf("%s: got %d %s", address, res.StatusCode, res.Header.Get("Content-Type"))
	}
	return res.Body
}

func send(t *testing.T, method, address, body string, header http.Header) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = header
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	return res
}
