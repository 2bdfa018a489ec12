package change

import (
	"context"
	"fmt"
	"io"
	"iter"

	"trails/db/extsort"
)

// Spool collects edits in any order and yields them sorted by subject, as often as needed. The zero Spool is ready to
// use. It is not safe for concurrent use. Close removes its temporary files.
type Spool struct {
	// Dir is the directory for temporary files; empty means the system's.
	Dir string
	// ChunkBytes is the size of a chunk, below 4 GiB; 0 means
	// [extsort.DefaultChunkBytes].
	ChunkBytes int
	// ByGraph sorts by graph before subject, for [Spool.Edits]; Groups cannot read it.
	ByGraph bool
	// Without, when set, selects the edits that a pass leaves out, by their source. It may change between passes.
	Without func(Source) bool

	sorter extsort.Sorter
	count  int64
}

// Len returns the number of edits added.
func (s *Spool) Len() int64 { return s.count }

// Add takes one edit.
func (s *Spool) Add(e Edit) error {
	if s.count == 0 {
		s.sorter = extsort.Sorter{Dir: s.Dir, ChunkBytes: s.ChunkBytes, Key: key}
	}
	s.count++
	err := s.sorter.Add(func(dst []byte) []byte {
		if s.ByGraph {
			return appendByGraph(dst, e)
		}
		return appendRecord(dst, e)
	})
	if err != nil {
		return fmt.Errorf("spool edits: %w", err)
	}
	return nil
}

// Close removes what the spool left on disk. The spool must not be used after.
func (s *Spool) Close() error { return s.sorter.Close() }

// Groups returns the edits, subject by subject in the order of their canonical
// text, without repeats. A group is valid until the next one is asked for.
// Edits may be added between two passes, not during one.
func (s *Spool) Groups(ctx context.Context) iter.Seq2[*Group, error] {
	return func(yield func(*Group, error) bool) {
		m, err := s.sorted()
		if err != nil {
			yield(nil, err)
			return
		}
		g := grouping{merge: m, without: s.Without, decoder: newDecoder(s.count)}
		groups := g.all()
		if s.count >= aheadFrom {
			groups = g.ahead()
		}
		for group, err := range groups {
			if err == nil {
				err = ctx.Err()
			}
			if !yield(group, err) || err != nil {
				return
			}
		}
	}
}

// aheadFrom is the number of edits from which a goroutine reads ahead.
const aheadFrom = 20_000

// Edits returns the edits one by one, in the order of their canonical text, without
// repeats: a subject of any size takes no more memory than another. Edits may be added
// between two passes, not during one.
func (s *Spool) Edits(ctx context.Context) iter.Seq2[Edit, error] {
	return func(yield func(Edit, error) bool) {
		m, err := s.sorted()
		if err != nil {
			yield(Edit{}, err)
			return
		}
		one := singling{merge: m, without: s.Without, byGraph: s.ByGraph, decoder: newDecoder(s.count)}
		for n := 0; ; n++ {
			e, err := one.next()
			if err == io.EOF {
				return
			}
			if err == nil && n%cancelStep == 0 {
				err = ctx.Err()
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// cancelStep is the number of edits between two checks for cancellation.
const cancelStep = 1000

func (s *Spool) sorted() (*extsort.Cursor, error) {
	c, err := s.sorter.Sorted()
	if err != nil {
		return nil, fmt.Errorf("read spooled edits: %w", err)
	}
	return c, nil
}
