package scan

import (
	"fmt"
	"runtime/debug"
)

// Run is a running program. It must be used by one goroutine.
type Run struct {
	source source
	keys   []int
	batch  *batch
	at     int
	row    []int64
}

// Open starts a run: it reads the rows of all steps but the first into memory.
func Open(p *Program, env *Env) (r *Run, err error) {
	defer guard(&err)
	return open(p, env, merging{}, make([][]test, p.Slots))
}

// Bug is an error of a run caused by this package, not by the file or the query. SQL can answer instead.
type Bug struct {
	Panic any
	Stack []byte
}

func (b *Bug) Error() string { return fmt.Sprintf("scan: %v", b.Panic) }

// guard converts a panic to an error.
func guard(err *error) {
	if of := recover(); of != nil {
		*err = &Bug{of, debug.Stack()}
	}
}

// open is [Open] with tests for slots, for a use of its rows that may merge them.
func open(p *Program, env *Env, around merging, tests [][]test) (*Run, error) {
	p = p.withoutRepeats()
	b := &builder{program: p, env: env, merging: p.merges(around), tests: tests, keys: make([][]ids, p.Slots), bound: make([]bool, p.Slots)}
	s, err := b.solutions()
	if err != nil {
		return nil, err
	}
	r := &Run{source: s, keys: p.Keys}
	switch {
	case p.Grouped:
		g := &groups{program: p, env: env, in: s}
		r.source, r.keys = g, nil
		for i := range g.width() {
			r.keys = append(r.keys, i)
		}
	case p.Distinct:
		r.source = &distinct{in: s, keys: p.Keys, seen: newTuples(len(p.Keys), env)}
	case len(p.Order) > 0:
		r.source = firstsOf(p, env, s)
	}
	r.row = make([]int64, len(r.keys))
	return r, nil
}

// Next returns the next row, nil at the end. It is valid until the next call.
func (r *Run) Next() ([]int64, error) {
	for r.batch == nil || r.at >= r.batch.n {
		if more, err := r.more(); err != nil || !more {
			return nil, err
		}
	}
	for i, slot := range r.keys {
		r.row[i] = r.batch.slots[slot][r.at]
	}
	r.at++
	return r.row, nil
}

// more moves to the next batch.
func (r *Run) more() (more bool, err error) {
	defer guard(&err)
	r.batch, err = r.source.next()
	if err != nil || r.batch == nil {
		return false, err
	}
	for _, slot := range r.keys {
		if len(r.batch.slots[slot]) < r.batch.n {
			panic(fmt.Sprintf("slot %d has %d of %d rows", slot, len(r.batch.slots[slot]), r.batch.n))
		}
	}
	r.at = 0
	return true, nil
}

// Cardinality is the number of equal rows that one row stands for (SPARQL 1.1 Query, section 18.3: of a solution in a
// multiset), or the number of the rows of a group. It is at most [maxCardinality].
type Cardinality int64

// batch is a number of rows: n ids for each bound slot.
type batch struct {
	n     int
	slots [][]int64
	// cards has a cardinality for each row; if it is empty, each row stands for itself.
	cards []Cardinality
}

// card returns the cardinality of a row.
func (b *batch) card(i int) Cardinality {
	if len(b.cards) == 0 {
		return 1
	}
	return b.cards[i]
}

// cardinality returns the sum of those of its rows.
func (b *batch) cardinality() (sum Cardinality) {
	if len(b.cards) == 0 {
		return Cardinality(b.n)
	}
	for _, n := range b.cards[:b.n] {
		sum += n
	}
	return sum
}

// keep keeps the rows for which the function returns true.
func (b *batch) keep(of func(i int) bool) {
	n := 0
	for i := range b.n {
		if !of(i) {
			continue
		}
		if n != i {
			for _, ids := range b.slots {
				if i < len(ids) {
					ids[n] = ids[i]
				}
			}
			if len(b.cards) > 0 {
				b.cards[n] = b.cards[i]
			}
		}
		n++
	}
	b.n = n
}

// columns returns the ids of some slots.
func (b *batch) columns(slots []int, list [][]int64) [][]int64 {
	list = list[:0]
	for _, slot := range slots {
		list = append(list, b.slots[slot])
	}
	return list
}

// source yields batches of rows, and a nil batch at the end. A batch may be changed by the caller, and is valid until
// the next call.
type source interface{ next() (*batch, error) }

// none is an empty source.
type none struct{}

func (none) next() (*batch, error) { return nil, nil }

// batchRows is the approximate number of rows in a batch.
const batchRows = 1024

// batches yields all batches of a source.
func batches(in source, of func(*batch) error) error {
	for {
		batch, err := in.next()
		if err != nil || batch == nil {
			return err
		}
		if err := of(batch); err != nil {
			return err
		}
	}
}

// each yields all rows of a source.
func each(in source, row func(*batch, int) error) error {
	return batches(in, func(batch *batch) error {
		for i := range batch.n {
			if err := row(batch, i); err != nil {
				return err
			}
		}
		return nil
	})
}
