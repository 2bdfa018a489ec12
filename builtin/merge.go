package builtin

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"trails/auth/policy"
	"trails/capability"
	"trails/fault"
	"trails/invoke"
	"trails/kg"
	"trails/rdf"
	"trails/schema"
)

// merging is what a merge takes.
type merging struct {
	Source      string   `json:"source" is:"brief" min:"1" max:"64" doc:"The branch or commit to merge."`
	Target      string   `json:"target,omitempty" is:"brief" max:"64" doc:"The branch that it is merged into; main when left out."`
	Take        string   `json:"take,omitempty" is:"brief" oneof:"ours,theirs,base" doc:"Decides all clashes without a resolution: ours is target, theirs source."`
	Resolutions []string `json:"resolutions,omitempty" doc:"Note/a.title=theirs, Note/b=ours, Note/a.title:=VALUE."`
	Squash      bool     `json:"squash" is:"rare" default:"false" doc:"Make a commit without the source's history."`
	Ask         bool     `json:"ask" is:"brief" default:"false" doc:"Do not merge, but ask somebody who may decide."`
	capability.ChangeArguments
}

// merged is what a merge answers.
type merged struct {
	Outcome    string          `json:"outcome" doc:"merged, up_to_date, requested, or clashes: a dry run found what has to be decided first."`
	Request    int64           `json:"request,omitempty" doc:"The number of the request that waits for approval; requests_list tells what becomes of it."`
	Source     string          `json:"source" doc:"The commit that was merged."`
	Base       string          `json:"base" doc:"The newest commit that both had in common."`
	Clashes    []kg.MergeClash `json:"clashes,omitempty" doc:"The first 20, with how they were decided."`
	ClashCount int             `json:"clash_count,omitempty" doc:"How many clashes there are."`
	Nodes      []string        `json:"nodes,omitempty" doc:"The first 20 nodes that change."`
	NodeCount  int64           `json:"node_count,omitempty" doc:"How many nodes change."`
	capability.Changed
	invoke.Written
}

var branchesMergeBuiltin = invoke.Define(capability.Descriptor{
	ID: "branches_merge", Description: "Merge a branch into another. Clashes are refused until decided.",
	Preconditions: []string{"Each clash is decided.", "The graph fits its schema at the end."},
	CostEstimate:  capability.CostChange, PolicyRequired: capability.Requirement{Action: policy.BranchMerge},
}, func(ctx context.Context, r *invoke.Request, in merging) (*merged, error) {
	if in.Target != "" {
		if r.Args.Has("branch") && r.Args.Text("branch") != in.Target {
			return nil, fault.Argument("target", fault.Pattern, in.Target, "target and branch both name the branch that is merged into; give one of them")
		}
		if err := r.ToBranch(ctx, in.Target); err != nil {
			return nil, err
		}
	}
	m, err := mergeOf(ctx, r, in.Source, in.Take, in.Resolutions)
	if err != nil {
		return nil, err
	}
	m.Squash, m.Defines = in.Squash, definesByBuilders(r, "source")
	if in.Ask {
		return askFor(ctx, r, m)
	}
	s := r.Snapshot.Schema()
	r.Release() // a snapshot would keep the log from starting over during a long write
	done, err := r.Session().Merge(ctx, m)
	if err != nil {
		return nil, err
	}
	if done.Protected {
		r.Warn("%s is protected: give ask: true to request the merge", cmp.Or(r.Ref.Branch, kg.Main))
	}
	return mergedOf(r, s, done, m.Set.DryRun), nil
}, invoke.On("compact"))

// mergeOf returns the merge that the arguments ask for: of a branch or commits, and how clashes are decided.
func mergeOf(ctx context.Context, r *invoke.Request, source, take string, resolutions []string) (kg.Merge, error) {
	set, err := r.ChangeSet(ctx)
	if err != nil {
		return kg.Merge{}, err
	}
	decided, err := resolutionsOf(r.Snapshot.Schema(), resolutions)
	return kg.Merge{Source: source, Take: kg.Side(take), Resolutions: decided, Set: set, Progress: r.Progress}, err
}

// mergedOf is the answer about a merge that was made, or tried.
func mergedOf(r *invoke.Request, s *schema.Schema, done kg.Merged, dryRun bool) *merged {
	out := &merged{
		Outcome: "merged", Source: done.Source.ID.String(), Base: done.Base.ID.String(), Clashes: done.Clashes, ClashCount: done.ClashCount,
		Nodes: s.NodeNames(done.Nodes), NodeCount: done.NodeCount, Changed: changesOf(s, done.Result, dryRun),
	}
	switch {
	case done.UpToDate:
		out.Outcome = "up_to_date"
	case done.Open > 0:
		out.Outcome = "clashes"
		r.Warn("%s must be decided before anything is merged: give take for all, or resolutions such as \"Note/a.title=theirs\"", fault.Counted(done.Open, "clash"))
	}
	out.Written = r.Committed(done.Result, dryRun)
	return out
}

// definesByBuilders lets builders alone bring definitions in by an argument.
func definesByBuilders(r *invoke.Request, argument string) func() error {
	return func() error { return r.MayGive(capability.Field{Name: argument, Scope: policy.Builder}) }
}

// propertyPart is what stands behind the last dot of a resolution if it is about a property.
var propertyPart = regexp.MustCompile(`^(\pL[^./\s]*)?$`)

// resolutionsOf reads resolutions: NODE.PROPERTY=SIDE, NODE=SIDE or NODE.PROPERTY:=VALUE, with the names that the clash
// has. A node whose own name has a dot ends in one if it is meant as a whole. It need not be there, since the clash may
// be that it was deleted.
func resolutionsOf(s *schema.Schema, list []string) (all []kg.Resolution, err error) {
	for i, text := range list {
		wrong := func(message string) error {
			return fault.Argument(fmt.Sprintf("resolutions[%d]", i), fault.Pattern, text, message)
		}
		about, side, ok := strings.Cut(text, "=")
		about, isValue := strings.CutSuffix(about, ":")
		if take := kg.Side(side); !ok || !isValue && take != kg.Ours && take != kg.Theirs && take != kg.AtBase {
			return nil, wrong("give NODE.PROPERTY=SIDE or NODE=SIDE, with ours, theirs or base as the side, or NODE.PROPERTY:=VALUE")
		}
		name, property := about, ""
		for _, separator := range []string{".http://", ".https://", ".urn:"} { // a property outside the schema is named by its IRI
			if at := strings.LastIndex(about, separator); at > 0 {
				name, property = about[:at], about[at+1:]
			}
		}
		if dot := strings.LastIndexByte(about, '.'); property == "" && dot > 0 && propertyPart.MatchString(about[dot+1:]) {
			name, property = about[:dot], about[dot+1:]
		}
		node, types, ok := namedNode(s, name)
		if !ok {
			return nil, wrong("give the node as the clash names it: Type/id, or an IRI")
		}
		one := kg.Resolution{Node: node, Take: kg.Side(side)}
		var p *schema.Property
		if property != "" {
			if one.Property, p = namedProperty(s, types, property); one.Property == "" {
				return nil, wrong(fmt.Sprintf("the schema has no property %q; give it as the clash names it, or a dot behind a node whose own name has one", property))
			}
		}
		if isValue {
			if p == nil {
				return nil, wrong("a value is given for a property of the schema; for others give ours, theirs or base")
			}
			var problem *fault.FieldError
			one.Take = kg.NoSide
			if one.Values, problem = valuesOf(s, p, side); problem != nil {
				return nil, wrong(problem.Message)
			}
		}
		all = append(all, one)
	}
	return all, nil
}

// valuesOf reads the values of a property: a text, or the JSON of anything else.
func valuesOf(s *schema.Schema, p *schema.Property, text string) ([]rdf.Term, *fault.FieldError) {
	values, problems := s.Values(p, text)
	if len(problems) == 0 {
		return values, nil
	}
	var value any
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if d.Decode(&value) == nil && !d.More() {
		if values, problems = s.Values(p, value); len(problems) == 0 {
			return values, nil
		}
	}
	return nil, &problems[0]
}

// namedNode returns the node that a clash names, with its type if the name has it.
func namedNode(s *schema.Schema, name string) (node rdf.Term, types []*schema.Type, ok bool) {
	typeName, local, _ := strings.Cut(name, "/")
	if t := s.Type(typeName); t != nil && local != "" {
		iri, err := s.ResolveID(t, local)
		return iri, []*schema.Type{t}, err == nil
	}
	if label, blank := strings.CutPrefix(name, "_:"); blank {
		return rdf.BNode(label), s.Types, true
	}
	return rdf.IRI(name), s.Types, rdf.IsAbsoluteIRI(name)
}

// namedProperty returns the predicate that a clash names and, if one of the types has it, the property.
func namedProperty(s *schema.Schema, types []*schema.Type, name string) (rdf.IRI, *schema.Property) {
	for _, t := range types {
		for _, own := range append([]*schema.Type{t}, s.Subtypes(t)...) {
			if p := s.Property(own, name); p != nil {
				return p.IRI, p
			}
		}
	}
	if rdf.IsAbsoluteIRI(name) {
		return rdf.IRI(name), nil
	}
	return "", nil
}
