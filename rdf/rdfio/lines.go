package rdfio

import (
	"bytes"
	"errors"
	"io"
)

const (
	firstBuffer  = 64 << 10
	maxEmptyRead = 100
)

// errLongLine is what lines.next returns for a line beyond the limit.
var errLongLine = errors.New("line too long")

// lines splits a stream at LF, CR or CRLF. Its memory is bounded by the longest line it
// accepts.
type lines struct {
	r          io.Reader
	buf        []byte
	start, end int // buf[start:end] is read but not yet consumed
	max        int
	number     int   // of the last returned line, from 1
	consumed   int64 // bytes of lines returned or skipped, endings included
	afterCR    bool  // the last line ended in CR: an LF that follows belongs to it
	err        error // the error that ended r
}

// next returns the next line without its ending; the slice is valid until the next call. After
// errLongLine the next call returns the following line.
func (l *lines) next() ([]byte, error) {
	searched := 0
	for {
		l.dropLF()
		chunk := l.buf[l.start:l.end]
		if i := lineEnd(chunk[searched:]); i >= 0 {
			return l.cut(searched+i, 1)
		}
		if len(chunk) > l.max {
			return nil, l.skipLong()
		}
		if l.err != nil {
			return l.last(chunk)
		}
		searched = len(chunk)
		l.fill()
	}
}

// searchWindow is how far lineEnd looks for an LF before it looks for a CR. Without it, each
// line of a file with CR alone would cost a scan of the whole buffer.
const searchWindow = 4 << 10

// lineEnd returns the index of the first CR or LF, or -1.
func lineEnd(b []byte) int {
	for at := 0; at < len(b); at += searchWindow {
		window := b[at:min(at+searchWindow, len(b))]
		lf := bytes.IndexByte(window, '\n')
		if lf >= 0 {
			window = window[:lf]
		}
		if cr := bytes.IndexByte(window, '\r'); cr >= 0 {
			return at + cr
		}
		if lf >= 0 {
			return at + lf
		}
	}
	return -1
}

func (l *lines) dropLF() {
	if !l.afterCR || l.start == l.end {
		return
	}
	l.afterCR = false
	if l.buf[l.start] == '\n' {
		l.advance(1)
	}
}

func (l *lines) advance(n int) {
	l.start += n
	l.consumed += int64(n)
}

// cut consumes a line of n bytes and its ending, and returns the line.
func (l *lines) cut(n, ending int) ([]byte, error) {
	line := l.buf[l.start : l.start+n]
	l.afterCR = ending > 0 && l.buf[l.start+n] == '\r'
	l.advance(n + ending)
	l.number++
	if n > l.max {
		return nil, errLongLine
	}
	if l.number == 1 {
		line = bytes.TrimPrefix(line, []byte("\xEF\xBB\xBF"))
	}
	return line, nil
}

// last returns the text after the last line ending, if there is any.
func (l *lines) last(chunk []byte) ([]byte, error) {
	if len(chunk) == 0 || l.err != io.EOF {
		return nil, l.err
	}
	return l.cut(len(chunk), 0)
}

// skipLong consumes the rest of a line over the limit.
func (l *lines) skipLong() error {
	l.number++
	for {
		chunk := l.buf[l.start:l.end]
		if i := lineEnd(chunk); i >= 0 {
			l.afterCR = chunk[i] == '\r'
			l.advance(i + 1)
			return errLongLine
		}
		l.advance(len(chunk))
		if l.err != nil {
			return errLongLine
		}
		l.fill()
	}
}

// fill reads more input into buf, after making room.
func (l *lines) fill() {
	if l.start > 0 {
		l.end = copy(l.buf, l.buf[l.start:l.end])
		l.start = 0
	}
	if l.end == len(l.buf) {
		l.buf = append(l.buf, make([]byte, min(len(l.buf), l.max+1))...)
	}
	for range maxEmptyRead {
		n, err := l.r.Read(l.buf[l.end:])
		l.end += n
		l.err = err
		if n > 0 || err != nil {
			return
		}
	}
	l.err = io.ErrNoProgress
}
