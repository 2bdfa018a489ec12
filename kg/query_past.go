package kg

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"trails/db"
	"trails/fault"
	"trails/rdf"
	"trails/sparql"
)

// A query may read earlier data beside that of its snapshot: the graph urn:trails:at:COMMIT is the default graph as of a
// commit, named as for [Snapshot.FindState]. Nothing lists these graphs.

// graphsAt collects the graphs of commits, and those of classes of sources, that a pattern or a dataset names.
type graphsAt struct {
	names []rdf.IRI
	// values are those that stand elsewhere in a pattern, as in VALUES, and anyGraph is set if it has GRAPH with a
	// variable, which does not find them.
	values   []rdf.IRI
	anyGraph bool
}

func (g *graphsAt) add(list *[]rdf.IRI, t rdf.Term) {
	if iri, _ := t.(rdf.IRI); (rdf.IsGraphAt(t) || rdf.IsOriginGraph(t)) && !slices.Contains(*list, iri) {
		*list = append(*list, iri)
	}
}

func (g *graphsAt) dataset(d sparql.Dataset) {
	for _, name := range slices.Concat(d.Default, d.Named) {
		g.add(&g.names, name)
	}
}

func (g *graphsAt) pattern(op sparql.Op) {
	sparql.Has(op, func(op sparql.Op) bool {
		switch op := op.(type) {
		case sparql.Graph:
			g.add(&g.names, op.Name.Term)
			g.anyGraph = g.anyGraph || op.Name.Var != ""
		case sparql.Table:
			for _, t := range slices.Concat(op.Rows...) {
				g.add(&g.values, t)
			}
		}
		sparql.Exprs(op, func(e sparql.Expr) {
			sparql.Some(e, func(e sparql.Expr) bool {
				if constant, ok := e.(sparql.TermExpr); ok {
					g.add(&g.values, constant.Term)
				}
				return false
			})
		})
		return false
	})
}

// namesLater is the fault InvalidArguments for a graph that may name another commit later, as head, a tag, a branch or a
// time does. It says which id stands for it now.
func (s *Snapshot) namesLater(ctx context.Context, g graphsAt) error {
	for _, name := range g.names {
		text, err := url.PathUnescape(strings.TrimPrefix(string(name), rdf.GraphsAt))
		if err != nil || rdf.IsOriginGraph(name) {
			continue // readAt says what is wrong
		}
		c, err := s.FindState(ctx, text)
		if err == nil && !strings.HasPrefix(c.ID.Whole(), strings.ToLower(text)) {
			return fault.New(fault.InvalidArguments, "<%s> may name another commit when the update is made; write <%s%s>, which is the one that it names now", string(name), rdf.GraphsAt, c.ID)
		}
	}
	return nil
}

// readAt makes the names mean these commits for the snapshot. An unknown commit is the fault Missing, and a text that
// names none is Malformed. A name of no class of sources is InvalidArguments.
func (s *Snapshot) readAt(ctx context.Context, g graphsAt) error {
	for _, name := range g.values {
		if g.anyGraph && !slices.Contains(g.names, name) {
			return fault.New(fault.InvalidArguments, "GRAPH with a variable does not find <%s>, which is read by name only; write GRAPH <%[1]s>, or FROM NAMED <%[1]s>", string(name))
		}
	}
	for _, name := range g.names {
		if rdf.IsOriginGraph(name) {
			if _, err := db.GraphOrigin(name); err != nil {
				return err
			}
			continue
		}
		text, err := url.PathUnescape(strings.TrimPrefix(string(name), rdf.GraphsAt))
		if err != nil || text == "" {
			return fault.New(fault.Malformed, "graph <%s> names no commit; %s", string(name), HowToNameCommits)
		}
		c, err := s.FindState(ctx, text)
		if err != nil {
			return err
		}
		if err := s.source.GraphAt(ctx, name, c); err != nil {
			return err
		}
	}
	return nil
}
