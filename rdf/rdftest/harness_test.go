package rdftest_test

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trails/e2e/testrun"
	"trails/rdf"
	"trails/rdf/rdfio"
	"trails/rdf/rdftest"
)

// spoiled is a reader that changes what another one read.
type spoiled struct {
	rdfio.Reader
	spoil func(rdf.Quad) (q rdf.Quad, keep bool)
}

func (s spoiled) Read() (rdf.Quad, error) {
	for {
		q, err := s.Reader.Read()
		if err != nil {
			return q, err
		}
		if q, keep := s.spoil(q); keep {
			return q, nil
		}
	}
}

func trigReader(r io.Reader, base string) rdfio.Reader {
	return rdfio.NewTriGReader(r, base, rdfio.Limits{})
}

func trigSuite(t *testing.T, read rdftest.NewReader) rdftest.Suite {
	t.Helper()
	tests := rdftest.Load(t, rdftest.Dir(t), "rdf/rdf11/rdf-trig/manifest.ttl")
	return rdftest.Suite{Name: "trig", Tests: tests, Run: rdftest.Parse(read)}
}

func failures(t *testing.T, s rdftest.Suite) []string {
	t.Helper()
	failed, err := s.Check()
	if err != nil {
		t.Fatal(err)
	}
	return failed
}

// TestASpoiledReaderFailsTheSuite breaks the reader in ways that a weak harness
// would not see.
func TestASpoiledReaderFailsTheSuite(t *testing.T) {
	testrun.Alone(t)
	if failed := failures(t, trigSuite(t, trigReader)); failed != nil {
		t.Fatalf("the reader itself fails %v", failed)
	}
	for says, spoil := range map[string]func() func(rdf.Quad) (rdf.Quad, bool){
		"loses the second quad":           loseSecond,
		"changes a datatype":              always(changeDatatype),
		"changes a language":              always(changeLanguage),
		"makes all blank nodes one":       always(mergeBlankNodes),
		"loses the quads of named graphs": func() func(rdf.Quad) (rdf.Quad, bool) { return inDefaultGraphOnly },
		"loses the names of graphs":       always(func(q rdf.Quad) rdf.Quad { q.Label = nil; return q }),
		"changes a lexical form":          always(changeLexical),
	} {
		t.Run(says, func(t *testing.T) {
			suite := trigSuite(t, func(r io.Reader, base string) rdfio.Reader { return spoiled{trigReader(r, base), spoil()} })
			if failures(t, suite) == nil {
				t.Error("the suite passes")
			}
		})
	}
}

func always(change func(rdf.Quad) rdf.Quad) func() func(rdf.Quad) (rdf.Quad, bool) {
	return func() func(rdf.Quad) (rdf.Quad, bool) {
		return func(q rdf.Quad) (rdf.Quad, bool) { return change(q), true }
	}
}

func loseSecond() func(rdf.Quad) (rdf.Quad, bool) {
	n := 0
	return func(q rdf.Quad) (rdf.Quad, bool) {
		n++
		return q, n != 2
	}
}

func changeDatatype(q rdf.Quad) rdf.Quad {
	if rdf.DatatypeOf(q.Object) == rdf.XSDInteger {
		q.Object = rdf.Literal(rdf.Lexical(q.Object), rdf.XSDDecimal)
	}
	return q
}

func changeLanguage(q rdf.Quad) rdf.Quad {
	if lang, ok := rdf.LangOf(q.Object); ok {
		q.Object = rdf.LangLiteral(rdf.Lexical(q.Object), lang+"-x-other")
	}
	return q
}

func changeLexical(q rdf.Quad) rdf.Quad {
	if rdf.DatatypeOf(q.Object) == rdf.XSDInteger {
		q.Object = rdf.Literal("+"+rdf.Lexical(q.Object), rdf.XSDInteger)
	}
	return q
}

func mergeBlankNodes(q rdf.Quad) rdf.Quad {
	if _, ok := q.Subject.(rdf.BNode); ok {
		q.Subject = rdf.BNode("one")
	}
	if _, ok := q.Object.(rdf.BNode); ok {
		q.Object = rdf.BNode("one")
	}
	return q
}

func inDefaultGraphOnly(q rdf.Quad) (rdf.Quad, bool) { return q, q.Label == nil }

func TestAReaderThatTakesEverythingFailsNegativeTests(t *testing.T) {
	testrun.Alone(t)
	empty := func(io.Reader, string) rdfio.Reader {
		return rdfio.NewNQuadsReader(strings.NewReader(""), rdfio.Limits{})
	}
	suite := trigSuite(t, empty)
	failed := failures(t, suite)
	for _, test := range suite.Tests {
		if !test.Positive() && !slices.Contains(failed, test.Name) {
			t.Errorf("%s passes", test.Name)
		}
	}
}

// TestExpectedFailures holds a list of expected failures to what really fails.
func TestExpectedFailures(t *testing.T) {
	testrun.Alone(t)
	broken := func(r io.Reader, base string) rdfio.Reader { return spoiled{trigReader(r, base), loseSecond()} }
	suite := trigSuite(t, broken)
	failing, passing := failures(t, suite), "trig-syntax-bad-uri-01"
	if len(failing) == 0 || slices.Contains(failing, passing) {
		t.Fatalf("the broken reader fails %v", failing)
	}
	const ns = rdftest.Base + "rdf/rdf11/rdf-trig/manifest.ttl#"
	iri := func(name string) string {
		i := slices.IndexFunc(suite.Tests, func(t rdftest.Test) bool { return t.Name == name })
		return string(suite.Tests[i].IRI)
	}
	listed := func(lines ...string) string {
		path := filepath.Join(t.TempDir(), "expected")
		if err := os.WriteFile(path, []byte("# comment\n\n"+strings.Join(lines, "\n")), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	suite.Expected = listed(iri(failing[0]) + " because it is broken")
	if diff := cmp.Diff(failing[1:], failures(t, suite)); diff != "" {
		t.Errorf("a listed failure still fails (-want +got):\n%s", diff)
	}
	suite.Expected = listed(iri(passing) + " because we think so")
	if !slices.Contains(failures(t, suite), passing) {
		t.Error("a test that passes though it is listed does not fail the run")
	}
	for says, line := range map[string]string{"no reason": iri(failing[0]), "no such test": ns + "none because"} {
		suite.Expected = listed(line)
		if _, err := suite.Check(); err == nil {
			t.Errorf("%s: accepted", says)
		}
	}
}

// fatal stands in for a test that a helper may fail.
type fatal struct {
	testing.TB
	failed bool
}

func (f *fatal) Helper()               {}
func (f *fatal) Fatal(...any)          { f.failed = true }
func (f *fatal) Fatalf(string, ...any) { f.failed = true }

func TestCountsThatDifferFail(t *testing.T) {
	testrun.Alone(t)
	suites := rdftest.Dir(t)
	tests := rdftest.Load(t, suites, "rdf/rdf11/rdf-trig/manifest.ttl")
	for says, c := range map[string]struct {
		tests      []rdftest.Test
		categories []string
		fails      bool
	}{
		"all there":        {tests, []string{"rdf-trig"}, false},
		"one lost":         {tests[1:], []string{"rdf-trig"}, true},
		"one twice":        {append(tests[:len(tests):len(tests)], tests[0]), []string{"rdf-trig"}, true},
		"unknown category": {nil, []string{"rdf-none"}, true},
	} {
		probe := &fatal{TB: t}
		rdftest.CheckCounts(probe, suites, "rdf11", c.tests, c.categories...)
		if probe.failed != c.fails {
			t.Errorf("%s: failed is %v, want %v", says, probe.failed, c.fails)
		}
	}
}
