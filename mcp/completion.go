package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"trails/fault"
)

// maxCompletions is the most values that an answer may have (MCP, completion).
const maxCompletions = 100

// completion is the result of completion/complete.
type completion struct {
	complete
	Completion completed `json:"completion"`
}

type completed struct {
	Values []string `json:"values"`
	Total  *int     `json:"total,omitempty"` // nil if they were not counted
	More   bool     `json:"hasMore"`
}

// question is what the engine is asked to suggest; without What there is nothing to suggest.
type question struct {
	What     string `json:"what"`
	Type     string `json:"type,omitempty"`
	Property string `json:"property,omitempty"`
	Prefix   string `json:"prefix"`
	Limit    int    `json:"limit"`
	// before and after complete a suggestion to the whole value of the argument.
	before, after string
}

// completeArgument suggests values for one argument of a prompt, or one variable of
// a resource template.
func (e *endpoint) completeArgument(ctx context.Context, r request) (sdk.Result, error) {
	p, ok := r.GetParams().(*sdk.CompleteParams)
	if !ok || p == nil || p.Ref == nil {
		return nil, fault.Arguments(fault.FieldError{Field: "ref", Code: fault.Required, Message: "ref is required", Constraint: true})
	}
	ask := e.aboutResource
	if p.Ref.Type == "ref/prompt" {
		ask = e.aboutPrompt
	}
	q, err := ask(ctx, r, p)
	if err != nil {
		return nil, err
	}
	found, err := e.suggested(ctx, r, q)
	if err != nil {
		return nil, err
	}
	return &completion{complete: completeFor(r), Completion: found}, nil
}

// suggested asks the engine for suggestions. Something that does not exist has none.
func (e *endpoint) suggested(ctx context.Context, r request, q question) (completed, error) {
	none := completed{Values: []string{}, Total: new(0)}
	if q.What == "" {
		return none, nil
	}
	q.Limit = maxCompletions
	var list struct {
		Items     []struct{ Value string }
		Total     int
		TotalMore bool `json:"total_more"`
		More      bool
	}
	err := e.hear(ctx, e.call(ctx, r, nil), "suggest", q, &list)
	switch {
	case fault.Is(err, fault.InvalidArguments), fault.Is(err, fault.NotFound), fault.Is(err, fault.Missing):
		return none, nil
	case err != nil:
		return none, err
	}
	out := completed{Values: make([]string, 0, len(list.Items)), More: list.More}
	if !list.TotalMore {
		out.Total = new(max(list.Total, len(list.Items)))
	}
	for _, item := range list.Items[:min(len(list.Items), maxCompletions)] {
		out.Values = append(out.Values, q.before+item.Value+q.after)
	}
	return out, nil
}

// aboutPrompt finds the argument of a prompt.
func (e *endpoint) aboutPrompt(ctx context.Context, r request, p *sdk.CompleteParams) (question, error) {
	all, err := e.prompts(ctx, r)
	if err != nil {
		return question{}, err
	}
	var names []string
	for _, prompt := range all {
		names = append(names, prompt.Name)
	}
	at := slices.Index(names, p.Ref.Name)
	if at < 0 {
		return question{}, noSuch("ref.name", "prompt", p.Ref.Name, names)
	}
	names = nil
	for _, a := range all[at].Arguments {
		if a.Name == p.Argument.Name {
			return question{What: a.completes, Prefix: p.Argument.Value}, nil
		}
		names = append(names, a.Name)
	}
	return question{}, noSuch("argument.name", "argument", p.Argument.Name, names)
}

func noSuch(field, what, name string, known []string) error {
	message := fmt.Sprintf("there is no %s %q", what, name)
	if len(known) > 0 && len(known) <= maxCompletions {
		message += "; there are " + strings.Join(known, ", ")
	}
	return fault.Arguments(fault.FieldError{Field: field, Code: fault.OneOf, Message: message, Value: name, Constraint: known})
}

// template variables, as in [templatesOf] and [generalTemplates].
const (
	typeVariable = "type"
	idVariable   = "id"
)

// aboutResource finds the variable of a resource template, or of a partly filled-in address.
func (e *endpoint) aboutResource(ctx context.Context, r request, p *sdk.CompleteParams) (question, error) {
	t, ok := parseTemplate(p.Ref.URI)
	if !ok {
		return question{}, noSuch("ref.uri", "template", p.Ref.URI, nil)
	}
	name := t.typeName
	if t.has(typeVariable) && p.Context != nil {
		name = p.Context.Arguments[typeVariable]
	}
	known, err := e.isType(ctx, r, name)
	if err != nil {
		return question{}, err
	}
	switch {
	case !known && !t.has(typeVariable):
		return question{}, noSuch("ref.uri", "template", p.Ref.URI, nil)
	case !t.has(p.Argument.Name) || !isVariable(p.Argument.Name):
		return question{}, noSuch("argument.name", "variable", p.Argument.Name, t.variables)
	case !known:
		name = ""
	}
	return variableQuestion(p.Argument.Name, p.Argument.Value, name), nil
}

func isVariable(name string) bool {
	return name == typeVariable || name == idVariable || slices.Contains(listVariables, name)
}

// variableQuestion returns the question for a variable; typeName is "" if the type is not known yet.
func variableQuestion(variable, value, typeName string) question {
	switch property, word, isValue := strings.Cut(value, "="); {
	case variable == typeVariable:
		return question{What: "types", Prefix: value}
	case variable == "branch":
		return question{What: "branches", Prefix: value}
	case typeName == "":
		return question{}
	case variable == idVariable:
		return question{What: "entities", Type: typeName, Prefix: value}
	case variable == "where" && isValue:
		return question{What: "values", Type: typeName, Property: property, Prefix: word, before: property + "="}
	case variable == "where":
		return question{What: "properties", Type: typeName, Prefix: value, after: "="}
	}
	return question{}
}

// isType reports whether the caller may read a type of this name.
func (e *endpoint) isType(ctx context.Context, r request, name string) (bool, error) {
	if name == "" {
		return false, nil
	}
	all, err := e.engine.Resources(ctx, e.principalOf(ctx, r))
	if err != nil {
		return false, err
	}
	for _, a := range all {
		if a.Template != "" && a.URI == kgPrefix+name {
			return true, nil
		}
	}
	return false, nil
}

// kgPrefix is the beginning of the addresses of types and nodes.
const kgPrefix = "trails://kg/"

// uriTemplate is a parsed template.
type uriTemplate struct {
	typeName  string // "" when it is a variable
	variables []string
}

func (t uriTemplate) has(variable string) bool { return slices.Contains(t.variables, variable) }

// listVariables are the query variables of a type's address.
var listVariables = []string{"where", "limit", "offset", "branch"}

// parseTemplate parses trails://kg/{type}/{id} and trails://kg/{type}{?where,…}, also with a name instead of {type},
// and addresses partly filled in by a client: one without query variables has all of them.
func parseTemplate(uri string) (t uriTemplate, ok bool) {
	rest, ok := strings.CutPrefix(uri, kgPrefix)
	path, query, isTemplate := strings.Cut(rest, "{?")
	if !isTemplate {
		path, _, _ = strings.Cut(rest, "?")
	}
	name, id, isInstance := strings.Cut(path, "/")
	if !ok || name == "" {
		return t, false
	}
	if t.typeName = name; name == "{"+typeVariable+"}" {
		t.typeName, t.variables = "", []string{typeVariable}
	}
	if id == "{"+idVariable+"}" {
		t.variables = append(t.variables, idVariable)
	}
	switch {
	case isTemplate:
		t.variables = append(t.variables, strings.Split(strings.TrimSuffix(query, "}"), ",")...)
	case !isInstance:
		t.variables = append(t.variables, listVariables...)
	}
	return t, !strings.ContainsAny(t.typeName, "{}")
}

// checkCompletion refuses malformed questions, because the SDK's errors would be unclear.
func checkCompletion(params map[string]json.RawMessage) []fault.FieldError {
	var wrong []fault.FieldError
	check := func(field string, object map[string]json.RawMessage, p param) {
		for _, f := range p.check(object) {
			f.Message = strings.Replace(f.Message, p.name, field+"."+p.name, 1)
			f.Field = field + "." + f.Field
			wrong = append(wrong, f)
		}
	}
	argument, ref, about := members(params["argument"]), members(params["ref"]), members(params["context"])
	check("argument", argument, param{name: "name", kind: "string", required: true})
	check("argument", argument, param{name: "value", kind: "string", required: true})
	check("context", about, param{name: "arguments", kind: "object"})
	wrong = append(wrong, textMembers("context.arguments", about["arguments"])...)
	switch kind := string(ref["type"]); kind {
	case `"ref/prompt"`:
		check("ref", ref, param{name: "name", kind: "string", required: true})
		delete(ref, "name")
	case `"ref/resource"`:
		check("ref", ref, param{name: "uri", kind: "string", required: true})
		delete(ref, "uri")
	default:
		return append(wrong, fault.FieldError{Field: "ref.type", Code: fault.OneOf, Message: "ref.type must be ref/prompt or ref/resource", Constraint: []string{"ref/prompt", "ref/resource"}})
	}
	for _, name := range []string{"name", "uri"} {
		if _, given := ref[name]; given {
			wrong = append(wrong, fault.FieldError{Field: "ref." + name, Code: fault.Closed, Message: "a reference of this type has no " + name})
		}
	}
	return wrong
}

// members returns the members of an object, or none for another value.
func members(object json.RawMessage) map[string]json.RawMessage {
	var m map[string]json.RawMessage
	_ = json.Unmarshal(object, &m)
	return m
}
