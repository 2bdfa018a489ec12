package querykit

import (
	"iter"
	"slices"

	"trails/rdf"
)

// Set is data of one kind in any size, and the queries that are asked of it.
type Set struct {
	Name string
	// Smallest is the least number of triples with which all shapes have answers.
	Smallest int
	// Triples yields n different triples, always the same for the same n.
	Triples func(n int) iter.Seq[rdf.Quad]
	Shapes  []Shape
	// Scans are the names of the shapes that must read many rows, whatever the order of joins. Targets for scans are
	// geometric means over these.
	Scans []string
	// Prologue has the prefixes of the queries.
	Prologue string
}

// Shape is one query, and the best SQL for the same rows by a person who knows the tables and has the ids: {work:0}
// in it is the id of a term, see [Hand].
type Shape struct {
	Name  string
	Query string // without the prologue of its set
	SQL   string // empty if nobody has written it
	// Cypher is the query for a property graph, in which each kind of entity is a table of nodes, a literal a property and
	// a link a relationship: {work:0} is the id of an entity. It is empty if that cannot say it, or nobody has written it.
	Cypher string
	// Columns are the columns of SQL and Cypher, in the order of the query's variables; for CONSTRUCT subject, predicate and
	// object.
	Columns []Column
	// Ordered means that the query determines the order of the rows.
	Ordered bool

	prologue string
}

// Text is the query with its prefixes.
func (s Shape) Text() string { return s.prologue + s.Query }

// Sets are all sets.
var Sets = []Set{Library, Social, Papers, Features}

// newSet makes a set with these prefixes and the shapes of all groups.
func newSet(s Set, prefixes []string, groups ...[]Shape) Set {
	for _, p := range prefixes {
		s.Prologue += "PREFIX " + p + ": <" + namespace(p) + ">\n"
	}
	s.Shapes = slices.Concat(groups...)
	for i := range s.Shapes {
		s.Shapes[i].prologue = s.Prologue
	}
	return s
}

// namespace is what a prefix stands for, in queries, in SQL written by hand and in generators. Each kind of entity
// has its own.
func namespace(prefix string) string {
	switch prefix {
	case "rdf":
		return rdf.RDFNS
	case "rdfs":
		return rdf.RDFSNS
	case "xsd":
		return rdf.XSDNS
	case "ex":
		return Vocabulary
	case "dc":
		return "http://purl.org/dc/elements/1.1/"
	case "dcterms":
		return rdf.DCTermsNS
	case "foaf":
		return "http://xmlns.com/foaf/0.1/"
	case "swrc":
		return "http://swrc.ontoware.org/ontology#"
	}
	return Base + prefix + "/"
}
