package builtin_test

import (
	"encoding/json"
	"strings"
	"testing"

	"trails/fault"
	"trails/invoke"
	"trails/invoke/invoketest"
)

// The name that a type had before is said to be another one now, and the ids that its nodes keep are still read.
func TestATypeIsToldByTheNameThatItHadBefore(t *testing.T) {
	e := invoketest.New(t, `
base: "urn:example:"
types:
  Person: {label: name, iri: preserve, properties: {name: {type: string, required: true}}}
  Task: {iri: preserve, properties: {owner: {class: Person}}}
`, invoke.Config{})
	e.Must(t, "create", `{"type":"Person","id":"ana","data":{"name":"Ana"}}`)
	e.Must(t, "schema_apply", `{"patch":"- rename_type: {Person: Member}"}`)
	for call, args := range map[string]string{
		"list": `{"type":"Person"}`, "search": `{"text":"ana","type":"Person"}`, "describe": `{"type":"Person"}`, "update": `{"id":"Person/ana","set":{"name":"A"}}`,
		"create": `{"type":"Person","id":"bo","data":{"name":"Bo"}}`, "task.create": `{"id":"t","owner":"Person/ana"}`,
	} {
		_, err := e.Call(t.Context(), invoke.Call{Capability: call, Args: json.RawMessage(args), Principal: invoketest.Ana})
		if f := fault.Of(err); len(f.Fields) != 1 || !strings.Contains(f.Fields[0].Message, `there is no type "Person"; it is called Member now`) {
			t.Errorf("%s: %v", call, err)
		}
	}
	for _, id := range []string{"Person/ana", "Member/ana", "Ana"} {
		e.Must(t, "get", `{"ids":["`+id+`"]}`)
	}
	if says := e.Refused(t, invoke.Call{Capability: "list", Args: json.RawMessage(`{"type":"Peron"}`), Principal: invoketest.Ana}, fault.InvalidArguments).Fields[0].Message; strings.Contains(says, "Person") {
		t.Error(says)
	}
}
