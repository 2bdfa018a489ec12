package schema_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"trails/fault"
	"trails/rdf"
	"trails/schema"
)

// Commands of testdata/yaml: parse (the schema as its own YAML, or its problems)
// quads (canonical lines, without the graph), turtle and json.
func TestYAML(t *testing.T) {
	datadriven.Walk(t, "testdata/yaml", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			base := "urn:trails:test:"
			if d.HasArg("base") {
				d.ScanArgs(t, "base", &base)
			}
			s, err := schema.ParseYAML([]byte(d.Input), strings.TrimPrefix(base, "none"))
			if err != nil {
				return problems(err)
			}
			switch d.Cmd {
			case "parse":
				return string(s.YAML())
			case "quads":
				return lines(s.Quads())
			case "turtle":
				var b strings.Builder
				if err := s.WriteTurtle(&b); err != nil {
					t.Fatal(err)
				}
				return strings.ReplaceAll(b.String(), "\n\n", "\n") // an empty line ends a case
			case "json":
				text, err := json.MarshalIndent(s.JSON(), "", " ")
				if err != nil {
					t.Fatal(err)
				}
				return string(text) + "\n"
			}
			d.Fatalf(t, "unknown command %s", d.Cmd)
			return ""
		})
	})
}

func problems(err error) string {
	var f *fault.Error
	if !errors.As(err, &f) {
		return fmt.Sprintf("not a fault: %v\n", err)
	}
	if len(f.Fields) == 0 {
		return fmt.Sprintf("%s: %s\n", f.Kind, f.Message)
	}
	var b strings.Builder
	for _, field := range f.Fields {
		fmt.Fprintf(&b, "%s, %s: %s\n", field.Source, field.Code, field.Message)
	}
	return b.String()
}

func lines(quads []rdf.Quad) string {
	var b strings.Builder
	for _, q := range quads {
		q.Label = nil
		fmt.Fprintf(&b, "%s\n", rdf.AppendQuad(nil, q))
	}
	return b.String()
}
