package stored

import (
	"fmt"
	"slices"
	"strings"

	"trails/capability"
	"trails/rdf"
	"trails/schema"
	"trails/sparql"
)

// Columns returns the JSON types of the columns of a table, including null if a variable may be unbound. They are
// certain, not guesses. For nodes whose type a pattern requires, the schema gives the types of their values; other
// nodes may have any. Large integers, NaN and infinity are strings in JSON.
func (q *Query) Columns(s *schema.Schema) []capability.Cell {
	if q.Query == nil || q.Query.Form != sparql.Select {
		return nil
	}
	c := columns{schema: s, foreign: !q.Query.Dataset.IsZero()}
	known := c.of(q.Query.Op, nil)
	var all []capability.Cell
	for _, v := range q.Query.Vars {
		column, bound := known[v]
		isParam := slices.ContainsFunc(q.Params, func(p Param) bool { return p.Name == string(v) })
		if !bound || isParam { // the call decides whether a parameter has a value
			column = columnOf{kinds: everything, says: column.says}
		}
		cell := capability.Cell{Name: string(v), Says: column.says}
		for i, kind := range kindNames {
			if column.kinds&(1<<i) != 0 && column.kinds != everything {
				cell.Types = append(cell.Types, kind)
			}
		}
		if len(cell.Types) > 0 && !column.certain {
			cell.Types = append(cell.Types, "null")
		}
		all = append(all, cell)
	}
	return all
}

// jsonKinds is a set of JSON types.
type jsonKinds uint8

const (
	text jsonKinds = 1 << iota
	truth
	integer
	number
	list
	everything = text | truth | integer | number | list
)

// kindNames are the JSON types in the order of their bits.
var kindNames = []string{"string", "boolean", "integer", "number", "array"}

// columnOf is what is known about a variable.
type columnOf struct {
	kinds   jsonKinds
	certain bool   // every solution binds it
	says    string // the type or datatype in the schema; "" for none
}

// or merges what is known about a variable that either of two parts may bind.
func (a columnOf) or(b columnOf) columnOf {
	if a.says != b.says {
		a.says = ""
	}
	return columnOf{a.kinds | b.kinds, a.certain && b.certain, a.says}
}

// typed are variables with the types that their nodes have in every solution.
type typed map[sparql.Var][]*schema.Type

type columns struct {
	schema  *schema.Schema
	foreign bool // reads graphs that nobody validates
}

// of returns what is known about the variables of an operator. outer are the types that surrounding operators
// require.
func (c columns) of(op sparql.Op, outer typed) map[sparql.Var]columnOf {
	switch op := op.(type) {
	case sparql.BGP:
		return c.patterns(op.Patterns, outer)
	case sparql.Join:
		within := c.types(op, outer)
		return joined(c.of(op.Left, within), c.of(op.Right, within))
	case sparql.LeftJoin:
		left := c.of(op.Left, outer)
		right := c.of(op.Right, c.types(op.Left, outer))
		for v, r := range right {
			r.certain = false
			if l, both := left[v]; both && l.certain {
				r = l
			} else if both {
				r = l.or(r)
			}
			left[v] = r
		}
		return left
	case sparql.Union:
		left, right := c.of(op.Left, outer), c.of(op.Right, outer)
		for v, r := range right {
			l, both := left[v]
			if both {
				r = l.or(r)
			} else {
				r.certain = false
			}
			left[v] = r
		}
		for v, l := range left {
			if _, both := right[v]; !both {
				l.certain = false
				left[v] = l
			}
		}
		return left
	case sparql.Filter:
		return c.of(op.Op, outer)
	case sparql.Minus:
		return c.of(op.Left, outer)
	case sparql.OrderBy:
		return c.of(op.Op, outer)
	case sparql.Distinct:
		return c.of(op.Op, outer)
	case sparql.Reduced:
		return c.of(op.Op, outer)
	case sparql.Slice:
		return c.of(op.Op, outer)
	case sparql.Extend:
		known := c.of(op.Op, outer)
		known[op.Var] = c.expression(op.Expr, known)
		return known
	case sparql.Graph:
		known := columns{c.schema, true}.of(op.Op, nil)
		if op.Name.Var != "" {
			known[op.Name.Var] = columnOf{kinds: text, certain: true}
		}
		return known
	case sparql.Table:
		return c.table(op)
	case sparql.Project:
		known := c.of(op.Op, chosen(outer, op.Vars))
		out := map[sparql.Var]columnOf{}
		for _, v := range op.Vars {
			if k, ok := known[v]; ok {
				out[v] = k
			}
		}
		return out
	case sparql.Group:
		return c.group(op)
	case sparql.Search:
		return found(op)
	case sparql.Service:
		known := columns{c.schema, true}.of(op.Op, nil)
		for v := range known {
			known[v] = columnOf{kinds: everything}
		}
		return known
	case sparql.PathPattern: // without a step, its ends are any terms
		known := map[sparql.Var]columnOf{}
		for _, o := range []sparql.Operand{op.Subject, op.Object} {
			if o.Var != "" {
				known[o.Var] = columnOf{kinds: everything, certain: true}
			}
		}
		return known
	}
	panic(fmt.Sprintf("stored: an operator of the type %T", op)) // the sum is sealed
}

// patterns handles triple patterns of one group. Subjects and predicates are nodes; an object is what the property of
// the subject's type says.
func (c columns) patterns(all []sparql.TriplePattern, outer typed) map[sparql.Var]columnOf {
	known, types := map[sparql.Var]columnOf{}, c.types(sparql.BGP{Patterns: all}, outer)
	note := func(v sparql.Var, k columnOf) {
		if old, ok := known[v]; ok {
			if k.kinds &= old.kinds; k.kinds == 0 {
				k.kinds = everything // no solution
			}
			if old.says != "" {
				k.says = old.says
			}
		}
		if v != "" {
			k.certain = true
			known[v] = k
		}
	}
	for _, p := range all {
		note(p.Subject.Var, columnOf{kinds: text})
		note(p.Predicate.Var, columnOf{kinds: text})
		note(p.Object.Var, columnOf{kinds: everything})
		predicate, _ := p.Predicate.Term.(rdf.IRI)
		if property := c.property(types[p.Subject.Var], predicate); property != nil && !c.foreign {
			note(p.Object.Var, columnOf{kinds: kindsOf(property), says: rangeOf(property)})
		} else if says := c.usual(predicate); says != "" {
			note(p.Object.Var, columnOf{kinds: everything, says: says})
		}
	}
	for v, of := range types {
		if k, ok := known[v]; ok {
			k.says = of[0].Name
			known[v] = k
		}
	}
	return known
}

// types adds to outer the types that an operator requires of variables in every solution, and those of the nodes that
// these refer to.
func (c columns) types(op sparql.Op, outer typed) typed {
	out := typed{}
	for v, all := range outer {
		out[v] = all
	}
	if c.foreign {
		return typed{}
	}
	patterns := together(op)
	for _, p := range patterns {
		class, _ := p.Object.Term.(rdf.IRI)
		if t := c.schema.TypeByIRI(class); t != nil && p.Predicate.Term == rdf.Type && p.Subject.Var != "" {
			out[p.Subject.Var] = append(slices.Clone(out[p.Subject.Var]), t)
		}
	}
	for changed := true; changed; {
		changed = false
		for _, p := range patterns {
			predicate, _ := p.Predicate.Term.(rdf.IRI)
			property := c.property(out[p.Subject.Var], predicate)
			if property == nil || p.Object.Var == "" {
				continue
			}
			if t := c.schema.Type(property.Class); t != nil && !slices.Contains(out[p.Object.Var], t) {
				out[p.Object.Var], changed = append(slices.Clone(out[p.Object.Var]), t), true
			}
		}
	}
	return out
}

// together are the triple patterns that every solution of an operator matches.
func together(op sparql.Op) []sparql.TriplePattern {
	switch op := op.(type) {
	case sparql.BGP:
		return op.Patterns
	case sparql.Join:
		return slices.Concat(together(op.Left), together(op.Right))
	case sparql.LeftJoin:
		return together(op.Left)
	case sparql.Minus:
		return together(op.Left)
	case sparql.Filter:
		return together(op.Op)
	case sparql.Extend:
		return together(op.Op)
	case sparql.Union, sparql.Graph, sparql.Table, sparql.Group, sparql.OrderBy, sparql.Project, sparql.Distinct,
		sparql.Reduced, sparql.Slice, sparql.Service, sparql.Search, sparql.PathPattern:
	}
	return nil
}

func chosen(outer typed, vars []sparql.Var) typed {
	out := typed{}
	for _, v := range vars {
		if all, ok := outer[v]; ok {
			out[v] = all
		}
	}
	return out
}

// joined merges the variables of two joined operators.
func joined(left, right map[sparql.Var]columnOf) map[sparql.Var]columnOf {
	for v, r := range right {
		l, both := left[v]
		switch {
		case !both:
		case l.certain && r.certain:
			if l.kinds&r.kinds != 0 {
				l.kinds &= r.kinds
			}
			if l.says == "" {
				l.says = r.says
			}
			r = l
		case l.certain:
			r = l
		case !r.certain:
			r = l.or(r)
		}
		left[v] = r
	}
	return left
}

// found is what is known about the ends of a search. A node that its id finds has no passage and no property, and a passage
// may have a language.
func found(s sparql.Search) map[sparql.Var]columnOf {
	ends := []columnOf{{kinds: text, certain: true}, {kinds: number, certain: true}, {kinds: everything}, {kinds: text}}
	known := map[sparql.Var]columnOf{}
	for i, o := range s.Found[:min(len(s.Found), len(ends))] {
		if o.Var != "" {
			known[o.Var] = ends[i]
		}
	}
	return known
}

func (c columns) table(t sparql.Table) map[sparql.Var]columnOf {
	known := map[sparql.Var]columnOf{}
	for i, v := range t.Vars {
		k := columnOf{certain: true}
		for _, row := range t.Rows {
			if row[i] == nil {
				k.certain = false
			} else {
				k.kinds |= c.constant(row[i])
			}
		}
		known[v] = k
	}
	return known
}

func (c columns) group(g sparql.Group) map[sparql.Var]columnOf {
	within, known := c.of(g.Op, nil), map[sparql.Var]columnOf{}
	for _, key := range g.Keys {
		v, isVar := key.Expr.(sparql.VarExpr)
		switch {
		case key.Var != "":
			known[key.Var] = c.expression(key.Expr, within)
		case isVar:
			known[v.Var] = c.expression(key.Expr, within)
		}
	}
	for _, a := range g.Aggregates {
		k := columnOf{kinds: everything}
		switch a.Aggregate.Func {
		case "COUNT":
			k = columnOf{kinds: integer, certain: true}
		case "SUM", "AVG":
			k.kinds = number | text
		case "GROUP_CONCAT":
			k.kinds = text
		case "MIN", "MAX", "SAMPLE":
			k = c.expression(a.Aggregate.Expr, within)
			k.certain = false // of no values
		}
		known[a.Var] = k
	}
	return known
}

// expression returns the possible types of an expression. Any may be an error, which binds nothing.
func (c columns) expression(e sparql.Expr, known map[sparql.Var]columnOf) columnOf {
	switch e := e.(type) {
	case sparql.VarExpr:
		if k, ok := known[e.Var]; ok {
			return k
		}
	case sparql.TermExpr:
		return columnOf{kinds: c.constant(e.Term), certain: true}
	case sparql.Exists:
		return columnOf{kinds: truth, certain: true}
	case sparql.Call:
		if e.Func == sparql.If {
			out := c.expression(e.Args[1], known).or(c.expression(e.Args[2], known))
			out.certain = false
			return out
		}
		if e.Func == sparql.Coalesce {
			var out columnOf
			for _, arg := range e.Args {
				one := c.expression(arg, known)
				out = columnOf{kinds: out.kinds | one.kinds, certain: out.certain || one.certain}
			}
			return out
		}
		if k, ok := results[e.Func]; ok {
			return columnOf{kinds: k, certain: e.Func == sparql.Bound}
		}
	}
	return columnOf{kinds: everything}
}

// results are the types of the values of functions; those of other functions may be any.
var results = map[sparql.Func]jsonKinds{
	"STR": text, "LANG": text, "DATATYPE": text, "IRI": text, "URI": text, "BNODE": text, "UUID": text, "STRUUID": text,
	"MD5": text, "SHA1": text, "SHA256": text, "SHA384": text, "SHA512": text, "ENCODE_FOR_URI": text, "TZ": text,
	"UCASE": text, "LCASE": text, "SUBSTR": text, "STRBEFORE": text, "STRAFTER": text, "CONCAT": text, "REPLACE": text, "STRLANG": text,
	"STRLEN": integer, "YEAR": integer | text, "MONTH": integer, "DAY": integer, "HOURS": integer, "MINUTES": integer,
	"CONTAINS": truth, "STRSTARTS": truth, "STRENDS": truth, "REGEX": truth, "LANGMATCHES": truth, "SAMETERM": truth,
	sparql.Bound: truth, "ISIRI": truth, "ISURI": truth, "ISBLANK": truth, "ISLITERAL": truth, "ISNUMERIC": truth,
}

// constant is the JSON type of a term.
func (c columns) constant(t rdf.Term) jsonKinds {
	switch v := c.schema.JSONValue(nil, t).(type) {
	case string:
		return text
	case bool:
		return truth
	case interface{ String() string }: // a number, by its digits
		if strings.ContainsAny(v.String(), ".eE") {
			return number
		}
		return integer
	}
	return everything
}

// property is that of one of the types, nil for none.
func (c columns) property(types []*schema.Type, iri rdf.IRI) *schema.Property {
	for _, t := range types {
		for _, p := range c.schema.PropertiesOf(t) {
			if p.IRI == iri && iri != "" {
				return p
			}
		}
	}
	return nil
}

// usual is what all types with a property have in common for it; "" if they disagree.
func (c columns) usual(iri rdf.IRI) (says string) {
	for _, t := range c.schema.Types {
		if p := c.property([]*schema.Type{t}, iri); p != nil {
			if says != "" && says != rangeOf(p) {
				return ""
			}
			says = rangeOf(p)
		}
	}
	return says
}

func rangeOf(p *schema.Property) string {
	if p.Class != "" {
		return p.Class
	}
	return p.Datatype
}

// kindsOf returns the JSON types of the values of a property in answers.
func kindsOf(p *schema.Property) jsonKinds {
	switch schema.Datatypes[p.Datatype].IRI {
	case rdf.XSDBoolean:
		return truth
	case rdf.XSDInteger:
		return integer | text
	case rdf.XSDDecimal, rdf.XSDDouble, rdf.XSDFloat:
		return number | text
	case "":
		if p.Class != "" {
			return text
		}
		return everything
	}
	if p.Datatype == "vector" {
		return list | text
	}
	return text
}
