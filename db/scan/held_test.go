package scan

import (
	"math"
	"slices"
	"testing"
)

// TestAnyIDIsHeld holds ids that no dictionary gives: values, terms that a query has made, and
// what a damaged page may say. They take no more than others.
func TestAnyIDIsHeld(t *testing.T) {
	ids := []int64{math.MinInt64, -7, 0, 1, 2, 70_000, 1<<31 + 1, 1 << 32, 1 << 62, math.MaxInt64}
	held := int64(0)
	env := &Env{Grow: func(bytes int64) error { held += bytes; return nil }}
	set, keys, rows := NewSet(env.Grow), &table{grow: env.Grow}, newTuples(1, env)
	for i, id := range slices.Backward(ids) {
		if set.Has(id) || keys.of(id) != 0 {
			t.Errorf("%d is there before it is added", id)
		}
		if err := set.Add(id); err != nil {
			t.Fatal(err)
		}
		if err := keys.add(id, 5); err != nil {
			t.Fatal(err)
		}
		if n, isNew, err := rows.number([]int64{id}); err != nil || !isNew || n != len(ids)-1-i {
			t.Errorf("%d is row %d, new is %v: %v", id, n, isNew, err)
		}
	}
	for i, id := range ids {
		n, isNew, err := rows.number([]int64{id})
		if !set.Has(id) || keys.of(id) != 5 || n != len(ids)-1-i || isNew || err != nil {
			t.Errorf("%d is not found", id)
		}
	}
	if !slices.Equal(set.ordered(), ids) || !slices.Equal(keys.ordered(), ids) {
		t.Errorf("in order they are %d and %d", set.ordered(), keys.ordered())
	}
	if held > 150<<20 {
		t.Errorf("%d bytes are held", held)
	}
}
