package sparql

import (
	"strconv"
	"strings"
)

// optional is the text of an expression that may be nil.
func (d *dumper) optional(e Expr) string {
	if e == nil {
		return ""
	}
	return d.exprText(e)
}

func (d *dumper) exprText(e Expr) string {
	switch e := e.(type) {
	case VarExpr:
		return "?" + string(e.Var)
	case TermExpr:
		return d.term(e.Term)
	case Call:
		return d.list(dumpNames(e), e.Args)
	case Cast:
		return d.list(d.iri(e.IRI), e.Args)
	case Aggregate:
		parts := []string{strings.ToLower(string(e.Func))}
		if e.Distinct {
			parts = append(parts, "distinct")
		}
		if e.Func == GroupConcat {
			parts = append(parts, "(separator "+strconv.Quote(e.Separator)+")")
		}
		if e.Expr != nil {
			parts = append(parts, d.exprText(e.Expr))
		}
		return "(" + strings.Join(parts, " ") + ")"
	case Exists:
		// The pattern stands below the line of the expression.
		inner := dumper{printer: printer{prefixes: d.prefixes, indent: d.indent + 2}}
		name := "exists"
		if e.Not {
			name = "notexists"
		}
		inner.write("(", name)
		inner.op(e.Op)
		inner.write(")")
		return inner.Builder.String()
	default:
		return ""
	}
}

// dumpNames writes functions small, and both signs of one operand as people do.
func dumpNames(e Call) string {
	switch e.Func {
	case Negate:
		return "-"
	case Plus:
		return "+"
	case NotIn:
		return "notin"
	default:
		return strings.ToLower(string(e.Func))
	}
}

func (d *dumper) list(name string, args []Expr) string {
	parts := []string{name}
	for _, a := range args {
		parts = append(parts, d.exprText(a))
	}
	return "(" + strings.Join(parts, " ") + ")"
}
