package accept_test

import (
	"net/http"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"trails/httpapi/accept"
)

// asking is a request with these Accept headers.
func asking(headers ...string) *http.Request {
	return &http.Request{Header: http.Header{"Accept": headers}}
}

func TestTheBestFormIsChosen(t *testing.T) {
	offers := []string{"application/ld+json", "application/json", "text/turtle", "text/html"}
	for _, c := range []struct{ name, accept, want string }{
		{"nothing asked for is the address's own form", "", "application/ld+json"},
		{"anything is the address's own form", "*/*", "application/ld+json"},
		{"one is named", "text/turtle", "text/turtle"},
		{"the better of two", "text/turtle;q=0.5, application/json;q=0.9", "application/json"},
		{"of equals the address's order counts, not the caller's", "text/turtle, application/json", "application/json"},
		{"a browser", "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8", "text/html"},
		{"a range of types", "text/*", "text/turtle"},
		{"a specific range overrides a wide one", "text/*, text/turtle;q=0.1", "text/html"},
		{"a specific refusal overrides a wide wish", "*/*, application/ld+json;q=0", "application/json"},
		{"a wide refusal leaves what is named", "*/*;q=0, text/turtle;q=0.1", "text/turtle"},
		{"parameters are more specific", "text/turtle;q=0.1, text/turtle;charset=utf-8, application/json;q=0.5", "text/turtle"},
		{"a profile is disregarded", `application/ld+json;profile="http://www.w3.org/ns/json-ld#compacted, x"`, "application/ld+json"},
		{"types are compared without case", "TEXT/Turtle", "text/turtle"},
		{"spaces and empty elements", " , text/turtle ; q=1.0 ,,", "text/turtle"},
		{"q is compared without case", "text/turtle;Q=0.2, text/html;q=0.1", "text/turtle"},
		{"nothing fits", "image/png", ""},
		{"all is refused", "*/*;q=0", ""},
		{"what does not parse asks for nothing", "text/turtle;q=2, text/turtle;q=x, text/turtle;q=NaN, */turtle, text, ;", "application/ld+json"},
		{"of several the parsed ones count", "text/turtle;q=2, text/html;q=0.1", "text/html"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ""
			if i := accept.Choose(asking(c.accept), offers...); i >= 0 {
				got = offers[i]
			}
			if got != c.want {
				t.Errorf("%q: got %q, want %q", c.accept, got, c.want)
			}
		})
	}
}

func TestSeveralAcceptHeadersAreOneList(t *testing.T) {
	got := accept.Choose(asking("text/turtle;q=0.1", "application/json"), "text/turtle", "application/json")
	if got != 1 {
		t.Errorf("got %d", got)
	}
}

// Whatever comes, an answer is one of the offers, and a header without a refusal
// that mentions an offer never refuses it.
func TestAnyAcceptHeaderGetsAnAnswer(t *testing.T) {
	offers := []string{"application/json", "text/turtle"}
	part := rapid.SampledFrom([]string{"text/turtle", "text/*", "*/*", ";q=0", ";q=0.3", ";a=\"", "\"", "\\", ",", " ", "application/json"})
	rapid.Check(t, func(t *rapid.T) {
		header := strings.Join(rapid.SliceOfN(part, 0, 12).Draw(t, "parts"), "")
		if got := accept.Choose(asking(header), offers...); got < -1 || got >= len(offers) {
			t.Fatalf("%q: %d", header, got)
		}
		if got := accept.Choose(asking(header, "text/turtle;charset=utf-8"), offers...); !strings.Contains(header, "\"") && got < 0 {
			t.Fatalf("%q and text/turtle: refused", header)
		}
	})
}
