package browse

import (
	"context"
	"slices"
	"sort"
	"strings"

	"trails/db"
	"trails/fault"
	"trails/rdf"
	"trails/schema"
)

// suggestSorted bounds the nodes that are found and sorted by label: somebody who types needs the first few at once.
const suggestSorted = 200

// Suggestions are nodes that a person may mean.
type Suggestions struct {
	Nodes []Described
	// Total counts all that were found; More means that there are more, or may be.
	Total int
	More  bool
}

// SuggestEntities returns instances of the types, limit at most: those whose label begins
// with a text, then those whose label has all its words, the last one as a beginning,
// whatever case and accents. It finds 200 of each at most, those with the shortest labels,
// and looks for ids that begin with it when no label fits; see db.Reader.Search.
func (s *Reader) SuggestEntities(ctx context.Context, types []*schema.Type, prefix string, limit int) (Suggestions, error) {
	sel := db.Selection{Classes: s.classesOf(types...)}
	if prefix == "" {
		return s.firstEntities(ctx, sel, limit)
	}
	out, err := s.exactly(ctx, types, prefix)
	if err != nil {
		return out, err
	}
	if err := s.byLabel(ctx, &out, sel, prefix, limit); err != nil {
		return out, err
	}
	out.Nodes = out.Nodes[:min(len(out.Nodes), limit)]
	return out, nil
}

func (s *Reader) firstEntities(ctx context.Context, sel db.Selection, limit int) (out Suggestions, err error) {
	if out.Total, out.More, err = s.source.CountSelected(ctx, sel, CountLimit); err != nil {
		return out, err
	}
	nodes, err := s.source.Select(ctx, sel, limit, 0)
	if err != nil {
		return out, err
	}
	out.Nodes, err = s.describeInstances(ctx, nodes, s.onlyClass(sel))
	return out, err
}

// onlyClass is the class of the type if only one class is selected, otherwise none.
func (s *Reader) onlyClass(sel db.Selection) []*schema.Type {
	if len(sel.Classes) != 1 {
		return nil
	}
	return []*schema.Type{s.schema.TypeByIRI(sel.Classes[0])}
}

// exactly finds the node with exactly this id.
func (s *Reader) exactly(ctx context.Context, types []*schema.Type, id string) (out Suggestions, err error) {
	for _, t := range types {
		d, err := s.Find(ctx, t, id)
		if fault.Is(err, fault.NotFound) {
			continue
		}
		if err != nil {
			return out, err
		}
		out.add(d)
	}
	return out, nil
}

func (s *Suggestions) add(d Described) {
	if !slices.ContainsFunc(s.Nodes, func(known Described) bool { return known.Term == d.Term }) {
		s.Nodes = append(s.Nodes, d)
		s.Total++
	}
}

// byLabel searches the beginnings of labels, the words of labels if there are not enough, and ids if no label fits.
func (s *Reader) byLabel(ctx context.Context, out *Suggestions, sel db.Selection, prefix string, enough int) error {
	search := s.labelSearch(prefix, sel.Classes)
	err := s.addFound(ctx, out, sel, search)
	if search.Words = true; err == nil && out.Total < enough {
		err = s.addFound(ctx, out, sel, search)
	}
	if err != nil || out.Total > 0 {
		return err
	}
	sel.Classes = slices.DeleteFunc(slices.Clone(sel.Classes), func(class rdf.IRI) bool {
		label := s.schema.LabelOf(s.schema.TypeByIRI(class))
		return label == "" || label == s.idProperty(s.schema.TypeByIRI(class))
	})
	return s.addFound(ctx, out, sel, s.beginning(prefix, sel.Classes, s.idProperty))
}

func (s *Reader) addFound(ctx context.Context, out *Suggestions, sel db.Selection, search db.Search) error {
	search.Most = suggestSorted
	found, err := s.source.Search(ctx, sel, search)
	if err != nil {
		return err
	}
	sel.Among = found
	nodes, err := s.source.Select(ctx, sel, suggestSorted, 0)
	if err != nil {
		return err
	}
	nodes = slices.DeleteFunc(nodes, func(node rdf.Term) bool {
		return slices.ContainsFunc(out.Nodes, func(known Described) bool { return known.Term == node })
	})
	list, err := s.describeInstances(ctx, nodes, s.onlyClass(sel))
	if err != nil {
		return err
	}
	labels, order := make([]string, len(list)), make([]int, len(list))
	for i, d := range list {
		labels[i], order[i] = strings.ToLower(d.Label), i
	}
	sort.SliceStable(order, func(i, j int) bool { return labels[order[i]] < labels[order[j]] })
	for _, i := range order {
		out.Nodes = append(out.Nodes, list[i])
	}
	out.Total += len(list)
	out.More = out.More || found.More
	return nil
}
