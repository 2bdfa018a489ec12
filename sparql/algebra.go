// Package sparql is the language: SPARQL 1.1 Query and Update
// (https://www.w3.org/TR/sparql11-query/, https://www.w3.org/TR/sparql11-update/)
// as text, and as the algebra that section 18 of the query language defines. It
// evaluates nothing: functions are in package expr, answers in packages naive and
// db/lower.
//
// Read [Op] first, the sum of the operators, then [Expr], the sum of the
// expressions, then [Query].
package sparql

import "trails/rdf"

// Var is the name of a variable without its ? or $. A blank node of a pattern is a variable as well: its name begins
// with a dot, which no query text can write.
type Var string

// Operand is what may stand in a position of a pattern: a variable or, when Var is
// empty, a term.
type Operand struct {
	Var  Var
	Term rdf.Term
}

// Op is one operator of the algebra (section 18.2). The sum is sealed: its members are the exported types of this
// file. Operators are immutable values.
type Op interface{ op() }

// BGP is a basic graph pattern (section 18.3.1); the empty one has one solution
// without bindings.
type BGP struct{ Patterns []TriplePattern }

// TriplePattern is one triple pattern of a [BGP].
type TriplePattern struct{ Subject, Predicate, Object Operand }

// PathPattern is a property path pattern (section 18.4) that is no plain triple.
type PathPattern struct {
	Subject Operand
	Path    Path
	Object  Operand
}

// Join is section 18.5's Join: compatible solutions, merged.
type Join struct{ Left, Right Op }

// LeftJoin is OPTIONAL. A nil Expr is true.
type LeftJoin struct {
	Left, Right Op
	Expr        Expr
}

// Filter keeps the solutions for which Expr has the effective boolean value true.
type Filter struct {
	Expr Expr
	Op   Op
}

// Union is the solutions of both.
type Union struct{ Left, Right Op }

// Minus removes the solutions that are compatible with one of Right and share a
// variable with it.
type Minus struct{ Left, Right Op }

// Graph evaluates Op on the named graph, or on each when Name is a variable.
type Graph struct {
	Name Operand
	Op   Op
}

// Extend is BIND, and AS in SELECT: it adds a binding where Expr has a value.
type Extend struct {
	Op   Op
	Var  Var
	Expr Expr
}

// Table is inline data (VALUES). A nil term in a row is UNDEF.
type Table struct {
	Vars []Var
	Rows [][]rdf.Term
	// Of is the search whose answer the rows are, for an explanation; nil for data of the text.
	Of *Search
}

// Search finds nodes by their texts: the pattern (node score passage property) trails:matches (text option…), see [Matches].
// It is no operator of SPARQL 1.1; [Query.AnswerSearches] replaces it by its answer.
type Search struct {
	// Found are the ends that a hit binds, in the order of [SearchFound]; the last ones may be missing.
	Found []Operand
	// Given are the text and the options.
	Given []Operand
}

// Group is GROUP BY with its aggregates (section 18.2.4.1). Without keys but with an aggregate there is exactly one
// group, even when there are no solutions.
type Group struct {
	Op         Op
	Keys       []GroupKey
	Aggregates []Aggregation
}

// GroupKey is one condition of GROUP BY. A Var that is empty binds nothing.
type GroupKey struct {
	Expr Expr
	Var  Var
}

// Aggregation binds Var, a name that begins with a dot, to an aggregate's value in
// each group.
type Aggregation struct {
	Var       Var
	Aggregate Aggregate
}

// OrderBy sorts (section 15.1).
type OrderBy struct {
	Op   Op
	Keys []OrderKey
}

// OrderKey is one condition of ORDER BY.
type OrderKey struct {
	Expr       Expr
	Descending bool
	// Stored compares terms in the order in which the store keeps them, which is total and costs least. No query text
	// can ask for it.
	Stored bool
}

// Project keeps these variables. As the operand of another operator it is a
// subquery, and its other variables are out of scope.
type Project struct {
	Op   Op
	Vars []Var
}

// Distinct removes duplicates.
type Distinct struct{ Op Op }

// Reduced may remove duplicates.
type Reduced struct{ Op Op }

// Slice is OFFSET and LIMIT; a Limit below 0 is none.
type Slice struct {
	Op            Op
	Offset, Limit int64
}

// Service is a federated query's part (SPARQL 1.1 Federated Query); see
// [Service.Select] for what the endpoint is asked.
type Service struct {
	Silent bool
	Name   Operand
	Op     Op
}

func (BGP) op()         {}
func (PathPattern) op() {}
func (Join) op()        {}
func (LeftJoin) op()    {}
func (Filter) op()      {}
func (Union) op()       {}
func (Minus) op()       {}
func (Graph) op()       {}
func (Extend) op()      {}
func (Table) op()       {}
func (Search) op()      {}
func (Group) op()       {}
func (OrderBy) op()     {}
func (Project) op()     {}
func (Distinct) op()    {}
func (Reduced) op()     {}
func (Slice) op()       {}
func (Service) op()     {}

// Path is a property path expression (section 18.1.7); the sum is sealed.
type Path interface{ path() }

// Link is one predicate.
type Link struct{ IRI rdf.IRI }

// Inverse is ^Path.
type Inverse struct{ Path Path }

// Sequence is Left/Right.
type Sequence struct{ Left, Right Path }

// Alternative is Left|Right.
type Alternative struct{ Left, Right Path }

// ZeroOrMore is Path*.
type ZeroOrMore struct{ Path Path }

// OneOrMore is Path+.
type OneOrMore struct{ Path Path }

// ZeroOrOne is Path?.
type ZeroOrOne struct{ Path Path }

// NegatedSet is !(a|^b): any predicate except those of Forward from subject to object, or any except those of
// Backward from object to subject. The list of a direction that the text does not mention is nil, and that direction
// matches nothing.
type NegatedSet struct{ Forward, Backward []rdf.IRI }

func (Link) path()        {}
func (Inverse) path()     {}
func (Sequence) path()    {}
func (Alternative) path() {}
func (ZeroOrMore) path()  {}
func (OneOrMore) path()   {}
func (ZeroOrOne) path()   {}
func (NegatedSet) path()  {}
