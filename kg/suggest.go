package kg

import (
	"context"
	"slices"
	"strings"

	"trails/db"
	"trails/fault"
	"trails/fulltext"
	"trails/rdf"
	"trails/schema"
)

// suggestSorted is up to how many finds are sorted by label; more are listed in the
// order of the file.
const suggestSorted = 500

// Suggestions are nodes that a person may mean.
type Suggestions struct {
	Nodes []Described
	// Total counts all that were found; More means that there are more, or may be.
	Total int
	More  bool
}

// SuggestEntities returns instances of the types whose label or id begins with a
// prefix, whatever its case, limit at most. It looks at a bounded number of labels, those
// with the words of the prefix first; see db.Reader.SearchTexts and db.Reader.Search.
func (s *Snapshot) SuggestEntities(ctx context.Context, types []*schema.Type, prefix string, limit int) (Suggestions, error) {
	sel := db.Selection{Classes: s.classesOf(types...)}
	if prefix == "" {
		return s.firstEntities(ctx, sel, limit)
	}
	out, err := s.exactly(ctx, types, prefix)
	if err != nil {
		return out, err
	}
	if err := s.byLabel(ctx, &out, sel, types, prefix); err != nil {
		return out, err
	}
	out.Nodes = out.Nodes[:min(len(out.Nodes), limit)]
	return out, nil
}

func (s *Snapshot) firstEntities(ctx context.Context, sel db.Selection, limit int) (out Suggestions, err error) {
	if out.Total, out.More, err = s.source.CountSelected(ctx, sel, CountLimit); err != nil {
		return out, err
	}
	nodes, err := s.source.Select(ctx, sel, limit, 0)
	if err != nil {
		return out, err
	}
	out.Nodes, err = s.DescribeAll(ctx, nodes)
	return out, err
}

// exactly finds the node whose whole id it is.
func (s *Snapshot) exactly(ctx context.Context, types []*schema.Type, id string) (out Suggestions, err error) {
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

// byLabel looks at labels, and where these give too few at ids.
func (s *Snapshot) byLabel(ctx context.Context, out *Suggestions, sel db.Selection, types []*schema.Type, prefix string) error {
	search := db.Search{Prefix: prefix, Text: map[rdf.IRI]rdf.IRI{}, Name: s.idOf}
	for _, t := range types {
		for class, p := range s.labelSearch(t, prefix).Text {
			search.Text[class] = p
		}
	}
	all, err := s.byWords(ctx, out, sel, search)
	if err != nil || out.Total > 0 {
		return err
	}
	if !all {
		if err := s.addFound(ctx, out, sel, search); err != nil || out.Total > 0 {
			return err
		}
	}
	search.Text = nil
	sel.Classes = slices.DeleteFunc(slices.Clone(sel.Classes), s.idIsLabel)
	return s.addFound(ctx, out, sel, search)
}

// suggestTexts bounds the texts with the words of a prefix that are looked at: one who
// types needs the first few at once, and types on.
const suggestTexts = 200

// byWords looks for labels with the words of the prefix in the index of words; all says that
// there are no others. There may be when the prefix has no words, when very many texts have
// them of which few begin with them, and when labels are no strings.
func (s *Snapshot) byWords(ctx context.Context, out *Suggestions, sel db.Selection, search db.Search) (all bool, err error) {
	query, err := fulltext.Parse(search.Prefix)
	if err != nil {
		return false, nil
	}
	prefix := strings.ToLower(search.Prefix)
	var nodes []rdf.Term
	var properties []rdf.IRI
	more, err := s.source.SearchTexts(ctx, db.TextSearch{Query: query, Classes: sel.Classes, Most: suggestTexts}, db.MatchAll, func(hits []db.TextHit) (bool, error) {
		for _, hit := range hits {
			if strings.HasPrefix(strings.ToLower(rdf.Lexical(hit.Text)), prefix) {
				nodes, properties = append(nodes, hit.Subject), append(properties, hit.Property)
			}
		}
		return true, nil
	})
	if err != nil {
		return false, err
	}
	described, err := s.DescribeAll(ctx, nodes)
	if err != nil {
		return false, err
	}
	var labelled []Described
	for i, d := range described {
		if s.labelledBy(d) == properties[i] {
			labelled = append(labelled, d)
		}
	}
	sortByLabel(labelled)
	for _, d := range labelled {
		out.add(d)
	}
	out.More = out.More || more && len(labelled) > 0
	for class := range search.Text {
		t := s.Schema().TypeByIRI(class)
		more = more || s.Schema().Property(t, s.Schema().LabelOf(t)).Datatype != "string"
	}
	return !more, nil
}

func sortByLabel(list []Described) {
	slices.SortStableFunc(list, func(a, b Described) int { return strings.Compare(strings.ToLower(a.Label), strings.ToLower(b.Label)) })
}

// idIsLabel reports whether the ids of a class say what its labels do, or are what was
// searched already.
func (s *Snapshot) idIsLabel(class rdf.IRI) bool {
	t := s.Schema().TypeByIRI(class)
	label := s.Schema().LabelOf(t)
	return label == "" || s.Schema().MintOf(t) == schema.MintKey && slices.Equal(s.Schema().KeyOf(t), []string{label})
}

func (s *Snapshot) addFound(ctx context.Context, out *Suggestions, sel db.Selection, search db.Search) error {
	found, err := s.source.Search(ctx, sel, search)
	if err != nil {
		return err
	}
	sel.Among = found
	nodes, err := s.source.Select(ctx, sel, suggestSorted, 0)
	if err != nil {
		return err
	}
	list, err := s.DescribeAll(ctx, nodes)
	if err != nil {
		return err
	}
	if found.Len() <= suggestSorted {
		sortByLabel(list)
	}
	out.More = out.More || found.More
	unlisted := found.Len() - len(list)
	for _, d := range list {
		out.add(d)
	}
	out.Total += unlisted
	return nil
}
