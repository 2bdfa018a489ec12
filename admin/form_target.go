package admin

import (
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"

	"trails/builtin/view"
	"trails/capability"
	"trails/schema"
	"trails/text/jsontext"
)

// How much of an instance a form shows for editing.
const (
	valuesEdited = 200       // of one property
	charsEdited  = 512 << 10 // of all of them together
)

// target is the node that a form changes, as of one commit.
type target struct {
	view.Entity
	head   string
	values map[string]json.RawMessage // by property, as a call takes them
	held   map[string]string          // properties that are too long for a form, with a note
}

// readTarget reads an instance for its form.
func (f *formState) readTarget(id string) (*target, error) {
	t := &target{values: map[string]json.RawMessage{}, held: map[string]string{}}
	args := map[string]any{"type": f.capability.InputShape.NodeType, "id": id, "limit": valuesEdited}
	if err := f.ask("entity_get", args, &t.Entity); err != nil {
		return nil, err
	}
	t.head = f.head
	room := charsEdited
	for _, p := range t.Properties {
		field, ok := f.shape.Field(p.Name)
		if !ok || len(p.Values) == 0 {
			continue
		}
		if note := tooLong(p, &room); note != "" {
			t.held[p.Name] = note
			continue
		}
		t.values[p.Name] = argument(field, p.Values)
	}
	return t, nil
}

// seen names the last change of the instance.
func (t *target) seen() string {
	if t.Changed == nil {
		return "none"
	}
	return t.Changed.ID
}

// needs reports whether every node of the type has the property, so that an update cannot remove it.
func (t *target) needs(property string) bool {
	for _, p := range t.Properties {
		if p.Name == property {
			return p.Required
		}
	}
	return false
}

// tooLong says why a property's values are not in a form; "" if they are.
func tooLong(p view.Property, room *int) string {
	if p.Total > len(p.Values) {
		return count(p.Total) + " values, too many to edit here"
	}
	for _, v := range p.Values {
		if isCut(v) {
			return "a text of " + count(v.Length) + " characters, too long to edit here"
		}
		if *room -= utf8.RuneCountInString(v.Text); *room < 0 {
			return fmt.Sprintf("%d %s, which did not fit into the form", len(p.Values), plural(len(p.Values), "value", "values"))
		}
	}
	return ""
}

// argument is what a call would be given to set these values.
func argument(f capability.Field, cells []view.Cell) json.RawMessage {
	if !f.Many && len(cells) == 1 {
		return argumentOf(f, cells[0])
	}
	values := make([]json.RawMessage, len(cells))
	for i, c := range cells {
		values[i] = argumentOf(f, c)
	}
	text, err := jsontext.Marshal(values)
	if err != nil { // a value that says it is JSON and is not
		texts := make([]string, len(cells))
		for i, c := range cells {
			texts[i] = c.Text
		}
		text, _ = jsontext.Marshal(texts)
	}
	return text
}

// bareTypes are the types whose JSON values have no quotes.
var bareTypes = map[capability.Type]bool{
	capability.Integer: true, capability.Number: true, capability.Decimal: true,
	capability.Boolean: true, capability.Vector: true, capability.Object: true, capability.Any: true, capability.Text: true,
}

func argumentOf(f capability.Field, c view.Cell) json.RawMessage {
	text := c.Text
	switch {
	case c.Ref != nil:
		text = referenceTo(*c.Ref)
	case f.Type == capability.Boolean && (text == "1" || text == "0"):
		return json.RawMessage(strconv.FormatBool(text == "1"))
	case bareTypes[f.Type] && json.Valid([]byte(text)):
		return json.RawMessage(text)
	}
	var value any = text
	if c.Lang != "" {
		value = schema.LangJSON(text, c.Lang)
	}
	raw, err := jsontext.Marshal(value)
	if err != nil {
		return json.RawMessage(`""`)
	}
	return raw
}

// referenceTo is what a call takes for a node: Type/id, or the IRI of one that the
// schema does not name.
func referenceTo(n view.Node) string {
	if n.Type == "" || n.ID == n.IRI {
		return n.IRI
	}
	return n.Type + "/" + n.ID
}
