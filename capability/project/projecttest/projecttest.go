// Package projecttest has checks for tests of projections: golden files of what a view shows, and other
// implementations of JSON Schema and OpenAPI that read it.
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

// Golden compares texts with the JSON files of a directory, both indented. The keys of texts are the names of
// the files, and a file without a text fails the test. TRAILS_UPDATE_MCP_SNAPSHOTS=1 writes the files anew, and
// removes those without a text.
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

// GoldenText compares a generated text, such as a page of the documentation, with its file.
// TRAILS_UPDATE_MCP_SNAPSHOTS=1 writes the file anew.
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

// Compile compiles a JSON Schema of draft 7 that also checks formats.
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
