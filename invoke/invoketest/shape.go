package invoketest

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"trails/capability"
	"trails/capability/project"
	"trails/capability/project/projecttest"
	"trails/kg"
)

// Callable lists everything that can be called, including hidden capabilities.
func (e *Engine) Callable(t testing.TB) []capability.Descriptor {
	t.Helper()
	var all []capability.Descriptor
	err := e.Graph().Session(Ana).View(t.Context(), func(s *kg.Snapshot) error {
		for _, p := range e.providers {
			o, err := p.Offer(s)
			if err != nil {
				return err
			}
			for _, c := range o.Capabilities {
				all = append(all, c.Descriptor)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// CheckResult checks a result against the tool's output schema, and against the descriptor's own shape, which
// is closed and has required members.
func CheckResult(t testing.TB, e *Engine, name string, structured []byte) {
	t.Helper()
	for _, d := range e.Callable(t) {
		if d.ID != name && capability.ToolName(d.ID) != name {
			continue
		}
		for _, schema := range []json.RawMessage{project.MCPTool(d, project.Process{}).OutputSchema, project.AnswerSchema(d)} {
			value, err := jsonschema.UnmarshalJSON(bytes.NewReader(structured))
			if err != nil {
				t.Fatal(err)
			}
			if err := projecttest.Compile(t, schema).Validate(value); err != nil {
				t.Errorf("the result of %s is not of its shape: %v\n%s\n%s", name, err, structured, schema)
			}
		}
	}
}
