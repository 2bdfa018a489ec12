package dictionary

import (
	"math/rand/v2"
	"testing"

	"trails/db/inline"
	"trails/e2e/testrun"
)

func TestTermIDsAgreeWithAMap(t *testing.T) {
	testrun.Alone(t)
	random := rand.New(rand.NewPCG(9, 10))
	var table IDs
	model := map[Key]inline.TermID{}
	key := func() (k Key) {
		k[0], k[1], k[15] = byte(random.IntN(3)), byte(random.IntN(4)*85), byte(random.IntN(200))
		return k
	}
	for range 20_000 {
		k := key()
		if got, want := table.Get(k), model[k]; got != want {
			t.Fatalf("the id of %x is %d, want %d", k, got, want)
		}
		k = key()
		id := inline.TermID(1 + random.Int64N(1000))
		table.Put(k, id)
		model[k] = id
	}
	n := 0
	for k := range table.Keys() {
		if n++; model[k] == 0 {
			t.Errorf("there is no key %x", k)
		}
	}
	if n != len(model) || table.Len() != n {
		t.Errorf("%d keys, counted %d, want %d", n, table.Len(), len(model))
	}
}
