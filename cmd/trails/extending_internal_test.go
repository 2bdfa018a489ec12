package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"trails/builtin/surface"
	"trails/invoke"
	"trails/kg"
)

// builtins stands for the list of package builtin, to which the file of the page adds.
var builtins []invoke.Capability

// mostLines is how long the file of a new capability may be that reads, with two arguments and an
// answer of its own.
const mostLines = 40

// A capability is one short file: with it come the tool, the schemas, the verb, the route, the form,
// the entries of the documents, and its golden files. The file is that of the page about extending.
func TestACapabilityIsOneFile(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "extending.md"))
	if err != nil {
		t.Fatal(err)
	}
	here, err := os.ReadFile("begin_internal_test.go")
	if err != nil {
		t.Fatal(err)
	}
	shown := ""
	for _, block := range shellBlock.FindAllStringSubmatch(string(page), -1) {
		if strings.HasPrefix(block[2], "package builtin\n") {
			shown += block[2]
		}
	}
	if want := strings.Replace(string(here), "package main", "package builtin", 1); shown != want {
		t.Fatalf("the page does not show this file:\n%s\nbut:\n%s", want, shown)
	}
	if n := strings.Count(shown, "\n"); n > mostLines {
		t.Errorf("the file has %d lines, more than %d", n, mostLines)
	}

	file := filepath.Join(t.TempDir(), "notes.trails")
	schema := []byte("types: {Note: {label: title, properties: {title: {type: string, required: true}}}}")
	if err := kg.Create(t.Context(), file, kg.CreateOptions{By: me(), Schema: schema}); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	program := func() *program {
		return &program{stdin: strings.NewReader(""), stdout: &sink{name: "stdout", Writer: &out}, stderr: io.Discard, surface: surface.Full, more: []invoke.Provider{invoke.Fixed(invoke.Offer{Capabilities: builtins})}}
	}
	ln, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- program().serveOn(ctx, ln, nil, file, serving{}) }()
	defer func() {
		end()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()
	for _, door := range []struct {
		name, method, path, body string
		has                      []string
	}{
		{"a node to be found", "POST", "/invoke/note.create", `{"title":"The first"}`, []string{`"added":2`}},
		{"the tool and its schemas", "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, []string{
			`"name":"begin"`, "Find nodes by how their labels begin.", `"word":{"description":"What a label begins with.","minLength":1,"type":"string"}`,
			`"limit":{"default":10,"description":"How many labels.","maximum":100,"minimum":1,"type":"integer"}`}},
		{"a call of the tool", "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"begin","arguments":{"word":"the"}}}`, []string{`"structuredContent":{"labels":["The first"]}`}},
		{"the route", "POST", "/invoke/begin", `{"word":"the"}`, []string{`{"labels":["The first"]}`}},
		{"a refusal by the bounds", "POST", "/invoke/begin", `{"word":"the","limit":1000}`, []string{"limit must be at most 100"}},
		{"the form", "GET", "/admin/capabilities/begin", "", []string{"What a label begins with.", `id="f-word"`, `id="f-limit"`}},
		{"OpenAPI", "GET", "/openapi.json", "", []string{`"/invoke/begin"`, "In the order of the file."}},
		{"the manifest", "GET", "/capabilities", "", []string{`"begin"`}},
		{"the Thing Description", "GET", "/.well-known/wot", "", []string{`"begin"`}},
	} {
		req, err := http.NewRequestWithContext(ctx, door.method, "http://"+ln.Addr().String()+door.path, strings.NewReader(door.body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream, text/html")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range door.has {
			if !strings.Contains(string(text), part) {
				t.Errorf("%s: %d, without %s: %.2000s", door.name, res.StatusCode, part, text)
			}
		}
	}
	for _, typed := range []struct {
		args []string
		has  string
	}{
		{[]string{"begin", file, "the", "--limit", "3", "-o", "json"}, `{"labels":["The first"]}`},
		{[]string{"begin", "--help"}, "-n, --limit"},
	} {
		out.Reset()
		root := program().root()
		root.SetArgs(typed.args)
		if _, err := root.ExecuteContextC(ctx); err != nil || !strings.Contains(out.String(), typed.has) {
			t.Errorf("%q: %v, without %s: %s", typed.args, err, typed.has, out.String())
		}
	}
}

// The file of the page compiles where the page puts it, and its golden file is made with the others.
func TestTheFileOfACapabilityHasItsGoldenFile(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the tests of a package")
	}
	here, err := filepath.Abs("begin_internal_test.go")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(here)
	if err != nil {
		t.Fatal(err)
	}
	dir, builtin := t.TempDir(), filepath.Join(filepath.Dir(here), "..", "..", "builtin")
	for _, d := range []string{"builtin", "testdata/mcp_schemas"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	added := filepath.Join(dir, "begin.go")
	if err := os.WriteFile(added, bytes.Replace(text, []byte("package main"), []byte("package builtin"), 1), 0o644); err != nil {
		t.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(builtin, "begin.go"): added}})
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(list, overlay, 0o644); err != nil {
		t.Fatal(err)
	}
	run := func(in, program string, args ...string) {
		cmd := exec.CommandContext(t.Context(), program, args...)
		cmd.Dir, cmd.Env = in, append(os.Environ(), "TRAILS_UPDATE_MCP_SNAPSHOTS=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", strings.Join(cmd.Args, " "), err, out)
		}
	}
	tests := filepath.Join(dir, "tests")
	run(builtin, "go", "test", "-c", "-overlay", list, "-o", tests, ".")
	run(filepath.Join(dir, "builtin"), tests, "-test.run", "^TestToolsAreTheirGoldenFiles$")
	if golden, err := os.ReadFile(filepath.Join(dir, "testdata", "mcp_schemas", "begin.json")); err != nil || !bytes.Contains(golden, []byte("What a label begins with.")) {
		t.Errorf("there is no golden file: %v %s", err, golden)
	}
}
