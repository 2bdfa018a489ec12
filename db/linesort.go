package db

import (
	"bufio"
	"bytes"
	"container/heap"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"slices"
)

// lineSort sorts any number of lines in bounded memory: runs of sorted lines go to
// temporary files, which are merged as they are read. Equal lines stay.
type lineSort struct {
	dir   string // where the runs go; empty: the system's
	arena []byte
	lines []span
	runs  []*os.File
}

// span is a line's place in the arena.
type span struct{ start, end int }

const (
	runBytes = 32 << 20
	maxRuns  = 64 // more are merged into one first
)

func (s *lineSort) add(line []byte) error {
	if len(s.arena)+len(line) > runBytes && len(s.lines) > 0 {
		if err := s.spill(); err != nil {
			return err
		}
	}
	start := len(s.arena)
	s.arena = append(s.arena, line...)
	s.lines = append(s.lines, span{start, len(s.arena)})
	return nil
}

func (s *lineSort) sortRun() {
	slices.SortFunc(s.lines, func(a, b span) int {
		return bytes.Compare(s.arena[a.start:a.end], s.arena[b.start:b.end])
	})
}

func (s *lineSort) spill() error {
	s.sortRun()
	err := s.writeRun(func(w *bufio.Writer) error {
		for _, l := range s.lines {
			if err := writeLine(w, s.arena[l.start:l.end]); err != nil {
				return err
			}
		}
		return nil
	})
	s.arena, s.lines = s.arena[:0], s.lines[:0]
	if err != nil || len(s.runs) < maxRuns {
		return err
	}
	return s.compact()
}

// compact merges all runs into one.
func (s *lineSort) compact() error {
	old := s.runs
	s.runs = nil
	defer closeAll(old)
	return s.writeRun(func(w *bufio.Writer) error {
		return mergeRuns(old, func(line []byte) error { return writeLine(w, line) })
	})
}

func (s *lineSort) writeRun(fill func(*bufio.Writer) error) error {
	file, err := os.CreateTemp(s.dir, "trails-sort-")
	if err != nil {
		return err
	}
	// The name goes at once, so that nothing is left behind after a kill.
	os.Remove(file.Name())
	s.runs = append(s.runs, file)
	w := bufio.NewWriterSize(file, 1<<20)
	if err := fill(w); err != nil {
		return err
	}
	return w.Flush()
}

func writeLine(w *bufio.Writer, line []byte) error {
	if _, err := w.Write(binary.AppendUvarint(w.AvailableBuffer(), uint64(len(line)))); err != nil {
		return err
	}
	_, err := w.Write(line)
	return err
}

// each hands out all lines in order. The bytes are valid until the next line.
func (s *lineSort) each(yield func([]byte) error) error {
	if len(s.runs) == 0 {
		s.sortRun()
		for _, l := range s.lines {
			if err := yield(s.arena[l.start:l.end]); err != nil {
				return err
			}
		}
		return nil
	}
	if err := s.spill(); err != nil {
		return err
	}
	return mergeRuns(s.runs, yield)
}

// close gives the temporary files back.
func (s *lineSort) close() { closeAll(s.runs) }

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}

func mergeRuns(runs []*os.File, yield func([]byte) error) error {
	var merge runHeap
	for _, file := range runs {
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			return err
		}
		r := &run{r: bufio.NewReaderSize(file, 256<<10)}
		if ok, err := r.next(); err != nil {
			return err
		} else if ok {
			merge = append(merge, r)
		}
	}
	heap.Init(&merge)
	for len(merge) > 0 {
		first := merge[0]
		if err := yield(first.line); err != nil {
			return err
		}
		ok, err := first.next()
		if err != nil {
			return err
		}
		if ok {
			heap.Fix(&merge, 0)
		} else {
			heap.Pop(&merge)
		}
	}
	return nil
}

// run is one sorted file and its current line.
type run struct {
	r    *bufio.Reader
	line []byte
}

func (r *run) next() (bool, error) {
	n, err := binary.ReadUvarint(r.r)
	if errors.Is(err, io.EOF) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	r.line = slices.Grow(r.line[:0], int(n))[:n]
	_, err = io.ReadFull(r.r, r.line)
	return err == nil, err
}

type runHeap []*run

func (h runHeap) Len() int           { return len(h) }
func (h runHeap) Less(i, j int) bool { return bytes.Compare(h[i].line, h[j].line) < 0 }
func (h runHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }

// Push is never called: a run leaves the heap and does not come back.
func (h *runHeap) Push(x any) { *h = append(*h, x.(*run)) }

func (h *runHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
