package e2e_test

import (
	"os"
	"path/filepath"
	"testing"

	"trails/e2e/testrun"
)

// The TypeScript client calls three public MCP servers through the gateway: a file system, a memory, and one
// that uses every feature of MCP.
func TestTheTypeScriptClientCallsServersOfOthers(t *testing.T) {
	testrun.Alone(t) // nor beside other tests: it starts four processes of Node
	tools, file := toolsOfNode(t), writableFile(t)
	home, folder := t.TempDir(), t.TempDir()
	pid := filepath.Join(home, "pid")
	add := func(name string, words ...string) {
		t.Helper()
		cmd := command(t, append([]string{"gateway", "add", file, name, "--stdio"}, words...)...)
		cmd.Env = environment("HOME="+home, "XDG_CONFIG_HOME=") // who agrees to them
		if out := finish(t, cmd); out.code != 0 {
			t.Fatalf("gateway add %s: exit %d\n%s%s", name, out.code, out.stdout, out.stderr)
		}
	}
	server := func(name string) string {
		path := filepath.Join(tools.modules, "node_modules/@modelcontextprotocol", "server-"+name, "dist/index.js")
		if _, err := os.Stat(path); err != nil {
			absent(t, "no MCP servers: %v; install them with: make npm", err)
		}
		return path
	}
	add("everything", "sh", "--", "-c", `echo $$ > "$1"; exec "$2" "$3"`, "sh", pid, tools.node, server("everything"))
	add("files", tools.node, "--", server("filesystem"), folder)
	add("memory", tools.node, "--env", "MEMORY_FILE_PATH="+filepath.Join(home, "memory.jsonl"), "--", server("memory"))
	tools.check(t, "client/gateway.mjs", "stdio", trailsBinary, file, "sesame", home, folder, pid)
	must(t, "verify", file)
}
