package admin

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"trails/fault"
	kgschema "trails/schema"
	"trails/schema/infer"
	"trails/text/jsontext"
)

// A step of a schema change is JSON with one member, a step of a patch as [kgschema.Schema.Patch] reads it. The page
// makes steps from its controls, and says in a sentence what each does.

// The kinds of values that are no datatype of the schema.
const (
	kindChoice = "choice" // text with a list of values
	kindRef    = "ref "   // before the name of a type
)

// valueKinds are the kinds of values that the page offers, besides references.
var valueKinds = []struct{ Value, Text string }{
	{"string", "Text"}, {"integer", "Whole number"}, {"decimal", "Number"}, {"date", "Date"}, {"datetime", "Date and time"},
	{"boolean", "Yes or no"}, {kindChoice, "Choice of values"}, {"uri", "Web address"}, {"lang_string", "Text with a language"},
}

// idKinds say where the ids of instances come from, by the word of the schema.
var idKinds = map[string]string{
	string(kgschema.MintUUIDv7): "A new one for each", string(kgschema.MintKey): "Made of the key", string(kgschema.MintContent): "Made of all values", string(kgschema.MintPreserve): "Given by who creates it",
}

// rareKinds are the other datatypes of the schema, by name.
var rareKinds = slices.DeleteFunc(slices.Sorted(maps.Keys(kgschema.Datatypes)), func(word string) bool {
	return slices.ContainsFunc(valueKinds, func(k struct{ Value, Text string }) bool { return k.Value == word })
})

// propertyTyped is a property as the controls of the page have it.
type propertyTyped struct {
	Title, Label, Kind, Values, Pattern, Example, Least, Most, Longest, Default, Description string
	Many, Required, Unique                                                                   bool
	// Those of the next lines are rare.
	Shortest, Fewest, Highest, Has, Languages, Dim, Predicate string
	UniqueLang, Unsearched                                    bool
	Embed                                                     string // "true", "false", or "" as the type says
}

// isRare reports that a control is set that the page folds.
func (p propertyTyped) isRare() bool {
	return p.Shortest+p.Fewest+p.Highest+p.Has+p.Languages+p.Dim+p.Predicate+p.Embed != "" || p.UniqueLang || p.Unsearched
}

// textControls are the controls of a property that hold a text, by the last part of their names.
func (p *propertyTyped) textControls() map[string]*string {
	return map[string]*string{
		"title": &p.Title, "label": &p.Label, "kind": &p.Kind, "values": &p.Values, "pattern": &p.Pattern, "example": &p.Example, "least": &p.Least, "most": &p.Most,
		"longest": &p.Longest, "default": &p.Default, "description": &p.Description,
		"shortest": &p.Shortest, "fewest": &p.Fewest, "highest": &p.Highest, "has": &p.Has, "languages": &p.Languages, "dim": &p.Dim, "predicate": &p.Predicate, "embed": &p.Embed,
	}
}

// marks are the controls of a property that are set or not.
func (p *propertyTyped) marks() map[string]*bool {
	return map[string]*bool{"many": &p.Many, "required": &p.Required, "unique": &p.Unique, "unique_lang": &p.UniqueLang, "unsearched": &p.Unsearched}
}

// rowName is the name of a control of the i-th property of the form.
func rowName(i int, control string) string { return fmt.Sprintf("p%d.%s", i, control) }

// readProperty reads the controls of the i-th property.
func readProperty(values url.Values, i int) propertyTyped {
	p := propertyTyped{}
	for name, text := range p.textControls() {
		*text = strings.TrimSpace(values.Get(rowName(i, name)))
	}
	for name, set := range p.marks() {
		*set = values.Get(rowName(i, name)) != ""
	}
	return p
}

// typedOf is a property of the schema as the controls show it; base is that of the schema.
func typedOf(p kgschema.PropertyDocument, base string) propertyTyped {
	out := propertyTyped{
		Title: p.Name, Label: p.Label, Kind: p.Type, Pattern: p.Pattern, Least: scalar(p.MinValue), Most: scalar(p.MaxValue), Default: scalar(p.Default), Description: p.Description,
		Many: p.Many, Required: p.Required, Unique: p.Unique,
		Has: scalar(p.HasValue), Languages: strings.Join(p.Languages, ", "), UniqueLang: p.UniqueLang, Unsearched: p.Search != nil && !*p.Search,
		Shortest: numeral(p.MinLength), Highest: numeral(p.MaxCount), Longest: numeral(p.MaxLength), Dim: numeral(p.Dim),
	}
	if p.Embed != nil {
		out.Embed = strconv.FormatBool(*p.Embed)
	}
	if p.MinCount > 0 {
		out.Fewest = strconv.Itoa(p.MinCount)
	}
	if p.IRI != base+p.Name && !slices.Contains(p.Was, strings.TrimPrefix(p.IRI, base)) {
		out.Predicate = p.IRI
	}
	if p.Class != "" {
		out.Kind = kindRef + p.Class
	}
	for _, v := range p.OneOf {
		out.Values += scalar(v) + "\n"
	}
	if len(p.OneOf) > 0 && p.Type == "string" {
		out.Kind = kindChoice
	}
	return out
}

// numeral is a number as a text; "" for none.
func numeral(n *int) string {
	if n == nil {
		return ""
	}
	return strconv.Itoa(*n)
}

// scalar is a value of the schema as a text; "" for none.
func scalar(v any) string {
	if v == nil {
		return ""
	}
	return literal(v)
}

// listOf are the values of a list that was typed: one a line or, on one line, between commas.
func listOf(text string) []string {
	separator := ","
	if strings.Contains(text, "\n") {
		separator = "\n"
	}
	var out []string
	for part := range strings.SplitSeq(text, separator) {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}

// object is a JSON object whose members keep their order.
type object []objectMember

type objectMember struct {
	Name  string
	Value any
}

// MarshalJSON implements [json.Marshaler].
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(m.Name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(m.Value)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// words are the property in the words of the schema's language.
func (p propertyTyped) words() object {
	var out object
	add := func(given bool, name string, value any) {
		if given {
			out = append(out, objectMember{name, value})
		}
	}
	class, isRef := strings.CutPrefix(p.Kind, kindRef)
	switch {
	case isRef:
		add(true, "class", class)
	case p.Kind == kindChoice || p.Kind == "":
		add(true, "type", "string")
	default:
		add(true, "type", p.Kind)
	}
	add(p.Required, "required", true)
	add(p.Many, "many", true)
	add(p.Unique, "unique", true)
	allowed := listOf(p.Values)
	add(len(allowed) > 0, "one_of", allowed)
	add(p.Pattern != "", "pattern", p.Pattern)
	add(p.Least != "", "min_value", p.Least)
	add(p.Most != "", "max_value", p.Most)
	for _, c := range []struct{ word, typed string }{
		{"min_length", p.Shortest}, {"max_length", p.Longest}, {"min_count", p.Fewest}, {"max_count", p.Highest}, {"dim", p.Dim},
	} {
		n, err := strconv.Atoi(c.typed)
		add(c.typed != "" && err == nil, c.word, n)
		add(c.typed != "" && err != nil, c.word, c.typed) // the schema says what is wrong
	}
	languages := listOf(p.Languages)
	add(len(languages) > 0, "languages", languages)
	add(p.UniqueLang, "unique_lang", true)
	add(p.Unsearched, "search", false)
	add(p.Embed != "", "embed", p.Embed == "true")
	add(p.Has != "", "has_value", p.Has)
	add(p.Predicate != "", "predicate", p.Predicate)
	add(p.Default != "", "default", p.Default)
	add(p.Label != "", "label", p.Label)
	add(p.Description != "", "description", p.Description)
	return out
}

// check refuses what the schema's language cannot know to be wrong.
func (p propertyTyped) check() error {
	if p.Kind == kindChoice && len(listOf(p.Values)) == 0 {
		return fault.Argument(p.Title, fault.OneOf, p.Values, "a choice needs its values, such as open, done")
	}
	if p.Pattern == "" || p.Example == "" {
		return nil
	}
	if pattern, err := regexp.Compile(p.Pattern); err == nil && !pattern.MatchString(p.Example) {
		return fault.Argument(p.Title, fault.Pattern, p.Example, fmt.Sprintf("the example %s does not match the pattern %s; mend one of them", line(p.Example), line(p.Pattern)))
	}
	return nil
}

// changes are the words that differ between two states of a property or type; null takes a word away.
func changes(before, after object) object {
	var out object
	at := func(o object, name string) int {
		return slices.IndexFunc(o, func(m objectMember) bool { return m.Name == name })
	}
	for _, m := range after {
		if i := at(before, m.Name); i < 0 || literal(before[i].Value) != literal(m.Value) {
			out = append(out, m)
		}
	}
	for _, m := range before {
		twin := map[string]string{"type": "class", "class": "type"}[m.Name]
		if at(after, m.Name) < 0 && (twin == "" || at(after, twin) < 0) {
			out = append(out, objectMember{m.Name, nil})
		}
	}
	return out
}

// hasLatin reports whether a name can be made of a title.
func hasLatin(title string) bool {
	return strings.ContainsFunc(infer.Folded(title), func(r rune) bool { return r >= 'a' && r <= 'z' })
}

// noName refuses a title that no name can be made of.
func noName(title string) error {
	return fault.Argument("name", fault.Pattern, title, fmt.Sprintf("a name is made of Latin letters and digits; write %q in them, and in any script in the description", line(title)))
}

// namedProperty makes a property's name from what was typed: a name stays as it is.
func namedProperty(title string) (string, error) {
	if plainProperty.MatchString(title) {
		return title, nil
	}
	if !hasLatin(title) {
		return "", noName(title)
	}
	return infer.PropertyName(title), nil
}

// namedType makes a type's name from what was typed.
func namedType(title string) (string, error) {
	if infer.IsTypeName(title) {
		return title, nil
	}
	if title == "" {
		return "", fault.Argument("name", fault.Required, nil, "give the type a name, such as Purchase order")
	}
	if !hasLatin(title) {
		return "", noName(title)
	}
	return infer.TypeName(title), nil
}

var plainProperty = regexp.MustCompile(`^[a-z][A-Za-z0-9_]*$`)

// step is a step as JSON.
func step(word string, about any) (string, error) {
	text, err := json.Marshal(object{{word, about}})
	return string(text), err
}

// patchOf is the patch with these steps. JSON is YAML.
func patchOf(steps []string) string { return "[" + strings.Join(steps, ",\n") + "]" }

// sentence says what a step does: Add the type Task with title (text, required).
func sentence(step string) string {
	outer, ok := jsontext.Members([]byte(step))
	if !ok || len(outer) != 1 {
		return step
	}
	word, about := outer[0].Name, outer[0].Value
	var name string
	if strings.HasPrefix(word, "drop_") && json.Unmarshal(about, &name) == nil {
		return "Remove " + textIf(word == "drop_type", "the type ", "") + name + "."
	}
	inner, ok := jsontext.Members(about)
	if !ok || len(inner) != 1 {
		return step
	}
	name = inner[0].Name
	members, _ := jsontext.Members(inner[0].Value)
	switch word {
	case "add_type":
		return "Add the type " + name + typeInWords(members) + "."
	case "add_property":
		typeName, property, _ := strings.Cut(name, ".")
		return "Add " + property + " (" + propertyInWords(members) + ") to " + typeName + "."
	case "move_before":
		_ = json.Unmarshal(inner[0].Value, &word) // a name
		return "Show " + name + " before " + word + "."
	case "rename_type", "rename_property":
		_ = json.Unmarshal(inner[0].Value, &word) // a name
		return "Rename " + name + " to " + word + "."
	}
	var parts []string
	for _, m := range members {
		if string(m.Value) == "null" {
			parts = append(parts, "no "+strings.ReplaceAll(m.Name, "_", " ")+" any more")
		} else {
			parts = append(parts, propertyInWords([]jsontext.Member{m}))
		}
	}
	return "Change " + name + ": " + strings.Join(parts, ", ") + "."
}

// typeInWords says what a new type has.
func typeInWords(members []jsontext.Member) string {
	var out []string
	for _, m := range members {
		if m.Name != "properties" {
			continue
		}
		properties, _ := jsontext.Members(m.Value)
		for _, p := range properties {
			words, _ := jsontext.Members(p.Value)
			out = append(out, p.Name+" ("+propertyInWords(words)+")")
		}
	}
	text := textIf(len(out) > 0, " with "+strings.Join(out, ", "), " without properties")
	for _, m := range members {
		switch m.Name {
		case "label":
			text += "; " + valueInWords(m.Value) + " is its label"
		case "key":
			text += "; its instances are told apart by " + valueInWords(m.Value)
		case "description", "properties":
		default:
			text += "; " + propertyInWords([]jsontext.Member{m})
		}
	}
	return text
}

// propertyInWords says what the values of a property are.
func propertyInWords(members []jsontext.Member) string {
	var out []string
	for _, m := range members {
		value := valueInWords(m.Value)
		switch m.Name {
		case "type":
			if i := slices.IndexFunc(valueKinds, func(k struct{ Value, Text string }) bool { return k.Value == value }); i >= 0 {
				value = strings.ToLower(valueKinds[i].Text)
			}
			out = append(out, value)
		case "class":
			out = append(out, "refers to "+value)
		case "one_of":
			out = append(out, "one of "+value)
		case "search":
			out = append(out, textIf(value == "false", "not ", "")+"searched")
		case "embed":
			out = append(out, textIf(value == "false", "not ", "")+"found by meaning"+textIf(value == "null", ", if the type says so", ""))
		case "predicate":
			out = append(out, "with the IRI "+value)
		case "abstract", "open":
			out = append(out, textIf(value == "true", "", "not ")+m.Name)
		case "iri":
			out = append(out, "ids: "+strings.ToLower(idKinds[value]))
		case "unique":
			together := "unique together: " + value
			out = append(out, firstOf(map[string]string{"true": "unique", "false": "not unique"}[value], together))
		case "required", "many":
			out = append(out, textIf(value == "true", "", "not ")+textIf(m.Name == "many", "a list", m.Name))
		default:
			out = append(out, strings.ReplaceAll(m.Name, "_", " ")+" "+value)
		}
	}
	return strings.Join(out, ", ")
}

// valueInWords is a JSON value for a sentence.
func valueInWords(raw json.RawMessage) string {
	var list []string
	if json.Unmarshal(raw, &list) == nil {
		return strings.Join(list, ", ")
	}
	var groups [][]string
	if json.Unmarshal(raw, &groups) == nil {
		said := make([]string, len(groups))
		for i, g := range groups {
			said[i] = strings.Join(g, " with ")
		}
		return strings.Join(said, "; ")
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}
