package kg

import (
	"context"
	"sort"

	"trails/fault"
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
// commits are too many or too large, were bulk loads or changed the schema, or if Before is not in the history of the
// branch any more, it returns every type. A branch that there is not is the fault Missing.
func (s *Session) Touched(ctx context.Context, m Moved) (Touched, error) {
	snap, err := s.Snapshot(ctx)
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

// isReadable reports that the commits' change logs are complete and small enough. Commits of other branches, whose numbers
// lie between, do not count.
func (s *Snapshot) isReadable(ctx context.Context, m Moved) (bool, error) {
	if m.Schema || m.Head.Seq <= m.Before.Seq {
		return false, nil
	}
	if !m.Before.ID.IsZero() {
		if _, err := s.source.CommitByID(ctx, m.Before.ID.String()); err != nil {
			return false, unlessMissing(err) // the branch was reset, or made anew
		}
	}
	changes := int64(0)
	for at, n := m.Before.Seq, 0; at < m.Head.Seq; n++ {
		c, err := s.CommitAfter(ctx, at)
		if err != nil || c.Bulk || c.Seq > m.Head.Seq || n == maxTouchedCommits {
			return false, unlessMissing(err)
		}
		at, changes = c.Seq, changes+c.Added+c.Removed
	}
	return changes <= maxTouchedChanges, nil
}

// unlessMissing returns err, unless it is the fault Missing.
func unlessMissing(err error) error {
	if fault.Is(err, fault.Missing) {
		return nil
	}
	return err
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
