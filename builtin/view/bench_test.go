package view_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"trails/invoke"
	"trails/invoke/invoketest"
	"trails/kg"
	"trails/kg/load"
	"trails/rdf"
)

// viewSchema has what a table can show: a label, numbers, dates, listed values and links.
const viewSchema = `
types:
  Thing:
    label: name
    key: name
    iri: key
    properties:
      name: {type: string, required: true}
      rank: {type: integer, required: true}
      day: {type: date}
      open: {type: boolean}
      kind: {type: string, one_of: [fish, bird, mammal, insect, plant]}
      note: {type: string}
      likes: {class: Thing}
      follows: {class: Thing, many: true}
`

const (
	viewBase   = "urn:trails:example:"
	viewThings = 100_000
)

// viewQuads are ten quads of each thing; everything follows thing 0, and the later
// things like few of the earlier ones.
func viewQuads(things int) []byte {
	random := rand.New(rand.NewPCG(1, 2))
	kinds := []string{"fish", "bird", "mammal", "insect", "plant"}
	var b bytes.Buffer
	thing := func(i int) string { return fmt.Sprintf("<%sThing/thing%%20%d>", viewBase, i) }
	for i := range things {
		s := thing(i)
		day := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, random.IntN(3000)).Format(time.DateOnly)
		fmt.Fprintf(&b, "%s <%s> <%sThing> .\n", s, string(rdf.Type), viewBase)
		fmt.Fprintf(&b, "%s <%sname> \"thing %d\" .\n", s, viewBase, i)
		fmt.Fprintf(&b, "%s <%snote> \"what is said of %d\" .\n", s, viewBase, i)
		fmt.Fprintf(&b, "%s <%srank> \"%d\"^^<%s> .\n", s, viewBase, random.IntN(1000), string(rdf.XSDInteger))
		fmt.Fprintf(&b, "%s <%sday> \"%s\"^^<%s> .\n", s, viewBase, day, string(rdf.XSDDate))
		fmt.Fprintf(&b, "%s <%sopen> \"%t\"^^<%s> .\n", s, viewBase, i%3 == 0, string(rdf.XSDBoolean))
		fmt.Fprintf(&b, "%s <%skind> \"%s\" .\n", s, viewBase, kinds[random.IntN(len(kinds))])
		fmt.Fprintf(&b, "%s <%slikes> %s .\n", s, viewBase, thing(random.IntN(i/10+1)))
		fmt.Fprintf(&b, "%s <%sfollows> %s .\n", s, viewBase, thing(0))
		fmt.Fprintf(&b, "%s <%sfollows> %s .\n", s, viewBase, thing(1+random.IntN(things-1)))
	}
	return b.Bytes()
}

// viewFile is the file of all view benchmarks, made once in a run.
var viewFile = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "views")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "example.db")
	if err := fillViews(path); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

func fillViews(path string) error {
	ctx := context.Background()
	if err := kg.Create(ctx, path, kg.CreateOptions{Base: viewBase, Schema: []byte(viewSchema), By: invoketest.Ana}); err != nil {
		return err
	}
	g, err := kg.Open(ctx, path, kg.Options{})
	if err != nil {
		return err
	}
	defer g.Close()
	_, err = g.Session(invoketest.Ana).Load(ctx, kg.Load{Options: load.Options{Format: load.NQuads, Inputs: []load.Input{{Name: "generated", Reader: bytes.NewReader(viewQuads(viewThings))}}}})
	return err
}

func viewEngine(b *testing.B) *invoketest.Engine {
	b.Helper()
	data, err := viewFile()
	if err != nil {
		b.Fatal(err)
	}
	path := filepath.Join(b.TempDir(), "example.db")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		b.Fatal(err)
	}
	return invoketest.Open(b, path, invoke.Config{})
}

// viewBench is one call, made again and again.
func viewBench(b *testing.B, e *invoketest.Engine, name string, args func(i int) string, capabilities ...string) {
	b.Run(name, func(b *testing.B) {
		i := 0
		for b.Loop() {
			i++
			for _, id := range capabilities {
				r, err := e.Call(b.Context(), invoke.Call{Capability: id, Args: json.RawMessage(args(i)), Principal: invoketest.Ana, Via: "bench"})
				if err != nil {
					b.Fatal(err)
				}
				if len(r.Structured) < 20 {
					b.Fatalf("%s", r.Structured)
				}
			}
		}
	})
}

func always(args string) func(int) string { return func(int) string { return args } }

// BenchmarkInstancePage is what a page about one node asks: the node and its history.
// A node that all others refer to costs no more.
func BenchmarkInstancePage(b *testing.B) {
	e := viewEngine(b)
	viewBench(b, e, "one of many", func(i int) string {
		return fmt.Sprintf(`{"type":"Thing","id":"thing %d"}`, i*7919%viewThings)
	}, "entity_get", "entity_history")
	viewBench(b, e, "with 100000 links to it", always(`{"type":"Thing","id":"thing 0"}`), "entity_get", "entity_history")
}

// BenchmarkTypePage is a page of 100 of 100,000 instances.
func BenchmarkTypePage(b *testing.B) {
	e := viewEngine(b)
	const page = `{"type":"Thing","limit":100,"facets":true,"columns":["name","rank","day","kind","likes","follows"]%s}`
	for _, c := range []struct{ name, more string }{
		{"in the order of the file", ``},
		{"by number", `,"sort":"rank"`},
		{"by date, latest first", `,"sort":"-day"`},
		{"filtered", `,"where":[{"property":"kind","value":"bird"},{"property":"open","value":true}]`},
		{"three conditions", `,"where":[{"property":"kind","value":"bird"},{"property":"rank","op":">=","value":100},{"property":"day","op":"<","value":"2024"}]`},
		{"filtered and sorted", `,"sort":"rank","where":[{"property":"kind","value":"bird"}]`},
		{"filtered to few and sorted by text", `,"sort":"name","where":[{"property":"rank","value":7}]`},
		{"deep", `,"offset":90000`},
		{"deep by number", `,"sort":"rank","offset":50000`},
		{"by text", `,"sort":"name"`},
		{"by a listed value and a number, the greatest first", `,"sort":"kind,-rank"`},
		{"by a number and a text", `,"sort":"rank,name"`},
		{"by the label of a reference", `,"sort":"likes"`},
		{"searched", `,"search":"thing 99"`},
		{"searched in vain", `,"search":"nothing"`},
	} {
		viewBench(b, e, c.name, always(fmt.Sprintf(page, c.more)), "entities_list")
	}
}

// BenchmarkList is a page of 20 of 100,000 instances, as the tool list answers it.
func BenchmarkList(b *testing.B) {
	e := viewEngine(b)
	for _, c := range []struct{ name, more string }{
		{"first page", ``},
		{"equal", `,"where":[{"property":"kind","value":"bird"}]`},
		{"equal to a number that few have", `,"where":[{"property":"rank","value":7}]`},
		{"unequal", `,"where":[{"property":"kind","op":"!=","value":"bird"}]`},
		{"less, many", `,"where":[{"property":"rank","op":"<","value":500}]`},
		{"less, few", `,"where":[{"property":"rank","op":"<","value":3}]`},
		{"in", `,"where":[{"property":"kind","op":"in","value":["bird","fish"]}]`},
		{"contains, many", `,"where":[{"property":"note","op":"contains","value":"SAID OF 9"}]`},
		{"contains, few", `,"where":[{"property":"note","op":"contains","value":"99999"}]`},
		{"starts", `,"where":[{"property":"name","op":"starts","value":"thing 9999"}]`},
		{"empty", `,"where":[{"property":"note","op":"is_empty"}]`},
		{"path, many", `,"where":[{"property":"likes.kind","value":"bird"}]`},
		{"path, few", `,"where":[{"property":"follows.name","value":"thing 77"}]`},
		{"path to a number", `,"where":[{"property":"likes.rank","op":"<","value":3}]`},
		{"four conditions", `,"where":[{"property":"kind","value":"bird"},{"property":"rank","op":">=","value":100},{"property":"likes.open","value":true},{"property":"note","op":"contains","value":"7"}]`},
		{"sorted by number, less", `,"sort":"-rank","where":[{"property":"rank","op":"<","value":500}]`},
		{"sorted by path", `,"sort":"likes.rank"`},
		{"select paths", `,"select":["likes.name","likes.likes"]`},
		{"facets", `,"facets":true,"where":[{"property":"rank","op":"<","value":500}]`},
	} {
		viewBench(b, e, c.name, always(fmt.Sprintf(`{"type":"Thing"%s}`, c.more)), "list")
	}
}

// BenchmarkGraph is the largest neighbourhood that can be asked for.
func BenchmarkGraph(b *testing.B) {
	e := viewEngine(b)
	viewBench(b, e, "2000 nodes", always(`{"type":"Thing","id":"thing 0","depth":2,"limit":2000}`), "entity_graph")
	viewBench(b, e, "200 nodes", always(`{"type":"Thing","id":"thing 77","depth":4,"limit":200}`), "entity_graph")
}

// BenchmarkOtherViews are the rest.
func BenchmarkOtherViews(b *testing.B) {
	e := viewEngine(b)
	viewBench(b, e, "commit of a load", always(`{"id":"head"}`), "commit_view")
	viewBench(b, e, "suggest", always(`{"what":"entities","type":"Thing","prefix":"thing 9"}`), "suggest")
	viewBench(b, e, "suggest in vain", always(`{"what":"entities","type":"Thing","prefix":"what"}`), "suggest")
}
