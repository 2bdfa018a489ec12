package kg_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"pgregory.net/rapid"

	"trails/e2e/testrun"
	"trails/fault"
	"trails/kg"
	"trails/sparql"
	"trails/sparql/sparqltest"
)

// fuzzTime is what a query of FuzzQuery may take, and fuzzStuck when it did not hear of it.
const (
	fuzzTime  = 200 * time.Millisecond
	fuzzStuck = time.Minute
)

// FuzzQuery runs whatever parses on a small graph: it ends with an answer or with a fault
// that says whose it is, in its time.
func FuzzQuery(f *testing.F) {
	testrun.Alone(f)
	for _, text := range queryTexts(f) {
		f.Add(text)
	}
	e := newAsker(f)
	g, err := e.graph(f.Context(), rapid.Custom(sparqltest.Data).Example(1))
	if err != nil {
		f.Fatal(err)
	}
	defer g.Close()
	f.Fuzz(func(t *testing.T, text string) {
		q, err := sparql.Parse(text, sparql.Options{Base: sparqltest.NS, MaxBytes: 1 << 14, MaxDepth: 100})
		if err != nil {
			return
		}
		begun := time.Now()
		err = ranFor(t.Context(), g, q)
		if err != nil && fault.Of(err).Kind == fault.Internal {
			t.Errorf("%v is nobody's fault", err)
		}
		if took := time.Since(begun); took > fuzzStuck {
			t.Errorf("took %s", took)
		}
	})
}

// ranFor runs a query for as long as it may take.
func ranFor(ctx context.Context, g *kg.Graph, q *sparql.Query) error {
	ctx, cancel := context.WithTimeout(ctx, fuzzTime)
	defer cancel()
	return g.Session(ana).View(ctx, func(s *kg.Snapshot) error {
		_, err := answerOf(ctx, s, q)
		return err
	})
}

// queryTexts are queries to begin with: those that are drawn, those that are hostile and
// short, and those of the suites when they are there and there is time.
func queryTexts(t testing.TB) (texts []string) {
	if !testing.Short() {
		texts = suiteQueries(t)
	}
	drawn := rapid.Custom(func(t *rapid.T) string { return sparqltest.Query(t).Text })
	for seed := range 100 {
		texts = append(texts, drawn.Example(seed))
	}
	for _, h := range sparqltest.HostileTexts() {
		if !h.Update && len(h.Text) < 4000 {
			texts = append(texts, h.Text)
		}
	}
	return texts
}

func suiteQueries(t testing.TB) []string {
	dir := os.Getenv("TRAILS_SUITES")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared", "suites")
	}
	var texts []string
	err := filepath.WalkDir(filepath.Join(dir, "rdf-tests", "sparql"), func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(name) != ".rq" {
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
