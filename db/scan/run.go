package scan

import (
	"fmt"
	"runtime/debug"
)

// Run is a program that runs. It serves one goroutine.
type Run struct {
	source source
	keys   []int
	batch  *batch
	at     int
	row    []int64
}

// Open begins a run: it reads and holds what the steps behind the first have.
func Open(p *Program, env *Env) (r *Run, err error) {
	defer guard(&err)
	return open(p, env, false, make([][]test, p.Slots))
}

// Bug is how a run ends that this package has done wrong: neither the file nor the query is to blame,
// and SQL can answer.
type Bug struct {
	Panic any
	Stack []byte
}

func (b *Bug) Error() string { return fmt.Sprintf("scan: %v", b.Panic) }

// guard makes a panic an error.
func guard(err *error) {
	if of := recover(); of != nil {
		*err = &Bug{of, debug.Stack()}
	}
}

// open is as [Open] for rows whose slots pass tests. With asSet it does not matter how often a
// row is in the answer.
func open(p *Program, env *Env, asSet bool, tests [][]test) (*Run, error) {
	b := &builder{program: p, env: env, tests: tests, keys: make([][]ids, p.Slots), bound: make([]bool, p.Slots+1), weight: p.Slots}
	s, err := b.source(p.uses(asSet))
	if err != nil {
		return nil, err
	}
	r := &Run{source: s, keys: p.Keys}
	switch {
	case p.Grouped:
		g := &groups{program: p, env: env, in: s}
		if b.bound[b.weight] {
			g.weight = b.weight
		}
		r.source, r.keys = g, nil
		for i := range g.width() {
			r.keys = append(r.keys, i)
		}
	case p.Distinct:
		r.source = &distinct{in: s, keys: p.Keys, seen: newTuples(len(p.Keys), env)}
	}
	r.row = make([]int64, len(r.keys))
	return r, nil
}

// Next returns the next row of the answer, nil at the end. It is good until the next call.
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

// more goes to the next batch.
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

// batch is some rows: n ids for each slot that has a value.
type batch struct {
	n     int
	slots [][]int64
}

// keep keeps the rows for which of holds.
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
		}
		n++
	}
	b.n = n
}

// columns are the ids of some slots.
func (b *batch) columns(slots []int, list [][]int64) [][]int64 {
	list = list[:0]
	for _, slot := range slots {
		list = append(list, b.slots[slot])
	}
	return list
}

// source gives rows until there are none: a nil batch. A batch may be changed by who asked
// for it, and is good until the next call.
type source interface{ next() (*batch, error) }

// none has no rows.
type none struct{}

func (none) next() (*batch, error) { return nil, nil }

// batchRows is about how many rows a batch has.
const batchRows = 1024

// batches gives all batches of a source.
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

// each gives all rows of a source.
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
