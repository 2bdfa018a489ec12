// Package lower turns SPARQL algebra into SQL: one statement over the table live that answers a whole pattern. It is
// pure: it reads no file. The ids of terms, which only a file knows, are [Arg]s that the caller fills in.
//
// Each column of the statement is a term's id, or NULL where a variable is unbound. Equal terms have equal ids, so
// joins compare numbers. What SQL cannot express is done by functions that the running query registers:
//
//	t_eval(k, id…)   the value of Plan.Exprs[k], NULL when it is an error
//	t_new(k, id…)    the same for volatile expressions
//	t_ebv(k, id…)    its effective boolean value: 1, 0, or NULL for an error
//	t_row()          a different number each time
//	t_show(k, id…)   the same as t_eval for output and for t_agg: an id, or the term as text
//	t_sum(d, h, l, n)  the sum of n numbers, h * 2^24 + l with d decimals; t_avg, their average
//	t_str(id), t_lang(id), t_text(id)  what STR and LANG give, and the text of a string
//	t_class(id), t_key(id)  the sort keys of ORDER BY: class, then key
//	t_agg(k, id…)    the aggregate Plan.Aggregates[k]
//	t_reach(k, g, a, x)  a table: what the transitive path Plan.Walks[k] reaches, see [Walk]
//	t_scan(k, c0, c1…)  a table: the rows of Plan.Programs[k]
//	t_seen(n, …)     1; it counts a row for an explanation, see [Plan.Root]
//	COLLATE t_order  orders ids, written as text, as ORDER BY has it
//
// The order of joins is forced by CROSS JOIN and the index of each pattern is named: SQLite's planner has no
// statistics for each predicate. The text depends on the query's shape alone, never on its constants, so that
// prepared statements can be kept by their text. Start with [Lower].
package lower

import (
	"fmt"
	"strconv"
	"strings"

	"trails/db/plan"
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
	// Exprs and Aggregates are referred to by index in SQL.
	Exprs      []Expr
	Aggregates []sparql.Aggregate
	// Walks are the paths that t_reach refers to by index, Programs the scans of t_scan.
	Walks    []Walk
	Programs []scan.Program
	// Listing is set if the statement only lists the rows of a program.
	Listing *Listing
	// Work estimates the time in which SQL finds the solutions of a group's pattern, in microseconds.
	Work float64
	// Base is what IRI(…) resolves against.
	Base string
	// Root is the root of the tree of operators, and Steps are the steps of programs by the numbers of their nodes; nil
	// unless the plan is explained. Its statement then also has t_seen(n, …), which is 1 and counts the rows of node n.
	Root  *plan.Node
	Steps map[int]*scan.Step
}

// Listing is a program whose rows are the solutions.
type Listing struct {
	Program int
	Columns []Listed // one for each column of the plan
}

// Listed is a column of a program's rows. Place is counted from 1; 0 is an unbound variable. Args[Plus-1] is added to
// the value, unless Plus is 0.
type Listed struct{ Place, Plus int }

// Expr is an expression, and the variables whose values a call passes, in order. Other variables are unbound.
type Expr struct {
	Expr sparql.Expr
	Vars []sparql.Var
	Pass []Pass // for each variable
	// Numbered says that of a computed slot of a scan only the number of different values is asked for: a value that no
	// id holds is then a number that the run gives to its term, instead of the id.
	Numbered bool
}

// Pass is how a call passes the value of a variable; NULL is unbound.
type Pass uint8

const (
	// PassID passes only the id.
	PassID Pass = iota
	// PassTerm passes the id, and kind, value, datatype and lang of its dictionary row, NULL if it has none.
	PassTerm
	// PassText passes a text instead of an id: the value is this string.
	PassText
)

// Arg is the value of a placeholder: the id of a term or, if Region is set, one end of the range of ids in that
// region whose values meet all Bounds. An empty range ends before it begins.
type Arg struct {
	Term   rdf.Term
	Number int64 // if Term is nil and there is no Region
	Region Region
	High   bool
	Bounds []Bound
	// Text means that the value is the text of Term, not its id. With High it is an upper bound for all texts that
	// begin with it.
	Text bool
	// Rows, when not nil, makes the value a JSON array of ids, null for a nil term: an array for each row, or the id
	// itself if rows have one term.
	Rows [][]rdf.Term
}

// Region is a datatype whose ids sort like its values.
type Region rdf.IRI

// Bound is a comparison of a value.
type Bound struct {
	Func sparql.Func // one of = < > <= >=
	Term rdf.Term
}

// Options are the facts about the file that a lowering may use. The zero value works.
type Options struct {
	// Dataset is what FROM and FROM NAMED say.
	Dataset sparql.Dataset
	Base    string
	// Stats estimates how many statements match a pattern's constants. If it is nil, the lowering guesses.
	Stats func(p sparql.TriplePattern) float64
	// Subjects estimates the number of subjects of a predicate. If it is nil, each statement is assumed to have a
	// different subject.
	Subjects func(predicate rdf.IRI) float64
	// Linked estimates the number of statements with this predicate for each object of a pattern whose subject and
	// predicate are given. It may be nil.
	Linked func(of sparql.TriplePattern, predicate rdf.IRI) float64
	// Region returns the region of all objects of a predicate in the default graph, "" if there is none. It may be
	// nil.
	Region func(predicate rdf.IRI) Region
	// RowsInVirtual estimates the statements of a virtual graph that match a pattern, by its given positions. If it
	// is nil, the lowering guesses.
	RowsInVirtual func(graph rdf.IRI, p sparql.TriplePattern, at [3]bool) (rows float64, known bool)
	// OrderInVirtual reports whether column k sorts the objects of a predicate in a virtual graph. It may be nil.
	OrderInVirtual func(graph, predicate rdf.IRI) bool
	// Within estimates the statements of a predicate whose objects are in a region and meet all bounds. If it is nil, the
	// lowering guesses.
	Within func(predicate rdf.IRI, r Region, bounds []Bound) float64
	// Scans says when whole ranges of an index are scanned instead of using SQL.
	Scans Scans
	// View means that the statements are those of an earlier commit or a branch, or a part that may be seen. SQL finds no
	// index of them by name, and takes longer.
	View bool
	// Explain asks for a plan that counts the rows of its operators. Apart from that it is the same plan.
	Explain bool
	// Lift are the constants of a [Shape]: in patterns they are replaced by slots. Stats is then asked about slots,
	// too.
	Lift []rdf.Term
}

// The sizes of a statement that SQLite certainly accepts.
const (
	maxArgs   = 32_000
	maxText   = 900_000
	maxTables = 56 // of one join; SQLite allows 64, and some are left for the rows of terms that expressions need
	maxDepth  = 400
	// maxNested is how deep closures stand in each other. SQLite copies what is inside once for each of them, for seconds
	// in which nothing can interrupt it.
	maxNested = 24
	// maxCompared bounds the time for ordering patterns: each choice compares all patterns of the group.
	maxCompared = 1 << 20
)

// Lower returns a statement with one row for each solution of op.
func Lower(op sparql.Op, vars []sparql.Var, opts Options) (Plan, error) {
	l := &lowerer{opts: opts, slots: slotsOf(opts.Lift), names: map[sparql.Var]string{}, counts: map[sparql.TriplePattern]float64{}, subjects: map[rdf.IRI]float64{}}
	if opts.Explain {
		l.fanOuts, l.steps = map[*plan.Node]func() float64{}, map[int]*scan.Step{}
	}
	b := l.lower(op, scope{graph: l.defaultGraph()})
	sql := b.selectVars(vars)
	if b.node != nil && l.err == nil {
		l.estimate(b.node, 1)
	}
	if l.err == nil && (len(l.args) > maxArgs || len(sql) > maxText) {
		l.fail("the query is too large: its statement has %d values and %d bytes", len(l.args), len(sql))
	}
	if l.err != nil {
		return Plan{}, l.err
	}
	return Plan{SQL: sql, Args: l.args, Columns: vars, Exprs: l.exprs, Aggregates: l.aggregates, Walks: l.walks, Programs: l.programs, Listing: b.listing(vars), Work: l.work, Base: opts.Base, Root: b.node, Steps: l.steps}, nil
}

// lowerer is the state of one lowering.
type lowerer struct {
	made
	opts     Options
	slots    map[rdf.Term]Slot
	names    map[sparql.Var]string
	hidden   int
	depth    int
	nested   int // closures around the one that is being lowered
	retries  int
	branches int                              // combinations of sides of unions so far
	repeated int                              // bytes of text that paths repeat
	compared int                              // comparisons between patterns of a group
	counts   map[sparql.TriplePattern]float64 // answers of Stats
	subjects map[rdf.IRI]float64              // answers of Subjects
	nodes    int                              // nodes of an explanation so far
	fanOuts  map[*plan.Node]func() float64    // estimates of nodes, for each row before them
	steps    map[int]*scan.Step               // see [Plan.Steps]
	work     float64                          // see [Plan.Work]
	err      error
}

// made is what a lowering has made so far: statements and programs refer to its parts by number. A copy of it is a
// state to return to, when another way of lowering the same pattern turns out to be better.
type made struct {
	args       []Arg
	exprs      []Expr
	aggregates []sparql.Aggregate
	walks      []Walk
	programs   []scan.Program
	aliases    int
	laterals   int
	tests      []*plan.Node // nodes of EXISTS in expressions that no operator has taken yet
}

// apart returns a copy to which parts can be added while others are added to the original.
func (m *made) apart() made {
	out := *m
	out.args, out.exprs, out.aggregates = m.args[:len(m.args):len(m.args)], m.exprs[:len(m.exprs):len(m.exprs)], m.aggregates[:len(m.aggregates):len(m.aggregates)]
	out.walks, out.programs, out.tests = m.walks[:len(m.walks):len(m.walks)], m.programs[:len(m.programs):len(m.programs)], m.tests[:len(m.tests):len(m.tests)]
	return out
}

// scope is the context in which an operator is lowered.
type scope struct {
	graph graph
	// outer are the columns of the solution for which an EXISTS is evaluated.
	outer *columns
	// bound are the variables that a join has bound before: they decide the order of patterns and their indexes. The
	// join itself adds the comparisons.
	bound *known
	// free leaves the choice of indexes to SQLite, because the values of bound may not reach here.
	free bool
	// ranges are the requirements of filters on variables.
	ranges map[sparql.Var]*rangeHint
	// spans are for each variable those that filters compare it with, where ids compare like the values.
	spans map[sparql.Var][]sparql.Var
	// wanted is the variable by which a limited number of solutions is sorted.
	wanted sparql.Var
	// top is the LIMIT directly above an ORDER BY, which reads no further.
	top *sparql.Slice
	// behind means that other tables come first, so that this is evaluated for each of their rows.
	behind bool
	// first estimates how many solutions are needed, 0 for all.
	first float64
	// sql means that scans are not considered: this is the SQL alternative in a comparison.
	sql bool
	// all means that every solution is computed before the first is returned: below an aggregate or a sort. Elsewhere
	// the first row must not wait for others.
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
func (m *made) arg(a Arg) string {
	m.args = append(m.args, a)
	return "?" + strconv.Itoa(len(m.args))
}

func (l *lowerer) term(t rdf.Term) string { return l.arg(Arg{Term: t}) }
func (l *lowerer) number(n int64) string  { return l.arg(Arg{Number: n}) }

// maxListed is how many terms are listed in a statement; more become one JSON value.
const maxListed = 100

// terms is the list of ids behind IN.
func (l *lowerer) terms(terms []rdf.Term) string {
	if len(terms) > maxListed {
		rows := make([][]rdf.Term, len(terms))
		for i, t := range terms {
			rows[i] = []rdf.Term{t}
		}
		return "(" + l.rows(rows, 1, "") + ")"
	}
	list := make([]string, len(terms))
	for i, t := range terms {
		list[i] = l.term(t)
	}
	return "(" + strings.Join(list, ", ") + ")"
}

// never is false, but not to the planner: that would drop the other conditions, and not find the index that they
// need.
func (l *lowerer) never() string { return l.number(0) }

// alias returns a new table name.
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

// fresh returns a new variable that no text can name.
func (l *lowerer) fresh() sparql.Var {
	l.hidden++
	return sparql.Var("..l" + strconv.Itoa(l.hidden))
}

// before lowers the innermost operand of a chain of operators first. The chain is long, but makes the statement no
// deeper.
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
	tests := len(l.tests)
	b := l.scan(op, s)
	if b == nil {
		b = l.operator(op, s)
	}
	if b.node != nil {
		b.node.Children = append(b.node.Children, l.tests[tests:]...)
		l.tests = l.tests[:tests]
		b.boundBy()
	}
	return b
}

// operator lowers an operator without a scan of its own.
func (l *lowerer) operator(op sparql.Op, s scope) *block {
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
	case sparql.Search:
		l.refuse("trails:matches is not allowed here")
		return &block{}
	case sparql.Service:
		l.refuse("SERVICE is not allowed here: %s", fmt.Sprint(op.Name.Term))
		return &block{}
	}
	l.refuse("this query has an operator that is not known")
	return &block{}
}
