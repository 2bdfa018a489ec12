package view

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"trails/auth/policy"
	"trails/capability"
	"trails/fault"
	"trails/invoke"
	"trails/kg/browse"
	"trails/rdf"
	"trails/schema"
)

// Bounds of a table.
const (
	otherColumns  = 6
	valuesPerCell = 5
	valuesWhole   = 10_000
)

// TableAsked says which table is asked for.
type TableAsked struct {
	Type    string      `json:"type" max:"1000" doc:"The name of a type of the schema; its subtypes are meant, too."`
	Where   []Condition `json:"where,omitempty" doc:"Keep the nodes that fit every condition."`
	Origin  string      `json:"origin,omitempty" oneof:"person,agent,import,upstream,unknown" doc:"Keep the nodes that sources of this class alone have said something of."`
	Search  string      `json:"search,omitempty" max:"200" doc:"Keep the nodes whose label has its words, the last one as a beginning, whatever case and accents. It finds at most 10,000 nodes."`
	Sort    string      `json:"sort,omitempty" doc:"Up to 3 properties to sort by, with commas between, the first one first; - before one sorts from its greatest value down. Nodes without a value come last. The first time by a text, and always by a reference, it costs a look at every node of the type." example:"kind,-name"`
	Limit   int         `json:"limit"`
	Offset  int         `json:"offset" min:"0" max:"1000000000" default:"0"`
	Columns []string    `json:"columns,omitempty" max:"100" doc:"The properties to show; label, key and the first others when left out." example:"name"`
	Whole   bool        `json:"whole" default:"false" doc:"All values of a cell, and texts at their length."`
	Facets  bool        `json:"facets" default:"false" doc:"Count the nodes for each value of the properties that list their values, for the nodes that references lead to most, and for the years or months of dates."`
}

var entitiesList = invoke.Define(capability.Descriptor{
	ID: "entities_list", Description: "List a page of the instances of a type as a table: filtered, searched, sorted, with counts by value.",
	InputShape: capability.Shape{Fields: []capability.Field{
		{Name: "where", MaxCount: new(MaxConditions)},
		{Name: "limit", MinValue: 1, MaxValue: maxLimit, Default: defaultLimit},
	}},
	CostEstimate: capability.CostGraph, Reasoning: capability.ReasoningSubclasses, PolicyRequired: capability.Requirement{Action: policy.Read}, Idempotent: true,
}, viewList, invoke.Hidden)

// Row is one line of a table.
type Row struct {
	Node  Node              `json:"node"`
	Cells map[string][]Cell `json:"cells" doc:"Values by property, at most 5 unless they are whole."`
	More  map[string]int    `json:"more" doc:"How many values are left out, by property."`
}

// Facet is a property with its most frequent values.
type Facet struct {
	Property string       `json:"property"`
	By       string       `json:"by" oneof:"value,reference,year,month" doc:"What the values are: those that the property lists, the nodes that most nodes refer to, or years or months of its dates."`
	Values   []FacetValue `json:"values"`
	Left     int          `json:"left" doc:"How many values are left out."`
	Counted  int          `json:"counted,omitempty" doc:"Counting stopped after so many statements, and there are more; absent when all are counted."`
}

// FacetValue is a value and how many instances have it; with More there are more than counted, or may be.
type FacetValue struct {
	Value string `json:"value" doc:"As a condition takes it."`
	Label string `json:"label,omitempty" doc:"Of a node."`
	Count int    `json:"count"`
	More  bool   `json:"more"`
}

// Table is what entities_list answers: some instances of a type, and what they can be filtered by.
type Table struct {
	Type        string   `json:"type"`
	Label       string   `json:"label,omitempty" doc:"The property whose values are the labels; absent when there is none."`
	Title       string   `json:"title"`
	Description string   `json:"description" doc:"What the type is."`
	Columns     []Column `json:"columns"`
	Rows        []Row    `json:"rows"`
	Total       int      `json:"total"`
	TotalMore   bool     `json:"total_more" doc:"Counting or searching stopped: there are more than total, or may be."`
	Offset      int      `json:"offset"`
	Limit       int      `json:"limit"`
	Facets      []Facet  `json:"facets"`
}

func viewList(ctx context.Context, r *invoke.Request, in TableAsked) (*Table, error) {
	q, wrong := in.Query(r, "columns")
	if len(wrong) > 0 {
		return nil, fault.Arguments(wrong...)
	}
	most := textList
	if in.Whole {
		most, q.Each = math.MaxInt, valuesWhole
	}
	q.Wide = true
	page, err := Listed(ctx, r, q)
	if err != nil {
		return nil, err
	}
	facets, err := facetViews(ctx, r, page.Facets)
	if err != nil {
		return nil, err
	}
	out := &Table{
		Type: q.Type.Name, Label: r.Snapshot.Schema().LabelOf(q.Type), Title: q.Type.Name, Description: q.Type.Description, Columns: []Column{}, Rows: []Row{}, Facets: facets,
		Total: page.Total, TotalMore: page.TotalMore, Offset: q.Offset, Limit: q.Limit,
	}
	for _, path := range q.Columns {
		column := viewColumn(path.Last())
		column.Name, column.Label, column.Many = path.String(), path.Label(), path.Many()
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

func rowOf(ctx context.Context, r *invoke.Request, columns []browse.Path, row browse.TableRow, most int) (Row, error) {
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

func facetViews(ctx context.Context, r *invoke.Request, list []browse.Facet) ([]Facet, error) {
	out := []Facet{}
	for _, f := range list {
		v := Facet{Property: f.Property.Name, By: string(f.By), Values: []FacetValue{}, Left: f.Left, Counted: f.Counted}
		for _, value := range f.Values {
			shown := FacetValue{Value: rdf.Lexical(value.Value), Count: value.Count, More: value.More}
			if f.By == browse.ByReference {
				d, err := r.Snapshot.Describe(ctx, value.Value)
				if err != nil {
					return nil, err
				}
				node := viewNode(d)
				shown.Value, shown.Label = node.name(), node.Label
			}
			v.Values = append(v.Values, shown)
		}
		out = append(out, v)
	}
	return out, nil
}

// Query reads the arguments, of which the one with this name has the columns; every one that
// cannot be used is reported.
func (in TableAsked) Query(r *invoke.Request, named string) (q browse.TableQuery, problems []fault.FieldError) {
	t, err := KnownType(r, in.Type)
	if err != nil {
		return q, fault.Of(err).Fields
	}
	q = browse.TableQuery{
		Type: t, Search: strings.TrimSpace(in.Search),
		Limit: in.Limit, Offset: in.Offset, Each: valuesPerCell, Facets: in.Facets,
	}
	var wrong []fault.FieldError
	q.Origin, problems = OriginArgument(in.Origin)
	q.Sort, wrong = sortKeys(r, t, in.Sort)
	problems = append(problems, wrong...)
	q.Where, wrong = Conditions(r, t, in.Where)
	problems = append(problems, wrong...)
	q.Columns, wrong = columns(r, t, named, in.Columns)
	return q, append(problems, wrong...)
}

// MaxSortKeys bounds the properties that a list is sorted by.
const MaxSortKeys = 3

// SortKey is a property that a list is sorted by, as the argument sort names it.
type SortKey struct {
	Property   string
	Descending bool
}

// SortKeys reads what a list is sorted by: properties with commas between, each with - before it to descend. What is empty
// is a key without a name, which no type has.
func SortKeys(text string) (keys []SortKey) {
	if text == "" {
		return nil
	}
	for word := range strings.SplitSeq(text, ",") {
		property, down := strings.CutPrefix(strings.TrimSpace(word), "-")
		if property == "" { // "-" alone is not a property
			property, down = strings.TrimSpace(word), false
		}
		keys = append(keys, SortKey{property, down})
	}
	return keys
}

// SortText is the inverse of [SortKeys].
func SortText(keys []SortKey) string {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.Property
		if k.Descending {
			names[i] = "-" + k.Property
		}
	}
	return strings.Join(names, ",")
}

// sortKeys reads the argument sort.
func sortKeys(r *invoke.Request, t *schema.Type, text string) (keys []browse.SortKey, problems []fault.FieldError) {
	refuse := func(code fault.Code, format string, args ...any) {
		problems = append(problems, fault.FieldError{Field: "sort", Code: code, Value: text, Message: fmt.Sprintf(format, args...)})
	}
	names := SortKeys(text)
	if len(names) > MaxSortKeys {
		refuse(fault.MaxCount, "a list is sorted by at most %d properties, and these are %d", MaxSortKeys, len(names))
		return nil, problems
	}
	for _, key := range names {
		path, wrong := PathArgument(r, t, "sort", key.Property)
		if problems = append(problems, wrong...); path == nil {
			continue
		}
		if slices.ContainsFunc(keys, func(k browse.SortKey) bool { return slices.Equal(k.Path, path) }) {
			refuse(fault.Unique, "%s is named twice; name each property once", path)
		}
		keys = append(keys, browse.SortKey{Path: path, Descending: key.Descending})
	}
	return keys, problems
}

// columns reads the argument that names the columns.
func columns(r *invoke.Request, t *schema.Type, argument string, names []string) (list []browse.Path, problems []fault.FieldError) {
	if names == nil {
		return DefaultColumns(r.Snapshot.Schema(), t), nil
	}
	for i, name := range names {
		path, wrong := PathArgument(r, t, fmt.Sprintf("%s[%d]", argument, i), name)
		same := func(other browse.Path) bool { return slices.Equal(other, path) }
		if problems = append(problems, wrong...); path != nil && !slices.ContainsFunc(list, same) {
			list = append(list, path)
		}
	}
	return list, problems
}

// DefaultColumns are the label, the key, and the first of the others.
func DefaultColumns(s *schema.Schema, t *schema.Type) []browse.Path {
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
func addColumn(list []browse.Path, p *schema.Property) []browse.Path {
	if p == nil || slices.ContainsFunc(list, func(path browse.Path) bool { return path[0] == p }) {
		return list
	}
	return append(list, browse.Path{p})
}
