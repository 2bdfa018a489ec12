package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"trails/mcp"
)

// proxied is a host that speaks with a server through trails proxy.
type proxied struct {
	t    *testing.T
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  chan string
	said strings.Builder // on stderr, once it has ended
}

// startProxy starts trails proxy for a server.
func startProxy(t *testing.T, url string, env ...string) *proxied {
	t.Helper()
	h := &proxied{t: t, cmd: exec.Command("trails", "proxy", url), out: make(chan string, 1024)}
	h.cmd.Env = append(h.cmd.Environ(), env...)
	h.cmd.Stderr = &h.said
	in, err := h.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := h.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := h.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.cmd.Process.Kill() })
	h.in = in
	go func() {
		defer close(h.out)
		for lines := bufio.NewReader(out); ; {
			line, err := lines.ReadString('\n')
			if err != nil {
				return
			}
			h.out <- line
		}
	}()
	return h
}

func (h *proxied) send(format string, args ...any) {
	h.t.Helper()
	if _, err := fmt.Fprintf(h.in, format+"\n", args...); err != nil {
		h.t.Fatal(err)
	}
}

// until reads lines, which are messages, until one has all parts.
func (h *proxied) until(parts ...string) string {
	h.t.Helper()
	late, passed := time.After(30*time.Second), ""
	for {
		select {
		case line, more := <-h.out:
			if !more {
				h.t.Fatalf("the proxy has ended before %q", parts)
			}
			var m struct{ JSONRPC string }
			if err := json.Unmarshal([]byte(line), &m); err != nil || m.JSONRPC != "2.0" {
				h.t.Fatalf("%v in %s", err, line)
			}
			if !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(line, part) }) {
				return line
			}
			passed += line[:min(len(line), 300)] + "\n"
		case <-late:
			h.t.Fatalf("no message has %q, but there were %s", parts, passed)
		}
	}
}

func (h *proxied) handshake(version string) {
	h.t.Helper()
	h.send(`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"host","version":"1"}}}`, version)
	h.until(`"id":"hello"`, fmt.Sprintf(`"protocolVersion":%q`, version))
	h.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// end closes the host's side and returns what the proxy has said on stderr.
func (h *proxied) end() string {
	h.t.Helper()
	_ = h.in.Close()
	for range h.out {
	}
	if err := h.cmd.Wait(); err != nil {
		h.t.Errorf("at the end of stdin: %v: %s", err, &h.said)
	}
	return h.said.String()
}

// Every version of the protocol passes, with and without sessions at the server, and so do the notifications that come
// before an answer.
func TestTheProxySpeaksEveryVersion(t *testing.T) {
	for _, form := range [][]string{nil, {"--stateful"}} {
		s := start(t, nil, append([]string{"serve", newNotes(t), "--addr", "127.0.0.1:0"}, form...)...)
		for _, version := range mcp.Revisions() {
			t.Run(fmt.Sprint(version, form), func(t *testing.T) {
				h := startProxy(t, s.base)
				meta := `"progressToken":"p"`
				if version < "2026-07-28" {
					h.handshake(version)
				} else {
					meta += `,"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}`
				}
				h.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{%s}}}`, meta)
				h.until(`"id":1`, `"tools":[`)
				h.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"note_create","arguments":{"title":"é %s"},"_meta":{%s}}}`, strings.Repeat("x", 1<<20), meta)
				h.until(`"id":2`, `"added":2`)
				rows := strings.Repeat(`{\"type\":\"Note\",\"data\":{\"title\":\"One of many\"}}\n`, 2000)
				h.send(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"load","arguments":{"data":"%s","format":"ndjson","dry_run":true},"_meta":{%s}}}`, rows, meta)
				h.until("notifications/progress", `"progressToken":"p"`)
				h.until(`"id":3`, "result")
				h.send(`{"jsonrpc":"2.0","id":4,"method":"no/such","params":{"_meta":{%s}}}`, meta)
				h.until(`"id":4`, "-32601")
				h.end()
			})
		}
	}
}

// A server that is killed and started again costs what is asked meanwhile an error. Sessions and subscriptions are there
// again, and the host hears of changes.
func TestTheProxyOutlivesItsServer(t *testing.T) {
	for _, form := range [][]string{nil, {"--stateful"}} {
		t.Run(fmt.Sprint(form), func(t *testing.T) {
			file, stateful := starter(t, newNotes(t)), form != nil
			env := []string{"TRAILS_MCP_TOKEN=s3cret"}
			s := start(t, env, append([]string{"serve", file, "--addr", "127.0.0.1:0"}, form...)...)
			name := "TRAILS_TOKEN_" + strings.NewReplacer("http://", "", ".", "_", ":", "_").Replace(s.base)
			h := startProxy(t, s.base, name+"=s3cret", "TRAILS_LOG=debug")
			h.handshake("2025-11-25")
			create := func(id int) {
				h.send(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"note_create","arguments":{"title":"A note"}}}`, id)
			}
			if stateful {
				h.send(`{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"trails://kg/Note"}}`)
				h.until(`"id":1`, "result")
				create(2)
				h.until("notifications/resources/updated", `"trails/commit"`)
			}
			_ = s.cmd.Process.Kill()
			_ = s.cmd.Wait()
			for reached := true; reached; { // by a connection whose end the proxy has not seen yet
				h.send(`{"jsonrpc":"2.0","id":3,"method":"ping"}`)
				reached = !strings.Contains(h.until(`"id":3`, "-32603", s.base), "is not reached")
			}
			start(t, env, append([]string{"serve", file, "--addr", strings.TrimPrefix(s.base, "http://")}, form...)...)
			h.send(`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"health"}}`)
			if stateful {
				h.until("notifications/resources/updated", "trails://kg/Note")
				create(5)
				h.until("notifications/resources/updated", `"trails/commit"`)
			} else {
				h.until(`"id":4`, `"status":"ok"`)
			}
			said := h.end()
			if strings.Contains(said, "s3cret") || !strings.Contains(said, "with the token of "+strings.TrimPrefix(s.base, "http://")) {
				t.Errorf("it said %s", said)
			}
		})
	}
}

// A token that is not accepted is told with the place where it is put, and one that is put into the file counts at once.
func TestTheProxyNamesTheTokenThatIsMissing(t *testing.T) {
	s := start(t, []string{"TRAILS_MCP_TOKEN=s3cret"}, "serve", newNotes(t), "--addr", "127.0.0.1:0")
	dir := t.TempDir()
	h := startProxy(t, s.base, "XDG_CONFIG_HOME="+dir)
	host, file := strings.TrimPrefix(s.base, "http://"), filepath.Join(dir, "trails", "credentials")
	if err := os.Mkdir(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	ask := func(parts ...string) {
		t.Helper()
		h.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		h.until(append(parts, `"id":1`)...)
	}
	put := func(token string) {
		t.Helper()
		if err := os.WriteFile(file, []byte("["+host+"]\ntoken = "+token+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ask("-32001", "wants a token", "none was sent", "TRAILS_TOKEN_127_0_0_1_", "["+host+"]", file)
	put("wrong")
	ask("-32001", "does not accept the token")
	put("s3cret")
	ask("result")
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	ask("error", "chmod 600")
	h.end()
	out, err := exec.Command("env", "XDG_CONFIG_HOME="+dir, "trails", "proxy", s.base).CombinedOutput()
	if err == nil || !strings.Contains(string(out), file+" has the mode 0644") {
		t.Errorf("%v: %s", err, out)
	}
}

// A host may write its messages, close its end, and then read: it gets every answer. A signal ends the proxy, at once where no answer is owed.
func TestTheProxyEndsInOrder(t *testing.T) {
	s := start(t, nil, "serve", newNotes(t), "--addr", "127.0.0.1:0", "--stateful")
	cmd := exec.Command("trails", "proxy", s.base)
	cmd.Stdin = strings.NewReader(aSession)
	out, err := cmd.Output()
	if err != nil || strings.Count(string(out), "\n") != strings.Count(aSession, `"id":`) {
		t.Errorf("%v: %s", err, out)
	}
	h := startProxy(t, s.base)
	h.handshake("2025-06-18")
	if err := h.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for range h.out {
	}
	if err := h.cmd.Wait(); err != nil {
		t.Errorf("it ended by %v", err)
	}
}
