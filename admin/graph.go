package admin

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"trails/builtin/view"
	"trails/fault"
	"trails/schema"
)

// Limits of a neighbourhood.
const (
	graphLimit = 200
	graphMax   = 2000
	depthMax   = 4
	edgesTold  = 500 // edges in the table; the picture has all
)

// graphScripts draw a neighbourhood that has too many nodes for SVG.
var graphScripts = []string{"graph.js"}

// graphView is what the address of a neighbourhood asks for. Up to one step away it is what is around the node and the
// nodes of Expand, with the groups of Open; further away it is everything up to Limit.
type graphView struct {
	Type, ID      string
	Depth, Limit  int
	Direction     string
	Layout        string
	Open, Expand  []string // groups as [linkGroup.key] names them, nodes as [referenceTo] does
	Card          string   // the node whose card is open
	Hide, Without []string // types and relations that are not shown
}

func graphViewOf(r *http.Request) (graphView, error) {
	q := queryOf(r, "at", "depth", "limit", "direction", "layout", "open", "expand", "card", "hide", "without")
	v := graphView{
		Type: r.PathValue("type"), ID: r.PathValue("id"),
		Depth: q.number("depth", 1, 1, depthMax), Limit: q.number("limit", graphLimit, 1, graphMax),
		Direction: q.word("direction", "both", "out", "in"), Layout: q.word("layout", layoutAround, layoutLayers, layoutTime),
		Open: q.Values["open"], Expand: q.Values["expand"], Card: q.Get("card"), Hide: q.Values["hide"], Without: q.Values["without"],
	}
	if len(v.Expand) > aroundExpanded {
		q.fail("expand", fault.MaxCount, len(v.Expand), fmt.Sprintf("a picture has at most %d nodes that are expanded; leave out the others", aroundExpanded))
	}
	return v, q.err()
}

// href is the address of the view.
func (v graphView) href() string {
	q := url.Values{}
	for name, list := range map[string][]string{"open": v.Open, "expand": v.Expand, "hide": v.Hide, "without": v.Without} {
		if len(list) > 0 {
			q[name] = list
		}
	}
	for name, value := range map[string]string{
		"depth": textIf(v.Depth > 1, strconv.Itoa(v.Depth), ""), "limit": textIf(v.Limit != graphLimit, strconv.Itoa(v.Limit), ""),
		"direction": textIf(v.Direction != "both", v.Direction, ""), "layout": textIf(v.Layout != layoutAround, v.Layout, ""), "card": v.Card,
	} {
		if value != "" {
			q.Set(name, value)
		}
	}
	return withQuery(nodeURL(v.Type, v.ID)+"/graph", q)
}

// with is the address of the view with a change.
func (v graphView) with(change func(*graphView)) string {
	change(&v)
	return v.href()
}

// clickOn opens the card of a node and expands the node; it is "" for a node without a page. The node that was expanded
// first is folded if there would be too many.
func (v graphView) clickOn(n view.Node) string {
	if pageOf(n) == "" {
		return ""
	}
	ref := referenceTo(n)
	return v.with(func(v *graphView) {
		v.Card = ref
		if n.Type == v.Type && n.ID == v.ID || slices.Contains(v.Expand, ref) {
			return
		}
		v.Expand = append(slices.Clone(v.Expand), ref)
		v.Expand = v.Expand[max(0, len(v.Expand)-aroundExpanded):]
	})
}

// toggled is the list with a word, or without it if it had it.
func toggled(list []string, word string) []string {
	if at := slices.Index(list, word); at >= 0 {
		return slices.Delete(slices.Clone(list), at, at+1)
	}
	return append(slices.Clone(list), word)
}

// graph asks for the neighbourhood.
func (a *asker) graph(v graphView) (answer view.Graph, err error) {
	err = a.ask("entity_graph", map[string]any{"type": v.Type, "id": v.ID, "depth": v.Depth, "limit": v.Limit, "direction": v.Direction}, &answer)
	return answer, err
}

type graphData struct {
	graphView
	view.Graph       // everything up to some steps away, empty for one step
	RootNode         view.Node
	Figure           *surroundings // nil where there are too many nodes for SVG
	Card             *view.Entity
	Between          bool     // more links between neighbours than the picture has room for
	Gone             []string // nodes that were to be expanded and are not there
	Timed            bool     // there is something for a timeline
	Source           string   // where the data of the canvas is
	Relations, Kinds []typeCount
	Told             []toldEdge
	Choices          graphChoices
}

// toldEdge is an edge as the table of a canvas says it.
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

// graph answers the neighbourhood of a node, as a picture and as tables.
func (s *site) graph(w http.ResponseWriter, r *http.Request) error {
	v, err := graphViewOf(r)
	if err != nil {
		return err
	}
	a := s.asker(w, r)
	doc, _, err := a.typeNamed(v.Type)
	if err != nil {
		return err
	}
	data := graphData{graphView: v, Choices: graphOffers}
	if v.Depth == 1 {
		err = data.readAround(a, doc)
	} else {
		err = data.readFar(a)
	}
	if err != nil {
		return err
	}
	if data.Figure != nil {
		data.Timed = slices.ContainsFunc(data.Figure.types(), func(t typeCount) bool {
			return slices.ContainsFunc(doc.properties(t.Name), func(p schema.PropertyDocument) bool { return slices.Contains(dateTypes, p.Type) })
		})
		if data.Timed && v.Layout == layoutTime {
			if err := a.addTimes(doc, &data.Figure.figure); err != nil {
				return err
			}
		}
	}
	name := firstOf(line(data.RootNode.Label), v.ID)
	return s.respond(w, r, http.StatusOK, page{
		Title: "Around " + name, Nav: "types", Type: v.Type, Main: data.main, Scripts: data.scripts(),
		Crumbs: []link{{v.Type, typeURL(v.Type)}, {name, nodeURL(v.Type, v.ID)}},
		Live:   live{Mode: "any", Head: a.head},
	})
}

// scripts are those that the picture needs.
func (d graphData) scripts() []string {
	if d.Figure == nil {
		return graphScripts
	}
	return nil
}

// readAround reads what is one step away, and the card.
func (d *graphData) readAround(a *asker, doc schemaDocument) error {
	found, read, gone, err := a.surround(d.graphView)
	if err != nil {
		return err
	}
	d.Figure, d.Gone, d.RootNode = found, gone, read[0].Node
	if d.Between, err = a.addBetween(doc, found, read); err != nil {
		return err
	}
	d.Relations, d.Kinds = found.Relations, found.Kinds
	for _, e := range read {
		if d.graphView.Card != "" && referenceTo(e.Node) == d.graphView.Card {
			d.Card = &e
		}
	}
	if d.Card == nil && d.graphView.Card != "" {
		typeName, id, _ := strings.Cut(d.graphView.Card, "/")
		var e view.Entity
		if err := a.ask("entity_get", map[string]any{"type": typeName, "id": id, "limit": aroundFew}, &e); err == nil {
			d.Card = &e
		} else if fault.Of(err) == nil {
			return err
		}
	}
	return nil
}

// readFar reads everything up to some steps away: a figure, or what a canvas draws.
func (d *graphData) readFar(a *asker) (err error) {
	v := d.graphView
	if d.Graph, err = a.graph(v); err != nil {
		return err
	}
	byIRI := map[string]view.Node{}
	for _, n := range d.Nodes {
		byIRI[n.IRI] = n.Node
		d.Kinds = countMore(d.Kinds, n.Type, 1)
	}
	d.RootNode = byIRI[d.Root]
	if len(d.Nodes) > figureMost {
		d.Source = withQuery(nodeURL(v.Type, v.ID)+"/graph.json", url.Values{"depth": {strconv.Itoa(v.Depth)}, "limit": {strconv.Itoa(v.Limit)}, "direction": {v.Direction}})
		for _, e := range d.Edges[:min(len(d.Edges), edgesTold)] {
			d.Told = append(d.Told, toldEdge{byIRI[e.From], e.Property, byIRI[e.To]})
		}
		return nil
	}
	d.Figure = &surroundings{view: v, click: func(n view.Node) string {
		return textIf(pageOf(n) != "", nodeURL(n.Type, n.ID)+"/graph", "")
	}}
	at := map[string]int{}
	for _, n := range d.Nodes {
		at[n.IRI] = d.Figure.addNode(n.Node, n.IRI == d.Root)
	}
	for _, e := range d.Edges {
		d.Relations = countMore(d.Relations, e.Property, 1)
		if !slices.Contains(v.Without, e.Property) {
			d.Figure.link(figureLink{From: at[e.From], To: at[e.To], Property: e.Property})
		}
	}
	return nil
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
		d := drawn{ID: n.IRI, Label: firstRunes(firstOf(line(n.Label), line(n.ID), line(n.IRI)), 48), Type: n.Type, Hue: s.colours.hue(n.Type), Depth: n.Depth, Href: pageOf(n.Node)}
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
