package httpapi_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"trails/auth"
	"trails/auth/policy"
	"trails/fault"
	"trails/httpapi"
)

func TestAReadThatTakesTooLongIsStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := httpapi.New(&fakeEngine{hangs: true}, runtimeOptions())
		start := time.Now()
		res := do(h, newRequest(exchange{method: "GET", path: "/kg/Note"}))
		body := readAll(t, res.Body)
		checkProblem(t, res, body)
		if res.StatusCode != 408 || !strings.Contains(body, "longer than 30s") || time.Since(start) != 30*time.Second {
			t.Errorf("after %s: got %d %s", time.Since(start), res.StatusCode, body)
		}
	})
}

func TestAQueryThatIsOutOfTimeIsToldWhatHasMore(t *testing.T) {
	options := runtimeOptions()
	options.Limits.Read = 50 * time.Millisecond
	h := httpapi.New(notesEngine(t), options)
	many := strings.Repeat("1 ", 2000)
	slow := "SELECT (COUNT(*) AS ?n) { VALUES ?a {" + many + "} VALUES ?b {" + many + "} VALUES ?c {" + many + "} FILTER(CONCAT(STR(?a), STR(?b), STR(?c)) != \"\") }"
	res := do(h, sparqlRequest{method: "GET", query: "query=" + url.QueryEscape(slow)}.request())
	body := readAll(t, res.Body)
	checkProblem(t, res, body)
	if res.StatusCode != 408 || !strings.Contains(body, `:timed_out"`) || !strings.Contains(body, "longer than 50ms") || !strings.Contains(body, "by POST, which may take 10m0s") {
		t.Errorf("got %d %s", res.StatusCode, body)
	}
}

func TestACallMayTakeLongerThanARead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := httpapi.New(&fakeEngine{hangs: true}, runtimeOptions())
		start := time.Now()
		do(h, newRequest(exchange{method: "POST", path: "/invoke/x"}))
		if took := time.Since(start); took != 10*time.Minute {
			t.Errorf("stopped after %s", took)
		}
	})
}

func TestALongAddressIsRefused(t *testing.T) {
	engine := &fakeEngine{document: "{}"}
	h := httpapi.New(engine, runtimeOptions())
	for length, want := range map[int]int{16 << 10: 200, 16<<10 + 1: 414} {
		path := "/kg/Note?where=a="
		path += strings.Repeat("x", length-len(path))
		r := newRequest(exchange{method: "GET", path: path})
		r.RequestURI = path
		res := do(h, r)
		if res.StatusCode != want {
			t.Errorf("%d bytes: got %d, want %d", length, res.StatusCode, want)
		}
		if want != 200 {
			checkProblem(t, res, readAll(t, res.Body))
		}
	}
	if engine.asked() != 1 {
		t.Errorf("the engine was asked %d times", engine.asked())
	}
}

// busy is a server of which n requests are being answered until release is called.
func busy(t *testing.T, limits httpapi.Limits, n int, answer http.HandlerFunc) (h http.Handler, release func()) {
	t.Helper()
	started, done, stop := make(chan struct{}), make(chan struct{}), make(chan struct{})
	opts := runtimeOptions()
	opts.Limits = limits
	opts.Admin = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if answer != nil {
			answer(w, r)
		}
		started <- struct{}{}
		<-stop
	})
	h = httpapi.New(&fakeEngine{document: "{}"}, opts)
	for range n {
		go func() {
			h.ServeHTTP(httptest.NewRecorder(), newRequest(exchange{method: "GET", path: "/admin"}))
			done <- struct{}{}
		}()
		<-started
	}
	return h, func() {
		close(stop)
		for range n {
			<-done
		}
	}
}

func TestMoreThanCanBeAnsweredAtOnceIsToldToComeBack(t *testing.T) {
	h, release := busy(t, httpapi.Limits{InFlight: 2}, 2, nil)
	res := do(h, newRequest(exchange{method: "GET", path: "/kg"}))
	checkProblem(t, res, readAll(t, res.Body))
	if res.StatusCode != 503 || res.Header.Get("Retry-After") != "1" {
		t.Errorf("got %d, Retry-After %q", res.StatusCode, res.Header.Get("Retry-After"))
	}
	for _, path := range []string{"/health", "/ready"} {
		if res := do(h, newRequest(exchange{method: "GET", path: path})); res.StatusCode != 200 {
			t.Errorf("%s of a busy server: got %d", path, res.StatusCode)
		}
	}
	release()
	for range 3 { // each gives its place back
		if res := do(h, newRequest(exchange{method: "GET", path: "/kg"})); res.StatusCode != 200 {
			t.Errorf("afterwards: got %d", res.StatusCode)
		}
	}
}

// A caller with many requests leaves places for others.
func TestOneCallerDoesNotHaveAllPlaces(t *testing.T) {
	h, release := busy(t, httpapi.Limits{InFlight: 8}, 7, nil)
	res := do(h, newRequest(exchange{method: "GET", path: "/kg"}))
	checkProblem(t, res, readAll(t, res.Body))
	if res.StatusCode != 429 || res.Header.Get("Retry-After") != "1" {
		t.Errorf("one more of the caller: got %d, Retry-After %q", res.StatusCode, res.Header.Get("Retry-After"))
	}
	other := newRequest(exchange{method: "GET", path: "/kg"})
	other.RemoteAddr = "127.0.0.9:1"
	if res := do(h, other); res.StatusCode != 200 {
		t.Errorf("another caller: got %d", res.StatusCode)
	}
	release()
	if res := do(h, newRequest(exchange{method: "GET", path: "/kg"})); res.StatusCode != 200 {
		t.Errorf("afterwards: got %d", res.StatusCode)
	}
}

func TestAPanicGivesItsPlaceBack(t *testing.T) {
	opts := runtimeOptions()
	opts.Limits.InFlight = 1
	h := httpapi.New(&fakeEngine{panics: true}, opts)
	for range 3 {
		if res := do(h, newRequest(exchange{method: "POST", path: "/invoke/x"})); res.StatusCode != 500 {
			t.Errorf("got %d", res.StatusCode)
		}
	}
}

func stream(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, ": here\n\n")
}

func TestStreamsTakeNoPlaceOfCalls(t *testing.T) {
	h, release := busy(t, httpapi.Limits{InFlight: 1, Streams: 3}, 3, stream)
	defer release()
	if res := do(h, newRequest(exchange{method: "GET", path: "/kg"})); res.StatusCode != 200 {
		t.Errorf("beside three streams: got %d", res.StatusCode)
	}
}

func TestThereIsAnEndOfStreamsToo(t *testing.T) {
	h, release := busy(t, httpapi.Limits{InFlight: 5, Streams: 1}, 1, func(w http.ResponseWriter, r *http.Request) {
		stream(w, r)
		if r.URL.RawQuery == "" {
			return
		}
		<-r.Context().Done() // the one that is refused is stopped at once
		panic(http.ErrAbortHandler)
	})
	defer release()
	w := httptest.NewRecorder()
	func() {
		defer func() { _ = recover() }()
		h.ServeHTTP(w, newRequest(exchange{method: "GET", path: "/admin?second"}))
	}()
	res := w.Result()
	body := readAll(t, res.Body)
	checkProblem(t, res, body)
	if res.StatusCode != 503 || strings.Contains(body, ": here") {
		t.Errorf("got %d %s", res.StatusCode, body)
	}
}

func TestReadySaysWhetherCallsAreWelcome(t *testing.T) {
	engine := &fakeEngine{}
	h := httpapi.New(engine, httpapi.Options{Auth: auth.New(auth.Options{Token: "t"})})
	if res := do(h, newRequest(exchange{method: "GET", path: "/ready"})); res.StatusCode != 200 || strings.TrimSpace(readAll(t, res.Body)) != `{"status":"ready"}` {
		t.Errorf("got %d", res.StatusCode)
	}
	for _, err := range []error{fault.New(fault.Unusable, "/secret/path is read-only"), fault.New(fault.TimedOut, "no reader"), errors.New("a bug")} {
		engine.err = err
		res := do(h, newRequest(exchange{method: "GET", path: "/ready"}))
		body := readAll(t, res.Body)
		checkProblem(t, res, body)
		if res.StatusCode != 503 || strings.Contains(body, "secret") {
			t.Errorf("%v: got %d %s", err, res.StatusCode, body)
		}
	}
}

// Whoever watches hears why, and nothing of where the file is.
func TestReadyOnARealGraph(t *testing.T) {
	e := notesEngine(t)
	h := httpapi.New(e, httpapi.Options{})
	if res := do(h, newRequest(exchange{method: "GET", path: "/ready"})); res.StatusCode != 200 {
		t.Errorf("got %d", res.StatusCode)
	}
	path := e.Graph().Path()
	if err := os.Rename(path, path+".moved"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ method, path, body, says string }{
		{"GET", "/ready", "", "a write would fail now: notes.trails was moved"},
		{"GET", "/kg/Note", "", `"notes.trails was moved`},
		{"POST", "/invoke/note.create", `{"title":"One"}`, `"notes.trails was moved`},
	} {
		res := do(h, newRequest(exchange{method: c.method, path: c.path, header: http.Header{"Content-Type": {"application/json"}}, body: c.body}))
		if body := readAll(t, res.Body); res.StatusCode != 503 || !strings.Contains(body, c.says) || strings.Contains(body, filepath.Dir(path)) {
			t.Errorf("%s %s: got %d %s", c.method, c.path, res.StatusCode, body)
		}
	}
	if err := os.Rename(path+".moved", path); err != nil { // so that what was done can be kept
		t.Error(err)
	}
}

func TestTheAccessLogSaysWhoGotWhat(t *testing.T) {
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	for _, c := range []struct {
		name, path, credentials string
		want                    map[string]any
	}{
		{"a caller who showed the token", "/kg?x=secret", "Bearer t", map[string]any{"path": "/kg", "status": 200.0, "bytes": 2.0, "principal": "token via curl"}},
		{"one who did not", "/kg", "", map[string]any{"path": "/kg", "status": 401.0, "principal": "nobody"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var text bytes.Buffer
			opts := httpapi.Options{Auth: auth.New(auth.Options{Token: "t", Scopes: policy.NewScopes(policy.Runtime)}), Log: slog.New(slog.NewJSONHandler(&text, &slog.HandlerOptions{Level: slog.LevelDebug}))}
			do(httpapi.New(&fakeEngine{document: "{}"}, opts), newRequest(exchange{method: "GET", path: c.path,
				header: header("Traceparent", parent, "Tracestate", "vendor=1", "User-Agent", "curl/8.5.0", "Authorization", c.credentials)}))
			var got map[string]any
			if err := json.Unmarshal(text.Bytes(), &got); err != nil {
				t.Fatalf("%v in %s", err, text.String())
			}
			c.want["method"], c.want["trace_id"], c.want["msg"] = "GET", "0af7651916cd43dd8448eb211c80319c", "request"
			for name, want := range c.want {
				if got[name] != want {
					t.Errorf("%s: got %v, want %v", name, got[name], want)
				}
			}
			if ms, ok := got["ms"].(float64); !ok || ms < 0 {
				t.Errorf("ms: got %v", got["ms"])
			}
			if strings.Contains(text.String(), "secret") {
				t.Error("the query is logged: it may hold what is nobody's business")
			}
		})
	}
}
