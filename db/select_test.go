package db_test

import (
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"trails/db"
	"trails/db/history"
	"trails/e2e/testrun"
	"trails/fault"
	"trails/rdf"
)

func texts(terms []rdf.Term) []string {
	list := []string{}
	for _, t := range terms {
		list = append(list, rdf.Lexical(t)[len("urn:test:"):])
	}
	slices.Sort(list)
	return list
}

func TestSubjectsByPairs(t *testing.T) {
	f := create(t)
	write(t, f, []rdf.Quad{
		q("a", "name", rdf.String("x")), q("a", "kind", iri("k")),
		q("b", "name", rdf.String("x")), q("b", "kind", iri("l")),
		q("c", "name", rdf.String("y")), q("c", "kind", iri("k")),
		in(iri("g"), q("d", "name", rdf.String("x"))), in(iri("g"), q("c", "name", rdf.String("x"))),
	}, nil)
	r := read(t, f)
	x, k := rdf.PredicateObject{P: iri("name"), O: rdf.String("x")}, rdf.PredicateObject{P: iri("kind"), O: iri("k")}
	for _, c := range []struct {
		name  string
		pairs []rdf.PredicateObject
		limit int
		want  []string
	}{
		{"one pair", []rdf.PredicateObject{x}, 9, []string{"a", "b"}},
		{"a limit", []rdf.PredicateObject{x}, 1, []string{"a"}},
		{"two pairs", []rdf.PredicateObject{x, k}, 9, []string{"a"}},
		{"an unknown term", []rdf.PredicateObject{x, {P: iri("kind"), O: rdf.String("nothing")}}, 9, []string{}},
		{"no pair", nil, 9, []string{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := r.Having(t.Context(), c.pairs, c.limit)
			if err != nil {
				t.Fatal(err)
			}
			if diff := gocmp.Diff(c.want, texts(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSharedObjects(t *testing.T) {
	f := create(t)
	write(t, f, []rdf.Quad{
		q("a", "name", iri("x")), q("b", "name", iri("x")), q("c", "name", iri("x")), q("a", "name", iri("y")), q("b", "name", iri("y")),
		q("a", "name", iri("alone")), q("b", "other", iri("alone")), in(iri("g"), q("c", "name", iri("alone"))), in(iri("g"), q("a", "name", iri("alone"))),
	}, nil)
	r := read(t, f)
	for _, c := range []struct {
		predicate rdf.IRI
		limit     int
		want      []string
		whole     bool
	}{
		{iri("name"), 2, []string{"x", "y"}, true},
		{iri("name"), 1, []string{"x"}, false},
		{iri("other"), 1, []string{}, true},
		{iri("nothing"), 1, []string{}, true},
	} {
		got, whole, err := r.Shared(t.Context(), c.predicate, c.limit)
		if err != nil || whole != c.whole {
			t.Errorf("%s up to %d: whole is %v, error %v", c.predicate, c.limit, whole, err)
		}
		if diff := gocmp.Diff(c.want, texts(got)); diff != "" {
			t.Errorf("%s up to %d: %s", c.predicate, c.limit, diff)
		}
	}
}

func TestInstancesAsASet(t *testing.T) {
	f := create(t)
	write(t, f, append(entities(2000), in(iri("g"), rdf.Quad{Subject: iri("s1"), Predicate: rdf.Type, Object: iri("Elsewhere")})), nil)
	r := read(t, f)
	classes := []rdf.IRI{iri("Type3"), iri("Type4"), iri("Unknown"), iri("Elsewhere")}
	has, err := r.Instances(t.Context(), classes)
	if err != nil {
		t.Fatal(err)
	}
	want, err := r.Select(t.Context(), db.Selection{Classes: classes}, 1000, 0)
	if err != nil {
		t.Fatal(err)
	}
	var got []rdf.Term
	seen := map[rdf.Term]bool{}
	for q, err := range r.Match(t.Context(), rdf.Quad{}) {
		if err != nil {
			t.Fatal(err)
		}
		for _, term := range []rdf.Term{q.Subject, q.Predicate, q.Object} {
			if is, err := has(term); err != nil {
				t.Fatal(err)
			} else if is && !seen[term] {
				seen[term], got = true, append(got, term)
			}
		}
	}
	if diff := gocmp.Diff(texts(want), texts(got)); diff != "" || len(got) != 20 {
		t.Errorf("%d instances\n%s", len(got), diff)
	}
	if is, err := has(iri("nobody")); is || err != nil {
		t.Errorf("a term that the file does not have is an instance, error %v", err)
	}
}

func TestInstances(t *testing.T) {
	f := create(t)
	write(t, f, entities(2000), nil)
	r := read(t, f)
	sel := db.Selection{Classes: []rdf.IRI{iri("Type3"), iri("Type4"), iri("Unknown")}}
	all, err := r.Select(t.Context(), sel, 1000, 0)
	if err != nil || len(all) != 20 {
		t.Fatalf("%d instances, error %v", len(all), err)
	}
	var paged []rdf.Term
	for offset := 0; offset < 25; offset += 6 {
		page, err := r.Select(t.Context(), sel, 6, offset)
		if err != nil {
			t.Fatal(err)
		}
		paged = append(paged, page...)
	}
	if diff := gocmp.Diff(all, paged); diff != "" {
		t.Error(diff)
	}
	open := sel
	open.Where = []db.Condition{db.Has(iri("status"), rdf.String("open"))}
	some, err := r.Select(t.Context(), open, 1000, 0)
	n, _, countErr := r.CountSelected(t.Context(), open, 1000)
	if err != nil || countErr != nil || len(some) != n || n == 0 || n >= 20 {
		t.Errorf("%d open instances, counted %d, errors %v %v", len(some), n, err, countErr)
	}
	for _, most := range []int{0, 7, 20, 21} { // so few are all counted
		if n, more, err := r.CountSelected(t.Context(), sel, most); err != nil || n != 20 || more {
			t.Errorf("counted %d up to %d, more %t, error %v", n, most, more, err)
		}
	}
	types, err := r.CountByObject(t.Context(), rdf.Type)
	if err != nil || len(types) != 20 || types[0].Count != 10 {
		t.Errorf("types %v, error %v", types, err)
	}
	stats, err := r.Stats(t.Context())
	if err != nil || stats.Quads != 2000 || stats.Terms == 0 || stats.Commits != 1 || stats.Pages == 0 || stats.PageBytes != 4096 {
		t.Errorf("stats %+v, error %v", stats, err)
	}
}

func TestActivitiesAreKeptWithTheirCommitAndWithout(t *testing.T) {
	f := create(t)
	w, err := f.Write(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := w.Add(t.Context(), q("a", "p", iri("o"))); err != nil {
		t.Fatal(err)
	}
	made := db.Activity{
		ID: "one", Capability: "thing.create", Version: "1.0.0", Agent: "someone", Via: "go",
		Started: epoch, Ended: epoch.Add(1000), Inputs: []byte{1, 2}, Outcome: "ok", TraceID: "t",
		CostMicros: 5, Used: []string{"urn:u"}, Generated: []string{"urn:g", "urn:h"},
	}
	key := &db.IdempotentKey{Key: "k", Digest: []byte("d"), Result: func(c history.Commit) ([]byte, error) { return c.ID[:], nil }}
	c, err := w.Commit(t.Context(), db.CommitMeta{Time: epoch, Idempotent: key}, &made)
	if err != nil {
		t.Fatal(err)
	}
	refused := db.Activity{ID: "two", Agent: "other via curl/8", Started: epoch, Ended: epoch, Outcome: "denied", Error: "scope_denied"}
	if err := f.Record(t.Context(), []db.Activity{refused}); err != nil {
		t.Fatal(err)
	}
	made.Seq, made.CommitSeq, refused.Seq = 1, c.Seq, 2
	r := read(t, f)
	for _, q := range []struct {
		filter db.ActivityFilter
		want   []db.Activity
	}{
		{db.ActivityFilter{}, []db.Activity{refused, made}},
		{db.ActivityFilter{Before: 2}, []db.Activity{made}},
		{db.ActivityFilter{Agent: "other"}, []db.Activity{refused}},
		{db.ActivityFilter{CommitSeq: c.Seq}, []db.Activity{made}},
		{db.ActivityFilter{Agent: "some"}, nil},
		{db.ActivityFilter{Refused: true}, []db.Activity{refused}},
		{db.ActivityFilter{Refused: true, Outcome: "denied", Agent: "other"}, []db.Activity{refused}},
		{db.ActivityFilter{Refused: true, Agent: "someone"}, nil},
		{db.ActivityFilter{Outcome: "failed"}, nil},
	} {
		got, err := r.Activities(t.Context(), q.filter, 10)
		if err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(q.want, got); diff != "" {
			t.Errorf("%+v: %s", q.filter, diff)
		}
	}
	if found, err := r.Activities(t.Context(), db.ActivityFilter{Agent: "other via curl"}, 10); err != nil || len(found) != 1 {
		t.Errorf("a client without its version finds %v, %v", found, err)
	}
	found, ok, err := r.FindIdempotent(t.Context(), "k")
	if err != nil || !ok || string(found.Digest) != "d" || string(found.Result) != string(c.ID[:]) || !found.Time.Equal(epoch) {
		t.Errorf("key: %v %v, error %v", found, ok, err)
	}
	if _, ok, _ := r.FindIdempotent(t.Context(), "other"); ok {
		t.Error("a key that was never used was found")
	}
}

func TestOldActivitiesGoAndThoseOfCommitsStay(t *testing.T) {
	f := create(t)
	few, err := db.Open(t.Context(), f.Path(), db.Options{KeepActivities: 100})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { few.Close() })
	w, err := few.Write(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w.Add(t.Context(), q("a", "p", iri("o")))
	if _, err := w.Commit(t.Context(), db.CommitMeta{Time: epoch}, &db.Activity{ID: "kept"}); err != nil {
		t.Fatal(err)
	}
	for range 10 {
		reads := make([]db.Activity, 200)
		for i := range reads {
			reads[i].Outcome = "ok"
		}
		if err := few.Record(t.Context(), reads); err != nil {
			t.Fatal(err)
		}
	}
	list, err := read(t, few).Activities(t.Context(), db.ActivityFilter{}, 10_000)
	if err != nil || len(list) > 1100 || list[len(list)-1].ID != "kept" {
		t.Errorf("%d activities, error %v", len(list), err)
	}
}

// Refusals say who tried what, so that however many reads push out none of them; they
// have a bound of their own.
func TestRefusalsOutlastAFloodOfReads(t *testing.T) {
	testrun.Alone(t)
	f := create(t)
	few, err := db.Open(t.Context(), f.Path(), db.Options{KeepActivities: 100, KeepRefusals: 200})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { few.Close() })
	record := func(outcome string, n int) {
		batch := make([]db.Activity, n)
		for i := range batch {
			batch[i].Outcome = outcome
		}
		if err := few.Record(t.Context(), batch); err != nil {
			t.Fatal(err)
		}
	}
	count := func(outcome string) int {
		list, err := read(t, few).Activities(t.Context(), db.ActivityFilter{Outcome: outcome}, 100_000)
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	record("denied", 50)
	record("invalid", 50)
	for range 10 {
		record("ok", 1000)
	}
	if denied, invalid, ok := count("denied"), count("invalid"), count("ok"); denied != 50 || invalid != 50 || ok != 100 {
		t.Errorf("%d denied, %d invalid and %d reads are left", denied, invalid, ok)
	}
	record("failed", 5000)
	if all := count("denied") + count("invalid") + count("failed"); all != 200 {
		t.Errorf("%d refusals are left", all)
	}
	if ok := count("ok"); ok != 100 {
		t.Errorf("%d reads are left", ok)
	}
}

func TestKeepMakesNoCommit(t *testing.T) {
	f := create(t)
	w, err := f.Write(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := w.AddActivity(t.Context(), db.Activity{ID: "one"}); err != nil {
		t.Fatal(err)
	}
	if err := w.Keep(t.Context()); err != nil {
		t.Fatal(err)
	}
	r := read(t, f)
	list, err := r.Activities(t.Context(), db.ActivityFilter{}, 5)
	if err != nil || len(list) != 1 || r.Head().Seq != 0 {
		t.Errorf("%v at %d, error %v", list, r.Head().Seq, err)
	}
}

func TestALostHeadIsAPrecondition(t *testing.T) {
	f := create(t)
	first := write(t, f, []rdf.Quad{q("a", "p", iri("o"))}, nil)
	write(t, f, []rdf.Quad{q("b", "p", iri("o"))}, nil)
	w, err := f.Write(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w.Add(t.Context(), q("c", "p", iri("o")))
	_, err = w.Commit(t.Context(), db.CommitMeta{Parent: &first.ID, Time: epoch}, nil)
	if !fault.Is(err, fault.Precondition) {
		t.Errorf("got %v", err)
	}
	write(t, f, []rdf.Quad{q("c", "p", iri("o"))}, nil)
}

// TestEqualValuesAreFound asks for values that are written in another way than those that are
// stored, all of which are carried by their ids.
func TestEqualValuesAreFound(t *testing.T) {
	f := create(t)
	write(t, f, []rdf.Quad{
		{Subject: iri("a"), Predicate: rdf.Type, Object: iri("T")}, q("a", "pages", rdf.Literal("7", rdf.XSDInteger)), q("a", "price", rdf.Literal("12", rdf.XSDDecimal)), q("a", "seen", rdf.Literal("2026-01-02T03:04:05Z", rdf.XSDDateTime)),
		{Subject: iri("b"), Predicate: rdf.Type, Object: iri("T")}, q("b", "pages", rdf.Literal("8", rdf.XSDInteger)), q("b", "price", rdf.Literal("12.0", rdf.XSDDecimal)), q("b", "seen", rdf.Literal("2026-01-02T03:04:06Z", rdf.XSDDateTime)),
	}, nil)
	r := read(t, f)
	for _, c := range []struct {
		property string
		value    rdf.Term
		want     []string
	}{
		{"pages", rdf.Literal("7", rdf.XSDInteger), []string{"a"}},
		{"pages", rdf.Literal("007", rdf.XSDInteger), []string{"a"}},
		{"pages", rdf.Literal("7.0", rdf.XSDDecimal), []string{"a"}},
		{"price", rdf.Literal("12", rdf.XSDDecimal), []string{"a", "b"}},
		{"price", rdf.Literal("12.00", rdf.XSDDecimal), []string{"a", "b"}},
		{"price", rdf.Literal("12", rdf.XSDInteger), []string{"a", "b"}},
		{"seen", rdf.Literal("2026-01-02T03:04:05.0Z", rdf.XSDDateTime), []string{"a"}},
		{"seen", rdf.Literal("2026-01-02T03:04:05Z", rdf.XSDDateTime), []string{"a"}},
	} {
		t.Run(c.property+" "+rdf.Lexical(c.value), func(t *testing.T) {
			got, err := r.Select(t.Context(), db.Selection{Classes: []rdf.IRI{iri("T")}, Where: []db.Condition{db.Has(iri(c.property), c.value)}}, 9, 0)
			if err != nil {
				t.Fatal(err)
			}
			if diff := gocmp.Diff(c.want, texts(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
