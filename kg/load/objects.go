package load

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// objects splits a JSON array into its elements, one of which is in memory at a time.
type objects struct {
	text   *bufio.Reader
	line   uint64 // line of the next byte, from 1
	read   int    // bytes read of that line
	column int    // column at which the returned element begins, from 1
	begun  bool   // "[" has been read
	ended  bool   // "]" has been read
	buffer []byte
}

// errNoArray and the following errors end the array: the next elements cannot be found.
var (
	errNoArray   = errors.New(`the text is no JSON array: it does not begin with "["`)
	errOpenArray = errors.New(`the JSON array does not end: "]" is missing`)
	errBehind    = errors.New("there is more text behind the end of the JSON array")
	errNoElement = errors.New("there is nothing before a comma or the end of the JSON array")
	errLongItem  = fmt.Errorf("the object is longer than %d bytes; shorten it, or divide it", maxLine)
)

// next returns the text of the next element, valid until the following call, and its line; io.EOF after the end of
// the array. After errNoElement and errLongItem, which comes with the beginning of the element, it can continue.
func (o *objects) next() (element []byte, line uint64, err error) {
	if !o.begun {
		switch c, err := o.skipSpace(); {
		case err != nil && err != io.EOF:
			return nil, o.line, err
		case c != '[':
			return nil, o.line, errNoArray
		}
		o.begun = true
		if c, err := o.skipSpace(); err == nil && c != ']' {
			_ = o.text.UnreadByte() // it has just been read
			o.read--
		} else if err == nil {
			o.ended = true
		}
	}
	if o.ended {
		_, err := o.skipSpace()
		if err == nil {
			err = errBehind
		}
		return nil, o.line, err
	}
	return o.element()
}

// element reads an element including the comma or bracket behind it.
func (o *objects) element() ([]byte, uint64, error) {
	o.buffer = o.buffer[:0]
	depth, quoted, escaped, long := 0, false, false, false
	c, err := o.skipSpace()
	line := o.line
	o.column = o.read
	for ; err == nil; c, err = o.readByte() {
		switch {
		case escaped:
			escaped = false
		case quoted:
			escaped, quoted = c == '\\', c != '"'
		case c == '"':
			quoted = true
		case c == '{' || c == '[':
			depth++
		case depth > 0 && (c == '}' || c == ']'):
			depth--
		case depth == 0 && (c == ',' || c == ']'):
			o.ended = c == ']'
			switch element := bytes.TrimSpace(o.buffer); {
			case long:
				return begin(o.buffer), line, errLongItem
			case len(element) == 0:
				return nil, line, errNoElement
			default:
				return element, line, nil
			}
		}
		if c == '\n' {
			o.line, o.read = o.line+1, 0
		}
		if long = long || len(o.buffer) >= maxLine; !long {
			o.buffer = append(o.buffer, c)
		}
	}
	if err == io.EOF {
		err = errOpenArray
	}
	return nil, line, err
}

// skipSpace reads on to the next byte that is no space of JSON.
func (o *objects) skipSpace() (byte, error) {
	for {
		c, err := o.readByte()
		if err != nil || c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return c, err
		}
		if c == '\n' {
			o.line, o.read = o.line+1, 0
		}
	}
}

func (o *objects) readByte() (byte, error) {
	c, err := o.text.ReadByte()
	if err == nil {
		o.read++
	}
	return c, err
}
