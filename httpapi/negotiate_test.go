package httpapi_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trails/httpapi"
	"trails/invoke"
)

const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

func withPages() httpapi.Options {
	opts := runtimeOptions()
	opts.Admin = http.NotFoundHandler()
	return opts
}

func TestAnAddressIsReadInTheFormThatIsAskedFor(t *testing.T) {
	for _, c := range []struct {
		name, path, accept string
		uri, format        string // what the engine is asked
	}{
		{"nothing asked for", "/kg/Note/1", "", "trails://kg/Note/1", ""},
		{"anything", "/kg/Note/1", "*/*", "trails://kg/Note/1", ""},
		{"its own form by name", "/kg/Note/1", "application/ld+json", "trails://kg/Note/1", ""},
		{"JSON", "/kg/Note/1", "application/json", "trails://kg/Note/1", "json"},
		{"Turtle", "/kg/Note/1", "text/turtle", "trails://kg/Note/1", "turtle"},
		{"a list's own form is JSON", "/kg/Note", "application/json", "trails://kg/Note", ""},
		{"a list as JSON-LD", "/kg/Note?limit=2", "application/ld+json", "trails://kg/Note?limit=2", "jsonld"},
		{"the shapes as Turtle", "/schema", "text/turtle", "trails://schema", "turtle"},
		{"?format= wins over Accept", "/kg/Note/1?format=turtle", "application/json", "trails://kg/Note/1", "turtle"},
		{"and is no part of the address", "/kg/Note?where=a=b+c&format=turtle&limit=2", "", "trails://kg/Note?where=a=b%20c&limit=2", "turtle"},
		{"however it is written", "/kg/Note?%66ormat=jsonld", "", "trails://kg/Note", "jsonld"},
	} {
		t.Run(c.name, func(t *testing.T) {
			engine := &fakeEngine{document: "{}"}
			r := newRequest(exchange{method: "GET", path: c.path})
			if c.accept != "" {
				r.Header.Set("Accept", c.accept)
			}
			res := do(httpapi.New(engine, withPages()), r)
			if res.StatusCode != 200 || res.Header.Get("Vary") != "Accept" {
				t.Fatalf("got %d, Vary %q", res.StatusCode, res.Header.Get("Vary"))
			}
			if diff := cmp.Diff([]string{c.uri, c.format}, []string{engine.reads[0], engine.lastCall().Format}); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestABrowserIsSentToThePage(t *testing.T) {
	for path, want := range map[string]string{
		"/":        "/admin",
		"/kg":      "/admin",
		"/schema":  "/admin/schema",
		"/kg/Note": "/admin/types/Note",
		"/kg/Note?where=status=draft&limit=5&format=html": "/admin/types/Note?where=status=draft&limit=5",
		"/kg/Note?branch=review&format=html":              "/admin/types/Note?at=review",
		"/kg/Note/n1?branch=review&at=head~2":             "/admin/types/Note/n1?at=head~2",
		"/kg/Note/n1":                                     "/admin/types/Note/n1",
		"/kg/Note/n1?at=head~1":                           "/admin/types/Note/n1?at=head~1",
		"/kg?at=head~1":                                   "/admin/schema?at=head~1",
		"/kg/Note/a/b":                                    "/admin/types/Note/a%2Fb",
		"/kg/Note/http%3A%2F%2Fa.b%2Fc":                   "/admin/types/Note/http:%2F%2Fa.b%2Fc",
		"/kg/Note/a%20b%25":                               "/admin/types/Note/a%20b%25",
	} {
		engine := &fakeEngine{}
		res := do(httpapi.New(engine, withPages()), newRequest(exchange{method: "GET", path: path, header: header("Accept", browser)}))
		if res.StatusCode != 303 || res.Header.Get("Location") != want || res.Header.Get("Vary") != "Accept" || engine.asked() > 0 {
			t.Errorf("%s: got %d to %q, Vary %q; want 303 to %q", path, res.StatusCode, res.Header.Get("Location"), res.Header.Get("Vary"), want)
		}
	}
}

func TestWithoutPagesABrowserReadsWhatThereIs(t *testing.T) {
	h := httpapi.New(&fakeEngine{document: "{}"}, runtimeOptions())
	for _, path := range []string{"/", "/kg", "/kg/Note/1", "/schema"} {
		res := do(h, newRequest(exchange{method: "GET", path: path, header: header("Accept", browser)}))
		if links := strings.Join(res.Header.Values("Link"), " "); res.StatusCode != 200 || strings.Contains(links, "admin") {
			t.Errorf("%s: got %d, links %s", path, res.StatusCode, links)
		}
	}
}

func TestWhatFitsNothingIsToldWhatThereIs(t *testing.T) {
	engine := &fakeEngine{}
	h := httpapi.New(engine, withPages())
	for _, x := range []exchange{
		{path: "/schema", header: header("Accept", "image/png")},
		{path: "/schema", header: header("Accept", "*/*;q=0")},
		{path: "/kg?format=jsonld"},
		{path: "/prov?format=html", header: header("Accept", "text/html")},
	} {
		x.method = "GET"
		res := do(h, newRequest(x))
		body := readAll(t, res.Body)
		checkProblem(t, res, body)
		var p struct {
			Available []struct{ Format, Type, Href string }
		}
		if err := json.Unmarshal([]byte(body), &p); err != nil {
			t.Fatal(err)
		}
		if res.StatusCode != 406 || len(p.Available) < 2 || p.Available[0].Href == "" || len(res.Header.Values("Link")) != len(p.Available) {
			t.Errorf("%s: got %d %s, links %q", x.path, res.StatusCode, body, res.Header.Values("Link"))
		}
	}
	if engine.asked() > 0 {
		t.Error("the engine was asked")
	}
}

func TestAWrongFormatIsAWrongParameter(t *testing.T) {
	for path, detail := range map[string]string{
		"/kg/Note?format=xml":                "there is no format",
		"/kg/Note?format=":                   "there is no format",
		"/kg/Note?format=json&format=turtle": "given once",
		"/kg/Note?format=%zz":                "does not parse",
	} {
		engine := &fakeEngine{}
		res := do(httpapi.New(engine, withPages()), newRequest(exchange{method: "GET", path: path}))
		body := readAll(t, res.Body)
		checkProblem(t, res, body)
		if res.StatusCode != 400 || !strings.Contains(body, detail) || engine.asked() > 0 {
			t.Errorf("%s: got %d %s", path, res.StatusCode, body)
		}
	}
}

func TestAFormNamesItsTwins(t *testing.T) {
	h := httpapi.New(&fakeEngine{document: "{}"}, withPages())
	for path, want := range map[string][]string{
		"/kg/Note/a%2Fb": {
			`</kg/Note/a%2Fb?format=json>; rel="alternate"; type="application/json"`,
			`</kg/Note/a%2Fb?format=turtle>; rel="alternate"; type="text/turtle"`,
			`</kg/Note/a%2Fb?format=ntriples>; rel="alternate"; type="application/n-triples"`,
			`</kg/Note/a%2Fb?format=rdfxml>; rel="alternate"; type="application/rdf+xml"`,
			`</admin/types/Note/a%2Fb>; rel="alternate"; type="text/html"`,
		},
		`/kg/Note?where=title=%3C%22&format=turtle`: {
			`</kg/Note?where=title=%3C%22&format=json>; rel="alternate"; type="application/json"`,
			`</kg/Note?where=title=%3C%22&format=jsonld>; rel="alternate"; type="application/ld+json"`,
			`</kg/Note?where=title=%3C%22&format=ntriples>; rel="alternate"; type="application/n-triples"`,
			`</kg/Note?where=title=%3C%22&format=rdfxml>; rel="alternate"; type="application/rdf+xml"`,
			`</admin/types/Note?where=title=%3C%22>; rel="alternate"; type="text/html"`,
		},
	} {
		res := do(h, newRequest(exchange{method: "GET", path: path}))
		if diff := cmp.Diff(want, res.Header.Values("Link")); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
	}
}

func TestAListNamesItsNeighbours(t *testing.T) {
	for _, c := range []struct {
		name, path string
		page       *invoke.Page
		want       []string
	}{
		{"the only page", "/kg/Note", &invoke.Page{Limit: 100}, nil},
		{"the first", "/kg/Note?limit=2", &invoke.Page{Limit: 2, More: true}, []string{`</kg/Note?limit=2&offset=2>; rel="next"`}},
		{"one without a limit", "/kg/Note", &invoke.Page{Limit: 100, More: true}, []string{`</kg/Note?limit=100&offset=100>; rel="next"`}},
		{"one in the middle keeps filter and form", "/kg/Note?offset=3&where=a=%22%3E&limit=2&format=jsonld", &invoke.Page{Offset: 3, Limit: 2, More: true}, []string{
			`</kg/Note?where=a=%22%3E&format=jsonld&limit=2&offset=0>; rel="first"`,
			`</kg/Note?where=a=%22%3E&format=jsonld&limit=2&offset=1>; rel="prev"`,
			`</kg/Note?where=a=%22%3E&format=jsonld&limit=2&offset=5>; rel="next"`,
		}},
		{"the last", "/kg/Note?limit=5&offset=3", &invoke.Page{Offset: 3, Limit: 5}, []string{
			`</kg/Note?limit=5&offset=0>; rel="first"`,
			`</kg/Note?limit=5&offset=0>; rel="prev"`,
		}},
		{"what is no list", "/kg/Note/1", nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			res := do(httpapi.New(&fakeEngine{document: "[]", page: c.page}, runtimeOptions()), newRequest(exchange{method: "GET", path: c.path}))
			var got []string
			for _, link := range res.Header.Values("Link") {
				if !strings.Contains(link, "alternate") {
					got = append(got, link)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTheLogNamesItsNextPage(t *testing.T) {
	for _, c := range []struct {
		path, result string
		want         []string
	}{
		{"/commits", `{"commits":[],"next":null}`, nil},
		{"/commits?limit=2", `{"commits":[],"next":"abc"}`, []string{`</commits?limit=2&before=abc>; rel="next"`}},
		{"/commits?before=abc&limit=2", `{"commits":[],"next":"def"}`, []string{`</commits?limit=2>; rel="first"`, `</commits?limit=2&before=def>; rel="next"`}},
		{"/commits?before=def", `{"commits":[],"next":null}`, []string{`</commits>; rel="first"`}},
	} {
		res := do(httpapi.New(&fakeEngine{result: c.result}, runtimeOptions()), newRequest(exchange{method: "GET", path: c.path}))
		if diff := cmp.Diff(c.want, res.Header.Values("Link")); diff != "" {
			t.Errorf("%s: %s", c.path, diff)
		}
	}
}
