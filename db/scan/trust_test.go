package scan

import (
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

// scanned reads the pairs of a predicate whose objects lie between two, or are among values.
func scanned(t *testing.T, l Leaf, predicate, low, high int64, values []int64) (got [][2]int64) {
	t.Helper()
	env := &Env{POS: l, Args: []int64{predicate}, Grow: func(int64) error { return nil }, Ended: func() error { return nil }}
	b := &builder{program: &Program{Slots: 2}, env: env, tests: [][]test{nil, {{low: low, high: high}}}, keys: make([][]ids, 2)}
	r := &reading{pairs: b.pairs(&Step{Object: End{Slot: 1}, Predicate: 1}, 0, 1)}
	r.pairs.fill = r.fill
	if err := r.begin(); err != nil {
		t.Fatal(err)
	}
	if values != nil {
		if err := r.lookUp(values, false); err != nil {
			t.Fatal(err)
		}
	}
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
