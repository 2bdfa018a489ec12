package admin

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"trails/builtin/view"
	"trails/fault"
)

// Bounds of what is around a node.
const (
	aroundEach     = 30  // neighbours up to which each is shown alone; the links of a larger number are in groups
	aroundFew      = 3   // nodes up to which a group shows each alone
	aroundListed   = 60  // nodes that a group shows when it is open
	aroundExpanded = 12  // nodes that are expanded
	aroundPage     = 12  // neighbours that are shown alone on the page of the node
	aroundBetween  = 200 // links between neighbours
)

// linkGroup is the links of a node by one property, with nodes of one type.
type linkGroup struct {
	Incoming       bool
	Property, Type string
	Nodes          []view.Node // the first of them
	Total          int
	More           bool   // there are more than Total
	All            string // where all of them are listed
	Unread         bool   // it is the links whose nodes were not read, of whichever types they are
}

// moreKey ends the key of what an open group has besides the nodes that it shows.
const moreKey = " more"

// key names the group of a node in an address.
func (g linkGroup) key(node string) string {
	return strings.Join([]string{textIf(g.Incoming, "in", "out"), g.Property, g.Type, node}, " ")
}

// says is the group in words.
func (g linkGroup) says() string {
	return count(g.Total) + textIf(g.More, "+", "") + " " + firstOf(line(g.Type), "without a type")
}

// linkGroups are the links of a node by property and type.
func linkGroups(e view.Entity) (out []linkGroup) {
	d := instanceData{Entity: e, Type: e.Node.Type, ID: e.Node.ID}
	for _, g := range e.Incoming {
		out = append(out, linkGroup{Incoming: true, Property: g.Property, Type: g.Type, Nodes: g.Nodes, Total: g.Total, More: g.More, All: d.AllOf(g)})
	}
	for _, p := range e.Properties {
		if p.Class == "" {
			out = append(out, groupsByType(p, d.MorePath(p.Name))...)
			continue
		}
		if p.Total == 0 {
			continue
		}
		g := linkGroup{Property: p.Name, Type: p.Class, Total: p.Total, All: d.MorePath(p.Name)}
		for _, c := range p.Values {
			if c.Ref != nil {
				g.Nodes = append(g.Nodes, *c.Ref)
			}
		}
		out = append(out, g)
	}
	return out
}

// groupsByType are the links by a property that leads to nodes of any type: a group for each type, and one for the values
// whose types were not read.
func groupsByType(p view.Property, all string) (out []linkGroup) {
	for _, k := range p.Kinds {
		out = append(out, linkGroup{Property: p.Name, Type: k.Type, Nodes: k.Nodes, Total: k.Total, All: all})
	}
	for _, c := range p.Values {
		if !refers(c) || len(p.Kinds) > 0 {
			continue
		}
		i := slices.IndexFunc(out, func(g linkGroup) bool { return g.Type == c.Ref.Type })
		if i < 0 {
			i = len(out)
			out = append(out, linkGroup{Property: p.Name, Type: c.Ref.Type, All: all})
		}
		out[i].Nodes, out[i].Total = append(out[i].Nodes, *c.Ref), out[i].Total+1
	}
	if p.Unread > 0 {
		out = append(out, linkGroup{Property: p.Name, Total: p.Unread, All: all, Unread: true})
	}
	return out
}

// refers reports a value that leads to a node of the graph.
func refers(c view.Cell) bool { return c.Ref != nil && c.Ref.Exists }

// surroundings is a figure of nodes with what is around each.
type surroundings struct {
	figure
	Relations, Kinds []typeCount // of all links, also of those that are not shown
	// each is how many neighbours are shown alone.
	each int
	view graphView
	// click is where a click on a node leads, and unfold where one on a group does.
	click  func(view.Node) string
	unfold func(g linkGroup, key string, open bool) string
}

// addNode adds a node, and returns its index, -1 if it has no place or is hidden.
func (s *surroundings) addNode(n view.Node, here bool) int {
	if !here && slices.Contains(s.view.Hide, n.Type) {
		return -1
	}
	return s.add(figureNode{Node: n, Key: n.IRI, Click: s.click(n), Page: pageOf(n), Here: here})
}

// addAround adds a node and its neighbours: those of many as groups, of which some are open.
func (s *surroundings) addAround(e view.Entity, here bool) {
	self := s.addNode(e.Node, here)
	groups := linkGroups(e)
	total := 0
	for _, g := range groups {
		total += g.Total
		s.Relations = countMore(s.Relations, g.Property, g.Total)
		if !g.Unread {
			s.Kinds = countMore(s.Kinds, g.Type, g.Total)
		}
	}
	for _, g := range groups {
		if slices.Contains(s.view.Without, g.Property) || self < 0 || g.Incoming && s.view.Direction == "out" || !g.Incoming && s.view.Direction == "in" {
			continue
		}
		if g.Unread {
			s.link(linked(g, s.addLeft(g, "unread "+g.key(referenceTo(e.Node)), g.Total), self))
			continue
		}
		whole := !g.More && len(g.Nodes) == g.Total
		if whole && (total <= s.each || g.Total <= aroundFew) {
			for _, n := range g.Nodes {
				s.link(linked(g, s.addNode(n, false), self))
			}
			continue
		}
		if slices.Contains(s.view.Hide, g.Type) {
			continue
		}
		key := g.key(referenceTo(e.Node))
		open := slices.Contains(s.view.Open, key)
		box := s.add(figureNode{Node: view.Node{Type: g.Type, Label: textIf(open, "▾ ", "▸ ") + g.says()}, Key: key, Click: s.unfold(g, key, open), Page: g.All, Group: true})
		s.link(linked(g, box, self))
		if !open {
			continue
		}
		for _, n := range g.Nodes {
			l := linked(g, s.addNode(n, false), box)
			l.Inner, l.Of = true, self
			s.link(l)
		}
		if !whole {
			l := linked(g, s.addLeft(g, key+moreKey, g.Total-len(g.Nodes)), box)
			l.Inner, l.Of = true, self
			s.link(l)
		}
	}
}

// addLeft adds a box for the nodes of a group that are not shown, and returns its index.
func (s *surroundings) addLeft(g linkGroup, key string, n int) int {
	label := fmt.Sprintf("… %s%s more", count(n), textIf(g.More, "+", ""))
	return s.add(figureNode{Node: view.Node{Type: g.Type, Label: label}, Key: key, Click: g.All, Page: g.All, Group: true})
}

// linked is the link of a group between one of its nodes and the node that it is about.
func linked(g linkGroup, other, self int) figureLink {
	if g.Incoming {
		return figureLink{From: other, To: self, Property: g.Property}
	}
	return figureLink{From: self, To: other, Property: g.Property}
}

// countMore adds to the number of a name, such as a type of the legend of a picture.
func countMore(list []typeCount, name string, n int) []typeCount {
	at := slices.IndexFunc(list, func(t typeCount) bool { return t.Name == name })
	if at < 0 {
		at, list = len(list), append(list, typeCount{Name: name})
	}
	list[at].Count += int64(n)
	return list
}

// surround reads a node and the nodes that are expanded, with what is around each.
func (a *asker) surround(v graphView) (s *surroundings, read []view.Entity, gone []string, err error) {
	s = &surroundings{each: aroundEach, view: v, click: v.clickOn, unfold: func(_ linkGroup, key string, _ bool) string {
		return v.with(func(v *graphView) { v.Open = toggled(v.Open, key) })
	}}
	for i, ref := range append([]string{v.Type + "/" + v.ID}, v.Expand...) {
		typeName, id, _ := strings.Cut(ref, "/")
		var e view.Entity
		err := a.ask("entity_get", map[string]any{"type": typeName, "id": id, "limit": aroundListed}, &e)
		if i > 0 && fault.Of(err) != nil {
			gone = append(gone, ref)
			continue
		}
		if err != nil {
			return nil, nil, nil, err
		}
		s.addAround(e, i == 0)
		read = append(read, e)
	}
	return s, read, gone, nil
}

// addBetween reads the links between nodes of the picture of which neither was read with what is around it. more reports
// that there are more than it has room for.
func (a *asker) addBetween(doc schemaDocument, s *surroundings, read []view.Entity) (more bool, err error) {
	names := map[string]string{} // of properties, by IRI
	for _, t := range doc.Types {
		for _, p := range t.Properties {
			if p.Class != "" || p.Type == anyNode {
				names[p.IRI] = p.Name
			}
		}
	}
	among, between := &strings.Builder{}, &strings.Builder{}
	for _, n := range s.Nodes {
		if n.Group || !queryable(n.IRI) || slices.ContainsFunc(read, func(e view.Entity) bool { return e.Node.IRI == n.IRI }) {
			continue
		}
		fmt.Fprintf(among, "<%s>", n.IRI)
	}
	for _, iri := range slices.Sorted(maps.Keys(names)) {
		if queryable(iri) {
			fmt.Fprintf(between, "<%s>", iri)
		}
	}
	if among.Len() == 0 || between.Len() == 0 {
		return false, nil
	}
	var answer queryAnswer
	query := fmt.Sprintf("SELECT ?s ?p ?o { VALUES ?s {%s} VALUES ?o {%[1]s} VALUES ?p {%s} ?s ?p ?o } ORDER BY ?s ?p ?o", among, between)
	if err := a.furnish("query", map[string]any{"query": query, "format": "sparql-json", "limit": aroundBetween + 1}, &answer); err != nil {
		return false, err
	}
	if more = len(answer.Rows) > aroundBetween; more {
		answer.Rows = answer.Rows[:aroundBetween]
	}
	for _, row := range answer.Rows {
		name := names[row["p"].Value]
		s.Relations = countMore(s.Relations, name, 1)
		if !slices.Contains(s.view.Without, name) {
			s.link(figureLink{From: s.at[row["s"].Value], To: s.at[row["o"].Value], Property: name})
		}
	}
	return more, nil
}

// queryable reports an IRI that a query can name as it is.
func queryable(iri string) bool { return !strings.ContainsAny(iri, "<>\"{}|^`\\ \n\t") }

// dateTypes are the datatypes that a timeline has a place for.
var dateTypes = []string{"date", "datetime", "datetime_stamp"}

// addTimes reads the times of a figure's nodes: of each the first value of the first property of its type that is a date.
func (a *asker) addTimes(doc schemaDocument, f *figure) error {
	var nodes strings.Builder
	byType := map[string]string{}
	for _, t := range f.types() {
		for _, p := range doc.properties(t.Name) {
			if slices.Contains(dateTypes, p.Type) && byType[t.Name] == "" {
				byType[t.Name] = p.IRI
			}
		}
	}
	for _, n := range f.Nodes {
		if p := byType[n.Type]; p != "" && pageOf(n.Node) != "" && queryable(n.IRI) {
			fmt.Fprintf(&nodes, "(<%s> <%s>)", n.IRI, p)
		}
	}
	if nodes.Len() == 0 {
		return nil
	}
	var answer queryAnswer
	query := "SELECT ?n (MIN(?d) AS ?t) { VALUES (?n ?p) {" + nodes.String() + "} ?n ?p ?d } GROUP BY ?n"
	if err := a.furnish("query", map[string]any{"query": query, "format": "sparql-json", "limit": figureMost}, &answer); err != nil {
		return err
	}
	for _, row := range answer.Rows {
		if at, known := f.at[row["n"].Value]; known && at >= 0 {
			f.Nodes[at].Time = row["t"].Value
		}
	}
	return nil
}
