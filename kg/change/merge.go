package change

import (
	"bytes"
	"cmp"
	"container/heap"
	"fmt"
	"io"

	"trails/rdf"
)

// merge reads several runs as one sorted sequence.
type merge struct {
	heads []head
	begun bool // next has returned a record
}

// openRuns opens a cursor on every run.
func openRuns(runs []run) (*merge, error) {
	m := &merge{}
	for _, r := range runs {
		c, err := r.open()
		if err != nil {
			return nil, err
		}
		if err := m.push(c); err != nil {
			return nil, err
		}
	}
	return m, nil
}

type head struct {
	record []byte
	cursor cursor
	order  int // of the run: earlier input first among equals
}

func (m *merge) Len() int { return len(m.heads) }
func (m *merge) Less(i, j int) bool {
	a, b := m.heads[i], m.heads[j]
	return cmp.Or(bytes.Compare(key(a.record), key(b.record)), cmp.Compare(a.order, b.order)) < 0
}
func (m *merge) Swap(i, j int) { m.heads[i], m.heads[j] = m.heads[j], m.heads[i] }
func (m *merge) Push(x any)    { m.heads = append(m.heads, x.(head)) }
func (m *merge) Pop() any {
	last := m.heads[len(m.heads)-1]
	m.heads = m.heads[:len(m.heads)-1]
	return last
}

func (m *merge) push(c cursor) error {
	record, err := c.next()
	if err == io.EOF {
		return nil
	}
	if err == nil {
		heap.Push(m, head{record: record, cursor: c, order: len(m.heads)})
	}
	return err
}

// next makes a merge the cursor of a greater run.
func (m *merge) next() ([]byte, error) {
	if m.begun {
		if err := m.advance(); err != nil {
			return nil, err
		}
	}
	m.begun = true
	record, ok := m.peek()
	if !ok {
		return nil, io.EOF
	}
	return record, nil
}

// peek returns the smallest record, which stays valid until advance.
func (m *merge) peek() ([]byte, bool) {
	if len(m.heads) == 0 {
		return nil, false
	}
	return m.heads[0].record, true
}

func (m *merge) advance() error {
	record, err := m.heads[0].cursor.next()
	if err == io.EOF {
		heap.Pop(m)
		return nil
	}
	if err != nil {
		return err
	}
	m.heads[0].record = record
	heap.Fix(m, 0)
	return nil
}

// grouping cuts the merged records into groups.
type grouping struct {
	merge   *merge
	group   Group
	subject []byte
	last    []byte
	scratch []byte
}

// next returns the next group or io.EOF.
func (g *grouping) next() (*Group, error) {
	record, ok := g.merge.peek()
	if !ok {
		return nil, io.EOF
	}
	// The subject keeps its NUL, so that it is a prefix of the records of this subject only.
	cut := bytes.IndexByte(record, 0)
	g.subject = append(g.subject[:0], record[:cut+1]...)
	g.last = g.last[:0]
	g.group = Group{Subject: resource(g.subject[:cut]), Edits: g.group.Edits[:0]}
	for ok && bytes.HasPrefix(record, g.subject) {
		if err := g.take(record); err != nil {
			return nil, err
		}
		if err := g.merge.advance(); err != nil {
			return nil, fmt.Errorf("read spooled edits: %w", err)
		}
		record, ok = g.merge.peek()
	}
	return &g.group, nil
}

// take adds record to the group unless it repeats the one before. What is to be
// said once is kept each time, so that the second time can be told.
func (g *grouping) take(record []byte) error {
	if bytes.Equal(key(record), g.last) && opOf(record) != Once {
		return nil
	}
	g.last = append(g.last[:0], key(record)...)
	e, err := decodeRecord(record, g.group.Subject, &g.scratch)
	if err != nil {
		return err
	}
	g.group.Edits = append(g.group.Edits, e)
	return nil
}

// Group is what a change set wants done to one subject, in the order of the ops.
type Group struct {
	Subject rdf.Term
	Edits   []Edit
}

// singling decodes the merged records one by one.
type singling struct {
	merge   *merge
	byGraph bool
	last    []byte
	term    []byte // of the subject at hand
	subject rdf.Term
	scratch []byte
}

// next returns the next edit that does not repeat the one before, or io.EOF.
func (s *singling) next() (Edit, error) {
	for {
		record, ok := s.merge.peek()
		if !ok {
			return Edit{}, io.EOF
		}
		if len(s.last) == 0 || !bytes.Equal(key(record), s.last) {
			s.last = append(s.last[:0], key(record)...)
			return s.decode(record)
		}
		if err := s.merge.advance(); err != nil {
			return Edit{}, fmt.Errorf("read spooled edits: %w", err)
		}
	}
}

func (s *singling) decode(record []byte) (Edit, error) {
	if s.byGraph {
		record = record[bytes.IndexByte(record, 0)+1:]
	}
	term := record[:bytes.IndexByte(record, 0)]
	if !bytes.Equal(term, s.term) || s.subject == nil {
		s.term, s.subject = append(s.term[:0], term...), resource(term)
	}
	return decodeRecord(record, s.subject, &s.scratch)
}
