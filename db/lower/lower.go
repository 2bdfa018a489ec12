// Package lower turns SPARQL algebra into SQL: one statement over the table live
// that answers a whole pattern. It is pure: it reads no file, and what only a file
// knows, the ids of terms, it leaves as [Arg]s for whoever runs the statement.
//
// Each column of the statement is a term's id, or NULL where a variable is unbound.
// Equal terms have equal ids, so joins compare numbers. What SQL cannot say is asked
// of functions that the running query registers:
//
//	t_eval(k, id…)   the value of Plan.Exprs[k], NULL when it is an error
//	t_new(k, id…)    the same, for what has another value each time
//	t_ebv(k, id…)    its effective boolean value: 1, 0, or NULL for an error
//	t_row()          another number each time
//	t_show(k, id…)   the same as t_eval for what needs no id: an id, or the term as text
//	t_sum(d, h, l, n)  the sum of n numbers, h * 2^24 + l with d decimals; t_avg, their average
//	t_str(id), t_lang(id), t_text(id)  what STR and LANG give, and the text of a string
//	t_class(id), t_key(id)  where ORDER BY has it, first and then
//	t_agg(k, id…)    the aggregate Plan.Aggregates[k]
//	t_reach(k, g, a, x)  a table: what the closure Plan.Walks[k] reaches, see [Walk]
//	t_scan(k, c0, c1…)  a table: the rows of Plan.Programs[k]
//	COLLATE t_order  orders ids, written as text, as ORDER BY has it
//
// The order of joins is forced by CROSS JOIN and the index of each pattern is named:
// the planner of SQLite sees values of too many predicates in one column to know
// better. The text depends on the query's shape alone, never on its constants, so
// that prepared statements can be kept by their text. Start with [Lower].
package lower

import (
	"fmt"
	"strconv"
	"strings"

	"trails/db/scan"
	"trails/fault"
	"trails/rdf"
	"trails/sparql"
)

// Plan is a lowered pattern.
type Plan struct {
	// SQL has a placeholder ?n for Args[n-1] and the column cn for Columns[n-1].
	SQL     string
	Args    []Arg
	Columns []sparql.Var
	// Exprs and Aggregates are what the functions in SQL name by their place.
	Exprs      []Expr
	Aggregates []sparql.Aggregate
	// Walks are what t_reach in SQL names by their place, Programs what t_scan does.
	Walks    []Walk
	Programs []scan.Program
	// Listing is set when the statement does nothing but list the rows of a program.
	Listing *Listing
	// Base is what IRI(…) resolves against.
	Base string
}

// Listing is a program whose rows are the solutions.
type Listing struct {
	Program int
	Columns []Listed // one for each of the plan
}

// Listed is a column of the rows of a program: the Place is counted from 1, and 0 for a variable
// that is unbound. What Args[Plus-1] is has to be added, nothing if Plus is 0.
type Listed struct{ Place, Plus int }

// Expr is an expression, and the variables whose ids a call passes, in order.
// Others are unbound.
type Expr struct {
	Expr sparql.Expr
	Vars []sparql.Var
	Pass []Pass // of each variable
}

// Pass is how a call passes a variable's value; each way has NULL for unbound.
type Pass uint8

const (
	// PassID is the id alone.
	PassID Pass = iota
	// PassTerm is the id, and kind, value, datatype and lang of its row of the
	// dictionary, NULL when it has none.
	PassTerm
	// PassText is a text in place of an id: the value is that string.
	PassText
)

// Arg is a value of a placeholder: the id of a term or, when Region is set, an end of
// the ids of that region whose values meet all Bounds. A range that is empty ends
// before it begins.
type Arg struct {
	Term   rdf.Term
	Number int64 // when Term is nil and there is no Region
	Region Region
	High   bool
	Bounds []Bound
	// Text is set when not the id but the text of Term is the value; a High one is
	// behind all that begin with it.
	Text bool
	// Rows, when it is not nil, makes the value a JSON array of ids, null for a nil term:
	// an array for each row, or the id itself where a row has one term.
	Rows [][]rdf.Term
}

// Region is a datatype whose ids are in the order of its values.
type Region rdf.IRI

// Bound is what a value is compared with.
type Bound struct {
	Func sparql.Func // one of = < > <= >=
	Term rdf.Term
}

// Options are what a lowering may know of the file. The zero value is good.
type Options struct {
	// Dataset is what FROM and FROM NAMED say.
	Dataset sparql.Dataset
	Base    string
	// Stats estimates how many statements match a pattern's constants. Nil guesses.
	Stats func(p sparql.TriplePattern) float64
	// Subjects estimates how many subjects a predicate has. Nil takes each statement to be of
	// another one.
	Subjects func(predicate rdf.IRI) float64
	// Linked estimates how many statements with this predicate an object has that is one of
	// the objects of a pattern, whose subject and predicate are given. Nil knows of none.
	Linked func(of sparql.TriplePattern, predicate rdf.IRI) float64
	// Region returns the one region that all objects of a predicate in the default
	// graph are in, "" when there is none. Nil knows of none.
	Region func(predicate rdf.IRI) Region
	// RowsInVirtual estimates how many statements of a virtual graph fit a pattern, by
	// which of its positions are given. Nil guesses.
	RowsInVirtual func(graph rdf.IRI, p sparql.TriplePattern, at [3]bool) float64
	// OrderInVirtual reports whether all objects of a predicate in a virtual graph are
	// in the order of its table's column k. Nil knows of none.
	OrderInVirtual func(graph, predicate rdf.IRI) bool
	// Scans says when whole ranges of an index are read in the place of SQL.
	Scans Scans
	// Lift are the constants of a [Shape]: at the ends of patterns, slots stand for
	// them. Stats is asked about slots then, too.
	Lift []rdf.Term
}

// The sizes of a statement that SQLite surely takes.
const (
	maxArgs   = 32_000
	maxText   = 900_000
	maxTables = 56 // of one join; SQLite has 64, some of which are left for the rows of terms that expressions ask for
	maxDepth  = 400
	// maxCompared bounds the time that the order of patterns takes: each time the next
	// one is chosen all of its group are compared.
	maxCompared = 1 << 20
)

// Lower returns the statement that answers op with one row for each solution.
func Lower(op sparql.Op, vars []sparql.Var, opts Options) (Plan, error) {
	l := &lowerer{opts: opts, slots: slotsOf(opts.Lift), names: map[sparql.Var]string{}, counts: map[sparql.TriplePattern]float64{}, subjects: map[rdf.IRI]float64{}}
	b := l.lower(op, scope{graph: l.defaultGraph()})
	sql := b.selectVars(vars)
	if l.err == nil && (len(l.args) > maxArgs || len(sql) > maxText) {
		l.fail("the query is too large: its statement has %d values and %d bytes", len(l.args), len(sql))
	}
	if l.err != nil {
		return Plan{}, l.err
	}
	return Plan{SQL: sql, Args: l.args, Columns: vars, Exprs: l.exprs, Aggregates: l.aggregates, Walks: l.walks, Programs: l.programs, Listing: b.listing(vars), Base: opts.Base}, nil
}

// lowerer is one lowering.
type lowerer struct {
	opts       Options
	slots      map[rdf.Term]Slot
	args       []Arg
	exprs      []Expr
	aggregates []sparql.Aggregate
	walks      []Walk
	programs   []scan.Program
	names      map[sparql.Var]string
	aliases    int
	hidden     int
	depth      int
	laterals   int
	retries    int
	branches   int                              // the choices among the sides of unions so far
	repeated   int                              // bytes that walks repeat
	compared   int                              // patterns with others of their group
	counts     map[sparql.TriplePattern]float64 // what Stats has said
	subjects   map[rdf.IRI]float64              // what Subjects has said
	err        error
}

// scope is what an operator is lowered in.
type scope struct {
	graph graph
	// outer are the columns of the solution that an EXISTS is asked about.
	outer *columns
	// bound says which variables a join has given a value before: the order of
	// patterns and their indexes depend on it. The join itself compares.
	bound *known
	// free leaves the choice of indexes to SQLite: bound may or may not reach here.
	free bool
	// ranges are what filters want of variables.
	ranges map[sparql.Var]*rangeHint
	// wanted is the variable by which the solutions are sorted, one of a limited number.
	wanted sparql.Var
	// behind is set where other tables come before: what stands here is read again for each of
	// their rows.
	behind bool
	// first is about how many solutions are wanted, 0 for all.
	first float64
	// sql is set where no scan is thought about: its costs are compared with.
	sql bool
	// all is set where every solution is found before one is shown: below an aggregate or
	// a sort. Elsewhere the first row must not wait for others.
	all bool
}

func (l *lowerer) fail(format string, args ...any) {
	if l.err == nil {
		l.err = fault.New(fault.TooLarge, format, args...)
	}
}

func (l *lowerer) refuse(format string, args ...any) {
	if l.err == nil {
		l.err = fault.New(fault.InvalidArguments, format, args...)
	}
}

// arg returns the placeholder of a new argument.
func (l *lowerer) arg(a Arg) string {
	l.args = append(l.args, a)
	return "?" + strconv.Itoa(len(l.args))
}

func (l *lowerer) term(t rdf.Term) string { return l.arg(Arg{Term: t}) }
func (l *lowerer) number(n int64) string  { return l.arg(Arg{Number: n}) }

// maxListed is how many terms stand in a statement one by one: more are one value.
const maxListed = 100

// terms is the list of their ids behind IN.
func (l *lowerer) terms(terms []rdf.Term) string {
	if len(terms) > maxListed {
		rows := make([][]rdf.Term, len(terms))
		for i, t := range terms {
			rows[i] = []rdf.Term{t}
		}
		return "(" + l.rows(rows, 1) + ")"
	}
	list := make([]string, len(terms))
	for i, t := range terms {
		list[i] = l.term(t)
	}
	return "(" + strings.Join(list, ", ") + ")"
}

// never is false, but not to the planner: it would drop the other conditions, and not
// find the index that needs them.
func (l *lowerer) never() string { return l.number(0) }

// alias returns a new name for a table.
func (l *lowerer) alias() string {
	l.aliases++
	return "t" + strconv.Itoa(l.aliases)
}

// name returns the column name of a variable in subqueries.
func (l *lowerer) name(v sparql.Var) string {
	n, ok := l.names[v]
	if !ok {
		n = "v" + strconv.Itoa(len(l.names)+1)
		l.names[v] = n
	}
	return n
}

// fresh returns a variable that no text has.
func (l *lowerer) fresh() sparql.Var {
	l.hidden++
	return sparql.Var("..l" + strconv.Itoa(l.hidden))
}

// before lowers what a row of operators begins with: the last of a row stands outside of
// all others, but is no deeper in the statement.
func (l *lowerer) before(op sparql.Op, s scope) *block {
	l.depth--
	defer func() { l.depth++ }()
	return l.lower(op, s)
}

func (l *lowerer) lower(op sparql.Op, s scope) *block {
	l.depth++
	defer func() { l.depth-- }()
	if l.depth > maxDepth {
		l.fail("the query is too deep")
	}
	if l.err != nil {
		return &block{}
	}
	if b := l.scan(op, s); b != nil {
		return b
	}
	switch op := op.(type) {
	case sparql.BGP:
		return l.bgp(op, s)
	case sparql.PathPattern:
		return l.path(op, s)
	case sparql.Join:
		return l.join(op, s)
	case sparql.LeftJoin:
		return l.leftJoin(op, s)
	case sparql.Filter:
		return l.filter(op, s)
	case sparql.Union:
		return l.union(op, s)
	case sparql.Minus:
		return l.minus(op, s)
	case sparql.Graph:
		return l.inGraph(op, s)
	case sparql.Extend:
		return l.extend(op, s)
	case sparql.Table:
		return l.table(op, s)
	case sparql.Group:
		return l.group(op, s)
	case sparql.OrderBy:
		return l.orderBy(op, s)
	case sparql.Project:
		return l.project(op, s)
	case sparql.Distinct:
		return l.distinct(op.Op, s)
	case sparql.Reduced:
		return l.lower(op.Op, s)
	case sparql.Slice:
		return l.slice(op, s)
	case sparql.Service:
		l.refuse("SERVICE is not allowed here: %s", fmt.Sprint(op.Name.Term))
		return &block{}
	}
	l.refuse("this query has an operator that is not known")
	return &block{}
}
