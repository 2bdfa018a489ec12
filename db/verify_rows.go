package db

import (
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"math"
	"slices"

	"zombiezen.com/go/sqlite"

	"trails/db/history"
	"trails/db/inline"
	"trails/db/leaf"
	"trails/db/stmt"
	"trails/rdf"
)

// rowKey is a random key for the digests of rows, drawn for each verification. Without it somebody could prepare
// other rows with the same sum of digests.
type rowKey struct {
	seeds  [2]maphash.Seed
	text   [6 * 8]byte
	buffer []byte
}

func newRowKey() rowKey {
	return rowKey{seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}}
}

// rowSet identifies a set of rows regardless of order: their number and the sum of their 128 bit digests. Equal
// rowSets mean equal sets.
type rowSet struct {
	sum [2]uint64
	n   int64
}

// row adds a row of live to a set.
func (k *rowKey) row(set *rowSet, ids quadIDs, added history.Seq) { k.event(set, added, ids, 0) }

// event adds the change of a statement by a commit to a set.
func (k *rowKey) event(set *rowSet, seq history.Seq, ids quadIDs, op int64) {
	for i, id := range ids {
		binary.LittleEndian.PutUint64(k.text[8*i:], uint64(id))
	}
	binary.LittleEndian.PutUint64(k.text[8*len(ids):], uint64(seq))
	binary.LittleEndian.PutUint64(k.text[8*len(ids)+8:], uint64(op))
	for i, seed := range k.seeds {
		set.sum[i] += maphash.Bytes(seed, k.text[:])
	}
	set.n++
}

// statements checks the rows of live and hist against the change logs: each row says which commits added and removed
// its statement. The additions of bulk commits are hashed from the rows themselves, in [verifier.history].
func (v *verifier) statements() error {
	var rows, logged rowSet
	var done int64
	note := func(ids quadIDs, seq history.Seq, op int64) {
		if op == history.OpRemove || !v.bulk[seq] {
			v.key.event(&rows, seq, ids, op)
		}
	}
	if err := v.intervals(note); err != nil {
		return err
	}
	if err := v.onBranches(note); err != nil {
		return err
	}
	var told history.Seq
	err := v.conn.Exec("SELECT line, s, p, o, g, seq, op FROM changes", func(s *stmt.Stmt) error {
		seq := s.Seq(5)
		if line, err := v.lineOf(seq); err != nil || line != s.ColumnInt64(0) && told != seq {
			v.problem("changes: rows of commit %d are of branch %d, and the commit is not", seq, s.ColumnInt64(0))
			told = seq
			if err != nil {
				return err
			}
		}
		v.key.event(&logged, seq, idsOf(s, 1), s.ColumnInt64(6))
		return v.tick("statements", 0, &done)
	})
	if err != nil || rows == logged {
		return err
	}
	return v.nameEvents()
}

func idsOf(s *stmt.Stmt, column int) quadIDs {
	return quadIDs{s.ID(column), s.ID(column + 1), s.ID(column + 2), s.ID(column + 3)}
}

const (
	// Scans in the order of the primary key.
	liveRows = "SELECT s, p, o, g, added FROM live INDEXED BY sqlite_autoindex_live_1"
	histRows = "SELECT s, p, o, g, added, removed FROM hist WHERE line = 1"
)

// intervals walks hist and live together, checks that the intervals of one statement do not overlap, and adds the
// changes that each row implies.
func (v *verifier) intervals(note func(ids quadIDs, seq history.Seq, op int64)) error {
	hist, err := v.conn.Take(histRows)
	if err != nil {
		return err
	}
	defer hist.Release()
	live, err := v.conn.Take(liveRows)
	if err != nil {
		return err
	}
	defer live.Release()
	var last quadIDs
	var until history.Seq // end of the previous interval of the same statement
	check := func(ids quadIDs, added, removed history.Seq) {
		if ids != last {
			last, until = ids, 0
		}
		if added < until {
			v.problem("the statement was added by commit %d, while it was there: %s", added, v.describe(ids))
		}
		if removed <= added {
			v.problem("the statement was removed by commit %d, and added by commit %d: %s", removed, added, v.describe(ids))
		}
		until = removed
		v.checkIDs(ids)
		note(ids, added, history.OpAdd)
	}
	retired := func() (more bool, err error) {
		ids, added, removed := idsOf(hist, 0), hist.Seq(4), hist.Seq(5)
		check(ids, added, removed)
		note(ids, removed, history.OpRemove)
		return hist.Step()
	}
	more, err := hist.Step()
	if err != nil {
		return err
	}
	err = v.steps(v.ctx, live, func() (bool, error) {
		ids, added := idsOf(live, 0), live.Seq(4)
		for more && compareIDs(idsOf(hist, 0), ids) <= 0 {
			if more, err = retired(); err != nil {
				return false, err
			}
		}
		check(ids, added, math.MaxInt64)
		v.key.row(&v.live, ids, added)
		return true, v.tick("statements", v.head.Quads, &v.report.Quads)
	})
	for err == nil && more {
		more, err = retired()
	}
	return err
}

// checkIDs checks that the ids of a row are those of terms, and that each term has no other id.
func (v *verifier) checkIDs(ids quadIDs) {
	for i, id := range ids {
		switch {
		case id > 0 && id <= v.terms, id == defaultGraph && i == posG:
		case id < 0 && i == posO:
			t := inline.Term(id)
			if t == nil {
				v.problem("the statement's object %d is no value: %s", id, v.describe(ids))
			} else if own, _ := inline.ID(t); own != id {
				v.problem("the statement's object %d is %v, whose id is %d: %s", id, t, own, v.describe(ids))
			}
		default:
			v.problem("the statement names a term that is not in the dictionary, %d: %s", id, v.describe(ids))
		}
	}
}

// describe returns a statement as a line of N-Quads, with ids for terms that cannot be read.
func (v *verifier) describe(ids quadIDs) string {
	var q rdf.Quad
	for i, into := range []*rdf.Term{&q.Subject, &q.Predicate, &q.Object, &q.Label} {
		if ids[i] == defaultGraph {
			continue
		}
		t, err := v.dict.Term(ids[i])
		if err != nil {
			return fmt.Sprintf("terms %v", ids)
		}
		*into = t
	}
	if q.Subject == nil || q.Predicate == nil || q.Object == nil {
		return fmt.Sprintf("terms %v", ids)
	}
	return string(rdf.AppendQuad(nil, q))
}

// The changes that the rows imply, and those of the change logs.
const (
	notBulk   = "NOT IN (SELECT seq FROM main.commits WHERE flags & 1)"
	rowEvents = "SELECT s, p, o, g, added AS seq, 43 AS op FROM live WHERE added " + notBulk + `
		UNION ALL SELECT s, p, o, g, added, 43 FROM hist WHERE line > 0 AND added ` + notBulk + `
		UNION ALL SELECT s, p, o, g, removed, 45 FROM hist WHERE removed < 9223372036854775807`
	logEvents = "SELECT s, p, o, g, seq, op FROM changes"
)

// named bounds the number of rows that are listed for each kind of problem.
const named = 10

// nameEvents reports the changes that only the rows or only the change logs have.
func (v *verifier) nameEvents() error {
	before := len(v.report.Problems)
	for _, side := range []struct {
		sql  string
		what map[int64]string
	}{
		{"SELECT * FROM (" + rowEvents + ") EXCEPT " + logEvents, map[int64]string{
			history.OpAdd:    "the statement is said to be of commit %d, which did not add it: %s",
			history.OpRemove: "the statement is said to have been removed by commit %d, which did not: %s",
		}},
		{logEvents + " EXCEPT SELECT * FROM (" + rowEvents + ")", map[int64]string{
			history.OpAdd:    "commit %d added a statement that is neither current nor retired since: %s",
			history.OpRemove: "commit %d removed a statement that is not retired since: %s",
		}},
	} {
		err := v.conn.Exec(side.sql+" LIMIT ? + 0", func(s *stmt.Stmt) error {
			text, ok := side.what[s.ColumnInt64(5)]
			if !ok {
				text = "changes: the log of commit %d has a row that neither adds nor removes: %s"
			}
			v.problem(text, s.ColumnInt64(4), v.describe(idsOf(s, 0)))
			return nil
		}, named)
		if err != nil {
			return err
		}
	}
	if len(v.report.Problems) == before {
		v.problem("the rows of live and hist are not what the change logs of the commits say")
	}
	return nil
}

// statementOf returns the statement of a row of the b-tree in an order.
func statementOf(order leaf.Order, row [5]int64) (ids quadIDs, added history.Seq) {
	for i, column := range order.Columns() {
		ids[column] = inline.TermID(row[i])
	}
	return ids, history.Seq(row[4])
}

// indexes checks that each index of live has exactly its rows, in order. SQLite reads a value that is no number as 0,
// and checks the types of values in tables only.
func (v *verifier) indexes() error {
	for _, index := range leaf.Trees[1:] {
		rows, want := rowSet{}, v.live
		filter := ""
		if index == leaf.GPOS {
			filter, want = " WHERE g <> 0", rowSet{}
			err := v.conn.Exec(liveRows+filter, func(s *stmt.Stmt) error {
				v.key.row(&want, idsOf(s, 0), s.Seq(4))
				return nil
			})
			if err != nil {
				return err
			}
		}
		var last, row [5]int64
		scan := "SELECT " + index.Fields() + " FROM " + leaf.Table + index.Hint() + filter
		err := v.conn.Exec(scan, func(s *stmt.Stmt) error {
			for i := range row {
				if row[i] = s.ColumnInt64(i); s.ColumnType(i) != sqlite.TypeInteger {
					v.problem("index %s has a value that is no number at %v", index.Present(), row)
				}
			}
			if rows.n > 0 && slices.Compare(last[:], row[:]) >= 0 {
				v.problem("index %s is out of order at %v", index.Present(), row)
			}
			last = row
			ids, added := statementOf(index, row)
			v.key.row(&rows, ids, added)
			if rows.n%4096 != 0 {
				return nil
			}
			v.progress(VerifyProgress{"indexes", rows.n, want.n})
			return v.ctx.Err()
		})
		if err != nil {
			return err
		}
		if rows != want {
			if err := v.nameRows(index, filter); err != nil {
				return err
			}
		}
	}
	return nil
}

// nameRows reports the rows that an index lacks, and those that only the index has.
func (v *verifier) nameRows(index leaf.Order, filter string) error {
	before := len(v.report.Problems)
	indexRows := "SELECT s, p, o, g, added FROM " + leaf.Table + index.Hint() + filter
	for _, side := range []struct{ sql, what string }{
		{liveRows + filter + " EXCEPT " + indexRows, "index %s lacks a row of live, of commit %d: %s"},
		{indexRows + " EXCEPT " + liveRows + filter, "index %s has a row that live has not, of commit %d: %s"},
	} {
		err := v.conn.Exec(side.sql+" LIMIT ? + 0", func(s *stmt.Stmt) error {
			v.problem(side.what, index.Present(), s.ColumnInt64(4), v.describe(idsOf(s, 0)))
			return nil
		}, named)
		if err != nil {
			return err
		}
	}
	if len(v.report.Problems) == before {
		v.problem("index %s does not have the rows of live", index.Present())
	}
	return nil
}
