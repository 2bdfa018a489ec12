package change

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"

	"trails/fault"
)

// DefaultChunkBytes is how much a spool gathers before it sorts, unless
// [Spool.ChunkBytes] says otherwise.
const DefaultChunkBytes = 16 << 20

// Bounds on what a spool holds, however much goes in: at most keptChunks sorted
// chunks and two more, one being filled and one being sorted, are in memory at a
// time; and every mergedFiles files on disk become one, so that a pass has few open.
const (
	keptChunks  = 3
	mergedFiles = 32
)

// Spool gathers edits in any order and gives them back sorted by subject, as
// often as asked. The zero Spool is ready to use. It is not safe for concurrent
// use. Close removes its temporary files.
type Spool struct {
	// Dir is where overflow goes; empty means the system's temporary folder.
	Dir string
	// ChunkBytes is the size of a chunk, below 4 GiB; 0 means DefaultChunkBytes.
	ChunkBytes int
	// ByGraph sorts by graph before subject, for [Spool.Edits]; Groups cannot read it.
	ByGraph bool

	filling *chunk
	sorting chan sorted // of the chunk that is being sorted; nil when none is
	runs    []run       // in the order of the input
	files   int         // of runs, at its end, that were spilled and not merged yet
	count   int64
}

type sorted struct {
	run run
	err error
}

// Len returns the number of edits added.
func (s *Spool) Len() int64 { return s.count }

// Add takes one edit.
func (s *Spool) Add(e Edit) error {
	if s.filling == nil {
		s.filling = &chunk{byGraph: s.ByGraph}
	}
	s.filling.add(e)
	s.count++
	if len(s.filling.arena) < s.chunkBytes() {
		return nil
	}
	return s.cut()
}

func (s *Spool) chunkBytes() int { return cmp.Or(s.ChunkBytes, DefaultChunkBytes) }

// cut hands the filling chunk to be sorted beside the next one's filling.
func (s *Spool) cut() error {
	if err := s.settle(); err != nil || s.filling == nil {
		return err
	}
	full, done, keep := s.filling, make(chan sorted, 1), len(s.runs) < keptChunks
	s.filling, s.sorting = nil, done
	go func() {
		var r run = full
		err := fault.Guard(func() (err error) {
			if full.sort(); !keep {
				r, err = spill(s.Dir, &chunkCursor{chunk: full})
			}
			return err
		})
		done <- sorted{run: r, err: err}
	}()
	return nil
}

// settle waits for the chunk that is being sorted.
func (s *Spool) settle() error {
	if s.sorting == nil {
		return nil
	}
	got := <-s.sorting
	s.sorting = nil
	if got.err != nil {
		return fmt.Errorf("spool edits: %w", got.err)
	}
	s.runs = append(s.runs, got.run)
	if _, onDisk := got.run.(*fileRun); onDisk {
		s.files++
	}
	if s.files < mergedFiles {
		return nil
	}
	return s.mergeFiles()
}

// mergeFiles makes one file of those that were spilled last.
func (s *Spool) mergeFiles() error {
	parts := s.runs[len(s.runs)-s.files:]
	m, err := openRuns(parts)
	if err != nil {
		return fmt.Errorf("read spooled edits: %w", err)
	}
	whole, err := spill(s.Dir, m)
	if err != nil {
		return fmt.Errorf("merge spooled edits: %w", err)
	}
	for _, r := range parts {
		if err := r.close(); err != nil {
			return fmt.Errorf("close spooled edits: %w", err)
		}
	}
	s.runs, s.files = append(s.runs[:len(s.runs)-len(parts)], whole), 0
	return nil
}

// Close removes what the spool left on disk. The spool must not be used after.
func (s *Spool) Close() error {
	first := s.settle()
	for _, r := range s.runs {
		if err := r.close(); err != nil && first == nil {
			first = err
		}
	}
	s.runs, s.filling = nil, nil
	return first
}

// Groups returns the edits, subject by subject in the order of their canonical
// text, without repeats. A group is valid until the next one is asked for.
// Edits may be added between two passes, not during one.
func (s *Spool) Groups(ctx context.Context) iter.Seq2[*Group, error] {
	return func(yield func(*Group, error) bool) {
		m, err := s.merge()
		if err != nil {
			yield(nil, err)
			return
		}
		g := grouping{merge: m}
		for {
			group, err := g.next()
			if err == nil {
				err = ctx.Err()
			}
			if err == io.EOF {
				return
			}
			if !yield(group, err) || err != nil {
				return
			}
		}
	}
}

// Edits returns the edits one by one, in the order of their canonical text, without
// repeats: a subject of any size takes no more memory than another. Edits may be added
// between two passes, not during one.
func (s *Spool) Edits(ctx context.Context) iter.Seq2[Edit, error] {
	return func(yield func(Edit, error) bool) {
		m, err := s.merge()
		if err != nil {
			yield(Edit{}, err)
			return
		}
		one := singling{merge: m, byGraph: s.ByGraph}
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

// cancelStep is after how many edits a pass asks whether it is still wanted.
const cancelStep = 1000

// merge settles what was added and opens a cursor on every run.
func (s *Spool) merge() (*merge, error) {
	if err := s.cut(); err != nil {
		return nil, err
	}
	if err := s.settle(); err != nil {
		return nil, err
	}
	return openRuns(s.runs)
}
