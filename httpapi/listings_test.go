package httpapi_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"trails/auth"
	"trails/auth/policy"
	"trails/capability/project"
	"trails/capability/project/projecttest"
	"trails/e2e/testrun"
	"trails/httpapi"
	"trails/invoke"
	"trails/rdf/rdftest"
)

// documents are the addresses of what is made of descriptors, with the media type of each.
var documents = map[string]string{
	"/capabilities": "application/json", "/.well-known/capabilities": "application/ld+json", "/openapi.json": "application/json",
	"/.well-known/wot": "application/td+json", "/notes/card": "application/td+json",
}

// One tag names the descriptors in all documents, and each caller's part of them.
func TestDocumentsOfOneRegistryHaveOneTag(t *testing.T) {
	e := notesEngine(t)
	get := func(path, scopes string, header ...string) *http.Response {
		set, err := policy.ParseScopes(scopes)
		if err != nil {
			t.Fatal(err)
		}
		h := httpapi.New(e, httpapi.Options{Auth: auth.New(auth.Options{Token: "secret", Scopes: set})})
		x := exchange{method: "GET", path: path, header: http.Header{"Authorization": {"Bearer secret"}}}
		for i := 0; i < len(header); i += 2 {
			x.header[header[i]] = []string{header[i+1]}
		}
		return do(h, newRequest(x))
	}
	etag := get("/capabilities", "runtime").Header.Get("ETag")
	for path, media := range documents {
		res := get(path, "runtime", "If-Match", etag)
		if res.StatusCode != 200 || res.Header.Get("ETag") != etag || res.Header.Get("Content-Type") != media {
			t.Errorf("%s: %d %v, want the tag %s", path, res.StatusCode, res.Header, etag)
		}
		if body := readAll(t, res.Body); !strings.Contains(body, "note.create") || strings.Contains(body, "trails.meta.schema.apply") {
			t.Errorf("%s: %.300s", path, body)
		}
		if res := get(path, "runtime", "If-None-Match", etag); res.StatusCode != http.StatusNotModified {
			t.Errorf("%s with what is there: %d", path, res.StatusCode)
		}
		res = get(path, "runtime,builder", "If-Match", etag)
		if res.StatusCode != http.StatusPreconditionFailed {
			t.Errorf("%s of another caller: %d", path, res.StatusCode)
		}
		res = get(path, "runtime,builder", "If-None-Match", etag)
		if body := readAll(t, res.Body); res.StatusCode != 200 || !strings.Contains(body, "trails.meta.schema.apply") {
			t.Errorf("%s of another caller: %d %.300s", path, res.StatusCode, body)
		}
		if res := get(path+"?misspelt=1", "runtime"); res.StatusCode != http.StatusBadRequest {
			t.Errorf("%s with a wrong parameter: %d", path, res.StatusCode)
		}
		if res := get(path, "runtime", "If-Match", "x"); res.StatusCode != http.StatusBadRequest {
			t.Errorf("%s with a wrong tag: %d", path, res.StatusCode)
		}
	}
	_, err := e.Call(t.Context(), invoke.Call{Capability: "schema_apply", Principal: policy.Anonymous("", policy.AllScopes()),
		Args: []byte(`{"patch":"add_type: {Place: {properties: {name: string}}}"}`)})
	if err != nil {
		t.Fatal(err)
	}
	for path := range documents {
		if res := get(path, "runtime", "If-Match", etag); res.StatusCode != http.StatusPreconditionFailed {
			t.Errorf("%s after a change: %d", path, res.StatusCode)
		}
		if res := get(path, "runtime", "If-None-Match", etag); res.StatusCode != 200 || !strings.Contains(readAll(t, res.Body), "place.create") {
			t.Errorf("%s after a change: %d", path, res.StatusCode)
		}
	}
}

func TestTheManifestHasFourForms(t *testing.T) {
	testrun.Alone(t)
	h := httpapi.New(notesEngine(t), httpapi.Options{Auth: runtimeOptions().Auth, Admin: http.NotFoundHandler()})
	for accept, want := range map[string]string{
		"application/json": "application/json", "application/ld+json": "application/ld+json",
		"text/markdown": "text/markdown; charset=utf-8", "text/html": "",
	} {
		for _, path := range []string{"/capabilities", "/.well-known/capabilities"} {
			res := do(h, newRequest(exchange{method: "GET", path: path, header: http.Header{"Accept": {accept}}}))
			if got := res.Header.Get("Content-Type"); got != want || accept == "text/html" && res.Header.Get("Location") != "/admin/capabilities" {
				t.Errorf("%s of %s: %d %s", accept, path, res.StatusCode, got)
			}
		}
	}
	if res := do(h, newRequest(exchange{method: "GET", path: "/capabilities", header: http.Header{"Accept": {"image/png"}}})); res.StatusCode != http.StatusNotAcceptable {
		t.Errorf("a picture: %d", res.StatusCode)
	}
}

// With all that a graph offers by itself, the documents are what their standards say.
func TestDocumentsOfAWholeGraphKeepTheirStandards(t *testing.T) {
	testrun.Alone(t)
	thing := projecttest.ThingSchema(t, rdftest.Dir(t))
	h := httpapi.New(notesEngine(t), httpapi.Options{Auth: auth.New(auth.Options{Token: "secret", Scopes: policy.AllScopes()}), Admin: http.NotFoundHandler()})
	get := func(path string) string {
		return readAll(t, do(h, newRequest(exchange{method: "GET", path: path, header: http.Header{"Authorization": {"Bearer secret"}}})).Body)
	}
	for _, path := range []string{"/.well-known/wot", "/notes/card"} {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(get(path)))
		if err != nil {
			t.Fatal(err)
		}
		if err := thing.Validate(doc); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	projecttest.CheckOpenAPI(t, []byte(get("/openapi.json")))
	if res := do(h, newRequest(exchange{method: "GET", path: "/nobody/card", header: http.Header{"Authorization": {"Bearer secret"}}})); res.StatusCode != http.StatusNotFound {
		t.Errorf("the card of nobody: %d", res.StatusCode)
	}
}

// What GET / lists is routed, and what is routed it lists.
func TestTheGuideIsTheRoutes(t *testing.T) {
	answers := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }
	mounted := http.HandlerFunc(answers)
	h := httpapi.New(notesEngine(t), httpapi.Options{Auth: runtimeOptions().Auth, Admin: mounted, MCP: mounted, SSE: mounted, Messages: mounted, Metrics: mounted})
	for _, route := range httpapi.Routes() {
		path := strings.NewReplacer("{Type}", "Note", "{id}", "x", "{name}", "x", "{capability}", "health", "{agent}", "notes").Replace(route.Path)
		for method := range strings.SplitSeq(route.Methods, ", ") {
			res := do(h, newRequest(exchange{method: method, path: path, body: map[bool]string{true: "{}"}[method == "POST"]}))
			body := readAll(t, res.Body)
			if res.StatusCode == http.StatusMethodNotAllowed || strings.Contains(body, "no address") {
				t.Errorf("%s %s: %d %s", method, path, res.StatusCode, body)
			}
		}
	}
	err := chi.Walk(httpapi.Inner(), func(method, pattern string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		pattern = strings.NewReplacer("{type}", "{Type}", "/*", "/{id}").Replace(pattern)
		there := slices.ContainsFunc(httpapi.Routes(), func(r project.Route) bool {
			return r.Path == pattern && slices.Contains(strings.Split(r.Methods, ", "), method)
		})
		if !there && pattern != "/" {
			t.Errorf("the guide has no %s %s", method, pattern)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
