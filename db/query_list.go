package db

import (
	"context"
	"slices"

	"trails/db/inline"
	"trails/rdf"
)

// listing is an answer whose rows come directly from a scan, without a statement. Rows are sorted by one column, so
// the terms of another column may be anywhere in the file. Therefore rows are read in batches of growing size, and
// the terms of a column that would move from page to page are read in the order of their ids, which is the order of
// their pages.
type listing struct {
	question *question
	scan     *scanCursor
	ended    bool
	ids      []inline.TermID // of the rows, one row after another
	at, n    int             // index of the current row, and number of rows
	columns  []listedColumn
	keys     []uint64
	text     int  // bytes of the terms that were read in this way
	full     bool // the bound on bytes has been reached
}

// listedColumn is a column of the batch. If ordered is set, its terms are read in the order of ids; read says that
// this was done. Terms that were not read are nil.
type listedColumn struct {
	ordered, read bool
	terms         []rdf.Term
	pins          int // number of pages that had been pinned at the first of the last rows
}

const (
	fewestListed = 64
	mostListed   = 1 << rowBits
	rowBits      = 15
	// mostText bounds the bytes of the terms that are read together. They and the rows take so small a part of the
	// query's memory that they are not counted.
	mostText    = 2 << 20
	partListed  = 16
	listedBytes = 8 + 16
	// pinnedRows is the number of rows after which a column is examined: if more than every second row needed another
	// page, its terms are read in the order of ids from then on.
	pinnedRows = 256
)

// list runs the scan whose rows are the solutions.
func (q *question) list(ctx context.Context, row func(*answer) (more bool, err error)) (rows int64, err error) {
	l := &listing{question: q, scan: &scanCursor{questions: q.reader.conn.questions}, columns: make([]listedColumn, len(q.plan.Columns))}
	defer l.scan.end()
	return q.rows(ctx, &answer{question: q, listing: l}, l.next, row)
}

// next goes to the next row.
func (l *listing) next() (more bool, err error) {
	if l.at++; l.at < l.n {
		return true, nil
	}
	want := min(max(fewestListed, 2*l.n), mostListed, 1+l.part()/(listedBytes*max(1, len(l.columns))))
	if l.full {
		want = min(want, l.n)
	}
	q := l.question
	for i := range l.columns {
		l.columns[i].read = false
	}
	l.at, l.n, l.ids, l.text, l.full = 0, 0, l.ids[:0], 0, false
	q.reader.conn.questions.current = q
	for l.n < want && !l.ended {
		if l.scan.question == nil {
			err = l.scan.open(q.plan.Listing.Program)
		} else {
			err = l.scan.Next()
		}
		if err != nil {
			return false, err
		}
		if l.ended = l.scan.EOF(); l.ended {
			break
		}
		l.n++
		for _, of := range q.plan.Listing.Columns {
			id := int64(0)
			if of.Place > 0 {
				id = l.scan.row[of.Place-1]
			}
			if of.Plus > 0 {
				id += l.scan.env.Args[of.Plus-1]
			}
			l.ids = append(l.ids, inline.TermID(id))
		}
	}
	return l.n > 0, nil
}

// part returns the bounds in bytes on the rows and on the terms.
func (l *listing) part() int { return int(l.question.memory.limit / partListed) }

func (l *listing) id(i int) inline.TermID { return l.ids[l.at*len(l.columns)+i] }

// term returns the term in a column, nil if it was not read in this way.
func (l *listing) term(i int) (rdf.Term, error) {
	c := &l.columns[i]
	if !c.ordered {
		if l.at%pinnedRows == 0 {
			c.pins = l.pins(i)
		}
		if c.ordered = l.pins(i)-c.pins > pinnedRows/2; !c.ordered {
			return nil, nil
		}
	}
	if !c.read {
		if err := l.read(i); err != nil {
			return nil, err
		}
	}
	return c.terms[l.at], nil
}

// pins returns the number of pages that were pinned for the terms of a column.
func (l *listing) pins(i int) int {
	if on := l.question.onPages; on != nil && on[i] != nil {
		return on[i].Pages.Pins()
	}
	return 0
}

// read reads the terms of a column, for this row and those behind it.
func (l *listing) read(i int) error {
	c := &l.columns[i]
	c.read = true
	c.terms = slices.Grow(c.terms[:0], l.n)[:l.n]
	clear(c.terms)
	l.keys = l.keys[:0]
	for row := l.at; row < l.n; row++ {
		if id := l.ids[row*len(l.columns)+i]; id > 0 && id < 1<<(64-rowBits) { // other ids have an inlined value, or belong to the query
			l.keys = append(l.keys, uint64(id)<<rowBits|uint64(row))
		}
	}
	if !slices.IsSorted(l.keys) {
		slices.Sort(l.keys)
	}
	last := inline.TermID(0)
	var term rdf.Term
	for _, key := range l.keys {
		if id := inline.TermID(key >> rowBits); id != last {
			if l.full = l.full || l.text > min(mostText, l.part()); l.full {
				break
			}
			var err error
			if term, err = l.question.fetch(i, id); err != nil {
				return err
			}
			last = id
			l.text += len(rdf.Lexical(term))
		}
		c.terms[key&(mostListed-1)] = term
	}
	return nil
}
