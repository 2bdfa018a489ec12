package scan

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
)

// anyPages are pages with any bytes in them, most of which could be of a tree.
type anyPages struct{ random *rand.Rand }

func (anyPages) Unpin(Page) {}

func (p anyPages) Pin(uint32) (Page, error) {
	page := make([]byte, 512)
	for i := range page {
		page[i] = byte(p.random.Uint32())
	}
	page[0], page[3], page[4] = []byte{interior, leaf, leaf}[p.random.IntN(3)], 0, byte(p.random.IntN(40))
	if p.random.IntN(2) > 0 { // cells that are rows of small numbers
		for i := range 40 {
			at := 100 + 10*i
			page[8+2*i], page[9+2*i] = byte(at>>8), byte(at)
			if at+10 < len(page) {
				copy(page[at:], []byte{9, 6, 9, 1, 1, 8, 9, byte(i), byte(p.random.IntN(200)), 0})
			}
		}
	}
	return Page{Bytes: page}, nil
}

// TestDamagedPagesAreErrors reads trees of pages with any bytes in them: what comes is an
// error or ends, and nothing outside of a page is looked at.
func TestDamagedPagesAreErrors(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	tree := Tree{anyPages{random}, 1}
	failed, rows := 0, 0
	for range 20_000 {
		if _, err := tree.Estimate([]int64{1, random.Int64N(200)}); err != nil && !errors.Is(err, ErrPage) {
			t.Fatal(err)
		}
		if _, err := tree.Sample([]int64{1}, 2, 3); err != nil && !errors.Is(err, ErrPage) {
			t.Fatal(err)
		}
		run, err := Open(&Program{Slots: 2, Keys: []int{0, 1}, Steps: []Step{{Predicate: 1, Object: End{Slot: 1}}}},
			&Env{POS: Leaf{Present: tree, Retired: tree, Until: random.Int64N(2), Branches: []Bound{{2, 50}, {3, 99}}[:random.IntN(3)]}, Args: []int64{1}, Grow: func(int64) error { return nil }, Ended: func() error { return nil }})
		for range 1000 {
			if err != nil {
				break
			}
			var row []int64
			if row, err = run.Next(); row == nil {
				break
			}
			rows++
		}
		if errors.Is(err, ErrPage) {
			failed++
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if failed < 1000 || rows < 1000 {
		t.Errorf("%d errors, %d rows", failed, rows)
	}
	whole := node(slices.Repeat([]byte{0}, 512))
	whole[0], whole[4] = leaf, 1
	if _, err := whole.position([]int64{1}, false); err == nil {
		t.Error("a page without its cell is read")
	}
}

// anyRows are pages with any bytes in them, most of which could be of a table.
type anyRows struct{ random *rand.Rand }

func (anyRows) Unpin(Page) {}

func (p anyRows) Pin(uint32) (Page, error) {
	page := make([]byte, 512)
	for i := range page {
		page[i] = byte(p.random.Uint32())
	}
	page[0], page[3], page[4] = []byte{interiorOfRows, leafOfRows, leafOfRows}[p.random.IntN(3)], 0, byte(p.random.IntN(30))
	if p.random.IntN(2) > 0 { // cells that are rows of an integer and a text, some damaged
		for i := range 30 {
			at := 100 + 12*i
			page[8+2*i], page[9+2*i] = byte(at>>8), byte(at)
			copy(page[at:], []byte{7, byte(i), 3, 1, 19, byte(i), 'a', 'b', 'c'})
			if p.random.IntN(4) == 0 {
				page[at+p.random.IntN(8)] = byte(p.random.Uint32())
			}
		}
	}
	return Page{Bytes: page}, nil
}

// TestDamagedRowsAreErrors is the same for tables.
func TestDamagedRowsAreErrors(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	failed, rows := 0, 0
	for range 20_000 {
		r, err := NewRows(Tree{anyRows{random}, 1})
		if err != nil {
			t.Fatal(err)
		}
		for range 10 {
			var row [2]Value
			key := random.Int64N(40) - 2
			found, whole, err := r.Row(key, row[:])
			switch {
			case errors.Is(err, ErrPage):
				failed++
			case err != nil:
				t.Fatal(err)
			case found && whole && row[0].Int == key && string(row[1].Text) == "abc":
				rows++
			}
		}
	}
	if failed < 1000 || rows < 1000 {
		t.Errorf("%d errors, %d rows", failed, rows)
	}
	for _, kinds := range []string{"\xff\xff\xff\xff\xff\xff\xff\xff\xff", "\x07", "\x0a", "\x0e", "\x7f"} {
		if row := string(rune(1+len(kinds))) + kinds + "text"; columnsOf([]byte(row), make([]Value, 1)) {
			t.Errorf("a row of the types % x is read", kinds)
		}
	}
}

// TestIntegersOfEverySize reads what SQLite writes for integers
// (https://sqlite.org/fileformat2.html#record_format).
func TestIntegersOfEverySize(t *testing.T) {
	for _, c := range []struct {
		kind byte
		body []byte
		want int64
	}{
		{8, nil, 0}, {9, nil, 1},
		{1, []byte{0xff}, -1}, {1, []byte{0x7f}, 127},
		{2, []byte{0x80, 0}, -32768}, {2, []byte{1, 2}, 258},
		{3, []byte{0xff, 0xff, 0xfe}, -2}, {3, []byte{1, 0, 0}, 65536},
		{4, []byte{0x80, 0, 0, 0}, -1 << 31}, {4, []byte{0, 1, 0, 0}, 65536},
		{5, []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0}, -256}, {5, []byte{1, 0, 0, 0, 0, 0}, 1 << 40},
		{6, []byte{0x80, 0, 0, 0, 0, 0, 0, 0}, -1 << 63}, {6, []byte{0, 0, 0, 0, 0, 0, 1, 1}, 257},
	} {
		if got := integer(c.kind, c.body); got != c.want {
			t.Errorf("type %d of % x is %d, want %d", c.kind, c.body, got, c.want)
		}
		if int(sizes[c.kind]) != len(c.body) {
			t.Errorf("type %d has %d bytes", c.kind, sizes[c.kind])
		}
	}
}
