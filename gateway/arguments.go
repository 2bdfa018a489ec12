package gateway

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"trails/text/jsontext"
	"trails/text/quote"
)

// Limits bound the schema of an upstream tool.
type Limits struct {
	Bytes      int // of its text
	Depth      int // of brackets in it
	Properties int // in all of it
}

// UsualLimits are far above the schemas of real tools.
var UsualLimits = Limits{Bytes: 256 << 10, Depth: 64, Properties: 2_000}

// Schema is the input or output schema of one tool. It is expensive to make, so it should be cached by the tool's id.
// It is immutable and safe for concurrent use.
type Schema struct {
	id       string
	compiled *jsonschema.Schema
}

// NewSchema parses the input schema of a tool: a JSON Schema of any draft, 2020-12 by default. External references
// are not fetched, and patterns without a time bound are not checked. An invalid schema, or one beyond the limits, is
// an [*Error] with SCHEMA_INVALID. An empty text accepts any object.
func NewSchema(id string, text json.RawMessage, limits Limits) (*Schema, error) {
	if len(text) == 0 {
		text = json.RawMessage(`{"type":"object"}`)
	}
	return compileSchema("input", id, text, limits)
}

// compileSchema parses the input or output schema of a tool.
func compileSchema(of, id string, text json.RawMessage, limits Limits) (*Schema, error) {
	invalid := func(format string, args ...any) error {
		return Fail(SchemaInvalid, id, "the %s schema of %s %s", of, id, fmt.Sprintf(format, args...))
	}
	if len(text) > limits.Bytes {
		return nil, invalid("has %d bytes, at most %d are read", len(text), limits.Bytes)
	}
	if jsontext.TooDeep(text, limits.Depth) {
		return nil, invalid("is nested deeper than %d", limits.Depth)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, invalid("is no JSON: %v", err)
	}
	if members, is := document.(map[string]any); of == "input" && is && members["type"] != nil && members["type"] != "object" {
		if several, _ := members["type"].([]any); !slices.Contains(several, any("object")) {
			return nil, invalid("takes no object, and arguments are one")
		}
	}
	if n := properties(document); n > limits.Properties {
		return nil, invalid("has %d properties, at most %d are read", n, limits.Properties)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(nothing{})
	c.UseRegexpEngine(func(pattern string) (jsonschema.Regexp, error) {
		compiled, err := regexp.Compile(pattern)
		if err != nil {
			return anything(pattern), nil
		}
		return compiled, nil
	})
	const address = "urn:trails:schema"
	if err := c.AddResource(address, document); err != nil {
		return nil, invalid("is none: %v", err)
	}
	compiled, err := c.Compile(address)
	if err != nil {
		return nil, invalid("is none: %s", strings.ReplaceAll(err.Error(), address+"#", ""))
	}
	if !affordable(compiled) {
		return nil, invalid("would hold one value against more than %d schemas", mostApplied)
	}
	return &Schema{id: id, compiled: compiled}, nil
}

// mostApplied bounds how many schemas one value may be checked against.
const mostApplied = 10_000

// affordable reports whether no value needs too many checks. Thirty schemas, each with two references to the next,
// would need a billion.
func affordable(s *jsonschema.Schema) bool {
	const unknown, underway = 0, -1
	cost := map[*jsonschema.Schema]int{}
	var weigh func(s *jsonschema.Schema) int // number of schemas that apply to the same value
	weigh = func(s *jsonschema.Schema) int {
		switch {
		case s == nil:
			return 0
		case cost[s] == underway:
			return 1 // a reference to itself ends the validation
		case cost[s] != unknown:
			return cost[s]
		}
		cost[s] = underway
		n := 1
		for _, one := range slices.Concat(s.AllOf, s.AnyOf, s.OneOf, []*jsonschema.Schema{s.Ref, s.RecursiveRef, s.Not, s.If, s.Then, s.Else}) {
			n = min(n+weigh(one), mostApplied+1)
		}
		if s.DynamicRef != nil {
			n = min(n+weigh(s.DynamicRef.Ref), mostApplied+1)
		}
		for _, one := range s.DependentSchemas {
			n = min(n+weigh(one), mostApplied+1)
		}
		for _, one := range s.Dependencies {
			if schema, is := one.(*jsonschema.Schema); is {
				n = min(n+weigh(schema), mostApplied+1)
			}
		}
		cost[s] = n
		return n
	}
	seen := map[*jsonschema.Schema]bool{}
	var every func(s *jsonschema.Schema) bool
	every = func(s *jsonschema.Schema) bool {
		if s == nil || seen[s] {
			return true
		}
		seen[s] = true
		if weigh(s) > mostApplied {
			return false
		}
		for _, one := range below(s) {
			if !every(one) {
				return false
			}
		}
		return true
	}
	return every(s)
}

// below are the subschemas and references of a schema.
func below(s *jsonschema.Schema) []*jsonschema.Schema {
	all := slices.Concat(s.AllOf, s.AnyOf, s.OneOf, s.PrefixItems, []*jsonschema.Schema{
		s.Ref, s.RecursiveRef, s.Not, s.If, s.Then, s.Else, s.PropertyNames, s.UnevaluatedProperties, s.Contains, s.Items2020, s.UnevaluatedItems, s.ContentSchema,
	})
	if s.DynamicRef != nil {
		all = append(all, s.DynamicRef.Ref)
	}
	for _, of := range []map[string]*jsonschema.Schema{s.Properties, s.DependentSchemas} {
		for _, one := range of {
			all = append(all, one)
		}
	}
	for _, one := range s.PatternProperties {
		all = append(all, one)
	}
	others := []any{s.AdditionalProperties, s.AdditionalItems, s.Items}
	for _, one := range s.Dependencies {
		others = append(others, one)
	}
	for _, one := range others {
		switch one := one.(type) {
		case *jsonschema.Schema:
			all = append(all, one)
		case []*jsonschema.Schema:
			all = append(all, one...)
		}
	}
	return all
}

// nothing is a loader that loads no documents.
type nothing struct{}

func (nothing) Load(url string) (any, error) {
	return nil, fmt.Errorf("%s is outside of the schema, and is not fetched", url)
}

// anything is a pattern that cannot be checked here, so that everything matches.
type anything string

func (anything) MatchString(string) bool { return true }
func (a anything) String() string        { return string(a) }

// properties counts the properties that a schema names.
func properties(v any) (n int) {
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			if of, is := value.(map[string]any); is && name == "properties" {
				n += len(of)
			}
			n += properties(value)
		}
	case []any:
		for _, value := range v {
			n += properties(value)
		}
	}
	return n
}

// mostProblems is the maximum number of problems with arguments in one error.
const mostProblems = 10

// Check validates arguments against the schema: JSON as decoded by encoding/json, with numbers as json.Number.
// Problems are an [*Error] with ARGS_INVALID, with their places in its details, and what the tool takes: a card says
// nothing of arguments, so a refusal is where a caller learns all of them.
func (s *Schema) Check(args any) error {
	err := s.compiled.Validate(args)
	if err == nil {
		return nil
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return Fail(ArgsInvalid, s.id, "the arguments are no JSON")
	}
	english := message.NewPrinter(language.English)
	problems := problemsOf(invalid, func(kind jsonschema.ErrorKind) string { return kind.LocalizedString(english) })
	first := problems[0]
	more := ""
	if len(problems) > 1 {
		more = fmt.Sprintf(", and %d more", len(problems)-1)
	}
	failed := Fail(ArgsInvalid, s.id, "the arguments of %s do not fit its schema: %s%s", s.id, strings.TrimPrefix(first.Path+": "+first.Message, ": "), more)
	failed.Details = map[string]any{"errors": problems[:min(len(problems), mostProblems)]}
	if takes := s.takes(); len(takes) > 0 {
		failed.Details["takes"] = takes
	}
	return failed
}

// Bounds of what a refusal says about arguments.
const (
	mostTaken = 30  // arguments
	mostTold  = 160 // characters of each
	mostNamed = 12  // values of an enumeration
	mostRefs  = 8   // references that are followed to a schema
)

// takes describes the arguments, the required ones first, or is empty where the schema names none.
func (s *Schema) takes() (out []string) {
	object := s.compiled
	for range mostRefs {
		if object.Ref == nil || len(object.Properties) > 0 {
			break
		}
		object = object.Ref
	}
	names := slices.SortedFunc(maps.Keys(object.Properties), func(a, b string) int {
		x, y := slices.Contains(object.Required, a), slices.Contains(object.Required, b)
		switch {
		case x && !y:
			return -1
		case y && !x:
			return 1
		}
		return strings.Compare(a, b)
	})
	for _, name := range names[:min(len(names), mostTaken)] {
		kind := kindOf(object.Properties[name])
		if slices.Contains(object.Required, name) {
			kind += ", required"
		}
		text := fmt.Sprintf("%s (%s)", name, kind)
		if about := object.Properties[name].Description; about != "" {
			text += ": " + about
		}
		out = append(out, quote.Line(text, mostTold))
	}
	if more := len(names) - mostTaken; more > 0 {
		out = append(out, fmt.Sprintf("and %d more", more))
	}
	return out
}

// kindOf says in a few words which values a schema accepts.
func kindOf(s *jsonschema.Schema) string {
	for range mostRefs {
		if s.Ref == nil || s.Types != nil || s.Enum != nil {
			break
		}
		s = s.Ref
	}
	if s.Enum != nil {
		var values []string
		for _, v := range s.Enum.Values[:min(len(s.Enum.Values), mostNamed)] {
			if v == nil {
				v = "null"
			}
			values = append(values, fmt.Sprint(v))
		}
		if len(s.Enum.Values) > mostNamed {
			values = append(values, "…")
		}
		return "one of " + strings.Join(values, ", ")
	}
	if s.Types == nil || s.Types.IsEmpty() {
		return "any value"
	}
	kind := strings.Join(s.Types.ToStrings(), " or ")
	items, _ := s.Items.(*jsonschema.Schema)
	if items = cmp.Or(items, s.Items2020); kind == "array" && items != nil && items.Types != nil {
		kind += " of " + strings.Join(items.Types.ToStrings(), " or ")
	}
	return kind
}

// problem is what is wrong at one place of a value.
type problem struct {
	Path    string `json:"path"` // a JSON Pointer
	Message string `json:"message"`
}

// problemsOf lists the problems of a value without duplicates, sorted by place.
func problemsOf(invalid *jsonschema.ValidationError, says func(jsonschema.ErrorKind) string) (all []problem) {
	var collect func(e *jsonschema.ValidationError)
	collect = func(e *jsonschema.ValidationError) {
		for _, cause := range e.Causes {
			collect(cause)
		}
		if len(e.Causes) == 0 {
			path := ""
			for _, step := range e.InstanceLocation {
				path += "/" + jsontext.PointerToken(step)
			}
			all = append(all, problem{quote.Line(path, 200), quote.Line(says(e.ErrorKind), 200)})
		}
	}
	collect(invalid)
	sort.SliceStable(all, func(i, j int) bool { return all[i].Path+"\x00"+all[i].Message < all[j].Path+"\x00"+all[j].Message })
	return slices.Compact(all)
}

// OutputProblem says why a tool's answer does not match its output schema, "" if it does or there is none. It
// contains places and keywords of the schema but no values, which might be secret. A nil answer is a missing one.
func OutputProblem(output *Schema, answer any) string {
	if output == nil {
		return ""
	}
	if answer == nil {
		return "it has no structured content"
	}
	err := output.compiled.Validate(answer)
	var invalid *jsonschema.ValidationError
	switch {
	case err == nil:
		return ""
	case !errors.As(err, &invalid):
		return "its structured content is no JSON"
	}
	problems := problemsOf(invalid, func(kind jsonschema.ErrorKind) string { return strings.Join(kind.KeywordPath(), "/") })
	var sentences []string
	for _, p := range problems[:min(len(problems), 3)] {
		sentences = append(sentences, fmt.Sprintf("%s at %s", p.Message, quote.Text(cmp.Or(p.Path, "/"), 80)))
	}
	if more := len(problems) - len(sentences); more > 0 {
		sentences = append(sentences, fmt.Sprintf("%d more", more))
	}
	return "its structured content breaks " + strings.Join(sentences, ", ")
}

// Repair describes a correction of arguments.
type Repair struct {
	Rule  string `json:"rule"`
	Field string `json:"field,omitempty"` // "" for all of them
}

var (
	integerLiteral = regexp.MustCompile(`^-?(?:0|[1-9][0-9]*)$`)
	numberLiteral  = regexp.MustCompile(`^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$`)
)

// Tolerate returns arguments with common mistakes of models corrected: an object as a JSON string, and numbers,
// booleans or null as strings where the schema does not allow a string. It does not rename, guess or drop anything,
// and does not change the given arguments.
func (s *Schema) Tolerate(args any) (any, []Repair) {
	var repairs []Repair
	if text, is := args.(string); is {
		text = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(text), "\ufeff"))
		parsed, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		object, is := parsed.(map[string]any)
		if err != nil || !is {
			return args, nil
		}
		args, repairs = object, append(repairs, Repair{Rule: "parse_stringified_object"})
	}
	object, is := args.(map[string]any)
	if !is {
		return args, repairs
	}
	mended := make(map[string]any, len(object))
	for name, value := range object {
		mended[name] = value
	}
	for name, value := range object {
		text, is := value.(string)
		if !is {
			continue
		}
		if value, rule := mend(text, s.typesOf(name)); rule != "" {
			mended[name] = value
			repairs = append(repairs, Repair{rule, name})
		}
	}
	sort.SliceStable(repairs, func(i, j int) bool { return repairs[i].Field < repairs[j].Field })
	return mended, repairs
}

// mend returns the value of a text for the wanted types, and the rule that was applied.
func mend(text string, types []string) (value any, rule string) {
	has := func(name string) bool { return slices.Contains(types, name) }
	switch {
	case has("string"):
	case has("integer") && integerLiteral.MatchString(text):
		return json.Number(text), "str_to_integer"
	case has("number") && numberLiteral.MatchString(text):
		if n, err := strconv.ParseFloat(text, 64); err == nil && !math.IsInf(n, 0) {
			return json.Number(text), "str_to_number"
		}
	case has("boolean") && (text == "true" || text == "false"):
		return text == "true", "str_to_boolean"
	case has("null") && text == "null":
		return nil, "str_to_null"
	}
	return nil, ""
}

// typesOf returns the schema's types for a property, none if it has none.
func (s *Schema) typesOf(property string) []string {
	at := s.compiled.Properties[property]
	for range 10 { // a schema may refer to itself
		if at == nil || at.Types != nil && !at.Types.IsEmpty() {
			break
		}
		at = at.Ref
	}
	if at == nil || at.Types == nil {
		return nil
	}
	return at.Types.ToStrings()
}
