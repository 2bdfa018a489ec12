package db

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"trails/rdf"
)

// Loads of all sizes, with limits that they all reach, into files with and without
// data, must leave what a map would hold; verify finds the hashes and the indexes
// in order.
func TestLoadsAgreeWithAMap(t *testing.T) {
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
	path := filepath.Join(t.TempDir(), "load.db")
	if err := Create(t.Context(), path, CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	f, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
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
		if n, _ := f.writer.int64("SELECT count(*) FROM sqlite_schema WHERE type = 'index' AND name = ?", index); n != 1 {
			t.Errorf("the index %s is gone", index)
		}
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

func change(t *testing.T, f *File, model map[rdf.Quad]bool, edits []edit, readMidway bool) {
	t.Helper()
	text := func(e edit) string { return string(rdf.AppendQuad(nil, e.Quad)) }
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Compare(text(a), text(b)) })
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
