package scan

import (
	"bytes"
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// builtPages are the pages that a Builder made, by their numbers.
type builtPages map[uint32][]byte

func (p builtPages) Pin(number uint32) (Page, error) { return Page{Bytes: p[number]}, nil }

func (builtPages) Unpin(Page) {}

// builtOf are the pages of a tree of rows, and which is the root.
func builtOf[row ~[5]int64 | ~[7]int64](t *testing.T, rows []row) (pages builtPages, root uint32) {
	t.Helper()
	pages = builtPages{}
	tree := NewBuilder(512, 8, func(page []byte, isRoot bool) (uint32, error) {
		number := uint32(len(pages) + 1)
		if pages[number] = bytes.Clone(page); isRoot {
			root = number
		}
		return number, nil
	})
	for _, row := range rows {
		var ordered []byte
		for i := range len(row) {
			ordered = AppendOrdered(ordered, row[i])
		}
		if err := tree.Add(ordered); err != nil {
			t.Fatal(err)
		}
	}
	if err := tree.End(); err != nil {
		t.Fatal(err)
	}
	return pages, root
}

// TestBuiltTreesAreRead builds trees of all heights and reads their rows again.
func TestBuiltTreesAreRead(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for _, count := range []int{0, 1, 30, 31, 32, 1_000, 20_000} {
		var rows [][5]int64
		for range count {
			rows = append(rows, [5]int64{1, random.Int64() >> random.IntN(64), -random.Int64() >> random.IntN(64), 0, 1})
		}
		slices.SortFunc(rows, func(a, b [5]int64) int { return slices.Compare(a[:], b[:]) })
		rows = slices.Compact(rows)
		pages, root := builtOf(t, rows)
		for number, page := range pages {
			if node(page).cells() == 0 && count > 0 {
				t.Errorf("%d rows: page %d of %d has no cell", count, number, len(pages))
			}
			if !bytes.Equal(page[504:], make([]byte, 8)) {
				t.Errorf("page %d is written to where bytes are reserved", number)
			}
		}
		run, err := Open(&Program{Slots: 2, Keys: []int{0, 1}, Steps: []Step{{Predicate: 1, Object: End{Slot: 1}}}},
			&Env{POS: Leaf{Present: Tree{pages, root}}, Args: []int64{1}, Grow: func(int64) error { return nil }, Ended: func() error { return nil }})
		if err != nil {
			t.Fatal(err)
		}
		read := 0
		for ; ; read++ {
			row, err := run.Next()
			if err != nil {
				t.Fatalf("%d rows, at %d: %v", count, read, err)
			}
			if row == nil {
				break
			}
			if want := rows[read]; row[0] != want[2] || row[1] != want[1] {
				t.Fatalf("%d rows: row %d is %d, want %d", count, read, row, want)
			}
		}
		if read != len(rows) {
			t.Errorf("%d rows are read of %d", read, len(rows))
		}
	}
}

// TestASpanGoesOn looks up the rows of some values in their order, of many neighbours and of few
// that are far from each other, and gives all pages back.
func TestASpanGoesOn(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	for _, values := range []int64{3, 50, 3_000, 1_000_000} {
		var rows [][5]int64
		for range 5_000 {
			rows = append(rows, [5]int64{1, random.Int64N(values), random.Int64N(1_000), 0, 1})
		}
		slices.SortFunc(rows, func(a, b [5]int64) int { return slices.Compare(a[:], b[:]) })
		rows = slices.Compact(rows)
		pages, root := builtOf(t, rows)
		for _, looked := range []int{1, 2, 30, 2_000} {
			var wanted []int64
			for range looked {
				if wanted = append(wanted, random.Int64N(values+5)); random.IntN(2) > 0 { // which is there
					wanted[len(wanted)-1] = rows[random.IntN(len(rows))][1]
				}
			}
			slices.Sort(wanted)
			wanted = slices.Compact(wanted)
			pinned := &countedPages{builtPages: pages}
			s := span{descent: descent{tree: Tree{pinned, root}}}
			for _, value := range wanted {
				if err := s.to([]int64{1, value}, []int64{1, value}); err != nil {
					t.Fatal(err)
				}
				first, _ := slices.BinarySearchFunc(rows, value, func(row [5]int64, value int64) int { return cmp.Compare(row[1], value) })
				for want := rows[first:]; ; {
					cells, err := s.next()
					if err != nil {
						t.Fatal(err)
					}
					for i := cells.first; i < cells.last; i++ {
						if third, ok := columnOf(cells.page.record(i), 2); !ok || len(want) == 0 || want[0][1] != value || want[0][2] != third {
							t.Fatalf("of %d values, %d looked up: %d has %d", values, looked, value, third)
						}
						want = want[1:]
					}
					if cells.page != nil {
						continue
					}
					if len(want) > 0 && want[0][1] == value {
						t.Fatalf("of %d values, %d looked up: %d ends before %d", values, looked, value, want[0])
					}
					break
				}
			}
			if s.end(); pinned.held != 0 {
				t.Errorf("%d pages are still held", pinned.held)
			}
		}
	}
}

// countedPages counts those that are pinned.
type countedPages struct {
	builtPages
	held int
}

func (p *countedPages) Pin(number uint32) (Page, error) {
	p.held++
	return p.builtPages.Pin(number)
}

func (p *countedPages) Unpin(Page) { p.held-- }

func TestBytesAreInTheOrderOfNumbers(t *testing.T) {
	numbers := []int64{0, 1, math.MinInt64, math.MaxInt64}
	for width := range 63 {
		for _, d := range []int64{-2, -1, 0, 1, 2} {
			numbers = append(numbers, 1<<width+d, -(1<<width)+d)
		}
	}
	for _, a := range numbers {
		ordered := AppendOrdered(nil, a)
		record := appendRecord(nil, ordered)
		if got := integer(record[1], record[2:]); got != a || len(record) != 1+len(ordered) {
			t.Errorf("%d is % x, which is %d", a, record, got)
		}
		for _, b := range numbers {
			if got := bytes.Compare(ordered, AppendOrdered(nil, b)); got != cmp.Compare(a, b) {
				t.Errorf("%d and %d: %d", a, b, got)
			}
		}
	}
}
