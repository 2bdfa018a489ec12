package project

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"trails/capability"
)

// The rules of [Lint]: what strict clients refuse in a tool, or cut.
const (
	ruleName        = "tool-name"
	ruleDescription = "description"
	ruleRoot        = "schema-root"
	ruleCombination = "schema-combination"
	ruleType        = "schema-type"
	ruleItems       = "schema-items"
	ruleProperty    = "property-name"
	ruleAdditional  = "schema-additional"
	ruleFormat      = "schema-format"
	ruleDepth       = "schema-depth"
)

const (
	// longestDescription is the contract's bound in characters; one host cuts at 2,048.
	longestDescription = 1_000
	// deepestSchema is how many objects may be in each other: as many as structured outputs
	// of OpenAI take at least.
	deepestSchema = 5
)

var (
	// toolNames is what MCP's specification recommends, and the APIs of Anthropic and OpenAI
	// ask for.
	toolNames = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	// propertyNames is what the API of Anthropic asks for.
	propertyNames = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)
	// combinations are the keywords that at least one client refuses: at the top level the
	// APIs of Anthropic and OpenAI, and anywhere that of Gemini.
	combinations = []string{"$ref", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "patternProperties", "dependencies"}
	// formats are those of draft-07, section 7.3.
	formats = strings.Fields("date-time date time email idn-email hostname idn-hostname ipv4 ipv6 uri uri-reference iri iri-reference uri-template json-pointer relative-json-pointer regex")
)

// Lint returns what a strict client would refuse or cut of the tool of a capability. It reads
// the bytes that go out.
func Lint(d capability.Descriptor, in Process) ([]Finding, error) {
	text, err := Tools(in).Encode(d)
	if err != nil {
		return nil, err
	}
	var tool struct {
		Name, Description string
		InputSchema       any
	}
	if err := parse(text, &tool); err != nil {
		return nil, fmt.Errorf("capability %s: its tool does not parse: %w", d.ID, err)
	}
	l := linting{id: d.ID}
	if !toolNames.MatchString(tool.Name) {
		l.add("id", ruleName, fmt.Sprintf("the tool name %s has %d characters, and clients take 1 to 64 of letters, digits, _ and -", tool.Name, utf8.RuneCountInString(tool.Name)),
			"give the type, the stored query or the capability a shorter name")
	}
	switch n := utf8.RuneCountInString(tool.Description); {
	case strings.TrimSpace(tool.Description) == "":
		l.add("description", ruleDescription, "there is none, so that no model knows when to call it", "describe the type, the stored query or the capability in a sentence")
	case n > longestDescription:
		l.add("description", ruleDescription, fmt.Sprintf("it has %d characters, and at most %d are sure to be read", n, longestDescription), "shorten the description of the type, the stored query or the capability")
	}
	root, ok := tool.InputSchema.(map[string]any)
	if !ok || root["type"] != "object" {
		l.add("input_shape", ruleRoot, "the input schema is not that of an object", "report it: only a bug of trails makes such a schema")
	}
	l.schema("input_shape", root, 1)
	return l.found, nil
}

type linting struct {
	id    string
	found []Finding
}

func (l *linting) add(field, rule, says, mend string) {
	l.found = append(l.found, Finding{l.id, field, rule, says, mend})
}

// schema looks at a JSON Schema and all in it; depth counts the objects around it.
func (l *linting) schema(at string, schema map[string]any, depth int) {
	for _, keyword := range combinations {
		if _, has := schema[keyword]; has {
			l.add(at, ruleCombination, fmt.Sprintf("the schema has %s, which some clients refuse", keyword), "say it without: by the type, by one_of, or in words")
		}
	}
	kinds := 0
	list, _ := schema["type"].([]any)
	for _, kind := range list {
		if kind != "null" {
			kinds++
		}
	}
	_, single := schema["type"].(string)
	if !single && kinds != 1 && at != "input_shape" {
		l.add(at, ruleType, "the schema does not say one type, and some clients refuse that", "give the field a type")
	}
	if format, has := schema["format"].(string); has && !slices.Contains(formats, format) {
		l.add(at, ruleFormat, fmt.Sprintf("the format %s is none of draft-07", format), "use one of JSON Schema's own formats, or a pattern")
	}
	switch additional := schema["additionalProperties"].(type) {
	case nil, bool:
	default:
		l.add(at, ruleAdditional, fmt.Sprintf("additionalProperties is the schema %s, and some clients take true or false alone", brief(textOf(additional))), "name the members, or let all be taken")
	}
	items, hasItems := schema["items"].(map[string]any)
	if has(schema["type"], "array") && !hasItems {
		l.add(at, ruleItems, "an array without the schema of its items, which some clients refuse", "say what the items are")
	}
	if hasItems {
		l.schema(at, items, depth)
	}
	properties, _ := schema["properties"].(map[string]any)
	if len(properties) > 0 && depth > deepestSchema {
		l.add(at, ruleDepth, fmt.Sprintf("it is %d objects deep, and some clients take %d", depth, deepestSchema), "put the members further up")
		return
	}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		field := at + "." + name
		if !propertyNames.MatchString(name) {
			l.add(field, ruleProperty, "the name is not of 1 to 64 letters, digits, _, . and -, and some clients refuse the whole tool", "rename the property by a migration")
		}
		if inner, ok := properties[name].(map[string]any); ok {
			l.schema(field, inner, depth+1)
		}
	}
}
