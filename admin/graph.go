package admin

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"trails/builtin/view"
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

// graphView is what the address of a neighbourhood asks for.
type graphView struct {
	Type, ID     string
	Depth, Limit int
	Direction    string
}

func graphViewOf(r *http.Request) (graphView, error) {
	q := queryOf(r, "at", "depth", "limit", "direction")
	v := graphView{
		Type: r.PathValue("type"), ID: r.PathValue("id"),
		Depth: q.number("depth", 1, 1, depthMax), Limit: q.number("limit", graphLimit, 1, graphMax),
		Direction: q.word("direction", "both", "out", "in"),
	}
	return v, q.err()
}

// graph asks for the neighbourhood.
func (a *asker) graph(v graphView) (answer view.Graph, err error) {
	err = a.ask("entity_graph", map[string]any{"type": v.Type, "id": v.ID, "depth": v.Depth, "limit": v.Limit, "direction": v.Direction}, &answer)
	return answer, err
}

type graphData struct {
	graphView
	view.Graph
	RootNode view.Node
	Source   string // where the picture's data is
	Types    []typeCount
	Told     []toldEdge
	Choices  graphChoices
}

// toldEdge is an edge as the table says it.
type toldEdge struct {
	From     view.Node
	Property string
	To       view.Node
}

type graphChoices struct {
	Depths, Limits []int
	Directions     []struct{ Value, Text string }
}

var graphOffers = graphChoices{
	Depths: []int{1, 2, 3, 4}, Limits: []int{50, 200, 500, 2000},
	Directions: []struct{ Value, Text string }{{"both", "both ways"}, {"out", "what it refers to"}, {"in", "what refers to it"}},
}

// graph answers the neighbourhood of a node, as a picture and as tables: nodes by type, and
// edges with both ends by name.
func (s *site) graph(w http.ResponseWriter, r *http.Request) error {
	v, err := graphViewOf(r)
	if err != nil {
		return err
	}
	a := s.asker(w, r)
	if _, _, err := a.typeNamed(v.Type); err != nil {
		return err
	}
	here := nodeURL(v.Type, v.ID)
	data := graphData{graphView: v, Choices: graphOffers, Source: withQuery(here+"/graph.json", url.Values{
		"depth": {strconv.Itoa(v.Depth)}, "limit": {strconv.Itoa(v.Limit)}, "direction": {v.Direction},
	})}
	if data.Graph, err = a.graph(v); err != nil {
		return err
	}
	byIRI := map[string]view.Node{}
	for _, n := range data.Nodes {
		byIRI[n.IRI] = n.Node
		data.Types = countType(data.Types, n.Type)
	}
	data.RootNode = byIRI[data.Root]
	for _, e := range data.Edges[:min(len(data.Edges), edgesTold)] {
		data.Told = append(data.Told, toldEdge{byIRI[e.From], e.Property, byIRI[e.To]})
	}
	name := firstOf(line(data.RootNode.Label), v.ID)
	return s.respond(w, r, http.StatusOK, page{
		Title: "Around " + name, Nav: "types", Type: v.Type, Main: data.main, Scripts: graphScripts,
		Crumbs: []link{{v.Type, typeURL(v.Type)}, {name, here}},
		Live:   live{Mode: "any", Head: a.head},
	})
}

// countType counts one node more of a type: the legend of a picture.
func countType(types []typeCount, name string) []typeCount {
	at := slices.IndexFunc(types, func(t typeCount) bool { return t.Name == name })
	if at < 0 {
		at, types = len(types), append(types, typeCount{Name: name})
	}
	types[at].Count++
	return types
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
		Edges     []view.Edge `json:"edges"`
		Truncated bool        `json:"truncated"`
	}{answer.Root, []drawn{}, answer.Edges, answer.Truncated}
	for _, n := range answer.Nodes {
		d := drawn{ID: n.IRI, Label: firstRunes(firstOf(line(n.Label), line(n.ID), line(n.IRI)), 48), Type: n.Type, Hue: s.palette.hue(n.Type), Depth: n.Depth, Href: pageOf(n.Node)}
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
