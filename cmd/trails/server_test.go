package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// newNotes makes a graph with the schema of most tests.
func newNotes(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "notes.trails")
	var out, errs strings.Builder
	if code := run([]string{"init", file, "--schema", "testdata/notes/schema.yaml"}, strings.NewReader(""), &out, &errs, nil); code != exitDone {
		t.Fatalf("init: exit %d: %s", code, errs.String())
	}
	return file
}

// starter sets the policies that a graph begins with, so that tokens write, too.
func starter(t *testing.T, file string) string {
	t.Helper()
	var out, errs strings.Builder
	if code := run([]string{"policy", "set", file, "--starter"}, strings.NewReader(""), &out, &errs, nil); code != exitDone {
		t.Fatalf("policy set: exit %d: %s", code, errs.String())
	}
	return file
}

func TestMCPSpeaksNothingButTheProtocolOnStdout(t *testing.T) {
	cmd := exec.Command("trails", "mcp", newNotes(t))
	cmd.Env = append(cmd.Environ(), "TRAILS_LOG=debug")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	out := bufio.NewReader(stdout)
	for i, message := range []string{
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"note_create","arguments":{"id":"n1","title":"On trails"}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"trails://kg/Note/n1"}}`,
	} {
		if _, err := io.WriteString(in, message+"\n"); err != nil {
			t.Fatal(err)
		}
		checkAnswer(t, out, i)
		if i == 0 {
			_, _ = io.WriteString(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
		}
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	for {
		text, err := out.ReadString('\n')
		if err == io.EOF && text == "" {
			break
		}
		checkMessage(t, text)
		if err != nil {
			break
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("at the end of stdin: %v", err)
	}
}

// checkAnswer reads messages until the answer to request id, which must be a result.
func checkAnswer(t *testing.T, out *bufio.Reader, id int) {
	t.Helper()
	for {
		text, err := out.ReadString('\n')
		if err != nil {
			t.Fatalf("%v before the answer to %d", err, id)
		}
		if answered := checkMessage(t, text); answered != nil && *answered == id {
			return
		}
	}
}

// checkMessage holds a line to JSON-RPC without an error and returns its id.
func checkMessage(t *testing.T, text string) *int {
	t.Helper()
	var m struct {
		JSONRPC string
		ID      *int
		Error   json.RawMessage
	}
	if err := json.Unmarshal([]byte(text), &m); err != nil || m.JSONRPC != "2.0" || m.Error != nil {
		t.Errorf("%v in %s", err, text)
	}
	return m.ID
}

func TestServeAnswersUntilItIsTold(t *testing.T) {
	cmd := exec.Command("trails", "serve", starter(t, newNotes(t)), "--addr", "127.0.0.1:0")
	cmd.Env = append(cmd.Environ(), "TRAILS_MCP_TOKEN=s3cret")
	errs, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(errs)
	base := ""
	for base == "" && lines.Scan() {
		base = regexp.MustCompile(`http://127\.0\.0\.1:\d+`).FindString(lines.Text())
	}
	for _, c := range []struct {
		path, token string
		want        int
	}{{"/health", "", 200}, {"/schema", "", 401}, {"/schema", "s3cret", 200}, {"/mcp", "s3cret", 405}} {
		if got := status(t, base+c.path, c.token); got != c.want {
			t.Errorf("GET %s with token %q: got %d, want %d", c.path, c.token, got, c.want)
		}
	}
	checkMCPOverHTTP(t, base)
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, errs)
	if err := cmd.Wait(); err != nil {
		t.Errorf("after SIGTERM: %v", err)
	}
}

func status(t *testing.T, url, token string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	return res.StatusCode
}

// checkMCPOverHTTP calls a tool the way a client without a session does.
func checkMCPOverHTTP(t *testing.T, base string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/mcp",
		strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"note_create","arguments":{"title":"Over HTTP"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer s3cret")
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	body, _ := io.ReadAll(res.Body)
	if res.StatusCode != http.StatusOK || !strings.Contains(string(body), `"structuredContent":{"id":`) {
		t.Errorf("POST /mcp: got %d %s", res.StatusCode, body)
	}
}

func TestASignalEndsWhatWaitsForStdin(t *testing.T) {
	file := newNotes(t)
	for _, c := range []struct {
		args []string
		want int
		says string // last
	}{
		{[]string{"mcp", file}, exitDone, "gives the operator more\n"},
		{[]string{"load", file, "-"}, exitFailed, "trails: load was interrupted\n"},
	} {
		cmd := exec.Command("trails", c.args...)
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		var errs strings.Builder
		cmd.Stderr = &errs
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		awaitSignalHandler(t, cmd.Process.Pid)
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		_ = in.Close()
		if got := cmd.ProcessState.ExitCode(); got != c.want || !strings.HasSuffix(errs.String(), c.says) {
			t.Errorf("%q: exit code %d, %q; want %d, %q", c.args, got, errs.String(), c.want, c.says)
		}
	}
}

// awaitSignalHandler waits until the process has the graph open, which it does
// after it began to listen to signals.
func awaitSignalHandler(t *testing.T, pid int) {
	t.Helper()
	for t.Context().Err() == nil {
		files, _ := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/fd/*")
		for _, f := range files {
			if target, _ := os.Readlink(f); strings.HasSuffix(target, "notes.trails") {
				return
			}
		}
		time.Sleep(time.Millisecond)
	}
}
