package db

import (
	"context"
	"errors"
	"iter"

	"trails/db/history"
	"trails/db/inline"
	"trails/db/leaf"
	"trails/db/stmt"
	"trails/rdf"
)

const (
	loggedOfSubject = changeColumns + "SELECT s, p, o, g, op, seq FROM changes WHERE line = 1 AND seq = ?1 AND s = ?2" + changeJoins + " LIMIT ?3 + 0"
	loggedSubjects  = "SELECT DISTINCT s FROM changes WHERE line = 1 AND seq = ?1 ORDER BY s LIMIT ?2 + 0 OFFSET ?3"
	// removedFrom reads the transaction's own change log, page by page.
	removedFrom = `SELECT DISTINCT s FROM changes WHERE line = 1 AND seq = ?1 AND s > ?2 AND p = ?3 AND g = 0 AND op = 45 ORDER BY s LIMIT ?4 + 0`
)

// SubjectCommits returns up to limit numbers of commits, less than before, that changed a subject's statements in the
// default graph, newest first; 0 starts at the newest.
func (r *Reader) SubjectCommits(ctx context.Context, s rdf.Term, before history.Seq, limit int) ([]history.Seq, error) {
	ids, ok, err := r.known(ctx, s)
	if err != nil || !ok {
		return nil, r.fail(ctx, "commits of a subject", err)
	}
	if before <= 0 {
		before = 1 << 62
	}
	list, err := column[history.Seq](ctx, r, r.conn.text(leaf.SubjectCommits), ids[0], before, limit)
	return list, r.fail(ctx, "commits of a subject", err)
}

// LastChange returns the number of the last commit that changed a subject's statements in the default graph, 0 if
// there is none.
func (r *Reader) LastChange(ctx context.Context, s rdf.Term) (history.Seq, error) {
	return r.seqOf(ctx, "last change", r.conn.text(leaf.SubjectChanged), s)
}

// ChangesOf returns up to limit changes that a commit made to one subject, in the order of ids.
func (r *Reader) ChangesOf(ctx context.Context, c history.Commit, s rdf.Term, limit int) ([]Change, error) {
	ids, ok, err := r.known(ctx, s)
	if err != nil || !ok {
		return nil, r.fail(ctx, "changes of a subject", err)
	}
	sql := loggedOfSubject
	if c.Bulk {
		sql = r.conn.text(leaf.BulkOfSubject.Within(changeColumns, changeJoins+" LIMIT ?3 + 0"))
	}
	var list []Change
	err = r.changes(ctx, sql, func(c Change, _ error) bool {
		list = append(list, c)
		return true
	}, c.Seq, ids[0], limit)
	return list, r.fail(ctx, "changes of a subject", err)
}

// Said returns up to limit statements of a subject, in any graph, in the order of ids and from offset on, each as an addition
// by the commit that added it.
func (r *Reader) Said(ctx context.Context, s rdf.Term, limit, offset int) ([]Change, error) {
	ids, ok, err := r.known(ctx, s)
	if err != nil || !ok {
		return nil, r.fail(ctx, "statements of a subject", err)
	}
	var list []Change
	err = r.changes(ctx, r.conn.text(leaf.SaidOf.Within(changeColumns, changeJoins)), func(c Change, _ error) bool {
		list = append(list, c)
		return true
	}, ids[0], limit, offset)
	return list, r.fail(ctx, "statements of a subject", err)
}

// ChangedSubjects returns up to limit subjects that a commit changed, in any graph, in the order of their ids, from
// offset on. For a bulk commit it may read the whole table.
func (r *Reader) ChangedSubjects(ctx context.Context, c history.Commit, limit, offset int) ([]rdf.Term, error) {
	if err := r.ready(ctx); err != nil {
		return nil, r.fail(ctx, "changed subjects", err)
	}
	sql := loggedSubjects
	if c.Bulk {
		sql = r.conn.text(leaf.BulkSubjects)
	}
	ids, err := column[inline.TermID](ctx, r, sql, c.Seq, limit, offset)
	if err != nil {
		return nil, r.fail(ctx, "changed subjects", err)
	}
	list, err := r.terms(ids)
	return list, r.fail(ctx, "changed subjects", err)
}

// removedPage is how many subjects [Writer.RemovedFrom] holds at a time.
const removedPage = 1000

// RemovedFrom yields the subjects from which this transaction has removed a value of p, in the default graph, in the
// order of their ids. Its memory is bounded.
func (w *Writer) RemovedFrom(ctx context.Context, p rdf.IRI) iter.Seq2[rdf.Term, error] {
	return func(yield func(rdf.Term, error) bool) {
		err := w.ready(ctx)
		if err == nil {
			err = w.broken(ctx, "log changes", w.writeLog())
		}
		ids, known, found := w.known(rdf.Quad{Predicate: p})
		if err = errors.Join(err, found); err != nil || !known {
			if err != nil {
				yield(nil, w.fail(ctx, "removed from", err))
			}
			return
		}
		for last := inline.TermID(0); ; {
			page, err := column[inline.TermID](ctx, w.Reader, removedFrom, w.seq, last, ids[posP], removedPage)
			if err != nil {
				yield(nil, w.fail(ctx, "removed from", err))
				return
			}
			for _, id := range page {
				t, err := w.dict.Term(id)
				if !yield(t, err) || err != nil {
					return
				}
			}
			if len(page) < removedPage {
				return
			}
			last = page[len(page)-1]
		}
	}
}

// Existed reports whether a subject had statements, in any graph, just before the commit with this number.
func (r *Reader) Existed(ctx context.Context, s rdf.Term, before history.Seq) (bool, error) {
	return r.holds(ctx, "existed", leaf.Existed, before, s)
}

// HadValue reports whether the default graph had a value of p for a subject just before the commit with this number.
func (r *Reader) HadValue(ctx context.Context, s rdf.Term, p rdf.IRI, before history.Seq) (bool, error) {
	return r.holds(ctx, "had value", leaf.HadValue, before, s, p)
}

// TypesAround returns the types that a subject had in the default graph before the commit with this number or has after
// it.
func (r *Reader) TypesAround(ctx context.Context, s rdf.Term, seq history.Seq) (list []rdf.Term, err error) {
	ids, ok, err := r.known(ctx, s, rdf.Type)
	if err != nil || !ok {
		return nil, r.fail(ctx, "types", err)
	}
	err = r.rows(ctx, r.conn.text(leaf.ValuesAround), func(row *stmt.Stmt) (bool, error) {
		t, err := r.dict.Term(row.ID(0))
		list = append(list, t)
		return err == nil, err
	}, ids[0], ids[1], seq)
	return list, r.fail(ctx, "types", err)
}

// ReferredBesides reports whether a term is the object of a statement that was added by another commit than the one
// with this number.
func (r *Reader) ReferredBesides(ctx context.Context, o rdf.Term, seq history.Seq) (bool, error) {
	return r.holds(ctx, "references", leaf.ReferredBesides, seq, o)
}

// SaidBesides reports whether a term is the subject of a statement that was added by another commit than the one with
// this number.
func (r *Reader) SaidBesides(ctx context.Context, s rdf.Term, seq history.Seq) (bool, error) {
	return r.holds(ctx, "statements", leaf.SaidBesides, seq, s)
}

// holds answers a query of terms and the number of a commit by yes or no; it is no if the file does not know a term.
func (r *Reader) holds(ctx context.Context, what string, query leaf.SQL, seq history.Seq, terms ...rdf.Term) (bool, error) {
	ids, ok, err := r.known(ctx, terms...)
	if err != nil || !ok {
		return false, r.fail(ctx, what, err)
	}
	args := make([]any, 0, len(ids)+1)
	for _, id := range ids {
		args = append(args, id)
	}
	n, err := r.conn.Int64(r.conn.text(query), append(args, seq)...)
	return n == 1, r.fail(ctx, what, err)
}

// Added returns the number of the commit that added a current statement of the default graph, 0 if the statement does
// not exist.
func (r *Reader) Added(ctx context.Context, q rdf.Quad) (history.Seq, error) {
	return r.seqOf(ctx, "history of a statement", r.conn.text(leaf.LastAdded), q.Subject, q.Predicate, q.Object)
}

// Removed returns the number of the commit that last removed a statement from the default graph, 0 if there is none.
func (r *Reader) Removed(ctx context.Context, q rdf.Quad) (history.Seq, error) {
	return r.seqOf(ctx, "history of a statement", leaf.LastRemoved, q.Subject, q.Predicate, q.Object)
}

// seqOf returns the commit number that a statement finds by the ids of terms, or 0.
func (r *Reader) seqOf(ctx context.Context, op, sql string, terms ...rdf.Term) (history.Seq, error) {
	ids, ok, err := r.known(ctx, terms...)
	if err != nil || !ok {
		return 0, r.fail(ctx, op, err)
	}
	args := make([]any, len(ids))
	for i, id := range ids {
		args[i] = id
	}
	seq, err := r.conn.Seq(sql, args...)
	return seq, r.fail(ctx, op, err)
}
