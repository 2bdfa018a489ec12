package agent_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"slices"
	"testing"
)

// truth is the data as read from its lines: nodes by Type/id, and the links between them.
type truth struct {
	types map[string]string // by Type/id
	names map[string]string
	lists map[[2]string][]string // values of a property by node and name
	links map[string]map[[2]string]bool
}

func readTruth(t testing.TB) *truth {
	t.Helper()
	f, err := os.Open(attackPath(t))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	out := &truth{types: map[string]string{}, names: map[string]string{}, lists: map[[2]string][]string{}, links: map[string]map[[2]string]bool{}}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var line struct {
			Type, ID, Edge, From, To string
			Data                     map[string]any
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		if line.Edge != "" {
			out.link(line.Edge, line.From, line.To)
			continue
		}
		node := line.Type + "/" + line.ID
		out.types[node] = line.Type
		out.names[node], _ = line.Data["name"].(string)
		for name, v := range line.Data {
			values, isList := v.([]any)
			if !isList {
				values = []any{v}
			}
			for _, one := range values {
				text, isText := one.(string)
				if !isText {
					text = ""
				}
				out.lists[[2]string{node, name}] = append(out.lists[[2]string{node, name}], text)
				if name == "tactic" {
					out.link(name, node, text)
				}
			}
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

func (d *truth) link(property, from, to string) {
	if d.links[property] == nil {
		d.links[property] = map[[2]string]bool{}
	}
	d.links[property][[2]string{from, to}] = true
}

// named returns the one node with a name.
func (d *truth) named(t testing.TB, name string) string {
	t.Helper()
	for node, has := range d.names {
		if has == name {
			return node
		}
	}
	t.Fatalf("nothing is called %s", name)
	return ""
}

// namedAs returns the node of a type with a name.
func (d *truth) namedAs(t testing.TB, name, kind string) string {
	t.Helper()
	for node, has := range d.names {
		if has == name && d.types[node] == kind {
			return node
		}
	}
	t.Fatalf("no %s is called %s", kind, name)
	return ""
}

// namesOf returns the names of nodes, sorted.
func (d *truth) namesOf(nodes []string) (names []string) {
	for _, node := range nodes {
		names = append(names, d.names[node])
	}
	slices.Sort(names)
	return names
}

// withValue returns the nodes of a type that have a value, sorted.
func (d *truth) withValue(kind, property, value string) (nodes []string) {
	for node, has := range d.types {
		if has == kind && slices.Contains(d.lists[[2]string{node, property}], value) {
			nodes = append(nodes, node)
		}
	}
	slices.Sort(nodes)
	return nodes
}

// withType returns the nodes of a type.
func (d *truth) withType(kind string) (nodes []string) {
	for node, has := range d.types {
		if has == kind {
			nodes = append(nodes, node)
		}
	}
	return nodes
}

// statements returns the number of statements of a node: its type, values and links.
func (d *truth) statements(node string) int {
	n := 1
	for at, values := range d.lists {
		if at[0] == node {
			n += len(values)
		}
	}
	for property := range d.links {
		if property != "tactic" { // which is among the values
			n += len(d.from(node, property))
		}
	}
	return n
}

// from returns the nodes to which a node links by a property; to returns those that link to it.
func (d *truth) from(node, property string) (out []string) {
	for link := range d.links[property] {
		if link[0] == node {
			out = append(out, link[1])
		}
	}
	return out
}

func (d *truth) to(node, property string) (out []string) {
	for link := range d.links[property] {
		if link[1] == node {
			out = append(out, link[0])
		}
	}
	return out
}
