package naive

import (
	"trails/rdf"
	"trails/sparql"
)

// construct is section 16.2: it fills the template for each solution, with new blank nodes each time, and drops
// invalid triples.
func (e *evaluator) construct(template []sparql.TriplePattern, solutions []solution) []rdf.Quad {
	var out graph
	for _, s := range solutions {
		filled := e.filler(s)
		for _, p := range template {
			t := triple{filled(p.Subject), filled(p.Predicate), filled(p.Object)}
			if isTriple(t) {
				out = append(out, t)
			}
		}
	}
	return quads(set(out), nil)
}

// filler fills in a template's operands for one solution, with one new blank node for each of the template's; nil is
// unbound.
func (e *evaluator) filler(s solution) func(sparql.Operand) rdf.Term {
	blanks := map[rdf.Term]rdf.Term{}
	return func(o sparql.Operand) rdf.Term {
		if o.Var != "" || !isBlank(o.Term) {
			return known(o, s)
		}
		if blanks[o.Term] == nil {
			blanks[o.Term] = e.newBlank()
		}
		return blanks[o.Term]
	}
}

// isTriple reports whether the terms are valid in their positions of a triple.
func isTriple(t triple) bool {
	return (isIRI(t[0]) || isBlank(t[0])) && isIRI(t[1]) && t[2] != nil
}

func quads(g graph, label rdf.Term) []rdf.Quad {
	out := make([]rdf.Quad, len(g))
	for i, t := range g {
		out[i] = rdf.Quad{Subject: t[0], Predicate: t[1], Object: t[2], Label: label}
	}
	return out
}

// describe is section 16.4 with the concise bounded description: the statements about a node, and recursively those
// about the blank nodes among their objects.
func (e *evaluator) describe(q *sparql.Query, solutions []solution) []rdf.Quad {
	var out graph
	done := map[rdf.Term]bool{}
	var about func(rdf.Term)
	about = func(node rdf.Term) {
		if node == nil || done[node] {
			return
		}
		done[node] = true
		for _, t := range e.active {
			if t[0] == node {
				out = append(out, t)
				if isBlank(t[2]) {
					about(t[2])
				}
			}
		}
	}
	for _, iri := range q.Describe {
		about(iri)
	}
	for _, s := range solutions {
		for _, v := range q.Vars {
			about(s.terms[v])
		}
	}
	return quads(set(out), nil)
}
