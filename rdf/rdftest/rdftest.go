// Package rdftest runs the standards' own suites in tests: it reads their manifests
// with the project's own Turtle reader, holds the number of tests against
// COUNTS.tsv, and holds what fails against a file of expected failures, in which
// each has a reason. It knows nothing of what a test does. Start with [Suite].
package rdftest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trails/rdf"
)

// Dir returns where the suites are: TRAILS_SUITES, or ../shared/suites beside the
// repository. Without them it skips the test, and fails it in CI.
func Dir(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("TRAILS_SUITES")
	if dir == "" {
		dir = filepath.Join(repository(t), "..", "shared", "suites")
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

func repository(t testing.TB) string {
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

// Test is one entry of a manifest.
type Test struct {
	IRI      rdf.IRI
	Name     string
	Type     string // the local name of its rdf:type: "TestTurtleEval"
	Approval string // "Approved", "Proposed", …, or "none"
	Category string // the directory of its manifest
	Action   rdf.Term
	Result   rdf.Term // nil when the manifest names none
	Manifest *Manifest
}

// Positive reports whether a syntax or evaluation test wants success.
func (t Test) Positive() bool { return !strings.Contains(t.Type, "Negative") }

// Sample returns n of the tests of a type, from all over the suite.
func Sample(tests []Test, kind string, n int) []Test {
	var all, chosen []Test
	for _, test := range tests {
		if test.Type == kind {
			all = append(all, test)
		}
	}
	n = min(n, len(all))
	for i := range n {
		chosen = append(chosen, all[i*len(all)/n])
	}
	return chosen
}

// Suite is what runs together and ends with one line: its name, passed/total.
type Suite struct {
	Name  string
	Tests []Test
	// Expected names a file of tests that may fail: IRI, white space, reason.
	// "" allows none.
	Expected string
	// Run returns why a test fails, or nil.
	Run func(Test) error
}

// W3C runs a suite: each entry is a subtest. The caller has checked its counts.
func (s Suite) W3C(t *testing.T) {
	t.Helper()
	expected, err := s.expected()
	if err != nil {
		t.Fatal(err)
	}
	passed := 0
	for _, test := range s.Tests {
		reason, listed := expected[test.IRI]
		t.Run(test.Name, func(t *testing.T) {
			err := s.Run(test)
			if err == nil {
				passed++
			}
			if verdict := judge(err, listed); verdict != nil {
				t.Errorf("%s: %v", string(test.IRI), verdict)
			} else if listed {
				t.Logf("expected to fail, because %s: %v", reason, err)
			}
		})
	}
	fmt.Printf("%s %d/%d\n", s.Name, passed, len(s.Tests))
}

// Check runs a suite without a report of each test and returns what W3C would
// fail: for tests of the harness itself.
func (s Suite) Check() (failed []string, err error) {
	expected, err := s.expected()
	if err != nil {
		return nil, err
	}
	for _, test := range s.Tests {
		if judge(s.Run(test), expected[test.IRI] != "") != nil {
			failed = append(failed, test.Name)
		}
	}
	return failed, nil
}

// judge turns a test's outcome into the run's.
func judge(err error, listed bool) error {
	switch {
	case listed && err == nil:
		return fmt.Errorf("passes, though it is listed as an expected failure: take it off the list")
	case listed:
		return nil
	}
	return err
}

// expected reads the file of expected failures. A line without a reason and one
// that names no test of the suite are errors.
func (s Suite) expected() (map[rdf.IRI]string, error) {
	reasons := map[rdf.IRI]string{}
	if s.Expected == "" {
		return reasons, nil
	}
	text, err := os.ReadFile(s.Expected)
	if err != nil {
		return nil, err
	}
	known := map[rdf.IRI]bool{}
	for _, test := range s.Tests {
		known[test.IRI] = true
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		iri, reason, _ := strings.Cut(line, " ")
		reason = strings.TrimSpace(reason)
		switch {
		case reason == "":
			return nil, fmt.Errorf("%s: %s has no reason", s.Expected, iri)
		case !known[rdf.IRI(iri)]:
			return nil, fmt.Errorf("%s: %s is no test of %s", s.Expected, iri, s.Name)
		}
		reasons[rdf.IRI(iri)] = reason
	}
	return reasons, nil
}
