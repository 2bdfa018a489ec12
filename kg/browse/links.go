package browse

import (
	"cmp"
	"context"
	"slices"
	"sort"

	"trails/rdf"
	"trails/schema"
)

// LinkGroup is the nodes of one type that refer to a node by one property.
type LinkGroup struct {
	Type     *schema.Type // nil for nodes without a declared type
	Property string       // its name, or its IRI when the type does not declare it
	Nodes    []Described
	// Total counts the nodes of the group; More means that there are more, or may be.
	Total int
	More  bool
}

// Bounds of what is listed and counted of the links to one node, by all properties
// together; beyond them each group has few nodes, and More.
const (
	linksListed  = 1000
	linksCounted = CountLimit
	fewLinks     = 5
)

// linkBudget is how many links may still be listed and counted.
type linkBudget struct{ listed, counted int }

// IncomingLinks returns what refers to a node, limit nodes of each group. However
// many there are, it looks at a bounded number.
func (s *Reader) IncomingLinks(ctx context.Context, node rdf.Term, limit int) ([]LinkGroup, error) {
	predicates, err := s.source.ReferringPredicates(ctx, node)
	if err != nil {
		return nil, err
	}
	var groups []LinkGroup
	left := linkBudget{linksListed, linksCounted}
	for _, p := range predicates {
		if p == rdf.Type {
			continue
		}
		found, err := s.referrers(ctx, p, node, min(limit, max(fewLinks, left.listed)), &left)
		if err != nil {
			return nil, err
		}
		groups = append(groups, found...)
	}
	sort.SliceStable(groups, func(i, j int) bool { return s.compareGroups(groups[i], groups[j]) < 0 })
	return groups, nil
}

// compareGroups puts groups in the order of the schema, nodes without a type last.
func (s *Reader) compareGroups(a, b LinkGroup) int {
	return cmp.Or(
		cmp.Compare(s.orderOf(a.Type), s.orderOf(b.Type)),
		cmp.Compare(s.propertyOrder(a), s.propertyOrder(b)),
		cmp.Compare(a.Property, b.Property),
	)
}

func (s *Reader) orderOf(t *schema.Type) int {
	if t == nil {
		return len(s.schema.Types)
	}
	return slices.Index(s.schema.Types, t)
}

func (s *Reader) propertyOrder(g LinkGroup) int {
	return slices.IndexFunc(s.schema.PropertiesOf(g.Type), func(p *schema.Property) bool { return p.Name == g.Property })
}

// referrers groups the nodes that refer to a node by p.
func (s *Reader) referrers(ctx context.Context, p rdf.IRI, node rdf.Term, limit int, left *linkBudget) ([]LinkGroup, error) {
	total, err := s.source.CountReferrers(ctx, p, node, CountLimit+1)
	if err != nil {
		return nil, err
	}
	first, err := s.source.Referrers(ctx, p, node, limit, 0)
	if err != nil {
		return nil, err
	}
	left.listed -= len(first)
	groups, err := s.groupByType(ctx, p, first)
	if err != nil || total <= len(first) {
		return groups, err
	}
	if len(groups) == 1 && s.onlyDeclares(groups[0].Type, p) {
		groups[0].Total, groups[0].More = min(total, CountLimit), total > CountLimit
		return groups, nil
	}
	if left.counted <= 0 {
		for i := range groups {
			groups[i].More = true
		}
		return groups, nil
	}
	most := min(CountLimit, left.counted)
	left.counted -= min(total, most)
	return s.countedByType(ctx, p, node, linkCount{total, most, limit})
}

// linkCount is the number of links, how many of them are counted by type, and how many nodes of each type are listed.
type linkCount struct{ total, most, limit int }

// onlyDeclares reports whether no other type has the property.
func (s *Reader) onlyDeclares(t *schema.Type, p rdf.IRI) bool {
	for _, other := range s.schema.Types {
		if !other.Abstract && (s.schema.PropertyByIRI(other, p) != nil) != (other == t) {
			return false
		}
	}
	return true
}

// groupByType groups the nodes that have or are values of p.
func (s *Reader) groupByType(ctx context.Context, p rdf.IRI, nodes []rdf.Term) ([]LinkGroup, error) {
	var groups []LinkGroup
	described, err := s.DescribeAll(ctx, nodes)
	if err != nil {
		return nil, err
	}
	for _, d := range described {
		if !d.Exists {
			continue
		}
		i := slices.IndexFunc(groups, func(g LinkGroup) bool { return g.Type == d.Type })
		if i < 0 {
			i = len(groups)
			groups = append(groups, LinkGroup{Type: d.Type, Property: s.PropertyName(d.Type, p)})
		}
		groups[i].Nodes = append(groups[i].Nodes, d)
		groups[i].Total++
	}
	return groups, nil
}

// countedByType counts the first referrers of a node by type.
func (s *Reader) countedByType(ctx context.Context, p rdf.IRI, node rdf.Term, c linkCount) ([]LinkGroup, error) {
	types, err := s.source.ReferrerTypes(ctx, p, node, c.most)
	if err != nil {
		return nil, err
	}
	var groups []LinkGroup
	for _, t := range types {
		iri, _ := t.Object.(rdf.IRI)
		g := LinkGroup{Type: s.schema.TypeByIRI(iri), Total: int(t.Count), More: c.total > c.most}
		g.Property = s.PropertyName(g.Type, p)
		nodes, err := s.source.ReferrersOfType(ctx, p, node, t.Object, c.most, c.limit)
		if err != nil {
			return nil, err
		}
		if g.Nodes, err = s.DescribeAll(ctx, nodes); err != nil {
			return nil, err
		}
		groups = append(groups, g)
	}
	return groups, nil
}
