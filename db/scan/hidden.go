package scan

import "sync/atomic"

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
// columns, as many as are given, in common.
func (h *Hidden) leave(l *layout, page []byte, at []uint16, predicate, given int) ([]uint16, error) {
	for i := range l.key {
		if len(at) == 0 || i == predicate && len(h.Predicates) == 0 {
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
		var err error
		if at, err = h.leaveNodes(*c, page, at); err != nil {
			return nil, err
		}
	}
	return at, nil
}

// leaveNodes does the same for one column of nodes.
func (h *Hidden) leaveNodes(c column, page []byte, at []uint16) (_ []uint16, err error) {
	n, last, hidden := 0, int64(0), false // the node 0, which is the default graph, is never hidden
	for _, offset := range at {
		if id := c.of(page[offset:]); id != last {
			var known bool
			if hidden, known = h.Nodes.IsHidden(id); !known {
				if hidden, err = h.Decide(id); err != nil {
					return nil, err
				}
			}
			last = id
		}
		at[n] = offset
		if !hidden { // a condition of the store as well would be one that the processor guesses wrong
			n++
		}
	}
	return at[:n], nil
}

// Nodes are decisions about nodes: whether each is hidden. The zero Nodes has none. It is safe for concurrent use.
type Nodes struct {
	// pages have two bits for each node: whether it was decided, and whether it is hidden.
	pages [MostNodes / nodesOfPage]atomic.Pointer[nodesPage]
	made  atomic.Int64 // number of pages
}

const (
	// MostNodes bounds the ids of nodes for which decisions are kept.
	MostNodes   = 1 << 26
	nodesOfPage = 1 << 14
	nodesOfWord = 32
)

type nodesPage [nodesOfPage / nodesOfWord]atomic.Uint64

// IsHidden returns the decision about a node. Inlined values and the default graph are never hidden.
func (n *Nodes) IsHidden(id int64) (hidden, known bool) {
	if uint64(id-1) >= MostNodes-1 {
		return false, id <= 0
	}
	page := n.pages[id/nodesOfPage].Load()
	if page == nil {
		return false, false
	}
	bits := page[id%nodesOfPage/nodesOfWord].Load() >> (2 * (id % nodesOfWord))
	return bits&2 != 0, bits&1 != 0
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
	bits := uint64(1)
	if hidden {
		bits = 3
	}
	at.Load()[id%nodesOfPage/nodesOfWord].Or(bits << (2 * (id % nodesOfWord)))
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
