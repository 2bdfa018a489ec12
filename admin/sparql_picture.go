package admin

import (
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
	// Left is the number of omitted nodes.
	Left int `json:"-"`
}

// pictured is a node with its part, and its distance from the middle of that part.
type pictured struct {
	drawn
	Part int `json:"part"`
}

// sketch is a picture under construction.
type sketch struct {
	*sparqlPicture
	names *naming
	at    map[string]int // index of nodes by term
	near  [][]int
}

// picture draws what a graph links: literals stand in the table, and the type of a
// node is its colour.
func (n *naming) picture(triples [][]view.Term) *sparqlPicture {
	s := &sketch{sparqlPicture: &sparqlPicture{Nodes: []pictured{}, Edges: []view.Edge{}}, names: n, at: map[string]int{}}
	for _, t := range triples {
		s.add(t[0], t[1], t[2])
	}
	for _, t := range triples {
		s.name(t[0], t[1], t[2])
	}
	s.arrange()
	for _, n := range s.Nodes {
		s.Types = countType(s.Types, n.Type)
	}
	return s.sparqlPicture
}

func (s *sketch) add(subject, predicate, object view.Term) {
	from := s.node(subject)
	if object.Type == "literal" || predicate.Value == string(rdf.Type) && s.names.schema.TypeByIRI(rdf.IRI(object.Value)) != nil {
		return
	}
	to := s.node(object)
	if from < 0 || to < 0 {
		return
	}
	s.Edges = append(s.Edges, view.Edge{
		From: s.Nodes[from].ID, To: s.Nodes[to].ID, Property: propertyName(strings.TrimPrefix(s.names.short(predicate.Value), ":")),
	})
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
		d := pictured{drawn: drawn{ID: t.Type + " " + t.Value, Label: firstRunes(line(c.Text), 48), Type: c.Type, Hue: s.names.palette.hue(c.Type)}}
		if c.ID != "" {
			d.Href, d.Label = nodeAt(c.Type, c.ID, c.At), firstRunes(line(c.ID), 48)
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
		d.Label = firstRunes(text, 48)
	}
	if predicate.Value == string(rdf.Type) && d.Type == "" {
		if t := s.names.schema.TypeByIRI(rdf.IRI(object.Value)); t != nil {
			d.Type, d.Hue = t.Name, s.names.palette.hue(t.Name)
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
