package admin_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trails/auth"
	"trails/auth/policy"
	"trails/httpapi"
)

// listener reads an event stream over a real connection.
type listener struct {
	*http.Response
	lines *bufio.Scanner
}

func listen(t *testing.T, base string) listener {
	t.Helper()
	return listenAt(t, base+"/admin/events")
}

func listenAt(t *testing.T, address string) listener {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Body.Close() })
	return listener{res, bufio.NewScanner(res.Body)}
}

// next returns the next event's name and data; "" when the stream ended.
func (l listener) next(t *testing.T) (string, map[string]any) {
	t.Helper()
	name := ""
	for l.lines.Scan() {
		line := l.lines.Text()
		if n, ok := strings.CutPrefix(line, "event: "); ok {
			name = n
		}
		if text, ok := strings.CutPrefix(line, "data: "); ok {
			var data map[string]any
			if err := json.Unmarshal([]byte(text), &data); err != nil {
				t.Fatalf("%v in %s", err, text)
			}
			return name, data
		}
	}
	return "", nil
}

func TestAnOpenPageHearsWhatOthersWrite(t *testing.T) {
	f := newExample(t)
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	l := listen(t, server.URL)
	if l.StatusCode != 200 || l.Header.Get("Content-Type") != "text/event-stream" || l.Header.Get("Cache-Control") != "no-store" {
		t.Fatalf("got %d %v", l.StatusCode, l.Header)
	}
	name, hello := l.next(t)
	before := f.call(t, "health", map[string]any{})["head"]
	if name != "hello" || hello["head"] != before {
		t.Errorf("got %s %v, want hello of head %v", name, hello, before)
	}
	after := f.call(t, "requirement.update", map[string]any{"id": "R-001", "priority": 4})["commit"]
	name, got := l.next(t)
	want := map[string]any{
		"head": after, "schema": false, "resync": false,
		"types": []any{"Requirement"}, "instances": []any{"trails://kg/Requirement/R-001"},
	}
	if diff := cmp.Diff(want, got); name != "change" || diff != "" {
		t.Errorf("%s %s", name, diff)
	}
}

// A page of a branch hears of the branch, not of main.
func TestAnOpenPageOfABranchHearsOfTheBranch(t *testing.T) {
	f := newExample(t)
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	f.call(t, "branches_create", map[string]any{"name": "draft"})
	was := f.call(t, "requirement.update", map[string]any{"id": "R-001", "priority": 3, "branch": "draft"})["commit"]
	if mode := attribute(f.get(t, "/admin/types/Requirement/R-001?branch=draft", 200).byID(t, "main"), "data-live"); mode != "types" {
		t.Errorf("the page of a branch is live as %q", mode)
	}
	l := listenAt(t, server.URL+"/admin/events?branch=draft")
	if name, hello := l.next(t); name != "hello" || hello["head"] != was {
		t.Errorf("got %s %v, want hello of head %v", name, hello, was)
	}
	f.call(t, "requirement.update", map[string]any{"id": "R-001", "priority": 4})
	commit := f.call(t, "requirement.update", map[string]any{"id": "R-001", "priority": 5, "branch": "draft"})["commit"]
	name, got := l.next(t)
	want := map[string]any{
		"head": commit, "schema": false, "resync": false,
		"types": []any{"Requirement"}, "instances": []any{"trails://kg/Requirement/R-001"},
	}
	if diff := cmp.Diff(want, got); name != "change" || diff != "" {
		t.Errorf("%s %s", name, diff)
	}
}

func TestMoreOpenPagesThanThereIsRoomForAreRefused(t *testing.T) {
	f := newExample(t)
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	for range 256 {
		if l := listen(t, server.URL); l.StatusCode != 200 {
			t.Fatal(l.Status)
		}
	}
	if l := listen(t, server.URL); l.StatusCode != 503 || l.Header.Get("Retry-After") == "" {
		t.Errorf("got %s %v", l.Status, l.Header)
	}
}

// The server in front ends the streams when it stops, or nobody would wait for them.
func TestStreamsEndWithTheServer(t *testing.T) {
	f := newExample(t)
	ctx, stop := context.WithCancel(t.Context())
	ln, err := httpapi.Listen(ctx, "127.0.0.1:0", false)
	if err != nil {
		t.Fatal(err)
	}
	h := httpapi.New(f.engine, httpapi.Options{Admin: f, Auth: auth.New(auth.Options{Scopes: policy.AllScopes()})})
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(ctx, ln) }()
	l := listen(t, "http://"+ln.Addr().String())
	if name, _ := l.next(t); name != "hello" {
		t.Fatalf("got %q", name)
	}
	stop()
	if name, _ := l.next(t); name != "" {
		t.Errorf("after the end came %q", name)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
