package stored

import (
	"cmp"
	"slices"
	"strings"

	"trails/rdf"
	"trails/schema"
)

// How the schema graph stores a query: as a node with its text.
const (
	nodes    = rdf.TrailsNS + "query/"               // the IRI of a query without its id
	Class    = rdf.IRI(rdf.TrailsNS + "StoredQuery") // rdf:type of the node
	TextProp = rdf.IRI(rdf.TrailsNS + "queryText")   // the whole text, front matter included
)

// IsStored reports whether a quad of the schema graph belongs to a stored query, not to the schema.
func IsStored(q rdf.Quad) bool {
	iri, ok := q.Subject.(rdf.IRI)
	return ok && strings.HasPrefix(string(iri), nodes)
}

// QuadsOf returns the quads that store a text under an id.
func QuadsOf(id, text string) []rdf.Quad {
	node := rdf.IRI(nodes + id)
	return []rdf.Quad{
		{Subject: node, Predicate: rdf.Type, Object: Class, Label: rdf.SchemaGraph},
		{Subject: node, Predicate: TextProp, Object: rdf.Literal(text, rdf.XSDString), Label: rdf.SchemaGraph},
	}
}

// Kept is a stored query as read from the file. If it cannot be read, because an earlier schema or a later program
// wrote it, it has an Err instead of a Query.
type Kept struct {
	ID, Text string
	Query    *Query
	Err      error
}

// FromQuads reads the quads of [QuadsOf], by id, under a schema.
func FromQuads(quads []rdf.Quad, s *schema.Schema) []Kept {
	var all []Kept
	for _, q := range quads {
		if q.Predicate != TextProp || q.Label != rdf.SchemaGraph || !IsStored(q) {
			continue
		}
		k := Kept{ID: strings.TrimPrefix(rdf.Lexical(q.Subject), nodes), Text: rdf.Lexical(q.Object)}
		k.Query, k.Err = Parse(k.Text, k.ID, s)
		all = append(all, k)
	}
	slices.SortStableFunc(all, func(a, b Kept) int { return cmp.Compare(a.ID, b.ID) })
	return all
}
