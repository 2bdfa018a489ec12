package builtin_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trails/capability/project"
	"trails/invoke/invoketest"
)

// TestToolsAreTheirGoldenFiles compares the tools of the example graph byte for byte.
// The files are rewritten only with TRAILS_UPDATE_MCP_SNAPSHOTS=1.
func TestToolsAreTheirGoldenFiles(t *testing.T) {
	tools, err := invoketest.Example(t).Tools(t.Context(), invoketest.Ana)
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
