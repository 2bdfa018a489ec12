package db

import (
	"slices"

	"zombiezen.com/go/sqlite"

	"trails/db/inline"
	"trails/db/leaf"
	"trails/db/lower"
	"trails/db/scan"
	"trails/db/stmt"
)

// walk finds all nodes that a transitive path reaches from one node, each once. It reads the links of several nodes
// at a time from the pages, see [scan.Links]. If the pages cannot be used, one statement for each kind of link joins
// live with the virtual table t_ahead, the nodes whose links have not been read: every node that the statement finds
// is appended to t_ahead, so SQLite continues by itself. A walk can be paused at any row.
type walk struct {
	question *question
	many     bool
	start    inline.TermID
	links    []walkLink
	// found are the reached nodes in order of discovery. If there are more than fewFound, seen has them as well; if
	// there are more than manyFound, all has them instead of seen.
	found []inline.TermID
	seen  map[inline.TermID]struct{}
	all   *scan.Set
	// order is the order in which links are read: the start, then the first taken nodes of found. Nodes that are
	// found together are sorted, because neighbours are close to each other in an index.
	order []inline.TermID
	taken int

	now   int // index of the link that stmt reads
	stmt  *stmt.Stmt
	size  int64
	users int
}

// walkLink is one kind of link, and the index in the walk's order up to which it has been read.
type walkLink struct {
	linksKey
	pages *scan.Links // nil if SQL reads the links
	env   *scan.Env   // see [question.linksEnv]
	at    int
}

// linksKey identifies a kind of link, whose pages all walks of the query share.
type linksKey struct {
	predicate, graph inline.TermID
	inverse          bool
}

// walkKey identifies a walk.
type walkKey struct {
	k            int
	start, graph inline.TermID
	backward     bool
}

const (
	walkBytes     = 400  // memory of a walk that found nothing
	nodeBytes     = 40   // memory of a found node, with its place in a map
	bitBytes      = 20   // memory of a found node in a bit set
	fewFound      = 16   // number of nodes up to which a linear search is faster than a map
	manyFound     = 4096 // number of nodes from which a bit set is smaller than a map
	keptWalkBytes = 16 << 20
)

// walkOf returns the walk of a key, possibly an existing one, because the same nodes are often needed again. The
// caller calls leave.
func (q *question) walkOf(key walkKey) (*walk, error) {
	w := q.walks[key]
	if w == nil {
		if q.walked > keptWalkBytes {
			q.forgetWalks()
		}
		var err error
		if w, err = q.newWalk(key); err != nil {
			return nil, err
		}
		if q.walks == nil {
			q.walks = map[walkKey]*walk{}
		}
		q.walks[key] = w
	}
	w.users++
	return w, nil
}

// forgetWalks releases the memory of the walks that nobody uses.
func (q *question) forgetWalks() {
	for key, w := range q.walks {
		if w.users == 0 {
			_ = q.grow(-w.size)
			q.walked -= w.size
			delete(q.walks, key)
		}
	}
}

func (q *question) newWalk(key walkKey) (*walk, error) {
	of := &q.plan.Walks[key.k]
	w := &walk{question: q, many: of.Many, start: key.start, order: []inline.TermID{key.start}}
	for _, link := range of.Steps {
		p, err := q.id(link.Predicate)
		if err != nil {
			return nil, err
		}
		inverse := link.Inverse != key.backward
		kind := linksKey{p, key.graph, inverse}
		w.links = append(w.links, walkLink{linksKey: kind, pages: q.linksOf(kind)})
	}
	if err := w.grow(walkBytes); err != nil {
		return nil, err
	}
	if !of.Zero {
		return w, nil
	}
	there, err := q.mayStay(of, key)
	if err == nil && there {
		_, err = w.add(key.start)
	}
	return w, err
}

// linksOf returns the links of a kind in the pages, nil if SQL must read them.
func (q *question) linksOf(key linksKey) *scan.Links {
	if q.reader.scans() == ScansNever {
		return nil
	}
	if l := q.links[key]; l != nil {
		return l
	}
	if q.links == nil {
		q.links = map[linksKey]*scan.Links{}
	}
	graph := 0
	if key.graph != defaultGraph {
		graph = 2
	}
	l := scan.NewLinks(1, graph, key.inverse, q.reader.scans() == ScansChosen)
	q.links[key] = l
	return l
}

// mayStay reports whether the path leads from the start to itself without a step.
func (q *question) mayStay(of *lower.Walk, key walkKey) (bool, error) {
	if of.Anywhere {
		return true, nil
	}
	n, err := q.reader.conn.Int64(q.reader.conn.text(leaf.IsNode), key.start, key.graph)
	return n != 0, err
}

func (w *walk) grow(bytes int64) error {
	w.size += bytes
	w.question.walked += bytes
	return w.question.grow(bytes)
}

// leave ends the use of the walk by one caller.
func (w *walk) leave() {
	w.pause()
	w.users--
}

// add records a node, and reports whether it is new.
func (w *walk) add(id inline.TermID) (bool, error) {
	if w.has(id) {
		return false, nil
	}
	w.found = append(w.found, id)
	switch {
	case w.all != nil:
		if err := w.grow(bitBytes); err != nil {
			return true, err
		}
		return true, w.all.Add(int64(id))
	case len(w.found) > manyFound:
		w.seen, w.all = nil, scan.NewSet(w.grow)
		for _, id := range w.found {
			if err := w.all.Add(int64(id)); err != nil {
				return true, err
			}
		}
		return true, w.grow(bitBytes - manyFound*(nodeBytes-bitBytes))
	case w.seen != nil:
		w.seen[id] = struct{}{}
	case len(w.found) > fewFound:
		w.seen = make(map[inline.TermID]struct{}, 4*fewFound)
		for _, id := range w.found {
			w.seen[id] = struct{}{}
		}
	}
	return true, w.grow(nodeBytes)
}

func (w *walk) has(id inline.TermID) bool {
	switch {
	case w.all != nil:
		return w.all.Has(int64(id))
	case w.seen != nil:
		_, ok := w.seen[id]
		return ok
	}
	return slices.Contains(w.found, id)
}

// reaches reports whether the walk reaches a node; it stops as soon as it does.
func (w *walk) reaches(id inline.TermID) (bool, error) {
	if w.has(id) {
		return true, nil
	}
	for {
		more, err := w.more()
		if err != nil || !more {
			return false, err
		}
		if w.has(id) {
			return true, nil
		}
	}
}

// more finds one or several more nodes, or returns false if there are none.
func (w *walk) more() (bool, error) {
	for known := len(w.found); ; {
		if w.stmt == nil {
			going, err := w.resume()
			if err != nil || !going || len(w.found) > known {
				return going, err
			}
			continue
		}
		row, err := w.stmt.Step()
		if err != nil {
			return false, err
		}
		if !row {
			w.pause()
			continue
		}
		isNew, err := w.add(w.stmt.ID(0))
		if err != nil || isNew {
			return isNew, err
		}
	}
}

// resume continues with a kind of link that has unread nodes. It returns false if there is none.
func (w *walk) resume() (bool, error) {
	w.further()
	for i := range w.links {
		link := &w.links[i]
		if link.at == len(w.order) {
			continue
		}
		w.now = i
		if link.pages != nil {
			return true, w.follow(link)
		}
		s, err := w.question.reader.conn.Take(w.question.reader.conn.text(leaf.Links(link.inverse, link.graph != defaultGraph)))
		if err != nil {
			return false, err
		}
		s.BindID(1, link.predicate)
		s.BindID(2, link.graph)
		w.stmt = s
		w.question.reader.conn.questions.ahead = w // until the first step
		return true, nil
	}
	return false, nil
}

// followed is the least number of nodes whose links are read at once.
const followed = 64

// follow adds the targets of links, for as many nodes at once as have been found, so that a caller that needs few
// need not wait. New nodes are sorted, because the terms of neighbours, and their statements, are close to each
// other.
func (w *walk) follow(link *walkLink) error {
	env, release, err := w.question.linksEnv(link)
	if err != nil {
		return err
	}
	defer release()
	known := len(w.found)
	nodes := make([]int64, min(max(followed, known), len(w.order)-link.at))
	for i := range nodes {
		nodes[i] = int64(w.order[link.at+i])
	}
	slices.Sort(nodes)
	link.at += len(nodes)
	err = link.pages.Each(env, nodes, func(id int64) error {
		_, err := w.add(inline.TermID(id))
		return err
	})
	slices.Sort(w.found[known:])
	return unreadable(err)
}

// linksEnv returns the environment for reading links. It stays until the query ends or, if a write is open, which may
// change the pages, until it is released.
func (q *question) linksEnv(link *walkLink) (env *scan.Env, release func(), err error) {
	if link.env != nil {
		return link.env, func() {}, nil
	}
	release = func() {}
	open := q.held
	inWrite := q.reader.before != nil
	if inWrite {
		open = q.reader.conn.Pages
	}
	pages, err := open()
	if err != nil {
		return nil, nil, err
	}
	if inWrite {
		release = pages.Release
	}
	if env, err = q.scanEnv(pages); err != nil {
		release()
		return nil, nil, err
	}
	env.Args = []int64{int64(link.predicate), int64(link.graph)}
	if !inWrite {
		link.env = env
	}
	return env, release, nil
}

// pause releases the statement; the walk can continue later.
func (w *walk) pause() {
	if w.stmt != nil {
		w.stmt.Release()
		w.stmt = nil
	}
}

// further appends the newly found nodes to order, and reports whether there were any.
func (w *walk) further() bool {
	if !w.many || w.taken == len(w.found) {
		return false
	}
	from := len(w.order)
	for _, id := range w.found[w.taken:] {
		if id != w.start {
			w.order = append(w.order, id)
		}
	}
	w.taken = len(w.found)
	slices.Sort(w.order[from:])
	return len(w.order) > from
}

// registerAhead makes the virtual table t_ahead(x): the nodes whose links have not been read.
func (all *questions) registerAhead(c *conn) error {
	return c.register("t_ahead", "x", module{inRowOrder(1000), func() sqlite.VTableCursor { return &aheadCursor{questions: all} }})
}

// aheadCursor is at the position in the order that a kind of link has reached.
type aheadCursor struct {
	questions *questions
	walk      *walk
	at        *int
}

// Filter begins where the link stopped.
func (c *aheadCursor) Filter(sqlite.IndexID, []sqlite.Value) error {
	c.walk = c.questions.ahead
	c.at = &c.walk.links[c.walk.now].at
	return nil
}

// Next moves to the next node.
func (c *aheadCursor) Next() error {
	*c.at++
	return nil
}

// EOF reports that there are no more nodes.
func (c *aheadCursor) EOF() bool { return *c.at == len(c.walk.order) && !c.walk.further() }

// Column returns the node.
func (c *aheadCursor) Column(int, bool) (sqlite.Value, error) {
	return idValue(c.walk.order[*c.at]), nil
}

// RowID is a counter.
func (c *aheadCursor) RowID() (int64, error) { return int64(*c.at), nil }

// Close does nothing.
func (c *aheadCursor) Close() error { return nil }
