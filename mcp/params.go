package mcp

import (
	"encoding/json"

	"trails/fault"
	"trails/mcp/session"
)

// Check refuses what the SDK would refuse with an unclear error: methods that are not served, and params of the wrong
// type, for which the SDK names Go types. An unknown notification is not an error.
func (e *endpoint) Check(m session.Message) error {
	if _, served := methods[m.Method]; !served || m.StandsAlone() && ofSessions[m.Method] {
		return session.MethodNotFound(m.Method)
	}
	if m.BadParams {
		return fault.Arguments(fault.FieldError{Field: "params", Code: fault.Datatype, Message: "params must be an object", Constraint: "object"})
	}
	var wrong []fault.FieldError
	for _, p := range params[m.Method] {
		wrong = append(wrong, p.check(m.Params)...)
	}
	wrong = append(wrong, metaParam.check(m.Params)...)
	if check := deepChecks[m.Method]; check != nil && len(wrong) == 0 {
		wrong = check(m.Params)
	}
	if len(wrong) > 0 {
		return fault.Arguments(wrong...)
	}
	return nil
}

// ofSessions are methods that the protocol without sessions does not have any more.
var ofSessions = map[string]bool{
	"initialize": true, "logging/setLevel": true, "resources/subscribe": true, "resources/unsubscribe": true,
}

// param is the required type of a member of params.
type param struct {
	name     string
	kind     string // "string", "object"
	required bool
	asText   bool // its JSON text is accepted, too, and checked by the call
}

var (
	metaParam = param{name: "_meta", kind: "object"}
	cursor    = []param{{name: "cursor", kind: "string"}}
)

// params are the members that are checked before the SDK reads them.
var params = map[string][]param{
	"initialize": {
		{name: "protocolVersion", kind: "string", required: true},
		{name: "capabilities", kind: "object"},
		{name: "clientInfo", kind: "object"},
	},
	"tools/list":               cursor,
	"resources/list":           cursor,
	"resources/templates/list": cursor,
	"tools/call": {{name: "name", kind: "string", required: true}, {name: "arguments", kind: "object", asText: true},
		{name: "inputResponses", kind: "object"}, {name: "requestState", kind: "string"}},
	"resources/read":        {{name: "uri", kind: "string", required: true}},
	"resources/subscribe":   {{name: "uri", kind: "string", required: true}},
	"resources/unsubscribe": {{name: "uri", kind: "string", required: true}},
	"subscriptions/listen":  {{name: "notifications", kind: "object", required: true}},
	"prompts/list":          cursor,
	"skills/list":           cursor,
	"skills/get":            {{name: "uri", kind: "string", required: true}},
	"prompts/get":           {{name: "name", kind: "string", required: true}, {name: "arguments", kind: "object"}},
	"completion/complete":   {{name: "ref", kind: "object", required: true}, {name: "argument", kind: "object", required: true}, {name: "context", kind: "object"}},
	"logging/setLevel":      {{name: "level", kind: "string", required: true}},
}

// deepChecks check nested members of params.
var deepChecks = map[string]func(params map[string]json.RawMessage) []fault.FieldError{
	"tools/call":          checkAnswers,
	"prompts/get":         checkPromptArguments,
	"completion/complete": checkCompletion,
	"logging/setLevel":    checkLevel,
}

func (p param) check(params map[string]json.RawMessage) []fault.FieldError {
	value, given := params[p.name]
	given = given && string(value) != "null"
	switch {
	case !given && p.required:
		return []fault.FieldError{{Field: p.name, Code: fault.Required, Message: p.name + " is required", Constraint: true}}
	case given && kindOf(value) != p.kind && !(p.asText && kindOf(value) == "string"):
		return []fault.FieldError{{Field: p.name, Code: fault.Datatype, Message: p.name + " must be " + map[string]string{"object": "an object", "string": "a string"}[p.kind], Constraint: p.kind}}
	}
	return nil
}

// kindOf returns the JSON type of a valid text.
func kindOf(text json.RawMessage) string {
	switch text[0] {
	case '"':
		return "string"
	case '{':
		return "object"
	case '[':
		return "array"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}
