package lint

import (
	"fmt"
	"slices"

	"trails/rdf"
	"trails/sparql"
	"trails/sparql/expr"
)

// tellUnmatched names what leaves an answer without solutions that nothing else explains: a pattern that no statement
// matches, or a condition that no value meets.
func (g *group) tellUnmatched() {
	if !g.found.Empty || !g.emptied || g.asked || g.explained() {
		return
	}
	for i, p := range g.patterns {
		if !g.dead[i] && g.matchesNothing(p) {
			return
		}
	}
	for _, f := range g.filters {
		for _, e := range conjuncts(f.Expr) {
			if g.metByNone(e) {
				return
			}
		}
	}
}

// explained reports whether there is a warning of another kind already.
func (r *run) explained() bool {
	return len(r.unknown)+len(r.misfits)+len(r.elsewhere)+len(r.missing) > r.unmatched
}

// tellsUnmatched adds a warning about what matches nothing.
func (g *group) tellsUnmatched(at any, about rdf.IRI, format string, args ...any) {
	before := len(g.misfits)
	g.add(&g.misfits, Warning{Text: fmt.Sprintf(format, args...), Empties: g.empties, About: about, at: at})
	g.unmatched += len(g.misfits) - before
}

// matchesNothing warns about a pattern that no statement matches.
func (g *group) matchesNothing(p sparql.TriplePattern) bool {
	predicate, ok := p.Predicate.Term.(rdf.IRI)
	if !ok || !g.absent(rdf.Quad{Subject: p.Subject.Term, Predicate: predicate, Object: p.Object.Term}, false) {
		return false
	}
	name, subject, object := g.short(predicate), p.Subject.Term, p.Object.Term
	class, isClass := object.(rdf.IRI)
	isClass = isClass && predicate == rdf.Type
	var says string
	switch {
	case subject != nil && isClass:
		says = fmt.Sprintf("%s is no %s", g.endName(p.Subject), g.short(class))
	case subject != nil && object != nil:
		says = fmt.Sprintf("%s has no %s %s", g.endName(p.Subject), name, g.endName(p.Object))
	case subject != nil:
		says = fmt.Sprintf("%s has no %s", g.endName(p.Subject), name)
	case isClass:
		says = fmt.Sprintf("no node is a %s", g.short(class))
	case object != nil:
		says = fmt.Sprintf("no %s is %s", name, g.endName(p.Object))
	default:
		says = "no statement has the property " + name
	}
	g.tellsUnmatched(p, predicate, "%s matches nothing: %s", g.pattern(p), says)
	return true
}

// endName returns the words for a subject or object: Type/id for a node that the schema names.
func (g *group) endName(o sparql.Operand) string {
	if iri, ok := o.Term.(rdf.IRI); ok {
		return g.node(iri)
	}
	return g.end(o)
}

// metByNone warns about a condition on a value of a property that none of its values meets, of which there are few
// enough to look at. It names the least and the greatest for a comparison.
func (g *group) metByNone(e sparql.Expr) bool {
	v, by := g.about(e)
	if by == "" || g.err != nil {
		return false
	}
	if g.lookups += searchCosts; g.lookups > maxLookups {
		return false
	}
	pattern, name := rdf.Quad{Predicate: by}, g.short(by)
	for _, p := range g.patterns {
		if p.Object.Var == v && p.Predicate.Term == by && p.Subject.Term != nil {
			pattern.Subject, name = p.Subject.Term, g.short(by)+" of "+g.endName(p.Subject)
		}
	}
	var least, greatest rdf.Term
	test, n := expr.Compile(e), 0
	for q, err := range g.data.Match(g.ctx, pattern) {
		if n++; err != nil || n > maxSearched {
			g.err = err
			return false
		}
		if q.Label != nil {
			continue
		}
		if yes, err := test.Test(object{term: q.Object}); err == nil && yes {
			return false
		}
		if least == nil || expr.Compare(q.Object, least) < 0 {
			least = q.Object
		}
		if greatest == nil || expr.Compare(q.Object, greatest) > 0 {
			greatest = q.Object
		}
	}
	if least == nil {
		return false
	}
	there := ""
	of, _, _ := restrictionIn(e)
	if _, isVar := of.(sparql.VarExpr); isVar && rdf.IsLiteral(least) {
		there = fmt.Sprintf("; they are from %s to %s", g.term(least), g.term(greatest))
		if least == greatest {
			there = "; there is " + g.term(least)
		}
	}
	g.tellsUnmatched(e, by, "%s is true of no %s%s", g.expression(e), name, there)
	return true
}

// about returns the variable and the property whose value a condition is about, and about nothing else; "" if there is
// none.
func (g *group) about(e sparql.Expr) (only sparql.Var, by rdf.IRI) {
	more := sparql.Some(e, func(part sparql.Expr) bool {
		switch part := part.(type) {
		case sparql.VarExpr:
			if only == "" {
				only = part.Var
			}
			return part.Var != only
		case sparql.Call:
			return part.Func == "NOW" || part.Func == "IRI" || part.Func == "URI" // of the time and the base of the query
		case sparql.Exists, sparql.Aggregate:
			return true
		}
		return false
	})
	if known := g.known[only]; !more && !sparql.IsVolatile(e) && (known.certain || !sparql.Some(e, lenient)) {
		return only, known.by
	}
	return "", ""
}

// lenient reports whether an expression may have a value although a variable in it has none.
func lenient(e sparql.Expr) bool {
	call, _ := e.(sparql.Call)
	return slices.Contains([]sparql.Func{sparql.Bound, sparql.Coalesce, sparql.If, sparql.Or, sparql.In, sparql.NotIn}, call.Func)
}

// sliced warns that LIMIT and OFFSET leave nothing of an answer that nothing else explains.
func (r *run) sliced(op sparql.Op) {
	slice, ok := op.(sparql.Slice)
	switch {
	case !ok || !r.found.Empty || r.explained():
	case slice.Limit == 0:
		r.add(&r.misfits, Warning{Text: "LIMIT 0 asks for no solution", Empties: true})
	case slice.Offset > 0:
		r.add(&r.misfits, Warning{Text: fmt.Sprintf("no solution is left behind OFFSET %d; leave it out to see whether there are fewer", slice.Offset), Empties: true})
	}
}
