package db

import (
	"zombiezen.com/go/sqlite"

	"trails/db/inline"
	"trails/db/leaf"
	"trails/db/stmt"
	"trails/rdf"
	"trails/sparql"
)

// registerGraphs makes the virtual table t_quads(s, p, o, g, k). Package lower reads it instead of live if a query
// may read a virtual graph: it has the statements of stored and virtual graphs. k is a number by which objects can be
// sorted.
func (all *questions) registerGraphs(c *conn) error {
	return c.register("t_quads", "s, p, o, g, k", module{bestOfQuads, func() sqlite.VTableCursor { return &quadsCursor{questions: all} }})
}

// The sort column k follows those of a quad.
const posK = 4

// The constraints that a search can use, in the order of their bits in a plan.
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

// bestOfQuads uses all given positions, bounds of k, and one order: by k for one property of one graph. A graph is
// always given.
func bestOfQuads(in *sqlite.IndexInputs) (*sqlite.IndexOutputs, error) {
	out, plan := takeConstraints(in, constraints[:], allRows)
	if plan>>posG&1 == 0 {
		return nil, sqlite.ResultConstraint.ToError() // this plan is not possible
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

// quadsCursor iterates over the statements of one graph that match a pattern.
type quadsCursor struct {
	questions *questions
	given     [4]bool
	ids       [4]inline.TermID
	bounds    [2]any // of k; nil is none
	row       [3]inline.TermID
	known     [3]bool // which elements of row are set for this statement
	more      bool
	count     int64
	stored    *stmt.Stmt   // statement for a stored graph
	virtual   *virtualRows // rows of a virtual graph
	past      *pastCursor  // rows of the default graph as of a commit
	pages     *pastCursor  // the last one of these, which has pages open
	keeps     *originRows  // the class of which rows of past are kept; nil for all
	origins   originGraphs // the classes that were read
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
			return nil // nothing equals NULL
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

// fail ends the query with an error that the caller gets unchanged.
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
	if rdf.IsGraphAt(name) {
		of, err := q.reader.graphAt(name)
		if err != nil {
			return err
		}
		return c.beginPast(of)
	}
	if rdf.IsOriginGraph(name) {
		if c.keeps, err = c.origins.of(q.reader, name); err != nil {
			return err
		}
		return c.beginPast(nil)
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

// beginStored reads a graph from the table live.
func (c *quadsCursor) beginStored() (err error) {
	b := bound{at: c.given, named: true}
	conn := c.questions.current.reader.conn
	c.stored, err = conn.Take(conn.text(leaf.Match("l.s, l.p, l.o", "", b.at, b.order())))
	n := 0
	for i, given := range c.given {
		if given && err == nil {
			n++
			c.stored.BindID(n, c.ids[i])
		}
	}
	return err
}

// beginPast reads the default graph as of a commit, nil for the state that is read. The pages stay open from one search to
// the next.
func (c *quadsCursor) beginPast(of *graphAt) error {
	if c.pages != nil && c.pages.of != of {
		c.pages.release()
		c.pages = nil
	}
	if c.pages == nil {
		c.pages = &pastCursor{conn: c.questions.current.reader.conn, of: of}
	}
	c.past = c.pages
	c.past.search = inDefault(c.given, c.ids)
	return c.past.begin(false, false)
}

// nextPast goes to the next row of past that is kept.
func (c *quadsCursor) nextPast() error {
	for n := 1; ; n++ {
		if n%256 == 0 {
			if err := c.questions.current.over(); err != nil {
				return err
			}
		}
		if err := c.past.Next(); err != nil || !c.past.more || c.keeps == nil {
			return err
		}
		if kept, err := c.keeps.has(c.past); err != nil || kept {
			return err
		}
	}
}

// Next goes to the next statement.
func (c *quadsCursor) Next() (err error) {
	c.count++
	if c.stored != nil {
		if c.more, err = c.stored.Step(); err != nil || !c.more {
			return err
		}
		for i := range c.row {
			c.row[i], c.known[i] = c.stored.ID(i), true
		}
		return nil
	}
	if c.past != nil {
		if err := c.nextPast(); err != nil {
			return c.fail(err)
		}
		if c.more = c.past.more; c.more {
			ids := c.past.ids()
			c.row, c.known = [3]inline.TermID(ids[:]), [3]bool{true, true, true}
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

// id returns the id of a position of the statement, computed on demand. Given positions are known, and the subject is
// often that of the last row.
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

// Column returns a position of the statement, or its sort key.
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

// RowID is a counter.
func (c *quadsCursor) RowID() (int64, error) { return c.count, nil }

// EOF reports the end.
func (c *quadsCursor) EOF() bool { return !c.more }

// Close ends the running statements, and releases the pages.
func (c *quadsCursor) Close() error {
	c.end()
	if c.pages != nil {
		c.pages.release()
	}
	c.origins.release()
	return nil
}

func (c *quadsCursor) end() {
	if c.stored != nil {
		c.stored.Release()
	}
	if c.virtual != nil {
		c.virtual.close()
	}
	c.stored, c.virtual, c.past, c.keeps, c.last = nil, nil, nil, nil, nil
}

// rowsInVirtual estimates the number of statements of a virtual graph that match a pattern, by its given positions.
// It is not known for graphs as of commits and of classes of sources.
func rowsInVirtual(graph rdf.IRI, p sparql.TriplePattern, at [3]bool) (sum float64, known bool) {
	g := virtualGraphs[graph]
	if g == nil {
		return 0, false
	}
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
	return sum, true
}

// orderInVirtual reports whether k sorts the objects of a predicate.
func orderInVirtual(graph, predicate rdf.IRI) bool {
	g := virtualGraphs[graph]
	if g == nil {
		return false
	}
	properties := g.of(predicate)
	return len(properties) == 1 && properties[0].ordered
}
