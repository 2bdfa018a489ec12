package sparql_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"trails/fault"
)

func FuzzParse(f *testing.F) { fuzz(f, false, ".rq") }

func FuzzParseUpdate(f *testing.F) { fuzz(f, true, ".ru") }

// fuzz holds that a text is refused with a place, or comes back from its own text.
func fuzz(f *testing.F, update bool, extension string) {
	for _, text := range append(ownTexts(f, update), suiteTexts(f, extension)...) {
		f.Add(text)
	}
	opts := textOptions
	opts.MaxBytes, opts.MaxDepth = 1<<14, 50
	f.Fuzz(func(t *testing.T, text string) {
		err := roundTrip(text, opts, update)
		if err == nil {
			return
		}
		var syntax *fault.SyntaxError
		if !errors.As(err, &syntax) || strings.Contains(err.Error(), "its own text") {
			t.Fatal(err)
		}
		if syntax.Line < 1 || syntax.Column < 1 || syntax.Message == "" {
			t.Fatalf("an error without a place: %+v", syntax)
		}
		if !fault.Is(err, fault.Malformed) && !fault.Is(err, fault.TooLarge) {
			t.Fatalf("%v is no fault of the text", err)
		}
	})
}

// ownTexts returns the inputs of testdata/text.
func ownTexts(t testing.TB, update bool) []string {
	var texts []string
	files, err := filepath.Glob("testdata/text/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		datadriven.RunTestFromString(&testing.T{}, string(text), func(_ *testing.T, d *datadriven.TestData) string {
			if strings.HasSuffix(d.Cmd, "update") == update {
				texts = append(texts, d.Input)
			}
			return d.Expected
		})
	}
	return texts
}

// suiteTexts returns the queries or updates of the suites; none without them.
func suiteTexts(t testing.TB, extension string) []string {
	dir := os.Getenv("TRAILS_SUITES")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "suites")
	}
	var texts []string
	err := filepath.WalkDir(filepath.Join(dir, "rdf-tests", "sparql"), func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(name) != extension {
			return nil
		}
		text, err := os.ReadFile(name)
		texts = append(texts, string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}
