package db

import (
	"zombiezen.com/go/sqlite"

	"trails/db/inline"
	"trails/rdf"
	"trails/sparql"
)

// registerGraphs makes the table t_quads(s, p, o, g, k), which package lower reads in
// the place of live where a virtual graph is among those that are asked: it has the
// statements of both kinds. k is a number in whose order the objects are.
func (all *questions) registerGraphs(c *conn) error {
	return c.register("t_quads", "s, p, o, g, k", module{bestOfQuads, func() sqlite.VTableCursor { return &quadsCursor{questions: all} }})
}

// The order of objects is the column after those of a quad.
const posK = 4

// The constraints that a search takes, in the order of their bits in a plan.
var constraints = [6]constraint{
	{posS, sqlite.IndexConstraintEq, 1e4},
	{posP, sqlite.IndexConstraintEq, 10},
	{posO, sqlite.IndexConstraintEq, 1e3},
	{posG, sqlite.IndexConstraintEq, 1},
	{posK, sqlite.IndexConstraintGE, 3},
	{posK, sqlite.IndexConstraintLE, 3},
}

// A plan of t_quads is a set of bits: one for each constraint, and the order.
const (
	planSorted     = 1 << len(constraints)
	planDescending = planSorted << 1
)

// bestOfQuads takes all positions that are given, bounds of k, and one order: by k in one
// property of one graph. A graph is always given.
func bestOfQuads(in *sqlite.IndexInputs) (*sqlite.IndexOutputs, error) {
	out, plan := takeConstraints(in, constraints[:], allRows)
	if plan>>posG&1 == 0 {
		return nil, sqlite.ResultConstraint.ToError() // not this way
	}
	if plan>>posP&1 == 1 && len(in.OrderBy) == 1 && in.OrderBy[0].Column == posK {
		out.OrderByConsumed = true
		plan |= planSorted
		if in.OrderBy[0].Desc {
			plan |= planDescending
		}
	}
	out.ID.Num = int32(plan)
	out.EstimatedCost++
	out.EstimatedRows++
	return out, nil
}

// quadsCursor runs over the statements of one graph that fit a pattern.
type quadsCursor struct {
	questions *questions
	given     [4]bool
	ids       [4]inline.TermID
	bounds    [2]any // of k; nil is none
	row       [3]inline.TermID
	known     [3]bool // which of row are the statement's
	more      bool
	count     int64
	stored    *stmt        // of a stored graph
	virtual   *virtualRows // of a virtual one
	last      rdf.Term     // the subject whose id is in row
}

// Filter begins a search.
func (c *quadsCursor) Filter(id sqlite.IndexID, argv []sqlite.Value) error {
	c.end()
	c.given, c.bounds, c.more = [4]bool{}, [2]any{}, false
	plan, next := int(id.Num), 0
	for bit := range constraints {
		if plan>>bit&1 == 0 {
			continue
		}
		if argv[next].Type() == sqlite.TypeNull {
			return nil // nothing is equal to it
		}
		if bit < posK {
			c.given[bit], c.ids[bit] = true, idOf(argv[next])
		} else {
			c.bounds[bit-posK] = argv[next].Int64()
		}
		next++
	}
	if err := c.begin(plan); err != nil {
		return c.fail(err)
	}
	return c.Next()
}

// fail ends the query with an error that its caller gets as it is.
func (c *quadsCursor) fail(err error) error {
	_, err = c.questions.current.fails(err)
	return err
}

func (c *quadsCursor) begin(plan int) error {
	q := c.questions.current
	name, err := q.term(c.ids[posG])
	if err != nil {
		return err
	}
	g := virtualGraphs[name]
	if g == nil {
		return c.beginStored()
	}
	var want [3]rdf.Term
	for i := range want {
		if !c.given[i] {
			continue
		}
		if want[i], err = q.term(c.ids[i]); err != nil {
			return err
		}
	}
	c.virtual = q.reader.virtualRows(g, want)
	c.virtual.least, c.virtual.most = c.bounds[0], c.bounds[1]
	if plan&planSorted != 0 {
		c.virtual.sort = " ASC"
	}
	if plan&planDescending != 0 {
		c.virtual.sort = " DESC"
	}
	return nil
}

// beginStored reads a graph of the table live.
func (c *quadsCursor) beginStored() (err error) {
	b := bound{at: c.given, named: true}
	c.stored, err = c.questions.current.reader.conn.take("SELECT l.s, l.p, l.o FROM live l " + b.index() + b.where())
	n := 0
	for i, given := range c.given {
		if given && err == nil {
			n++
			c.stored.bindID(n, c.ids[i])
		}
	}
	return err
}

// Next goes to the next statement.
func (c *quadsCursor) Next() (err error) {
	c.count++
	if c.stored != nil {
		if c.more, err = c.stored.Step(); err != nil || !c.more {
			return err
		}
		for i := range c.row {
			c.row[i], c.known[i] = c.stored.id(i), true
		}
		return nil
	}
	if c.virtual == nil {
		c.more = false
		return nil
	}
	if c.more, err = c.virtual.next(); err != nil || !c.more {
		return err
	}
	c.known = [3]bool{}
	return nil
}

// id is the id of a term in a position of the pattern, made when it is asked for.
// Those that are given are known, and the last subject is often the next row's, too.
func (c *quadsCursor) id(position int) (inline.TermID, error) {
	if c.given[position] {
		return c.ids[position], nil
	}
	if c.known[position] {
		return c.row[position], nil
	}
	t := c.virtual.triple()[position]
	if position != posS || t != c.last {
		id, err := c.questions.current.id(t)
		if err != nil {
			return 0, c.fail(err)
		}
		c.row[position] = id
	}
	if position == posS {
		c.last = t
	}
	c.known[position] = true
	return c.row[position], nil
}

// Column is a position of the statement, or its order.
func (c *quadsCursor) Column(i int, _ bool) (sqlite.Value, error) {
	switch {
	case i == posG:
		return idValue(c.ids[posG]), nil
	case i < posG:
		id, err := c.id(i)
		return idValue(id), err
	case c.virtual == nil || !c.virtual.now.ordered:
		return sqlite.Value{}, nil
	}
	return sqlite.IntegerValue(c.virtual.number), nil
}

// RowID counts.
func (c *quadsCursor) RowID() (int64, error) { return c.count, nil }

// EOF reports the end.
func (c *quadsCursor) EOF() bool { return !c.more }

// Close ends what runs.
func (c *quadsCursor) Close() error {
	c.end()
	return nil
}

func (c *quadsCursor) end() {
	if c.stored != nil {
		c.stored.release()
	}
	if c.virtual != nil {
		c.virtual.close()
	}
	c.stored, c.virtual, c.last = nil, nil, nil
}

// rowsInVirtual is about how many statements of a virtual graph fit a pattern some of
// whose positions are given.
func rowsInVirtual(graph rdf.IRI, p sparql.TriplePattern, at [3]bool) float64 {
	g := virtualGraphs[graph]
	if g == nil {
		return 0
	}
	sum := 0.0
	for _, p := range g.of(p.Predicate.Term) {
		node, value := at[posS], at[posO]
		if p.inverse {
			node, value = value, node
		}
		switch {
		case node:
			sum += oneRow
		case value:
			sum += p.rows
		default:
			sum += allRows
		}
	}
	return sum
}

// orderInVirtual reports whether a predicate's objects are in the order of k.
func orderInVirtual(graph, predicate rdf.IRI) bool {
	g := virtualGraphs[graph]
	if g == nil {
		return false
	}
	properties := g.of(predicate)
	return len(properties) == 1 && properties[0].ordered
}
