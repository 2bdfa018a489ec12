package kg_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"trails/db"
	"trails/e2e/testrun"
	"trails/fault"
	"trails/kg"
	"trails/kg/load"
	"trails/rdf"
	"trails/rdf/rdfio"
)

// applyShown applies the schema that a file shows to the file.
func applyShown(t *testing.T, g *kg.Graph) {
	t.Helper()
	var text []byte
	view(t, g, func(s *kg.Snapshot) error { text = s.Schema().YAML(); return nil })
	change := kg.SchemaChange{Source: text}
	plan, err := g.Session(ana).PlanSchema(t.Context(), change)
	if err != nil || len(plan.Steps) > 0 {
		t.Fatalf("the plan is %v, %v\n%s", plan.Steps, err, text)
	}
	_, result, err := g.Session(ana).ApplySchema(t.Context(), change)
	if err != nil || result.AddedCount+result.RemovedCount > 0 {
		t.Fatalf("applying gives +%d -%d, %v\n%s", result.AddedCount, result.RemovedCount, err, text)
	}
}

// The schema that a file shows, applied to the file, has a plan without steps and changes
// nothing: of schemas that are drawn, of an export that another program wrote in an order
// and with blank nodes of its own, and of every old file.
func TestApplyingWhatIsShownChangesNothing(t *testing.T) {
	testrun.Alone(t)
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		g := createAt(t, newPath(t, dir), schemaGen().Draw(rt, "schema"))
		defer g.Close()
		applyShown(t, g)
		other := createAt(t, newPath(t, dir), "")
		defer other.Close()
		lines := strings.SplitAfter(strings.ReplaceAll(export(t, g, load.NQuads), "_:", "_:other"), "\n")
		text := strings.Join(rapid.Permutation(lines).Draw(rt, "order"), "")
		if err := importInto(t, other, load.NQuads, text); err != nil {
			rt.Fatalf("import: %v\n%s", err, text)
		}
		applyShown(t, other)
	})
	files, err := filepath.Glob("../testdata/files/format-*.db")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d stored files, error %v", len(files), err)
	}
	for _, file := range files {
		path := filepath.Join(dir, filepath.Base(file))
		if err := os.WriteFile(path, stored(t, file), 0o600); err != nil {
			t.Fatal(err)
		}
		applyShown(t, open(t, path))
	}
}

// An export whose schema says more than a schema can is refused with the names of all that
// does, and the file stays as it was.
func TestAShapeThatNothingShowsIsRefused(t *testing.T) {
	source := newFile(t, "types: {Person: {properties: {name: {type: string, required: true}}}}")
	whole := export(t, open(t, source), load.NQuads)
	const shapes = "_:c <http://www.w3.org/ns/shacl#select> \"SELECT $this {}\" <urn:trails:graph:schema> .\n" +
		"<urn:x:P> <http://www.w3.org/ns/shacl#targetClass> <urn:trails:t:Person> <urn:trails:graph:schema> .\n" +
		"<urn:x:P> <http://www.w3.org/ns/shacl#path> <urn:trails:t:name> <urn:trails:graph:schema> .\n" +
		"<urn:x:P> <http://www.w3.org/ns/shacl#sparql> _:c <urn:trails:graph:schema> .\n"
	g := createAt(t, newPath(t, t.TempDir()), "")
	defer g.Close()
	err := importInto(t, g, load.NQuads, whole+shapes)
	if !fault.Is(err, fault.InvalidData) || !strings.Contains(err.Error(), "<urn:x:P>") || !strings.Contains(err.Error(), "sh:path, sh:select, sh:sparql, sh:targetClass") {
		t.Errorf("got %v, want a refusal that names the shape and what it says", err)
	}
	if export(t, g, load.NQuads) != "" {
		t.Error("a refused export left something")
	}
	if err := importInto(t, g, load.NQuads, whole); err != nil {
		t.Errorf("without them: %v", err)
	}
}

// A file that an earlier version made has shapes beside the schema, which that version took
// without a word: one that can be checked is, and under one that cannot nothing is written.
// What the file shows can be read and applied, and takes them away.
func TestAShapeThatAnEarlierVersionTookIsEnforcedOrNothingIsWritten(t *testing.T) {
	const shapes = `@prefix sh: <http://www.w3.org/ns/shacl#> . `
	for text, refusal := range map[string]string{
		`<urn:x:P> a sh:PropertyShape ; sh:targetClass <urn:trails:t:Person> ; sh:path <urn:trails:t:name> ; sh:minLength 3 .`:             "name must have at least 3 characters",
		`<urn:x:S> a sh:NodeShape ; sh:targetClass <urn:trails:t:Person> ; sh:property [ sh:path <urn:trails:t:name> ; sh:minLength 3 ] .`: "name must have at least 3 characters",
		`<urn:x:S> sh:targetNode <urn:trails:t:Person/a> ; sh:nodeKind sh:Literal .`:                                                       "<urn:x:S>: not supported: sh:targetNode",
		`<urn:x:S> sh:targetSubjectsOf <urn:trails:t:name> ; sh:minLength 3 .`:                                                             "<urn:x:S>: not supported: sh:targetSubjectsOf",
		`<urn:x:C> a sh:ConstraintComponent ; sh:parameter [ sh:path <urn:x:max> ] . <urn:trails:t:Person> <urn:x:max> 3 .`:                "not supported: sh:",
		`<urn:x:o> sh:entailment <http://www.w3.org/ns/entailment/RDFS> .`:                                                                 "<urn:x:o>: not supported: sh:entailment",
	} {
		path := newFile(t, "types: {Person: {iri: preserve, properties: {name: {type: string}}}}")
		addToSchema(t, path, shapes+text)
		g := open(t, path)
		const record = `{"type":"Person","id":"%s","data":{"name":"Al"}}`
		_, err := tryLoad(t, g, kg.Load{}, "p.ndjson", fmt.Sprintf(record, "a"))
		if !fault.Is(err, fault.InvalidData) || !strings.Contains(fmt.Sprint(err, fault.Of(err).Fields), refusal) {
			t.Errorf("%s: got %v, want a refusal that says %q", text, err, refusal)
		}
		var shown []byte
		view(t, g, func(s *kg.Snapshot) error {
			if shown = s.Schema().YAML(); (s.Unenforced() != nil) != strings.Contains(refusal, "not supported") {
				t.Errorf("%s: the snapshot says %v", text, s.Unenforced())
			}
			return nil
		})
		if _, _, err := g.Session(ana).ApplySchema(t.Context(), kg.SchemaChange{Source: shown}); err != nil {
			t.Errorf("%s: apply what is shown: %v", text, err)
		}
		if _, err := tryLoad(t, g, kg.Load{}, "p.ndjson", fmt.Sprintf(record, "a")); err != nil {
			t.Errorf("%s: afterwards %v", text, err)
		}
		verify(t, g)
	}
}

// addToSchema writes statements of Turtle into the schema's graph of a file, as no call does.
func addToSchema(t *testing.T, path, text string) {
	t.Helper()
	f, err := db.Open(t.Context(), path, db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w, err := f.Write(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	r := rdfio.NewTurtleReader(strings.NewReader(text), "", rdfio.Limits{})
	var quads []rdf.Quad
	for {
		q, err := r.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		q.Label = rdf.SchemaGraph
		quads = append(quads, q)
	}
	slices.SortFunc(quads, func(a, b rdf.Quad) int { return bytes.Compare(rdf.AppendQuad(nil, a), rdf.AppendQuad(nil, b)) })
	for _, q := range quads {
		if _, err := w.Add(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	meta := db.CommitMeta{Time: clock()(), Author: "ana", SchemaVersion: w.Head().SchemaVersion + 1, SchemaChanged: true}
	if _, err := w.Commit(t.Context(), meta, nil); err != nil {
		t.Fatal(err)
	}
}
