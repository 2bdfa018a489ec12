package builtin

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"trails/auth/policy"
	"trails/builtin/view"
	"trails/capability"
	"trails/fault"
	"trails/invoke"
	"trails/kg/browse"
	"trails/rdf"
	"trails/schema"
	"trails/text/outline"
)

// Bounds of the capability get.
const (
	getNodes     = 50   // requested nodes
	getLabelled  = 4    // nodes that have one requested label
	getLinked    = 30   // nodes that these refer to, with depth 2
	getValues    = 20   // values of each property
	getReferring = 3    // nodes of each group
	getText      = 2000 // characters of a text
)

// getting names nodes.
type getting struct {
	IDs        []string `json:"ids" min:"1" doc:"Type/id, IRI or exact label."`
	Properties []string `json:"properties,omitempty" is:"brief" max:"1000" doc:"Only these."`
	Depth      int      `json:"depth" min:"1" max:"2" default:"1" doc:"2: what they refer to, too."`
}

// got is what get answers.
type got struct {
	Nodes  []gotNode `json:"nodes"`
	Linked []gotNode `json:"linked,omitempty" is:"rare" doc:"With depth 2: the nodes next to these, in the same form."`
}

// gotNode is one node of it.
type gotNode struct {
	Node       string         `json:"node" doc:"Type/id, or the IRI."`
	Label      string         `json:"label"`
	Values     map[string]any `json:"values" doc:"By property: a value, or a list of them; references as {node: label}."`
	More       map[string]int `json:"more,omitempty" doc:"How many values are left out, by property."`
	ReferredBy []gotGroup     `json:"referred_by,omitempty"`
}

type gotGroup struct {
	Type     string            `json:"type"`
	Property string            `json:"property"`
	Total    any               `json:"total" doc:"A number, or \"more than\" one."`
	First    map[string]string `json:"first" doc:"The first nodes, each with its label."`
}

var getBuiltin = invoke.Define(capability.Descriptor{
	ID: "get", Description: "Read nodes: values, what they refer to and who refers to them, by type and property.",
	InputShape:     details(capability.Field{Name: "ids", MaxCount: new(getNodes)}),
	PolicyRequired: capability.Requirement{Action: policy.Read}, Idempotent: true,
}, get)

func get(ctx context.Context, r *invoke.Request, in getting) (*got, error) {
	var found []browse.Described
	var wrong []fault.FieldError
	for i, id := range in.IDs {
		named, err := nodesNamed(ctx, r, fmt.Sprintf("ids[%d]", i), id, getLabelled)
		switch {
		case fault.Is(err, fault.InvalidArguments):
			wrong = append(wrong, fault.Of(err).Fields...)
		case err != nil:
			return nil, err
		default:
			found = append(found, named...)
		}
		if len(named) > 1 {
			r.Warn("%d nodes have the label %q", len(named), id)
		}
	}
	for _, d := range found {
		r.Uses(d.IRI())
	}
	if len(wrong) > 0 {
		return nil, fault.Arguments(wrong...)
	}
	only := map[string]bool{}
	for _, name := range in.Properties {
		only[name] = true
	}
	seen := map[string]bool{}
	out := &got{}
	linked := map[rdf.Term]bool{}
	for _, d := range found {
		one, err := gotOf(ctx, r, d, only, seen, linked)
		if err != nil {
			return nil, err
		}
		out.Nodes = append(out.Nodes, one)
	}
	var unknown []fault.FieldError
	for _, name := range slices.Sorted(maps.Keys(only)) {
		if !seen[name] {
			unknown = append(unknown, fault.FieldError{Field: "properties", Code: fault.Closed, Value: name,
				Message: fmt.Sprintf("none of these nodes can have %q%s", name, fault.DidYouMean(name, slices.Sorted(maps.Keys(seen))))})
		}
	}
	if len(unknown) > 0 {
		return nil, fault.Arguments(unknown...)
	}
	if in.Depth < 2 {
		return out, nil
	}
	for _, d := range found {
		delete(linked, d.Term)
	}
	nodes := slices.SortedFunc(maps.Keys(linked), func(a, b rdf.Term) int { return strings.Compare(r.Snapshot.Name(a), r.Snapshot.Name(b)) })
	if more := len(nodes) - getLinked; more > 0 {
		r.Parts.AlsoCut("linked has %d of %d nodes; get the others by their ids", getLinked, len(nodes))
		nodes = nodes[:getLinked]
	}
	described, err := r.Snapshot.DescribeAll(ctx, nodes)
	if err != nil {
		return nil, err
	}
	for _, d := range described {
		one, err := gotOf(ctx, r, d, nil, seen, map[rdf.Term]bool{})
		if err != nil {
			return nil, err
		}
		one.ReferredBy = nil
		out.Linked = append(out.Linked, one)
	}
	return out, nil
}

// gotOf reads one node. It notes in seen which properties there are, and in linked which
// nodes it refers to; only, unless it is empty, names the properties that are wanted.
func gotOf(ctx context.Context, r *invoke.Request, d browse.Described, only, seen map[string]bool, linked map[rdf.Term]bool) (gotNode, error) {
	out := gotNode{Node: r.Snapshot.Name(d.Term), Label: d.Label, Values: map[string]any{}, More: map[string]int{}}
	page, err := r.Snapshot.Page(ctx, d, getValues)
	if err != nil {
		return out, err
	}
	short := false
	add := func(name string, predicate rdf.IRI, values []rdf.Term, total int, many bool) error {
		seen[name] = true
		if len(values) == 0 || len(only) > 0 && !only[name] {
			return nil
		}
		short = short || slices.ContainsFunc(values, func(v rdf.Term) bool { return rdf.IsLiteral(v) && utf8.RuneCountInString(rdf.Lexical(v)) > getText })
		shown, err := gotValues(ctx, r, values, many, getText, linked)
		out.Values[name] = shown
		if more := total - len(values); more > 0 {
			out.More[name] = more
			cutValues(r, d.Term, predicate, name, len(values), total)
		}
		return err
	}
	for _, p := range page.Properties {
		if err := add(p.Property.Name, p.Property.IRI, p.Values, p.Total, p.Property.Many()); err != nil {
			return out, err
		}
	}
	for _, o := range page.Other {
		if err := add(r.Snapshot.Schema().Short(o.Predicate), o.Predicate, o.Values, o.Total, true); err != nil {
			return out, err
		}
	}
	if _, named := d.Term.(rdf.IRI); named && d.Type != nil {
		r.Source(invoke.Address(d.Type.Name, d.ID), out.Node, short || len(out.More) > 0)
	}
	if len(only) > 0 {
		return out, nil
	}
	for _, g := range page.Incoming {
		group := gotGroup{Type: orUntyped(g.Type), Property: g.Property, Total: atLeast(g.Total, g.More), First: map[string]string{}}
		for _, n := range g.Nodes[:min(len(g.Nodes), getReferring)] {
			group.First[r.Snapshot.Name(n.Term)] = n.Label
		}
		out.ReferredBy = append(out.ReferredBy, group)
	}
	return out, nil
}

// cutValues says how to get all values of the first property with more values than are shown; more names the others.
func cutValues(r *invoke.Request, node rdf.Term, predicate rdf.IRI, name string, shown, total int) {
	iri, named := node.(rdf.IRI)
	if !named || r.Parts.Cut != "" || len(iri)+len(predicate) > invoke.CutRoom/2 {
		return
	}
	at := ""
	if r.At() != "" {
		at = fmt.Sprintf(",\"at\":%q", r.At())
	}
	r.Parts.Cut = fmt.Sprintf("%s has %d of its %d values of %s; all are had with query {\"query\":\"SELECT ?value { %s %s ?value }\",\"limit\":%d%s}",
		r.Snapshot.Name(iri), shown, total, name, iri, predicate, min(total, queryMaxRows), at)
}

// gotValues shows the values of a property: nodes with their labels, other values as JSON, and texts with their
// language, cut to most characters.
func gotValues(ctx context.Context, r *invoke.Request, values []rdf.Term, many bool, most int, linked map[rdf.Term]bool) (any, error) {
	nodes := map[string]string{}
	var plain []any
	for _, v := range values {
		if rdf.IsLiteral(v) {
			one := view.Plain(r.Snapshot.Schema(), v)
			if text, isText := one.(string); isText {
				one = outline.Shorten(text, most)
			}
			if tag, tagged := rdf.LangOf(v); tagged {
				one = schema.LangJSON(outline.Shorten(rdf.Lexical(v), most), tag)
			}
			plain = append(plain, one)
			continue
		}
		d, err := r.Snapshot.Describe(ctx, v)
		if err != nil {
			return nil, err
		}
		nodes[r.Snapshot.Name(v)] = d.Label
		if d.Exists {
			linked[v] = true
		}
	}
	switch {
	case len(plain) == 0:
		return nodes, nil
	case len(nodes) > 0:
		return append(plain, nodes), nil
	case many:
		return plain, nil
	}
	return plain[0], nil
}
