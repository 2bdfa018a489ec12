package change

import (
	"encoding/binary"
	"slices"

	"trails/rdf"
)

// Delta is one quad that a change adds or removes.
type Delta struct {
	Added bool
	Quad  rdf.Quad
}

// Failure is a requirement that did not hold.
type Failure struct {
	// Edit is the one that failed: a Fresh whose subject existed before, a Once that is not the first, or a Require
	// that found nothing.
	Edit Edit
	// First is where the subject of a Once was given first.
	First Source
}

// Net returns the effect of the group on a subject whose quads are before, in the canonical order of the quads, and
// the requirements that did not hold.
func (g *Group) Net(before []rdf.Quad) ([]Delta, []Failure) {
	if asserts, ok := g.onlyAsserts(); ok && len(before) == 0 {
		return asserted(asserts), nil
	}
	m := merging{before: setOf(before), after: setOf(before)}
	for _, e := range g.Edits {
		m.apply(e, g.Edits)
	}
	return m.deltas(), m.failures
}

// Need is a pattern of quads that [Group.Net] depends on.
type Need struct {
	Pattern rdf.Quad
	// One means that any one matching quad is enough.
	One bool
}

// Needs returns the quads of a subject on which the result of Net depends: Net gives the same result for these as for
// all.
func (g *Group) Needs() []Need {
	var out []Need
	for _, e := range g.Edits {
		n := Need{Pattern: e.Quad, One: e.Op == Fresh}
		if e.Op == Once {
			continue
		}
		if !e.Op.hasPredicate() {
			n.Pattern.Predicate = nil
		}
		if !e.Op.hasObject() || e.Op == Default {
			n.Pattern.Object = nil
		}
		if n.Pattern.Label == nil {
			n.Pattern.Label = rdf.DefaultGraph
		}
		out = append(out, n)
	}
	return out
}

// onlyAsserts returns the edits that have an effect on a new subject; ok is false if there are none, or if one of
// them is not an Assert.
func (g *Group) onlyAsserts() (asserts []Edit, ok bool) {
	for i, e := range g.Edits {
		switch e.Op {
		case Fresh, Erase, Clear, Retract:
		case Assert:
			return g.Edits[i:], g.Edits[len(g.Edits)-1].Op == Assert
		default:
			return nil, false
		}
	}
	return nil, false
}

// asserted is Net for a new subject; the edits are in canonical order already.
func asserted(edits []Edit) []Delta {
	out := make([]Delta, len(edits))
	for i, e := range edits {
		out[i] = Delta{Added: true, Quad: e.Quad}
	}
	return out
}

type quadSet map[rdf.Quad]struct{}

func setOf(quads []rdf.Quad) quadSet {
	s := make(quadSet, len(quads))
	for _, q := range quads {
		s[q] = struct{}{}
	}
	return s
}

func (s quadSet) has(q rdf.Quad) bool { _, ok := s[q]; return ok }

// matches reports whether the set has a quad that fits; a nil predicate fits all.
func (s quadSet) matches(predicate, label rdf.Term) bool {
	for q := range s {
		if q.Label == label && (predicate == nil || q.Predicate == predicate) {
			return true
		}
	}
	return false
}

func (s quadSet) remove(predicate, label rdf.Term) {
	for q := range s {
		if q.Label == label && (predicate == nil || q.Predicate == predicate) {
			delete(s, q)
		}
	}
}

// merging computes the quads of one subject after the change.
type merging struct {
	before, after quadSet
	once          *Edit // the first Once of the current graph
	failures      []Failure
}

func (m *merging) apply(e Edit, all []Edit) {
	switch e.Op {
	case Fresh:
		if m.before.matches(nil, e.Quad.Label) {
			m.failures = append(m.failures, Failure{Edit: e})
		}
	case Once:
		if first := m.once; first != nil && first.Quad.Label == e.Quad.Label {
			m.failures = append(m.failures, Failure{Edit: e, First: first.Source})
		} else {
			m.once = &e
		}
	case Require:
		if !m.before.has(e.Quad) && !asserts(all, e.Quad) {
			m.failures = append(m.failures, Failure{Edit: e})
		}
	case Erase:
		m.after.remove(nil, e.Quad.Label)
	case Clear:
		m.after.remove(e.Quad.Predicate, e.Quad.Label)
	case Retract:
		delete(m.after, e.Quad)
	case Assert:
		m.after[e.Quad] = struct{}{}
	case Default:
		if !m.after.matches(e.Quad.Predicate, e.Quad.Label) {
			m.after[e.Quad] = struct{}{}
		}
	}
}

func asserts(edits []Edit, q rdf.Quad) bool {
	return slices.ContainsFunc(edits, func(e Edit) bool { return e.Op == Assert && e.Quad == q })
}

func (m *merging) deltas() []Delta {
	var out []Delta
	for q := range m.before {
		if !m.after.has(q) {
			out = append(out, Delta{Quad: q})
		}
	}
	for q := range m.after {
		if !m.before.has(q) {
			out = append(out, Delta{Added: true, Quad: q})
		}
	}
	if len(out) < 2 {
		return out
	}
	texts := make([]string, len(out)) // each with its index at the end
	var text []byte
	for i, d := range out {
		text = binary.BigEndian.AppendUint32(rdf.AppendQuad(text[:0], d.Quad), uint32(i))
		texts[i] = string(text)
	}
	slices.Sort(texts)
	sorted := make([]Delta, len(out))
	for i, text := range texts {
		sorted[i] = out[binary.BigEndian.Uint32([]byte(text[len(text)-4:]))]
	}
	return sorted
}
