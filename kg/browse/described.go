package browse

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"trails/rdf"
	"trails/schema"
)

// Described is the description of a node in a list or a link.
type Described struct {
	Term rdf.Term
	// Type is the node's most specific declared type; for a node that does not exist, the type that its IRI names;
	// nil if there is none.
	Type *schema.Type
	// ID names the node among those of its type: its local id, or its whole IRI.
	ID    string
	Label string
	// Cut reports that the label is shortened.
	Cut bool
	// Exists reports that the node has statements in the default graph.
	Exists bool
}

// IRI is the node's IRI, or a blank node's label after "_:".
func (d Described) IRI() string { return nodeText(d.Term) }

func nodeText(node rdf.Term) string {
	if b, ok := node.(rdf.BNode); ok {
		return "_:" + string(b)
	}
	return rdf.Lexical(node)
}

// Bounds of a description.
const (
	typesRead    = 64  // of one node
	labelLength  = 200 // characters
	maxDescribed = 10_000
)

// Describe says what people need to know of a node to follow a link to it.
func (s *Reader) Describe(ctx context.Context, node rdf.Term) (Described, error) {
	if d := s.described[node]; d != nil {
		return *d, nil
	}
	list, err := s.DescribeAll(ctx, []rdf.Term{node})
	if err != nil {
		return Described{}, err
	}
	return list[0], nil
}

// DescribeAll describes nodes in the given order, with reads for all nodes at once.
func (s *Reader) DescribeAll(ctx context.Context, nodes []rdf.Term) ([]Described, error) {
	return s.describeInstances(ctx, nodes, nil)
}

// describeInstances is DescribeAll for nodes that have one of these types. If the IRI of a node names one of them,
// that is taken as its type without reading.
func (s *Reader) describeInstances(ctx context.Context, nodes []rdf.Term, of []*schema.Type) ([]Described, error) {
	made := make(map[rdf.Term]*Described, len(nodes))
	var fresh []*Described
	for _, node := range nodes {
		if s.described[node] != nil || made[node] != nil {
			continue
		}
		d := &Described{Term: node}
		if t := s.named(node); slices.Contains(of, t) {
			d.Type, d.Exists = t, true
		}
		made[node], fresh = d, append(fresh, d)
	}
	if err := s.describe(ctx, fresh); err != nil {
		return nil, err
	}
	list := make([]Described, len(nodes))
	for i, node := range nodes {
		list[i] = *cmp.Or(s.described[node], made[node])
	}
	if s.described == nil {
		s.described = make(map[rdf.Term]*Described, len(made))
	}
	for _, d := range fresh {
		if len(s.described) < maxDescribed {
			s.described[d.Term] = d
		}
	}
	return list, nil
}

// describe completes the descriptions of nodes; the types of existing ones are already set.
func (s *Reader) describe(ctx context.Context, nodes []*Described) error {
	var unknown []rdf.Term
	for _, d := range nodes {
		if !d.Exists {
			unknown = append(unknown, d.Term)
		}
	}
	classes, err := s.source.EachValues(ctx, unknown, rdf.Type, typesRead)
	if err != nil {
		return err
	}
	labelled := map[rdf.IRI][]*Described{}
	for _, d := range nodes {
		if !d.Exists {
			types, err := s.typesOf(ctx, d.Term, classes[d.Term])
			if err != nil {
				return err
			}
			d.Type, d.Exists = s.mainType(d.Term, types), len(types) > 0
		}
		if !d.Exists {
			if d.Exists, err = s.source.Exists(ctx, d.Term); err != nil {
				return err
			}
		}
		d.name(s)
		d.Label = d.ID
		if p := s.labelledBy(d); p != "" && d.Exists {
			labelled[p] = append(labelled[p], d)
		}
	}
	for p, list := range labelled {
		terms := make([]rdf.Term, len(list))
		for i, d := range list {
			terms[i] = d.Term
		}
		values, err := s.source.EachValues(ctx, terms, p, 1)
		if err != nil {
			return err
		}
		for _, d := range list {
			found := values[d.Term]
			if len(found) == 0 || strings.TrimSpace(rdf.Lexical(found[0])) == "" { // a link must have a visible text
				continue
			}
			d.Label = shortLabel(rdf.Lexical(found[0]))
			d.Cut = d.Label != rdf.Lexical(found[0])
		}
	}
	return nil
}

// labelledBy is the property with the label of such a node, "" for none.
func (s *Reader) labelledBy(d *Described) rdf.IRI {
	if d.Type == nil {
		return rdf.Label
	}
	if p := s.schema.Property(d.Type, s.schema.LabelOf(d.Type)); p != nil {
		return p.IRI
	}
	return ""
}

// name finds the node's id, and the type that the IRI of a missing node names.
func (d *Described) name(s *Reader) {
	d.ID = d.IRI()
	iri, ok := d.Term.(rdf.IRI)
	if !ok {
		return
	}
	if !d.Exists {
		d.Type = cmp.Or(s.named(iri), d.Type)
	}
	if d.Type != nil {
		d.ID = s.schema.IDOf(d.Type, iri)
	}
}

// shortLabel shortens a label, so that lists stay readable and bounded.
func shortLabel(text string) string {
	if len(text) <= labelLength || utf8.RuneCountInString(text) <= labelLength {
		return text
	}
	return string([]rune(text)[:labelLength-1]) + "…"
}

// DeclaredTypes returns the types of the schema that a node has, in order of declaration.
func (s *Reader) DeclaredTypes(ctx context.Context, node rdf.Term) ([]*schema.Type, error) {
	classes, err := s.source.Values(ctx, node, rdf.Type, typesRead, 0)
	if err != nil {
		return nil, err
	}
	return s.typesOf(ctx, node, classes)
}

// typesOf returns the types of the schema among the first classes of a node, and where there may
// be more classes than were read, among all of them.
func (s *Reader) typesOf(ctx context.Context, node rdf.Term, classes []rdf.Term) ([]*schema.Type, error) {
	if len(classes) == 0 {
		return nil, nil
	}
	quads := make([]rdf.Quad, len(classes))
	for i, class := range classes {
		quads[i] = rdf.Quad{Subject: node, Predicate: rdf.Type, Object: class}
	}
	if len(classes) == typesRead {
		quads = nil
		for q, err := range s.source.Match(ctx, rdf.Quad{Subject: node, Predicate: rdf.Type, Label: rdf.DefaultGraph}) {
			if err != nil {
				return nil, err
			}
			if len(s.schema.TypesOf([]rdf.Quad{q})) > 0 {
				quads = append(quads, q)
			}
		}
	}
	return s.schema.TypesOf(quads), nil
}

// named is the type that a node's IRI names, or nil.
func (s *Reader) named(node rdf.Term) *schema.Type {
	if iri, ok := node.(rdf.IRI); ok {
		if name, _, ours := s.schema.Local(iri); ours {
			return s.schema.Type(name)
		}
	}
	return nil
}

// mainType is the type that the node's IRI names, otherwise one without a subtype among the types.
func (s *Reader) mainType(node rdf.Term, types []*schema.Type) *schema.Type {
	if len(types) == 0 {
		return nil
	}
	if t := s.named(node); slices.Contains(types, t) {
		return t
	}
	for _, t := range types {
		below := s.schema.Subtypes(t)
		if !slices.ContainsFunc(types, func(other *schema.Type) bool { return other != t && slices.Contains(below, other) }) {
			return t
		}
	}
	return types[0]
}

// PropertyName is the name of a predicate for people, for a type's nodes.
func (s *Reader) PropertyName(t *schema.Type, predicate rdf.Term) string {
	iri, _ := predicate.(rdf.IRI)
	if t != nil {
		if p := s.schema.PropertyByIRI(t, iri); p != nil {
			return p.Name
		}
	}
	return string(iri)
}
