package db

import (
	"encoding/binary"
	"errors"

	"trails/db/extsort"
	"trails/db/history"
	"trails/db/stmt"
	"trails/rdf"
)

// history recomputes the ids of the commits after one (the zero Commit for all), and what follows from their changes.
// All changes are sorted by commit, N-Quads line and operation, so that the hashes need one pass.
func (v *verifier) history(after history.Commit) error {
	sorted := &extsort.Sorter{ChunkBytes: 8 << 20}
	defer func() { _ = sorted.Close() }() // temporary files, which were only read
	if err := v.gather(sorted, after.Seq); err != nil {
		return err
	}
	next, err := v.commitCheck(after)
	if err != nil {
		return err
	}
	defer next.rows.Release()
	changes, err := sorted.Sorted()
	if err != nil {
		return err
	}
	for line, ok := changes.Peek(); ok; line, ok = changes.Peek() {
		if err := v.tick("hashes", 0, &next.lines); err != nil {
			return err
		}
		if err := next.change(history.Seq(binary.BigEndian.Uint64(line)), line[8:]); err != nil {
			return err
		}
		if err := changes.Advance(); err != nil {
			return err
		}
	}
	if err := next.upTo(1 << 62); err != nil {
		return err
	}
	if head := next.heads[mainLine]; head.Quads != v.live.n && v.report.Whole {
		v.problem("commit %d leaves %d quads by its changes and those before, and there are %d", head.Seq, head.Quads, v.live.n)
	}
	return nil
}

// gathered selects the changes of the commits after one: from the change logs and, for bulk commits without one,
// their additions.
var gathered = []string{
	changeColumns + "SELECT x.s, x.p, x.o, x.g, x.op, x.seq FROM lines n CROSS JOIN changes x ON x.line = n.line WHERE x.seq > ?1" + changeJoins,
	changeColumns + "SELECT s, p, o, g, 43 AS op, added AS seq FROM live WHERE added IN (SELECT seq FROM main.commits WHERE flags & 1 AND seq > ?1)" + changeJoins,
	changeColumns + "SELECT s, p, o, g, 43 AS op, added AS seq FROM hist WHERE line = 1 AND added IN (SELECT seq FROM main.commits WHERE flags & 1 AND seq > ?1)" + changeJoins,
}

// Follows the operation of a sorted change, and says whether the change is of the schema.
const ofData, ofSchema = 0, 1

func (v *verifier) gather(into *extsort.Sorter, after history.Seq) error {
	var done int64
	var failed error
	sources := gathered
	if !v.report.Whole {
		sources = gathered[:1]
	}
	for _, sql := range sources {
		err := v.changes(v.ctx, sql, func(c Change, _ error) bool {
			if failed = v.tick("changes", 0, &done); failed != nil {
				return false
			}
			of := byte(ofData)
			if c.Quad.Label == rdf.SchemaGraph {
				of = ofSchema
			}
			failed = into.Add(func(line []byte) []byte {
				line = binary.BigEndian.AppendUint64(line, uint64(c.Seq))
				return append(rdf.AppendQuad(line, c.Quad), c.Op, of)
			})
			return failed == nil
		}, after)
		if err = errors.Join(err, failed); err != nil {
			return err
		}
	}
	return nil
}

// commitCheck iterates over the commits in step with the sorted changes.
type commitCheck struct {
	v      *verifier
	rows   *stmt.Stmt
	have   bool
	at     history.Commit
	heads  map[int64]history.Commit // the last commit of each branch, as it should be
	hash   *history.ChangeHash
	schema bool // a change of the current commit is of the schema
	lines  int64
}

func (v *verifier) commitCheck(after history.Commit) (*commitCheck, error) {
	rows, err := v.conn.Take("SELECT " + anyCommit + " WHERE c.seq > ? ORDER BY c.seq")
	if err != nil {
		return nil, err
	}
	rows.BindInt64(1, int64(after.Seq))
	c := &commitCheck{v: v, rows: rows, heads: map[int64]history.Commit{}}
	if after.Seq > 0 {
		c.heads[after.Line] = after
	}
	return c, c.advance()
}

func (c *commitCheck) advance() (err error) {
	if c.have, err = c.rows.Step(); err == nil && c.have {
		c.at, c.hash, c.schema = scanCommit(c.rows), history.NewChangeHash(), false
	}
	return err
}

// upTo checks the commits before seq, whose changes are complete.
func (c *commitCheck) upTo(seq history.Seq) error {
	for c.have && c.at.Seq < seq {
		before, err := c.before()
		if err != nil {
			return err
		}
		c.check(before)
		if err := c.advance(); err != nil {
			return err
		}
	}
	return nil
}

// before returns the commit that the current one should come after: the last one of its branch or, for the first one of
// a branch, that from which the branch was made. In a sample the last one may not have been checked.
func (c *commitCheck) before() (history.Commit, error) {
	line := c.at.Line
	if last, ok := c.heads[line]; ok {
		return last, nil
	}
	made := c.v.lines[line]
	before := made.fork
	if !c.v.report.Whole {
		last, err := c.v.conn.Int64("SELECT max(seq) FROM main.commits WHERE line = ? AND seq < ?", line, c.at.Seq)
		if err != nil {
			return history.Commit{}, err
		}
		before = max(before, history.Seq(last))
	}
	if before == 0 {
		return history.Commit{}, nil
	}
	return c.v.conn.commit(before)
}

// check checks the current commit; before is the one that it should come after.
func (c *commitCheck) check(before history.Commit) {
	v, at := c.v, c.at
	v.report.Commits++
	if c.hash.Added != at.Added || c.hash.Removed != at.Removed {
		v.problem("commit %d (%s) says +%d −%d but its changes are +%d −%d", at.Seq, at.ID, at.Added, at.Removed, c.hash.Added, c.hash.Removed)
	}
	if got := c.hash.CommitID(at); got != at.ID {
		v.problem("commit %d has the id %s but its content gives %s", at.Seq, at.ID.Whole(), got.Whole())
	}
	// Numbers may be missing between the two, of commits that were dropped: the digests tell those from lost ones.
	if at.Parent != before.ID {
		v.problem("commit %d, whose parent is %q, comes after commit %d, %q", at.Seq, at.Parent.Whole(), before.Seq, before.ID.Whole())
	}
	version, schemaSeq := before.SchemaVersion, before.SchemaSeq
	if c.schema {
		version, schemaSeq = version+1, at.Seq
	}
	if at.SchemaVersion != version || at.SchemaSeq != schemaSeq {
		v.problem("commit %d says version %d of the schema, of commit %d, but the changes give version %d of commit %d",
			at.Seq, at.SchemaVersion, at.SchemaSeq, version, schemaSeq)
	}
	if quads := before.Quads + c.hash.Added - c.hash.Removed; at.Quads != quads {
		v.problem("commit %d says %d quads, but the changes give %d", at.Seq, at.Quads, quads)
		at.Quads = quads
	}
	c.heads[at.Line] = at
}

// change adds a sorted change: an N-Quads line, its operation and whether it is of the schema.
func (c *commitCheck) change(seq history.Seq, line []byte) error {
	if err := c.upTo(seq); err != nil {
		return err
	}
	if !c.have || c.at.Seq != seq {
		c.v.problem("changes of commit %d, which is none", seq)
		return nil
	}
	end := len(line) - 2
	c.hash.KeepLine(line[end], line[:end])
	c.schema = c.schema || line[end+1] == ofSchema
	return nil
}
