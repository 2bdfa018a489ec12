// Package rdftest runs the standards' test suites. It reads their manifests with the project's Turtle reader,
// checks the number of tests against COUNTS.tsv, and checks failures against a file of expected failures with
// reasons. What a test does is up to the caller. Start with [Suite].
package rdftest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trails/rdf"
)

// Dir returns the directory of the suites: TRAILS_SUITES, or ../shared/suites beside the repository. If there
// is none it skips the test, or fails it in CI.
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
	Result   rdf.Term // nil if the manifest has none
	Manifest *Manifest
}

// Positive reports whether a syntax or evaluation test expects success.
func (t Test) Positive() bool { return !strings.Contains(t.Type, "Negative") }

// Sample returns n tests of a type, spread over the whole suite.
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

// Suite is a set of tests that run together and end with a line of the suite's name and passed/total.
type Suite struct {
	Name  string
	Tests []Test
	// Expected names a file of expected failures, each line an IRI, white space and a reason. "" allows none.
	Expected string
	// Run returns why a test fails, or nil.
	Run func(Test) error
}

// W3C runs each test of a suite as a subtest. It does not check their number, see [CheckCounts].
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

// Check runs a suite without subtests, and returns the tests that W3C would fail. It is for tests of this
// package.
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

// judge returns an error for an unexpected failure, and for an expected one that did not occur.
func judge(err error, listed bool) error {
	switch {
	case listed && err == nil:
		return fmt.Errorf("passes, though it is listed as an expected failure: take it off the list")
	case listed:
		return nil
	}
	return err
}

// expected reads the file of expected failures. A line without a reason, or with an unknown test, is an
// error.
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
