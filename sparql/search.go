package sparql

import (
	"slices"

	"trails/rdf"
)

// Matches is the property function that finds nodes by their texts. Its subject is a node, or a list of a node, a score, a
// passage and a property; its object is a text, or a list of a text and options. It is written as a triple of a pattern, as
// engines write their full-text searches, so that SPARQL's grammar stays as it is.
const Matches = rdf.IRI(rdf.TrailsNS + "matches")

// SearchFound names the ends of [Search.Found].
var SearchFound = []string{"node", "score", "passage", "property"}

// SearchAnswer returns the operator that replaces a search. Its solutions will be joined with each of the known tables,
// from which it may take values of its variables.
type SearchAnswer func(s Search, known []Table) (Op, error)

// AnswerSearches returns a copy of the query with each search replaced by its answer, from left to right. Those inside a
// SERVICE are left to it.
func (q *Query) AnswerSearches(answer SearchAnswer) (*Query, error) {
	return q.answered(answering{search: answer})
}

// AnswerSearches is [Query.AnswerSearches] for the pattern of an update's operation.
func (m Modify) AnswerSearches(answer SearchAnswer) (Modify, error) {
	return m.answered(answering{search: answer})
}

// Searches reports whether an operator, or one below it, is a search.
func Searches(op Op) bool {
	return Has(op, func(op Op) bool { _, is := op.(Search); return is })
}

// searchIs begins what is said where a search cannot stand.
const searchIs = "trails:matches is a search of the graph, no property of its nodes"

// checkSearch refuses a search where it would have another meaning, or none.
func (p *parser) checkSearch(path Path, at int) {
	link, alone := path.(Link)
	switch {
	case !mentions(path, Matches):
	case !alone || link.IRI != Matches:
		p.failFrom(at, searchIs+", and cannot stand in a path; write it as a triple of its own: ?node trails:matches \"words\"")
	case p.inGraph:
		p.failFrom(at, searchIs+": it finds nodes of the default graph; write it before GRAPH, or read an earlier commit by the argument at")
	}
}

// mentions reports whether a path follows a predicate.
func mentions(path Path, iri rdf.IRI) bool {
	switch path := path.(type) {
	case Link:
		return path.IRI == iri
	case Inverse:
		return mentions(path.Path, iri)
	case Sequence:
		return mentions(path.Left, iri) || mentions(path.Right, iri)
	case Alternative:
		return mentions(path.Left, iri) || mentions(path.Right, iri)
	case ZeroOrMore:
		return mentions(path.Path, iri)
	case OneOrMore:
		return mentions(path.Path, iri)
	case ZeroOrOne:
		return mentions(path.Path, iri)
	case NegatedSet:
		return false // it follows what it does not name
	}
	return false
}

// isSearch reports whether a triple is a search.
func (t triple) isSearch() bool {
	link, ok := t.path.(Link)
	return ok && link.IRI == Matches
}

// searchesIn takes the searches out of the triples of a group, with the lists that are their ends.
func searchesIn(triples []triple) (others []triple, searches []Search) {
	if !slices.ContainsFunc(triples, triple.isSearch) {
		return triples, nil
	}
	l := lists{first: map[Var]Operand{}, rest: map[Var]Operand{}, cells: map[Var]bool{}}
	elsewhere := map[Var]bool{}
	for _, t := range triples {
		switch {
		case t.isSearch():
		case t.isListed(rdf.First):
			l.first[t.subject.Var] = t.object
			elsewhere[t.object.Var] = true
		case t.isListed(rdf.Rest):
			l.rest[t.subject.Var] = t.object
		default:
			elsewhere[t.subject.Var], elsewhere[t.object.Var] = true, true
		}
	}
	for _, t := range triples {
		if t.isSearch() {
			searches = append(searches, Search{l.members(t.subject, elsewhere), l.members(t.object, elsewhere)})
		}
	}
	for _, t := range triples {
		if !t.isSearch() && !(l.cells[t.subject.Var] && (t.isListed(rdf.First) || t.isListed(rdf.Rest))) {
			others = append(others, t)
		}
	}
	return others, searches
}

// isListed reports whether a triple is of a list in parentheses, as [parser.collection] makes them.
func (t triple) isListed(predicate rdf.IRI) bool {
	return t.path == nil && t.verb.Term == rdf.Term(predicate) && t.subject.Var != ""
}

// lists are the lists of a group, by the variables of their cells. cells are those that only say what is searched.
type lists struct {
	first, rest map[Var]Operand
	cells       map[Var]bool
}

// members are those of the list that an end is, or the end itself. A list that stands elsewhere in the group, too, remains.
func (l lists) members(end Operand, elsewhere map[Var]bool) (all []Operand) {
	if _, isList := l.first[end.Var]; !isList && end.Term != rdf.Term(rdf.Nil) {
		return []Operand{end}
	}
	for cell := end; cell.Var != ""; cell = l.rest[cell.Var] {
		all = append(all, l.first[cell.Var])
		l.cells[cell.Var] = l.cells[cell.Var] || !elsewhere[end.Var]
	}
	return all
}
