package load

import (
	"testing"

	"trails/kg/change"
)

// TestARowOfManyLinesIsOneRow finds the row of each line, and keeps as much of a row of 2^40 lines as of one of two.
func TestARowOfManyLinesIsOneRow(t *testing.T) {
	k := newRows()
	defer k.Close()
	const many = 1 << 40
	type row struct {
		file        uint16
		first, last uint64
	}
	rows := []row{{0, 2, 2}, {0, 3, many}, {0, many + 1, many + 1}, {0, many + 2, many + 3}, {1, 2, 5}, {1, 6, 6}, {2, 1, 3}}
	for _, r := range rows {
		k.headers[r.file] = []string{"a"}
		if err := k.keep(rowStart{File: r.file, Line: r.first}, r.last, []string{"x"}, nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range rows {
		for _, line := range []uint64{r.first, (r.first + r.last) / 2, r.last} {
			if got, want := k.startOf(change.Source{File: r.file, Line: line, Column: 7}), (rowStart{File: r.file, Line: r.first}); got != want {
				t.Errorf("line %d of input %d is of the row %+v, want %+v", line, r.file, got, want)
			}
		}
	}
}
