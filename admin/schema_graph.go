package admin

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Bounds of the schema as a graph.
const (
	schemaDrawn   = 200 // types of the picture
	schemaColumns = 4
	// schemaTime is the time in which nodes and links are counted, and schemaTogether how many counts are one query.
	schemaTime     = 500 * time.Millisecond
	schemaTogether = 12
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
// that is not known. Targets are the types of the nodes: To, or those that extend it. To is "" for a property of the datatype
// [anyNode], for which no line can be drawn.
type schemaEdge struct {
	From, Property, To string
	Targets            []string
	Count              int64
}

// anyNode is the datatype of a property that may lead to a node of any type.
const anyNode = "iri"

// schemaAlike is how many types a box of the picture has at least that are alike.
const schemaAlike = 4

// schemaBox is a box of the picture: a type with the properties by which it refers to others, or several types that refer to
// the same types by the same properties, and to which none refers.
type schemaBox struct {
	Types  []schemaNode
	Edges  []schemaEdge // of the first of the types, with the links of all
	Column int
}

// boxes are the boxes for these types, which are alike or stand alone.
func (g *schemaGraph) boxes(types []schemaNode) (out []*schemaBox) {
	edges, likeness, referred := map[string][]schemaEdge{}, map[string]string{}, map[string]bool{}
	for _, e := range g.Edges {
		edges[e.From] = append(edges[e.From], e)
		likeness[e.From] += e.Property + " " + e.To + "\n"
		for _, name := range e.Targets {
			referred[name] = true
		}
	}
	alike := map[string]int{}
	alone := func(name string) bool { return referred[name] || likeness[name] == "" }
	for _, t := range types {
		if !alone(t.Name) {
			alike[likeness[t.Name]]++
		}
	}
	boxes := map[string]*schemaBox{}
	for _, t := range types {
		key := likeness[t.Name]
		if alone(t.Name) || alike[key] < schemaAlike {
			key = t.Name
		}
		b := boxes[key]
		if b == nil {
			b = &schemaBox{Edges: edges[t.Name], Column: t.Column}
			boxes[key], out = b, append(out, b)
		} else {
			for i, e := range edges[t.Name] {
				b.Edges[i].Count = max(b.Edges[i].Count+e.Count, -1) // not counted is not counted together
			}
		}
		b.Types = append(b.Types, t)
	}
	return out
}

// href is the list of the nodes that have such a link.
func (e schemaEdge) href() string {
	return withQuery(typeURL(e.From), url.Values{"where": {condition{Property: e.Property, Op: "not_empty"}.String()}})
}

// schemaCount is what is counted: the nodes of classes or, by a property, their links. The places of what a class has are
// those in the list of types or of edges.
type schemaCount struct {
	property string // "" for nodes
	classes  []string
	places   map[string][]int
}

func (c *schemaCount) add(class string, place int) {
	if c.places[class] == nil {
		c.classes = append(c.classes, class)
	}
	c.places[class] = append(c.places[class], place)
}

// schemaGraph counts nodes and links, for which little time is given.
func (a *asker) schemaGraph(doc schemaDocument) schemaGraph {
	var g schemaGraph
	counts := []schemaCount{{places: map[string][]int{}}}
	at := map[string]int{} // the properties among these
	for _, t := range doc.Types {
		if t.Abstract {
			continue
		}
		counts[0].add(t.IRI, len(g.Types))
		g.Types = append(g.Types, schemaNode{Name: t.Name, Count: -1})
		for _, p := range doc.properties(t.Name) {
			if p.Class == "" && p.Type != anyNode {
				continue
			}
			if at[p.IRI] == 0 {
				at[p.IRI] = len(counts)
				counts = append(counts, schemaCount{property: p.IRI, places: map[string][]int{}})
			}
			counts[at[p.IRI]].add(t.IRI, len(g.Edges))
			edge := schemaEdge{From: t.Name, Property: p.Name, To: p.Class, Count: -1}
			if p.Class != "" {
				edge.Targets = doc.concrete(p.Class)
			}
			g.Edges = append(g.Edges, edge)
		}
	}
	g.place()
	if len(g.Types) == 0 {
		return g
	}
	nodes, links := make([]int64, len(g.Types)), make([]int64, len(g.Edges))
	until := time.Now().Add(schemaTime)
	for some := range slices.Chunk(counts, schemaTogether) {
		var found struct{ Rows []schemaCounted }
		rows := 0
		for _, c := range some {
			rows += len(c.classes)
		}
		args := map[string]any{"query": countsOf(some), "timeout_ms": max(1, time.Until(until).Milliseconds()), "limit": rows}
		if err := a.furnish("query", args, &found); err != nil {
			g.Why = "Nodes and links are not counted here, because that takes long in this graph or is not allowed."
			return g
		}
		for _, row := range found.Rows {
			into := links
			if some[row.place].property == "" {
				into = nodes
			}
			for _, i := range some[row.place].places[row.class] {
				into[i] = row.n
			}
		}
	}
	for i := range g.Types {
		g.Types[i].Count = nodes[i]
	}
	for i := range g.Edges {
		g.Edges[i].Count = links[i]
	}
	return g
}

// schemaCounted is a row of [countsOf].
type schemaCounted struct {
	class string
	place int
	n     int64
}

// UnmarshalJSON reads a row.
func (c *schemaCounted) UnmarshalJSON(row []byte) error {
	return json.Unmarshal(row, &[]any{&c.class, &c.place, &c.n})
}

// countsOf is the query for counts, whose rows have a class, the place of the count in the list, and the number. Each part
// of the union has a variable of its own, so that all are read in the order of their indexes and grouped together.
func countsOf(counts []schemaCount) string {
	var union, keys strings.Builder
	for i, c := range counts {
		if i > 0 {
			union.WriteString(" UNION ")
		}
		links := ""
		if c.property != "" {
			links = "<" + c.property + "> ?o ; "
		}
		fmt.Fprintf(&union, "{ ?s %sa ?k%d FILTER(?k%[2]d IN (<%s>)) }", links, i, strings.Join(c.classes, ">, <"))
		fmt.Fprintf(&keys, " ?k%d", i)
	}
	place := strconv.Itoa(len(counts) - 1)
	for i := range slices.Backward(counts[:len(counts)-1]) {
		place = fmt.Sprintf("IF(BOUND(?k%d), %[1]d, %s)", i, place)
	}
	return fmt.Sprintf("SELECT (STR(COALESCE(%s)) AS ?class) (%s AS ?place) (COUNT(*) AS ?n) { %s } GROUP BY%s",
		strings.ReplaceAll(strings.TrimSpace(keys.String()), " ", ", "), place, &union, &keys)
}

// place puts a type in a column to the right of those that refer to it, as far as there are columns. Links that close a
// cycle do not count: no column could be right for all of its types.
func (g *schemaGraph) place() {
	index := map[string]int{}
	for i, t := range g.Types {
		index[t.Name] = i
	}
	near := make([][]int, len(g.Types))
	for _, e := range g.Edges {
		for _, name := range e.Targets {
			near[index[e.From]] = append(near[index[e.From]], index[name])
		}
	}
	var reached []int // each type after all to which it refers
	begun, done := make([]bool, len(g.Types)), make([]bool, len(g.Types))
	var reach func(at int)
	reach = func(at int) {
		begun[at] = true
		near[at] = slices.DeleteFunc(near[at], func(to int) bool {
			if !begun[to] {
				reach(to)
			}
			return !done[to]
		})
		done[at], reached = true, append(reached, at)
	}
	for at := range g.Types {
		if !begun[at] {
			reach(at)
		}
	}
	for _, at := range slices.Backward(reached) {
		for _, to := range near[at] {
			g.Types[to].Column = max(g.Types[to].Column, min(g.Types[at].Column+1, schemaColumns-1))
		}
	}
}
