package db

import (
	"context"
	"errors"
	"iter"

	"trails/db/history"
	"trails/db/inline"
	"trails/rdf"
)

const (
	// subjectCommits lists the commits that changed a subject's statements in the default graph.
	subjectCommits = `SELECT DISTINCT seq FROM (
		SELECT added AS seq FROM live NOT INDEXED WHERE s = ?1 AND g = 0 AND added < ?2
		UNION ALL SELECT added FROM hist WHERE line = 1 AND s = ?1 AND g = 0 AND added < ?2
		UNION ALL SELECT removed FROM hist WHERE line = 1 AND s = ?1 AND g = 0 AND removed < ?2)
		ORDER BY seq DESC LIMIT ?3 + 0`
	subjectChanged = `SELECT max(seq) FROM (
		SELECT max(added) AS seq FROM live NOT INDEXED WHERE s = ?1 AND g = 0
		UNION ALL SELECT max(added) FROM hist WHERE line = 1 AND s = ?1 AND g = 0
		UNION ALL SELECT max(removed) FROM hist WHERE line = 1 AND s = ?1 AND g = 0)`
	loggedOfSubject = changeColumns + "SELECT s, p, o, g, op, seq FROM changes WHERE line = 1 AND seq = ?1 AND s = ?2" + changeJoins + " LIMIT ?3 + 0"
	bulkOfSubject   = changeColumns + `SELECT s, p, o, g, 43 AS op, added AS seq FROM live NOT INDEXED WHERE s = ?2 AND added = ?1
		UNION ALL SELECT s, p, o, g, 43, added FROM hist WHERE line = 1 AND s = ?2 AND added = ?1` + changeJoins + " LIMIT ?3 + 0"
	// statementRemoved finds when a statement of the default graph was last removed.
	statementRemoved = "SELECT max(removed) FROM hist WHERE line = 1 AND s = ? AND p = ? AND o = ? AND g = 0"
	statementAdded   = "SELECT added FROM live NOT INDEXED WHERE s = ? AND p = ? AND o = ? AND g = 0"
	loggedSubjects   = "SELECT DISTINCT s FROM changes WHERE line = 1 AND seq = ?1 ORDER BY s LIMIT ?2 + 0 OFFSET ?3"
	// A bulk commit has no change log: its subjects are found in the tables.
	bulkSubjects = `SELECT s FROM (SELECT DISTINCT s FROM live NOT INDEXED WHERE added = ?1 UNION SELECT DISTINCT s FROM hist WHERE line = 1 AND added = ?1)
		ORDER BY s LIMIT ?2 + 0 OFFSET ?3`
	// removedFrom reads the transaction's own change log, page by page.
	removedFrom = `SELECT DISTINCT s FROM changes WHERE line = 1 AND seq = ?1 AND s > ?2 AND p = ?3 AND g = 0 AND op = 45 ORDER BY s LIMIT ?4 + 0`
	// hadValue reads a value of one property as of just before a commit.
	hadValue = `SELECT EXISTS (SELECT 1 FROM live NOT INDEXED WHERE s = ?1 AND p = ?2 AND g = 0 AND added < ?3)
		OR EXISTS (SELECT 1 FROM hist WHERE line = 1 AND s = ?1 AND p = ?2 AND g = 0 AND added < ?3 AND removed >= ?3)`
	referredBesides = "SELECT EXISTS (SELECT 1 FROM live INDEXED BY live_osp WHERE o = ? AND added <> ?)"
	saidBesides     = "SELECT EXISTS (SELECT 1 FROM live NOT INDEXED WHERE s = ? AND added <> ?)"
	wasThere        = `SELECT EXISTS (SELECT 1 FROM live NOT INDEXED WHERE s = ?1 AND added < ?2)
		OR EXISTS (SELECT 1 FROM hist WHERE line = 1 AND s = ?1 AND added < ?2 AND removed >= ?2)`
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
	list, err := column[history.Seq](ctx, r, subjectCommits, ids[0], before, limit)
	return list, r.fail(ctx, "commits of a subject", err)
}

// LastChange returns the number of the last commit that changed a subject's statements in the default graph, 0 if
// there is none.
func (r *Reader) LastChange(ctx context.Context, s rdf.Term) (history.Seq, error) {
	return r.seqOf(ctx, "last change", subjectChanged, s)
}

// ChangesOf returns up to limit changes that a commit made to one subject, in the order of ids.
func (r *Reader) ChangesOf(ctx context.Context, c history.Commit, s rdf.Term, limit int) ([]Change, error) {
	ids, ok, err := r.known(ctx, s)
	if err != nil || !ok {
		return nil, r.fail(ctx, "changes of a subject", err)
	}
	sql := loggedOfSubject
	if c.Bulk {
		sql = bulkOfSubject
	}
	var list []Change
	err = r.changes(ctx, sql, func(c Change, _ error) bool {
		list = append(list, c)
		return true
	}, c.Seq, ids[0], limit)
	return list, r.fail(ctx, "changes of a subject", err)
}

// ChangedSubjects returns up to limit subjects that a commit changed, in any graph, in the order of their ids, from
// offset on. For a bulk commit it may read the whole table.
func (r *Reader) ChangedSubjects(ctx context.Context, c history.Commit, limit, offset int) ([]rdf.Term, error) {
	if err := r.ready(ctx); err != nil {
		return nil, r.fail(ctx, "changed subjects", err)
	}
	sql := loggedSubjects
	if c.Bulk {
		sql = bulkSubjects
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
	return r.holds(ctx, "existed", wasThere, before, s)
}

// HadValue reports whether the default graph had a value of p for a subject just before the commit with this number.
func (r *Reader) HadValue(ctx context.Context, s rdf.Term, p rdf.IRI, before history.Seq) (bool, error) {
	return r.holds(ctx, "had value", hadValue, before, s, p)
}

// ReferredBesides reports whether a term is the object of a statement that was added by another commit than the one
// with this number.
func (r *Reader) ReferredBesides(ctx context.Context, o rdf.Term, seq history.Seq) (bool, error) {
	return r.holds(ctx, "references", referredBesides, seq, o)
}

// SaidBesides reports whether a term is the subject of a statement that was added by another commit than the one with
// this number.
func (r *Reader) SaidBesides(ctx context.Context, s rdf.Term, seq history.Seq) (bool, error) {
	return r.holds(ctx, "statements", saidBesides, seq, s)
}

// holds answers a query of terms and the number of a commit by yes or no; it is no if the file does not know a term.
func (r *Reader) holds(ctx context.Context, what, query string, seq history.Seq, terms ...rdf.Term) (bool, error) {
	ids, ok, err := r.known(ctx, terms...)
	if err != nil || !ok {
		return false, r.fail(ctx, what, err)
	}
	args := make([]any, 0, len(ids)+1)
	for _, id := range ids {
		args = append(args, id)
	}
	n, err := r.conn.Int64(query, append(args, seq)...)
	return n == 1, r.fail(ctx, what, err)
}

// Added returns the number of the commit that added a current statement of the default graph, 0 if the statement does
// not exist.
func (r *Reader) Added(ctx context.Context, q rdf.Quad) (history.Seq, error) {
	return r.seqOf(ctx, "history of a statement", statementAdded, q.Subject, q.Predicate, q.Object)
}

// Removed returns the number of the commit that last removed a statement from the default graph, 0 if there is none.
func (r *Reader) Removed(ctx context.Context, q rdf.Quad) (history.Seq, error) {
	return r.seqOf(ctx, "history of a statement", statementRemoved, q.Subject, q.Predicate, q.Object)
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
