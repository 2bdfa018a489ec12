package lower

import (
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"trails/rdf"
	"trails/sparql"
)

// Shape is everything that a lowering depends on, except for the answers of the functions in Options: two queries
// with equal shapes and equal answers have the same plan. The zero Shape means that the plan is not worth caching.
type Shape struct {
	// Key is the query without the constants of its patterns.
	Key string
	// Constants are the constants of patterns and of BIND and the [sparql.Rows] of LIMIT and OFFSET, each once. A
	// plan has a [Slot] for each.
	Constants []rdf.Term
}

// Slot stands in a plan for one of the constants of its shape.
type Slot int

// String returns the slot for people.
func (s Slot) String() string { return "slot " + strconv.Itoa(int(s)) }

// Native makes Slot a term.
func (s Slot) Native() any { return int(s) }

// maxKey bounds the keys that are cached; longer queries are lowered each time.
const maxKey = 8 << 10

// ShapeOf returns the shape of a pattern and its columns in a dataset.
func ShapeOf(op sparql.Op, vars []sparql.Var, d sparql.Dataset, base string) Shape {
	// If a query names graphs, its plan may depend on the constants.
	whole := !d.IsZero() || sparql.Has(op, func(op sparql.Op) bool { _, ok := op.(sparql.Graph); return ok })
	var constants []rdf.Term
	known := true
	key := (&sparql.Query{Form: sparql.Select, Op: op, Vars: vars, Dataset: d, Base: base}).DumpTerms(func(dst []byte, t rdf.Term, free bool) []byte {
		kind := kindOf(t)
		// The answers about virtual graphs are not recorded.
		iri, _ := t.(rdf.IRI)
		known = known && kind != 0 && !strings.HasPrefix(string(iri), "urn:trails:graph:") && !rdf.IsGraphAt(iri) && !rdf.IsOriginGraph(iri)
		rows, isRows := t.(sparql.Rows)
		switch {
		case !known:
			return dst
		case free && !whole:
			i := slices.Index(constants, t)
			if i < 0 {
				i = len(constants)
				constants = append(constants, t)
			}
			known = i <= maxLifted
			if dst = append(dst, '$', kind); isRows {
				dst = append(strconv.AppendInt(dst, int64(magnitude(rows)), 10), '.')
			}
			return strconv.AppendInt(dst, int64(i), 10)
		case isRows:
			return strconv.AppendInt(dst, int64(rows), 10)
		}
		return rdf.AppendTerm(dst, t)
	}, maxKey)
	if !known || len(key) > maxKey {
		return Shape{}
	}
	return Shape{Key: key, Constants: constants}
}

// maxLifted bounds the search for repeated constants.
const maxLifted = 200

// magnitude rounds a number of rows up to a power of two, and returns the exponent; plans only depend on this.
func magnitude(n sparql.Rows) int { return bits.Len64(uint64(n)) }

// kindOf returns a letter for the kind of a term, 0 for nil.
func kindOf(t rdf.Term) byte {
	switch t.(type) {
	case rdf.IRI:
		return 'i'
	case rdf.BNode:
		return 'b'
	case rdf.String:
		return 's'
	case rdf.TypedString:
		return 't'
	case rdf.LangString:
		return 'l'
	case sparql.Rows:
		return 'r'
	}
	return 0
}

func slotsOf(constants []rdf.Term) map[rdf.Term]Slot {
	slots := make(map[rdf.Term]Slot, len(constants))
	for i, t := range constants {
		slots[t] = Slot(i)
	}
	return slots
}

// lifted returns an end of a pattern with its slot, if it has one.
func (l *lowerer) lifted(o sparql.Operand) sparql.Operand {
	if o.Var != "" {
		return o
	}
	if slot, ok := l.slots[o.Term]; ok {
		return sparql.Operand{Term: slot}
	}
	return o
}
