// Package plan is the tree of physical operators that answers a pattern, for an explanation. Package lower makes it
// beside the statement and the scan programs; it is never read back from their text. It is pure data: [Node] is an
// operator, and [Run] what a run counted at each. Start with [Node].
package plan

import (
	"time"

	"trails/sparql"
)

// Node is an operator with those from which it takes its rows. It is not changed once the tree is made.
type Node struct {
	// ID is the number of the node, from 1 on.
	ID   int
	Kind Kind
	// Of is the operator of the algebra, for its own parts: its pattern, expression, keys or numbers. Its operands are
	// not used. It may be nil.
	Of sparql.Op
	// Graph is the name in the GRAPH around a pattern; zero in the default graph.
	Graph sparql.Operand
	// Way is how the rows of a pattern are found: the index, or how a scan holds them.
	Way     string
	Emitter Emitter
	// Choice is what was estimated of both emitters, where both could run the operator with those below it; nil elsewhere.
	Choice *Choice
	// Rows estimates the number of rows for all rows of the operators before it, below zero if nothing estimates it.
	Rows float64
	// Binds are the variables that the rows may bind, and Sorted the one that the rows come sorted by, if any.
	Binds  []sparql.Var
	Sorted sparql.Var
	// Counted says that a run of the statement counts the rows.
	Counted  bool
	Children []*Node
}

// Kind is the kind of an operator, named as in SPARQL 1.1, section 18.2.
type Kind string

// The kinds of operators.
const (
	Unit      Kind = "Unit" // one solution without variables
	Pattern   Kind = "Pattern"
	Path      Kind = "Path"
	Values    Kind = "Values"
	Search    Kind = "Search" // trails:matches, which was answered before
	Join      Kind = "Join"
	LeftJoin  Kind = "LeftJoin"
	Filter    Kind = "Filter"
	Exists    Kind = "Exists"
	NotExists Kind = "NotExists"
	Minus     Kind = "Minus"
	Union     Kind = "Union"
	Extend    Kind = "Extend"
	Group     Kind = "Group"
	OrderBy   Kind = "OrderBy"
	Distinct  Kind = "Distinct"
	Slice     Kind = "Slice"
)

// Emitter is what runs an operator.
type Emitter string

// The emitters: a statement of SQLite, and a program of package scan.
const (
	SQL  Emitter = "sql"
	Scan Emitter = "scan"
)

// Choice is the time that each emitter was estimated to take for all rows. Against says why a scan was not chosen that was
// estimated to be faster.
type Choice struct {
	SQL, Scan time.Duration
	Against   string
}

// Count is what a run counted at a node.
type Count struct {
	Rows int64
	// Time is the time spent before these rows and behind those of other nodes; it is 0 if nothing measured it.
	Time time.Duration
}

// Run is what a run counted, by the number of a node.
type Run map[int]Count

// Begin adds the counted nodes of a tree without rows.
func (r Run) Begin(root *Node) {
	if root.Counted {
		r[root.ID] = Count{}
	}
	for _, child := range root.Children {
		r.Begin(child)
	}
}

// Solutions adds the number of solutions of a complete run to the root, and to the operators below it that have as
// many rows.
func (r Run) Solutions(root *Node, rows int64) {
	of := r[root.ID]
	of.Rows = rows
	r[root.ID] = of
	for n := root; n.keepsRows() && len(n.Children) > 0; {
		n = n.Children[0]
		if _, counted := r[n.ID]; !counted {
			r[n.ID] = Count{Rows: rows}
		}
	}
}

// keepsRows reports whether the operator has one row for each of its first operand.
func (n *Node) keepsRows() bool { return n.Kind == Extend || n.Kind == OrderBy }

// Of returns what the run counted at a node. Where the node itself was not counted, this follows from its operands:
// BIND and ORDER BY keep the rows of theirs, a UNION has those of all.
func (r Run) Of(n *Node) (c Count, ok bool) {
	if c, ok = r[n.ID]; ok {
		return c, true
	}
	switch {
	case n.keepsRows() && len(n.Children) > 0:
		of, ok := r.Of(n.Children[0])
		return Count{Rows: of.Rows}, ok
	case n.Kind == Union:
		for _, side := range n.Children {
			of, ok := r.Of(side)
			if !ok {
				return Count{}, false
			}
			c.Rows += of.Rows
		}
		return c, true
	}
	return Count{}, false
}
