package jsontext

import (
	"bytes"
	"encoding/json"
	"sort"
	"strconv"
	"strings"
)

// Canonical writes v as JSON so that equal values give equal texts: members are sorted, numbers have one
// notation.
func Canonical(v any) ([]byte, error) {
	text, err := Marshal(v)
	if err != nil {
		return nil, err
	}
	return CanonicalText(text)
}

// CanonicalText is [Canonical] of a JSON text. The error explains invalid JSON.
func CanonicalText(text []byte) ([]byte, error) {
	if !json.Valid(text) {
		var v any
		return nil, json.Unmarshal(text, &v)
	}
	c := canonicalizer{text: text, out: make([]byte, 0, len(text))}
	if err := c.value(); err != nil {
		return nil, err
	}
	return c.out, nil
}

// Equal reports whether two values are the same JSON; numbers are compared by value.
func Equal(a, b any) bool {
	x, err := Canonical(a)
	y, wrong := Canonical(b)
	return err == nil && wrong == nil && bytes.Equal(x, y)
}

// canonicalizer rewrites valid JSON in one pass, five times as fast as decoding and encoding.
type canonicalizer struct {
	text []byte // the rest of the input
	out  []byte
}

// next returns the byte that the next token begins with.
func (c *canonicalizer) next() byte {
	c.text = bytes.TrimLeft(c.text, " \t\r\n")
	return c.text[0]
}

func (c *canonicalizer) value() error {
	first := c.next()
	switch first {
	case '{':
		return c.object()
	case '[':
		return c.list()
	case '"':
		return c.string()
	}
	end := bytes.IndexAny(c.text, ",]} \t\r\n")
	if end < 0 {
		end = len(c.text)
	}
	word := c.text[:end]
	c.text = c.text[end:]
	if first == '-' || first >= '0' && first <= '9' {
		word = []byte(canonicalNumber(json.Number(word)))
	}
	c.out = append(c.out, word...)
	return nil
}

// string writes a string as [Marshal] does.
func (c *canonicalizer) string() error {
	end, plain := 1, true
	for ; c.text[end] != '"'; end++ {
		b := c.text[end]
		plain = plain && b >= ' ' && b <= '~' && b != '\\'
		if b == '\\' {
			end++
		}
	}
	quoted := c.text[:end+1]
	c.text = c.text[end+1:]
	if plain {
		c.out = append(c.out, quoted...)
		return nil
	}
	var text string
	if err := json.Unmarshal(quoted, &text); err != nil {
		return err
	}
	written, err := Marshal(text)
	c.out = append(c.out, written...)
	return err
}

func (c *canonicalizer) list() error {
	c.out = append(c.out, '[')
	for c.text = c.text[1:]; c.next() != ']'; {
		if c.text[0] == ',' {
			c.text, c.out = c.text[1:], append(c.out, ',')
		}
		if err := c.value(); err != nil {
			return err
		}
	}
	c.text, c.out = c.text[1:], append(c.out, ']')
	return nil
}

// object writes the members, and sorts them if necessary. Of duplicate names the last counts.
func (c *canonicalizer) object() error {
	type named struct {
		name       []byte
		start, end int // in out
	}
	var few [16]named
	members, begin, sorted := few[:0], len(c.out), true
	c.out = append(c.out, '{')
	for c.text = c.text[1:]; c.next() != '}'; {
		if c.text[0] == ',' {
			c.text, c.out = c.text[1:], append(c.out, ',')
			c.next()
		}
		m, read := named{start: len(c.out)}, c.text
		if err := c.string(); err != nil {
			return err
		}
		quoted := c.out[m.start:]
		switch read = read[:len(read)-len(c.text)]; {
		case bytes.IndexByte(quoted, '\\') >= 0:
			var name string
			if err := json.Unmarshal(quoted, &name); err != nil {
				return err
			}
			m.name = []byte(name)
		case bytes.Equal(quoted, read): // unchanged
			m.name = read[1 : len(read)-1]
		default:
			m.name = bytes.Clone(quoted[1 : len(quoted)-1])
		}
		c.next() // the colon
		c.text, c.out = c.text[1:], append(c.out, ':')
		if err := c.value(); err != nil {
			return err
		}
		m.end = len(c.out)
		sorted = sorted && (len(members) == 0 || bytes.Compare(members[len(members)-1].name, m.name) < 0)
		members = append(members, m)
	}
	c.text = c.text[1:]
	if sorted {
		c.out = append(c.out, '}')
		return nil
	}
	written := bytes.Clone(c.out[begin:])
	sort.SliceStable(members, func(i, j int) bool { return bytes.Compare(members[i].name, members[j].name) < 0 })
	c.out = append(c.out[:begin], '{')
	for i, m := range members {
		if i+1 < len(members) && bytes.Equal(members[i+1].name, m.name) {
			continue
		}
		if len(c.out) > begin+1 {
			c.out = append(c.out, ',')
		}
		c.out = append(c.out, written[m.start-begin:m.end-begin]...)
	}
	c.out = append(c.out, '}')
	return nil
}

// canonicalNumber writes a number as digits without zeros at either end and a power of ten: 1.50 and 15e-1 both
// become 15e-1. All digits are kept. A number whose exponent exceeds 64 bits is unchanged.
func canonicalNumber(n json.Number) json.Number {
	digits, negative := strings.CutPrefix(string(n), "-")
	power := int64(0)
	if at := strings.IndexAny(digits, "eE"); at >= 0 {
		var err error
		if power, err = strconv.ParseInt(digits[at+1:], 10, 64); err != nil || power < -1<<62 || power > 1<<62 {
			return n
		}
		digits = digits[:at]
	}
	whole, fraction, _ := strings.Cut(digits, ".")
	digits = strings.TrimLeft(whole+fraction, "0")
	trimmed := strings.TrimRight(digits, "0")
	if trimmed == "" {
		return "0"
	}
	power += int64(len(digits)-len(trimmed)) - int64(len(fraction))
	sign := ""
	if negative {
		sign = "-"
	}
	return json.Number(sign + trimmed + "e" + strconv.FormatInt(power, 10))
}
