package sparql

import (
	"trails/rdf"
)

// binding is the precedence of an operator.
type binding int

const (
	lowest binding = iota
	conjunctive
	relational
	additive
	multiplicative
	unary
	primary
)

var bindings = map[Func]binding{
	Or: lowest, And: conjunctive,
	Equal: relational, NotEqual: relational, Less: relational, Greater: relational, LessOrEqual: relational, GreaterOrEqual: relational,
	In: relational, NotIn: relational,
	Add: additive, Subtract: additive, Multiply: multiplicative, Divide: multiplicative,
	Not: unary, Negate: unary, Plus: unary,
}

var unarySigns = map[Func]string{Not: "!", Negate: "-", Plus: "+"}

// expr writes an expression, in brackets if its precedence is lower than its position requires.
func (p *printer) expr(e Expr, place binding) {
	switch e := e.(type) {
	case VarExpr:
		if a, ok := p.aggregates[e.Var]; ok {
			p.aggregate(a)
			return
		}
		p.write(p.operand(Operand{Var: e.Var}))
	case TermExpr:
		p.write(p.term(e.Term))
	case Cast:
		p.write(p.iri(e.IRI))
		p.list(e.Args)
	case Exists:
		p.exists(e)
	case Aggregate:
		p.aggregate(e)
	case Call:
		p.call(e, place)
	}
}

func (p *printer) call(e Call, place binding) {
	own, operator := bindings[e.Func]
	if !operator {
		p.write(string(e.Func))
		p.list(e.Args)
		return
	}
	if own < place {
		p.write("(")
		defer p.write(")")
	}
	switch own {
	case unary:
		p.unary(e)
	case relational:
		p.relational(e)
	default:
		p.expr(e.Args[0], own)
		p.write(" ", string(e.Func), " ")
		p.expr(e.Args[1], own+1)
	}
}

// unary writes a sign. A number behind it is put in brackets, or the sign would become part of the number.
func (p *printer) unary(e Call) {
	p.write(unarySigns[e.Func])
	t, constant := e.Args[0].(TermExpr)
	if _, typed := t.Term.(rdf.TypedString); constant && typed {
		p.write("(", p.term(t.Term), ")")
		return
	}
	p.expr(e.Args[0], primary)
}

// relational writes a comparison: neither side may be another without brackets.
func (p *printer) relational(e Call) {
	p.expr(e.Args[0], additive)
	p.write(" ", string(e.Func), " ")
	if e.Func == In || e.Func == NotIn {
		p.list(e.Args[1:])
		return
	}
	p.expr(e.Args[1], additive)
}

func (p *printer) list(args []Expr) {
	p.write("(")
	for i, a := range args {
		if i > 0 {
			p.write(", ")
		}
		p.expr(a, lowest)
	}
	p.write(")")
}

func (p *printer) exists(e Exists) {
	if e.Not {
		p.write("NOT ")
	}
	p.write("EXISTS ")
	p.group(e.Op)
}

func (p *printer) aggregate(a Aggregate) {
	p.write(string(a.Func), "(")
	if a.Distinct {
		p.write("DISTINCT ")
	}
	if a.Expr == nil {
		p.write("*")
	} else {
		p.expr(a.Expr, lowest)
	}
	if a.Func == GroupConcat && a.Separator != " " {
		p.write("; SEPARATOR=", p.term(rdf.Literal(a.Separator, "")))
	}
	p.write(")")
}

// tightness is the precedence of a path operator.
type tightness int

const (
	alternatives tightness = iota
	sequences
	inverses
	repetitions
	links
)

func (p *printer) path(path Path, place tightness) {
	switch path := path.(type) {
	case Link:
		p.write(p.verb(Operand{Term: path.IRI}))
	case Inverse:
		p.bracket(inverses < place, func() {
			p.write("^")
			p.path(path.Path, repetitions)
		})
	case Sequence:
		p.infix(path.Left, "/", path.Right, sequences, place)
	case Alternative:
		p.infix(path.Left, "|", path.Right, alternatives, place)
	case ZeroOrMore:
		p.repeated(path.Path, "*", place)
	case OneOrMore:
		p.repeated(path.Path, "+", place)
	case ZeroOrOne:
		p.repeated(path.Path, "?", place)
	case NegatedSet:
		// A negated set of inverse predicates only is the inverse of a negated set.
		p.bracket(path.Forward == nil && len(path.Backward) == 0 && inverses < place, func() { p.negatedSet(path) })
	}
}

func (p *printer) infix(left Path, sign string, right Path, own, place tightness) {
	p.bracket(own < place, func() {
		p.path(left, own)
		p.write(sign)
		p.path(right, own+1)
	})
}

func (p *printer) repeated(path Path, sign string, place tightness) {
	p.bracket(repetitions < place, func() {
		p.path(path, links)
		p.write(sign)
	})
}

func (p *printer) bracket(needed bool, write func()) {
	if needed {
		p.write("(")
		defer p.write(")")
	}
	write()
}

func (p *printer) negatedSet(set NegatedSet) {
	if set.Forward == nil && len(set.Backward) == 0 {
		p.write("^")
	}
	p.write("!(")
	separator := ""
	for _, iri := range set.Forward {
		p.write(separator, p.verb(Operand{Term: iri}))
		separator = "|"
	}
	for _, iri := range set.Backward {
		p.write(separator, "^", p.verb(Operand{Term: iri}))
		separator = "|"
	}
	p.write(")")
}
