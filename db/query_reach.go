package db

import (
	"zombiezen.com/go/sqlite"

	"trails/db/inline"
	"trails/db/leaf"
	"trails/db/lower"
	"trails/db/stmt"
)

// registerReach makes the virtual table t_reach(k, g, a, x), see [lower.Walk]. Its columns have the affinity of ids;
// otherwise SQLite would build an index of other values to find ids in.
func (all *questions) registerReach(c *conn) error {
	if err := all.registerAhead(c); err != nil {
		return err
	}
	return c.register("t_reach", "k INTEGER, g INTEGER, a INTEGER, x INTEGER", module{bestOfReach, func() sqlite.VTableCursor { return &reachCursor{questions: all} }})
}

// The columns of t_reach. A plan is a set of bits for the given columns.
const (
	reachK = iota
	reachG
	reachFrom
	reachTo
	reachColumns
)

// bestOfReach uses all given columns. Walk and graph are always given.
func bestOfReach(in *sqlite.IndexInputs) (*sqlite.IndexOutputs, error) {
	out, plan := takeConstraints(in, []constraint{
		{reachK, sqlite.IndexConstraintEq, 1}, {reachG, sqlite.IndexConstraintEq, 1},
		{reachFrom, sqlite.IndexConstraintEq, allRows}, {reachTo, sqlite.IndexConstraintEq, allRows},
	}, float64(allRows)*allRows)
	if plan&(1<<reachK) == 0 || plan&(1<<reachG) == 0 {
		return nil, sqlite.ResultConstraint.ToError() // this plan is not possible
	}
	return out, nil
}

// reachCursor iterates over pairs of ends of a path: from the given end, or from each node where a path may begin.
type reachCursor struct {
	questions *questions
	question  *question
	key       walkKey
	wanted    *inline.TermID // the other end, if it is also given
	starts    *stmt.Stmt     // the nodes where paths may begin, if no end is given
	walk      *walk
	at        int // index into the nodes that the walk has found
	more      bool
	count     int64
}

// Filter begins a search.
func (c *reachCursor) Filter(id sqlite.IndexID, argv []sqlite.Value) error {
	c.end()
	c.question, c.more = c.questions.current, false
	var given [reachColumns]*inline.TermID
	for column := range given {
		if int(id.Num)>>column&1 == 0 {
			continue
		}
		if argv[0].Type() == sqlite.TypeNull {
			return nil // nothing equals NULL
		}
		n := idOf(argv[0])
		given[column], argv = &n, argv[1:]
	}
	c.key = walkKey{k: int(*given[reachK]), graph: *given[reachG]}
	if err := c.begin(given[reachFrom], given[reachTo]); err != nil {
		return c.fail(err)
	}
	return c.Next()
}

func (c *reachCursor) fail(err error) error {
	_, err = c.question.fails(err)
	return err
}

func (c *reachCursor) begin(from, to *inline.TermID) error {
	switch {
	case from != nil:
		c.wanted = to
		return c.enter(*from, false)
	case to != nil:
		return c.enter(*to, true)
	}
	return c.beginAnywhere(&c.question.plan.Walks[c.key.k])
}

// enter begins the walk from a node.
func (c *reachCursor) enter(start inline.TermID, backward bool) (err error) {
	c.key.start, c.key.backward, c.at = start, backward, -1
	c.walk, err = c.question.walkOf(c.key)
	return err
}

// leave ends a walk.
func (c *reachCursor) leave() {
	if c.walk != nil {
		c.walk.leave()
		c.walk = nil
	}
}

// Next goes to the next pair of ends.
func (c *reachCursor) Next() error {
	c.count++
	for {
		more, err := c.goOn()
		if err != nil {
			return c.fail(err)
		}
		if c.more = more; more || c.starts == nil {
			return nil
		}
		c.leave()
		if more, err = c.starts.Step(); err == nil && more {
			err = c.enter(c.starts.ID(0), true)
		}
		if err != nil {
			return c.fail(err)
		}
		if !more {
			return nil
		}
	}
}

// goOn moves to the next node of the walk.
func (c *reachCursor) goOn() (bool, error) {
	if c.walk == nil {
		return false, nil
	}
	if c.wanted != nil {
		if c.at++; c.at > 0 {
			return false, nil
		}
		return c.walk.reaches(*c.wanted)
	}
	if c.at++; c.at < len(c.walk.found) {
		return true, nil
	}
	return c.walk.more()
}

// beginAnywhere lists the nodes where paths may end, because an index has these in order.
func (c *reachCursor) beginAnywhere(of *lower.Walk) (err error) {
	conn := c.question.reader.conn
	c.starts, err = conn.Take(conn.text(ends(of)))
	if err != nil {
		return err
	}
	c.starts.BindID(1, c.key.graph)
	if of.Zero {
		return nil
	}
	for i, link := range of.Steps {
		p, err := c.question.id(link.Predicate)
		if err != nil {
			return err
		}
		c.starts.BindID(i+2, p)
	}
	return nil
}

// ends are the nodes at which paths may end: all nodes, if a path may have no step.
func ends(of *lower.Walk) leaf.SQL {
	if of.Zero {
		return leaf.Nodes(of.Named)
	}
	inverse := make([]bool, len(of.Steps))
	for i, link := range of.Steps {
		inverse[i] = link.Inverse
	}
	return leaf.Ends(inverse, of.Named)
}

// Column returns a column of the pair.
func (c *reachCursor) Column(i int, _ bool) (sqlite.Value, error) {
	start, other := c.key.start, inline.TermID(0)
	switch {
	case i == reachK:
		return sqlite.IntegerValue(int64(c.key.k)), nil
	case i == reachG:
		return idValue(c.key.graph), nil
	case c.wanted != nil:
		other = *c.wanted
	default:
		other = c.walk.found[c.at]
	}
	if (i == reachFrom) != c.key.backward {
		return idValue(start), nil
	}
	return idValue(other), nil
}

// RowID is a counter.
func (c *reachCursor) RowID() (int64, error) { return c.count, nil }

// EOF reports the end.
func (c *reachCursor) EOF() bool { return !c.more }

// Close ends the running statement.
func (c *reachCursor) Close() error {
	c.end()
	return nil
}

func (c *reachCursor) end() {
	c.leave()
	if c.starts != nil {
		c.starts.Release()
	}
	c.starts, c.wanted = nil, nil
}
