package httpapi_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trails/auth"
	"trails/auth/policy"
	"trails/e2e/testrun"
	"trails/fault"
	"trails/httpapi"
)

// exchange is one request and what must come back.
type exchange struct {
	name         string
	method, path string
	header       http.Header
	host         string
	body         string
	status       int
	detail       string // part of the body
}

func runtimeOptions() httpapi.Options {
	return httpapi.Options{Auth: auth.New(auth.Options{Scopes: policy.NewScopes(policy.Runtime)})}
}

func newRequest(x exchange) *http.Request {
	r := httptest.NewRequest(x.method, "http://localhost:8757"+x.path, strings.NewReader(x.body))
	if x.body == "" {
		r.Body, r.ContentLength = http.NoBody, 0
	}
	if x.body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for k, v := range x.header {
		r.Header[k] = v
	}
	if x.host != "" {
		r.Host = x.host
	}
	return r
}

func do(h http.Handler, r *http.Request) *http.Response {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func readAll(t testing.TB, r io.Reader) string {
	t.Helper()
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func header(kv ...string) http.Header {
	h := http.Header{}
	for i := 0; i < len(kv); i += 2 {
		h.Set(kv[i], kv[i+1])
	}
	return h
}

func TestEveryKindHasAStatus(t *testing.T) {
	for k := fault.Internal; k <= fault.Unusable; k++ {
		if httpapi.Status(k) == 0 {
			t.Errorf("%s has no status", k)
		}
	}
}

// Arguments that are JSON and no object go to the call, which knows an object that it takes.
func TestArgumentsThatAreNoObjectAreRefusedWithOne(t *testing.T) {
	h := httpapi.New(notesEngine(t), runtimeOptions())
	for _, body := range []string{`[1]`, `[{},{}]`, `null`, `7`, `"text"`} {
		res := do(h, newRequest(exchange{method: "POST", path: "/invoke/get", body: body}))
		text := readAll(t, res.Body)
		if res.StatusCode != http.StatusBadRequest || !strings.Contains(text, `one JSON object, such as {`) {
			t.Errorf("%s: got %d %s", body, res.StatusCode, text)
		}
		checkProblem(t, res, text)
	}
}

func TestHostileInputIsRefusedBeforeTheEngineSeesIt(t *testing.T) {
	testrun.Alone(t)
	deep := strings.Repeat("[", 101) + strings.Repeat("]", 101)
	for _, x := range []exchange{
		{name: "text that is not JSON", method: "POST", path: "/invoke/x", body: `{"a":`, status: 400, detail: "not JSON"},
		{name: "bytes after the object", method: "POST", path: "/invoke/x", body: `{} {}`, status: 400, detail: "not JSON"},
		{name: "nested too deep", method: "POST", path: "/invoke/x", body: `{"a":` + deep + `}`, status: 413, detail: "nests deeper"},
		{name: "half a character", method: "POST", path: "/invoke/x", body: `{"a":"\ud800"}`, status: 400, detail: "a has half of a surrogate pair"},
		{name: "invalid UTF-8", method: "POST", path: "/invoke/x", body: "{\"a\":\"\xff\"}", status: 400, detail: "not UTF-8"},
		{name: "a byte order mark", method: "POST", path: "/invoke/x", body: "\ufeff{}", status: 400, detail: "not JSON"},
		{name: "too large", method: "POST", path: "/invoke/x", body: `{"a":"` + strings.Repeat("x", httpapi.MaxBody) + `"}`, status: 413, detail: "larger than"},
		{name: "a form", method: "POST", path: "/invoke/x", body: "a=1", header: header("Content-Type", "application/x-www-form-urlencoded"), status: 415, detail: "application/json"},
		{name: "text/plain", method: "POST", path: "/invoke/x", body: "{}", header: header("Content-Type", "text/plain"), status: 415},
		{name: "another charset", method: "POST", path: "/invoke/x", body: "{}", header: header("Content-Type", "application/json; charset=utf-16"), status: 415},
		{name: "compressed", method: "POST", path: "/invoke/x", body: "{}", header: header("Content-Encoding", "gzip"), status: 415},
		{name: "a media type that does not parse", method: "POST", path: "/invoke/x", body: "{}", header: header("Content-Type", ";;"), status: 415},
		{name: "a foreign host", method: "POST", path: "/invoke/x", body: "{}", host: "evil.example", status: 403, detail: "not served here"},
		{name: "a foreign host on a read", method: "GET", path: "/schema", host: "evil.example:8757", status: 403},
		{name: "a host that begins like ours", method: "GET", path: "/schema", host: "localhost.evil.example", status: 403},
		{name: "a host with an address that is not loopback", method: "GET", path: "/schema", host: "10.0.0.1:8757", status: 403},
		{name: "a foreign origin", method: "POST", path: "/invoke/x", body: "{}", header: header("Origin", "http://evil.example"), status: 403, detail: "may not write"},
		{name: "another site", method: "POST", path: "/invoke/x", body: "{}", header: header("Sec-Fetch-Site", "cross-site"), status: 403},
		{name: "an address that is not there", method: "GET", path: "/admin/../etc", status: 404, detail: "no address"},
		{name: "a method that the address has not", method: "DELETE", path: "/kg/Note/1", status: 405, detail: "allowed: GET, HEAD"},
		{name: "PUT on a call", method: "PUT", path: "/invoke/x", body: "{}", status: 405, detail: "allowed: GET, HEAD, POST"},
		{name: "arguments of a read that are no JSON", method: "GET", path: "/invoke/x?arguments=%7B", status: 400, detail: "not JSON"},
		{name: "arguments of a read by their names", method: "GET", path: "/invoke/x?text=a", status: 400, detail: `unknown parameter \"text\"`},
		{name: "a condition on a call that may write", method: "POST", path: "/invoke/x", body: "{}", header: header("If-None-Match", `"c1"`), status: 400, detail: "If-None-Match is for GET"},
		{name: "a method nobody knows", method: "BREW", path: "/kg", status: 405},
		{name: "a misspelt dry_run", method: "POST", path: "/invoke/x?dryrun=true", body: "{}", status: 400, detail: `unknown parameter \"dryrun\"`},
		{name: "a dry_run that is neither", method: "POST", path: "/invoke/x?dry_run=maybe", body: "{}", status: 400, detail: "dry_run must be"},
		{name: "dry_run twice", method: "POST", path: "/invoke/x?dry_run=1&dry_run=0", body: "{}", status: 400, detail: "given once"},
		{name: "a limit that is no number", method: "GET", path: "/commits?limit=ten", status: 400, detail: "limit must be an integer"},
		{name: "a query that does not parse", method: "GET", path: "/commits?limit=%zz", status: 400, detail: "query does not parse"},
	} {
		t.Run(x.name, func(t *testing.T) {
			engine := &fakeEngine{}
			res := do(httpapi.New(engine, runtimeOptions()), newRequest(x))
			body := readAll(t, res.Body)
			if res.StatusCode != x.status || !strings.Contains(body, x.detail) {
				t.Errorf("got %d %s, want %d with %q", res.StatusCode, body, x.status, x.detail)
			}
			checkProblem(t, res, body)
			if engine.asked() != 0 {
				t.Errorf("the engine was asked: %+v", engine.lastCall())
			}
		})
	}
}

// checkProblem holds every refusal to RFC 9457 and to the trace header.
func checkProblem(t *testing.T, res *http.Response, body string) {
	t.Helper()
	if got := res.Header.Get("Content-Type"); got != "application/problem+json" {
		t.Errorf("content type %q, want application/problem+json", got)
	}
	var p struct {
		Type, Title string
		Status      int
		TraceID     string `json:"trace_id"`
	}
	if err := json.Unmarshal([]byte(body), &p); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	if p.Type == "" || p.Title == "" || p.Status != res.StatusCode || p.TraceID == "" || p.TraceID != res.Header.Get(httpapi.TraceHeader) {
		t.Errorf("got problem %+v, trace header %q", p, res.Header.Get(httpapi.TraceHeader))
	}
}

func TestFaultsBecomeProblems(t *testing.T) {
	fields := []fault.FieldError{{Field: "name", Code: fault.Required, Message: "name is required", Constraint: 1}}
	for _, c := range []struct {
		name   string
		err    error
		status int
		want   map[string]any
	}{
		{"invalid data lists its fields", fault.Invalid(fields), 422, map[string]any{
			"type": "urn:trails:problem:invalid_data", "title": "Invalid data", "detail": "validation failed on 1 field", "count": 1.0,
			"fields": []any{map[string]any{"field": "name", "code": "required", "message": "name is required", "value": nil, "constraint": 1.0}}}},
		{"details are members", fault.New(fault.Precondition, "main moved").With("head", "abc"), 412, map[string]any{
			"type": "urn:trails:problem:precondition_failed", "title": "Precondition failed", "detail": "main moved", "head": "abc"}},
		{"a detail does not hide a member", fault.New(fault.Conflict, "c").With("status", "x"), 409, map[string]any{
			"type": "urn:trails:problem:conflict", "title": "Conflict", "detail": "c"}},
		{"ours shows its trace and nothing else", fault.New(fault.Internal, "secret path").With("sql", "SELECT"), 500, map[string]any{
			"type": "urn:trails:problem:internal", "title": "Internal error"}},
		{"an error without a kind is ours", io.ErrUnexpectedEOF, 500, map[string]any{
			"type": "urn:trails:problem:internal", "title": "Internal error"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			res := do(httpapi.New(&fakeEngine{err: c.err}, runtimeOptions()), newRequest(exchange{method: "POST", path: "/invoke/x"}))
			body := readAll(t, res.Body)
			checkProblem(t, res, body)
			var got map[string]any
			if err := json.Unmarshal([]byte(body), &got); err != nil {
				t.Fatal(err)
			}
			c.want["status"], c.want["trace_id"] = float64(c.status), res.Header.Get(httpapi.TraceHeader)
			if diff := cmp.Diff(c.want, got); diff != "" || res.StatusCode != c.status {
				t.Errorf("status %d: %s", res.StatusCode, diff)
			}
		})
	}
}

func TestExhaustedSaysWhenToComeBack(t *testing.T) {
	for _, c := range []struct {
		after any
		want  string
	}{{nil, "1"}, {0, "1"}, {7, "7"}, {int64(8), "8"}, {1.2, "2"}} {
		err := fault.New(fault.Exhausted, "enough").With("retry_after", c.after)
		res := do(httpapi.New(&fakeEngine{err: err}, runtimeOptions()), newRequest(exchange{method: "POST", path: "/invoke/x"}))
		if got := res.Header.Get("Retry-After"); got != c.want || res.StatusCode != 429 {
			t.Errorf("retry_after %v: got %d, Retry-After %q, want %q", c.after, res.StatusCode, got, c.want)
		}
	}
}

func TestAPanicIsA500WithATraceAndTheServerLives(t *testing.T) {
	engine := &fakeEngine{panics: true}
	h := httpapi.New(engine, runtimeOptions())
	res := do(h, newRequest(exchange{method: "POST", path: "/invoke/x"}))
	body := readAll(t, res.Body)
	checkProblem(t, res, body)
	if res.StatusCode != 500 || strings.Contains(body, "a bug") {
		t.Errorf("got %d %s", res.StatusCode, body)
	}
	engine.panics = false
	if res := do(h, newRequest(exchange{method: "POST", path: "/invoke/x"})); res.StatusCode != 200 {
		t.Errorf("after the panic: got %d, want 200", res.StatusCode)
	}
}

func TestInvokeMakesTheCall(t *testing.T) {
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	engine := &fakeEngine{commit: "c0ffee", result: `{"id":"n1","commit":"c0ffee","branch":"main"}`}
	h := httpapi.New(engine, runtimeOptions())
	res := do(h, newRequest(exchange{method: "POST", path: "/invoke/note.create?dry_run=true", body: ` {"name":"a"} `,
		header: header("Idempotency-Key", "k1", "Traceparent", parent, "User-Agent", "curl/8.5.0 (x)")}))
	if got, want := readAll(t, res.Body), engine.result+"\n"; got != want || res.StatusCode != 200 {
		t.Errorf("got %d %q, want %q", res.StatusCode, got, want)
	}
	c := engine.lastCall()
	got := []string{c.Capability, string(c.Args), c.IdempotencyKey, c.TraceID, c.Via, c.Principal.Author(),
		res.Header.Get(httpapi.TraceHeader), res.Header.Get(httpapi.CommitHeader), res.Header.Get("ETag")}
	want := []string{"note.create", `{"dry_run":true,"name":"a"}`, "k1", "0af7651916cd43dd8448eb211c80319c", "http", "anonymous via curl",
		"0af7651916cd43dd8448eb211c80319c", "c0ffee", `"c0ffee"`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAnEmptyBodyIsNoArguments(t *testing.T) {
	engine := &fakeEngine{}
	h := httpapi.New(engine, runtimeOptions())
	for _, x := range []exchange{
		{method: "POST", path: "/invoke/health"},
		{method: "POST", path: "/invoke/health", body: " \n"},
	} {
		if res := do(h, newRequest(x)); res.StatusCode != 200 || string(engine.lastCall().Args) != "{}" {
			t.Errorf("got %d with arguments %s", res.StatusCode, engine.lastCall().Args)
		}
	}
}

func TestOnlyAValidTraceparentIsTaken(t *testing.T) {
	const id = "0af7651916cd43dd8448eb211c80319c"
	for _, c := range []struct {
		name, header string
		taken        bool
	}{
		{"version 00", "00-" + id + "-b7ad6b7169203331-01", true},
		{"a later version may have more fields", "cc-" + id + "-b7ad6b7169203331-01-what", true},
		{"version 00 may not", "00-" + id + "-b7ad6b7169203331-01-what", false},
		{"version ff is forbidden", "ff-" + id + "-b7ad6b7169203331-01", false},
		{"upper case", "00-" + strings.ToUpper(id) + "-b7ad6b7169203331-01", false},
		{"a zero trace", "00-" + strings.Repeat("0", 32) + "-b7ad6b7169203331-01", false},
		{"a zero parent", "00-" + id + "-0000000000000000-01", false},
		{"a line break", "00-" + id + "-b7ad6b7169203331-01\n", false},
		{"nothing", "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			engine := &fakeEngine{}
			do(httpapi.New(engine, runtimeOptions()), newRequest(exchange{method: "POST", path: "/invoke/x", header: header("Traceparent", c.header)}))
			if got := engine.lastCall().TraceID; (got == id) != c.taken || len(got) != 32 {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestPathsBecomeResourceAddresses(t *testing.T) {
	for path, want := range map[string]string{
		"/kg":                                   "trails://kg/types",
		"/schema":                               "trails://schema",
		"/stats":                                "trails://stats",
		"/doctor":                               "trails://doctor",
		"/branches":                             "trails://branches",
		"/prov":                                 "trails://prov/latest",
		"/kg/Note":                              "trails://kg/Note",
		"/kg/Note?where=a%3Db&limit=2&offset=1": "trails://kg/Note?where=a%3Db&limit=2&offset=1",
		"/kg/Note?where=a=b+c":                  "trails://kg/Note?where=a=b%20c",
		"/kg/Note/n1":                           "trails://kg/Note/n1",
		"/kg/Note/http%3A%2F%2Fa.example%2Fb%3Fc%23d": "trails://kg/Note/http%3A%2F%2Fa.example%2Fb%3Fc%23d",
		"/kg/Note/a%20b":          "trails://kg/Note/a%20b",
		"/kg/Note/50%25":          "trails://kg/Note/50%25",
		"/kg/Note/..":             "trails://kg/Note/..",
		"/kg/Note/%2e%2e":         "trails://kg/Note/%2e%2e",
		"/kg/Note/%00":            "trails://kg/Note/%00",
		"/kg/Note/gr%C3%BC%C3%9F": "trails://kg/Note/gr%C3%BC%C3%9F",
	} {
		engine := &fakeEngine{document: "{}"}
		res := do(httpapi.New(engine, runtimeOptions()), newRequest(exchange{method: "GET", path: path}))
		if diff := cmp.Diff([]string{want}, engine.reads); diff != "" || res.StatusCode != 200 {
			t.Errorf("%s: status %d %s", path, res.StatusCode, diff)
		}
		if got := res.Header.Get("Content-Type"); got != "application/ld+json" {
			t.Errorf("%s: content type %q", path, got)
		}
	}
}

func TestCommitsAreCalls(t *testing.T) {
	for path, want := range map[string][2]string{
		"/commits":                    {"commits_list", `{"whole":true}`},
		"/commits?limit=5&before=abc": {"commits_list", `{"before":"abc","limit":5,"whole":true}`},
		"/commits/abc":                {"commits_get", `{"id":"abc","quads":true}`},
		"/commits/a%2Fb?limit=2":      {"commits_get", `{"id":"a/b","limit":2,"quads":true}`},
	} {
		engine := &fakeEngine{}
		do(httpapi.New(engine, runtimeOptions()), newRequest(exchange{method: "GET", path: path}))
		c := engine.lastCall()
		if diff := cmp.Diff(want, [2]string{c.Capability, string(c.Args)}); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
	}
}

func TestCapabilitiesCarryTheirToolName(t *testing.T) {
	res := do(httpapi.New(&fakeEngine{}, runtimeOptions()), newRequest(exchange{method: "GET", path: "/capabilities"}))
	var got struct {
		Version      string
		Capabilities []map[string]any
	}
	if err := json.Unmarshal([]byte(readAll(t, res.Body)), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Capabilities) != 1 || len(got.Capabilities[0]) != 16 || got.Capabilities[0]["tool_name"] != "note_create" {
		t.Errorf("got %+v", got)
	}
}

func TestHeadIsGetWithoutABody(t *testing.T) {
	engine := &fakeEngine{document: "{}"}
	if res := do(httpapi.New(engine, runtimeOptions()), newRequest(exchange{method: "HEAD", path: "/schema"})); res.StatusCode != 200 || engine.asked() != 1 {
		t.Errorf("got %d", res.StatusCode)
	}
}

// What is mounted has rules of its own for methods, media types and bodies.
func TestMountedHandlersKeepTheirAddressForEveryMethod(t *testing.T) {
	echo := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		_, _ = io.WriteString(w, r.Method+" "+r.URL.Path+" "+string(b))
	})
	opts := runtimeOptions()
	opts.MCP, opts.SSE, opts.Messages, opts.Metrics, opts.Admin = echo, echo, echo, echo, echo
	h := httpapi.New(&fakeEngine{}, opts)
	for _, path := range []string{"/mcp", "/sse", "/messages", "/metrics", "/admin", "/admin/types/Note/a%2Fb"} {
		for method, body := range map[string]string{"POST": "a=1", "GET": "", "DELETE": ""} {
			r := newRequest(exchange{method: method, path: path, body: body, header: header("Content-Type", "application/x-www-form-urlencoded")})
			if got, want := readAll(t, do(h, r).Body), method+" "+r.URL.Path+" "+body; got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		}
	}
	if res := do(h, newRequest(exchange{method: "POST", path: "/admin/x", body: "a=1", header: header("Origin", "http://evil.example")})); res.StatusCode != 403 {
		t.Errorf("a foreign origin may post to a page: %d", res.StatusCode)
	}
}

func TestAnswersCarryTheSecurityHeaders(t *testing.T) {
	h := httpapi.New(&fakeEngine{}, runtimeOptions())
	for _, path := range []string{"/", "/schema", "/nowhere"} {
		res := do(h, newRequest(exchange{method: "GET", path: path}))
		for _, name := range []string{"X-Content-Type-Options", "Content-Security-Policy", "Referrer-Policy", "Cross-Origin-Resource-Policy", "Cache-Control"} {
			if res.Header.Get(name) == "" {
				t.Errorf("GET %s: no %s", path, name)
			}
		}
	}
}
