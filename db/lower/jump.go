package lower

import (
	"trails/db/leaf"
	"trails/db/plan"
	"trails/sparql"
)

// jump lowers DISTINCT of the predicates of one subject, or of all, by skipping from one predicate to the next in the
// index, without reading all statements. It returns nil for other operators.
func (l *lowerer) jump(op sparql.Op, s scope) *block {
	project, ok := op.(sparql.Project)
	if !ok || len(project.Vars) != 1 || s.outer != nil || s.graph.named || len(s.graph.virtual) > 0 {
		return nil
	}
	bgp, ok := project.Op.(sparql.BGP)
	if !ok || len(bgp.Patterns) != 1 {
		return nil
	}
	p := bgp.Patterns[0]
	v := p.Predicate.Var
	if v != project.Vars[0] || p.Object.Var == "" || p.Object.Var == v || p.Subject.Var == v || p.Subject.Var == p.Object.Var {
		return nil
	}
	from := "FROM " + l.stored(s.graph, "", leaf.POS) + " WHERE g" + among(s.graph.in)
	if p.Subject.Var == "" {
		from = "FROM " + l.stored(s.graph, "", leaf.SPO) + " WHERE g" + among(s.graph.in) + " AND s = " + l.term(l.lifted(p.Subject).Term)
	}
	t, name := l.alias(), l.name(v)
	next := "(SELECT p " + from + " AND p > " + t + "." + name + " ORDER BY p LIMIT 1)"
	b := &block{from: []item{{table: "(WITH RECURSIVE " + t + "(" + name + ") AS (SELECT 0 UNION ALL SELECT " + next + " FROM " + t + " WHERE " + name +
		" IS NOT NULL) SELECT " + name + " FROM " + t + " WHERE " + name + " > 0)", alias: t}}}
	c := field{t, name}.column()
	c.node = true
	b.cols.set(v, c)
	if n := l.patternNode(plan.Pattern, bgp, s.graph); n != nil {
		n.Way = "each predicate once"
		b.node = l.node(plan.Distinct, nil, n)
	}
	return b
}
