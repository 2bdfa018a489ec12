package db

import (
	"bytes"
	"slices"

	"trails/db/history"
	"trails/db/scan"
	"trails/db/stmt"
)

// branches checks the rows of lines. That of main has the seal of the file; those of other branches a digest of
// their row.
func (v *verifier) branches() error {
	v.lines = map[int64]lineRow{}
	err := v.conn.Exec("SELECT line, parent, fork, name, head, epoch, seal, before, protected FROM lines ORDER BY line", func(s *stmt.Stmt) error {
		line := s.ColumnInt64(0)
		v.lines[line] = lineRow{line: line, parent: s.ColumnInt64(1), fork: s.Seq(2), head: s.Seq(4)}
		switch {
		case line != int64(len(v.lines)):
			v.problem("lines: branch %d comes after branch %d", line, len(v.lines)-1)
		case line != mainLine && !sameSeal(s, line):
			v.problem("lines: branch %d has a seal that is not of its row", line)
		case line == mainLine:
			epoch, seal, before := s.Blob(5), s.Blob(6), s.Blob(7)
			if len(seal) < nonceSize || !bytes.Equal(seal, sealWith(seal[:nonceSize], epoch, before, s.ColumnBool(8))) {
				v.problem("lines: main has a seal that is not of its row")
			}
			if got, want := s.Values(4), []any{int64(mainLine), nil, nil, Main}; !slices.Equal(got, want) {
				v.problem("lines: main is %v and should be %v (number, parent, fork, name)", got, want)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for line, row := range v.lines {
		last, err := v.conn.Seq("SELECT max(seq) FROM main.commits WHERE line = ?", line)
		if err != nil {
			return err
		}
		if head := max(last, row.fork); row.head != head {
			v.problem("lines: the head of branch %d is commit %d and should be commit %d", line, row.head, head)
		}
		if line == mainLine {
			continue
		}
		if of, err := v.lineOf(row.fork); err != nil || of != row.parent || row.parent >= line || last != 0 && last <= row.fork {
			v.problem("lines: branch %d is made from commit %d of branch %d, where that is none", line, row.fork, row.parent)
		}
	}
	return nil
}

// lineOfCommit is the last commit of which the branch was looked up.
type lineOfCommit struct {
	seq  history.Seq
	line int64
}

// lineOf returns the number of a commit's branch, 0 if there is no such commit.
func (v *verifier) lineOf(seq history.Seq) (int64, error) {
	if v.of.seq == seq && seq != 0 {
		return v.of.line, nil
	}
	line, err := v.conn.Int64("SELECT line FROM main.commits WHERE seq = ?", seq)
	v.of = lineOfCommit{seq, line}
	return line, err
}

// onBranches checks the rows of hist that are of branches: what a branch added, and what it removed of that from which
// it was made. It adds the changes that each row implies.
func (v *verifier) onBranches(note func(ids quadIDs, seq history.Seq, op int64)) error {
	var last quadIDs
	var lastLine int64
	var until history.Seq
	return v.conn.Exec("SELECT s, p, o, g, added, removed, line FROM hist WHERE line <> 1", func(s *stmt.Stmt) error {
		ids, added, removed, line := idsOf(s, 0), s.Seq(4), s.Seq(5), s.ColumnInt64(6)
		v.checkIDs(ids)
		if ids != last || line != lastLine {
			last, lastLine, until = ids, line, 0
		}
		own, by := max(line, -line), added
		if line < 0 {
			by = removed
		}
		of, err := v.lineOf(by)
		if err != nil {
			return err
		}
		switch _, there := v.lines[own]; {
		case !there || own == mainLine:
			v.problem("hist: a row is of branch %d, which is not there: %s", line, v.describe(ids))
		case of != own:
			v.problem("hist: a row of branch %d is said to be of commit %d, which is of branch %d: %s", line, by, of, v.describe(ids))
		case removed <= added:
			v.problem("the statement was removed by commit %d, and added by commit %d: %s", removed, added, v.describe(ids))
		case added < until:
			v.problem("the statement was added by commit %d, while it was there: %s", added, v.describe(ids))
		}
		until = removed
		if line > 0 {
			note(ids, added, history.OpAdd)
		} else if err := v.wasThere(own, ids, added); err != nil {
			return err
		}
		if removed != scan.Forever {
			note(ids, removed, history.OpRemove)
		}
		return nil
	})
}

// wasThere checks that what a branch removed was there when the branch was made.
func (v *verifier) wasThere(line int64, ids quadIDs, added history.Seq) error {
	of, err := v.lineOf(added)
	if err != nil {
		return err
	}
	const there = ` WHERE s = ?1 AND p = ?2 AND o = ?3 AND g = ?4 AND added = ?5`
	sql := "SELECT 1 FROM hist" + there + " AND line = ?6 AND removed > ?7"
	if of == mainLine {
		sql += " UNION ALL SELECT 1 FROM live" + there
	}
	fork := v.lines[line].fork
	n, err := v.conn.Int64(sql, ids[posS], ids[posP], ids[posO], ids[posG], added, of, v.forkOn(line, of))
	if err == nil && (n != 1 || added > fork) {
		v.problem("branch %d removed a statement that was not there, of commit %d: %s", line, added, v.describe(ids))
	}
	return err
}

// forkOn returns the last commit of an earlier line that a branch is made of.
func (v *verifier) forkOn(line, of int64) history.Seq {
	for line > of {
		row := v.lines[line]
		if row.parent == of {
			return row.fork
		}
		line = row.parent
	}
	return 0
}
