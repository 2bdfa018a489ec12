package stored

import (
	"context"
	"fmt"

	"trails/fault"
	"trails/rdf"
	"trails/schema"
	"trails/sparql"
	"trails/sparql/lint"
	"trails/validate"
)

// Checker checks stored queries against one schema. It is immutable and safe for concurrent use.
type Checker struct {
	Schema *schema.Schema
	Linter *lint.Linter
	Shapes *validate.Shapes
}

// NewChecker prepares a schema.
func NewChecker(s *schema.Schema) (Checker, error) {
	shapes, err := validate.Compile(s.Quads())
	return Checker{s, lint.New(s), shapes}, err
}

// Refused returns the reasons why every call of an update would be refused by the schema, each with its place in the
// text as Source. For a query there are none.
func (c Checker) Refused(ctx context.Context, q *Query) ([]fault.FieldError, error) {
	return c.writes(ctx, q, true)
}

// Doubts returns likely mistakes in a query or an update, whatever its parameters are, each with its place in the
// text as Source.
func (c Checker) Doubts(ctx context.Context, data lint.Data, q *Query) ([]fault.FieldError, error) {
	l, warnings, err := c.Linter.Given(q.given()), []lint.Warning(nil), error(nil)
	if q.Update != nil {
		warnings, err = l.Update(ctx, data, q.Update)
	} else {
		warnings, err = l.Query(ctx, data, q.Query)
	}
	if err != nil {
		return nil, err
	}
	names := namesIn(q.Text, c.Schema)
	var all []fault.FieldError
	for _, w := range warnings {
		all = append(all, fault.FieldError{Field: "query", Code: fault.Shape, Source: placeOf(q.Text, names, w.About, 0), Message: w.Text})
	}
	more, err := c.writes(ctx, q, false)
	return append(all, more...), err
}

// misfits returns what the schema alone rules out in the query: patterns that nothing can match, and comparisons that
// are never true. A parameter has values of its type.
func (c Checker) misfits(ctx context.Context, q *Query) ([]lint.Warning, error) {
	l := c.Linter.Given(q.given())
	if q.Update != nil {
		return l.UpdateMisfits(ctx, q.Update)
	}
	return l.QueryMisfits(ctx, q.Query)
}

// given are the parameters with a single value, by variable. Lists are left out: they are only joined to the
// outermost group.
func (q *Query) given() map[sparql.Var]*schema.Property {
	all := map[sparql.Var]*schema.Property{}
	for _, p := range q.Params {
		if !p.Many() {
			all[sparql.Var(p.Name)] = p.Property
		}
	}
	return all
}

// namesIn are the IRIs that a text names.
func namesIn(text string, s *schema.Schema) []sparql.Name {
	names, err := sparql.Names(text, options(s))
	if err != nil {
		return nil // it has been parsed before
	}
	return names
}

func options(s *schema.Schema) sparql.Options {
	return sparql.Options{Base: s.Base, Prefixes: s.TurtlePrefixes()}
}

// placeOf returns the first place of an IRI after a byte of the text: "line 3, column 9"; "" if there is none.
func placeOf(text string, names []sparql.Name, iri rdf.IRI, from int) string {
	for _, n := range names {
		if n.IRI == iri && iri != "" && n.Start >= from {
			return placeAt(text, n.Start)
		}
	}
	return ""
}

func placeAt(text string, at int) string {
	line, column := fault.Position(text, at)
	return fmt.Sprintf("line %d, column %d", line, column)
}
