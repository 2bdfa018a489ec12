package view

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"trails/capability"
	"trails/fault"
	"trails/invoke"
	"trails/kg"
	"trails/rdf"
	"trails/schema"
)

// Bounds of a table.
const (
	maxColumns    = 100
	otherColumns  = 6
	valuesPerCell = 5
	valuesWhole   = 10_000
)

var (
	typeInput = capability.Field{Name: "type", Type: capability.String, Required: true, MaxLength: new(1000), Description: "The name of a type of the schema; its subtypes are meant, too."}
	idInput   = capability.Field{Name: "id", Type: capability.String, Required: true, MaxLength: new(8192), Description: "The local id of a node, or its whole IRI."}
)

var entitiesList = invoke.Capability{
	Descriptor: capability.Descriptor{
		ID: "entities_list", Description: "List a page of the instances of a type as a table: filtered, searched, sorted, with counts by value.",
		InputShape: capability.Shape{Fields: []capability.Field{
			typeInput,
			{Name: "where", Type: capability.Object, Many: true, MaxCount: new(MaxConditions), Description: "Keep the nodes that fit every condition.", Fields: []capability.Field{
				{Name: "property", Type: capability.String, Required: true},
				{Name: "op", Type: capability.String, Description: "As list has them; = when left out."},
				{Name: "value", Type: capability.Any, Description: "Exactly this value; a reference by id."},
			}},
			{Name: "search", Type: capability.String, MaxLength: new(200), Description: "Keep the nodes whose label begins with it, whatever its case. It finds at most 10,000 nodes."},
			{Name: "sort", Type: capability.String, Description: "The property to sort by; nodes without it come last. The first time by a text, and always by a reference, it costs a look at every node of the type."},
			{Name: "descending", Type: capability.Boolean, Default: false},
			{Name: "limit", Type: capability.Integer, MinValue: 1, MaxValue: maxLimit, Default: defaultLimit},
			{Name: "offset", Type: capability.Integer, MinValue: 0, MaxValue: 1_000_000_000, Default: 0},
			{Name: "columns", Type: capability.String, Many: true, MaxCount: new(maxColumns), Description: "The properties to show; label, key and the first others when left out."},
			{Name: "whole", Type: capability.Boolean, Default: false, Description: "All values of a cell, and texts at their length."},
			{Name: "facets", Type: capability.Boolean, Default: false, Description: "Count the nodes for each value of the properties that list their values."},
			capability.ReadBranch(),
		}},
		OutputShape: capability.Shape{Fields: []capability.Field{
			{Name: "type", Type: capability.String, Required: true},
			{Name: "label", Type: capability.String, Description: "The property whose values are the labels; absent when there is none."},
			{Name: "title", Type: capability.String, Required: true},
			{Name: "description", Type: capability.String, Required: true, Description: "What the type is."},
			{Name: "columns", Type: capability.Object, Fields: columnFields, Many: true, Required: true},
			{Name: "rows", Type: capability.Object, Many: true, Required: true, Fields: []capability.Field{
				nodeField("node"),
				{Name: "cells", Type: capability.Object, Required: true, Description: "Values by property, at most 5 unless they are whole."},
				{Name: "more", Type: capability.Object, Required: true, Description: "How many values are left out, by property."},
			}},
			{Name: "total", Type: capability.Integer, Required: true},
			{Name: "total_more", Type: capability.Boolean, Required: true, Description: "Counting or searching stopped: there are more than total, or may be."},
			{Name: "offset", Type: capability.Integer, Required: true},
			{Name: "limit", Type: capability.Integer, Required: true},
			{Name: "facets", Type: capability.Object, Many: true, Required: true, Fields: []capability.Field{
				{Name: "property", Type: capability.String, Required: true},
				{Name: "values", Type: capability.Object, Many: true, Required: true, Fields: []capability.Field{
					{Name: "value", Type: capability.String, Required: true},
					{Name: "count", Type: capability.Integer, Required: true},
					{Name: "more", Type: capability.Boolean, Required: true},
				}},
			}},
		}},
		CostEstimate: capability.CostGraph, Reasoning: capability.ReasoningSubclasses, PolicyRequired: capability.Requirement{Action: "read"}, Idempotent: true,
	},
	Handle: viewList, Hidden: true,
}

// Row is one line of a table.
type Row struct {
	Node  Node              `json:"node"`
	Cells map[string][]Cell `json:"cells"`
	More  map[string]int    `json:"more"`
}

// Facet is a property with its most frequent values.
type Facet struct {
	Property string       `json:"property"`
	Values   []FacetValue `json:"values"`
}

// FacetValue is a value and how many instances have it; with More there are more than counted, or may be.
type FacetValue struct {
	Value string `json:"value"`
	Count int    `json:"count"`
	More  bool   `json:"more"`
}

// Table is what entities_list answers: some instances of a type, and what they can be filtered by.
type Table struct {
	Type        string   `json:"type"`
	Label       string   `json:"label,omitempty"`
	Title       string   `json:"title"`
	Description string   `json:"description"`
	Columns     []Column `json:"columns"`
	Rows        []Row    `json:"rows"`
	Total       int      `json:"total"`
	TotalMore   bool     `json:"total_more"`
	Offset      int      `json:"offset"`
	Limit       int      `json:"limit"`
	Facets      []Facet  `json:"facets"`
}

func viewList(ctx context.Context, r *invoke.Request) (any, error) {
	q, err := tableQuery(r)
	if err != nil {
		return nil, err
	}
	most := textList
	if r.Args.Flag("whole") {
		most, q.Each = math.MaxInt, valuesWhole
		if err := WarnOfUnknown(ctx, r, q.Where); err != nil {
			return nil, err
		}
	}
	page, err := r.Snapshot.Table(ctx, q)
	if err != nil {
		return nil, err
	}
	out := Table{
		Type: q.Type.Name, Label: r.Snapshot.Schema().LabelOf(q.Type), Title: q.Type.Name, Description: q.Type.Description, Columns: []Column{}, Rows: []Row{}, Facets: facetViews(page.Facets),
		Total: page.Total, TotalMore: page.TotalMore, Offset: q.Offset, Limit: q.Limit,
	}
	for _, path := range q.Columns {
		column := viewColumn(path.Last())
		column.Name, column.Many = path.String(), path.Many()
		out.Columns = append(out.Columns, column)
	}
	for _, row := range page.Rows {
		v, err := rowOf(ctx, r, q.Columns, row, most)
		if err != nil {
			return nil, err
		}
		out.Rows = append(out.Rows, v)
	}
	return out, nil
}

func rowOf(ctx context.Context, r *invoke.Request, columns []kg.Path, row kg.TableRow, most int) (Row, error) {
	v := Row{Node: viewNode(row.Node), Cells: map[string][]Cell{}, More: map[string]int{}}
	for i, c := range row.Cells {
		if len(c.Values) == 0 {
			continue
		}
		if c.More > 0 && most > textList {
			return v, fault.New(fault.TooLarge, "%s has more than %d values of %s; an export of the type has all", row.Node.Label, valuesWhole, columns[i])
		}
		cells, err := cells(ctx, r, c.Values, most)
		if err != nil {
			return v, err
		}
		v.Cells[columns[i].String()] = cells
		if c.More > 0 {
			v.More[columns[i].String()] = c.More
		}
	}
	return v, nil
}

func facetViews(list []kg.Facet) []Facet {
	out := []Facet{}
	for _, f := range list {
		v := Facet{Property: f.Property.Name, Values: []FacetValue{}}
		for _, value := range f.Values {
			v.Values = append(v.Values, FacetValue{rdf.Lexical(value.Value), value.Count, value.More})
		}
		out = append(out, v)
	}
	return out
}

// tableQuery reads the arguments; every one that cannot be used is reported.
func tableQuery(r *invoke.Request) (kg.TableQuery, error) {
	t, err := KnownType(r, "type")
	if err != nil {
		return kg.TableQuery{}, err
	}
	q := kg.TableQuery{
		Type: t, Search: strings.TrimSpace(r.Args.Text("search")), Descending: r.Args.Flag("descending"),
		Limit: r.Args.Integer("limit", defaultLimit), Offset: r.Args.Integer("offset", 0),
		Each: valuesPerCell, Facets: r.Args.Flag("facets"),
	}
	var wrong, problems []fault.FieldError
	if name := r.Args.Text("sort"); name != "" {
		q.Sort, wrong = PathArgument(r, t, "sort", name)
		problems = append(problems, wrong...)
	}
	q.Where, wrong = Conditions(r, t)
	problems = append(problems, wrong...)
	q.Columns, wrong = columns(r, t)
	if problems = append(problems, wrong...); len(problems) > 0 {
		return q, fault.Arguments(problems...)
	}
	return q, nil
}

// columns reads the argument columns.
func columns(r *invoke.Request, t *schema.Type) (list []kg.Path, problems []fault.FieldError) {
	names, given := r.Args["columns"].([]any)
	if !given {
		return DefaultColumns(r.Snapshot.Schema(), t), nil
	}
	for i, name := range names {
		path, wrong := PathArgument(r, t, fmt.Sprintf("columns[%d]", i), name.(string))
		same := func(other kg.Path) bool { return slices.Equal(other, path) }
		if problems = append(problems, wrong...); path != nil && !slices.ContainsFunc(list, same) {
			list = append(list, path)
		}
	}
	return list, problems
}

// DefaultColumns are the label, the key, and the first of the others.
func DefaultColumns(s *schema.Schema, t *schema.Type) []kg.Path {
	list := addColumn(nil, s.Property(t, s.LabelOf(t)))
	for _, name := range s.KeyOf(t) {
		list = addColumn(list, s.Property(t, name))
	}
	most := len(list) + otherColumns
	for _, p := range s.PropertiesOf(t) {
		if len(list) < most {
			list = addColumn(list, p)
		}
	}
	return list
}

// addColumn adds a property, unless it is nil or there already.
func addColumn(list []kg.Path, p *schema.Property) []kg.Path {
	if p == nil || slices.ContainsFunc(list, func(path kg.Path) bool { return path[0] == p }) {
		return list
	}
	return append(list, kg.Path{p})
}
