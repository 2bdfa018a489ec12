package lower

import (
	"fmt"
	"slices"
	"strings"

	"trails/db/plan"
	"trails/db/scan"
	"trails/rdf"
	"trails/rdf/xsd"
	"trails/sparql"
)

// SortClass returns the first sort key of ORDER BY (section 15.1): unbound, blank nodes, IRIs, and literals by the
// kinds of [xsd.Order].
func SortClass(t rdf.Term) int64 {
	switch t.(type) {
	case nil:
		return 0
	case rdf.BNode:
		return blankClass
	case rdf.IRI:
		return iriClass
	}
	return literalClass + int64(xsd.Place(t))
}

const (
	blankClass = 1 + iota
	iriClass
	literalClass
)

var textClass = SortClass(rdf.String(""))

// SortKey returns the second sort key: the text, or the nearest float of a number. Other classes have none. Terms
// with equal class and key may still differ.
func SortKey(t rdf.Term) (text string, number float64, isText, isNumber bool) {
	class := SortClass(t)
	switch {
	case class == blankClass || class == iriClass || class == textClass:
		return rdf.Lexical(t), 0, true, false
	case class == numberClass:
		return "", xsd.Nearest(t), false, true
	}
	return "", 0, false, false
}

var numberClass = SortClass(zeroTerm)

// orderBy sorts by ids if asked to, or if all values of a key are in one region, whose ids sort like the values;
// otherwise it sorts as ORDER BY compares.
func (l *lowerer) orderBy(op sparql.OrderBy, s scope) *block {
	direct := make([]bool, len(op.Keys))
	for i, k := range op.Keys {
		if v, ok := k.Expr.(sparql.VarExpr); ok {
			direct[i] = k.Stored || l.regionOf(op.Op, v.Var, s) != ""
		}
	}
	ends, top := s.wanted == limited, s.top
	s.top = nil
	if v, ok := op.Keys[0].Expr.(sparql.VarExpr); ok && (direct[0] || l.ordered(op.Op, v.Var, s)) && ends {
		s.wanted = v.Var
	} else {
		s.wanted, s.all, s.first = "", true, 0
	}
	var b *block
	if top != nil && s.all {
		op, b = l.scanFirst(op, direct, top, s)
	}
	if b == nil {
		b = l.lower(op.Op, s)
	}
	b = l.flatten(b)
	if sides := l.sidesOf(b); ends && sides != nil && b.from[0].distinct && len(op.Keys) == 1 && direct[0] {
		// Sorted sides are merged, and read no further than the limit.
		v := op.Keys[0].Expr.(sparql.VarExpr).Var
		if _, ok := b.cols.get(v); ok {
			out := l.derived(strings.Join(sides, " UNION ")+" ORDER BY "+l.name(v)+direction(op.Keys[0]), &b.cols, b.rows)
			if out.node = l.node(plan.OrderBy, op, b.node); out.node != nil {
				b.node.Counted = false // its table is not in the statement
			}
			return out
		}
	}
	out := b.growing()
	out.node = l.node(plan.OrderBy, op, b.node)
	for i, k := range op.Keys {
		for _, sql := range l.sortKeys(k.Expr, direct[i], out, s) {
			out.order = append(out.order, sql+direction(k))
		}
	}
	if l.opts.View && ends && direct[0] && len(out.order) > 1 {
		out.sortFirst(op.Keys, direct)
	}
	return out.grown()
}

// sortFirst makes the first table of a block a subquery in the order of the first sort keys, if the virtual table has that
// order. SQLite then sorts only rows in which these keys are equal, and reads no more than the LIMIT needs. Without a
// subquery it does so for a table and its index, but uses the order of a virtual table only where it is the whole one. The
// LIMIT keeps SQLite from leaving out the order of the subquery.
func (b *block) sortFirst(keys []sparql.OrderKey, direct []bool) {
	if len(b.from) == 0 || len(b.from[0].alone) == 0 {
		return
	}
	first := &b.from[0]
	is := func(k int, name string) bool {
		v, _ := keys[k].Expr.(sparql.VarExpr)
		c, ok := b.cols.get(v.Var)
		return ok && direct[k] && c.order == "" && c.field == field{first.alias, name}
	}
	if first.sorted == "" || !is(0, first.sorted) {
		return
	}
	n := 1
	if len(keys) > 1 && keys[1].Descending == keys[0].Descending && is(1, "s") {
		n++
	}
	if n == len(b.order) {
		return
	}
	in := &block{from: []item{{table: first.table, alias: first.alias, hint: first.hint}}, where: first.alone, order: b.order[:n], limit: allRows}
	b.where = slices.DeleteFunc(b.where, func(c string) bool { return slices.Contains(first.alone, c) })
	first.table, first.hint, first.alone, first.single = "("+in.render("s, p, o, g, added")+")", "", nil, false
}

// scanFirst lowers the operand of ORDER BY to a scan that keeps the first rows only, as many as the LIMIT and the OFFSET
// above need. SQL sorts them again. The sort keys that are expressions become columns of the scan. It returns a nil
// block where it has not lowered the operand.
func (l *lowerer) scanFirst(op sparql.OrderBy, direct []bool, top *sparql.Slice, s scope) (sparql.OrderBy, *block) {
	start := l.made
	named, expressions := sparql.OrderBy{Op: op.Op, Keys: slices.Clone(op.Keys)}, false
	for i, k := range op.Keys {
		if _, ok := k.Expr.(sparql.VarExpr); !ok {
			v := l.fresh()
			named.Op = sparql.Extend{Op: named.Op, Var: v, Expr: k.Expr}
			named.Keys[i].Expr, expressions = sparql.VarExpr{Var: v}, true
		}
	}
	b := l.scan(named.Op, s)
	if b == nil || b.program() == 0 {
		if b != nil && !expressions {
			return op, b
		}
		l.made = start
		return op, nil
	}
	p := &l.programs[b.program()-1]
	for i, k := range named.Keys {
		if c, ok := b.cols.get(k.Expr.(sparql.VarExpr).Var); ok {
			p.Order = append(p.Order, scan.Order{Slot: p.Keys[c.listed.Place-1], Descending: k.Descending, ByID: direct[i]})
		}
	}
	for _, n := range []int64{top.Limit, top.Offset} {
		l.count(n)
		p.First = append(p.First, len(l.args))
	}
	return named, b
}

func direction(k sparql.OrderKey) string {
	if k.Descending {
		return " DESC"
	}
	return ""
}

// sortKeys returns what SQLite sorts by for one key. The collation, which calls a function for each comparison, only
// decides between rows that are equal otherwise.
func (l *lowerer) sortKeys(e sparql.Expr, direct bool, b *block, s scope) []string {
	if order := b.orderOf(e); order != "" {
		return []string{order}
	}
	sql := l.value(e, b, s)
	if direct {
		return []string{sql}
	}
	asked := "CAST(" + sql + " AS TEXT) COLLATE t_order"
	v, ok := e.(sparql.VarExpr)
	if !ok {
		return []string{asked}
	}
	c, ok := l.column(v.Var, b, s)
	if !ok {
		return nil
	}
	t := l.words(c, b)
	if t == "" {
		return []string{asked}
	}
	class := fmt.Sprintf("CASE T.kind WHEN 3 THEN %d WHEN 5 THEN %d WHEN 1 THEN %d WHEN 2 THEN %d ELSE t_class(", textClass, textClass, iriClass, blankClass) + sql + ") END"
	key := "CASE WHEN T.kind <> 4 THEN T.value ELSE t_key(" + sql + ") END"
	named := strings.NewReplacer("T.", t+".")
	return []string{named.Replace(class), named.Replace(key), asked}
}
