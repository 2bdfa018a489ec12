package browse

import (
	"context"
	"slices"

	"trails/db"
	"trails/rdf"
	"trails/schema"
	"trails/text/fulltext"
)

// embedded are the types whose nodes have embedded texts by a property.
type embedded struct {
	property rdf.IRI
	types    []*schema.Type
}

// embeddedBy returns the properties by which nodes of some type have embedded texts.
func embeddedBy(s *schema.Schema) (list []embedded) {
	for _, t := range s.Types {
		for _, p := range t.Properties {
			types := slices.DeleteFunc(slices.Clone(s.Subtypes(t)), func(sub *schema.Type) bool { return !s.Embeds(sub, p) })
			if len(types) > 0 {
				list = append(list, embedded{p.IRI, types})
			}
		}
	}
	return list
}

// EmbeddedProperties are the properties that a schema marks with embed, by themselves or by a type, with the classes whose
// instances have them.
func EmbeddedProperties(s *schema.Schema) (list []db.EmbeddedProperty) {
	for _, e := range embeddedBy(s) {
		one := db.EmbeddedProperty{Property: e.property}
		for _, t := range e.types {
			one.Classes = append(one.Classes, t.IRI)
		}
		list = append(list, one)
	}
	return list
}

// Embeds reports whether the schema, as the reader sees it, marks a type or a property with embed.
func (s *Reader) Embeds() bool { return len(EmbeddedProperties(s.schema)) > 0 }

// Vectors returns what the file says of its vectors.
func (s *Reader) Vectors(ctx context.Context) (db.VectorState, error) { return s.source.Vectors(ctx) }

// SearchesMeaning reports whether the state that is read has vectors: that of main as it is now.
func (s *Reader) SearchesMeaning() bool { return s.source.ReadsMain() }

// RefusedText is a node with a text that the endpoint of embeddings has refused, which is found by words alone.
type RefusedText struct {
	Node     string `json:"node"`
	Property string `json:"property"`
	Reason   string `json:"reason"` // "" if it is not known
}

// Refused returns nodes with texts that the endpoint has refused, of properties that the schema marks with embed, and
// whether there are or may be more than so many.
func (s *Reader) Refused(ctx context.Context, most int) (list []RefusedText, more bool, err error) {
	of := embeddedBy(s.schema)
	left, err := s.source.RefusedTexts(ctx, func(texts []db.RefusedText) (bool, error) {
		for _, text := range texts {
			types, err := s.DeclaredTypes(ctx, text.Subject)
			if err != nil {
				return false, err
			}
			if !hasEmbedded(of, text.TextOf, types) {
				continue
			}
			if more = len(list) == most; more {
				return false, nil
			}
			list = append(list, RefusedText{s.schema.NodeName(text.Subject), s.PropertyName(s.mainType(text.Subject, types), text.Property), text.Reason})
		}
		return true, nil
	})
	return list, more || left, err
}

// hasEmbedded reports whether a text is embedded of a node of these types.
func hasEmbedded(list []embedded, text db.TextOf, types []*schema.Type) bool {
	return slices.ContainsFunc(list, func(e embedded) bool {
		return e.property == text.Property && slices.ContainsFunc(types, func(t *schema.Type) bool { return slices.Contains(e.types, t) })
	})
}

// nearest ranks the nodes by the similarity of their embedded texts to the vector of the search, and returns how many texts of
// the file have no vector, because they were refused.
func (f *finding) nearest(ctx context.Context) (list []*nodeFound, refused int64, err error) {
	of := embeddedBy(f.schema)
	classes := f.classes()
	if len(f.search.Types) > 0 && len(classes) == 0 {
		return nil, 0, nil
	}
	ranked := map[rdf.Term]bool{}
	refused, err = f.source.Near(ctx, f.search.Vector, classes, func(hits []db.NearHit) (bool, error) {
		for _, hit := range hits {
			if ranked[hit.Subject] || !slices.ContainsFunc(of, func(e embedded) bool { return e.property == hit.Property }) {
				continue
			}
			types, err := f.DeclaredTypes(ctx, hit.Subject)
			if err != nil {
				return false, err
			}
			if !hasEmbedded(of, hit.TextOf, types) {
				continue
			}
			ranked[hit.Subject] = true
			n := f.found[hit.Subject]
			if n == nil {
				n = &nodeFound{node: hit.Subject, property: hit.Property, text: hit.Text}
			}
			n.similarity, n.similar = hit.Similarity, hit.Property
			if list = append(list, n); len(list) == fulltext.Deepest {
				return false, nil
			}
		}
		return true, nil
	})
	return list, refused, err
}

// fuse merges the nodes found by words, in their order, with those found by meaning.
func fuse(words, near []*nodeFound) []*nodeFound {
	for i, n := range words {
		n.byWords = i + 1
	}
	all := make([]*nodeFound, 0, len(words)+len(near))
	for _, one := range fulltext.Fuse(words, near) {
		n := one.Key
		n.fused = one.Score
		if n.similarity > 0 {
			n.byMeaning = one.Near + 1
		}
		all = append(all, n)
	}
	return append(all, words[min(len(words), fulltext.Deepest):]...)
}
