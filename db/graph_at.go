package db

import (
	"context"
	"errors"

	"trails/db/history"
	"trails/db/inline"
	"trails/db/scan"
	"trails/fault"
	"trails/rdf"
)

// A reader may read the default graph as of other commits beside its own state: each is a virtual graph, whose statements
// come from the pages as those of a reader of that commit do. See docs/decisions/0136-two-commits-in-one-query.md.

// graphAt is the default graph as of a commit, with what its reader may see of it.
type graphAt struct {
	chain []scan.Bound
	sight *sight // nil if everything may be seen
}

// GraphAt makes an IRI that begins with [rdf.GraphsAt] name the default graph as of a commit, of whatever branch: for the
// queries that the reader runs from then on, and as the label of a Match. It is seen as by a reader of that commit with the
// same rights; a commit that such a reader cannot read is the fault Missing.
func (r *Reader) GraphAt(ctx context.Context, name rdf.IRI, c history.Commit) error {
	if err := r.ready(ctx); err != nil {
		return r.fail(ctx, "graph", err)
	}
	chain, err := r.conn.chainOf(c.Line, c.Seq)
	if err != nil {
		return r.fail(ctx, "graph", err)
	}
	of := &graphAt{chain: chain}
	if r.conn.sight != nil {
		last, err := r.seenFrom(c.Line, c.Seq, newestOf, 0)
		if err == nil && last.ID != c.ID {
			err = noCommit(c.ID)
		}
		if err != nil {
			return r.fail(ctx, "graph", err)
		}
		if of.sight, err = r.conn.sight.over(r, chain[1:]); err != nil {
			return r.fail(ctx, "graph", err)
		}
	}
	if r.at == nil {
		r.at = map[rdf.Term]*graphAt{}
	}
	r.at[name] = of
	return nil
}

// graphAt returns the graph that has a name.
func (r *Reader) graphAt(name rdf.Term) (*graphAt, error) {
	if of := r.at[name]; of != nil {
		return of, nil
	}
	return nil, fault.New(fault.InvalidArguments, "graph <%s> is the data as of a commit, which only a query or an update reads that names it after GRAPH, FROM or USING; elsewhere name the commit with at", rdf.Lexical(name))
}

// inDefault returns the search for a pattern in the default graph: the given ones of subject, predicate and object.
func inDefault(given [4]bool, ids [4]inline.TermID) (s pastSearch) {
	s.of = [4]interval{everything, everything, everything, {}} // the default graph has the id 0
	for i := range posG {
		if given[i] {
			s.of[i] = interval{int64(ids[i]), int64(ids[i])}
		}
	}
	return s
}

// matchAt is match for the default graph as of a commit.
func (r *Reader) matchAt(ctx context.Context, q rdf.Quad, yield func(rdf.Quad, error) bool) error {
	of, err := r.graphAt(q.Label)
	if err != nil {
		return err
	}
	return r.matchPast(ctx, q, &pastCursor{conn: r.conn, of: of}, nil, yield)
}

// matchPast yields the statements that a cursor finds for a pattern in the default graph, and that keep, unless it is nil,
// is true for; their label is that of the pattern.
func (r *Reader) matchPast(ctx context.Context, q rdf.Quad, rows *pastCursor, keep func(*pastCursor) (bool, error), yield func(rdf.Quad, error) bool) error {
	label := q.Label
	q.Label = rdf.DefaultGraph
	p, ok, err := r.resolve(q)
	if err != nil || !ok {
		return err
	}
	terms := newQuestion(ctx, r, Plan{prepared: &prepared{}}, Limits{})
	defer terms.end()
	rows.search = inDefault(p.bound.at, p.ids)
	defer rows.release()
	if err := rows.begin(false, false); err != nil {
		return err
	}
	for n := 1; ; n++ {
		if n%256 == 0 {
			if err := r.over(ctx); err != nil {
				return err
			}
		}
		if err := rows.Next(); err != nil || !rows.more {
			return err
		}
		if keep != nil {
			if kept, err := keep(rows); err != nil {
				return err
			} else if !kept {
				continue
			}
		}
		found, err := quadOf(terms, rows.ids())
		if err != nil {
			return err
		}
		found.Label = label
		if !yield(found, nil) {
			return nil
		}
		if r.closed {
			return errors.New("the reader is closed")
		}
	}
}
