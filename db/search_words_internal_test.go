package db

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"trails/db/history"
	"trails/db/inline"
	"trails/db/wordindex"
	"trails/rdf"
	"trails/sparql"
	"trails/text/fulltext"
)

// TestTheHeaviestTextsHaveTheGreatestWeights holds the texts that are taken by what they have against weights that are added up
// text by text.
func TestTheHeaviestTextsHaveTheGreatestWeights(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		goals := make([]fulltext.Goal, 1+random.IntN(6))
		lists, weights := make([][]wordindex.Place, len(goals)), map[inline.TermID]float64{}
		for i := range goals {
			goals[i].Weight = float64(random.IntN(4)) / 2 // some weigh the same together
			for id := range inline.TermID(40) {
				if random.IntN(3) == 0 {
					lists[i] = append(lists[i], wordindex.PlaceOf(id+1, strings.Repeat("x", int(id)%3*100)))
				}
			}
			slices.Sort(lists[i])
			for _, at := range lists[i] {
				weights[at.Term()] += goals[i].Weight * (1 + 0.1*float64(2-at.Class()))
			}
		}
		want := slices.SortedFunc(maps.Keys(weights), func(a, b inline.TermID) int {
			return cmp.Or(cmp.Compare(weights[b], weights[a]), cmp.Compare(a, b))
		})
		most := random.IntN(45)
		got, all := heaviest(goals, lists, most)
		if !slices.Equal(got, want[:min(most, len(want))]) || all != (len(want) <= most) {
			t.Fatalf("the %d heaviest are %v (all: %v), want %v", most, got, all, want)
		}
	}
}

// openFresh opens a file without statements.
func openFresh(t *testing.T) *File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file.db")
	if err := fresh(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	f, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// TestNodesThatHaveATextAreThoseOfAQuery holds what is read of pages against the answers of queries: in the newest state and in an
// earlier one, of all nodes and of the instances of classes, which are listed or looked up one by one.
func TestNodesThatHaveATextAreThoseOfAQuery(t *testing.T) {
	f, random := openFresh(t), rand.New(rand.NewPCG(3, 4))
	classes := []rdf.IRI{"urn:A", "urn:B", "urn:C"}
	var quads []rdf.Quad
	for i := range 300 {
		node := rdf.IRI(fmt.Sprintf("urn:n%d", i))
		quads = append(quads, rdf.Quad{Subject: node, Predicate: rdf.Type, Object: classes[random.IntN(3)]}, rdf.Quad{Subject: node, Predicate: rdf.Type, Object: classes[2], Label: rdf.IRI("urn:g")})
		for range 3 {
			q := rdf.Quad{Subject: node, Predicate: rdf.IRI(fmt.Sprintf("urn:p%d", random.IntN(2))), Object: rdf.Literal(fmt.Sprintf("text %d", random.IntN(60)), "")}
			if random.IntN(4) == 0 {
				q.Label = rdf.IRI("urn:g")
			}
			quads = append(quads, q)
		}
	}
	commitQuads(t, f, quads, nil)
	r, err := f.Read(t.Context(), View{})
	if err != nil {
		t.Fatal(err)
	}
	before := r.head.ID
	r.Close()
	commitQuads(t, f, nil, quads[:400])
	for _, at := range []history.CommitID{{}, before} {
		r, err := f.Read(t.Context(), View{At: at})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		var texts []inline.TermID
		for i := range 60 {
			id, known, err := r.dict.Lookup(rdf.Literal(fmt.Sprintf("text %d", i), ""))
			if err != nil || !known {
				t.Fatal(known, err)
			}
			texts = append(texts, id)
		}
		for _, of := range [][]rdf.IRI{nil, {"urn:A"}, {"urn:A", "urn:C"}, {"urn:none"}} {
			var op sparql.Op = sparql.Join{Left: amongIDs(varO, texts), Right: bgp(triplePattern(nil, nil, nil))}
			if of != nil {
				op = r.restricted(t.Context(), op, Selection{Classes: of})
			}
			want := make([][]bearer, len(texts))
			if err := r.askIDs(t.Context(), op, []sparql.Var{varS, varP, varO}, func(ids []inline.TermID) bool {
				i := slices.Index(texts, ids[2])
				want[i] = append(want[i], bearer{ids[0], ids[1]})
				return true
			}); err != nil {
				t.Fatal(err)
			}
			for _, listed := range []bool{true, false} {
				s := &textSearch{Reader: r, ctx: t.Context(), search: TextSearch{Classes: of}, typed: map[int64]bool{}}
				if !listed {
					s.instances = []int64{} // as if they were too many
				}
				got, err := s.having(texts)
				if err != nil {
					t.Fatal(err)
				}
				if listed != (len(s.instances) > 0) && of != nil && of[0] != "urn:none" {
					t.Errorf("of %v %d instances are listed", of, len(s.instances))
				}
				n := 0
				for i := range want {
					order := func(a, b bearer) int {
						return cmp.Or(cmp.Compare(a.subject, b.subject), cmp.Compare(a.property, b.property))
					}
					slices.SortFunc(want[i], order)
					if n += len(want[i]); !slices.Equal(got[i], want[i]) {
						t.Errorf("at %v of %v, text %d has %v, want %v", at, of, i, got[i], want[i])
					}
				}
				if n == 0 != (of != nil && of[0] == "urn:none") {
					t.Errorf("of %v there are %d", of, n)
				}
			}
		}
	}
}

// TestATextOfManyNodesIsTakenOfSome holds the bound on the nodes of one text, and that the search says so.
func TestATextOfManyNodesIsTakenOfSome(t *testing.T) {
	f := openFresh(t)
	var quads []rdf.Quad
	for i := range textsTogether*10 + 100 {
		quads = append(quads, rdf.Quad{Subject: rdf.IRI(fmt.Sprintf("urn:n%d", i)), Predicate: rdf.IRI("urn:p"), Object: rdf.Literal([]string{"common", "other"}[i/(textsTogether*10)], "")})
	}
	commitQuads(t, f, quads, nil)
	r, err := f.Read(t.Context(), View{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	ids, _, err := r.ids(rdf.Literal("common", ""), rdf.Literal("other", ""))
	if err != nil {
		t.Fatal(err)
	}
	s := &textSearch{Reader: r, ctx: t.Context()}
	who, err := s.having(ids)
	if err != nil || len(who[0]) != textShared || len(who[1]) != 100 || !s.more {
		t.Errorf("%d and %d nodes are taken, others are said: %v; %v", len(who[0]), len(who[1]), s.more, err)
	}
	s = &textSearch{Reader: r, ctx: t.Context()}
	if who, err = s.having(ids[1:]); err != nil || len(who[0]) != 100 || s.more {
		t.Errorf("%d nodes are taken, others are said: %v; %v", len(who[0]), s.more, err)
	}
}

// TestCommonWordsAreCountedOfTheReadersIndex holds that what is kept of common words is of the index that a reader has.
func TestCommonWordsAreCountedOfTheReadersIndex(t *testing.T) {
	f := openFresh(t)
	grow := func(n int) {
		var quads []rdf.Quad
		for i := range 5 { // as much as makes the index grow
			text := fmt.Sprintf("the %d %d %s", n, i, strings.Repeat("moth ", 12_000))
			quads = append(quads, rdf.Quad{Subject: rdf.IRI(fmt.Sprintf("urn:n%d-%d", n, i)), Predicate: rdf.IRI("urn:p"), Object: rdf.Literal(text, "")})
		}
		commitQuads(t, f, quads, nil)
	}
	query, err := fulltext.Parse("the moth ")
	if err != nil {
		t.Fatal(err)
	}
	read := func(v View) *Reader {
		r, err := f.Read(t.Context(), v)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { r.Close() })
		return r
	}
	counted := func(r *Reader, want int64) {
		t.Helper()
		texts, err := r.FindTexts(t.Context(), TextSearch{Query: query})
		if err != nil {
			t.Fatal(err)
		}
		the := texts.Goals()[0]
		if !the.Common || the.Weight != texts.Weight(want) {
			t.Errorf("the weight of %q is %v, and %v of %d texts", the.Text, the.Weight, texts.Weight(want), want)
		}
	}
	grow(1)
	before := read(View{})
	counted(before, 5)
	grow(2)
	after := read(View{})
	counted(after, 10)
	counted(before, 5)
	counted(after, 10)
	counted(read(View{At: before.Head().ID}), 10) // the index has the texts of all commits
}

// TestTheCachesOfAViewAreAll holds that nothing that a process remembers is left out for the reader of a view.
func TestTheCachesOfAViewAreAll(t *testing.T) {
	of := reflect.ValueOf(newCaches("e").ofView(newFacts())).Elem()
	for i := range of.NumField() {
		if f := of.Field(i); f.Kind() == reflect.Pointer && f.IsNil() {
			t.Errorf("a view has no %s", of.Type().Field(i).Name)
		}
	}
}
