package naive

import (
	"context"
	"fmt"
	"slices"

	"trails/rdf"
	"trails/sparql"
)

// Apply returns the dataset after an update (SPARQL 1.1 Update section 3): its
// operations in order, all or none.
func Apply(ctx context.Context, u *sparql.Update, d Dataset) (Dataset, error) {
	store := &store{quads: unique(d)}
	for _, op := range u.Operations {
		if err := store.apply(ctx, op); err != nil {
			return nil, err
		}
	}
	return store.quads, nil
}

// store is a graph store that does not record empty graphs.
type store struct{ quads Dataset }

func unique(quads []rdf.Quad) Dataset {
	out := make(Dataset, 0, len(quads))
	seen := map[rdf.Quad]bool{}
	for _, q := range quads {
		if !seen[q] {
			seen[q] = true
			out = append(out, q)
		}
	}
	return out
}

func (s *store) apply(ctx context.Context, op sparql.Operation) error {
	silent, err := false, error(nil)
	switch op := op.(type) {
	case sparql.Modify:
		return s.modify(ctx, op)
	case sparql.Load:
		silent, err = op.Silent, fmt.Errorf("nothing may be loaded from %s", op.Source)
	case sparql.Clear:
		s.remove(op.Target)
	case sparql.Drop:
		s.remove(op.Target)
	case sparql.Create:
		if s.has(sparql.Target{Graph: op.Graph}) {
			silent, err = op.Silent, fmt.Errorf("graph %s is there", op.Graph)
		}
	case sparql.Transfer:
		silent, err = op.Silent, s.transfer(op)
	default:
		return fmt.Errorf("%T is no operation", op)
	}
	if silent {
		return nil
	}
	return err
}

// in reports whether a quad is in the graphs of a target.
func in(t sparql.Target, q rdf.Quad) bool {
	switch {
	case t.All:
		return true
	case t.Named:
		return q.Label != nil
	case t.Graph == "":
		return q.Label == nil
	}
	return q.Label == t.Graph
}

func (s *store) has(t sparql.Target) bool {
	return slices.ContainsFunc(s.quads, func(q rdf.Quad) bool { return in(t, q) })
}

// remove is CLEAR (section 3.1.3) and DROP (3.2.2), which are the same without
// empty graphs.
func (s *store) remove(t sparql.Target) {
	s.quads = slices.DeleteFunc(s.quads, func(q rdf.Quad) bool { return in(t, q) })
}

// transfer is COPY, MOVE and ADD (sections 3.2.3 to 3.2.5). From a graph to itself
// they do nothing; a named graph that is not there is an error.
func (s *store) transfer(op sparql.Transfer) error {
	if op.From == op.To {
		return nil
	}
	if op.From.Graph != "" && !s.has(op.From) {
		return fmt.Errorf("graph %s is not there", op.From.Graph)
	}
	if op.Kind != sparql.AddGraph {
		s.remove(op.To)
	}
	for _, q := range slices.Clone(s.quads) {
		if in(op.From, q) {
			q.Label = nil
			if op.To.Graph != "" {
				q.Label = op.To.Graph
			}
			s.quads = append(s.quads, q)
		}
	}
	if op.Kind == sparql.MoveGraph {
		s.remove(op.From)
	}
	s.quads = unique(s.quads)
	return nil
}

// modify is section 3.1's graph update: DELETE, then INSERT, with the solutions of
// WHERE (section 4.2.4, OpDeleteInsert).
func (s *store) modify(ctx context.Context, op sparql.Modify) error {
	e := newEvaluator(ctx, "", s.quads, op.Using)
	if op.With != "" && op.Using.IsZero() {
		e.active = e.named[op.With]
	}
	solutions := []solution{newSolution()}
	if op.Where != nil {
		solutions = e.eval(op.Where, e.active, newSolution())
	}
	removed := e.filled(op.Delete, op.With, solutions)
	added := e.filled(op.Insert, op.With, solutions)
	if err := e.stopped(); err != nil {
		return err
	}
	s.quads = slices.DeleteFunc(slices.Clone(s.quads), func(q rdf.Quad) bool { return slices.Contains(removed, q) })
	s.quads = unique(append(s.quads, added...))
	return nil
}

// filled is the template, filled in with each solution (section 4.1.2, Dataset-Pattern).
func (e *evaluator) filled(template []sparql.QuadPattern, with rdf.IRI, solutions []solution) []rdf.Quad {
	var out []rdf.Quad
	for _, solution := range solutions {
		filled := e.filler(solution)
		for _, p := range template {
			q := rdf.Quad{Subject: filled(p.Subject), Predicate: filled(p.Predicate), Object: filled(p.Object)}
			switch {
			case p.Graph != sparql.Operand{}:
				if q.Label = filled(p.Graph); !isIRI(q.Label) {
					continue
				}
			case with != "":
				q.Label = with
			}
			if isTriple(triple{q.Subject, q.Predicate, q.Object}) {
				out = append(out, q)
			}
		}
	}
	return out
}
