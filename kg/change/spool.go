package change

import (
	"bufio"
	"bytes"
	"cmp"
	"container/heap"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"

	"trails/kg/rdf"
)

// DefaultChunkBytes is how much a spool gathers before it sorts, unless
// [Spool.ChunkBytes] says otherwise.
const DefaultChunkBytes = 32 << 20

// keptChunks bounds a spool's memory: at most this many sorted chunks and two
// more, one being filled and one being sorted, are in memory at a time.
const keptChunks = 3

// Spool gathers edits in any order and gives them back sorted by subject, as
// often as asked. The zero Spool is ready to use. It is not safe for concurrent
// use. Close removes its temporary files.
type Spool struct {
	// Dir is where overflow goes; empty means the system's temporary folder.
	Dir string
	// ChunkBytes is the size of a chunk, below 4 GiB; 0 means DefaultChunkBytes.
	ChunkBytes int

	filling *chunk
	sorting chan sorted // of the chunk that is being sorted; nil when none is
	runs    []run
	kept    int
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
		s.filling = &chunk{}
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
	full, done, spill := s.filling, make(chan sorted, 1), s.kept >= keptChunks
	s.filling, s.sorting = nil, done
	if !spill {
		s.kept++
	}
	go func() {
		full.sort()
		if !spill {
			done <- sorted{run: full}
			return
		}
		r, err := spillChunk(s.Dir, full)
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

// merge opens a cursor on every run.
func (s *Spool) merge() (*merge, error) {
	if err := s.cut(); err != nil {
		return nil, err
	}
	if err := s.settle(); err != nil {
		return nil, err
	}
	m := &merge{}
	for _, r := range s.runs {
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

// run is a sorted sequence of records that can be read more than once.
type run interface {
	open() (cursor, error)
	close() error
}

// cursor returns record after record, then io.EOF. A record is valid until the next call.
type cursor interface{ next() ([]byte, error) }

// chunk is a run in memory: records end to end, and where each begins and ends.
type chunk struct {
	arena []byte
	spans []span
}

type span struct{ from, to uint32 }

func (c *chunk) add(e Edit) {
	from := len(c.arena)
	c.arena = appendRecord(c.arena, e)
	c.spans = append(c.spans, span{uint32(from), uint32(len(c.arena))})
}

func (c *chunk) at(i span) []byte { return c.arena[i.from:i.to] }

func (c *chunk) sort() {
	slices.SortFunc(c.spans, func(a, b span) int {
		return cmp.Or(bytes.Compare(key(c.at(a)), key(c.at(b))), cmp.Compare(a.from, b.from))
	})
}

func (c *chunk) open() (cursor, error) { return &chunkCursor{chunk: c}, nil }
func (c *chunk) close() error          { return nil }

type chunkCursor struct {
	chunk *chunk
	i     int
}

func (c *chunkCursor) next() ([]byte, error) {
	if c.i == len(c.chunk.spans) {
		return nil, io.EOF
	}
	c.i++
	return c.chunk.at(c.chunk.spans[c.i-1]), nil
}

// fileRun is a run on disk: each record behind its length. The file has no name
// any more, so that nothing is left behind even by a kill.
type fileRun struct {
	file *os.File
	size int64
}

func spillChunk(dir string, c *chunk) (run, error) {
	f, err := os.CreateTemp(dir, "trails-spool-*")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		f.Close()
		return nil, err
	}
	w, size := bufio.NewWriterSize(f, 1<<20), int64(0)
	for _, sp := range c.spans {
		head := binary.AppendUvarint(w.AvailableBuffer(), uint64(sp.to-sp.from))
		size += int64(len(head)) + int64(sp.to-sp.from)
		w.Write(head)     //nolint:errcheck // bufio keeps the first error for Flush
		w.Write(c.at(sp)) //nolint:errcheck // as above
	}
	if err := w.Flush(); err != nil {
		f.Close()
		return nil, err
	}
	return &fileRun{file: f, size: size}, nil
}

func (r *fileRun) open() (cursor, error) {
	return &fileCursor{r: bufio.NewReaderSize(io.NewSectionReader(r.file, 0, r.size), 1<<18)}, nil
}

func (r *fileRun) close() error { return r.file.Close() }

type fileCursor struct {
	r      *bufio.Reader
	record []byte
}

func (c *fileCursor) next() ([]byte, error) {
	n, err := binary.ReadUvarint(c.r)
	if err != nil {
		return nil, err
	}
	c.record = slices.Grow(c.record[:0], int(n))[:n]
	_, err = io.ReadFull(c.r, c.record)
	return c.record, err
}

// merge reads several runs as one sorted sequence.
type merge struct{ heads []head }

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
	g.start(record)
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

// start begins a group with record's subject; subject keeps the NUL, so that it
// is a prefix of the records of this subject only.
func (g *grouping) start(record []byte) {
	cut := bytes.IndexByte(record, 0)
	g.subject = append(g.subject[:0], record[:cut+1]...)
	g.last = g.last[:0]
	g.group = Group{Subject: resource(g.subject[:cut]), Edits: g.group.Edits[:0]}
}

// take adds record to the group unless it repeats the one before.
func (g *grouping) take(record []byte) error {
	if bytes.Equal(key(record), g.last) {
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
