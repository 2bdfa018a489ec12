package browse

import (
	"context"
	"slices"

	"trails/db"
	"trails/db/history"
	"trails/rdf"
	"trails/schema"
)

// Bounds of a page.
const (
	maxPredicates  = 500
	pageStatements = 200 // of a node that is read at once
	maxValueCount  = 1_000_000
)

// NodePage is the content of a page about one node.
type NodePage struct {
	Node       Described
	Types      []*schema.Type
	Properties []PropertyValues
	// Other are the predicates that no type of the node declares.
	Other    []PredicateValues
	Incoming []LinkGroup
	// Made is the commit that gave the node its type, Changed the last one that
	// touched what is said of it.
	Made, Changed *history.Commit
}

// PropertyValues are some of the values of a declared property.
type PropertyValues struct {
	Property *schema.Property
	Values   []rdf.Term
	Total    int
}

// PredicateValues are some of the values of a predicate.
type PredicateValues struct {
	Predicate rdf.IRI
	Values    []rdf.Term
	Total     int
}

// Page reads what the default graph says of a node, limit values of each property
// and limit nodes of each group of links.
func (s *Reader) Page(ctx context.Context, d Described, limit int) (NodePage, error) {
	page := NodePage{Node: d}
	quads, all, err := rdf.Collect(s.source.Match(ctx, rdf.Quad{Subject: d.Term, Label: rdf.DefaultGraph}), pageStatements, db.DefaultQueryBytes)
	if err != nil {
		return page, err
	}
	held := map[rdf.IRI][]rdf.Term{}
	var predicates []rdf.IRI
	for _, q := range quads {
		p, _ := q.Predicate.(rdf.IRI)
		if _, ok := held[p]; !ok {
			predicates = append(predicates, p)
		}
		held[p] = append(held[p], q.Object)
	}
	values := func(p rdf.IRI) ([]rdf.Term, int, error) {
		return held[p][:min(limit, len(held[p]))], len(held[p]), nil
	}
	if !all { // then each property is read separately, as far as it is shown
		values = func(p rdf.IRI) ([]rdf.Term, int, error) { return s.someValues(ctx, d.Term, p, limit, 0) }
		if predicates, err = s.source.Predicates(ctx, d.Term, maxPredicates); err != nil {
			return page, err
		}
	}
	if page.Types, err = s.DeclaredTypes(ctx, d.Term); err != nil {
		return page, err
	}
	declared := map[rdf.IRI]bool{rdf.Type: true}
	for _, p := range s.propertiesOf(page.Types) {
		declared[p.IRI] = true
		list, total, err := values(p.IRI)
		if err != nil {
			return page, err
		}
		page.Properties = append(page.Properties, PropertyValues{p, list, total})
	}
	for _, p := range predicates {
		if declared[p] {
			continue
		}
		list, total, err := values(p)
		if err != nil {
			return page, err
		}
		page.Other = append(page.Other, PredicateValues{p, list, total})
	}
	if page.Incoming, err = s.IncomingLinks(ctx, d.Term, limit); err != nil {
		return page, err
	}
	return page, s.dates(ctx, &page)
}

// propertiesOf are the properties of all of a node's types, each once.
func (s *Reader) propertiesOf(types []*schema.Type) []*schema.Property {
	var list []*schema.Property
	for _, t := range types {
		for _, p := range s.schema.PropertiesOf(t) {
			if !slices.ContainsFunc(list, func(known *schema.Property) bool { return known.IRI == p.IRI }) {
				list = append(list, p)
			}
		}
	}
	return list
}

// PropertyPage reads some of the values of one property, from offset on.
func (s *Reader) PropertyPage(ctx context.Context, node rdf.Term, p *schema.Property, limit, offset int) (PropertyValues, error) {
	values, total, err := s.someValues(ctx, node, p.IRI, limit, offset)
	return PropertyValues{p, values, total}, err
}

func (s *Reader) someValues(ctx context.Context, node rdf.Term, p rdf.IRI, limit, offset int) ([]rdf.Term, int, error) {
	values, err := s.source.Values(ctx, node, p, limit, offset)
	if err != nil || offset == 0 && len(values) < limit {
		return values, len(values), err
	}
	total, err := s.source.CountValues(ctx, node, p, maxValueCount)
	return values, total, err
}

// KindsListed is how many values of a property are read to tell of which types they are.
const KindsListed = 1000

// Kinds groups the first values of a property that are nodes by their types, with limit nodes of each.
func (s *Reader) Kinds(ctx context.Context, node rdf.Term, p *schema.Property, limit int) ([]LinkGroup, error) {
	values, err := s.source.Values(ctx, node, p.IRI, KindsListed, 0)
	if err != nil {
		return nil, err
	}
	values = slices.DeleteFunc(slices.Clone(values), rdf.IsLiteral)
	groups, err := s.groupByType(ctx, p.IRI, values)
	for i, g := range groups {
		groups[i].Nodes = g.Nodes[:min(limit, len(g.Nodes))]
	}
	return groups, err
}

// dates finds when the node was made and when it was changed last.
func (s *Reader) dates(ctx context.Context, page *NodePage) error {
	made := history.Seq(0)
	for _, t := range page.Types {
		seq, err := s.source.Added(ctx, rdf.Quad{Subject: page.Node.Term, Predicate: rdf.Type, Object: t.IRI})
		if err != nil {
			return err
		}
		if made == 0 || seq < made {
			made = seq
		}
	}
	changed, err := s.source.LastChange(ctx, page.Node.Term)
	if err != nil {
		return err
	}
	if page.Made, err = s.commitNumber(ctx, made); err != nil {
		return err
	}
	page.Changed, err = s.commitNumber(ctx, changed)
	return err
}

func (s *Reader) commitNumber(ctx context.Context, seq history.Seq) (*history.Commit, error) {
	if seq == 0 {
		return nil, nil
	}
	c, err := s.source.CommitBySeq(ctx, seq)
	return &c, err
}
