package db

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"trails/db/dictionary"
	"trails/db/pager"
	"trails/e2e/testrun"
	"trails/rdf"
)

// Loads of all sizes, with limits that they all reach, into files with and without
// data, must leave what a map would hold; verify finds the hashes and the indexes
// in order.
func TestLoadsAgreeWithAMap(t *testing.T) {
	testrun.Alone(t)
	rows, terms, keys, ids := chunkRows, chunkTerms, heldKeys, heldIDs
	defer func() { chunkRows, chunkTerms, heldKeys, heldIDs = rows, terms, keys, ids }()
	all := [][4]int{{3000, 1000, 2500, 100}, {rows, terms, keys, ids}, {15_000, 500, 700, 10_000}, {500, 100, keys, 10}}
	if testing.Short() {
		all = all[:1]
	}
	for _, limits := range all {
		t.Run(fmt.Sprint(limits), func(t *testing.T) {
			chunkRows, chunkTerms, heldKeys, heldIDs = limits[0], limits[1], limits[2], limits[3]
			loads(t, rand.New(rand.NewPCG(7, uint64(limits[0]))))
		})
	}
}

func loads(t *testing.T, random *rand.Rand) {
	f := emptyFile(t)
	model := map[rdf.Quad]bool{}
	for i, size := range []int{12_000, 10, 14_000, 300, 30_000} {
		step := draw(random, model, size, i == 1 || i == 4)
		if i == 4 {
			step = append(step, draw(random, model, 200, true)...)
		}
		change(t, f, model, step, i == 2)
	}
	sameAsModel(t, f, model)
	report, err := f.Verify(t.Context(), VerifyOptions{})
	if err != nil || !report.OK() {
		t.Errorf("%v, error %v", report.Problems, err)
	}
	for _, index := range []string{"live_pos", "live_osp", "live_g", "terms_hash"} {
		if n, _ := f.writer.Int64("SELECT count(*) FROM sqlite_schema WHERE type = 'index' AND name = ?", index); n != 1 {
			t.Errorf("the index %s is gone", index)
		}
	}
}

// TestALongLoadForgetsTerms loads more terms than it holds, new ones among old ones, with rows
// that are set aside, and reads in the middle of one load. Each term must have one id, and no index must be left behind.
func TestALongLoadForgetsTerms(t *testing.T) {
	rows, terms, keys, ids := chunkRows, chunkTerms, heldKeys, heldIDs
	defer func() { chunkRows, chunkTerms, heldKeys, heldIDs = rows, terms, keys, ids }()
	chunkRows, chunkTerms, heldKeys, heldIDs = smallChunk, smallChunk, smallChunk+5_000, 100
	for _, readsAt := range []int{-1, 45_000} {
		f := emptyFile(t)
		w, err := f.Write(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		const n = 60_000
		forgot, setAside := 0, false
		for i := range n {
			if i == readsAt {
				if got, err := w.askCount(t.Context(), bgp(triplePattern(nil, nil, nil))); err != nil || got != int64(i) {
					t.Fatalf("%d quads in the middle, want %d, %v", got, i, err)
				}
			}
			q := rdf.Quad{
				Subject: rdf.IRI(fmt.Sprintf("urn:s:%06d", i)), Predicate: rdf.IRI(fmt.Sprintf("urn:p:%d", i%7)),
				Object: rdf.String(fmt.Sprint("object ", i*7919%20_000)),
			}
			if added, err := w.Add(t.Context(), q); err != nil || !added {
				t.Fatalf("quad %d: added %t, %v", i, added, err)
			}
			if w.bulk != nil {
				forgot, setAside = max(forgot, len(w.bulk.seen)), setAside || w.bulk.rebuild != nil
			}
		}
		if _, err := w.Commit(t.Context(), CommitMeta{Author: "test", Time: time.Unix(1, 0)}, nil); err != nil {
			t.Fatal(err)
		}
		if forgot < 3 || setAside != pager.Private {
			t.Errorf("terms were forgotten %d times, rows set aside: %t", forgot, setAside)
		}
		for what, want := range map[string]int64{
			"SELECT count(*) FROM terms WHERE value GLOB 'urn:s:*'":         n,
			"SELECT count(*) FROM terms WHERE value GLOB 'object *'":        20_000,
			"SELECT count(*) FROM live":                                     n,
			"SELECT count(*) FROM sqlite_schema WHERE name = 'terms_known'": 0,
			"SELECT count(*) FROM sqlite_schema WHERE name = 'terms_hash'":  1,
			"SELECT count(DISTINCT o) FROM live":                            20_000,
		} {
			if got, err := f.writer.Int64(what); err != nil || got != want {
				t.Errorf("%s: %d, want %d, %v", what, got, want, err)
			}
		}
		report, err := f.Verify(t.Context(), VerifyOptions{})
		if err != nil || !report.OK() {
			t.Errorf("%v, error %v", report.Problems, err)
		}
	}
}

func TestAFilterHasItsKeys(t *testing.T) {
	const n = 20_000
	random := rand.New(rand.NewPCG(5, 6))
	key := func() (k dictionary.Key) {
		for i := range k {
			k[i] = byte(random.Uint32())
		}
		return k
	}
	f := newFilter(n)
	for range n {
		k := key()
		if f.add(k); !f.mayHave(k) {
			t.Fatal("a key is not there")
		}
	}
	wrong := 0
	for range n {
		if f.mayHave(key()) {
			wrong++
		}
	}
	if wrong > n/50 {
		t.Errorf("%d of %d other keys may be there", wrong, n)
	}
	if f := newFilter(0); f.mayHave(key()) {
		t.Error("an empty filter has a key")
	}
}

type edit struct {
	rdf.Quad
	remove bool
}

func draw(random *rand.Rand, model map[rdf.Quad]bool, n int, removals bool) []edit {
	var list []edit
	for range n {
		q := rdf.Quad{
			Subject:   rdf.IRI(fmt.Sprintf("urn:s:%05d", random.IntN(8000))),
			Predicate: rdf.IRI(fmt.Sprintf("urn:p:%d", random.IntN(5))),
			Object:    rdf.Literal(fmt.Sprint(random.IntN(500)), []rdf.IRI{"", rdf.XSDInteger, "urn:datatype"}[random.IntN(3)]),
		}
		if random.IntN(4) == 0 {
			q.Label = rdf.IRI(fmt.Sprintf("urn:g:%d", random.IntN(2)))
		}
		list = append(list, edit{Quad: q})
	}
	if !removals {
		return list
	}
	for q := range model {
		if len(list) > n+n/10 {
			break
		}
		list = append(list, edit{q, true})
	}
	return list
}

// sortByText sorts edits by the texts of their quads; those of one quad stay as they are.
func sortByText(edits []edit) {
	type keyed struct {
		text string
		at   int
		edit
	}
	all := make([]keyed, len(edits))
	for i, e := range edits {
		all[i] = keyed{string(rdf.AppendQuad(nil, e.Quad)), i, e}
	}
	slices.SortFunc(all, func(a, b keyed) int { return cmp.Or(cmp.Compare(a.text, b.text), cmp.Compare(a.at, b.at)) })
	for i, k := range all {
		edits[i] = k.edit
	}
}

func change(t *testing.T, f *File, model map[rdf.Quad]bool, edits []edit, readMidway bool) {
	t.Helper()
	sortByText(edits)
	edits = slices.CompactFunc(edits, func(a, b edit) bool { return a.Quad == b.Quad })
	w, err := f.Write(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for i, e := range edits {
		do, want := w.Add, !model[e.Quad]
		if e.remove {
			do, want = w.Remove, model[e.Quad]
		}
		got, err := do(t.Context(), e.Quad)
		if err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Fatalf("%v reports %v, want %v", e, got, want)
		}
		model[e.Quad] = !e.remove
		if e.remove {
			delete(model, e.Quad)
		}
		if readMidway && i == len(edits)*2/3 {
			n := 0
			for _, err := range w.Match(t.Context(), rdf.Quad{}) {
				if err != nil {
					t.Fatal(err)
				}
				n++
			}
			if n != len(model) {
				t.Errorf("midway %d, want %d", n, len(model))
			}
		}
	}
	c, err := w.Commit(t.Context(), CommitMeta{Time: time.Unix(1, 0), Message: "x"}, nil)
	if err != nil || c.Quads != int64(len(model)) {
		t.Fatalf("%d quads, want %d, error %v", c.Quads, len(model), err)
	}
}

func sameAsModel(t *testing.T, f *File, model map[rdf.Quad]bool) {
	t.Helper()
	r, err := f.Read(t.Context(), View{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, pattern := range []rdf.Quad{{}, {Object: rdf.String("7")}, {Predicate: rdf.IRI("urn:p:2")}, {Label: rdf.IRI("urn:g:1")}} {
		want := 0
		for q := range model {
			if (pattern.Object == nil || q.Object == pattern.Object) && (pattern.Predicate == nil || q.Predicate == pattern.Predicate) && (pattern.Label == nil || q.Label == pattern.Label) {
				want++
			}
		}
		for q, err := range r.Match(t.Context(), pattern) {
			if err != nil {
				t.Fatal(err)
			}
			if !model[q] {
				t.Fatalf("%v is not in the model", q)
			}
			want--
		}
		if want != 0 {
			t.Errorf("%v: %d are missing", pattern, want)
		}
	}
}
