package project

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"trails/capability"
)

// The rules of [Lint]: what strict hosts refuse in a tool, or cut.
const (
	ruleName        = "tool-name"
	ruleDescription = "description"
	ruleRoot        = "schema-root"
	ruleCombination = "schema-combination"
	ruleType        = "schema-type"
	ruleTypes       = "schema-types"
	ruleItems       = "schema-items"
	ruleProperty    = "property-name"
	ruleAdditional  = "schema-additional"
	ruleEnum        = "schema-enum"
	ruleConst       = "schema-const"
	ruleFormat      = "schema-format"
	ruleDepth       = "schema-depth"
	ruleBound       = "schema-bound"
	rulePattern     = "schema-pattern"
	ruleKeyword     = "schema-keyword"
	ruleList        = "list-length"
)

const (
	// longestDescription is the contract's limit in characters; one host cuts at 2,048.
	longestDescription = 1_000
	// longestName allows for the server name trails: one host accepts less than 60 characters for both names
	// together.
	longestName = 53
	// deepestSchema is how many objects may be in each other: as many as structured outputs
	// of OpenAI take at least.
	deepestSchema = 5

	// longestList is how many tools the host takes that takes the fewest.
	longestList = 40

	// ourBug is the way out of what no capability can lead to.
	ourBug = "report it: only a bug of trails makes such a schema"
)

var (
	// toolNames is the pattern that MCP's specification recommends and most hosts require; one takes no digit and no
	// hyphen at the beginning.
	toolNames = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`)
	// propertyNames is the pattern that one host requires.
	propertyNames = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)
	// combinations are the keywords that at least one host refuses, at the top level or anywhere.
	combinations = []string{"$ref", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "patternProperties", "dependencies"}
	// keywords are those that at least one host does not know.
	keywords = []string{"contentEncoding", "contentMediaType", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "propertyNames", "uniqueItems", "$schema"}
	// formats are those of draft-07, section 7.3.
	formats = strings.Fields("date-time date time email idn-email hostname idn-hostname ipv4 ipv6 uri uri-reference iri iri-reference uri-template json-pointer relative-json-pointer regex")
)

// Lint returns what a strict host would refuse or cut in the tool of a capability. It reads the encoded tool.
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
		l.add("id", ruleName, fmt.Sprintf("the tool name %s has %d characters, and hosts take 1 to 64 of letters, digits, _ and -", tool.Name, utf8.RuneCountInString(tool.Name)),
			"give the type, the stored query or the capability a shorter name")
	}
	if n := len(tool.Name); n > longestName && toolNames.MatchString(tool.Name) {
		l.add("id", ruleName, fmt.Sprintf("the tool name %s has %d characters, and beside the name of its server %d are sure to fit", tool.Name, n, longestName),
			"give the type, the stored query or the capability a shorter name")
	}
	switch n := utf8.RuneCountInString(tool.Description); {
	case strings.TrimSpace(tool.Description) == "":
		l.add("description", ruleDescription, "there is none, so that no model knows when to call it", "describe the type, the stored query or the capability in a sentence")
	case n > longestDescription:
		l.add("description", ruleDescription, fmt.Sprintf("it has %d characters, and at most %d are sure to be read", n, longestDescription), "shorten the description of the type, the stored query or the capability")
	}
	root, ok := tool.InputSchema.(map[string]any)
	if _, has := root["properties"]; !ok || !has || root["type"] != "object" {
		l.add("input_shape", ruleRoot, "the input schema is not that of an object with properties", ourBug)
	}
	l.schema("input_shape", root, 1)
	return l.found, nil
}

// LintList returns what strict hosts would refuse or cut in a list of n tools.
func LintList(n int) []Finding {
	l := linting{}
	if n > longestList {
		l.add("", ruleList, fmt.Sprintf("a list has %d tools, and some hosts take 40, others 128", n), "list the generic tools: --surface compact")
	}
	return l.found
}

type linting struct {
	id    string
	found []Finding
}

func (l *linting) add(field, rule, says, mend string) {
	if hosts := whoRefuse(rule); hosts != "" {
		says += " (" + hosts + ")"
	}
	l.found = append(l.found, Finding{l.id, field, rule, says, mend})
}

// schema checks a JSON Schema and everything in it; depth counts the objects around it.
func (l *linting) schema(at string, schema map[string]any, depth int) {
	for _, keyword := range combinations {
		if _, has := schema[keyword]; has {
			l.add(at, ruleCombination, fmt.Sprintf("the schema has %s, which some hosts refuse", keyword), "say it without: by the type, by one_of, or in words")
		}
	}
	switch schema["type"].(type) {
	case string:
	case []any:
		l.add(at, ruleTypes, "the schema has a list of types, and some hosts refuse that", ourBug)
	default:
		l.add(at, ruleType, "the schema does not say one type, and some hosts refuse that", "give the field a type")
	}
	if enum, has := schema["enum"].([]any); has && slices.ContainsFunc(enum, func(v any) bool { text, isText := v.(string); return !isText || text == "" }) {
		l.add(at, ruleEnum, "the values listed are not all texts of at least a character, and some hosts take no others", "list them in the description of the property, or make them texts")
	}
	if _, has := schema["const"]; has {
		l.add(at, ruleConst, "the schema has const, which some hosts do not know", "say one_of with the one value in the place of has_value")
	}
	for _, keyword := range keywords {
		if _, has := schema[keyword]; has {
			mend := ourBug
			if keyword == "contentEncoding" { // of the type bytes
				mend = "keep bytes elsewhere, and their address in a property of type uri"
			}
			l.add(at, ruleKeyword, fmt.Sprintf("the schema has %s, which some hosts do not know", keyword), mend)
		}
	}
	for _, keyword := range []string{"minimum", "maximum"} {
		if _, isNumber := schema[keyword].(json.Number); schema[keyword] != nil && !isNumber {
			l.add(at, ruleBound, fmt.Sprintf("%s is no number", keyword), ourBug)
		}
	}
	if pattern, has := schema["pattern"].(string); has && portable(pattern) != pattern {
		l.add(at, rulePattern, fmt.Sprintf("the pattern %s is not one of ECMA-262", pattern), ourBug)
	}
	if format, has := schema["format"].(string); has && !slices.Contains(formats, format) {
		l.add(at, ruleFormat, fmt.Sprintf("the format %s is none of draft-07", format), "use one of JSON Schema's own formats, or a pattern")
	}
	switch additional := schema["additionalProperties"].(type) {
	case nil, bool:
	default:
		l.add(at, ruleAdditional, fmt.Sprintf("additionalProperties is the schema %s, and some hosts take true or false alone", brief(textOf(additional))), "name the members, or let all be taken")
	}
	items, hasItems := schema["items"].(map[string]any)
	if has(schema["type"], "array") && !hasItems {
		l.add(at, ruleItems, "an array without the schema of its items, which some hosts refuse", "say what the items are")
	}
	if hasItems {
		l.schema(at, items, depth)
	}
	properties, _ := schema["properties"].(map[string]any)
	if len(properties) > 0 && depth > deepestSchema {
		l.add(at, ruleDepth, fmt.Sprintf("it is %d objects deep, and some hosts take %d", depth, deepestSchema), "put the members further up")
		return
	}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		field := at + "." + name
		if !propertyNames.MatchString(name) {
			l.add(field, ruleProperty, "the name is not of 1 to 64 letters, digits, _, . and -, and some hosts refuse the whole tool", "rename the property by a migration")
		}
		if inner, ok := properties[name].(map[string]any); ok {
			l.schema(field, inner, depth+1)
		}
	}
}
