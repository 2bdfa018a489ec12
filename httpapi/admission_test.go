package httpapi_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"trails/auth"
	"trails/httpapi"
	"trails/invoke"
)

// waiting is an engine whose calls wait until they are released.
type waiting struct {
	fakeEngine
	begun   chan struct{}
	release chan struct{}
}

func (e *waiting) Call(context.Context, invoke.Call) (invoke.Result, error) {
	e.begun <- struct{}{}
	<-e.release
	return invoke.Result{Structured: []byte("{}")}, nil
}

// TestNoGraphTakesTheLastPlaces has two graphs that share eight places: one alone has four, and the other then has two.
func TestNoGraphTakesTheLastPlaces(t *testing.T) {
	shared := httpapi.NewAdmission(httpapi.Limits{InFlight: 8})
	e := &waiting{begun: make(chan struct{}), release: make(chan struct{})}
	one, other := httpapi.New(e, httpapi.Options{Admission: shared}), httpapi.New(e, httpapi.Options{Admission: shared})
	done := make(chan int)
	call := func(h http.Handler) int {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, newRequest(exchange{method: "POST", path: "/invoke/stats", body: "{}"}))
		return w.Code
	}
	inFlight := 0
	fill := func(h http.Handler) (took int) {
		for {
			go func() { done <- call(h) }()
			select {
			case <-e.begun:
				took++
				inFlight++
			case status := <-done:
				if status != http.StatusServiceUnavailable {
					t.Errorf("beyond its share: %d", status)
				}
				return took
			}
		}
	}
	if first, second := fill(one), fill(other); first != 4 || second != 2 {
		t.Errorf("one took %d places and the other %d, want 4 and 2", first, second)
	}
	close(e.release)
	for range inFlight {
		if status := <-done; status != http.StatusOK {
			t.Errorf("a call: %d", status)
		}
	}
	e.release = make(chan struct{})
	if again := fill(other); again != 4 {
		t.Errorf("when all have left it takes %d places, want 4", again)
	}
	close(e.release)
	for range 4 {
		<-done
	}
}

// TestAddressesOfAServerBelowAPath are those in the headers of answers, and what handlers see.
func TestAddressesOfAServerBelowAPath(t *testing.T) {
	answers := map[string][2]string{ // a header, and its value
		"/location": {"Location", "/admin?x=/y"}, "/absolute": {"Location", "https://example.org/a"}, "/other-host": {"Location", "//example.org/a"},
		"/link": {"Link", `</commits?before=1>; rel="next"`}, "/refresh": {"Refresh", "0; url=/admin"}, "/relative": {"Location", "next"},
	}
	h := httpapi.Under("/graphs/notes", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if header, known := answers[r.URL.Path]; known {
			w.Header().Set(header[0], header[1])
		}
		w.Header().Set("Seen", r.URL.EscapedPath())
		w.Header().Set("Base", auth.Base(r))
		w.WriteHeader(http.StatusSeeOther)
	}))
	for path, want := range map[string]string{
		"/location": "/graphs/notes/admin?x=/y", "/absolute": "https://example.org/a", "/other-host": "//example.org/a",
		"/link": `</graphs/notes/commits?before=1>; rel="next"`, "/refresh": "0; url=/graphs/notes/admin", "/relative": "next",
	} {
		res := do(h, newRequest(exchange{method: "GET", path: "/graphs/notes" + path}))
		if got := res.Header.Get(answers[path][0]); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	for path, want := range map[string]string{
		"/graphs/notes": "/", "/graphs/notes/": "/", "/graphs/%6eotes/kg/Note/a%2Fb": "/kg/Note/a%2Fb", "/graphs/notes/a%20b": "/a%20b", "/graphs/notes//x": "//x",
	} {
		res := do(h, newRequest(exchange{method: "GET", path: path}))
		if got, base := res.Header.Get("Seen"), res.Header.Get("Base"); got != want || base != "http://localhost:8757/graphs/notes" {
			t.Errorf("%s: the handler sees %q below %q, want %q", path, got, base, want)
		}
	}
}
