package lower

import (
	"strconv"
	"strings"

	"trails/rdf"
	"trails/sparql"
	"trails/sparql/opt"
)

// Walk is a closure over links in one graph, which the table t_reach(k, g, a, x) has:
// x is what Plan.Walks[k] reaches from a in the graph g, each once.
type Walk struct {
	Steps []Link
	// Zero is set when a walk may stay where it is, Many when it may have several steps.
	Zero, Many bool
	// Anywhere is set when one end is a given term: a walk may stay there, and else only
	// at a node of the graph.
	Anywhere bool
	// Named is set when the graph is not the default one.
	Named bool
}

// String is the path of a walk.
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

// Link is one way to take a step.
type Link struct {
	Predicate rdf.IRI
	Inverse   bool
}

// linksOf are the links that a path is an alternative of.
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

// isOneStored reports whether it is one graph of the table live.
func (g graph) isOneStored() bool {
	return len(g.in) == 1 && g.any == "" && len(g.virtual) == 0
}

// reach is a closure as a table that depends on what is known of its ends.
func (l *lowerer) reach(op sparql.PathPattern, steps []Link, c closure, s scope) *block {
	t := l.alias()
	w := walkOf(op, steps, c, s)
	b := l.startsOf(op, t, s)
	b.from = append(b.from, item{table: "t_reach " + t, fanOut: func() float64 { return rowsOfClosure }})
	b.where = append(b.where, t+".k = "+strconv.Itoa(len(l.walks)), t+".g = "+s.graph.in[0])
	l.walks = append(l.walks, w)
	l.end(b, op.Subject, t+".a", s)
	l.end(b, op.Object, t+".x", s)
	return b
}

// walkOf is the walk of a closure.
func walkOf(op sparql.PathPattern, steps []Link, c closure, s scope) Walk {
	return Walk{Steps: steps, Zero: c.zero, Many: c.many, Named: s.graph.named, Anywhere: s.gives(op.Subject) || s.gives(op.Object)}
}

// startsOf lists where walks begin, when the solutions before have an end that may not
// reach the table by itself, as in a union.
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
	if values := l.valuesOf(giver, v, z, 1); values != "" {
		b.from = []item{{table: values}}
		b.where = []string{place + " = " + z + ".v"}
	}
	return b
}

// maxRepeated bounds the text that stands in a statement again because walks begin at
// what it gives: each walk would double what is before it. Others begin anywhere.
const maxRepeated = 100_000

// valuesOf is a table of the values v that a block gives a variable, to stand in the
// statement a number of times; "" when that is too long.
func (l *lowerer) valuesOf(b *block, v sparql.Var, alias string, times int) string {
	once := &block{from: b.from, where: b.where, distinct: true}
	sql := "(" + once.render(b.cols.of[v].sql+" AS v") + ") " + alias
	if l.repeated+times*len(sql) > maxRepeated {
		return ""
	}
	l.repeated += times * len(sql)
	return sql
}

func (l *lowerer) end(b *block, o sparql.Operand, place string, s scope) {
	if o.Var == "" {
		b.where = append(b.where, place+" = "+l.term(o.Term))
		return
	}
	l.meet(b, o.Var, place, s)
}

// gives reports whether an end is a term: its own, or that of the outer solution.
func (s scope) gives(o sparql.Operand) bool {
	if o.Var == "" {
		return true
	}
	c, ok := s.outer.get(o.Var)
	return ok && !c.maybe
}
