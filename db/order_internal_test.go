package db

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"trails/db/inline"
	"trails/e2e/testrun"
	"trails/fault"
	"trails/rdf"
)

// The keys of a sort are counted, and given back after it.
func TestASortThatTakesTooMuchMemoryIsRefused(t *testing.T) {
	before := sortBytes
	defer func() { sortBytes = before }()
	f := emptyFile(t)
	var quads []rdf.Quad
	for i := range 50 {
		s := rdf.IRI(fmt.Sprintf("urn:s:%02d", i))
		quads = append(quads,
			rdf.Quad{Subject: s, Predicate: rdf.IRI("urn:name"), Object: rdf.Literal(fmt.Sprint("name ", i), "")},
			rdf.Quad{Subject: s, Predicate: rdf.Type, Object: rdf.IRI("urn:Thing")})
	}
	commitQuads(t, f, quads, nil)
	r, err := f.Read(t.Context(), View{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, c := range []struct {
		bytes   int64
		refused bool
	}{{before, false}, {50 * (sortKeyBytes + 7), false}, {50 * sortKeyBytes, true}} {
		sortBytes = c.bytes
		list, err := r.SelectSorted(t.Context(), Selection{Classes: []rdf.IRI{"urn:Thing"}}, []Order{{Property: "urn:name", Datatype: rdf.XSDString}}, 10, 0)
		if c.refused != fault.Is(err, fault.TooLarge) || !c.refused && (err != nil || len(list) != 10) {
			t.Errorf("%d bytes: %d nodes, %v", c.bytes, len(list), err)
		}
		if held := f.held.Load(); held != 0 {
			t.Errorf("%d bytes are still counted", held)
		}
	}
}

// A walk over the kept texts of what subjects refer to gives the order of reading the value of
// each subject: many refer to one, to several, and to none, and texts are alike.
func TestAWalkOverReferencesIsTheOrderOfAllValues(t *testing.T) {
	f := emptyFile(t)
	random := testrun.Random(t)
	var quads []rdf.Quad
	seen := map[rdf.Quad]bool{}
	say := func(s rdf.IRI, p rdf.IRI, o rdf.Term) {
		if q := (rdf.Quad{Subject: s, Predicate: p, Object: o}); !seen[q] {
			seen[q] = true
			quads = append(quads, q)
		}
	}
	const holders = 1_200 // more than a chunk
	for i := range holders {
		for range random.IntN(3) {
			say(rdf.IRI(fmt.Sprint("urn:h:", i)), "urn:name", rdf.Literal(fmt.Sprint(random.IntN(90)), ""))
			say(rdf.IRI(fmt.Sprint("urn:h:", i)), "urn:rank", rdf.Literal(fmt.Sprint(random.IntN(90)), rdf.XSDInteger))
		}
	}
	for i := range 800 {
		s := rdf.IRI(fmt.Sprint("urn:s:", i))
		say(s, rdf.Type, rdf.IRI([]string{"urn:Thing", "urn:Thing", "urn:Other"}[i%3]))
		for range random.IntN(4) {
			say(s, "urn:about", rdf.IRI(fmt.Sprint("urn:h:", random.IntN(holders))))
			say(s, "urn:about", rdf.IRI(fmt.Sprint("urn:h:", random.IntN(5))))
		}
	}
	random.Shuffle(len(quads), func(i, j int) { quads[i], quads[j] = quads[j], quads[i] })
	commitQuads(t, f, quads, nil)
	r, err := f.Read(t.Context(), View{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	sel := Selection{Classes: []rdf.IRI{"urn:Thing"}}
	for _, by := range []Order{{Property: "urn:name", Datatype: rdf.XSDString}, {Property: "urn:rank", Datatype: rdf.XSDInteger}} {
		for _, by.Descending = range []bool{false, true} {
			for _, offset := range []int{0, 3, 300, 520} {
				by.Via = []rdf.IRI{"urn:about"}
				walked := &pageOf{limit: 50, offset: offset, seen: map[inline.TermID]bool{}}
				all := &pageOf{limit: 50, offset: offset, seen: map[inline.TermID]bool{}}
				if ok, err := r.walkValues(t.Context(), sel, by, walked); err != nil || !ok {
					t.Fatalf("%v: %t, %v", by, ok, err)
				}
				if err := errors.Join(r.without(t.Context(), sel, []Order{by}, walked), r.sortAll(t.Context(), sel, by, all)); err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(walked.ids, all.ids) {
					t.Errorf("%v from %d on: %v, want %v", by, offset, walked.ids, all.ids)
				}
			}
		}
	}
}

// A walk over the labels of what subjects refer to gives the order of reading the label of each: all refer to one, many to
// few, and nodes have several labels, equal ones, blank ones and none.
func TestAWalkOverLabelsIsTheOrderOfAllLabels(t *testing.T) {
	f := emptyFile(t)
	random := testrun.Random(t)
	var quads []rdf.Quad
	seen := map[rdf.Quad]bool{}
	say := func(s rdf.IRI, p rdf.IRI, o rdf.Term) {
		if q := (rdf.Quad{Subject: s, Predicate: p, Object: o}); !seen[q] {
			seen[q] = true
			quads = append(quads, q)
		}
	}
	const nodes, subjects = 1_200, 900 // more than a chunk of each
	for i := range nodes {
		for range random.IntN(4) {
			text := fmt.Sprint([]string{"Node ", "node ", "other "}[random.IntN(3)], random.IntN(400))
			if random.IntN(20) == 0 {
				text = " "
			}
			say(rdf.IRI(fmt.Sprint("urn:h:", i)), "urn:name", rdf.Literal(text, ""))
		}
	}
	say("urn:h:7", "urn:name", rdf.Literal("node 200", ""))
	for i := range subjects {
		s := rdf.IRI(fmt.Sprint("urn:s:", i))
		say(s, rdf.Type, rdf.IRI([]string{"urn:Thing", "urn:Thing", "urn:Thing", "urn:Other"}[i%4]))
		if i%5 == 0 {
			continue // it refers to nothing
		}
		for range random.IntN(3) {
			say(s, "urn:about", rdf.IRI(fmt.Sprint("urn:h:", random.IntN(nodes))))
		}
		say(s, "urn:about", rdf.IRI("urn:h:7"))
		say(s, "urn:rank", rdf.Literal(fmt.Sprint(random.IntN(9)), rdf.XSDInteger))
	}
	random.Shuffle(len(quads), func(i, j int) { quads[i], quads[j] = quads[j], quads[i] })
	commitQuads(t, f, quads, nil)
	r, err := f.Read(t.Context(), View{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	sel := Selection{Classes: []rdf.IRI{"urn:Thing"}}
	by := Order{Property: "urn:about", Label: "urn:name", Text: func(t rdf.Term) (string, error) { return rdf.Lexical(t), nil }}
	for _, by.Descending = range []bool{false, true} {
		for _, then := range [][]Order{nil, {{Property: "urn:rank", Datatype: rdf.XSDInteger}}} {
			for _, offset := range []int{0, 3, 250, 500, 620} {
				orders := append([]Order{by}, then...)
				pages := [2][]inline.TermID{}
				for i, walk := range []bool{true, false} {
					page := &pageOf{limit: 100, offset: offset, seen: map[inline.TermID]bool{}}
					if then != nil {
						page.refine = func(run []inline.TermID) error { return r.sortRun(t.Context(), run, then) }
					}
					if walk {
						ok, err := r.walkValues(t.Context(), sel, by, page)
						if err != nil || !ok {
							t.Fatalf("%v: %t, %v", by, ok, err)
						}
						if err := errors.Join(page.endRun(), r.without(t.Context(), sel, orders, page)); err != nil {
							t.Fatal(err)
						}
					} else if err := errors.Join(r.sortAll(t.Context(), sel, by, page), page.endRun()); err != nil {
						t.Fatal(err)
					}
					pages[i] = page.ids
				}
				if want := min(100, max(0, 675-offset)); then == nil && len(pages[0]) != want {
					t.Errorf("%d nodes from %d on, want %d", len(pages[0]), offset, want)
				}
				if then == nil && !slices.Equal(pages[0], pages[1]) {
					t.Errorf("descending %t, from %d on: %v, want %v", by.Descending, offset, pages[0], pages[1])
				}
			}
		}
	}
	before := unlabelledMost
	defer func() { unlabelledMost = before }()
	unlabelledMost = 10
	page := &pageOf{limit: 10, seen: map[inline.TermID]bool{}}
	if ok, err := r.walkValues(t.Context(), sel, by, page); err != nil || ok || len(page.ids) > 0 {
		t.Errorf("many nodes have no label, and they are walked: %t, %v, %v", ok, page.ids, err)
	}
}
