package db

import (
	"context"
	"errors"
	"iter"
	"strconv"

	"zombiezen.com/go/sqlite"

	"trails/db/inline"
	"trails/db/scan"
	"trails/fault"
	"trails/rdf"
)

// Limits bound one query. Zero rows are no limit.
type Limits struct {
	// Rows is how many solutions may come.
	Rows int64
	// Bytes bounds the terms and groups that the query makes in memory; 0 is
	// [DefaultQueryBytes].
	Bytes int64
	// Temporary bounds the temporary files in which SQLite sorts and groups; 0 is
	// [DefaultQueryTemporary].
	Temporary int64
}

// Run runs a plan and yields its solutions, a term for each of the plan's columns, nil
// where it is unbound. A row belongs to the caller. Rows are read as they are asked for.
func (r *Reader) Run(ctx context.Context, plan Plan, limits Limits) iter.Seq2[[]rdf.Term, error] {
	return func(yield func([]rdf.Term, error) bool) {
		err := r.visit(ctx, plan, limits, func(a *answer) (bool, error) {
			row, err := a.row()
			return err == nil && yield(row, nil), err
		})
		if err != nil {
			yield(nil, r.fail(ctx, "query", err))
		}
	}
}

// visit runs a plan's statement to its end or until row wants no more. Where a scan fails by a fault
// of ours before the first row, SQL answers; and queries of the shape are left to SQL from then on.
func (r *Reader) visit(ctx context.Context, plan Plan, limits Limits, row func(*answer) (more bool, err error)) error {
	rows, err := r.visitOnce(ctx, plan, limits, row)
	var bug *scan.Bug
	if !errors.As(err, &bug) {
		return err
	}
	r.file.scanFailed(bug)
	bySQL, planned := plan.withoutScans(ctx)
	if rows > 0 || planned != nil {
		return errors.Join(err, planned)
	}
	_, err = r.visitOnce(ctx, bySQL, limits, row)
	return err
}

// visitOnce also says how many rows were visited.
func (r *Reader) visitOnce(ctx context.Context, plan Plan, limits Limits, row func(*answer) (more bool, err error)) (rows int64, err error) {
	if err := r.ready(ctx); err != nil {
		return 0, err
	}
	if err := r.conn.answerQuestions(); err != nil {
		return 0, err
	}
	q := newQuestion(ctx, r, plan, limits)
	defer q.end()
	if plan.Listing != nil {
		return q.list(ctx, row)
	}
	defer r.conn.temporary.limited(limits)()
	s, err := r.conn.takeQuery(plan.SQL)
	if err != nil {
		return 0, tooComplex(err)
	}
	defer s.release()
	if err := q.bind(s); err != nil {
		return 0, err
	}
	if ctx != r.ctx {
		defer r.conn.interruptBy(ctx).release()
	}
	rows, err = q.rows(ctx, &answer{question: q, stmt: s}, func() (bool, error) { return q.step(s) }, row)
	return rows, r.conn.temporary.fault(err)
}

// tooComplex says of a statement that SQLite does not take why: it has a limit on
// tables, columns and depth. Only a query's size can do that.
func tooComplex(err error) error {
	if resultCode(err) == sqlite.ResultError {
		return fault.New(fault.TooLarge, "the query is too complex for one statement; nest less, or write fewer conditions and variables").Because(err)
	}
	return err
}

// rows visits the rows of an answer, to which next goes, and counts them.
func (q *question) rows(ctx context.Context, out *answer, next func() (more bool, err error), visit func(*answer) (more bool, err error)) (count int64, err error) {
	for ; ; count++ {
		if q.reader.closed {
			return count, errors.New("the reader is closed")
		}
		more, err := next()
		if q.ended || err != nil {
			if over := q.reader.over(ctx); over != nil {
				return count, over
			}
		}
		if err != nil || !more {
			return count, err
		}
		if q.limits.Rows > 0 && count >= q.limits.Rows {
			return count, fault.New(fault.TooLarge, "the query has more than %d solutions; add a LIMIT", q.limits.Rows)
		}
		if more, err := visit(out); err != nil || !more {
			return count + 1, err
		}
	}
}

// answer turns rows of ids into rows of terms, those of a statement or of a scan. It remembers
// some terms, which are often those of other rows, too.
type answer struct {
	question *question
	stmt     *stmt
	listing  *listing
	known    [128]struct {
		id   inline.TermID
		term rdf.Term
	}
}

func (a *answer) row() ([]rdf.Term, error) {
	row := make([]rdf.Term, len(a.question.plan.Columns))
	for i := range row {
		t, err := a.at(i)
		if err != nil {
			return nil, err
		}
		row[i] = t
	}
	return row, nil
}

// id is the id in a column, 0 where it is unbound.
func (a *answer) id(i int) inline.TermID {
	if a.listing != nil {
		return a.listing.id(i)
	}
	return a.stmt.id(i)
}

// count is what COUNT gave in a column.
func (a *answer) count(i int) (int64, error) {
	t, err := a.at(i)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(rdf.Lexical(t), 10, 64)
}

// at is the term in a column, nil where it is unbound.
func (a *answer) at(i int) (rdf.Term, error) {
	if a.listing == nil && a.stmt.ColumnType(i) == sqlite.TypeText {
		return readTerm(a.stmt.ColumnText(i)), nil
	}
	id := a.id(i)
	if id == 0 {
		return nil, nil
	}
	if a.listing != nil {
		if t, err := a.listing.term(i); t != nil || err != nil {
			return t, err
		}
	}
	known := &a.known[uint64(id)%uint64(len(a.known))]
	if known.term == nil || known.id != id {
		t, err := a.question.fetch(i, id)
		if err != nil {
			return nil, err
		}
		known.id, known.term = id, t
	}
	return known.term, nil
}

// step runs the statement to its next row. A query may run inside another's loop,
// so each says who asks the functions now.
func (q *question) step(s *stmt) (bool, error) {
	q.reader.conn.questions.current = q
	more, err := s.Step()
	if q.err != nil {
		return false, q.err
	}
	return more, err
}
