package mcp_test

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"trails/mcp"
)

// FuzzMessage sends any line and any body: the session lives, every answer is one
// JSON-RPC message, and the token is asked for whatever the message says.
func FuzzMessage(f *testing.F) {
	for _, r := range requests {
		f.Add([]byte(ask("2025-11-25", 1, r.method, r.params, "")))
		f.Add([]byte(ask("2026-07-28", 1, r.method, r.params, "wrong")))
	}
	f.Add([]byte(hello("2025-11-25", "wrong")))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"notifications/cancelled","params":{"requestId":1.5}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		line := bytes.ReplaceAll(text, []byte("\n"), []byte(" "))
		for _, tok := range []string{"", token} {
			outlives(t, line, tok)
		}
		outlivesInSession(t, text)
		w := post(t, mcp.New(&fake{}, options(token)).Handler(), string(text))
		if w.Code != http.StatusUnauthorized {
			t.Errorf("%q: %d", text, w.Code)
		}
	})
}

func outlives(t *testing.T, line []byte, tok string) {
	e := &fake{}
	if tok == "" && bytes.Contains(line, []byte("slow")) {
		return // it would wait for its end
	}
	in := fmt.Sprintf("%s\n"+ping+"\n", line, 777)
	var out buffer
	if err := mcp.New(e, options(tok)).RunStdio(t.Context(), strings.NewReader(in), &out); err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	lines := out.take()
	for _, got := range lines {
		parse(t, got)
	}
	if i := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, `{"jsonrpc":"2.0","id":777,`) }); i < 0 {
		t.Fatalf("%q: no answer to ping in %q", line, lines)
	}
	if tok != "" && e.called() > 0 {
		t.Fatalf("%q reached the engine", line)
	}
}

// outlivesInSession posts the message to a session over HTTP, which goes on unless
// the message ends it.
func outlivesInSession(t *testing.T, text []byte) {
	if bytes.Contains(text, []byte("slow")) {
		return
	}
	server := mcp.New(&fake{}, options(""))
	defer server.Close()
	h := server.StatefulHandler()
	session := post(t, h, hello("2025-11-25", "")).Header().Get("Mcp-Session-Id")
	if w := post(t, h, string(text), "Mcp-Session-Id: "+session); w.Code == http.StatusInternalServerError {
		t.Errorf("%q: %d %s", text, w.Code, w.Body)
	}
	if w := post(t, h, fmt.Sprintf(ping, 778), "Mcp-Session-Id: "+session); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"id":778,"result"`) {
		t.Errorf("after %q: %d %s", text, w.Code, w.Body)
	}
}
