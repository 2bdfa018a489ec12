package builtin

import (
	"context"
	"fmt"
	"slices"

	"trails/auth/policy"
	"trails/builtin/view"
	"trails/capability"
	"trails/fault"
	"trails/invoke"
	"trails/kg/browse"
	"trails/rdf"
	"trails/schema"
)

// Bounds of a cell.
const (
	listValues = 5   // values
	listText   = 200 // characters of a text
)

// listing says which nodes are listed, and which of their properties.
type listing struct {
	Type   string      `json:"type"`
	Where  []condition `json:"where,omitempty" is:"brief" doc:"All must fit. op: = (default) != < <= > >= in contains starts is_empty not_empty; != wants no equal value, others one that fits; contains and starts ignore case."`
	Origin string      `json:"origin,omitempty"`
	Sort   string      `json:"sort,omitempty" doc:"- descends." example:"kind,-name"`
	Select []string    `json:"select,omitempty" is:"brief" max:"50" example:"name"`
	Limit  int         `json:"limit" is:"brief" min:"1" max:"200" default:"20"`
	Cursor string      `json:"cursor,omitempty" is:"brief" doc:"next of the last page."`
	Facets bool        `json:"facets" default:"false" doc:"Count the values of properties that list theirs."`
}

type condition struct {
	Property string `json:"property"`
	Op       string `json:"op,omitempty"`
	Value    any    `json:"value,omitempty" type:"text" is:"nullable"`
}

// listed is a page of the list.
type listed struct {
	Total any `json:"total" doc:"Of all pages: a number, or \"more than\" one."`
	rowsAnswer
	Facets *table `json:"facets,omitempty" doc:"A row for each property, value and count, as if there were no conditions on that property."`
}

var listCells = capability.CellsOf("node:string", "label:string")

var listBuiltin = invoke.Define(capability.Descriptor{
	ID: "list", Description: "Nodes of a type and its subtypes. where, sort and select take paths as author.name.",
	InputShape:   details(capability.Field{Name: "where", MaxCount: new(view.MaxConditions), Sample: []any{map[string]any{"property": "name", "op": "contains", "value": "text"}}}),
	OutputShape:  rowsOf("A list for each node: its name, its label, and a cell for each property: a value, a list of them or null; references as {node: label}; {values, more} when more are left out.", listCells),
	CostEstimate: capability.CostGraph, Reasoning: capability.ReasoningSubclasses, PolicyRequired: capability.Requirement{Action: policy.Read}, Idempotent: true,
}, list)

func list(ctx context.Context, r *invoke.Request, in listing) (*listed, error) {
	q, err := in.query(ctx, r)
	if err != nil {
		return nil, err
	}
	limit := q.Limit
	q.Limit++ // one more shows whether there are more
	page, err := view.Listed(ctx, r, q)
	if err != nil {
		return nil, err
	}
	out := &listed{Total: atLeast(page.Total, page.TotalMore), rowsAnswer: rowsAnswer{table: tableOf(listCells)}}
	for _, path := range q.Columns {
		out.Columns = append(out.Columns, path.String())
	}
	if q.Facets {
		if out.Facets, err = listFacets(r, page.Facets, r.RoomBeside(out)/2); err != nil {
			return nil, err
		}
	}
	room := r.RoomBeside(out)
	for i, row := range page.Rows {
		if i == limit {
			out.Next = nextCursor(r, q.Offset+limit)
			break
		}
		cells, err := listRow(ctx, r, q.Columns, row)
		if err != nil {
			return nil, err
		}
		added, err := out.add(&room, cells)
		if err != nil {
			return nil, err
		}
		if !added {
			out.Next = nextCursor(r, q.Offset+i)
			r.Parts.Cut = fmt.Sprintf("%d of %d rows are shown; go on with cursor %q, or select fewer properties", i, min(len(page.Rows), limit), out.Next)
			break
		}
	}
	return out, nil
}

// query reads the arguments; every one that cannot be used is reported.
func (in listing) query(ctx context.Context, r *invoke.Request) (browse.TableQuery, error) {
	asked := view.TableAsked{Type: in.Type, Origin: in.Origin, Sort: in.Sort, Limit: in.Limit, Columns: in.Select, Facets: in.Facets}
	for _, c := range in.Where {
		asked.Where = append(asked.Where, view.Condition(c))
	}
	q, wrong := asked.Query(r, "select")
	offset, err := offsetOf(ctx, r, in.Cursor)
	if err != nil {
		wrong = append(wrong, fault.Of(err).Fields...)
	}
	if len(wrong) > 0 {
		return q, fault.Arguments(wrong...)
	}
	if q.Offset, q.Each = offset, listValues; in.Select == nil {
		label := r.Snapshot.Schema().LabelOf(q.Type)
		q.Columns = slices.DeleteFunc(q.Columns, func(path browse.Path) bool { return path.String() == label })
	}
	return q, nil
}

// listFacets are the counts above zero as a table, as far as the room goes.
func listFacets(r *invoke.Request, facets []browse.Facet, room int) (*table, error) {
	out := new(tableOf(capability.CellsOf("property", "value", "count")))
	for _, f := range facets {
		for _, v := range f.Values {
			if v.Count == 0 && !v.More {
				continue
			}
			added, err := out.add(&room, []any{f.Property.Name, facetValue(r, f.Property, v.Value), atLeast(v.Count, v.More)})
			if err != nil {
				return nil, err
			}
			if !added {
				r.Warn("facets end before %s of %s; there is no room for all", rdf.Lexical(v.Value), f.Property.Name)
				return out, nil
			}
		}
	}
	return out, nil
}

// facetValue is a value as a cell of a list has it.
func facetValue(r *invoke.Request, p *schema.Property, v rdf.Term) any {
	if rdf.IsLiteral(v) {
		return r.Snapshot.Schema().JSONValue(p, v)
	}
	return view.Plain(r.Snapshot.Schema(), v)
}

// atLeast is a count, or "more than" it; if none were found but there may be some, it is unknown.
func atLeast(n int, more bool) any {
	switch {
	case more && n == 0:
		return "not counted"
	case more:
		return fmt.Sprintf("more than %d", n)
	}
	return n
}

// listRow is a node with the cells of a row.
func listRow(ctx context.Context, r *invoke.Request, columns []browse.Path, row browse.TableRow) ([]any, error) {
	out := []any{r.Snapshot.Name(row.Node.Term), row.Node.Label}
	for i, cell := range row.Cells {
		if len(cell.Values) == 0 {
			out = append(out, nil)
			continue
		}
		shown, err := gotValues(ctx, r, cell.Values, columns[i].Many(), listText, map[rdf.Term]bool{})
		if err != nil {
			return nil, err
		}
		if cell.More > 0 {
			shown = map[string]any{"values": shown, "more": cell.More}
		}
		out = append(out, shown)
	}
	return out, nil
}
