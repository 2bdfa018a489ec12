package upstream_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"trails/gateway"
	"trails/gateway/upstream"
)

// TestMain lets this program be the servers that the tests start.
func TestMain(m *testing.M) {
	if os.Getenv("TRAILS_TEST_SERVER") == "" {
		os.Exit(m.Run())
	}
	switch os.Args[1] {
	case "silent", "noted":
		if err := os.WriteFile(os.Getenv("TRAILS_TEST_PID"), []byte(strconv.Itoa(os.Getpid())), 0o600); err != nil {
			os.Exit(1)
		}
		if os.Args[1] == "silent" {
			time.Sleep(time.Hour)
		}
	case "raw":
		raw()
		os.Exit(0)
	case "gone":
		fmt.Fprintln(os.Stderr, "no such file", os.Getenv("SAY"), os.Getenv("FOLDER"))
		os.Exit(3)
	}
	s := server()
	if os.Args[1] == "watched" {
		s, _ = watched()
	}
	if err := s.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		os.Exit(1)
	}
}

type asked struct {
	Text string `json:"text,omitempty"`
}

// server behaves, and misbehaves on request.
func server() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "fake", Version: "1.2"}, nil)
	add := func(name string, do func(context.Context, *mcp.CallToolRequest, asked) (string, error)) {
		mcp.AddTool(s, &mcp.Tool{Name: name, Description: "Does " + name + ".\x1b[31m\u202e", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}}, func(ctx context.Context, r *mcp.CallToolRequest, in asked) (*mcp.CallToolResult, any, error) {
			said, err := do(ctx, r, in)
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: said}}}, nil, err
		})
	}
	add("echo", func(_ context.Context, _ *mcp.CallToolRequest, in asked) (string, error) { return in.Text, nil })
	add("fail", func(context.Context, *mcp.CallToolRequest, asked) (string, error) {
		return "", errors.New("it did not work")
	})
	add("hang", func(ctx context.Context, _ *mcp.CallToolRequest, _ asked) (string, error) {
		<-ctx.Done()
		_ = os.WriteFile(os.Getenv("TRAILS_TEST_CANCELLED"), nil, 0o600)
		return "", ctx.Err()
	})
	add("exit", func(context.Context, *mcp.CallToolRequest, asked) (string, error) {
		os.Exit(7)
		return "", nil
	})
	add("flood", func(context.Context, *mcp.CallToolRequest, asked) (string, error) {
		_, err := os.Stdout.Write(slices.Concat([]byte(`{"jsonrpc":"2.0","id":99,"result":"`), bytes.Repeat([]byte("x"), 33<<20), []byte("\"}\n")))
		return "", err
	})
	add("env", func(_ context.Context, _ *mcp.CallToolRequest, in asked) (string, error) {
		return os.Getenv(in.Text), nil
	})
	add("progress", func(ctx context.Context, r *mcp.CallToolRequest, _ asked) (string, error) {
		for range 25 { // what comes late, behind the answer, is heard by nobody
			if err := r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: 1, Total: 2, Message: "half"}); err != nil {
				return "", err
			}
			time.Sleep(20 * time.Millisecond)
		}
		return "done", nil
	})
	add("elicit", func(ctx context.Context, r *mcp.CallToolRequest, _ asked) (string, error) {
		a, err := r.Session.Elicit(ctx, &mcp.ElicitParams{Message: "Which?", RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{"which": map[string]any{"type": "string"}}}})
		if err != nil {
			return "", err
		}
		return fmt.Sprint(a.Action, a.Content["which"]), nil
	})
	add("more", func(context.Context, *mcp.CallToolRequest, asked) (string, error) {
		mcp.AddTool(s, &mcp.Tool{Name: "new"}, func(context.Context, *mcp.CallToolRequest, asked) (*mcp.CallToolResult, any, error) {
			return nil, nil, nil
		})
		return "", nil
	})
	s.AddResource(&mcp.Resource{URI: "fake://one", Name: "one"}, func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, Text: "I"}}}, nil
	})
	s.AddPrompt(&mcp.Prompt{Name: "greet", Arguments: []*mcp.PromptArgument{{Name: "who", Required: true}}}, func(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: "Hello " + r.Params.Arguments["who"]}}}}, nil
	})
	return s
}

func command(t *testing.T, mode string, change ...func(*gateway.Server)) gateway.Server {
	t.Helper()
	s := gateway.Server{Name: "fake", Command: []string{os.Args[0], mode}, Env: map[string]string{"TRAILS_TEST_SERVER": "1"}}
	for _, c := range change {
		c(&s)
	}
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	return s
}

func open(t *testing.T, change ...func(*upstream.Config)) *upstream.Pool {
	t.Helper()
	c := upstream.Config{Trusts: func(gateway.Server) bool { return true }, Log: slog.New(slog.DiscardHandler)}
	for _, f := range change {
		f(&c)
	}
	p := upstream.Open(c)
	t.Cleanup(p.Close)
	return p
}

// call calls a tool and returns its text.
func call(t *testing.T, p *upstream.Pool, s gateway.Server, tool, text string, hooks upstream.Hooks) (string, error) {
	t.Helper()
	args, err := json.Marshal(asked{text})
	if err != nil {
		t.Fatal(err)
	}
	a, err := p.Call(t.Context(), s, tool, args, hooks)
	if err != nil {
		return "", err
	}
	said := ""
	for _, part := range a.Parts {
		said += part.Text
	}
	if a.IsError {
		said = "error: " + said
	}
	return said, nil
}

func code(err error) gateway.Code {
	var e *gateway.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

func TestServersAreReachedInEveryWay(t *testing.T) {
	streamable := httptest.NewServer(needs("Bearer s3cret", mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server() }, nil)))
	sse := httptest.NewServer(needs("Bearer s3cret", mcp.NewSSEHandler(func(*http.Request) *mcp.Server { return server() }, nil)))
	t.Cleanup(func() {
		for _, s := range []*httptest.Server{streamable, sse} {
			s.CloseClientConnections()
			s.Close()
		}
	})
	header := map[string]string{"Authorization": "Bearer ${FAKE_TOKEN}"}
	for name, s := range map[string]gateway.Server{
		"command": command(t, "good"),
		"http":    {Name: "fake", HTTP: streamable.URL, Headers: header},
		"sse":     {Name: "fake", SSE: sse.URL, Headers: header},
	} {
		t.Run(name, func(t *testing.T) {
			p := open(t, func(c *upstream.Config) {
				c.Lookup = func(name string) (string, bool) {
					return map[string]string{"FAKE_TOKEN": "s3cret", "PATH": os.Getenv("PATH")}[name], true
				}
			})
			c, err := p.Catalog(t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
			kinds := map[gateway.Kind]int{}
			for _, o := range c.Offered {
				kinds[o.Kind]++
				if strings.ContainsAny(o.Description, "\x1b\u202e") {
					t.Errorf("%s is described with what cannot be seen: %q", o.Name, o.Description)
				}
			}
			if kinds[gateway.Tool] != 9 || kinds[gateway.Resource] != 1 || kinds[gateway.Prompt] != 1 {
				t.Errorf("it offers %v", kinds)
			}
			if said, err := call(t, p, s, "echo", "a\u2028b", upstream.Hooks{}); err != nil || said != "a\u2028b" {
				t.Errorf("echo says %q, %v", said, err)
			}
			if said, err := call(t, p, s, "fail", "", upstream.Hooks{}); err != nil || said != "error: it did not work" {
				t.Errorf("a tool that fails says %q, %v", said, err)
			}
			contents, err := p.Read(t.Context(), s, "fake://one", upstream.Hooks{})
			if err != nil || len(contents) != 1 || contents[0].Text != "I" {
				t.Errorf("the resource is %v, %v", contents, err)
			}
			messages, err := p.Prompt(t.Context(), s, "greet", map[string]string{"who": "Ann"}, upstream.Hooks{})
			if err != nil || len(messages) != 1 {
				t.Errorf("the prompt is %v, %v", messages, err)
			}
			if h := p.Health(s); h.State != upstream.Up || h.Says != "fake 1.2" || h.Calls != 5 || h.Failed != 0 {
				t.Errorf("it stands as %+v", h)
			}
		})
	}
}

// needs refuses requests without the header Authorization.
func needs(authorization string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != authorization {
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func TestFailuresSayWhatTheyAre(t *testing.T) {
	address := func(do http.HandlerFunc) gateway.Server {
		s := httptest.NewServer(do)
		t.Cleanup(s.Close)
		return gateway.Server{Name: "fake", HTTP: s.URL}
	}
	answers := func(status int) gateway.Server {
		return address(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
	}
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	t.Cleanup(secure.Close)
	quick := func(s *gateway.Server) { s.TimeoutMS = 700 }
	for name, test := range map[string]struct {
		server gateway.Server
		tool   string
		want   gateway.Code
	}{
		"a tool that never answers":    {command(t, "good", quick), "hang", gateway.UpstreamTimeout},
		"a server that never answers":  {command(t, "silent", quick, func(s *gateway.Server) { s.Env["TRAILS_TEST_PID"] = os.DevNull }), "echo", gateway.UpstreamTimeout},
		"a command that ends at once":  {command(t, "gone"), "echo", gateway.UpstreamUnavailable},
		"a command that is not there":  {gateway.Server{Name: "fake", Command: []string{"/no/such/program"}}, "echo", gateway.UpstreamUnavailable},
		"a server that ends in a call": {command(t, "good"), "exit", gateway.UpstreamUnavailable},
		"an answer of 33 MB":           {command(t, "good"), "flood", gateway.UpstreamError},
		"a tool that is not there":     {command(t, "good"), "nosuch", gateway.UpstreamError},
		"a variable that is not there": {command(t, "good", func(s *gateway.Server) { s.Env["X"] = "${TRAILS_NO_SUCH}" }), "echo", gateway.UpstreamUnavailable},
		"an address where nobody is":   {gateway.Server{Name: "fake", HTTP: "http://127.0.0.1:1/mcp"}, "echo", gateway.UpstreamUnavailable},
		"a host that nobody knows":     {gateway.Server{Name: "fake", HTTP: "http://nobody.invalid/mcp"}, "echo", gateway.UpstreamUnavailable},
		"a certificate of its own":     {gateway.Server{Name: "fake", HTTP: secure.URL}, "echo", gateway.UpstreamUnavailable},
		"a connection that is cut": {address(func(w http.ResponseWriter, _ *http.Request) {
			if c, _, err := http.NewResponseController(w).Hijack(); err == nil {
				_ = c.Close()
			}
		}), "echo", gateway.UpstreamUnavailable},
		"a token that is wrong":       {answers(401), "echo", gateway.AuthFailed},
		"a token with too few rights": {answers(403), "echo", gateway.PermissionDenied},
		"too many requests":           {answers(429), "echo", gateway.RateLimited},
		"a server that has an error":  {answers(500), "echo", gateway.UpstreamUnavailable},
		"a server that sends us somewhere": {address(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://example.com/", http.StatusTemporaryRedirect)
		}), "echo", gateway.UpstreamUnavailable},
		"a page in the place of an MCP server": {address(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") }), "echo", gateway.UpstreamUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := open(t)
			_, err := call(t, p, test.server, test.tool, "x", upstream.Hooks{})
			if code(err) != test.want {
				t.Errorf("%s, not %s: %v", code(err), test.want, err)
			}
			if err != nil && regexp.MustCompile(`\n|dial|lookup|x509`).MatchString(err.Error()) {
				t.Errorf("the message has several lines, or tells of the way to the server: %v", err)
			}
		})
	}
}

func TestAServerThatEndedIsStartedAgain(t *testing.T) {
	p, s := open(t), command(t, "good")
	if _, err := call(t, p, s, "exit", "", upstream.Hooks{}); code(err) != gateway.UpstreamUnavailable {
		t.Fatal(err)
	}
	_, err := call(t, p, s, "echo", "x", upstream.Hooks{})
	var e *gateway.Error
	if !errors.As(err, &e) || !e.Retryable || e.Details["retry_after"] == nil || p.Health(s).State != upstream.Down {
		t.Fatalf("while it rests the call says %v", err)
	}
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		said, err := call(t, p, s, "echo", "again", upstream.Hooks{})
		if err == nil && said == "again" {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("it is not there again: %v", err)
		}
	}
}

func TestCallsAreCancelledAtTheServer(t *testing.T) {
	noted := t.TempDir() + "/cancelled"
	p, s := open(t), command(t, "good", func(s *gateway.Server) { s.Env["TRAILS_TEST_CANCELLED"] = noted })
	if _, err := p.Catalog(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := p.Call(ctx, s, "hang", nil, upstream.Hooks{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("the call ended with %v", err)
	}
	for { // this ends, or the test does
		if _, err := os.Stat(noted); err == nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func TestProgressQuestionsAndChangesPassThrough(t *testing.T) {
	var changed atomic.Int32
	p, s := open(t, func(c *upstream.Config) { c.Changed = func(string) { changed.Add(1) } }), command(t, "good")
	heard := make(chan string, 25)
	said, err := call(t, p, s, "progress", "", upstream.Hooks{Progress: func(done, total float64, message string) { heard <- fmt.Sprint(done, total, message) }})
	if err != nil || said != "done" {
		t.Fatal(said, err)
	}
	select {
	case got := <-heard:
		if got != "1 2half" {
			t.Errorf("the progress was %s", got)
		}
	case <-time.After(2 * time.Minute):
		t.Error("no progress was heard")
	}
	said, err = call(t, p, s, "elicit", "", upstream.Hooks{Elicit: func(_ context.Context, message string, _ any) (string, map[string]any, error) {
		return "accept", map[string]any{"which": message}, nil
	}})
	if err != nil || said != "acceptWhich?" {
		t.Errorf("the question was answered %q, %v", said, err)
	}
	if said, err := call(t, p, s, "elicit", "", upstream.Hooks{}); err != nil || !strings.HasPrefix(said, "decline") {
		t.Errorf("without a person the question was answered %q, %v", said, err)
	}
	if _, err := call(t, p, s, "more", "", upstream.Hooks{}); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(10 * time.Second); changed.Load() == 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("nobody heard that the offer changed")
		}
	}
}

func TestOnlyWhatIsTrustedIsReached(t *testing.T) {
	p, s := open(t, func(c *upstream.Config) { c.Trusts = nil }), command(t, "good")
	if _, err := p.Catalog(t.Context(), s); code(err) != gateway.PermissionDenied || !strings.Contains(err.Error(), "agreed") {
		t.Errorf("it was reached: %v", err)
	}
	if h := p.Health(s); h.State != upstream.Untrusted {
		t.Errorf("it stands as %+v", h)
	}
}

func TestACommandHasNoOtherVariables(t *testing.T) {
	t.Setenv("TRAILS_TEST_SECRET", "s3cret")
	p := open(t)
	if said, err := call(t, p, command(t, "good"), "env", "TRAILS_TEST_SECRET", upstream.Hooks{}); err != nil || said != "" {
		t.Errorf("the command knows %q, %v", said, err)
	}
	given := command(t, "good", func(s *gateway.Server) { s.Env["MY_TOKEN"] = "${TRAILS_TEST_SECRET}" })
	if said, err := call(t, p, given, "env", "MY_TOKEN", upstream.Hooks{}); err != nil || said != "s3cret" {
		t.Errorf("the command was given %q, %v", said, err)
	}
}

// TestACommandThatCannotRunSaysWhatIsMissing agrees to what is not there any more, or never was.
func TestACommandThatCannotRunSaysWhatIsMissing(t *testing.T) {
	folder := t.TempDir()
	for name, test := range map[string]struct {
		program upstream.Program
		want    string
	}{
		"the directory":       {upstream.Program{Path: os.Args[0], Directory: filepath.Join(folder, "moved")}, "that directory is not there; agree to it anew"},
		"a relative program":  {upstream.Program{Path: "./tool", Directory: filepath.Join(folder, "moved")}, "that directory is not there; agree to it anew"},
		"the program":         {upstream.Program{Path: filepath.Join(folder, "tool"), Directory: folder}, "does not run"},
		"a file for a folder": {upstream.Program{Path: os.Args[0], Directory: os.Args[0]}, "does not run"},
	} {
		p := open(t, func(c *upstream.Config) {
			c.Program = func(gateway.Server) (upstream.Program, error) { return test.program, nil }
		})
		if _, err := call(t, p, command(t, "raw"), "count", "", upstream.Hooks{}); code(err) != gateway.UpstreamUnavailable || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", name, err, test.want)
		}
	}
	for word, hint := range map[string]bool{"no-such-program": false, "python3 server.py": true, "./no such program": true} {
		_, err := upstream.FindProgram(gateway.Server{Name: "a", Command: []string{word}}, folder, os.LookupEnv)
		if err == nil || !strings.Contains(err.Error(), "not a program") || strings.Contains(err.Error(), "words of their own") != hint {
			t.Errorf("%s: %v", word, err)
		}
	}
}

func TestAServerThatIsJustStartedEndsWithThePool(t *testing.T) {
	noted := t.TempDir() + "/pid"
	p, s := open(t), command(t, "silent", func(s *gateway.Server) { s.TimeoutMS, s.Env["TRAILS_TEST_PID"] = 3_600_000, noted })
	failed := make(chan error, 1)
	go func() {
		_, err := p.Catalog(context.WithoutCancel(t.Context()), s)
		failed <- err
	}()
	var pid int
	for deadline := time.Now().Add(20 * time.Second); pid == 0; time.Sleep(10 * time.Millisecond) {
		text, _ := os.ReadFile(noted) // it is not there yet
		pid, _ = strconv.Atoi(string(text))
		if time.Now().After(deadline) {
			t.Fatal("it did not start")
		}
	}
	p.Close()
	if server, err := os.FindProcess(pid); err == nil && server.Signal(syscall.Signal(0)) == nil {
		t.Error("it runs on")
	}
	if err := <-failed; code(err) != gateway.UpstreamUnavailable {
		t.Errorf("who waited for it is told %v", err)
	}
}
