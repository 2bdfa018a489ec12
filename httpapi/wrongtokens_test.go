package httpapi_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"trails/auth"
	"trails/httpapi"
)

func TestWrongTokensAreSlowedAndTheRightOneIsNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := httpapi.New(&fakeEngine{document: "{}"}, httpapi.Options{Auth: auth.New(auth.Options{Token: "s3cret"})})
		ask := func(address, token string) (status int, took time.Duration, retry string) {
			r := newRequest(exchange{method: "GET", path: "/schema", header: header("Authorization", "Bearer "+token)})
			r.RemoteAddr = address
			began := time.Now()
			res := do(h, r)
			return res.StatusCode, time.Since(began), res.Header.Get("Retry-After")
		}
		const here, there, v6, neighbour = "192.0.2.1:1000", "192.0.2.2:1000", "[2001:db8::1]:1000", "[2001:db8::2]:9"
		for i := range 10 {
			if status, took, _ := ask(here, "wrong"); status != http.StatusUnauthorized || took > 0 {
				t.Fatalf("wrong token %d: %d after %s", i, status, took)
			}
		}
		for range 3 {
			if status, took, retry := ask(here, "wrong"); status != http.StatusTooManyRequests || took < time.Second || retry == "" {
				t.Errorf("one too many: %d after %s, Retry-After %q", status, took, retry)
			}
			if status, took, _ := ask(here, "s3cret"); status != http.StatusOK || took > 0 {
				t.Errorf("the right token waits for the wrong ones: %d after %s", status, took)
			}
			if status, took, _ := ask(there, "wrong"); status != http.StatusUnauthorized || took > 0 {
				t.Errorf("another address waits: %d after %s", status, took)
			}
		}
		for range 11 {
			ask(v6, "wrong")
		}
		if status, _, _ := ask(neighbour, "wrong"); status != http.StatusTooManyRequests {
			t.Errorf("an address of the same network was answered %d", status)
		}
		if status, _, _ := ask(here, ""); status != http.StatusUnauthorized {
			t.Errorf("no token at all: %d", status)
		}
		time.Sleep(2 * time.Minute)
		if status, took, _ := ask(here, "wrong"); status != http.StatusUnauthorized || took > 0 {
			t.Errorf("after a rest: %d after %s", status, took)
		}
	})
}

func TestQueriesThatOtherSitesSendAreRefused(t *testing.T) {
	h := httpapi.New(&fakeEngine{document: "{}"}, runtimeOptions())
	for _, path := range []string{"/sparql?query=ASK%7B%7D", "/sparql", "/rdf-graphs?default", "/rdf-graphs/a", "/invoke/x"} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			for site, refused := range map[string]bool{"cross-site": true, "same-site": true, "same-origin": false, "none": false, "": false} {
				res := do(h, newRequest(exchange{method: method, path: path, header: header("Sec-Fetch-Site", site)}))
				if got := res.StatusCode == http.StatusForbidden; got != refused {
					t.Errorf("%s %s from %q: status %d, want it refused: %v", method, path, site, res.StatusCode, refused)
				}
			}
		}
	}
	if res := do(h, newRequest(exchange{method: "GET", path: "/kg", header: header("Sec-Fetch-Site", "cross-site")})); res.StatusCode != http.StatusOK {
		t.Errorf("a link to a page of data: %d", res.StatusCode)
	}
}
