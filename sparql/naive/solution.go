package naive

import (
	"maps"
	"strings"

	"trails/rdf"
	"trails/sparql"
)

// solution is a solution mapping (section 18.1.8). It carries the blank nodes that BNODE made in it, because within
// one solution the same label gives the same node (section 17.4.2.9).
type solution struct {
	terms  map[sparql.Var]rdf.Term
	blanks map[string]rdf.Term
}

func newSolution() solution {
	return solution{map[sparql.Var]rdf.Term{}, map[string]rdf.Term{}}
}

// compatible is section 18.3's: all variables that both bind have the same terms.
func compatible(a, b solution) bool {
	for v, term := range a.terms {
		if other, bound := b.terms[v]; bound && !identical(other, term) {
			return false
		}
	}
	return true
}

// merge is the union of compatible solutions (section 18.3); if they are not compatible, a's terms win.
func merge(a, b solution) solution {
	out := newSolution()
	maps.Copy(out.terms, b.terms)
	maps.Copy(out.terms, a.terms)
	return out
}

// with returns the scope of an expression: the solution, the bindings that EXISTS substitutes, and the solution's
// blank nodes.
func (s solution) with(outer solution) solution {
	merged := merge(s, outer)
	merged.blanks = s.blanks
	return merged
}

// bind returns s with one more binding. BNODE treats it as the same solution.
func (s solution) bind(v sparql.Var, term rdf.Term) solution {
	terms := maps.Clone(s.terms)
	terms[v] = term
	return solution{terms, s.blanks}
}

// identical reports that two terms are the same term (RDF 1.1 Concepts section 3).
func identical(a, b rdf.Term) bool { return a == b }

// only returns s restricted to these variables.
func (s solution) only(vars []sparql.Var) solution {
	out := solution{map[sparql.Var]rdf.Term{}, s.blanks}
	for _, v := range vars {
		if term, bound := s.terms[v]; bound {
			out.terms[v] = term
		}
	}
	return out
}

// disjoint reports that the domains have no variable in common.
func disjoint(a, b solution) bool {
	for v := range a.terms {
		if _, both := b.terms[v]; both {
			return false
		}
	}
	return true
}

// same reports that two solutions bind the same variables to the same terms.
func same(a, b solution) bool { return maps.EqualFunc(a.terms, b.terms, identical) }

// visible returns s without the variables of blank nodes.
func visible(s solution) solution {
	out := newSolution()
	for v, term := range s.terms {
		if !strings.HasPrefix(string(v), ".") {
			out.terms[v] = term
		}
	}
	return out
}

// distinct is section 18.5's Distinct.
func distinct(solutions []solution) []solution {
	var out []solution
	for _, s := range solutions {
		if !contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

func contains(solutions []solution, s solution) bool {
	for _, other := range solutions {
		if same(other, s) {
			return true
		}
	}
	return false
}
