package kg_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"trails/e2e/testrun"
	"trails/fault"
	"trails/kg"
	"trails/kg/change"
	"trails/kg/load"
	"trails/rdf"
)

// freely has a type that is open, with a subtype, and one that is not.
const freely = `
types:
  Note: {iri: preserve, properties: {title: {type: string, many: true}}}
  Free: {iri: preserve, open: true}
  Sub: {iri: preserve, extends: Free, properties: {rank: {type: string, many: true}}}
`

// TestTheBaseStaysClosed writes random statements through every door, beside a set of quads
// in memory: a write is refused exactly when it would leave a statement that uses an
// undeclared name under the base, or in the default graph one that no type of its subject
// declares, and is not of an open type.
func TestTheBaseStaysClosed(t *testing.T) {
	testrun.Alone(t)
	rapid.Check(t, func(rt *rapid.T) {
		g := newGraph(t, freely)
		defer g.Close()
		h := &history{t: t, model: map[rdf.Quad]bool{}}
		for range rapid.IntRange(1, 12).Draw(rt, "writes") {
			edits := rapid.SliceOfN(freeEditGen(), 1, 5).Draw(rt, "edits")
			door := rapid.SampledFrom([]string{"commit", "sparql", "load"}).Draw(rt, "door")
			if door != "commit" {
				edits = onlyStatements(edits, door == "sparql")
			}
			want := h.after(edits)
			err := through(t, g, door, edits)
			wrong := undeclared(want)
			if (err != nil) != (len(wrong) > 0) {
				rt.Fatalf("%s: error %v, but the model says %v", door, err, wrong)
			}
			if err != nil {
				f := fault.Of(err)
				for _, field := range f.Fields {
					if f.Kind != fault.InvalidData || field.Code != fault.Closed {
						rt.Fatalf("got %v", err)
					}
				}
				continue
			}
			h.model = want
		}
		kept := map[rdf.Quad]bool{}
		for q := range h.with(g) {
			kept[q] = true
		}
		if !maps.Equal(kept, h.model) {
			rt.Fatalf("got %v, want %v", kept, h.model)
		}
	})
}

// with returns the data that a graph has.
func (h *history) with(g *kg.Graph) map[rdf.Quad]bool {
	out := map[rdf.Quad]bool{}
	view(h.t, g, func(snap *kg.Snapshot) error {
		for q, err := range snap.Match(h.t.Context(), rdf.Quad{}) {
			if err != nil {
				return err
			}
			if q.Label != rdf.SchemaGraph {
				out[q] = true
			}
		}
		return nil
	})
	return out
}

// undeclared returns the statements that must not be.
func undeclared(state map[rdf.Quad]bool) (wrong []rdf.Quad) {
	classes := []string{base + "Note", base + "Free", base + "Sub"}
	predicates := []string{base + "title", base + "rank"}
	for q := range state {
		name, declared := rdf.Lexical(q.Predicate), predicates
		if q.Predicate == rdf.Type {
			name, declared = rdf.Lexical(q.Object), classes
		}
		free := q.Label == nil && (state[rdf.Quad{Subject: q.Subject, Predicate: rdf.Type, Object: rdf.IRI(base + "Free")}] ||
			state[rdf.Quad{Subject: q.Subject, Predicate: rdf.Type, Object: rdf.IRI(base + "Sub")}])
		note := q.Label == nil && state[rdf.Quad{Subject: q.Subject, Predicate: rdf.Type, Object: rdf.IRI(base + "Note")}]
		if (strings.HasPrefix(name, base) && !slices.Contains(declared, name) || note && name == base+"rank") && !free {
			wrong = append(wrong, q)
		}
	}
	return wrong
}

func freeEditGen() *rapid.Generator[change.Edit] {
	return rapid.Custom(func(t *rapid.T) change.Edit {
		iri := func(label string, names ...string) rdf.Term {
			name := rapid.SampledFrom(names).Draw(t, label)
			if strings.HasPrefix(name, "urn:") {
				return rdf.IRI(name)
			}
			return rdf.IRI(base + name)
		}
		q := rdf.Quad{Subject: iri("subject", "n1", "n2"), Object: rdf.Literal(rapid.SampledFrom([]string{"x", "y"}).Draw(t, "text"), "")}
		if rapid.Bool().Draw(t, "typed") {
			q.Predicate, q.Object = rdf.Type, iri("class", "Note", "Free", "Sub", "Nobody", "urn:Class")
		} else {
			q.Predicate = iri("predicate", "title", "rank", "titel", "Note", "urn:titel")
		}
		if rapid.IntRange(0, 2).Draw(t, "named") == 0 {
			q.Label = rdf.IRI("urn:g")
		}
		op := rapid.SampledFrom([]change.Op{change.Assert, change.Assert, change.Assert, change.Retract, change.Erase, change.Clear}).Draw(t, "op")
		if op == change.Erase || op == change.Clear {
			q.Label = nil
		}
		return change.Edit{Op: op, Quad: q}
	})
}

// onlyStatements keeps the edits that a text of statements can say.
func onlyStatements(edits []change.Edit, removing bool) (out []change.Edit) {
	for _, e := range edits {
		if e.Op == change.Assert || removing && e.Op == change.Retract {
			out = append(out, e)
		}
	}
	return out
}

func through(t *testing.T, g *kg.Graph, door string, edits []change.Edit) error {
	session := g.Session(ana)
	var err error
	switch door {
	case "commit":
		_, err = session.Commit(t.Context(), kg.ChangeSet{Edits: edits})
	case "load":
		var text strings.Builder
		for _, e := range edits {
			text.Write(append(rdf.AppendQuad(nil, e.Quad), '\n'))
		}
		_, err = session.Load(t.Context(), kg.Load{Options: load.Options{Inputs: []load.Input{{Name: "data.nq", Reader: strings.NewReader(text.String())}}, Format: load.NQuads}})
	case "sparql":
		var gone, come strings.Builder
		for _, e := range edits {
			to := &gone
			if e.Op == change.Assert {
				to = &come
			}
			triple := strings.TrimSuffix(string(rdf.AppendQuad(nil, rdf.Quad{Subject: e.Quad.Subject, Predicate: e.Quad.Predicate, Object: e.Quad.Object})), ".")
			if e.Quad.Label != nil {
				triple = "GRAPH <urn:g> { " + triple + "}"
			}
			to.WriteString(triple + " .\n")
		}
		_, err = tryUpdate(t, g, "DELETE DATA {"+gone.String()+"} ; INSERT DATA {"+come.String()+"}", kg.ChangeSet{}, kg.UpdateOptions{})
	}
	return err
}
