// Package extsort sorts any number of records, which are bytes, in bounded memory: it is an external merge sort. It
// does not interpret records. Read [Sorter] first.
package extsort

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"slices"

	"trails/fault"
)

// DefaultChunkBytes is the size of a chunk, unless [Sorter.ChunkBytes] is set.
const DefaultChunkBytes = 16 << 20

// Bounds on memory and open files, however large the input: at most keptChunks sorted chunks, one being filled and
// one being sorted are in memory. mergedFiles files are merged into one, so that a pass has few files open, with
// readBytes of memory each.
const (
	keptChunks  = 1
	mergedFiles = 100
	readBytes   = 64 << 10
)

// Sorter sorts records. They can be read repeatedly. Records with equal keys stay in the order in which they were
// added. The zero Sorter is ready to use; Close removes its temporary files. It is not safe for concurrent use.
type Sorter struct {
	// Dir is the directory for temporary files; empty means the system's.
	Dir string
	// ChunkBytes is the size of a chunk, below 4 GiB; 0 means DefaultChunkBytes.
	ChunkBytes int
	// Key returns the part of a record that is compared; nil compares all of it.
	Key func(record []byte) []byte

	filling *chunk
	spare   *chunk      // a written chunk, for reuse
	sorting chan sorted // closed when the current chunk has been sorted; nil if there is none
	runs    []run       // in the order of the input
	files   int         // number of runs at the end of runs that are files which have not been merged
}

type sorted struct {
	run   run
	spare *chunk // nil if it is the run itself
	err   error
}

// run is a sorted sequence of records that can be read more than once.
type run interface {
	open() source
	close() error
}

// source yields records, then io.EOF. A record is valid until the next call.
type source interface{ next() ([]byte, error) }

// Add adds the record that write appends to its argument.
func (s *Sorter) Add(write func([]byte) []byte) error {
	if s.filling == nil {
		s.filling, s.spare = cmp.Or(s.spare, &chunk{}), nil
	}
	c, size := s.filling, cmp.Or(s.ChunkBytes, DefaultChunkBytes)
	from := len(c.arena)
	c.arena = write(c.arena)
	c.spans = append(c.spans, span{from: uint32(from), to: uint32(len(c.arena))})
	if len(c.arena) >= size {
		return s.cut()
	}
	if len(c.arena) >= size/manyParts && cap(c.arena) < size {
		// Probably the whole chunk will be needed, so it is allocated at once.
		c.arena = slices.Grow(c.arena, size+size/manyParts-len(c.arena))
		c.spans = slices.Grow(c.spans, len(c.spans)*manyParts)
	}
	return nil
}

// manyParts is the part of a chunk from which a whole one is probable.
const manyParts = 8

// cut passes the full chunk to a goroutine that sorts it, while the next one is filled.
func (s *Sorter) cut() error {
	if err := s.settle(); err != nil || s.filling == nil {
		return err
	}
	full, done, keep := s.filling, make(chan sorted, 1), len(s.runs) < keptChunks
	s.filling, s.sorting = nil, done
	go func() {
		got := sorted{run: full}
		got.err = fault.Guard(func() (err error) {
			s.sort(full)
			if !keep {
				got.run, err = writeRun(s.Dir, full.open())
				got.spare = &chunk{arena: full.arena[:0], spans: full.spans[:0]}
			}
			return err
		})
		done <- got
	}()
	return nil
}

// sort sorts the records of a chunk. Most of them differ in a few bytes behind their common prefix; these bytes are
// copied into the spans, so that the records themselves need not be read.
func (s *Sorter) sort(c *chunk) {
	first := s.key(c.at(c.spans[0]))
	shared := len(first)
	for _, i := range c.spans {
		shared = min(shared, sharedBytes(first[:shared], s.key(c.at(i))))
	}
	for i := range c.spans {
		var few [8]byte
		copy(few[:], s.key(c.at(c.spans[i]))[shared:])
		c.spans[i].few = binary.BigEndian.Uint64(few[:])
	}
	slices.SortFunc(c.spans, func(a, b span) int {
		if a.few != b.few {
			return cmp.Compare(a.few, b.few)
		}
		return cmp.Or(s.compare(c.at(a), c.at(b)), cmp.Compare(a.from, b.from))
	})
}

func (s *Sorter) key(record []byte) []byte {
	if s.Key == nil {
		return record
	}
	return s.Key(record)
}

func (s *Sorter) compare(a, b []byte) int { return bytes.Compare(s.key(a), s.key(b)) }

// settle waits for the chunk that is being sorted, and merges the last files if they are many.
func (s *Sorter) settle() error {
	if s.sorting == nil {
		return nil
	}
	got := <-s.sorting
	s.sorting = nil
	if got.err != nil {
		return got.err
	}
	s.runs, s.spare = append(s.runs, got.run), got.spare
	if _, onDisk := got.run.(*fileRun); onDisk {
		s.files++
	}
	if s.files < mergedFiles {
		return nil
	}
	parts := s.runs[len(s.runs)-s.files:]
	merged, err := s.merge(parts)
	if err != nil {
		return err
	}
	whole, err := writeRun(s.Dir, &mergedSource{cursor: merged})
	if err != nil {
		return err
	}
	for _, r := range parts {
		if err := r.close(); err != nil {
			return err
		}
	}
	s.runs, s.files = append(s.runs[:len(s.runs)-len(parts)], whole), 0
	return nil
}

// Sorted returns a cursor over all records in order. Records may be added between two passes, not during one.
func (s *Sorter) Sorted() (*Cursor, error) {
	if err := s.cut(); err != nil {
		return nil, err
	}
	if err := s.settle(); err != nil {
		return nil, err
	}
	s.spare = nil
	return s.merge(s.runs)
}

// Close removes the temporary files. The sorter must not be used afterwards.
func (s *Sorter) Close() error {
	first := s.settle()
	for _, r := range s.runs {
		first = cmp.Or(first, r.close())
	}
	s.runs, s.filling = nil, nil
	return first
}

// chunk is a run in memory: consecutive records, and their spans.
type chunk struct {
	arena []byte
	spans []span
}

type span struct {
	few      uint64 // some bytes of the key, see sort
	from, to uint32
}

func (c *chunk) at(i span) []byte { return c.arena[i.from:i.to] }
func (c *chunk) open() source     { return &chunkSource{chunk: c} }
func (c *chunk) close() error     { return nil }

type chunkSource struct {
	chunk *chunk
	i     int
}

func (c *chunkSource) next() ([]byte, error) {
	if c.i == len(c.chunk.spans) {
		return nil, io.EOF
	}
	c.i++
	return c.chunk.at(c.chunk.spans[c.i-1]), nil
}

// fileRun is a run on disk: for each record the number of bytes shared with the previous one, and the other bytes
// with their number. The file has been unlinked, so that nothing is left behind even by a kill.
type fileRun struct {
	file *os.File
	size int64
}

// writeRun writes the records of a source to a file in dir.
func writeRun(dir string, from source) (_ run, err error) {
	f, err := os.CreateTemp(dir, "trails-sort-*")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	if err := os.Remove(f.Name()); err != nil {
		return nil, err
	}
	r, w := &fileRun{file: f}, bufio.NewWriterSize(f, 1<<20)
	var last []byte
	for {
		record, err := from.next()
		if err == io.EOF {
			return r, w.Flush()
		}
		if err != nil {
			return nil, err
		}
		shared := sharedBytes(last, record)
		rest := record[shared:]
		last = append(last[:shared], rest...)
		head := binary.AppendUvarint(w.AvailableBuffer(), uint64(shared))
		head = binary.AppendUvarint(head, uint64(len(rest)))
		r.size += int64(len(head)) + int64(len(rest))
		if _, err := w.Write(head); err != nil {
			return nil, err
		}
		if _, err := w.Write(rest); err != nil {
			return nil, err
		}
	}
}

// sharedBytes returns the length of the common prefix.
func sharedBytes(a, b []byte) int {
	n := min(len(a), len(b))
	for i := 0; i < n; i += 8 {
		if n-i < 8 || binary.NativeEndian.Uint64(a[i:]) != binary.NativeEndian.Uint64(b[i:]) {
			for ; i < n && a[i] == b[i]; i++ {
			}
			return i
		}
	}
	return n
}

func (r *fileRun) open() source {
	return &fileSource{r: bufio.NewReaderSize(io.NewSectionReader(r.file, 0, r.size), readBytes)}
}

func (r *fileRun) close() error { return r.file.Close() }

type fileSource struct {
	r      *bufio.Reader
	record []byte
}

func (c *fileSource) next() ([]byte, error) {
	shared, err := binary.ReadUvarint(c.r)
	if err != nil {
		return nil, err
	}
	n, err := binary.ReadUvarint(c.r)
	if err == nil {
		c.record = slices.Grow(c.record[:shared], int(n))[:shared+n]
		_, err = io.ReadFull(c.r, c.record[shared:])
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF // a record that has begun must not end
	}
	return c.record, err
}

// Cursor reads several runs as one sorted sequence.
type Cursor struct {
	sorter *Sorter
	heads  []head // a heap of the next record of each run
}

type head struct {
	record []byte
	source source
	order  int // index of the run: among equal records earlier input comes first
}

func (s *Sorter) merge(runs []run) (*Cursor, error) {
	c := &Cursor{sorter: s}
	for i, r := range runs {
		from := r.open()
		record, err := from.next()
		if err == io.EOF {
			continue
		}
		if err != nil {
			return nil, err
		}
		c.heads = append(c.heads, head{record: record, source: from, order: i})
	}
	for i := len(c.heads) / 2; i >= 0; i-- {
		c.sink(i)
	}
	return c, nil
}

// sink moves a head of the heap down to its place.
func (c *Cursor) sink(i int) {
	for {
		least := i
		for below := 2*i + 1; below <= 2*i+2 && below < len(c.heads); below++ {
			if c.before(below, least) {
				least = below
			}
		}
		if least == i {
			return
		}
		c.heads[i], c.heads[least] = c.heads[least], c.heads[i]
		i = least
	}
}

func (c *Cursor) before(i, j int) bool {
	order := c.sorter.compare(c.heads[i].record, c.heads[j].record)
	return order < 0 || order == 0 && c.heads[i].order < c.heads[j].order
}

// Peek returns the current record, which is valid until Advance; ok is false at the end.
func (c *Cursor) Peek() (record []byte, ok bool) {
	if len(c.heads) == 0 {
		return nil, false
	}
	return c.heads[0].record, true
}

// Advance moves to the next record.
func (c *Cursor) Advance() error {
	record, err := c.heads[0].source.next()
	switch {
	case err == io.EOF:
		last := len(c.heads) - 1
		c.heads[0] = c.heads[last]
		c.heads = c.heads[:last]
	case err != nil:
		return err
	default:
		c.heads[0].record = record
	}
	c.sink(0)
	return nil
}

// mergedSource uses a cursor as the source of a merged run.
type mergedSource struct {
	cursor *Cursor
	begun  bool
}

func (m *mergedSource) next() ([]byte, error) {
	if m.begun {
		if err := m.cursor.Advance(); err != nil {
			return nil, err
		}
	}
	m.begun = true
	record, ok := m.cursor.Peek()
	if !ok {
		return nil, io.EOF
	}
	return record, nil
}
