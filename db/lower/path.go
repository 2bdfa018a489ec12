package lower

import (
	"slices"
	"strings"

	"trails/db/leaf"
	"trails/db/plan"
	"trails/rdf"
	"trails/sparql"
	"trails/sparql/opt"
)

// path is a property path (sections 9.1 and 18.4): where possible it is lowered to patterns, and the rest is a
// transitive path.
func (l *lowerer) path(op sparql.PathPattern, s scope) *block {
	op.Subject, op.Object = l.lifted(op.Subject), l.lifted(op.Object)
	steps := opt.Steps(op, l.fresh)
	op, ok := steps.(sparql.PathPattern)
	if !ok {
		return l.lower(steps, s)
	}
	if p, ok := op.Path.(sparql.NegatedSet); ok {
		b := l.negated(op, p, s)
		if n := b.node; n != nil && n.Kind == plan.Pattern {
			n.Kind, n.Of = plan.Path, l.patternNode(plan.Path, op, s.graph).Of
		}
		return b
	}
	if c, p, ok := closureOf(op.Path); ok {
		return l.closure(op, p, c, s)
	}
	l.refuse("this query has a path that is not known")
	return &block{}
}

// closureOf returns the operand of *, + or ?, and how often it may be repeated.
func closureOf(p sparql.Path) (c closure, of sparql.Path, ok bool) {
	switch p := p.(type) {
	case sparql.ZeroOrOne:
		return closure{zero: true}, p.Path, true
	case sparql.ZeroOrMore:
		return closure{zero: true, many: true}, p.Path, true
	case sparql.OneOrMore:
		return closure{zero: stays(p.Path), many: true}, p.Path, true
	}
	return closure{}, nil, false
}

// stays reports whether a path connects each term to itself, including one that is no node of the graph. A sequence
// does not: the term between its parts is a node.
func stays(p sparql.Path) bool {
	switch p := p.(type) {
	case sparql.ZeroOrOne, sparql.ZeroOrMore:
		return true
	case sparql.OneOrMore:
		return stays(p.Path)
	case sparql.Inverse:
		return stays(p.Path)
	case sparql.Alternative:
		return stays(p.Left) || stays(p.Right)
	}
	return false
}

func without(b *block, v sparql.Var) *block {
	out := &block{from: b.from, where: b.where, node: b.node}
	for _, other := range b.cols.vars {
		if other != v {
			out.cols.set(other, b.cols.of[other])
		}
	}
	return out
}

// negated is !(…) in the one direction that it mentions; see [opt.Steps].
func (l *lowerer) negated(op sparql.PathPattern, p sparql.NegatedSet, s scope) *block {
	if p.Forward == nil {
		return l.anyBut(op.Object, p.Backward, op.Subject, s)
	}
	return l.anyBut(op.Subject, p.Forward, op.Object, s)
}

func (l *lowerer) anyBut(subject sparql.Operand, but []rdf.IRI, object sparql.Operand, s scope) *block {
	predicate := sparql.Operand{Var: l.fresh()}
	b := l.bgp(sparql.BGP{Patterns: []sparql.TriplePattern{{Subject: subject, Predicate: predicate, Object: object}}}, s)
	if len(but) > 0 {
		b.where = append(b.where, b.cols.of[predicate.Var].sql+" NOT IN ("+strings.Join(l.graphs(but), ", ")+")")
	}
	return without(b, predicate.Var)
}

// closure says how often a path is repeated: whether not at all, and whether many times.
type closure struct{ zero, many bool }

// walk is a transitive path during lowering. Its table r has the columns x, the node reached; a, the node where it
// began, unless that is a single one; and g, its graph, if that is a variable.
type walk struct {
	closure
	scope
	from, to sparql.Operand
	start    string // the single start, or ""
	starts   string // a table of starts, whose alias is z and whose column is v, or ""
	r        string
	steps    []*block
}

// The variables at the ends of one step.
const (
	stepFrom sparql.Var = "..from"
	stepTo   sparql.Var = "..to"
)

// closure walks from the given end, or from all nodes if none is given.
func (l *lowerer) closure(op sparql.PathPattern, p sparql.Path, c closure, s scope) *block {
	if c.zero {
		for _, v := range []sparql.Var{op.Subject.Var, op.Object.Var} {
			if outer, ok := s.outer.get(v); ok && outer.maybe {
				return l.substituted(v, outer, s, func(s scope) *block { return l.closure(op, p, c, s) })
			}
		}
	}
	if links, ok := linksOf(p); ok && len(s.graph.virtual) == 0 {
		switch {
		case s.graph.isOneStored():
			return l.reach(op, links, c, s)
		case s.graph.any != "": // in each graph separately
			graphs, each := l.graphsOnly(s), s
			each.graph = graph{in: []string{graphs.cols.of[s.graph.any].sql}, named: true, name: s.graph.name}
			return l.merge(graphs, l.reach(op, links, c, each))
		}
	}
	l.nested++
	defer func() { l.nested-- }()
	if l.nested > maxNested {
		l.fail("a path has more than %d closures (*, + or ?) inside each other; write it with fewer", maxNested)
		return &block{}
	}
	w := &walk{closure: c, scope: s, from: op.Subject, to: op.Object, r: l.alias()}
	if l.endRank(op.Object, s) < l.endRank(op.Subject, s) {
		w.from, w.to, p = op.Object, op.Subject, opt.Inverted(p)
	}
	parts := branches(opt.Forward(p))
	l.begin(w, len(parts))
	for _, branch := range parts {
		w.steps = append(w.steps, l.step(branch, w))
	}
	members := l.firstMembers(w)
	if c.many {
		for _, b := range w.steps {
			members = append(members, w.member(b, item{table: w.r}, w.r+".x", w.r+".a", w.r+".g"))
		}
	}
	sql := "WITH RECURSIVE " + w.r + "(" + strings.Join(w.columns(), ", ") + ") AS (" +
		strings.Join(members, " UNION ") + ") SELECT " + strings.Join(w.columns(), ", ") + " FROM " + w.r
	return l.walked(w, sql, l.patternNode(plan.Path, op, s.graph))
}

// substituted lowers a path that may have no step for both cases of its end v: if the outer solution binds it, the
// value is substituted, and need not be a node of the graph; otherwise v is a variable.
func (l *lowerer) substituted(v sparql.Var, outer column, s scope, lower func(scope) *block) *block {
	s.free = s.free || s.bound != nil
	given, open := s, s
	given.outer, open.outer = &columns{}, &columns{}
	for _, other := range s.outer.vars {
		c := s.outer.of[other]
		if other == v {
			c.maybe = false
		} else {
			open.outer.set(other, c)
		}
		given.outer.set(other, c)
	}
	a, b := lower(given), lower(open)
	a.where = append(a.where, outer.sql+" IS NOT NULL")
	b.where = append(b.where, outer.sql+" IS NULL")
	return l.unite(a, b)
}

func (w *walk) columns() []string {
	list := []string{"x"}
	if w.start == "" {
		list = append(list, "a")
	}
	if w.graph.any != "" {
		list = append(list, "g")
	}
	return list
}

// endRank ranks the ends of a path: it should begin at the one with the lower rank.
func (l *lowerer) endRank(o sparql.Operand, s scope) int {
	if s.gives(o) {
		return 0
	}
	if s.bound.giver(o.Var) != nil {
		return 1
	}
	return 2
}

// begin decides where paths begin; parts is the number of alternative steps.
func (l *lowerer) begin(w *walk, parts int) {
	v := w.from.Var
	if v == "" {
		w.start = l.term(w.from.Term)
		return
	}
	if c, ok := w.outer.get(v); ok && !c.maybe {
		w.start = c.sql
		return
	}
	giver := w.bound.giver(v)
	if giver == nil {
		return
	}
	w.starts = l.valuesOf(giver, v, 2+parts)
}

// branches returns the alternatives of a path, each of which becomes a SELECT of the recursive table.
func branches(p sparql.Path) []sparql.Path {
	a, ok := p.(sparql.Alternative)
	if !ok {
		return []sparql.Path{p}
	}
	return append(branches(opt.Forward(a.Left)), branches(opt.Forward(a.Right))...)
}

// step is one step of the path, from a given node.
func (l *lowerer) step(p sparql.Path, w *walk) *block {
	given := &block{}
	if w.start != "" || w.starts != "" || w.many {
		given.cols.set(stepFrom, column{sql: "x"})
	}
	pattern := sparql.PathPattern{Subject: sparql.Operand{Var: stepFrom}, Path: p, Object: sparql.Operand{Var: stepTo}}
	return l.flatten(l.path(pattern, scope{graph: w.graph, bound: &known{block: given}, free: w.start == "" && w.starts == ""})).uncounted()
}

// member is one SELECT of the recursive table: a step joined behind a table.
func (w *walk) member(b *block, before item, place, origin, g string) string {
	out := &block{where: slices.Clone(b.where)}
	if before.table != "" {
		out.from = append(out.from, before)
	}
	out.from = append(out.from, b.from...)
	if place != "" {
		out.where = append(out.where, b.cols.of[stepFrom].sql+" = "+place)
	}
	fields := []string{b.cols.of[stepTo].sql}
	if w.start == "" {
		fields = append(fields, origin)
	}
	if w.graph.any != "" {
		fields = append(fields, b.cols.of[w.graph.any].sql)
		if g != "" {
			out.where = append(out.where, b.cols.of[w.graph.any].sql+" = "+g)
		}
	}
	return out.render(strings.Join(fields, ", "))
}

func (l *lowerer) firstMembers(w *walk) []string {
	var list []string
	if w.zero {
		list = l.zeroMembers(w)
	}
	if w.zero && w.many {
		return list
	}
	for _, b := range w.steps {
		switch {
		case w.start != "":
			list = append(list, w.member(b, item{}, w.start, "", ""))
		case w.starts != "":
			list = append(list, w.member(b, item{table: w.starts, alias: "z"}, "z.v", "z.v", ""))
		default:
			list = append(list, w.member(b, item{}, "", b.cols.of[stepFrom].sql, ""))
		}
	}
	return list
}

// zeroMembers are the paths without a step: at the given term, which need not be a node of the graph, or at every
// node.
func (l *lowerer) zeroMembers(w *walk) []string {
	if w.start != "" {
		b := l.graphsOnly(w.scope)
		fields := w.start
		if c, ok := b.cols.get(w.graph.any); ok {
			fields += ", " + c.sql
		}
		return []string{b.render(fields)}
	}
	var list, there []string
	for _, at := range []string{"s", "o"} {
		t := l.alias()
		b := &block{}
		by := leaf.OSP
		if at == "s" {
			by = leaf.SPO
		}
		b.from = append(b.from, l.triples(w.graph, t, by))
		l.inActive(b, t, w.scope)
		if w.starts != "" {
			b.where = append(b.where, t+"."+at+" = z.v")
			if w.graph.any == "" { // one statement of a node is enough
				there = append(there, b.exists())
				continue
			}
			b.from = slices.Insert(b.from, 0, item{table: w.starts, alias: "z"})
		}
		fields := t + "." + at + ", " + t + "." + at
		if w.graph.any != "" {
			fields += ", " + t + ".g"
		}
		list = append(list, b.render(fields))
	}
	if there != nil {
		b := &block{from: []item{{table: w.starts, alias: "z"}}, where: []string{"(" + strings.Join(there, " OR ") + ")"}}
		list = append(list, b.render("z.v, z.v"))
	}
	return list
}

// walked is the table of a transitive path, with the conditions on its ends.
func (l *lowerer) walked(w *walk, sql string, n *plan.Node) *block {
	t := l.alias()
	b := &block{from: []item{{table: "(" + l.short(sql) + ")", alias: t}}, node: n}
	if w.graph.any != "" {
		b.cols.set(w.graph.any, field{t, "g"}.column())
	}
	switch {
	case w.from.Var == "":
	case w.start == "":
		l.meet(b, w.from.Var, field{t, "a"}.column(), w.scope)
	default:
		b.cols.set(w.from.Var, column{sql: w.start, computed: true, tied: true})
	}
	if w.to.Var == "" {
		b.where = append(b.where, t+".x = "+l.term(w.to.Term))
	} else {
		l.meet(b, w.to.Var, field{t, "x"}.column(), w.scope)
	}
	return b
}
