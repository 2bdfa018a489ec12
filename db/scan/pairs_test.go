package scan

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestPairsAreFound adds pairs in the orders of indexes and in none, some of them twice or of ids
// that are no numbers of 32 bits.
func TestPairsAreFound(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	orders := map[string]func(a, b [2]int64) int{
		"first":  func(a, b [2]int64) int { return slices.Compare(a[:], b[:]) },
		"second": func(a, b [2]int64) int { return cmp.Or(cmp.Compare(a[1], b[1]), cmp.Compare(a[0], b[0])) },
		"none":   nil,
	}
	for name, order := range orders {
		for _, far := range []int64{0, -1_000, 1 << 40} {
			for _, count := range []int{0, 1, 5_000} {
				var pairs [][2]int64
				for range count {
					pair := [2]int64{1 + random.Int64N(300), 1 + random.Int64N(300)}
					if random.IntN(100) == 0 {
						pair[random.IntN(2)] += far
					}
					pairs = append(pairs, pair)
				}
				if order != nil {
					slices.SortFunc(pairs, order)
				}
				held := int64(0)
				s := newPairSet(&Env{Grow: func(bytes int64) error { held += bytes; return nil }})
				there := map[[2]int64]bool{}
				for _, pair := range pairs {
					there[pair] = true
					if err := s.add(pair[0], pair[1]); err != nil {
						t.Fatal(err)
					}
				}
				if some, err := s.end(); err != nil || some != (count > 0) {
					t.Errorf("%s, %d pairs: some is %v, %v", name, count, some, err)
				}
				if listed := s.hashed == nil; listed && (order == nil || far != 0) && count > 1 || !listed && order != nil && far == 0 {
					t.Errorf("%s, far %d: listed is %v", name, far, listed)
				}
				if s.hashed == nil && held > 8*int64(len(there))+24<<10 {
					t.Errorf("%s: %d pairs take %d bytes", name, len(there), held)
				}
				for range 20_000 {
					pair := [2]int64{random.Int64N(303) - 1, random.Int64N(303) - 1}
					if random.IntN(50) == 0 {
						pair[random.IntN(2)] += far
					}
					if s.has(pair[:]) != there[pair] {
						t.Fatalf("%s, far %d: %d is there: %v", name, far, pair, there[pair])
					}
				}
			}
		}
	}
}
