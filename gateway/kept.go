package gateway

import (
	"cmp"
	"slices"
	"strings"

	"trails/rdf"
)

// How the schema graph holds an upstream server: a node with its definition.
const (
	servers        = rdf.TrailsNS + "upstream/" // the IRI of a server without its name
	definitionProp = rdf.IRI(rdf.TrailsNS + "upstreamDefinition")
)

// IsKept reports whether a quad of the schema graph is about an upstream server, and not of
// the schema.
func IsKept(q rdf.Quad) bool {
	iri, ok := q.Subject.(rdf.IRI)
	return ok && strings.HasPrefix(string(iri), servers)
}

// Quad is how the file keeps the definition.
func (s Server) Quad() rdf.Quad {
	return rdf.Quad{Subject: rdf.IRI(servers + s.Name), Predicate: definitionProp, Object: rdf.Literal(s.Text(), rdf.XSDString), Label: rdf.SchemaGraph}
}

// Kept is an upstream server as the file has it. One that cannot be read, because a later
// program wrote it, has an Err, and nothing else than its name.
type Kept struct {
	Server
	Quad rdf.Quad
	Err  error
}

// FromQuads reads what [Server.Quad] wrote, by name.
func FromQuads(quads []rdf.Quad) []Kept {
	var all []Kept
	for _, q := range quads {
		if q.Predicate != definitionProp || q.Label != rdf.SchemaGraph || !IsKept(q) {
			continue
		}
		k := Kept{Quad: q}
		k.Server, k.Err = ParseServer([]byte(rdf.Lexical(q.Object)))
		if k.Err != nil {
			k.Server = Server{Name: strings.TrimPrefix(rdf.Lexical(q.Subject), servers)}
		}
		all = append(all, k)
	}
	slices.SortFunc(all, func(a, b Kept) int { return cmp.Compare(a.Name, b.Name) })
	return all
}
