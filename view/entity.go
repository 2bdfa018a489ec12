package view

import (
	"context"

	"trails/capability"
	"trails/fault"
	"trails/invoke"
	"trails/kg"
	"trails/rdf"
	"trails/schema"
)

var entityGet = invoke.Capability{
	Descriptor: capability.Descriptor{
		ID: "entity_get", Description: "Read all that a page about one node shows: its properties with their values, what refers to it, and when it was made and changed.",
		InputShape: capability.Shape{Fields: []capability.Field{
			typeInput, idInput,
			{Name: "limit", Type: capability.Integer, MinValue: 1, MaxValue: 1000, Default: 50, Description: "How many values of each property, and nodes of each group of links."},
			{Name: "property", Type: capability.String, Description: "Read the values of this property only."},
			{Name: "offset", Type: capability.Integer, MinValue: 0, MaxValue: 1_000_000_000, Default: 0, Description: "With property: leave out the first values."},
			capability.ReadBranch(),
		}},
		OutputShape: capability.Shape{Fields: []capability.Field{
			nodeField("node"),
			{Name: "types", Type: capability.String, Many: true, Required: true, Description: "Its declared types."},
			{Name: "properties", Type: capability.Object, Many: true, Required: true, Description: "What its types declare, with and without values.", Fields: propertyFields},
			{Name: "other", Type: capability.Object, Many: true, Required: true, Description: "What no type of it declares.", Fields: []capability.Field{
				{Name: "predicate", Type: capability.String, Required: true},
				cellsField("values", ""),
				{Name: "total", Type: capability.Integer, Required: true},
			}},
			{Name: "incoming", Type: capability.Object, Many: true, Required: true, Description: "What refers to it, by type and property.", Fields: []capability.Field{
				{Name: "type", Type: capability.String, Required: true, Description: "Empty for nodes without a declared type."},
				{Name: "property", Type: capability.String, Required: true},
				{Name: "total", Type: capability.Integer, Required: true},
				{Name: "more", Type: capability.Boolean, Required: true, Description: "There are more than total, or may be."},
				{Name: "nodes", Type: capability.Object, Fields: nodeFields, Many: true, Required: true},
			}},
			{Name: "changed", Type: capability.Object, Fields: CommitFields, Required: true, Nullable: true, Description: "The last commit that touched a statement about it."},
			{Name: "made", Type: capability.Object, Fields: CommitFields, Required: true, Nullable: true, Description: "The commit that gave it its type."},
		}},
		CostEstimate: capability.CostResult, PolicyRequired: capability.Requirement{Action: "read"}, Idempotent: true,
	},
	Handle: viewEntity, Hidden: true,
}

var propertyFields = []capability.Field{
	{Name: "name", Type: capability.String, Required: true},
	{Name: "iri", Type: capability.String, Required: true},
	{Name: "datatype", Type: capability.String, Required: true, Description: "xsd:string and the like; iri for a reference."},
	{Name: "class", Type: capability.String, Required: true, Description: "The type that a reference leads to; empty for a value."},
	{Name: "many", Type: capability.Boolean, Required: true},
	{Name: "required", Type: capability.Boolean, Required: true},
	{Name: "description", Type: capability.String, Required: true},
	{Name: "one_of", Type: capability.String, Many: true, Required: true, Description: "The values that it can have, when these are listed."},
	cellsField("values", ""),
	{Name: "total", Type: capability.Integer, Required: true, Description: "How many values there are."},
}

// Property is a declared property with its values.
type Property struct {
	Column
	IRI         string `json:"iri"`
	Required    bool   `json:"required"`
	Description string `json:"description"`
	Values      []Cell `json:"values"`
	Total       int    `json:"total"`
}

// Other is the values of a property that the schema does not declare for the node.
type Other struct {
	Predicate string `json:"predicate"`
	Values    []Cell `json:"values"`
	Total     int    `json:"total"`
}

// Incoming is a group of nodes that refer to a node by one property.
type Incoming struct {
	Type     string `json:"type"`
	Property string `json:"property"`
	Total    int    `json:"total"`
	More     bool   `json:"more"`
	Nodes    []Node `json:"nodes"`
}

// Entity is what entity_get answers: a node with its values and who refers to it.
type Entity struct {
	Node       Node       `json:"node"`
	Types      []string   `json:"types"`
	Properties []Property `json:"properties"`
	Other      []Other    `json:"other"`
	Incoming   []Incoming `json:"incoming"`
	Changed    *Commit    `json:"changed"`
	Made       *Commit    `json:"made"`
}

func viewEntity(ctx context.Context, r *invoke.Request) (any, error) {
	d, err := oneNode(ctx, r, r.Snapshot.Find)
	if err != nil {
		return nil, err
	}
	page, err := nodePage(ctx, r, d)
	if err != nil {
		return nil, err
	}
	out := Entity{Node: viewNode(d), Types: []string{}, Properties: []Property{}, Other: []Other{}, Incoming: incomingViews(page.Incoming)}
	for _, t := range page.Types {
		out.Types = append(out.Types, t.Name)
	}
	for _, p := range page.Properties {
		v, err := propertyOf(ctx, r, p)
		if err != nil {
			return nil, err
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
func nodePage(ctx context.Context, r *invoke.Request, d kg.Described) (kg.NodePage, error) {
	limit, name := r.Args.Integer("limit", 50), r.Args.Text("property")
	if name == "" {
		if r.Args.Integer("offset", 0) > 0 {
			return kg.NodePage{}, fault.Argument("offset", fault.Closed, nil, "offset goes with property")
		}
		return r.Snapshot.Page(ctx, d, limit)
	}
	types, err := r.Snapshot.DeclaredTypes(ctx, d.Term)
	if err != nil {
		return kg.NodePage{}, err
	}
	p, wrong := propertyArgument(r, d.Type, "property", name)
	if p == nil {
		return kg.NodePage{}, fault.Arguments(wrong...)
	}
	values, err := r.Snapshot.PropertyPage(ctx, d.Term, p, limit, r.Args.Integer("offset", 0))
	return kg.NodePage{Node: d, Types: types, Properties: []kg.PropertyValues{values}}, err
}

func propertyOf(ctx context.Context, r *invoke.Request, p kg.PropertyValues) (Property, error) {
	cells, err := cells(ctx, r, p.Values, textWhole)
	return Property{
		Column: viewColumn(p.Property), IRI: string(p.Property.IRI), Required: p.Property.Required(),
		Description: p.Property.Description, Values: cells, Total: p.Total,
	}, err
}

func incomingViews(groups []kg.LinkGroup) []Incoming {
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

var entityGraph = invoke.Capability{
	Descriptor: capability.Descriptor{
		ID: "entity_graph", Description: "Read the neighbourhood of a node: the nodes that its links lead to, breadth first, and the links between them.",
		InputShape: capability.Shape{Fields: []capability.Field{
			typeInput, idInput,
			{Name: "depth", Type: capability.Integer, MinValue: 1, MaxValue: 4, Default: 1, Description: "How many links away a node may be."},
			{Name: "limit", Type: capability.Integer, MinValue: 1, MaxValue: 2000, Default: 200, Description: "How many nodes at most."},
			{Name: "direction", Type: capability.String, OneOf: []any{"both", "out", "in"}, Default: "both", Description: "Which links to follow."},
			capability.ReadBranch(),
		}},
		OutputShape: capability.Shape{Fields: []capability.Field{
			{Name: "root", Type: capability.String, Required: true, Description: "The IRI of the node in the middle."},
			{Name: "nodes", Type: capability.Object, Many: true, Required: true, Fields: append(append([]capability.Field{}, nodeFields...),
				capability.Field{Name: "depth", Type: capability.Integer, Required: true})},
			{Name: "edges", Type: capability.Object, Many: true, Required: true, Fields: []capability.Field{
				{Name: "from", Type: capability.String, Required: true},
				{Name: "to", Type: capability.String, Required: true},
				{Name: "property", Type: capability.String, Required: true},
			}},
			{Name: "truncated", Type: capability.Boolean, Required: true, Description: "Not everything in reach is listed."},
		}},
		CostEstimate: capability.CostResult, PolicyRequired: capability.Requirement{Action: "read"}, Idempotent: true,
	},
	Handle: viewGraph, Hidden: true,
}

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
	Root      string      `json:"root"`
	Nodes     []Neighbour `json:"nodes"`
	Edges     []Edge      `json:"edges"`
	Truncated bool        `json:"truncated"`
}

func viewGraph(ctx context.Context, r *invoke.Request) (any, error) {
	d, err := oneNode(ctx, r, r.Snapshot.Find)
	if err != nil {
		return nil, err
	}
	direction := kg.Direction(r.Args.Text("direction"))
	if direction == "" {
		direction = kg.Both
	}
	around, err := r.Snapshot.Neighbourhood(ctx, d, direction, r.Args.Integer("depth", 1), r.Args.Integer("limit", 200))
	if err != nil {
		return nil, err
	}
	out := Graph{Root: d.IRI(), Nodes: []Neighbour{}, Edges: []Edge{}, Truncated: around.Truncated}
	for _, n := range around.Nodes {
		out.Nodes = append(out.Nodes, Neighbour{viewNode(n.Described), n.Depth})
	}
	for _, e := range around.Edges {
		out.Edges = append(out.Edges, Edge{nodeIRI(e.From), nodeIRI(e.To), e.Property})
	}
	return out, nil
}

func nodeIRI(t rdf.Term) string { return kg.Described{Term: t}.IRI() }
