package db

import (
	"cmp"
	"context"
	"slices"
	"sort"
	"sync"

	"trails/db/history"
	"trails/db/inline"
	"trails/db/leaf"
	"trails/db/stmt"
	"trails/rdf"
	"trails/sparql"
)

// SQLite has no index of the texts of terms: the row of a term is found by its hash, and an index of texts would slow
// down every write. So the texts of a property are kept in memory, sorted, once a read sorts by them. They belong to
// one commit, and never change; those of a later commit are derived with its change log.
const (
	logTexts     = 20_000 // changes that are applied; beyond that the texts are read again
	textChunk    = 500    // subjects that are tested at once
	changedTexts = `SELECT x.s, x.o, substr(t.value, 1, ?1), x.op FROM changes x LEFT JOIN terms t ON t.id = x.o
		WHERE x.line = 1 AND x.seq > ?2 AND x.seq <= ?3 AND x.p = ?4 AND x.g = 0 ORDER BY x.seq LIMIT ?5 + 0`
	unloggedCommits = "SELECT count(*) FROM commits WHERE seq > ? AND seq <= ? AND flags & 1"
)

// keptTextBytes bounds the sorted texts of all properties of a file. It is a variable, so that a test can reach it
// with little data.
var keptTextBytes = 128 << 20

// textKey identifies a column: a property, and how its values are sorted.
type textKey struct {
	p inline.TermID
	// datatype is a key of keyed, or "" for case-folded text.
	datatype rdf.IRI
}

func keyOf(p inline.TermID, datatype rdf.IRI) textKey {
	if keyed[datatype] == nil {
		datatype = ""
	}
	return textKey{p, datatype}
}

// textRow is the sort text of a subject; o distinguishes equal texts.
type textRow struct {
	text string
	o, s inline.TermID
}

// bytes returns the memory of a row.
func (r textRow) bytes() int { return 32 + len(r.text) }

func compareTexts(a, b textRow) int {
	return cmp.Or(cmp.Compare(a.text, b.text), cmp.Compare(a.o, b.o), cmp.Compare(a.s, b.s))
}

func sortTexts(rows []textRow) {
	sort.Slice(rows, func(i, j int) bool { return compareTexts(rows[i], rows[j]) < 0 })
}

// textColumn is the sorted texts of one property as of a commit. It is immutable.
type textColumn struct {
	seq   history.Seq
	rows  []textRow
	bytes int
	// large means that there are too many texts to keep; there are no rows.
	large bool
}

// textStore caches columns. It is safe for concurrent use.
type textStore struct {
	mu      sync.Mutex
	columns map[textKey]*textColumn
	used    []textKey // most recently used last
}

func (t *textStore) get(p textKey) *textColumn {
	t.mu.Lock()
	defer t.mu.Unlock()
	if c := t.columns[p]; c != nil {
		t.touch(p)
		return c
	}
	return nil
}

// put stores a column unless a newer one is there, and drops the least recently used ones if there are too many
// texts.
func (t *textStore) put(p textKey, c *textColumn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.columns == nil {
		t.columns = map[textKey]*textColumn{}
	}
	if old := t.columns[p]; old != nil && old.seq > c.seq {
		return
	}
	t.columns[p] = c
	t.touch(p)
	total := 0
	for i := len(t.used) - 1; i >= 0; i-- {
		if total += t.columns[t.used[i]].bytes; total > keptTextBytes {
			for _, old := range t.used[:i+1] {
				delete(t.columns, old)
			}
			t.used = slices.Delete(t.used, 0, i+1)
			return
		}
	}
}

func (t *textStore) touch(p textKey) {
	t.used = append(slices.DeleteFunc(t.used, func(other textKey) bool { return other == p }), p)
}

// sortedTexts returns the texts of a property as of the reader's commit. It returns false if there are too many, or
// if the reader's state is no commit or an old one.
func (r *Reader) sortedTexts(ctx context.Context, p textKey) ([]textRow, bool, error) {
	if r.before != nil {
		return nil, false, nil
	}
	c := r.caches.texts.get(p)
	switch {
	case c == nil:
		return r.readTexts(ctx, p)
	case c.seq == r.head.Seq || c.seq < r.head.Seq && c.large:
		return c.rows, !c.large, nil
	case c.seq > r.head.Seq:
		return nil, false, nil
	}
	followed, err := r.followTexts(ctx, p, c)
	if err != nil || followed == nil {
		if err == nil {
			return r.readTexts(ctx, p)
		}
		return nil, false, err
	}
	r.caches.texts.put(p, followed)
	return followed.rows, true, nil
}

// readTexts reads all texts of a property.
func (r *Reader) readTexts(ctx context.Context, p textKey) ([]textRow, bool, error) {
	c := &textColumn{seq: r.head.Seq}
	s, err := r.conn.Take(r.conn.text(leaf.Texts))
	if err != nil {
		return nil, false, err
	}
	defer s.Release()
	s.Bind(1, sortRunes)
	s.Bind(2, p.p)
	err = r.steps(ctx, s, func() (bool, error) {
		row := scanText(s, p)
		if c.bytes += row.bytes(); c.bytes > keptTextBytes {
			c.rows, c.bytes, c.large = nil, 0, true
			return false, nil
		}
		c.rows = append(c.rows, row)
		return true, nil
	})
	if err != nil {
		return nil, false, err
	}
	sortTexts(c.rows)
	r.caches.texts.put(p, c)
	return c.rows, !c.large, nil
}

// scanText reads a subject, an object and its text from the first three columns.
func scanText(s *stmt.Stmt, key textKey) textRow {
	row, text := textRow{s: s.ID(0), o: s.ID(1)}, s.ColumnText(2)
	if row.o < 0 {
		text = rdf.Lexical(inline.Term(row.o))
	}
	row.text = orderText(key.datatype, text)
	return row
}

// followTexts updates a column to the reader's commit with the change logs in between. It returns nil if these are
// missing or long.
func (r *Reader) followTexts(ctx context.Context, p textKey, c *textColumn) (*textColumn, error) {
	unlogged, err := r.conn.Int64(unloggedCommits, c.seq, r.head.Seq)
	if err != nil || unlogged > 0 {
		return nil, err
	}
	now, n, err := r.changedTexts(ctx, p, c.seq)
	if err != nil || n == logTexts {
		return nil, err
	}
	next := &textColumn{seq: r.head.Seq, rows: c.rows, bytes: c.bytes}
	if n == 0 {
		return next, nil
	}
	next.rows = make([]textRow, 0, len(c.rows)+len(now))
	for _, row := range c.rows {
		if _, changed := now[row]; changed {
			next.bytes -= row.bytes()
			continue
		}
		next.rows = append(next.rows, row)
	}
	var added []textRow
	for row, there := range now {
		if there {
			added = append(added, row)
			next.bytes += row.bytes()
		}
	}
	sortTexts(added)
	next.rows = mergeTexts(next.rows, added)
	return next, nil
}

// changedTexts returns the texts that were added or removed since a commit, and whether each exists now; n counts the
// changes.
func (r *Reader) changedTexts(ctx context.Context, p textKey, since history.Seq) (now map[textRow]bool, n int, err error) {
	s, err := r.conn.Take(changedTexts)
	if err != nil {
		return nil, 0, err
	}
	defer s.Release()
	for i, arg := range []any{sortRunes, since, r.head.Seq, p.p, logTexts} {
		s.Bind(i+1, arg)
	}
	now = map[textRow]bool{}
	err = r.steps(ctx, s, func() (bool, error) {
		n++
		now[scanText(s, p)] = s.ColumnInt64(3) == history.OpAdd
		return true, nil
	})
	return now, n, err
}

// mergeTexts merges a few sorted rows into many.
func mergeTexts(many, few []textRow) []textRow {
	if len(few) == 0 {
		return many
	}
	out := make([]textRow, 0, len(many)+len(few))
	for _, row := range few {
		i, _ := slices.BinarySearchFunc(many, row, compareTexts)
		out = append(append(out, many[:i]...), row)
		many = many[i:]
	}
	return append(out, many...)
}

func subjectsOf(rows []textRow) []inline.TermID {
	ids := make([]inline.TermID, len(rows))
	for i, row := range rows {
		ids[i] = row.s
	}
	return ids
}

// among returns those subjects that are selected, in the given order.
func (r *Reader) among(ctx context.Context, sel Selection, subjects []inline.TermID, take func(id inline.TermID) (more bool)) error {
	op := r.restricted(ctx, amongIDs(varS, subjects), sel)
	return r.askIDs(ctx, op, []sparql.Var{varS}, func(ids []inline.TermID) bool { return take(ids[0]) })
}
