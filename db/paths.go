package db

import (
	"context"
	"fmt"
	"slices"

	"trails/db/dictionary"
	"trails/db/inline"
	"trails/db/leaf"
	"trails/db/stmt"
	"trails/rdf"
)

// PathLimits bound a search for paths. All of them must be above zero.
type PathLimits struct {
	Steps int // links of the longest path
	Paths int // paths that are returned
	Links int // links that are read, at both ends together
	Node  int // links that are read of a node between the ends, in each direction
}

// PathStep is a statement of a path. Back means that the path goes from its object to its subject.
type PathStep struct {
	Subject, Object rdf.Term
	Predicate       rdf.IRI
	Back            bool
}

// Paths are the paths between two nodes. The zero value is that of nodes which are not there.
type Paths struct {
	// Paths are the shortest first; none goes through a node twice.
	Paths [][]PathStep
	// More means that there are more paths than were asked for, or may be.
	More bool
	// Whole is the length up to which all links were followed: no shorter path is missing but for More.
	Whole int
	// Read is how many links were read.
	Read int
}

// Paths returns the paths between two different nodes along statements of the default graph, in either direction, but
// not by rdf:type. It searches from both ends, always at the one where fewer nodes are to be read, so that it costs
// what it looks at. Paths of the same length are in the order of ids.
func (r *Reader) Paths(ctx context.Context, from, to rdf.Term, limits PathLimits) (Paths, error) {
	ids, ok, err := r.known(ctx, from, to)
	if err != nil || !ok {
		return Paths{Whole: limits.Steps}, r.fail(ctx, "paths", err)
	}
	s := &pathSearch{reader: r, limits: limits, known: map[inline.TermID][]pathLink{}, cutAt: limits.Steps + 1}
	if s.typed, _, err = r.dict.Lookup(rdf.Type); err == nil {
		err = s.search(ctx, ids[0], ids[1])
	}
	return s.out, r.fail(ctx, "paths", err)
}

// pathLink is a link of a node, from the one or to it.
type pathLink struct {
	node, predicate inline.TermID
	back            bool
}

// pathHalf is what was found from one end: for each number of steps the nodes that are so far away by some walk, with
// the links that lead there from the step before.
type pathHalf struct {
	end    inline.TermID
	levels []pathLevel
}

type pathLevel struct {
	order []inline.TermID
	from  map[inline.TermID][]pathLink
}

func (h *pathHalf) last() pathLevel { return h.levels[len(h.levels)-1] }

type pathSearch struct {
	reader *Reader
	limits PathLimits
	typed  inline.TermID // rdf:type
	known  map[inline.TermID][]pathLink
	halves [2]pathHalf
	kept   int // links of all levels
	cutAt  int // the shortest length of which a path may be missing
	out    Paths
}

func (s *pathSearch) search(ctx context.Context, from, to inline.TermID) error {
	for i, end := range []inline.TermID{from, to} {
		s.halves[i] = pathHalf{end, []pathLevel{{order: []inline.TermID{end}}}}
	}
	for length := 1; length <= s.limits.Steps && !s.out.More && !s.spent(); length++ {
		near, far := &s.halves[0], &s.halves[1]
		if len(far.last().order) < len(near.last().order) {
			near, far = far, near
		}
		if err := s.extend(ctx, near, far.end, length); err != nil {
			return err
		}
		if err := s.meet(); err != nil {
			return err
		}
		if len(near.last().order) == 0 {
			break
		}
	}
	s.out.Whole = s.cutAt - 1
	return nil
}

// spent reports that as many links were read, or followed again, as may be.
func (s *pathSearch) spent() bool { return max(s.kept, s.out.Read) >= s.limits.Links }

// extend goes one step further from an end; a path does not go on behind the other one.
func (s *pathSearch) extend(ctx context.Context, h *pathHalf, other inline.TermID, length int) error {
	next := pathLevel{from: map[inline.TermID][]pathLink{}}
	for _, node := range h.last().order {
		if node == other {
			continue
		}
		most := s.limits.Links
		if node != h.end {
			most = s.limits.Node
		}
		links, cut, err := s.links(ctx, node, most)
		if err != nil {
			return err
		}
		if cut {
			s.cutAt = min(s.cutAt, length)
		}
		for _, link := range links {
			if link.node == h.end || link.node == node {
				continue
			}
			if next.from[link.node] == nil {
				next.order = append(next.order, link.node)
			}
			next.from[link.node] = append(next.from[link.node], pathLink{node, link.predicate, link.back})
		}
		if s.kept += len(links); s.spent() {
			s.cutAt = min(s.cutAt, length)
			break
		}
	}
	h.levels = append(h.levels, next)
	return nil
}

// kindsOfNodes are the kinds of terms that can have links.
var kindsOfNodes = fmt.Sprintf("%d, %d", dictionary.KindIRI, dictionary.KindBNode)

// The links of a node, and those to it.
var pathLinks = [2]leaf.SQL{
	leaf.Match("l.p, l.o", " CROSS JOIN terms t ON t.id = l.o AND t.kind IN ("+kindsOfNodes+")", [4]bool{posS: true, posG: true}, leaf.SPO).Within("", " LIMIT ?3 + 0"),
	leaf.Match("l.p, l.s", "", [4]bool{posO: true, posG: true}, leaf.OSP).Within("", " LIMIT ?3 + 0"),
}

// links reads the links of a node, up to most in each direction and as many as may be read at all; cut reports that there are
// more, or may be.
func (s *pathSearch) links(ctx context.Context, node inline.TermID, most int) (list []pathLink, cut bool, err error) {
	if list, known := s.known[node]; known {
		return list, false, nil
	}
	for i, sql := range pathLinks {
		limit, n := min(most, s.limits.Links-s.out.Read), 0
		err := s.reader.rows(ctx, s.reader.conn.text(sql), func(row *stmt.Stmt) (bool, error) {
			n++
			if p := row.ID(0); p != s.typed {
				list = append(list, pathLink{row.ID(1), p, i == 1})
			}
			return true, nil
		}, node, inline.TermID(defaultGraph), limit)
		if err != nil {
			return nil, false, err
		}
		s.out.Read += n
		cut = cut || n == limit
	}
	s.known[node] = list
	return list, cut, nil
}

// meet adds the paths through the nodes that both ends have reached.
func (s *pathSearch) meet() error {
	near, far := s.halves[0].last(), s.halves[1].last()
	nodes, other := near, far
	if len(far.order) < len(near.order) {
		nodes, other = far, near
	}
	for _, node := range nodes.order {
		if other.from[node] == nil && !(len(other.order) == 1 && other.order[0] == node) {
			continue
		}
		var err error
		s.walks(&s.halves[0], node, nil, func(first []pathLink) bool {
			// first leads back from the node to the beginning.
			return s.walks(&s.halves[1], node, nil, func(second []pathLink) bool {
				err = s.add(node, first, second)
				return err == nil && !s.out.More
			})
		})
		if err != nil || s.out.More {
			return err
		}
	}
	return nil
}

// walks calls yield for each way back from a node of the last level of a half to its end, until it returns false.
func (s *pathSearch) walks(h *pathHalf, node inline.TermID, done []pathLink, yield func([]pathLink) bool) bool {
	level := len(h.levels) - 1 - len(done)
	if level == 0 {
		return yield(done)
	}
	for _, link := range h.levels[level].from[node] {
		if !s.walks(h, link.node, append(done, link), yield) {
			return false
		}
	}
	return true
}

// add adds the path that leads from the node back to the beginning by first, and to the end by second, unless it goes
// through a node twice.
func (s *pathSearch) add(node inline.TermID, first, second []pathLink) error {
	seen := []inline.TermID{node}
	for _, link := range slices.Concat(first, second) {
		if slices.Contains(seen, link.node) {
			return nil
		}
		seen = append(seen, link.node)
	}
	if len(s.out.Paths) == s.limits.Paths {
		s.out.More = true
		return nil
	}
	var path []PathStep
	at := node
	for _, link := range first {
		step, err := s.step(link.node, at, link.predicate, link.back)
		if err != nil {
			return err
		}
		path, at = append(path, step), link.node
	}
	slices.Reverse(path)
	at = node
	for _, link := range second {
		step, err := s.step(at, link.node, link.predicate, !link.back)
		if err != nil {
			return err
		}
		path, at = append(path, step), link.node
	}
	s.out.Paths = append(s.out.Paths, path)
	return nil
}

// step is a step from one node to the next.
func (s *pathSearch) step(from, to, predicate inline.TermID, back bool) (step PathStep, err error) {
	if back {
		from, to = to, from
	}
	terms, err := s.reader.terms([]inline.TermID{from, predicate, to})
	if err != nil {
		return step, err
	}
	step = PathStep{Subject: terms[0], Object: terms[2], Back: back}
	step.Predicate, _ = terms[1].(rdf.IRI)
	return step, nil
}
