// Package scan reads whole ranges of indexes from their pages and joins, filters and groups their rows by ids, many
// at a time. It is for patterns that read many rows: SQLite takes ten times as long for each row, but is faster for a
// few rows.
//
// A [Program] says what is read. It contains no ids, so queries of one shape share it. [Open] runs it on the pages of
// a transaction. It first builds sets of ids for subjects and objects that constants or other programs restrict, then
// tables of the rows of all steps but the first. The rows of the first step are streamed. Every page and every row is
// checked before use; damage is [ErrPage]. A [Builder] writes the pages of an index from all its rows.
package scan

// Program is a pattern whose solutions are rows of ids. Variables are slots, numbered from 0. Numbers of arguments
// begin with 1; [Env.Args] has their values.
type Program struct {
	Slots int
	// Steps are the triple patterns. Each but the first shares a slot with an earlier one, or has at most one slot.
	// The rows of the first step are streamed, those of the others are held in memory. Optional steps come last.
	Steps []Step
	// Within, Among, Members, Asked and Differ are conditions on slots.
	Within  []Within
	Among   []Among
	Members []Member
	Asked   []Asked
	Differ  []Differ
	// Known is the condition that slot 0 is in [Env.Known].
	Known bool
	// Sides are the programs of a union, whose solutions it has instead of those of steps. Then there are no conditions.
	Sides []Side
	// Match joins the steps with another program by an equality, if it is not nil.
	Match *Match
	// Computed are slots with the values of expressions, in this order: one may use those before it.
	Computed []Computed
	// Keys are the slots in the rows of the answer. With Distinct there are no equal rows.
	Keys     []int
	Distinct bool
	// Grouped means that the answer has one row for each group of solutions with equal keys: the keys, and then the
	// columns of the aggregates. Without keys there is one group, even without solutions.
	Grouped    bool
	Aggregates []Aggregate
	// Having are conditions on groups, all of which must hold.
	Having []Having
	// Order is the order in which only the first rows are asked for, if there is one: as many as the sum of the
	// arguments First. Its slots are among Keys. All rows may be returned, in any order, if those are many.
	Order []Order
	First []int
}

// Costs in sequentially read rows: of evaluating an expression on a term, and of finding a value among those of its
// group.
const (
	askedRows  = 25
	hashedRows = 10
)

// Reads estimates the cost of the program, in sequentially read rows.
func (p *Program) Reads() (rows float64) {
	most := 0.0
	for _, s := range p.Steps {
		rows += s.Rows
		most = max(most, s.Rows)
	}
	rows += askedRows * most * float64(len(p.Asked)+len(p.Differ)+len(p.Computed))
	for _, a := range p.Aggregates {
		switch {
		case a.Func == Fold:
			rows += askedRows * most
		case a.Func == CountDistinct && len(p.Keys) > 0:
			rows += hashedRows * most
		}
	}
	for _, m := range p.Members {
		rows += m.Of.Reads()
	}
	for _, side := range p.Sides {
		rows += side.Of.Reads()
	}
	if p.Match != nil {
		rows += p.Match.Of.Reads() + askedRows*most
	}
	return rows
}

// Step is a triple pattern with a constant predicate, or a transitive path, at least one end of which is a constant
// or a slot of a pattern, or the whole relation of a transitive path. Or it is two columns of all statements of the
// default graph.
type Step struct {
	Subject, Object End
	Predicate       int // number of an argument
	Columns         Columns
	Walk            int // number of a path, see [Env.Reach], from 1 on; 0 for a triple pattern
	// Closure is the whole relation of that path, if it begins anywhere. Then the step is the first, and its ends are
	// slots, which may be the same.
	Closure *Closure
	Graph   int // number of an argument; 0 for the default graph
	// Optional marks a step that binds one new slot. Rows without a match stay, with the id 0 in that slot.
	Optional bool
	// Rows estimates the number of rows.
	Rows float64
}

// Columns says which positions of a statement the ends of a step are.
type Columns uint8

const (
	// SubjectObject is for a pattern with a constant predicate.
	SubjectObject Columns = iota
	// SubjectPredicate uses the predicate instead of the object, which is ignored.
	SubjectPredicate
	// PredicateObject uses the predicate instead of the subject, which is ignored.
	PredicateObject
)

// constant reports whether one end is a constant.
func (s *Step) constant() bool { return s.Subject.Arg != 0 || s.Object.Arg != 0 }

// Ends returns the subject and the object.
func (s *Step) Ends() [2]End { return [...]End{s.Subject, s.Object} }

// End is the subject or object of a step: the number of an argument or, if that is 0, a slot.
type End struct{ Arg, Slot int }

// Within says that a slot is in a range of ids between two arguments, or is not.
type Within struct {
	Slot, Low, High int
	Not             bool
}

// Among says that a slot is one of some arguments.
type Among struct {
	Slot int
	Args []int
}

// Having says that the sum of Zero, an argument, and of a column of a group is in a range of ids. Slot is the number
// of the column.
type Having struct {
	Within
	Zero int
}

// Member says that a tuple of slots is in the set of keys of a program, or is not.
type Member struct {
	Slots []int
	Of    *Program
	Not   bool
}

// Asked says that an expression is true for the value of a slot, see [Env.Holds]. It is evaluated once for each
// value.
type Asked struct{ Slot, Expr int }

// Differ says that two slots have different values. If one is not a literal, or both are xsd:string, their ids are
// compared, otherwise the expression decides, see [Env.Holds].
type Differ struct {
	Slots [2]int
	Expr  int // of both values, in either order
	// Nodes means that one of the two is never a literal.
	Nodes bool
}

// Func is the function of an aggregate.
type Func uint8

const (
	// Count is the number of rows.
	Count Func = iota
	// CountBound counts the rows in which a slot is bound.
	CountBound
	// CountDistinct counts the different values of a slot.
	CountDistinct
	// Sum has three columns: the sum is the first times 2^24 plus the second, and the third is the number of values,
	// which is below zero if one is unbound.
	Sum
	// Min is the least id in a slot, 0 without rows.
	Min
	// Max is the greatest id in a slot.
	Max
	// Fold is computed from the values of an expression, see [Env.Fold].
	Fold
)

// Aggregate is an aggregate of each group.
type Aggregate struct {
	Func Func
	Slot int
	// Zero is the number of an argument. For a Sum its id is subtracted from each id, which is then shifted right by
	// Shift.
	Zero  int
	Shift uint
	// Maybe says that a Sum meets values that are unbound, or that no id holds, see [ErrLeft].
	Maybe bool
	// Number is that of a Fold, Expr the number of its expression, and Of are the slots of this. Each says that equal
	// rows count.
	Number, Expr int
	Of           []int
	Each         bool
}

// slots are those whose values an aggregate needs.
func (a *Aggregate) slots() []int {
	switch a.Func { //nolint:exhaustive // the others need one
	case Count:
		return nil
	case Fold:
		return a.Of
	}
	return []int{a.Slot}
}

// Width returns the number of columns of an aggregate.
func (a Aggregate) Width() int {
	if a.Func == Sum {
		return 3
	}
	return 1
}

// Env is the environment of a run.
type Env struct {
	// SPO, POS and GPOS are the statements by order of columns: subject, predicate, object, graph; predicate, object,
	// subject, graph; and, only for named graphs, graph, predicate, object, subject.
	SPO, POS, GPOS Leaf
	Args           []int64
	// Known is the set of [Program.Known]. A run only reads it.
	Known *Set
	// Holds evaluates an expression of [Program.Asked] or [Program.Differ] on one or two ids.
	Holds func(expr int, ids ...int64) (bool, error)
	// Compute evaluates an expression of [Program.Computed] on the values of its slots, of which 0 is unbound. The
	// value of an error is 0.
	Compute func(expr int, ids ...int64) (id int64, err error)
	// Key returns a number for a value of a [Match]: two values are equal if their numbers are, unless one is [LooseKey].
	Key func(value int64) int64
	// Fold adds the value of an expression to a Fold of a group. Folded returns the value of the Fold, 0 for an error,
	// once all rows of the group were added. Fold may not have been called for it.
	Fold   func(number, group, expr int, ids ...int64) error
	Folded func(number, group int) (id int64, err error)
	// Order compares two values as ORDER BY does.
	Order func(a, b int64) (order int, err error)
	// Reach continues a transitive path in a graph from its start, or backward, and passes each node that it reaches
	// once.
	Reach func(walk int, graph, start int64, back bool) (next func() (id int64, more bool, err error), err error)
	// Node reports whether an id is an IRI or a blank node, String whether it is a literal of xsd:string.
	Node, String func(id int64) (bool, error)
	// Seed is the seed of hashes, different for each run, so that nobody can prepare values that collide.
	Seed uint64
	// Grow counts memory, Ended returns why the run must end. An error of either ends the run. Ended is called for
	// each page.
	Grow  func(bytes int64) error
	Ended func() error
	// Passed records statistics of each step, if it is not nil.
	Passed map[*Step]Passed
}

// Passed is the number of rows of a step that passed its conditions, and the number of values by which they were
// looked up, 0 if all rows were read.
type Passed struct{ Rows, Values int64 }

func (e *Env) arg(n int) int64 { return e.Args[n-1] }
