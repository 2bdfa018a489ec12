package admin

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"trails/builtin/view"
	"trails/rdf"
	"trails/schema"
)

// wouldChange are the statements that a dry run lists, of all that would change.
type wouldChange struct {
	// Rows have op, node, property and value, and the named graph where one of them is in one.
	Rows  [][]json.RawMessage
	Total int
}

// more reports that more would change than is listed.
func (w wouldChange) more() bool { return len(w.Rows) < w.Total }

// nodes are what is listed, node by node and property by property, what goes first. A node that gets a type is made, and one
// that loses it is removed.
func (w wouldChange) nodes() (out []view.NodeChange) {
	var list []*view.NodeChange
	known := map[[2]string]*view.NodeChange{}
	for _, row := range w.Rows {
		if len(row) < 4 {
			continue
		}
		name, property, graph := plainText(row[1]), plainText(row[2]), ""
		if len(row) > 4 && string(row[4]) != "null" {
			graph = plainText(row[4])
		}
		n := known[[2]string{name, graph}]
		if n == nil {
			n = &view.NodeChange{Node: nodeNamed(name), What: "changed", Graph: graph}
			known[[2]string{name, graph}], list = n, append(list, n)
		}
		i := slices.IndexFunc(n.Changes, func(c view.PropertyChange) bool { return c.Property == property })
		if i < 0 {
			i = len(n.Changes)
			n.Changes = append(n.Changes, view.PropertyChange{Property: property})
		}
		side := &n.Changes[i].Old
		if plainText(row[0]) == "+" {
			side = &n.Changes[i].New
		}
		*side = append(*side, cellsOf(row[3])...)
	}
	for _, n := range list {
		for i := range n.Changes {
			switch c := &n.Changes[i]; {
			case c.Property != typeProperty || n.Graph != "":
			case len(c.Old) == 0:
				n.What, n.Node.Exists = "made", false // it has no page yet
			case len(c.New) == 0:
				n.What = "removed"
			}
		}
	}
	for _, goes := range [...]bool{true, false} {
		for _, n := range list {
			if (n.What == "removed") == goes {
				out = append(out, *n)
			}
		}
	}
	return out
}

// typeProperty is rdf:type as answers for programs name it.
const typeProperty = "rdf:type"

// nodeNamed is a node that answers for programs name as Type/id; what is named otherwise has no page.
func nodeNamed(name string) view.Node {
	n := view.Node{IRI: name, Label: name}
	if typeName, id, ok := nodeOf(name); ok {
		n.Type, n.ID, n.Exists = typeName, id, true
	}
	return n
}

// cellTypes are the datatypes of days and times, as the schema and as cells name them.
var cellTypes = map[string]string{"date": "xsd:date", "datetime": "xsd:dateTime", "datetime_stamp": "xsd:dateTime"}

// labelsMost is how many nodes of changes are looked up; further ones are called by their ids.
const labelsMost = 500

// describe shows changes, as answers for programs tell them, as the page of a commit does: properties by their names, and
// nodes, also those that values refer to, by the labels that they have in the first of these states that has them, or get by
// the changes themselves. No state is that of the page.
func (a *asker) describe(list []view.NodeChange, states ...map[string]any) error {
	doc, err := a.schema()
	if err != nil {
		return err
	}
	absent := map[string]bool{} // the nodes that have no page yet
	for i := range list {
		if n := &list[i].Node; n.Type != "" && !n.Exists {
			absent[n.Label] = true
		}
	}
	nodes := map[string][]*view.Node{}
	named := func(n *view.Node) {
		if n.Type != "" && len(nodes) < labelsMost {
			nodes[n.Label] = append(nodes[n.Label], n)
		}
	}
	given := map[string]string{} // labels by name
	for i := range list {
		n := &list[i]
		if n.Graph != "" {
			n.Node.Exists = false // nothing is said of it there that its page would show
			continue
		}
		name, label := n.Node.Label, doc.labelOf(n.Node.Type)
		named(&n.Node)
		for j := range n.Changes {
			c := &n.Changes[j]
			p := doc.propertyNamed(n.Node.Type, c.Property)
			switch {
			case c.Property == typeProperty:
				c.Property = string(rdf.Type)
			case p != nil:
				c.Property = p.Name
			}
			for _, side := range [2][]view.Cell{c.Old, c.New} {
				for k := range side {
					v := &side[k]
					if p != nil && p == label {
						given[name] = v.Text
					}
					switch {
					case c.Property == string(rdf.Type):
						v.Text = doc.typeNameOf(v.Text)
					case p != nil && (p.Class != "" || p.Type == anyNode && doc.hasType(nodeNamed(v.Text).Type)):
						ref := nodeNamed(v.Text)
						ref.Exists = ref.Exists && !absent[ref.Label]
						v.Ref = &ref
						named(&ref)
					case p != nil:
						v.Datatype = cellTypes[p.Type]
					}
				}
			}
		}
	}
	if len(states) == 0 {
		states = []map[string]any{nil}
	}
	for _, state := range states {
		var missing []string
		for name := range nodes {
			if given[name] == "" {
				missing = append(missing, name)
			}
		}
		if err := a.labels(doc, missing, state, given); err != nil {
			return err
		}
	}
	for name, same := range nodes {
		for _, n := range same {
			n.Label = firstOf(given[name], n.ID)
		}
	}
	return nil
}

// labels looks up how nodes that are named as Type/id are called in a state.
func (a *asker) labels(doc schemaDocument, names []string, state map[string]any, into map[string]string) error {
	var asked strings.Builder
	byIRI := map[string]string{}
	slices.Sort(names)
	for _, name := range names {
		n := nodeNamed(name)
		t, _ := doc.find(n.Type)
		label := doc.labelOf(n.Type)
		iri := string((&schema.Schema{Base: doc.Base}).EntityIRI(&schema.Type{Name: t.Name, IDs: t.IDs}, n.ID))
		if label == nil || !queryable(iri) || !queryable(label.IRI) {
			continue
		}
		byIRI[iri] = name
		fmt.Fprintf(&asked, "(<%s> <%s>)", iri, label.IRI)
	}
	if len(byIRI) == 0 {
		return nil
	}
	args := map[string]any{"query": "SELECT ?n (MIN(STR(?l)) AS ?t) { VALUES (?n ?p) {" + asked.String() + "} ?n ?p ?l } GROUP BY ?n", "format": "sparql-json", "limit": labelsMost}
	maps.Copy(args, state)
	var answer queryAnswer
	if err := a.furnish("query", args, &answer); err != nil {
		return err
	}
	for _, row := range answer.Rows {
		into[byIRI[row["n"].Value]] = row["t"].Value
	}
	return nil
}

// labelOf is the property whose value is the label of the instances of a type; nil when there is none.
func (d schemaDocument) labelOf(typeName string) *schema.PropertyDocument {
	for _, name := range d.family(typeName) {
		for i := range d.Types {
			if t := &d.Types[i]; t.Name == name && t.Label != "" {
				return d.propertyNamed(typeName, t.Label)
			}
		}
	}
	return nil
}

// propertyNamed is the property that a name, or an IRI that is written with a prefix, means for a node of a type: one of the
// type, or else of the last type that has it, since the node may have had another type before; nil when there is none.
func (d schemaDocument) propertyNamed(typeName, name string) (found *schema.PropertyDocument) {
	iri, family := d.whole(name), d.family(typeName)
	for i := range d.Types {
		t := &d.Types[i]
		for j := range t.Properties {
			p := &t.Properties[j]
			if p.Name != name && p.IRI != iri {
				continue
			}
			if found = p; slices.Contains(family, t.Name) {
				return p
			}
		}
	}
	return found
}

// typeNameOf is the name of the type whose class this is; the text itself for others.
func (d schemaDocument) typeNameOf(text string) string {
	iri := d.whole(text)
	for i := range d.Types {
		if t := &d.Types[i]; t.IRI == iri {
			return t.Name
		}
	}
	return text
}

// whole is an IRI that answers for programs may have written with a prefix.
func (d schemaDocument) whole(short string) string {
	prefix, local, _ := strings.Cut(short, ":")
	namespace, ok := (&schema.Schema{Base: d.Base, Prefixes: d.Prefixes}).TurtlePrefixes()[prefix]
	if !ok || !strings.Contains(short, ":") {
		return short
	}
	return namespace + local
}

// summary says how many nodes of each type changes delete, change and add, and how many links go:
// deletes 1 Component, removes 3 links, changes 2 Decision and 1 Standard.
func summary(list []view.NodeChange) string {
	counts, links := map[string]map[string]int{"removed": {}, "changed": {}, "made": {}}, 0
	for i := range list {
		n := &list[i]
		if n.Graph != "" || counts[n.What] == nil {
			continue
		}
		counts[n.What][firstOf(n.Node.Type, "node without a type")]++
		for _, c := range n.Changes {
			for k := range c.Old {
				if c.Old[k].Ref != nil {
					links++
				}
			}
		}
	}
	var parts []string
	for _, v := range [...]struct{ what, verb string }{{"removed", "deletes "}, {"changed", "changes "}, {"made", "adds "}} {
		some := slices.Sorted(maps.Keys(counts[v.what]))
		for i, name := range some {
			some[i] = count(counts[v.what][name]) + " " + name
		}
		if last := len(some) - 1; last > 0 {
			some = []string{strings.Join(some[:last], ", ") + " and " + some[last]}
		}
		if len(some) > 0 {
			parts = append(parts, v.verb+some[0])
		}
		if v.what == "removed" && links > 0 {
			parts = append(parts, "removes "+times(links, "link", "links"))
		}
	}
	return strings.Join(parts, ", ")
}
