package scan

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// drawnRow is a statement by predicate, object, subject and graph. In one band of objects many subjects are hidden, in another
// all are, and one has statements of another graph.
func drawnRow(random *rand.Rand) [4]int64 {
	row := [4]int64{1 + random.Int64N(3), 1 + random.Int64N(3_000), 1 + random.Int64N(5_000), 0}
	switch {
	case row[1] > 1_000 && row[1] < 1_100 && random.IntN(2) == 0, row[1] > 2_000 && row[1] < 2_300:
		row[2] += 10_000
	case row[1] > 500 && row[1] < 510:
		row[3] = random.Int64N(2)
	}
	return row
}

// With what earlier scans and cursors found out, of this state and of those before it, they read what may be seen, and so do
// those that look up values. Statements come and go between.
func TestScansTrustWhatMayBeSeen(t *testing.T) {
	random := rand.New(rand.NewPCG(31, 32))
	hidden := &Hidden{Nodes: &Nodes{}, Predicates: map[int64]bool{}}
	for id := range int64(16_000) {
		hidden.Nodes.Keep(id, id > 10_000)
	}
	stretches, trusted := Stretches{}, 0
	rows := map[[4]int64]bool{}
	for range 15_000 {
		rows[drawnRow(random)] = true
	}
	for state := range 12 {
		var present [][5]int64
		for row := range rows {
			present = append(present, [5]int64{row[0], row[1], row[2], row[3], 1})
		}
		slices.SortFunc(present, func(a, b [5]int64) int { return slices.Compare(a[:], b[:]) })
		pages, root := builtOf(t, present)
		l := Leaf{Present: Tree{pages, root}, Hidden: hidden, Stretches: &stretches}
		for range 12 {
			predicate, low := 1+random.Int64N(3), random.Int64N(3_000)
			high := low + random.Int64N(3_000)
			if random.IntN(3) == 0 {
				low, high = 0, 5_000
			}
			var want [][2]int64
			var values []int64
			for _, row := range present {
				if row[0] == predicate && row[1] >= low && row[1] <= high && row[3] == 0 && row[2] <= 10_000 {
					want = append(want, [2]int64{row[2], row[1]})
				}
			}
			for v := low; v <= high; v++ {
				values = append(values, v)
			}
			if got := scanned(t, l, predicate, low, high, nil); !slices.Equal(got, want) {
				t.Fatalf("state %d: a scan of %d from %d to %d reads %d rows, want %d", state, predicate, low, high, len(got), len(want))
			}
			if got := scanned(t, l, predicate, low, high, values); !slices.Equal(got, want) {
				t.Fatalf("state %d: values of %d from %d to %d have %d rows, want %d", state, predicate, low, high, len(got), len(want))
			}
			if got := passedBy(t, l, predicate, low, high); !slices.Equal(got, want) {
				t.Fatalf("state %d: a cursor over %d from %d to %d reads %d rows, want %d", state, predicate, low, high, len(got), len(want))
			}
		}
		trusted = max(trusted, len(stretches.seen.list))
		next := stretches.Copy()
		for range random.IntN(400) {
			row := drawnRow(random)
			if random.IntN(2) == 0 {
				row[2] = 1 + random.Int64N(15_000) // where all others are hidden, or none is
			}
			switch {
			case random.IntN(3) == 0:
				delete(rows, row)
			case !rows[row]:
				rows[row] = true
				next.Added(row, row[2] > 10_000, random.IntN(2) == 0)
			}
		}
		stretches = next
	}
	if trusted < 4 {
		t.Errorf("in %d stretches everything may be seen", trusted)
	}
}

// readingOf reads the pairs of a predicate.
func readingOf(l Leaf, predicate int64, tests ...test) *reading {
	env := &Env{POS: l, Args: []int64{predicate}, Grow: func(int64) error { return nil }, Ended: func() error { return nil }}
	b := &builder{program: &Program{Slots: 2}, env: env, tests: [][]test{nil, tests}, keys: make([][]ids, 2)}
	r := &reading{pairs: b.pairs(&Step{Object: End{Slot: 1}, Predicate: 1}, 0, 1)}
	r.pairs.fill = r.fill
	return r
}

// scanned reads the pairs of a predicate whose objects lie between two, or are among values.
func scanned(t *testing.T, l Leaf, predicate, low, high int64, values []int64) [][2]int64 {
	t.Helper()
	r := readingOf(l, predicate, test{low: low, high: high})
	if err := r.begin(); err != nil {
		t.Fatal(err)
	}
	if values != nil {
		if err := r.lookUp(values, false); err != nil {
			t.Fatal(err)
		}
	}
	return pairsOf(t, r)
}

// pairsOf returns what is read, by objects.
func pairsOf(t *testing.T, r *reading) (got [][2]int64) {
	t.Helper()
	err := r.each(func(ids [2]int64) error {
		got = append(got, ids)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(got, func(a, b [2]int64) int { return slices.Compare([]int64{a[1], a[0]}, []int64{b[1], b[0]}) })
	return got
}

// passedBy reads the same pairs by a cursor.
func passedBy(t *testing.T, l Leaf, predicate, low, high int64) (got [][2]int64) {
	t.Helper()
	c := NewCursor(l)
	if err := c.Seek([]int64{predicate, low}, []int64{predicate, high}, false); err != nil {
		t.Fatal(err)
	}
	for {
		row, ok, err := c.Next()
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			return got
		}
		if row.Columns[3] == 0 {
			got = append(got, [2]int64{row.Columns[2], row.Columns[1]})
		}
	}
}

// Where hidden rows lie on each page, rows are tested first by sets of which all may be seen. What is read is the same, and
// stretches are found behind such pages, within a range and in another one. Here each object has hidden subjects first, and
// then many others.
func TestScansTestFirstWhereHiddenRowsAreEverywhere(t *testing.T) {
	random := rand.New(rand.NewPCG(33, 34))
	hides := func(id int64) bool { return id%16 == 0 && id < 2_400 }
	hidden := &Hidden{Nodes: &Nodes{}, Predicates: map[int64]bool{}}
	for id := range int64(12_001) {
		hidden.Nodes.Keep(id, hides(id))
	}
	first, found := 0, 0
	for range 12 {
		rows := map[[5]int64]bool{}
		for range 40_000 + random.IntN(40_000) {
			rows[[5]int64{1, 1 + random.Int64N(30), 1 + random.Int64N(12_000), 0, 1}] = true
		}
		present := slices.SortedFunc(maps.Keys(rows), func(a, b [5]int64) int { return slices.Compare(a[:], b[:]) })
		pages, root := builtOf(t, present)
		stretches := Stretches{}
		l := Leaf{Present: Tree{pages, root}, Hidden: hidden, Stretches: &stretches}
		in := NewSet(func(int64) error { return nil })
		for range 9_000 {
			if id := 1 + random.Int64N(12_000); !hides(id) {
				if err := in.Add(id); err != nil {
					t.Fatal(err)
				}
			}
		}
		for range 3 {
			end := random.IntN(2) // which the set is of: that of subjects or of objects
			var want [][2]int64
			for _, row := range present {
				if ids := [2]int64{row[2], row[1]}; !hides(ids[0]) && !hides(ids[1]) && in.Has(ids[end]) {
					want = append(want, ids)
				}
			}
			r := readingOf(l, 1)
			r.tests = append(r.tests, testOfEnd{test{in: in, seen: true}, end})
			r.pairs.fill = func() (more bool, err error) {
				if r.trust.rest > 0 {
					first++
				}
				return r.fill()
			}
			if err := r.begin(); err != nil {
				t.Fatal(err)
			}
			if random.IntN(2) == 0 {
				var objects []int64
				for object := range int64(30) {
					objects = append(objects, object+1)
				}
				if err := r.lookUp(objects, false); err != nil {
					t.Fatal(err)
				}
			}
			got := pairsOf(t, r)
			if !slices.Equal(got, want) {
				t.Fatalf("with a set of end %d: %d rows, want %d", end, len(got), len(want))
			}
		}
		found += len(stretches.seen.list)
	}
	if first < 500 || found < 10 {
		t.Errorf("%d cells were tested first, and %d stretches found", first, found)
	}
}

// A walk may begin at a hidden node, and a predicate may be one: sets of these do not say that all may be seen.
func TestSetsOfWhatMayBeSeen(t *testing.T) {
	pages, root := builtOf(t, [][5]int64{{1, 2, 3, 0, 1}})
	l := Leaf{Present: Tree{pages, root}}
	env := &Env{SPO: l, POS: l, Args: []int64{1, 2}, Grow: func(int64) error { return nil }, Ended: func() error { return nil }}
	env.Reach = func(int, int64, int64, bool) (func() (int64, bool, error), error) {
		return func() (int64, bool, error) { return 0, false, nil }, nil
	}
	for want, steps := range map[bool][]Step{
		true: {{Object: End{Arg: 2}, Predicate: 1}},
		false: {
			{Object: End{Arg: 2}, Predicate: 1, Walk: 1},
			{Object: End{Slot: 1}, Columns: SubjectPredicate},
			{Object: End{Slot: 1}, Columns: PredicateObject},
		},
	} {
		for _, s := range steps {
			b := &builder{program: &Program{Slots: 2}, env: env, tests: make([][]test, 2), keys: make([][]ids, 2)}
			if _, err := b.known(&s, 0); err != nil {
				t.Fatal(err)
			}
			if got := b.tests[0][0].seen; got != want {
				t.Errorf("%+v: %v, want %v", s, got, want)
			}
		}
	}
}
