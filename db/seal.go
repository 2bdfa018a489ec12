package db

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"

	"trails/fault"
)

// A write-ahead log does not say which file it belongs to: SQLite takes the one that has
// the file's name, and copies what it says into the file. After `mv backup.db live.db` the
// old log would destroy the backup. So every transaction that writes puts a new seal into
// the row of main, and beside it the one that it found. The row is on one page, which is
// then in the log: the seal that the file itself has must be the one that the first
// transaction of its log found, or one of those that the log has, when some of it was
// copied into the file already.
//
// A seal is eight random bytes, and the first eight of a digest of them and of the rest
// of the row, which File.Verify recomputes.

const (
	getSeal = "SELECT epoch, seal, before FROM lines WHERE line = ?"
	putSeal = "UPDATE lines SET epoch = ?, seal = ?, before = ? WHERE line = ?"
)

const nonceSize = 8

// newSeal returns a seal for a row with this epoch and the seal before.
func newSeal(epoch, before []byte) []byte {
	nonce := make([]byte, nonceSize)
	_, _ = rand.Read(nonce) // it never fails
	return sealWith(nonce, epoch, before)
}

func sealWith(nonce, epoch, before []byte) []byte {
	return append(bytes.Clone(nonce), rowSum("lines", epoch, before, nonce)[:nonceSize]...)
}

func newEpoch() []byte {
	epoch := make([]byte, 16)
	_, _ = rand.Read(epoch) // it never fails
	return epoch
}

// seal puts a new seal into the row of main, and begins an epoch when it is given one.
func (c *conn) seal(epoch []byte) error {
	var before []byte
	err := c.exec(getSeal, func(s *stmt) error {
		if before = s.blob(1); epoch == nil {
			epoch = s.blob(0)
		}
		return nil
	}, mainLine)
	if err != nil {
		return err
	}
	return c.exec(putSeal, nil, epoch, newSeal(epoch, before), before, mainLine)
}

// firstSeals is the format from which files have seals.
const firstSeals = 4

// commitSealed ends the write transaction of the writer's connection. What it returns nil for
// is in the file that the path leads to.
func (f *File) commitSealed() error {
	if err := f.writable(); err != nil {
		return err
	}
	if err := f.writer.seal(nil); err != nil {
		return err
	}
	if err := f.writer.end("COMMIT"); err != nil {
		return err
	}
	return f.inPlace()
}

// leaveLog copies the log into the file that is open and empties it, when the path does
// not lead there any more: so a file that was moved is whole without its log, and the log
// does no harm to a file that comes to its name. When it cannot be done now, the next
// transaction that is refused does it.
func (c *conn) leaveLog() { _ = c.once("PRAGMA wal_checkpoint(TRUNCATE)") }

// How often what a process finds beside a file is looked at again before it is believed,
// because another one may have opened the file meanwhile.
const (
	logLooks = 5
	logPause = 20 * time.Millisecond
)

// checkLog refuses a file whose log belongs to another one. Nobody in this process has the
// file open, and SQLite has not seen it yet.
func checkLog(ctx context.Context, file *os.File, path string, format int) error {
	var stray error
	for range logLooks {
		held, err := isHeld(file, sharedFirst, sharedSize)
		if err != nil || held {
			return err // who has it open has looked
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

// strayLog says what is wrong with the log that has the name of a file that nobody has open.
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
	log  []seal // of the transactions that ended, the oldest first
}

// sealsOf reads the seals of a file and of its log, none when there is no log or when
// it cannot be told: SQLite says what is wrong then.
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
	raw, err := openImmutable(path)
	if err != nil {
		return out, nil
	}
	c := newConn(raw)
	root, err := c.int64("SELECT rootpage FROM sqlite_schema WHERE name = 'lines'")
	if err == nil && format >= firstSeals {
		err = c.exec(getSeal, func(s *stmt) error {
			out.file = s.blob(1)
			return nil
		}, mainLine)
	}
	if errors.Join(err, c.close()) != nil {
		return seals{}, nil
	}
	out.log, err = readLog(bufio.NewReaderSize(log, 1<<20), uint32(root))
	if err != nil {
		return out, fault.New(fault.Unusable, "%s cannot be read", fault.Path(wal)).Because(err)
	}
	return out, nil
}

// readLog returns the seals on a page in the transactions of a log that ended
// (https://sqlite.org/fileformat2.html section 4.2). What does not fit its checksum is
// the end, as it is for SQLite.
func readLog(r io.Reader, root uint32) (ended []seal, err error) {
	const headerSize, frameSize, magic = 32, 24, 0x377f0682
	var header [headerSize]byte
	if _, err := io.ReadFull(r, header[:]); err != nil {
		return nil, atEnd(err)
	}
	word := binary.BigEndian.Uint32
	size := word(header[8:])
	if word(header[:])&^1 != magic || size != pageSize {
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
	frame := make([]byte, frameSize+pageSize)
	for {
		if _, err := io.ReadFull(r, frame); err != nil {
			return ended, atEnd(err)
		}
		sum.add(frame[:8])
		sum.add(frame[frameSize:])
		if !bytes.Equal(frame[8:16], header[16:24]) || sum.a != word(frame[16:]) || sum.b != word(frame[20:]) {
			return ended, nil
		}
		if word(frame) == root {
			if s, ok := sealOn(frame[frameSize:]); ok {
				open = append(open, s)
			}
		}
		if word(frame[4:]) != 0 { // the transaction's last frame
			ended, open = append(ended, open...), nil
		}
	}
}

// atEnd is nil when a log merely ends.
func atEnd(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}

// logSum is the running checksum of a log.
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

// sealOn returns the seal in the row of main, which is on a leaf of a table
// (https://sqlite.org/fileformat2.html section 1.6); false when the page is none such.
func sealOn(page []byte) (out seal, ok bool) {
	const leaf, sealColumn, beforeColumn = 0x0d, 6, 7
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
		row.varint() // the payload's size
		if row.varint() != mainLine {
			continue
		}
		start := len(row.rest)
		end := start - int(row.varint()) // of the record's header
		if end < 0 || end > start {
			return out, false
		}
		values := cell{row.rest[len(row.rest)-min(end, len(row.rest)):]}
		for column := 0; len(row.rest) > end; column++ {
			value := values.take(bytesOf(row.varint()))
			switch column {
			case sealColumn:
				out.seal = value
			case beforeColumn:
				out.before = value
			}
		}
		return out, len(out.seal) > 0
	}
	return out, false
}

// cell is what is left of a cell of a page.
type cell struct{ rest []byte }

func (c *cell) varint() (v int64) {
	for i := 0; i < 9 && len(c.rest) > 0; i++ {
		b := c.rest[0]
		c.rest = c.rest[1:]
		if i == 8 {
			return v<<8 | int64(b)
		}
		if v = v<<7 | int64(b&0x7f); b < 0x80 {
			return v
		}
	}
	return v
}

// take returns a copy of the next n bytes, nil when there are none.
func (c *cell) take(n int64) []byte {
	if n <= 0 || n > int64(len(c.rest)) {
		return nil
	}
	v := bytes.Clone(c.rest[:n])
	c.rest = c.rest[n:]
	return v
}

// bytesOf returns how many bytes a value of a serial type takes.
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
