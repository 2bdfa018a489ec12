package scan

import (
	"encoding/binary"
	"sync/atomic"
)

// Hidden says which statements the reader of a view may not see: those of hidden predicates, and those that have a hidden
// node as subject, object or graph.
type Hidden struct {
	Predicates map[int64]bool
	// Nodes are the decisions that were made, and Decide makes one that is missing.
	Nodes  *Nodes
	Decide func(node int64) (hidden bool, err error)
}

// Node reports whether a node may not be seen.
func (h *Hidden) Node(id int64) (hidden bool, err error) {
	if hidden, known := h.Nodes.IsHidden(id); known {
		return hidden, nil
	}
	return h.Decide(id)
}

// Column reports whether a statement may not be seen because of one of its columns, which is that of the predicate or not.
func (h *Hidden) column(id int64, predicate bool) (hidden bool, err error) {
	if predicate {
		return h.Predicates[id], nil
	}
	return h.Node(id)
}

// row reports whether a statement may not be seen; predicate is the column of its predicate.
func (h *Hidden) row(columns *[4]int64, predicate int) (hidden bool, err error) {
	for i, id := range columns {
		if hidden, err = h.column(id, i == predicate); err != nil || hidden {
			return hidden, err
		}
	}
	return false, nil
}

// leave moves the offsets of rows of a page that may be seen to the front. All rows have the same layout, and the first
// columns, as many as are given, in common. Of a column that is seen it is known already.
func (h *Hidden) leave(l *layout, page []byte, at []uint16, predicate, given int, seen [4]bool) ([]uint16, error) {
	for i := range l.key {
		if len(at) == 0 || seen[i] || i == predicate && len(h.Predicates) == 0 {
			continue
		}
		c := &l.key[i]
		if i < given || c.bits == 0 { // all rows have this value
			if hidden, err := h.column(c.of(page[at[0]:]), i == predicate); err != nil || hidden {
				return nil, err
			}
			continue
		}
		if i == predicate {
			at = keep(at, func(row []byte) bool { return !h.Predicates[c.of(row)] }, page)
			continue
		}
		leave := h.leaveNodes
		if i == given { // the rows are sorted by it
			leave = h.leaveRuns
		}
		var err error
		if at, err = leave(*c, page, at); err != nil {
			return nil, err
		}
	}
	return at, nil
}

// leaveNodes does the same for one column of nodes.
func (h *Hidden) leaveNodes(c column, page []byte, at []uint16) ([]uint16, error) {
	n, bytes, shift := 0, page[c.at:], c.shift&63
	for _, offset := range at {
		id := int64(binary.BigEndian.Uint64(bytes[offset:])) >> shift
		bits := h.Nodes.bits(id)
		if bits == 0 && id > 0 { // inlined values and the default graph, 0, are never hidden
			var err error
			if bits, err = h.decide(id); err != nil {
				return nil, err
			}
		}
		at[n] = offset
		n += 1 - int(bits/hiding) // a condition would be one that the processor guesses wrong
	}
	return at[:n], nil
}

// leaveRuns does the same for a column by which the rows are sorted: mostly all rows have the same node, or each another one.
func (h *Hidden) leaveRuns(c column, page []byte, at []uint16) ([]uint16, error) {
	n, bytes, shift := 0, page[c.at:], c.shift&63
	last, seen := int64(0), 1
	for _, offset := range at {
		if id := int64(binary.BigEndian.Uint64(bytes[offset:])) >> shift; id != last {
			bits := h.Nodes.bits(id)
			if bits == 0 && id > 0 {
				var err error
				if bits, err = h.decide(id); err != nil {
					return nil, err
				}
			}
			last, seen = id, 1-int(bits/hiding)
		}
		at[n] = offset
		n += seen
	}
	return at[:n], nil
}

// decide returns the bits of a node for which there are none yet.
func (h *Hidden) decide(id int64) (bits uint64, err error) {
	hidden, err := h.Node(id)
	if bits = decided; hidden {
		bits |= hiding
	}
	return bits, err
}

// Nodes are decisions about nodes: whether each is hidden. The zero Nodes has none. It is safe for concurrent use.
type Nodes struct {
	// pages have two bits for each node: whether it was decided, and whether it is hidden.
	pages [MostNodes / nodesOfPage]atomic.Pointer[nodesPage]
	made  atomic.Int64 // number of pages
}

const (
	decided, hiding = 1, 2 // the bits of a node

	// MostNodes bounds the ids of nodes for which decisions are kept.
	MostNodes   = 1 << 26
	nodesOfPage = 1 << 14
	nodesOfWord = 32
)

type nodesPage [nodesOfPage / nodesOfWord]atomic.Uint64

// IsHidden returns the decision about a node. Inlined values and the default graph are never hidden.
func (n *Nodes) IsHidden(id int64) (hidden, known bool) {
	bits := n.bits(id)
	return bits&hiding != 0, bits&decided != 0 || id <= 0
}

// bits returns the two bits of a node.
func (n *Nodes) bits(id int64) uint64 {
	at := uint64(id)
	if at >= MostNodes {
		return 0
	}
	page := n.pages[at/nodesOfPage].Load()
	if page == nil {
		return 0
	}
	return page[at%nodesOfPage/nodesOfWord].Load() >> (2 * (at % nodesOfWord)) & (decided | hiding)
}

// IsVisible reports whether it was decided that a node is not hidden.
func (n *Nodes) IsVisible(id int64) bool {
	hidden, known := n.IsHidden(id)
	return known && !hidden
}

// Keep keeps the decision about a node, which must not change any more.
func (n *Nodes) Keep(id int64, hidden bool) {
	if id <= 0 || id >= MostNodes {
		return
	}
	at := &n.pages[id/nodesOfPage]
	if at.Load() == nil && at.CompareAndSwap(nil, new(nodesPage)) {
		n.made.Add(1)
	}
	bits := uint64(decided)
	if hidden {
		bits |= hiding
	}
	at.Load()[id%nodesOfPage/nodesOfWord].Or(bits << (2 * (id % nodesOfWord)))
}

// Forget forgets the decision about a node. Nobody else may use them yet.
func (n *Nodes) Forget(id int64) {
	if id <= 0 || id >= MostNodes {
		return
	}
	if page := n.pages[id/nodesOfPage].Load(); page != nil {
		page[id%nodesOfPage/nodesOfWord].And(^(uint64(decided|hiding) << (2 * (id % nodesOfWord))))
	}
}

// CopyTo keeps all decisions in other Nodes, too.
func (n *Nodes) CopyTo(other *Nodes) {
	for i := range n.pages {
		page := n.pages[i].Load()
		if page == nil {
			continue
		}
		to := new(nodesPage)
		for k := range page {
			to[k].Store(page[k].Load())
		}
		other.pages[i].Store(to)
		other.made.Add(1)
	}
}

// Bytes is how much memory the decisions take.
func (n *Nodes) Bytes() int64 { return int64(len(n.pages))*8 + n.made.Load()*nodesOfPage/4 }
