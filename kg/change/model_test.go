package change_test

import (
	"bytes"
	"slices"

	"trails/kg/change"
	"trails/rdf"
)

// model is the plain reading of the ops: a set of quads, and what each op's
// comment says of it, without spools, groups or merges.
type model struct {
	before, after map[rdf.Quad]bool
	failures      map[change.Edit]int // without sources: how often each fails
}

func apply(before []rdf.Quad, edits []change.Edit) model {
	m := model{map[rdf.Quad]bool{}, map[rdf.Quad]bool{}, map[change.Edit]int{}}
	for _, q := range before {
		m.before[q], m.after[q] = true, true
	}
	asserted := map[rdf.Quad]bool{}
	for _, e := range edits {
		if e.Op == change.Assert {
			asserted[e.Quad] = true
		}
	}
	for _, e := range inOrder(edits) {
		m.apply(e, asserted)
	}
	m.countOnces(edits)
	return m
}

// countOnces lets every Once fail but the first of its subject and graph.
func (m model) countOnces(edits []change.Edit) {
	said := map[change.Edit]bool{}
	for _, e := range edits {
		if e.Op != change.Once {
			continue
		}
		if said[used(e)] {
			m.failures[used(e)]++
		}
		said[used(e)] = true
	}
}

// inOrder sorts by op and then by the quad's text, which decides between defaults.
func inOrder(edits []change.Edit) []change.Edit {
	return slices.SortedStableFunc(slices.Values(edits), func(a, b change.Edit) int {
		if a.Op != b.Op {
			return int(a.Op) - int(b.Op)
		}
		return bytes.Compare(rdf.AppendQuad(nil, a.Quad), rdf.AppendQuad(nil, b.Quad))
	})
}

func (m model) apply(e change.Edit, asserted map[rdf.Quad]bool) {
	q := e.Quad
	inGraph := func(o rdf.Quad) bool { return o.Subject == q.Subject && o.Label == q.Label }
	ofPredicate := func(o rdf.Quad) bool { return inGraph(o) && o.Predicate == q.Predicate }
	switch e.Op {
	case change.Once: // see countOnces
	case change.Fresh:
		if any(m.before, inGraph) {
			m.failures[used(e)] = 1
		}
	case change.Require:
		if !m.before[q] && !asserted[q] {
			m.failures[used(e)] = 1
		}
	case change.Erase:
		remove(m.after, inGraph)
	case change.Clear:
		remove(m.after, ofPredicate)
	case change.Retract:
		delete(m.after, q)
	case change.Assert:
		m.after[q] = true
	case change.Default:
		if !any(m.after, ofPredicate) {
			m.after[q] = true
		}
	}
}

// used is an edit without its source and without what its op does not use.
func used(e change.Edit) change.Edit {
	q := rdf.Quad{Subject: e.Quad.Subject, Label: e.Quad.Label}
	switch e.Op {
	case change.Fresh, change.Once, change.Erase:
	case change.Clear:
		q.Predicate = e.Quad.Predicate
	default:
		q = e.Quad
	}
	return change.Edit{Op: e.Op, Quad: q}
}

func any(set map[rdf.Quad]bool, fits func(rdf.Quad) bool) bool {
	for q := range set {
		if fits(q) {
			return true
		}
	}
	return false
}

func remove(set map[rdf.Quad]bool, fits func(rdf.Quad) bool) {
	for q := range set {
		if fits(q) {
			delete(set, q)
		}
	}
}

// deltas are what lies between before and after, in canonical order.
func (m model) deltas() []change.Delta {
	var out []change.Delta
	for q := range m.before {
		if !m.after[q] {
			out = append(out, change.Delta{Quad: q})
		}
	}
	for q := range m.after {
		if !m.before[q] {
			out = append(out, change.Delta{Added: true, Quad: q})
		}
	}
	slices.SortFunc(out, func(a, b change.Delta) int {
		return bytes.Compare(rdf.AppendQuad(nil, a.Quad), rdf.AppendQuad(nil, b.Quad))
	})
	return out
}
