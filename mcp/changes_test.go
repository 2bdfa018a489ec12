package mcp_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"trails/invoke"
	"trails/mcp"
)

// GO-SDK 4: the SDK tells of changes only when a tool is registered with it.
func TestTrapSection4AChangedSchemaIsToldToASession(t *testing.T) {
	for _, version := range versions[:4] {
		synctest.Test(t, func(t *testing.T) {
			e := &fake{changes: make(chan invoke.Change)}
			s := openStdio(t, e, options(""))
			s.greet(version, "")
			e.changes <- invoke.Change{Head: "a"}
			if got := s.heard(); len(got) > 0 {
				t.Errorf("%s: a change of data is told: %v", version, got)
			}
			for range 3 {
				e.changes <- invoke.Change{Schema: true}
			}
			want := []string{
				`{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{}}`,
				`{"jsonrpc":"2.0","method":"notifications/resources/list_changed","params":{}}`,
			}
			if got := s.heard(); !slices.Equal(got, want) && !slices.Equal(got, append(want, want...)) {
				t.Errorf("%s: got %v", version, got)
			}
			if got := s.one(ask(version, 1, "tools/list", nil, "")); strings.Contains(got, "__tick") {
				t.Errorf("%s: listed: %s", version, got)
			}
		})
	}
}

func TestNothingIsToldBeforeTheHandshake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &fake{changes: make(chan invoke.Change)}
		s := openStdio(t, e, options(token))
		synctest.Wait()
		e.changes <- invoke.Change{Schema: true}
		if got := s.heard(); len(got) > 0 {
			t.Errorf("a stranger hears %v", got)
		}
		s.one(hello("2025-11-25", "wrong"))
		e.changes <- invoke.Change{Schema: true}
		if got := s.heard(); len(got) > 0 {
			t.Errorf("a refused one hears %v", got)
		}
	})
}

func TestASubscriptionHearsOfAChangedSchemaOnStdio(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &fake{changes: make(chan invoke.Change)}
		s := openStdio(t, e, options(token))
		all := map[string]any{"notifications": map[string]any{"toolsListChanged": true, "resourcesListChanged": true, "resourceSubscriptions": []string{"trails://schema"}}}
		ack := s.one(ask("2026-07-28", 7, "subscriptions/listen", all, token))
		if !strings.Contains(ack, `"notifications":{"toolsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["trails://schema"]}`) {
			t.Errorf("agreed to %s", ack)
		}
		e.changes <- invoke.Change{Head: "c1", Schema: true}
		want := []string{
			`{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":7}}}`,
			`{"jsonrpc":"2.0","method":"notifications/resources/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":7}}}`,
			`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":7,"trails/commit":"c1"},"uri":"trails://schema"}}`,
		}
		if diff := cmp.Diff(want, s.heard()); diff != "" {
			t.Error(diff)
		}
		s.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7,"_meta":{"trails/bearer":"s3cret"}}}`)
		e.changes <- invoke.Change{Schema: true}
		if got := s.heard(); len(got) > 0 {
			t.Errorf("after the end: %v", got)
		}
	})
}

func TestSubscriptionsOverHTTPShareOneWatchAndOutliveTheServersTimeouts(t *testing.T) {
	e := &fake{changes: make(chan invoke.Change)}
	url := shortReads(t, mcp.New(e, options("")).Handler())
	a, b := listen(t, url, "toolsListChanged"), listen(t, url, "toolsListChanged")
	if got := next(t, a) + next(t, b); strings.Count(got, "subscriptions/acknowledged") != 2 {
		t.Fatalf("got %s", got)
	}
	time.Sleep(1200 * time.Millisecond) // longer than the server's timeouts
	e.changes <- invoke.Change{Schema: true}
	for range 2 {
		if got := next(t, a); !strings.Contains(got, "tools/list_changed") {
			t.Errorf("got %s", got)
		}
		if got := next(t, b); !strings.Contains(got, "tools/list_changed") {
			t.Errorf("got %s", got)
		}
		e.changes <- invoke.Change{Schema: true}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.watches != 1 {
		t.Errorf("%d watches", e.watches)
	}
}
