package kg

import (
	"context"
	"fmt"

	"trails/fault"
	"trails/rdf"
	"trails/sparql"
	"trails/sparql/lint"
	"trails/stored"
)

// namesSought is among how many predicates of the data a name is sought that is unknown.
const namesSought = 1000

// LintQuery returns what a query probably did not mean, under the schema and the data of the
// snapshot, and nothing for an earlier commit, whose schema may have been another; see
// [lint.Sentences]. What it costs goes with the text, not with the data.
func (s *Snapshot) LintQuery(ctx context.Context, q *sparql.Query, o QueryOptions) ([]lint.Warning, error) {
	q, err := q.Bind(o.Params)
	if err != nil || s.past || s.Head().Quads == 0 {
		return nil, err
	}
	if !o.Dataset.IsZero() {
		bound := *q
		bound.Dataset, q = o.Dataset, &bound
	}
	return s.compiled.linter.Query(ctx, linted{s}, q)
}

// LintUpdate is [Snapshot.LintQuery] for an update.
func (s *Snapshot) LintUpdate(ctx context.Context, u *sparql.Update, o UpdateOptions) ([]lint.Warning, error) {
	u, err := u.Bind(o.Params)
	if err != nil || s.Head().Quads == 0 || !o.Dataset.IsZero() {
		return nil, err
	}
	return s.compiled.linter.Update(ctx, linted{s}, u)
}

// LintStored returns what a stored query probably does not mean, whatever its parameters will
// be: each with its place as Source.
func (s *Snapshot) LintStored(ctx context.Context, q *stored.Query) ([]fault.FieldError, error) {
	return s.compiled.checker().Doubts(ctx, linted{s}, q)
}

// checker is what stored queries are held against.
func (c *compiled) checker() stored.Checker {
	return stored.Checker{Schema: c.schema, Linter: c.linter, Shapes: c.shapes}
}

// linted is a snapshot as texts are held against it.
type linted struct{ *Snapshot }

// Predicates implements [lint.Data].
func (s linted) Predicates(ctx context.Context) ([]rdf.IRI, error) {
	return s.source.Predicates(ctx, nil, namesSought)
}

// Absent implements [lint.Data]: the node was deleted, or one is near whose id or label has
// the words of its id.
func (s linted) Absent(ctx context.Context, node rdf.IRI) (string, error) {
	name, local, _ := s.Schema().Local(node)
	t := s.Schema().Type(name)
	_, by, err := s.deleted(ctx, t, []rdf.Term{node})
	if err != nil {
		return "", err
	}
	if by.Seq > 0 {
		return "it was deleted by commit " + by.ID.Short(), nil
	}
	found, err := s.Search(ctx, Search{Text: local, Limit: 1})
	if fault.Is(err, fault.InvalidArguments) {
		return "", nil // no words
	}
	if err != nil || len(found.Hits) == 0 || found.Matching == MatchedAny {
		return "", err
	}
	return fmt.Sprintf("did you mean %s, %q?", s.Name(found.Hits[0].Term), found.Hits[0].Label), nil
}
