package rdf_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"trails/rdf"
)

// renamed gives blank nodes other labels, in another order of them.
func renamed(quads []rdf.Quad) []rdf.Quad {
	labels := map[rdf.BNode]rdf.BNode{}
	rename := func(t rdf.Term) rdf.Term {
		b, ok := t.(rdf.BNode)
		if !ok {
			return t
		}
		if labels[b] == "" {
			labels[b] = rdf.BNode(fmt.Sprintf("n%d", 7919*(len(labels)+1)%104729))
		}
		return labels[b]
	}
	out := make([]rdf.Quad, len(quads))
	for i, q := range slices.Backward(quads) {
		out[len(quads)-1-i] = rdf.Quad{Subject: rename(q.Subject), Predicate: q.Predicate, Object: rename(q.Object)}
	}
	return out
}

// differing counts the statements of one graph that the other has not, when blank nodes are
// called as their partners.
func differing(t interface{ Fatalf(string, ...any) }, given, there []rdf.Quad, partners map[rdf.BNode]rdf.BNode) (added, removed int) {
	taken := map[rdf.BNode]bool{}
	for b, partner := range partners {
		if taken[partner] {
			t.Fatalf("two stand for %s, one is %s", partner, b)
		}
		taken[partner] = true
	}
	has := map[rdf.Quad]bool{}
	for _, q := range there {
		has[q] = true
	}
	call := func(term rdf.Term) rdf.Term {
		b, ok := term.(rdf.BNode)
		if !ok {
			return term
		}
		if partner, paired := partners[b]; paired {
			return partner
		}
		return "new " + b
	}
	says := map[rdf.Quad]bool{}
	for _, q := range given {
		q.Subject, q.Object = call(q.Subject), call(q.Object)
		says[q] = true
	}
	for q := range says {
		if !has[q] {
			added++
		}
		delete(has, q)
	}
	return added, len(has)
}

// drawTrees is a graph of trees of blank nodes, as documents have them: many are alike, in lists, or
// refer to each other.
func drawTrees(t *rapid.T) []rdf.Quad {
	var quads []rdf.Quad
	next := 0
	fresh := func() rdf.BNode { next++; return rdf.BNode(fmt.Sprintf("b%d", next)) }
	predicate := func() rdf.Term { return rdf.IRI(fmt.Sprintf("urn:p%d", rapid.IntRange(0, 3).Draw(t, "p"))) }
	add := func(s, p, o rdf.Term) { quads = append(quads, rdf.Quad{Subject: s, Predicate: p, Object: o}) }
	var grow func(of rdf.Term, depth int)
	grow = func(of rdf.Term, depth int) {
		for range rapid.IntRange(1, 3).Draw(t, "children") {
			switch {
			case depth == 0 || rapid.Bool().Draw(t, "leaf"):
				add(of, predicate(), rdf.String(fmt.Sprint(rapid.IntRange(0, 2).Draw(t, "value"))))
			default:
				child := fresh()
				add(of, predicate(), child)
				grow(child, depth-1)
				if rapid.IntRange(0, 5).Draw(t, "back") == 0 {
					add(child, rdf.IRI("urn:up"), of)
				}
			}
		}
	}
	for i := range rapid.IntRange(1, 12).Draw(t, "roots") {
		grow(rdf.IRI(fmt.Sprintf("urn:s%d", i)), 3)
	}
	return quads
}

// TestWhatIsAddedIsAllThatDiffers draws documents, says them with other labels and some
// statements more, and expects no more to differ than those.
func TestWhatIsAddedIsAllThatDiffers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		there := drawTrees(t)
		given := slices.Clone(there)
		n := rapid.IntRange(0, 4).Draw(t, "added")
		for i := range n {
			given = append(given, rdf.Quad{Subject: rdf.BNode(fmt.Sprintf("more%d", i)), Predicate: rdf.IRI("urn:more"), Object: rdf.String(fmt.Sprint(i))})
		}
		if rapid.Bool().Draw(t, "of a node that is there") {
			q := rapid.SampledFrom(there).Draw(t, "of")
			given, n = append(given, rdf.Quad{Subject: q.Subject, Predicate: rdf.IRI("urn:note"), Object: rdf.String("new")}), n+1
		}
		given = renamed(given)
		added, removed := differing(t, given, there, rdf.MatchBlank(given, there, 1_000_000))
		if added != n || removed != 0 {
			t.Fatalf("+%d -%d of %d statements for %d added", added, removed, len(there), n)
		}
	})
}

// TestFourAddedStatementsAreFour holds shapes of documents in which nodes are alike near by and
// differ far away, in hundreds.
func TestFourAddedStatementsAreFour(t *testing.T) {
	for name, say := range map[string]func(add func(s, p, o rdf.Term), i int){
		"leaves that are alike": func(add func(s, p, o rdf.Term), i int) {
			add(rdf.IRI(fmt.Sprintf("urn:s%d", i%5)), rdf.IRI("urn:p"), rdf.BNode(fmt.Sprintf("a%d", i)))
		},
		"nested twice": func(add func(s, p, o rdf.Term), i int) {
			a, b := rdf.BNode(fmt.Sprintf("a%d", i)), rdf.BNode(fmt.Sprintf("b%d", i))
			add(rdf.IRI(fmt.Sprintf("urn:s%d", i)), rdf.IRI("urn:p"), a)
			add(a, rdf.IRI("urn:q"), b)
			add(b, rdf.IRI("urn:r"), rdf.String(fmt.Sprint(i%3)))
		},
		"lists": func(add func(s, p, o rdf.Term), i int) {
			var head rdf.Term = rdf.Nil
			for j := range 6 {
				cell := rdf.BNode(fmt.Sprintf("c%dx%d", i, j))
				add(cell, rdf.First, rdf.String(fmt.Sprint((i+j)%4)))
				add(cell, rdf.Rest, head)
				head = cell
			}
			add(rdf.IRI(fmt.Sprintf("urn:s%d", i)), rdf.IRI("urn:list"), head)
		},
		"a chain without names": func(add func(s, p, o rdf.Term), i int) {
			add(rdf.BNode(fmt.Sprintf("a%d", i)), rdf.IRI("urn:next"), rdf.BNode(fmt.Sprintf("a%d", i+1)))
			add(rdf.BNode(fmt.Sprintf("a%d", i)), rdf.IRI("urn:v"), rdf.String(fmt.Sprint(i*i%11)))
		},
	} {
		var there []rdf.Quad
		add := func(s, p, o rdf.Term) { there = append(there, rdf.Quad{Subject: s, Predicate: p, Object: o}) }
		for i := range 200 {
			say(add, i)
		}
		given := slices.Clone(there)
		more := rdf.BNode("more")
		for i, q := range []rdf.Quad{
			{Subject: rdf.IRI("urn:s3"), Predicate: rdf.IRI("urn:p"), Object: more}, {Subject: more, Predicate: rdf.IRI("urn:q"), Object: rdf.String("x")},
			{Subject: more, Predicate: rdf.IRI("urn:r"), Object: rdf.String("y")}, {Subject: there[40].Subject, Predicate: rdf.IRI("urn:label"), Object: rdf.String("z")},
		} {
			given = slices.Insert(given, i*50, q)
		}
		given = renamed(given)
		if added, removed := differing(t, given, there, rdf.MatchBlank(given, there, 5_000_000)); added != 4 || removed != 0 {
			t.Errorf("%s: +%d -%d", name, added, removed)
		}
	}
}

func TestMatchingIsBounded(t *testing.T) {
	var quads []rdf.Quad
	for i := range 2000 { // all alike, and in a circle
		quads = append(quads, rdf.Quad{Subject: rdf.BNode(fmt.Sprintf("a%d", i)), Predicate: rdf.IRI("urn:p"), Object: rdf.BNode(fmt.Sprintf("a%d", (i+1)%2000))})
	}
	steps := 100_000
	partners := rdf.MatchBlank(renamed(quads), quads, steps)
	differing(t, renamed(quads), quads, partners)
	if len(partners) > 2000 {
		t.Errorf("%d partners", len(partners))
	}
}
