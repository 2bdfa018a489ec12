package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"trails/httpapi"
)

func TestAReadThatTheCallerHasIsNotSentAgain(t *testing.T) {
	for _, c := range []struct {
		name, path, noneMatch string
		status                int
		etag                  string
	}{
		{"without a condition", "/kg/Note", "", 200, `W/"c1"`},
		{"the same commit", "/kg/Note", `W/"c1"`, 304, `W/"c1"`},
		{"the same commit as a strong tag, as a write answers it", "/kg/Note", `"c1"`, 304, `W/"c1"`},
		{"one of several", "/kg/Note", `"a", W/"c1" ,"b"`, 304, `W/"c1"`},
		{"anything", "/kg/Note", `*`, 304, `W/"c1"`},
		{"another commit", "/kg/Note", `W/"c0"`, 200, `W/"c1"`},
		{"the same commit in another form", "/kg/Note?format=turtle", `W/"c1"`, 200, `W/"c1.turtle"`},
		{"the same form", "/kg/Note?format=turtle", `W/"c1.turtle"`, 304, `W/"c1.turtle"`},
		{"its own form by name is its own form", "/kg/Note?format=json", `W/"c1"`, 304, `W/"c1"`},
		{"the types", "/kg", `W/"c1"`, 304, `W/"c1"`},
		{"the schema", "/schema", `W/"c1"`, 304, `W/"c1"`},
		{"an entity", "/kg/Note/1", `W/"c1"`, 304, `W/"c1"`},
		{"the log", "/commits", `W/"c1"`, 304, `W/"c1"`},
		{"a commit", "/commits/c0", `W/"c1"`, 304, `W/"c1"`},
		{"provenance changes without a commit", "/prov", `*`, 200, ""},
		{"so does health", "/doctor", `*`, 200, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := httpapi.New(&fakeEngine{document: "{}", head: "c1"}, runtimeOptions())
			res := do(h, newRequest(exchange{method: "GET", path: c.path, header: header("If-None-Match", c.noneMatch)}))
			body := readAll(t, res.Body)
			if res.StatusCode != c.status || res.Header.Get("ETag") != c.etag || (body == "") != (c.status == 304) {
				t.Errorf("got %d, ETag %s, %q; want %d, %s", res.StatusCode, res.Header.Get("ETag"), body, c.status, c.etag)
			}
			want := "private, no-cache"
			if c.etag == "" {
				want = "no-store"
			}
			if got := res.Header.Get("Cache-Control"); got != want {
				t.Errorf("Cache-Control: got %q, want %q", got, want)
			}
		})
	}
}

// TestAnAnswerThatTheCallerHasIsNotSentAgain holds that the tag of a call names the commit and the answer: one that
// changes without a commit has another tag.
func TestAnAnswerThatTheCallerHasIsNotSentAgain(t *testing.T) {
	engine := &fakeEngine{head: "c1", result: `{"rows":[1]}`}
	h := httpapi.New(engine, runtimeOptions())
	get := func(match ...string) (int, string) {
		t.Helper()
		req := exchange{method: "GET", path: `/invoke/list?arguments=%7B%22type%22%3A%22Note%22%7D`}
		if len(match) > 0 {
			req.header = header("If-None-Match", match[0])
		}
		res := do(h, newRequest(req))
		if body := readAll(t, res.Body); (body == "") != (res.StatusCode == 304) {
			t.Errorf("got %d with %q", res.StatusCode, body)
		}
		return res.StatusCode, res.Header.Get("ETag")
	}
	status, tag := get()
	if c := engine.lastCall(); status != 200 || string(c.Args) != `{"type":"Note"}` || !c.Reads {
		t.Errorf("got %d after %s, reads %t", status, c.Args, c.Reads)
	}
	if !strings.HasPrefix(tag, `W/"c1.`) {
		t.Errorf("the tag %s does not name the commit", tag)
	}
	if status, same := get(tag); status != 304 || same != tag {
		t.Errorf("an answer that the caller has: got %d, %s", status, same)
	}
	engine.result = `{"rows":[2]}`
	if status, other := get(tag); status != 200 || other == tag {
		t.Errorf("another answer at the same commit: got %d, %s", status, other)
	}
	engine.result, engine.head = `{"rows":[1]}`, "c2"
	if status, other := get(tag); status != 200 || other == tag {
		t.Errorf("the same answer at another commit: got %d, %s", status, other)
	}
	res := do(h, newRequest(exchange{method: "POST", path: "/invoke/list", body: "{}"}))
	if tag = res.Header.Get("ETag"); !strings.HasPrefix(tag, `W/"c2.`) || engine.lastCall().Reads {
		t.Errorf("a read by POST has the tag %s", tag)
	}
	res = do(h, newRequest(exchange{method: "POST", path: "/invoke/x", body: "{}", header: header("If-Match", tag)}))
	if got := string(engine.lastCall().Args); res.StatusCode != 200 || got != `{"if_commit":"c2"}` {
		t.Errorf("a write on what was read: got %d with %s", res.StatusCode, got)
	}
}

func TestAGraphWithoutACommitHasNoTag(t *testing.T) {
	res := do(httpapi.New(&fakeEngine{document: "{}"}, runtimeOptions()), newRequest(exchange{method: "GET", path: "/kg", header: header("If-None-Match", "*")}))
	if res.StatusCode != 200 || res.Header.Get("ETag") != "" {
		t.Errorf("got %d, %s", res.StatusCode, res.Header.Get("ETag"))
	}
}

func TestIfMatchIsTheCommitThatAWriteIsMadeOn(t *testing.T) {
	for _, c := range []struct{ name, match, body, args string }{
		{"a write's tag", `"c0ffee"`, `{"a":1}`, `{"a":1,"if_commit":"c0ffee"}`},
		{"a read's tag", `W/"c0ffee"`, `{}`, `{"if_commit":"c0ffee"}`},
		{"a read's tag in whatever form", `W/"c0ffee.turtle"`, `{}`, `{"if_commit":"c0ffee"}`},
		{"the same twice is once", `"c0ffee"`, `{"if_commit":"c0ffee"}`, `{"if_commit":"c0ffee"}`},
		{"anything is any commit", `*`, `{"a":1}`, `{"a":1}`},
		{"no header", ``, `{"a":1}`, `{"a":1}`},
		{"one of several is the head", `"c0ffee", W/"c1.turtle", "c2"`, `{}`, `{"if_commit":"c1"}`},
		{"none of several is the head", `"c0ffee", "c2"`, `{}`, `{"if_commit":"c0ffee"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			engine := &fakeEngine{head: "c1"}
			var match http.Header
			if c.match != "" {
				match = header("If-Match", c.match)
			}
			res := do(httpapi.New(engine, runtimeOptions()), newRequest(exchange{method: "POST", path: "/invoke/x", body: c.body, header: match}))
			if got := string(engine.lastCall().Args); res.StatusCode != 200 || got != c.args {
				t.Errorf("got %d with %s, want %s", res.StatusCode, got, c.args)
			}
		})
	}
}

func TestMalformedConditionsAreRefused(t *testing.T) {
	for _, value := range []string{`c1`, `"c1`, `c1"`, `w/"c1"`, `W/c1`, `"c1" "c2"`, `"a b"`, `"c1", *`, `W/ "c1"`} {
		res := do(httpapi.New(&fakeEngine{document: "{}", head: "c1"}, runtimeOptions()), newRequest(exchange{method: "GET", path: "/kg", header: header("If-None-Match", value)}))
		body := readAll(t, res.Body)
		checkProblem(t, res, body)
		if res.StatusCode != 400 || !strings.Contains(body, "entity tags") {
			t.Errorf("If-None-Match: %s: got %d %s", value, res.StatusCode, body)
		}
		engine := &fakeEngine{}
		res = do(httpapi.New(engine, runtimeOptions()), newRequest(exchange{method: "POST", path: "/invoke/x", header: header("If-Match", value)}))
		if res.StatusCode != 400 || engine.asked() > 0 {
			t.Errorf("If-Match: %s: got %d", value, res.StatusCode)
		}
	}
	for value, detail := range map[string]string{``: "is empty", `"a", ""`: "names no commit", `""`: "names no commit"} {
		engine := &fakeEngine{}
		res := do(httpapi.New(engine, runtimeOptions()), newRequest(exchange{method: "POST", path: "/invoke/x", header: header("If-Match", value)}))
		if body := readAll(t, res.Body); res.StatusCode != 400 || engine.asked() > 0 || !strings.Contains(body, detail) {
			t.Errorf("If-Match: %s: got %d %s", value, res.StatusCode, body)
		}
	}
	engine := &fakeEngine{}
	res := do(httpapi.New(engine, runtimeOptions()), newRequest(exchange{method: "POST", path: "/invoke/x", body: `{"if_commit":"a"}`, header: header("If-Match", `"b"`)}))
	if res.StatusCode != 400 || engine.asked() > 0 {
		t.Errorf("two commits: got %d", res.StatusCode)
	}
}
