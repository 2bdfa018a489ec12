package db

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"zombiezen.com/go/sqlite"

	"trails/db/lower"
	"trails/kg/fault"
	"trails/kg/rdf"
)

// Limits bound one query. A zero is no limit.
type Limits struct {
	// Rows is how many solutions may come.
	Rows int64
	// Bytes bounds the terms and groups that the query makes in memory. What SQLite
	// sorts goes to its temporary files.
	Bytes int64
}

// DefaultQueryBytes is the bound on memory when [Limits] has none.
const DefaultQueryBytes = 256 << 20

// Query runs a lowered pattern and yields its solutions, a term for each of the
// plan's columns, nil where it is unbound. A row belongs to the caller. Rows are read
// as they are asked for.
func (r *Reader) Query(ctx context.Context, plan lower.Plan, limits Limits) iter.Seq2[[]rdf.Term, error] {
	return func(yield func([]rdf.Term, error) bool) {
		if err := r.query(ctx, plan, limits, yield); err != nil {
			yield(nil, r.fail(ctx, "query", err))
		}
	}
}

func (r *Reader) query(ctx context.Context, plan lower.Plan, limits Limits, yield func([]rdf.Term, error) bool) error {
	if err := r.ready(ctx); err != nil {
		return err
	}
	if err := r.conn.answerQuestions(); err != nil {
		return err
	}
	q := newQuestion(r, plan, limits)
	s, err := r.conn.takeQuery(withTerms(plan))
	if err != nil {
		return tooComplex(err)
	}
	defer s.release()
	if err := q.bind(s); err != nil {
		return err
	}
	stop := r.conn.interruptBy(ctx, r.ctx)
	defer stop()
	return q.rows(ctx, s, yield)
}

// interruptBy lets ctx, too, interrupt SQLite until the function it returns is called.
func (c *conn) interruptBy(ctx, transaction context.Context) func() {
	if ctx == transaction || ctx.Done() == nil {
		return func() {}
	}
	both, cancel := context.WithCancel(transaction)
	stop := context.AfterFunc(ctx, cancel)
	c.SetInterrupt(both.Done())
	return func() {
		stop()
		cancel()
		c.SetInterrupt(transaction.Done())
	}
}

// tooComplex says of a statement that SQLite does not take why: it has a limit on
// tables, columns and depth. Only a query's size can do that.
func tooComplex(err error) error {
	if resultCode(err) == sqlite.ResultError {
		return fault.New(fault.TooLarge, "the query is too complex to run: %w", err)
	}
	return err
}

// joinedTerms is how many columns have their terms joined in.
const joinedTerms = 8

// withTerms is the plan's statement with the rows of the terms beside their ids: a
// join reads them in half the time that looking each up takes. It would undo an order.
func withTerms(plan lower.Plan) string {
	if joinable(plan) == 0 {
		return plan.SQL
	}
	fields, from := "q.*", " FROM ("+plan.SQL+") q"
	for i := range joinable(plan) {
		if plan.Computed[i] {
			fields += ", NULL, NULL, NULL, NULL"
			continue
		}
		t, c := fmt.Sprintf("k%d", i+1), fmt.Sprintf("q.c%d", i+1)
		fields += strings.ReplaceAll(", K.kind, K.value, K.datatype, K.lang", "K", t)
		from += " LEFT JOIN terms " + t + " ON " + t + ".id = " + c + " AND " + c + " > 0"
	}
	return "SELECT " + fields + from
}

// joinable is how many columns may have their terms joined in.
func joinable(plan lower.Plan) int {
	if plan.Sorted {
		return 0
	}
	return min(len(plan.Columns), joinedTerms)
}

func (q *question) rows(ctx context.Context, s *stmt, yield func([]rdf.Term, error) bool) error {
	out := newAnswer(q, s)
	for count := int64(1); ; count++ {
		if q.reader.closed {
			return errors.New("the reader is closed")
		}
		more, err := q.step(s)
		if err != nil && ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil || !more {
			return err
		}
		if q.limits.Rows > 0 && count > q.limits.Rows {
			return fault.New(fault.TooLarge, "the query has more than %d solutions; add a LIMIT", q.limits.Rows)
		}
		row, err := out.row()
		if err != nil {
			return err
		}
		if !yield(row, nil) {
			return nil
		}
	}
}

// answer turns rows of ids into rows of terms. It remembers the last term of each
// column, which is often the next row's too.
type answer struct {
	question *question
	stmt     *stmt
	width    int
	joined   int
	last     []int64
	terms    []rdf.Term
}

func newAnswer(q *question, s *stmt) *answer {
	width := len(q.plan.Columns)
	return &answer{
		question: q, stmt: s, width: width, joined: joinable(q.plan),
		last: make([]int64, width), terms: make([]rdf.Term, width),
	}
}

func (a *answer) row() ([]rdf.Term, error) {
	row := make([]rdf.Term, a.width)
	for i := range row {
		if a.stmt.ColumnIsNull(i) {
			continue
		}
		id := a.stmt.ColumnInt64(i)
		if a.terms[i] == nil || id != a.last[i] {
			t, err := a.term(i, id)
			if err != nil {
				return nil, err
			}
			a.last[i], a.terms[i] = id, t
		}
		row[i] = a.terms[i]
	}
	return row, nil
}

func (a *answer) term(i int, id int64) (rdf.Term, error) {
	if i < a.joined && id > 0 && id < localTerms && !a.question.plan.Computed[i] {
		return a.question.reader.dict.joined(id, a.stmt, a.width+4*i)
	}
	return a.question.term(id)
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

// keptQueries is how many texts of queries stay prepared on a connection.
const keptQueries = 64

// takeQuery is take for texts of which there is no end: the oldest are forgotten.
func (c *conn) takeQuery(sql string) (*stmt, error) {
	texts := c.questions.texts
	for i, text := range texts {
		if text == sql {
			copy(texts[i:], texts[i+1:])
			texts[len(texts)-1] = sql
			return c.take(sql)
		}
	}
	if len(texts) == keptQueries {
		for _, s := range c.idle[texts[0]] {
			_ = s.Finalize()
		}
		delete(c.idle, texts[0])
		texts = append(texts[:0], texts[1:]...)
	}
	c.questions.texts = append(texts, sql)
	return c.take(sql)
}
