package db

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"zombiezen.com/go/sqlite"

	"trails/db/dictionary"
	"trails/db/history"
	"trails/db/inline"
	"trails/db/leaf"
	"trails/db/lower"
	"trails/db/pager"
	"trails/db/scan"
	"trails/db/stmt"
	"trails/fault"
	"trails/rdf"
	"trails/sparql"
	"trails/sparql/expr"
)

// registerScan makes the virtual table t_scan(k, c0, c1…), see [lower.Plan.Programs]. Its columns have the affinity
// of ids; otherwise SQLite would build an index of other values to find ids in.
func (all *questions) registerScan(c *conn) error {
	var columns strings.Builder
	columns.WriteString("k INTEGER")
	for i := range lower.ScanColumns {
		columns.WriteString(", c" + strconv.Itoa(i) + " INTEGER")
	}
	return c.register("t_scan", columns.String(), module{bestOfScan, func() sqlite.VTableCursor { return &scanCursor{questions: all} }})
}

// bestOfScan uses the number of the program, which is always given.
func bestOfScan(in *sqlite.IndexInputs) (*sqlite.IndexOutputs, error) {
	out, plan := takeConstraints(in, []constraint{{0, sqlite.IndexConstraintEq, 1}}, allRows)
	if plan == 0 {
		return nil, sqlite.ResultConstraint.ToError() // this plan is not possible
	}
	return out, nil
}

// scanCursor iterates over the rows of a scan program.
type scanCursor struct {
	questions *questions
	question  *question
	pages     *pager.Pages
	terms     *dictionary.Reader
	valued    valued
	byID      []ofIDs    // one for each expression; nil for those that need terms
	zones     []rdf.Term // one for each expression, see [zoneFunctions]
	tests     []ofTerm   // one for each expression; nil for those that need terms
	numbers   map[rdf.Term]int64
	typed     map[int64]bool // the numbers of typed literals
	folds     [][]groupFold  // for each aggregate of the plan, those of the groups
	walk      *walk          // the current walk, nil after its end
	env       *scan.Env
	run       *scan.Run
	row       []int64
	keys      int // number of columns that are ids
	// kept are the rows, all read at once, if a write is open.
	kept  []int64
	count int64
}

// Filter begins a run.
func (c *scanCursor) Filter(_ sqlite.IndexID, argv []sqlite.Value) error {
	c.end()
	return c.open(argv[0].Int())
}

// open begins the run of a program and moves to its first row. If a write is open, its changes between two rows could
// alter the pages, so all rows are read at once.
func (c *scanCursor) open(k int) error {
	c.question = c.questions.current
	if err := c.begin(k); err != nil {
		return c.fail(err)
	}
	if c.question.reader.before == nil {
		return c.Next()
	}
	width := 0
	for {
		row, err := c.run.Next()
		if err == nil && row != nil {
			err = c.question.grow(8 * int64(len(row)))
		}
		if err != nil {
			return c.fail(err)
		}
		if row == nil {
			break
		}
		width = len(row)
		c.kept = append(c.kept, row...)
	}
	c.run = nil
	c.row = make([]int64, width)
	return c.Next()
}

func (c *scanCursor) begin(k int) (err error) {
	q := c.question
	if c.pages, err = q.reader.conn.Pages(); err != nil {
		return err
	}
	env, err := q.scanEnv(c.pages)
	if err != nil {
		return err
	}
	c.env = env
	c.keys = len(q.plan.Programs[k].Keys)
	env.Holds, env.Compute, env.Reach, env.Args = c.holds, c.compute, c.reach, make([]int64, len(q.plan.Args))
	env.Fold, env.Folded, env.Key = c.fold, c.folded, c.key
	env.Order = func(a, b int64) (int, error) { return q.compare(inline.TermID(a), inline.TermID(b)), q.err }
	if q.plan.counts != nil {
		env.Passed = q.plan.counts.passed
	}
	env.Node = func(id int64) (bool, error) { return c.hasKind(id, dictionary.KindIRI, dictionary.KindBNode) }
	env.String = func(id int64) (bool, error) { return c.hasKind(id, dictionary.KindString, dictionary.KindString) }
	c.valued.question, c.valued.cursor = q, c
	for i, arg := range q.plan.Args {
		if arg.Text || arg.Rows != nil {
			continue // no program has an argument of this kind
		}
		if env.Args[i], err = q.arg(arg); err != nil {
			return err
		}
	}
	c.run, err = scan.Open(&q.plan.Programs[k], env)
	return err
}

// scanEnv returns the environment of a program, without its arguments.
func (q *question) scanEnv(p *pager.Pages) (env *scan.Env, err error) {
	env = &scan.Env{Seed: rand.Uint64(), Grow: q.grow, Ended: q.over, Known: q.plan.known}
	for _, order := range []struct {
		of *scan.Leaf
		by leaf.Order
	}{{&env.SPO, leaf.SPO}, {&env.POS, leaf.POS}, {&env.GPOS, leaf.GPOS}} {
		if *order.of, err = q.reader.conn.leaf(p, order.by); err != nil {
			return nil, err
		}
	}
	return env, nil
}

// leaf returns the statements of the commit that the connection shows, in an order.
func (c *conn) leaf(p *pager.Pages, order leaf.Order) (l scan.Leaf, err error) {
	return rememberedLeaf(p, order, c.chain, c.sight)
}

// rememberedLeaf is [leafOf] for the chain of the view whose sight it is: it goes on with what is known of its stretches.
func rememberedLeaf(p *pager.Pages, order leaf.Order, chain []scan.Bound, sees *sight) (scan.Leaf, error) {
	l, err := leafOf(p, order, chain, sees)
	if l.Hidden != nil {
		l.Stretches = &sees.stretches[order]
	}
	return l, err
}

// leafOf returns the statements of a chain, nil for the newest of main, as far as they may be seen.
func leafOf(p *pager.Pages, order leaf.Order, chain []scan.Bound, sees *sight) (l scan.Leaf, err error) {
	if l.Present, err = p.Tree(order.Present()); err != nil || chain == nil {
		return l, err
	}
	if sees != nil {
		columns := order.Columns()
		l.Hidden, l.Predicate = &sees.hides, slices.Index(columns[:], posP)
		if len(chain) == 1 && history.Seq(chain[0].Until) == sees.head { // nothing else was ever added, and the rest is retired
			return l, nil
		}
	}
	l.Until, l.Branches = chain[0].Until, chain[1:]
	l.Retired, err = p.Tree(order.Retired())
	return l, err
}

// reach continues a walk of the plan, see [scan.Env]. It ends the previous walk.
func (c *scanCursor) reach(k int, graph, start int64, back bool) (next func() (id int64, more bool, err error), err error) {
	if c.walk, err = c.question.walkOf(walkKey{k - 1, inline.TermID(start), inline.TermID(graph), back}); err != nil {
		return nil, err
	}
	w, at := c.walk, 0
	return func() (id int64, more bool, err error) {
		if at == len(w.found) {
			if more, err = w.more(); !more || err != nil {
				w.leave()
				c.walk = nil
				return 0, false, err
			}
		}
		at++
		return int64(w.found[at-1]), true, nil
	}, nil
}

// holds reports whether an expression of the plan is true for the terms of ids.
func (c *scanCursor) holds(k int, ids ...int64) (bool, error) {
	if c.tests == nil {
		c.tests = make([]ofTerm, len(c.question.plan.Exprs))
		for i, e := range c.question.plan.Exprs {
			c.tests[i] = ofTermOf(e.Expr)
		}
	}
	if test := c.tests[k]; test != nil && len(ids) == 1 {
		if yes, ok, err := test(c, ids[0]); ok || err != nil {
			return yes, err
		}
	}
	yes, err := c.question.programs[k].Test(c.valuesOf(k, ids))
	switch {
	case c.valued.err != nil:
		return false, c.valued.err
	case expr.IsError(err):
		return false, nil
	}
	return yes, err
}

// hasKind reports whether the term has one of two kinds. It is false for a term without a row within one page: its
// value is inlined in the id, or it must be read as a whole.
func (c *scanCursor) hasKind(id, one, other int64) (bool, error) {
	whole, err := c.readTerm(id)
	return whole && (c.terms.Row.Kind() == one || c.terms.Row.Kind() == other), err
}

// readTerm reads the row of a term, see [dictionary.Reader.Read].
func (c *scanCursor) readTerm(id int64) (whole bool, err error) {
	if c.terms == nil { // this is the first call
		if c.terms, err = dictionary.NewReader(c.pages); err != nil {
			return false, err
		}
	}
	return c.terms.Read(id)
}

// wordTest is an expression that compares the text of a term with a constant, which needs only the term's row. The
// zero wordTest is none.
type wordTest struct {
	of    func(row *dictionary.PageRow) (text []byte, ok bool)
	holds func(text, asked []byte) bool
	asked []byte
	// lower means that the text is compared in lower case; folded is the buffer for it. Texts that are not ASCII are
	// left to package expr.
	lower  bool
	folded []byte
}

// wordTests are the functions that compare the text of a term as it is.
var wordTests = map[sparql.Func]func(text, asked []byte) bool{
	"CONTAINS": bytes.Contains, "STRSTARTS": bytes.HasPrefix, "STRENDS": bytes.HasSuffix,
}

func wordTestOf(e sparql.Expr) wordTest {
	call, ok := e.(sparql.Call)
	if !ok || len(call.Args) != 2 {
		return wordTest{}
	}
	constant, _ := call.Args[1].(sparql.TermExpr)
	asked, ok := constant.Term.(rdf.String)
	if !ok {
		return wordTest{}
	}
	test := wordTest{holds: wordTests[call.Func], asked: []byte(asked)}
	compared := call.Args[0]
	if folds, _ := compared.(sparql.Call); folds.Func == "LCASE" {
		test.lower, compared = true, folds.Args[0]
	}
	part, _ := compared.(sparql.Call)
	_, whole := compared.(sparql.VarExpr)
	if len(part.Args) == 1 {
		_, ok = part.Args[0].(sparql.VarExpr)
	}
	switch {
	case whole:
		test.of = func(row *dictionary.PageRow) ([]byte, bool) {
			return row.Value(), row.Kind() == dictionary.KindString || row.Kind() == dictionary.KindLang
		}
	case ok && part.Func == "STR":
		test.of = func(row *dictionary.PageRow) ([]byte, bool) { return row.Value(), row.Kind() != dictionary.KindBNode }
	case ok && part.Func == "LANG" && call.Func == sparql.Equal && !test.lower:
		test.of = func(row *dictionary.PageRow) ([]byte, bool) { return row.Lang(), row.Kind() >= dictionary.KindString }
		test.holds = bytes.Equal
	default:
		return wordTest{}
	}
	return test
}

// test is the test as an [ofTerm].
func (t *wordTest) test(c *scanCursor, id int64) (yes, ok bool, err error) {
	whole, err := c.readTerm(id)
	if err != nil || !whole {
		return false, false, err
	}
	text, ok := t.of(&c.terms.Row)
	if ok && t.lower {
		text, ok = t.inLowerCase(text)
	}
	return ok && t.holds(text, t.asked), ok || !t.lower, nil
}

// inLowerCase returns LCASE of a text, if that is ASCII.
func (t *wordTest) inLowerCase(text []byte) (folded []byte, ok bool) {
	t.folded = append(t.folded[:0], text...)
	for i, b := range t.folded {
		if b >= utf8.RuneSelf {
			return nil, false
		}
		if 'A' <= b && b <= 'Z' {
			t.folded[i] = b + 'a' - 'A'
		}
	}
	return t.folded, true
}

// term returns the term of an id.
func (c *scanCursor) term(id int64) (rdf.Term, error) {
	whole, err := c.readTerm(id)
	switch {
	case err != nil:
		return nil, err
	case whole:
		return c.question.reader.dict.OnPage(&c.terms.Row)
	}
	return c.question.term(inline.TermID(id))
}

// valued is a solution whose variables have the terms of ids, 0 for none. A term is made when it is asked for.
type valued struct {
	solution
	cursor *scanCursor
	names  []sparql.Var
	ids    []int64
}

// valuesOf returns the solution for an expression.
func (c *scanCursor) valuesOf(k int, ids []int64) *valued {
	c.valued.names, c.valued.ids, c.valued.err = c.question.plan.Exprs[k].Vars, ids, nil
	return &c.valued
}

// Value returns the term of a variable.
func (s *valued) Value(v sparql.Var) rdf.Term {
	i := slices.Index(s.names, v)
	if i < 0 || s.ids[i] == 0 {
		return nil
	}
	t, err := s.cursor.term(s.ids[i])
	if err != nil {
		s.err = err
	}
	return t
}

// Integer returns the value of a variable that is an integer inlined in its id.
func (s *valued) Integer(v sparql.Var) (int64, bool) {
	i := slices.Index(s.names, v)
	if i < 0 || s.ids[i] < int64(integers.Low) || s.ids[i] >= int64(integers.High) {
		return 0, false
	}
	return s.ids[i] - int64(integers.Zero), true
}

func (c *scanCursor) fail(err error) error {
	_, err = c.question.fails(unreadable(err))
	return err
}

// unreadable converts an error of reading a page: damage of the file, or an answer that is too large to count.
func unreadable(err error) error {
	switch {
	case errors.Is(err, scan.ErrPage):
		return stmt.Damaged("%v", err)
	case errors.Is(err, scan.ErrCount):
		return fault.New(fault.TooLarge, "the query has more solutions than can be counted; restrict it")
	}
	return err
}

// Next goes to the next row.
func (c *scanCursor) Next() (err error) {
	c.count++
	if c.run == nil {
		if len(c.kept) == 0 {
			c.row = nil
			return nil
		}
		c.kept = c.kept[copy(c.row, c.kept):]
		return nil
	}
	if c.row, err = c.run.Next(); err != nil {
		return c.fail(err)
	}
	return nil
}

// Column returns a column of the row.
func (c *scanCursor) Column(i int, _ bool) (sqlite.Value, error) {
	if i == 0 || i > len(c.row) || i <= c.keys && c.row[i-1] == 0 { // an optional column may have no value
		return sqlite.Value{}, nil
	}
	return sqlite.IntegerValue(c.row[i-1]), nil
}

// RowID is a counter.
func (c *scanCursor) RowID() (int64, error) { return c.count, nil }

// EOF reports the end.
func (c *scanCursor) EOF() bool { return c.row == nil }

// Close ends the run.
func (c *scanCursor) Close() error {
	c.end()
	return nil
}

func (c *scanCursor) end() {
	if c.walk != nil {
		c.walk.leave()
		c.walk = nil
	}
	if c.pages != nil {
		c.pages.Release()
	}
	c.pages, c.terms, c.tests, c.byID, c.zones, c.run, c.row, c.kept = nil, nil, nil, nil, nil, nil, nil, nil
	c.numbers, c.typed, c.folds = nil, nil, nil
}

// scans returns when queries may scan.
func (r *Reader) scans() Scans { return r.file.opts.Scans }

// sampled is how many rows an estimate examines.
const sampled = 16

// estimateSubjects estimates the number of subjects of a predicate from the number of rows per subject in a sample:
// each of two rows of the same subject counts as half a subject.
func (c *conn) estimateSubjects(predicate inline.TermID) (float64, error) {
	const subject = 2
	rows, beside, err := c.estimateBeside(leaf.POS, []int64{int64(predicate)}, subject, leaf.SPO, func(s int64) []int64 { return []int64{s, int64(predicate)} })
	if err != nil || len(beside) == 0 {
		return rows, err
	}
	parts := 0.0
	for _, n := range beside {
		parts += 1 / max(n, 1)
	}
	return rows * parts / float64(len(beside)), nil
}

// estimateLinked estimates the number of rows with a predicate whose object is also an object of the given subject
// and predicate.
func (c *conn) estimateLinked(subject, by, predicate inline.TermID) (float64, error) {
	const object = 2
	_, beside, err := c.estimateBeside(leaf.SPO, []int64{int64(subject), int64(by)}, object, leaf.POS, func(o int64) []int64 { return []int64{int64(predicate), o} })
	sum := 0.0
	for _, n := range beside {
		sum += n
	}
	return sum / float64(max(len(beside), 1)), err
}

// estimateBeside estimates the rows of an order with a prefix and, for a sample of them at equal distances, the rows
// of another order whose prefix is made from a column.
func (c *conn) estimateBeside(order leaf.Order, prefix []int64, column int, other leaf.Order, of func(int64) []int64) (rows float64, beside []float64, err error) {
	p, err := c.Pages()
	if err != nil {
		return 0, nil, err
	}
	defer p.Release()
	from, err := c.leaf(p, order)
	if err != nil {
		return 0, nil, err
	}
	to, err := c.leaf(p, other)
	if err != nil {
		return 0, nil, err
	}
	if rows, err = from.Estimate(prefix, prefix); err != nil {
		return 0, nil, err
	}
	values, err := from.Present.Sample(prefix, column, min(sampled, int(math.Ceil(rows))))
	if err != nil {
		return 0, nil, err
	}
	for _, value := range values {
		prefix := of(value)
		n, err := to.Estimate(prefix, prefix)
		if err != nil {
			return 0, nil, err
		}
		beside = append(beside, n)
	}
	return rows, beside, nil
}

// estimateRows estimates the number of rows from one prefix to another in an order. See
// docs/decisions/0035-join-order.md.
func (c *conn) estimateRows(order leaf.Order, low, high []int64) (float64, error) {
	p, err := c.Pages()
	if err != nil {
		return 0, err
	}
	defer p.Release()
	rows, err := c.leaf(p, order)
	if err != nil {
		return 0, err
	}
	return rows.Estimate(low, high)
}
