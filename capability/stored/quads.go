package stored

import (
	"sort"

	"trails/rdf"
	"trails/schema"
)

// How the schema graph stores a query: as a node with its text.
const (
	Class    = rdf.IRI(rdf.TrailsNS + "StoredQuery") // rdf:type of the node
	TextProp = rdf.IRI(rdf.TrailsNS + "queryText")   // the whole text, front matter included
)

// QuadsOf returns the quads that store a text under an id.
func QuadsOf(id, text string) []rdf.Quad {
	node := schema.QueryRecord.Node(id)
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
		kind, id := schema.RecordOf(q)
		if kind != schema.QueryRecord || q.Predicate != TextProp {
			continue
		}
		k := Kept{ID: id, Text: rdf.Lexical(q.Object)}
		k.Query, k.Err = Parse(k.Text, k.ID, s)
		all = append(all, k)
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].ID < all[j].ID })
	return all
}
