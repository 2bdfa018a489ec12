package e2e_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// sent is what a server answers to bytes on a connection of its own: the status of each answer, until the server closes the
// connection (0) or answers no more.
func sent(t *testing.T, w *web, text string) (statuses []int) {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(w.base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReader(conn)
	for {
		res, err := http.ReadResponse(in, nil)
		if err != nil {
			return append(statuses, 0)
		}
		statuses = append(statuses, res.StatusCode)
		if _, err := io.Copy(io.Discard, res.Body); err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
	}
}

// A request that a proxy and the server could read in two ways is refused, or is the last one of its connection.
func TestARequestIsReadInOneWayOnly(t *testing.T) {
	t.Parallel()
	file := notesFile(t)
	known, _ := credentials(t, file)
	w := openWeb(t, file, "TRAILS_MCP_SCOPES=runtime,builder,dev")
	host := strings.TrimPrefix(w.base, "http://")
	good, bad := "Authorization: Bearer "+known[0].secret+"\r\n", "Authorization: Bearer wrong\r\n"
	const end, other = "Connection: close\r\n", "POST /invoke/health HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
	for _, c := range []struct {
		what, path, headers, body string
		statuses                  []int
	}{
		{"one token", "/invoke/snapshot", good + end + "Content-Length: 2\r\n", "{}", []int{200, 0}},
		{"a right token and a wrong one", "/invoke/snapshot", good + bad + end + "Content-Length: 2\r\n", "{}", []int{400, 0}},
		{"a wrong token and a right one", "/invoke/snapshot", bad + good + end + "Content-Length: 2\r\n", "{}", []int{400, 0}},
		{"two tokens for MCP", "/mcp", good + bad + end + "Content-Length: 2\r\n", "{}", []int{400, 0}},
		{"two tokens in one header", "/invoke/snapshot", "Authorization: Bearer wrong, Bearer " + known[0].secret + "\r\n" + end + "Content-Length: 2\r\n", "{}", []int{401, 0}},
		{"a length and chunks, and a request behind", "/invoke/snapshot", good + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n", "2\r\n{}\r\n0\r\n\r\n" + fmt.Sprintf(other, host), []int{200, 0}},
		{"two lengths", "/invoke/snapshot", good + "Content-Length: 2\r\nContent-Length: 3\r\n", "{} ", []int{400, 0}},
		{"an encoding with a space", "/invoke/snapshot", good + "Transfer-Encoding : chunked\r\nContent-Length: 2\r\n", "{}", []int{400, 0}},
		{"two encodings", "/invoke/snapshot", good + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", "2\r\n{}\r\n0\r\n\r\n", []int{501, 0}},
		{"two hosts", "/invoke/snapshot", "Host: evil.example\r\n" + good + "Content-Length: 2\r\n", "{}", []int{400, 0}},
		{"a host in the address", "http://evil.example/invoke/snapshot", good + end + "Content-Length: 2\r\n", "{}", []int{403, 0}},
		{"a line in a header", "/invoke/snapshot", good + "X-Forwarded-For: 127.0.0.1\n\x00\r\n", "{}", []int{400, 0}},
	} {
		text := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\n%s\r\n%s", c.path, host, c.headers, c.body)
		if got := sent(t, w, text); fmt.Sprint(got) != fmt.Sprint(c.statuses) {
			t.Errorf("%s: %v, want %v", c.what, got, c.statuses)
		}
	}
}

// What a caller writes stays in its place: in one line of the log, without control characters there and on a terminal.
func TestNoCallerWritesLinesOfTheLogOrControlsATerminal(t *testing.T) {
	t.Parallel()
	const evil = "a\nlevel=ERROR msg=forged\r\x1b[31mred\u009b2J\u202e"
	file := notesFile(t)
	w := startWeb(t, []string{"TRAILS_LOG=debug"}, file, "--stateful")
	quoted, err := json.Marshal(evil)
	if err != nil {
		t.Fatal(err)
	}
	escaped := strings.NewReplacer("\n", "%0A", "\r", "%0D", "\x1b", "%1B", " ", "%20", "\u009b", "%C2%9B", "\u202e", "%E2%80%AE").Replace(evil)
	for _, to := range []struct{ path, body string }{
		{"/invoke/" + escaped, `{}`},
		{"/" + escaped, `{}`},
		{"/invoke/note.create", `{"code":"evil","title":` + string(quoted) + `,"rank":1,"tag":["a",` + string(quoted) + `],"message":` + string(quoted) + `}`},
		{"/invoke/note.create", `{"code":` + string(quoted) + `,"title":` + string(quoted) + `,"tag":[` + string(quoted) + `]}`},
		{"/invoke/branches_create", `{"name":` + string(quoted) + `}`},
		{"/invoke/get", `{"ids":[` + string(quoted) + `]}`},
		{"/invoke/search", `{"text":` + string(quoted) + `,"branch":` + string(quoted) + `}`},
		{"/invoke/query", `{"query":` + string(quoted) + `}`},
		{"/mcp", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":` + string(quoted) + `,"version":` + string(quoted) + `}}}`},
		{"/mcp", `{"jsonrpc":"2.0","id":` + string(quoted) + `,"method":` + string(quoted) + `}`},
	} {
		if _, _, err := w.post(to.path, []byte(to.body), http.Header{"Accept": {"application/json, text/event-stream"}, "X-Forwarded-For": {"1.2.3.4"}}); err != nil {
			t.Errorf("%s: %v", to.path, err)
		}
	}
	if err := w.stop(); err != nil {
		t.Error(err)
	}
	text := w.stderr.String()
	controls(t, "the log", text)
	if !strings.Contains(text, "forged") {
		t.Error("nothing of it is in the log, so this tries nothing")
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "level=") {
			t.Errorf("a caller wrote the line %q", line)
		}
	}
	for _, args := range [][]string{{"log", file}, {"show", file, "head"}, {"list", file, "Note"}, {"search", file, "forged"}, {"history", file}, {"branch", "list", file}} {
		controls(t, "trails "+args[0], must(t, args...))
	}
}

// controls complains of control characters other than ends of lines and tabs.
func controls(t *testing.T, where, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		if strings.ContainsFunc(strings.TrimRight(line, "\n"), func(c rune) bool { return c < ' ' && c != '\t' || c >= 0x7f && c < 0xa0 || c == 0x202e }) {
			t.Errorf("%s has control characters: %q", where, line)
		}
	}
}

// A body that becomes large when it is read is refused, whatever it is compressed as, and the process stays small.
func TestABodyIsAsLargeAsItIsRead(t *testing.T) {
	t.Parallel()
	w := openWeb(t, notesFile(t))
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	if _, err := io.Copy(z, io.LimitReader(zeros{}, 4<<30)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ method, path, kind, encoding string }{
		{"POST", "/invoke/load", "application/json", "gzip"},
		{"PUT", "/rdf-graphs/service?default", "text/turtle", "gzip"},
		{"PUT", "/rdf-graphs/service?default", "text/turtle", ""},
		{"POST", "/sparql", "application/sparql-query", "gzip"},
		{"POST", "/mcp", "application/json", "gzip"},
	} {
		header := http.Header{"Content-Type": {c.kind}, "Accept": {"application/json, text/event-stream"}}
		if c.encoding != "" {
			header.Set("Content-Encoding", c.encoding)
		}
		status, body, err := w.do(c.method, c.path, bomb.Bytes(), header)
		if err != nil || status < 400 || status >= 500 {
			t.Errorf("%s %s: %d %.200s, %v; want a refusal", c.method, c.path, status, body, err)
		}
	}
	if size := residentMB(t, w.cmd.Process.Pid); size > 256 {
		t.Errorf("the process has %.0f MiB", size)
	}
	if err := w.stop(); err != nil {
		t.Error(err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
