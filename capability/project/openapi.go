package project

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"trails/auth/policy"
	"trails/capability"
	"trails/text/jsontext"
)

// Operations is the view of /openapi.json: the operation of POST /invoke/{id}.
func Operations(in Process) Encoding {
	return Encoding{"/openapi.json", func(d capability.Descriptor) ([]byte, error) {
		return sealed(operationOf(d, in), checksumName, 2), nil // in x-trails, which is last
	}, readOperation, in}
}

// Answer returns the shape of all answers of a call: the output shape, with the two members that any answer may begin
// with.
func Answer(d capability.Descriptor) capability.Shape {
	s := d.OutputShape
	s.Fields = slices.Concat(beginning, s.Fields)
	return s
}

// beginning are the members that any answer may begin with.
var beginning = []capability.Field{
	{Name: "cut", Type: capability.String, Description: "What is missing from the answer."},
	{Name: "warnings", Type: capability.String, Many: true},
}

// operationOf returns an OpenAPI 3.1 operation (section 4.8.10), its members in the order in
// which people read them. What OpenAPI has no words for stands under x-trails.
func operationOf(d capability.Descriptor, in Process) members {
	answer := members{{"description", "The answer."}}
	var parameters any
	if d.SideEffects != capability.None {
		parameters = writeParameters
		answer = append(answer, member{"headers", writeHeaders})
	}
	answer = append(answer, member{"content", inJSON(answerOf(d))})
	return members{
		{"operationId", capability.ToolName(d.ID)},
		{"summary", title(d)},
		{"description", orNil(d.Description)},
		{"tags", []string{tag(d)}},
		{"parameters", parameters},
		{"requestBody", members{
			{"content", inJSON(schemaOf(d.InputShape))},
			{"required", slices.ContainsFunc(d.InputShape.Fields, func(f capability.Field) bool { return f.Required })},
		}},
		{"responses", responses(answer)},
		{"security", security(in, d.PolicyRequired.Scope)},
		{"x-trails", members{
			{"id", d.ID},
			{"version", d.Version},
			{"side_effects", string(d.SideEffects)},
			{"idempotent", d.Idempotent},
			{"preconditions", orEmpty(d.Preconditions)},
			{"cost_estimate", string(d.CostEstimate)},
			{"policy_required", requirement(d)},
			{"reasoning", string(d.Reasoning)},
			{"deprecates", orEmpty(d.Deprecates)},
			{"assurance", string(d.Assurance)},
			{"consent_required", d.ConsentRequired},
		}},
	}
}

// requirement is what a capability asks of its caller.
func requirement(d capability.Descriptor) members {
	o := members{{"scope", string(d.PolicyRequired.Scope)}, {"action", string(d.PolicyRequired.Action)}}
	if d.PolicyRequired.Remote {
		o = append(o, member{"remote", true})
	}
	if d.PolicyRequired.Upstream {
		o = append(o, member{"upstream", true})
	}
	return o
}

// inJSON is content that a schema describes.
func inJSON(schema lowered) members {
	return members{{"application/json", members{{"schema", fragmentOf(schema)}}}}
}

func responses(answer any) members {
	return members{{"200", answer}, {"4XX", problem}, {"5XX", problem}}
}

// What operations have in common.
var (
	writeParameters = fragmentOf([]object{reference("parameters", "If-Match"), reference("parameters", "Idempotency-Key")})
	writeHeaders    = fragmentOf(object{"Trails-Commit": reference("headers", "Trails-Commit")})
	problem         = fragmentOf(reference("responses", "Problem"))
)

func reference(kind, name string) object {
	return object{"$ref": "#/components/" + kind + "/" + name}
}

// security says which token an operation needs; the role is the scope (section 4.8.30).
func security(in Process, scope policy.Scope) []any {
	if !in.Token {
		return []any{}
	}
	return []any{members{{"token", []string{string(scope)}}}}
}

// tag is the heading under which an operation stands: a type, or what others are about.
func tag(d capability.Descriptor) string {
	switch {
	case d.Kind() == capability.KindMeta:
		return "meta"
	case d.InputShape.NodeType != "":
		return d.InputShape.NodeType
	}
	return "graph"
}

// Route is an address of the process that is not a call of a capability.
type Route struct {
	// Methods are those of HTTP, such as "GET, POST".
	Methods string
	// Path has the names of its variable segments in braces: "/kg/{Type}/{id}".
	Path string
	// Query shows the parameters with example values, "where=field=value&limit="; "{param}=value" are parameters of
	// any name.
	Query string
	// Says describes it.
	Says string
	// Answers are the media types of the answer, the default first; empty for another protocol than HTTP, which
	// OpenAPI does not describe.
	Answers []string
	// Takes are the media types of the body; empty without one.
	Takes []string
}

// routesTag is the heading of the operations of routes.
const routesTag = "http"

// operations returns what OpenAPI says of a route, by method in lower case.
func (route Route) operations(in Process) object {
	all := object{}
	if len(route.Answers) == 0 {
		return all
	}
	for method := range strings.SplitSeq(strings.ToLower(route.Methods), ", ") {
		o := members{
			{"operationId", method + camel(route.Path)},
			{"summary", route.Says},
			{"tags", []string{routesTag}},
			{"parameters", route.parameters()},
			{"responses", responses(object{"description": "What is there.", "content": anything(route.Answers)})},
			{"security", security(in, policy.Runtime)},
		}
		if (method == "post" || method == "put") && len(route.Takes) > 0 {
			o = append(o, member{"requestBody", object{"required": true, "content": anything(route.Takes)}})
		}
		all[method] = o
	}
	return all
}

// anything is content in any of the media types.
func anything(media []string) object {
	content := object{}
	for _, m := range media {
		content[m] = object{}
	}
	return content
}

func (route Route) parameters() []any {
	all := []any{}
	for _, segment := range strings.Split(route.Path, "{")[1:] {
		name, _, _ := strings.Cut(segment, "}")
		all = append(all, object{"name": name, "in": "path", "required": true, "schema": object{"type": "string"}})
	}
	for pair := range strings.SplitSeq(route.Query, "&") {
		name, _, _ := strings.Cut(pair, "=")
		switch {
		case name == "":
		case strings.HasPrefix(name, "{"):
			all = append(all, object{"name": strings.Trim(name, "{}"), "in": "query", "style": "form", "explode": true,
				"schema": object{"type": "object", "additionalProperties": object{"type": "string"}}})
		default:
			all = append(all, object{"name": name, "in": "query", "schema": object{"type": "string"}})
		}
	}
	return all
}

// camel joins the words of a path: "KgTypeId". Ids of capabilities have no capital letter,
// so no two operations have one id.
func camel(path string) string {
	var b strings.Builder
	for _, word := range strings.FieldsFunc(path, func(c rune) bool { return strings.ContainsRune("/{}.-", c) }) {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}

// OpenAPI returns the capabilities and the routes as an OpenAPI 3.1 document.
func (l Listing) OpenAPI(routes []Route) ([]byte, error) {
	return l.document(Operations(l.Process), "x-trails-"+checksumName, func(b *bytes.Buffer, list [][]byte) {
		fmt.Fprintf(b, `{"openapi":"3.1.0","info":%s,"servers":[{"url":%s}],"paths":{`, encode(object{
			"title": l.Process.Graph, "version": l.Version,
			"description": "What can be done with a graph of trails. Each capability is a tool of MCP by the name of its operation, too.",
		}), encode(l.Base))
		tags, known := []object{}, map[string]bool{}
		tagged := func(name string) {
			if !known[name] {
				known[name], tags = true, append(tags, object{"name": name})
			}
		}
		for i, d := range l.Descriptors {
			tagged(tag(d))
			b.Write(jsontext.AppendText(b.AvailableBuffer(), "/invoke/"+d.ID))
			b.WriteString(`:{"post":`)
			b.Write(list[i])
			b.WriteString("},")
		}
		paths := map[string]object{}
		for _, route := range routes {
			if paths[route.Path] == nil {
				paths[route.Path] = object{}
			}
			maps.Copy(paths[route.Path], route.operations(l.Process))
		}
		for _, path := range slices.Sorted(maps.Keys(paths)) {
			if len(paths[path]) > 0 {
				tagged(routesTag)
				fmt.Fprintf(b, "%s:%s,", encode(path), encode(paths[path]))
			}
		}
		if text := b.Bytes(); text[len(text)-1] == ',' {
			b.Truncate(b.Len() - 1)
		}
		fmt.Fprintf(b, `},"components":%s,"tags":%s}`, encode(components(l.Process)), encode(tags))
	})
}

// components are what operations refer to.
func components(in Process) object {
	text := object{"type": "string"}
	all := object{
		"headers": object{"Trails-Commit": object{"description": "The commit that the call made.", "schema": text}},
		"parameters": object{
			"If-Match":        object{"name": "If-Match", "in": "header", "description": "The entity tag of the commit that must still be the head.", "schema": text},
			"Idempotency-Key": object{"name": "Idempotency-Key", "in": "header", "description": "Two calls with one key are one call.", "schema": text},
		},
		"responses": object{"Problem": object{"description": "Why it was not done (RFC 9457).", "content": object{"application/problem+json": object{"schema": reference("schemas", "Problem")}}}},
		"schemas": object{"Problem": object{
			"type": "object", "required": []string{"type", "title", "status", "trace_id"},
			"properties": object{
				"type": object{"type": "string", "format": "uri"}, "title": text, "status": object{"type": "integer"}, "detail": text, "trace_id": text,
				"fields": object{"type": "array", "items": object{
					"type": "object", "required": []string{"field", "code", "message"},
					"properties": object{"field": text, "code": text, "message": text, "value": object{}, "constraint": object{}},
				}},
			},
		}},
	}
	if in.Token {
		all["securitySchemes"] = object{"token": object{"type": "http", "scheme": "bearer"}}
	}
	return all
}

// readOperation compares an operation of /openapi.json with its descriptor.
func readOperation(r *reading, d capability.Descriptor, text []byte) error {
	type content struct {
		JSON struct {
			Schema json.RawMessage `json:"schema"`
		} `json:"application/json"`
	}
	var o struct {
		OperationID any `json:"operationId"`
		Summary     any `json:"summary"`
		Description any `json:"description"`
		RequestBody struct {
			Content content `json:"content"`
		} `json:"requestBody"`
		Responses map[string]struct {
			Content content `json:"content"`
		} `json:"responses"`
		Trails struct {
			ID              any   `json:"id"`
			Version         any   `json:"version"`
			SideEffects     any   `json:"side_effects"`
			Idempotent      any   `json:"idempotent"`
			Preconditions   []any `json:"preconditions"`
			CostEstimate    any   `json:"cost_estimate"`
			PolicyRequired  any   `json:"policy_required"`
			Reasoning       any   `json:"reasoning"`
			Deprecates      []any `json:"deprecates"`
			Assurance       any   `json:"assurance"`
			ConsentRequired any   `json:"consent_required"`
		} `json:"x-trails"`
	}
	if err := parse(text, &o); err != nil {
		return err
	}
	r.same("id", o.OperationID, capability.ToolName(d.ID))
	r.same("id", o.Trails.ID, d.ID)
	r.same("version", o.Trails.Version, d.Version)
	if d.Description != "" {
		r.same("description", o.Description, d.Description)
	}
	r.same("side_effects", o.Trails.SideEffects, d.SideEffects)
	r.same("idempotent", o.Trails.Idempotent, d.Idempotent)
	r.sameList("preconditions", o.Trails.Preconditions, d.Preconditions)
	r.same("cost_estimate", o.Trails.CostEstimate, d.CostEstimate)
	r.same("policy_required", o.Trails.PolicyRequired, required(d))
	r.same("reasoning", o.Trails.Reasoning, d.Reasoning)
	r.sameList("deprecates", o.Trails.Deprecates, d.Deprecates)
	r.same("assurance", o.Trails.Assurance, d.Assurance)
	r.same("consent_required", o.Trails.ConsentRequired, d.ConsentRequired)
	if err := r.schema("input_shape", o.RequestBody.Content.JSON.Schema, d.InputShape, unsaid); err != nil {
		return err
	}
	return r.schema("output_shape", o.Responses["200"].Content.JSON.Schema, Answer(d), listed)
}

// schema compares the JSON Schema of a shape.
func (r *reading) schema(at string, text json.RawMessage, meant capability.Shape, of several) error {
	var shown map[string]any
	if err := parse(text, &shown); err != nil {
		return err
	}
	r.object(at, shown, meant.Fields, meant.Closed, of)
	return nil
}
