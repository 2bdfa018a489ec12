package rdfio

import (
	"slices"

	"trails/rdf"
)

// maxNesting bounds how deep blank nodes are nested; deeper ones get a statement of their own.
const maxNesting = 16

// turtlePlan decides where each blank node is written, before anything is written.
type turtlePlan struct {
	about      map[rdf.Term][]rdf.Quad
	references map[rdf.BNode]int
	roots      []rdf.Term               // subjects with a statement of their own
	inline     map[rdf.BNode]bool       // nested in their only reference
	lists      map[rdf.BNode][]rdf.Term // items of a nested list, by its first cell

	placed  map[rdf.Term]bool  // the roots and everything nested in them
	notList map[rdf.BNode]bool // cells whose list is malformed
}

func planTurtle(quads []rdf.Quad) *turtlePlan {
	p := &turtlePlan{
		about:      bySubject(quads),
		references: map[rdf.BNode]int{},
		inline:     map[rdf.BNode]bool{},
		lists:      map[rdf.BNode][]rdf.Term{},
		placed:     map[rdf.Term]bool{},
		notList:    map[rdf.BNode]bool{},
	}
	for _, group := range p.about {
		for _, q := range group {
			if b, ok := q.Object.(rdf.BNode); ok {
				p.references[b]++
			}
		}
	}
	// Roots are the subjects that cannot be nested. Subjects that no root reaches form cycles,
	// and each cycle gets its first node as a root.
	subjects := sortedTerms(p.about)
	for _, s := range subjects {
		if b, ok := s.(rdf.BNode); !ok || p.references[b] != 1 {
			p.placeRoot(s)
		}
	}
	for _, s := range subjects {
		if !p.placed[s] {
			p.placeRoot(s)
		}
	}
	slices.SortFunc(p.roots, compareTerms)
	return p
}

func (p *turtlePlan) placeRoot(subject rdf.Term) {
	if p.placed[subject] {
		return
	}
	p.placed[subject] = true
	p.roots = append(p.roots, subject)
	for _, deep := range p.nest(subject, 0) {
		p.placeRoot(deep)
	}
}

// nest marks all that is nested in a subject, and returns the nodes that are too deep.
func (p *turtlePlan) nest(subject rdf.Term, depth int) (deep []rdf.Term) {
	for _, q := range p.about[subject] {
		deep = append(deep, p.nestObject(q.Object, depth)...)
	}
	return deep
}

func (p *turtlePlan) nestObject(object rdf.Term, depth int) (deep []rdf.Term) {
	b, ok := object.(rdf.BNode)
	switch {
	case !ok || p.references[b] != 1 || p.placed[b]:
		return nil
	case depth == maxNesting && len(p.about[b]) > 0:
		return []rdf.Term{b}
	}
	cells, items := p.list(b)
	if items == nil {
		p.place(b)
		return p.nest(b, depth+1)
	}
	p.lists[b] = items
	for _, cell := range cells {
		p.place(cell)
	}
	for _, item := range items {
		deep = append(deep, p.nestObject(item, depth+1)...)
	}
	return deep
}

func (p *turtlePlan) place(b rdf.BNode) {
	p.inline[b], p.placed[b] = true, true
}

// list returns the cells and items of the list that begins at head, or nil if ( … ) cannot
// represent it.
func (p *turtlePlan) list(head rdf.BNode) (cells []rdf.BNode, items []rdf.Term) {
	seen := map[rdf.BNode]bool{}
	var at rdf.Term = head
	for at != rdf.Nil {
		cell, ok := at.(rdf.BNode)
		if !ok || seen[cell] || !p.isCell(cell) {
			for _, cell := range cells {
				p.notList[cell] = true // walk each cell once
			}
			return nil, nil
		}
		seen[cell] = true
		cells, items = append(cells, cell), append(items, p.about[cell][0].Object)
		at = p.about[cell][1].Object
	}
	return cells, items
}

// isCell reports whether b has one rdf:first, one rdf:rest and one reference.
func (p *turtlePlan) isCell(b rdf.BNode) bool {
	quads := p.about[b]
	return !p.placed[b] && !p.notList[b] && p.references[b] == 1 && len(quads) == 2 &&
		quads[0].Predicate == rdf.First && quads[1].Predicate == rdf.Rest
}
