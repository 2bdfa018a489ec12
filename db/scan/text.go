package scan

import (
	"fmt"
	"strconv"
	"strings"
)

// String lists what is read, a line each, for people: sN is a slot, ?N an argument.
func (p *Program) String() string {
	var out strings.Builder
	p.write(&out, "\n  ")
	return out.String()
}

var negated = map[bool]string{true: "not "}

func (p *Program) write(out *strings.Builder, line string) {
	for i, s := range p.Steps {
		use := "each row in turn"
		switch {
		case i > 0 && s.Subject.Arg == 0 && s.Object.Arg == 0:
			use = "into a table"
		case i > 0:
			use = "into a set"
		}
		fmt.Fprintf(out, "%s%s ?%d %s, about %.0f rows, %s", line, s.Subject, s.Predicate, s.Object, s.Rows, use)
	}
	for _, w := range p.Within {
		fmt.Fprintf(out, "%swhere s%d is %sbetween ?%d and ?%d", line, w.Slot, negated[w.Not], w.Low, w.High)
	}
	for _, m := range p.Members {
		fmt.Fprintf(out, "%swhere (%s) is %samong the", line, slotNames(m.Slots), negated[m.Not])
		m.Of.write(out, line+"  ")
	}
	columns := slotNames(p.Keys)
	for _, a := range p.Aggregates {
		columns += ", " + functions[a.Func] + "(s" + strconv.Itoa(a.Slot) + ")"
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
	fmt.Fprintf(out, "%sgives %s%s", line, kind, strings.TrimPrefix(columns, ", "))
}

func slotNames(slots []int) string {
	names := make([]string, len(slots))
	for i, slot := range slots {
		names[i] = "s" + strconv.Itoa(slot)
	}
	return strings.Join(names, ", ")
}

var functions = [...]string{Count: "count", CountDistinct: "count distinct", Sum: "sum", Min: "min", Max: "max"}

// String is the slot or the argument.
func (e End) String() string {
	if e.Arg != 0 {
		return "?" + strconv.Itoa(e.Arg)
	}
	return "s" + strconv.Itoa(e.Slot)
}
