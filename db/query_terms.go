package db

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	mathrand "math/rand/v2"
	"strings"
	"time"

	"trails/db/dictionary"
	"trails/db/inline"
	"trails/db/pager"
	"trails/db/scan"
	"trails/rdf"
	"trails/sparql"
	"trails/sparql/expr"
)

// question is a running query, with its expressions and the terms that it has made.
type question struct {
	reader   *Reader
	plan     Plan
	limits   Limits
	programs []expr.Program
	// solutions has one solution for each expression.
	solutions []solution
	ids       map[rdf.Term]inline.TermID
	terms     []rdf.Term
	read      map[inline.TermID]rdf.Term
	memory    *Memory
	pages     *pager.Pages         // see [question.held]
	onPages   []*dictionary.Reader // one for each column of the answer, then one for each expression
	ctx       context.Context      // ends what SQLite cannot interrupt
	now       time.Time
	lastRow   int64
	walks     map[walkKey]*walk
	walked    int64 // bytes of all walks
	links     map[linksKey]*scan.Links
	blanks    map[blankKey]rdf.Term
	compared  int   // number of comparisons in sorts
	ended     bool  // the query has been ended
	err       error // an error inside an SQL function, which ended the query
}

// maxRead is how many dictionary terms a query caches.
const maxRead = 1 << 16

func newQuestion(ctx context.Context, r *Reader, plan Plan, limits Limits) *question {
	q := &question{reader: r, ctx: ctx, memory: r.Memory(limits), plan: plan, limits: limits, programs: plan.programs}
	if q.programs == nil {
		q.programs = compileAll(plan.Exprs)
	}
	return q
}

// over returns why the query must end, or nil.
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
	id, ok, err := q.reader.dict.Lookup(t)
	if err != nil {
		return 0, err
	}
	if !ok {
		id = dictionary.LocalTerms + inline.TermID(len(q.terms))
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
	if id >= dictionary.LocalTerms {
		return q.terms[id-dictionary.LocalTerms], nil
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

// fetch is term without caching. It reads from the pages of onPages: the terms of a column are often close to each
// other. If a write is open it uses SQL instead, because pages may change, and new terms may not be there yet.
func (q *question) fetch(place int, id inline.TermID) (rdf.Term, error) {
	if id >= dictionary.LocalTerms {
		return q.terms[id-dictionary.LocalTerms], nil
	}
	if id <= 0 || q.reader.before != nil {
		return q.reader.dict.Peek(id)
	}
	if q.onPages == nil {
		q.onPages = make([]*dictionary.Reader, len(q.plan.Columns)+1)
	}
	if q.onPages[place] == nil {
		pages, err := q.held()
		if err == nil {
			q.onPages[place], err = dictionary.NewReader(pages)
		}
		if err != nil {
			return nil, unreadable(err)
		}
	}
	whole, err := q.onPages[place].Read(int64(id))
	if err != nil {
		return nil, unreadable(err)
	}
	if !whole {
		return q.reader.dict.Peek(id)
	}
	return q.reader.dict.OnPage(&q.onPages[place].Row)
}

// held returns the pages for reading until the query ends; nil if a write is open.
func (q *question) held() (p *pager.Pages, err error) {
	if q.pages == nil {
		q.pages, err = q.reader.conn.Pages()
	}
	return q.pages, err
}

// end releases what the query holds.
func (q *question) end() {
	if q.pages != nil {
		q.pages.Release()
	}
	q.memory.Release()
}

// Exists is never called: SQL answers patterns.
func (s *solution) Exists(sparql.Op) (bool, error) {
	return false, fmt.Errorf("a pattern in an expression was not lowered")
}

// Now is the time of the first call, the same for the whole query.
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

// NewBNode returns a blank node, the same for a label within a solution. The solution is then identified by a number.
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

// row returns the number of the solution, which is the last argument.
func (s *solution) row() int64 {
	if n := len(s.args); n > 0 {
		return s.args[n-1].Int64()
	}
	return 0
}

// Rand returns a random number.
func (s *solution) Rand() float64 { return mathrand.Float64() }

// Base is the base of the query.
func (s *solution) Base() string { return s.question.plan.Base }
