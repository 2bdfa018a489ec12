package admin

import (
	"slices"
	"sort"
	"strings"

	"trails/builtin/view"
	"trails/rdf"
)

// sparqlPicture is a graph for drawing: its connected parts, each around the node with the most links.
type sparqlPicture struct {
	Nodes []pictured  `json:"nodes"`
	Edges []view.Edge `json:"edges"`
	Types []typeCount `json:"-"`
	// Joined says which columns of rows are the links, "" for triples.
	Joined string `json:"-"`
	// Left is the number of omitted nodes.
	Left int `json:"-"`
}

// pictured is a node with its part, and its distance from the middle of that part.
type pictured struct {
	drawn
	Part int    `json:"part"`
	name string // Type/id of a node of the graph whose label the answer does not give
}

// sketch is a picture under construction.
type sketch struct {
	*sparqlPicture
	names  *naming
	at     map[string]int // index of nodes by term
	near   [][]int
	joined map[view.Edge]bool
}

// picture draws what a graph links: literals stand in the table, and the type of a
// node is its colour.
func (n *naming) picture(triples [][]view.Term) *sparqlPicture {
	s := n.sketch()
	for _, t := range triples {
		s.add(t[0], t[1], t[2])
	}
	for _, t := range triples {
		s.name(t[0], t[1], t[2])
	}
	return s.finish()
}

func (n *naming) sketch() *sketch {
	return &sketch{sparqlPicture: &sparqlPicture{Nodes: []pictured{}, Edges: []view.Edge{}}, names: n, at: map[string]int{}, joined: map[view.Edge]bool{}}
}

// pictureOfRows draws the nodes of rows: each row links the node of a column to that of the next one. A column of
// properties between two of them names the links, and else the name of the column that a link leads to does.
func (n *naming) pictureOfRows(columns []string, rows [][]view.Term) *sparqlPicture {
	s := n.sketch()
	var nodes []int
	for i := range columns {
		if slices.ContainsFunc(rows, func(row []view.Term) bool { return row[i].Type == "uri" || row[i].Type == "bnode" }) {
			nodes = append(nodes, i)
		}
	}
	names := map[int]int{} // the column that names the links to another one
	if len(nodes) > 2 {
		nodes = slices.DeleteFunc(nodes, func(i int) bool {
			if i == nodes[0] || i == nodes[len(nodes)-1] || slices.ContainsFunc(rows, func(row []view.Term) bool { return row[i].Type != "" && !n.isProperty(row[i]) }) {
				return false
			}
			names[nodes[slices.Index(nodes, i)+1]] = i
			return true
		})
	}
	var said []string
	for k := 1; k < len(nodes); k++ {
		by := ""
		if at, named := names[nodes[k]]; named {
			by = " by ?" + columns[at]
		}
		said = append(said, "?"+columns[nodes[k-1]]+" to ?"+columns[nodes[k]]+by)
	}
	switch {
	case len(nodes) == 0:
		s.Joined = "No column has nodes, so there is nothing to draw; select variables for nodes, not for their values."
	case len(nodes) == 1:
		s.Joined = "Only ?" + columns[nodes[0]] + " has nodes, so there are no links; select a second variable for what they refer to."
	default:
		s.Joined = "Each row links " + strings.Join(said, ", ") + ": the columns with nodes, in their order. To link others, change the order of the variables after SELECT."
	}
	for _, row := range rows {
		before := -1
		for _, i := range nodes {
			if row[i].Type != "uri" && row[i].Type != "bnode" {
				continue
			}
			at := s.node(row[i])
			name := columns[i]
			if by, named := names[i]; named {
				name = s.property(row[by])
			}
			s.join(before, at, name)
			before = at
		}
	}
	return s.finish()
}

// isProperty reports an IRI that names a property and no node of the graph.
func (n *naming) isProperty(t view.Term) bool {
	_, id := n.entity(t.Value)
	return t.Type == "uri" && id == ""
}

func (s *sketch) property(t view.Term) string {
	if t.Value == string(rdf.Type) {
		return "type"
	}
	return line(strings.TrimPrefix(s.names.short(t.Value), ":"))
}

// finish arranges the parts and counts the types.
func (s *sketch) finish() *sparqlPicture {
	s.arrange()
	for _, n := range s.Nodes {
		s.Types = countMore(s.Types, n.Type, 1)
	}
	return s.sparqlPicture
}

func (s *sketch) add(subject, predicate, object view.Term) {
	from := s.node(subject)
	if object.Type == "literal" || predicate.Value == string(rdf.Type) && s.names.schema.TypeByIRI(rdf.IRI(object.Value)) != nil {
		return
	}
	s.join(from, s.node(object), s.property(predicate))
}

// join links two nodes unless one of them has no place or they are linked so.
func (s *sketch) join(from, to int, property string) {
	if from < 0 || to < 0 {
		return
	}
	e := view.Edge{From: s.Nodes[from].ID, To: s.Nodes[to].ID, Property: property}
	if s.joined[e] {
		return
	}
	s.joined[e] = true
	s.Edges = append(s.Edges, e)
	s.near[from], s.near[to] = append(s.near[from], to), append(s.near[to], from)
}

// node returns the place of a node, or -1 when there are too many.
func (s *sketch) node(t view.Term) int {
	c := s.names.cell(t)
	if at, ok := s.at[c.Kind+c.IRI+c.Text]; ok {
		return at
	}
	at := len(s.Nodes)
	if at == graphMax {
		at = -1
		s.Left++
	} else {
		d := pictured{drawn: drawn{ID: t.Type + " " + t.Value, Label: firstRunes(line(c.Text), 48), Type: c.Type, Hue: s.names.colours.hue(c.Type)}}
		if c.ID != "" {
			d.Href, d.Label, d.name = nodeAt(c.Type, c.ID, c.At), firstRunes(line(c.ID), 48), c.Type+"/"+c.ID
		}
		s.Nodes, s.near = append(s.Nodes, d), append(s.near, nil)
	}
	s.at[c.Kind+c.IRI+c.Text] = at
	return at
}

// name takes a label that the graph itself gives, and a type that only it gives.
func (s *sketch) name(subject, predicate, object view.Term) {
	at := s.node(subject)
	if at < 0 {
		return
	}
	d := &s.Nodes[at]
	t := s.names.schema.Type(d.Type)
	isLabel := predicate.Value == rdf.RDFSNS+"label"
	if t != nil {
		p := s.names.schema.Property(t, s.names.schema.LabelOf(t))
		isLabel = isLabel || p != nil && string(p.IRI) == predicate.Value
	}
	if text := line(object.Value); isLabel && object.Type == "literal" && text != "" {
		d.Label, d.name = firstRunes(text, 48), ""
	}
	if predicate.Value == string(rdf.Type) && d.Type == "" {
		if t := s.names.schema.TypeByIRI(rdf.IRI(object.Value)); t != nil {
			d.Type, d.Hue = t.Name, s.names.colours.hue(t.Name)
		}
	}
}

// arrange splits the nodes into connected parts, the largest first, and counts the steps from the middle of each.
func (s *sketch) arrange() {
	order := make([]int, len(s.Nodes))
	for i := range order {
		order[i] = i
		s.Nodes[i].Part = -1
	}
	sort.SliceStable(order, func(i, j int) bool { return len(s.near[order[i]]) > len(s.near[order[j]]) })
	part := 0
	for _, middle := range order {
		if s.Nodes[middle].Part >= 0 {
			continue
		}
		s.Nodes[middle].Part = part
		for queue := []int{middle}; len(queue) > 0; queue = queue[1:] {
			for _, next := range s.near[queue[0]] {
				if s.Nodes[next].Part < 0 {
					s.Nodes[next].Part, s.Nodes[next].Depth = part, s.Nodes[queue[0]].Depth+1
					queue = append(queue, next)
				}
			}
		}
		part++
	}
}

// labelPicture gives the nodes the labels that the graph has for them in a state, up to labelsMost.
func (a *asker) labelPicture(p *sparqlPicture, state map[string]any) error {
	doc, err := a.schema()
	if err != nil {
		return err
	}
	var missing []string
	for _, n := range p.Nodes {
		if n.name != "" && len(missing) < labelsMost {
			missing = append(missing, n.name)
		}
	}
	given := map[string]string{}
	if err := a.labels(doc, missing, state, given); err != nil {
		return err
	}
	for i, n := range p.Nodes {
		if label := line(given[n.name]); label != "" {
			p.Nodes[i].Label = firstRunes(label, 48)
		}
	}
	return nil
}

// figure is the picture for SVG, nil if it has too many nodes.
func (p *sparqlPicture) figure() *figure {
	if len(p.Nodes) > figureMost {
		return nil
	}
	f := &figure{}
	for _, n := range p.Nodes {
		f.add(figureNode{Node: view.Node{Type: n.Type, Label: n.Label, IRI: n.ID}, Key: n.ID, Click: n.Href, Page: n.Href})
	}
	for _, e := range p.Edges {
		f.link(figureLink{From: f.at[e.From], To: f.at[e.To], Property: e.Property})
	}
	return f
}
