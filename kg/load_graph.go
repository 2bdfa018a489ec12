package kg

import (
	"context"
	"slices"

	"trails/db"
	"trails/fault"
	"trails/kg/change"
	"trails/kg/load"
	"trails/rdf"
)

// GraphState is the state of its graph that a load requires.
type GraphState string

// The states; "" is either. The default graph always exists, others while they have
// statements.
const (
	Exists GraphState = "exists"
	Absent GraphState = "absent"
)

// GraphStates are those that can be required.
func GraphStates() []GraphState { return []GraphState{Exists, Absent} }

func (s GraphState) check(graph rdf.IRI, exists bool) error {
	switch {
	case s == Exists && !exists:
		return fault.New(fault.Precondition, "there is no graph <%s>, and if_graph asks for one", string(graph)).With("graph", string(graph))
	case s == Absent && exists:
		return fault.New(fault.Precondition, "there is a graph <%s> already, and if_graph asks that there is none", string(graph)).With("graph", string(graph))
	}
	return nil
}

// checkTarget refuses options that do not fit a named graph, or none.
func (l Load) checkTarget() error {
	wrong := func(field, message string) error {
		return fault.Arguments(fault.FieldError{Field: field, Code: fault.Required, Message: message})
	}
	switch {
	case l.IfGraph != "" && !slices.Contains(GraphStates(), l.IfGraph):
		return fault.New(fault.InvalidArguments, "if_graph %q is not one of exists, absent", string(l.IfGraph))
	case l.Graph == "" && l.IfGraph != "":
		return wrong("graph", "if_graph asks about a graph; say which")
	case l.Graph == "" && l.Mode == load.Replace:
		return wrong("graph", "mode replace puts the data in the place of a graph; say which, "+string(rdf.DefaultGraph)+" for the default graph")
	case l.Graph != "" && l.Graph != rdf.DefaultGraph:
		return checkUpdatable(l.Graph)
	}
	return nil
}

// blankWork bounds the cost of comparing blank nodes, and of pairing them.
const blankWork = 1_000_000

// compareBlank finds out, before anything is locked, whether the blank nodes of the data are equivalent to those of
// the graph, or else which correspond. The result is valid for the head at which it was found.
func (r *ReadyLoad) compareBlank(ctx context.Context) error {
	if len(r.data.Blank) == 0 {
		return nil
	}
	return r.session.View(ctx, func(snap *Snapshot) error {
		var there []rdf.Quad
		for q, err := range snap.Match(ctx, rdf.Quad{Label: r.load.Graph}) {
			if err != nil {
				return err
			}
			if !load.HasBlank(q) {
				continue
			}
			if there = append(there, q); len(there) > load.MaxBlank {
				return nil
			}
		}
		given := make([]rdf.Quad, 0, len(r.data.Blank))
		for _, e := range r.data.Blank {
			given = append(given, e.Quad)
		}
		r.sameAt = snap.Head().ID
		if r.sameBlank = rdf.IsomorphicWithin(given, there, blankWork); !r.sameBlank {
			r.partners = rdf.MatchBlank(given, there, blankWork)
		}
		return nil
	})
}

// atHead does, under the write lock, what depends on the current state of the graph.
func (r *ReadyLoad) atHead(ctx context.Context, w *db.Writer, c *compiled) error {
	if r.load.Graph != "" {
		there, err := graphExists(ctx, w.Seen(), r.load.Graph)
		if err != nil {
			return err
		}
		r.existed = there || r.load.Graph == rdf.DefaultGraph
		if err := r.load.IfGraph.check(r.load.Graph, r.existed); err != nil {
			return err
		}
	}
	if r.load.Mode == load.Replace {
		return r.replaceGraph(ctx, w)
	}
	if r.load.Mode == load.Overwrite {
		return r.eraseTypes(ctx, w, c)
	}
	return nil
}

// graphExists reports whether a graph has statements.
func graphExists(ctx context.Context, r *db.Reader, graph rdf.IRI) (bool, error) {
	for _, err := range r.Match(ctx, rdf.Quad{Label: graph}) {
		return err == nil, err
	}
	return false, nil
}

// replaceGraph adds the removal of the graph's statements; those that the data repeats stay, because edits are
// merged.
func (r *ReadyLoad) replaceGraph(ctx context.Context, w *db.Writer) error {
	same := r.sameBlank && w.Seen().Head().ID == r.sameAt
	if !same {
		for _, e := range r.data.Blank {
			if w.Seen().Head().ID == r.sameAt {
				e.Quad.Subject, e.Quad.Object = r.partner(e.Quad.Subject), r.partner(e.Quad.Object)
			}
			if err := r.data.Edits.Add(e); err != nil {
				return err
			}
		}
	}
	for q, err := range w.Seen().Match(ctx, rdf.Quad{Label: r.load.Graph}) {
		if err != nil {
			return err
		}
		if same && load.HasBlank(q) {
			continue
		}
		if err := r.data.Edits.Add(change.Edit{Op: change.Retract, Quad: q}); err != nil {
			return err
		}
	}
	return nil
}

// partner is the blank node of the graph that corresponds to one of the data, or the term itself.
func (r *ReadyLoad) partner(t rdf.Term) rdf.Term {
	if b, ok := t.(rdf.BNode); ok {
		if partner, paired := r.partners[b]; paired {
			return partner
		}
	}
	return t
}
