package admin

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"trails/fault"
)

// Limits of a neighbourhood.
const (
	graphLimit = 200
	graphMax   = 2000
	depthMax   = 4
	edgesTold  = 500 // edges in the table; the picture has all
)

// graphScripts draw a neighbourhood.
var graphScripts = []string{"cytoscape.min.js", "graph.js"}

// graphAnswer is what entity_graph answers.
type graphAnswer struct {
	Root      string
	Nodes     []graphNode
	Edges     []graphEdge
	Truncated bool
}

type graphNode struct {
	node
	Depth int `json:"depth"`
}

type graphEdge struct {
	From     string `json:"from"`
	To       string `json:"to"`
	Property string `json:"property"`
}

// graphView is what the address of a neighbourhood asks for.
type graphView struct {
	Type, ID     string
	Depth, Limit int
	Direction    string
}

func graphViewOf(r *http.Request) (graphView, error) {
	q := queryOf(r, "depth", "limit", "direction")
	v := graphView{
		Type: r.PathValue("type"), ID: r.PathValue("id"),
		Depth: q.number("depth", 1, 1, depthMax), Limit: q.number("limit", graphLimit, 1, graphMax),
		Direction: q.word("direction", "both", "out", "in"),
	}
	return v, q.err()
}

func (a *asker) graph(v graphView) (graphAnswer, error) {
	var answer graphAnswer
	err := a.ask("entity_graph", map[string]any{"type": v.Type, "id": v.ID, "depth": v.Depth, "limit": v.Limit, "direction": v.Direction}, &answer)
	return answer, err
}

type graphData struct {
	graphView
	graphAnswer
	RootNode node
	Source   string
	Types    []typeCount
	Told     []toldEdge
	Choices  graphChoices
}

// toldEdge is an edge as the table says it.
type toldEdge struct {
	From     node
	Property string
	To       node
}

type graphChoices struct {
	Depths, Limits []int
	Directions     []struct{ Value, Text string }
}

var graphOffers = graphChoices{
	Depths: []int{1, 2, 3, 4}, Limits: []int{50, 200, 500, 2000},
	Directions: []struct{ Value, Text string }{{"both", "both ways"}, {"out", "what it refers to"}, {"in", "what refers to it"}},
}

// graph answers the neighbourhood of a node, as a picture and as tables.
func (s *site) graph(w http.ResponseWriter, r *http.Request) error {
	v, err := graphViewOf(r)
	if err != nil {
		return err
	}
	a := s.asker(w, r)
	doc, err := a.schema()
	if err != nil {
		return err
	}
	if _, ok := doc.find(v.Type); !ok {
		return fault.New(fault.NotFound, "there is no type %s in the schema", line(v.Type))
	}
	answer, err := a.graph(v)
	if err != nil {
		return err
	}
	data := graphData{graphView: v, graphAnswer: answer, Source: v.source(), Choices: graphOffers}
	data.tell()
	here := nodeURL(v.Type, v.ID)
	return s.respond(w, r, http.StatusOK, "graph.html", page{
		Title: "Around " + firstOf(line(data.RootNode.Label), v.ID), Nav: "types", Type: v.Type, Data: data, Scripts: graphScripts,
		Crumbs: []link{{v.Type, typeURL(v.Type)}, {firstOf(line(data.RootNode.Label), v.ID), here}},
		Live:   live{Mode: "any", Head: a.head},
	})
}

// source is where the picture's data is.
func (v graphView) source() string {
	q := url.Values{"depth": {strconv.Itoa(v.Depth)}, "limit": {strconv.Itoa(v.Limit)}, "direction": {v.Direction}}
	return withQuery(nodeURL(v.Type, v.ID)+"/graph.json", q)
}

// tell makes the tables: nodes by type, and edges with both ends by name.
func (d *graphData) tell() {
	byIRI, counts := map[string]node{}, map[string]int{}
	for _, n := range d.Nodes {
		byIRI[n.IRI] = n.node
		if _, seen := counts[n.Type]; !seen {
			counts[n.Type] = len(d.Types)
			d.Types = append(d.Types, typeCount{Name: n.Type})
		}
		d.Types[counts[n.Type]].Count++
	}
	d.RootNode = byIRI[d.Root]
	for _, e := range d.Edges[:min(len(d.Edges), edgesTold)] {
		d.Told = append(d.Told, toldEdge{byIRI[e.From], e.Property, byIRI[e.To]})
	}
}

// drawn is a node as the picture needs it.
type drawn struct {
	ID    string `json:"id"`
	Label string `json:"label"`
	Type  string `json:"type"`
	Hue   int    `json:"hue"`
	Depth int    `json:"depth"`
	Href  string `json:"href,omitempty"`
}

// graphJSON answers what the picture draws. Labels are one line of plain text.
func (s *site) graphJSON(w http.ResponseWriter, r *http.Request) error {
	v, err := graphViewOf(r)
	if err != nil {
		return err
	}
	a := s.asker(w, r)
	if _, err := a.schema(); err != nil { // its types have the colours
		return err
	}
	answer, err := a.graph(v)
	if err != nil {
		return err
	}
	out := struct {
		Root      string      `json:"root"`
		Nodes     []drawn     `json:"nodes"`
		Edges     []graphEdge `json:"edges"`
		Truncated bool        `json:"truncated"`
	}{answer.Root, []drawn{}, answer.Edges, answer.Truncated}
	for _, n := range answer.Nodes {
		d := drawn{ID: n.IRI, Label: firstRunes(firstOf(line(n.Label), line(n.ID), line(n.IRI)), 48), Type: n.Type, Hue: s.palette.hue(n.Type), Depth: n.Depth}
		if n.Type != "" && n.ID != "" && n.Exists {
			d.Href = nodeURL(n.Type, n.ID)
		}
		out.Nodes = append(out.Nodes, d)
	}
	return sendJSON(w, out)
}

func sendJSON(w http.ResponseWriter, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode: %w", err)
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(text) // the connection may be closed
	return nil
}
