package db

import (
	"math"
	"slices"

	"zombiezen.com/go/sqlite"

	"trails/db/history"
	"trails/db/inline"
	"trails/db/leaf"
	"trails/db/pager"
	"trails/db/scan"
	"trails/db/stmt"
	"trails/fault"
)

// A connection for earlier commits and branches shows one after another. In it the name live means the statements as of
// the commit that is shown: temp.live is the virtual table t_past, and SQLite looks up temporary tables first. The names
// commits, changes and hist mean the history up to that commit, whatever branches it comes from. So the same SQL works
// for every commit. See docs/decisions/0008-branch-and-at.md.

// commitsOfMain makes the name commits mean those of main, on a connection for its newest state.
const commitsOfMain = "CREATE TEMP VIEW commits AS SELECT * FROM main.commits WHERE line = 1"

// pastTables are the temporary tables and views of such a connection. The table t_lines(line, until) has the lines that
// its state is made of, and those of what these removed, with the last commits that count; t_sees(line, seq) is whether
// a commit is one of these, and t_at() the last one. What is asked of line 1 is asked of all of them.
var pastTables = []string{
	leaf.ViewOfPresent,
	leaf.ViewOfRetired,
	"CREATE TEMP VIEW commits AS SELECT * FROM main.commits WHERE seq <= t_at() AND t_sees(line, seq)",
	`CREATE TEMP VIEW changes AS SELECT 1 AS line, c.seq, c.s, c.p, c.o, c.g, c.op
		FROM t_lines l CROSS JOIN main.changes c ON c.line = l.line WHERE c.seq <= l.until`,
}

// showsViews reports whether the connection is one for earlier commits and branches.
func (c *conn) showsViews() bool {
	return c.role == past || c.role == restricted || c.role == branching
}

// text returns a statement as the connection prepares it.
func (c *conn) text(of leaf.SQL) string { return of.Text(c.showsViews()) }

// showPast makes the connection one that shows earlier commits and branches.
func (c *conn) showPast() error {
	err := c.functions(map[string]*sqlite.FunctionImpl{
		"t_sees": {NArgs: 2, Scalar: func(_ sqlite.Context, of []sqlite.Value) (sqlite.Value, error) {
			return truth(c.sees(of[0].Int64(), of[1].Int64())), nil
		}},
		"t_at": {Deterministic: true, Scalar: func(sqlite.Context, []sqlite.Value) (sqlite.Value, error) {
			if c.chain == nil {
				return sqlite.IntegerValue(scan.Forever), nil
			}
			return sqlite.IntegerValue(c.chain[len(c.chain)-1].Until), nil
		}},
	})
	if err != nil {
		return err
	}
	if err := c.register("t_lines", "line INTEGER, until INTEGER", module{inRowOrder(2), func() sqlite.VTableCursor { return &linesCursor{conn: c} }}); err != nil {
		return err
	}
	if err := c.register("t_past", "s INTEGER, p INTEGER, o INTEGER, g INTEGER, added INTEGER", module{bestOfPast, func() sqlite.VTableCursor { return &pastCursor{conn: c} }}); err != nil {
		return err
	}
	if c.role != restricted {
		return c.Apply(pastTables)
	}
	if err := c.restrictFunctions(); err != nil {
		return err
	}
	return c.Apply(restrictedTables)
}

// show makes the reader read a commit, or the head of a branch, as far as it has the rights.
func (r *Reader) show(v View) (err error) {
	if !v.At.IsZero() {
		r.head = history.Commit{}
		err := r.conn.Exec("SELECT "+anyCommit+" WHERE c.id = ?", func(s *stmt.Stmt) error {
			r.head = scanCommit(s)
			r.branch = r.head.Branch
			return nil
		}, v.At[:])
		if err == nil && (r.head.Seq == 0 || r.conn.rights.hidesBranch(r.head.Branch)) {
			err = noCommit(v.At)
		}
		if err != nil {
			return err
		}
	}
	line := r.head.Line
	if v.At.IsZero() { // a branch without commits has the head of another one
		if line, err = r.conn.lineOf(v.Branch); err != nil {
			return err
		}
	}
	if r.conn.chain, err = r.conn.chainOf(line, r.head.Seq); err != nil {
		return err
	}
	if v.Rights.hidesNothing() {
		r.caches = r.caches.ofView(r.caches.past.of(r.head.Seq))
		return nil
	}
	if err := r.restrict(v.Rights); err != nil {
		return err
	}
	if r.head, err = r.newestShown(); err == nil && !v.At.IsZero() && r.head.ID != v.At {
		err = noCommit(v.At)
	}
	return err
}

func noCommit(id history.CommitID) error { return fault.New(fault.Missing, "no commit %s", id) }

// linesCursor iterates over the lines that the state of a connection is made of.
type linesCursor struct {
	conn *conn
	at   int // twice the index in the chain, and one more for what a line removed
}

// Filter begins with the first line.
func (c *linesCursor) Filter(sqlite.IndexID, []sqlite.Value) error {
	c.at = 0
	return nil
}

// Next goes to the next line. Main has no other line for what it removed.
func (c *linesCursor) Next() error {
	if c.at++; c.at == 1 {
		c.at++
	}
	return nil
}

// Column returns the number of the line, or its last commit.
func (c *linesCursor) Column(i int, _ bool) (sqlite.Value, error) {
	of := c.conn.chain[c.at/2]
	if i == 1 {
		return sqlite.IntegerValue(of.Until), nil
	}
	if c.at%2 == 1 {
		return sqlite.IntegerValue(-of.Line), nil
	}
	return sqlite.IntegerValue(of.Line), nil
}

// RowID is a counter.
func (c *linesCursor) RowID() (int64, error) { return int64(c.at), nil }

// EOF reports the end.
func (c *linesCursor) EOF() bool { return c.at >= 2*len(c.conn.chain) }

// Close does nothing.
func (c *linesCursor) Close() error { return nil }

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

const (
	pastOrdered    = 1 << len(pastConstraints)
	pastDescending = pastOrdered << 1
)

// bestOfPast uses all constraints. It can sort by predicate, object and subject.
func bestOfPast(in *sqlite.IndexInputs) (*sqlite.IndexOutputs, error) {
	out, plan := takeConstraints(in, pastConstraints[:], allRows)
	if len(in.OrderBy) > 0 && isPastOrder(in.OrderBy, plan) {
		out.OrderByConsumed = true
		plan |= pastOrdered
		if in.OrderBy[0].Desc {
			plan |= pastDescending
		}
	}
	out.ID.Num = int32(plan)
	out.EstimatedCost++
	out.EstimatedRows++
	return out, nil
}

// isPastOrder reports whether rows that a plan finds can come in an order: by predicate, object and subject, in one
// direction. A column of which the plan has the value counts for nothing. What has one object lies together, but is not
// sorted by the predicate: to come sorted it would be searched for in all statements.
func isPastOrder(order []sqlite.IndexOrderBy, plan int) bool {
	given := func(column int) bool { return column >= posS && column < posG && plan>>column&1 == 1 }
	if given(posO) && !given(posP) && !given(posS) {
		return false
	}
	sorted := slices.DeleteFunc([]int{posP, posO, posS}, given)
	for _, by := range order {
		switch {
		case by.Desc != order[0].Desc:
			return false
		case given(by.Column):
		case len(sorted) == 0 || by.Column != sorted[0]:
			return false
		default:
			sorted = sorted[1:]
		}
	}
	return true
}

// interval is the values that a column may have.
type interval struct{ low, high int64 }

// pastSearch is the values of a statement's columns that a search asks for.
type pastSearch struct {
	of    [4]interval
	not   int64 // the graph that is left out
	nots  bool
	named bool // in named graphs only

	low, high [4]int64 // see [pastSearch.bounds]
}

// narrow applies a constraint.
func (s *pastSearch) narrow(c constraint, value int64) {
	of := &s.of[c.column]
	switch c.op { //nolint:exhaustive // these are those of pastConstraints
	case sqlite.IndexConstraintEq:
		*of = interval{max(of.low, value), min(of.high, value)}
	case sqlite.IndexConstraintNE:
		s.not, s.nots = value, true
	case sqlite.IndexConstraintGT:
		if value == math.MaxInt64 {
			of.high = math.MinInt64
			return
		}
		of.low = max(of.low, value+1)
	case sqlite.IndexConstraintGE:
		of.low = max(of.low, value)
	case sqlite.IndexConstraintLE:
		of.high = min(of.high, value)
	}
	s.named = s.named || c.column == posG && (value == int64(defaultGraph)) == (c.op == sqlite.IndexConstraintNE)
}

// isOne reports whether a column has one value.
func (i interval) isOne() bool { return i.low == i.high }

// order returns the order for a search. Sorted rows need one that begins with the predicate, or with one subject or one
// graph and then the predicate. What has one subject and one object is sorted by the predicate in any.
func (s *pastSearch) order(sorted bool) leaf.Order {
	b := bound{named: s.named && (!sorted || s.of[posG].isOne())}
	for column, of := range s.of {
		b.at[column] = of.isOne()
	}
	b.at[posP] = b.at[posP] || sorted && !(b.at[posS] && b.at[posO])
	return b.order()
}

// bounds returns the first columns of the first and of the last row that a search may find in an order. They are parts of the
// search, which are valid until it changes.
func (s *pastSearch) bounds(order leaf.Order) (low, high []int64) {
	n := 0
	for _, column := range order.Columns() {
		of := s.of[column]
		if of == everything {
			break
		}
		s.low[n], s.high[n] = of.low, of.high
		if n++; !of.isOne() {
			break
		}
	}
	return s.low[:n], s.high[:n]
}

var everything = interval{math.MinInt64, math.MaxInt64}

// finds reports whether a search finds a row of an order.
func (s *pastSearch) finds(order leaf.Order, row scan.Statement) bool {
	for i, column := range order.Columns() {
		if of, value := s.of[column], row.Columns[i]; value < of.low || value > of.high || column == posG && s.nots && value == s.not {
			return false
		}
	}
	return true
}

// pastCursor iterates over the statements that match a search in t_past(s, p, o, g, added): the statements as of the
// commit that the connection shows. It reads them from the pages.
type pastCursor struct {
	conn    *conn
	of      *graphAt // the state that is read, nil for the one that the connection shows
	pages   *pager.Pages
	cursors [leaf.GPOS + 1]*scan.Cursor
	search  pastSearch
	order   leaf.Order
	cursor  *scan.Cursor
	row     scan.Statement
	more    bool
	count   int64
	// ahead are the next statements in a writer, which may change the pages between two of them: so several are read at
	// once. back is the direction, and ended says that there are no others.
	ahead       []scan.Statement
	most        int // how many were read the last time
	back, ended bool
}

// Filter begins a search.
func (c *pastCursor) Filter(id sqlite.IndexID, argv []sqlite.Value) error {
	c.more = false
	plan, next := int(id.Num), 0
	c.search = pastSearch{of: [4]interval{everything, everything, everything, everything}}
	for bit, one := range pastConstraints {
		if plan>>bit&1 == 0 {
			continue
		}
		switch argv[next].Type() {
		case sqlite.TypeInteger:
			c.search.narrow(one, argv[next].Int64())
		case sqlite.TypeNull:
			return nil // nothing compares with NULL
		case sqlite.TypeFloat, sqlite.TypeText, sqlite.TypeBlob:
			return sqlite.ResultMismatch.ToError() // no statement compares an id with it
		}
		next++
	}
	if err := c.begin(plan&pastOrdered != 0, plan&pastDescending != 0); err != nil {
		return err
	}
	return c.Next()
}

// begin begins the search; [pastCursor.Next] then goes to the first statement.
func (c *pastCursor) begin(sorted, back bool) error {
	c.order = c.search.order(sorted)
	if err := c.open(); err != nil {
		return unreadable(err)
	}
	low, high := c.search.bounds(c.order)
	c.back, c.ended, c.ahead, c.most = back, false, nil, 0
	return unreadable(c.cursor.Seek(low, high, back))
}

// open makes the cursor of the order the current one.
func (c *pastCursor) open() (err error) {
	if c.pages == nil {
		if c.pages, err = c.conn.Pages(); err != nil {
			return err
		}
	}
	if c.cursor = c.cursors[c.order]; c.cursor == nil {
		chain, sees := c.conn.chain, c.conn.sight
		if c.of != nil {
			chain, sees = c.of.chain, c.of.sight
		}
		rows, err := rememberedLeaf(c.pages, c.order, chain, sees)
		if err != nil {
			return err
		}
		c.cursor = scan.NewCursor(rows)
		c.cursors[c.order] = c.cursor
	}
	return nil
}

// Next goes to the next statement.
func (c *pastCursor) Next() (err error) {
	c.count++
	if c.conn.role == branching || c.conn.role == writing {
		err = c.nextOfAhead()
	} else {
		c.row, c.more, err = c.found()
	}
	return unreadable(err)
}

// found returns the next statement of the pages that the search finds.
func (c *pastCursor) found() (row scan.Statement, ok bool, err error) {
	for {
		if row, ok, err = c.cursor.Next(); err != nil || !ok || c.search.finds(c.order, row) {
			return row, ok, err
		}
	}
}

// mostAhead is the most statements that a writer reads at once.
const mostAhead = 256

// nextOfAhead goes to the next statement of those that were read. Behind the last one it reads twice as many, from there
// on, and releases the pages.
func (c *pastCursor) nextOfAhead() error {
	if len(c.ahead) == 0 && !c.ended {
		resumed := c.pages == nil
		if resumed {
			if err := c.resume(); err != nil {
				return err
			}
		}
		for c.most = min(2*c.most+1, mostAhead); len(c.ahead) < c.most && !c.ended; {
			row, ok, err := c.found()
			if err != nil {
				return err
			}
			if c.ended = !ok; ok && !(resumed && row.Columns == c.row.Columns) {
				c.ahead = append(c.ahead, row)
			}
		}
		c.release()
	}
	if c.more = len(c.ahead) > 0; c.more {
		c.row, c.ahead = c.ahead[0], c.ahead[1:]
	}
	return nil
}

// resume goes on at the last statement.
func (c *pastCursor) resume() error {
	last := c.row.Columns
	if err := c.open(); err != nil {
		return err
	}
	low, high := c.search.bounds(c.order)
	wide := func(prefix []int64, rest int64) []int64 {
		full := [4]int64{rest, rest, rest, rest}
		copy(full[:], prefix)
		return full[:]
	}
	from, to := last[:], wide(high, math.MaxInt64)
	if c.back {
		from, to = wide(low, math.MinInt64), last[:]
	}
	return c.cursor.Seek(from, to, c.back)
}

// Column returns a position of the statement, or the commit that added it.
func (c *pastCursor) Column(i int, _ bool) (sqlite.Value, error) {
	columns := c.order.Columns()
	if at := slices.Index(columns[:], i); at >= 0 {
		return sqlite.IntegerValue(c.row.Columns[at]), nil
	}
	return sqlite.IntegerValue(c.row.Added), nil
}

// ids returns the ids of the statement.
func (c *pastCursor) ids() (ids quadIDs) {
	for i, column := range c.order.Columns() {
		ids[column] = inline.TermID(c.row.Columns[i])
	}
	return ids
}

// RowID is a counter.
func (c *pastCursor) RowID() (int64, error) { return c.count, nil }

// EOF reports the end.
func (c *pastCursor) EOF() bool { return !c.more }

// Close releases the pages.
func (c *pastCursor) Close() error {
	c.release()
	return nil
}

func (c *pastCursor) release() {
	if c.pages != nil {
		c.pages.Release()
		c.pages, c.cursors = nil, [leaf.GPOS + 1]*scan.Cursor{}
	}
}
