package naive

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"trails/rdf"
	"trails/sparql"
)

// partition is a group: the values of its keys, nil for an error, and its solutions.
type partition struct {
	key       []rdf.Term
	solutions []solution
}

// group is section 18.5.1's Group, Aggregation and AggregateJoin.
func (e *evaluator) group(op sparql.Group, g graph, outer solution) []solution {
	groups := e.partition(op, g, outer)
	var out []solution
	for _, p := range groups {
		s := newSolution()
		for i, key := range op.Keys {
			if key.Var != "" && p.key[i] != nil {
				s.terms[key.Var] = p.key[i]
			}
		}
		for _, a := range op.Aggregates {
			if value, err := e.aggregate(a.Aggregate, p.solutions, g, outer); err == nil {
				s.terms[a.Var] = value
			}
		}
		out = append(out, s)
	}
	return out
}

func (e *evaluator) partition(op sparql.Group, g graph, outer solution) []*partition {
	var groups []*partition
	if len(op.Keys) == 0 {
		groups = []*partition{{}}
	}
	for _, s := range e.eval(op.Op, g, outer) {
		key := make([]rdf.Term, len(op.Keys))
		for i, k := range op.Keys {
			if value, err := e.value(k.Expr, scope{s.with(outer), g}); err == nil {
				key[i] = value
			}
		}
		at := slices.IndexFunc(groups, func(p *partition) bool { return slices.EqualFunc(p.key, key, identical) })
		if at < 0 {
			at = len(groups)
			groups = append(groups, &partition{key: key})
		}
		groups[at].solutions = append(groups[at].solutions, s)
	}
	return groups
}

// aggregate is section 18.5.1's set functions. In the multiset of values nil is an error; only COUNT and SAMPLE
// ignore errors.
func (e *evaluator) aggregate(a sparql.Aggregate, solutions []solution, g graph, outer solution) (rdf.Term, error) {
	if a.Expr == nil {
		return integer(countRows(solutions, a.Distinct)), nil
	}
	var values []rdf.Term
	errors := 0
	for _, s := range solutions {
		value, err := e.value(a.Expr, scope{s.with(outer), g})
		switch {
		case err != nil:
			errors++
		case !a.Distinct || !slices.ContainsFunc(values, func(v rdf.Term) bool { return identical(v, value) }):
			values = append(values, value)
		}
	}
	switch a.Func {
	case sparql.Count:
		return integer(len(values)), nil
	case sparql.Sample:
		if len(values) > 0 {
			return values[0], nil
		}
		return nil, errType
	default:
		if errors > 0 {
			return nil, errType
		}
		return fold(a, values)
	}
}

// fold applies a set function to values without errors.
func fold(a sparql.Aggregate, values []rdf.Term) (rdf.Term, error) {
	switch a.Func {
	case sparql.Sum:
		return sum(values)
	case sparql.Avg:
		total, err := sum(values)
		if err != nil || len(values) == 0 {
			return total, err
		}
		return arithmetic(sparql.Divide, total, integer(len(values)))
	case sparql.Min:
		return first(values, func(order int) bool { return order < 0 })
	case sparql.Max:
		return first(values, func(order int) bool { return order > 0 })
	case sparql.GroupConcat:
		return concatenation(values, a.Separator)
	default:
		return nil, errType
	}
}

func countRows(solutions []solution, once bool) int {
	if !once {
		return len(solutions)
	}
	seen := make([]solution, len(solutions))
	for i, s := range solutions {
		seen[i] = visible(s)
	}
	return len(distinct(seen))
}

// sum is section 18.5.1.3's Sum.
func sum(values []rdf.Term) (rdf.Term, error) {
	if len(values) > 0 && isDuration(values[0]) {
		return sumOfDurations(values)
	}
	total := integer(0)
	for _, v := range values {
		var err error
		if total, err = arithmetic(sparql.Add, total, v); err != nil {
			return nil, err
		}
	}
	return total, nil
}

// first is section 18.5.1.5's Min, or Max: by the order of ORDER BY, and of values that are equal in it by their texts.
func first(values []rdf.Term, better func(order int) bool) (rdf.Term, error) {
	if len(values) == 0 {
		return nil, errType
	}
	best := values[0]
	for _, v := range values[1:] {
		if better(cmp.Or(orderTerms(v, best), bytes.Compare(rdf.AppendTerm(nil, v), rdf.AppendTerm(nil, best)))) {
			best = v
		}
	}
	return best, nil
}

// concatenation is section 18.5.1.7's GroupConcat.
func concatenation(values []rdf.Term, separator string) (rdf.Term, error) {
	texts := make([]string, len(values))
	for i, v := range values {
		if isBlank(v) {
			return nil, errType
		}
		texts[i] = rdf.Lexical(v)
	}
	return rdf.String(strings.Join(texts, separator)), nil
}
