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

// GraphState is what a load requires of its graph before it.
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
		return fault.New(fault.Precondition, "there is no graph <%s>", string(graph)).With("graph", string(graph))
	case s == Absent && exists:
		return fault.New(fault.Precondition, "there is a graph <%s> already", string(graph)).With("graph", string(graph))
	}
	return nil
}

// checkTarget refuses what does not go with the graph that is named, or with none.
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

// blankWork bounds what the comparison of blank nodes costs, and what their pairing does.
const blankWork = 1_000_000

// compareBlank finds out, before anything is locked, whether the blank nodes of the
// data say what those of the graph say, or else which stand for which. It holds at the head
// that it was found at.
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

// atHead does, under the write lock, what depends on the graph as it is then.
func (r *ReadyLoad) atHead(ctx context.Context, w *db.Writer, c *compiled) error {
	if r.load.Graph != "" {
		there, err := graphExists(ctx, w, r.load.Graph)
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
func graphExists(ctx context.Context, w *db.Writer, graph rdf.IRI) (bool, error) {
	for _, err := range w.Match(ctx, rdf.Quad{Label: graph}) {
		return err == nil, err
	}
	return false, nil
}

// replaceGraph adds the removal of what is in the graph; what the data says again
// stays, as the merge of edits has it.
func (r *ReadyLoad) replaceGraph(ctx context.Context, w *db.Writer) error {
	same := r.sameBlank && w.Head().ID == r.sameAt
	if !same {
		for _, e := range r.data.Blank {
			if w.Head().ID == r.sameAt {
				e.Quad.Subject, e.Quad.Object = r.partner(e.Quad.Subject), r.partner(e.Quad.Object)
			}
			if err := r.data.Edits.Add(e); err != nil {
				return err
			}
		}
	}
	for q, err := range w.Match(ctx, rdf.Quad{Label: r.load.Graph}) {
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

// partner is the blank node of the graph that one of the data stands for, or the term itself.
func (r *ReadyLoad) partner(t rdf.Term) rdf.Term {
	if b, ok := t.(rdf.BNode); ok {
		if partner, paired := r.partners[b]; paired {
			return partner
		}
	}
	return t
}
