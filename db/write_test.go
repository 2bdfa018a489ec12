package db_test

import (
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"trails/db"
	"trails/db/history"
	"trails/e2e/testrun"
	"trails/fault"
	"trails/rdf"
)

func TestWhatIsWrittenIsRead(t *testing.T) {
	f := create(t)
	quads := []rdf.Quad{
		q("a", "name", rdf.String("Ä \"quoted\"\n\x00 text")),
		q("a", "name", rdf.LangString{Value: "a", Lang: "en-GB"}),
		q("a", "age", rdf.Literal("42", rdf.XSDInteger)),
		q("a", "age", rdf.Literal("042", rdf.XSDInteger)),
		q("a", "is", rdf.Literal("true", rdf.XSDBoolean)),
		q("a", "at", rdf.Literal("2026-01-02T03:04:05.678Z", rdf.XSDDateTime)),
		q("a", "odd", rdf.Literal("x", iri("datatype"))),
		q("a", "empty", rdf.String("")),
		q("a", "knows", rdf.BNode("b1")),
		in(rdf.BNode("g"), rdf.Quad{Subject: rdf.BNode("b1"), Predicate: iri("p"), Object: iri("o")}),
		in(rdf.SchemaGraph, q("Type", "label", rdf.String("T"))),
	}
	c := write(t, f, quads, nil)
	if c.Seq != 1 || c.Added != int64(len(quads)) || c.Quads != c.Added || c.Bulk {
		t.Errorf("commit: %+v", c)
	}
	if diff := gocmp.Diff(lines(quads), state(t, f)); diff != "" {
		t.Error(diff)
	}
	r := read(t, f)
	if diff := gocmp.Diff(c, r.Head()); diff != "" {
		t.Error(diff)
	}
}

func TestEveryPatternAgreesWithAScan(t *testing.T) {
	f := create(t)
	var all []rdf.Quad
	for _, s := range []string{"a", "b"} {
		for _, p := range []string{"p", "q"} {
			for _, o := range []string{"a", "o"} {
				all = append(all, q(s, p, iri(o)), in(iri("g1"), q(s, p, iri(o))))
			}
		}
	}
	all = append(all, in(iri("g2"), q("a", "p", iri("a"))))
	write(t, f, all, nil)
	r := read(t, f)
	for _, s := range []rdf.Term{nil, iri("a"), iri("b"), iri("none")} {
		for _, p := range []rdf.Term{nil, iri("p"), iri("q")} {
			for _, o := range []rdf.Term{nil, iri("a"), iri("o")} {
				for _, g := range []rdf.Term{nil, rdf.DefaultGraph, iri("g1"), iri("g2")} {
					checkPattern(t, r, all, rdf.Quad{Subject: s, Predicate: p, Object: o, Label: g})
				}
			}
		}
	}
}

func checkPattern(t *testing.T, r *db.Reader, all []rdf.Quad, pattern rdf.Quad) {
	t.Helper()
	var want []rdf.Quad
	for _, q := range all {
		if fits(q.Subject, pattern.Subject) && fits(q.Predicate, pattern.Predicate) && fits(q.Object, pattern.Object) &&
			(fits(q.Label, pattern.Label) || q.Label == nil && pattern.Label == rdf.DefaultGraph) {
			want = append(want, q)
		}
	}
	if diff := gocmp.Diff(lines(want), lines(collect(t, r.Match(t.Context(), pattern)))); diff != "" {
		t.Errorf("%v: %s", pattern, diff)
	}
}

func fits(t, pattern rdf.Term) bool { return pattern == nil || t == pattern }

func TestRemovedQuadsGoToHistory(t *testing.T) {
	f := create(t)
	a, b, c := q("a", "p", iri("1")), q("a", "p", iri("2")), q("a", "p", iri("3"))
	write(t, f, []rdf.Quad{a, b}, nil)
	second := write(t, f, []rdf.Quad{c}, []rdf.Quad{a})
	if diff := gocmp.Diff(lines([]rdf.Quad{b, c}), state(t, f)); diff != "" {
		t.Error(diff)
	}
	r := read(t, f)
	want := []db.Change{{Op: '-', Seq: 2, Quad: a}, {Op: '+', Seq: 2, Quad: c}}
	if diff := gocmp.Diff(want, collect(t, r.Changes(t.Context(), second.Seq, db.Place{}))); diff != "" {
		t.Error(diff)
	}
}

func TestAChangeThatIsNoneReportsFalse(t *testing.T) {
	f := create(t)
	a := q("a", "p", iri("1"))
	write(t, f, []rdf.Quad{a}, nil)
	w, err := f.Write(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if added, err := w.Add(t.Context(), a); added || err != nil {
		t.Error(added, err)
	}
	if removed, err := w.Remove(t.Context(), q("a", "p", iri("2"))); removed || err != nil {
		t.Error(removed, err)
	}
	if _, err := w.Add(t.Context(), a); err == nil {
		t.Error("a change out of order was taken")
	}
}

func TestAReaderKeepsItsState(t *testing.T) {
	f := create(t)
	write(t, f, []rdf.Quad{q("a", "p", iri("1"))}, nil)
	r := read(t, f)
	write(t, f, []rdf.Quad{q("b", "p", iri("1"))}, nil)
	if got := collect(t, r.Match(t.Context(), rdf.Quad{})); len(got) != 1 || r.Head().Seq != 1 {
		t.Errorf("got %v at %d", got, r.Head().Seq)
	}
}

func TestTheWriterReadsItsOwnChangesAndCloseUndoesThem(t *testing.T) {
	for _, before := range []int{0, 5} {
		f := create(t)
		if before > 0 {
			write(t, f, entities(before), nil)
		}
		was := state(t, f)
		w, err := f.Write(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Add(t.Context(), q("new", "p", rdf.String("new"))); err != nil {
			t.Fatal(err)
		}
		got := collect(t, w.Match(t.Context(), rdf.Quad{Subject: iri("new")}))
		if len(got) != 1 || got[0].Object != rdf.String("new") {
			t.Errorf("got %v", got)
		}
		w.Close()
		if diff := gocmp.Diff(was, state(t, f)); diff != "" {
			t.Error(diff)
		}
		// The ids that were rolled back now belong to other terms.
		write(t, f, []rdf.Quad{q("other", "p2", rdf.String("x"))}, nil)
		if got := collect(t, read(t, f).Match(t.Context(), rdf.Quad{Subject: iri("other")})); len(got) != 1 || got[0].Object != rdf.String("x") {
			t.Errorf("got %v", got)
		}
	}
}

func TestOneMatchRunsInsideAnother(t *testing.T) {
	f := create(t)
	write(t, f, entities(100), nil)
	r := read(t, f)
	n := 0
	for outer, err := range r.Match(t.Context(), rdf.Quad{Predicate: rdf.Type}) {
		if err != nil {
			t.Fatal(err)
		}
		for range r.Match(t.Context(), rdf.Quad{Subject: outer.Subject}) {
			n++
		}
		for range r.Match(t.Context(), rdf.Quad{Predicate: rdf.Type}) {
			break
		}
	}
	if n != 100 {
		t.Errorf("got %d rows", n)
	}
}

func TestSameHistorySameIDs(t *testing.T) {
	one, two := create(t), create(t)
	a, b, c := entities(10), entities(30)[10:], []rdf.Quad{q("zz", "p", rdf.String("z"))}
	write(t, one, a, nil)
	write(t, two, a, nil)
	write(t, one, append(b, c...), a[:3])
	// Terms that one file has seen and the other has not change no id.
	w, _ := two.Write(t.Context())
	w.Add(t.Context(), q("q", "q", rdf.String("lost")))
	w.Close()
	write(t, two, append(c, b...), a[:3])
	if diff := gocmp.Diff(read(t, one).Head(), read(t, two).Head()); diff != "" {
		t.Error(diff)
	}
}

func TestCommitsAreFoundByTheirIDs(t *testing.T) {
	f := create(t)
	var made []history.Commit
	for i := range 20 {
		made = append(made, write(t, f, []rdf.Quad{q("a", "p", rdf.Literal(string(rune('0'+i)), ""))}, nil))
	}
	r := read(t, f)
	for i, want := range made {
		for _, prefix := range []string{want.ID.Whole(), want.ID.String(), want.ID.Whole()[:13]} {
			got, err := r.CommitByID(t.Context(), prefix)
			if err != nil || got != want {
				t.Errorf("%s: got %v, error %v", prefix, got, err)
			}
		}
		if i > 0 && want.Parent != made[i-1].ID {
			t.Errorf("commit %d has the parent %s", i, want.Parent)
		}
	}
	digits := map[byte]int{}
	for _, c := range made {
		digits[c.ID.Whole()[0]]++
	}
	for digit, n := range digits {
		_, err := r.CommitByID(t.Context(), string(digit))
		if n == 1 {
			if err != nil {
				t.Errorf("%c: %v", digit, err)
			}
			continue
		}
		candidates, _ := fault.Of(err).Details["candidates"].([]string)
		if !fault.Is(err, fault.Malformed) || len(candidates) != min(n, 5) || !strings.Contains(err.Error(), candidates[0]) {
			t.Errorf("%c begins %d ids: %v, with %q", digit, n, err, candidates)
		}
		for _, one := range candidates { // each of them works
			if c, err := r.CommitByID(t.Context(), one); err != nil || c.ID.String() != one || one[0] != digit {
				t.Errorf("the candidate %s of %c: %v", one, digit, err)
			}
		}
	}
	page, err := r.Commits(t.Context(), 11, 3)
	if err != nil || len(page) != 3 || page[0].Seq != 10 || page[2].Seq != 8 {
		t.Errorf("page %v, error %v", page, err)
	}
	for prefix, kind := range map[string]fault.Kind{"": fault.Malformed, "xyz": fault.Malformed, made[0].ID.Whole() + "0": fault.Malformed, "0000000000000": fault.Missing} {
		if _, err := r.CommitByID(t.Context(), prefix); !fault.Is(err, kind) {
			t.Errorf("%q: got %v, want %v", prefix, err, kind)
		}
	}
}

func TestChangesAreReadFromAPlaceOn(t *testing.T) {
	testrun.Alone(t)
	r := read(t, grown(t))
	for _, err := range r.Changes(t.Context(), 1, db.Place{Subject: iri("nobody")}) {
		if !fault.Is(err, fault.Missing) {
			t.Errorf("of a subject that is in no statement: %v", err)
		}
	}
	for seq := history.Seq(1); seq <= r.Head().Seq; seq++ {
		all := collect(t, r.Changes(t.Context(), seq, db.Place{}))
		for _, offset := range []int{1, 7, len(all) - 1, len(all), len(all) + 3} {
			want := all[min(offset, len(all)):]
			if got := collect(t, r.Changes(t.Context(), seq, db.Place{Skip: offset})); len(got) != len(want) || len(got) > 0 && !gocmp.Equal(got, want) {
				t.Errorf("of commit %d are %d changes from %d on, want %d", seq, len(got), offset, len(want))
			}
		}
		for i := 0; i < len(all); i += 1 + len(all)/50 {
			c := all[i]
			first := slices.IndexFunc(all, func(other db.Change) bool { return other.Subject == c.Subject })
			if got := collect(t, r.Changes(t.Context(), seq, db.Place{Subject: c.Subject, Skip: i - first})); !gocmp.Equal(got, all[i:]) {
				t.Errorf("of commit %d are %d changes from %d of %s on, want %d", seq, len(got), i-first, c.Subject, len(all)-i)
			}
		}
	}
}
