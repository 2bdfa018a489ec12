package httpapi_test

import (
	"bufio"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"trails/httpapi"
	"trails/invoke"
	"trails/invoke/invoketest"
)

// The feed is a page, and a stream that goes on behind the last event that its reader has seen. What cannot be followed is
// an answer of its own.
func TestTheFeedIsAPageAndAStream(t *testing.T) {
	e := notesEngine(t)
	make := func(args string) {
		t.Helper()
		if _, err := e.Call(t.Context(), invoke.Call{Capability: "note.create", Args: json.RawMessage(args), Principal: invoketest.Ana}); err != nil {
			t.Fatal(err)
		}
	}
	srv := httptest.NewServer(httpapi.New(e, runtimeOptions()))
	t.Cleanup(srv.Close)
	get := func(path, accept, last string) *http.Response {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, srv.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept", accept)
		if last != "" {
			r.Header.Set("Last-Event-ID", last)
		}
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = res.Body.Close() })
		return res
	}
	// next reads to the next event, and returns its id and data.
	next := func(in *bufio.Reader) (id, data string) {
		t.Helper()
		for data == "" {
			text, err := in.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			if field, value, ok := strings.Cut(strings.TrimSpace(text), ": "); ok && field == "id" {
				id = value
			} else if field == "data" {
				data = value
			}
		}
		return id, data
	}
	make(`{"id": "a", "title": "first"}`)
	res := get("/changes?start=now", "text/event-stream", "")
	if got := res.Header.Get("Content-Type"); res.StatusCode != http.StatusOK || got != "text/event-stream" {
		t.Fatalf("status %d, %s", res.StatusCode, got)
	}
	stream := bufio.NewReader(res.Body)
	now, empty := next(stream)
	make(`{"id": "b", "title": "second"}`)
	_, data := next(stream)
	if !strings.Contains(empty, "nothing is new on main") || !strings.Contains(data, `"second"`) || strings.Contains(data, `"first"`) {
		t.Errorf("the stream has %s and %s", empty, data)
	}
	_ = res.Body.Close()
	make(`{"id": "c", "title": "third"}`)
	id, data := next(bufio.NewReader(get("/changes?start=beginning", "text/event-stream", now).Body))
	if !strings.Contains(data, `"second"`) || !strings.Contains(data, `"third"`) || strings.Contains(data, `"first"`) {
		t.Errorf("behind the last event comes %s", data)
	}
	res = get("/changes?limit=1&start=after:head~1", "application/json", "")
	page := readAll(t, res.Body)
	if !strings.Contains(page, `"third"`) || !strings.Contains(page, `"more":true`) || !strings.Contains(page, `<https://notes.example/title>`) {
		t.Errorf("the page is %s", page)
	}
	if link := get("/changes?cursor="+now, "*/*", "").Header.Get("Link"); !strings.Contains(link, "cursor="+strings.ReplaceAll(id, "@", "%40")) {
		t.Errorf("the page links to %s, not to %s", link, id)
	}
	for path, says := range map[string]string{"/changes?branch=nothing": "no branch", "/changes?cursor=rubbish": "it is not one that changes answered", "/changes?limit=ten": "limit must be an integer", "/changes?at=head": "unknown parameter"} {
		res := get(path, "text/event-stream", "")
		if text := readAll(t, res.Body); res.StatusCode < 400 || res.StatusCode > 499 || !strings.Contains(text, says) {
			t.Errorf("%s: status %d, %s", path, res.StatusCode, text)
		}
	}
}
