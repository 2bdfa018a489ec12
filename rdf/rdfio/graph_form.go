package rdfio

import (
	"io"
	"slices"
	"strings"

	"trails/rdf"
)

// GraphForm is a format in which the tools, the HTTP routes and the command line return a
// graph.
type GraphForm struct {
	Name  string // the value of ?format= and of format arguments
	Media string // the media type in Accept
	// Write writes triples, and may sort the slice. It is nil for JSON-LD, because each
	// document makes its context in its own way.
	Write func(w io.Writer, triples []rdf.Quad, prefixes map[string]string) error
}

// GraphForms lists every GraphForm, the default first.
var GraphForms = []GraphForm{
	{"turtle", "text/turtle", WriteTurtle},
	{"ntriples", "application/n-triples", writeNTriples},
	{"jsonld", "application/ld+json", nil},
	{"rdfxml", "application/rdf+xml", WriteRDFXML},
}

// GraphFormNamed returns the form with a name.
func GraphFormNamed(name string) (GraphForm, bool) {
	i := slices.IndexFunc(GraphForms, func(f GraphForm) bool { return f.Name == name })
	if i < 0 {
		return GraphForm{}, false
	}
	return GraphForms[i], true
}

func writeNTriples(w io.Writer, triples []rdf.Quad, _ map[string]string) error {
	lines := make([]string, len(triples))
	for i, q := range triples {
		q.Label = nil
		lines[i] = string(append(rdf.AppendQuad(nil, q), '\n'))
	}
	slices.Sort(lines)
	_, err := io.WriteString(w, strings.Join(slices.Compact(lines), ""))
	return err
}
