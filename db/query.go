package db

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"strconv"

	"zombiezen.com/go/sqlite"

	"trails/db/inline"
	"trails/db/scan"
	"trails/db/stmt"
	"trails/fault"
	"trails/rdf"
)

// DefaultQueryTemporary is the bound on a query's temporary files if [Limits] has none.
const DefaultQueryTemporary = 1 << 30

// Limits bound one query. Zero Rows are no limit.
type Limits struct {
	// Rows is the maximum number of solutions.
	Rows int64
	// Bytes bounds the memory of the terms and groups that the query makes; 0 is [DefaultQueryBytes].
	Bytes int64
	// Temporary bounds the temporary files of SQLite's sorting and grouping; 0 is [DefaultQueryTemporary].
	Temporary int64
}

// Run runs a plan and yields its solutions: a term for each column of the plan, nil if it is unbound. The caller may
// keep a row. Rows are read as they are consumed.
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

// visit runs the statement of a plan to its end or until row returns false. If a scan fails before the first row
// because of a bug, or leaves a value to SQL, SQL answers instead, and later queries of this shape use SQL only.
func (r *Reader) visit(ctx context.Context, plan Plan, limits Limits, row func(*answer) (more bool, err error)) error {
	rows, err := r.visitOnce(ctx, plan, limits, row)
	var bug *scan.Bug
	switch {
	case errors.As(err, &bug):
		r.file.scanFailed(bug)
	case !errors.Is(err, scan.ErrLeft):
		return err
	}
	bySQL, planned := plan.withoutScans(ctx)
	if rows > 0 || planned != nil {
		return errors.Join(err, planned)
	}
	_, err = r.visitOnce(ctx, bySQL, limits, row)
	return err
}

// visitOnce also returns the number of rows.
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
	defer r.conn.Temporary.Limit(cmp.Or(limits.Temporary, DefaultQueryTemporary))()
	s, err := r.conn.TakeQuery(plan.SQL)
	if err != nil {
		return 0, tooComplex(err)
	}
	defer s.Release()
	if err := q.bind(s); err != nil {
		return 0, err
	}
	if ctx != r.ctx && ctx != r.opener {
		defer r.conn.InterruptBy(ctx)()
	}
	rows, err = q.rows(ctx, &answer{question: q, stmt: s}, func() (bool, error) { return q.step(s) }, row)
	return rows, r.conn.Temporary.Fault(err)
}

// tooComplex explains an error of SQLite about its limits on tables, columns and depth. Only the size of a query can
// exceed them.
func tooComplex(err error) error {
	if stmt.ResultCode(err) == sqlite.ResultError {
		return fault.New(fault.TooLarge, "the query is too complex for one statement; nest less, or write fewer conditions and variables").Because(err)
	}
	return err
}

// rows calls row for each row of the answer, and counts them. next moves to the next row.
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

// answer converts rows of ids, from a statement or a scan, to rows of terms. It caches some terms, which often occur
// in other rows, too.
type answer struct {
	question *question
	stmt     *stmt.Stmt
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

// id returns the id in a column, 0 if it is unbound.
func (a *answer) id(i int) inline.TermID {
	if a.listing != nil {
		return a.listing.id(i)
	}
	return a.stmt.ID(i)
}

// count returns the result of COUNT in a column.
func (a *answer) count(i int) (int64, error) {
	if a.listing != nil {
		return int64(a.id(i) - integers.Zero), nil
	}
	t, err := a.at(i)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(rdf.Lexical(t), 10, 64)
}

// at returns the term in a column, nil if it is unbound.
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

// step moves the statement to its next row. A query may run inside another one's loop, so each step says whose query
// the SQL functions now serve.
func (q *question) step(s *stmt.Stmt) (bool, error) {
	q.reader.conn.questions.current = q
	more, err := s.Step()
	if q.err != nil {
		return false, q.err
	}
	return more, err
}
