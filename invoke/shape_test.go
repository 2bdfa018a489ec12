package invoke_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"trails/capability"
	"trails/capability/project"
)

// checkResult holds a result against the tool's output schema, and against the
// descriptor's own shape, which is closed and says what is required.
func checkResult(t testing.TB, e *engine, name string, structured []byte) {
	t.Helper()
	callable, err := e.Callable(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range callable {
		if d.ID != name && capability.ToolName(d.ID) != name {
			continue
		}
		for _, schema := range []json.RawMessage{project.MCPTool(d, project.Process{}).OutputSchema, project.Lower(d.OutputShape)} {
			value, err := jsonschema.UnmarshalJSON(bytes.NewReader(structured))
			if err != nil {
				t.Fatal(err)
			}
			if err := compile(t, schema).Validate(value); err != nil {
				t.Errorf("the result of %s is not of its shape: %v\n%s\n%s", name, err, structured, schema)
			}
		}
	}
}

func compile(t testing.TB, schema []byte) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft7)
	c.AssertFormat()
	if err := c.AddResource("tool.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("tool.json")
	if err != nil {
		t.Fatalf("%s: %v", schema, err)
	}
	return s
}

// TestToolsAreTheirGoldenFiles compares the tools of the example graph byte for byte.
// The files are rewritten only with TRAILS_UPDATE_MCP_SNAPSHOTS=1.
func TestToolsAreTheirGoldenFiles(t *testing.T) {
	tools, err := exampleEngine(t).Tools(t.Context(), ana)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range tools.Descriptors {
		tool := project.MCPTool(d, project.Process{})
		t.Run(tool.Name, func(t *testing.T) {
			got := golden(t, tool)
			path := filepath.Join("../testdata/mcp_schemas", tool.Name+".json")
			if os.Getenv("TRAILS_UPDATE_MCP_SNAPSHOTS") == "1" {
				if err := os.WriteFile(path, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("%s (set TRAILS_UPDATE_MCP_SNAPSHOTS=1 to accept):\n%s", path, diff)
			}
		})
	}
}

// golden is a tool without "_meta", which repeats "trails", indented for review.
func golden(t *testing.T, tool project.Tool) []byte {
	t.Helper()
	var text, out bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(tool); err != nil {
		t.Fatal(err)
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text.Bytes(), &members); err != nil {
		t.Fatal(err)
	}
	delete(members, "_meta")
	text.Reset()
	if err := enc.Encode(members); err != nil {
		t.Fatal(err)
	}
	if err := json.Indent(&out, text.Bytes(), "", "  "); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
