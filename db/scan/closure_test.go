package scan

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// someLinks are links of many between nodes, of one shape.
var someLinks = map[string]func(random *rand.Rand, nodes int64) [][2]int64{
	"none": func(*rand.Rand, int64) [][2]int64 { return nil },
	"a ring": func(_ *rand.Rand, nodes int64) (list [][2]int64) {
		for n := range nodes {
			list = append(list, [2]int64{n + 1, (n+1)%nodes + 1})
		}
		return list
	},
	"a chain": func(random *rand.Rand, nodes int64) (list [][2]int64) {
		order := random.Perm(int(nodes))
		for i := range order[1:] {
			list = append(list, [2]int64{int64(order[i]) + 1, int64(order[i+1]) + 1})
		}
		return list
	},
	"trees": func(random *rand.Rand, nodes int64) (list [][2]int64) {
		for n := int64(4); n <= nodes; n++ {
			list = append(list, [2]int64{n, 1 + random.Int64N(n-1)})
		}
		return list
	},
	"few": func(random *rand.Rand, nodes int64) (list [][2]int64) {
		for range nodes * 3 / 4 {
			list = append(list, [2]int64{1 + random.Int64N(nodes), 1 + random.Int64N(nodes)})
		}
		return list
	},
	"some": func(random *rand.Rand, nodes int64) (list [][2]int64) {
		for range nodes * 5 / 4 {
			list = append(list, [2]int64{1 + random.Int64N(nodes), 1 + random.Int64N(nodes)})
		}
		return list
	},
	"rings and loops": func(random *rand.Rand, nodes int64) (list [][2]int64) {
		for n := int64(1); n <= nodes; n++ {
			ring := (n - 1) / 3 * 3
			switch random.IntN(4) {
			case 0:
				list = append(list, [2]int64{n, n})
			default:
				list = append(list, [2]int64{n, ring + (n-ring)%3 + 1})
			}
			if random.IntN(3) == 0 {
				list = append(list, [2]int64{n, 1 + random.Int64N(n)})
			}
		}
		return list
	},
	"numbers": func(random *rand.Rand, nodes int64) (list [][2]int64) { // whose ids no dictionary gives
		for n := int64(1); n <= nodes; n++ {
			list = append(list, [2]int64{n, 1<<40 + random.Int64N(50)}, [2]int64{1<<40 + random.Int64N(50), n})
		}
		return list
	},
}

// TestClosuresOfEveryShape counts and lists closures of more components than walk at once. What each node reaches is
// found one by one for the comparison.
func TestClosuresOfEveryShape(t *testing.T) {
	for shape, links := range sortedMap(someLinks) {
		for seed, nodes := range []int64{1, 2, 40, 300} {
			random := rand.New(rand.NewPCG(uint64(seed), 31))
			var list []stated
			for _, link := range links(random, nodes) {
				list = append(list, stated{link[0], manyID, link[1], 0})
			}
			list = append(list, stated{9000, kindID, 9001, 0}, stated{9002, manyID, 9002, namedID})
			slices.SortFunc(list, func(a, b stated) int {
				return slices.Compare([]int64{a.s, a.p, a.o, a.g}, []int64{b.s, b.p, b.o, b.g})
			})
			env := envOf(t, slices.Compact(list), []view{{}, {until: 400}, {until: 400, branches: 2}}[seed%3])
			for _, closure := range []*Closure{{Links: []Link{{Predicate: argMany}}}, {Links: []Link{{Predicate: argMany, Inverse: true}}, Zero: true}} {
				pattern := Program{Slots: 2, Steps: []Step{{Walk: 1, Object: End{Slot: 1}, Closure: closure}}}
				if seed%2 > 0 { // so that the two ends may be different nodes
					pattern.Asked = []Asked{{Slot: random.IntN(2)}}
				}
				solutions := solve(list, &pattern)
				for _, p := range answersOf(pattern, make([]bool, 2)) {
					if nodes > 100 && random.IntN(6) > 0 {
						continue // these take longer
					}
					want := answered(&p, solutions)
					if got, err := ran(&p, env); err != nil || !slices.Equal(got, want) {
						t.Fatalf("%s of %d nodes:%s\ngave %d lines, error %v, want %d: %.300s, want %.300s", shape, nodes, p.Text(nil), len(got), err, len(want), fmt.Sprint(got), fmt.Sprint(want))
					}
				}
			}
		}
	}
}

// TestAClosureEndsWhenItMust fails at each time that it asks for memory, and at each at which it asks whether it may
// go on.
func TestAClosureEndsWhenItMust(t *testing.T) {
	var list []stated
	for _, link := range someLinks["trees"](rand.New(rand.NewPCG(1, 2)), 20_000) {
		list = append(list, stated{link[0], manyID, link[1], 0})
	}
	slices.SortFunc(list, func(a, b stated) int { return slices.Compare([]int64{a.s, a.o}, []int64{b.s, b.o}) })
	env := envOf(t, list, view{})
	over := errors.New("over")
	closure := Step{Walk: 1, Object: End{Slot: 1}, Closure: &Closure{Links: []Link{{Predicate: argMany}}}}
	for _, p := range []*Program{
		{Slots: 2, Steps: []Step{closure}, Grouped: true, Aggregates: []Aggregate{{Func: Count}}},
		{Slots: 2, Steps: []Step{closure}, Keys: []int{0}, Grouped: true, Aggregates: []Aggregate{{Func: Count}}},
		{Slots: 2, Steps: []Step{closure}, Keys: []int{0}, Distinct: true},
	} {
		asked, held, most := 0, int64(0), int64(0)
		failAt, failAbove := 0, int64(0)
		env.Ended = func() error {
			if asked++; asked == failAt {
				return over
			}
			return nil
		}
		env.Grow = func(bytes int64) error {
			held += bytes
			if most = max(most, held); failAbove > 0 && held > failAbove {
				return over
			}
			return nil
		}
		if _, err := ran(p, env); err != nil || held < 0 || most > 150*int64(len(list)) {
			t.Errorf("%s\nholds %d of at most %d bytes for %d links, error %v", p.Text(nil), held, most, len(list), err)
		}
		allAsked, allHeld := asked, most
		if allAsked < 20 {
			t.Errorf("%s\nasked %d times whether it may go on", p.Text(nil), allAsked)
		}
		for failAt = 1; failAt <= allAsked; failAt++ {
			asked = 0
			if _, err := ran(p, env); !errors.Is(err, over) {
				t.Fatalf("%s\ngoes on when it must end, error %v", p.Text(nil), err)
			}
		}
		failAt = 0
		for i := range int64(40) {
			failAbove, held = 1+allHeld*i/40, 0
			if _, err := ran(p, env); !errors.Is(err, over) {
				t.Fatalf("%s\nholds more than %d bytes, error %v", p.Text(nil), failAbove, err)
			}
		}
	}
}
