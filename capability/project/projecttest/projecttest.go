// Package projecttest has checks for tests of projections: golden files of what a view shows, and other
// implementations of JSON Schema and OpenAPI that read it.
package projecttest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
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
	compiled, err := compile(src, jsonschema.Draft7)
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	return compiled
}

func compile(src []byte, draft *jsonschema.Draft) (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(src))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(draft)
	c.AssertFormat()
	if err := c.AddResource("tool.json", doc); err != nil {
		return nil, err
	}
	return c.Compile("tool.json")
}

// answerSchemas caches compiled schemas of answers by their texts.
var answerSchemas sync.Map

// Fits returns how an answer breaks its JSON Schema of 2020-12, which checks the cells of tables, too; nil if it fits.
func Fits(schema, answer []byte) error {
	compiled, known := answerSchemas.Load(string(schema))
	if !known {
		made, err := compile(schema, jsonschema.Draft2020)
		if err != nil {
			return err
		}
		compiled, _ = answerSchemas.LoadOrStore(string(schema), made)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(answer))
	if err != nil {
		return err
	}
	return compiled.(*jsonschema.Schema).Validate(value) //nolint:forcetypeassert // stored above
}

// FitsOutput is [Fits] for the structured content of a tool's result, which is an answer or a refusal. Code that is
// generated from an output schema knows only members that it names, so it must name all members of an answer, and kind
// and message of a refusal. A schema without members names none.
func FitsOutput(schema, structured []byte, isError bool) error {
	if err := Fits(schema, structured); err != nil {
		return err
	}
	var named struct {
		Properties map[string]any `json:"properties"`
	}
	given := map[string]json.RawMessage{}
	if err := errors.Join(json.Unmarshal(schema, &named), json.Unmarshal(structured, &given)); err != nil || named.Properties == nil {
		return err
	}
	refused := isError && given["kind"] != nil && given["message"] != nil
	for name := range given {
		if named.Properties[name] == nil && (!refused || name == "kind" || name == "message") {
			return fmt.Errorf("the output schema does not name the member %q", name)
		}
	}
	return nil
}
