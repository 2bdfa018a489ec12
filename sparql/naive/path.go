package naive

import (
	"slices"

	"trails/rdf"
	"trails/sparql"
)

// pair is a subject and an object that a path connects.
type pair [2]rdf.Term

func (p pair) is(other pair) bool { return identical(p[0], other[0]) && identical(p[1], other[1]) }

func (p pair) turned() pair { return pair{p[1], p[0]} }

// pathPattern is section 18.4: eval(Path(X, path, Y)).
func (e *evaluator) pathPattern(op sparql.PathPattern, g graph, outer solution) []solution {
	start := outer.only([]sparql.Var{op.Subject.Var, op.Object.Var})
	var out []solution
	for _, p := range e.pairs(op.Path, known(op.Subject, start), known(op.Object, start), g) {
		s, ok := matchesTerm(op.Subject, p[0], start)
		if !ok {
			continue
		}
		if s, ok = matchesTerm(op.Object, p[1], s); ok {
			out = append(out, s)
		}
	}
	return separateBlankNodes(out)
}

// pairs returns each subject and object that the path connects, with duplicates. x and y are the terms at its ends;
// nil stands for a variable, a different one at each end.
func (e *evaluator) pairs(path sparql.Path, x, y rdf.Term, g graph) []pair {
	if e.stopped() != nil {
		return nil
	}
	switch path := path.(type) {
	case sparql.Link:
		return steps(g, x, y, func(p rdf.Term) bool { return p == path.IRI })
	case sparql.Inverse:
		return turned(e.pairs(path.Path, y, x, g))
	case sparql.Sequence:
		return e.sequence(path, x, y, g)
	case sparql.Alternative:
		return slices.Concat(e.pairs(path.Left, x, y, g), e.pairs(path.Right, x, y, g))
	case sparql.ZeroOrOne:
		return onceEach(slices.Concat(zeroLength(x, y, g), e.pairs(path.Path, x, y, g)))
	case sparql.ZeroOrMore:
		return e.repeated(path.Path, x, y, g, e.zeroOrMore)
	case sparql.OneOrMore:
		return e.repeated(path.Path, x, y, g, e.oneOrMore)
	case sparql.NegatedSet:
		return negated(path, x, y, g)
	}
	e.fail("%T is no path", path)
	return nil
}

// steps returns the triples whose predicate is allowed.
func steps(g graph, x, y rdf.Term, allowed func(rdf.Term) bool) []pair {
	var out []pair
	for _, t := range g {
		if (x == nil || identical(t[0], x)) && (y == nil || identical(t[2], y)) && allowed(t[1]) {
			out = append(out, pair{t[0], t[2]})
		}
	}
	return out
}

func turned(pairs []pair) []pair {
	out := make([]pair, len(pairs))
	for i, p := range pairs {
		out[i] = p.turned()
	}
	return out
}

// sequence joins two paths over a new variable.
func (e *evaluator) sequence(path sparql.Sequence, x, y rdf.Term, g graph) []pair {
	left, right := e.pairs(path.Left, x, nil, g), e.pairs(path.Right, nil, y, g)
	var out []pair
	for _, a := range left {
		for _, b := range right {
			if identical(a[1], b[0]) {
				out = append(out, pair{a[0], b[1]})
			}
		}
	}
	return out
}

// zeroLength is section 18.4's ZeroLengthPath: each node paired with itself.
func zeroLength(x, y rdf.Term, g graph) []pair {
	switch {
	case x != nil && y != nil && !identical(x, y):
		return nil
	case x != nil:
		return []pair{{x, x}}
	case y != nil:
		return []pair{{y, y}}
	}
	var out []pair
	for _, n := range nodes(g) {
		out = append(out, pair{n, n})
	}
	return out
}

// nodes is section 18.4's nodes(G): the subjects and objects of a graph.
func nodes(g graph) []rdf.Term {
	var out []rdf.Term
	seen := map[rdf.Term]bool{}
	for _, t := range g {
		for _, n := range []rdf.Term{t[0], t[2]} {
			if !seen[n] {
				seen[n] = true
				out = append(out, n)
			}
		}
	}
	return out
}

func onceEach(pairs []pair) []pair {
	var out []pair
	for _, p := range pairs {
		if !slices.ContainsFunc(out, p.is) {
			out = append(out, p)
		}
	}
	return out
}

// repeated is section 18.4's ZeroOrMorePath and OneOrMorePath, for each combination of terms and variables at the
// ends. reach returns the terms that a term reaches.
func (e *evaluator) repeated(path sparql.Path, x, y rdf.Term, g graph,
	reach func(rdf.Term, sparql.Path, graph) []rdf.Term,
) []pair {
	if x == nil && y != nil {
		return turned(e.repeated(sparql.Inverse{Path: path}, y, x, g, reach))
	}
	from := []rdf.Term{x}
	if x == nil {
		from = nodes(g)
	}
	var out []pair
	for _, start := range from {
		for _, end := range reach(start, path, g) {
			if y == nil || identical(end, y) {
				out = append(out, pair{start, end})
			}
		}
	}
	return out
}

// visited is the set V of ALP, in insertion order.
type visited struct {
	terms []rdf.Term
	in    map[rdf.Term]bool
}

func (e *evaluator) zeroOrMore(x rdf.Term, path sparql.Path, g graph) []rdf.Term {
	v := &visited{in: map[rdf.Term]bool{}}
	e.alp(x, path, g, v)
	return v.terms
}

func (e *evaluator) oneOrMore(x rdf.Term, path sparql.Path, g graph) []rdf.Term {
	v := &visited{in: map[rdf.Term]bool{}}
	for _, p := range e.pairs(path, x, nil, g) {
		e.alp(p[1], path, g, v)
	}
	return v.terms
}

// alp is section 18.4's function ALP, arbitrary length path.
func (e *evaluator) alp(x rdf.Term, path sparql.Path, g graph, v *visited) {
	if v.in[x] {
		return
	}
	v.in[x] = true
	v.terms = append(v.terms, x)
	for _, p := range e.pairs(path, x, nil, g) {
		e.alp(p[1], path, g, v)
	}
}

// negated is section 18.4's NegatedPropertySet, forward and inverse.
func negated(path sparql.NegatedSet, x, y rdf.Term, g graph) []pair {
	other := func(iris []rdf.IRI) func(rdf.Term) bool {
		return func(p rdf.Term) bool { return !slices.ContainsFunc(iris, func(i rdf.IRI) bool { return p == i }) }
	}
	var out []pair
	if path.Forward != nil {
		out = steps(g, x, y, other(path.Forward))
	}
	if path.Backward != nil {
		out = append(out, turned(steps(g, y, x, other(path.Backward)))...)
	}
	return out
}
