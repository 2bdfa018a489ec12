package change

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"slices"
)

// run is a sorted sequence of records that can be read more than once.
type run interface {
	open() (cursor, error)
	close() error
}

// cursor returns record after record, then io.EOF. A record is valid until the next call.
type cursor interface{ next() ([]byte, error) }

// chunk is a run in memory: records end to end, and where each begins and ends.
type chunk struct {
	arena   []byte
	spans   []span
	byGraph bool
}

type span struct{ from, to uint32 }

func (c *chunk) add(e Edit) {
	from := len(c.arena)
	if c.byGraph {
		c.arena = appendByGraph(c.arena, e)
	} else {
		c.arena = appendRecord(c.arena, e)
	}
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

// spill writes the records of a cursor to a file in dir.
func spill(dir string, c cursor) (run, error) {
	f, err := os.CreateTemp(dir, "trails-spool-*")
	if err != nil {
		return nil, err
	}
	size, err := int64(0), os.Remove(f.Name())
	if err == nil {
		size, err = writeRecords(f, c)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return &fileRun{file: f, size: size}, nil
}

func writeRecords(f io.Writer, c cursor) (size int64, err error) {
	w := bufio.NewWriterSize(f, 1<<20)
	for {
		record, err := c.next()
		if err == io.EOF {
			return size, w.Flush()
		}
		if err != nil {
			return size, err
		}
		head := binary.AppendUvarint(w.AvailableBuffer(), uint64(len(record)))
		size += int64(len(head)) + int64(len(record))
		if _, err := w.Write(head); err != nil {
			return size, err
		}
		if _, err := w.Write(record); err != nil {
			return size, err
		}
	}
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
	if _, err = io.ReadFull(c.r, c.record); errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF // a record that does not begin is missing all the same
	}
	return c.record, err
}
