package disk

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"trails/db/pager"
	"trails/db/scan"
	"trails/fault"
)

// FirstSeals is the first format whose rows of lines have seals, in the columns seal and before. The log of a file has
// the seal that the file has, or the one that follows it.
const FirstSeals = 4

// mainLine is the row of lines that has the seal.
const mainLine = 1

// How often a process checks again before it believes that a log is stray, because another process may be opening the
// file.
const (
	logLooks = 5
	logPause = 20 * time.Millisecond
)

// checkLog refuses a file whose log belongs to another file. Nobody in this process has the file open, and SQLite has
// not seen it yet.
func checkLog(ctx context.Context, file *os.File, path string, format int) error {
	var stray error
	for range logLooks {
		held, err := isHeld(file, sharedFirst, sharedSize)
		if err != nil || held {
			return err // another process has the file open, and has checked
		}
		if stray, err = strayLog(path, format); err != nil || stray == nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(logPause):
		}
	}
	if held, err := isHeld(file, sharedFirst, sharedSize); err != nil || held {
		return err
	}
	return stray
}

// strayLog returns what is wrong with the log of a file that nobody has open.
func strayLog(path string, format int) (stray, err error) {
	shm, err := os.Open(path + "-shm")
	if err == nil {
		held, err := isHeld(shm, shmOpen, 1)
		shm.Close()
		if err != nil {
			return nil, err
		}
		if held {
			return fault.New(fault.Unusable, "%s is not the file that was here before: another process still has that one open, and its log %[1]s-wal; end or restart that process and try again", fault.Path(path)), nil
		}
	}
	seals, err := sealsOf(path, format)
	if err != nil || len(seals.log) == 0 {
		return nil, err
	}
	for _, s := range seals.log {
		if bytes.Equal(s.seal, seals.file) {
			return nil, nil
		}
	}
	if bytes.Equal(seals.log[0].before, seals.file) {
		return nil, nil
	}
	return fault.New(fault.Unusable, "%s-wal is the log of another file, which was here before %[1]s, and would destroy it; put that file back, or move the log away (mv %[1]s-wal %[1]s-wal.old) and try again", fault.Path(path)), nil
}

type seal struct{ seal, before []byte }

type seals struct {
	file []byte
	log  []seal // seals of the complete transactions, oldest first
}

// sealsOf reads the seals of a file and of its log. It returns none if there is no log or it cannot be read; SQLite
// then reports what is wrong.
func sealsOf(path string, format int) (out seals, err error) {
	wal := path + "-wal"
	log, err := os.Open(wal)
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	if err != nil {
		return out, fault.New(fault.Unusable, "%s cannot be read", fault.Path(wal)).Because(err)
	}
	defer log.Close()
	raw, err := OpenImmutable(path)
	if err != nil {
		return out, nil
	}
	pager.Of(raw).Disarm()
	if format >= FirstSeals {
		err = sqlitex.Execute(raw, "SELECT seal FROM lines WHERE line = ?", &sqlitex.ExecOptions{Args: []any{mainLine}, ResultFunc: func(s *sqlite.Stmt) error {
			out.file = make([]byte, s.ColumnLen(0))
			s.ColumnBytes(0, out.file)
			return nil
		}})
	}
	if errors.Join(err, raw.Close()) != nil {
		return seals{}, nil
	}
	out.log, err = readLog(bufio.NewReaderSize(log, 1<<20))
	if err != nil {
		return out, fault.New(fault.Unusable, "%s cannot be read", fault.Path(wal)).Because(err)
	}
	return out, nil
}

// readLog returns the seals in the complete transactions of a log (https://sqlite.org/fileformat2.html section 4.2). As
// for SQLite, the log ends before a frame with a wrong checksum.
func readLog(r io.Reader) (ended []seal, err error) {
	const headerSize, frameSize, magic = 32, 24, 0x377f0682
	var header [headerSize]byte
	if _, err := io.ReadFull(r, header[:]); err != nil {
		return nil, atEnd(err)
	}
	word := binary.BigEndian.Uint32
	size := word(header[8:])
	if word(header[:])&^1 != magic || size != PageSize {
		return nil, nil
	}
	sum := logSum{order: binary.LittleEndian}
	if word(header[:])&1 != 0 {
		sum.order = binary.BigEndian
	}
	if sum.add(header[:24]); sum.a != word(header[24:]) || sum.b != word(header[28:]) {
		return nil, nil
	}
	var open []seal
	frame := make([]byte, frameSize+PageSize)
	for {
		if _, err := io.ReadFull(r, frame); err != nil {
			return ended, atEnd(err)
		}
		sum.add(frame[:8])
		sum.add(frame[frameSize:])
		if !bytes.Equal(frame[8:16], header[16:24]) || sum.a != word(frame[16:]) || sum.b != word(frame[20:]) {
			return ended, nil
		}
		if s, ok := sealOn(frame[frameSize:]); ok {
			open = append(open, s)
		}
		if word(frame[4:]) != 0 { // last frame of the transaction
			ended, open = append(ended, open...), nil
		}
	}
}

// atEnd returns nil for the end of the log.
func atEnd(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}

// logSum is the running checksum of the log.
type logSum struct {
	order binary.ByteOrder
	a, b  uint32
}

func (s *logSum) add(p []byte) {
	for ; len(p) >= 8; p = p[8:] {
		s.a += s.order.Uint32(p) + s.b
		s.b += s.order.Uint32(p[4:]) + s.a
	}
}

// sealOn returns the seal in the row of main, on a leaf page of a table (https://sqlite.org/fileformat2.html section
// 1.6); false if the page has no such row. The page of the row is another one when there are many branches, so the row
// is known by what it has: no other table has blobs of 16 bytes in these columns of its row 1.
func sealOn(page []byte) (out seal, ok bool) {
	const leaf, epochColumn, sealColumn, beforeColumn = 0x0d, 5, 6, 7
	const blob16 = 12 + 2*16 // the type of a blob of 16 bytes, in section 2.1
	if page[0] != leaf {
		return out, false
	}
	for i := range int(binary.BigEndian.Uint16(page[3:])) {
		if 10+2*i > len(page) {
			return out, false
		}
		at := int(binary.BigEndian.Uint16(page[8+2*i:]))
		if at >= len(page) {
			return out, false
		}
		row := cell{page[at:]}
		row.varint() // size of the payload
		if row.varint() != mainLine {
			continue
		}
		start := len(row.rest)
		end := start - int(row.varint()) // size of the record's header
		if end < 0 || end > start {
			return out, false
		}
		values := cell{row.rest[len(row.rest)-min(end, len(row.rest)):]}
		for column := 0; len(row.rest) > end; column++ {
			kind := row.varint()
			value := values.take(bytesOf(kind))
			switch column {
			case epochColumn:
				if kind != blob16 {
					return seal{}, false
				}
			case sealColumn:
				if out.seal = value; kind != blob16 {
					return seal{}, false
				}
			case beforeColumn:
				out.before = value
			}
		}
		return out, len(out.seal) > 0
	}
	return out, false
}

// cell is the unread rest of a cell.
type cell struct{ rest []byte }

func (c *cell) varint() int64 {
	v, n := scan.Varint(c.rest)
	if n == 0 {
		n = len(c.rest)
	}
	c.rest = c.rest[n:]
	return v
}

// take returns a copy of the next n bytes, nil if there are fewer.
func (c *cell) take(n int64) []byte {
	if n <= 0 || n > int64(len(c.rest)) {
		return nil
	}
	v := bytes.Clone(c.rest[:n])
	c.rest = c.rest[n:]
	return v
}

// bytesOf returns the size of a value of a serial type.
func bytesOf(serial int64) int64 {
	switch {
	case serial >= 12:
		return (serial - 12) / 2
	case serial >= 8 || serial <= 0:
		return 0
	case serial == 5:
		return 6
	case serial >= 6:
		return 8
	}
	return serial
}
