package view

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"trails/auth/policy"
	"trails/capability"
	"trails/fault"
	"trails/invoke"
	"trails/kg"
	"trails/kg/browse"
	"trails/rdf"
	"trails/schema"
)

// suggesting is what somebody has typed so far.
type suggesting struct {
	What     string `json:"what" oneof:"types,concrete_types,entities,properties,values,branches,commits,authors,capabilities"`
	Type     string `json:"type,omitempty" doc:"For entities, properties and values: the type that they are of; values need it."`
	Property string `json:"property,omitempty" doc:"For values: the property that they are of."`
	Prefix   string `json:"prefix" max:"200" default:"" doc:"How the label or the id begins, whatever its case."`
	Limit    int    `json:"limit" min:"1" max:"100" default:"20"`
}

type suggestionView struct {
	Value string `json:"value" doc:"What a call takes."`
	Label string `json:"label" doc:"What people call it."`
}

type suggestionsView struct {
	Items     []suggestionView `json:"items"`
	Total     int              `json:"total"`
	TotalMore bool             `json:"total_more,omitempty" doc:"Searching stopped: there are more than total, or may be."`
	More      bool             `json:"more" doc:"There are more than are listed, or may be."`
}

var suggest = invoke.Define(capability.Descriptor{
	ID: "suggest", Description: "Complete what a person types: names of types, properties, capabilities and branches, ids of nodes and commits, authors, values of a property.",
	PolicyRequired: capability.Requirement{Action: policy.Read}, Idempotent: true,
}, func(ctx context.Context, r *invoke.Request, in suggesting) (suggestionsView, error) {
	return suggesters[in.What](ctx, r, in)
}, invoke.Hidden)

// suggesters are the kinds of suggestions.
var suggesters = map[string]func(context.Context, *invoke.Request, suggesting) (suggestionsView, error){
	"types": suggestTypes, "concrete_types": suggestConcreteTypes, "entities": suggestEntities, "properties": suggestProperties, "values": suggestValues,
	"branches": suggestBranches, "commits": suggestCommits, "authors": suggestAuthors, "capabilities": suggestCapabilities,
}

// matching keeps the items whose value or label begins with the prefix.
func matching(in suggesting, items []suggestionView) suggestionsView {
	out := suggestionsView{Items: []suggestionView{}}
	prefix := strings.ToLower(in.Prefix)
	for _, item := range items {
		if !strings.HasPrefix(strings.ToLower(item.Value), prefix) && !strings.HasPrefix(strings.ToLower(item.Label), prefix) {
			continue
		}
		if out.Total++; len(out.Items) < in.Limit {
			out.Items = append(out.Items, item)
		}
	}
	out.More = out.Total > len(out.Items)
	return out
}

func suggestTypes(_ context.Context, r *invoke.Request, in suggesting) (suggestionsView, error) {
	var items []suggestionView
	for _, t := range r.Snapshot.Schema().Types {
		items = append(items, suggestionView{t.Name, t.Name})
	}
	return matching(in, items), nil
}

// suggestConcreteTypes names the types that can have nodes of their own.
func suggestConcreteTypes(_ context.Context, r *invoke.Request, in suggesting) (suggestionsView, error) {
	var items []suggestionView
	for _, t := range r.Snapshot.Schema().Types {
		if !t.Abstract {
			items = append(items, suggestionView{t.Name, t.Name})
		}
	}
	return matching(in, items), nil
}

func suggestProperties(_ context.Context, r *invoke.Request, in suggesting) (suggestionsView, error) {
	types := r.Snapshot.Schema().Types
	if in.Type != "" {
		t, err := KnownType(r, in.Type)
		if err != nil {
			return suggestionsView{}, err
		}
		types = []*schema.Type{t}
	}
	var items []suggestionView
	for _, t := range types {
		for _, p := range r.Snapshot.Schema().PropertiesOf(t) {
			if item := (suggestionView{p.Name, p.Name}); !slices.Contains(items, item) {
				items = append(items, item)
			}
		}
	}
	return matching(in, items), nil
}

func suggestBranches(ctx context.Context, r *invoke.Request, in suggesting) (suggestionsView, error) {
	list, err := r.Snapshot.Branches(ctx)
	if err != nil {
		return suggestionsView{}, err
	}
	var items []suggestionView
	for _, b := range list {
		items = append(items, suggestionView{b.Name, b.Name})
	}
	return matching(in, items), nil
}

func suggestCapabilities(ctx context.Context, r *invoke.Request, in suggesting) (suggestionsView, error) {
	var items []suggestionView
	tools, err := r.Tools(ctx)
	if err != nil {
		return suggestionsView{}, err
	}
	for _, d := range tools {
		items = append(items, suggestionView{d.ID, d.ID})
	}
	return matching(in, items), nil
}

// suggestedCommits is how many of the newest commits are searched for a message.
const suggestedCommits = 1000

// suggestCommits searches the messages of the newest commits, and the ids of all.
func suggestCommits(ctx context.Context, r *invoke.Request, in suggesting) (suggestionsView, error) {
	list, err := r.Snapshot.Commits(ctx, 0, suggestedCommits)
	if err != nil {
		return suggestionsView{}, err
	}
	if c, err := r.Snapshot.FindCommit(ctx, strings.ToLower(in.Prefix)); err == nil && !strings.EqualFold(in.Prefix, "head") {
		return matching(in, []suggestionView{suggestedCommit(c)}), nil
	}
	var items []suggestionView
	for _, c := range list {
		items = append(items, suggestedCommit(c))
	}
	out := matching(in, items)
	out.More = out.More || len(list) == suggestedCommits
	return out, nil
}

// LongestAuthor is the maximum length of an author's name in the prompt to review, in characters.
const LongestAuthor = 200

// suggestAuthors names the authors of the newest commits, the latest first, cut to LongestAuthor.
func suggestAuthors(ctx context.Context, r *invoke.Request, in suggesting) (suggestionsView, error) {
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
	out := matching(in, items)
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

func suggestEntities(ctx context.Context, r *invoke.Request, in suggesting) (suggestionsView, error) {
	if in.Type == "" {
		return suggestNodes(ctx, r, in, r.Snapshot.Schema().Types, func(d browse.Described) string { return typeName(d.Type) + "/" + d.ID })
	}
	t, err := KnownType(r, in.Type)
	if err != nil {
		return suggestionsView{}, err
	}
	return suggestNodes(ctx, r, in, []*schema.Type{t}, func(d browse.Described) string { return d.ID })
}

func suggestNodes(ctx context.Context, r *invoke.Request, in suggesting, types []*schema.Type, value func(browse.Described) string) (suggestionsView, error) {
	found, err := r.Snapshot.SuggestEntities(ctx, types, in.Prefix, in.Limit)
	if err != nil {
		return suggestionsView{}, err
	}
	out := suggestionsView{Items: []suggestionView{}, Total: found.Total, TotalMore: found.More, More: found.More || found.Total > len(found.Nodes)}
	for _, d := range found.Nodes {
		out.Items = append(out.Items, suggestionView{value(d), d.Label})
	}
	return out, nil
}

// suggestValues lists the possible values of a property, or the nodes of its class.
func suggestValues(ctx context.Context, r *invoke.Request, in suggesting) (suggestionsView, error) {
	t, err := KnownType(r, in.Type)
	if err != nil {
		return suggestionsView{}, err
	}
	p, wrong := propertyArgument(r, t, "property", in.Property)
	if p == nil {
		return suggestionsView{}, fault.Arguments(wrong...)
	}
	if class := r.Snapshot.Schema().Type(p.Class); class != nil {
		return suggestNodes(ctx, r, in, []*schema.Type{class}, refValue(r, class))
	}
	var items []suggestionView
	for _, v := range p.OneOf {
		items = append(items, suggestionView{rdf.Lexical(v), rdf.Lexical(v)})
	}
	if schema.Datatypes[p.Datatype].IRI == rdf.XSDBoolean {
		items = []suggestionView{{"true", "true"}, {"false", "false"}}
	}
	return matching(in, items), nil
}

// refValue is how a reference to a node is written: by its id alone where that says
// which type is meant.
func refValue(r *invoke.Request, class *schema.Type) func(browse.Described) string {
	alone := len(r.Snapshot.Schema().Concrete(class)) == 1
	return func(d browse.Described) string {
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
