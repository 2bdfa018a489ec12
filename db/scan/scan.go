// Package scan reads whole ranges of indexes from their pages and joins, filters and groups
// their rows by ids, many at a time. It is for patterns that look at many rows: SQLite takes
// ten times as long for each, and less for a few.
//
// A [Program] says what is read; it has no ids, so that queries of one shape share it.
// [Open] runs one on the pages of a transaction, in the order of its file: sets of the ends
// that a constant or another program gives, tables of the steps behind the first, then the
// rows of the first step, which are never held. Every page, and every row in it, is checked
// before it is believed: a damaged one is [ErrPage]. A [Builder] makes such pages of all rows
// of an index.
package scan

// Program is a pattern whose solutions are rows of ids. Variables are slots, numbered from
// 0. Numbers of arguments begin with 1: [Env.Args] has their values.
type Program struct {
	Slots int
	// Steps are the triple patterns. Each but the first has a slot of one before it, or no
	// more than one slot at all. The rows of the first are read one after another, those of
	// the others are held. Those that are optional stand behind the others.
	Steps []Step
	// Within, Among, Members, Asked and Differ are conditions of slots.
	Within  []Within
	Among   []Among
	Members []Member
	Asked   []Asked
	Differ  []Differ
	// Keys are the slots of the answer's rows. With Distinct they differ.
	Keys     []int
	Distinct bool
	// Grouped is set when the answer has a row for each group of solutions with the same
	// keys: the keys, then the columns of the aggregates. Without keys there is one group,
	// also of no solutions.
	Grouped    bool
	Aggregates []Aggregate
	// Having are conditions of groups, all of which hold.
	Having []Having
}

// How many rows are read while an expression is asked of a term, and while a value is looked for
// among those of its group.
const (
	askedRows  = 25
	hashedRows = 10
)

// Reads estimates how many rows the program reads; what else takes as long is as many.
func (p *Program) Reads() (rows float64) {
	most := 0.0
	for _, s := range p.Steps {
		rows += s.Rows
		most = max(most, s.Rows)
	}
	rows += askedRows * most * float64(len(p.Asked)+len(p.Differ))
	for _, a := range p.Aggregates {
		if a.Func == CountDistinct && len(p.Keys) > 0 {
			rows += hashedRows * most
		}
	}
	for _, m := range p.Members {
		rows += m.Of.Reads()
	}
	return rows
}

// Step is a triple pattern with a constant predicate, or a walk, of which one end is a constant
// or a slot of a step with one. Or it is two columns of all statements of the default graph.
type Step struct {
	Subject, Object End
	Predicate       int // an argument
	Columns         Columns
	Walk            int // see [Env.Reach], from 1 on; 0 for a triple pattern
	Graph           int // an argument; 0 for the default graph
	// Optional is set of a step with one slot more than those before it: rows that it has
	// nothing for stay, and that slot is 0, which is no id.
	Optional bool
	// Rows estimates how many there are.
	Rows float64
}

// Columns says what the ends of a step are.
type Columns uint8

const (
	// SubjectObject is what the ends of a pattern are whose predicate is constant.
	SubjectObject Columns = iota
	// SubjectPredicate makes the predicate stand in the place of the object: whatever that is.
	SubjectPredicate
	// PredicateObject makes it stand in the place of the subject.
	PredicateObject
)

// constant reports whether an end is one.
func (s *Step) constant() bool { return s.Subject.Arg != 0 || s.Object.Arg != 0 }

// Ends are the subject and the object.
func (s *Step) Ends() [2]End { return [...]End{s.Subject, s.Object} }

// End is an end of a pattern: an argument or, when that is 0, a slot.
type End struct{ Arg, Slot int }

// Within is a range of ids, from one argument to another, in which a slot is, or is not.
type Within struct {
	Slot, Low, High int
	Not             bool
}

// Among are arguments, one of which a slot is.
type Among struct {
	Slot int
	Args []int
}

// Having is a range of ids in which the sum of Zero, an argument, and a column of a group is.
// Its Slot is the number of the column.
type Having struct {
	Within
	Zero int
}

// Member is a set in which slots are, or are not: the keys of a program.
type Member struct {
	Slots []int
	Of    *Program
	Not   bool
}

// Asked is an expression that the value of a slot makes true, see [Env.Holds]. It is asked
// once for each value.
type Asked struct{ Slot, Expr int }

// Differ says that two slots have different values. Where one is no literal, or both are of
// xsd:string, their ids say so, else the expression does, see [Env.Holds].
type Differ struct {
	Slots [2]int
	Expr  int // of both values, in any order
	// Nodes is set when one of the two is never a literal.
	Nodes bool
}

// Func is what an aggregate does.
type Func uint8

const (
	// Count is the number of rows.
	Count Func = iota
	// CountBound is the number of rows in which a slot has a value.
	CountBound
	// CountDistinct is the number of values of a slot.
	CountDistinct
	// Sum has three columns: the sum is the first times 2^24 and the second, of as many
	// numbers as the third says.
	Sum
	// Min is the least id of a slot, 0 of no rows.
	Min
	// Max is the greatest.
	Max
)

// Aggregate is a value of each group.
type Aggregate struct {
	Func Func
	Slot int
	// Zero is an argument, the id that is subtracted from those of a Sum; then they are
	// shifted right by Shift.
	Zero  int
	Shift uint
}

// Width is how many columns an aggregate has.
func (a Aggregate) Width() int {
	if a.Func == Sum {
		return 3
	}
	return 1
}

// Env is what a program runs on.
type Env struct {
	// SPO, POS and GPOS are the trees of the statements in these orders of their columns:
	// subject, predicate, object, graph; predicate, object, subject, graph; and of those in
	// named graphs graph, predicate, object, subject.
	SPO, POS, GPOS Tree
	Args           []int64
	// Holds answers [Program.Asked] and [Program.Differ]: whether ids, one or two, make an
	// expression true.
	Holds func(expr int, ids ...int64) (bool, error)
	// Reach goes on a walk in a graph from its start, or back to that, and gives what it comes
	// to, each once.
	Reach func(walk int, graph, start int64, back bool) (next func() (id int64, more bool, err error), err error)
	// Node reports whether an id is that of an IRI or a blank node, String whether it is that
	// of a literal of xsd:string.
	Node, String func(id int64) (bool, error)
	// Seed is of hashes. It is another for each run, so that nobody can choose values that
	// meet in one place.
	Seed uint64
	// Grow counts bytes that are held, Ended says whether the answer is still wanted: an
	// error of either ends the run. Ended is asked beside each page that is read.
	Grow  func(bytes int64) error
	Ended func() error
	// Passed counts the rows of each step, unless it is nil.
	Passed map[*Step]Passed
}

// Passed is how many rows of a step passed its conditions, and by how many values of an end they
// were looked up: 0 where all rows were read.
type Passed struct{ Rows, Values int64 }

func (e *Env) arg(n int) int64 { return e.Args[n-1] }
