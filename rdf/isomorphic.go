package rdf

import (
	"encoding/binary"
	"hash/fnv"
	"slices"

	"github.com/cayleygraph/quad"
)

// Isomorphic reports whether two datasets are the same but for the labels of their blank nodes (RDF 1.1 Concepts
// section 3.6, with one mapping for all graphs). Repeated quads count once. It refines colors of blank nodes by their
// neighbours until nothing changes, and tries the remaining choices: many similar blank nodes take long.
func Isomorphic(a, b []Quad) bool { return isomorphic(a, b, nil) }

// IsomorphicWithin is [Isomorphic] with a bound on the steps, each of which examines one quad: false may also mean
// that the bound was reached.
func IsomorphicWithin(a, b []Quad, steps int) bool { return isomorphic(a, b, &steps) }

func isomorphic(a, b []Quad, steps *int) bool {
	a, b = distinct(a), distinct(b)
	if len(a) != len(b) {
		return false
	}
	x, y := newColoring(a, steps), newColoring(b, steps)
	return len(x.color) == len(y.color) && match(x, y)
}

// distinct returns the quads without repeats.
func distinct(quads []Quad) []Quad {
	seen := make(map[Quad]bool, len(quads))
	out := make([]Quad, 0, len(quads))
	for _, q := range quads {
		if !seen[q] {
			seen[q] = true
			out = append(out, q)
		}
	}
	return out
}

// coloring assigns colors to blank nodes; nodes of different colors cannot correspond.
type coloring struct {
	quads []Quad
	color map[BNode]uint64
	about map[BNode][]Quad
	steps *int // remaining steps for all comparisons; nil is unlimited
}

func newColoring(quads []Quad, steps *int) *coloring {
	c := uncolored(quads, steps)
	c.refine()
	return c
}

func positions(q Quad) [4]Term { return [4]Term{q.Subject, q.Predicate, q.Object, q.Label} }

// refine mixes in the neighbours' colors until the number of colors stays the same.
func (c *coloring) refine() {
	for n := c.colors(); c.may(len(c.quads)); {
		c.step()
		m := c.colors()
		if m == n {
			return
		}
		n = m
	}
}

// may uses steps, and reports whether there were enough.
func (c *coloring) may(steps int) bool {
	if c.steps != nil {
		*c.steps -= steps
	}
	return !c.tired()
}

func (c *coloring) tired() bool { return c.steps != nil && *c.steps < 0 }

func (c *coloring) colors() int {
	seen := map[uint64]bool{}
	for _, color := range c.color {
		seen[color] = true
	}
	return len(seen)
}

// mixed hashes a node's color with its quads, in which the node itself is marked.
func (c *coloring) mixed(b BNode) uint64 {
	around := make([]uint64, 0, len(c.about[b]))
	for _, q := range c.about[b] {
		around = append(around, c.hash(q, b))
	}
	slices.Sort(around)
	h := fnv.New64a()
	_ = binary.Write(h, binary.LittleEndian, c.color[b]) // a hash takes everything
	_ = binary.Write(h, binary.LittleEndian, around)
	return h.Sum64()
}

func (c *coloring) hash(q Quad, self BNode) uint64 {
	h := fnv.New64a()
	var text []byte
	for _, t := range positions(q) {
		text = text[:0]
		switch b, ok := t.(quad.BNode); {
		case !ok:
			text = AppendTerm(text, t)
		case b == self:
			text = append(text, "_:self"...)
		default:
			text = binary.LittleEndian.AppendUint64(append(text, "_:"...), c.color[b])
		}
		_, _ = h.Write(append(text, 0)) // a hash takes everything
	}
	return h.Sum64()
}

// byColor groups nodes; a group's order is that of labels.
func (c *coloring) byColor() map[uint64][]BNode {
	groups := map[uint64][]BNode{}
	for b, color := range c.color {
		groups[color] = append(groups[color], b)
	}
	for _, group := range groups {
		slices.Sort(group)
	}
	return groups
}

// match reports whether nodes of the same color can correspond. If a color has several nodes, it gives one of x a new
// color, and tries each of y.
func match(x, y *coloring) bool {
	if x.tired() {
		return false
	}
	in, out := x.byColor(), y.byColor()
	var color uint64
	for c, group := range in {
		if len(out[c]) != len(group) {
			return false
		}
		if len(group) > 1 && (color == 0 || len(group) < len(in[color]) || len(group) == len(in[color]) && c < color) {
			color = c
		}
	}
	if len(in) != len(out) {
		return false
	}
	if color == 0 {
		name := make(map[BNode]BNode, len(in))
		for color, group := range in {
			name[group[0]] = out[color][0]
		}
		there := make(map[Quad]bool, len(y.quads))
		for _, q := range y.quads {
			there[q] = true
		}
		for _, q := range x.quads {
			if !there[renamed(q, name)] {
				return false
			}
		}
		return true
	}
	one := x.mark(in[color][0])
	for _, candidate := range out[color] {
		if x.tired() {
			return false
		}
		if match(one, y.mark(candidate)) {
			return true
		}
	}
	return false
}

// mark returns a coloring in which b has its own color.
func (c *coloring) mark(b BNode) *coloring {
	marked := &coloring{quads: c.quads, steps: c.steps, color: make(map[BNode]uint64, len(c.color)), about: c.about}
	for node, color := range c.color {
		marked.color[node] = color
	}
	marked.color[b] ^= 0x9E3779B97F4A7C15
	marked.refine()
	return marked
}

func renamed(q Quad, name map[BNode]BNode) Quad {
	rename := func(t Term) Term {
		if b, ok := t.(quad.BNode); ok {
			return name[b]
		}
		return t
	}
	return Quad{Subject: rename(q.Subject), Predicate: rename(q.Predicate), Object: rename(q.Object), Label: rename(q.Label)}
}
