package opt

import (
	"strconv"

	"trails/sparql"
)

// paths rewrites property paths to patterns where possible: a link to a triple pattern, an inverse to one with its
// ends swapped, a sequence to a join over a new variable, alternatives to a union, and a negated set of both directions
// to one for each. Paths with *, + or ?, and the other negated sets, stay. Patterns can be ordered by cost with all others; a path cannot.
//
// The parser translates a link, an inverse or a sequence that is a whole path (section 18.2.2.4); alternatives are a
// union by section 18.4, which keeps duplicates. The new variable is invisible, like that of a blank node.
// Alternatives with a constant at one end stay a path: they have few solutions, and the join order estimates a path
// better than a union.
func paths(op sparql.Op) sparql.Op {
	if !sparql.Has(op, func(op sparql.Op) bool { _, ok := op.(sparql.PathPattern); return ok }) {
		return op
	}
	made := 0
	fresh := func() sparql.Var {
		made++
		return sparql.Var("..p" + strconv.Itoa(made))
	}
	return bottomUp(op, func(op sparql.Op) sparql.Op {
		if p, ok := op.(sparql.PathPattern); ok {
			return ofPath(p, fresh)
		}
		return op
	})
}

// Steps returns a path pattern as patterns, as far as possible, with merged joins. fresh makes new variables.
func Steps(p sparql.PathPattern, fresh func() sparql.Var) sparql.Op {
	return joins(withAlternatives(p, fresh))
}

func ofPath(p sparql.PathPattern, fresh func() sparql.Var) sparql.Op {
	p.Path = Forward(p.Path)
	if _, ok := p.Path.(sparql.Alternative); ok && (p.Subject.Var == "" || p.Object.Var == "") {
		return p
	}
	return asPatterns(p, fresh, ofPath)
}

func withAlternatives(p sparql.PathPattern, fresh func() sparql.Var) sparql.Op {
	p.Path = Forward(p.Path)
	return asPatterns(p, fresh, withAlternatives)
}

func asPatterns(p sparql.PathPattern, fresh func() sparql.Var, part func(sparql.PathPattern, func() sparql.Var) sparql.Op) sparql.Op {
	switch path := p.Path.(type) {
	case sparql.Link:
		return link(p.Subject, path, p.Object)
	case sparql.Inverse:
		if l, ok := path.Path.(sparql.Link); ok {
			return link(p.Object, l, p.Subject)
		}
	case sparql.Sequence:
		middle := sparql.Operand{Var: fresh()}
		return sparql.Join{
			Left:  part(sparql.PathPattern{Subject: p.Subject, Path: path.Left, Object: middle}, fresh),
			Right: part(sparql.PathPattern{Subject: middle, Path: path.Right, Object: p.Object}, fresh),
		}
	case sparql.Alternative:
		return sparql.Union{
			Left:  part(sparql.PathPattern{Subject: p.Subject, Path: path.Left, Object: p.Object}, fresh),
			Right: part(sparql.PathPattern{Subject: p.Subject, Path: path.Right, Object: p.Object}, fresh),
		}
	case sparql.NegatedSet:
		if path.Forward != nil && path.Backward != nil {
			forward, backward := p, p
			forward.Path, backward.Path = sparql.NegatedSet{Forward: path.Forward}, sparql.NegatedSet{Backward: path.Backward}
			return sparql.Union{Left: forward, Right: backward}
		}
	}
	return p
}

func link(subject sparql.Operand, l sparql.Link, object sparql.Operand) sparql.Op {
	return sparql.BGP{Patterns: []sparql.TriplePattern{{Subject: subject, Predicate: sparql.Operand{Term: l.IRI}, Object: object}}}
}

// Forward moves inversion down to the links of a path.
func Forward(p sparql.Path) sparql.Path {
	if i, ok := p.(sparql.Inverse); ok {
		return Inverted(i.Path)
	}
	return p
}

// Inverted returns the inverse of a path, with inversion at the links only.
func Inverted(p sparql.Path) sparql.Path {
	switch p := p.(type) {
	case sparql.Inverse:
		return Forward(p.Path)
	case sparql.Sequence:
		return sparql.Sequence{Left: Inverted(p.Right), Right: Inverted(p.Left)}
	case sparql.Alternative:
		return sparql.Alternative{Left: Inverted(p.Left), Right: Inverted(p.Right)}
	case sparql.ZeroOrMore:
		return sparql.ZeroOrMore{Path: Inverted(p.Path)}
	case sparql.OneOrMore:
		return sparql.OneOrMore{Path: Inverted(p.Path)}
	case sparql.ZeroOrOne:
		return sparql.ZeroOrOne{Path: Inverted(p.Path)}
	case sparql.NegatedSet:
		return sparql.NegatedSet{Forward: p.Backward, Backward: p.Forward}
	}
	return sparql.Inverse{Path: p}
}
