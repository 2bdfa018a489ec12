package db

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"zombiezen.com/go/sqlite"

	"trails/db/lower"
	"trails/db/scan"
)

// registerScan makes the table t_scan(k, c0, c1…), see [lower.Plan.Programs]. Its columns
// have the affinity of ids: SQLite makes no index of others to find ids in.
func (all *questions) registerScan(c *conn) error {
	var columns strings.Builder
	columns.WriteString("k INTEGER")
	for i := range lower.ScanColumns {
		columns.WriteString(", c" + strconv.Itoa(i) + " INTEGER")
	}
	return c.register("t_scan", columns.String(), module{bestOfScan, func() sqlite.VTableCursor { return &scanCursor{questions: all} }})
}

// bestOfScan takes the number of the program, which is always given.
func bestOfScan(in *sqlite.IndexInputs) (*sqlite.IndexOutputs, error) {
	out, plan := takeConstraints(in, []constraint{{0, sqlite.IndexConstraintEq, 1}}, allRows)
	if plan == 0 {
		return nil, sqlite.ResultConstraint.ToError() // not this way
	}
	return out, nil
}

// scanCursor runs over the rows of a program.
type scanCursor struct {
	questions *questions
	question  *question
	pages     *pages
	run       *scan.Run
	row       []int64
	// kept are the rows that were read ahead, where the file may change between two of them.
	kept  []int64
	count int64
}

// Filter begins a run. Where a write is open, what is read between two rows may change the
// pages: all rows are read at once.
func (c *scanCursor) Filter(_ sqlite.IndexID, argv []sqlite.Value) error {
	c.end()
	c.question = c.questions.current
	if err := c.begin(argv[0].Int()); err != nil {
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
	if c.pages, err = q.reader.conn.pages(); err != nil {
		return err
	}
	env := &scan.Env{Args: make([]int64, len(q.plan.Args)), Seed: rand.Uint64(), Grow: q.grow, Ended: q.ctx.Err}
	for i, arg := range q.plan.Args {
		if arg.Text || arg.Rows != nil {
			continue // no program has those
		}
		if env.Args[i], err = q.arg(arg); err != nil {
			return err
		}
	}
	for _, tree := range []struct {
		of   *scan.Tree
		name string
	}{{&env.SPO, "live"}, {&env.POS, "live_pos"}, {&env.GPOS, "live_g"}} {
		if *tree.of, err = c.pages.tree(tree.name); err != nil {
			return err
		}
	}
	c.run, err = scan.Open(&q.plan.Programs[k], env)
	return err
}

func (c *scanCursor) fail(err error) error {
	if errors.Is(err, scan.ErrPage) {
		err = damaged("%v", err)
	}
	_, err = c.question.fails(err)
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

// Column is a column of the row.
func (c *scanCursor) Column(i int, _ bool) (sqlite.Value, error) {
	if i == 0 || i > len(c.row) {
		return sqlite.Value{}, nil
	}
	return sqlite.IntegerValue(c.row[i-1]), nil
}

// RowID counts.
func (c *scanCursor) RowID() (int64, error) { return c.count, nil }

// EOF reports the end.
func (c *scanCursor) EOF() bool { return c.row == nil }

// Close ends what runs.
func (c *scanCursor) Close() error {
	c.end()
	return nil
}

func (c *scanCursor) end() {
	if c.pages != nil {
		c.pages.release()
	}
	c.pages, c.run, c.row, c.kept = nil, nil, nil, nil
}

// pages reads the pages of the connection's own transaction through sqlite_dbpage
// (https://sqlite.org/dbpage.html). Whoever has asked for it releases it.
type pages struct {
	conn *conn
	stmt *stmt
}

const (
	pageByNumber = "SELECT data FROM sqlite_dbpage WHERE pgno = ?"
	rootOf       = "SELECT rootpage FROM sqlite_schema WHERE name = ?"
)

func (c *conn) pages() (*pages, error) {
	s, err := c.take(pageByNumber)
	return &pages{c, s}, err
}

func (p *pages) release() { p.stmt.release() }

// tree is the b-tree of an index or a table.
func (p *pages) tree(name string) (scan.Tree, error) {
	root, err := p.conn.int64(rootOf, name)
	return scan.Tree{Pages: p, Root: uint32(root)}, err
}

// Page is a page. The statement fails when the connection is interrupted.
func (p *pages) Page(buf []byte, number uint32) ([]byte, error) {
	if err := p.stmt.Reset(); err != nil {
		return nil, err
	}
	p.stmt.BindInt64(1, int64(number))
	found, err := p.stmt.Step()
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, scan.ErrPage
	}
	if size := p.stmt.ColumnLen(0); cap(buf) < size {
		buf = make([]byte, size)
	} else {
		buf = buf[:size]
	}
	p.stmt.ColumnBytes(0, buf)
	return buf, nil
}

// scans says when queries read whole ranges: never where the driver does without the pages,
// nor of the past, since the pages have the statements of now.
func (r *Reader) scans() Scans {
	if r.conn.role == past {
		return ScansNever
	}
	p, err := r.conn.pages()
	if err != nil {
		return ScansNever
	}
	p.release()
	return r.file.opts.Scans
}

// programs describes what the tables t_scan of a plan have, for people.
func (p Plan) scans() string {
	var out strings.Builder
	for k := range p.Programs {
		fmt.Fprintf(&out, "\n\nt_scan %d reads%s", k, &p.Programs[k])
	}
	return out.String()
}

// estimateRows estimates how many rows of an index, or of a table WITHOUT ROWID, begin with
// the prefix. See docs/decisions/0035-join-order.md.
func (c *conn) estimateRows(name string, prefix []int64) (float64, error) {
	p, err := c.pages()
	if err != nil {
		return 0, err
	}
	defer p.release()
	tree, err := p.tree(name)
	if err != nil {
		return 0, err
	}
	return tree.Estimate(prefix)
}
