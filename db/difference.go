package db

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"iter"
	"slices"

	"trails/db/extsort"
	"trails/db/history"
	"trails/db/inline"
	"trails/db/leaf"
	"trails/db/scan"
	"trails/db/stmt"
	"trails/rdf"
)

// The difference of two commits follows from what was changed between the last commit that both come from and each of
// them: the first change of a statement says whether it was there before, and the last one whether it is there now. See
// docs/decisions/0125-difference-of-two-commits.md.

// Difference returns the statements that are there as of one of two commits and not as of the other one: with
// [history.OpAdd] those of the second alone, with [history.OpRemove] those of the first alone. The commits may be of
// different branches. All statements of a subject follow each other, in the order of ids. Seq is the last commit that
// changed the statement on the way to the second commit or, if none did, to the first. Time grows with the number of
// changes since the last commit that both come from; a bulk commit among them has no change log, and is looked for in all
// statements of main. Memory is bounded.
//
// A reader with rights gets what it may see of the difference as a reader of both commits.
func (r *Reader) Difference(ctx context.Context, from, to history.Commit) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		if err := r.difference(ctx, from, to, yield); err != nil {
			yield(Change{}, r.fail(ctx, "difference", err))
		}
	}
}

const sizesBetween = "SELECT 1 + added + removed FROM main.commits WHERE line = ? AND seq > ? AND seq <= ?"

// ChangesBetween returns how much [Reader.Difference] of two commits reads: the changes since the last commit that both come
// from, seen or not, and one more for each commit that made them. It stops when there are more than most.
func (r *Reader) ChangesBetween(ctx context.Context, from, to history.Commit, most int64) (n int64, err error) {
	if err := r.ready(ctx); err != nil {
		return 0, r.fail(ctx, "changes between", err)
	}
	chains, err := r.conn.chainsOf(from, to)
	if err != nil {
		return 0, r.fail(ctx, "changes between", err)
	}
	spans := apart(chains)
	for _, s := range slices.Concat(spans[firstSide], spans[secondSide]) {
		err := r.rows(ctx, sizesBetween, func(row *stmt.Stmt) (bool, error) {
			n += row.ColumnInt64(0)
			return n <= most, nil
		}, s.line, s.after, s.until)
		if err != nil || n > most {
			return n, r.fail(ctx, "changes between", err)
		}
	}
	return n, nil
}

func (r *Reader) difference(ctx context.Context, from, to history.Commit, yield func(Change, error) bool) (err error) {
	if err := r.ready(ctx); err != nil {
		return err
	}
	d := differing{ctx: ctx, reader: r}
	defer func() { err = errors.Join(err, d.sorter.Close()) }()
	if err := d.collect(from, to); err != nil {
		return err
	}
	return d.each(yield)
}

// differing is one difference. The records that it sorts have a statement and one change of it.
type differing struct {
	ctx    context.Context
	reader *Reader
	sight  *sight // nil if everything may be seen
	sorter extsort.Sorter
}

// side is which of the two commits a change leads to.
type side int

const (
	firstSide side = iota
	secondSide
)

// span are the commits of a line behind one up to another one.
type span struct {
	line         int64
	after, until history.Seq
}

// collect reads the changes on both sides.
func (d *differing) collect(from, to history.Commit) error {
	chains, err := d.reader.conn.chainsOf(from, to)
	if err != nil {
		return err
	}
	if d.reader.conn.sight != nil {
		d.sight, err = d.reader.conn.sight.over(d.reader, slices.Concat(chains[firstSide][1:], chains[secondSide][1:]))
		if err != nil {
			return err
		}
	}
	for i, spans := range apart(chains) {
		for _, s := range spans {
			if err := d.logged(side(i), s); err != nil {
				return err
			}
			if err := d.bulk(side(i), s); err != nil {
				return err
			}
		}
	}
	return nil
}

// chainsOf returns the chains of two commits; that of the empty graph is main before its first commit.
func (c *conn) chainsOf(from, to history.Commit) (chains [2][]scan.Bound, err error) {
	for i, of := range [...]history.Commit{from, to} {
		if of.Seq == 0 {
			chains[i] = []scan.Bound{{Line: mainLine}}
		} else if chains[i], err = c.chainOf(of.Line, of.Seq); err != nil {
			return chains, err
		}
	}
	return chains, nil
}

// apart returns what two states do not share: for each the spans that lead to it from the last commit that both come from.
func apart(chains [2][]scan.Bound) (spans [2][]span) {
	shared := 1 // lines; both have main
	for shared < len(chains[firstSide]) && shared < len(chains[secondSide]) && chains[firstSide][shared].Line == chains[secondSide][shared].Line {
		shared++
	}
	base := min(chains[firstSide][shared-1].Until, chains[secondSide][shared-1].Until)
	for i, chain := range chains {
		for k, b := range chain[shared-1:] {
			s := span{line: b.Line, until: history.Seq(b.Until)}
			if k == 0 {
				s.after = history.Seq(base)
			}
			if s.after < s.until {
				spans[i] = append(spans[i], s)
			}
		}
	}
	return spans
}

const changesBetween = "SELECT s, p, o, g, op, seq FROM main.changes WHERE line = ? AND seq > ? AND seq <= ?"

// logged reads change logs.
func (d *differing) logged(of side, s span) error {
	return d.reader.rows(d.ctx, changesBetween, func(row *stmt.Stmt) (bool, error) {
		return true, d.note(of, quadIDs{row.ID(0), row.ID(1), row.ID(2), row.ID(3)}, row.Seq(5), row.ColumnInt64(4) == int64(history.OpAdd))
	}, s.line, s.after, s.until)
}

const bulkBetween = "SELECT seq FROM main.commits WHERE line = ? AND seq > ? AND seq <= ? AND flags & ?"

// bulk reads what bulk commits added. They are commits of main, and their statements are there or were retired since. The
// present ones are read from the pages, since no index has them by commit.
func (d *differing) bulk(of side, s span) error {
	commits, err := column[history.Seq](d.ctx, d.reader, bulkBetween, s.line, s.after, s.until, flagBulk)
	if err != nil || len(commits) == 0 {
		return err
	}
	err = d.reader.rows(d.ctx, leaf.RetiredOfMain, func(row *stmt.Stmt) (bool, error) {
		if seq := row.Seq(4); slices.Contains(commits, seq) {
			return true, d.note(of, quadIDs{row.ID(0), row.ID(1), row.ID(2), row.ID(3)}, seq, true)
		}
		return true, nil
	}, s.after, s.until)
	if err != nil {
		return err
	}
	pages, err := d.reader.conn.Pages()
	if err != nil {
		return err
	}
	defer pages.Release()
	tree, err := pages.Tree(leaf.SPO.Present())
	if err != nil {
		return err
	}
	return unreadable(d.present(of, scan.NewCursor(scan.Leaf{Present: tree}), commits))
}

// present reads the statements that commits added, of all that are there.
func (d *differing) present(of side, all *scan.Cursor, commits []history.Seq) error {
	if err := all.Seek(nil, nil, false); err != nil {
		return err
	}
	for n := 1; ; n++ {
		row, ok, err := all.Next()
		if err != nil || !ok {
			return err
		}
		if slices.Contains(commits, history.Seq(row.Added)) {
			var ids quadIDs
			for i, id := range row.Columns {
				ids[i] = inline.TermID(id)
			}
			if err := d.note(of, ids, history.Seq(row.Added), true); err != nil {
				return err
			}
		}
		if n%4096 == 0 {
			if err := d.reader.over(d.ctx); err != nil {
				return err
			}
		}
	}
}

// note adds a change that may be seen to the records: the ids in the order of their numbers, and then the change, in the
// order of commits.
func (d *differing) note(of side, ids quadIDs, seq history.Seq, added bool) error {
	if d.sight != nil {
		if hidden, err := d.sight.hidesStatement(ids); err != nil || hidden {
			return err
		}
	}
	return d.sorter.Add(func(record []byte) []byte {
		for _, id := range ids {
			record = binary.BigEndian.AppendUint64(record, uint64(id)^1<<63)
		}
		change := uint64(seq)<<2 | uint64(of)<<1
		if added {
			change |= 1
		}
		return binary.BigEndian.AppendUint64(record, change)
	})
}

// keyBytes is the length of a statement in a record.
const keyBytes = 4 * 8

// event is one change of a statement.
type event struct {
	seq   history.Seq
	added bool
}

// net are the first and the last change of a statement on each side; the zero value is that of none.
type net struct{ first, last [2]event }

// has reports whether the statement is there on a side. A side that did not change it has it as it was before the other
// one did.
func (n net) has(on side) bool {
	if n.last[on].seq > 0 {
		return n.last[on].added
	}
	return !n.first[secondSide-on].added
}

// each yields the statements that one side alone has.
func (d *differing) each(yield func(Change, error) bool) error {
	sorted, err := d.sorter.Sorted()
	if err != nil {
		return err
	}
	// A query without a plan reads terms from the pages.
	terms := newQuestion(d.ctx, d.reader, Plan{prepared: &prepared{}}, Limits{})
	defer terms.end()
	for n := 1; ; n++ {
		record, more := sorted.Peek()
		if !more {
			return nil
		}
		key := [keyBytes]byte(record)
		var of net
		for ; more && [keyBytes]byte(record) == key; record, more = sorted.Peek() {
			bits := binary.BigEndian.Uint64(record[keyBytes:])
			on, one := side(bits>>1&1), event{history.Seq(bits >> 2), bits&1 == 1}
			of.first[on], of.last[on] = cmp.Or(of.first[on], one), one
			if err := sorted.Advance(); err != nil {
				return err
			}
		}
		if n%256 == 0 {
			if err := d.reader.over(d.ctx); err != nil {
				return err
			}
		}
		if of.has(firstSide) == of.has(secondSide) {
			continue
		}
		c := Change{Op: history.OpRemove, Seq: cmp.Or(of.last[secondSide], of.last[firstSide]).seq}
		if of.has(secondSide) {
			c.Op = history.OpAdd
		}
		if c.Quad, err = quadOf(terms, recordIDs(key)); err != nil || !yield(c, nil) {
			return err
		}
	}
}

// recordIDs returns the ids of a record's statement.
func recordIDs(key [keyBytes]byte) (ids quadIDs) {
	for i := range ids {
		ids[i] = inline.TermID(binary.BigEndian.Uint64(key[8*i:]) ^ 1<<63)
	}
	return ids
}

// quadOf returns a statement by its ids.
func quadOf(terms *question, ids quadIDs) (q rdf.Quad, err error) {
	for position, of := range [...]*rdf.Term{&q.Subject, &q.Predicate, &q.Object, &q.Label} {
		if position == posG && ids[posG] == defaultGraph {
			break
		}
		if *of, err = terms.term(ids[position]); err != nil {
			return q, err
		}
	}
	return q, nil
}
