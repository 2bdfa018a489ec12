package kg

import (
	"context"
	"sort"

	"trails/rdf"
	"trails/schema"
)

// Touched are the instances that were made, changed or removed between two commits.
type Touched struct {
	// Schema is the newest schema, which names the types.
	Schema *schema.Schema
	// Types are the types that the instances have or had, without supertypes, in
	// order of declaration.
	Types []*schema.Type
	// Instances are the nodes with each of their types, by IRI.
	Instances []Instance
	// Cut reports that Instances is empty because there are too many, or because they were not read: any instance of
	// Types may have changed.
	Cut bool
}

// Instance is a node as one of its types.
type Instance struct {
	Type *schema.Type
	IRI  rdf.IRI
}

// Bounds on the cost of reading the history: beyond them every type counts as touched.
const (
	maxTouchedCommits   = 1024
	maxTouchedChanges   = 65_536
	maxTouchedInstances = 4096
)

// Touched reads the commits that m reports, at bounded cost: beyond 4,096 instances it only returns types, and if the
// commits are too many or too large, were bulk loads or changed the schema, it returns every type.
func (s *Session) Touched(ctx context.Context, m Moved) (Touched, error) {
	snap, err := s.On(Main).Snapshot(ctx)
	if err != nil {
		return Touched{}, err
	}
	defer snap.Close()
	within, err := snap.isReadable(ctx, m)
	if err != nil {
		return Touched{}, err
	}
	if !within {
		return Touched{Schema: snap.Schema(), Types: snap.Schema().Types, Cut: true}, nil
	}
	return snap.touched(ctx, m.Before.Seq+1, m.Head.Seq)
}

// isReadable reports that the commits' change logs are complete and small enough.
func (s *Snapshot) isReadable(ctx context.Context, m Moved) (bool, error) {
	n := m.Head.Seq - m.Before.Seq
	if m.Schema || n <= 0 || n > maxTouchedCommits {
		return false, nil
	}
	commits, err := s.Commits(ctx, m.Head.Seq+1, int(n))
	if err != nil {
		return false, err
	}
	changes := int64(0)
	for _, c := range commits {
		if c.Seq <= m.Before.Seq {
			break
		}
		if c.Bulk {
			return false, nil
		}
		changes += c.Added + c.Removed
	}
	return changes <= maxTouchedChanges, nil
}

func (s *Snapshot) touched(ctx context.Context, first, last Seq) (Touched, error) {
	list, err := s.source.Touched(ctx, first, last, maxTouchedInstances+1)
	if err != nil {
		return Touched{}, err
	}
	out := Touched{Schema: s.Schema()}
	if len(list) > maxTouchedInstances {
		classes, err := s.source.TouchedTypes(ctx, first, last)
		out.Types, out.Cut = s.declared(classes), true
		return out, err
	}
	classes := make([]rdf.Term, len(list))
	for i, touch := range list {
		classes[i] = touch.Type
		iri, named := touch.Subject.(rdf.IRI)
		if t := s.typeOf(touch.Type); t != nil && named {
			out.Instances = append(out.Instances, Instance{t, iri})
		}
	}
	out.Types = s.declared(classes)
	sort.SliceStable(out.Instances, func(i, j int) bool { return out.Instances[i].IRI < out.Instances[j].IRI })
	return out, nil
}

// declared returns those of the schema's types that are among classes.
func (s *Snapshot) declared(classes []rdf.Term) []*schema.Type {
	seen := map[*schema.Type]bool{}
	for _, class := range classes {
		seen[s.typeOf(class)] = true
	}
	var out []*schema.Type
	for _, t := range s.Schema().Types {
		if seen[t] {
			out = append(out, t)
		}
	}
	return out
}

// typeOf returns the declared type that class names, nil for none.
func (s *Snapshot) typeOf(class rdf.Term) *schema.Type {
	iri, _ := class.(rdf.IRI)
	return s.Schema().TypeByIRI(iri)
}
