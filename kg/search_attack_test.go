package kg_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trails/e2e/testrun"
	"trails/kg"
	"trails/kg/browse"
	"trails/kg/load"
)

// attackGraph is a graph with the real data.
func attackGraph(tb testing.TB) *kg.Graph {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join(dataDir(tb), "attack", "attack.ndjson.gz"))
	if err != nil {
		tb.Fatal(err)
	}
	schema, err := os.ReadFile("../testdata/attack/schema.yaml")
	if err != nil {
		tb.Fatal(err)
	}
	path := filepath.Join(tb.TempDir(), "attack.db")
	if err := kg.Create(tb.Context(), path, kg.CreateOptions{Schema: schema}); err != nil {
		tb.Fatal(err)
	}
	g := open(tb, path)
	in := load.Input{Name: "attack.ndjson.gz", Reader: bytes.NewReader(data)}
	if _, err := g.Session(ana).Load(tb.Context(), kg.Load{Options: load.Options{Inputs: []load.Input{in}}}); err != nil {
		tb.Fatal(err)
	}
	return g
}

// The questions of testdata/attack/questions.txt are answered among the first five hits:
// names and ids nine times in ten, paraphrases 19 times in twenty.
func TestQuestionsAreAnsweredAmongTheFirstFive(t *testing.T) {
	testrun.Alone(t)
	g := attackGraph(t)
	text, err := os.ReadFile("../testdata/attack/questions.txt")
	if err != nil {
		t.Fatal(err)
	}
	asked, answered := map[string]int{}, map[string]int{}
	view(t, g, func(s *kg.Snapshot) error {
		for line := range strings.Lines(string(text)) {
			fields := strings.Split(strings.TrimSpace(line), "|")
			if len(fields) != 3 {
				continue
			}
			kind, question, ids := strings.TrimSpace(fields[0]), strings.TrimSpace(fields[1]), strings.Fields(fields[2])
			found, err := s.Search(t.Context(), browse.Search{Text: question, Limit: 5})
			if err != nil {
				return err
			}
			asked[kind]++
			var got []string
			for _, hit := range found.Hits {
				got = append(got, hit.ID)
			}
			if slices.ContainsFunc(ids, func(id string) bool { return slices.Contains(got, id) }) {
				answered[kind]++
				continue
			}
			t.Logf("%s %q (%s): %v, and not %v", kind, question, found.Matching, got, ids)
		}
		return nil
	})
	for kind, least := range map[string]float64{"name": 0.9, "near": 0.8, "paraphrase": 0.95} {
		recall := float64(answered[kind]) / float64(asked[kind])
		t.Logf("%s: %d of %d", kind, answered[kind], asked[kind])
		if recall < least {
			t.Errorf("%s: %.2f of the questions are answered, want %.2f", kind, recall, least)
		}
	}
}
