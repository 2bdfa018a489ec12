package sparql_test

import (
	"testing"

	"trails/rdf"
	"trails/sparql"
)

func TestRenamingKeepsAllButTheNames(t *testing.T) {
	before := sparql.Options{Base: "urn:g:", Prefixes: map[string]string{"": "urn:g:", "ex": "http://ex.org/", "old": "http://old.org/"}}
	after := sparql.Options{Base: "urn:g:", Prefixes: map[string]string{"": "urn:g:", "ex": "http://ex.org/"}}
	becomes := func(n sparql.Name) rdf.IRI {
		switch n.IRI {
		case "urn:g:title":
			return "urn:g:heading"
		case "urn:g:Task":
			return "http://ex.org/Job"
		case "http://ex.org/a-b":
			return "http://ex.org/c-d"
		}
		return n.IRI
	}
	for _, c := range []struct{ name, text, want string }{
		{"a prefixed name", "ASK {\n  ?s   :title ?t # :title\n}", "ASK {\n  ?s   :heading ?t # :title\n}"},
		{"an IRI in brackets", "ASK { ?s <urn:g:title> ':title', \"<urn:g:title>\" }", "ASK { ?s <urn:g:heading> ':title', \"<urn:g:title>\" }"},
		{"a prefix of the text", "PREFIX t: <urn:g:>\nASK { ?s t:title|^t:title/:title* ?o }", "PREFIX t: <urn:g:>\nASK { ?s t:heading|^t:heading/:heading* ?o }"},
		{"another namespace", "ASK { ?s a :Task; a <urn:g:Task> }", "ASK { ?s a <http://ex.org/Job>; a <http://ex.org/Job> }"},
		{"a name that needs an escape", "ASK { ?s ex:a-b ex:a\\-b }", "ASK { ?s ex:c-d ex:c-d }"},
		{"a prefix that goes", "ASK { ?s old:x old:title }", "ASK { ?s <http://old.org/x> <http://old.org/title> }"},
		{"a prefix declared twice", "PREFIX old: <urn:g:>\nINSERT { ?s old:title 1 } WHERE { ?s old:x 2 };\nPREFIX old: <urn:h:>\nDELETE WHERE { ?s old:title ?o FILTER EXISTS { ?o :title 3 } }", ""},
		{"an escape of a character", "ASK { ?s :titl\\u0065 'ä' ; :title 'ü' }", "ASK { ?s :heading 'ä' ; :heading 'ü' }"},
		{"a datatype, a graph and a function", "SELECT (:title(1) AS ?x) FROM :title { GRAPH :title { ?s ?p 'x'^^:title } VALUES ?y { :title } }", "SELECT (:heading(1) AS ?x) FROM :heading { GRAPH :heading { ?s ?p 'x'^^:heading } VALUES ?y { :heading } }"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, n, err := sparql.Rename(c.text, before, after, becomes)
			switch {
			case c.want == "" && err == nil:
				t.Errorf("it was taken: %s", got)
			case c.want != "" && (err != nil || got != c.want || n == 0):
				t.Errorf("got %s %v\nwant %s", got, err, c.want)
			}
		})
	}
	text := "PREFIX p: <urn:g:>\nSELECT * { ?s p:other :other }"
	if got, n, err := sparql.Rename(text, before, after, becomes); got != text || n != 0 || err != nil {
		t.Errorf("got %s %d %v", got, n, err)
	}
}
