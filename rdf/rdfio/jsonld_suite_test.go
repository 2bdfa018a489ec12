package rdfio_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trails/rdf"
	"trails/rdf/rdfio"
	"trails/rdf/rdftest"
)

const jsonldBase = "https://w3c.github.io/json-ld-api/tests/"

// jsonldTest is one entry of a manifest of the JSON-LD suite, which is JSON.
type jsonldTest struct {
	ID      string   `json:"@id"`
	Types   []string `json:"@type"`
	Input   string   `json:"input"`
	Expect  string   `json:"expect"`
	Options struct {
		Base string `json:"base"`
	} `json:"option"`
}

// jsonldSuite loads a manifest; the suite knows of a test only what all have.
func jsonldSuite(t *testing.T, name string, count int, run func(dir string, test jsonldTest) error) rdftest.Suite {
	t.Helper()
	dir := filepath.Join(rdftest.Dir(t), "json-ld-api", "tests")
	text, err := os.ReadFile(filepath.Join(dir, name+"-manifest.jsonld"))
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct{ Sequence []jsonldTest }
	if err := json.Unmarshal(text, &manifest); err != nil {
		t.Fatal(err)
	}
	if len(manifest.Sequence) != count {
		t.Fatalf("%d tests in the manifest, want %d", len(manifest.Sequence), count)
	}
	byIRI := map[rdf.IRI]jsonldTest{}
	suite := rdftest.Suite{Name: "jsonld-" + strings.ToLower(name), Expected: "testdata/jsonld-" + strings.ToLower(name) + ".expected"}
	for _, test := range manifest.Sequence {
		iri := rdf.IRI(jsonldBase + name + "-manifest" + test.ID)
		byIRI[iri] = test
		suite.Tests = append(suite.Tests, rdftest.Test{IRI: iri, Name: strings.TrimPrefix(test.ID, "#"), Type: strings.TrimPrefix(test.Types[0], "jld:")})
	}
	suite.Run = func(test rdftest.Test) error { return run(dir, byIRI[test.IRI]) }
	return suite
}

// suiteContexts serves the files of the suite as contexts.
func suiteContexts(dir string) rdfio.ContextLoader {
	return func(iri string) ([]byte, bool) {
		name, ok := strings.CutPrefix(iri, jsonldBase)
		if !ok || !filepath.IsLocal(name) {
			return nil, false
		}
		text, err := os.ReadFile(filepath.Join(dir, name))
		return text, err == nil
	}
}

func TestW3CJSONLDToRDF(t *testing.T) {
	jsonldSuite(t, "toRdf", 467, runToRDF).W3C(t)
}

func runToRDF(dir string, test jsonldTest) error {
	f, err := os.Open(filepath.Join(dir, test.Input))
	if err != nil {
		return err
	}
	defer f.Close()
	base := jsonldBase + test.Input
	if test.Options.Base != "" {
		base = test.Options.Base
	}
	got, err := readAll(rdfio.NewJSONLDReader(f, base, rdfio.Limits{}, suiteContexts(dir)))
	switch test.Types[0] {
	case "jld:NegativeEvaluationTest":
		if err == nil {
			return fmt.Errorf("accepted")
		}
		return nil
	case "jld:PositiveSyntaxTest":
		return err
	}
	if err != nil {
		return err
	}
	want, err := nquadsFile(filepath.Join(dir, test.Expect))
	if err != nil {
		return err
	}
	if !rdf.Isomorphic(want, got) {
		return fmt.Errorf("got\n%swant\n%s", nquadsText(got), nquadsText(want))
	}
	return nil
}

func nquadsFile(name string) ([]rdf.Quad, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return readAll(rdfio.NewNQuadsReader(bytes.NewReader(text), rdfio.Limits{}))
}

func nquadsText(quads []rdf.Quad) string {
	var out strings.Builder
	_, _ = rdfio.WriteNQuads(&out, sequence(quads))
	return out.String()
}

func TestW3CJSONLDFromRDF(t *testing.T) {
	jsonldSuite(t, "fromRdf", 54, runFromRDF).W3C(t)
}

func runFromRDF(dir string, test jsonldTest) error {
	quads, err := nquadsFile(filepath.Join(dir, test.Input))
	var got bytes.Buffer
	if err == nil {
		err = rdfio.WriteExpandedJSONLD(&got, quads)
	}
	if test.Types[0] == "jld:NegativeEvaluationTest" {
		if err == nil {
			return fmt.Errorf("accepted")
		}
		return nil
	}
	if err != nil {
		return err
	}
	want, err := os.ReadFile(filepath.Join(dir, test.Expect))
	if err != nil {
		return err
	}
	if diff := cmp.Diff(unordered(want), unordered(got.Bytes())); diff != "" {
		return fmt.Errorf("(-want +got):\n%s", diff)
	}
	return nil
}

// unordered decodes JSON with all arrays but lists in an order of their own.
func unordered(text []byte) any {
	var document any
	if err := json.Unmarshal(text, &document); err != nil {
		return err.Error()
	}
	return sortArrays("", document)
}

func sortArrays(key string, value any) any {
	switch v := value.(type) {
	case map[string]any:
		for k, member := range v {
			v[k] = sortArrays(k, member)
		}
	case []any:
		for i, item := range v {
			v[i] = sortArrays("", item)
		}
		if key != "@list" {
			slices.SortFunc(v, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		}
	}
	return value
}
