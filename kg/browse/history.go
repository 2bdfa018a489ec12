package browse

import (
	"context"
	"slices"
	"sort"

	"trails/auth/policy"
	"trails/db"
	"trails/db/history"
	"trails/rdf"
	"trails/schema"
)

// Bounds of what one answer about history lists.
const (
	maxNodeChanges   = 200    // statements of one node in one commit
	maxListedChanges = 10_000 // statements of one answer
)

// HistoryEntry is what one commit did to one node.
type HistoryEntry struct {
	Commit history.Commit
	// Activity is the call that made the commit; nil when none is recorded.
	Activity *db.Activity
	Changes  []PropertyChange
	// More means that the commit changed more than is listed.
	More bool
}

// PropertyChange is one property of a node before and after: the values that were
// removed, and those that were added.
type PropertyChange struct {
	// Property is the schema's; nil for a predicate that no type declares.
	Property  *schema.Property
	Predicate rdf.IRI
	Old, New  []rdf.Term
}

// History returns the commits that changed what the default graph says of a node,
// newest first, of those before the commit with this number; 0 starts at the newest.
func (s *Reader) History(ctx context.Context, d Described, before history.Seq, limit int) ([]HistoryEntry, error) {
	numbers, err := s.source.SubjectCommits(ctx, d.Term, before, limit)
	if err != nil {
		return nil, err
	}
	entries := make([]HistoryEntry, len(numbers))
	for i, seq := range numbers {
		if entries[i], err = s.historyEntry(ctx, d, seq); err != nil {
			return nil, err
		}
	}
	return entries, nil
}

func (s *Reader) historyEntry(ctx context.Context, d Described, seq history.Seq) (e HistoryEntry, err error) {
	if e.Commit, err = s.source.CommitBySeq(ctx, seq); err != nil {
		return e, err
	}
	if e.Activity, err = s.ActivityOf(ctx, e.Commit); err != nil {
		return e, err
	}
	list, err := s.source.ChangesOf(ctx, e.Commit, d.Term, maxNodeChanges+1)
	if len(list) > maxNodeChanges {
		list, e.More = list[:maxNodeChanges], true
	}
	list = slices.DeleteFunc(list, func(c db.Change) bool { return c.Label != nil })
	e.Changes = s.ByProperty(d.Type, list)
	return e, err
}

// ActivityOf returns the call that made a commit; nil when none is recorded.
func (s *Reader) ActivityOf(ctx context.Context, c history.Commit) (*db.Activity, error) {
	list, err := s.source.Activities(ctx, db.ActivityFilter{CommitSeq: c.Seq}, 1)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return &list[0], nil
}

// ByProperty folds the changes of one node, rdf:type first, then as the type declares.
func (s *Reader) ByProperty(t *schema.Type, list []db.Change) []PropertyChange {
	var out []PropertyChange
	for _, c := range list {
		predicate, _ := c.Predicate.(rdf.IRI)
		i := slices.IndexFunc(out, func(known PropertyChange) bool { return known.Predicate == predicate })
		if i < 0 {
			i = len(out)
			out = append(out, PropertyChange{Property: s.anyProperty(t, predicate), Predicate: predicate})
		}
		if c.Op == history.OpAdd {
			out[i].New = append(out[i].New, c.Object)
		} else {
			out[i].Old = append(out[i].Old, c.Object)
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return s.changeOrder(t, out[i]) < s.changeOrder(t, out[j]) })
	return out
}

// anyProperty is the type's property with this predicate, or that of the first type that has one: the node may have
// had another type before.
func (s *Reader) anyProperty(t *schema.Type, predicate rdf.IRI) *schema.Property {
	for _, one := range append([]*schema.Type{t}, s.schema.Types...) {
		if p := s.schema.PropertyByIRI(one, predicate); p != nil {
			return p
		}
	}
	return nil
}

func (s *Reader) changeOrder(t *schema.Type, c PropertyChange) int {
	if c.Predicate == rdf.Type {
		return -1
	}
	properties := s.schema.PropertiesOf(t)
	if i := slices.Index(properties, c.Property); i >= 0 {
		return i
	}
	return len(properties)
}

// What a commit did to a node.
const (
	NodeMade    = "made"
	NodeChanged = "changed"
	NodeRemoved = "removed"
)

// NodeChange is what a commit did to one node in one graph.
type NodeChange struct {
	Node Described
	// Graph is the named graph, nil for the default graph.
	Graph   rdf.Term
	What    string
	Changes []PropertyChange
	// More means that the commit changed more of the node than is listed.
	More bool
}

// CommitNodes returns the nodes that a commit changed, from offset on and limit at
// most, and whether there are more.
func (s *Reader) CommitNodes(ctx context.Context, c history.Commit, limit, offset int) (list []NodeChange, more bool, err error) {
	nodes, err := s.source.ChangedSubjects(ctx, c, limit+1, offset)
	if err != nil {
		return nil, false, err
	}
	if len(nodes) > limit {
		nodes, more = nodes[:limit], true
	}
	if _, err := s.DescribeAll(ctx, nodes); err != nil { // each is described below
		return nil, false, err
	}
	left := maxListedChanges
	for _, node := range nodes {
		changes, err := s.nodeChanges(ctx, c, node, &left)
		if err != nil {
			return nil, false, err
		}
		list = append(list, changes...)
	}
	return list, more, nil
}

func (s *Reader) nodeChanges(ctx context.Context, c history.Commit, node rdf.Term, left *int) ([]NodeChange, error) {
	most := min(maxNodeChanges, *left)
	list, err := s.source.ChangesOf(ctx, c, node, most+1)
	if err != nil {
		return nil, err
	}
	more := len(list) > most
	list = list[:min(len(list), most)]
	*left -= len(list)
	what, err := s.WhatHappened(ctx, c, node)
	if err != nil {
		return nil, err
	}
	return s.byGraph(ctx, NodeChange{What: what, More: more}, node, list)
}

// byGraph has one entry for each graph; only the first one if nothing may be listed.
func (s *Reader) byGraph(ctx context.Context, like NodeChange, node rdf.Term, list []db.Change) ([]NodeChange, error) {
	graphs := []rdf.Term{}
	for _, change := range list {
		if !slices.Contains(graphs, change.Label) {
			graphs = append(graphs, change.Label)
		}
	}
	if len(graphs) == 0 {
		graphs = append(graphs, nil)
	}
	var out []NodeChange
	for _, g := range graphs {
		one := like
		one.Graph = g
		d, err := s.Describe(ctx, node)
		if err != nil {
			return nil, err
		}
		if g != nil { // a node has no type there, and is called by its IRI
			d = Described{Term: node, ID: nodeText(node), Label: nodeText(node), Exists: d.Exists}
		}
		one.Node = d
		one.Changes = s.ByProperty(d.Type, slices.DeleteFunc(slices.Clone(list), func(change db.Change) bool { return change.Label != g }))
		out = append(out, one)
	}
	return out, nil
}

// WhatHappened returns [NodeMade], [NodeChanged] or [NodeRemoved]: it compares whether a node existed before a commit and
// after it.
func (s *Reader) WhatHappened(ctx context.Context, c history.Commit, node rdf.Term) (string, error) {
	before, err := s.source.Existed(ctx, node, c.Seq)
	if err != nil {
		return "", err
	}
	after, err := s.source.Existed(ctx, node, c.Seq+1)
	switch {
	case !before && after:
		return NodeMade, err
	case before && !after:
		return NodeRemoved, err
	}
	return NodeChanged, err
}

// Blamed is a value of a node, with the commit that set it.
type Blamed struct {
	db.Change
	// Property is the schema's; nil for a predicate that no type declares.
	Property *schema.Property
	Commit   history.Commit
	// Activity is the call that made the commit; nil when none is recorded.
	Activity *db.Activity
	// Origin is the class of source that the value comes from.
	Origin policy.Origin
}

// Blame returns up to limit values of a node, from offset on, with the commits that set them.
func (s *Reader) Blame(ctx context.Context, d Described, limit, offset int) ([]Blamed, error) {
	said, err := s.source.Said(ctx, d.Term, limit, offset)
	if err != nil {
		return nil, err
	}
	list := make([]Blamed, len(said))
	by := map[history.Seq]Blamed{} // of each commit
	for i, c := range said {
		one, known := by[c.Seq]
		if !known {
			if one.Commit, err = s.source.CommitBySeq(ctx, c.Seq); err != nil {
				return nil, err
			}
			if one.Activity, err = s.ActivityOf(ctx, one.Commit); err != nil {
				return nil, err
			}
			by[c.Seq] = one
		}
		predicate, _ := c.Predicate.(rdf.IRI)
		one.Change, one.Property = c, s.anyProperty(d.Type, predicate)
		if one.Origin, err = s.source.Origin(ctx, c); err != nil {
			return nil, err
		}
		list[i] = one
	}
	return list, nil
}
