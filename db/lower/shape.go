package lower

import (
	"encoding/binary"
	"slices"
	"strconv"
	"strings"

	"trails/rdf"
	"trails/sparql"
)

// Shape is all that a lowering depends on beside the answers to what it asks of
// Stats and Region: two queries of one shape have one plan when the answers are the
// same, too. The zero Shape is that of a query whose plan is not worth keeping.
type Shape struct {
	// Key is the query without the constants at the ends of its patterns.
	Key string
	// Constants are those, those that BIND gives and the [Rows] of LIMIT and OFFSET, each
	// once; a plan has a [Slot] in the place of each.
	Constants []rdf.Term
}

// Slot stands in a plan for one of the constants of its shape.
type Slot int

// String writes the slot as people read it.
func (s Slot) String() string { return "slot " + strconv.Itoa(int(s)) }

// Native is what package quad wants of a term.
func (s Slot) Native() any { return int(s) }

// Rows stands among the constants of a shape for how many rows LIMIT or OFFSET says.
type Rows int64

// String writes the number.
func (r Rows) String() string { return strconv.FormatInt(int64(r), 10) }

// Native is what package quad wants of a term.
func (r Rows) Native() any { return int64(r) }

// maxKey bounds what is kept; longer queries are lowered each time.
const maxKey = 8 << 10

// ShapeOf returns the shape of a pattern and its columns in a dataset.
func ShapeOf(op sparql.Op, vars []sparql.Var, d sparql.Dataset, base string) Shape {
	s := shaper{key: make([]byte, 0, 512), whole: !d.IsZero()}
	s.query(op, vars, d, base)
	if s.graphs && len(s.constants) > 0 {
		s = shaper{key: s.key[:0], whole: true}
		s.query(op, vars, d, base)
	}
	if s.unknown || s.full() {
		return Shape{}
	}
	return Shape{Key: string(s.key), Constants: s.constants}
}

// shaper writes a key: each node as a letter and what it holds, with lengths, so that
// no two queries have one key.
type shaper struct {
	key       []byte
	constants []rdf.Term
	// whole is set when constants are part of the key, which they are in a query that
	// names graphs: what a pattern becomes may depend on them there.
	whole   bool
	graphs  bool // it names some
	unknown bool // it has a part that has no letter
}

func (s *shaper) query(op sparql.Op, vars []sparql.Var, d sparql.Dataset, base string) {
	s.text(base)
	s.iris(d.Default)
	s.iris(d.Named)
	for _, name := range slices.Concat(d.Default, d.Named) {
		s.graph(name)
	}
	s.vars(vars)
	s.op(op)
}

// graph passes over queries about graphs that are kept by the system: what their
// lowering asks is not noted.
func (s *shaper) graph(name rdf.Term) {
	iri, _ := name.(rdf.IRI)
	s.unknown = s.unknown || strings.HasPrefix(string(iri), "urn:trails:graph:")
}

func (s *shaper) full() bool { return len(s.key) > maxKey }

func (s *shaper) letter(c byte) { s.key = append(s.key, c) }
func (s *shaper) number(n int)  { s.key = binary.AppendVarint(s.key, int64(n)) }
func (s *shaper) text(text string) {
	s.number(len(text))
	s.key = append(s.key, text...)
}

func (s *shaper) flag(yes bool) {
	if yes {
		s.letter('1')
	} else {
		s.letter('0')
	}
}

func (s *shaper) vars(list []sparql.Var) {
	s.number(len(list))
	for _, v := range list {
		s.text(string(v))
	}
}

// iris writes a list; none is not the same as an empty one.
func (s *shaper) iris(list []rdf.IRI) {
	s.flag(list != nil)
	s.number(len(list))
	for _, iri := range list {
		s.text(string(iri))
	}
}

// kindOf is a letter for the kind of a term, 0 for what is none.
func kindOf(t rdf.Term) byte {
	switch t.(type) {
	case nil:
		return 'n'
	case rdf.IRI:
		return 'i'
	case rdf.BNode:
		return 'b'
	case rdf.String:
		return 's'
	case rdf.TypedString:
		return 't'
	case rdf.LangString:
		return 'l'
	case Rows:
		return 'r'
	}
	return 0
}

func (s *shaper) term(t rdf.Term) {
	kind := kindOf(t)
	s.letter(kind)
	switch t := t.(type) {
	case nil:
	case rdf.IRI:
		s.text(string(t))
	case rdf.BNode:
		s.text(string(t))
	case rdf.String:
		s.text(string(t))
	case rdf.TypedString:
		s.text(string(t.Value))
		s.text(string(t.Type))
	case rdf.LangString:
		s.text(string(t.Value))
		s.text(t.Lang)
	case Rows:
		s.number(int(t))
	default:
		s.unknown = true
	}
}

func (s *shaper) operand(o sparql.Operand) {
	if o.Var != "" {
		s.letter('v')
		s.text(string(o.Var))
		return
	}
	s.term(o.Term)
}

// end is the subject or the object of a pattern: a constant is lifted.
func (s *shaper) end(o sparql.Operand) {
	if o.Var != "" || s.whole || kindOf(o.Term) == 0 {
		s.operand(o)
		return
	}
	i := slices.Index(s.constants, o.Term)
	if i < 0 {
		i = len(s.constants)
		s.constants = append(s.constants, o.Term)
	}
	s.unknown = s.unknown || i > maxLifted
	s.letter('c')
	s.letter(kindOf(o.Term))
	s.number(i)
}

// maxLifted bounds the search for constants that repeat.
const maxLifted = 200

func (s *shaper) op(op sparql.Op) {
	if s.full() {
		return
	}
	switch op := op.(type) {
	case sparql.BGP:
		s.letter('B')
		s.number(len(op.Patterns))
		for _, p := range op.Patterns {
			s.end(p.Subject)
			s.operand(p.Predicate)
			s.end(p.Object)
		}
	case sparql.PathPattern:
		s.letter('P')
		s.end(op.Subject)
		s.path(op.Path)
		s.end(op.Object)
	case sparql.Join:
		s.letter('J')
		s.op(op.Left)
		s.op(op.Right)
	case sparql.LeftJoin:
		s.letter('L')
		s.op(op.Left)
		s.op(op.Right)
		s.expr(op.Expr)
	case sparql.Filter:
		s.letter('F')
		s.expr(op.Expr)
		s.op(op.Op)
	case sparql.Union:
		s.letter('U')
		s.op(op.Left)
		s.op(op.Right)
	case sparql.Minus:
		s.letter('M')
		s.op(op.Left)
		s.op(op.Right)
	case sparql.Graph:
		s.graphs = true
		s.letter('G')
		s.operand(op.Name)
		s.graph(op.Name.Term)
		s.op(op.Op)
	default:
		s.modifier(op)
	}
}

func (s *shaper) modifier(op sparql.Op) {
	switch op := op.(type) {
	case sparql.Extend:
		s.letter('E')
		s.op(op.Op)
		s.text(string(op.Var))
		s.bound(op.Expr)
	case sparql.Table:
		s.table(op)
	case sparql.Group:
		s.group(op)
	case sparql.OrderBy:
		s.letter('O')
		s.op(op.Op)
		s.number(len(op.Keys))
		for _, k := range op.Keys {
			s.expr(k.Expr)
			s.flag(k.Descending)
			s.flag(k.Stored)
		}
	case sparql.Project:
		s.letter('p')
		s.op(op.Op)
		s.vars(op.Vars)
	case sparql.Distinct:
		s.letter('D')
		s.op(op.Op)
	case sparql.Reduced:
		s.letter('R')
		s.op(op.Op)
	case sparql.Slice:
		s.letter('S')
		s.op(op.Op)
		s.rows(op.Offset)
		s.rows(op.Limit)
	default:
		s.unknown = true
	}
}

// rows is how many rows to skip or to take: a number is lifted, none at all is not.
func (s *shaper) rows(n int64) {
	if n <= 0 {
		s.number(int(n))
		return
	}
	s.letter('r')
	s.end(sparql.Operand{Term: Rows(n)})
}

// bound is what BIND gives a variable: a constant is lifted, too.
func (s *shaper) bound(e sparql.Expr) {
	if c, ok := e.(sparql.TermExpr); ok {
		s.letter('=')
		s.end(sparql.Operand{Term: c.Term})
		return
	}
	s.expr(e)
}

func (s *shaper) table(op sparql.Table) {
	s.letter('T')
	s.vars(op.Vars)
	s.number(len(op.Rows))
	for _, row := range op.Rows {
		if s.full() {
			return
		}
		for _, t := range row {
			s.term(t)
		}
	}
}

func (s *shaper) group(op sparql.Group) {
	s.letter('g')
	s.op(op.Op)
	s.number(len(op.Keys))
	for _, k := range op.Keys {
		s.expr(k.Expr)
		s.text(string(k.Var))
	}
	s.number(len(op.Aggregates))
	for _, a := range op.Aggregates {
		s.text(string(a.Var))
		s.expr(a.Aggregate)
	}
}

func (s *shaper) expr(e sparql.Expr) {
	if s.full() {
		return
	}
	switch e := e.(type) {
	case nil:
		s.letter('n')
	case sparql.VarExpr:
		s.letter('v')
		s.text(string(e.Var))
	case sparql.TermExpr:
		s.letter('t')
		s.term(e.Term)
	case sparql.Call:
		s.letter('c')
		s.text(string(e.Func))
		s.exprs(e.Args)
	case sparql.Cast:
		s.letter('k')
		s.text(string(e.IRI))
		s.exprs(e.Args)
	case sparql.Exists:
		s.letter('e')
		s.flag(e.Not)
		s.op(e.Op)
	case sparql.Aggregate:
		s.letter('a')
		s.text(string(e.Func))
		s.flag(e.Distinct)
		s.expr(e.Expr)
		s.text(e.Separator)
	default:
		s.unknown = true
	}
}

func (s *shaper) exprs(list []sparql.Expr) {
	s.number(len(list))
	for _, e := range list {
		s.expr(e)
	}
}

func (s *shaper) path(p sparql.Path) {
	switch p := p.(type) {
	case sparql.Link:
		s.letter('l')
		s.text(string(p.IRI))
	case sparql.Inverse:
		s.letter('^')
		s.path(p.Path)
	case sparql.Sequence:
		s.letter('/')
		s.path(p.Left)
		s.path(p.Right)
	case sparql.Alternative:
		s.letter('|')
		s.path(p.Left)
		s.path(p.Right)
	case sparql.ZeroOrMore:
		s.letter('*')
		s.path(p.Path)
	case sparql.OneOrMore:
		s.letter('+')
		s.path(p.Path)
	case sparql.ZeroOrOne:
		s.letter('?')
		s.path(p.Path)
	case sparql.NegatedSet:
		s.letter('!')
		s.iris(p.Forward)
		s.iris(p.Backward)
	default:
		s.unknown = true
	}
}

func slotsOf(constants []rdf.Term) map[rdf.Term]Slot {
	slots := make(map[rdf.Term]Slot, len(constants))
	for i, t := range constants {
		slots[t] = Slot(i)
	}
	return slots
}

// lifted is an end of a pattern with its slot, if it has one.
func (l *lowerer) lifted(o sparql.Operand) sparql.Operand {
	if o.Var != "" {
		return o
	}
	if slot, ok := l.slots[o.Term]; ok {
		return sparql.Operand{Term: slot}
	}
	return o
}
