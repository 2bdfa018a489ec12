package db

import (
	"fmt"
	"maps"
	"sync"
	"sync/atomic"

	"trails/db/dictionary"
	"trails/db/history"
	"trails/db/inline"
	"trails/db/leaf"
	"trails/db/scan"
	"trails/db/stmt"
)

// decided is what readers with the same rights know of the lines of a view, as of the newest commit of the file. It is
// immutable, but for what its memory learns. See docs/decisions/0152-decided-once.md.
type decided struct {
	hidden hiddenTerms
	newest history.Seq
	// shared are the stretches of the newest commit of main.
	shared keptStretches
	// sharedTexts are texts of which it is known whether a statement of it in the default graph has them that may be seen.
	sharedTexts scan.Nodes
	// newestShown is the newest commit of main of which something may be seen, nil until somebody asks.
	newestShown atomic.Pointer[history.Commit]
	*memory
}

// hiddenTerms are the ids of the terms that rights name, without those that the file does not know, and of terms that
// decisions need, 0 if the file does not know them.
type hiddenTerms struct {
	graphs map[int64]bool
	// predicates, types and nodes are hidden nodes as well.
	predicates, types, nodes                                    map[int64]bool
	rdfType, rdfFirst, rdfRest, shProperty, shPath, schemaGraph inline.TermID
}

func (h *hiddenTerms) equal(other *hiddenTerms) bool {
	return maps.Equal(h.graphs, other.graphs) && maps.Equal(h.predicates, other.predicates) && maps.Equal(h.types, other.types) && maps.Equal(h.nodes, other.nodes) &&
		[...]inline.TermID{h.rdfType, h.rdfFirst, h.rdfRest, h.shProperty, h.shPath, h.schemaGraph} ==
			[...]inline.TermID{other.rdfType, other.rdfFirst, other.rdfRest, other.shProperty, other.shPath, other.schemaGraph}
}

// memory is what was decided so far. It is safe for concurrent use.
type memory struct {
	// nodes are those that were decided. If a node is known to be visible, so are all nodes that it hangs on.
	nodes scan.Nodes

	facts *facts
	plans *plans

	commits byCommit[shownCommit]

	mu      sync.Mutex
	schemas map[history.Seq]shownSchema // as of each commit of the schema
}

func newMemory() *memory {
	return &memory{facts: newFacts(), plans: newPlans(), schemas: map[history.Seq]shownSchema{}}
}

// stretchesOf are stretches of hidden statements, by order.
type stretchesOf [leaf.GPOS + 1]scan.Stretches

// keptStretches are what readers of one state found. The next reader begins with them. It is safe for concurrent use.
type keptStretches struct {
	mu sync.Mutex
	of stretchesOf
}

// copied returns what a reader begins with.
func (k *keptStretches) copied() (c stretchesOf) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for order := range k.of {
		c[order] = k.of[order].Copy()
	}
	return c
}

// keep keeps what a reader found. Of two that read at once, what the later one found beside what both began with.
func (k *keptStretches) keep(found *stretchesOf) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for order := range found {
		k.of[order].Learn(&found[order])
	}
}

func (k *keptStretches) bytes() (n int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for order := range k.of {
		n += k.of[order].Bytes()
	}
	return n
}

// copied is a memory that begins with what this one knows of nodes and commits.
func (m *memory) copied() *memory {
	c := newMemory()
	m.nodes.CopyTo(&c.nodes)
	m.commits.copyTo(&c.commits)
	m.mu.Lock()
	defer m.mu.Unlock()
	c.schemas = maps.Clone(m.schemas)
	return c
}

// commit returns what is known of a commit, or finds it out.
func (m *memory) commit(seq history.Seq, find func() (shownCommit, error)) (c shownCommit, err error) {
	c, known := m.commits.get(seq)
	if known {
		return c, nil
	}
	if c, err = find(); err == nil {
		m.commits.put(seq, c)
	}
	return c, err
}

// schema returns what is known of the schema as of a commit of it.
func (m *memory) schema(seq history.Seq) (s shownSchema, known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, known = m.schemas[seq]
	return s, known
}

func (m *memory) rememberSchema(seq history.Seq, s shownSchema) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.schemas[seq] = s
}

// keptDecisions are what was decided for the rights and lines that were used last. It is safe for concurrent use.
type keptDecisions struct {
	mu   sync.Mutex
	list []keptDecision // the one that was used last comes last
}

type keptDecision struct {
	key string
	of  *decided
}

// Bounds on what is kept. The one that was not used for longest goes first.
const (
	maxDecisions     = 64
	maxDecisionBytes = 64 << 20
)

func (k *keptDecisions) find(key string) *decided {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i, one := range k.list {
		if one.key == key {
			copy(k.list[i:], k.list[i+1:])
			k.list[len(k.list)-1] = one
			return one.of
		}
	}
	return nil
}

// keep keeps what was decided, and returns it; of two for one commit, the one that is kept already.
func (k *keptDecisions) keep(key string, d *decided) *decided {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i, one := range k.list {
		if one.key != key {
			continue
		}
		switch {
		case one.of.newest == d.newest:
			return one.of
		case one.of.newest > d.newest:
			return d
		}
		k.list = append(k.list[:i], k.list[i+1:]...)
		break
	}
	k.list = append(k.list, keptDecision{key, d})
	bytes := int64(0)
	for i := len(k.list) - 1; i >= 0; i-- {
		bytes += k.list[i].of.nodes.Bytes() + k.list[i].of.sharedTexts.Bytes() + k.list[i].of.shared.bytes()
		if last := i == len(k.list)-1; !last && (len(k.list)-i > maxDecisions || bytes > maxDecisionBytes) {
			k.list = append([]keptDecision(nil), k.list[i+1:]...)
			break
		}
	}
	return d
}

// decidedFor returns what was decided for rights with a key, by those who see the statements of these lines beside those of
// main. resolve finds the ids of what the rights name.
func (r *Reader) decidedFor(key string, lines []scan.Bound, newest history.Seq, resolve func() (hiddenTerms, error)) (*decided, error) {
	for _, b := range lines {
		key += fmt.Sprint(" ", b.Line)
	}
	was := r.caches.decisions.find(key)
	if was != nil && was.newest == newest {
		return was, nil
	}
	h, err := resolve()
	if err != nil {
		return nil, err
	}
	next := &decided{hidden: h, newest: newest}
	if was != nil && was.newest < newest && was.hidden.equal(&h) {
		if err := next.follow(was, r.conn); err != nil {
			return nil, err
		}
	}
	if next.memory == nil {
		next.memory = newMemory()
	}
	return r.caches.decisions.keep(key, next), nil
}

// maxSince is how many statements of newer commits are looked at to find out what they change.
const maxSince = 20_000

const (
	bulkSince = "SELECT count(*) FROM main.commits WHERE seq > ? AND flags & 1"
	// What newer commits added and removed, with the kind of the object.
	statementsSince = `SELECT c.s, c.p, c.o, c.g, c.op, t.kind FROM main.commits m CROSS JOIN main.changes c ON c.line = m.line AND c.seq = m.seq
		LEFT JOIN main.terms t ON t.id = c.o WHERE m.seq > ? LIMIT ? + 0`
)

// follow begins with what was known as of an earlier commit, without what the commits behind it may have changed: with the
// same memory if no decision can be another one, with a copy if only nodes of which nothing is known can be, and with nothing
// otherwise.
func (d *decided) follow(was *decided, c *conn) error {
	if bulk, err := c.Int64(bulkSince, was.newest); err != nil || bulk > 0 {
		return err
	}
	var texts []int64
	n, since := 0, hanging{decided: was}
	stretches := was.shared.copied()
	err := c.Exec(statementsSince, func(row *stmt.Stmt) error {
		n++
		quad, kind := quadIDs{row.ID(posS), row.ID(posP), row.ID(posO), row.ID(posG)}, row.ColumnInt64(posG+2)
		if kind != dictionary.KindIRI && kind != dictionary.KindBNode {
			texts = append(texts, int64(quad[posO]))
		}
		if row.ColumnInt64(posG+1) == history.OpAdd {
			since.added(quad, kind)
			stretches.added(quad, was)
		}
		return nil
	}, was.newest, maxSince)
	if err != nil || since.contradicted || n == maxSince {
		return err
	}
	d.memory, d.shared.of = was.memory, stretches
	if since.some {
		d.memory = was.copied()
	}
	was.sharedTexts.CopyTo(&d.sharedTexts)
	for _, text := range texts { // it may have come to a node that may be seen, or gone from the last one
		d.sharedTexts.Forget(text)
	}
	return nil
}

// hanging finds out whether statements that were added decide about nodes of which nothing was known, or otherwise than was
// decided before.
type hanging struct {
	*decided
	some, contradicted bool
}

// added is called for each of them, with the kind of its object.
func (d *hanging) added(quad quadIDs, kind int64) {
	h, s, p, o, g := &d.hidden, quad[posS], quad[posP], quad[posO], quad[posG]
	// hangs says that a node hangs on others, of which some may be hidden.
	hangs := func(node inline.TermID, hidden bool, on ...inline.TermID) {
		d.some = true
		for _, from := range on {
			hidden = hidden || !d.nodes.IsVisible(int64(from))
		}
		d.contradicted = d.contradicted || hidden && (node >= scan.MostNodes || d.nodes.IsVisible(int64(node)))
	}
	if p == h.rdfType && h.types[int64(o)] || p == h.shPath && h.predicates[int64(o)] {
		hangs(s, true)
	}
	if p == h.shProperty {
		hangs(o, false, s)
	}
	if p == h.rdfFirst || p == h.rdfRest {
		hangs(s, false, o)
	}
	if kind == dictionary.KindBNode {
		hangs(o, h.predicates[int64(p)], s, g)
	}
}

// added is called for a statement that was added since the stretches were found, by those for whom this was decided.
func (all *stretchesOf) added(quad quadIDs, was *decided) {
	hidden, known := was.hidden.predicates[int64(quad[posP])], true
	for _, position := range [...]int{posS, posO, posG} {
		is, decided := was.nodes.IsHidden(int64(quad[position]))
		hidden, known = hidden || is, known && decided
	}
	for _, order := range [...]leaf.Order{leaf.SPO, leaf.POS, leaf.OSP, leaf.GPOS} {
		var columns [4]int64
		for i, position := range order.Columns() {
			columns[i] = int64(quad[position])
		}
		all[order].Added(columns, hidden, hidden || known)
	}
}
