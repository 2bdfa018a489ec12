package sparql_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trails/rdf"
	"trails/rdf/rdftest"
	"trails/sparql"
)

// TestSyntaxSuites reads the query or update of every test of the suites: the
// negative ones must be refused, and the others come back from their own text.
func TestSyntaxSuites(t *testing.T) {
	dir := rdftest.Dir(t)
	for suite, manifest := range map[string]string{"sparql10": "manifest.ttl", "sparql11": "manifest-all.ttl"} {
		t.Run(suite, func(t *testing.T) {
			tests := rdftest.Load(t, dir, "sparql/"+suite+"/"+manifest)
			rdftest.CheckCounts(t, dir, suite, tests)
			rdftest.Suite{Name: suite + "-syntax", Tests: withText(tests), Run: func(test rdftest.Test) error {
				return checkSyntax(dir, test)
			}}.W3C(t)
		})
	}
}

// withText keeps the tests that have a query or an update.
func withText(tests []rdftest.Test) []rdftest.Test {
	var out []rdftest.Test
	for _, test := range tests {
		if textOf(test) != "" {
			out = append(out, test)
		}
	}
	return out
}

const (
	queryProperty   = rdf.IRI("http://www.w3.org/2001/sw/DataAccess/tests/test-query#query")
	requestProperty = rdf.IRI("http://www.w3.org/2009/sparql/tests/test-update#request")
)

// textOf returns the address of a test's query or update.
func textOf(test rdftest.Test) string {
	for _, property := range []rdf.IRI{queryProperty, requestProperty} {
		if o := test.Manifest.Object(test.Action, property); o != nil {
			return rdf.Lexical(o)
		}
	}
	if name := rdf.Lexical(test.Action); strings.HasSuffix(name, ".rq") || strings.HasSuffix(name, ".ru") {
		return name
	}
	return ""
}

func checkSyntax(dir string, test rdftest.Test) error {
	base := textOf(test)
	text, err := os.ReadFile(filepath.Join(dir, "rdf-tests", strings.TrimPrefix(base, rdftest.Base)))
	if err != nil {
		return err
	}
	err = roundTrip(string(text), sparql.Options{Base: base}, strings.HasSuffix(base, ".ru"))
	switch {
	case !test.Positive() && err == nil:
		return fmt.Errorf("is no SPARQL, but was read:\n%s", text)
	case !test.Positive():
		return nil
	}
	return err
}

// roundTrip reads a text, writes it, and reads it again.
func roundTrip(text string, opts sparql.Options, update bool) error {
	if update {
		return trip(text, opts, sparql.ParseUpdate)
	}
	return trip(text, opts, sparql.Parse)
}

func trip[T fmt.Stringer](text string, opts sparql.Options, parse func(string, sparql.Options) (T, error)) error {
	want, err := parse(text, opts)
	if err != nil {
		return err
	}
	opts.MaxBytes, opts.MaxDepth = 1<<28, 10_000
	got, err := parse(want.String(), opts)
	if err != nil {
		return fmt.Errorf("%w in its own text:\n%s\nof\n%s", err, want, text)
	}
	if !reflect.DeepEqual(want, got) {
		return fmt.Errorf("its own text\n%s\nmeans another (-want +got):\n%s", want, cmp.Diff(want, got))
	}
	return nil
}
