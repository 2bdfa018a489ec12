package upstream_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"trails/gateway"
	"trails/gateway/upstream"
)

// journal is what a server was asked to tell of.
type journal struct {
	mu    sync.Mutex
	lines []string
}

func (j *journal) add(format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = append(j.lines, fmt.Sprintf(format, args...))
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return strings.Join(j.lines, " ")
}

// watched is a server that tells of changes of its resources: the tool touch changes one.
func watched() (*mcp.Server, *journal) {
	j := &journal{}
	s := mcp.NewServer(&mcp.Implementation{Name: "watched", Version: "1"}, &mcp.ServerOptions{
		SubscribeHandler: func(_ context.Context, r *mcp.SubscribeRequest) error {
			if r.Params.URI == "fake://secret" {
				return fmt.Errorf("not yours")
			}
			j.add("+%s", r.Params.URI)
			return nil
		},
		UnsubscribeHandler: func(_ context.Context, r *mcp.UnsubscribeRequest) error {
			j.add("-%s", r.Params.URI)
			return nil
		},
	})
	mcp.AddTool(s, &mcp.Tool{Name: "touch"}, func(ctx context.Context, _ *mcp.CallToolRequest, in asked) (*mcp.CallToolResult, any, error) {
		return nil, nil, s.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: in.Text})
	})
	mcp.AddTool(s, &mcp.Tool{Name: "exit"}, func(context.Context, *mcp.CallToolRequest, asked) (*mcp.CallToolResult, any, error) {
		os.Exit(7)
		return nil, nil, nil
	})
	for _, name := range []string{"one", "two"} {
		s.AddResource(&mcp.Resource{URI: "fake://" + name, Name: name}, func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, Text: "I"}}}, nil
		})
	}
	return s, j
}

// until waits for a condition.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for: %s", what)
		}
	}
}

// listener counts what it is told.
type listener struct {
	mu   sync.Mutex
	told int
	stop func()
}

func listens(ctx context.Context, t *testing.T, p *upstream.Pool, s gateway.Server, uri string) *listener {
	t.Helper()
	l := &listener{}
	stop, err := p.Subscribe(ctx, s, uri, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.told++
	})
	if err != nil {
		t.Fatal(err)
	}
	l.stop = stop
	return l
}

func (l *listener) heard() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.told
}

func TestListenersShareOneSubscription(t *testing.T) {
	s, j := watched()
	at := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil))
	t.Cleanup(func() { at.CloseClientConnections(); at.Close() })
	p, k := open(t), gateway.Server{Name: "fake", HTTP: at.URL}
	touch := func(uri string) {
		t.Helper()
		if _, err := call(t, p, k, "touch", uri, upstream.Hooks{}); err != nil {
			t.Fatal(err)
		}
	}
	other := listens(t.Context(), t, p, k, "fake://two")
	until(t, "the server's stream of news is open", func() bool { touch("fake://two"); return other.heard() > 0 })
	first, second := listens(t.Context(), t, p, k, "fake://one"), listens(t.Context(), t, p, k, "fake://one")
	if got := j.String(); got != "+fake://two +fake://one" {
		t.Errorf("the server is asked for %s", got)
	}
	touch("fake://one")
	until(t, "both are told", func() bool { return first.heard() == 1 && second.heard() == 1 })
	first.stop()
	touch("fake://one")
	until(t, "the other one is told", func() bool { return second.heard() == 2 })
	if first.heard() != 1 {
		t.Errorf("who has ended it was told %d times", first.heard())
	}
	second.stop()
	until(t, "the last one ends it", func() bool { return strings.HasSuffix(j.String(), " -fake://one") })
	again := listens(t.Context(), t, p, k, "fake://one")
	touch("fake://one")
	until(t, "who came later is told", func() bool { return again.heard() == 1 })
	if _, err := p.Subscribe(t.Context(), k, "fake://secret", func() {}); code(err) != gateway.UpstreamError || !strings.Contains(err.Error(), "not yours") {
		t.Errorf("what the server refuses: %v", err)
	}
}

func TestAServerThatTellsNothingSaysSo(t *testing.T) {
	p := open(t)
	_, err := p.Subscribe(t.Context(), command(t, "good"), "fake://one", func() {})
	if code(err) != gateway.UpstreamError || !strings.Contains(err.Error(), "does not tell when its resources change") {
		t.Error(err)
	}
}

func TestWhatIsListenedToIsSubscribedToAgain(t *testing.T) {
	p, s := open(t), command(t, "watched")
	l := listens(t.Context(), t, p, s, "fake://one")
	if _, err := call(t, p, s, "exit", "", upstream.Hooks{}); code(err) != gateway.UpstreamUnavailable {
		t.Fatal(err)
	}
	until(t, "it may have changed while the server was down", func() bool { return l.heard() == 1 })
	if _, err := call(t, p, s, "touch", "fake://one", upstream.Hooks{}); err != nil {
		t.Fatal(err)
	}
	until(t, "the new one tells", func() bool { return l.heard() == 2 })
	l.stop()
}

func TestListenersAreBounded(t *testing.T) {
	p, s := open(t), command(t, "watched")
	for i := range 1_000 {
		listens(t.Context(), t, p, s, fmt.Sprintf("fake://n/%d", i))
	}
	if _, err := p.Subscribe(t.Context(), s, "fake://more", func() {}); code(err) != gateway.RateLimited {
		t.Error(err)
	}
	listens(t.Context(), t, p, s, "fake://n/0") // that is subscribed to
}

// Each credential has a subscription of its own, which keeps the connection.
func TestListenersWithCredentialsOfTheirOwn(t *testing.T) {
	var mu sync.Mutex
	servers := map[string]*mcp.Server{}
	at := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(r *http.Request) *mcp.Server {
		mu.Lock()
		defer mu.Unlock()
		shown := r.Header.Get("Authorization")
		if servers[shown] == nil {
			servers[shown], _ = watched()
		}
		return servers[shown]
	}, nil))
	t.Cleanup(func() { at.CloseClientConnections(); at.Close() })
	p := open(t, func(c *upstream.Config) { c.Idle = 50 * time.Millisecond })
	k := gateway.Server{Name: "fake", HTTP: at.URL, CallerHeader: "Authorization"}
	ann, bob := listens(as(t, annShows), t, p, k, "fake://one"), listens(as(t, bobShows), t, p, k, "fake://one")
	time.Sleep(200 * time.Millisecond) // nobody calls meanwhile
	mu.Lock()
	s := servers[annShows]
	mu.Unlock()
	until(t, "ann is told", func() bool {
		if err := s.ResourceUpdated(t.Context(), &mcp.ResourceUpdatedNotificationParams{URI: "fake://one"}); err != nil {
			t.Fatal(err)
		}
		return ann.heard() > 0
	})
	if bob.heard() != 0 {
		t.Error("bob is told of what ann may see")
	}
	if _, err := p.Subscribe(t.Context(), k, "fake://one", func() {}); code(err) != gateway.AuthFailed {
		t.Error(err)
	}
}
