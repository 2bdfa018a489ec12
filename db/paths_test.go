package db_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trails/db"
	"trails/rdf"
)

var widePaths = db.PathLimits{Steps: 4, Paths: 100_000, Links: 100_000, Node: 10_000}

func pathsOf(t testing.TB, quads []rdf.Quad, rights *db.Rights) *db.Reader {
	t.Helper()
	f, err := fileOf(t.Context(), filepath.Join(t.TempDir(), "paths.db"), quads)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	r, err := f.Read(t.Context(), db.View{Rights: rights})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// pathText writes a path as people read it.
func pathText(path []db.PathStep) string {
	var b strings.Builder
	short := func(t rdf.Term) string { return strings.TrimPrefix(fmt.Sprint(t), "urn:test:") }
	for i, s := range path {
		from, to := s.Subject, s.Object
		if s.Back {
			from, to = to, from
		}
		if i == 0 {
			b.WriteString(short(from))
		}
		if s.Back {
			fmt.Fprintf(&b, " <%s- %s", short(s.Predicate), short(to))
		} else {
			fmt.Fprintf(&b, " -%s> %s", short(s.Predicate), short(to))
		}
	}
	return b.String()
}

// everyPath finds all paths by trying every link.
func everyPath(quads []rdf.Quad, from, to rdf.Term, steps int) (all []string) {
	var path []db.PathStep
	seen := []rdf.Term{from}
	var visit func(at rdf.Term)
	visit = func(at rdf.Term) {
		if at == to {
			all = append(all, pathText(path))
			return
		}
		if len(path) == steps {
			return
		}
		for _, q := range quads {
			for _, back := range []bool{false, true} {
				here, there := q.Subject, q.Object
				if back {
					here, there = there, here
				}
				if here != at || rdf.IsLiteral(there) || q.Predicate == rdf.Type || q.Label != nil || slices.Contains(seen, there) {
					continue
				}
				predicate, _ := q.Predicate.(rdf.IRI)
				path, seen = append(path, db.PathStep{Subject: q.Subject, Object: q.Object, Predicate: predicate, Back: back}), append(seen, there)
				visit(there)
				path, seen = path[:len(path)-1], seen[:len(seen)-1]
			}
		}
	}
	visit(from)
	slices.Sort(all)
	return all
}

// The paths between any two nodes of random graphs are those that trying every link finds, the shortest first. A type,
// a value and a named graph connect nothing.
func TestPathsAreAllPaths(t *testing.T) {
	for seed := range uint64(6) {
		random := rand.New(rand.NewPCG(seed, 7))
		quads := []rdf.Quad{}
		node := func() string { return fmt.Sprint("n", random.IntN(9)) }
		for range 14 {
			quads = append(quads, q(node(), []string{"p", "r"}[random.IntN(2)], iri(node())))
		}
		for i := range 9 {
			s := fmt.Sprint("n", i)
			quads = append(quads, rdf.Quad{Subject: iri(s), Predicate: rdf.Type, Object: iri("T")}, q(s, "says", rdf.Literal("the same", "")),
				q(s, "size", rdf.Literal("7", rdf.XSDInteger)), in(iri("g"), q(s, "p", iri("n0"))))
		}
		slices.SortFunc(quads, func(a, b rdf.Quad) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		quads = slices.Compact(quads)
		r := pathsOf(t, quads, nil)
		for i := range 9 {
			for j := range 9 {
				if i == j {
					continue
				}
				from, to := iri(fmt.Sprint("n", i)), iri(fmt.Sprint("n", j))
				found, err := r.Paths(t.Context(), from, to, widePaths)
				if err != nil {
					t.Fatal(err)
				}
				if found.More || found.Whole != 4 {
					t.Errorf("%s to %s: more %v, whole up to %d", from, to, found.More, found.Whole)
				}
				list := []string{}
				for k, path := range found.Paths {
					if k > 0 && len(path) < len(found.Paths[k-1]) {
						t.Errorf("%s comes after %s", pathText(path), pathText(found.Paths[k-1]))
					}
					list = append(list, pathText(path))
				}
				slices.Sort(list)
				if d := cmp.Diff(everyPath(quads, from, to, 4), list); d != "" && len(list) > 0 {
					t.Fatalf("seed %d, %s to %s (-all +found):\n%s", seed, from, to, d)
				} else if all := everyPath(quads, from, to, 4); len(all) != len(list) {
					t.Fatalf("seed %d, %s to %s: %d paths, want %d", seed, from, to, len(list), len(all))
				}
			}
		}
	}
}

// A hidden node is on no path, nor is a link by a hidden property.
func TestNoPathLeadsThroughWhatIsHidden(t *testing.T) {
	quads := []rdf.Quad{q("a", "p", iri("m")), q("b", "p", iri("m")), q("a", "secret", iri("b")), q("a", "p", iri("x")), q("x", "p", iri("y")), q("y", "p", iri("b"))}
	for _, c := range []struct {
		rights *db.Rights
		want   int
	}{{nil, 3}, {&db.Rights{Nodes: []rdf.Term{iri("m")}}, 2}, {&db.Rights{Predicates: []rdf.IRI{iri("secret")}}, 2}, {&db.Rights{Nodes: []rdf.Term{iri("b")}}, 0}} {
		found, err := pathsOf(t, quads, c.rights).Paths(t.Context(), iri("a"), iri("b"), widePaths)
		if err != nil || len(found.Paths) != c.want {
			t.Errorf("with %v there are %d paths (%v), want %d", c.rights, len(found.Paths), err, c.want)
		}
	}
}

// A search that stops early says how far it got.
func TestABoundedSearchForPathsSaysSo(t *testing.T) {
	var quads []rdf.Quad
	for i := range 300 {
		m := fmt.Sprint("m", i)
		quads = append(quads, q(m, "p", iri("a")), q(m, "p", iri("hub")))
	}
	quads = append(quads, q("hub", "p", iri("b")), q("a", "p", iri("b")))
	r := pathsOf(t, quads, nil)
	for _, c := range []struct {
		limits             db.PathLimits
		paths, whole, most int
		more               bool
	}{
		{db.PathLimits{Steps: 4, Paths: 1000, Links: 10_000, Node: 1000}, 301, 4, 2000, false},
		{db.PathLimits{Steps: 2, Paths: 1000, Links: 10_000, Node: 1000}, 1, 2, 400, false},
		{db.PathLimits{Steps: 4, Paths: 5, Links: 10_000, Node: 1000}, 5, 4, 2000, true},
		{db.PathLimits{Steps: 4, Paths: 1000, Links: 10_000, Node: 100}, 101, 2, 2000, false},
		{db.PathLimits{Steps: 4, Paths: 1000, Links: 50, Node: 1000}, 1, 0, 50, false},
	} {
		found, err := r.Paths(t.Context(), iri("a"), iri("b"), c.limits)
		if err != nil {
			t.Fatal(err)
		}
		if len(found.Paths) != c.paths || found.More != c.more || found.Whole != c.whole || found.Read > c.most {
			t.Errorf("%+v: %d paths, more %v, whole %d, %d read; want %+v", c.limits, len(found.Paths), found.More, found.Whole, found.Read, c)
		}
	}
}

// Links between nodes are those from the one to the others, without types, literals and other graphs; bounds that leave
// some out are told.
func TestLinksBetweenNodes(t *testing.T) {
	quads := []rdf.Quad{
		q("a", "p", iri("b")), q("a", "p", iri("c")), q("a", "p", rdf.String("b")), q("a", "q", iri("b")), q("b", "p", iri("a")), q("b", "p", iri("far")),
		{Subject: iri("a"), Predicate: rdf.Type, Object: iri("b")}, in(iri("g"), q("c", "p", iri("a"))), q("c", "n", rdf.Literal("1", rdf.XSDInteger)),
	}
	r := pathsOf(t, quads, nil)
	of := func(names ...string) (list []rdf.Term) {
		for _, name := range names {
			list = append(list, iri(name))
		}
		return list
	}
	for _, c := range []struct {
		from, to   []rdf.Term
		each, most int
		links      int
		whole      bool
	}{
		{of("a", "b", "c", "nobody"), of("a", "b", "c", "nobody"), 10, 100, 4, true},
		{of("a"), of("a", "b"), 10, 100, 2, true},
		{of("c"), of("a", "b", "c"), 10, 100, 0, true},
		{of("b"), of("a", "b", "c"), 1, 100, 1, false},
		{of("b", "a"), of("a", "b", "c"), 10, 2, 1, false},
	} {
		links, whole, err := r.LinksBetween(t.Context(), c.from, c.to, c.each, c.most)
		if err != nil || len(links) != c.links || whole != c.whole {
			t.Errorf("from %v to %v, up to %d and %d: %v, whole %t, %v", c.from, c.to, c.each, c.most, links, whole, err)
		}
		for _, l := range links {
			if there := collect(t, r.Match(t.Context(), rdf.Quad{Subject: l.From, Predicate: l.Predicate, Object: l.To, Label: rdf.DefaultGraph})); len(there) != 1 {
				t.Errorf("%v is no statement", l)
			}
		}
	}
}

// BenchmarkPathsOfHubs is the search between two nodes with 5,000 links each: they share all of their neighbours, none,
// or a neighbour of one is linked to one of the other.
func BenchmarkPathsOfHubs(b *testing.B) {
	var quads []rdf.Quad
	for i := range benchQuads() / 8 {
		s := fmt.Sprint("e", i)
		for j := range 8 {
			quads = append(quads, q(s, fmt.Sprint("p", j%4), []rdf.Term{iri(fmt.Sprint("e", i*7919%100_003)), rdf.Literal(fmt.Sprint(i*j), "")}[j%2]))
		}
	}
	for i := range 5000 {
		quads = append(quads, q(fmt.Sprint("e", i), "in", iri("hub1")), q(fmt.Sprint("e", 50_000+i), "in", iri("hub2")), q(fmt.Sprint("e", i), "near", iri("hub3")))
	}
	r := pathsOf(b, quads, nil)
	for _, c := range []struct{ name, to string }{{"shared", "hub3"}, {"apart", "hub2"}} {
		b.Run(c.name, func(b *testing.B) {
			var found db.Paths
			for b.Loop() {
				var err error
				if found, err = r.Paths(b.Context(), iri("hub1"), iri(c.to), db.PathLimits{Steps: 4, Paths: 50, Links: 50_000, Node: 1000}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(found.Paths)), "paths")
			b.ReportMetric(float64(found.Read), "links")
			b.ReportMetric(float64(found.Whole), "whole")
		})
	}
}
