package view

import (
	"context"
	"slices"

	"trails/auth/policy"
	"trails/capability"
	"trails/fault"
	"trails/invoke"
	"trails/kg"
	"trails/kg/browse"
	"trails/rdf"
	"trails/schema"
)

// entityAsked is a node, and how much of it is read.
type entityAsked struct {
	nodeAsked
	Limit    int    `json:"limit" min:"1" max:"1000" default:"50" doc:"How many values of each property, and nodes of each group of links."`
	Property string `json:"property,omitempty" doc:"Read the values of this property only."`
	Offset   int    `json:"offset" min:"0" max:"1000000000" default:"0" doc:"With property: leave out the first values."`
}

var entityGet = invoke.Define(capability.Descriptor{
	ID: "entity_get", Description: "Read all that a page about one node shows: its properties with their values, what refers to it, and when it was made and changed.",
	PolicyRequired: capability.Requirement{Action: policy.Read}, Idempotent: true,
}, viewEntity, invoke.Hidden)

// Property is a declared property with its values.
type Property struct {
	Column
	IRI         string `json:"iri"`
	Required    bool   `json:"required"`
	Description string `json:"description"`
	Values      []Cell `json:"values"`
	Total       int    `json:"total" doc:"How many values there are."`
	Kinds       []Kind `json:"kinds,omitempty" doc:"Of a property that leads to nodes of any type, and has more values than are listed: the types of the first 1,000."`
	Unread      int    `json:"unread,omitempty" doc:"How many values there are after those."`
}

// Kind is the nodes of one type among the values of a property.
type Kind struct {
	Type  string `json:"type" doc:"Empty for nodes without a declared type."`
	Total int    `json:"total"`
	Nodes []Node `json:"nodes"`
}

// Other is the values of a property that the schema does not declare for the node.
type Other struct {
	Predicate string `json:"predicate"`
	Values    []Cell `json:"values"`
	Total     int    `json:"total"`
}

// Incoming is a group of nodes that refer to a node by one property.
type Incoming struct {
	Type     string `json:"type" doc:"Empty for nodes without a declared type."`
	Property string `json:"property"`
	Total    int    `json:"total"`
	More     bool   `json:"more" doc:"There are more than total, or may be."`
	Nodes    []Node `json:"nodes"`
}

// Entity is what entity_get answers: a node with its values and who refers to it.
type Entity struct {
	Node       Node       `json:"node"`
	Types      []string   `json:"types" doc:"Its declared types."`
	Properties []Property `json:"properties" doc:"What its types declare, with and without values."`
	Other      []Other    `json:"other" doc:"What no type of it declares."`
	Incoming   []Incoming `json:"incoming" doc:"What refers to it, by type and property."`
	Changed    *Commit    `json:"changed" doc:"The last commit that touched a statement about it."`
	Made       *Commit    `json:"made" doc:"The commit that gave it its type."`
}

func viewEntity(ctx context.Context, r *invoke.Request, in entityAsked) (*Entity, error) {
	d, err := oneNode(ctx, r, in.nodeAsked, r.Snapshot.Find)
	if err != nil {
		return nil, err
	}
	page, err := nodePage(ctx, r, d, in)
	if err != nil {
		return nil, err
	}
	out := &Entity{Node: viewNode(d), Types: []string{}, Properties: []Property{}, Other: []Other{}, Incoming: incomingViews(page.Incoming)}
	for _, t := range page.Types {
		out.Types = append(out.Types, t.Name)
	}
	for _, p := range page.Properties {
		v, err := propertyOf(ctx, r, p)
		if err != nil {
			return nil, err
		}
		if in.Property == "" && p.Property.Class == "" && len(p.Values) < p.Total && slices.ContainsFunc(p.Values, isNode) {
			v.Unread = max(0, p.Total-browse.KindsListed)
			if v.Kinds, err = kinds(ctx, r, d.Term, p.Property, in.Limit); err != nil {
				return nil, err
			}
		}
		out.Properties = append(out.Properties, v)
	}
	for _, o := range page.Other {
		cells, err := cells(ctx, r, o.Values, textWhole)
		if err != nil {
			return nil, err
		}
		out.Other = append(out.Other, Other{string(o.Predicate), cells, o.Total})
	}
	out.Changed, out.Made = optionalCommit(page.Changed), optionalCommit(page.Made)
	return out, nil
}

// nodePage reads the whole page, or the values of the one property that is asked for.
func nodePage(ctx context.Context, r *invoke.Request, d browse.Described, in entityAsked) (browse.NodePage, error) {
	if in.Property == "" {
		if in.Offset > 0 {
			return browse.NodePage{}, fault.Argument("offset", fault.Closed, nil, "offset goes with property")
		}
		return r.Snapshot.Page(ctx, d, in.Limit)
	}
	types, err := r.Snapshot.DeclaredTypes(ctx, d.Term)
	if err != nil {
		return browse.NodePage{}, err
	}
	p, wrong := propertyArgument(r, d.Type, "property", in.Property)
	if p == nil {
		return browse.NodePage{}, fault.Arguments(wrong...)
	}
	values, err := r.Snapshot.PropertyPage(ctx, d.Term, p, in.Limit, in.Offset)
	return browse.NodePage{Node: d, Types: types, Properties: []browse.PropertyValues{values}}, err
}

func propertyOf(ctx context.Context, r *invoke.Request, p browse.PropertyValues) (Property, error) {
	cells, err := cells(ctx, r, p.Values, textWhole)
	return Property{
		Column: viewColumn(p.Property), IRI: string(p.Property.IRI), Required: p.Property.Required(),
		Description: p.Property.Description, Values: cells, Total: p.Total,
	}, err
}

func isNode(t rdf.Term) bool { return !rdf.IsLiteral(t) }

// kinds are the types that the values of a property are of.
func kinds(ctx context.Context, r *invoke.Request, node rdf.Term, p *schema.Property, limit int) (out []Kind, err error) {
	groups, err := r.Snapshot.Kinds(ctx, node, p, limit)
	for _, g := range groups {
		out = append(out, Kind{typeName(g.Type), g.Total, viewNodes(g.Nodes)})
	}
	return out, err
}

func incomingViews(groups []browse.LinkGroup) []Incoming {
	out := []Incoming{}
	for _, g := range groups {
		out = append(out, Incoming{typeName(g.Type), g.Property, g.Total, g.More, viewNodes(g.Nodes)})
	}
	return out
}

func typeName(t *schema.Type) string {
	if t == nil {
		return ""
	}
	return t.Name
}

func optionalCommit(c *kg.Commit) *Commit {
	if c == nil {
		return nil
	}
	return CommitOf(*c)
}

// graphAsked says how far around a node is looked.
type graphAsked struct {
	nodeAsked
	Depth     int              `json:"depth" min:"1" max:"4" default:"1" doc:"How many links away a node may be."`
	Limit     int              `json:"limit" min:"1" max:"2000" default:"200" doc:"How many nodes at most."`
	Direction browse.Direction `json:"direction" oneof:"both,out,in" default:"both" doc:"Which links to follow."`
}

var entityGraph = invoke.Define(capability.Descriptor{
	ID: "entity_graph", Description: "Read the neighbourhood of a node: the nodes that its links lead to, breadth first, and the links between them.",
	PolicyRequired: capability.Requirement{Action: policy.Read}, Idempotent: true,
}, viewGraph, invoke.Hidden)

// Neighbour is a node and how many steps away it is.
type Neighbour struct {
	Node
	Depth int `json:"depth"`
}

// Edge is a link between two nodes, which are named by their IRIs.
type Edge struct {
	From     string `json:"from"`
	To       string `json:"to"`
	Property string `json:"property"`
}

// Graph is what entity_graph answers: what is around the node Root.
type Graph struct {
	Root      string      `json:"root" doc:"The IRI of the node in the middle."`
	Nodes     []Neighbour `json:"nodes"`
	Edges     []Edge      `json:"edges"`
	Truncated bool        `json:"truncated" doc:"Not everything in reach is listed."`
}

func viewGraph(ctx context.Context, r *invoke.Request, in graphAsked) (*Graph, error) {
	d, err := oneNode(ctx, r, in.nodeAsked, r.Snapshot.Find)
	if err != nil {
		return nil, err
	}
	around, err := r.Snapshot.Neighbourhood(ctx, d, in.Direction, in.Depth, in.Limit)
	if err != nil {
		return nil, err
	}
	out := &Graph{Root: d.IRI(), Nodes: []Neighbour{}, Edges: []Edge{}, Truncated: around.Truncated}
	for _, n := range around.Nodes {
		out.Nodes = append(out.Nodes, Neighbour{viewNode(n.Described), n.Depth})
	}
	for _, e := range around.Edges {
		out.Edges = append(out.Edges, Edge{nodeIRI(e.From), nodeIRI(e.To), e.Property})
	}
	return out, nil
}

func nodeIRI(t rdf.Term) string { return browse.Described{Term: t}.IRI() }
