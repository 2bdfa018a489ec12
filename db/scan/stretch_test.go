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

// Whatever ranges were read before, in whatever direction and how far, a cursor that leaves out hidden rows reads the same
// statements as one that reads every row and tests each, with stretches and without, over one tree and over two.
func TestACursorLeavesOutWhatIsHidden(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	for round := range 8 {
		all := partlyHidden(t, random)
		if round%2 == 1 { // the newest commit of main
			all.Until, all.Branches, all.Retired = 0, nil, Tree{}
		}
		every, some := all, all
		every.Hidden, some.Stretches = nil, &Stretches{}
		cursors := [3]*Cursor{NewCursor(every), NewCursor(all), NewCursor(some)}
		next := func() (row Statement, ok bool) {
			for {
				row, ok, err := cursors[0].Next()
				if err != nil {
					t.Fatal(err)
				}
				hidden, err := all.Hidden.row(&row.Columns, all.Predicate)
				if err != nil {
					t.Fatal(err)
				}
				if !ok || !hidden {
					return row, ok
				}
			}
		}
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
			cursors[0] = NewCursor(every) // the others begin where they ended
			for _, c := range cursors {
				if err := c.Seek(low, high, back); err != nil {
					t.Fatal(err)
				}
			}
			for n := 0; upto == 0 || n < upto; n++ {
				want, more := next()
				for i, c := range cursors[1:] {
					if got, ok, err := c.Next(); err != nil || ok != more || ok && got != want {
						t.Fatalf("from %v to %v, back %v, stretches %v: row %d is %v %v, want %v %v: %v", low, high, back, i == 1, n, got, ok, want, more, err)
					}
				}
				if !more {
					break
				}
			}
			list := some.Stretches.hidden.list
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
	var s stretches
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

// What a copy finds is not in what it was copied from, nor in other copies.
func TestStretchesAreCopied(t *testing.T) {
	var s stretches
	for i := range int64(4) {
		s.keep(stretch{[4]int64{10 * i}, [4]int64{10*i + 5}})
	}
	before := slices.Clone(s.list)
	one, other := s.copied(), s.copied()
	one.keep(stretch{[4]int64{1}, [4]int64{4}}) // known already
	if one.found() || other.found() {
		t.Error("a copy that found nothing says that it did")
	}
	one.keep(stretch{[4]int64{4}, [4]int64{12}}) // the first and the second one become one
	other.keep(stretch{[4]int64{36}, [4]int64{40}})
	if !one.found() || len(one.list) != 3 || len(other.list) != 5 || !slices.Equal(s.list, before) {
		t.Errorf("%v and %v of %v", one.list, other.list, s.list)
	}
}

// The rows of a page that are left are those that may be seen, whatever their columns have in common.
func TestHiddenRowsOfAPageAreLeftOut(t *testing.T) {
	l := partlyHidden(t, rand.New(rand.NewPCG(13, 14)))
	every := l
	every.Until, every.Branches, every.Retired, every.Hidden = 0, nil, Tree{}, nil
	for _, prefix := range [][]int64{{}, {2}, {2, 46}, {2, 50}, {2, 44}, {3, 90}} {
		var want, got [][4]int64
		c := NewCursor(every)
		if err := c.Seek(prefix, prefix, false); err != nil {
			t.Fatal(err)
		}
		for {
			row, ok, err := c.Next()
			if err != nil {
				t.Fatal(err)
			}
			if !ok {
				break
			}
			if hidden, err := l.Hidden.row(&row.Columns, l.Predicate); err != nil {
				t.Fatal(err)
			} else if !hidden {
				want = append(want, row.Columns)
			}
		}
		rows, all := &span{descent: descent{tree: l.Present}}, new(layouts)
		if err := rows.to(prefix, prefix); err != nil {
			t.Fatal(err)
		}
		for {
			cells, err := rows.next()
			if err != nil {
				t.Fatal(err)
			}
			if cells.page == nil {
				break
			}
			for i := cells.first; i < cells.last; {
				record := append(slices.Clone([]byte(cells.page.record(i))), make([]byte, 9)...)
				of := all.of(record, false)
				at, page := of.alike(cells.page, i, cells.last, nil), []byte(cells.page)
				if len(cells.page.record(i)) < of.needs {
					at, page = []uint16{0}, record
				}
				i += len(at)
				if at, err = l.Hidden.leave(of, page, at, l.Predicate, len(prefix), [4]bool{}); err != nil {
					t.Fatal(err)
				}
				for _, offset := range at {
					var row [4]int64
					for k := range row {
						row[k] = of.key[k].of(page[offset:])
					}
					got = append(got, row)
				}
			}
		}
		if len(want) == 0 != slices.Equal(prefix, []int64{2, 44}) || !slices.Equal(got, want) {
			t.Errorf("with %v %d rows are left, want %d", prefix, len(got), len(want))
		}
	}
}
