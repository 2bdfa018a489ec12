package validate

import (
	"strconv"

	"trails/fault"
	"trails/rdf"
)

// graph is the shapes graph, indexed; lists keep the order of the quads.
type graph struct {
	subjects []rdf.Term
	objects  map[rdf.Term]map[rdf.IRI][]rdf.Term
}

func newGraph(quads []rdf.Quad) *graph {
	g := &graph{objects: make(map[rdf.Term]map[rdf.IRI][]rdf.Term)}
	for _, q := range quads {
		p, _ := q.Predicate.(rdf.IRI)
		of := g.objects[q.Subject]
		if of == nil {
			of = make(map[rdf.IRI][]rdf.Term)
			g.objects[q.Subject] = of
			g.subjects = append(g.subjects, q.Subject)
		}
		of[p] = append(of[p], q.Object)
	}
	return g
}

func (g *graph) all(s rdf.Term, p rdf.IRI) []rdf.Term { return g.objects[s][p] }

func (g *graph) has(s rdf.Term, p rdf.IRI, o rdf.Term) bool {
	for _, object := range g.all(s, p) {
		if object == o {
			return true
		}
	}
	return false
}

// one returns the only object, or nil when there is none.
func (g *graph) one(s rdf.Term, p rdf.IRI) (rdf.Term, error) {
	switch objects := g.all(s, p); len(objects) {
	case 0:
		return nil, nil
	case 1:
		return objects[0], nil
	default:
		return nil, fault.New(fault.InvalidData, "%s has %d values, not one", word(p), len(objects))
	}
}

// text returns the lexical form of the first object, or "".
func (g *graph) text(s rdf.Term, p rdf.IRI) string {
	if objects := g.all(s, p); len(objects) > 0 {
		return rdf.Lexical(objects[0])
	}
	return ""
}

// list reads an RDF list. A list that does not end in rdf:nil, forks, or leads back to
// one of its cells is an InvalidData fault.
func (g *graph) list(head rdf.Term) ([]rdf.Term, error) {
	var members []rdf.Term
	seen := make(map[rdf.Term]bool)
	for node := head; node != rdf.Nil; {
		first, rest := g.all(node, rdf.First), g.all(node, rdf.Rest)
		if seen[node] || len(first) != 1 || len(rest) != 1 {
			return nil, fault.New(fault.InvalidData, "%s is no well-formed RDF list", label(head))
		}
		seen[node] = true
		members = append(members, first[0])
		node = rest[0]
	}
	return members, nil
}

// iris reads an RDF list of IRIs.
func (g *graph) iris(head rdf.Term) ([]rdf.IRI, error) {
	members, err := g.list(head)
	if err != nil {
		return nil, err
	}
	out := make([]rdf.IRI, len(members))
	for i, m := range members {
		iri, ok := m.(rdf.IRI)
		if !ok {
			return nil, fault.New(fault.InvalidData, "%s in a list of IRIs is none", label(m))
		}
		out[i] = iri
	}
	return out, nil
}

// parameter is one value of a component's parameter, with its shape.
type parameter struct {
	graph     *graph
	shape     *shape
	owner     *shape // the node shape; shape itself when that is one
	component rdf.IRI
	name      rdf.IRI
	value     rdf.Term
}

// count returns the value as a whole number, not below zero.
func (p parameter) count() (int, error) {
	n, err := strconv.Atoi(rdf.Lexical(p.value))
	if err != nil || n < 0 || rdf.DatatypeOf(p.value) != rdf.XSDInteger {
		return 0, fault.New(fault.InvalidData, "%s must be a whole number, not %s", word(p.name), label(p.value))
	}
	return n, nil
}

// flag returns the value as a boolean: SHACL asks for the term true, which no other spelling is.
func (p parameter) flag() (bool, error) {
	switch text := rdf.Lexical(p.value); {
	case rdf.DatatypeOf(p.value) != rdf.XSDBoolean:
	case text == "true":
		return true, nil
	case text == "false":
		return false, nil
	}
	return false, fault.New(fault.InvalidData, "%s must be true or false, not %s", word(p.name), label(p.value))
}

// iri returns the value as an IRI.
func (p parameter) iri() (rdf.IRI, error) {
	iri, ok := p.value.(rdf.IRI)
	if !ok {
		return "", fault.New(fault.InvalidData, "%s must be an IRI, not %s", word(p.name), label(p.value))
	}
	return iri, nil
}

// label returns a term for a message about the shapes graph.
func label(t rdf.Term) string { return string(rdf.AppendTerm(nil, t)) }

// word returns a parameter as people write it: "sh:minCount", "trails:unique".
func word(p rdf.IRI) string {
	for prefix, ns := range map[string]rdf.IRI{"sh:": rdf.SHNS, "trails:": rdf.TrailsNS} {
		if len(p) > len(ns) && p[:len(ns)] == ns {
			return prefix + string(p[len(ns):])
		}
	}
	return label(p)
}
