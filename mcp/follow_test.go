package mcp_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"trails/fault"
	"trails/invoke"
	"trails/mcp"
)

// elsewhere tells of resources that the engine does not have.
type elsewhere struct {
	mu      sync.Mutex
	updated map[string][]func()
	begun   int
	ended   int
}

func (e *elsewhere) follow(_ context.Context, uri string, _ invoke.Call, updated func()) (func(), error) {
	if !strings.HasPrefix(uri, "resource::") {
		return nil, fault.New(fault.NotFound, "Resource not found").With("uri", uri)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.updated == nil {
		e.updated = map[string][]func(){}
	}
	e.begun++
	e.updated[uri] = append(e.updated[uri], updated)
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.ended++
	}, nil
}

func (e *elsewhere) tell(uri string) {
	e.mu.Lock()
	all := e.updated[uri]
	e.mu.Unlock()
	for _, updated := range all {
		updated()
	}
}

func (e *elsewhere) counts() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return fmt.Sprint(e.begun, " ", e.ended)
}

const (
	one     = "resource::github:readme#12345678"
	oneNews = `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"` + one + `"}}`
)

func TestResourcesOfOthersAreSubscribedToAsThoseOfTheGraphAre(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &elsewhere{}
		opts := options("")
		opts.Follow = e.follow
		s := openStdio(t, &fake{changes: make(chan invoke.Change)}, opts)
		s.greet("2025-11-25", "")
		subscribe := func(id int, uri string) string {
			return s.one(ask("2025-11-25", id, "resources/subscribe", map[string]any{"uri": uri}, ""))
		}
		if got := subscribe(1, one) + subscribe(2, one); strings.Contains(got, "error") || e.counts() != "1 0" {
			t.Errorf("%s, begun and ended %s", got, e.counts())
		}
		if got := subscribe(3, "github://readme"); code(t, got) != -32602 || !strings.Contains(got, "Resource not found") {
			t.Error(got)
		}
		if got := subscribe(4, "trails://kg/Nosuch/1"); code(t, got) != -32602 {
			t.Error(got)
		}
		e.tell(one)
		e.tell(one) // is one report until it is read
		if diff := cmp.Diff([]string{oneNews}, s.heard()); diff != "" {
			t.Error(diff)
		}
		s.one(ask("2025-11-25", 5, "resources/unsubscribe", map[string]any{"uri": one}, ""))
		e.tell(one)
		if got := s.heard(); len(got) > 0 || e.counts() != "1 1" {
			t.Errorf("after the end: %v, begun and ended %s", got, e.counts())
		}
		listen := func(id int) string {
			return s.one(ask("2026-07-28", id, "subscriptions/listen", map[string]any{"notifications": map[string]any{"resourceSubscriptions": []string{one}}}, ""))
		}
		if got := listen(6); code(t, got) != 0 {
			t.Error(got)
		}
		e.tell(one)
		told := strings.Replace(oneNews, `"uri"`, `"_meta":{"io.modelcontextprotocol/subscriptionId":6},"uri"`, 1)
		if diff := cmp.Diff([]string{told}, s.heard()); diff != "" {
			t.Error(diff)
		}
		s.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":6}}`)
		synctest.Wait()
		if e.counts() != "2 2" {
			t.Errorf("begun and ended %s", e.counts())
		}
		subscribe(7, one)
	})
}

// What a session is subscribed to ends with it.
func TestResourcesOfOthersEndWithTheStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &elsewhere{}
		opts := options("")
		opts.Follow = e.follow
		w := openWeb(t, mcp.New(&fake{changes: make(chan invoke.Change)}, opts), func(s *mcp.Server) http.Handler { return s.Handler() })
		s := w.browser("2026-07-28", "").listen(one, "trails://schema")
		if got := messages(s.heard()); len(got) != 1 || !strings.Contains(got[0], "acknowledged") {
			t.Fatal(got)
		}
		e.tell(one)
		if diff := cmp.Diff([]string{strings.Replace(oneNews, `"uri"`, `"_meta":{"io.modelcontextprotocol/subscriptionId":7},"uri"`, 1)}, messages(s.heard())); diff != "" {
			t.Error(diff)
		}
		s.cut()
		quiet()
		if e.counts() != "1 1" {
			t.Errorf("begun and ended %s", e.counts())
		}
	})
}
