package inline

import (
	"sort"

	"trails/rdf"
	"trails/rdf/xsd"
)

// First returns the first id of the region whose value is at least order (-1, 0, 1) when compared with t; High if
// there is none. It compares as expressions do, so that both agree for every value.
func (r *Region) First(t rdf.Term, order int) TermID {
	if id, ok := ID(t); ok && id >= r.Low && id < r.High && max(id-r.Zero, r.Zero-id) < exactIDs {
		id, forms := r.least(id)
		return id + TermID(order)*forms
	}
	n := sort.Search(int(r.High-r.Low), func(i int) bool {
		return orderOfValues(Term(r.Low+TermID(i)), t) >= order
	})
	return r.Low + TermID(n)
}

// exactIDs bounds the distance from zero up to which different ids have different doubles, which have 53 bits.
const exactIDs = 1 << 53

// least returns the first id with the same value, and the number of such ids: two in regions with a form bit.
func (r *Region) least(id TermID) (first, forms TermID) {
	switch r.Datatype {
	case rdf.XSDDecimal, rdf.XSDDouble, rdf.XSDDateTime:
		return id &^ 1, 2
	}
	return id, 1
}

func orderOfValues(a, b rdf.Term) int {
	na, oka := xsd.NumberOf(a)
	nb, okb := xsd.NumberOf(b)
	if oka && okb {
		order, _ := na.Compare(nb)
		return order
	}
	order, _ := xsd.Compare(a, b)
	return order
}
