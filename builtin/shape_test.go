package builtin_test

import (
	"testing"

	"trails/capability"
	"trails/capability/project"
	"trails/capability/project/projecttest"
	"trails/e2e/testrun"
	"trails/invoke/invoketest"
)

// TestToolsAreTheirGoldenFiles compares the tools of the example graph byte for byte.
// The files are rewritten only with TRAILS_UPDATE_MCP_SNAPSHOTS=1.
func TestToolsAreTheirGoldenFiles(t *testing.T) {
	testrun.Alone(t)
	tools, err := invoketest.Example(t).Tools(t.Context(), invoketest.Ana)
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string][]byte{}
	for _, d := range tools.Descriptors {
		if texts[capability.ToolName(d.ID)], err = project.Tools(project.Process{}).Encode(d); err != nil {
			t.Fatal(err)
		}
	}
	projecttest.Golden(t, "../testdata/mcp_schemas", texts)
}
