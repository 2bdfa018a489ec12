package load

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"unicode/utf16"
	"unicode/utf8"

	"trails/fault"
)

// decoded converts a text to UTF-8, without a byte order mark.
func decoded(name string, text *bufio.Reader) (*bufio.Reader, error) {
	head, _ := text.Peek(64)
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(head, []byte("\xEF\xBB\xBF")):
		_, _ = text.Discard(3) // they are in the buffer
		return text, nil
	case bytes.HasPrefix(head, []byte{0xFF, 0xFE, 0, 0}), bytes.HasPrefix(head, []byte{0, 0, 0xFE, 0xFF}):
		return nil, fault.New(fault.Malformed, "%s is UTF-32, which is not read; save it as UTF-8", name)
	case bytes.HasPrefix(head, []byte{0xFF, 0xFE}):
		order = binary.LittleEndian
		_, _ = text.Discard(2)
	case bytes.HasPrefix(head, []byte{0xFE, 0xFF}):
		order = binary.BigEndian
		_, _ = text.Discard(2)
	case everyOther(head, 1):
		order = binary.LittleEndian
	case everyOther(head, 0):
		order = binary.BigEndian
	default:
		return text, nil
	}
	return bufio.NewReaderSize(&utf16Reader{in: text, order: order}, 1<<18), nil
}

// everyOther reports whether every second byte, from one on, is 0 and no other is: ASCII in UTF-16.
func everyOther(head []byte, zero int) bool {
	for i, c := range head {
		if (c == 0) != (i%2 == zero) {
			return false
		}
	}
	return len(head) >= 4
}

// utf16Reader converts UTF-16 to UTF-8. A lone surrogate becomes invalid UTF-8, so that the next reader refuses it at
// its place.
type utf16Reader struct {
	in    *bufio.Reader
	order binary.ByteOrder
	rest  []byte
	err   error
}

// Read implements [io.Reader].
func (u *utf16Reader) Read(p []byte) (int, error) {
	for len(u.rest) == 0 && u.err == nil {
		u.rest, u.err = u.decode(u.rest[:0])
	}
	if len(u.rest) == 0 {
		return 0, u.err
	}
	n := copy(p, u.rest)
	u.rest = u.rest[n:]
	return n, nil
}

// decode reads some thousand units.
func (u *utf16Reader) decode(dst []byte) ([]byte, error) {
	for range 4096 {
		unit, err := u.unit()
		if err != nil {
			return dst, err
		}
		if !utf16.IsSurrogate(rune(unit)) {
			dst = utf8.AppendRune(dst, rune(unit))
			continue
		}
		next, _ := u.in.Peek(2)
		if len(next) == 2 {
			if r := utf16.DecodeRune(rune(unit), rune(u.order.Uint16(next))); r != utf8.RuneError {
				_, _ = u.in.Discard(2)
				dst = utf8.AppendRune(dst, r)
				continue
			}
		}
		dst = append(dst, 0xFF)
	}
	return dst, nil
}

func (u *utf16Reader) unit() (uint16, error) {
	var b [2]byte
	switch n, err := io.ReadFull(u.in, b[:]); {
	case n == 1:
		return 0, io.ErrUnexpectedEOF
	case err != nil:
		return 0, err
	}
	return u.order.Uint16(b[:]), nil
}
