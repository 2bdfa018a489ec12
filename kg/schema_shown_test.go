package kg_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"trails/fault"
	"trails/kg"
	"trails/kg/load"
	"trails/kits/testrun"
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
