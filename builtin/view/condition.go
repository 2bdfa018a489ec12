package view

import (
	"context"
	"fmt"
	"slices"

	"trails/capability"
	"trails/fault"
	"trails/invoke"
	"trails/kg/browse"
	"trails/rdf"
	"trails/schema"
)

// MaxConditions bounds the conditions of a list.
const MaxConditions = 16

// PathArgument returns the path from a type's nodes that an argument names, or the error for
// the argument.
func PathArgument(r *invoke.Request, t *schema.Type, argument, name string) (browse.Path, []fault.FieldError) {
	path, wrong := r.Snapshot.PathOf(t, name)
	if wrong != nil {
		wrong.Field = argument
		return nil, []fault.FieldError{*wrong}
	}
	return path, nil
}

// Condition is one of the argument where.
type Condition struct {
	Property string `json:"property"`
	Op       string `json:"op,omitempty" doc:"As list has them; = when left out."`
	Value    any    `json:"value,omitempty" doc:"Exactly this value; a reference by id."`
}

// Conditions reads the argument where: every clause that cannot be used is reported.
func Conditions(r *invoke.Request, t *schema.Type, where []Condition) (list []browse.Condition, problems []fault.FieldError) {
	for i, clause := range where {
		path, wrong := PathArgument(r, t, fmt.Sprintf("where[%d].property", i), clause.Property)
		if problems = append(problems, wrong...); path == nil {
			continue
		}
		value := clause.Value
		if text, isText := value.(string); isText && browse.Op(clause.Op) == browse.OpIn {
			if several, isList := capability.ListIn(text); isList {
				value = several
			}
		}
		c, wrong := r.Snapshot.ConditionOf(path, clause.Op, words(path.Last(), value))
		for _, problem := range wrong {
			problem.Field = fmt.Sprintf("where[%d].%s", i, problem.Field)
			problems = append(problems, problem)
		}
		list = append(list, c)
	}
	return list, problems
}

// words converts bare words to the JSON values of a property.
func words(p *schema.Property, value any) any {
	switch value := value.(type) {
	case string:
		return filterValue(p, value)
	case []any:
		out := make([]any, len(value))
		for i, one := range value {
			out[i] = words(p, one)
		}
		return out
	}
	return value
}

// warnOfAlike warns of a text that no node has, when one is near that some have.
func warnOfAlike(ctx context.Context, r *invoke.Request, path browse.Path, v rdf.Term) error {
	if text, ok := v.(rdf.String); !ok || len(path.Last().OneOf) > 0 || text == "" {
		return nil
	}
	near, err := r.Snapshot.Meant(ctx, path.Last().IRI, v)
	if err == nil && near != nil {
		r.Warn("no %s is %q; did you mean %q?", path, rdf.Lexical(v), rdf.Lexical(near))
	}
	return err
}

// WarnOfUnknown warns of conditions on values that no node has: of nodes that are not there, as
// when a label was given for an id, and of values that are none of those that the property lists.
func WarnOfUnknown(ctx context.Context, r *invoke.Request, list []browse.Condition) error {
	for _, c := range list {
		p := c.Path.Last()
		for _, v := range c.Values {
			equals := c.Op == browse.OpIs || c.Op == browse.OpNot || c.Op == browse.OpIn
			if equals && len(p.OneOf) > 0 && !slices.Contains(p.OneOf, v) {
				known := make([]string, len(p.OneOf))
				for i, one := range p.OneOf {
					known[i] = rdf.Lexical(one)
				}
				r.Warn("%s is never %q%s", c.Path, rdf.Lexical(v), browse.OrOf(rdf.Lexical(v), "is one of", known))
			}
			if c.Op == browse.OpIs || c.Op == browse.OpIn {
				if err := warnOfAlike(ctx, r, c.Path, v); err != nil {
					return err
				}
			}
			if rdf.IsLiteral(v) || p.Class == "" {
				continue
			}
			d, err := r.Snapshot.Describe(ctx, v)
			if err != nil {
				return err
			}
			if !d.Exists {
				r.Warn("there is no %s, which %s is compared with; search finds the ids of nodes", r.Snapshot.Name(v), c.Path)
			}
		}
	}
	return nil
}
