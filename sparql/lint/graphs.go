package lint

import (
	"fmt"
	"slices"

	"trails/rdf"
	"trails/sparql"
)

// graphsListed is among how many named graphs a statement is searched. If there are more, nothing is said.
const graphsListed = 20

// misplaced is a pattern that matches nothing in the graphs that it reads, and something in another.
type misplaced struct {
	Warning
	elsewhere rdf.Quad // the pattern, with the graph that has it
}

// named returns the named graphs; known is false if there are too many.
func (r *run) named() (list []rdf.Term, known bool) {
	if r.graphs == nil && r.err == nil {
		r.graphs = []rdf.IRI{}
		r.graphs, r.err = r.data.Graphs(r.ctx, graphsListed+1)
	}
	for _, g := range r.graphs {
		list = append(list, g)
	}
	return list, len(list) <= graphsListed && r.err == nil
}

// outside returns the place of patterns outside of GRAPH.
func (r *run) outside(d sparql.Dataset) place {
	at := place{named: r.foreign, graphs: []rdf.Term{rdf.DefaultGraph}}
	if d.IsZero() {
		return at
	}
	at.graphs, r.from, r.limited = nil, nil, true
	for _, g := range d.Default {
		at.graphs = append(at.graphs, g)
	}
	for _, g := range d.Named {
		r.from = append(r.from, g)
	}
	return at
}

// reads returns the place of patterns in GRAPH.
func (r *run) reads(name sparql.Operand, at place) place {
	at.named, at.inside, at.schema, at.name, at.many, at.graphs = true, true, name.Term == rdf.SchemaGraph, name.Term, false, nil
	switch {
	case r.limited && name.Term == nil:
		at.graphs = r.from
	case r.limited && !slices.Contains(r.from, name.Term):
	case name.Term != nil:
		at.graphs = []rdf.Term{name.Term}
	default:
		graphs, known := r.named()
		at.graphs, at.many = graphs, !known
	}
	return at
}

// misplaces notes a pattern that only other graphs have, and reports whether it did. what says it of a statement: "has
// the property :p".
func (r *run) misplaces(about rdf.IRI, at any, pattern rdf.Quad, in place, what string) bool {
	if in.inserted || in.asked || in.schema || in.many || r.data == (nothing{}) {
		return false
	}
	for _, g := range in.graphs {
		pattern.Label = g
		r.read[pattern] = true
		if rdf.IsVirtual(g) || !r.absent(pattern, true) || g != rdf.DefaultGraph && r.absent(rdf.Quad{Label: g}, true) {
			return false
		}
	}
	all, known := r.named()
	if !known {
		return false
	}
	for _, g := range append([]rdf.Term{rdf.DefaultGraph}, all...) {
		pattern.Label = g
		if _, found, _ := r.first(pattern, func(rdf.Quad) bool { return true }); !found || g == rdf.SchemaGraph || slices.Contains(in.graphs, g) {
			continue
		}
		way := "the default graph has it: leave GRAPH and FROM out"
		switch named, _ := g.(rdf.IRI); {
		case named == rdf.DefaultGraph:
		case !r.limited:
			way = fmt.Sprintf("write GRAPH %s { … }", r.short(named))
		case in.name != nil && in.name != g:
			way = fmt.Sprintf("leave FROM out, and write GRAPH %s { … }", r.short(named))
		case in.inside:
			way = "write FROM NAMED " + r.short(named)
		default:
			way = "write FROM " + r.short(named)
		}
		text := fmt.Sprintf("no statement of %s %s; %s", r.graphsOf(in), what, way)
		r.elsewhere = append(r.elsewhere, misplaced{Warning{Text: text, About: about, at: at}, pattern})
		return true
	}
	return false
}

// graphsOf returns the words for the graphs that a pattern reads.
func (r *run) graphsOf(in place) string {
	switch {
	case len(in.graphs) == 1 && in.graphs[0] != rdf.DefaultGraph:
		return "the graph " + r.short(in.graphs[0].(rdf.IRI))
	case r.limited:
		return "the graphs of FROM"
	case in.inside:
		return "a named graph"
	}
	return "the default graph"
}

// tellMisplaced warns about patterns that only other graphs have, but for those that the text also looks for there.
func (r *run) tellMisplaced() {
	for _, m := range r.elsewhere {
		if !r.read[m.elsewhere] {
			r.add(&r.unknown, m.Warning)
		}
	}
}
