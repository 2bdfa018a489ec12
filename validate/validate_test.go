package validate_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"trails/fault"
	"trails/rdf"
	"trails/schema"
	"trails/validate"
)

// TestText runs testdata: "shapes" (N-Quads) or "schema" (YAML) sets the shapes,
// "data" the graph, and "node" prints what is wrong with one node.
func TestText(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		s := &session{shapes: &validate.Shapes{}, data: newMemory(nil)}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			return s.run(t, d)
		})
	})
}

type session struct {
	shapes *validate.Shapes
	data   *memory
}

func (s *session) run(t *testing.T, d *datadriven.TestData) string {
	switch d.Cmd {
	case "shapes":
		return s.compile(quads(t, d.Input))
	case "schema":
		declared, err := schema.ParseYAML([]byte(d.Input), "http://example.org/")
		if err != nil {
			return err.Error() + "\n"
		}
		return s.compile(declared.Quads())
	case "data":
		s.data = newMemory(quads(t, d.Input))
		return ""
	case "node":
		return s.node(t, expand(rdf.IRI(d.CmdArgs[0].Key)), d.HasArg("full"))
	}
	t.Fatalf("unknown command %s", d.Cmd)
	return ""
}

func (s *session) compile(shapesGraph []rdf.Quad) string {
	shapes, err := validate.Compile(shapesGraph)
	if err != nil {
		return fmt.Sprintf("%s: %v\n", fault.Of(err).Kind, err)
	}
	s.shapes = shapes
	return "ok\n"
}

func (s *session) node(t *testing.T, focus rdf.Term, full bool) string {
	results, err := validated(t, s.shapes, s.data, focus)
	if err != nil {
		return err.Error() + "\n"
	}
	if len(results) == 0 {
		return "conforms\n"
	}
	var b strings.Builder
	for _, r := range results {
		f := r.FieldError()
		fmt.Fprintf(&b, "%s %s: %s\n", f.Code, f.Field, f.Message)
		fmt.Fprintf(&b, "  value %s, constraint %s\n", text(t, f.Value), text(t, f.Constraint))
		if full {
			fmt.Fprintf(&b, "  %s of %s, path %s, severity %s\n", string(r.Component), rdf.AppendTerm(nil, r.SourceShape), string(r.Path), string(r.Severity))
		}
	}
	return b.String()
}

func text(t *testing.T, v any) string {
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
