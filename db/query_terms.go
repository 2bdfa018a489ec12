package db

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	mathrand "math/rand/v2"
	"strings"
	"time"

	"trails/db/inline"
	"trails/db/scan"
	"trails/rdf"
	"trails/sparql"
	"trails/sparql/expr"
)

// localTerms is the first id of the terms that only a running query knows: what it
// computes, and constants that are in no quad. Ids of the dictionary end far below.
const localTerms = 1 << 62

// question is a query that runs: its expressions, and the terms it has made.
type question struct {
	reader   *Reader
	plan     Plan
	limits   Limits
	programs []expr.Program
	// solutions are those of the expressions, by their place.
	solutions []solution
	ids       map[rdf.Term]inline.TermID
	terms     []rdf.Term
	read      map[inline.TermID]rdf.Term
	memory    *Memory
	pages     *pages          // see [question.held]
	onPages   []*termPages    // for each column of the answer, and behind them for expressions
	ctx       context.Context // ends what SQLite cannot interrupt
	now       time.Time
	lastRow   int64
	walks     map[walkKey]*walk
	walked    int64 // bytes of walks
	links     map[linksKey]*scan.Links
	blanks    map[blankKey]rdf.Term
	compared  int   // terms in sorts
	ended     bool  // the query is not wanted any more
	err       error // what ended the query inside a function
}

// maxRead is how many terms of the dictionary a query remembers.
const maxRead = 1 << 16

func newQuestion(ctx context.Context, r *Reader, plan Plan, limits Limits) *question {
	q := &question{reader: r, ctx: ctx, memory: r.Memory(limits), plan: plan, limits: limits, programs: plan.programs}
	if q.programs == nil {
		q.programs = compileAll(plan.Exprs)
	}
	return q
}

// over is why the query must end, if it must.
func (q *question) over() error { return q.reader.over(q.ctx) }

// id returns the id of any term. Equal terms have equal ids.
func (q *question) id(t rdf.Term) (inline.TermID, error) {
	if id, ok := inline.ID(t); ok {
		return id, nil
	}
	if id, ok := t.(idTerm); ok {
		return inline.TermID(id), nil
	}
	if id, ok := q.ids[t]; ok {
		return id, nil
	}
	id, ok, err := q.reader.dict.lookup(t)
	if err != nil {
		return 0, err
	}
	if !ok {
		id = localTerms + inline.TermID(len(q.terms))
		q.terms = append(q.terms, t)
	}
	if q.ids == nil {
		q.ids = map[rdf.Term]inline.TermID{}
	}
	q.ids[t] = id
	return id, q.grow(int64(len(rdf.Lexical(t))) + 100)
}

// grow counts memory that the query holds until it ends.
func (q *question) grow(bytes int64) error { return q.memory.Grow(bytes) }

// term returns the term of an id.
func (q *question) term(id inline.TermID) (rdf.Term, error) {
	if id >= localTerms {
		return q.terms[id-localTerms], nil
	}
	if t, ok := q.read[id]; ok {
		return t, nil
	}
	t, err := q.fetch(len(q.plan.Columns), id)
	if err != nil || id < 0 {
		return t, err
	}
	if q.read == nil || len(q.read) >= maxRead {
		q.read = map[inline.TermID]rdf.Term{}
	}
	q.read[id] = t
	return t, nil
}

// fetch is term for what is not asked again, for one of onPages: the terms of a column often
// stand near each other. Where a write is open SQL reads it: the write may change the pages, and
// have terms that it has not yet put there.
func (q *question) fetch(place int, id inline.TermID) (rdf.Term, error) {
	if id >= localTerms {
		return q.terms[id-localTerms], nil
	}
	if id <= 0 || q.reader.before != nil {
		return q.reader.dict.peek(id)
	}
	if q.onPages == nil {
		q.onPages = make([]*termPages, len(q.plan.Columns)+1)
	}
	if q.onPages[place] == nil {
		pages, err := q.held()
		if err == nil {
			q.onPages[place], err = pages.terms()
		}
		if err != nil {
			return nil, unreadable(err)
		}
	}
	whole, err := q.onPages[place].read(int64(id))
	if err != nil {
		return nil, unreadable(err)
	}
	if !whole {
		return q.reader.dict.peek(id)
	}
	return q.termOf(&q.onPages[place].row)
}

// held are the pages that the query reads until it ends, which no write may change.
func (q *question) held() (p *pages, err error) {
	if q.pages == nil {
		q.pages, err = q.reader.conn.pages()
	}
	return q.pages, err
}

// end gives back what the query holds.
func (q *question) end() {
	if q.pages != nil {
		q.pages.release()
	}
	q.memory.Release()
}

// termOf is the term of a row.
func (q *question) termOf(row *rowOfTerm) (t rdf.Term, err error) {
	var datatype rdf.IRI
	if row.kind() == kindTyped {
		if datatype, err = q.reader.dict.datatype(row.datatype()); err != nil {
			return nil, err
		}
	}
	if t = termOf(row.kind(), string(row.value()), datatype, string(row.lang())); t == nil {
		err = damaged("dictionary kind %d", row.kind())
	}
	return t, err
}

// Exists is never asked: the statement answers patterns.
func (s *solution) Exists(sparql.Op) (bool, error) {
	return false, fmt.Errorf("a pattern in an expression was not lowered")
}

// Now is when the query first asked: the same for all of it.
func (s *solution) Now() time.Time {
	q := s.question
	if q.now.IsZero() {
		q.now = time.Now()
	}
	return q.now
}

// NewUUID returns a random UUID.
func (s *solution) NewUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	h := hex.EncodeToString(b[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// NewBNode returns a blank node; the same one for a label within a solution, which
// has a number then.
func (s *solution) NewBNode(label string) rdf.Term {
	q := s.question
	key := blankKey{s.row(), label}
	if t, ok := q.blanks[key]; ok && label != "" {
		return t
	}
	t := rdf.BNode("q" + strings.ReplaceAll(s.NewUUID(), "-", ""))
	if label != "" {
		if q.blanks == nil {
			q.blanks = map[blankKey]rdf.Term{}
		}
		q.blanks[key] = t
		s.err = q.grow(int64(len(label)) + 200)
	}
	return t
}

// blankKey is a label of BNODE in one solution.
type blankKey struct {
	row   int64
	label string
}

// row is the solution's number, which is the last thing that is passed.
func (s *solution) row() int64 {
	if n := len(s.args); n > 0 {
		return s.args[n-1].Int64()
	}
	return 0
}

// Rand returns a random number.
func (s *solution) Rand() float64 { return mathrand.Float64() }

// Base is the query's.
func (s *solution) Base() string { return s.question.plan.Base }
