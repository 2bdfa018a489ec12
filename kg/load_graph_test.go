package kg_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"trails/fault"
	"trails/kg"
	"trails/kg/load"
	"trails/rdf"
)

func replaceIn(graph rdf.IRI) kg.Load {
	return kg.Load{Options: load.Options{Mode: load.Replace, Graph: graph}}
}

// TestAReplacedGraphIsWhatTheDataSays and other graphs are as before, for any quads.
func TestAReplacedGraphIsWhatTheDataSays(t *testing.T) {
	dir, n := t.TempDir(), 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		g := createAt(t, filepath.Join(dir, fmt.Sprint(n, ".db")), "")
		defer g.Close()
		mustLoad(t, g, "before.nq", lines(rapid.SliceOfN(anyQuadGen(), 0, 20).Draw(rt, "before")))
		graph := rapid.SampledFrom([]rdf.IRI{"urn:g", "urn:new", rdf.DefaultGraph}).Draw(rt, "graph")
		var data []rdf.Quad
		for _, q := range rapid.SliceOfN(anyQuadGen(), 0, 20).Draw(rt, "data") {
			q.Label = nil
			data = append(data, q)
		}
		others := func() (in, out []rdf.Quad) {
			for _, q := range quadsOf(t, export(t, g, load.NQuads)) {
				if q.Label == graph || q.Label == nil && graph == rdf.DefaultGraph {
					q.Label = nil
					in = append(in, q)
				} else {
					out = append(out, q)
				}
			}
			return in, out
		}
		_, before := others()
		if _, err := tryLoad(t, g, replaceIn(graph), "in.nt", lines(data)); err != nil {
			rt.Fatal(err)
		}
		in, after := others()
		if !rdf.Isomorphic(data, in) {
			rt.Fatalf("the graph is\n%swant\n%s", lines(in), lines(data))
		}
		if lines(before) != lines(after) {
			rt.Fatalf("other graphs are\n%swere\n%s", lines(after), lines(before))
		}
		if again, err := tryLoad(t, g, replaceIn(graph), "in.nt", lines(data)); err != nil || again.Changed || !again.Existed && len(data) > 0 {
			rt.Fatalf("again: %+v, %v", again.Result, err)
		}
	})
}

func lines(quads []rdf.Quad) string {
	var text []byte
	for _, q := range quads {
		text = append(rdf.AppendQuad(text, q), '\n')
	}
	return string(text)
}

func TestAReplacementIsTheDifference(t *testing.T) {
	g := newGraph(t, notes)
	put := func(text string) kg.Loaded {
		t.Helper()
		l, err := tryLoad(t, g, replaceIn("urn:g"), "in.ttl", text)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	if l := put("<urn:s> <urn:p> 1, 2 . <urn:t> <urn:p> [ <urn:q> 1 ] ."); l.Existed || l.AddedCount != 4 {
		t.Errorf("at first: %+v", l)
	}
	if l := put("<urn:s> <urn:p> 2, 3 . <urn:t> <urn:p> [ <urn:q> 1 ] ."); !l.Existed || l.AddedCount != 1 || l.RemovedCount != 1 {
		t.Errorf("one value: +%d -%d", l.AddedCount, l.RemovedCount)
	}
	if l := put("<urn:s> <urn:p> 2, 3 . <urn:t> <urn:p> [ <urn:q> 2 ] ."); l.AddedCount != 2 || l.RemovedCount != 2 {
		t.Errorf("a blank node: +%d -%d", l.AddedCount, l.RemovedCount)
	}
	if l := put(""); l.RemovedCount != 4 {
		t.Errorf("nothing: -%d", l.RemovedCount)
	}
	verify(t, g)
}

// TestManyBlankNodesAreReplaced without being compared with those that are there.
func TestManyBlankNodesAreReplaced(t *testing.T) {
	g := newGraph(t, "")
	text := strings.Repeat("[] <urn:p> 1 . ", 6_000)
	for range 2 {
		l, err := tryLoad(t, g, replaceIn("urn:g"), "in.ttl", text+text)
		if err != nil || l.AddedCount != 12_000 {
			t.Fatalf("+%d, %v", l.AddedCount, err)
		}
	}
}

func TestWhatALoadRequiresOfItsGraph(t *testing.T) {
	for says, c := range map[string]struct {
		load kg.Load
		data string
		want fault.Kind
	}{
		"no graph to replace":     {kg.Load{Options: load.Options{Mode: load.Replace}}, "", fault.InvalidArguments},
		"no graph to ask about":   {kg.Load{IfGraph: kg.Absent}, "", fault.InvalidArguments},
		"no such state":           {kg.Load{Options: load.Options{Graph: "urn:g"}, IfGraph: "new"}, "", fault.InvalidArguments},
		"the schema":              {replaceIn(rdf.SchemaGraph), "", fault.Denied},
		"a graph that there is":   {kg.Load{Options: load.Options{Graph: "urn:g"}, IfGraph: kg.Absent}, "", fault.Precondition},
		"a graph that is not":     {kg.Load{Options: load.Options{Graph: "urn:h"}, IfGraph: kg.Exists}, "", fault.Precondition},
		"the default graph":       {kg.Load{Options: load.Options{Graph: rdf.DefaultGraph}, IfGraph: kg.Absent}, "", fault.Precondition},
		"another graph":           {replaceIn("urn:g"), "<urn:h> { <urn:s> <urn:p> 1 }", fault.InvalidData},
		"another graph, added to": {kg.Load{Options: load.Options{Graph: "urn:g", OneGraph: true}}, "<urn:h> { <urn:s> <urn:p> 1 }", fault.InvalidData},
		"NDJSON":                  {kg.Load{Options: load.Options{Mode: load.Replace, Graph: "urn:g", Format: load.NDJSON}}, "{}", fault.InvalidArguments},
	} {
		t.Run(says, func(t *testing.T) {
			g := newGraph(t, notes)
			mustLoad(t, g, "in.nq", "<urn:s> <urn:p> <urn:o> <urn:g> .")
			if c.load.Format == "" {
				c.load.Format = load.TriG
			}
			if l, err := tryLoad(t, g, c.load, "in", c.data); !fault.Is(err, c.want) || l.Changed {
				t.Errorf("got %v, want %v", err, c.want)
			}
		})
	}
}

func TestJSONLDNamesTheContextsOfALoad(t *testing.T) {
	g := newGraph(t, notes)
	const body = `"@id":"urn:trails:t:Note/a","@type":"Note","title":"A","cites":[]}`
	if _, err := tryLoad(t, g, kg.Load{}, "own.jsonld", `{"@context":"trails://schema",`+body); err != nil {
		t.Fatal(err)
	}
	if got := export(t, g, load.NDJSON); got != note("a", "A") {
		t.Errorf("got %s", got)
	}
	named := `{"@context":["https://example.org/c","trails://schema"],` + strings.Replace(body, "Note/a", "Note/b", 1)
	_, err := tryLoad(t, g, kg.Load{}, "other.jsonld", named)
	if !fault.Is(err, fault.Missing) || !strings.Contains(err.Error(), "--context https://example.org/c=FILE") {
		t.Errorf("got %v", err)
	}
	contexts := map[string][]byte{"https://example.org/c": []byte(`{"@context":{"cites":null}}`)}
	if _, err := tryLoad(t, g, kg.Load{Options: load.Options{Contexts: contexts}}, "other.jsonld", named); err != nil {
		t.Error(err)
	}
}
