package builtin

import (
	"context"
	"fmt"
	"strings"

	"trails/auth/policy"
	"trails/capability"
	"trails/fault"
	"trails/invoke"
	"trails/kg"
	"trails/kg/load"
	"trails/rdf"
	"trails/text/quote"
)

// askSteps bounds what a question lists.
const askSteps = 8

// graphAt names the graph and a commit in a question.
func graphAt(r *invoke.Request, head kg.Commit) string {
	return fmt.Sprintf("the graph %s at commit %s", quote.Text(r.Engine().Graph().Name(), 40), head.ID.String())
}

// schemaLoses returns what a schema change removes. A caller who may not allow data loss is not asked: a person's yes
// replaces the argument, not the permission to give it.
func schemaLoses(ctx context.Context, r *invoke.Request, in schemaChanging, _ kg.ChangeSet) (*invoke.Loss, error) {
	if in.Data || r.MayGive(capability.Field{Scope: policy.Builder}) != nil {
		return nil, nil
	}
	r.Release() // planning opens its own snapshot
	change, err := in.change(in.mayBreak)
	if err != nil {
		return nil, nil //nolint:nilerr // the handler says it
	}
	p, err := r.Session().PlanSchema(ctx, change)
	if err != nil || p.Loses == 0 || p.Blocked {
		return nil, err
	}
	var parts []string
	for _, s := range p.Steps {
		if s.Removes > 0 {
			parts = append(parts, fmt.Sprintf("%s (%s)", s.String(), statements(s.Removes)))
		}
	}
	what := fmt.Sprintf("%s: %s", statements(p.Loses), enumerated(parts))
	return &invoke.Loss{
		Head: p.Head, Act: "the new schema", What: what, Removes: p.Loses,
		Question: fmt.Sprintf("The new schema removes %s from %s: %s. The history keeps them. Go on?", statements(p.Loses), graphAt(r, p.Head), enumerated(parts)),
	}, nil
}

// loadLoses returns what a load replaces. It reads the inputs, which the handler then commits.
func loadLoses(ctx context.Context, r *invoke.Request, in loading, set kg.ChangeSet) (*invoke.Loss, error) {
	if in.Mode != load.Overwrite && in.Mode != load.Replace {
		return nil, nil
	}
	reading, err := readLoad(ctx, r, in, set)
	if err != nil {
		return nil, err
	}
	replaced, err := reading.Replaces(ctx)
	l := &invoke.Loss{Head: replaced.Head, Act: "mode " + string(in.Mode)}
	switch {
	case err != nil:
		return nil, err
	case replaced.Statements > 0:
		l.Removes, l.What = replaced.Statements, fmt.Sprintf("what the data does not repeat of %s", statements(replaced.Statements))
		l.Question = fmt.Sprintf("Replacing puts the data in the place of %s of %s, in %s. The history keeps what goes. Go on?",
			statements(replaced.Statements), graphSaid(in.Graph), graphAt(r, replaced.Head))
	case len(replaced.Types) > 0:
		var parts []string
		for _, t := range replaced.Types {
			parts, l.Removes = append(parts, fmt.Sprintf("%d of %s", t.Nodes, quote.Line(t.Name, 100))), l.Removes+t.Nodes
		}
		l.What = fmt.Sprintf("%s: %s", fault.Counted(l.Removes, "node"), enumerated(parts))
		l.Question = fmt.Sprintf("Overwriting replaces all nodes of the types in the data. In %s that removes %s. The history keeps them. Go on?",
			graphAt(r, replaced.Head), l.What)
	default:
		return nil, nil
	}
	return l, nil
}

func graphSaid(graph rdf.IRI) string {
	if graph == rdf.DefaultGraph {
		return "the default graph"
	}
	return "the graph <" + quote.Line(string(graph), 200) + ">"
}

// deletionLoses returns what a deletion removes: the node's statements.
func deletionLoses(ctx context.Context, r *invoke.Request, _ kg.ChangeSet) (*invoke.Loss, error) {
	s := r.Snapshot.Schema()
	t := s.Type(r.Capability.InputShape.NodeType)
	entity, fields := entity(r, t)
	edits := deletion(s, entity)
	if len(fields)+len(edits.Fields) > 0 || noVerb(r, t.Name) != nil {
		return nil, nil
	}
	l := &invoke.Loss{Head: r.Snapshot.Head(), Act: "the deletion"}
	for _, err := range r.Snapshot.Match(ctx, rdf.Quad{Subject: edits.IRI, Label: rdf.DefaultGraph}) {
		if err != nil {
			return nil, err
		}
		l.Removes++
	}
	if l.Removes == 0 {
		return nil, nil
	}
	name := quote.Line(t.Name+"/"+s.IDOf(t, edits.IRI), 200)
	l.What = name + " with " + statements(l.Removes)
	l.Question = fmt.Sprintf("Delete %s with its %s from %s? The history keeps them.", name, statements(l.Removes), graphAt(r, l.Head))
	return l, nil
}

func statements(n int64) string { return fault.Counted(n, "statement") }

func enumerated(parts []string) string {
	if more := len(parts) - askSteps; more > 0 {
		parts = append(parts[:askSteps:askSteps], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, "; ")
}
