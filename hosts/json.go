package hosts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// byteOrderMark begins texts of some editors.
const byteOrderMark = "\ufeff"

// jsonDocument is a configuration in JSON, which may have comments and trailing commas.
type jsonDocument struct {
	text []byte
	key  string // of the servers
}

// jsonServers returns the format of configurations that have servers as members of an object.
func jsonServers(key string) func([]byte) (document, error) {
	return func(text []byte) (document, error) {
		d := jsonDocument{text, key}
		_, _, err := d.parse()
		return d, err
	}
}

// parse returns the whole and the object of the servers, nil if there is none.
func (d jsonDocument) parse() (root *hujson.Value, servers *hujson.Object, err error) {
	text := bytes.TrimPrefix(d.text, []byte(byteOrderMark))
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}\n")
	}
	whole, err := hujson.Parse(bytes.Clone(text))
	if err != nil { // where there are comments alone, they stand before an empty object
		end := []byte("\n")
		if bytes.Contains(text, []byte("\r\n")) {
			end = []byte("\r\n")
		}
		if alone, bad := hujson.Parse(slices.Concat(bytes.TrimRight(text, "\r\n"), end, []byte("{}"), end)); bad == nil {
			whole, err = alone, nil
		}
	}
	if err != nil {
		return nil, nil, err
	}
	object, is := whole.Value.(*hujson.Object)
	if !is {
		return nil, nil, errors.New("it is no object")
	}
	i, err := member(object, d.key)
	if err != nil || i < 0 {
		return &whole, nil, err
	}
	if servers, is = object.Members[i].Value.Value.(*hujson.Object); !is {
		return nil, nil, fmt.Errorf("%s is no object", d.key)
	}
	return &whole, servers, nil
}

// member returns the place of a member in an object, or -1.
func member(o *hujson.Object, name string) (at int, err error) {
	at = -1
	for i, m := range o.Members {
		switch {
		case nameOf(m) != name:
		case at >= 0:
			return 0, fmt.Errorf("it has %s twice", name)
		default:
			at = i
		}
	}
	return at, nil
}

func nameOf(m hujson.ObjectMember) string { return m.Name.Value.(hujson.Literal).String() }

func (d jsonDocument) entries() ([]entry, error) {
	_, servers, err := d.parse()
	if err != nil || servers == nil {
		return nil, err
	}
	list := make([]entry, 0, len(servers.Members))
	for _, m := range servers.Members {
		if _, err := member(servers, nameOf(m)); err != nil {
			return nil, err
		}
		e := entry{name: nameOf(m)}
		fields, is := m.Value.Value.(*hujson.Object)
		if !is {
			list = append(list, e)
			continue
		}
		for _, f := range fields.Members {
			text := hujson.Value{Value: f.Value.Value}.Clone()
			text.Standardize()
			var err error
			switch name := nameOf(f); name {
			case "command":
				err = json.Unmarshal(text.Pack(), &e.Command)
			case "args":
				err = json.Unmarshal(text.Pack(), &e.Args)
			case "env":
				err = json.Unmarshal(text.Pack(), &e.Env)
			case "type":
				if text.String() != `"stdio"` {
					e.more = append(e.more, name)
				}
			default:
				e.more = append(e.more, name)
			}
			if err != nil {
				e.more = append(e.more, nameOf(f)) // it is of another kind, as no entry of trails has it
			}
		}
		list = append(list, e)
	}
	return list, nil
}

func (d jsonDocument) set(name string, s Server, typed bool) ([]byte, error) {
	root, servers, err := d.parse()
	if err != nil {
		return nil, err
	}
	l := d.layout(root)
	if servers == nil {
		servers = &hujson.Object{}
		l.add(root.Value.(*hujson.Object), d.key, servers, "")
	}
	i, err := member(servers, name)
	if err != nil {
		return nil, err
	}
	indent, broken := l.indentOf(servers, l.unit)
	value := l.server(s, typed, indent)
	if !broken {
		value = layout{}.server(s, typed, "")
	}
	if i >= 0 {
		servers.Members[i].Value.Value = value
	} else {
		l.add(servers, name, value, l.unit)
	}
	return d.pack(root), nil
}

func (d jsonDocument) remove(name string) ([]byte, error) {
	root, servers, err := d.parse()
	if err != nil {
		return nil, err
	}
	i, err := member(servers, name)
	if err != nil {
		return nil, err
	}
	gone := servers.Members[i]
	// Comments before the entry may be the end of the line of another one, and stay.
	kept := comments(gone.Name.BeforeExtra)
	servers.Members = slices.Delete(servers.Members, i, i+1)
	switch {
	case i < len(servers.Members):
		next := &servers.Members[i].Name
		next.BeforeExtra = d.layout(root).join(kept, next.BeforeExtra)
	default:
		if i > 0 && gone.Value.AfterExtra != nil && servers.Members[i-1].Value.AfterExtra == nil {
			servers.Members[i-1].Value.AfterExtra = hujson.Extra{} // a comma after the last member stays
		}
		servers.AfterExtra = d.layout(root).join(kept, servers.AfterExtra)
	}
	if len(servers.Members) == 0 && len(comments(servers.AfterExtra)) == 0 {
		servers.AfterExtra = nil
	}
	return d.pack(root), nil
}

// pack returns the text of an edited document.
func (d jsonDocument) pack(root *hujson.Value) []byte {
	text := root.Pack()
	if bytes.HasPrefix(d.text, []byte(byteOrderMark)) {
		return append([]byte(byteOrderMark), text...)
	}
	return text
}

func (d jsonDocument) others(name string) (any, error) {
	root, servers, err := d.parse()
	if err != nil {
		return nil, err
	}
	if servers != nil {
		for i := range servers.Members {
			if m := &servers.Members[i]; nameOf(*m) == name { // comments before it are of others
				m.Value.Value, m.Value.BeforeExtra, m.Name.AfterExtra = hujson.Literal("null"), nil, nil
			}
		}
	}
	whole := root.Pack()
	root.Standardize() // which makes blanks of comments and of commas after the last member
	var comments []byte
	for i, c := range root.Pack() {
		if whole[i] != c && whole[i] != ',' {
			comments = append(comments, whole[i])
		}
	}
	in := json.NewDecoder(bytes.NewReader(root.Pack()))
	in.UseNumber()
	var values map[string]any
	if err := in.Decode(&values); err != nil {
		return nil, err
	}
	if of, is := values[d.key].(map[string]any); is {
		if delete(of, name); len(of) == 0 {
			delete(values, d.key)
		}
	}
	return []any{values, string(comments)}, nil
}

// layout is how a document breaks lines and indents.
type layout struct{ newline, unit string }

func (d jsonDocument) layout(root *hujson.Value) layout {
	l := layout{"\n", "  "}
	if bytes.Contains(d.text, []byte("\r\n")) {
		l.newline = "\r\n"
	}
	if o := root.Value.(*hujson.Object); len(o.Members) > 0 {
		if _, indent, broken := cutLast(o.Members[0].Name.BeforeExtra); broken && indent != "" {
			l.unit = indent
		}
	}
	return l
}

// cutLast splits an extra at its last line break.
func cutLast(extra hujson.Extra) (before, indent string, broken bool) {
	i := bytes.LastIndexByte(extra, '\n')
	if i < 0 || len(bytes.TrimSpace(extra[i:])) > 0 {
		return string(extra), "", false
	}
	return string(extra[:i]), string(extra[i+1:]), true
}

// indentOf returns the indent of an object's members, and whether they stand on lines of their own. outer is the indent
// of the object.
func (l layout) indentOf(o *hujson.Object, outer string) (indent string, broken bool) {
	if len(o.Members) == 0 {
		return outer + l.unit, true
	}
	_, indent, broken = cutLast(o.Members[0].Name.BeforeExtra)
	return indent, broken
}

// add appends a member to an object whose own indent is outer.
func (l layout) add(o *hujson.Object, name string, value hujson.ValueTrimmed, outer string) {
	m := hujson.ObjectMember{Name: hujson.Value{Value: hujson.String(name)}, Value: hujson.Value{BeforeExtra: hujson.Extra(" "), Value: value}}
	indent, broken := l.indentOf(o, outer)
	if n := len(o.Members); n > 0 {
		last := &o.Members[n-1]
		if last.Value.AfterExtra != nil {
			m.Value.AfterExtra = hujson.Extra{} // a comma after the last member stays
		}
		if before := last.Name.BeforeExtra; !broken && len(comments(before)) == 0 {
			m.Name.BeforeExtra = bytes.Clone(before)
		}
	}
	kept := comments(o.AfterExtra)
	if broken || len(kept) > 0 {
		m.Name.BeforeExtra = append(kept, l.newline+indent...)
	}
	o.Members = append(o.Members, m)
	if o.AfterExtra = o.AfterExtra[len(kept):]; len(o.Members) == 1 && !bytes.Contains(o.AfterExtra, []byte("\n")) {
		o.AfterExtra = hujson.Extra(l.newline + outer)
	}
}

// comments returns an extra without the blank at its end, nil if it has nothing but blanks.
func comments(extra hujson.Extra) hujson.Extra {
	return bytes.Clone(bytes.TrimRight(extra, " \t\r\n"))
}

// join puts comments before another extra. A comment that ends with its line must have its end.
func (l layout) join(kept, rest hujson.Extra) hujson.Extra {
	if len(kept) == 0 {
		return rest
	}
	if !strings.HasPrefix(strings.TrimLeft(string(rest), " \t\r"), "\n") {
		kept = append(kept, l.newline...)
	}
	return append(kept, rest...)
}

// server returns the value of an entry. indent is that of its name.
func (l layout) server(s Server, typed bool, indent string) hujson.ValueTrimmed {
	o := &hujson.Object{}
	list := &hujson.Array{}
	for i, arg := range s.Args {
		v := hujson.Value{Value: hujson.String(arg)}
		if i > 0 {
			v.BeforeExtra = hujson.Extra(" ")
		}
		list.Elements = append(list.Elements, v)
	}
	if typed {
		l.add(o, "type", hujson.String("stdio"), indent)
	}
	l.add(o, "command", hujson.String(s.Command), indent)
	l.add(o, "args", list, indent)
	if len(s.Env) > 0 {
		env := &hujson.Object{}
		for _, name := range slices.Sorted(maps.Keys(s.Env)) {
			l.add(env, name, hujson.String(s.Env[name]), indent+l.unit)
		}
		l.add(o, "env", env, indent)
	}
	return o
}
