package kg_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"trails/e2e/testrun"
	"trails/kg"
	"trails/kg/change"
	"trails/kg/load"
	"trails/rdf"
	"trails/sparql"
	"trails/sparql/sparqltest"
)

// compared is a comparison as text: the steps of the schema, and a line for each property of each node.
func compared(t testing.TB, g *kg.Graph, from, to kg.Commit) (lines []string) {
	t.Helper()
	snap, err := g.Session(ana).Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c, err := snap.Compare(t.Context(), from, to)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, step := range c.Definitions().Steps {
		if what := step.String(); !strings.HasPrefix(what, "change Note was") && !strings.HasPrefix(what, "change Note order") {
			lines = append(lines, what)
		}
	}
	values := func(list []rdf.Term) (texts []string) {
		for _, v := range list {
			texts = append(texts, strings.TrimPrefix(rdf.Lexical(v), base))
		}
		slices.Sort(texts)
		return texts
	}
	for n, err := range c.Nodes(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range n.Changes {
			line := fmt.Sprint(n.What, " ", c.Name(n.Node), " ", c.Schema().Short(p.Predicate), " ", values(p.Old), " ", values(p.New))
			if n.Graph != nil {
				line += " in " + rdf.Lexical(n.Graph)
			}
			lines = append(lines, line)
		}
	}
	slices.Sort(lines)
	return lines
}

// What came, what went and what changed is told by node and property, with the values before and after.
func TestADifferenceIsToldByNodeAndProperty(t *testing.T) {
	g := people(t, massSchema, massData(3))
	from := head(t, g)
	update(t, g, `DELETE DATA { <`+base+`Note/n0> :size 0 } ; INSERT DATA { <`+base+`Note/n0> :size 7 ; :also "x", "y" }`)
	update(t, g, `DELETE WHERE { <`+base+`Mark/m1> ?p ?o }`)
	update(t, g, `INSERT DATA { <`+base+`Mark/m9> a :Mark ; :about <`+base+`Note/n0> . GRAPH <urn:g> { <`+base+`Mark/m9> <urn:says> "z" } }`)
	update(t, g, `DELETE DATA { <`+base+`Note/n0> :also "y" } ; INSERT DATA { <`+base+`Note/n2> :also "back" }`)
	update(t, g, `DELETE DATA { <`+base+`Note/n2> :also "back" }`)
	to := head(t, g)
	want := []string{
		"changed Note/n0 :also [] [x]",
		"changed Note/n0 :size [0] [7]",
		"made Mark/m9 :about [] [Note/n0]",
		"made Mark/m9 rdf:type [] [Mark]",
		"made Mark/m9 urn:says [] [z] in urn:g",
		"removed Mark/m1 :about [Note/n1] []",
		"removed Mark/m1 rdf:type [Mark] []",
	}
	if diff := cmp.Diff(want, compared(t, g, from, to)); diff != "" {
		t.Error(diff)
	}
	if whole := compared(t, g, kg.Commit{}, from); !slices.Contains(whole, "made Note/n2 :title [] [t2]") || !slices.Contains(whole, "add type Mark (1 property)") {
		t.Errorf("all of it came since the empty graph: %q", whole)
	}
}

// A type and a property that got another name are told as that, whatever data they have, and a value that changed, too, is
// told under the new name; so it is on the way back.
func TestARenameIsNoDifferenceOfData(t *testing.T) {
	g := people(t, massSchema, massData(3))
	from := head(t, g)
	apply := func(patch string) {
		t.Helper()
		if _, _, err := g.Session(ana).ApplySchema(t.Context(), kg.SchemaChange{Patch: []byte(patch)}); err != nil {
			t.Fatal(err)
		}
	}
	apply("- rename_property: {Note.title: name}")
	apply("- rename_property: {Note.name: heading}\n- rename_property: {Mark.about: of}")
	apply("- rename_type: {Mark: Sign}")
	renames := []string{"rename property Note.title to heading", "rename property Sign.about to of", "rename type Mark to Sign"}
	got := compared(t, g, from, head(t, g))
	if diff := cmp.Diff(renames, got); diff != "" {
		t.Error(diff)
	}
	update(t, g, `DELETE DATA { <`+base+`Note/n0> :heading "t0" } ; INSERT DATA { <`+base+`Note/n0> :heading "new" } ; DELETE WHERE { <`+base+`Mark/m2> ?p ?o }`)
	for _, line := range []string{"changed Note/n0 :heading [t0] [new]", "removed Sign/m2 :of [Note/n2] []", "removed Sign/m2 rdf:type [Sign] []"} {
		if got := compared(t, g, from, head(t, g)); !slices.Contains(got, line) || len(got) != len(renames)+3 {
			t.Errorf("%q has no %q", got, line)
		}
	}
	back := compared(t, g, head(t, g), from)
	for _, line := range []string{"changed Note/n0 :title [new] [t0]", "made Mark/m2 :about [] [Note/n2]", "made Mark/m2 rdf:type [] [Mark]"} {
		if !slices.Contains(back, line) || len(back) != len(renames)+3 {
			t.Errorf("back: %q has no %q", back, line)
		}
	}
}

// The update and the patch of a difference make the second state of the first one, whatever differs: an update without
// blank nodes, and a patch with them.
func TestTheTextOfADifferenceReplaysIt(t *testing.T) {
	testrun.Alone(t)
	g := newGraph(t, "")
	n := 0
	rapid.Check(t, func(r *rapid.T) {
		data := sparqltest.Data(r)
		blank := func(q rdf.Quad) bool {
			_, subject := q.Subject.(rdf.BNode)
			_, object := q.Object.(rdf.BNode)
			return subject || object
		}
		blanks := rapid.Bool().Draw(r, "blank nodes")
		if !blanks {
			data = slices.DeleteFunc(data, blank)
		}
		from := head(t, g)
		before := exportOf(t, g, kg.Main, load.NQuads)
		var edits []change.Edit
		view(t, g, func(s *kg.Snapshot) error {
			for q, err := range s.Match(t.Context(), rdf.Quad{}) {
				if err != nil {
					return err
				}
				if q.Label != rdf.SchemaGraph && !slices.Contains(data, q) && (blanks || !blank(q)) && rapid.Bool().Draw(r, "gone") {
					edits = append(edits, change.Edit{Op: change.Retract, Quad: q})
				}
			}
			return nil
		})
		for _, q := range data {
			edits = append(edits, change.Edit{Op: change.Assert, Quad: q})
		}
		commit(t, g, edits)
		to, after := head(t, g), exportOf(t, g, kg.Main, load.NQuads)
		snap, err := g.Session(ana).Snapshot(t.Context())
		if err != nil {
			r.Fatal(err)
		}
		c, err := snap.Compare(t.Context(), from, to)
		if err != nil {
			r.Fatal(err)
		}
		defer c.Close()
		update, patch, empty := c.UpdateText(), c.PatchText(), true
		for change, err := range c.Statements(t.Context()) {
			if err == nil && !blanks {
				_, err = update.Add(change, math.MaxInt)
			}
			if _, failed := patch.Add(change, math.MaxInt); err != nil || failed != nil {
				r.Fatal(err, failed)
			}
			empty = false
		}
		lines := map[string]bool{}
		for line := range strings.Lines(before) {
			lines[line] = true
		}
		for line := range strings.Lines(patch.String()) {
			switch quad := line[2:]; line[:2] {
			case "A ":
				lines[quad] = true
			case "D ":
				delete(lines, quad)
			}
		}
		if got := strings.Join(slices.Sorted(maps.Keys(lines)), ""); got != strings.Join(slices.Sorted(strings.Lines(after)), "") {
			r.Fatalf("the patch\n%s\nmakes\n%s\nof\n%s\nand not\n%s", patch, got, before, after)
		}
		if blanks || empty || from.ID.IsZero() {
			return
		}
		n++
		name := fmt.Sprint("replay-", n)
		if _, err := g.Session(ana).MakeBranch(t.Context(), kg.NewBranch{Name: name, From: from.ID.Whole()}); err != nil {
			r.Fatal(err)
		}
		u, err := sparql.ParseUpdate(update.String(), sparql.Options{})
		if err == nil {
			_, err = g.Session(ana).On(name).Update(t.Context(), u, kg.ChangeSet{}, kg.UpdateOptions{})
		}
		if err != nil {
			r.Fatalf("%s\n%v", update, err)
		}
		if got := exportOf(t, g, name, load.NQuads); got != after {
			r.Fatalf("the update\n%s\nmakes\n%s\nof\n%s\nand not\n%s", update, got, before, after)
		}
	})
	if n == 0 && !testing.Short() { // each of a few cases may have blank nodes
		t.Error("no update was replayed")
	}
}
