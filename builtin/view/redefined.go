package view

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"trails/kg"
	"trails/schema"
	"trails/text/outline"
)

// redefinition is a commit that changed the schema, or what is kept beside it, compared with the one before.
type redefinition struct {
	*kg.Comparison
	diff kg.DefinitionsDiff // what became of the definitions
}

// redefined compares such a commit. It is nil for other commits, and where too much was read already.
func (t *Teller) redefined(ctx context.Context, c kg.Commit) (*redefinition, error) {
	if c.SchemaSeq != c.Seq {
		return nil, nil
	}
	if t.left -= int64(1+len(t.r.Snapshot.Schema().Types)) * sentenceRowsOfType; t.left < 0 {
		return nil, nil
	}
	var before kg.Commit
	if !c.Parent.IsZero() {
		var err error
		if before, err = t.r.Snapshot.FindState(ctx, c.Parent.Whole()); err != nil {
			return nil, err
		}
	}
	compared, err := t.r.Snapshot.CompareBeside(ctx, before, c)
	if err != nil {
		return nil, err
	}
	return &redefinition{compared, compared.Definitions()}, nil
}

// onlyRenames reports a commit that renamed something and did nothing else, so that its statements are no news.
func (r *redefinition) onlyRenames() bool {
	return r != nil && !slices.ContainsFunc(r.diff.Steps, func(s schema.Step) bool {
		return s.Kind != schema.RenameType && s.Kind != schema.RenameProperty
	})
}

// ledSchema begins the sentence about a commit whose changes of definitions are not told.
const ledSchema = "Changed the schema"

// leadsOfDefinitions begin such sentences, by the capability.
var leadsOfDefinitions = map[string]string{
	"trails.meta.migrate.apply": "Applied migrations", "trails.meta.migrate.rollback": "Rolled migrations back",
	"trails.meta.policy.apply": "Changed the policies",
	"trails.meta.query.add":    "Stored a query", "trails.meta.query.remove": "Removed a stored query",
}

// leadOfDefinitions begins the sentence about a commit that changed definitions; "" where what follows says it.
func leadOfDefinitions(call *kg.Activity, d kg.DefinitionsDiff) string {
	switch {
	case len(d.Applied) > 0:
		return "Applied " + listed(d.Applied)
	case len(d.Missing) > 0:
		return "Rolled " + listed(d.Missing) + " back"
	case len(definedParts(d)) > 0:
		return ""
	case call != nil:
		return cmp.Or(leadsOfDefinitions[call.Capability], ledSchema)
	}
	return ledSchema
}

// things are what a part of a sentence is about: a word for one, and for several.
var things = map[string]string{"type": "types", "property": "properties", "stored query": "stored queries"}

// verbsOfSteps say what the steps do that make or end something; the others change what stays.
var verbsOfSteps = map[schema.StepKind]string{
	schema.AddType: "added", schema.AddProperty: "added", schema.DropType: "dropped", schema.DropProperty: "dropped",
}

// definition is what was done to definitions of one kind, such as the properties of a type.
type definition struct {
	verb, thing, of string
	names           []string
}

// definedParts says what became of definitions, each part with a verb first. What was done to several things alike is one.
func definedParts(d kg.DefinitionsDiff) (parts []string) {
	var groups []*definition
	add := func(verb, thing, of string, names ...string) {
		at := slices.IndexFunc(groups, func(g *definition) bool { return g.verb == verb && g.thing == thing && g.of == of })
		if at < 0 {
			at = len(groups)
			groups = append(groups, &definition{verb: verb, thing: thing, of: of})
		}
		for _, name := range names {
			if !slices.Contains(groups[at].names, name) {
				groups[at].names = append(groups[at].names, name)
			}
		}
	}
	for _, s := range d.Steps {
		of, property := "", s.Property
		if s.Property != "" {
			of = " of " + s.Type
			if label := labelled(s); label != "" {
				property += " “" + label + "”"
			}
		}
		if s.Kind == schema.RenameType || s.Kind == schema.RenameProperty {
			add("renamed", "", fmt.Sprintf("%s to %s", of, s.To), fmt.Sprint(s.From))
			continue
		}
		verb := verbsOfSteps[s.Kind]
		switch {
		case verb == "" && s.Property != "":
			add("changed", "", fmt.Sprintf(" of the property %s%s", property, of), s.What())
		case verb == "" && s.Type != "":
			add("changed", "", " of the type "+s.Type, s.What())
		case s.Property != "":
			add(verb, "property", of, property)
		case s.Type != "":
			add(verb, "type", "", s.Type)
		default:
			add("changed", "schema", "")
		}
	}
	for _, q := range d.Queries {
		verb := "changed"
		switch "" {
		case q.Was:
			verb = "added"
		case q.Text:
			verb = "removed"
		}
		add(verb, "stored query", "", q.ID)
	}
	if d.Policies != (kg.PolicyStep{}) {
		add("changed", "policies", "")
	}
	for _, g := range groups {
		parts = append(parts, g.String())
	}
	return parts
}

// labelled is the label of the property that a step makes, ends or labels; "" for none.
func labelled(s schema.Step) string {
	label := ""
	for _, at := range []any{s.From, s.To} {
		if d, is := at.(schema.PropertyDocument); is {
			label = d.Label
		}
		if text, is := at.(string); is && s.What() == "label" {
			label = text
		}
	}
	return label
}

func (g definition) String() string {
	thing := g.thing
	if len(g.names) > 1 {
		thing = cmp.Or(things[thing], thing)
	}
	if thing != "" {
		thing = "the " + thing
	}
	return strings.Join(slices.DeleteFunc([]string{g.verb, thing, listed(g.names)}, func(word string) bool { return word == "" }), " ") + g.of
}

// listed names the first of some names.
func listed(names []string) string {
	first := slices.Clone(names[:min(len(names), sentenceProperties)])
	for i, name := range first {
		first[i] = outline.Shorten(name, sentenceName)
	}
	text := strings.Join(first, ", ")
	if more := len(names) - len(first); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
