package kg

import (
	"context"
	"errors"
	"iter"
	"slices"

	"trails/rdf"
	"trails/validate"
)

// preview reads the default graph as a change of the schema would leave it, without making the change: a plan waits
// for no lock, and writes nothing.
type preview struct {
	validate.Data // the current graph
	transition
}

// Match reads a subject as it will be. A pattern without a subject finds existing statements that stay; defaults that
// will be added are found by Having.
func (p preview) Match(ctx context.Context, pattern rdf.Quad) iter.Seq2[rdf.Quad, error] {
	if pattern.Subject != nil {
		return fitting(ctx, p.node, pattern)
	}
	return func(yield func(rdf.Quad, error) bool) {
		for q, err := range p.Data.Match(ctx, pattern) {
			if err != nil {
				yield(q, err)
				return
			}
			stays, err := p.has(ctx, q)
			if (stays || err != nil) && !yield(q, err) || err != nil {
				return
			}
		}
	}
}

// fitting yields the future statements of a pattern's subject that match it.
func fitting(ctx context.Context, node nodeReader, pattern rdf.Quad) iter.Seq2[rdf.Quad, error] {
	return func(yield func(rdf.Quad, error) bool) {
		quads, err := node(ctx, pattern.Subject)
		if err != nil {
			yield(rdf.Quad{}, err)
			return
		}
		for _, q := range quads {
			if fits(q, pattern) && !yield(q, nil) {
				return
			}
		}
	}
}

// node returns the future statements of a node.
func (p preview) node(ctx context.Context, subject rdf.Term) ([]rdf.Quad, error) {
	quads, err := collect(p.Data.Match(ctx, rdf.Quad{Subject: subject, Label: rdf.DefaultGraph}))
	if err != nil {
		return nil, err
	}
	return p.becomes(quads), nil
}

// leaves returns what the change leaves of a statement that a closed base forbids. If the node will have an open
// type, the default graph may have any statement about it.
func (p preview) leaves(ctx context.Context, src rdf.Source, q rdf.Quad) ([]rdf.Quad, error) {
	declared, err := collect(src.Match(ctx, rdf.Quad{Subject: q.Subject, Predicate: rdf.Type}))
	if err != nil {
		return nil, err
	}
	images := slices.DeleteFunc(p.imagesOf(q, p.had(q, declared)), func(q rdf.Quad) bool { return !p.after.Undeclared(q) })
	if q.Label != nil {
		return slices.DeleteFunc(images, func(q rdf.Quad) bool {
			return slices.ContainsFunc(p.losses, func(l loss) bool { return l.takes(q) })
		}), nil
	}
	if len(images) == 0 {
		return nil, nil
	}
	quads, err := p.node(ctx, q.Subject)
	if p.after.IsOpen(p.after.TypesOf(quads)) {
		return nil, err
	}
	return slices.DeleteFunc(images, func(q rdf.Quad) bool { return !slices.Contains(quads, q) }), err
}

func (p preview) has(ctx context.Context, q rdf.Quad) (bool, error) {
	quads, err := p.node(ctx, q.Subject)
	return slices.Contains(quads, q), err
}

// Having implements validate.Data: the nodes that have the pairs now and will keep them, and those that get them by a
// default.
func (p preview) Having(ctx context.Context, pairs []rdf.PredicateObject, limit int) ([]rdf.Term, error) {
	found, err := having(ctx, p.Data, p.node, pairs, pairs, limit)
	if err != nil {
		return nil, err
	}
	return p.addFilled(ctx, found, pairs, limit)
}

// nodeReader returns the future statements of a node.
type nodeReader func(context.Context, rdf.Term) ([]rdf.Quad, error)

// having returns up to limit nodes that have the pairs now and will have the wanted ones.
func having(ctx context.Context, data validate.Data, node nodeReader, now, wanted []rdf.PredicateObject, limit int) ([]rdf.Term, error) {
	for ask := limit; ; ask *= 4 {
		candidates, err := data.Having(ctx, now, ask)
		if err != nil {
			return nil, err
		}
		found, err := keeping(ctx, node, candidates, wanted, limit)
		if err != nil || len(found) == limit || len(candidates) < ask {
			return found, err
		}
	}
}

// keeping returns up to limit candidates that will have every pair.
func keeping(ctx context.Context, node nodeReader, candidates []rdf.Term, pairs []rdf.PredicateObject, limit int) ([]rdf.Term, error) {
	var out []rdf.Term
	for _, c := range candidates {
		quads, err := node(ctx, c)
		if err != nil {
			return nil, err
		}
		if hasAll(quads, c, pairs) && len(out) < limit {
			out = append(out, c)
		}
	}
	return out, nil
}

func hasAll(quads []rdf.Quad, subject rdf.Term, pairs []rdf.PredicateObject) bool {
	for _, pair := range pairs {
		if !slices.Contains(quads, rdf.Quad{Subject: subject, Predicate: pair.P, Object: pair.O}) {
			return false
		}
	}
	return len(pairs) > 0
}

// addFilled adds the nodes that will have the pairs because one of them is a default that is filled in.
func (p preview) addFilled(ctx context.Context, found []rdf.Term, pairs []rdf.PredicateObject, limit int) ([]rdf.Term, error) {
	for _, f := range p.fills {
		if !slices.Contains(pairs, rdf.PredicateObject{P: f.property.IRI, O: f.property.Default}) {
			continue
		}
		for typ := range f.within {
			err := eachInstance(ctx, p.Data, typ, func(node rdf.Term) error {
				if len(found) == limit {
					return errEnough
				}
				more, err := keeping(ctx, p.node, []rdf.Term{node}, pairs, 1)
				if len(more) > 0 && !slices.Contains(found, node) {
					found = append(found, node)
				}
				return err
			})
			if errors.Is(err, errEnough) {
				return found, nil
			}
			if err != nil {
				return nil, err
			}
		}
	}
	return found, nil
}
