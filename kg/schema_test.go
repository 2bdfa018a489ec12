package kg_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"trails/e2e/testrun"
	"trails/fault"
	"trails/kg"
	"trails/kg/change"
	"trails/kg/load"
	"trails/rdf"
	"trails/schema"
)

// TestAPlanSaysWhatApplyingDoes draws two schemas and data for the first, and holds
// the plan, the change and the graph after it against each other.
func TestAPlanSaysWhatApplyingDoes(t *testing.T) {
	testrun.Alone(t)
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		before, after := schemaGen().Draw(rt, "before"), schemaGen().Draw(rt, "after")
		planAndApply(t, rt, dir, before, kg.SchemaChange{Source: []byte(after)})
	})
}

// TestAPlanSaysWhatAPatchDoes does the same with steps that rename, drop, alter and add.
func TestAPlanSaysWhatAPatchDoes(t *testing.T) {
	testrun.Alone(t)
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		before := schemaGen().Draw(rt, "before")
		planAndApply(t, rt, dir, before, kg.SchemaChange{Patch: []byte(drawPatch(rt, before))})
	})
}

// copied bounds what a plan says to be removed and was not there before: a rename of a property copies values of nodes of which
// another type has the property, too, and a later step may drop those. They are of nodes with several types.
func copied(plan kg.Plan, was string) (n int64) {
	if !slices.ContainsFunc(plan.Steps, func(s kg.PlannedStep) bool { return s.Kind == schema.RenameProperty }) {
		return 0
	}
	types, others := map[string]int{}, map[string]int64{}
	for line := range strings.Lines(was) {
		subject, rest, _ := strings.Cut(line, " ")
		if strings.HasPrefix(rest, "<"+string(rdf.Type)+">") {
			types[subject]++
		} else {
			others[subject]++
		}
	}
	for subject, count := range others {
		if types[subject] > 1 {
			n += count
		}
	}
	return n
}

// planAndApply plans a change of schema on data that is drawn, makes it, and compares.
func planAndApply(t *testing.T, rt *rapid.T, dir, before string, change kg.SchemaChange) {
	edits := rapid.SliceOfN(nodeGen(), 2, 10).Draw(rt, "nodes")
	g := createAt(t, newPath(t, dir), before)
	defer g.Close()
	addNodes(t, g, edits)
	was := export(t, g, load.NQuads)

	plan, err := g.Session(ana).PlanSchema(t.Context(), change)
	if err != nil {
		rt.Fatal(err)
	}
	if export(t, g, load.NQuads) != was {
		rt.Fatal("a plan changed the graph")
	}
	change.AllowDataLoss = true
	done, result, err := g.Session(ana).ApplySchema(t.Context(), change)
	switch {
	case err != nil && !fault.Is(err, fault.InvalidData):
		rt.Fatal(err)
	case plan.Blocked != (err != nil):
		rt.Fatalf("the plan: blocked %t; applying: %v\n%s\n%s", plan.Blocked, err, planned(plan), was)
	case err != nil:
		if export(t, g, load.NQuads) != was {
			rt.Fatal("a refused schema changed the graph")
		}
		return
	}
	if diff := cmp.Diff(planned(plan), planned(done)); diff != "" {
		rt.Fatalf("the plan and what was done:\n%s", diff)
	}
	var moves, elsewhere, lost int64
	filled := false // a default may bring back what was moved away
	for _, step := range plan.Steps {
		moves, filled = moves+step.Moves, filled || step.Backfill
		for _, n := range step.MovesIn {
			moves, elsewhere = moves-n, elsewhere+n
		}
		for _, n := range step.RemovesIn {
			lost, elsewhere = lost+n, elsewhere+n
		}
	}
	lost = plan.Loses - lost // of the default graph
	if got := removedFrom(result, graphG); got != elsewhere {
		rt.Fatalf("%d quads were removed from %s; the plan said %d\n%s", got, graphG, elsewhere, planned(plan))
	}
	// A quad that one step moves and a later one drops is removed once.
	least := lost
	if lost == 0 && !filled {
		least = moves
	}
	if got := removedFrom(result, nil); got < least-copied(plan, was) || got > lost+moves {
		rt.Fatalf("%d quads were removed; the plan said %d, and %d moved\n%s", got, lost, moves, planned(plan))
	}
	if plan.Loses > 0 != lossy(plan) {
		rt.Fatalf("loses %d, but the steps say otherwise:\n%s", plan.Loses, planned(plan))
	}
	// The oracle: a new file checks every node.
	other := createAt(t, newPath(t, dir), "")
	defer other.Close()
	if err := importInto(t, other, load.NQuads, export(t, g, load.NQuads)); err != nil {
		rt.Fatalf("the graph breaks its own schema: %v\n%s", err, export(t, g, load.NQuads))
	}
}

// drawPatch draws steps that the schema takes; a name that is new has a "z" before it.
func drawPatch(t *rapid.T, source string) string {
	s, err := schema.ParseYAML([]byte(source), base)
	if err != nil {
		t.Fatal(err)
	}
	patch := ""
	step := func(format string, args ...any) {
		longer := patch + fmt.Sprintf("- "+format+"\n", args...)
		if _, err := s.Patch([]byte(longer)); err == nil {
			patch = longer
		}
	}
	for _, typ := range s.Types {
		for _, p := range typ.Properties {
			switch rapid.IntRange(0, 5).Draw(t, p.Name) {
			case 0, 1, 2:
				step("rename_property: {%s.%s: z%s}", typ.Name, p.Name, rapid.SampledFrom(propertyNames).Draw(t, "now"))
			case 3:
				step("drop_property: %s.%s", typ.Name, p.Name)
			case 4:
				step("alter_property: {%s.%s: {required: true}}", typ.Name, p.Name)
			}
		}
		switch rapid.IntRange(0, 5).Draw(t, typ.Name) {
		case 0, 1, 2:
			step("rename_type: {%s: Z%s}", typ.Name, typ.Name)
		case 3:
			step("drop_type: %s", typ.Name)
		case 4:
			step("add_property: {%s.zz: {%s}}", typ.Name, propertyGen().Draw(t, "zz"))
		}
	}
	if patch == "" {
		return "[]"
	}
	return patch
}

// What is renamed and renamed back is the graph that was.
func TestDataIsRenamedThereAndBack(t *testing.T) {
	testrun.Alone(t)
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		source := schemaGen().Draw(rt, "schema")
		s, err := schema.ParseYAML([]byte(source), base)
		if err != nil {
			rt.Fatal(err)
		}
		var there, back []string
		for _, typ := range s.Types {
			there, back = append(there, fmt.Sprintf("- rename_type: {%s: Z%s}", typ.Name, typ.Name)), append(back, fmt.Sprintf("- rename_type: {Z%s: %s}", typ.Name, typ.Name))
			for _, p := range typ.Properties {
				there = append(there, fmt.Sprintf("- rename_property: {Z%s.%s: z%s%s}", typ.Name, p.Name, p.Name, typ.Name))
				back = append(back, fmt.Sprintf("- rename_property: {Z%s.z%s%s: %s}", typ.Name, p.Name, typ.Name, p.Name))
			}
		}
		if len(s.Types) == 0 {
			return
		}
		slices.Reverse(back)
		g := createAt(t, newPath(t, dir), source)
		defer g.Close()
		addNodes(t, g, rapid.SliceOfN(nodeGen(), 2, 10).Draw(rt, "nodes"))
		was := export(t, g, load.NQuads)
		for _, patch := range [][]string{there, back} {
			_, _, err := g.Session(ana).ApplySchema(t.Context(), kg.SchemaChange{Patch: []byte(strings.Join(patch, "\n"))})
			if onlyClosed(err) && unmoved(t, g) {
				if now := export(t, g, load.NQuads); now != was {
					rt.Fatalf("a refused renaming changed the graph:\n%s", cmp.Diff(was, now))
				}
				return
			}
			if err != nil {
				rt.Fatalf("%v\n%s\n%s", err, strings.Join(patch, "\n"), export(t, g, load.NQuads))
			}
		}
		if diff := cmp.Diff(was, export(t, g, load.NQuads)); diff != "" {
			rt.Fatalf("there and back:\n%s", diff)
		}
	})
}

// A node with very many values, of a type or of none, is renamed as quickly as many nodes
// are: what is done for each value does not read all of them.
func TestManyValuesOfOneNodeAreRenamed(t *testing.T) {
	testrun.Alone(t)
	g := createAt(t, newPath(t, t.TempDir()), "types:\n  Note: {iri: preserve, properties: {tag: {type: string, many: true}}}\n")
	defer g.Close()
	data := fmt.Sprintf("<%[1]sNote/a> <%[2]s> <%[1]sNote> .\n", base, string(rdf.Type))
	for i := range 2500 {
		data += fmt.Sprintf("<%[1]sNote/a> <%[1]stag> \"%[2]d\" .\n<urn:x> <%[1]stag> \"%[2]d\" .\n<urn:x> <%[1]stag> \"%[2]d\" <urn:g> .\n", base, i)
	}
	if _, err := tryLoad(t, g, kg.Load{}, "many.nq", data); err != nil {
		t.Fatal(err)
	}
	was := export(t, g, load.NQuads)
	for _, patch := range []string{"rename_property: {Note.tag: word}", "rename_property: {Note.word: tag}"} {
		change := kg.SchemaChange{Patch: []byte(patch)}
		plan, err := g.Session(ana).PlanSchema(t.Context(), change)
		if err != nil || plan.Steps[0].Moves != 7500 || plan.Steps[0].MovesIn[graphG] != 2500 {
			t.Fatalf("%v\n%s", err, planned(plan))
		}
		if _, _, err := g.Session(ana).ApplySchema(t.Context(), change); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(was, export(t, g, load.NQuads)); diff != "" {
		t.Error(diff)
	}
}

// onlyClosed reports that a change was refused because the base is closed, and for nothing else.
func onlyClosed(err error) bool {
	return fault.Is(err, fault.InvalidData) && !slices.ContainsFunc(fault.Of(err).Fields, func(f fault.FieldError) bool { return f.Code != fault.Closed })
}

// unmoved reports that a graph says something that a renaming of everything cannot move, as
// several properties have the predicate and no type of the node tells which one is meant.
func unmoved(t *testing.T, g *kg.Graph) (found bool) {
	t.Helper()
	view(t, g, func(snap *kg.Snapshot) error {
		s := snap.Schema()
		for q, err := range snap.Match(t.Context(), rdf.Quad{}) {
			properties := 0
			for _, of := range s.Types {
				for _, p := range of.Properties {
					if p.IRI == q.Predicate {
						properties++
					}
				}
			}
			if err != nil || q.Label == rdf.SchemaGraph || properties < 2 {
				continue
			}
			var classes []rdf.Quad
			for c, err := range snap.Match(t.Context(), rdf.Quad{Subject: q.Subject, Predicate: rdf.Type}) {
				if err != nil {
					return err
				}
				if c.Label == nil || c.Label == q.Label {
					classes = append(classes, c)
				}
			}
			found = found || !slices.ContainsFunc(s.TypesOf(classes), func(of *schema.Type) bool {
				predicate, _ := q.Predicate.(rdf.IRI)
				return s.PropertyByIRI(of, predicate) != nil
			})
		}
		return nil
	})
	return found
}

// newPath names a file that is not there yet.
func newPath(t testing.TB, dir string) string {
	t.Helper()
	of, err := os.MkdirTemp(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(of, "graph.db")
}

// createAt makes a file and opens it; the caller closes it.
func createAt(t testing.TB, path, source string) *kg.Graph {
	t.Helper()
	fileAt(t, path, source)
	g, err := kg.Open(t.Context(), path, kg.Options{Now: clock()})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// addNodes writes what the schema accepts of the nodes.
func addNodes(t *testing.T, g *kg.Graph, nodes []node) {
	t.Helper()
	for _, n := range nodes {
		var edits []change.Edit
		view(t, g, func(s *kg.Snapshot) error { edits = n.edits(s.Schema()); return nil })
		_, err := g.Session(ana).Commit(t.Context(), kg.ChangeSet{Edits: edits})
		if err != nil && !fault.Is(err, fault.InvalidData) {
			t.Fatal(err)
		}
	}
}

func removedFrom(r kg.Result, graph rdf.Term) (n int64) {
	for _, q := range r.Removed {
		if q.Label == graph {
			n++
		}
	}
	return n
}

func lossy(p kg.Plan) bool {
	for _, s := range p.Steps {
		if s.Removes > 0 {
			return true
		}
	}
	return false
}

// node is a node in the making: types by name, what to draw each value from, and the
// predicates, under the base, and the graphs of values that no type of its own may have; a
// type in the place of the predicate is what the graph says that the node is.
type node struct {
	id     string
	types  []string
	dice   []int
	others [][2]string
}

// edits gives the node values that its types mostly accept, and others.
func (n node) edits(s *schema.Schema) []change.Edit {
	subject, rolled := rdf.IRI(base+n.id), 0
	var out []change.Edit
	add := func(p rdf.IRI, o rdf.Term) {
		out = append(out, change.Edit{Op: change.Assert, Quad: rdf.Quad{Subject: subject, Predicate: p, Object: o}})
	}
	for _, name := range n.types {
		t := s.Type(name)
		if t == nil {
			continue
		}
		add(rdf.Type, t.IRI)
		for _, p := range s.PropertiesOf(t) {
			die := n.dice[rolled%len(n.dice)]
			rolled++
			if p.Required() || die < 3 {
				add(p.IRI, fitting(p, die))
			}
		}
	}
	for _, o := range n.others {
		q := rdf.Quad{Subject: subject, Predicate: rdf.IRI(base + o[0]), Object: rdf.Literal("x", "")}
		if slices.Contains(typeNames, o[0]) {
			q.Predicate, q.Object = rdf.Type, rdf.IRI(base+o[0])
		}
		if o[1] != "" {
			q.Label = rdf.IRI(o[1])
		}
		out = append(out, change.Edit{Op: change.Assert, Quad: q})
	}
	return out
}

func fitting(p *schema.Property, die int) rdf.Term {
	switch p.Datatype {
	case "string":
		return rdf.Literal([]string{"x", "x", "y", "x"}[die%4], "")
	case "integer":
		return rdf.Literal(fmt.Sprint(die%2), rdf.XSDInteger)
	}
	return rdf.IRI(base + fmt.Sprint(die%4))
}

var (
	typeNames     = []string{"A", "B", "C", "D"}
	propertyNames = []string{"p", "q", "r", "s"}
	graphG        = rdf.IRI("urn:g")
)

func nodeGen() *rapid.Generator[node] {
	return rapid.Custom(func(t *rapid.T) node {
		return node{
			id:    rapid.SampledFrom([]string{"0", "1", "2", "3"}).Draw(t, "id"),
			types: rapid.SliceOfNDistinct(rapid.SampledFrom(typeNames), 0, 2, rapid.ID[string]).Draw(t, "types"),
			dice:  rapid.SliceOfN(rapid.IntRange(0, 5), 4, 4).Draw(t, "dice"),
			others: rapid.SliceOfN(rapid.Custom(func(t *rapid.T) [2]string {
				if rapid.IntRange(0, 3).Draw(t, "class") == 0 {
					return [2]string{rapid.SampledFrom(typeNames).Draw(t, "is"), string(graphG)}
				}
				return [2]string{rapid.SampledFrom(append([]string{"z"}, propertyNames...)).Draw(t, "predicate"), rapid.SampledFrom([]string{"", string(graphG)}).Draw(t, "graph")}
			}), 0, 2).Draw(t, "others"),
		}
	})
}

// schemaGen draws schemas of four types that extend each other and four properties
// that move between them.
func schemaGen() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		var b strings.Builder
		b.WriteString("types:\n")
		for i, name := range typeNames {
			if rapid.IntRange(0, 4).Draw(t, "without "+name) == 0 {
				continue
			}
			fmt.Fprintf(&b, "  %s:\n    iri: preserve\n", name)
			if rapid.IntRange(0, 5).Draw(t, "abstract") == 0 {
				b.WriteString("    abstract: true\n")
			}
			if rapid.IntRange(0, 3).Draw(t, "open") == 0 {
				b.WriteString("    open: true\n")
			}
			if rapid.IntRange(0, 7).Draw(t, "rdf_type") == 0 {
				fmt.Fprintf(&b, "    rdf_type: %s%s\n", base, rapid.SampledFrom(typeNames).Draw(t, "class"))
			}
			if i > 0 && rapid.Bool().Draw(t, "extends") {
				fmt.Fprintf(&b, "    extends: %s\n", rapid.SampledFrom(typeNames[:i]).Draw(t, "super"))
			}
			if names := rapid.SliceOfNDistinct(rapid.SampledFrom(propertyNames), 1, 2, rapid.ID[string]).Draw(t, "properties"); len(names) > 0 {
				b.WriteString("    properties:\n")
				for _, p := range names {
					fmt.Fprintf(&b, "      %s: {%s}\n", p, propertyGen().Draw(t, p))
				}
				if len(names) == 2 && rapid.IntRange(0, 4).Draw(t, "unique") == 0 {
					fmt.Fprintf(&b, "    unique: [[%s]]\n", strings.Join(names, ", "))
				}
			}
		}
		return b.String()
	}).Filter(func(source string) bool {
		_, err := schema.ParseYAML([]byte(source), base)
		return err == nil
	})
}

func propertyGen() *rapid.Generator[string] {
	return rapid.SampledFrom([]string{
		"class: A", "class: B", "class: A, many: true", "type: string", "type: string, required: true", "type: string, required: true, default: x", "type: string, unique: true", "type: string, one_of: [x]",
		"type: string, many: true", "type: string, predicate: \"" + base + "q\"", "type: string, required: true, default: x, predicate: \"" + base + "r\"",
		"type: integer", "type: integer, default: 1", "type: iri", "class: B, required: true", "class: A, many: true, min_count: 1",
	})
}
