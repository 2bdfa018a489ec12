package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trails/e2e/testrun"
)

// generated are calls of every generator: by the command line, and by the tool of MCP.
var generated = []struct {
	command []string
	args    string
}{
	{[]string{"shape", "FILE", "Note"}, `{"type":"Note"}`},
	{[]string{"type", "FILE", "Task", "title: string", "of: {class: Note, required: true}", "--description", "What <is> to be done."},
		`{"type":"Task","properties":["title: string","of: {class: Note, required: true}"],"description":"What <is> to be done."}`},
	{[]string{"capability", "FILE", "note.find", "Note"}, `{"id":"note.find","type":"Note"}`},
	{[]string{"capability", "FILE", "note.add", "Note", "--property", "title", "--writes"}, `{"id":"note.add","type":"Note","properties":["title"],"writes":true}`},
	{[]string{"migration", "FILE", "add_due", "-"}, `{"name":"add_due","schema":"types: {Note: {label: title, properties: {title: string, due: date}}}"}`},
}

// schemaToCome is what commands find on stdin.
const schemaToCome = "types: {Note: {label: title, properties: {title: string, due: date}}}"

// The command line prints and writes the same bytes as the tool of MCP answers, of every
// generator that there is.
func TestGeneratedFilesAreTheSameOverMCP(t *testing.T) {
	testrun.Alone(t)
	file := filepath.Join(t.TempDir(), "notes.trails")
	env := []string{"TRAILS_MCP_SCOPES=dev"}
	command := func(stdin string, args ...string) []byte {
		t.Helper()
		var out, errs bytes.Buffer
		if code := run(args, strings.NewReader(stdin), &out, &errs, env); code != exitDone {
			t.Fatalf("%q: exit code %d, %s", args, code, errs.String())
		}
		return out.Bytes()
	}
	schema := filepath.Join(t.TempDir(), "schema.yaml")
	if err := os.WriteFile(schema, []byte("types: {Note: {label: title, properties: {title: {type: string, required: true, max_length: 80}, about: {class: Note, many: true}}}}"), 0o600); err != nil {
		t.Fatal(err)
	}
	command("", "init", file, "--schema", schema)

	requests := `{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":"l","method":"tools/list"}
`
	for i, g := range generated {
		requests += fmt.Sprintf(`{"jsonrpc":"2.0","id":"%d","method":"tools/call","params":{"name":"trails_meta_gen_%s","arguments":%s}}`+"\n", i, g.command[0], g.args)
	}
	answers, tools := map[string]json.RawMessage{}, map[string]bool{}
	for answer := range bytes.Lines(command(requests, "mcp", file, "--surface", "full")) {
		var message struct {
			ID     string
			Result struct {
				StructuredContent json.RawMessage
				Tools             []struct{ Name string }
			}
		}
		if err := json.Unmarshal(answer, &message); err != nil {
			t.Fatal(err)
		}
		answers[message.ID] = message.Result.StructuredContent
		for _, tool := range message.Result.Tools {
			if op, is := strings.CutPrefix(tool.Name, "trails_meta_gen_"); is {
				tools[op] = true
			}
		}
	}
	commands := map[string]bool{}
	gen, _, err := (&program{}).root().Find([]string{"gen"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range gen.Commands() {
		commands[c.Name()] = true
	}
	called := map[string]bool{}
	for i, g := range generated {
		called[g.command[0]] = true
		args := append([]string{"gen"}, g.command...)
		args[2] = file
		want := answers[fmt.Sprint(i)]
		if got := bytes.TrimSuffix(command(schemaToCome, append(args, "-o", "json")...), []byte("\n")); !bytes.Equal(got, want) {
			t.Errorf("%q: the command says\n%s\nthe tool\n%s", args, got, want)
		}
		var diff proposed
		if err := json.Unmarshal(want, &diff); err != nil {
			t.Fatal(err)
		}
		dir, text := t.TempDir(), ""
		got := command(schemaToCome, append(args, "--write", "--dir", dir)...)
		for _, f := range diff.Files {
			text += f.Diff
			if written, err := os.ReadFile(filepath.Join(dir, f.Path)); err != nil || string(written) != f.Content {
				t.Errorf("%s is not what the tool answers: %v", f.Path, err)
			}
		}
		if d := cmp.Diff(text, string(got)); d != "" {
			t.Errorf("%q prints no diff of the tool: %s", args, d)
		}
		command(schemaToCome, append(args, "--write", "--dir", dir)...) // what is the same is no conflict
		first := filepath.Join(dir, diff.Files[0].Path)
		if err := os.WriteFile(first, []byte("ours\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		code := run(append(args, "--write", "--dir", dir), strings.NewReader(schemaToCome), &out, &errs, env)
		if now, err := os.ReadFile(first); err != nil || string(now) != "ours\n" || code != exitConflict {
			t.Errorf("%q over a file of ours: exit code %d, %s", args, code, errs.String())
		}
	}
	if d := cmp.Diff(tools, commands); d != "" {
		t.Errorf("tools that are no commands, and commands that are no tools: %s", d)
	}
	if d := cmp.Diff(tools, called); d != "" {
		t.Errorf("generators that are not called: %s", d)
	}
}
