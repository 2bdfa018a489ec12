package brief

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"trails/capability"
	"trails/fault"
	"trails/invoke"
	"trails/schema"
	"trails/text/jsontext"
	"trails/text/quote"
)

// Bounds of the prompt to write.
const (
	writeFields      = 12_000 // bytes
	writeConstraint  = 300    // characters of one constraint
	writeDescription = 200
)

// writePrompt asks for a node of one type.
func writePrompt(ctx context.Context, r *invoke.Request, arguments map[string]string) (string, error) {
	to, err := newReader(ctx, r)
	if err != nil {
		return "", err
	}
	t, err := to.typeToWrite(arguments["type"])
	if err != nil {
		return "", err
	}
	s, err := filledSample(ctx, r, t)
	if err != nil {
		return "", err
	}
	text := fmt.Sprintf("Help me to write a %s to this knowledge graph.\n\n%s", t.Name, greeting(r))
	if t.Description != "" {
		text += fmt.Sprintf("What a %s is: %s\n", t.Name, quote.Text(t.Description, writeConstraint))
	}
	shape := createShape(r, t)
	steps, err := to.writeSteps(ctx, s, shape)
	return text + fieldsText(shape) + togetherText(r, t, shape) + steps, err
}

// typeToWrite finds a type of which the caller may make nodes.
func (to reader) typeToWrite(name string) (*schema.Type, error) {
	s := to.r.Snapshot.Schema()
	t := s.Type(name)
	of, problem := s.Types, fmt.Sprintf("there is no type %q", name)
	switch {
	case t != nil && t.Abstract:
		of, problem = s.Concrete(t), name+" is abstract"
	case t != nil && !to.makes(t):
		problem = "you may not make a " + name
	case t != nil:
		return t, nil
	}
	var names []string
	for _, t := range of {
		if !t.Abstract && to.makes(t) && len(names) < guideTypes {
			names = append(names, t.Name)
		}
	}
	if len(names) > 0 {
		problem += "; take one of " + strings.Join(names, ", ")
	}
	return nil, fault.Argument("arguments.type", fault.OneOf, name, problem)
}

// fieldsText lists the properties with all their constraints, without the id and the common arguments.
func fieldsText(shape capability.Shape) string {
	every := append(capability.FieldsOf[capability.ChangeArguments](), capability.Field{Name: "id"})
	fields := slices.DeleteFunc(slices.Clone(shape.Fields), func(f capability.Field) bool {
		return slices.ContainsFunc(every, func(e capability.Field) bool { return e.Name == f.Name })
	})
	var b strings.Builder
	b.WriteString("\nProperties:\n")
	for i, f := range fields {
		line := "- " + f.Name + ": " + strings.Join(rulesOf(f), ", ")
		if f.Description != "" {
			line += ". " + quote.Text(f.Description, writeDescription)
		}
		if b.Len()+len(line)+len("\n") > writeFields {
			fmt.Fprintf(&b, "and %d more; read them with schema_get\n", len(fields)-i)
			break
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

// rulesOf describes the constraints of a field.
func rulesOf(f capability.Field) []string {
	word := string(f.Type)
	if f.NodeType != "" {
		word = "reference to a " + f.NodeType + ", as " + f.Reference()
	}
	if f.Many {
		word = "array of " + word
	}
	rules := []string{word}
	add := func(present bool, format string, value any) {
		if present {
			rules = append(rules, fmt.Sprintf(format, valueText(value)))
		}
	}
	bound := func(n *int, format string) {
		if n != nil {
			rules = append(rules, fmt.Sprintf(format, *n))
		}
	}
	if f.Required {
		rules = append(rules, "required")
	}
	if f.Unique {
		rules = append(rules, "unique")
	}
	bound(f.MinCount, "at least %d of them")
	bound(f.MaxCount, "at most %d of them")
	add(len(f.OneOf) > 0, "one of %s", f.OneOf)
	add(f.HasValue != nil, "has the value %s", f.HasValue)
	add(f.Pattern != "", "matches %s", f.Pattern)
	bound(f.MinLength, "at least %d characters")
	bound(f.MaxLength, "at most %d characters")
	add(f.MinValue != nil, "at least %s", f.MinValue)
	add(f.MaxValue != nil, "at most %s", f.MaxValue)
	bound(f.Dim, "%d components")
	add(f.Default != nil, "%s when left out", f.Default)
	return rules
}

// valueText is a value of the schema as JSON in one line, shortened if it is long.
func valueText(v any) string {
	switch value := v.(type) {
	case []any:
		var parts []string
		size := 0
		for i, one := range value {
			part := valueText(one)
			if size += len(part); size > writeConstraint {
				parts = append(parts, fmt.Sprintf("and %d more", len(value)-i))
				break
			}
			parts = append(parts, part)
		}
		return strings.Join(parts, ", ")
	case string:
		v = quote.Line(value, writeDescription)
	}
	text, err := jsontext.Marshal(v)
	if err != nil {
		return "?"
	}
	return string(text)
}

// togetherText describes constraints on several properties, and the id.
func togetherText(r *invoke.Request, t *schema.Type, shape capability.Shape) string {
	text := ""
	for _, group := range shape.UniqueTogether {
		if f, _ := shape.Field(group[0]); len(group) == 1 && f.Unique {
			continue // its line says so
		}
		text += "- unique: " + quote.Line(strings.Join(group, ", "), writeConstraint) + "\n"
	}
	text += "- id: " + idRule(r, t) + "\n"
	if label := r.Snapshot.Schema().LabelOf(t); label != "" {
		text += "- people read it by its " + label + "\n"
	}
	return text
}

func (to reader) writeSteps(ctx context.Context, s sample, shape capability.Shape) (string, error) {
	name, args, source := schema.SnakeName(s.of.Name), "", "what is required"
	fresh, can, err := s.renewed(ctx, to.r)
	switch {
	case err != nil:
		return "", err
	case s.id != "" && can:
		s, source = fresh, "values as of "+quote.Text(s.of.Name+"/"+s.id, sampleID+schemaName)
	case s.id != "":
		source = "the values of " + quote.Text(s.of.Name+"/"+s.id, sampleID+schemaName) + ", changed where no two nodes may have the same"
	}
	example, left := s.callExample(shape, sampleCall)
	if example != "{}" {
		args = strings.TrimSuffix(strings.TrimPrefix(example, "{"), "}") + ","
	}
	more := ""
	if len(left) > 0 {
		more = " and " + quote.Line(strings.Join(left, ", "), writeConstraint)
	}
	change := ""
	if to.may(name + "_update") {
		change = fmt.Sprintf("To change one that is there: %s_update with its id and only the properties that change; null removes a value, an array replaces all of them; if_commit makes sure that nobody was faster.\n", name)
	}
	return fmt.Sprintf(writeStepsText, s.of.Name, name, source, args, more, change), nil
}

const writeStepsText = `
How to go about it:
1. Ask me for what is required and missing; invent nothing. Look whether it is there already: trails://kg/%[1]s?where=property=value. References must name nodes that exist.
2. Try it first. With %[3]s:
%[2]s_create {%[4]s"dry_run":true}%[5]s
3. If it is refused, nothing was written: correct every field of data.fields, and try again.
4. Show me what you are going to write. When I agree, call it without dry_run and with a message that says why.
5. Tell me the id and the commit, and read the node back at trails://kg/%[1]s/<id>.
%[6]s`
