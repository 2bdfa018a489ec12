package admin

import (
	"fmt"
	"net/url"
	"strings"
)

// Bounds of the schema as a graph.
const (
	schemaDrawn   = 200 // types of the picture
	schemaColumns = 4
	schemaCounted = 500 // milliseconds in which the links are counted
)

// schemaGraph is the schema as a graph: the types that have nodes of their own, and which refers to which.
type schemaGraph struct {
	Types []schemaNode
	Edges []schemaEdge
	// Why says why there are no counts, "" if there are.
	Why string
}

// schemaNode is a type, its number of nodes, -1 if it is not known, and its column in the picture.
type schemaNode struct {
	Name   string
	Count  int64
	Column int
}

// schemaEdge is a property by which nodes of one type refer to those of another one, and how many links there are, -1 if
// that is not known. Targets are the types of the nodes: To, or those that extend it.
type schemaEdge struct {
	From, Property, To string
	Targets            []string
	Count              int64
}

// href is the list of the nodes that have such a link.
func (e schemaEdge) href() string {
	return withQuery(typeURL(e.From), url.Values{"where": {condition{Property: e.Property, Op: "not_empty"}.String()}})
}

// schemaGraph reads the numbers of nodes and links by one query, for which little time is given.
func (a *asker) schemaGraph(doc schemaDocument) schemaGraph {
	var g schemaGraph
	var nodes, links strings.Builder
	for _, t := range doc.Types {
		if t.Abstract {
			continue
		}
		fmt.Fprintf(&nodes, "(<%s> %d)", t.IRI, -len(g.Types)-1)
		g.Types = append(g.Types, schemaNode{Name: t.Name, Count: -1})
		for _, p := range doc.properties(t.Name) {
			if p.Class != "" {
				fmt.Fprintf(&links, "(<%s> <%s> %d)", t.IRI, p.IRI, len(g.Edges))
				g.Edges = append(g.Edges, schemaEdge{t.Name, p.Name, p.Class, doc.concrete(p.Class), -1})
			}
		}
	}
	g.place()
	if len(g.Types) == 0 {
		return g
	}
	var counts struct{ Rows [][2]int64 }
	query := fmt.Sprintf("SELECT ?k (COUNT(*) AS ?n) { { VALUES (?t ?k) {%s} ?s a ?t } UNION { VALUES (?t ?p ?k) {%s} ?s a ?t ; ?p ?o } } GROUP BY ?k", &nodes, &links)
	if err := a.furnish("query", map[string]any{"query": query, "timeout_ms": schemaCounted, "limit": len(g.Types) + len(g.Edges)}, &counts); err != nil {
		g.Why = "Nodes and links are not counted here, because that takes long in this graph or is not allowed."
		return g
	}
	for i := range g.Types {
		g.Types[i].Count = 0
	}
	for i := range g.Edges {
		g.Edges[i].Count = 0
	}
	for _, row := range counts.Rows {
		if k := int(row[0]); k < 0 {
			g.Types[-k-1].Count = row[1]
		} else {
			g.Edges[k].Count = row[1]
		}
	}
	return g
}

// place puts a type in a column to the right of those that refer to it, as far as there are columns.
func (g *schemaGraph) place() {
	index := map[string]int{}
	for i, t := range g.Types {
		index[t.Name] = i
	}
	for range schemaColumns - 1 {
		for _, e := range g.Edges {
			from := &g.Types[index[e.From]]
			for _, name := range e.Targets {
				if to := &g.Types[index[name]]; to != from && to.Column <= from.Column {
					to.Column = min(from.Column+1, schemaColumns-1)
				}
			}
		}
	}
}
