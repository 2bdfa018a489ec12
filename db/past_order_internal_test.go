package db

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"

	"trails/db/stmt"
	"trails/rdf"
)

// The statements of an earlier commit come in each order of their columns, whatever of these is given: SQLite sorts what
// the virtual table does not.
func TestThePastComesInEveryOrder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "order.db")
	if err := Create(t.Context(), path, CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	f, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	random := rand.New(rand.NewPCG(7, 8))
	change := func(times int, of func(*Writer, rdf.Quad) (bool, error)) {
		t.Helper()
		w, err := f.Write(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		node := func() rdf.IRI { return rdf.IRI(fmt.Sprint("urn:", random.IntN(4))) }
		var list []rdf.Quad
		for range times {
			q := rdf.Quad{Subject: node(), Predicate: node(), Object: node()}
			if g := random.IntN(4); g > 1 {
				q.Label = rdf.IRI(fmt.Sprint("urn:g", g))
			}
			list = append(list, q)
		}
		slices.SortFunc(list, func(a, b rdf.Quad) int { return bytes.Compare(rdf.AppendQuad(nil, a), rdf.AppendQuad(nil, b)) })
		for _, q := range slices.Compact(list) {
			if _, err := of(w, q); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := w.Commit(t.Context(), CommitMeta{}, nil); err != nil {
			t.Fatal(err)
		}
	}
	add := func(w *Writer, q rdf.Quad) (bool, error) { return w.Add(t.Context(), q) }
	remove := func(w *Writer, q rdf.Quad) (bool, error) { return w.Remove(t.Context(), q) }
	change(150, add)
	change(60, remove)
	at := f.LatestHead(t.Context(), nil)
	change(100, remove)
	change(100, add)
	r, err := f.Read(t.Context(), View{At: at.ID})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	rows := func(sql string) (list [][4]int64) {
		t.Helper()
		if err := r.conn.Exec(sql, func(s *stmt.Stmt) error {
			list = append(list, [4]int64{s.ColumnInt64(posS), s.ColumnInt64(posP), s.ColumnInt64(posO), s.ColumnInt64(posG)})
			return nil
		}); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		return list
	}
	all := rows("SELECT s, p, o, g FROM live")
	names := []string{"s", "p", "o", "g"}
	sorted, asked := 0, 0
	for given := range 1 << 6 { // the last bits are a range of objects, and any named graph
		one := all[random.IntN(len(all))]
		var where []string
		for i, name := range names {
			if given>>i&1 == 1 {
				where = append(where, fmt.Sprint(name, " = ", one[i]))
			}
		}
		least := int64(0)
		if given>>4&1 == 1 {
			least = one[posO]
			where = append(where, fmt.Sprint("o >= ", least))
		}
		named := given>>5 == 1
		if named {
			where = append(where, "g <> 0")
		}
		want := slices.DeleteFunc(slices.Clone(all), func(row [4]int64) bool {
			for i := range row {
				if given>>i&1 == 1 && row[i] != one[i] {
					return true
				}
			}
			return row[posO] < least || named && row[posG] == 0
		})
		sql := "SELECT s, p, o, g FROM live WHERE " + strings.Join(append(where, "1"), " AND ") + " ORDER BY "
		for order := range 4 * 5 * 5 * 8 { // up to three columns, each in one of the directions
			if random.IntN(10) > 0 {
				continue
			}
			columns := []int{order % 4, order / 4 % 5, order / 20 % 5}
			by := slices.DeleteFunc(slices.Clone(columns), func(c int) bool { return c == 4 })
			var keys []string
			for i, column := range by {
				keys = append(keys, names[column]+[]string{"", " DESC"}[order/100>>i&1])
			}
			compare := func(a, b [4]int64) int {
				for i, column := range by {
					if n := cmp.Compare(a[column], b[column]); n != 0 {
						return n * []int{1, -1}[order/100>>i&1]
					}
				}
				return 0
			}
			got := rows(sql + strings.Join(keys, ", "))
			if !slices.IsSortedFunc(got, compare) {
				t.Fatalf("%s%s: %v", sql, strings.Join(keys, ", "), got)
			}
			slices.SortFunc(got, func(a, b [4]int64) int { return slices.Compare(a[:], b[:]) })
			slices.SortFunc(want, func(a, b [4]int64) int { return slices.Compare(a[:], b[:]) })
			if !slices.Equal(got, want) {
				t.Fatalf("%s%s: %v, not %v", sql, strings.Join(keys, ", "), got, want)
			}
			asked++
			if !strings.Contains(explained(t, r, sql+strings.Join(keys, ", ")), "TEMP B-TREE") {
				sorted++
			}
		}
	}
	t.Logf("%d of %d orders are those of an index", sorted, asked)
	if sorted == 0 {
		t.Error("no order is that of an index")
	}
}

// A search that gives sorted rows reads no more of an index than one that does not.
func TestSortedRowsOfThePastCostNoMore(t *testing.T) {
	positions := []int{posS, posP, posO}
	sorted := 0
	for given := range 1 << 3 {
		for graph, named := range map[interval]bool{everything: false, {0, 0}: false, {5, 5}: true} {
			search := pastSearch{of: [4]interval{everything, everything, everything, graph}, named: named}
			for _, column := range positions {
				if given>>column&1 == 1 {
					search.of[column] = interval{7, 7}
				}
			}
			for by := range 3 * 3 * 3 {
				order := []sqlite.IndexOrderBy{{Column: positions[by%3]}, {Column: positions[by/3%3]}, {Column: positions[by/9]}}
				for n := 1; n <= len(order); n++ {
					if !isPastOrder(order[:n], given) {
						continue
					}
					sorted++
					least, _ := search.bounds(search.order(false))
					if low, _ := search.bounds(search.order(true)); len(low) < len(least) {
						t.Errorf("s, p, o given %03b, graph %v, sorted by %v: the first %d columns bound the search, otherwise %d", given, graph, order[:n], len(low), len(least))
					}
				}
			}
		}
	}
	if sorted == 0 {
		t.Error("no order is that of an index")
	}
}
