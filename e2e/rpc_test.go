package e2e_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"trails/e2e/testrun"
)

// door is a connection to a server that speaks MCP, over stdio or HTTP. It is safe for concurrent use.
type door interface {
	// call sends one request; a refusal is an *rpcError.
	call(method string, params any) (json.RawMessage, error)
	// stop ends the server as its user would and waits for it.
	stop() error
	// kill ends it with SIGKILL and waits for it.
	kill()
}

// rpcError is the error of a JSON-RPC answer.
type rpcError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

func (e *rpcError) Error() string { return fmt.Sprintf("%d %s %s", e.Code, e.Message, e.Data) }

// errGone reports that the server ended without an answer.
var errGone = errors.New("the server is gone")

type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Result json.RawMessage `json:"result"`
	Error  *rpcError       `json:"error"`
}

func (m message) answer() (json.RawMessage, error) {
	if m.Error != nil {
		return nil, m.Error
	}
	return m.Result, nil
}

func request(id int64, method string, params any) []byte {
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	if err != nil {
		panic(err)
	}
	return line
}

// greeting returns the params of initialize for a client with this name.
func greeting(name string) map[string]any {
	return map[string]any{
		"protocolVersion": "2025-11-25",
		"capabilities":    map[string]any{},
		"clientInfo":      map[string]any{"name": name, "version": "1"},
	}
}

// stdio is a running `trails mcp` and the session with it.
type stdio struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stderr *bytes.Buffer
	done   chan struct{} // closed when stdout has ended
	heard  atomic.Int64  // notifications that a resource was updated
	// changed counts notifications that the list of tools is another one.
	changed atomic.Int64

	mu      sync.Mutex // guards what follows and stdin
	last    int64
	waiting map[string]chan message
}

// openStdio starts `trails mcp` on file and initializes a session.
func openStdio(t testing.TB, file string, env ...string) *stdio {
	t.Helper()
	s, hello := startStdio(t, file, env...), greeting(t.Name())
	for _, kv := range env {
		if token, ok := strings.CutPrefix(kv, "TRAILS_MCP_TOKEN="); ok {
			hello["clientInfo"].(map[string]any)["authorization"] = map[string]any{"bearer": token}
		}
	}
	if _, err := s.call("initialize", hello); err != nil {
		t.Fatalf("initialize: %v\n%s", err, s.stderr)
	}
	if err := s.notify("notifications/initialized"); err != nil {
		t.Fatal(err)
	}
	return s
}

// startStdio starts `trails mcp` on file without initializing a session.
func startStdio(t testing.TB, file string, env ...string) *stdio {
	t.Helper()
	cmd := exec.Command(trailsBinary, "mcp", file, "--surface", "full")
	cmd.Env = environment(env...)
	s := &stdio{cmd: cmd, stderr: &bytes.Buffer{}, done: make(chan struct{}), waiting: map[string]chan message{}}
	cmd.Stderr = s.stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.stdin = stdin
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go s.listen(stdout)
	t.Cleanup(s.kill)
	return s
}

// listen reads the output and passes each answer to the call that waits for it.
func (s *stdio) listen(stdout io.Reader) {
	defer close(s.done)
	lines := bufio.NewReader(stdout)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return // a last line without an end is no answer: the writer was killed in it
		}
		var m message
		if json.Unmarshal(line, &m) != nil {
			continue
		}
		s.mu.Lock()
		ch := s.waiting[string(m.ID)]
		delete(s.waiting, string(m.ID))
		s.mu.Unlock()
		if ch != nil {
			ch <- m
		}
		switch m.Method {
		case "notifications/resources/updated":
			s.heard.Add(1)
		case "notifications/tools/list_changed":
			s.changed.Add(1)
		}
	}
}

func (s *stdio) call(method string, params any) (json.RawMessage, error) {
	ch := make(chan message, 1)
	s.mu.Lock()
	s.last++
	id := s.last
	s.waiting[fmt.Sprint(id)] = ch
	_, err := s.stdin.Write(append(request(id, method, params), '\n'))
	s.mu.Unlock()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errGone, err)
	}
	return await(ch, s.done, method)
}

// await waits for an answer. An answer that came before the end of the server counts.
func await(ch chan message, done chan struct{}, method string) (json.RawMessage, error) {
	select {
	case m := <-ch:
		return m.answer()
	case <-time.After(patience):
		return nil, fmt.Errorf("%s: no answer in %s", method, patience)
	case <-done:
	}
	select {
	case m := <-ch:
		return m.answer()
	default:
		return nil, errGone
	}
}

func (s *stdio) notify(method string) error {
	return s.raw(`{"jsonrpc":"2.0","method":"` + method + `"}`)
}

// raw writes one line unchanged.
func (s *stdio) raw(line string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := io.WriteString(s.stdin, line+"\n")
	return err
}

func (s *stdio) stop() error {
	s.stdin.Close()
	<-s.done
	if err := s.cmd.Wait(); err != nil {
		return fmt.Errorf("trails mcp: %w\n%s", err, s.stderr)
	}
	return nil
}

func (s *stdio) kill() {
	s.cmd.Process.Kill()
	<-s.done
	s.cmd.Wait()
}

// web is a running `trails serve` and the address of its MCP endpoint.
type web struct {
	cmd    *exec.Cmd
	stderr *testrun.Output
	base   string // http://127.0.0.1:port
	token  string
	last   atomic.Int64
	once   sync.Once
	exit   error
}

// openWeb starts `trails serve` on file and waits until it listens.
func openWeb(t testing.TB, file string, env ...string) *web {
	t.Helper()
	return startWeb(t, env, file)
}

// startWeb starts `trails serve` with these arguments and waits until it listens.
func startWeb(t testing.TB, env []string, args ...string) *web {
	t.Helper()
	cmd := exec.Command(trailsBinary, append([]string{"serve", "--addr", "127.0.0.1:0", "--surface", "full"}, args...)...)
	cmd.Env = environment(env...)
	w := &web{cmd: cmd, stderr: &testrun.Output{}}
	for _, kv := range env {
		if token, ok := strings.CutPrefix(kv, "TRAILS_MCP_TOKEN="); ok {
			w.token = token
		}
	}
	cmd.Stderr = w.stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.kill)
	w.await(t)
	return w
}

var listens = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)

// await waits until the server prints its address, and fails the test if it ends before.
func (w *web) await(t testing.TB) {
	t.Helper()
	gone := make(chan struct{})
	go func() { w.wait(); close(gone) }()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if w.base = listens.FindString(w.stderr.String()); w.base != "" {
			return
		}
		select {
		case <-gone:
			t.Fatalf("trails serve ended: %v\n%s", w.exit, w.stderr)
		default:
		}
	}
	t.Fatalf("trails serve does not answer\n%s", w.stderr)
}

// freeAddress returns a loopback address with a free port.
func freeAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func (w *web) call(method string, params any) (json.RawMessage, error) {
	header := http.Header{"Mcp-Protocol-Version": {"2025-11-25"}}
	status, body, err := w.post("/mcp", request(w.last.Add(1), method, params), header)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errGone, err)
	}
	var m message
	if err := json.Unmarshal(body, &m); err != nil {
		return nil, fmt.Errorf("%s: status %d: %s", method, status, body)
	}
	return m.answer()
}

// post sends JSON to a path and returns status and body.
func (w *web) post(path string, body []byte, header http.Header) (int, []byte, error) {
	return w.do(http.MethodPost, path, body, header)
}

func (w *web) do(method, path string, body []byte, header http.Header) (int, []byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, w.base+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	for name, values := range header {
		r.Header[name] = values
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	r.Header.Set("Accept", "application/json, text/event-stream")
	if w.token != "" {
		r.Header.Set("Authorization", "Bearer "+w.token)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	return response.StatusCode, answer, err
}

func (w *web) stop() error {
	w.cmd.Process.Signal(syscall.SIGTERM)
	w.wait()
	if w.exit != nil {
		return fmt.Errorf("trails serve: %w\n%s", w.exit, w.stderr)
	}
	return nil
}

func (w *web) kill() {
	w.cmd.Process.Kill()
	w.wait()
}

func (w *web) wait() { w.once.Do(func() { w.exit = w.cmd.Wait() }) }

// answered is a tool's answer.
type answered struct {
	Structured json.RawMessage `json:"structuredContent"`
	Content    []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"content"`
	IsError bool `json:"isError"`
}

// tool calls a tool. An error of the protocol is returned; an error of the tool is in the answer.
func tool(d door, name string, arguments any) (answered, error) {
	var a answered
	result, err := d.call("tools/call", map[string]any{"name": name, "arguments": arguments})
	if err != nil {
		return a, err
	}
	return a, json.Unmarshal(result, &a)
}

// written is the structured content of a write.
type written struct {
	ID, IRI, Branch string
	Commit          string // "" when none was made
	Added, Removed  int
	DryRun          bool `json:"dry_run"`
}

// put calls a tool that writes. A refusal is an error.
func put(d door, name string, arguments any) (written, error) {
	var w written
	a, err := tool(d, name, arguments)
	if err != nil {
		return w, err
	}
	if a.IsError {
		return w, fmt.Errorf("%s: %s", name, a.Structured)
	}
	return w, json.Unmarshal(a.Structured, &w)
}

// read returns the text of a resource.
func read(d door, uri string) (string, error) {
	result, err := d.call("resources/read", map[string]any{"uri": uri})
	if err != nil {
		return "", err
	}
	var a struct {
		Contents []struct {
			URI, MimeType, Text string
		}
	}
	if err := json.Unmarshal(result, &a); err != nil {
		return "", err
	}
	if len(a.Contents) != 1 {
		return "", fmt.Errorf("%s has %d contents, want 1", uri, len(a.Contents))
	}
	return a.Contents[0].Text, nil
}
