package project

import (
	"encoding/json"

	"trails/capability"
)

// anyObject is the output schema of a tool whose answers are not known.
var anyObject = json.RawMessage(`{"type":"object"}`)

// refusal are the members with which a refusal begins (package mcp). Refusals are structured content, too, and some
// clients check them against the output schema.
var refusal = []capability.Field{{Name: "kind", Type: capability.String}, {Name: "message", Type: capability.String}}

// mostOutput bounds an output schema, in bytes: if it would be longer, it has nothing of what is within its members. Of
// what is built in, none has half of it; a stored query with some 80 columns has more.
const mostOutput = 4_000

// outputOf returns the output schema of a tool, and its form: the members of its answers, the members of these, and
// their types, so that a host can write code that reads answers. It is open and requires nothing, so that refusals fit,
// too.
func outputOf(d capability.Descriptor) (schema json.RawMessage, form several) {
	if len(d.OutputShape.Fields) == 0 {
		return anyObject, short
	}
	answer := lowered{fields: [][]capability.Field{beginning, d.OutputShape.Fields, refusal}, of: short}
	if schema = encode(answer); len(schema) > mostOutput {
		answer.of = shortest
		schema = encode(answer)
	}
	return schema, answer.of
}

// mostTold bounds the characters of a description in an output schema; a longer one is left out.
const mostTold = 80

// shortOf returns the form of a field in an output schema: types and, where nothing else says what a value is, a short
// description. Of a rare one it leaves out the members.
func shortOf(f *capability.Field, form several) capability.Field {
	s := capability.Field{Name: f.Name, Type: f.Type, Many: f.Many, Nullable: f.Nullable, OneOf: f.OneOf, Brief: true}
	if form == shortest {
		if len(f.Cells) > 0 {
			s.Many, s.Description = true, "columns names the cells."
		}
		return s
	}
	if s.Cells = f.Cells; !f.Rare {
		s.Fields = f.Fields
	}
	unknown := s.Type == capability.Any || s.Type == capability.Object && len(s.Fields) == 0
	if unknown && len(s.Cells) == 0 && len(f.Description) <= mostTold {
		s.Description = f.Description
	}
	return s
}
