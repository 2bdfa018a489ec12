package builtin_test

import (
	"testing"

	"trails/capability/project"
	"trails/capability/project/projecttest"
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
			projecttest.Golden(t, "../testdata/mcp_schemas", tool)
		})
	}
}
