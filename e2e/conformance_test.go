package e2e_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"trails/e2e/testrun"
)

// The official MCP conformance suite runs against `trails serve` with its guards. Most scenarios need tools and
// prompts that the suite prescribes; these run in package mcp, on a server that has them. The scenarios here
// apply to every server.
func TestConformanceOfTheBuiltServer(t *testing.T) {
	testrun.Alone(t) // package mcp runs the suite under the race detector
	t.Parallel()
	tools, file := toolsOfNode(t), notesFile(t)
	both := []string{"server-initialize", "ping", "tools-list", "resources-list", "prompts-list", "dns-rebinding-protection"}
	for _, door := range []struct {
		name      string
		flags     []string
		scenarios []string
		checks    int
	}{
		{"mcp-serve-stateful", []string{"--stateful"}, append([]string{"logging-set-level", "server-sse-multiple-streams"}, both...), 10},
		{"mcp-serve-stateless", nil, both, 7},
	} {
		t.Run(door.name, func(t *testing.T) {
			server := startWeb(t, nil, append([]string{file}, door.flags...)...)
			passed, total := 0, 0
			for _, scenario := range door.scenarios {
				out := tools.run(t, filepath.Join(tools.modules, "node_modules/@modelcontextprotocol/conformance/dist/index.js"),
					"server", "--url", server.base+"/mcp", "--scenario", scenario, "-o", t.TempDir())
				said := suiteSum.FindStringSubmatch(out.stdout)
				if said == nil {
					t.Fatalf("%s: exit %d\n%s%s", scenario, out.code, out.stdout, out.stderr)
				}
				p, _ := strconv.Atoi(said[1])
				n, _ := strconv.Atoi(said[2])
				if out.code != 0 || p != n || n == 0 || said[3] != "0" {
					t.Errorf("%s: exit %d\n%s%s", scenario, out.code, out.stdout, out.stderr)
				}
				passed, total = passed+p, total+n
			}
			if total != door.checks {
				t.Errorf("%d checks were made, want %d", total, door.checks)
			}
			fmt.Printf("%s %d/%d\n", door.name, passed, total)
		})
	}
}

// suiteSum matches the last line of a scenario.
var suiteSum = regexp.MustCompile(`(?m)^Passed: (\d+)/(\d+), \d+ failed, (\d+) warnings`)
