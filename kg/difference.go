package kg

import (
	"context"
	"iter"
	"slices"

	"trails/db"
	"trails/db/history"
	"trails/kg/browse"
	"trails/rdf"
	"trails/schema"
)

// Comparison is what differs between two commits, of whatever branches. It has the snapshot of the second one, which
// whoever made it closes. It is for one goroutine at a time.
type Comparison struct {
	*Snapshot
	// From and To are the two commits; the zero Commit is the empty graph or, of [Snapshot.CompareWith], the other data.
	From, To Commit
	before   *compiled
	// renamed has the new predicates of those that properties had in the first, types the new classes.
	renamed map[rdf.IRI][]rdf.IRI
	types   map[rdf.IRI]rdf.IRI
	other   *otherData // in the place of the first commit, nil if that is one of this file
}

// Compare returns what differs between two commits. It closes s, because each snapshot counts towards the readers of the
// file; so it does when it fails.
func (s *Snapshot) Compare(ctx context.Context, from, to Commit) (c *Comparison, err error) {
	c = &Comparison{From: from, To: to, before: s.compiled, renamed: map[rdf.IRI][]rdf.IRI{}}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	switch {
	case from.ID.IsZero():
		none, err := schema.FromQuads(nil, s.graph.Base())
		if err != nil {
			return nil, err
		}
		c.before = &compiled{schema: none}
	case from.SchemaSeq != s.Head().SchemaSeq:
		if s, err = s.at(ctx, from); err != nil {
			return nil, err
		}
		c.before = s.compiled
	}
	if s, err = s.at(ctx, to); err != nil {
		return nil, err
	}
	c.Snapshot = s
	c.rename()
	return c, nil
}

// CompareBeside is [Snapshot.Compare] that leaves s open: the snapshots that it opens count towards the readers of the file
// as [Graph.AsOne] says.
func (s *Snapshot) CompareBeside(ctx context.Context, from, to Commit) (*Comparison, error) {
	beside, err := s.session.open(ctx, db.View{At: to.ID, Rights: s.rights})
	if err != nil {
		return nil, err
	}
	return beside.Compare(ctx, from, to)
}

// Renamed returns the class that a type of the first commit has in the second, if it got another one.
func (c *Comparison) Renamed(class rdf.IRI) (now rdf.IRI, renamed bool) {
	now, renamed = c.types[class]
	return now, renamed
}

// rename finds the names that properties and types of the first schema have in the second.
func (c *Comparison) rename() {
	was, s := c.before.schema, c.Snapshot
	r := newRenaming(was, was.Towards(s.Schema()).Renamed, s.Schema())
	c.types = r.types
	for p, now := range r.moved {
		if !slices.Contains(c.renamed[p.IRI], now) {
			c.renamed[p.IRI] = append(c.renamed[p.IRI], now)
		}
	}
}

// at is At, which leaves a snapshot as it is if it has the state already.
func (s *Snapshot) at(ctx context.Context, c Commit) (*Snapshot, error) {
	if s.Head().ID == c.ID {
		return s, nil
	}
	then, err := s.At(ctx, c)
	if err != nil {
		return s, err
	}
	return then, nil
}

// Statements returns the statements that one of the commits alone has, by subject; see [db.Reader.Difference]. Compared
// with other data they come in the order of their texts, and those of the schema's graph are left out.
func (c *Comparison) Statements(ctx context.Context) iter.Seq2[db.Change, error] {
	if c.other != nil {
		return c.other.statements(ctx)
	}
	return c.source.Difference(ctx, c.From, c.To)
}

// Definitions returns what differs of the schema, with renames as such, of stored queries and of applied migrations.
func (c *Comparison) Definitions() (d DefinitionsDiff) {
	if c.other != nil {
		return c.other.definitions
	}
	was := c.before.schema
	d.Steps = was.Towards(c.Schema()).Steps(was)
	d.Queries = querySteps(c.before.queryTexts(), c.compiled.queryTexts())
	d.Policies = policyStep(c.before.policyText, c.compiled.policyText)
	d.Applied, d.Missing = c.compiled.appliedBeside(c.before), c.before.appliedBeside(c.compiled)
	return d
}

// queryTexts are the stored queries.
func (c *compiled) queryTexts() (list []QueryText) {
	for _, k := range c.stored {
		list = append(list, QueryText{Name: k.ID, Text: k.Text})
	}
	return list
}

// appliedBeside names the applied migrations that others do not have.
func (c *compiled) appliedBeside(other *compiled) (files []string) {
	for _, m := range c.applied {
		if !slices.Contains(other.applied, m) {
			files = append(files, m.File())
		}
	}
	return files
}

// NodeDifference is what differs of a node in one graph.
type NodeDifference struct {
	Node rdf.Term
	// Graph is the named graph, nil for the default graph.
	Graph rdf.Term
	// What is [browse.NodeMade] if the first commit has nothing of it in this graph, and [browse.NodeRemoved] if the
	// second has nothing.
	What string
	// Types are those that it has in the default graph or, if it has none there any more, had.
	Types   []*schema.Type
	Changes []browse.PropertyChange
}

// Nodes returns what differs node by node, without the definitions. What a renamed type or property alone changed does not
// differ, and other changes of it have the new name.
func (c *Comparison) Nodes(ctx context.Context) iter.Seq2[NodeDifference, error] {
	return func(yield func(NodeDifference, error) bool) {
		var of []db.Change // the statements of a node
		for change, err := range c.Statements(ctx) {
			if err != nil {
				yield(NodeDifference{}, err)
				return
			}
			if change.Label == rdf.SchemaGraph {
				continue
			}
			if len(of) > 0 && of[0].Subject != change.Subject {
				if !c.node(ctx, of, yield) {
					return
				}
				of = of[:0]
			}
			of = append(of, change)
		}
		c.node(ctx, of, yield)
	}
}

// node yields what differs of a node, graph by graph. It reports whether the caller wants more.
func (c *Comparison) node(ctx context.Context, all []db.Change, yield func(NodeDifference, error) bool) bool {
	left := c.withoutRenames(all)
	if len(left) == 0 {
		return true
	}
	types, err := c.typesOf(ctx, left)
	if err != nil {
		yield(NodeDifference{}, err)
		return false
	}
	first := append(slices.Clone(types), nil)[0]
	for len(left) > 0 {
		n := NodeDifference{Node: left[0].Subject, Graph: left[0].Label, Types: types}
		elsewhere := func(change db.Change) bool { return change.Label != n.Graph }
		of := slices.DeleteFunc(slices.Clone(left), elsewhere)
		if n.What, err = c.what(ctx, n, slices.DeleteFunc(slices.Clone(all), elsewhere)); err == nil {
			n.Changes = c.ByProperty(first, of)
		}
		if !yield(n, err) || err != nil {
			return false
		}
		left = slices.DeleteFunc(left, func(change db.Change) bool { return change.Label == n.Graph })
	}
	return true
}

// withoutRenames returns the changes of a node without pairs of which one is the other under a new name. What is left of
// renamed types and properties gets the new name, if that is one.
func (c *Comparison) withoutRenames(all []db.Change) (left []db.Change) {
	added, paired := map[rdf.Quad]bool{}, map[rdf.Quad]bool{}
	for _, change := range all {
		added[change.Quad] = added[change.Quad] || change.Op == history.OpAdd
	}
	for _, change := range all {
		if change.Op == history.OpAdd {
			continue
		}
		images := c.images(change.Quad)
		pairs := false
		for _, image := range images {
			if added[image] {
				paired[image], pairs = true, true
			}
		}
		if pairs {
			continue
		}
		if len(images) == 1 {
			change.Quad = images[0]
		}
		left = append(left, change)
	}
	for _, change := range all {
		if change.Op == history.OpAdd && !paired[change.Quad] {
			left = append(left, change)
		}
	}
	return left
}

// images returns a statement under the names that its class or property got.
func (c *Comparison) images(q rdf.Quad) (images []rdf.Quad) {
	predicate, _ := q.Predicate.(rdf.IRI)
	if predicate == rdf.Type {
		class, _ := q.Object.(rdf.IRI)
		if now, renamed := c.types[class]; renamed {
			q.Object = now
			images = append(images, q)
		}
		return images
	}
	for _, now := range c.renamed[predicate] {
		q.Predicate = now
		images = append(images, q)
	}
	return images
}

// typesOf returns the types of a node, by what is there and, if it has none, by what was removed.
func (c *Comparison) typesOf(ctx context.Context, changes []db.Change) ([]*schema.Type, error) {
	quads, err := collect(c.Match(ctx, rdf.Quad{Subject: changes[0].Subject, Predicate: rdf.Type, Label: rdf.DefaultGraph}))
	if err != nil {
		return nil, err
	}
	if types := c.Schema().TypesOf(quads); len(types) > 0 {
		return types, nil
	}
	quads = quads[:0]
	for _, change := range changes {
		if change.Op == history.OpRemove && change.Label == nil {
			quads = append(quads, change.Quad)
		}
	}
	return c.Schema().TypesOf(quads), nil
}

// what says whether a node came, went or changed, by its statements in a graph that differ and those that are there.
func (c *Comparison) what(ctx context.Context, n NodeDifference, changes []db.Change) (string, error) {
	added := map[rdf.Quad]bool{}
	for _, change := range changes {
		if change.Op == history.OpAdd {
			added[change.Quad] = true
		}
	}
	if len(added) > 0 && len(added) < len(changes) {
		return browse.NodeChanged, nil
	}
	pattern := rdf.Quad{Subject: n.Node, Label: n.Graph}
	if n.Graph == nil {
		pattern.Label = rdf.DefaultGraph
	}
	for q, err := range c.Match(ctx, pattern) {
		if err != nil || !added[q] {
			return browse.NodeChanged, err
		}
	}
	if len(added) > 0 {
		return browse.NodeMade, nil
	}
	return browse.NodeRemoved, nil
}
