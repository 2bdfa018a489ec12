package db

import (
	"context"
	"strings"

	"trails/auth/policy"
	"trails/db/history"
	"trails/db/inline"
	"trails/db/leaf"
	"trails/db/stmt"
	"trails/fault"
	"trails/rdf"
)

// The class of source of a statement is that of the call that made the commit which added it. A merge adds what other
// commits said first, and what it has from them is of their classes: the commit that it took in has the statement, too, with
// the commit that added it there. See docs/decisions/0149-origins-of-statements.md.

// commitOrigin is what the class of the statements that a commit added follows from.
type commitOrigin struct {
	origin policy.Origin
	// took is the commit that a merge took in, and tookLine its line; 0 for other commits.
	took     history.Seq
	tookLine int64
}

const (
	mergedBy = "SELECT p.seq, p.line FROM main.commits c LEFT JOIN main.commits p ON p.id = c.parent2 WHERE c.seq = ?"
	// madeFirst is the call that made a commit or, if it has none, the next commit that has one: commits that came in a
	// bundle are recorded with the last of them.
	madeFirst = `SELECT commit_seq, via, agent, capability, used FROM main.prov INDEXED BY prov_commit
		WHERE commit_seq >= ? AND commit_seq <> 0 ORDER BY commit_seq LIMIT 1`
	// bundleApplied is the capability that brings such commits.
	bundleApplied = "trails.meta.bundle.apply"
)

// originOf returns the origin of a commit. What a transaction writes has none before it is committed: it is Unknown.
func (r *Reader) originOf(seq history.Seq) (o commitOrigin, err error) {
	if o, known := r.caches.origins.get(seq); known {
		return o, nil
	}
	there := false
	err = r.conn.Exec(mergedBy, func(s *stmt.Stmt) error {
		there, o.took, o.tookLine = true, s.Seq(0), s.ColumnInt64(1)
		return nil
	}, seq)
	if err != nil || !there {
		return o, err
	}
	err = r.conn.Exec(madeFirst, func(s *stmt.Stmt) error {
		a := Activity{CommitSeq: s.Seq(0), Via: s.ColumnText(1), Agent: s.ColumnText(2), Capability: s.ColumnText(3)}
		if a.CommitSeq == seq || a.Capability == bundleApplied {
			err := unmarshalIRIs(s, 4, &a.Used)
			o.origin = a.Origin()
			return err
		}
		return nil
	}, seq)
	if err == nil {
		r.caches.origins.put(seq, o)
	}
	return o, err
}

// Origin returns the class of what the call wrote.
func (a Activity) Origin() policy.Origin {
	return policy.OriginOf(a.Via, a.Agent, a.Capability, a.Used)
}

// CommitOrigin returns the class of what the call wrote that made a commit; that of a merge is the lowest of what it took
// in and of its own. A commit without a record is Unknown.
func (r *Reader) CommitOrigin(ctx context.Context, seq history.Seq) (policy.Origin, error) {
	if err := r.ready(ctx); err != nil {
		return policy.Unknown, r.fail(ctx, "origin", err)
	}
	o, err := r.originOf(seq)
	return o.origin, r.fail(ctx, "origin", err)
}

// RestoredOrigin returns the lowest class of what the transaction adds and was there before, by the commits that added it
// then; it is Person if there is nothing of the kind.
func (w *Writer) RestoredOrigin(ctx context.Context) (policy.Origin, error) {
	lowest := policy.Person
	if err := w.usable(ctx); err != nil {
		return lowest, err
	}
	err := w.endBulk(ctx)
	if err == nil {
		err = w.writeLog()
	}
	if err == nil {
		err = w.conn.Exec(leaf.RestoredBy, func(s *stmt.Stmt) error {
			if s.ColumnIsNull(0) {
				return nil
			}
			o, err := w.originOf(s.Seq(0))
			lowest = min(lowest, o.origin)
			return err
		}, w.line, w.seq)
	}
	return lowest, w.broken(ctx, "restored origins", err)
}

// Origin returns the class of a statement that a commit added, as a [Change] has it: that of the commit which said it first
// on the line that a merge took in, if a merge added it and the history has it there.
func (r *Reader) Origin(ctx context.Context, c Change) (policy.Origin, error) {
	if err := r.ready(ctx); err != nil {
		return policy.Unknown, r.fail(ctx, "origin", err)
	}
	rows := statementOrigins{reader: r}
	defer rows.release()
	o, err := rows.ofChange(c)
	return o, r.fail(ctx, "origin", err)
}

// statementOrigins finds the classes of statements, with one cursor for each merge.
type statementOrigins struct {
	reader *Reader
	merges map[history.Seq]*pastCursor
}

func (s *statementOrigins) ofChange(c Change) (policy.Origin, error) {
	o, err := s.reader.originOf(c.Seq)
	if err != nil || o.took == 0 {
		return o.origin, err
	}
	p, known, err := s.reader.resolve(labelledAs(c.Quad))
	if err != nil || !known {
		return o.origin, err
	}
	return s.of(c.Seq, p.ids)
}

// labelledAs is the pattern that matches a quad alone.
func labelledAs(q rdf.Quad) rdf.Quad {
	if q.Label == nil {
		q.Label = rdf.DefaultGraph
	}
	return q
}

// of returns the class of a statement by its ids and the commit that added it.
func (s *statementOrigins) of(added history.Seq, ids quadIDs) (policy.Origin, error) {
	for {
		o, err := s.reader.originOf(added)
		if err != nil || o.took == 0 {
			return o.origin, err
		}
		rows, err := s.tookIn(added, o)
		if err != nil {
			return o.origin, err
		}
		for i, id := range ids {
			rows.search.of[i] = interval{int64(id), int64(id)}
		}
		if err := rows.begin(false, false); err != nil {
			return o.origin, err
		}
		if err := rows.Next(); err != nil || !rows.more {
			return o.origin, err // it is a decision of the merge itself
		}
		added = history.Seq(rows.row.Added)
	}
}

// tookIn is a cursor over the state that a merge took in.
func (s *statementOrigins) tookIn(merge history.Seq, o commitOrigin) (*pastCursor, error) {
	if rows := s.merges[merge]; rows != nil {
		return rows, nil
	}
	chain, err := s.reader.conn.chainOf(o.tookLine, o.took)
	if err != nil {
		return nil, err
	}
	if s.merges == nil {
		s.merges = map[history.Seq]*pastCursor{}
	}
	if len(s.merges) >= mostMerges {
		s.release()
	}
	rows := &pastCursor{conn: s.reader.conn, of: &graphAt{chain: chain}}
	s.merges[merge] = rows
	return rows, nil
}

// mostMerges bounds the cursors that are open.
const mostMerges = 64

func (s *statementOrigins) release() {
	for _, rows := range s.merges {
		rows.release()
	}
	clear(s.merges)
}

// originGraphs are the graphs of classes that a search reads.
type originGraphs struct{ statements *statementOrigins }

// originRows keeps the rows of one class.
type originRows struct {
	*statementOrigins
	origin policy.Origin
}

// of returns what keeps the rows of the graph with a name. A graph that is of no class is the fault InvalidArguments.
func (g *originGraphs) of(r *Reader, name rdf.Term) (*originRows, error) {
	origin, err := GraphOrigin(name)
	if err != nil {
		return nil, err
	}
	if g.statements == nil {
		g.statements = &statementOrigins{reader: r}
	}
	return &originRows{g.statements, origin}, nil
}

func (g *originGraphs) release() {
	if g.statements != nil {
		g.statements.release()
	}
	g.statements = nil
}

// has reports whether the current row of a cursor is kept.
func (o *originRows) has(rows *pastCursor) (bool, error) {
	origin, err := o.statementOrigins.of(history.Seq(rows.row.Added), rows.ids())
	return origin == o.origin, err
}

// GraphOrigin returns the class whose statements a graph has that begins with [rdf.OriginGraphs]. No such class is the
// fault InvalidArguments.
func GraphOrigin(graph rdf.Term) (policy.Origin, error) {
	name := strings.TrimPrefix(rdf.Lexical(graph), rdf.OriginGraphs)
	origin, ok := policy.ParseOrigin(name)
	if !ok {
		names := policy.OriginNames()
		return origin, fault.New(fault.InvalidArguments, "graph <%s> is of no class of sources; they are %s%s", rdf.Lexical(graph), strings.Join(names, ", "), fault.DidYouMean(name, names))
	}
	return origin, nil
}

// matchOrigin is match for the statements of a class.
func (r *Reader) matchOrigin(ctx context.Context, q rdf.Quad, yield func(rdf.Quad, error) bool) error {
	var graphs originGraphs
	defer graphs.release()
	keeps, err := graphs.of(r, q.Label)
	if err != nil {
		return err
	}
	return r.matchPast(ctx, q, &pastCursor{conn: r.conn}, keeps.has, yield)
}

// OriginCount is how much of a view one class of sources said.
type OriginCount struct {
	// Statements are those of the default graph that the class said.
	Statements int64
	// Nodes are the instances of classes of which the class of sources alone said something in the default graph.
	Nodes map[rdf.Term]int64
	// Part reports that only the first statements were read, and the nodes that these say everything of.
	Part bool
}

// CountOrigin counts what a class of sources said, in one walk over the default graph by subject, which ends behind the
// first most statements. Nodes are counted for each of the given classes that they have.
func (r *Reader) CountOrigin(ctx context.Context, origin policy.Origin, classes []rdf.IRI, most int) (OriginCount, error) {
	out, err := r.countOrigin(ctx, origin, classes, most)
	return out, r.fail(ctx, "origins", err)
}

func (r *Reader) countOrigin(ctx context.Context, origin policy.Origin, classes []rdf.IRI, most int) (out OriginCount, err error) {
	if err := r.ready(ctx); err != nil {
		return out, err
	}
	a, err := r.idOf(rdf.Type)
	if err != nil {
		return out, err
	}
	named := map[inline.TermID]rdf.IRI{}
	for _, class := range classes {
		id, err := r.idOf(class)
		if err != nil {
			return out, err
		}
		named[id] = class
	}
	out.Nodes = map[rdf.Term]int64{}
	statements := statementOrigins{reader: r}
	defer statements.release()
	rows := &pastCursor{conn: r.conn, search: inDefault([4]bool{}, quadIDs{})}
	defer rows.release()
	if err := rows.begin(false, false); err != nil {
		return out, err
	}
	var node inline.TermID
	var has []rdf.IRI // the classes of node
	alone := false
	count := func() {
		for _, class := range has {
			if alone {
				out.Nodes[class]++
			}
		}
	}
	for n := 0; ; n++ {
		if n%256 == 0 {
			if err := r.over(ctx); err != nil {
				return out, err
			}
		}
		if err := rows.Next(); err != nil {
			return out, err
		}
		if !rows.more {
			count()
			return out, nil
		}
		if n == most {
			out.Part = true
			return out, nil
		}
		ids := rows.ids()
		if ids[posS] != node {
			count()
			node, has, alone = ids[posS], has[:0], true
		}
		said, err := statements.of(history.Seq(rows.row.Added), ids)
		if err != nil {
			return out, err
		}
		if said == origin {
			out.Statements++
		} else {
			alone = false
		}
		if class, is := named[ids[posO]]; is && ids[posP] == a {
			has = append(has, class)
		}
	}
}
