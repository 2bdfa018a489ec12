package lower

import (
	"strconv"
	"strings"

	"trails/db/plan"
	"trails/rdf"
	"trails/sparql"
	"trails/sparql/opt"
)

// Walk is a transitive path over links in one graph, read from the virtual table t_reach(k, g, a, x): x is each node
// that Plan.Walks[k] reaches from a in the graph g, once.
type Walk struct {
	Steps []Link
	// Zero means that the path may have no step, Many that it may have several.
	Zero, Many bool
	// Anywhere means that one end is a given term: a path without a step matches it even if it is no node of the
	// graph.
	Anywhere bool
	// Named means that the graph is a named one.
	Named bool
}

// String returns the property path.
func (w Walk) String() string {
	links := make([]string, len(w.Steps))
	for i, link := range w.Steps {
		links[i] = "<" + string(link.Predicate) + ">"
		if link.Inverse {
			links[i] = "^" + links[i]
		}
	}
	repeated := "?"
	switch {
	case w.Many && w.Zero:
		repeated = "*"
	case w.Many:
		repeated = "+"
	}
	return "(" + strings.Join(links, "|") + ")" + repeated
}

// Link is one possible step.
type Link struct {
	Predicate rdf.IRI
	Inverse   bool
}

// linksOf returns the links if a path is an alternative of links.
func linksOf(p sparql.Path) (list []Link, ok bool) {
	for _, branch := range branches(opt.Forward(p)) {
		var link Link
		switch branch := branch.(type) {
		case sparql.Link:
			link.Predicate = branch.IRI
		case sparql.Inverse:
			inner, isLink := branch.Path.(sparql.Link)
			if !isLink {
				return nil, false
			}
			link = Link{inner.IRI, true}
		default:
			return nil, false
		}
		list = append(list, link)
	}
	return list, true
}

// isOneStored reports whether it is a single graph stored in the table live.
func (g graph) isOneStored() bool {
	return len(g.in) == 1 && g.any == "" && len(g.virtual) == 0
}

// reach lowers a transitive path to the table t_reach, which uses what is known of its ends.
func (l *lowerer) reach(op sparql.PathPattern, steps []Link, c closure, s scope) *block {
	t := l.alias()
	w := walkOf(op, steps, c, s)
	b := l.startsOf(op, t, s)
	b.from = append(b.from, item{table: "t_reach", alias: t, fanOut: func() float64 { return rowsOfClosure }})
	if n := l.patternNode(plan.Path, op, s.graph); n != nil {
		it := &b.from[len(b.from)-1]
		it.key = t + ".rowid"
		it.seen = seen(n, it.key)
		l.fanOuts[n] = it.fanOut
		b.node = n
	}
	b.where = append(b.where, t+".k = "+strconv.Itoa(len(l.walks)), t+".g = "+s.graph.in[0])
	l.walks = append(l.walks, w)
	l.end(b, op.Subject, field{t, "a"}.column(), s)
	l.end(b, op.Object, field{t, "x"}.column(), s)
	return b
}

// walkOf returns the Walk of a path.
func walkOf(op sparql.PathPattern, steps []Link, c closure, s scope) Walk {
	return Walk{Steps: steps, Zero: c.zero, Many: c.many, Named: s.graph.named, Anywhere: s.gives(op.Subject) || s.gives(op.Object)}
}

// startsOf lists where paths begin, if earlier solutions bind an end but SQLite may not pass the value to the table,
// as in a union.
func (l *lowerer) startsOf(op sparql.PathPattern, t string, s scope) *block {
	b := &block{}
	if !s.free || s.gives(op.Subject) || s.gives(op.Object) {
		return b
	}
	v, place := op.Subject.Var, t+".a"
	giver := s.bound.giver(v)
	if giver == nil {
		v, place = op.Object.Var, t+".x"
		giver = s.bound.giver(v)
	}
	if giver == nil {
		return b
	}
	z := l.alias()
	if values := l.valuesOf(giver, v, 1); values != "" {
		b.from = []item{{table: values, alias: z}}
		b.where = []string{place + " = " + z + ".v"}
	}
	return b
}

// maxRepeated bounds the text that is repeated for the starts of a path: each path would double what is before it.
// Beyond that, paths begin anywhere.
const maxRepeated = 100_000

// valuesOf is a subquery of the values that a block gives to a variable, to be repeated n times in the statement; ""
// if that is too long.
func (l *lowerer) valuesOf(b *block, v sparql.Var, times int) string {
	once := &block{from: b.uncounted().from, where: b.where, distinct: true}
	sql := "(" + once.render(b.cols.of[v].sql+" AS v") + ")"
	if l.repeated+times*len(sql) > maxRepeated {
		return ""
	}
	l.repeated += times * len(sql)
	return sql
}

func (l *lowerer) end(b *block, o sparql.Operand, c column, s scope) {
	if o.Var == "" {
		b.where = append(b.where, c.sql+" = "+l.term(o.Term))
		return
	}
	l.meet(b, o.Var, c, s)
}
