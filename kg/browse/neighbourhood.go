package browse

import (
	"context"

	"trails/rdf"
)

// Direction says which links a neighbourhood follows.
type Direction string

// The directions.
const (
	Both Direction = "both"
	Out  Direction = "out"
	In   Direction = "in"
)

// Bounds of a neighbourhood beside its number of nodes.
const (
	edgesPerNode = 5
	fewestLinks  = 200 // whose number decides how many links of a node are read, if fewer nodes are wanted
	// Read of each node to find links between those that are shown, and of all of them for each that may be shown.
	closingOfNode = 1_000
	closingOfAll  = 100
)

// Neighbourhood is a part of the graph around a node.
type Neighbourhood struct {
	// Nodes are in the order in which they were reached, the root first.
	Nodes []Neighbour
	// Edges are those between the nodes.
	Edges []Edge
	// Truncated means that not everything in reach is there, or may not be.
	Truncated bool
}

// Neighbour is a node and how many links away it is.
type Neighbour struct {
	Described
	Depth int
}

// Edge is a link by a property.
type Edge struct {
	From, To rdf.Term
	Property string
}

// Neighbourhood walks from a node along its links, breadth first, to a depth, until
// there are limit nodes.
func (s *Reader) Neighbourhood(ctx context.Context, root Described, direction Direction, depth, limit int) (Neighbourhood, error) {
	w := walk{Reader: s, direction: direction, limit: limit, depth: map[rdf.Term]int{}, edges: map[edgeKey]bool{}}
	w.reach(root.Term, 0)
	expanded := 0
	for ; expanded < len(w.order) && w.depth[w.order[expanded]] < depth; expanded++ {
		if len(w.order) == limit { // further links are not shown; those between shown nodes are added below
			w.out.Truncated = true
			break
		}
		if err := w.expand(ctx, w.order[expanded]); err != nil {
			return w.out, err
		}
	}
	if direction == In {
		expanded = 0
	}
	if err := w.close(ctx, w.order[expanded:]); err != nil {
		return w.out, err
	}
	described, err := s.DescribeAll(ctx, w.order)
	if err != nil {
		return w.out, err
	}
	for _, d := range described {
		w.out.Nodes = append(w.out.Nodes, Neighbour{d, w.depth[d.Term]})
	}
	return w.out, w.name(ctx)
}

type edgeKey struct {
	from, to  rdf.Term
	predicate rdf.IRI
}

type walk struct {
	*Reader
	direction Direction
	limit     int
	order     []rdf.Term
	depth     map[rdf.Term]int
	found     []edgeKey
	edges     map[edgeKey]bool
	out       Neighbourhood
}

// reach adds a node, unless there are enough; it returns false if the node is not shown.
func (w *walk) reach(node rdf.Term, depth int) bool {
	if _, ok := w.depth[node]; ok {
		return true
	}
	if len(w.order) == w.limit {
		w.out.Truncated = true
		return false
	}
	w.order, w.depth[node] = append(w.order, node), depth
	return true
}

func (w *walk) expand(ctx context.Context, node rdf.Term) error {
	if w.direction != In {
		if err := w.follow(ctx, node, false); err != nil {
			return err
		}
	}
	if w.direction == Out {
		return nil
	}
	return w.follow(ctx, node, true)
}

// link is a statement between two nodes, seen from one of them.
type link struct {
	predicate rdf.IRI
	node      rdf.Term
}

// links returns the links of a node, or those to it, rdf:type apart, limit at most.
func (w *walk) links(ctx context.Context, node rdf.Term, backwards bool, limit int) (list []link, err error) {
	pattern := rdf.Quad{Subject: node, Label: rdf.DefaultGraph}
	if backwards {
		pattern = rdf.Quad{Object: node, Label: rdf.DefaultGraph}
	}
	for q, err := range w.source.Match(ctx, pattern) {
		if err != nil {
			return nil, err
		}
		other := q.Object
		if backwards {
			other = q.Subject
		}
		if q.Predicate == rdf.Type || rdf.IsLiteral(other) {
			continue
		}
		predicate, _ := q.Predicate.(rdf.IRI)
		if list = append(list, link{predicate, other}); len(list) == limit {
			break
		}
	}
	return list, nil
}

// follow reads one node's links in one direction. Reading twice the maximum number of nodes suffices to know that
// there are too many.
func (w *walk) follow(ctx context.Context, node rdf.Term, backwards bool) error {
	most := 2 * max(w.limit, fewestLinks)
	links, err := w.links(ctx, node, backwards, most)
	if err != nil {
		return err
	}
	w.out.Truncated = w.out.Truncated || len(links) == most
	for _, link := range links {
		if !w.reach(link.node, w.depth[node]+1) {
			continue
		}
		e := edgeKey{node, link.node, link.predicate}
		if backwards {
			e.from, e.to = e.to, e.from
		}
		w.edge(e)
	}
	return nil
}

func (w *walk) edge(e edgeKey) {
	if w.edges[e] {
		return
	}
	if len(w.found) == edgesPerNode*w.limit {
		w.out.Truncated = true
		return
	}
	w.edges[e] = true
	w.found = append(w.found, e)
}

// close adds the links between shown nodes that the walk did not follow: those of the outermost nodes, and those
// against its direction. Each link leaves one of its ends.
func (w *walk) close(ctx context.Context, nodes []rdf.Term) error {
	links, whole, err := w.source.LinksBetween(ctx, nodes, w.order, closingOfNode, closingOfAll*max(w.limit, fewestLinks))
	for _, l := range links {
		w.edge(edgeKey{l.From, l.To, l.Predicate})
	}
	w.out.Truncated = w.out.Truncated || !whole
	return err
}

func (w *walk) name(ctx context.Context) error {
	for _, e := range w.found {
		from, err := w.Describe(ctx, e.from)
		if err != nil {
			return err
		}
		w.out.Edges = append(w.out.Edges, Edge{e.from, e.to, w.PropertyName(from.Type, e.predicate)})
	}
	return nil
}
