package opt

import (
	"slices"

	"trails/sparql"
)

// joins flattens nested joins, merges their basic graph patterns into one, and drops repeated triple patterns. The
// order of patterns is chosen within one basic graph pattern. With two, as a nested group or an OPTIONAL between them
// makes, the second would always be read after the first.
//
// Join is associative and commutative on multisets (section 18.5). Two basic graph patterns have the solutions of one
// with the triples of both, since blank nodes, of which each pattern has its own (section 18.3.1), have variables of
// their own here. The same triple pattern again matches the same triple, and adds no solution: a graph is a set.
func joins(op sparql.Op) sparql.Op {
	if !sparql.Has(op, func(op sparql.Op) bool { _, ok := op.(sparql.Join); return ok || repeats(op) }) {
		return op
	}
	return joinsMerged(op)
}

// repeats reports whether the triple pattern at i is a repetition. In a large pattern it does not look, and returns
// false.
func repeats(op sparql.Op) bool {
	b, ok := op.(sparql.BGP)
	if !ok || len(b.Patterns) > 30 {
		return ok
	}
	for i, p := range b.Patterns {
		if slices.Contains(b.Patterns[:i], p) {
			return true
		}
	}
	return false
}

func joinsMerged(op sparql.Op) sparql.Op {
	switch op := op.(type) {
	case sparql.BGP:
		return once(op)
	case sparql.Join:
		list := Joined(op)
		for i := range list {
			list[i] = joinsMerged(list[i])
		}
		return joinOf(merged(list))
	}
	return eachOperand(op, joinsMerged)
}

// Joined lists the operands of nested joins.
func Joined(op sparql.Op) []sparql.Op { return joinedBy(op, nil) }

func joinedBy(op sparql.Op, list []sparql.Op) []sparql.Op {
	if j, ok := op.(sparql.Join); ok {
		return joinedBy(j.Right, joinedBy(j.Left, list))
	}
	return append(list, op)
}

func joinOf(list []sparql.Op) sparql.Op {
	op := list[0]
	for _, next := range list[1:] {
		op = sparql.Join{Left: op, Right: next}
	}
	return op
}

// merged merges the basic graph patterns into one, in the place of the first.
func merged(list []sparql.Op) []sparql.Op {
	var patterns []sparql.TriplePattern
	var out []sparql.Op
	at := -1
	for _, op := range list {
		b, ok := op.(sparql.BGP)
		if !ok {
			out = append(out, op)
			continue
		}
		if at < 0 {
			at = len(out)
			out = append(out, nil)
		}
		patterns = append(patterns, b.Patterns...)
	}
	if at >= 0 {
		out[at] = once(sparql.BGP{Patterns: patterns})
	}
	return out
}

func once(b sparql.BGP) sparql.Op {
	if !repeats(b) {
		return b
	}
	kept := make([]sparql.TriplePattern, 0, len(b.Patterns))
	seen := make(map[sparql.TriplePattern]bool, len(b.Patterns))
	for _, p := range b.Patterns {
		if !seen[p] {
			seen[p] = true
			kept = append(kept, p)
		}
	}
	return sparql.BGP{Patterns: kept}
}
