package rdfio

import (
	"github.com/cayleygraph/quad"

	"trails/rdf"
)

// serializer turns quads into expanded JSON-LD (JSON-LD 1.1 API, section 8.4), without native
// types. Reading the result gives back the same dataset. json-gold's own algorithm panics on
// malformed lists and drops the rdf:type of list cells.
type serializer struct {
	about  map[inGraph][]rdf.Quad
	graphs map[rdf.Term][]rdf.Term // subjects of each graph, in order
	places map[rdf.Term]int        // how often a blank node is an object, plus 2 for each graph that it names
	homes  map[rdf.Term]int        // in how many graphs a blank node is a subject
	lists  map[inGraph][]rdf.Term  // items of a list, by its first cell
	cells  map[inGraph]bool        // the cells of all lists
	broken map[inGraph]bool        // cells of chains that do not end in rdf:nil
}

type inGraph struct{ graph, node rdf.Term }

func expandedJSONLD(quads []rdf.Quad) []any {
	s := &serializer{
		about: map[inGraph][]rdf.Quad{}, graphs: map[rdf.Term][]rdf.Term{}, places: map[rdf.Term]int{}, homes: map[rdf.Term]int{},
		lists: map[inGraph][]rdf.Term{}, cells: map[inGraph]bool{}, broken: map[inGraph]bool{},
	}
	quads = sortedQuads(quads)
	for _, q := range quads {
		s.add(q)
	}
	for _, q := range quads {
		s.findList(q)
	}
	s.keepLoose(quads)
	for graph := range s.graphs {
		if graph != nil && s.about[inGraph{nil, graph}] == nil {
			s.graphs[nil] = append(s.graphs[nil], graph) // a node without statements that names a graph
		}
	}
	return s.nodes(nil)
}

func (s *serializer) add(q rdf.Quad) {
	at := inGraph{q.Label, q.Subject}
	if s.about[at] == nil {
		s.graphs[q.Label] = append(s.graphs[q.Label], q.Subject)
		s.homes[q.Subject]++
	}
	s.about[at] = append(s.about[at], q)
	if _, blank := q.Object.(rdf.BNode); blank {
		s.places[q.Object]++
	}
	if _, blank := q.Label.(rdf.BNode); blank {
		s.places[q.Label] += 2 // a graph's name must be written
	}
}

// isCell reports whether a node is a list cell and nothing else.
func (s *serializer) isCell(at inGraph) bool {
	quads := s.about[at]
	return s.places[at.node] == 1 && s.homes[at.node] == 1 && len(quads) == 2 && quads[0].Predicate == rdf.First && quads[1].Predicate == rdf.Rest
}

// findList looks for a list whose head is the quad's object.
func (s *serializer) findList(q rdf.Quad) {
	inner := q.Predicate == rdf.Rest && s.isCell(inGraph{q.Label, q.Subject})
	if inner || q.Predicate == rdf.Type {
		return
	}
	var items []rdf.Term
	var cells []inGraph
	cell := inGraph{q.Label, q.Object}
	for cell.node != rdf.Nil {
		if !s.isCell(cell) || s.broken[cell] {
			for _, c := range cells {
				s.broken[c] = true
			}
			return
		}
		cells = append(cells, cell)
		items = append(items, s.about[cell][0].Object)
		cell.node = s.about[cell][1].Object
	}
	for _, c := range cells {
		s.cells[c] = true
	}
	if len(cells) > 0 {
		s.lists[cells[0]] = items
	}
}

// keepLoose gives up lists that are items of each other or of themselves and that no other node
// refers to. No node would contain them, so their cells are written as nodes.
func (s *serializer) keepLoose(quads []rdf.Quad) {
	shown := map[inGraph]bool{}
	var open []inGraph
	show := func(graph, object rdf.Term) {
		at := inGraph{graph, object}
		if _, isList := s.lists[at]; isList && !shown[at] {
			shown[at] = true
			open = append(open, at)
		}
	}
	for _, q := range quads {
		if !s.cells[inGraph{q.Label, q.Subject}] {
			show(q.Label, q.Object)
		}
	}
	for len(open) > 0 {
		at := open[len(open)-1]
		open = open[:len(open)-1]
		for _, item := range s.lists[at] {
			show(at.graph, item)
		}
	}
	for at := range s.lists {
		if !shown[at] {
			delete(s.lists, at)
			for cell := at; cell.node != rdf.Nil; cell.node = s.about[cell][1].Object {
				delete(s.cells, cell)
			}
		}
	}
}

// nodes returns the node objects of a graph; those of the default graph contain the named
// graphs.
func (s *serializer) nodes(graph rdf.Term) []any {
	nodes := []any{}
	for _, subject := range s.graphs[graph] {
		if s.cells[inGraph{graph, subject}] {
			continue
		}
		node := s.node(inGraph{graph, subject})
		if _, named := s.graphs[subject]; named && graph == nil {
			node["@graph"] = s.nodes(subject)
		}
		nodes = append(nodes, node)
	}
	return nodes
}

func (s *serializer) node(at inGraph) map[string]any {
	node := map[string]any{"@id": nodeText(at.node)}
	for _, q := range s.about[at] {
		key, value := nodeText(q.Predicate), any(nil)
		if q.Predicate == rdf.Type && isNode(q.Object) {
			key, value = "@type", nodeText(q.Object)
		} else {
			value = s.value(at.graph, q.Object)
		}
		values, _ := node[key].([]any)
		node[key] = append(values, value)
	}
	return node
}

func (s *serializer) value(graph, object rdf.Term) any {
	switch v := object.(type) {
	case quad.String:
		return map[string]any{"@value": string(v)}
	case quad.LangString:
		return map[string]any{"@value": string(v.Value), "@language": v.Lang}
	case quad.TypedString:
		if v.Type == rdf.RDFNS+"JSON" { // as JSON only if reading returns the same literal
			if parsed, err := decodeJSON([]byte(v.Value)); err == nil && string(canonicalJSON(nil, parsed)) == string(v.Value) {
				return map[string]any{"@value": parsed, "@type": "@json"}
			}
		}
		return map[string]any{"@value": string(v.Value), "@type": string(v.Type)}
	}
	items, isList := s.lists[inGraph{graph, object}]
	if !isList && object != rdf.Nil {
		return map[string]any{"@id": nodeText(object)}
	}
	list := make([]any, 0, len(items))
	for _, item := range items {
		list = append(list, s.value(graph, item))
	}
	return map[string]any{"@list": list}
}

func nodeText(t rdf.Term) string {
	if b, ok := t.(rdf.BNode); ok {
		return "_:" + string(b)
	}
	return rdf.Lexical(t)
}
