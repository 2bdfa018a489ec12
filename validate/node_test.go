package validate_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"trails/fault"
	"trails/rdf"
	"trails/schema"
	"trails/validate"
)

func compile(t testing.TB, text string) *validate.Shapes {
	t.Helper()
	shapes, err := validate.Compile(quads(t, text))
	if err != nil {
		t.Fatal(err)
	}
	return shapes
}

func compileSchema(t testing.TB, src string) *validate.Shapes {
	t.Helper()
	s, err := schema.ParseYAML([]byte(src), string(ex))
	if err != nil {
		t.Fatal(err)
	}
	shapes, err := validate.Compile(s.Quads())
	if err != nil {
		t.Fatal(err)
	}
	return shapes
}

func TestTheZeroShapesAreKeptByEveryNodeUnread(t *testing.T) {
	var shapes validate.Shapes
	data := newMemory(quads(t, `<ex:a> <rdf:type> <ex:A>`))
	results, err := shapes.Node(t.Context(), data, ex+"a")
	if len(results) != 0 || err != nil || data.reads != 0 || !shapes.Empty() || shapes.Targets(ex+"A") {
		t.Errorf("got %v, %v after %d reads", results, err, data.reads)
	}
}

func TestTargetsSubclassesAndReferencePaths(t *testing.T) {
	shapes := compileSchema(t, `
types:
  Thing: {abstract: true, properties: {name: {type: string}}}
  Book: {extends: [Thing], properties: {author: {class: Person}, about: {class: Thing, many: true}, see: {type: iri}}}
  Person: {extends: [Thing]}
`)
	if shapes.Empty() || !shapes.Targets(ex+"Book") || shapes.Targets(ex+"Car") {
		t.Error("the wrong classes have shapes")
	}
	if diff := cmp.Diff([]rdf.IRI{ex + "about", ex + "author"}, shapes.ReferencePaths()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]rdf.IRI{ex + "Book", ex + "Person", ex + "Thing"}, shapes.Subclasses(ex+"Thing")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]rdf.IRI{ex + "Car"}, shapes.Subclasses(ex+"Car")); diff != "" {
		t.Error(diff)
	}
}

// Any number of nodes of other classes may have the value: a bounded look-up that
// is not asked for the class would miss the one that counts.
func TestUniquenessIsNotHiddenByNodesOfOtherClasses(t *testing.T) {
	shapes := compileSchema(t, "types:\n  A: {properties: {code: {type: string, unique: true}}}\n")
	var text strings.Builder
	for i := range 50 {
		fmt.Fprintf(&text, "<ex:o%d> <ex:code> \"x\"\n<ex:o%d> <rdf:type> <ex:Other>\n", i, i)
	}
	text.WriteString("<ex:a> <rdf:type> <ex:A>\n<ex:a> <ex:code> \"x\"\n")
	if got := codes(t, shapes, newMemory(quads(t, text.String())), ex+"a"); len(got) != 0 {
		t.Errorf("nodes of another class collide: %v", got)
	}
	text.WriteString("<ex:b> <rdf:type> <ex:A>\n<ex:b> <ex:code> \"x\"\n")
	if diff := cmp.Diff([]fault.Code{fault.Unique}, codes(t, shapes, newMemory(quads(t, text.String())), ex+"a")); diff != "" {
		t.Error(diff)
	}
}

func codes(t *testing.T, shapes *validate.Shapes, data *memory, focus rdf.Term) []fault.Code {
	t.Helper()
	results, err := validated(t, shapes, data, focus)
	if err != nil {
		t.Fatal(err)
	}
	var all []fault.Code
	for _, r := range results {
		all = append(all, r.FieldError().Code)
	}
	return all
}

func TestEveryCombinationOfValuesIsUniqueTogether(t *testing.T) {
	shapes := compile(t, `
<ex:S> <sh:targetClass> <ex:A>
<ex:S> <t:uniqueTogether> _:l
_:l <rdf:first> <ex:p>
_:l <rdf:rest> _:m
_:m <rdf:first> <ex:q>
_:m <rdf:rest> <rdf:nil>`)
	data := newMemory(quads(t, `
<ex:a> <rdf:type> <ex:A>
<ex:a> <ex:p> "1"
<ex:a> <ex:p> "2"
<ex:a> <ex:q> "x"
<ex:a> <ex:q> "y"
<ex:b> <rdf:type> <ex:A>
<ex:b> <ex:p> "2"
<ex:b> <ex:q> "y"
<ex:c> <rdf:type> <ex:A>
<ex:c> <ex:p> "1"`))
	results, err := shapes.Node(t.Context(), data, ex+"a")
	if err != nil {
		t.Fatal(err)
	}
	if len(results) != 1 || results[0].Message != `p and q must be unique together; "http://example.org/b" has ["2","y"] already` {
		t.Errorf("got %v", results)
	}
	if got := codes(t, shapes, data, ex+"c"); len(got) != 0 {
		t.Errorf("a missing value collides: %v", got)
	}
}

func TestTooManyCombinationsAreRefusedAndNotTried(t *testing.T) {
	shapes := compile(t, `
<ex:S> <sh:targetClass> <ex:A>
<ex:S> <t:key> _:l
_:l <rdf:first> <ex:p>
_:l <rdf:rest> _:m
_:m <rdf:first> <ex:q>
_:m <rdf:rest> <rdf:nil>`)
	var text strings.Builder
	text.WriteString("<ex:a> <rdf:type> <ex:A>\n")
	for i := range 40 {
		fmt.Fprintf(&text, "<ex:a> <ex:p> \"%d\"\n<ex:a> <ex:q> \"%d\"\n", i, i)
	}
	if _, err := shapes.Node(t.Context(), newMemory(quads(t, text.String())), ex+"a"); !fault.Is(err, fault.TooLarge) {
		t.Errorf("got %v, want too large", err)
	}
}

func TestANodeHasAtMostAThousandResults(t *testing.T) {
	shapes := compile(t, "<ex:S> <sh:targetClass> <ex:A>\n<ex:S> <sh:property> _:p\n_:p <sh:path> <ex:p>\n_:p <sh:nodeKind> <sh:IRI>\n_:p <sh:pattern> \"x\"")
	var text strings.Builder
	text.WriteString("<ex:a> <rdf:type> <ex:A>\n")
	for i := range 1500 {
		fmt.Fprintf(&text, "<ex:a> <ex:p> \"%d\"\n", i)
	}
	if got := codes(t, shapes, newMemory(quads(t, text.String())), ex+"a"); len(got) != validate.MaxResults {
		t.Errorf("got %d results", len(got))
	}
}

func TestLongValuesAreShortenedInMessagesOnly(t *testing.T) {
	shapes := compileSchema(t, "types:\n  A: {properties: {s: {type: string, max_length: 3}, t: {type: string, pattern: z}}}\n")
	long := strings.Repeat("ä", 500)
	data := newMemory([]rdf.Quad{
		{Subject: ex + "a", Predicate: rdf.Type, Object: ex + "A"},
		{Subject: ex + "a", Predicate: ex + "t", Object: rdf.Literal(long, "")},
	})
	results, err := shapes.Node(t.Context(), data, ex+"a")
	if err != nil || len(results) != 1 {
		t.Fatal(results, err)
	}
	f := results[0].FieldError()
	if want := `t must match z; "` + strings.Repeat("ä", 200) + `…" does not`; f.Message != want || !utf8.ValidString(f.Message) {
		t.Errorf("got %q", f.Message)
	}
	if f.Value != long {
		t.Error("the value is cut, too")
	}
}

func TestOfALongListOnlyTheBeginningIsShown(t *testing.T) {
	members := make([]string, 100)
	for i := range members {
		members[i] = fmt.Sprintf("m%d", i)
	}
	shapes := compileSchema(t, "types:\n  A: {properties: {s: {type: string, one_of: ["+strings.Join(members, ",")+"]}}}\n")
	data := newMemory(quads(t, "<ex:a> <rdf:type> <ex:A>\n<ex:a> <ex:s> \"x\""))
	results, err := shapes.Node(t.Context(), data, ex+"a")
	if err != nil || len(results) != 1 {
		t.Fatal(results, err)
	}
	f := results[0].FieldError()
	if !strings.Contains(f.Message, `"m19",…], not "x"`) || len(f.Constraint.([]any)) != 100 {
		t.Errorf("got %s with %v", f.Message, f.Constraint)
	}
}

func TestCancellationAndBrokenDataAreErrors(t *testing.T) {
	shapes := compileSchema(t, "types:\n  A: {properties: {a: {class: A}, u: {type: string, unique: true}}}\n")
	data := newMemory(quads(t, "<ex:a> <rdf:type> <ex:A>\n<ex:a> <ex:a> <ex:a>\n<ex:a> <ex:u> \"x\""))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := shapes.Node(ctx, data, ex+"a"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestACacheSparesReads(t *testing.T) {
	shapes := compileSchema(t, "types:\n  A: {properties: {to: {class: A}}}\n")
	data := newMemory(quads(t, "<ex:a> <rdf:type> <ex:A>\n<ex:b> <rdf:type> <ex:A>\n<ex:c> <rdf:type> <ex:A>\n<ex:a> <ex:to> <ex:c>\n<ex:b> <ex:to> <ex:c>"))
	cache := validate.NewCache(10)
	for _, focus := range []rdf.IRI{ex + "a", ex + "b"} {
		if results, err := shapes.NodeCached(t.Context(), data, focus, cache); err != nil || len(results) != 0 {
			t.Fatal(results, err)
		}
	}
	if data.reads != 3 {
		t.Errorf("got %d reads, want 3: two nodes and one reference", data.reads)
	}
}

func TestWhatIsSharedIsAskedOnceForAllNodes(t *testing.T) {
	shapes := compileSchema(t, "types:\n  A: {properties: {u: {type: string, unique: true}}}\n")
	data := newMemory(quads(t, "<ex:a> <rdf:type> <ex:A>\n<ex:a> <ex:u> \"x\"\n<ex:b> <rdf:type> <ex:A>\n<ex:b> <ex:u> \"y\"\n<ex:c> <rdf:type> <ex:A>\n<ex:c> <ex:u> \"y\""))
	cache, asked := validate.NewCache(10), 0
	cache.Shared = func(ctx context.Context, predicate rdf.IRI, limit int) ([]rdf.Term, bool, error) {
		asked++
		return data.Shared(ctx, predicate, limit)
	}
	for focus, want := range map[rdf.IRI]int{"a": 0, "b": 1, "c": 1} {
		results, err := shapes.NodeCached(t.Context(), data, ex+focus, cache)
		if err != nil || len(results) != want {
			t.Errorf("%s: %v, error %v, want %d results", focus, results, err, want)
		}
	}
	if asked != 1 || data.reads != 3+2*2 {
		t.Errorf("asked %d times, with %d reads, want once, and twice for the nodes that share a value", asked, data.reads)
	}
}

// BenchmarkNode validates a node of ten properties, data access included.
func BenchmarkNode(b *testing.B) {
	shapes := compileSchema(b, `
types:
  A:
    properties:
      id_code: {type: string, required: true, pattern: '^T\d{4}$'}
      name: {type: string, required: true, min_length: 1, max_length: 200}
      text: {type: string, max_length: 10000}
      status: {type: string, one_of: [new, done]}
      n: {type: integer, min_value: 0, max_value: 1000}
      x: {type: decimal}
      day: {type: date}
      made: {type: datetime}
      ok: {type: boolean}
      tags: {type: string, many: true}
`)
	data := newMemory(quads(b, `
<ex:a> <rdf:type> <ex:A>
<ex:a> <ex:id_code> "T1234"
<ex:a> <ex:name> "Something with a name"
<ex:a> <ex:text> "A sentence that says what this is and why it is here, in some words."
<ex:a> <ex:status> "done"
<ex:a> <ex:n> "42"^^<xsd:integer>
<ex:a> <ex:x> "1.5"^^<xsd:decimal>
<ex:a> <ex:day> "2024-05-31"^^<xsd:date>
<ex:a> <ex:made> "2024-05-31T12:00:00Z"^^<xsd:dateTime>
<ex:a> <ex:ok> "true"^^<xsd:boolean>
<ex:a> <ex:tags> "one"
<ex:a> <ex:tags> "two"`))
	b.ReportAllocs()
	for b.Loop() {
		results, err := shapes.Node(b.Context(), data, ex+"a")
		if err != nil || len(results) != 0 {
			b.Fatal(results, err)
		}
	}
}

func TestNodesHaveTheNamesThatTheCallerGives(t *testing.T) {
	shapes := compileSchema(t, "types:\n  A: {properties: {to: {class: A}, u: {type: string, unique: true}}}\n").
		Naming(func(node rdf.Term) string { return strings.TrimPrefix(rdf.Lexical(node), string(ex)) })
	data := newMemory(quads(t, "<ex:a> <rdf:type> <ex:A>\n<ex:a> <ex:to> <ex:gone>\n<ex:a> <ex:u> \"x\"\n<ex:b> <rdf:type> <ex:A>\n<ex:b> <ex:u> \"x\""))
	results, err := shapes.Node(t.Context(), data, ex+"a")
	if err != nil {
		t.Fatal(err)
	}
	var got []fault.FieldError
	for _, r := range results {
		got = append(got, r.FieldError())
	}
	want := []fault.FieldError{
		{Field: "to", Code: fault.Class, Message: `to must refer to an A; "gone" does not exist or has no type`, Value: "gone", Constraint: "A"},
		{Field: "u", Code: fault.Unique, Message: `u must be unique; "b" has "x" already`, Value: "x", Constraint: true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
