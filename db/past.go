package db

import (
	"fmt"
	"regexp"
	"strings"

	"zombiezen.com/go/sqlite"

	"trails/db/history"
	"trails/db/stmt"
	"trails/fault"
)

// A reader of an earlier commit has its own connection. In it the name live means the statements as of that commit:
// temp.live is the virtual table t_past, and SQLite looks up temporary tables first. The names commits, changes and
// hist mean the history up to that commit. So the same SQL works for every commit. See
// docs/decisions/0008-branch-and-at.md.

// goneSince fills the table gone with the statements of the commit that were removed since, from the changes of later
// commits.
const goneSince = `INSERT INTO temp.gone (s, p, o, g, added) SELECT h.s, h.p, h.o, h.g, h.added
	FROM (SELECT DISTINCT s, p, o, g FROM main.changes WHERE line = 1 AND seq > ?1 AND op = 45) c
	CROSS JOIN main.hist h ON h.line = 1 AND h.s = c.s AND h.p = c.p AND h.o = c.o AND h.g = c.g
	WHERE h.added <= ?1 AND h.removed > ?1`

var goneIndexes = []string{
	"CREATE INDEX temp.gone_pos ON gone (p, o, s, g)",
	"CREATE INDEX temp.gone_osp ON gone (o, s, p, g)",
	"CREATE INDEX temp.gone_g ON gone (g, p, o, s)",
	"CREATE VIRTUAL TABLE temp.live USING t_past",
}

// historyUntil are the views of the history up to a commit.
var historyUntil = []string{
	"CREATE TEMP VIEW commits AS SELECT * FROM main.commits WHERE seq <= %d",
	"CREATE TEMP VIEW changes AS SELECT * FROM main.changes WHERE seq <= %d",
	"CREATE TEMP VIEW hist AS SELECT * FROM main.hist WHERE removed <= %d",
}

// goBack makes the connection read the state of a commit. The facts for plans of the head are not used, because they
// depend on the statements.
func (r *Reader) goBack(id history.CommitID) error {
	list, err := r.commits("WHERE c.id = ?", id[:])
	if err == nil && len(list) == 0 {
		err = fault.New(fault.Missing, "no commit %s", id)
	}
	if err != nil {
		return err
	}
	r.head = list[0]
	r.caches = &caches{epoch: r.caches.epoch, terms: r.caches.terms, facts: newFacts(), plans: newPlans()}
	table := &pastTable{conn: r.conn, at: r.head.Seq, texts: map[pastSearch]string{}}
	if err := r.conn.register("t_past", "s INTEGER, p INTEGER, o INTEGER, g INTEGER, added INTEGER", module{bestOfPast, func() sqlite.VTableCursor { return &pastCursor{table: table} }}); err != nil {
		return err
	}
	defer r.conn.Temporary.Limit(DefaultQueryTemporary)()
	err = r.conn.Once("CREATE TEMP TABLE gone (s INTEGER NOT NULL, p INTEGER NOT NULL, o INTEGER NOT NULL, g INTEGER NOT NULL, added INTEGER NOT NULL, PRIMARY KEY (s, p, o, g)) STRICT, WITHOUT ROWID")
	if err == nil {
		err = r.conn.Exec(goneSince, nil, r.head.Seq)
	}
	if err == nil {
		err = r.conn.Apply(goneIndexes)
	}
	for _, view := range historyUntil {
		if err == nil {
			err = r.conn.Once(fmt.Sprintf(view, r.head.Seq))
		}
	}
	if err == nil {
		err = r.conn.Once("PRAGMA query_only = ON")
	}
	return r.conn.Temporary.Fault(err)
}

// indexNamed matches the name of an index of live in a statement; a virtual table has no indexes.
var indexNamed = regexp.MustCompile(` (NOT INDEXED|INDEXED BY (live_[a-z]+|sqlite_autoindex_live_1))`)

// withoutIndexes returns a statement as a connection for an earlier commit prepares it. A statement on main.live reads
// the current state.
func withoutIndexes(sql string) string {
	if strings.Contains(sql, "main.live") {
		return sql
	}
	return indexNamed.ReplaceAllString(sql, "")
}

// orderOf is the order of the rows of live by the index that is read, in which both halves of a search are merged: a
// read of an earlier commit has the order of one of the newest.
var orderOf = map[string]string{
	"NOT INDEXED":         " ORDER BY s, p, o, g",
	"INDEXED BY live_pos": " ORDER BY p, o, s, g",
	"INDEXED BY live_osp": " ORDER BY o, s, p, g",
	"INDEXED BY live_g":   " ORDER BY g, p, o, s",
}

// pastTable is t_past(s, p, o, g, added): the statements as of a commit.
type pastTable struct {
	conn  *conn
	at    history.Seq
	texts map[pastSearch]string
}

// pastSearch is the constraints and the order of one search of the table.
type pastSearch struct {
	plan  int
	named bool // in named graphs only
}

// pastConstraints are the constraints that a search can use, in the order of their bits in a plan.
var pastConstraints = [8]constraint{
	{posS, sqlite.IndexConstraintEq, 1e4},
	{posP, sqlite.IndexConstraintEq, 10},
	{posO, sqlite.IndexConstraintEq, 1e3},
	{posG, sqlite.IndexConstraintEq, 1},
	{posG, sqlite.IndexConstraintNE, 1},
	{posP, sqlite.IndexConstraintGT, 3},
	{posO, sqlite.IndexConstraintGE, 3},
	{posO, sqlite.IndexConstraintLE, 3},
}

var pastOperators = [len(pastConstraints)]string{" = ", " = ", " = ", " = ", " <> ", " > ", " >= ", " <= "}

const (
	pastBesides     = 4 // the bit of the first constraint other than an equality
	pastByPredicate = 1 << len(pastConstraints)
	pastByObject    = pastByPredicate << 1
	pastDescending  = pastByPredicate << 2
)

// bestOfPast uses all constraints, and can sort by predicate, or by object within one predicate.
func bestOfPast(in *sqlite.IndexInputs) (*sqlite.IndexOutputs, error) {
	out, plan := takeConstraints(in, pastConstraints[:], allRows)
	if len(in.OrderBy) == 1 {
		switch by := in.OrderBy[0]; {
		case by.Column == posP:
			plan |= pastByPredicate
		case by.Column == posO && plan>>posP&1 == 1:
			plan |= pastByObject
		}
		out.OrderByConsumed = plan >= pastByPredicate
		if out.OrderByConsumed && in.OrderBy[0].Desc {
			plan |= pastDescending
		}
	}
	out.ID.Num = int32(plan)
	out.EstimatedCost++
	out.EstimatedRows++
	return out, nil
}

// statement returns the SQL of a search: statements that still exist, and those that are gone.
func (t *pastTable) statement(search pastSearch) string {
	if text, ok := t.texts[search]; ok {
		return text
	}
	var b bound
	where := ""
	for bit, c := range pastConstraints {
		if search.plan>>bit&1 == 0 {
			continue
		}
		where += " AND " + columns[c.column] + pastOperators[bit] + "?"
		if bit < pastBesides {
			b.at[c.column] = true
		}
	}
	b.named = search.named
	b.at[posP] = b.at[posP] || search.plan&pastByPredicate != 0
	index := b.index()
	if index == "INDEXED BY live_g" {
		where += " AND g <> 0" // makes the partial index usable
	}
	order := orderOf[index]
	switch {
	case search.plan&pastByPredicate != 0:
		order = " ORDER BY p"
	case search.plan&pastByObject != 0:
		order = " ORDER BY o"
	}
	if search.plan&pastDescending != 0 {
		order += " DESC"
	}
	text := "SELECT s, p, o, g, added FROM main.live " + index + " WHERE added <= ?" + where +
		" UNION ALL SELECT s, p, o, g, added FROM temp.gone WHERE 1" + where + order
	t.texts[search] = text
	return text
}

// pastCursor iterates over the statements that match a search. It keeps its prepared statement for the next search.
type pastCursor struct {
	table  *pastTable
	search pastSearch
	stmt   *stmt.Stmt
	more   bool
	count  int64
}

// Filter begins a search.
func (c *pastCursor) Filter(id sqlite.IndexID, argv []sqlite.Value) (err error) {
	c.more = false
	search := pastSearch{plan: int(id.Num)}
	next := 0
	for bit, one := range pastConstraints {
		if search.plan>>bit&1 == 0 {
			continue
		}
		if argv[next].Type() == sqlite.TypeNull {
			return nil // nothing compares with NULL
		}
		if one.column == posG {
			search.named = search.named || (argv[next].Int64() == int64(defaultGraph)) == (bit >= pastBesides)
		}
		next++
	}
	if c.stmt != nil && search == c.search {
		if err := c.stmt.Reset(); err != nil {
			return err
		}
	} else {
		c.end()
		if c.stmt, err = c.table.conn.Take(c.table.statement(search)); err != nil {
			return err
		}
		c.search = search
	}
	c.stmt.Bind(1, c.table.at)
	for i, v := range argv[:next] { // for both halves of the statement
		bindValue(c.stmt, i+2, v)
		bindValue(c.stmt, i+2+next, v)
	}
	return c.Next()
}

// bindValue binds a value of any type.
func bindValue(s *stmt.Stmt, i int, v sqlite.Value) {
	switch v.Type() {
	case sqlite.TypeInteger:
		s.BindInt64(i, v.Int64())
	case sqlite.TypeFloat:
		s.BindFloat(i, v.Float())
	case sqlite.TypeText:
		s.BindText(i, v.Text())
	case sqlite.TypeBlob, sqlite.TypeNull:
		s.BindNull(i) // no id is a blob
	}
}

// Next goes to the next statement.
func (c *pastCursor) Next() (err error) {
	c.count++
	c.more, err = c.stmt.Step()
	return err
}

// Column returns a position of the statement.
func (c *pastCursor) Column(i int, _ bool) (sqlite.Value, error) { return idValue(c.stmt.ID(i)), nil }

// RowID is a counter.
func (c *pastCursor) RowID() (int64, error) { return c.count, nil }

// EOF reports the end.
func (c *pastCursor) EOF() bool { return !c.more }

// Close releases the statement.
func (c *pastCursor) Close() error {
	c.end()
	return nil
}

func (c *pastCursor) end() {
	if c.stmt != nil {
		c.stmt.Release()
		c.stmt = nil
	}
}
