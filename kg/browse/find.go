package browse

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"trails/db/history"
	"trails/fault"
	"trails/rdf"
	"trails/schema"
)

// Find returns the node of a type or its subtypes that an id names. A node that does not exist is fault.NotFound; if
// it was deleted, the detail deleted_by is the commit that deleted it.
func (s *Reader) Find(ctx context.Context, t *schema.Type, id string) (Described, error) {
	candidates := s.candidates(t, id)
	for _, node := range candidates {
		types, err := s.DeclaredTypes(ctx, node)
		if err != nil {
			return Described{}, err
		}
		if s.anyOf(t, types) {
			return s.Describe(ctx, node)
		}
	}
	missing := fault.New(fault.NotFound, "there is no %s %q", t.Name, id)
	_, by, err := s.Deleted(ctx, t, candidates)
	if err != nil {
		return Described{}, err
	}
	if by.Seq > 0 {
		missing = fault.New(fault.NotFound, "%s %q was deleted by commit %s", t.Name, id, by.ID).With("deleted_by", by.ID.String())
	}
	return Described{}, missing
}

// FindEver is Find, and also finds deleted nodes.
func (s *Reader) FindEver(ctx context.Context, t *schema.Type, id string) (Described, error) {
	d, err := s.Find(ctx, t, id)
	if !fault.Is(err, fault.NotFound) {
		return d, err
	}
	node, by, failed := s.Deleted(ctx, t, s.candidates(t, id))
	if failed != nil {
		return d, failed
	}
	if by.Seq == 0 {
		return d, err
	}
	if d, err = s.Describe(ctx, node); err == nil && d.Type == nil {
		d.Type = t
	}
	return d, err
}

// candidates are the nodes that an id may name among those of a type.
func (s *Reader) candidates(t *schema.Type, id string) (nodes []rdf.Term) {
	if label, ok := strings.CutPrefix(id, "_:"); ok && label != "" {
		return []rdf.Term{rdf.BNode(label)}
	}
	for _, own := range s.schema.Concrete(t) {
		iri, err := s.schema.ResolveID(own, id)
		if err == nil && !slices.Contains(nodes, rdf.Term(iri)) {
			nodes = append(nodes, iri)
		}
	}
	return nodes
}

// anyOf reports whether one of the types is t or a subtype of it that has instances.
func (s *Reader) anyOf(t *schema.Type, types []*schema.Type) bool {
	own := s.schema.Concrete(t)
	return slices.ContainsFunc(types, func(found *schema.Type) bool { return slices.Contains(own, found) })
}

// Deleted returns the candidate that was an instance last, and the commit that deleted it.
func (s *Reader) Deleted(ctx context.Context, t *schema.Type, candidates []rdf.Term) (rdf.Term, history.Commit, error) {
	last, was := history.Seq(0), rdf.Term(nil)
	for _, node := range candidates {
		for _, own := range s.schema.Concrete(t) {
			seq, err := s.source.Removed(ctx, rdf.Quad{Subject: node, Predicate: rdf.Type, Object: own.IRI})
			if err != nil {
				return nil, history.Commit{}, err
			}
			if seq > last {
				last, was = seq, node
			}
		}
	}
	if last == 0 {
		return nil, history.Commit{}, nil
	}
	c, err := s.source.CommitBySeq(ctx, last)
	return was, c, err
}

// Bounds of a search for nodes by their label.
const (
	sameLabel    = 10 // nodes of one type that are found
	labelsHinted = 3  // nodes that a hint names
)

// Labelled returns the nodes of these types that have exactly this label, up to ten of each type.
func (s *Reader) Labelled(ctx context.Context, types []*schema.Type, label string) (nodes []rdf.Term, err error) {
	for _, t := range types {
		p := s.schema.Property(t, s.schema.LabelOf(t))
		if p == nil || t.Abstract {
			continue
		}
		pairs := []rdf.PredicateObject{{P: p.IRI, O: rdf.Literal(label, "")}, {P: rdf.Type, O: t.IRI}}
		found, err := s.source.Having(ctx, pairs, sameLabel)
		if err != nil {
			return nil, err
		}
		for _, node := range found {
			if !slices.Contains(nodes, node) {
				nodes = append(nodes, node)
			}
		}
	}
	return nodes, nil
}

// LabelHint ends the refusal of an id that no node of a type has: it names the nodes of the type that have the id as
// their label, but for those that are left out, and is "" if there are none.
func (s *Reader) LabelHint(ctx context.Context, t *schema.Type, id string, out func(rdf.Term) bool) (string, error) {
	nodes, err := s.Labelled(ctx, s.schema.Concrete(t), id)
	nodes = slices.DeleteFunc(nodes, out)
	if err != nil || len(nodes) == 0 {
		return "", err
	}
	names, others := s.schema.NodeNames(nodes), ""
	if len(names) > labelsHinted {
		names, others = names[:labelsHinted], " and others"
	}
	return fmt.Sprintf("; %q is the label of %s%s", id, strings.Join(names, ", "), others), nil
}
