package scan

import (
	"fmt"
	"strconv"
	"strings"
)

// Text describes what is read, one line for each step, for people: sN is a slot, ?N an argument. passed are the
// statistics of a run (see [Env.Passed]), or nil.
func (p *Program) Text(passed map[*Step]Passed) string {
	var out strings.Builder
	p.write(&out, "\n  ", passed, merging{})
	return out.String()
}

var (
	negated  = map[bool]string{true: "not "}
	optional = map[bool]string{true: ", optional"}
	// descending is written before a slot of an order.
	descending = map[bool]string{true: "descending "}
)

func (p *Program) write(out *strings.Builder, line string, passed map[*Step]Passed, around merging) {
	merges := p.merges(around)
	uses := p.uses(merges)
	for i := range p.Steps {
		s := &p.Steps[i]
		rows := fmt.Sprintf("about %.0f rows", s.Rows)
		if of, ok := passed[s]; ok {
			rows += fmt.Sprintf(" of which %d pass", of.Rows)
			if of.Values > 0 {
				rows += fmt.Sprintf(", looked up by %d values", of.Values)
			}
		}
		by := "?" + strconv.Itoa(s.Predicate)
		if s.Walk != 0 {
			by = "t_reach " + strconv.Itoa(s.Walk-1)
			if s.Closure != nil {
				by += " from every node"
			}
		}
		columns := [...]string{
			SubjectObject:    fmt.Sprint(s.Subject, " ", by, " ", s.Object),
			SubjectPredicate: fmt.Sprint(s.Subject, " ", s.Object, " any"),
			PredicateObject:  fmt.Sprint("any ", s.Subject, " ", s.Object),
		}
		fmt.Fprintf(out, "%s%s, %s, %s", line, columns[s.Columns], rows, ways[uses[i].way]+optional[s.Optional])
	}
	for _, w := range p.Within {
		fmt.Fprintf(out, "%swhere s%d is %sbetween ?%d and ?%d", line, w.Slot, negated[w.Not], w.Low, w.High)
	}
	for _, a := range p.Among {
		fmt.Fprintf(out, "%swhere s%d is one of %s", line, a.Slot, strings.Join(argNames(a.Args), ", "))
	}
	for _, a := range p.Asked {
		fmt.Fprintf(out, "%swhere s%d makes expression %d true, asked once for each value", line, a.Slot, a.Expr)
	}
	for _, d := range p.Differ {
		fmt.Fprintf(out, "%swhere %s differ", line, slotNames(d.Slots[:]))
	}
	for _, m := range p.Members {
		fmt.Fprintf(out, "%swhere (%s) is %samong the", line, slotNames(m.Slots), negated[m.Not])
		m.Of.write(out, line+"  ", passed, merging{alike: true})
	}
	if m := p.Match; m != nil {
		fmt.Fprintf(out, "%swith (%s) where expression %d of %s is equal to expression %d of the other's %s, of", line, slotNames(m.Slots), m.Left.Expr, slotNames(m.Left.Of), m.Right.Expr, slotNames(m.Right.Of))
		m.Of.write(out, line+"  ", passed, merging{alike: merges.alike})
	}
	for _, side := range p.Sides {
		out.WriteString(line + "each (" + slotNames(side.Slots) + ") of")
		side.Of.write(out, line+"  ", passed, merges)
	}
	for _, c := range p.Computed {
		fmt.Fprintf(out, "%ss%d is expression %d of %s", line, c.Slot, c.Expr, slotNames(c.Of))
	}
	columns := slotNames(p.Keys)
	for i := range p.Aggregates {
		a := &p.Aggregates[i]
		of := "s" + strconv.Itoa(a.Slot)
		if a.Func == Fold {
			of = fmt.Sprintf("%d, expression %d of %s", a.Number, a.Expr, slotNames(a.Of))
		}
		columns += ", " + functions[a.Func] + "(" + of + ")"
	}
	kind := ""
	switch {
	case p.Grouped:
		kind = "groups of "
	case p.Distinct:
		kind = "different "
	}
	for _, h := range p.Having {
		fmt.Fprintf(out, "%shaving column %d between ?%d and ?%d", line, h.Slot, h.Low, h.High)
	}
	if len(p.Order) > 0 {
		by := make([]string, len(p.Order))
		for i, o := range p.Order {
			by[i] = descending[o.Descending] + "s" + strconv.Itoa(o.Slot)
		}
		fmt.Fprintf(out, "%skeeps the first %s by %s", line, strings.Join(argNames(p.First), " + "), strings.Join(by, ", "))
	}
	fmt.Fprintf(out, "%sgives %s%s", line, kind, strings.TrimPrefix(columns, ", "))
}

func argNames(args []int) []string {
	names := make([]string, len(args))
	for i, arg := range args {
		names[i] = "?" + strconv.Itoa(arg)
	}
	return names
}

func slotNames(slots []int) string {
	names := make([]string, len(slots))
	for i, slot := range slots {
		names[i] = "s" + strconv.Itoa(slot)
	}
	return strings.Join(names, ", ")
}

var functions = [...]string{Count: "count", CountBound: "count bound", CountDistinct: "count distinct", Sum: "sum", Min: "min", Max: "max", Fold: "aggregate"}

// String returns the slot or the argument.
func (e End) String() string {
	if e.Arg != 0 {
		return "?" + strconv.Itoa(e.Arg)
	}
	return "s" + strconv.Itoa(e.Slot)
}
