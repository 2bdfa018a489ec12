package rdfio_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trails/kg/rdf"
	"trails/kg/rdfio"
)

// suitesDir returns where the standards' suites are, or skips the test; in CI
// their absence fails it.
func suitesDir(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("TRAILS_SUITES")
	if dir == "" {
		dir = filepath.Join(repoRoot(t), "..", "shared", "suites")
	}
	if _, err := os.Stat(filepath.Join(dir, "COUNTS.tsv")); err == nil {
		return dir
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("no conformance suites at %s: set TRAILS_SUITES", dir)
	}
	t.Skipf("SKIPPED: NO CONFORMANCE SUITES at %s; set TRAILS_SUITES to run them", dir)
	return ""
}

func repoRoot(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if filepath.Dir(dir) == dir {
			t.Fatal("no go.mod above the test")
		}
		dir = filepath.Dir(dir)
	}
}

// suiteTest is one entry of a manifest.
type suiteTest struct{ name, kind, action string }

func (s suiteTest) positive() bool { return strings.Contains(s.kind, "Positive") }

var entryPattern = regexp.MustCompile(`(?ms)^<#[^>]*>\s+(?:rdf:type|a)\s+rdft:(\w+)\s*;.*?mf:name\s+"([^"]*)".*?mf:action\s+<([^>]*)>`)

// manifest finds the entries of a manifest.ttl by their shape: the suites write
// all of them alike, and the caller checks their number.
func manifest(t *testing.T, dir string) []suiteTest {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "manifest.ttl"))
	if err != nil {
		t.Fatal(err)
	}
	var tests []suiteTest
	for _, m := range entryPattern.FindAllStringSubmatch(string(text), -1) {
		tests = append(tests, suiteTest{kind: m[1], name: m[2], action: filepath.Join(dir, m[3])})
	}
	return tests
}

// counts returns how many tests of each type COUNTS.tsv says the category has.
func counts(t *testing.T, suites, category string) map[string]int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(suites, "COUNTS.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int{}
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if len(f) == 5 && f[0] == "rdf11" && f[1] == category {
			n, err := strconv.Atoi(f[4])
			if err != nil {
				t.Fatal(err)
			}
			want[f[2]] += n
		}
	}
	return want
}

type newReader func(io.Reader, rdfio.Limits) *rdfio.NQuadsReader

func TestW3CSuitesPass(t *testing.T) {
	suites := suitesDir(t)
	for _, s := range []struct {
		name string
		read newReader
	}{
		{"n-quads", rdfio.NewNQuadsReader},
		{"n-triples", rdfio.NewNTriplesReader},
	} {
		t.Run(s.name, func(t *testing.T) { runSuite(t, suites, s.name, s.read) })
	}
}

func runSuite(t *testing.T, suites, name string, read newReader) {
	category := "rdf-" + name
	tests := manifest(t, filepath.Join(suites, "rdf-tests", "rdf", "rdf11", category))
	got := map[string]int{}
	for _, test := range tests {
		got[test.kind]++
	}
	if diff := cmp.Diff(counts(t, suites, category), got); diff != "" {
		t.Fatalf("manifest and COUNTS.tsv differ (-counts +manifest):\n%s", diff)
	}
	passed := 0
	for _, test := range tests {
		if t.Run(test.name, func(t *testing.T) { runSuiteTest(t, test, read) }) {
			passed++
		}
	}
	fmt.Printf("%s %d/%d\n", name, passed, len(tests))
}

func runSuiteTest(t *testing.T, test suiteTest, read newReader) {
	text, err := os.ReadFile(test.action)
	if err != nil {
		t.Fatal(err)
	}
	quads, err := readAll(read(bytes.NewReader(text), rdfio.Limits{}))
	var syntax *rdfio.SyntaxError
	switch {
	case test.positive() && err != nil:
		t.Fatalf("refused: %v", err)
	case !test.positive() && !errors.As(err, &syntax):
		t.Fatalf("got error %v, want a syntax error", err)
	case test.positive():
		checkRoundTrip(t, quads)
	}
}

// checkRoundTrip writes quads canonically and reads them back.
func checkRoundTrip(t testing.TB, quads []rdf.Quad) {
	t.Helper()
	var text bytes.Buffer
	n, err := rdfio.WriteNQuads(&text, sequence(quads))
	if err != nil || int(n) != len(quads) {
		t.Fatalf("wrote %d of %d quads: %v", n, len(quads), err)
	}
	again, err := readAll(rdfio.NewNQuadsReader(&text, rdfio.Limits{}))
	if err != nil {
		t.Fatalf("canonical form does not parse: %v", err)
	}
	if diff := cmp.Diff(quads, again); diff != "" {
		t.Fatalf("round trip (-want +got):\n%s", diff)
	}
}

func sequence(quads []rdf.Quad) func(yield func(rdf.Quad, error) bool) {
	return func(yield func(rdf.Quad, error) bool) {
		for _, q := range quads {
			if !yield(q, nil) {
				return
			}
		}
	}
}

// readAll returns the quads before the first error; io.EOF is none.
func readAll(r *rdfio.NQuadsReader) ([]rdf.Quad, error) {
	var quads []rdf.Quad
	for {
		q, err := r.Read()
		if err == io.EOF {
			return quads, nil
		}
		if err != nil {
			return quads, err
		}
		quads = append(quads, q)
	}
}
