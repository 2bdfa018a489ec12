package kg

import (
	"cmp"
	"context"
	"slices"

	"trails/kg/rdf"
)

// Replacement is what an overwrite removes: the nodes that have one of the types in
// the data.
type Replacement struct {
	// Head is the commit at which they were counted.
	Head Commit
	// Types have at least one node each, and are sorted by name.
	Types []Replaced
}

// Replaced says how many nodes of one type are removed.
type Replaced struct {
	Name  string
	Nodes int64
}

// confirmed asks before nodes are removed, and returns the head that the load is then
// bound to.
func (l *loading) confirmed(s *Session, set ChangeSet) (*CommitID, error) {
	if l.load.Confirm == nil || l.load.Mode != Overwrite || set.DryRun {
		return set.IfCommit, nil
	}
	var goes Replacement
	var settled bool
	err := s.View(l.ctx, func(snap *Snapshot) (err error) {
		if settled, err = snap.settles(l.ctx, s, set); err == nil && !settled {
			goes, err = snap.replacement(l.ctx, l.types)
		}
		return err
	})
	if err != nil || settled || len(goes.Types) == 0 {
		return set.IfCommit, err
	}
	if err := l.load.Confirm(l.ctx, goes); err != nil {
		return nil, err
	}
	return &goes.Head.ID, nil
}

// settles reports that a change will come to nothing whatever it does: it was made
// before under its key, or was made from another head.
func (s *Snapshot) settles(ctx context.Context, by *Session, set ChangeSet) (bool, error) {
	if set.IfCommit != nil && *set.IfCommit != s.Head().ID {
		return true, nil
	}
	if set.Key.Key == "" {
		return false, nil
	}
	_, seen, err := s.FindIdempotent(ctx, set.Key.of(by))
	return seen, err
}

func (s *Snapshot) replacement(ctx context.Context, types map[rdf.IRI]bool) (Replacement, error) {
	goes := Replacement{Head: s.Head()}
	for iri := range types {
		n, err := s.CountInstances(ctx, []rdf.IRI{iri}, nil)
		if err != nil {
			return goes, err
		}
		if n > 0 {
			goes.Types = append(goes.Types, Replaced{Name: s.compiled.typeName(iri), Nodes: n})
		}
	}
	slices.SortFunc(goes.Types, func(a, b Replaced) int { return cmp.Compare(a.Name, b.Name) })
	return goes, nil
}
