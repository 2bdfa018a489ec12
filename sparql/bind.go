package sparql

import (
	"slices"
	"strconv"
	"strings"

	"trails/fault"
	"trails/rdf"
)

// Bind returns a copy of the query with terms in the place of variables (parameters), in subqueries as well. The
// answer has no column for a parameter; the caller adds it, with the same term in every row. A parameter that the
// text does not use, or to which it assigns a value itself, is an InvalidArguments fault.
func (q *Query) Bind(params map[Var]rdf.Term) (*Query, error) {
	if len(params) == 0 {
		return q, nil
	}
	b := newBinder(params)
	out := *q
	out.Op = b.op(q.Op)
	for _, v := range q.Vars {
		b.note(v)
	}
	out.Template = eachTriple(q.Template, b.operand)
	return &out, b.done()
}

// Bind is [Query.Bind] for updates; the operations share the parameters.
func (u *Update) Bind(params map[Var]rdf.Term) (*Update, error) {
	if len(params) == 0 {
		return u, nil
	}
	b := newBinder(params)
	out := *u
	out.Operations = make([]Operation, len(u.Operations))
	for i, o := range u.Operations {
		if m, ok := o.(Modify); ok {
			m.Delete, m.Insert, m.Where = b.quads(m.Delete), b.quads(m.Insert), b.op(m.Where)
			o = m
		}
		out.Operations[i] = o
	}
	return &out, b.done()
}

// binder replaces the parameters in one query or update.
type binder struct {
	params map[Var]rdf.Term
	named  map[Var]bool // the variables of the text
	marks  int
	// samples maps the variable that stands for SAMPLE(?parameter) to the term of the parameter.
	samples map[Var]rdf.Term
	// elsewhere counts the SERVICE clauses around the operator that is being read; another endpoint evaluates their
	// content.
	elsewhere int
	err       error
}

func newBinder(params map[Var]rdf.Term) *binder {
	return &binder{params: params, named: map[Var]bool{}, samples: map[Var]rdf.Term{}}
}

// done returns the fault of parameters that the text does not use or assigns.
func (b *binder) done() error {
	var unknown []string
	for v := range b.params {
		if !b.named[v] {
			unknown = append(unknown, string(v))
		}
	}
	if len(unknown) == 0 {
		return b.err
	}
	slices.Sort(unknown)
	var names []string
	for v := range b.named {
		names = append(names, "?"+string(v))
	}
	slices.Sort(names)
	known := ""
	if len(names) > 0 {
		known = "; it names " + strings.Join(names[:min(len(names), 10)], ", ")
	}
	fields := make([]fault.FieldError, len(unknown))
	for i, name := range unknown {
		fields[i] = fault.FieldError{Field: "params." + name, Code: fault.Closed, Message: "the text names no variable ?" + name + known}
	}
	return fault.Arguments(fields...)
}

// note remembers that the text names a variable, and returns its parameter.
func (b *binder) note(v Var) (rdf.Term, bool) {
	if v == "" || strings.HasPrefix(string(v), ".") {
		return nil, false
	}
	b.named[v] = true
	t, ok := b.params[v]
	return t, ok
}

// assigned refuses a parameter to which the text assigns a value.
func (b *binder) assigned(v Var) {
	if _, ok := b.note(v); ok && b.err == nil {
		b.err = fault.Arguments(fault.FieldError{Field: "params." + string(v), Code: fault.Closed, Message: "the text gives ?" + string(v) + " a value itself (AS), so that it is no parameter"})
	}
}

func (b *binder) operand(o Operand) Operand {
	if t, ok := b.note(o.Var); ok {
		return Operand{Term: t}
	}
	return o
}

func (b *binder) quads(list []QuadPattern) []QuadPattern {
	out := make([]QuadPattern, len(list))
	for i, p := range list {
		out[i] = QuadPattern{b.operand(p.Graph), p.each(b.operand)}
	}
	return out
}

func (b *binder) op(op Op) Op {
	switch op := op.(type) {
	case Minus:
		return b.minus(op)
	case Extend:
		b.assigned(op.Var)
	case Table:
		return b.table(op)
	case Service:
		b.elsewhere++
		defer func() { b.elsewhere-- }()
	case Group:
		return b.group(op)
	case Project:
		return Project{b.op(op.Op), b.kept(op.Vars)}
	}
	return EachOperand(eachEnd(op, b.operand), b.op, b.expr) // operands first: they fill samples
}

// kept returns the variables that are not parameters.
func (b *binder) kept(vars []Var) []Var {
	out := make([]Var, 0, len(vars))
	for _, v := range vars {
		if _, ok := b.note(v); !ok {
			out = append(out, v)
		}
	}
	return out
}

// minus binds the parameters in both sides of MINUS. MINUS only removes solutions that share a variable with a
// solution of its right side. A parameter that both sides use is no longer a variable, so both sides get a marker
// variable with the same value in its place.
func (b *binder) minus(op Minus) Op {
	outside := b.named
	b.named = map[Var]bool{}
	left := b.op(op.Left)
	inLeft := b.named
	b.named = map[Var]bool{}
	right := b.op(op.Right)
	inRight := b.named
	b.named = outside
	shared := false
	for v := range b.params {
		shared = shared || inLeft[v] && inRight[v]
		if inLeft[v] || inRight[v] {
			b.named[v] = true
		}
	}
	if !shared {
		return Minus{left, right}
	}
	b.marks++
	mark := Var(".param" + strconv.Itoa(b.marks))
	set := TermExpr{rdf.Literal("", rdf.XSDString)}
	return Minus{Extend{left, mark, set}, Extend{right, mark, set}}
}

// table keeps the rows in which a parameter's column has the parameter's term or UNDEF.
func (b *binder) table(t Table) Op {
	out := Table{Vars: b.kept(t.Vars)}
	for _, row := range t.Rows {
		var kept []rdf.Term
		fits := true
		for i, v := range t.Vars {
			want, ok := b.note(v)
			switch {
			case !ok:
				kept = append(kept, row[i])
			case row[i] != nil && row[i] != want:
				fits = false
			}
		}
		if fits {
			out.Rows = append(out.Rows, kept)
		}
	}
	return out
}

func (b *binder) group(op Group) Op {
	out := Group{Op: b.op(op.Op)}
	for _, k := range op.Keys {
		key := GroupKey{b.expr(k.Expr), k.Var}
		if _, ok := b.note(k.Var); ok {
			if _, plain := k.Expr.(VarExpr); !plain {
				b.assigned(k.Var)
			}
			key.Var = ""
		}
		out.Keys = append(out.Keys, key)
	}
	for _, a := range op.Aggregates {
		if v, ok := a.Aggregate.Expr.(VarExpr); ok && a.Aggregate.Func == Sample {
			if t, ok := b.note(v.Var); ok {
				b.samples[a.Var] = t // also of an empty group
			}
		}
		a.Aggregate.Expr = b.expr(a.Aggregate.Expr)
		out.Aggregates = append(out.Aggregates, a)
	}
	return out
}

func (b *binder) expr(e Expr) Expr {
	switch e := e.(type) {
	case VarExpr:
		if t, ok := b.note(e.Var); ok {
			return TermExpr{t}
		}
		if t, ok := b.samples[e.Var]; ok {
			return TermExpr{t}
		}
		return e
	case Call:
		return b.call(e)
	case Cast:
		return Cast{e.IRI, b.exprs(e.Args)}
	case Exists:
		return Exists{e.Not, b.op(e.Op)}
	}
	return e
}

// call replaces BOUND(?parameter) by true, because BOUND takes only a variable. It checks a regular expression that
// has become a constant.
func (b *binder) call(e Call) Expr {
	if v, ok := boundVar(e); ok {
		if _, ok := b.note(v); ok {
			return TermExpr{rdf.Literal("true", rdf.XSDBoolean)}
		}
		return e
	}
	out := Call{e.Func, b.exprs(e.Args)}
	if wrong := WrongPattern(out); wrong != nil && WrongPattern(e) == nil && b.elsewhere == 0 && b.err == nil {
		b.err = fault.New(fault.InvalidArguments, "%v", wrong)
	}
	return out
}

func boundVar(e Call) (Var, bool) {
	if e.Func != Bound || len(e.Args) != 1 {
		return "", false
	}
	v, ok := e.Args[0].(VarExpr)
	return v.Var, ok
}

func (b *binder) exprs(list []Expr) []Expr {
	if list == nil {
		return nil
	}
	out := make([]Expr, len(list))
	for i, e := range list {
		out[i] = b.expr(e)
	}
	return out
}
