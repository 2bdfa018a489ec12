package lint_test

import (
	"context"
	"iter"
	"strings"
	"testing"

	"trails/rdf"
	"trails/schema"
	"trails/sparql"
	"trails/sparql/lint"
)

// statements is a graph that knows nothing but its statements.
type statements struct {
	counted
	quads []rdf.Quad
}

func (s statements) Match(_ context.Context, p rdf.Quad) iter.Seq2[rdf.Quad, error] {
	fits := func(pattern, term rdf.Term) bool {
		return pattern == nil || pattern == term || pattern == rdf.DefaultGraph && term == nil
	}
	return func(yield func(rdf.Quad, error) bool) {
		for _, q := range s.quads {
			if fits(p.Subject, q.Subject) && fits(p.Predicate, q.Predicate) && fits(p.Object, q.Object) && fits(p.Label, q.Label) && !yield(q, nil) {
				return
			}
		}
	}
}

// Answers call a node by the name that its type has now, and renaming the type changed no IRI: a text that is made of that
// name is told the IRI, and the IRI works.
func TestTheNameOfANodeOfARenamedTypeIsToldItsIRI(t *testing.T) {
	const note, mark = rdf.IRI("urn:t:Note/n1"), rdf.IRI("urn:t:Mark/m1")
	s, err := schema.ParseYAML([]byte("types:\n  Card: {ids: Note, label: title, properties: {title: {type: string}}}\n  Mark: {properties: {about: {class: Card}}}\n"), "urn:t:")
	if err != nil {
		t.Fatal(err)
	}
	data := statements{counted{new(int)}, []rdf.Quad{
		{Subject: note, Predicate: rdf.Type, Object: rdf.IRI("urn:t:Card")}, {Subject: note, Predicate: rdf.IRI("urn:t:title"), Object: rdf.Literal("t1", "")},
		{Subject: mark, Predicate: rdf.Type, Object: rdf.IRI("urn:t:Mark")}, {Subject: mark, Predicate: rdf.IRI("urn:t:about"), Object: note},
		{Subject: rdf.IRI("urn:t:Card/kept"), Predicate: rdf.Label, Object: rdf.Literal("is there", "")},
	}}
	options := sparql.Options{Prefixes: s.TurtlePrefixes()}
	said := func(text string) (string, int) {
		t.Helper()
		var warnings []lint.Warning
		if l := lint.New(s).In(text, "", nil); strings.Contains(text, "INSERT") || strings.Contains(text, "DELETE") {
			u, err := sparql.ParseUpdate(text, options)
			if err == nil {
				warnings, err = l.Update(t.Context(), data, u)
			}
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
		} else {
			q, err := sparql.Parse(text, options)
			if err == nil {
				warnings, err = l.Query(t.Context(), data, q)
			}
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
		}
		all, told := strings.Join(lint.Sentences(warnings, false), "\n"), 0
		for _, w := range warnings {
			if strings.Contains(w.Text, "because renaming a type changes no IRI of its nodes") {
				if told++; w.Line != 1 {
					t.Errorf("%s: the warning has no place", text)
				}
			}
		}
		return all, told
	}
	for _, text := range []string{
		`SELECT ?p ?o { :Card\/n1 ?p ?o }`, `SELECT ?t { :Card\/n1 :title ?t }`, `SELECT ?x { ?x :about :Card\/n1 }`, `SELECT ?x { ?x ?p :Card\/n1 }`,
		`ASK { :Card\/n1 :title "t1" }`, `ASK { :Card\/n1 a :Card }`, `SELECT ?x { ?x a :Mark ; :about ?c FILTER(?c = :Card\/n1) }`, `SELECT ?t { VALUES ?x { :Card\/n1 } ?x :title ?t }`,
		`SELECT ?x { ?x :about+ :Card\/n1 }`, `DESCRIBE :Card\/n1`, `SELECT ?t { ?x a :Card OPTIONAL { :Card\/n1 :title ?t } }`,
		`INSERT DATA { :Card\/n1 :title "x" }`, `INSERT DATA { :Card\/n1 a :Card }`, `INSERT DATA { :Mark\/m1 :about :Card\/n1 }`, `DELETE DATA { :Card\/n1 :title "t1" }`,
		`DELETE { :Card\/n1 :title ?t } INSERT { :Card\/n1 :title "x" } WHERE { :Card\/n1 :title ?t }`, `INSERT DATA { GRAPH <urn:g> { :Card\/n1 :title "x" } }`,
	} {
		all, told := said(text)
		if want := "no statement names <urn:t:Card/n1>; the IRI of Card/n1 is <urn:t:Note/n1>, because"; told != 1 || !strings.Contains(all, want) {
			t.Errorf("%s: %q", text, all)
		}
		if all, told := said(strings.ReplaceAll(text, `:Card\/n1`, "<urn:t:Note/n1>")); told > 0 {
			t.Errorf("%s with the IRI: %q", text, all)
		}
	}
	for text, want := range map[string]int{
		`INSERT DATA { :Card\/new :title "x" }`:                 1, // the IRI that a create gives it is another one
		`INSERT DATA { :Mark\/new :about :Note\/n1 }`:           0,
		`SELECT ?c { :Card\/kept rdfs:label ?c }`:               0, // it is there
		`INSERT DATA { :Card\/kept rdfs:comment "x" }`:          0,
		`SELECT ?t { :Note\/other :title ?t }`:                  0,
		`SELECT ?t { <urn:other:Card/n1> :title ?t }`:           0,
		`SELECT ?t { <urn:t:Card/n1%20or%ZZ> :title ?t }`:       0, // the IRI of no id
		`SELECT ?t { ?x :title ?t FILTER(?x != :Card\/n1) }`:    1,
		`SELECT ?t { ?x :title ?t FILTER(?x != <urn:t:Card>) }`: 0,
	} {
		if all, told := said(text); told != want {
			t.Errorf("%s: %q", text, all)
		}
	}
}
