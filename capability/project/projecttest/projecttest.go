// Package projecttest holds what tests hold projections against: the golden file of what a
// view shows, and the JSON Schema of a tool as another implementation reads it.
package projecttest

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Golden compares what a view shows of each capability, by the names of their files and indented for
// review, with the JSON files of a directory, which has no others. The files are rewritten, and those
// of no capability removed, only with TRAILS_UPDATE_MCP_SNAPSHOTS=1.
func Golden(t *testing.T, dir string, texts map[string][]byte) {
	t.Helper()
	for name, text := range texts {
		var out bytes.Buffer
		if err := json.Indent(&out, text, "", "  "); err != nil {
			t.Fatal(err)
		}
		out.WriteByte('\n')
		compare(t, filepath.Join(dir, name+".json"), out.Bytes())
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if _, shown := texts[strings.TrimSuffix(filepath.Base(file), ".json")]; shown {
			continue
		}
		if !rewriting() {
			t.Errorf("%s is of no capability (set TRAILS_UPDATE_MCP_SNAPSHOTS=1 to remove it)", file)
		} else if err := os.Remove(file); err != nil {
			t.Error(err)
		}
	}
}

// GoldenText compares a text that is made from the code, such as a page of the documents, with its
// file, which is rewritten as [Golden] says.
func GoldenText(t *testing.T, path, text string) {
	t.Helper()
	compare(t, path, []byte(text))
}

func rewriting() bool { return os.Getenv("TRAILS_UPDATE_MCP_SNAPSHOTS") == "1" }

func compare(t *testing.T, path string, got []byte) {
	t.Helper()
	if rewriting() {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
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
}

// Compile reads a JSON Schema of draft 7, formats included.
func Compile(t testing.TB, src []byte) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(src))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft7)
	c.AssertFormat()
	if err := c.AddResource("tool.json", doc); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("tool.json")
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	return compiled
}
