package kg

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"trails/db"
	"trails/fault"
	"trails/kg/change"
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
	case l.Graph == "" && l.Mode == Replace:
		return wrong("graph", "mode replace puts the data in the place of a graph; say which, "+string(rdf.DefaultGraph)+" for the default graph")
	case l.Graph != "" && l.Graph != rdf.DefaultGraph:
		return checkUpdatable(l.Graph)
	}
	return nil
}

// label is a graph's name in a quad; nil for the default graph, which "" is, too.
func label(graph rdf.IRI) rdf.Term {
	if graph == "" || graph == rdf.DefaultGraph {
		return nil
	}
	return graph
}

// placed gives a quad of the data its graph.
func (l *loading) placed(q rdf.Quad) (rdf.Quad, error) {
	target := label(cmp.Or(l.input.Graph, l.load.Graph))
	if q.Label == nil {
		q.Label = target
	}
	if (l.load.OneGraph || l.load.Mode == Replace) && q.Label != target {
		return q, fmt.Errorf("the data names the graph %s itself, and is for one graph", rdf.AppendTerm(nil, q.Label))
	}
	return q, nil
}

// maxBlank bounds the quads with blank nodes that a replacement compares with those
// that are there, and blankWork what it costs.
const (
	maxBlank  = 10_000
	blankWork = 1_000_000
)

// setAside keeps a quad with blank nodes back while all such may turn out to be those
// that are there, under other labels.
func (l *loading) setAside(e change.Edit) bool {
	if l.load.Mode != Replace || l.manyBlank || !hasBlank(e.Quad) {
		return false
	}
	l.blank = append(l.blank, e)
	l.manyBlank = len(l.blank) > maxBlank
	return true
}

func hasBlank(q rdf.Quad) bool {
	_, subject := q.Subject.(rdf.BNode)
	_, object := q.Object.(rdf.BNode)
	return subject || object
}

// compareBlank finds out, before anything is locked, whether the blank nodes of the
// data say what those of the graph say. It holds at the head that it was found at.
func (l *loading) compareBlank(s *Session) error {
	if len(l.blank) == 0 || l.manyBlank {
		return nil
	}
	return s.View(l.ctx, func(snap *Snapshot) error {
		var there []rdf.Quad
		for q, err := range snap.Match(l.ctx, rdf.Quad{Label: l.load.Graph}) {
			if err != nil {
				return err
			}
			if !hasBlank(q) {
				continue
			}
			if there = append(there, q); len(there) > len(l.blank) {
				return nil
			}
		}
		given := make([]rdf.Quad, 0, len(l.blank))
		for _, e := range l.blank {
			given = append(given, e.Quad)
		}
		l.sameBlank, l.sameAt = rdf.IsomorphicWithin(given, there, blankWork), snap.Head().ID
		return nil
	})
}

// atHead does, under the write lock, what depends on the graph as it is then.
func (l *loading) atHead(ctx context.Context, w *db.Writer, c *compiled) error {
	if l.load.Graph != "" {
		var err error
		if l.existed, err = graphExists(ctx, w, l.load.Graph); err != nil {
			return err
		}
		if err := l.load.IfGraph.check(l.load.Graph, l.existed); err != nil {
			return err
		}
	}
	if l.load.Mode == Replace {
		return l.replaceGraph(ctx, w)
	}
	if l.load.Mode == Overwrite {
		return l.eraseTypes(ctx, w, c)
	}
	return nil
}

func graphExists(ctx context.Context, w *db.Writer, graph rdf.IRI) (bool, error) {
	if graph == rdf.DefaultGraph {
		return true, nil
	}
	for _, err := range w.Match(ctx, rdf.Quad{Label: graph}) {
		return err == nil, err
	}
	return false, nil
}

// replaceGraph adds the removal of what is in the graph; what the data says again
// stays, as the merge of edits has it.
func (l *loading) replaceGraph(ctx context.Context, w *db.Writer) error {
	same := l.sameBlank && w.Head().ID == l.sameAt
	if !same {
		for _, e := range l.blank {
			if err := l.spool.Add(e); err != nil {
				return err
			}
		}
	}
	for q, err := range w.Match(ctx, rdf.Quad{Label: l.load.Graph}) {
		if err != nil {
			return err
		}
		if same && hasBlank(q) {
			continue
		}
		if err := l.spool.Add(change.Edit{Op: change.Retract, Quad: q}); err != nil {
			return err
		}
	}
	return nil
}
