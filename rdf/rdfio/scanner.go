package rdfio

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"trails/fault"
	"trails/rdf"
)

var (
	errLongTerm = errors.New("term too long")
	errEncoding = errors.New("not UTF-8")
)

const minWindow = 64

// scanner is a window on a stream of UTF-8 text: buf[pos:end] is read and valid, but not yet
// consumed. Tokens are examined whole before they are consumed, so the window grows to the
// longest token, up to limit.
type scanner struct {
	r        io.Reader
	buf      []byte
	pos, end int
	held     int   // bytes after end: the beginning of an incomplete code point
	limit    int   // the largest window
	stop     error // the error that ended the input; io.EOF at its end

	located int // buf[:located] is included in at
	at      place
	oneLine bool // the input is one line of a longer text

	lenient bool   // invalid IRIs and language tags leave out their statements
	lang    string // the last language tag
	scratch []byte // buffer for unescaped text
}

// place is a position in a text: lines and code points from 1.
type place struct {
	line, column int
	afterCR      bool // the text ended in CR: an LF that follows belongs to it
}

// rest returns the text in the window.
func (s *scanner) rest() []byte { return s.buf[s.pos:s.end] }

// peek returns the i-th byte ahead, or 0 after the end of the input.
func (s *scanner) peek(i int) byte {
	if s.pos+i < s.end || s.ensure(i+1) {
		return s.buf[s.pos+i]
	}
	return 0
}

// ensure reads until the window has n bytes; it reports false if the input is shorter.
func (s *scanner) ensure(n int) bool {
	for s.end-s.pos < n {
		if !s.more() {
			return false
		}
	}
	return true
}

// more enlarges the window, or reports false and sets stop.
func (s *scanner) more() bool {
	before := s.end - s.pos
	for s.stop == nil && s.end-s.pos == before {
		s.fill()
	}
	return s.end-s.pos > before
}

func (s *scanner) fill() {
	if s.end+s.held == len(s.buf) && !s.makeRoom() {
		s.stop = errLongTerm
		return
	}
	for range maxEmptyRead {
		n, err := s.r.Read(s.buf[s.end+s.held:])
		s.held += n
		s.accept(err == io.EOF)
		if s.stop == nil {
			s.stop = err
		}
		if n > 0 || err != nil {
			return
		}
	}
	s.stop = io.ErrNoProgress
}

// makeRoom moves the window to the buffer's front, or grows the buffer up to its limit.
func (s *scanner) makeRoom() bool {
	s.locate()
	if s.pos > 0 {
		copy(s.buf, s.buf[s.pos:s.end+s.held])
		s.end, s.pos, s.located = s.end-s.pos, 0, 0
		return true
	}
	if len(s.buf) >= s.limit {
		return false
	}
	s.buf = append(s.buf, make([]byte, min(len(s.buf), s.limit-len(s.buf)))...)
	return true
}

// accept validates the held bytes and adds them to the window, except an incomplete code point
// at the end.
func (s *scanner) accept(last bool) {
	fresh := s.buf[s.end : s.end+s.held]
	n := len(fresh)
	if !last {
		n = wholeCodePoints(fresh)
	}
	if !utf8.Valid(fresh[:n]) {
		n = rdf.InvalidAt(fresh)
		s.stop = errEncoding
	}
	s.end += n
	s.held -= n
}

// wholeCodePoints returns the length of b without an incomplete code point at its end.
func wholeCodePoints(b []byte) int {
	for i := len(b) - 1; i >= 0 && i > len(b)-utf8.UTFMax; i-- {
		if utf8.RuneStart(b[i]) {
			if !utf8.FullRune(b[i:]) {
				return i
			}
			break
		}
	}
	return len(b)
}

// locate updates at for everything consumed since the last call.
func (s *scanner) locate() {
	if s.located < s.pos {
		s.at.advance(s.buf[s.located:s.pos])
		s.located = s.pos
	}
}

func (p *place) advance(b []byte) {
	if len(b) == 0 {
		return
	}
	lf, cr := bytes.Count(b, []byte{'\n'}), bytes.Count(b, []byte{'\r'})
	if lf+cr == 0 {
		p.column += utf8.RuneCount(b)
		p.afterCR = false
		return
	}
	if cr > 0 {
		cr -= bytes.Count(b, []byte("\r\n"))
	}
	if p.afterCR && b[0] == '\n' {
		lf--
	}
	p.line += lf + cr
	last := max(bytes.LastIndexByte(b, '\n'), bytes.LastIndexByte(b, '\r'))
	p.column = utf8.RuneCount(b[last+1:]) + 1
	p.afterCR = b[len(b)-1] == '\r'
}

// space skips white space and comments, and reports whether anything follows.
func (s *scanner) space() bool {
	for {
		for s.pos < s.end {
			switch s.buf[s.pos] {
			case ' ', '\t', '\n', '\r':
				s.pos++
			case '#':
				s.comment()
			default:
				return true
			}
		}
		if !s.more() {
			return false
		}
	}
}

func (s *scanner) comment() {
	for {
		if i := lineEnd(s.rest()); i >= 0 {
			s.pos += i
			return
		}
		s.pos = s.end
		if !s.more() {
			return
		}
	}
}

// expected returns a syntax error i bytes ahead, or the error that ended the input there.
func (s *scanner) expected(i int, what string) error {
	s.ensure(i + excerptBytes + utf8.UTFMax)
	i = min(i, s.end-s.pos)
	if s.pos+i == s.end && s.stop != nil && s.stop != io.EOF {
		return s.stopped(i)
	}
	if of := laterSyntax(s.rest(), i); of != "" {
		what = of
	}
	return s.syntaxError(i, what)
}

// stopped converts the error that ended the input into the one to return.
func (s *scanner) stopped(i int) error {
	switch s.stop {
	case errEncoding:
		e := s.syntaxError(i, "valid UTF-8")
		e.Excerpt, e.atEnd = string(s.buf[s.end:s.end+1]), false
		return e
	case errLongTerm:
		e := s.syntaxError(0, fmt.Sprintf("a term of at most %d bytes", s.limit))
		e.Excerpt, e.atEnd, e.kind = "a longer one", false, fault.TooLarge
		return e
	}
	return fmt.Errorf("read line %d: %w", s.syntaxError(i, "").Line, s.stop)
}

// syntaxError describes the text i bytes ahead. Its excerpt does not depend on how the input
// was split into reads.
func (s *scanner) syntaxError(i int, what string) *SyntaxError {
	s.ensure(i + excerptBytes + utf8.UTFMax)
	at := s.at
	from := min(s.located, s.pos+i)
	at.advance(s.buf[from : s.pos+i])
	found := s.buf[s.pos+i : s.end]
	atEnd := len(found) == 0 && !s.oneLine
	if end := lineEnd(found); end >= 0 {
		found = found[:end]
	}
	return &SyntaxError{Line: at.line, Column: at.column, Expected: what, Excerpt: excerpt(found), kind: fault.Malformed, atEnd: atEnd}
}
