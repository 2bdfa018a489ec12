package sparql

import (
	"slices"
	"strconv"
	"strings"

	"trails/rdf"
)

// Dump writes the algebra of the query for people, as S-expressions.
func (q *Query) Dump() string {
	d := dumper{printer: newPrinter(q.Prefixes)}
	d.query(q)
	return d.text()
}

// DumpTerms is Dump for programs, without the prefixes. The function term appends the text of a term to dst. free is
// set for a subject or object of a pattern, for the value of BIND and for a [Rows]. The dump stops soon after it has
// written most bytes.
func (q *Query) DumpTerms(term func(dst []byte, t rdf.Term, free bool) []byte, most int) string {
	d := dumper{printer: &printer{}, terms: term, most: most, scratch: make([]byte, 0, 128)}
	d.Grow(512)
	d.write("<", q.Base, "> ")
	writeList(d.printer, q.Vars, true, d.variable)
	d.query(q)
	return d.text()
}

// Dump writes an operator for people, as S-expressions. Terms are abbreviated with prefixes, which may be nil.
func Dump(op Op, prefixes map[string]string) string {
	d := dumper{printer: newPrinter(prefixes)}
	d.op(op)
	return d.text()
}

// Rows is the number of rows of LIMIT or OFFSET where a term is expected.
type Rows int64

func (r Rows) String() string { return strconv.FormatInt(int64(r), 10) }

// Native makes Rows a term.
func (r Rows) Native() any { return int64(r) }

// dumper writes one operator on each line, indented below its parent.
type dumper struct {
	*printer
	// terms, if set, writes terms instead of the printer. It appends to scratch.
	terms   func(dst []byte, t rdf.Term, free bool) []byte
	scratch []byte
	most    int // bytes to write at most; 0 is no bound
}

func (d *dumper) text() string { return strings.TrimPrefix(d.String(), "\n") }

func (d *dumper) full() bool { return d.most > 0 && d.Len() > d.most }

func (d *dumper) query(q *Query) {
	body := func() {
		d.dataset(q.Dataset)
		d.op(q.Op)
	}
	switch q.Form {
	case Construct:
		d.line("(construct")
		d.block(func() {
			d.line("(template")
			d.block(func() { d.triples(q.Template) })
			body()
		})
	case Describe:
		d.line("(describe")
		d.described(q)
		d.block(body)
	case Ask:
		d.line("(ask")
		d.block(body)
	default:
		body()
	}
}

// block writes the operands on lines of their own, and then closes the parenthesis of the operator.
func (d *dumper) block(lines func()) {
	d.indent++
	lines()
	d.indent--
	d.write(")")
}

func (d *dumper) dataset(s Dataset) {
	for i, iri := range slices.Concat(s.Default, s.Named) {
		if i < len(s.Default) {
			d.line("(from ")
		} else {
			d.line("(from-named ")
		}
		d.term(iri, false)
		d.write(")")
	}
}

func (d *dumper) triples(patterns []TriplePattern) {
	for _, t := range patterns {
		d.line("(triple ")
		d.triple(t)
	}
}

func (d *dumper) triple(t TriplePattern) {
	d.operand(t.Subject, true)
	if t.Predicate.Term == rdf.Type {
		d.write(" a ")
	} else {
		d.write(" ")
		d.operand(t.Predicate, false)
		d.write(" ")
	}
	d.operand(t.Object, true)
	d.write(")")
}

func (d *dumper) op(op Op) {
	if op == nil || d.full() {
		return
	}
	d.head(op)
	d.block(func() {
		switch op := op.(type) {
		case BGP:
			d.triples(op.Patterns)
		case Table:
			for _, row := range op.Rows {
				if d.full() {
					return
				}
				d.line("(row")
				for _, term := range row {
					d.write(" ")
					d.term(term, false)
				}
				d.write(")")
			}
		}
		left, right := Operands(op)
		d.op(left)
		d.op(right)
	})
}

// head writes the line of an operator, without its operands.
func (d *dumper) head(op Op) {
	d.line("(")
	switch op := op.(type) {
	case BGP:
		d.write("bgp")
	case PathPattern:
		d.write("path ")
		d.operand(op.Subject, true)
		d.write(" ")
		d.path(op.Path, links)
		d.write(" ")
		d.operand(op.Object, true)
	case Join:
		d.write("join")
	case LeftJoin:
		d.write("leftjoin")
		if op.Expr != nil {
			d.write(" ")
			d.expr(op.Expr)
		}
	case Filter:
		d.write("filter ")
		d.expr(op.Expr)
	case Union:
		d.write("union")
	case Minus:
		d.write("minus")
	case Graph:
		d.write("graph ")
		d.operand(op.Name, false)
	case Extend:
		d.write("extend ?", string(op.Var), " ")
		if constant, ok := op.Expr.(TermExpr); ok {
			d.term(constant.Term, true)
		} else {
			d.expr(op.Expr)
		}
	case Table:
		d.write("table ")
		writeList(d.printer, op.Vars, true, d.variable)
	case Search:
		d.write("search ")
		writeList(d.printer, op.Found, true, func(o Operand) { d.operand(o, false) })
		d.write(" ")
		writeList(d.printer, op.Given, true, func(o Operand) { d.operand(o, false) })
	case Service:
		d.write("service ", silent(op.Silent))
		d.operand(op.Name, false)
	case Group:
		d.write("group ")
		writeList(d.printer, op.Keys, true, d.groupKey)
		d.write(" ")
		writeList(d.printer, op.Aggregates, true, func(a Aggregation) {
			d.write("(?", string(a.Var), " ")
			d.expr(a.Aggregate)
			d.write(")")
		})
	case OrderBy:
		d.write("order ")
		writeList(d.printer, op.Keys, true, d.orderKey)
	case Project:
		d.write("project ")
		writeList(d.printer, op.Vars, true, d.variable)
	case Distinct:
		d.write("distinct")
	case Reduced:
		d.write("reduced")
	case Slice:
		d.write("slice ")
		d.rows(op.Offset)
		d.write(" ")
		d.rows(op.Limit)
	}
}

// variable writes the pattern's own variables as variables: ?.0.
func (d *dumper) variable(v Var) { d.write("?", string(v)) }

func (d *dumper) operand(o Operand, free bool) {
	if o.Var != "" {
		d.variable(o.Var)
		return
	}
	d.term(o.Term, free)
}

func (d *dumper) term(t rdf.Term, free bool) {
	if d.terms == nil || t == nil {
		d.write(d.printer.term(t))
		return
	}
	d.scratch = d.terms(d.scratch[:0], t, free)
	_, _ = d.Write(d.scratch) // never fails
}

// rows writes a number of rows; a negative one, which means no bound, is written as _.
func (d *dumper) rows(n int64) {
	switch {
	case n < 0:
		d.write("_")
	case n > 0 && d.terms != nil:
		d.term(Rows(n), true)
	default:
		d.write(strconv.FormatInt(n, 10))
	}
}

func (d *dumper) groupKey(k GroupKey) {
	v, isVar := k.Expr.(VarExpr)
	if isVar && v.Var == k.Var || !isVar && k.Var == "" {
		d.expr(k.Expr)
		return
	}
	d.write("(?", string(k.Var), " ")
	d.expr(k.Expr)
	d.write(")")
}

func (d *dumper) orderKey(k OrderKey) {
	if k.Descending {
		d.write("(desc ")
		defer d.write(")")
	}
	if k.Stored {
		d.write("(stored ")
		defer d.write(")")
	}
	d.expr(k.Expr)
}

func (d *dumper) expr(e Expr) {
	if d.full() {
		return
	}
	switch e := e.(type) {
	case VarExpr:
		d.variable(e.Var)
	case TermExpr:
		d.term(e.Term, false)
	case Call:
		d.call(dumpedName(e.Func), e.Args)
	case Cast:
		d.call(d.iri(e.IRI), e.Args)
	case Aggregate:
		d.write("(", strings.ToLower(string(e.Func)))
		if e.Distinct {
			d.write(" distinct")
		}
		if e.Func == GroupConcat {
			d.write(" (separator ", strconv.Quote(e.Separator), ")")
		}
		if e.Expr != nil {
			d.write(" ")
			d.expr(e.Expr)
		}
		d.write(")")
	case Exists:
		// The pattern stands below the line of the expression.
		inner := *d
		inner.scratch = nil
		if e.Not {
			d.write("(notexists")
		} else {
			d.write("(exists")
		}
		d.indent += 2
		inner.op(e.Op)
		d.indent -= 2
		d.write(")")
	}
}

// dumpedName writes functions small, and both signs of one operand as people do.
func dumpedName(f Func) string {
	switch f {
	case Negate:
		return "-"
	case Plus:
		return "+"
	case NotIn:
		return "notin"
	default:
		return strings.ToLower(string(f))
	}
}

func (d *dumper) call(name string, args []Expr) {
	d.write("(", name)
	for _, a := range args {
		d.write(" ")
		d.expr(a)
	}
	d.write(")")
}
