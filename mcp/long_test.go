package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"trails/invoke"
	"trails/mcp"
)

// manyStandards are lines for a load that takes a while.
func manyStandards(n int) string {
	var data strings.Builder
	for i := range n {
		fmt.Fprintf(&data, `{"type":"Standard","id":"s-%d","data":{"name":"s-%d","title":"Standard %d","url":"https://example.org/%d"}}`+"\n", i, i, i, i)
	}
	return data.String()
}

func longLoad(id, lines int) string {
	return ask("2025-11-25", id, "tools/call", map[string]any{
		"name": "load", "arguments": map[string]any{"data": manyStandards(lines)}, "_meta": map[string]any{"progressToken": "p"},
	}, "")
}

// progress is a notification of it.
type progress struct {
	Token           any `json:"progressToken"`
	Progress, Total float64
	Message         string
}

func progressOf(t *testing.T, a answer) progress {
	t.Helper()
	var p progress
	if a.Method != "notifications/progress" || json.Unmarshal(a.Params, &p) != nil {
		t.Fatalf("got %+v", a)
	}
	return p
}

func TestALongLoadSaysHowFarItIs(t *testing.T) {
	s := converse(t, openGraph(t), options(""))
	go fmt.Fprintln(s.in, longLoad(1, 6_000))
	var last progress
	for {
		a := s.next()
		if a.Method == "notifications/resources/updated" || a.Method == "notifications/resources/list_changed" {
			continue
		}
		if a.Method == "" {
			if a.Error != nil || last.Progress == 0 {
				t.Errorf("after %+v: %+v", last, a.Error)
			}
			return
		}
		p := progressOf(t, a)
		if p.Token != "p" || p.Progress <= last.Progress || p.Total > 0 && p.Total < p.Progress || p.Message == "" {
			t.Errorf("after %+v comes %+v", last, p)
		}
		last = p
	}
}

// A cancelled load is answered with nothing, leaves nothing, and holds nothing.
func TestACancelledLoadLeavesNothing(t *testing.T) {
	s := converse(t, openGraph(t), options(""))
	before := s.call("health", nil)["head"]
	go fmt.Fprintln(s.in, longLoad(77, 30_000))
	progressOf(t, s.next())
	fmt.Fprintln(s.in, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}}`)
	fmt.Fprintln(s.in, ask("2025-11-25", 78, "ping", nil, ""))
	for late := 0; ; late++ {
		a := s.next()
		if a.Method == "" && string(a.ID) == "78" {
			break
		}
		if progressOf(t, a); late > 2 {
			t.Fatal("it goes on")
		}
	}
	right := map[string]any{"code": "R-900", "title": "Be written after it", "priority": 2, "if_commit": before}
	if made := s.call("requirement_create", right); made["isError"] == true {
		t.Errorf("got %v", made)
	}
}

// An end of the output is an end of the session: nobody hears what became of the load.
func TestALoadEndsWithTheOutput(t *testing.T) {
	e := openGraph(t)
	inR, in := io.Pipe()
	out, outW := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- mcp.New(e, options("")).RunStdio(t.Context(), inR, outW) }()
	go func() {
		fmt.Fprintln(in, hello("2025-11-25", ""))
		fmt.Fprintln(in, longLoad(1, 30_000))
	}()
	lines := json.NewDecoder(out)
	for {
		var a answer
		if err := lines.Decode(&a); err != nil {
			t.Fatal(err)
		}
		if a.Method == "notifications/progress" {
			break
		}
	}
	out.Close()
	<-done
	in.Close()
	s := converse(t, e, options(""))
	if types := s.call("snapshot", nil)["types"].(map[string]any); types["Standard"] != 9.0 {
		t.Errorf("there are %v", types)
	}
}

// patient is an engine whose calls end when they are cancelled.
type patient struct {
	*fake
	began, ended chan struct{}
}

func (p patient) Call(ctx context.Context, _ invoke.Call) (invoke.Result, error) {
	close(p.began)
	<-ctx.Done()
	close(p.ended)
	return invoke.Result{}, ctx.Err()
}

// Where each request stands alone, a client that goes takes its call with it. (Up to
// 2025-11-25 the protocol does not want a lost connection taken for that.)
func TestACallOverStatelessHTTPEndsWithItsRequest(t *testing.T) {
	const version = "2026-07-28"
	e := patient{&fake{}, make(chan struct{}), make(chan struct{})}
	server := httptest.NewServer(mcp.New(e, options("")).Handler())
	defer server.Close()
	ctx, leave := context.WithCancel(t.Context())
	body := strings.NewReader(ask(version, 1, "tools/call", callTool("slow", map[string]any{}), ""))
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL, body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for _, header := range versionHeaders(version, "tools/call", "slow") {
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Set(name, value)
	}
	go func() {
		<-e.began
		leave()
	}()
	if res, err := http.DefaultClient.Do(r); err == nil {
		res.Body.Close()
	}
	<-e.ended // or the test never ends
}
