package rdfio

import (
	"bytes"
	"io"
	"slices"

	"trails/rdf"
)

// GraphForm is a form in which every door answers with a graph.
type GraphForm struct {
	Name  string // as ?format= and the arguments of calls have it
	Media string // as Accept has it
	// Write writes triples, which it may sort; nil for JSON-LD, whose context each document has
	// in its own way.
	Write func(w io.Writer, triples []rdf.Quad, prefixes map[string]string) error
}

// GraphForms are all of them, the default first.
var GraphForms = []GraphForm{
	{"turtle", "text/turtle", WriteTurtle},
	{"ntriples", "application/n-triples", writeNTriples},
	{"jsonld", "application/ld+json", nil},
	{"rdfxml", "application/rdf+xml", WriteRDFXML},
}

// GraphFormNamed returns the form of that name.
func GraphFormNamed(name string) (GraphForm, bool) {
	i := slices.IndexFunc(GraphForms, func(f GraphForm) bool { return f.Name == name })
	if i < 0 {
		return GraphForm{}, false
	}
	return GraphForms[i], true
}

func writeNTriples(w io.Writer, triples []rdf.Quad, _ map[string]string) error {
	lines := make([][]byte, len(triples))
	for i, q := range triples {
		q.Label = nil
		lines[i] = append(rdf.AppendQuad(nil, q), '\n')
	}
	slices.SortFunc(lines, bytes.Compare)
	_, err := w.Write(bytes.Join(slices.CompactFunc(lines, bytes.Equal), nil))
	return err
}
