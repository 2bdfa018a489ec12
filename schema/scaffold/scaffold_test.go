package scaffold_test

import (
	"encoding/json"
	"errors"
	"go/format"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trails/example"
	"trails/fault"
	"trails/rdf"
	"trails/rdf/rdfio"
	"trails/schema"
	"trails/schema/scaffold"
	"trails/validate"
)

const base = "urn:example:"

// library has what a generated struct has to say: every kind of value, constraints, lists,
// references, supertypes, and ids of both kinds.
const library = `
types:
  Named: {abstract: true, label: name, properties: {name: {type: string, required: true, min_length: 3, max_length: 80}}}
  Person: {extends: Named, iri: preserve, properties: {born: date, email: uri}}
  Book:
    extends: Named
    description: "A book, with a \u0060 in it"
    key: isbn
    iri: key
    properties:
      isbn: {type: string, required: true, pattern: '^\d{13}$', description: "Its \u0060number\u0060"}
      pages: {type: integer, required: true, min_value: 1, max_value: 9000}
      price: decimal
      weight: number
      lent: {type: boolean, default: false}
      genre: {type: string, required: true, one_of: [novel, essay]}
      tags: {type: string, many: true}
      authors: {class: Person, min_count: 1, many: true}
      shape: {type: vector, dim: 2}
  Shelf: {label: limit, properties: {limit: {type: integer, required: true}, size: integer, written: boolean, due_date: datetime}}
`

func parsed(t *testing.T, text string) *schema.Schema {
	t.Helper()
	s, err := schema.ParseYAML([]byte(text), base)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestADiffLeadsFromWhatIsThere(t *testing.T) {
	now := map[string]string{"same": "a\n", "other": "a\nb\n"}
	got := scaffold.Between(now, scaffold.Draft{Path: "same", Text: "a\n"}, scaffold.Draft{Path: "other", Text: "a\nc\n"}, scaffold.Draft{Path: "new", Text: "n\n"})
	want := scaffold.Diff{Files: []scaffold.File{
		{Path: "other", Action: scaffold.Modify, Diff: "--- a/other\n+++ b/other\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n", Content: "a\nc\n"},
		{Path: "new", Action: scaffold.Create, Diff: "--- /dev/null\n+++ b/new\n@@ -0,0 +1,1 @@\n+n\n", Content: "n\n"},
	}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// The shape of a type judges data like the schema that it comes from, and brings what it
// needs along.
func TestAShapeStandsAlone(t *testing.T) {
	for _, s := range []*schema.Schema{parsed(t, library), parsed(t, strings.Replace(string(example.Schema), "urn:trails:example:", base, 1))} {
		for _, typ := range s.Types {
			draft, err := scaffold.Shape(s, typ.Name)
			if err != nil {
				t.Fatal(err)
			}
			var quads []rdf.Quad
			turtle := rdfio.NewTurtleReader(strings.NewReader(draft.Text), base, rdfio.Limits{})
			for {
				q, err := turtle.Read()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatalf("%v in\n%s", err, draft.Text)
				}
				quads = append(quads, q)
			}
			shapes, err := validate.Compile(quads)
			if err != nil {
				t.Fatalf("%v in\n%s", err, draft.Text)
			}
			for _, super := range append(s.Supertypes(typ), typ) {
				if !shapes.Targets(super.IRI) {
					t.Errorf("the shape of %s has none of %s", typ.Name, super.Name)
				}
			}
		}
	}
}

func TestATypeIsAPatchThatTheSchemaTakes(t *testing.T) {
	s := parsed(t, library)
	draft, err := scaffold.Type(s, scaffold.NewType{Name: "HTTPLoan", Description: "yes: a \"loan\"", Properties: []string{
		"title: string", "due:date", "of: {class: Book, required: true}", "state: {type: string, one_of: [open, done], default: open}",
	}})
	if err != nil {
		t.Fatal(err)
	}
	const want = `# Adds the type HTTPLoan: trails schema plan FILE --patch schema/add_http_loan.yaml
- add_type:
    HTTPLoan:
      description: 'yes: a "loan"'
      label: title
      properties:
        title: string
        due: date
        of:
          class: Book
          required: true
        state:
          type: string
          one_of: [open, done]
          default: open
`
	if d := cmp.Diff(scaffold.Draft{Path: "schema/add_http_loan.yaml", Text: want}, draft); d != "" {
		t.Error(d)
	}
	if after, err := s.Patch([]byte(draft.Text)); err != nil || after.Schema.Type("HTTPLoan") == nil {
		t.Error(err)
	}
	for _, wrong := range []scaffold.NewType{
		{Name: "Book"}, {Name: "a b"}, {Name: ""}, {Name: "A", Properties: []string{"x"}}, {Name: "A", Properties: []string{"x: {"}},
		{Name: "A", Properties: []string{"x: no_such"}}, {Name: "A", Properties: []string{"x: string", "x: date"}}, {Name: "A", Properties: []string{"x: string}}, B: {properties: {y: date"}},
	} {
		if draft, err := scaffold.Type(s, wrong); !fault.Is(err, fault.InvalidArguments) && !fault.Is(err, fault.InvalidData) {
			t.Errorf("%+v: %v %s", wrong, err, draft.Text)
		}
	}
}

// capabilities are wanted of the library.
var capabilities = []scaffold.NewCapability{
	{ID: "book.add", Type: "Book", Writes: true},
	{ID: "book.find", Type: "Book", Properties: []string{"genre", "pages", "price", "authors", "lent"}},
	{ID: "shelf.put_up", Type: "Shelf", Writes: true, Description: "Put up a \"shelf\"."},
	{ID: "shelf.find.by-size_test", Type: "Shelf", Properties: []string{"size", "due_date"}},
	{ID: "person.add", Type: "Person", Writes: true},
	{ID: "type", Type: "Named"},
}

// What is generated is formatted, passes go vet, and its tests pass. It is compiled as if it stood in
// this module, so that nothing else is compiled again for it.
func TestAGeneratedCapabilityWorks(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	dir, s := t.TempDir(), parsed(t, library)
	write := func(path string, text []byte) string {
		t.Helper()
		path = filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	generated := filepath.Join(root, "generated") // its folders are there, because vet works in them; their files stand in dir
	t.Cleanup(func() { os.RemoveAll(generated) })
	var overlay struct{ Replace map[string]string }
	overlay.Replace = map[string]string{}
	for _, n := range capabilities {
		drafts, err := scaffold.Capability(s, n)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range drafts {
			if strings.HasSuffix(d.Path, ".go") {
				formatted, err := format.Source([]byte(d.Text))
				if err != nil {
					t.Fatalf("%s: %v\n%s", d.Path, err, d.Text)
				}
				if diff := cmp.Diff(string(formatted), d.Text); diff != "" {
					t.Errorf("%s is not formatted: %s", d.Path, diff)
				}
			}
			place := filepath.Join(generated, filepath.FromSlash(d.Path))
			if err := os.MkdirAll(filepath.Dir(place), 0o755); err != nil {
				t.Fatal(err)
			}
			overlay.Replace[place] = write(d.Path, []byte(d.Text))
		}
	}
	replaced, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	list := write("overlay.json", replaced)
	run := func(dir, program string, arguments ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), program, arguments...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", program, err, out)
		}
	}
	run(root, "go", "vet", "-overlay", list, "./generated/...")
	if testing.Short() {
		return
	}
	tests := filepath.Join(dir, "tests") + string(filepath.Separator)
	run(root, "go", "test", "-overlay", list, "-c", "-o", tests, "./generated/...")
	binaries, err := filepath.Glob(tests + "*")
	if err != nil || len(binaries) == 0 {
		t.Fatalf("there are no tests of what is generated: %v", err)
	}
	for _, binary := range binaries {
		run(dir, binary)
	}
}

func TestACapabilityThatCannotBeIsRefused(t *testing.T) {
	s := parsed(t, library)
	for _, wrong := range []scaffold.NewCapability{
		{ID: "Book.add", Type: "Book"}, {ID: "book.add", Type: "NoBook"}, {ID: "book.add", Type: "Book", Properties: []string{"page"}},
		{ID: "book.add", Type: "Book", Properties: []string{"pages", "pages"}}, {ID: "book.add", Type: "Book", Properties: []string{"pages"}, Writes: true},
		{ID: "named.add", Type: "Named", Writes: true}, {ID: "book.like", Type: "Book", Properties: []string{"shape"}}, {ID: "trails.meta.a_b", Type: "Book"},
		{ID: "shelf.find", Type: "Shelf", Properties: []string{"limit"}},
	} {
		if _, err := scaffold.Capability(s, wrong); !fault.Is(err, fault.InvalidArguments) && !fault.Is(err, fault.InvalidData) {
			t.Errorf("%+v: %v", wrong, err)
		}
	}
}
