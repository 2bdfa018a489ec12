package kg_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"trails/db"
	"trails/e2e/testrun"
	"trails/fault"
	"trails/kg"
	"trails/rdf"
)

// The schema that somebody with rights sees is not taken for that of others.
func TestASchemaIsThatOfTheRights(t *testing.T) {
	g := open(t, newFile(t, searchSchema))
	all := g.Session(ana)
	hidden := all.Seeing(&kg.Rights{Types: []rdf.IRI{rdf.IRI(g.Base() + "Place")}})
	for range 2 {
		for s, want := range map[*kg.Session]bool{all: true, hidden: false, all.Seeing(nil): true, all.Seeing(&kg.Rights{}): true} {
			err := s.View(t.Context(), func(snap *kg.Snapshot) error {
				if sees := snap.Schema().Type("Place") != nil; sees != want || snap.SeesAll() != want {
					t.Errorf("a session sees Place: %t, and all: %t; want %t", sees, snap.SeesAll(), want)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// secretive is a graph with people, one of whom is hidden, with hidden salaries, and secrets about them.
func secretive(t *testing.T) (g *kg.Graph, rights *kg.Rights) {
	g = open(t, newFile(t, `
types:
  Person: {key: code, iri: key, properties: {code: {type: string, required: true}, name: string, boss: {class: Person}, salary: integer}}
  Secret: {key: code, iri: key, properties: {code: {type: string, required: true}, about: {class: Person, required: true}}}
`))
	update(t, g, `INSERT DATA {
		:Person\/a a :Person ; :code "a" ; :name "A" ; :salary 5 . :Person\/b a :Person ; :code "b" ; :name "B" ; :boss :Person\/x . :Person\/c a :Person ; :code "c" ; :name "C" .
		:Person\/d a :Person ; :code "d" . :Person\/x a :Person ; :code "x" ; :name "X" . :Secret\/s a :Secret ; :code "s" ; :about :Person\/d . GRAPH :g { :Person\/c :name "hidden C" } }`)
	name := func(local string) rdf.IRI { return rdf.IRI(g.Base() + local) }
	return g, &kg.Rights{Types: []rdf.IRI{name("Secret")}, Predicates: []rdf.IRI{name("salary")}, Graphs: []rdf.IRI{name("g")}, Nodes: []rdf.Term{name("Person/x")}}
}

// allOf is every statement that a session sees, as text.
func allOf(t *testing.T, s *kg.Session) (lines []string) {
	t.Helper()
	err := s.View(t.Context(), func(snap *kg.Snapshot) error {
		for q, err := range snap.Match(t.Context(), rdf.Quad{}) {
			if err != nil {
				return err
			}
			lines = append(lines, string(rdf.AppendQuad(nil, q)))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(lines)
	return lines
}

// Somebody with rights changes what it sees, and nothing else: what it may not see is neither read nor lost, holds the
// change to the rules, and is not named.
func TestWhoSeesAPartChangesThat(t *testing.T) {
	testrun.Alone(t)
	const (
		adds  = "it names what local:ana may not see"
		more  = "than local:ana may see, which would be left without its type"
		rule  = "the change breaks a rule about what local:ana may not see, and nothing was changed"
		parts = "an update of 2 operations"
	)
	for text, want := range map[string]string{
		`INSERT DATA { :Person\/a :salary 7 }`:                                            "salary",
		`INSERT DATA { :Person\/a <urn:other> :Person\/x }`:                               adds,
		`INSERT DATA { :Person\/a :boss :Person\/x }`:                                     adds,
		`INSERT DATA { :Person\/x :name "mine" }`:                                         adds,
		`INSERT DATA { GRAPH :g { :Person\/a :name "mine" } }`:                            adds,
		`INSERT DATA { :Secret\/n a :Secret ; :code "n" }`:                                "Secret",
		`INSERT DATA { <urn:n> a :Secret }`:                                               "Secret",
		`DELETE { :Person\/a a :Person } INSERT { :Person\/a a <urn:Other> } WHERE {}`:    more,
		`DELETE WHERE { :Person\/a ?p ?o }`:                                               more,
		`DELETE WHERE { :Person\/d ?p ?o }`:                                               rule,
		`DELETE WHERE { :Person\/c ?p ?o }`:                                               more,
		`DELETE { :Person\/b :code "b" } INSERT { :Person\/b :boss :Person\/a } WHERE {}`: "code",
		`INSERT DATA { :Person\/b :boss :Person\/a }`:                                     rule,
		`INSERT DATA { :Person\/y a :Person ; :code "x" }`:                                rule,
		`INSERT DATA { :Person\/y a :Person ; :code "c" }`:                                "Person/c",
		`INSERT DATA { :Person\/a :name "two" } ; DELETE WHERE { ?s :name "two" }`:        parts,
		`DELETE { ?s :name ?n } INSERT { ?s :name "all" } WHERE { ?s :name ?n }`:          "",
		`DELETE { ?s ?p ?v } WHERE { ?s :salary ?v ; ?p ?v }`:                             "",
		`DELETE DATA { :Person\/a :salary 5 }`:                                            "",
		`DELETE WHERE { GRAPH ?g { ?s :name ?o } }`:                                       "",
		`CLEAR GRAPH :g`: "",
		`INSERT DATA { :Person\/n a :Person ; :code "n" ; :boss :Person\/a }`: "",
		`INSERT { ?s <urn:seen> ?n } WHERE { ?s :name ?n }`:                   "",
	} {
		t.Run(text, func(t *testing.T) {
			g, rights := secretive(t)
			s, all := g.Session(ana).Seeing(rights), g.Session(ana)
			before, saw := allOf(t, all), allOf(t, s)
			unseen := slices.DeleteFunc(slices.Clone(before), func(q string) bool { return slices.Contains(saw, q) })
			r, err := s.Update(t.Context(), parseUpdate(t, text), kg.ChangeSet{}, kg.UpdateOptions{})
			after := allOf(t, all)
			left := slices.DeleteFunc(slices.Clone(after), func(q string) bool { return slices.Contains(allOf(t, s), q) })
			if diff := cmp.Diff(unseen, left); diff != "" {
				t.Errorf("what may not be seen became %s", diff)
			}
			if want == "" {
				if err != nil {
					t.Fatal(err)
				}
				if changed := !slices.Equal(before, after); changed != r.Changed || !changed && len(r.Warnings) == 0 {
					t.Errorf("changed: %t, and told: %t, with the warnings %v", changed, r.Changed, r.Warnings)
				}
			} else if err == nil || !strings.Contains(fault.Whole(err), want) || !slices.Equal(before, after) {
				t.Fatalf("got %v, want %s and nothing changed", err, want)
			}
			for _, word := range []string{"Secret/s", "hidden C", ":about", "\"X\"", "Person/x"} {
				if told := fmt.Sprint(r.Warnings, r.Doubts, r.Added, r.Removed, err); strings.Contains(told, word) && !strings.Contains(text, strings.ReplaceAll(word, "/", "\\/")) {
					t.Errorf("%q is told: %s", word, told)
				}
			}
			if report, err := g.Verify(t.Context(), kg.VerifyOptions{}); err != nil || !report.OK() {
				t.Error(report, err)
			}
		})
	}
}

// The head and the commits of somebody with rights are those that it sees.
func TestWhoSeesAPartWritesOnItsHead(t *testing.T) {
	g, rights := secretive(t)
	s := g.Session(ana).Seeing(rights)
	write := func(text string, set kg.ChangeSet) (kg.Result, error) {
		return s.Update(t.Context(), parseUpdate(t, text), set, kg.UpdateOptions{})
	}
	head := s.LatestHead(t.Context())
	update(t, g, `INSERT DATA { :Person\/x :name "more" } ; DELETE DATA { :Person\/x :name "X" }`)
	if s.LatestHead(t.Context()).ID != head.ID || g.Session(ana).LatestHead(t.Context()).ID == head.ID {
		t.Fatal("a hidden commit is the head")
	}
	r, err := write(`INSERT DATA { :Person\/a <urn:n> 1 }`, kg.ChangeSet{IfCommit: &head.ID})
	if err != nil || r.Before.ID != head.ID || r.After.Parent != head.ID || r.After.Quads != 0 {
		t.Fatalf("from %v to %+v: %v", r.Before.ID, r.After, err)
	}
	if _, err := write(`INSERT DATA { :Person\/a <urn:n> 2 }`, kg.ChangeSet{IfCommit: &head.ID}); !fault.Is(err, fault.Precondition) || !strings.Contains(err.Error(), r.After.ID.String()) {
		t.Errorf("a write on an earlier head: %v", err)
	}
	update(t, g, `DELETE { :Person\/a :name "A" ; :salary 5 } INSERT { :Person\/a :name "B" ; :salary 6 } WHERE {}`)
	if _, err := s.Undo(t.Context(), kg.Undo{Commit: s.LatestHead(t.Context()).ID}); err != nil {
		t.Fatal(err)
	}
	both := strings.Join(allOf(t, g.Session(ana)), "")
	if !strings.Contains(both, `/name> "A"`) && !strings.Contains(both, `name> "A"`) || !strings.Contains(both, `"6"`) {
		t.Errorf("the undo of what may be seen left %s", both)
	}
	const d = `:Person\/d`
	if _, err := write(`INSERT DATA { `+d+` :name "D" }`, kg.ChangeSet{}); err != nil {
		t.Fatal(err)
	}
	unnamed, err := write(`DELETE DATA { `+d+` :name "D" }`, kg.ChangeSet{})
	if err != nil {
		t.Fatal(err)
	}
	gone, later := update(t, g, `DELETE WHERE { ?s :about `+d+` ; ?p ?o } ; DELETE WHERE { `+d+` ?p ?o }`), update(t, g, `INSERT DATA { `+d+` :salary 9 }`)
	_, err = s.Undo(t.Context(), kg.Undo{Commit: unnamed.After.ID})
	if !fault.Is(err, fault.Conflict) || !strings.Contains(fault.Whole(err), gone.After.ID.String()) || strings.Contains(fault.Whole(err), later.After.ID.String()) {
		t.Errorf("an undo that later commits, of which one is hidden, stand against: %v", err)
	}
	for what, err := range map[string]error{
		"schema": func() error {
			_, _, err := s.ApplySchema(t.Context(), kg.SchemaChange{Patch: []byte("- add_property: {Person.more: string}")})
			return err
		}(),
		"branch": func() error { _, err := s.DropBranch(t.Context(), "mine", false, kg.Activity{}); return err }(),
	} {
		if !fault.Is(err, fault.Denied) || !strings.Contains(err.Error(), "this changes all of it; ask somebody who may see all") {
			t.Errorf("a change of the %s: %v", what, err)
		}
	}
	if _, err := s.MakeBranch(t.Context(), kg.NewBranch{Name: "mine"}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.On("mine").Update(t.Context(), parseUpdate(t, `DELETE { ?s :name ?n } INSERT { ?s :name "mine" } WHERE { ?s :name ?n }`), kg.ChangeSet{}, kg.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if mine := strings.Join(allOf(t, g.Session(ana).On("mine")), ""); strings.Count(mine, `"mine"`) != 3 || !strings.Contains(mine, `"X"`) && !strings.Contains(mine, `"more"`) {
		t.Errorf("on a branch there is %s", mine)
	}
}

// What the schema of an earlier commit says of a type is not seen any more once a later commit hides the type.
func TestASchemaIsSeenAsTheNewestOneHidesIt(t *testing.T) {
	g := open(t, newFile(t, searchSchema))
	rights := &kg.Rights{Types: []rdf.IRI{rdf.IRI(g.Base() + "Secret")}}
	var first kg.Commit
	sees := func() (is bool) {
		t.Helper()
		err := g.Session(ana).Seeing(rights).View(t.Context(), func(snap *kg.Snapshot) error {
			then, err := snap.At(t.Context(), first)
			if err == nil {
				defer then.Close()
				is = then.Schema().Type("Place") != nil
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return is
	}
	first = g.Session(ana).LatestHead(t.Context())
	if !sees() {
		t.Error("a type that nothing hides is not seen")
	}
	hide(t, g, rdf.IRI(g.Base()+"Place"), rights.Types[0], first.SchemaVersion+1)
	if sees() {
		t.Error("the type is seen where nothing hid it yet")
	}
}

// hide gives a node a type, in the schema's graph of the file.
func hide(t *testing.T, g *kg.Graph, node, class rdf.IRI, version int64) {
	t.Helper()
	f, err := db.Open(t.Context(), g.Path(), db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w, err := f.Write(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := w.Add(t.Context(), rdf.Quad{Subject: node, Predicate: rdf.Type, Object: class, Label: rdf.SchemaGraph}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Commit(t.Context(), db.CommitMeta{Time: time.Now(), SchemaVersion: version, SchemaChanged: true}, nil); err != nil {
		t.Fatal(err)
	}
}
