package change_test

import (
	"testing"

	"github.com/cayleygraph/quad"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"trails/fault"
	"trails/kg/change"
	"trails/rdf"
)

// TestWhatGoesIntoASpoolComesOut holds for every kind of term, op and source, in
// memory and from disk; parts of the quad that an op does not use are dropped.
func TestWhatGoesIntoASpoolComesOut(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		e := editGen().Draw(t, "edit")
		spool := change.Spool{Dir: dir, ChunkBytes: rapid.SampledFrom([]int{0, 1}).Draw(t, "chunk")}
		defer spool.Close()
		for range 5 { // with chunks of one record, two of the five go to disk
			if err := spool.Add(e); err != nil {
				t.Fatal(err)
			}
		}
		want := used(e)
		want.Source = e.Source
		wants := []change.Edit{want}
		if e.Op == change.Once {
			wants = []change.Edit{want, want, want, want, want} // it is kept each time
		}
		for group, err := range spool.Groups(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(wants, group.Edits); diff != "" {
				t.Fatal(diff)
			}
		}
	})
}

func TestEveryEditOfRDFTermsIsAccepted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		if err := editGen().Draw(t, "edit").Check(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestWhatCanBeInNoGraphIsRefused(t *testing.T) {
	s, p, o := rdf.Term(rdf.IRI("urn:s")), rdf.Term(rdf.IRI("urn:p")), rdf.Term(rdf.String("o"))
	for name, q := range map[string]rdf.Quad{
		"no subject":                       {Predicate: p, Object: o},
		"no predicate":                     {Subject: s, Object: o},
		"no object":                        {Subject: s, Predicate: p},
		"a literal as subject":             {Subject: o, Predicate: p, Object: o},
		"a literal as predicate":           {Subject: s, Predicate: o, Object: o},
		"a blank node as predicate":        {Subject: s, Predicate: rdf.BNode("p"), Object: o},
		"a literal as graph":               {Subject: s, Predicate: p, Object: o, Label: o},
		"a relative IRI":                   {Subject: rdf.IRI("s"), Predicate: p, Object: o},
		"an IRI with a space":              {Subject: rdf.IRI("urn:a b"), Predicate: p, Object: o},
		"an IRI that would be three terms": {Subject: s, Predicate: rdf.IRI("urn:p> <urn:o> <urn:g"), Object: o},
		"an IRI with NUL":                  {Subject: rdf.IRI("urn:a\x00b"), Predicate: p, Object: o},
		"a label with a space":             {Subject: rdf.BNode("a b"), Predicate: p, Object: o},
		"text that is not UTF-8":           {Subject: s, Predicate: p, Object: rdf.String("\xff")},
		"a language tag with a space":      {Subject: s, Predicate: p, Object: rdf.LangLiteral("a", "en us")},
		"no language tag":                  {Subject: s, Predicate: p, Object: rdf.LangLiteral("a", "")},
		"a number of Go":                   {Subject: s, Predicate: p, Object: quad.Int(1)},
		"xsd:string as a datatype":         {Subject: s, Predicate: p, Object: rdf.TypedString{Value: "a", Type: rdf.XSDString}},
	} {
		if err := (change.Edit{Op: change.Assert, Quad: q}).Check(); !fault.Is(err, fault.InvalidData) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestPartsThatAnOpDoesNotUseAreNotAsked(t *testing.T) {
	q := rdf.Quad{Subject: rdf.IRI("urn:s")}
	for _, op := range []change.Op{change.Fresh, change.Once, change.Erase} {
		if err := (change.Edit{Op: op, Quad: q}).Check(); err != nil {
			t.Error(err)
		}
	}
	q.Predicate = rdf.Label
	if err := (change.Edit{Op: change.Clear, Quad: q}).Check(); err != nil {
		t.Error(err)
	}
}
