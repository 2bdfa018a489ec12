package lint

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"trails/rdf"
	"trails/sparql"
)

// constantKey warns about a key of ORDER BY or GROUP BY that is the same for all solutions.
func (r *run) constantKey(does string, key sparql.Expr, known facts) {
	if sparql.Some(key, func(e sparql.Expr) bool {
		call, _ := e.(sparql.Call)
		_, varies := around[call.Func]
		switch e.(type) {
		case sparql.VarExpr, sparql.Exists, sparql.Aggregate:
			varies = true
		}
		return varies
	}) {
		return
	}
	way := ""
	if constant, ok := key.(sparql.TermExpr); ok {
		name := rdf.Lexical(constant.Term)
		if iri, isIRI := constant.Term.(rdf.IRI); isIRI {
			name = localName(iri)
		}
		for _, v := range slices.Sorted(maps.Keys(known)) {
			if string(v) == name || known[v].by != "" && v[0] != '.' && localName(known[v].by) == name {
				way = "; did you mean ?" + string(v) + "?"
			}
		}
	}
	r.add(&r.misfits, Warning{Text: fmt.Sprintf("%s %s: it is the same for all solutions%s", does, r.expression(key), way), at: key})
}

// only returns the few IRIs that a variable may be in every solution, by VALUES, BIND and conditions; nil if they are
// not known.
func (g *group) only(o sparql.Operand) (list []rdf.IRI) {
	var terms []rdf.Term
	for _, t := range g.tables {
		if i := slices.Index(t.Vars, o.Var); i >= 0 && len(t.Rows) <= maxListed {
			for _, row := range t.Rows {
				terms = append(terms, row[i])
			}
		}
	}
	for _, e := range g.extends {
		if constant, ok := e.Expr.(sparql.TermExpr); ok && e.Var == o.Var && len(terms) == 0 {
			terms = []rdf.Term{constant.Term}
		}
	}
	for _, f := range g.filters {
		for _, e := range conjuncts(f.Expr) {
			of, c, ok := restrictionIn(e)
			if v, isVar := of.(sparql.VarExpr); ok && isVar && v.Var == o.Var && c.sign == sparql.Equal && len(terms) == 0 {
				terms = c.terms
			}
		}
	}
	if o.Var == "" {
		terms = []rdf.Term{o.Term}
	}
	for _, t := range terms {
		iri, ok := t.(rdf.IRI)
		if !ok {
			return nil
		}
		list = append(list, iri)
	}
	return list
}

// anyOf returns the values of a variable that is the object of one of some properties.
func (g *group) anyOf(predicates []rdf.IRI, v sparql.Var) (all values) {
	if len(predicates) == 0 {
		return anything
	}
	for _, p := range predicates {
		own := g.objects(p, v)
		if g.own(p) && len(g.declared[p]) > 0 {
			own = values{}
			for _, d := range g.declared[p] {
				own = own.or(d.values)
			}
		}
		all = all.or(own)
	}
	return all
}

// together warns about classes of one variable that no node has together.
func (g *group) together() {
	before := map[sparql.Var][][]rdf.IRI{}
	for i, p := range g.patterns {
		classes, v := g.only(p.Object), p.Subject.Var
		if g.dead[i] || p.Predicate.Term != rdf.Type || v == "" || len(classes) == 0 {
			continue
		}
		for _, others := range before[v] {
			if !slices.ContainsFunc(classes, func(a rdf.IRI) bool {
				return slices.ContainsFunc(others, func(b rdf.IRI) bool { return !g.disjoint(a, b) })
			}) {
				all := strings.Join(g.shorts(slices.Concat(others, classes)), " ")
				g.warnAt(p, classes[0], g.empties, "%s matches nothing: no node is both %s and %s; if one is enough, write VALUES ?type { %s } %s a ?type",
					g.pattern(p), listed(g.shorts(others)), listed(g.shorts(classes)), all, g.operand(p.Subject))
				return
			}
		}
		before[v] = append(before[v], classes)
	}
}

// disjoint reports that there are nodes of one of two classes, and none of both. It examines more of them if the answer is
// empty, and is false if there are more.
func (g *group) disjoint(a, b rdf.IRI) bool {
	most := maxLooked
	if g.found.Empty {
		most = maxSearched
	}
	if t, u := g.schema.TypeByIRI(a), g.schema.TypeByIRI(b); a == b || t != nil && t.Abstract || u != nil && u.Abstract {
		return false
	}
	for _, pair := range [][2]rdf.IRI{{a, b}, {b, a}} {
		n := 0
		for q, err := range g.data.Match(g.ctx, rdf.Quad{Predicate: rdf.Type, Object: pair[0], Label: rdf.DefaultGraph}) {
			if n++; err != nil || n > most {
				g.err = err
				break
			}
			for _, err := range g.data.Match(g.ctx, rdf.Quad{Subject: q.Subject, Predicate: rdf.Type, Object: pair[1], Label: rdf.DefaultGraph}) {
				g.err = err
				return false
			}
		}
		if n > 0 && n <= most && g.err == nil {
			return true
		}
	}
	return false
}
