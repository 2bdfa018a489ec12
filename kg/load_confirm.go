package kg

import (
	"context"
	"math"
	"sort"

	"trails/kg/load"
	"trails/rdf"
)

// Replacement is what a load replaces: with Overwrite the nodes that have one of the types in the data, with Replace
// the statements of one graph.
type Replacement struct {
	// Head is the commit at which they were counted.
	Head Commit
	// Types have at least one node each, and are sorted by name.
	Types []Replaced
	// Statements are those of the graph.
	Statements int64
}

// Replaced says how many nodes of one type are removed, or go by a change.
type Replaced struct {
	Name  string
	Nodes int64
}

// Replaces returns what the load would replace now; nothing for modes that only add and set.
func (r *ReadyLoad) Replaces(ctx context.Context) (replacement Replacement, err error) {
	err = r.session.View(ctx, func(snap *Snapshot) (err error) {
		replacement.Head = snap.Head()
		switch r.load.Mode {
		case load.Overwrite:
			replacement.Types, err = snap.countTypes(ctx, r.data.Types)
		case load.Replace:
			replacement.Statements, err = snap.countGraph(ctx, r.load.Graph)
		case load.Merge, load.Append, load.Skip:
		}
		return err
	})
	return replacement, err
}

func (s *Snapshot) countTypes(ctx context.Context, types map[rdf.IRI]bool) ([]Replaced, error) {
	var counted []Replaced
	for iri := range types {
		n, err := s.source.CountReferrers(ctx, rdf.Type, iri, math.MaxInt)
		if err != nil {
			return nil, err
		}
		if n > 0 {
			counted = append(counted, Replaced{Name: s.compiled.typeName(iri), Nodes: int64(n)})
		}
	}
	sort.SliceStable(counted, func(i, j int) bool { return counted[i].Name < counted[j].Name })
	return counted, nil
}

func (s *Snapshot) countGraph(ctx context.Context, graph rdf.IRI) (n int64, err error) {
	for _, err := range s.Match(ctx, rdf.Quad{Label: graph}) {
		if err != nil {
			return 0, err
		}
		n++
	}
	return n, nil
}

// Settles reports that a change by this session cannot have an effect: it was made before under its key, or its
// IfCommit is not the head.
func (s *Snapshot) Settles(ctx context.Context, by *Session, set ChangeSet) (bool, error) {
	if set.IfCommit != nil && *set.IfCommit != s.Head().ID {
		return true, nil
	}
	if set.Key.Key == "" {
		return false, nil
	}
	_, seen, err := s.source.FindIdempotent(ctx, set.Key.of(by))
	return seen, err
}
