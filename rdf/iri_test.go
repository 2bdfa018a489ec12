package rdf_test

import (
	"testing"

	"trails/rdf"
)

// TestResolveIRIByTheExamplesOfTheRFC goes through RFC 3986 sections 5.4.1 and 5.4.2.
func TestResolveIRIByTheExamplesOfTheRFC(t *testing.T) {
	const base = "http://a/b/c/d;p?q"
	for ref, want := range map[string]string{
		// normal
		"g:h": "g:h", "g": "http://a/b/c/g", "./g": "http://a/b/c/g", "g/": "http://a/b/c/g/", "/g": "http://a/g", "//g": "http://g",
		"?y": "http://a/b/c/d;p?y", "g?y": "http://a/b/c/g?y", "#s": "http://a/b/c/d;p?q#s", "g#s": "http://a/b/c/g#s",
		"g?y#s": "http://a/b/c/g?y#s", ";x": "http://a/b/c/;x", "g;x": "http://a/b/c/g;x", "g;x?y#s": "http://a/b/c/g;x?y#s",
		"": "http://a/b/c/d;p?q", ".": "http://a/b/c/", "./": "http://a/b/c/", "..": "http://a/b/", "../": "http://a/b/",
		"../g": "http://a/b/g", "../..": "http://a/", "../../": "http://a/", "../../g": "http://a/g",
		// abnormal
		"../../../g": "http://a/g", "../../../../g": "http://a/g", "/./g": "http://a/g", "/../g": "http://a/g",
		"g.": "http://a/b/c/g.", ".g": "http://a/b/c/.g", "g..": "http://a/b/c/g..", "..g": "http://a/b/c/..g",
		"./../g": "http://a/b/g", "./g/.": "http://a/b/c/g/", "g/./h": "http://a/b/c/g/h", "g/../h": "http://a/b/c/h",
		"g;x=1/./y": "http://a/b/c/g;x=1/y", "g;x=1/../y": "http://a/b/c/y",
		"g?y/./x": "http://a/b/c/g?y/./x", "g?y/../x": "http://a/b/c/g?y/../x", "g#s/./x": "http://a/b/c/g#s/./x", "g#s/../x": "http://a/b/c/g#s/../x",
		"http:g": "http:g",
	} {
		checkResolved(t, base, ref, want)
	}
}

func TestResolveIRI(t *testing.T) {
	for _, c := range []struct{ says, base, ref, want string }{
		{"an empty path below an authority is the root", "http://a", "g", "http://a/g"},
		{"an empty path below an authority keeps a query", "http://a?q", "#s", "http://a?q#s"},
		{"a base loses its fragment", "http://a/b#s", "", "http://a/b"},
		{"an empty authority stays", "file:///a/b", "c", "file:///a/c"},
		{"an empty authority stays below the root", "file:///a", "../c", "file:///c"},
		{"an opaque base has a path too", "urn:a:b", "c", "urn:c"},
		{"an opaque base takes a fragment", "urn:a:b", "#c", "urn:a:b#c"},
		{"a network path has its dots removed", "http://a/b", "//g/./h/../i", "http://g/i"},
		{"characters beyond ASCII are as good as others", "http://a/é/ü", "ß", "http://a/é/ß"},
		{"a colon in a later segment makes no scheme", "http://a/b", "./c:d", "http://a/c:d"},
		{"an absolute IRI is not normalized", "http://a/b", "http://c/./d/../e", "http://c/./d/../e"},
		{"an absolute IRI needs no base", "", "x-1.+y:z", "x-1.+y:z"},
		{"a query may hold a slash", "http://a/b?c/d", "e", "http://a/e"},
	} {
		t.Run(c.says, func(t *testing.T) { checkResolved(t, c.base, c.ref, c.want) })
	}
}

func TestResolveIRIWithoutABaseIsAnError(t *testing.T) {
	for _, base := range []string{"", "a/b", ":a", "1a:b", "//a/b"} {
		if got, err := rdf.ResolveIRI(base, "g"); err == nil {
			t.Errorf("base %q: got %q, want an error", base, got)
		}
	}
}

func checkResolved(t *testing.T, base, ref, want string) {
	t.Helper()
	if got, err := rdf.ResolveIRI(base, ref); err != nil || got != want {
		t.Errorf("<%s> against <%s>: got %q, %v, want %q", ref, base, got, err, want)
	}
}
