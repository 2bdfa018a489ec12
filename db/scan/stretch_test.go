package scan

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// partlyHidden is a leaf of a branch, with statements in the tree of the present ones and in that of the retired ones. Of
// some nodes hundreds of rows in a row are hidden, of others few.
func partlyHidden(t *testing.T, random *rand.Rand) Leaf {
	t.Helper()
	l := Leaf{Until: 50, Branches: []Bound{{2, 90}}, Hidden: &Hidden{Nodes: &Nodes{}}, Predicate: 0}
	for id := range int64(400) {
		l.Hidden.Nodes.Keep(id, id%40 < 5 || id%7 == 0)
	}
	var present [][5]int64
	var retired [][7]int64
	for range 12_000 {
		row := [4]int64{1 + random.Int64N(3), 1 + random.Int64N(300), 1 + random.Int64N(300), random.Int64N(2)}
		if random.IntN(3) == 0 {
			row[1] = 40*random.Int64N(8) + random.Int64N(5)
		}
		switch added := 1 + random.Int64N(60); random.IntN(8) {
		case 0:
			retired = append(retired, [7]int64{MainLine, row[0], row[1], row[2], row[3], added, added + random.Int64N(60)})
		case 1:
			retired = append(retired, [7]int64{2, row[0], row[1], row[2], row[3], 60 + added, Forever})
		case 2:
			retired = append(retired, [7]int64{-2, row[0], row[1], row[2], row[3], added, 60 + added})
			fallthrough
		default:
			present = append(present, [5]int64{row[0], row[1], row[2], row[3], added})
		}
	}
	statement := func(a, b [5]int64) bool { return slices.Equal(a[:4], b[:4]) }
	slices.SortFunc(present, func(a, b [5]int64) int { return slices.Compare(a[:], b[:]) })
	slices.SortFunc(retired, func(a, b [7]int64) int { return slices.Compare(a[:], b[:]) })
	retired = slices.CompactFunc(retired, func(a, b [7]int64) bool { return slices.Equal(a[:5], b[:5]) })
	pages, root := builtOf(t, slices.CompactFunc(present, statement))
	l.Present = Tree{pages, root}
	pages, root = builtOf(t, retired)
	l.Retired = Tree{pages, root}
	return l
}

// Whatever ranges were read before, in whatever direction and how far, a cursor that leaves out stretches reads the same
// statements as one that reads every row.
func TestACursorLeavesOutWhatIsHidden(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	for range 6 {
		all := partlyHidden(t, random)
		some := all
		some.Stretches = &Stretches{}
		cursors := [2]*Cursor{NewCursor(all), NewCursor(some)}
		most := 0
		for range 150 {
			var low, high []int64
			for column := range random.IntN(5) {
				bound := []int64{4, 310, 310, 2}[column]
				low, high = append(low, random.Int64N(bound)), append(high, random.Int64N(bound))
				if random.IntN(3) > 0 {
					high[column] = low[column]
				}
			}
			if slices.Compare(low, high) > 0 {
				low, high = high, low
			}
			back, upto := random.IntN(2) == 0, random.IntN(3)*random.IntN(300)
			for _, c := range cursors {
				if err := c.Seek(low, high, back); err != nil {
					t.Fatal(err)
				}
			}
			for n := 0; upto == 0 || n < upto; n++ {
				want, more, err := cursors[0].Next()
				got, ok, errGot := cursors[1].Next()
				if err != nil || errGot != nil || ok != more || ok && got != want {
					t.Fatalf("from %v to %v, back %v: row %d is %v %v, want %v %v: %v, %v", low, high, back, n, got, ok, want, more, errGot, err)
				}
				if !more {
					break
				}
			}
			list := some.Stretches.list
			for i, of := range list {
				if slices.Compare(of.low[:], of.high[:]) > 0 || i > 0 && slices.Compare(list[i-1].high[:], of.low[:]) >= 0 {
					t.Fatalf("stretch %d of %v is not behind the one before it", i, list)
				}
			}
			most = max(most, len(list))
		}
		if most < 5 {
			t.Errorf("%d stretches were found", most)
		}
	}
}

// Hidden rows that a query comes to again and again are read once, whether there is a row among them that may be seen or not.
func TestHiddenRowsAreReadOnce(t *testing.T) {
	for _, visible := range []int64{0, 1} {
		l := Leaf{Until: 1, Hidden: &Hidden{Nodes: &Nodes{}}, Stretches: &Stretches{}}
		var rows [][5]int64
		for id := range int64(9_000) {
			rows = append(rows, [5]int64{5, 1 + id, 0, 0, 1})
			l.Hidden.Nodes.Keep(1+id, id != 4_500 || visible == 0)
		}
		pages, root := builtOf(t, rows)
		retired, none := builtOf[[7]int64](t, nil)
		pins := &pinCount{builtPages: pages}
		l.Present, l.Retired = Tree{pins, root}, Tree{retired, none}
		read := func(low, high []int64, back bool) int {
			c, before, found := NewCursor(l), pins.pins, int64(0)
			if err := c.Seek(low, high, back); err != nil {
				t.Fatal(err)
			}
			for {
				_, ok, err := c.Next()
				if err != nil {
					t.Fatal(err)
				}
				if !ok {
					break
				}
				found++
			}
			if found != visible {
				t.Fatalf("%d rows are found, want %d", found, visible)
			}
			return pins.pins - before
		}
		first := read([]int64{5}, []int64{5}, false)
		for _, back := range []bool{false, true} {
			again, part := read([]int64{5}, []int64{5}, back), read([]int64{5, 2_000}, []int64{5, 7_000}, back)
			if first < 200 || again > 20 || part > 20 {
				t.Errorf("with %d rows that may be seen, %d pages are read at first, then %d, and %d for a part", visible, first, again, part)
			}
		}
	}
}

// pinCount counts how often pages are pinned.
type pinCount struct {
	builtPages
	pins int
}

func (p *pinCount) Pin(number uint32) (Page, error) {
	p.pins++
	return p.builtPages.Pin(number)
}

func TestStretchesAreBounded(t *testing.T) {
	var s Stretches
	for i := range int64(3 * mostStretches) {
		s.keep(stretch{[4]int64{2 * i}, [4]int64{2*i + 1}})
		if len(s.list) > mostStretches {
			t.Fatalf("%d stretches are kept", len(s.list))
		}
	}
	if _, ok := s.around([4]int64{6*mostStretches - 1}); !ok {
		t.Error("the last one is not kept")
	}
}
