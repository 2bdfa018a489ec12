package change

import (
	"bytes"
	"fmt"
	"io"

	"trails/extsort"
	"trails/rdf"
)

// grouping cuts the merged records into groups.
type grouping struct {
	merge   *extsort.Cursor
	group   Group
	subject []byte
	last    []byte
	scratch []byte
}

// next returns the next group or io.EOF.
func (g *grouping) next() (*Group, error) {
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
		if err := g.take(record); err != nil {
			return nil, err
		}
		if err := g.merge.Advance(); err != nil {
			return nil, fmt.Errorf("read spooled edits: %w", err)
		}
		record, ok = g.merge.Peek()
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
	merge   *extsort.Cursor
	byGraph bool
	last    []byte
	term    []byte // of the subject at hand
	subject rdf.Term
	scratch []byte
}

// next returns the next edit that does not repeat the one before, or io.EOF.
func (s *singling) next() (Edit, error) {
	for {
		record, ok := s.merge.Peek()
		if !ok {
			return Edit{}, io.EOF
		}
		if len(s.last) == 0 || !bytes.Equal(key(record), s.last) {
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
	return decodeRecord(record, s.subject, &s.scratch)
}
