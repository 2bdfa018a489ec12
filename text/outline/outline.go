// Package outline shortens JSON values to a number of characters ([Value.Fit]) and writes them as readable text
// ([Value.Text]): lists of rows as tables, all else as lines. It does not know what a value means.
package outline

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"trails/text/jsontext"
)

// kind is the JSON type of a value.
type kind byte

const (
	scalar kind = iota // a number, true, false or null
	text
	array
	object
)

// Value is a JSON value that keeps the order of members. The zero Value is invalid.
type Value struct {
	kind    kind
	text    string   // characters of a string, JSON of a scalar
	names   []string // names of an object's members
	members []*Value
}

// Parse reads one JSON value.
func Parse(source []byte) (*Value, error) {
	d := json.NewDecoder(bytes.NewReader(source))
	d.UseNumber()
	return parse(d)
}

func parse(d *json.Decoder) (*Value, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch token := token.(type) {
	case string:
		return &Value{kind: text, text: token}, nil
	case json.Delim:
		v := &Value{kind: array}
		if token == '{' {
			v.kind = object
		}
		for d.More() {
			if v.kind == object {
				name, err := d.Token()
				if err != nil {
					return nil, err
				}
				named, ok := name.(string)
				if !ok {
					return nil, errors.New("the name of a member is no text")
				}
				v.names = append(v.names, named)
			}
			member, err := parse(d)
			if err != nil {
				return nil, err
			}
			v.members = append(v.members, member)
		}
		_, err := d.Token() // the closing bracket
		return v, err
	case nil:
		return &Value{text: "null"}, nil
	}
	return &Value{text: fmt.Sprint(token)}, nil
}

// Size returns the length of the value's JSON in characters.
func (v *Value) Size() int { return utf8.RuneCountInString(v.JSON()) }

// JSON returns the value as compact JSON.
func (v *Value) JSON() string {
	var b strings.Builder
	v.write(&b)
	return b.String()
}

func (v *Value) write(b *strings.Builder) {
	switch v.kind {
	case scalar:
		b.WriteString(v.text)
	case text:
		b.WriteString(quoted(v.text))
	case array:
		b.WriteByte('[')
		for i, member := range v.members {
			if i > 0 {
				b.WriteByte(',')
			}
			member.write(b)
		}
		b.WriteByte(']')
	case object:
		b.WriteByte('{')
		for i, member := range v.members {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(quoted(v.names[i]))
			b.WriteByte(':')
			member.write(b)
		}
		b.WriteByte('}')
	}
}

// quoted returns a text as JSON. Invalid UTF-8 becomes U+FFFD, as in encoding/json.
func quoted(s string) string {
	out, err := jsontext.Marshal(s)
	if err != nil {
		panic("outline: a text is no JSON: " + err.Error())
	}
	return string(out)
}
