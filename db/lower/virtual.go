package lower

import (
	"strconv"
	"strings"
	"time"

	"trails/rdf"
	"trails/sparql"
)

// Virtual graphs are read through the virtual table t_quads(s, p, o, g, k), which the caller registers. It also has
// stored graphs, so that a pattern may read both. Its rows are found by the given positions among s, p and o; k is a
// number by which objects can be sorted, if there is one.
const virtualTable = "t_quads"

func virtualOf(names []rdf.IRI) (list []rdf.IRI) {
	for _, name := range names {
		list = append(list, virtualNamed(name)...)
	}
	return list
}

func virtualNamed(name rdf.Term) []rdf.IRI {
	iri, ok := name.(rdf.IRI)
	if !ok || !rdf.IsVirtual(name) {
		return nil
	}
	return []rdf.IRI{iri}
}

// those is the table of the graphs in a dataset with virtual graphs that have triples.
func (g graph) those() string {
	return "(SELECT DISTINCT column1 AS g FROM (VALUES (" + strings.Join(g.in, "), (") + ")) WHERE EXISTS (SELECT 1 FROM " +
		virtualTable + " x WHERE x.g = column1))"
}

// one returns the virtual graph that is the whole active graph, or "".
func (g graph) one() rdf.IRI {
	if len(g.virtual) == 1 && len(g.in) == 1 && g.any == "" {
		return g.virtual[0]
	}
	return ""
}

// placeOrder records that the object of a pattern can be sorted by k, and adds the bounds of filters on k.
func (l *lowerer) placeOrder(b *block, p sparql.TriplePattern, t string, s scope) {
	c, ok := b.cols.get(p.Object.Var)
	if !ok || !l.hasOrder(p, s.graph.one()) {
		return
	}
	if (c.field == field{t, "o"}) {
		c.order = t + ".k"
		b.cols.set(p.Object.Var, c)
	}
	h := s.ranges[p.Object.Var]
	if h == nil {
		return
	}
	for _, bound := range h.bounds {
		least, most, ok := numbersOf(bound.Term)
		if ok && bound.Func != sparql.Less && bound.Func != sparql.LessOrEqual {
			b.where = append(b.where, t+".k >= "+l.number(least))
		}
		if ok && bound.Func != sparql.Greater && bound.Func != sparql.GreaterOrEqual {
			b.where = append(b.where, t+".k <= "+l.number(most))
		}
	}
}

// numbersOf returns the values of k next to a value: microseconds since 1970 for a time, the number itself for a
// count.
func numbersOf(t rdf.Term) (least, most int64, ok bool) {
	v, _ := t.(rdf.TypedString)
	switch v.Type {
	case rdf.XSDDateTime:
		moment, err := time.Parse(time.RFC3339Nano, string(v.Value))
		return moment.UnixMicro(), moment.UnixMicro() + 1, err == nil
	case rdf.XSDInteger:
		n, err := strconv.ParseInt(string(v.Value), 10, 64)
		return n, n, err == nil
	}
	return 0, 0, false
}

// orderOf returns a column that sorts like an expression, or "".
func (b *block) orderOf(e sparql.Expr) string {
	v, _ := e.(sparql.VarExpr)
	c, _ := b.cols.get(v.Var)
	return c.order
}

func (l *lowerer) hasOrder(p sparql.TriplePattern, name rdf.IRI) bool {
	predicate, ok := p.Predicate.Term.(rdf.IRI)
	return ok && name != "" && l.opts.OrderInVirtual != nil && l.opts.OrderInVirtual(name, predicate)
}
