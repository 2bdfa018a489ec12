package hosts

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
	"github.com/tailscale/hujson"

	"trails/fault"
)

// tomlDocument is a configuration in TOML, which has servers as tables below one key.
type tomlDocument struct {
	text        []byte
	key         string
	expressions []expression
}

// expression is a line, or several that belong together: the header of a table, or a key with its value.
type expression struct {
	path       []string // from the root
	table      bool
	list       bool   // the header is of a table in a list of tables
	start, end int    // of its lines in the text
	raw        string // a key and its value, as they are written
	leaves     []leaf
}

// leaf is a value in an expression; inline tables have several. Values other than texts and lists of texts are nil.
type leaf struct {
	path  []string
	value any
}

// tomlServers returns the format of configurations that have servers as tables.
func tomlServers(key string) func([]byte) (document, error) {
	return func(text []byte) (document, error) {
		d := tomlDocument{text: text, key: key}
		var p unstable.Parser
		p.Reset(bytes.TrimPrefix(text, []byte(byteOrderMark)))
		skipped := len(text) - len(p.Data())
		var table []string
		for p.NextExpression() {
			node := p.Expression()
			e := expression{table: node.Kind != unstable.KeyValue, list: node.Kind == unstable.ArrayTable}
			keys, start, end := keysOf(node)
			if e.path = keys; e.table {
				table = keys
			} else {
				e.path = slices.Concat(table, keys)
				e.raw = string(p.Raw(node.Raw))
				e.leaves = leavesOf(e.path, node.Value(), nil)
				end = int(node.Raw.Offset + node.Raw.Length)
			}
			e.start, e.end = skipped+start, skipped+end
			e.start = bytes.LastIndexByte(text[:e.start], '\n') + 1
			if i := bytes.IndexByte(text[e.end:], '\n'); i >= 0 {
				e.end += i + 1
			} else {
				e.end = len(text)
			}
			d.expressions = append(d.expressions, e)
		}
		var wrong *unstable.ParserError
		if err := p.Error(); errors.As(err, &wrong) {
			return nil, fmt.Errorf("line %d: %w", p.Shape(p.Range(wrong.Highlight)).Start.Line, err)
		}
		return d, p.Error()
	}
}

// keysOf returns a dotted key, and where its first part begins and its last part ends.
func keysOf(node *unstable.Node) (keys []string, start, end int) {
	start = -1
	for it := node.Key(); it.Next(); {
		key := it.Node()
		keys = append(keys, string(key.Data))
		if start < 0 {
			start = int(key.Raw.Offset)
		}
		end = int(key.Raw.Offset + key.Raw.Length)
	}
	return keys, start, end
}

// leavesOf appends the values of a node, whose key is path.
func leavesOf(path []string, node *unstable.Node, leaves []leaf) []leaf {
	if node.Kind == unstable.InlineTable {
		for it := node.Children(); it.Next(); {
			if it.Node().Kind == unstable.KeyValue {
				keys, _, _ := keysOf(it.Node())
				leaves = leavesOf(slices.Concat(path, keys), it.Node().Value(), leaves)
			}
		}
		return leaves
	}
	return append(leaves, leaf{path, valueOf(node)})
}

// valueOf returns the value of a text or of a list of texts, nil for others.
func valueOf(node *unstable.Node) any {
	if node.Kind == unstable.String {
		return string(node.Data)
	}
	if node.Kind != unstable.Array {
		return nil
	}
	list := []string{}
	for it := node.Children(); it.Next(); {
		switch n := it.Node(); {
		case n.Kind == unstable.String:
			list = append(list, string(n.Data))
		case n.Kind != unstable.Comment:
			return nil
		}
	}
	return list
}

// of reports whether an expression is of an entry.
func (d tomlDocument) of(e expression, name string) bool {
	return len(e.path) > 1 && e.path[0] == d.key && e.path[1] == name
}

func (d tomlDocument) entries() ([]entry, error) {
	var list []entry
	at := map[string]int{}
	enter := func(name string) *entry {
		if _, is := at[name]; !is {
			at[name] = len(list)
			list = append(list, entry{name: name})
		}
		return &list[at[name]]
	}
	for _, e := range d.expressions {
		if len(e.path) > 1 && e.path[0] == d.key {
			enter(e.path[1])
		}
		for _, l := range e.leaves {
			if len(l.path) < 3 || l.path[0] != d.key {
				continue
			}
			entry := enter(l.path[1])
			text, isText := l.value.(string)
			args, isList := l.value.([]string)
			switch key := l.path[2]; {
			case key == "command" && len(l.path) == 3 && isText:
				entry.Command = text
			case key == "args" && len(l.path) == 3 && isList:
				entry.Args = args
			case key == "env" && len(l.path) == 4 && isText:
				if entry.Env == nil {
					entry.Env = map[string]string{}
				}
				entry.Env[l.path[3]] = text
			default:
				if more := strings.Join(l.path[2:], "."); !slices.Contains(entry.more, more) {
					entry.more = append(entry.more, more)
				}
			}
		}
	}
	return list, nil
}

// separate returns an error where servers are members of an inline table, which has no lines of its own, or where the key
// of servers has a list or another value.
func (d tomlDocument) separate() error {
	for _, e := range d.expressions {
		if (!e.table || e.list) && slices.Equal(e.path, []string{d.key}) {
			return fault.New(fault.Conflict, "the configuration has %s as one value or a list; write each server as a table of its own, [%[1]s.NAME]", d.key)
		}
	}
	return nil
}

func (d tomlDocument) set(name string, s Server, _ bool) ([]byte, error) {
	if err := d.separate(); err != nil {
		return nil, err
	}
	text, at := d.without(name)
	newline := "\n"
	if bytes.Contains(d.text, []byte("\r\n")) {
		newline = "\r\n"
	}
	block := strings.Join(d.table(name, s), newline) + newline
	if at < 0 {
		at = len(text)
		if at > 0 && text[at-1] != '\n' {
			block = newline + block
		}
		if at > 0 {
			block = newline + block
		}
	}
	return slices.Concat(text[:at], []byte(block), text[at:]), nil
}

// table returns the lines of an entry. Texts are written as in JSON, whose escapes TOML has, too.
func (d tomlDocument) table(name string, s Server) []string {
	quoted := func(text string) string { return string(hujson.String(text)) }
	var args, env []string
	for _, arg := range s.Args {
		args = append(args, quoted(arg))
	}
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		env = append(env, name+" = "+quoted(s.Env[name]))
	}
	lines := []string{
		"[" + d.key + "." + name + "]",
		"command = " + quoted(s.Command),
		"args = [" + strings.Join(args, ", ") + "]",
	}
	if len(env) > 0 {
		lines = append(lines, "env = { "+strings.Join(env, ", ")+" }")
	}
	return lines
}

func (d tomlDocument) remove(name string) ([]byte, error) {
	if err := d.separate(); err != nil {
		return nil, err
	}
	text, at := d.without(name)
	if at < 0 {
		return text, nil
	}
	// An entry stands between blank lines, of which one is left.
	for _, newline := range []string{"\n", "\r\n"} {
		before, found := bytes.CutSuffix(text[:at], []byte(newline))
		if found && bytes.HasSuffix(before, []byte("\n")) && (at == len(text) || bytes.HasPrefix(text[at:], []byte(newline))) {
			return slices.Concat(before, text[at:]), nil
		}
	}
	return text, nil
}

// without returns the text without the lines of an entry, and where its table began: -1 if it had no header.
func (d tomlDocument) without(name string) (text []byte, at int) {
	at, last := -1, 0
	for _, e := range d.expressions {
		if !d.of(e, name) {
			continue
		}
		text = append(text, d.text[last:e.start]...)
		if last = e.end; at < 0 && e.table {
			at = len(text)
		}
	}
	return append(text, d.text[last:]...), at
}

func (d tomlDocument) others(name string) (any, error) {
	var all [][]string
	for _, e := range d.expressions {
		if !d.of(e, name) {
			all = append(all, append(slices.Clone(e.path), e.raw))
		}
	}
	return all, nil
}
