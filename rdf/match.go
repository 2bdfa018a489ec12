package rdf

import (
	"cmp"
	"hash/fnv"
	"maps"
	"slices"
	"sort"

	"github.com/cayleygraph/quad"
)

// MatchBlank finds corresponding blank nodes of two lists of statements, so that few statements differ when these are
// named alike: first nodes with the same label, then those whose surroundings are unique, at the greatest depth
// first, then those with most in common. The correspondence is one to one. It is bounded in steps, each of which
// examines one quad; nodes not found by then have no partner. Any result is valid: it only affects how many
// statements differ.
func MatchBlank(given, there []Quad, steps int) map[BNode]BNode {
	p := &pairing{x: uncolored(distinct(given), &steps), y: uncolored(distinct(there), &steps), to: map[BNode]BNode{}, from: map[BNode]BNode{}}
	for b := range p.x.color {
		if _, same := p.y.color[b]; same {
			p.pair(b, b)
		}
	}
	for len(p.to) < min(len(p.x.color), len(p.y.color)) && !p.x.tired() {
		if !p.byColors() && !p.byOverlap() {
			break
		}
	}
	return p.to
}

// uncolored is a coloring in which all nodes are equal.
func uncolored(quads []Quad, steps *int) *coloring {
	c := &coloring{quads: quads, steps: steps, color: map[BNode]uint64{}, about: map[BNode][]Quad{}}
	for _, q := range quads {
		terms := positions(q)
		for i, t := range terms {
			if b, ok := t.(quad.BNode); ok && !slices.Contains(terms[:i], t) {
				c.color[b] = 1
				c.about[b] = append(c.about[b], q)
			}
		}
	}
	return c
}

// pairing is the partners found so far.
type pairing struct {
	x, y     *coloring
	to, from map[BNode]BNode // of x in y, and back
}

func (p *pairing) pair(b, partner BNode) { p.to[b], p.from[partner] = partner, b }

// deepest is the greatest distance from a node that its color depends on.
const deepest = 8

// byColors pairs nodes with unique colors, and reports whether there were any. Of equal nodes all are paired if the
// choice has no effect, otherwise the first.
func (p *pairing) byColors() bool {
	for b := range p.x.color {
		p.x.color[b] = colorOf(p.to[b])
	}
	for b := range p.y.color {
		p.y.color[b] = 1
		if _, paired := p.from[b]; paired {
			p.y.color[b] = colorOf(b)
		}
	}
	var rounds [][2]map[BNode]uint64
	for n := 0; len(rounds) < deepest && p.x.may(len(p.x.quads)+len(p.y.quads)); {
		p.x.step()
		p.y.step()
		rounds = append(rounds, [2]map[BNode]uint64{p.x.color, p.y.color})
		m := p.x.colors() + p.y.colors()
		if m == n {
			break
		}
		n = m
	}
	found := false
	for i := len(rounds) - 1; i >= 0; i-- {
		xs, ys := unpaired(rounds[i][0], p.to), unpaired(rounds[i][1], p.from)
		for color, own := range xs {
			if others := ys[color]; len(own) == 1 && len(others) == 1 {
				p.pair(own[0], others[0])
				found = true
			}
		}
	}
	if found || len(rounds) == 0 {
		return found
	}
	last := rounds[len(rounds)-1]
	xs, ys := unpaired(last[0], p.to), unpaired(last[1], p.from)
	for _, color := range slices.Sorted(maps.Keys(xs)) {
		own, others := xs[color], ys[color]
		if len(others) == 0 {
			continue
		}
		if p.leans(own[0]) {
			p.pair(own[0], others[0])
			return true
		}
		for i := range min(len(own), len(others)) {
			p.pair(own[i], others[i])
		}
		found = true
	}
	return found
}

// colorOf is the color of a node with a partner, by their common label; 1 for others.
func colorOf(label BNode) uint64 {
	if label == "" {
		return 1
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(label)) // a hash takes everything
	return h.Sum64() | 2
}

// step mixes in the neighbours' colors once.
func (c *coloring) step() {
	next := make(map[BNode]uint64, len(c.color))
	for b := range c.color {
		next[b] = c.mixed(b)
	}
	c.color = next
}

// unpaired groups the nodes without a partner by color, each group sorted by label.
func unpaired(color map[BNode]uint64, partners map[BNode]BNode) map[uint64][]BNode {
	groups := map[uint64][]BNode{}
	for b, c := range color {
		if _, paired := partners[b]; !paired {
			groups[c] = append(groups[c], b)
		}
	}
	for _, group := range groups {
		slices.Sort(group)
	}
	return groups
}

// leans reports whether a statement about a node of x refers to another node without a partner.
func (p *pairing) leans(b BNode) bool {
	for _, q := range p.x.about[b] {
		for _, t := range positions(q) {
			if other, ok := t.(quad.BNode); ok && other != b {
				if _, paired := p.to[other]; !paired {
					return true
				}
			}
		}
	}
	return false
}

// maxSharing is how many nodes may have a statement that is used for finding partners.
const maxSharing = 64

// byOverlap pairs nodes each of which has most in common with the other.
func (p *pairing) byOverlap() bool {
	if !p.x.may(len(p.x.quads) + len(p.y.quads)) {
		return false
	}
	having := map[string][]BNode{}
	for b, quads := range p.y.about {
		if _, paired := p.from[b]; !paired {
			for _, q := range quads {
				key := keyOf(q, b, p.from, false)
				having[key] = append(having[key], b)
			}
		}
	}
	type candidate struct {
		b, partner BNode
		common     int
	}
	var candidates []candidate
	for b, quads := range p.x.about {
		if _, paired := p.to[b]; paired {
			continue
		}
		common := map[BNode]int{}
		for _, q := range quads {
			others := having[keyOf(q, b, p.to, true)]
			if len(others) > maxSharing {
				continue
			}
			p.x.may(len(others))
			for _, other := range others {
				common[other]++
			}
		}
		for other, n := range common {
			candidates = append(candidates, candidate{b, other, n})
		}
	}
	sort.SliceStable(candidates, func(i, j int) bool {
		a, b := candidates[i], candidates[j]
		return cmp.Or(cmp.Compare(b.common, a.common), cmp.Compare(a.b, b.b), cmp.Compare(a.partner, b.partner)) < 0
	})
	found := false
	seen := map[BNode]bool{} // whose best candidate has been reached
	seenThere := map[BNode]bool{}
	for _, c := range candidates {
		if !seen[c.b] && !seenThere[c.partner] {
			p.pair(c.b, c.partner)
			found = true
		}
		seen[c.b], seenThere[c.partner] = true, true
	}
	return found
}

// keyOf is a statement from the point of view of a node: other blank nodes are named after their partners in y, and
// all equal without one.
func keyOf(q Quad, self BNode, partners map[BNode]BNode, given bool) string {
	var text []byte
	for _, t := range positions(q) {
		b, ok := t.(quad.BNode)
		partner, paired := partners[b]
		switch {
		case !ok:
			text = AppendTerm(text, t)
		case b == self:
			text = append(text, "_:.self"...)
		case !paired:
			text = append(text, "_:.any"...)
		case given:
			text = AppendTerm(text, partner)
		default:
			text = AppendTerm(text, b)
		}
		text = append(text, 0)
	}
	return string(text)
}
