package admin

import (
	"cmp"
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

// nodes are what is listed, node by node and property by property. A node that gets a type is made, and one that loses it is
// removed.
func (w wouldChange) nodes() (out []view.NodeChange) {
	for _, row := range w.Rows {
		if len(row) < 4 {
			continue
		}
		var op, graph string
		_ = json.Unmarshal(row[0], &op) // the op is a text
		if len(row) > 4 {
			graph = strings.Join(cellTexts(row[4]), "")
		}
		name, property := strings.Join(cellTexts(row[1]), ""), strings.Join(cellTexts(row[2]), "")
		at := slices.IndexFunc(out, func(n view.NodeChange) bool { return n.Node.Label == name && n.Graph == graph })
		if at < 0 {
			at = len(out)
			out = append(out, view.NodeChange{Node: nodeNamed(name), What: "changed", Graph: graph})
		}
		n := &out[at]
		i := slices.IndexFunc(n.Changes, func(c view.PropertyChange) bool { return c.Property == property })
		if i < 0 {
			i = len(n.Changes)
			n.Changes = append(n.Changes, view.PropertyChange{Property: property})
		}
		if op == "+" {
			n.Changes[i].New = append(n.Changes[i].New, cellsOf(row[3])...)
		} else {
			n.Changes[i].Old = append(n.Changes[i].Old, cellsOf(row[3])...)
		}
	}
	for i := range out {
		for _, c := range out[i].Changes {
			switch {
			case c.Property != typeProperty || out[i].Graph != "":
			case len(c.Old) == 0:
				out[i].What, out[i].Node.Exists = "made", false // it has no page yet
			case len(c.New) == 0:
				out[i].What = "removed"
			}
		}
	}
	slices.SortStableFunc(out, func(a, b view.NodeChange) int { return cmp.Compare(b.What, a.What) }) // what goes first
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
	for _, n := range list {
		absent[n.Node.Label] = absent[n.Node.Label] || n.Node.Type != "" && !n.Node.Exists
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
			case p.Name != "":
				c.Property = p.Name
			}
			if label.Name != "" && c.Property == label.Name {
				for _, v := range append(c.Old[:len(c.Old):len(c.Old)], c.New...) {
					given[name] = v.Text
				}
			}
			for _, side := range [][]view.Cell{c.Old, c.New} {
				for k := range side {
					switch {
					case c.Property == string(rdf.Type):
						side[k].Text = doc.typeNameOf(side[k].Text)
					case p.Class != "":
						ref := nodeNamed(side[k].Text)
						ref.Exists = ref.Exists && !absent[ref.Label]
						side[k].Ref = &ref
						named(&ref)
					default:
						side[k].Datatype = cellTypes[p.Type]
					}
				}
			}
		}
	}
	if len(states) == 0 {
		states = []map[string]any{{}}
	}
	for _, state := range states {
		missing := slices.Collect(maps.Keys(nodes))
		missing = slices.DeleteFunc(missing, func(name string) bool { return given[name] != "" })
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
		if label.IRI == "" || !queryable(iri) || !queryable(label.IRI) {
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

// labelOf is the property whose value is the label of the instances of a type; the zero value when there is none.
func (d schemaDocument) labelOf(typeName string) schema.PropertyDocument {
	for _, name := range d.family(typeName) {
		if t, _ := d.find(name); t.Label != "" {
			return d.propertyNamed(typeName, t.Label)
		}
	}
	return schema.PropertyDocument{}
}

// propertyNamed is the property that a name, or an IRI that is written with a prefix, means for a node of a type: one of the
// type, or else of the first type that has it, since the node may have had another type before.
func (d schemaDocument) propertyNamed(typeName, name string) schema.PropertyDocument {
	iri := d.whole(name)
	for _, list := range append([][]schema.PropertyDocument{d.properties(typeName)}, d.propertiesByType()...) {
		for _, p := range list {
			if p.Name == name || p.IRI == iri {
				return p
			}
		}
	}
	return schema.PropertyDocument{}
}

// propertiesByType are the properties that each type declares.
func (d schemaDocument) propertiesByType() [][]schema.PropertyDocument {
	out := make([][]schema.PropertyDocument, len(d.Types))
	for i, t := range d.Types {
		out[i] = t.Properties
	}
	return out
}

// typeNameOf is the name of the type whose class this is; the text itself for others.
func (d schemaDocument) typeNameOf(text string) string {
	iri := d.whole(text)
	for _, t := range d.Types {
		if t.IRI == iri {
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
	verbs := map[string]string{"made": "adds", "removed": "deletes", "changed": "changes"}
	var parts []string
	for _, what := range []string{"removed", "changed", "made"} {
		counts, links := map[string]int{}, 0
		for _, n := range list {
			if n.Graph != "" {
				continue
			}
			if n.What == what {
				counts[firstOf(n.Node.Type, "node without a type")]++
			}
			for _, c := range n.Changes {
				for _, v := range c.Old {
					if v.Ref != nil && !slices.ContainsFunc(c.New, func(n view.Cell) bool { return n.Text == v.Text }) {
						links++
					}
				}
			}
		}
		var some []string
		for _, name := range slices.Sorted(maps.Keys(counts)) {
			some = append(some, count(counts[name])+" "+name)
		}
		if last := len(some) - 1; last >= 0 {
			parts = append(parts, verbs[what]+" "+strings.Join(some[:last], ", ")+textIf(last > 0, " and ", "")+some[last])
		}
		if what == "removed" && links > 0 {
			parts = append(parts, "removes "+times(links, "link", "links"))
		}
	}
	return strings.Join(parts, ", ")
}
