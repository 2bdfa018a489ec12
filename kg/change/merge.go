package change

import (
	"bytes"
	"fmt"
	"io"
	"iter"

	"trails/db/extsort"
	"trails/fault"
	"trails/rdf"
)

// grouping groups the sorted records by subject.
type grouping struct {
	merge   *extsort.Cursor
	without func(Source) bool
	group   Group
	subject []byte
	last    []byte
	decoder decoder
}

// next returns the next group or io.EOF. A group whose edits are all left out is skipped.
func (g *grouping) next() (*Group, error) {
	for {
		group, err := g.nextOf()
		if err != nil || g.without == nil || len(group.Edits) > 0 {
			return group, err
		}
	}
}

// nextOf returns the edits of the next subject that are not left out, or io.EOF.
func (g *grouping) nextOf() (*Group, error) {
	record, ok := g.merge.Peek()
	if !ok {
		return nil, io.EOF
	}
	// The subject keeps its NUL, so that it is a prefix of the records of this subject only.
	cut := bytes.IndexByte(record, 0)
	g.subject = append(g.subject[:0], record[:cut+1]...)
	g.last = g.last[:0]
	g.group = Group{Subject: resource(g.subject[:cut]), Edits: g.group.Edits[:0]}
	for ok && bytes.HasPrefix(record, g.subject) {
		if g.without == nil || !g.without(sourceOf(record)) {
			if err := g.take(record); err != nil {
				return nil, err
			}
		}
		if err := g.merge.Advance(); err != nil {
			return nil, fmt.Errorf("read spooled edits: %w", err)
		}
		record, ok = g.merge.Peek()
	}
	return &g.group, nil
}

// all yields the remaining groups.
func (g *grouping) all() iter.Seq2[*Group, error] {
	return func(yield func(*Group, error) bool) {
		for {
			group, err := g.next()
			if err == io.EOF || !yield(group, err) || err != nil {
				return
			}
		}
	}
}

// batch is a number of groups that were read ahead. Their edits are in one list, except for a group that did not fit,
// which has its own.
type batch struct {
	groups []Group
	edits  []Edit
}

const batchEdits = 4096

func newBatch() *batch { return &batch{edits: make([]Edit, 0, batchEdits)} }

// ahead yields the remaining groups, read in a goroutine.
func (g *grouping) ahead() iter.Seq2[*Group, error] {
	return func(yield func(*Group, error) bool) {
		full, free, stop := make(chan *batch), make(chan *batch, 2), make(chan struct{})
		free <- newBatch()
		free <- newBatch()
		var failed error // set before full is closed
		defer func() {
			close(stop)
			for range full { // until the goroutine has ended
			}
		}()
		go func() {
			defer close(full)
			failed = fault.Guard(func() error {
				for {
					var b *batch
					select {
					case b = <-free:
					case <-stop:
						return nil
					}
					err := g.fill(b)
					select {
					case full <- b:
					case <-stop:
						return nil
					}
					if err != nil {
						return err
					}
				}
			})
		}()
		for b := range full {
			for i := range b.groups {
				if !yield(&b.groups[i], nil) {
					return
				}
			}
			free <- b
		}
		if failed != io.EOF {
			yield(nil, failed)
		}
	}
}

// fill reads groups until the list of a batch is full. Its error, io.EOF at the end, belongs to what follows them.
func (g *grouping) fill(b *batch) error {
	b.groups, b.edits = b.groups[:0], b.edits[:0]
	for {
		room := b.edits[len(b.edits):]
		g.group.Edits = room
		group, err := g.next()
		if err != nil {
			return err
		}
		b.groups = append(b.groups, *group)
		if len(group.Edits) >= cap(room) {
			return nil
		}
		b.edits = b.edits[:len(b.edits)+len(group.Edits)]
	}
}

// take adds a record to the group unless it repeats the previous one. A Once is kept each time, so that a second one
// can be reported.
func (g *grouping) take(record []byte) error {
	if bytes.Equal(key(record), g.last) && opOf(record) != Once {
		return nil
	}
	g.last = append(g.last[:0], key(record)...)
	e, err := g.decoder.edit(record, g.group.Subject)
	if err != nil {
		return err
	}
	g.group.Edits = append(g.group.Edits, e)
	return nil
}

// Group is the edits of one subject, in the order of their ops.
type Group struct {
	Subject rdf.Term
	Edits   []Edit
}

// singling decodes the merged records one by one.
type singling struct {
	merge   *extsort.Cursor
	without func(Source) bool
	byGraph bool
	last    []byte
	term    []byte // of the current subject
	subject rdf.Term
	decoder decoder
}

// next returns the next edit that does not repeat the one before, or io.EOF.
func (s *singling) next() (Edit, error) {
	for {
		record, ok := s.merge.Peek()
		if !ok {
			return Edit{}, io.EOF
		}
		leftOut := s.without != nil && s.without(sourceOf(record))
		if !leftOut && (len(s.last) == 0 || !bytes.Equal(key(record), s.last)) {
			s.last = append(s.last[:0], key(record)...)
			return s.decode(record)
		}
		if err := s.merge.Advance(); err != nil {
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
	return s.decoder.edit(record, s.subject)
}
