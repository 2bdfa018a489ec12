package view

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"trails/auth/policy"
	"trails/capability"
	"trails/fault"
	"trails/invoke"
	"trails/kg/browse"
	"trails/rdf"
	"trails/schema"
	"trails/text/fulltext"
	"trails/text/quote"
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

// OriginArgument returns the class of sources that the argument origin names, nil for none, or the error for it.
func OriginArgument(name string) (*policy.Origin, []fault.FieldError) {
	origin, known := policy.ParseOrigin(name)
	switch {
	case name == "":
		return nil, nil
	case !known:
		names := policy.OriginNames()
		return nil, []fault.FieldError{{Field: "origin", Code: fault.OneOf, Value: name, Constraint: names, Message: fmt.Sprintf("there is no origin %.100q%s", name, fault.OrOf(name, "is one of", names))}}
	}
	return &origin, nil
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

// warnOfUnknown warns of conditions on values that no node has: of nodes that are not there, as
// when a label was given for an id, and of values that are none of those that the property lists.
func warnOfUnknown(ctx context.Context, r *invoke.Request, list []browse.Condition) error {
	for _, c := range list {
		p := c.Path.Last()
		for _, v := range c.Values {
			equals := c.Op == browse.OpIs || c.Op == browse.OpNot || c.Op == browse.OpIn
			if equals && len(p.OneOf) > 0 && !slices.Contains(p.OneOf, v) {
				known := make([]string, len(p.OneOf))
				for i, one := range p.OneOf {
					known[i] = rdf.Lexical(one)
				}
				r.Warn("%s is never %q%s", c.Path, rdf.Lexical(v), fault.OrOf(rdf.Lexical(v), "is one of", known))
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
				way := "search finds the ids of nodes"
				if class := r.Snapshot.Schema().Type(p.Class); class != nil && r.Snapshot.Schema().LabelOf(class) != "" && len(c.Path) == 1 {
					way = fmt.Sprintf("compare %s.%s with a label, or give an id, which search finds", c.Path, r.Snapshot.Schema().LabelOf(class))
				}
				r.Warn("there is no %s, which %s is compared with; %s", r.Snapshot.Name(v), c.Path, way)
			}
		}
	}
	return nil
}

// Listed returns a page of a list, and warns of conditions on values that no node has and of those that leave the
// list empty.
func Listed(ctx context.Context, r *invoke.Request, q browse.TableQuery) (browse.TablePage, error) {
	page, err := r.Snapshot.Table(ctx, q)
	told := len(r.Parts.Warnings)
	if err == nil {
		err = warnOfUnknown(ctx, r, q.Where)
	}
	if err == nil && len(page.Rows) == 0 && page.Total == 0 && !page.TotalMore && q.Search == "" && len(r.Parts.Warnings) == told {
		err = warnOfEmpty(ctx, r, q)
	}
	return page, err
}

// warnOfEmpty says which conditions no node meets, and what it is if each is met by some.
func warnOfEmpty(ctx context.Context, r *invoke.Request, q browse.TableQuery) error {
	met, all := true, q
	if all.Origin = nil; q.Origin != nil {
		all.Limit, all.Offset, all.Brief, all.Facets = 1, 0, true, false
		others, err := r.Snapshot.Table(ctx, all)
		if err != nil {
			return err
		}
		if len(others.Rows) > 0 {
			r.Warn("of each %s that fits otherwise something is said by others than %s; blame says by whom", q.Type.Name, q.Origin)
			return nil
		}
	}
	for _, c := range q.Where {
		var alone browse.TablePage // of one condition, the list itself, which is empty
		if len(q.Where) > 1 {
			var err error
			if alone, err = r.Snapshot.Table(ctx, browse.TableQuery{Type: q.Type, Where: []browse.Condition{c}, Limit: 1, Brief: true}); err != nil {
				return err
			}
		}
		if len(alone.Rows) == 0 {
			met = false
			accented, err := withAccents(ctx, r, q.Type, c)
			if err != nil {
				return err
			}
			r.Warn("no %s has %s%s", q.Type.Name, conditionText(r, c), accented)
		}
	}
	switch {
	case len(q.Where) == 0:
		r.Warn("there is no %s yet", q.Type.Name)
	case met && len(q.Where) > 1:
		r.Warn("each of these %d conditions is met by some %s, and no %s meets them all", len(q.Where), q.Type.Name, q.Type.Name)
	}
	return nil
}

// withAccents names a text that a search finds by the words of a condition on a part of texts, which no text has: a search
// ignores accents, and such a condition does not. It is "" where there is none.
func withAccents(ctx context.Context, r *invoke.Request, t *schema.Type, c browse.Condition) (string, error) {
	if c.Op != browse.OpContains && c.Op != browse.OpStarts {
		return "", nil
	}
	if n := len(c.Path); n > 1 {
		if t = r.Snapshot.Schema().Type(c.Path[n-2].Class); t == nil {
			return "", nil
		}
	}
	part := rdf.Lexical(c.Values[0])
	words, err := fulltext.ParseBeginning(part)
	if err != nil || len(words.Terms) == 0 { // it has no words
		return "", nil
	}
	found, err := r.Snapshot.Search(ctx, browse.Search{Text: part, Types: []*schema.Type{t}})
	if err != nil {
		return "", err
	}
	has := words.Has()
	for _, hit := range found.Hits {
		if hit.Property == c.Path.Last().IRI && has(rdf.Lexical(hit.Text)) {
			return fmt.Sprintf(", for which accents count; did you mean %s?", quote.Text(rdf.Lexical(hit.Text), textList)), nil
		}
	}
	return "", nil
}

// conditionText writes a condition as the command line takes it, with the first values of several.
func conditionText(r *invoke.Request, c browse.Condition) string {
	text := fmt.Sprintf("%s %s", c.Path, c.Op)
	for i, v := range c.Values {
		if i == valuesNamed {
			return text + ", …"
		}
		name := cmp.Or(quote.Line(rdf.Lexical(v), textList), `""`)
		if !rdf.IsLiteral(v) {
			name = r.Snapshot.Name(v)
		}
		text += map[bool]string{true: " ", false: ", "}[i == 0] + name
	}
	return text
}

// valuesNamed is how many values of a condition a warning names.
const valuesNamed = 3
