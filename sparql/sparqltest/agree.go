package sparqltest

import (
	"context"
	"fmt"
	"slices"

	"trails/rdf"
	"trails/rdf/rdftest"
	"trails/sparql/naive"
)

// Agree returns how an answer differs from the oracle's: the same rows equally often, under one mapping of blank
// nodes; with ORDER BY in an allowed order; with LIMIT the right number of rows, out of those of the query without
// LIMIT.
func Agree(ctx context.Context, c Case, dataset []rdf.Quad, got rdftest.Answer) error {
	if err := c.sorted(got); err != nil {
		return err
	}
	if c.Whole != "" {
		return c.part(ctx, dataset, got)
	}
	want, err := Oracle{}.Query(ctx, c.Text, "", dataset)
	if err != nil {
		return fmt.Errorf("the oracle: %w", err)
	}
	return rdftest.CompareAnswers(want, got)
}

// sorted checks rows against ORDER BY, as far as section 15.1 defines an order.
func (c Case) sorted(got rdftest.Answer) error {
	for i, row := range got.Rows {
		for _, later := range got.Rows[i+1:] {
			if c.order(got.Vars, row, later) > 0 {
				return fmt.Errorf("row %v stands before %v, which sorts before it", row, later)
			}
		}
	}
	return nil
}

func (c Case) order(vars []string, a, b []rdf.Term) int {
	for _, key := range c.Keys {
		i := slices.Index(vars, key.Var)
		if i < 0 {
			return 0 // the comparison of the columns reports it
		}
		order, defined := naive.Order(a[i], b[i])
		switch {
		case !defined:
			return 0
		case order != 0 && key.Descending:
			return -order
		case order != 0:
			return order
		}
	}
	return 0
}

// part checks the rows of a query with LIMIT against those without.
func (c Case) part(ctx context.Context, dataset []rdf.Quad, got rdftest.Answer) error {
	whole, err := Oracle{}.Query(ctx, c.Whole, "", dataset)
	if err != nil {
		return fmt.Errorf("the oracle: %w", err)
	}
	if want := min(c.Limit, max(len(whole.Rows)-c.Offset, 0)); len(got.Rows) != want {
		return fmt.Errorf("got %d rows, want %d of %d", len(got.Rows), want, len(whole.Rows))
	}
	left := slices.Clone(whole.Rows)
	for _, row := range got.Rows {
		at := slices.IndexFunc(left, func(r []rdf.Term) bool {
			return rdftest.CompareAnswers(one(whole.Vars, r), one(got.Vars, row)) == nil
		})
		if at < 0 {
			return fmt.Errorf("row %v is none of the whole query's, or too often", row)
		}
		left = slices.Delete(left, at, at+1)
	}
	if len(c.Keys) == 0 || c.mixed(whole) {
		return nil
	}
	for i, row := range got.Rows {
		want := whole.Rows[c.Offset+i]
		// The oracle divides with more digits: two rows that are equal in the answer may be unequal in the oracle's.
		if c.order(whole.Vars, want, aligned(whole.Vars, got.Vars, row)) != 0 && rdftest.CompareAnswers(one(whole.Vars, want), one(got.Vars, row)) != nil {
			return fmt.Errorf("row %d is %v, want one that sorts like %v", i, row, want)
		}
	}
	return nil
}

// mixed reports that some keys have no defined order between them.
func (c Case) mixed(a rdftest.Answer) bool {
	for _, key := range c.Keys {
		column := slices.Index(a.Vars, key.Var)
		for i, row := range a.Rows {
			for _, other := range a.Rows[i+1:] {
				if _, defined := naive.Order(row[column], other[column]); !defined {
					return true
				}
			}
		}
	}
	return false
}

func aligned(vars, from []string, row []rdf.Term) []rdf.Term {
	out := make([]rdf.Term, len(vars))
	for i, v := range vars {
		if at := slices.Index(from, v); at >= 0 {
			out[i] = row[at]
		}
	}
	return out
}

// one is a table of one row, in which blank nodes match any other.
func one(vars []string, row []rdf.Term) rdftest.Answer {
	a := rdftest.Answer{Vars: vars, Rows: [][]rdf.Term{slices.Clone(row)}}
	for i, term := range row {
		if _, blank := term.(rdf.BNode); blank {
			a.Rows[0][i] = rdf.BNode(fmt.Sprintf("any%d", i))
		}
	}
	return a
}
