package view

import (
	"context"
	"fmt"
	"strings"

	"trails/capability"
	"trails/fault"
	"trails/invoke"
	"trails/kg"
	"trails/rdf"
	"trails/schema"
)

var suggest = invoke.Capability{
	Descriptor: capability.Descriptor{
		ID: "suggest", Description: "Complete what a person types: names of types, properties, capabilities and branches, ids of nodes and commits, authors, values of a property.",
		InputShape: capability.Shape{Fields: []capability.Field{
			{Name: "what", Type: capability.String, Required: true, OneOf: []any{"types", "concrete_types", "entities", "properties", "values", "branches", "commits", "authors", "capabilities"}},
			{Name: "type", Type: capability.String, Description: "For entities, properties and values: the type that they are of."},
			{Name: "property", Type: capability.String, Description: "For values: the property that they are of."},
			{Name: "prefix", Type: capability.String, Default: "", MaxLength: new(200), Description: "How the label or the id begins, whatever its case."},
			{Name: "limit", Type: capability.Integer, MinValue: 1, MaxValue: 100, Default: 20},
			capability.ReadBranch(),
		}},
		OutputShape: capability.Shape{Fields: []capability.Field{
			{Name: "items", Type: capability.Object, Many: true, Required: true, Fields: []capability.Field{
				{Name: "value", Type: capability.String, Required: true, Description: "What a call takes."},
				{Name: "label", Type: capability.String, Required: true, Description: "What people call it."},
			}},
			{Name: "total", Type: capability.Integer, Required: true},
			{Name: "total_more", Type: capability.Boolean, Description: "Searching stopped: there are more than total, or may be."},
			{Name: "more", Type: capability.Boolean, Required: true, Description: "There are more than are listed, or may be."},
		}},
		CostEstimate: capability.CostResult, PolicyRequired: capability.Requirement{Action: "read"}, Idempotent: true,
	},
	Handle: viewSuggest, Hidden: true,
}

type suggestionView struct {
	Value string `json:"value"`
	Label string `json:"label"`
}

type suggestionsView struct {
	Items []suggestionView `json:"items"`
	Total int              `json:"total"`
	// TotalMore means that more than Total were not looked for.
	TotalMore bool `json:"total_more,omitempty"`
	More      bool `json:"more"`
}

// suggesters have what can be suggested.
var suggesters = map[string]func(context.Context, *invoke.Request) (suggestionsView, error){
	"types": suggestTypes, "concrete_types": suggestConcreteTypes, "entities": suggestEntities, "properties": suggestProperties, "values": suggestValues,
	"branches": suggestBranches, "commits": suggestCommits, "authors": suggestAuthors, "capabilities": suggestCapabilities,
}

func viewSuggest(ctx context.Context, r *invoke.Request) (any, error) {
	return suggesters[r.Args.Text("what")](ctx, r)
}

func suggestLimit(r *invoke.Request) int { return r.Args.Integer("limit", 20) }

// matching keeps the items whose value or label begins with the prefix.
func matching(r *invoke.Request, items []suggestionView) suggestionsView {
	out := suggestionsView{Items: []suggestionView{}}
	prefix := strings.ToLower(r.Args.Text("prefix"))
	for _, item := range items {
		if !strings.HasPrefix(strings.ToLower(item.Value), prefix) && !strings.HasPrefix(strings.ToLower(item.Label), prefix) {
			continue
		}
		if out.Total++; len(out.Items) < suggestLimit(r) {
			out.Items = append(out.Items, item)
		}
	}
	out.More = out.Total > len(out.Items)
	return out
}

func suggestTypes(_ context.Context, r *invoke.Request) (suggestionsView, error) {
	var items []suggestionView
	for _, t := range r.Snapshot.Schema().Types {
		items = append(items, suggestionView{t.Name, t.Name})
	}
	return matching(r, items), nil
}

// suggestConcreteTypes names the types that can have nodes of their own.
func suggestConcreteTypes(_ context.Context, r *invoke.Request) (suggestionsView, error) {
	var items []suggestionView
	for _, t := range r.Snapshot.Schema().Types {
		if !t.Abstract {
			items = append(items, suggestionView{t.Name, t.Name})
		}
	}
	return matching(r, items), nil
}

func suggestProperties(_ context.Context, r *invoke.Request) (suggestionsView, error) {
	t, err := KnownType(r, "type")
	if err != nil {
		return suggestionsView{}, err
	}
	var items []suggestionView
	for _, p := range r.Snapshot.Schema().PropertiesOf(t) {
		items = append(items, suggestionView{p.Name, p.Name})
	}
	return matching(r, items), nil
}

func suggestBranches(_ context.Context, r *invoke.Request) (suggestionsView, error) {
	return matching(r, []suggestionView{{invoke.MainBranch, invoke.MainBranch}}), nil
}

func suggestCapabilities(ctx context.Context, r *invoke.Request) (suggestionsView, error) {
	var items []suggestionView
	tools, err := r.Tools(ctx)
	if err != nil {
		return suggestionsView{}, err
	}
	for _, d := range tools {
		items = append(items, suggestionView{d.ID, d.ID})
	}
	return matching(r, items), nil
}

// suggestedCommits is how many of the newest commits are looked at for a message.
const suggestedCommits = 1000

// suggestCommits looks at messages of the newest commits, and at the id of any.
func suggestCommits(ctx context.Context, r *invoke.Request) (suggestionsView, error) {
	list, err := r.Snapshot.Commits(ctx, 0, suggestedCommits)
	if err != nil {
		return suggestionsView{}, err
	}
	if c, err := r.Snapshot.FindCommit(ctx, strings.ToLower(r.Args.Text("prefix"))); err == nil && !strings.EqualFold(r.Args.Text("prefix"), "head") {
		return matching(r, []suggestionView{suggestedCommit(c)}), nil
	}
	var items []suggestionView
	for _, c := range list {
		items = append(items, suggestedCommit(c))
	}
	out := matching(r, items)
	out.More = out.More || len(list) == suggestedCommits
	return out, nil
}

// LongestAuthor is what the prompt to review takes of an author's name, in characters.
const LongestAuthor = 200

// suggestAuthors names who made the newest commits, the latest first. Of a name that is
// longer than a prompt takes the beginning stands for it.
func suggestAuthors(ctx context.Context, r *invoke.Request) (suggestionsView, error) {
	list, err := r.Snapshot.Commits(ctx, 0, suggestedCommits)
	if err != nil {
		return suggestionsView{}, err
	}
	var items []suggestionView
	seen := map[string]bool{}
	for _, c := range list {
		author := c.Author
		if runes := []rune(author); len(runes) > LongestAuthor {
			author = string(runes[:LongestAuthor])
		}
		if !seen[author] {
			seen[author] = true
			items = append(items, suggestionView{author, author})
		}
	}
	out := matching(r, items)
	out.More = out.More || len(list) == suggestedCommits
	return out, nil
}

func suggestedCommit(c kg.Commit) suggestionView {
	label := c.Message
	if label == "" {
		label = fmt.Sprintf("%s, %s", c.Author, c.Time.UTC().Format("2006-01-02 15:04:05"))
	}
	return suggestionView{c.ID.String(), label}
}

func suggestEntities(ctx context.Context, r *invoke.Request) (suggestionsView, error) {
	if r.Args.Text("type") == "" {
		return suggestNodes(ctx, r, r.Snapshot.Schema().Types, func(d kg.Described) string { return typeName(d.Type) + "/" + d.ID })
	}
	t, err := KnownType(r, "type")
	if err != nil {
		return suggestionsView{}, err
	}
	return suggestNodes(ctx, r, []*schema.Type{t}, func(d kg.Described) string { return d.ID })
}

func suggestNodes(ctx context.Context, r *invoke.Request, types []*schema.Type, value func(kg.Described) string) (suggestionsView, error) {
	found, err := r.Snapshot.SuggestEntities(ctx, types, r.Args.Text("prefix"), suggestLimit(r))
	if err != nil {
		return suggestionsView{}, err
	}
	out := suggestionsView{Items: []suggestionView{}, Total: found.Total, TotalMore: found.More, More: found.More || found.Total > len(found.Nodes)}
	for _, d := range found.Nodes {
		out.Items = append(out.Items, suggestionView{value(d), d.Label})
	}
	return out, nil
}

// suggestValues lists what a property can have: its values, or the nodes of its class.
func suggestValues(ctx context.Context, r *invoke.Request) (suggestionsView, error) {
	t, err := KnownType(r, "type")
	if err != nil {
		return suggestionsView{}, err
	}
	p, wrong := propertyArgument(r, t, "property", r.Args.Text("property"))
	if p == nil {
		return suggestionsView{}, fault.Arguments(wrong...)
	}
	if class := r.Snapshot.Schema().Type(p.Class); class != nil {
		return suggestNodes(ctx, r, []*schema.Type{class}, refValue(r, class))
	}
	var items []suggestionView
	for _, v := range p.OneOf {
		items = append(items, suggestionView{rdf.Lexical(v), rdf.Lexical(v)})
	}
	if schema.Datatypes[p.Datatype].IRI == rdf.XSDBoolean {
		items = []suggestionView{{"true", "true"}, {"false", "false"}}
	}
	return matching(r, items), nil
}

// refValue is how a reference to a node is written: by its id alone where that says
// which type is meant.
func refValue(r *invoke.Request, class *schema.Type) func(kg.Described) string {
	alone := len(r.Snapshot.Schema().Concrete(class)) == 1
	return func(d kg.Described) string {
		iri, _ := d.Term.(rdf.IRI)
		name, local, ours := r.Snapshot.Schema().Local(iri)
		switch {
		case !ours:
			return d.IRI()
		case alone && d.Type != nil && name == d.Type.Name:
			return local
		}
		return name + "/" + local
	}
}
