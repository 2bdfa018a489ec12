package db

import (
	"context"

	"trails/db/lower"
	"trails/kg/rdf"
	"trails/kg/sparql"
)

// Lowering returns what a lowering may know of this state of the file. Plans that
// are made with it are for this state only. An error in between means not to know.
func (r *Reader) Lowering(ctx context.Context) lower.Options {
	regions := map[rdf.IRI]lower.Region{}
	counts := map[[3]rdf.Term]float64{}
	return lower.Options{
		Stats: func(p sparql.TriplePattern) float64 {
			key := [3]rdf.Term{p.Subject.Term, p.Predicate.Term, p.Object.Term}
			n, ok := counts[key]
			if !ok {
				n = r.estimate(ctx, p)
				counts[key] = n
			}
			return n
		},
		Region: func(predicate rdf.IRI) lower.Region {
			region, ok := regions[predicate]
			if !ok {
				region = r.regionOf(ctx, predicate)
				regions[predicate] = region
			}
			return region
		},
	}
}

// The rows of a pattern are counted up to a limit; past it, what few patterns are
// below.
const (
	countedRows = 1000
	manyRows    = 1e5
)

func (r *Reader) estimate(ctx context.Context, p sparql.TriplePattern) float64 {
	var b bound
	var args []any
	for i, o := range [...]sparql.Operand{p.Subject, p.Predicate, p.Object} {
		if o.Var != "" {
			continue
		}
		id, ok, err := r.dict.lookup(o.Term)
		if err == nil && !ok {
			return 0
		}
		b.at[i] = true
		args = append(args, id)
	}
	if len(args) == 0 || r.ready(ctx) != nil {
		return float64(r.head.Quads)
	}
	sql := "SELECT count(*) FROM (SELECT 1 FROM live l " + b.index() + b.where() + " LIMIT ? + 0)"
	n, err := r.conn.int64(sql, append(args, countedRows)...)
	if err != nil || n >= countedRows {
		return manyRows
	}
	return float64(n)
}

const (
	leastObject    = "SELECT o FROM live INDEXED BY live_pos WHERE p = ? ORDER BY o LIMIT 1"
	greatestObject = "SELECT o FROM live INDEXED BY live_pos WHERE p = ? ORDER BY o DESC LIMIT 1"
)

// regionOf returns the region that all objects of a predicate are in: that of the
// least and the greatest, since regions are intervals.
func (r *Reader) regionOf(ctx context.Context, predicate rdf.IRI) lower.Region {
	p, ok, err := r.dict.lookup(predicate)
	if err != nil || !ok || r.ready(ctx) != nil {
		return ""
	}
	low, errLow := r.conn.int64(leastObject, p)
	high, errHigh := r.conn.int64(greatestObject, p)
	if errLow != nil || errHigh != nil || low >= 0 {
		return ""
	}
	if region := regionOfID(low); region != nil && region == regionOfID(high) {
		return lower.Region(region.datatype)
	}
	return ""
}
