package project

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"

	"trails/capability"
	"trails/rdf"
	"trails/text/jsontext"
)

// Actions is the view of /.well-known/wot: the action of a WoT Thing Description 1.1.
func Actions(in Process) Encoding {
	return Encoding{"/.well-known/wot", func(d capability.Descriptor) ([]byte, error) {
		return sealed(actionOf(d), "trails:"+checksumName, 1), nil
	}, readAction, in}
}

// actionOf returns an ActionAffordance (section 5.3.1.4), its members in a readable order. Members that WoT does not
// define have the prefix of trails.
func actionOf(d capability.Descriptor) members {
	output := answerOf(d)
	output.of = choices
	return members{
		{"title", title(d)},
		{"description", orNil(d.Description)},
		{"safe", d.SideEffects == capability.None},
		{"idempotent", d.Idempotent},
		{"input", fragmentOf(schemaOf(d.InputShape))},
		{"output", fragmentOf(output)},
		{"forms", []any{members{
			{"additionalResponses", otherResponses},
			{"contentType", "application/json"},
			{"href", "invoke/" + d.ID},
			{"htv:methodName", "POST"},
			{"op", "invokeaction"},
			{"response", response},
		}}},
		{"trails:id", d.ID},
		{"trails:version", d.Version},
		{"trails:sideEffects", string(d.SideEffects)},
		{"trails:preconditions", orEmpty(d.Preconditions)},
		{"trails:costEstimate", string(d.CostEstimate)},
		{"trails:policyRequired", requirement(d)},
		{"trails:reasoning", string(d.Reasoning)},
		{"trails:deprecates", orEmpty(d.Deprecates)},
		{"trails:assurance", string(d.Assurance)},
		{"trails:consentRequired", d.ConsentRequired},
	}
}

// What the forms of actions have in common.
var (
	response       = fragmentOf(object{"contentType": "application/json"})
	otherResponses = fragmentOf([]object{{"contentType": "application/problem+json", "success": false}})
)

// Thing returns the capabilities as a WoT Thing Description 1.1: they are its actions. Its
// properties are what can be read, and observed where the process tells of changes.
func (l Listing) Thing() ([]byte, error) {
	scheme, definition := "open", object{"scheme": "nosec"}
	if l.Process.Token {
		scheme, definition = "token", object{"scheme": "bearer", "in": "header", "format": "opaque"}
	}
	return l.document(Actions(l.Process), "trails:"+checksumName, func(b *bytes.Buffer, list [][]byte) {
		b.Write(encode(members{
			{"@context", []any{"https://www.w3.org/2022/wot/td/v1.1", object{"trails": rdf.TrailsNS, "htv": "http://www.w3.org/2011/http#"}}},
			{"id", l.Base + "/" + url.PathEscape(l.Process.Graph) + "/card"},
			{"title", l.Process.Graph},
			{"version", object{"instance": l.Version}},
			{"base", l.Base + "/"},
			{"securityDefinitions", object{scheme: definition}},
			{"security", scheme},
			{"links", []object{
				{"rel": "service-desc", "href": "openapi.json", "type": "application/json"},
				{"rel": "alternate", "href": ".well-known/capabilities", "type": "application/ld+json"},
			}},
			{"properties", l.readable()},
			{"events", l.events()},
		}))
		b.Truncate(b.Len() - 1)
		b.WriteString(`,"actions":{`)
		for i, d := range l.Descriptors {
			if i > 0 {
				b.WriteByte(',')
			}
			b.Write(jsontext.AppendText(b.AvailableBuffer(), capability.ToolName(d.ID)))
			b.WriteByte(':')
			b.Write(list[i])
		}
		b.WriteString("}}")
	})
}

// readable are the properties: the fixed addresses, and the instances of each type.
func (l Listing) readable() object {
	all := object{}
	add := func(name, title, href string) {
		forms := []object{{"op": "readproperty", "href": href, "contentType": "application/json"}}
		if l.Process.Changes != "" {
			forms = append(forms, l.stream("observeproperty", "unobserveproperty"))
		}
		all[name] = object{"title": title, "type": "object", "readOnly": true, "observable": l.Process.Changes != "", "forms": forms}
	}
	add("schema", "Types, properties and constraints", "schema?format=json")
	add("stats", "Counts", "stats?format=json")
	add("kg", "The types", "kg?format=json")
	for _, d := range l.Descriptors {
		if name := d.InputShape.NodeType; name != "" && all["kg_"+name] == nil {
			add("kg_"+name, "Instances of "+name, "kg/"+url.PathEscape(name)+"?format=json")
		}
	}
	return all
}

// events are what a caller can subscribe to.
func (l Listing) events() object {
	if l.Process.Changes == "" {
		return object{}
	}
	text, list := object{"type": "string"}, object{"type": "array", "items": object{"type": "string"}}
	return object{"change": object{
		"title": "The graph changed", "description": "The new head commit, whether the schema is another one, and the types and instances that changed; resync means that these are not all.",
		"data":  object{"type": "object", "properties": object{"head": text, "schema": object{"type": "boolean"}, "types": list, "instances": list, "resync": object{"type": "boolean"}}},
		"forms": []object{l.stream("subscribeevent", "unsubscribeevent")},
	}}
}

// stream is the form of the stream of changes. For a property it reports that the value has changed and should be
// read again.
func (l Listing) stream(ops ...string) object {
	return object{"op": ops, "href": l.Process.Changes, "subprotocol": "sse", "contentType": "text/event-stream"}
}

// readAction compares an action of /.well-known/wot with its descriptor.
func readAction(r *reading, d capability.Descriptor, text []byte) error {
	var a struct {
		Description     any            `json:"description"`
		Safe            any            `json:"safe"`
		Idempotent      any            `json:"idempotent"`
		Input           map[string]any `json:"input"`
		Output          map[string]any `json:"output"`
		Forms           []map[string]any
		ID              any   `json:"trails:id"`
		Version         any   `json:"trails:version"`
		SideEffects     any   `json:"trails:sideEffects"`
		Preconditions   []any `json:"trails:preconditions"`
		CostEstimate    any   `json:"trails:costEstimate"`
		PolicyRequired  any   `json:"trails:policyRequired"`
		Reasoning       any   `json:"trails:reasoning"`
		Deprecates      []any `json:"trails:deprecates"`
		Assurance       any   `json:"trails:assurance"`
		ConsentRequired any   `json:"trails:consentRequired"`
	}
	if err := parse(text, &a); err != nil {
		return err
	}
	r.same("id", a.ID, d.ID)
	invoked := slices.ContainsFunc(a.Forms, func(f map[string]any) bool { return f["href"] == "invoke/"+d.ID && f["op"] == "invokeaction" })
	r.same("id", invoked, true)
	r.same("version", a.Version, d.Version)
	r.same("description", a.Description, orNil(d.Description))
	r.same("side_effects", a.Safe, d.SideEffects == capability.None)
	r.same("side_effects", a.SideEffects, d.SideEffects)
	r.same("idempotent", a.Idempotent, d.Idempotent)
	r.sameList("preconditions", a.Preconditions, d.Preconditions)
	r.same("cost_estimate", a.CostEstimate, d.CostEstimate)
	r.same("policy_required", a.PolicyRequired, required(d))
	r.same("reasoning", a.Reasoning, d.Reasoning)
	r.sameList("deprecates", a.Deprecates, d.Deprecates)
	r.same("assurance", a.Assurance, d.Assurance)
	r.same("consent_required", a.ConsentRequired, d.ConsentRequired)
	r.object("input_shape", a.Input, d.InputShape.Fields, d.InputShape.Closed, unsaid)
	answer := Answer(d)
	r.object("output_shape", plain(a.Output), answer.Fields, answer.Closed, listed)
	return nil
}

// plain converts a DataSchema to JSON Schema: a type or null becomes a list of both types again.
func plain(schema map[string]any) map[string]any {
	out := map[string]any{}
	for keyword, v := range schema {
		out[keyword] = v
	}
	if items, ok := out["items"].(map[string]any); ok {
		out["items"] = plain(items)
	}
	if properties, ok := out["properties"].(map[string]any); ok {
		unwrapped := map[string]any{}
		for name, p := range properties {
			if inner, ok := p.(map[string]any); ok {
				unwrapped[name] = plain(inner)
			}
		}
		out["properties"] = unwrapped
	}
	if columns, ok := out["prefixItems"].([]any); ok {
		unwrapped := make([]any, len(columns))
		for i, c := range columns {
			column, _ := c.(map[string]any)
			unwrapped[i] = plain(column)
		}
		out["prefixItems"] = unwrapped
	}
	choices, _ := out["oneOf"].([]any)
	if len(choices) == 0 {
		return out
	}
	value, _ := choices[0].(map[string]any)
	last, _ := choices[len(choices)-1].(map[string]any)
	delete(out, "oneOf")
	if len(choices) != 2 || last["type"] != "null" {
		types := make([]any, len(choices))
		for i, c := range choices {
			choice, _ := c.(map[string]any)
			types[i] = choice["type"]
		}
		out["type"] = types
		return out
	}
	for keyword, v := range plain(value) {
		out[keyword] = v
	}
	out["type"] = []any{out["type"], "null"}
	if enum, ok := out["enum"].([]any); ok {
		out["enum"] = append(slices.Clip(enum), nil)
	}
	return out
}

// Plain converts a DataSchema of an action to JSON Schema: to the same bytes as in the MCP tool, if the shape is the
// same.
func Plain(schema json.RawMessage) (json.RawMessage, error) {
	var o map[string]any
	if err := parse(schema, &o); err != nil {
		return nil, err
	}
	return encode(plain(o)), nil
}
