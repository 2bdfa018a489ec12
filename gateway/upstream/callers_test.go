package upstream_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"trails/auth"
	"trails/gateway"
	"trails/gateway/upstream"
)

// as is the context of a request that brings a credential for the server fake.
func as(t testing.TB, credential string) context.Context {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, "/", http.NoBody).WithContext(t.Context())
	r.Header.Set("Trails-Upstream-Fake", credential)
	return auth.TakeCredentials(r).Context()
}

// accounts is a server that knows callers by their credentials.
type accounts struct {
	gateway.Server
	mu       sync.Mutex
	known    map[string]string   // who has a credential
	sessions map[string][]string // the credentials that a session was used with
	requests int
	ended    int // sessions
}

// bank is such a server. It repeats in every way what it was shown.
func bank(t testing.TB, known map[string]string) *accounts {
	t.Helper()
	b := &accounts{known: known, sessions: map[string][]string{}}
	of := func(r *http.Request) *mcp.Server {
		shown := r.Header.Get("Authorization")
		s := mcp.NewServer(&mcp.Implementation{Name: "bank " + shown, Version: "1"}, nil)
		add := func(name string, do func(ctx context.Context) (*mcp.CallToolResult, any, error)) {
			mcp.AddTool(s, &mcp.Tool{Name: name, Description: "For " + shown}, func(ctx context.Context, _ *mcp.CallToolRequest, _ asked) (*mcp.CallToolResult, any, error) {
				return do(ctx)
			})
		}
		add("who", func(context.Context) (*mcp.CallToolResult, any, error) {
			b.mu.Lock()
			defer b.mu.Unlock()
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: b.known[shown]}}}, nil, nil
		})
		add("echo", func(context.Context) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{
				&mcp.TextContent{Text: shown}, &mcp.TextContent{Text: strings.TrimPrefix(shown, "Bearer ")}, &mcp.ImageContent{MIMEType: "image/png", Data: []byte("x" + shown)},
			}, StructuredContent: map[string]any{shown: shown}}, nil, nil
		})
		add("fail", func(context.Context) (*mcp.CallToolResult, any, error) {
			return nil, nil, fmt.Errorf("no money for %s", shown)
		})
		add("hang", func(ctx context.Context) (*mcp.CallToolResult, any, error) {
			select {
			case <-ctx.Done():
			case <-t.Context().Done(): // a cancellation may be lost with its session
			}
			return nil, nil, ctx.Err()
		})
		if b.known[shown] == "ann" {
			add("only-ann", func(context.Context) (*mcp.CallToolResult, any, error) { return nil, nil, nil })
		}
		return s
	}
	handler := mcp.NewStreamableHTTPHandler(of, nil)
	at := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		shown, id := r.Header.Get("Authorization"), r.Header.Get("Mcp-Session-Id")
		b.mu.Lock()
		b.requests++
		who := b.known[shown]
		b.sessions[id] = append(b.sessions[id], shown)
		if r.Method == http.MethodDelete {
			b.ended++
		}
		b.mu.Unlock()
		if who == "" {
			http.Error(w, "who is "+shown+"?", http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { at.CloseClientConnections(); at.Close() })
	b.Server = gateway.Server{Name: "fake", HTTP: at.URL, CallerHeader: "Authorization"}
	if err := b.Check(); err != nil {
		t.Fatal(err)
	}
	return b
}

// mixed reports the sessions of the server that were used with more than one credential.
func (b *accounts) mixed() (all []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for id, shown := range b.sessions {
		for _, one := range shown {
			if id != "" && one != shown[0] {
				all = append(all, id)
			}
		}
	}
	return all
}

func (b *accounts) count() (requests, ended int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.requests, b.ended
}

func said(ctx context.Context, p *upstream.Pool, s gateway.Server, tool string) (string, error) {
	a, err := p.Call(ctx, s, tool, json.RawMessage(`{}`), upstream.Hooks{})
	if err != nil {
		return "", err
	}
	text := ""
	for _, part := range a.Parts {
		text += part.Text + string(part.Data) + "\n"
	}
	return text + fmt.Sprint(a.Structured), nil
}

const (
	annShows = "Bearer ann-s3cret/token+0"
	bobShows = "Bearer bob-s3cret/token+0"
)

func TestCallersWithCredentialsOfTheirOwnShareNothing(t *testing.T) {
	b, p := bank(t, map[string]string{annShows: "ann", bobShows: "bob"}), open(t)
	var work sync.WaitGroup
	for range 4 {
		for shown, who := range b.known {
			work.Go(func() {
				ctx := as(t, shown)
				for range 5 {
					if got, err := said(ctx, p, b.Server, "who"); err != nil || !strings.HasPrefix(got, who+"\n") {
						t.Errorf("the server takes %s for %q, %v", who, got, err)
					}
					all, missing, err := p.Listings(ctx, []gateway.Kept{{Server: b.Server}})
					if want := map[string]int{"ann": 5, "bob": 4}[who]; err != nil || len(missing) > 0 || len(all[0].Offered) != want {
						t.Errorf("%s is offered %d things, want %d; %v %v", who, len(all[0].Offered), want, missing, err)
					}
				}
			})
		}
	}
	work.Wait()
	if mixed := b.mixed(); len(mixed) > 0 {
		t.Errorf("sessions of several callers: %v", mixed)
	}
	if h := p.Health(b.Server); h.State != upstream.Up || h.Calls == 0 {
		t.Errorf("it stands as %+v", h)
	}
}

func TestACallerWithoutACredentialReachesNobody(t *testing.T) {
	b, p := bank(t, map[string]string{annShows: "ann"}), open(t)
	if _, err := said(as(t, annShows), p, b.Server, "who"); err != nil {
		t.Fatal(err)
	}
	before, _ := b.count()
	twice := httptest.NewRequest(http.MethodPost, "/", http.NoBody)
	twice.Header["Trails-Upstream-Fake"] = []string{annShows, bobShows}
	for name, ctx := range map[string]context.Context{
		"none": t.Context(), "another server's": auth.WithVariables(t.Context(), map[string]string{"TRAILS_UPSTREAM_OTHER": annShows}),
		"two": auth.TakeCredentials(twice).Context(), "one with a line end": as(t, "Bearer ann\nX: y"), "an empty one": as(t, " "),
	} {
		_, err := said(ctx, p, b.Server, "who")
		if code(err) != gateway.AuthFailed || !strings.Contains(err.Error(), "upstream fake") || !strings.Contains(err.Error(), "Trails-Upstream-Fake") || !strings.Contains(err.Error(), "TRAILS_UPSTREAM_FAKE") {
			t.Errorf("with %s: %v", name, err)
		}
		all, missing, err := p.Listings(ctx, []gateway.Kept{{Server: b.Server}})
		if err != nil || len(all) != 0 || len(missing) != 1 || missing[0].Problem.Code != gateway.AuthFailed {
			t.Errorf("with %s it is offered %v, %v, %v", name, all, missing, err)
		}
	}
	if after, _ := b.count(); after != before {
		t.Errorf("%d requests were sent", after-before)
	}
}

func TestAWrongCredentialAndANewOne(t *testing.T) {
	b, p := bank(t, map[string]string{annShows: "ann", bobShows: "bob"}), open(t)
	b.mu.Lock()
	delete(b.known, bobShows)
	b.mu.Unlock()
	_, err := said(as(t, bobShows), p, b.Server, "who")
	if code(err) != gateway.AuthFailed || !strings.Contains(err.Error(), "401") || !strings.Contains(err.Error(), "Trails-Upstream-Fake") || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("%v", err)
	}
	if got, err := said(as(t, annShows), p, b.Server, "who"); err != nil || !strings.HasPrefix(got, "ann\n") {
		t.Errorf("who has the right one is told %q, %v", got, err)
	}
	// The old one of ann ends at the server while it is in use; the new one works at once.
	const next = "Bearer ann-the-second-one"
	b.mu.Lock()
	delete(b.known, annShows)
	b.known[next] = "ann"
	b.mu.Unlock()
	if _, err := said(as(t, annShows), p, b.Server, "who"); code(err) != gateway.AuthFailed {
		t.Errorf("with the old one: %v", err)
	}
	if got, err := said(as(t, next), p, b.Server, "who"); err != nil || !strings.HasPrefix(got, "ann\n") {
		t.Errorf("with the new one: %q, %v", got, err)
	}
}

func TestTheConnectionsOfCallersAreBoundedAndEnd(t *testing.T) {
	known := map[string]string{}
	for i := range 6 {
		known[fmt.Sprintf("Bearer number-%d", i)] = fmt.Sprint(i)
	}
	b, p := bank(t, known), open(t, func(c *upstream.Config) { c.Callers, c.Idle = 2, 300*time.Millisecond })
	who := func(i int) error {
		_, err := said(as(t, fmt.Sprintf("Bearer number-%d", i)), p, b.Server, "who")
		return err
	}
	ended := func(least int) {
		t.Helper()
		for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
			if _, n := b.count(); n >= least {
				return
			} else if time.Now().After(deadline) {
				t.Fatalf("%d sessions have ended, want %d", n, least)
			}
		}
	}
	for i := range 6 {
		if err := who(i); err != nil {
			t.Fatal(err)
		}
	}
	ended(6) // four for others, and the last two because nobody used them
	// Who waits for an answer is not put out for another.
	ctx, cancel := context.WithCancel(t.Context())
	var busy sync.WaitGroup
	for i := range 2 {
		busy.Go(func() { // both have to wait, and the first call of one may find the room taken by who(2) below
			for ctx.Err() == nil {
				_, _ = said(withCancel(as(t, fmt.Sprintf("Bearer number-%d", i)), ctx), p, b.Server, "hang")
			}
		})
	}
	for p.Health(b.Server).State != upstream.Up || code(who(2)) != gateway.RateLimited {
		time.Sleep(5 * time.Millisecond)
	}
	cancel()
	busy.Wait()
	if err := who(2); err != nil {
		t.Errorf("there is room again, and the call says %v", err)
	}
}

// withCancel is a context with the values of one and the end of another.
func withCancel(values, end context.Context) context.Context {
	ctx, cancel := context.WithCancel(values)
	context.AfterFunc(end, cancel)
	return ctx
}

func TestNothingThatAServerSaysHasTheCredential(t *testing.T) {
	var log strings.Builder
	b, p := bank(t, map[string]string{annShows: "ann"}), open(t, func(c *upstream.Config) {
		c.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	ctx := as(t, annShows)
	var heard []string
	for _, tool := range []string{"echo", "fail"} {
		text, err := said(ctx, p, b.Server, tool)
		if err != nil {
			t.Fatal(err)
		}
		heard = append(heard, text)
	}
	c, err := p.Catalog(ctx, b.Server)
	if err != nil {
		t.Fatal(err)
	}
	heard = append(heard, fmt.Sprintf("%+v %+v", c, p.Health(b.Server)))
	_, err = said(as(t, bobShows), p, b.Server, "who")
	heard = append(heard, err.Error())
	// A command is given it in a variable.
	s := command(t, "good", func(s *gateway.Server) { s.CallerEnv = "MY_TOKEN" })
	text, err := call(t, p, s, "env", "MY_TOKEN", upstream.Hooks{})
	if code(err) != gateway.AuthFailed {
		t.Errorf("%q %v", text, err)
	}
	a, err := p.Call(auth.WithVariables(t.Context(), map[string]string{"TRAILS_UPSTREAM_FAKE": annShows}), s, "env", json.RawMessage(`{"text":"MY_TOKEN"}`), upstream.Hooks{})
	if err != nil || len(a.Parts) != 1 || a.Parts[0].Text != "[credential]" {
		t.Errorf("the command knows %v, %v", a, err)
	}
	p.Close()
	heard = append(heard, log.String(), fmt.Sprintf("%v %+v %#v", auth.CredentialsOf(ctx), auth.CredentialsOf(ctx), auth.CredentialsOf(ctx)))
	for _, text := range heard {
		if strings.Contains(text, "s3cret") {
			t.Errorf("it has the credential: %s", text)
		}
	}
	if !regexp.MustCompile(`^(?s:.*)\[credential\]\n\[credential\]\nx.credential\]*.?\nmap\[\[credential\]:\[credential\]\]`).MatchString(heard[0]) { // the bytes are inside base64
		t.Errorf("%q", heard[0])
	}
}
