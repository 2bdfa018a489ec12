package db

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"trails/db/history"
	"trails/db/leaf"
	"trails/db/scan"
	"trails/db/stmt"
	"trails/db/wordindex"
)

const (
	// sampleCommits is how many of the newest commits a sample checks.
	sampleCommits = 100
	// sampleRows is how many rows a sample checks at each place.
	sampleRows = 100
)

// newest checks the newest commits, up to a number of commits or [bulkSize] changes: their ids, their digests, and
// that the rows of live and hist have their changes. It stops at a commit without a change log.
func (v *verifier) newest() error {
	var commits []history.Commit
	err := v.conn.Exec("SELECT "+anyCommit+" ORDER BY c.seq DESC LIMIT ? + 0", func(s *stmt.Stmt) error {
		commits = append(commits, scanCommit(s))
		return nil
	}, sampleCommits+1)
	if err != nil {
		return err
	}
	changes, end := int64(0), 0
	for _, c := range commits {
		if changes += c.Added + c.Removed; c.Bulk || changes > bulkSize {
			break
		}
		end++
	}
	if end == len(commits) && end > sampleCommits {
		end--
	}
	after := history.Commit{}
	if end < len(commits) {
		after = commits[end]
	}
	if err := v.history(after); err != nil {
		return err
	}
	if err := v.chain(commitChain, int64(after.Seq)); err != nil {
		return err
	}
	descriptors, err := v.conn.Int64("SELECT max(seq) FROM descriptors")
	if err != nil {
		return err
	}
	if err := v.chain(descriptorChain, max(0, descriptors-sampleCommits)); err != nil {
		return err
	}
	artifacts, err := v.conn.Int64("SELECT max(seq) FROM artifacts")
	if err != nil {
		return err
	}
	if err := v.sums(artifactSums, max(0, artifacts-sampleCommits), sampleCommits, nil); err != nil {
		return err
	}
	return v.conn.Exec("SELECT x.s, x.p, x.o, x.g, x.seq, x.op, x.line FROM lines n CROSS JOIN changes x ON x.line = n.line WHERE x.seq > ?", func(s *stmt.Stmt) error {
		return v.checkLogged(idsOf(s, 0), s.Seq(4), s.ColumnInt64(5), s.ColumnInt64(6))
	}, after.Seq)
}

// chain checks the digests of the first rows after one.
func (v *verifier) chain(table summedTable, after int64) error {
	var before []byte
	err := v.conn.Exec("SELECT "+table.column+" FROM main."+table.name+" WHERE seq = ?", func(s *stmt.Stmt) error {
		before = s.Blob(0)
		return nil
	}, after)
	if err != nil {
		return err
	}
	return v.sums(table, after, sampleCommits, before)
}

// checkLogged checks that the rows have the changes of a change log of a branch.
func (v *verifier) checkLogged(ids quadIDs, seq history.Seq, op, line int64) error {
	const same = " WHERE s = ?1 AND p = ?2 AND o = ?3 AND g = ?4 AND "
	found := "SELECT 1 FROM hist" + same + "line IN (?6, -?6) AND removed = ?5"
	if op == history.OpAdd {
		found = "SELECT 1 FROM live" + same + "added = ?5 UNION ALL SELECT 1 FROM hist" + same + "line = ?6 AND added = ?5"
	}
	n, err := v.conn.Int64(found, ids[posS], ids[posP], ids[posO], ids[posG], seq, line)
	if err == nil && n != 1 {
		v.problem("commit %d changed a statement (%c), and no row says so: %s", seq, rune(op), v.describe(ids))
	}
	return err
}

// sample checks rows from random places until the deadline.
func (v *verifier) sample(deadline time.Time) error {
	last := map[string]int64{}
	for _, table := range []string{"prov", "idempotency"} {
		n, err := v.conn.Int64(fmt.Sprintf("SELECT max(seq) FROM %s", table))
		if err != nil {
			return err
		}
		last[table] = n
	}
	contents, err := v.conn.Int64("SELECT max(id) FROM artifact_contents")
	if err != nil {
		return err
	}
	for round := int64(1); round == 1 || time.Now().Before(deadline); round++ {
		if err := v.ctx.Err(); err != nil {
			return err
		}
		v.progress(VerifyProgress{Phase: "sample", Done: round})
		if err := v.sampleTerms(deadline); err != nil {
			return err
		}
		if err := v.sampleRows(); err != nil {
			return err
		}
		for _, table := range []summedTable{provSums, idempotencySums} {
			if err := v.sums(table, rand.Int64N(last[table.name]+1)-1, sampleRows, nil); err != nil {
				return err
			}
		}
		if err := v.checkContents(rand.Int64N(contents+1), sampledContent, 1); err != nil {
			return err
		}
	}
	return nil
}

// sampleTerms checks terms from one place, and that they are found by their hashes and, until the deadline, by their words.
func (v *verifier) sampleTerms(deadline time.Time) error {
	places := wordPlaces{}
	err := v.conn.Exec(termRows+" WHERE id > ? LIMIT ? + 0", func(s *stmt.Stmt) error {
		v.report.Terms++
		v.checkTerm(s)
		n, err := v.conn.Int64("SELECT count(*) FROM terms INDEXED BY terms_hash WHERE hash = ? AND id = ?", s.ColumnInt64(1), s.ColumnInt64(0))
		if err == nil && n != 1 {
			v.problem("index terms_hash lacks term %d", s.ColumnInt64(0))
		}
		if err == nil && wordindex.Indexed(s.ColumnInt64(2)) {
			v.addWords(places, s.ID(0), s.ColumnText(3))
		}
		return err
	}, rand.N(v.terms+1), sampleRows)
	if err != nil {
		return err
	}
	return v.sampleWords(places, deadline)
}

// sampleRows checks rows of live, of its indexes and of hist, from one place each.
func (v *verifier) sampleRows() error {
	from := rand.N(v.terms + 1)
	trees := leaf.Trees[:]
	for i, tree := range trees {
		filter := ""
		if tree == leaf.GPOS {
			filter = "g <> 0 AND "
		}
		rows := fmt.Sprintf("SELECT %s FROM %s%s WHERE %s%s >= ? LIMIT ? + 0", tree.Fields(), leaf.Table, tree.Hint(), filter, tree.First())
		err := v.conn.Exec(rows, func(s *stmt.Stmt) error {
			var row [5]int64
			for i := range row {
				row[i] = s.ColumnInt64(i)
			}
			ids, added := statementOf(tree, row)
			return v.checkRow(ids, added, slices.Delete(slices.Clone(trees), i, i+1))
		}, from, sampleRows)
		if err != nil {
			return err
		}
	}
	line := 1 + rand.Int64N(int64(len(v.lines)))
	for _, of := range []int64{line, -line} {
		err := v.conn.Exec("SELECT s, p, o, g, added, removed FROM hist WHERE line = ? AND s >= ? LIMIT ? + 0", func(s *stmt.Stmt) error {
			ids, added, removed := idsOf(s, 0), s.Seq(4), s.Seq(5)
			v.checkIDs(ids)
			if removed != scan.Forever {
				if err := v.checkEvent(ids, removed, history.OpRemove); err != nil {
					return err
				}
			}
			if v.bulk[added] || of < 0 {
				return nil
			}
			return v.checkEvent(ids, added, history.OpAdd)
		}, of, from, sampleRows)
		if err != nil {
			return err
		}
	}
	return nil
}

// checkRow checks that a row is also in the other b-trees of live, and that its commit added it.
func (v *verifier) checkRow(ids quadIDs, added history.Seq, others []leaf.Order) error {
	v.report.Quads++
	v.checkIDs(ids)
	key := []any{ids[posS], ids[posP], ids[posO], ids[posG], added}
	for _, tree := range others {
		if tree == leaf.GPOS && ids[posG] == defaultGraph {
			continue
		}
		text := "SELECT count(*) FROM " + leaf.Table + tree.Hint() + " WHERE s = ?1 AND p = ?2 AND o = ?3 AND g = ?4 AND added = ?5"
		if tree == leaf.GPOS {
			text += " AND g <> 0"
		}
		n, err := v.conn.Int64(text, key...)
		if err != nil {
			return err
		}
		if n != 1 {
			v.problem("live has a row that not all of its indexes have, %s: %s", tree.Present(), v.describe(ids))
		}
	}
	if v.bulk[added] {
		return nil
	}
	return v.checkEvent(ids, added, history.OpAdd)
}

// checkEvent checks that the change log has the change that a row implies.
func (v *verifier) checkEvent(ids quadIDs, seq history.Seq, op int64) error {
	n, err := v.conn.Int64("SELECT op FROM changes WHERE line = (SELECT line FROM main.commits WHERE seq = ?1) AND seq = ?1 AND s = ? AND p = ? AND o = ? AND g = ?",
		seq, ids[posS], ids[posP], ids[posO], ids[posG])
	if err == nil && n != op {
		v.problem("commit %d is said to have changed a statement (%c), and its log does not have it: %s", seq, rune(op), v.describe(ids))
	}
	return err
}
