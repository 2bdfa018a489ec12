package stored

import (
	"context"
	"fmt"

	"trails/fault"
	"trails/rdf"
	"trails/schema"
	"trails/sparql"
	"trails/sparql/lint"
)

// misfits returns what a schema alone rules out in the query: patterns that nothing can
// match, comparisons that are never true. A parameter has values of its type.
func (q *Query) misfits(ctx context.Context, l *lint.Linter) ([]lint.Warning, error) {
	l = l.Given(q.given())
	if q.Update != nil {
		return l.UpdateMisfits(ctx, q.Update)
	}
	return l.QueryMisfits(ctx, q.Query)
}

// given are the parameters that have one value, by their variables. A list is joined to the
// outermost group alone.
func (q *Query) given() map[sparql.Var]*schema.Property {
	all := map[sparql.Var]*schema.Property{}
	for _, p := range q.Params {
		if !p.Many() {
			all[sparql.Var(p.Name)] = p.Property
		}
	}
	return all
}

// names are the IRIs that a text names.
func namesIn(text string, s *schema.Schema) []sparql.Name {
	names, err := sparql.Names(text, options(s))
	if err != nil {
		return nil // it was read before
	}
	return names
}

func options(s *schema.Schema) sparql.Options {
	return sparql.Options{Base: s.Base, Prefixes: s.TurtlePrefixes()}
}

// placeOf says where a text first names an IRI: "line 3, column 9"; "" where it does not.
func placeOf(text string, names []sparql.Name, iri rdf.IRI) string {
	for _, n := range names {
		if n.IRI == iri && iri != "" {
			return placeAt(text, n.Start)
		}
	}
	return ""
}

func placeAt(text string, at int) string {
	line, column := fault.Position(text, at)
	return fmt.Sprintf("line %d, column %d", line, column)
}
