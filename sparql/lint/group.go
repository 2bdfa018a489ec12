package lint

import (
	"fmt"
	"maps"
	"slices"

	"trails/rdf"
	"trails/sparql"
)

// group is the part of a pattern that every solution matches completely.
type group struct {
	*run
	patterns []sparql.TriplePattern
	dead     []bool // patterns that already have a warning
	paths    []sparql.PathPattern
	tables   []sparql.Table
	extends  []sparql.Extend
	filters  []sparql.Filter
	sorts    []sparql.OrderBy
	others   []sparql.Op // operators that read graphs which nobody validates
	below    []sparql.Op // operators with groups of their own, whose solutions are joined
	options  []sparql.LeftJoin
	without  []sparql.Op // operands of MINUS
	known    facts
	nodes    []sparql.Var // ends of patterns that are subjects or predicates
	empties  bool         // the text has no solutions if the group has none
	emptied  bool         // the answer is empty only if the group has none: it has to, or is a side of UNION, or what is counted
}

// group lints an operator and those below it, and returns what is known of its solutions. Nothing is known from
// outside but outer.
func (r *run) group(op sparql.Op, outer facts, empties bool) facts {
	g := &group{run: r, known: facts{}, empties: empties, emptied: empties || r.part}
	r.part = false
	for v, f := range outer {
		if f.certain {
			g.known[v] = f
		}
	}
	g.collect(op)
	if r.foreign || len(g.patterns) > maxPatterns {
		g.patterns = nil
	}
	g.dead = make([]bool, len(g.patterns))
	g.certain()
	for _, e := range g.extends {
		if constant, ok := e.Expr.(sparql.TermExpr); ok {
			g.bind(e.Var, fact{values: r.constant(constant.Term), certain: true})
		}
	}
	g.narrow()
	for _, below := range g.below {
		for v, f := range r.below(below, g.known, empties, g.emptied) {
			g.bind(v, f)
		}
	}
	g.narrow()
	for i := range g.tables {
		g.table(g.tables[i])
	}
	for _, v := range g.nodes {
		if f := g.known[v]; f.any {
			f.values = values{types: r.everything, other: true}
			g.known[v] = f
		}
	}
	g.present()
	g.together()
	for _, e := range g.extends {
		if _, constant := e.Expr.(sparql.TermExpr); constant {
			continue
		}
		r.inScope(e.Op, func() {
			v := r.value(e.Expr, g.known, used, false)
			g.valueless(e, v)
			g.bind(e.Var, fact{values: v.values, certain: !v.fails && !v.told, by: propertyOf(e.Expr, g.known)})
		})
	}
	for _, o := range g.options {
		inner := r.group(o.Right, g.known, false)
		for v, f := range inner {
			if _, ok := g.known[v]; !ok {
				f.certain = false
				g.known[v] = f
			}
		}
		if o.Expr != nil {
			r.inScope(o, func() { r.value(o.Expr, g.known, required, false) })
		}
	}
	for _, op := range g.without {
		r.group(op, g.known, false)
	}
	for _, op := range g.others {
		vars := map[sparql.Var]bool{}
		bindings(op, vars)
		for v := range vars {
			if !g.known[v].certain {
				g.known[v] = fact{values: anything}
			}
		}
	}
	for _, f := range g.filters {
		r.inScope(f.Op, func() { r.condition(f.Expr, g.known, empties) })
	}
	g.contradictions()
	g.tellUnmatched()
	for _, s := range g.sorts {
		r.inScope(s.Op, func() {
			for _, k := range s.Keys {
				r.value(k.Expr, g.known, used, false)
				r.constantKey("ORDER BY sorts nothing by", k.Expr, g.known)
			}
		})
	}
	return g.known
}

// valueless warns that no row of the answer has the value of an expression, although all its variables have one.
func (g *group) valueless(e sparql.Extend, v outcome) {
	sum, isVar := e.Expr.(sparql.VarExpr)
	if a := g.aggregates[sum.Var].Func; isVar && (g.known[sum.Var].told || a != sparql.Sum && a != sparql.Avg) {
		return // the others have no value of no solutions
	}
	uncertain := sparql.Some(e.Expr, func(e sparql.Expr) bool {
		v, isVar := e.(sparql.VarExpr)
		_, folded := g.aggregates[v.Var]
		return isVar && !folded && !g.known[v.Var].certain
	})
	if g.empties && !uncertain && !v.told && slices.Contains(g.missed, e.Var) {
		g.warnAt(e.Expr, propertyOf(e.Expr, g.known), false, "%s has no value in any solution: it is an error for each", g.expression(e.Expr))
	}
}

// bind adds a fact about a variable.
func (g *group) bind(v sparql.Var, f fact) {
	if old, ok := g.known[v]; ok {
		f = old.with(f)
	}
	g.known[v] = f
}

// collect sorts the operators below op into the fields of the group.
func (g *group) collect(op sparql.Op) {
	switch op := op.(type) {
	case sparql.BGP:
		g.patterns = append(g.patterns, op.Patterns...)
	case sparql.PathPattern:
		g.paths = append(g.paths, op)
		if more, ok := op.Path.(sparql.OneOrMore); ok {
			if link, ok := more.Path.(sparql.Link); ok { // its first and its last step
				step := func(end string) sparql.Operand {
					return sparql.Operand{Var: sparql.Var(fmt.Sprintf(".%s%d", end, len(g.paths)))}
				}
				predicate := sparql.Operand{Term: link.IRI}
				g.patterns = append(g.patterns, sparql.TriplePattern{Subject: op.Subject, Predicate: predicate, Object: step("first")},
					sparql.TriplePattern{Subject: step("last"), Predicate: predicate, Object: op.Object})
			}
		}
	case sparql.Join:
		g.collect(op.Left)
		g.collect(op.Right)
	case sparql.Filter:
		g.collect(op.Op)
		g.filters = append(g.filters, op)
	case sparql.Extend:
		g.collect(op.Op)
		g.extends = append(g.extends, op)
	case sparql.Table:
		g.tables = append(g.tables, op)
	case sparql.LeftJoin:
		g.collect(op.Left)
		g.options = append(g.options, op)
	case sparql.Minus:
		g.collect(op.Left)
		g.without = append(g.without, op.Right)
	case sparql.OrderBy:
		g.collect(op.Op)
		g.sorts = append(g.sorts, op)
	case sparql.Distinct:
		g.collect(op.Op)
	case sparql.Reduced:
		g.collect(op.Op)
	case sparql.Slice:
		g.collect(op.Op)
	case sparql.Union, sparql.Project, sparql.Group:
		g.below = append(g.below, op)
	case sparql.Graph, sparql.Service, sparql.Search:
		g.others = append(g.others, op)
	}
}

// below lints an operator with a group of its own.
func (r *run) below(op sparql.Op, outer facts, empties, emptied bool) facts {
	r.part = emptied
	switch op := op.(type) {
	case sparql.Union:
		left := r.group(op.Left, outer, false)
		r.part = emptied
		right := r.group(op.Right, outer, false)
		for v, f := range right {
			if old, ok := left[v]; ok {
				if f.by != old.by {
					f.by = ""
				}
				f.values, f.certain = old.or(f.values), old.certain && f.certain
			} else {
				f.certain = false
			}
			left[v] = f
		}
		for v, f := range left {
			if _, ok := right[v]; !ok {
				f.certain = false
				left[v] = f
			}
		}
		return left
	case sparql.Project:
		missed := r.missed
		r.missed = slices.DeleteFunc(slices.Clone(missed), func(v sparql.Var) bool { return !slices.Contains(op.Vars, v) })
		defer func() { r.missed = missed }()
		return kept(r.group(op.Op, r.within(outer, op.Vars), empties), op.Vars)
	case sparql.Group:
		var keys []sparql.Var
		for _, k := range op.Keys {
			if v, ok := k.Expr.(sparql.VarExpr); ok && (k.Var == "" || k.Var == v.Var) {
				keys = append(keys, v.Var)
			}
		}
		inner := r.group(op.Op, r.within(outer, keys), empties && len(op.Keys) > 0)
		out := kept(inner, keys)
		r.inScope(op.Op, func() {
			for _, k := range op.Keys {
				v := r.value(k.Expr, inner, used, false)
				r.constantKey("GROUP BY makes one group by", k.Expr, inner)
				if _, known := out[k.Var]; k.Var != "" && !known {
					out[k.Var] = fact{values: v.values, certain: !v.fails && !v.told}
				}
			}
			for _, a := range op.Aggregates {
				r.aggregates[a.Var] = a.Aggregate
				out[a.Var] = r.aggregated(a.Aggregate, inner)
			}
		})
		return out
	}
	return r.group(op, outer, empties)
}

// within returns the facts about the variables that a subquery returns and about those that get their values from
// outside.
func (r *run) within(outer facts, vars []sparql.Var) facts {
	out := kept(outer, vars)
	maps.Copy(out, r.given)
	return out
}

// kept returns the facts about some of the variables.
func kept(known facts, vars []sparql.Var) facts {
	out := facts{}
	for _, v := range vars {
		if f, ok := known[v]; ok {
			out[v] = f
		}
	}
	return out
}

// certain marks the variables that every solution binds.
func (g *group) certain() {
	note := func(v sparql.Var) {
		f, ok := g.known[v]
		if !ok {
			f.values = anything
		}
		f.certain = true
		g.known[v] = f
	}
	for _, p := range g.patterns {
		for _, o := range []sparql.Operand{p.Subject, p.Predicate, p.Object} {
			if o.Var != "" {
				note(o.Var)
			}
		}
		for _, o := range []sparql.Operand{p.Subject, p.Predicate} {
			if o.Var != "" {
				g.nodes = append(g.nodes, o.Var)
			}
		}
		if p.Object.Var != "" && p.Predicate.Term == rdf.Type {
			g.nodes = append(g.nodes, p.Object.Var)
		}
	}
	for _, p := range g.paths {
		for _, o := range []sparql.Operand{p.Subject, p.Object} {
			if o.Var != "" {
				note(o.Var)
			}
		}
	}
	for _, t := range g.tables {
		for i, v := range t.Vars {
			if !slices.ContainsFunc(t.Rows, func(row []rdf.Term) bool { return row[i] == nil }) {
				note(v)
			}
		}
	}
}

// narrow lets patterns restrict their variables until nothing changes; patterns with rdf:type come first.
func (g *group) narrow() {
	for _, types := range []bool{true, false} {
		for range maxRounds {
			changed := false
			for i, p := range g.patterns {
				if !g.dead[i] && (p.Predicate.Term == rdf.Type) == types {
					changed = g.apply(i) || changed
				}
			}
			if !changed {
				break
			}
		}
	}
}

// apply lets one pattern restrict its subject and object.
func (g *group) apply(i int) (changed bool) {
	p := g.patterns[i]
	predicate, _ := p.Predicate.Term.(rdf.IRI)
	if predicate == rdf.Type {
		class, _ := p.Object.Term.(rdf.IRI)
		t := g.schema.TypeByIRI(class)
		if t == nil || p.Subject.Var == "" {
			return false
		}
		f, instances := g.known[p.Subject.Var], values{types: g.instances[t]}
		if f.and(instances).empty() && !f.typed && !g.instances[t].empty() {
			g.dead[i] = true
			g.neverOf(p, f.values)
			return false
		}
		if f.and(instances).empty() {
			f.values, f.open = anything, true
			g.known[p.Subject.Var] = f
			return false
		}
		changed = g.limit(p.Subject, instances, "")
		f = g.known[p.Subject.Var]
		f.typed = true
		g.known[p.Subject.Var] = f
		return changed
	}
	if predicate == "" {
		if seen := g.anyOf(g.only(p.Predicate), p.Object.Var); !g.of(p.Object, g.known).and(seen).empty() {
			return g.limit(p.Object, seen, "")
		}
		return false
	}
	declared := g.declared[predicate]
	if len(declared) == 0 {
		if p.Subject.Var != "" {
			g.subjects[predicate] = g.known[p.Subject.Var].values
		}
		if seen := g.objects(predicate, p.Object.Var); !g.of(p.Object, g.known).and(seen).empty() {
			return g.limit(p.Object, seen, predicate)
		}
		return false
	}
	subject, object := g.of(p.Subject, g.known), g.of(p.Object, g.known)
	if g.illFormed(p.Object.Term) {
		object = values{} // the schema allows no such value
	}
	if !g.own(predicate) && !g.allDeclare(subject, declared) {
		return false // a property of another vocabulary, which may be used for anything
	}
	from, to := g.fits(declared, subject, object)
	if from.empty() {
		g.dead[i] = true
		g.never(p, declared, subject, object)
		return false
	}
	changed = g.limit(p.Subject, from, "")
	return g.limit(p.Object, to, predicate) || changed
}

// fits returns the subjects and objects, among those given, that a property may connect.
func (r *run) fits(declared []declaration, subject, object values) (from, to values) {
	for _, d := range declared {
		at := values{types: d.types}.and(subject)
		if !at.empty() && !d.values.and(object).empty() {
			from, to = from.or(at), to.or(d.values)
		}
	}
	return from, to
}

// allDeclare reports that all types of the subjects declare a property.
func (r *run) allDeclare(subject values, declared []declaration) bool {
	if subject.any || subject.other {
		return false
	}
	var all typeSet
	for _, d := range declared {
		all = all.or(d.types)
	}
	return subject.types.within(all)
}

// limit restricts the values of a variable.
func (g *group) limit(o sparql.Operand, to values, by rdf.IRI) (changed bool) {
	f := g.known[o.Var]
	if o.Var == "" || f.open {
		return false
	}
	narrowed := f.and(to)
	changed = !narrowed.same(f.values)
	f.values = narrowed
	if by != "" && (f.by == "" || changed) {
		f.by = by
	}
	g.known[o.Var] = f
	return changed
}

// table warns about literals of VALUES that their variable cannot be: ones that its property does not list, ones of
// another datatype, and all literals if the variable is a subject or a predicate.
func (g *group) table(t sparql.Table) {
	for i, v := range t.Vars {
		f, ok := g.known[v]
		isNode := func(p sparql.TriplePattern) bool { return p.Subject.Var == v || p.Predicate.Var == v }
		if slices.ContainsFunc(g.patterns, isNode) {
			for _, row := range t.Rows[:min(len(t.Rows), maxRows)] {
				if rdf.IsLiteral(row[i]) {
					g.noNode(row[i], f.values, g.empties && len(t.Rows) == 1)
				}
			}
		}
		if ok && f.any && !f.open {
			g.known[v] = fact{values: g.constantsOf(t, i), certain: f.certain}
		}
		if !ok || f.by == "" || f.any {
			continue
		}
		for _, row := range t.Rows[:min(len(t.Rows), maxRows)] {
			term := row[i]
			if !rdf.IsLiteral(term) {
				continue
			}
			if one := g.constant(term); f.and(one).empty() && g.absent(rdf.Quad{Predicate: f.by, Object: term}, false) {
				reason := g.unlikeLiteral(sparql.Operand{Term: term}, f.by, f.values, one)
				if iri := g.nodeOf(f.values, rdf.Lexical(term)); f.nodes() && iri != "" {
					reason += "; write " + g.name(iri)
				}
				g.warnAt(sparql.TermExpr{Term: term}, f.by, g.empties && len(t.Rows) == 1, "%s in VALUES can never match under the schema: %s", g.term(term), reason)
			} else if !f.and(one).empty() && isText(term) && g.absent(rdf.Quad{Predicate: f.by, Object: term}, false) {
				g.noValue(sparql.TermExpr{Term: term}, g.term(term)+" in VALUES matches nothing", f.by, term, g.empties && len(t.Rows) == 1)
			}
		}
	}
}

// noNode warns that a literal of VALUES is used as a subject or predicate, and says which node it names.
func (g *group) noNode(literal rdf.Term, nodes values, empties bool) {
	way := ""
	if iri := g.nodeOf(nodes, rdf.Lexical(literal)); iri != "" {
		way = fmt.Sprintf("; write %s", g.name(iri))
	}
	g.warnAt(sparql.TermExpr{Term: literal}, "", empties, "%s in VALUES can never match: a subject or a predicate is no literal%s", g.term(literal), way)
}

// constantsOf returns the terms of a column of VALUES if they are few and none is UNDEF.
func (r *run) constantsOf(t sparql.Table, column int) (v values) {
	for _, row := range t.Rows {
		if row[column] == nil || len(t.Rows) > maxListed {
			return anything
		}
		v = v.or(r.constant(row[column]))
	}
	return v
}

// present warns about values in patterns that the data does not have.
func (g *group) present() {
	for i, p := range g.patterns {
		predicate, _ := p.Predicate.Term.(rdf.IRI)
		object := p.Object.Term
		if f := g.known[p.Object.Var]; p.Object.Var != "" && f.certain && len(f.oneOf) == 1 && !f.any {
			object = f.oneOf[0]
		}
		if predicate == rdf.Type && rdf.IsLiteral(object) {
			g.dead[i] = true
			g.warnAt(p, "", g.empties, "%s can never match: a class is an IRI, and %s is %s%s", g.pattern(p), g.term(object), g.kinds(g.constant(object)), g.classHint(p, rdf.Lexical(object)))
		}
		if g.dead[i] || predicate == "" || predicate == rdf.Type || !rdf.IsLiteral(object) {
			continue
		}
		if g.absent(rdf.Quad{Predicate: predicate, Object: object}, false) {
			g.dead[i] = g.noValue(p, g.pattern(p)+" matches nothing", predicate, object, g.empties && !g.asked && len(g.declared[predicate]) > 0)
		}
	}
}
