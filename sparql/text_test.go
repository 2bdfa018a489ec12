package sparql_test

import (
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"trails/sparql"
)

var textOptions = sparql.Options{
	Base:     "http://base.example/",
	Prefixes: map[string]string{"": "http://example.org/", "ex": "http://example.org/", "xsd": "http://www.w3.org/2001/XMLSchema#"},
}

// TestText holds the algebra of queries ("query") and updates ("update"), and the
// text that comes back ("print", "print-update"); "depth" sets how deep a query may
// be. What is read must come back from its own text.
func TestText(t *testing.T) {
	datadriven.Walk(t, "testdata/text", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if text := answer(t, d); text != "" {
				return text + "\n"
			}
			return "(nothing)\n"
		})
	})
}

func answer(t *testing.T, d *datadriven.TestData) string {
	opts := textOptions
	for name, limit := range map[string]*int{"depth": &opts.MaxDepth, "bytes": &opts.MaxBytes} {
		if d.HasArg(name) {
			d.ScanArgs(t, name, limit)
		}
	}
	update := strings.HasSuffix(d.Cmd, "update")
	if err := roundTrip(d.Input, opts, update); err != nil {
		return err.Error()
	}
	if update {
		return show(t, d, opts, sparql.ParseUpdate)
	}
	return show(t, d, opts, sparql.Parse)
}

type readable interface {
	Dump() string
	String() string
}

func show[T readable](t *testing.T, d *datadriven.TestData, opts sparql.Options, parse func(string, sparql.Options) (T, error)) string {
	q, err := parse(d.Input, opts)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasPrefix(d.Cmd, "print") {
		return q.String()
	}
	names := textOptions.Prefixes
	if named, ok := any(q).(*sparql.Query); ok && named.Prefixes == nil {
		named.Prefixes = names
	}
	if named, ok := any(q).(*sparql.Update); ok && named.Prefixes == nil {
		named.Prefixes = names
	}
	return q.Dump()
}
