package kg_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"trails/e2e/testrun"
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
	if l := put("<urn:s> <urn:p> 2, 3 . <urn:t> <urn:p> [ <urn:q> 2 ] ."); l.AddedCount != 1 || l.RemovedCount != 1 {
		t.Errorf("a blank node: +%d -%d", l.AddedCount, l.RemovedCount)
	}
	if l := put(""); l.RemovedCount != 4 {
		t.Errorf("nothing: -%d", l.RemovedCount)
	}
	verify(t, g)
}

// TestManyBlankNodesAreReplaced without being compared with those that are there.
func TestManyBlankNodesAreReplaced(t *testing.T) {
	testrun.Alone(t)
	g := newGraph(t, "")
	text := strings.Repeat("[] <urn:p> 1 . ", load.MaxBlank)
	for range 2 { // one more than are compared
		l, err := tryLoad(t, g, replaceIn("urn:g"), "in.ttl", text+"[] <urn:p> 1 .")
		if err != nil || l.AddedCount != load.MaxBlank+1 {
			t.Fatalf("+%d, %v", l.AddedCount, err)
		}
	}
	if l, err := tryLoad(t, g, replaceIn("urn:h"), "in.ttl", text[:len(text)/5]); err != nil || l.AddedCount != load.MaxBlank/5 {
		t.Fatalf("+%d, %v", l.AddedCount, err)
	}
	if l, err := tryLoad(t, g, replaceIn("urn:h"), "in.ttl", text[:len(text)/5]+"<urn:s> <urn:p> [] ."); err != nil || l.AddedCount != 1 || l.RemovedCount != 0 {
		t.Errorf("of those that are compared: +%d -%d, %v", l.AddedCount, l.RemovedCount, err)
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

// TestReplacingAGraphChangesWhatDiffers holds that blank nodes of a document that is loaded again
// are those of the graph where they say the same, in a document that has some statements more
// and in one that has some less; and that an undo is of the nodes of these.
func TestReplacingAGraphChangesWhatDiffers(t *testing.T) {
	document := func(from, to int, more string) string {
		var b strings.Builder
		b.WriteString("@prefix : <urn:v:> .\n")
		for i := from; i < to; i++ {
			fmt.Fprintf(&b, ":s%d :shape [ :path :p%d ; :min %d ; :or ( [ :of :d%d ] [ :of [] ] ) ] , [ :path :q ] .\n", i, i%7, i%3, i%2)
		}
		return b.String() + more
	}
	g := newGraph(t, "")
	step := func(text string, added, removed int64) kg.Loaded {
		t.Helper()
		l, err := tryLoad(t, g, replaceIn("urn:g"), "in.ttl", text)
		if err != nil || l.AddedCount != added || l.RemovedCount != removed {
			t.Errorf("+%d -%d, %v, want +%d -%d", l.AddedCount, l.RemovedCount, err, added, removed)
		}
		return l
	}
	step(document(0, 80, ""), 80*12, 0)
	four := ":s3 :note 'new' . :s5 :shape [ :path :extra ; :max 1 ] ."
	l := step(document(0, 80, four), 4, 0)
	if again := step(document(0, 80, four), 0, 0); again.Changed || strings.Contains(strings.Join(again.Warnings, " "), "no statements") {
		t.Errorf("again: %+v", again)
	}
	undone, err := g.Session(ana).Undo(t.Context(), kg.Undo{Commit: l.After.ID})
	if err != nil || undone.RemovedCount != 4 || undone.AddedCount != 0 {
		t.Errorf("undone: %+v, %v", undone, err)
	}
	if undone.NodeCount != 3 { // two that are named, and the blank node
		t.Errorf("an undo is of %d nodes", undone.NodeCount)
	}
	step(document(1, 80, ""), 0, 12)
	verify(t, g)
}
