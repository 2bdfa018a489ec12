package lint

import (
	"cmp"
	"slices"

	"trails/rdf"
	"trails/schema"
	"trails/sparql"
)

// values is the set of terms that something may be, as far as the schema says. The zero value is the empty set.
type values struct {
	any      bool       // nothing is known: any term
	other    bool       // nodes of no type of the schema
	seen     bool       // the data says so, not the schema alone
	shape    shape      // shape of the texts among them
	types    typeSet    // nodes of these types
	literals []rdf.IRI  // literals of these datatypes
	oneOf    []rdf.Term // if not nil, only these terms
	*results            // if not nil, what is known of them as the results of functions
}

// shape is what a set of texts has in common.
type shape uint8

const (
	wholeIRI shape = 1 << iota // the IRI of a node
	noCapitals
	noSmallLetters
)

var anything = values{any: true}

// valuesOf returns the values that a property allows.
func (l *Linter) valuesOf(p *schema.Property) values {
	datatype := schema.Datatypes[p.Datatype].IRI
	v := values{oneOf: p.OneOf}
	switch {
	case datatype != "":
		v.literals = []rdf.IRI{datatype}
	case p.Class != "":
		v.types = l.instances[l.schema.Type(p.Class)]
	default:
		v.types, v.other = l.everything, true
	}
	return v
}

func (v values) empty() bool {
	return !v.any && v.types.empty() && !v.other && len(v.literals) == 0
}

// nodes reports that there are nodes among the values; if nothing is known, it is false.
func (v values) nodes() bool { return v.any || v.other || !v.types.empty() }

// and returns the values that are in both sets.
func (v values) and(w values) values {
	switch {
	case v.any:
		return w
	case w.any:
		return v
	}
	out := values{types: v.types.and(w.types), other: v.other && w.other, oneOf: v.oneOf, shape: v.shape | w.shape, results: cmp.Or(v.results, w.results), seen: v.seen || w.seen}
	for _, d := range v.literals {
		if slices.Contains(w.literals, d) {
			out.literals = append(out.literals, d)
		}
	}
	switch {
	case v.oneOf == nil:
		out.oneOf = w.oneOf
	case w.oneOf != nil:
		out.oneOf = slices.DeleteFunc(slices.Clone(v.oneOf), func(t rdf.Term) bool { return !slices.Contains(w.oneOf, t) })
		if len(out.oneOf) == 0 {
			return values{}
		}
	}
	return out
}

// or returns the values that are in either set.
func (v values) or(w values) values {
	switch {
	case v.any || w.any:
		return anything
	case v.empty():
		return w
	case w.empty():
		return v
	}
	out := values{types: v.types.or(w.types), other: v.other || w.other, literals: slices.Clone(v.literals), shape: v.shape & w.shape, results: v.results.or(w.results), seen: v.seen || w.seen}
	for _, d := range w.literals {
		if !slices.Contains(out.literals, d) {
			out.literals = append(out.literals, d)
		}
	}
	if v.oneOf != nil && w.oneOf != nil {
		out.oneOf = append(slices.Clone(v.oneOf), w.oneOf...)
	}
	return out
}

func (v values) same(w values) bool {
	return v.any == w.any && v.other == w.other && v.types.same(w.types) && len(v.literals) == len(w.literals) && len(v.oneOf) == len(w.oneOf) && v.shape == w.shape
}

// typeSet is a bit set of types by their index in the schema. All sets of a schema have the same length; a nil set is
// empty. A shared set must not be changed.
type typeSet []uint64

func newTypeSet(types int) typeSet { return make(typeSet, (types+63)/64) }

func (s typeSet) add(i int)      { s[i/64] |= 1 << (i % 64) }
func (s typeSet) has(i int) bool { return i/64 < len(s) && s[i/64]>>(i%64)&1 == 1 }

func (s typeSet) empty() bool {
	return !slices.ContainsFunc(s, func(word uint64) bool { return word != 0 })
}

func (s typeSet) and(t typeSet) typeSet {
	if len(s) == 0 || len(t) == 0 {
		return nil
	}
	out := make(typeSet, len(s))
	for i := range s {
		out[i] = s[i] & t[i]
	}
	return out
}

func (s typeSet) or(t typeSet) typeSet {
	out := slices.Clone(s)
	if len(out) == 0 {
		return slices.Clone(t)
	}
	for i := range t {
		out[i] |= t[i]
	}
	return out
}

func (s typeSet) same(t typeSet) bool {
	if len(s) == 0 || len(t) == 0 {
		return s.empty() && t.empty()
	}
	return slices.Equal(s, t)
}

// within reports that t is a superset of s.
func (s typeSet) within(t typeSet) bool { return s.and(t).same(s) }

// fact is what is known of a variable: its values where it is bound.
type fact struct {
	values
	certain bool    // it is bound in every solution
	by      rdf.IRI // the property whose value it is, or ""
	typed   bool    // a pattern states its type
	told    bool    // it never has a value, and a warning says why
	open    bool    // patterns state types that cannot be combined, so its values are not narrowed
}

// with merges the facts about a variable that two parts of a group may bind.
func (f fact) with(g fact) fact {
	both := fact{values: f.and(g.values), certain: f.certain || g.certain, by: f.by, typed: f.typed || g.typed, open: f.open || g.open}
	switch {
	case both.open:
		both.values = anything
	case !f.certain && g.certain:
		both.values, both.by = g.values, g.by
	case !f.certain || both.empty() && !g.certain:
		both.values = f.or(g.values)
	case both.empty():
		both.values = f.values
	}
	return both
}

// facts are the facts about the variables of one group.
type facts map[sparql.Var]fact

// of returns the fact about a subject, predicate or object of a pattern.
func (r *run) of(o sparql.Operand, known facts) values {
	if o.Var == "" {
		return r.constant(o.Term)
	}
	if f, ok := known[o.Var]; ok {
		return f.values
	}
	return anything
}

// computes notes the variables of the expressions of an operator and of those below it.
func (r *run) computes(op sparql.Op) {
	if op == nil {
		return
	}
	sparql.Exprs(op, func(e sparql.Expr) {
		sparql.Some(e, func(e sparql.Expr) bool {
			switch e := e.(type) {
			case sparql.VarExpr:
				r.computed[e.Var] = true
			case sparql.Exists:
				r.computes(e.Op)
			}
			return false
		})
	})
	left, right := sparql.Operands(op)
	r.computes(left)
	r.computes(right)
}

// objects returns the values that a predicate has in the data, for a variable with which something is computed.
func (r *run) objects(predicate rdf.IRI, v sparql.Var) values {
	if predicate == "" || !r.computed[v] || r.err != nil {
		return anything
	}
	if seen, ok := r.seen[predicate]; ok {
		return seen
	}
	seen := values{seen: true}
	if d := r.data.Datatype(r.ctx, predicate); d != "" {
		seen.literals = []rdf.IRI{d}
	} else if _, _, more := r.first(rdf.Quad{Predicate: predicate}, func(q rdf.Quad) bool {
		switch d := rdf.DatatypeOf(q.Object); {
		case d == "":
			seen.types, seen.other = r.everything, true
		case !slices.Contains(seen.literals, d):
			seen.literals = append(seen.literals, d)
		}
		return false
	}); more || seen.empty() {
		seen = anything
	}
	r.seen[predicate] = seen
	return seen
}

// under says from what the kinds of values are known.
func under(all ...values) string {
	if slices.ContainsFunc(all, func(v values) bool { return v.seen }) {
		return "with the values that are there"
	}
	return "under the schema"
}

// constant returns the fact about a term: for an existing node, its types.
func (r *run) constant(t rdf.Term) values {
	if datatype := rdf.DatatypeOf(t); datatype != "" {
		return values{literals: []rdf.IRI{datatype}, oneOf: []rdf.Term{t}}
	}
	iri, ok := t.(rdf.IRI)
	if !ok || r.foreign {
		return anything
	}
	types := newTypeSet(len(r.schema.Types))
	r.first(rdf.Quad{Subject: iri, Predicate: rdf.Type}, func(q rdf.Quad) bool {
		class, _ := q.Object.(rdf.IRI)
		if found := r.schema.TypeByIRI(class); found != nil && q.Label == nil {
			types = types.or(r.instances[found])
		}
		return false
	})
	if types.empty() {
		return values{types: r.everything, other: true} // a node without a type, or one that does not exist
	}
	return values{types: types}
}
