package kg

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"trails/capability/stored"
	"trails/db"
	"trails/fault"
	"trails/kg/browse"
	"trails/rdf"
	"trails/schema"
	"trails/sparql"
	"trails/sparql/lint"
	"trails/text/fulltext"
)

// namesSought bounds the predicates of the data among which a similar name is searched.
const namesSought = 1000

// LintQuery returns warnings about what a query probably did not mean, under the schema and the data of the snapshot;
// see [lint.Sentences]. The cost depends on the
// text, not on the data.
func (s *Snapshot) LintQuery(ctx context.Context, q *sparql.Query, o QueryOptions) ([]lint.Warning, error) {
	q, err := q.Bind(o.Params)
	if err != nil {
		return nil, err
	}
	empty, err := s.source.IsEmpty(ctx)
	if err != nil || empty && !o.Found.Empty {
		return nil, err
	}
	if empty {
		return []lint.Warning{{Text: "the graph has no statements yet", Empties: true}}, nil
	}
	if !o.Dataset.IsZero() {
		bound := *q
		bound.Dataset, q = o.Dataset, &bound
	}
	return s.compiled.linter.Given(o.Free).In(o.Text, o.Base, o.Params).After(o.Found).Query(ctx, linted{s, cmp.Or(o.Searched.matching, s.matching(o.Meaning))}, q)
}

// LintUpdate is [Snapshot.LintQuery] for an update.
func (s *Snapshot) LintUpdate(ctx context.Context, u *sparql.Update, o UpdateOptions) ([]lint.Warning, error) {
	u, err := u.Bind(o.Params)
	if err != nil || !o.Dataset.IsZero() {
		return nil, err
	}
	if empty, err := s.source.IsEmpty(ctx); err != nil || empty {
		return nil, err
	}
	return s.compiled.linter.Given(o.Free).In(o.Text, o.Base, o.Params).After(o.Found).Update(ctx, linted{s, s.matching(o.Meaning)}, u)
}

// LintStored returns warnings about a stored query that hold for all parameters, each with its place as Source.
func (s *Snapshot) LintStored(ctx context.Context, q *stored.Query) ([]fault.FieldError, error) {
	return s.compiled.checker().Doubts(ctx, linted{s, s.matching(nil)}, q)
}

// checker is the linter for stored queries.
func (c *compiled) checker() stored.Checker {
	return stored.Checker{Schema: c.schema, Linter: c.linter, Shapes: c.shapes}
}

// linted is a snapshot as data for the linter.
type linted struct {
	*Snapshot
	searched *matching // for the searches of the text
}

// Predicates implements [lint.Data].
func (s linted) Predicates(ctx context.Context) ([]rdf.IRI, error) {
	return s.source.Predicates(ctx, nil, namesSought)
}

// Graphs implements [lint.Data].
func (s linted) Graphs(ctx context.Context, limit int) (list []rdf.IRI, err error) {
	q, err := s.ParseQuery(fmt.Sprintf("SELECT DISTINCT ?g { GRAPH ?g { ?s ?p ?o } } LIMIT %d", limit), "")
	if err != nil {
		return nil, err
	}
	a, err := s.Query(ctx, q, QueryOptions{})
	if err != nil {
		return nil, err
	}
	for row, err := range a.Rows(ctx) {
		if err != nil {
			return nil, err
		}
		if g, ok := row[0].(rdf.IRI); ok {
			list = append(list, g)
		}
	}
	return list, nil
}

// Solved implements [lint.Data]. A search without what it is to search for finds nothing.
func (s linted) Solved(ctx context.Context, op sparql.Op) (bool, error) {
	q, err := s.searched.again().in(ctx, &sparql.Query{Op: op}, sparql.Dataset{})
	if fault.Is(err, fault.InvalidArguments) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	plan, err := s.source.Plan(ctx, sparql.Slice{Op: q.Op, Limit: 1}, nil, sparql.Dataset{}, "")
	if err != nil {
		return false, err
	}
	for _, err := range s.source.Run(ctx, plan, QueryLimits{}) {
		return err == nil, err
	}
	return false, nil
}

// Datatype implements [lint.Data].
func (s linted) Datatype(ctx context.Context, predicate rdf.IRI) rdf.IRI {
	return s.source.Datatype(ctx, predicate)
}

// Absent implements [lint.Data]: the node was deleted, or there is one whose id or label has the words of its id.
func (s linted) Absent(ctx context.Context, node rdf.IRI) (string, error) {
	name, local, _ := s.Schema().Local(node)
	t := s.Schema().Type(name)
	_, by, err := s.Deleted(ctx, t, []rdf.Term{node})
	if err != nil {
		return "", err
	}
	if by.Seq > 0 {
		return "it was deleted by commit " + by.ID.String(), nil
	}
	hit, err := s.meant(ctx, local)
	if err != nil || hit == nil {
		return "", err
	}
	name = s.Name(hit.Term)
	if _, renamed := s.Schema().Misnamed(rdf.IRI(s.Schema().Base + name)); renamed { // :Type\/id would not find it
		name = "<" + rdf.Lexical(hit.Term) + ">"
	}
	return fmt.Sprintf("did you mean %s, %q?", name, hit.Label), nil
}

// NodeMeant ends the refusal of an id or a label that no node has, of these types if there are any: it asks for the node
// that was probably meant, and is "" if there is none.
func (s *Snapshot) NodeMeant(ctx context.Context, text string, types ...*schema.Type) (string, error) {
	hit, err := s.meant(ctx, text, types...)
	if err != nil || hit == nil {
		return "", err
	}
	return fmt.Sprintf("; did you mean %s, %q?", s.Name(hit.Term), hit.Label), nil
}

// meant returns the best node whose id or text has all words of a text, or words that are near; nil if there is none.
func (s *Snapshot) meant(ctx context.Context, text string, types ...*schema.Type) (*browse.SearchHit, error) {
	found, err := s.Search(ctx, browse.Search{Text: text, Types: types, Limit: 1})
	if fault.Is(err, fault.InvalidArguments) {
		return nil, nil // no words
	}
	if err != nil || len(found.Hits) == 0 || found.Matching == browse.MatchedAny {
		return nil, err
	}
	return &found.Hits[0], nil
}

// textsLiked bounds the texts with the same words among which the intended one is searched.
const textsLiked = 200

// Alike implements [lint.Data]: among texts with the same words, or with words that are near.
func (s linted) Alike(ctx context.Context, property rdf.IRI, text string) (rdf.Term, error) {
	query, err := fulltext.Parse(text)
	if fault.Is(err, fault.InvalidArguments) {
		return nil, nil // no words, or too many
	}
	if err != nil {
		return nil, err
	}
	found, err := s.alike(ctx, property, text, query)
	if err != nil || found != nil {
		return found, err
	}
	corrected, list, err := s.Corrected(ctx, query)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return s.alike(ctx, property, corrected.Text, corrected)
}

// Meant returns the value of a property that a text was probably meant to be: it differs in case, accents, spaces or
// few letters. It is nil if a statement of the default graph has the text itself, or no value is similar.
func (s *Snapshot) Meant(ctx context.Context, property rdf.IRI, text rdf.Term) (rdf.Term, error) {
	for q, err := range s.Match(ctx, rdf.Quad{Predicate: property, Object: text}) {
		if err != nil || q.Label == nil {
			return nil, err
		}
	}
	return linted{Snapshot: s}.Alike(ctx, property, rdf.Lexical(text))
}

// alike is the value of a property with exactly the words of another text.
func (s linted) alike(ctx context.Context, property rdf.IRI, text string, query fulltext.Query) (found rdf.Term, err error) {
	words, left := plainWords(text), textsLiked
	texts, err := s.source.FindTexts(ctx, db.TextSearch{Query: query})
	if err != nil {
		return nil, err
	}
	_, err = texts.Texts(db.MatchAll, func(hits []db.TextHit) (bool, error) {
		for _, hit := range hits {
			if left--; hit.Property == property && found == nil && plainWords(rdf.Lexical(hit.Text)) == words {
				found = hit.Text
			}
		}
		return found == nil && left > 0, nil
	})
	return found, err
}

// plainWords are the words of a text without case, accents and punctuation.
func plainWords(text string) string {
	var out strings.Builder
	fulltext.Each(text, func(w fulltext.Word) bool {
		out.WriteString(w.Text)
		return true
	})
	return out.String()
}

// namedShown is how many nodes with one name are read.
const namedShown = 5

// Named implements [lint.Data].
func (s linted) Named(ctx context.Context, text string) ([]rdf.IRI, error) {
	var all []rdf.IRI
	add := func(t rdf.Term) {
		if iri, ok := t.(rdf.IRI); ok && !slices.Contains(all, iri) {
			all = append(all, iri)
		}
	}
	found, err := s.Search(ctx, browse.Search{Text: text, Limit: namedShown})
	if fault.Is(err, fault.InvalidArguments) {
		return nil, nil // no words
	}
	for _, c := range found.Corrections {
		text = strings.Replace(text, c.Word, c.Instead, 1)
	}
	words := plainWords(text)
	for _, hit := range found.Hits {
		if same := func(other string) bool { return plainWords(other) == words && words != "" }; same(hit.Label) || same(s.Name(hit.Term)) || same(hit.ID) || hit.Text != nil && same(rdf.Lexical(hit.Text)) {
			add(hit.Term)
		}
	}
	return all, err
}
