package sparql

import (
	"strconv"
	"strings"
)

// Dump writes the algebra of the query for people, as S-expressions.
func (q *Query) Dump() string { return q.DumpNoted(nil) }

// DumpNoted is Dump with a note behind the first line of each operator, unless it is
// empty. The function is asked once for each, outer ones first, and sees those inside
// a GRAPH in one of their own; nil notes nothing.
func (q *Query) DumpNoted(note func(Op) string) string {
	d := newDumper(q.Prefixes)
	d.note = note
	switch q.Form {
	case Construct:
		d.open("construct")
		d.patterns("template", q.Template)
	case Describe:
		d.open("describe", d.describes(q))
	case Ask:
		d.open("ask")
	default:
	}
	d.dataset(q.Dataset)
	d.op(q.Op)
	if q.Form != Select {
		d.close()
	}
	return d.text()
}

// Dump writes an operator for people, as S-expressions; terms by these prefixes,
// which may be nil.
func Dump(op Op, prefixes map[string]string) string {
	d := newDumper(prefixes)
	d.op(op)
	return d.text()
}

// dumper writes one line an operator, indented below that which holds it.
type dumper struct {
	printer
	note    func(Op) string
	graph   *Graph // around the operator, without it; nil outside all
	pending string // the note of the operator that begins
}

func newDumper(prefixes map[string]string) *dumper { return &dumper{printer: *newPrinter(prefixes)} }

func (d *dumper) text() string { return strings.TrimPrefix(d.Builder.String(), "\n") }

// open begins an operator; close ends it.
func (d *dumper) open(parts ...string) {
	d.line("(", strings.Join(without(parts, ""), " "))
	if d.pending != "" {
		d.write("  ; ", d.pending)
		d.pending = ""
	}
	d.indent++
}

// noted asks for the note of an operator.
func (d *dumper) noted(op Op) {
	if d.note == nil || op == nil {
		return
	}
	if d.graph != nil {
		op = Graph{Name: d.graph.Name, Op: op}
	}
	d.pending = d.note(op)
}

// inside writes a GRAPH, and remembers it for the notes of the operators in it.
func (d *dumper) inside(g Graph) {
	defer func(outer *Graph) { d.graph = outer }(d.graph)
	d.graph = &g
	d.nest([]string{"graph", d.operand(g.Name)}, g.Op)
}

func without(parts []string, none string) []string {
	kept := parts[:0]
	for _, p := range parts {
		if p != none {
			kept = append(kept, p)
		}
	}
	return kept
}

func (d *dumper) close() {
	d.indent--
	d.write(")")
}

// nest writes an operator with its operands.
func (d *dumper) nest(parts []string, ops ...Op) {
	d.open(parts...)
	for _, op := range ops {
		d.op(op)
	}
	d.close()
}

func (d *dumper) op(op Op) {
	d.noted(op)
	switch op := op.(type) {
	case BGP:
		d.patterns("bgp", op.Patterns)
	case PathPattern:
		d.nest([]string{"path", d.operand(op.Subject), d.pathText(op.Path), d.operand(op.Object)})
	case Join:
		d.nest([]string{"join"}, op.Left, op.Right)
	case LeftJoin:
		d.nest([]string{"leftjoin", d.optional(op.Expr)}, op.Left, op.Right)
	case Filter:
		d.nest([]string{"filter", d.exprText(op.Expr)}, op.Op)
	case Union:
		d.nest([]string{"union"}, op.Left, op.Right)
	case Minus:
		d.nest([]string{"minus"}, op.Left, op.Right)
	case Graph:
		d.inside(op)
	case Extend:
		d.nest([]string{"extend", "?" + string(op.Var), d.exprText(op.Expr)}, op.Op)
	case Table:
		d.open("table", d.vars(op.Vars))
		for _, row := range op.Rows {
			d.line("(row")
			for _, term := range row {
				d.write(" ", d.term(term))
			}
			d.write(")")
		}
		d.close()
	case Service:
		d.nest([]string{"service", strings.TrimSpace(silent(op.Silent)), d.operand(op.Name)}, op.Op)
	case Group:
		d.nest([]string{"group", listed(op.Keys, d.keyText), listed(op.Aggregates, d.aggregationText)}, op.Op)
	case OrderBy:
		d.nest([]string{"order", listed(op.Keys, d.orderText)}, op.Op)
	case Project:
		d.nest([]string{"project", d.vars(op.Vars)}, op.Op)
	case Distinct:
		d.nest([]string{"distinct"}, op.Op)
	case Reduced:
		d.nest([]string{"reduced"}, op.Op)
	case Slice:
		d.nest([]string{"slice", strconv.FormatInt(op.Offset, 10), limitText(op.Limit)}, op.Op)
	}
}

func limitText(limit int64) string {
	if limit < 0 {
		return "_"
	}
	return strconv.FormatInt(limit, 10)
}

// operand writes the pattern's own variables as variables: ?.0.
func (d *dumper) operand(o Operand) string {
	if o.Var != "" {
		return "?" + string(o.Var)
	}
	return d.term(o.Term)
}

func (d *dumper) patterns(name string, patterns []TriplePattern) {
	d.open(name)
	for _, t := range patterns {
		d.line("(triple ", d.operand(t.Subject), " ", d.verbText(t.Predicate), " ", d.operand(t.Object), ")")
	}
	d.close()
}

func (d *dumper) verbText(o Operand) string {
	if o.Var != "" {
		return d.operand(o)
	}
	return d.verb(o)
}

func (d *dumper) pathText(path Path) string {
	p := printer{prefixes: d.prefixes}
	p.path(path, links)
	return p.Builder.String()
}

func (d *dumper) describes(q *Query) string {
	p := printer{prefixes: d.prefixes}
	p.described(q)
	return strings.TrimSpace(p.Builder.String())
}

// listed writes items in parentheses.
func listed[T any](items []T, text func(T) string) string {
	parts := make([]string, len(items))
	for i, item := range items {
		parts[i] = text(item)
	}
	return "(" + strings.Join(parts, " ") + ")"
}

func (d *dumper) vars(vars []Var) string {
	return listed(vars, func(v Var) string { return "?" + string(v) })
}

func (d *dumper) dataset(s Dataset) {
	for _, iri := range s.Default {
		d.line("(from ", d.iri(iri), ")")
	}
	for _, iri := range s.Named {
		d.line("(from-named ", d.iri(iri), ")")
	}
}

func (d *dumper) keyText(k GroupKey) string {
	text := d.exprText(k.Expr)
	if v, ok := k.Expr.(VarExpr); k.Var != "" && (!ok || v.Var != k.Var) {
		return "(?" + string(k.Var) + " " + text + ")"
	}
	return text
}

func (d *dumper) aggregationText(a Aggregation) string {
	return "(?" + string(a.Var) + " " + d.exprText(a.Aggregate) + ")"
}

func (d *dumper) orderText(k OrderKey) string {
	text := d.exprText(k.Expr)
	if k.Stored {
		text = "(stored " + text + ")"
	}
	if k.Descending {
		text = "(desc " + text + ")"
	}
	return text
}
