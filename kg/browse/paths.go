package browse

import (
	"context"

	"trails/db"
	"trails/rdf"
)

// Bounds of a search for paths between two nodes.
const (
	pathLinks      = 50_000 // links that are read
	pathLinksAmong = 1000   // links of a node between the two, in each direction
)

// Paths are the paths between two nodes, the shortest first.
type Paths struct {
	Paths []Way
	// More means that there are more paths than were asked for, or may be.
	More bool
	// Whole is the length up to which every link was followed: of longer paths some may be missing.
	Whole int
	// Read is how many links were read.
	Read int
}

// Way is a path from one node to another: each step leads from a node to the next one.
type Way struct {
	Nodes []Described
	Steps []PathStep
}

// PathStep is one link of a path. Back means that the link leads from the later node to the earlier one.
type PathStep struct {
	Property string
	Back     bool
}

// Paths returns up to limit paths of up to so many steps between two nodes, along links in either direction, but not by
// rdf:type. None goes through a node twice. It reads at most 50,000 links, and of a node between the two the first
// thousand in each direction.
func (s *Reader) Paths(ctx context.Context, from, to Described, steps, limit int) (Paths, error) {
	found, err := s.source.Paths(ctx, from.Term, to.Term, db.PathLimits{Steps: steps, Paths: limit, Links: pathLinks, Node: pathLinksAmong})
	if err != nil {
		return Paths{}, err
	}
	out := Paths{More: found.More, Whole: found.Whole, Read: found.Read}
	for _, path := range found.Paths {
		terms := []rdf.Term{from.Term}
		for _, step := range path {
			next := step.Object
			if step.Back {
				next = step.Subject
			}
			terms = append(terms, next)
		}
		nodes, err := s.DescribeAll(ctx, terms)
		if err != nil {
			return Paths{}, err
		}
		one := Way{Nodes: nodes}
		for i, step := range path {
			subject := nodes[i]
			if step.Back {
				subject = nodes[i+1]
			}
			one.Steps = append(one.Steps, PathStep{s.PropertyName(subject.Type, step.Predicate), step.Back})
		}
		out.Paths = append(out.Paths, one)
	}
	return out, nil
}
