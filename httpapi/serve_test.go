package httpapi_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"trails/fault"
	"trails/httpapi"
)

func TestListenRefusesWhatOthersCouldReach(t *testing.T) {
	for _, addr := range []string{"0.0.0.0:0", ":0", "[::]:0", "10.1.2.3:0", "example.org:80"} {
		ln, err := httpapi.Listen(t.Context(), addr, false)
		if err == nil {
			_ = ln.Close()
		}
		if !fault.Is(err, fault.InvalidArguments) {
			t.Errorf("Listen(%q): got %v, want a refusal", addr, err)
		}
	}
	for _, addr := range []string{"", "localhost", "127.0.0.1"} {
		if _, err := httpapi.Listen(t.Context(), addr, false); !fault.Is(err, fault.InvalidArguments) {
			t.Errorf("Listen(%q): got %v, want a refusal", addr, err)
		}
	}
}

// Each refusal names the address that was given and one to take.
func TestListenSaysWhatToTake(t *testing.T) {
	taken, err := httpapi.Listen(t.Context(), "127.0.0.1:0", false)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	for addr, take := range map[string]string{
		"127.0.0.1:99999":     "take 127.0.0.1:8757",
		"127.0.0.1:-1":        "take 127.0.0.1:8757",
		"127.0.0.1:+80":       "take 127.0.0.1:8757",
		"127.0.0.1:http":      "take 127.0.0.1:8757",
		"localhost:80" + " ":  "take 127.0.0.1:8757",
		"no.invalid:99999":    "take 127.0.0.1:8757",
		"no.invalid:8757":     "take --addr 127.0.0.1:8757",
		"::1:8757":            "such as 127.0.0.1:8757 or [::1]:8757",
		"[::1:8757":           "such as 127.0.0.1:8757 or [::1]:8757",
		"http://127.0.0.1:1":  "such as 127.0.0.1:8757 or [::1]:8757",
		"8757":                "such as 127.0.0.1:8757 or [::1]:8757",
		taken.Addr().String(): "take a free port with --addr 127.0.0.1:0",
	} {
		ln, err := httpapi.Listen(t.Context(), addr, false)
		if err == nil {
			_ = ln.Close()
			t.Errorf("Listen(%q) refuses nothing", addr)
			continue
		}
		text := fault.Of(err).Whole()
		if !strings.Contains(text, addr) || !strings.HasSuffix(text, take) && !strings.Contains(text, take+",") || strings.Contains(text, "tcp") {
			t.Errorf("Listen(%q): got %s, want %s", addr, text, take)
		}
	}
}

// pipes is a listener whose connections stay in the test, so that its time may be
// synctest's.
type pipes struct {
	dialled chan net.Conn
	closed  chan struct{}
	once    sync.Once
}

func newPipes() *pipes { return &pipes{dialled: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.dialled:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { p.once.Do(func() { close(p.closed) }); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8757} }

func (p *pipes) dial() net.Conn {
	ours, theirs := net.Pipe()
	p.dialled <- theirs
	return ours
}

// open sends a request over a connection of its own and returns the answer.
func (p *pipes) open(t *testing.T, request string) (net.Conn, *http.Response) {
	t.Helper()
	c := p.dial()
	go func() { _, _ = io.WriteString(c, request) }() // a server that refuses may leave some of it
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatalf("%.40q: %v", request, err)
	}
	return c, res
}

func get(path string) string { return "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n" }

// serve runs a server whose pages are these, in the bubble of the test.
func serve(t *testing.T, pages http.HandlerFunc) (p *pipes, s *httpapi.Server, stop func() error) {
	t.Helper()
	opts := runtimeOptions()
	if pages != nil {
		opts.Admin = pages
	}
	return serveWith(t, opts)
}

func serveWith(t *testing.T, opts httpapi.Options) (p *pipes, s *httpapi.Server, stop func() error) {
	t.Helper()
	p, s = newPipes(), httpapi.New(&fakeEngine{document: "{}"}, opts)
	ctx, cancel := context.WithCancel(context.Background())
	var err error
	ended := make(chan struct{})
	go func() { defer close(ended); err = s.Serve(ctx, p) }()
	stop = func() error { cancel(); <-ended; return err }
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	return p, s, stop
}

// events is an answer that goes on until its request ends.
func events(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, "data: first\n\n")
	_ = http.NewResponseController(w).Flush()
	<-r.Context().Done()
}

func TestACallInFlightFinishesWhileAnOpenStreamDoesNotHoldUpTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		started, finish := make(chan struct{}), make(chan struct{})
		p, s, stop := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/admin/events" {
				events(w, r)
				return
			}
			close(started)
			<-finish
			_, _ = io.WriteString(w, "done")
		})
		_, stream := p.open(t, get("/admin/events"))
		answer, ended := make(chan string, 1), make(chan error, 1)
		go func() {
			_, res := p.open(t, get("/admin/call"))
			answer <- readAll(t, res.Body)
		}()
		<-started
		go func() { ended <- stop() }()
		if got := readAll(t, stream.Body); got != "data: first\n\n" {
			t.Errorf("the stream held %q", got)
		}
		synctest.Wait()
		select {
		case err := <-ended:
			t.Fatalf("the end did not wait for the call: %v", err)
		default:
		}
		if res := do(s, newRequest(exchange{method: "GET", path: "/ready"})); res.StatusCode != 503 {
			t.Errorf("/ready in the end: got %d", res.StatusCode)
		}
		if res := do(s, newRequest(exchange{method: "GET", path: "/admin/events"})); res.StatusCode != 503 {
			t.Errorf("a new stream in the end: got %d", res.StatusCode)
		}
		close(finish)
		if got := <-answer; got != "done" {
			t.Errorf("the call answered %q", got)
		}
		if err := <-ended; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
}

// A session's stream carries the answers to its calls: who keeps the sessions ends it.
func TestStreamsOfSessionsAreLeftToTheirKeeper(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answered := make(chan struct{})
		opts := runtimeOptions()
		opts.SSE = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "data: first\n\n")
			_ = http.NewResponseController(w).Flush()
			select {
			case <-answered:
				_, _ = io.WriteString(w, "data: answer\n\n")
			case <-r.Context().Done():
			}
		})
		opts.Stop = func() {
			time.Sleep(3 * time.Second) // a call in flight
			close(answered)
		}
		p, _, stop := serveWith(t, opts)
		c, res := p.open(t, get("/sse"))
		defer func() { _ = c.Close() }()
		go func() { _ = stop() }()
		if got := readAll(t, res.Body); got != "data: first\n\ndata: answer\n\n" {
			t.Errorf("got %q", got)
		}
	})
}

func TestACallThatDoesNotFinishIsCutAfterTheGrace(t *testing.T) {
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		says    string
		end     time.Duration // at the latest
	}{
		"one that says so": {func(w http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
			http.Error(w, context.Cause(r.Context()).Error(), http.StatusGatewayTimeout)
		}, "the server was stopped before this call had an answer", 12*time.Second - 1},
		"one that does not end": {func(http.ResponseWriter, *http.Request) { time.Sleep(time.Minute) }, "", 12 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, _, stop := serve(t, c.handler)
				said := make(chan string)
				conn := p.dial()
				_, _ = io.WriteString(conn, get("/admin/call"))
				go func() {
					text, _ := io.ReadAll(conn) // it may be cut
					said <- string(text)
				}()
				synctest.Wait()
				start := time.Now()
				if err := stop(); err != nil || time.Since(start) < 10*time.Second || time.Since(start) > c.end {
					t.Errorf("after %s: %v", time.Since(start), err)
				}
				if got := <-said; c.says == "" && got != "" || !strings.Contains(got, c.says) {
					t.Errorf("it was told %q", got)
				}
				time.Sleep(time.Minute) // until the call has ended
			})
		})
	}
}

func TestAStreamLivesAsLongAsItIsRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, _, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
			for i := range 3 {
				_, _ = fmt.Fprintf(w, "data: %d\n\n", i)
				_ = http.NewResponseController(w).Flush()
				time.Sleep(24 * time.Hour)
			}
		})
		c, res := p.open(t, get("/admin/events"))
		defer func() { _ = c.Close() }()
		if got := readAll(t, res.Body); got != "data: 0\n\ndata: 1\n\ndata: 2\n\n" {
			t.Errorf("got %q", got)
		}
	})
}

func TestAStreamThatIsNotReadIsCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		took := make(chan time.Duration, 1)
		p, _, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			for {
				start := time.Now()
				if _, err := io.WriteString(w, strings.Repeat("x", 64<<10)); err != nil {
					took <- time.Since(start)
					return
				}
			}
		})
		c, _ := p.open(t, get("/admin/events"))
		defer func() { _ = c.Close() }()
		if got := <-took; got != 5*time.Second {
			t.Errorf("cut after %s", got)
		}
	})
}

// An answer to one call that comes as events is a call: it is waited for.
func TestTheAnswerOfACallIsNoStreamThatLasts(t *testing.T) {
	for _, c := range []struct{ name, head, want string }{
		{"a call", "", "data: first\n\ndata: last\n\n"},
		{"a subscription", "Mcp-Method: subscriptions/listen\r\n", "data: first\n\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, _, stop := serve(t, func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Content-Type", "text/event-stream")
					_, _ = io.WriteString(w, "data: first\n\n")
					_ = http.NewResponseController(w).Flush()
					select {
					case <-r.Context().Done():
					case <-time.After(5 * time.Second):
						_, _ = io.WriteString(w, "data: last\n\n")
					}
				})
				conn, res := p.open(t, "POST /admin HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n"+c.head+"\r\n")
				defer func() { _ = conn.Close() }()
				go func() { _ = stop() }()
				if got := readAll(t, res.Body); got != c.want {
					t.Errorf("got %q, want %q", got, c.want)
				}
			})
		})
	}
}

func TestABodyThatDoesNotArriveIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, _, _ := serve(t, nil)
		start := time.Now()
		c, res := p.open(t, "POST /invoke/x HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
		defer func() { _ = c.Close() }()
		body := readAll(t, res.Body)
		checkProblem(t, res, body)
		if res.StatusCode != 408 || time.Since(start).Round(time.Millisecond) != 10*time.Second {
			t.Errorf("after %s: got %d %s", time.Since(start), res.StatusCode, body)
		}
	})
}

func TestHeadersThatDoNotArriveEndTheConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, _, _ := serve(t, nil)
		start := time.Now()
		c := p.dial()
		_, _ = io.WriteString(c, "GET /kg HTTP/1.1\r\nHost: local")
		if _, err := io.ReadAll(c); err != nil || time.Since(start) != 10*time.Second {
			t.Errorf("after %s: %v", time.Since(start), err)
		}
	})
}

func TestLargeHeadersAreRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, _, _ := serve(t, nil)
		c, res := p.open(t, "GET /kg HTTP/1.1\r\nHost: localhost\r\nX: "+strings.Repeat("x", 80<<10)+"\r\n\r\n")
		defer func() { _ = c.Close() }()
		if res.StatusCode != 431 {
			t.Errorf("got %d", res.StatusCode)
		}
	})
}
