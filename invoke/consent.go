package invoke

import (
	"context"
	"fmt"
	"strings"
	"time"

	"trails/fault"
	"trails/kg"
	"trails/rdf"
)

// loss is what a call of a capability that requires consent would remove.
type loss struct {
	head kg.Commit // at which it is so
	// act says what the call does, and what says what it removes: "mode overwrite",
	// "2 node(s): 2 of Note".
	act, what string
	removes   int64
	question  string
}

// loses finds out what a call would remove, and changes nothing; nil is nothing, or
// that the handler has other reasons to refuse the call.
type loses func(context.Context, *running, kg.ChangeSet) (*loss, error)

// askPatience is how long a person may think about a question.
const askPatience = 5 * time.Minute

// askSteps bounds what a question lists.
const askSteps = 8

// consent asks the person behind the caller before a capability that requires it
// removes something. A yes is for the head that was asked about; anything else
// refuses the call. Where nobody can be asked the call goes on: then the arguments
// are all the consent there is, and the handler says what they must allow.
func (r *running) consent(ctx context.Context) error {
	if r.capability.loses == nil || r.Ask == nil || r.args.flag("dry_run") || r.args.flag("plan") {
		return nil
	}
	set, err := r.changeSet(ctx)
	if err != nil {
		return nil //nolint:nilerr // the handler says it, together with what else is wrong
	}
	if settled, err := r.snapshot.Settles(ctx, r.session(), set); settled || err != nil {
		return err
	}
	before := r.snapshot.Head()
	goes, err := r.capability.loses(ctx, r, set)
	if err != nil {
		return err
	}
	if goes != nil {
		before = goes.head
		if err := r.agree(ctx, goes); err != nil {
			return err
		}
		r.agreedAt = &before.ID
	}
	if r.snapshot != nil {
		return nil
	}
	if err := r.pin(ctx); err != nil {
		return err
	}
	switch now := r.snapshot.Head(); {
	case goes != nil && now.ID != before.ID:
		return fault.New(fault.Precondition, "the head moved from %s to %s while the question was open; read again and repeat", before.ID, now.ID).
			With("head", now.ID.String())
	case now.SchemaSeq != before.SchemaSeq:
		return fault.New(fault.Conflict, "the schema changed while the call was prepared; repeat it")
	}
	return nil
}

// agree asks. No answer in time, or one that cannot be read, is a no. Nothing is locked
// or pinned meanwhile.
func (r *running) agree(ctx context.Context, goes *loss) error {
	r.release()
	patience, cancel := context.WithTimeout(ctx, askPatience)
	defer cancel()
	yes, err := r.Ask(patience, Question{Message: goes.question})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case !yes || err != nil:
		return fault.New(fault.Conflict, "%s would remove %s; it was not confirmed, and nothing was changed", goes.act, goes.what).
			With("removes", goes.removes)
	}
	return nil
}

// graphAt names the graph and a commit in a question.
func (r *running) graphAt(head kg.Commit) string {
	return fmt.Sprintf("the graph %s at commit %s", said(r.engine.graph.Name(), 40), head.ID.String()[:commitDigits])
}

// schemaLoses is what a schema removes. Who may not allow it is not asked: a person's
// yes stands in the place of the argument, not of the right to give it.
func schemaLoses(ctx context.Context, r *running, _ kg.ChangeSet) (*loss, error) {
	if r.args.flag(allowLoss.Name) || r.mayGive(allowLoss) != nil {
		return nil, nil
	}
	r.release() // planning pins its own
	p, err := r.session().PlanSchema(ctx, []byte(r.args.text("schema")))
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
	return &loss{
		head: p.Head, act: "the new schema", what: what, removes: p.Loses,
		question: fmt.Sprintf("The new schema removes %s from %s: %s. The history keeps them. Go on?", statements(p.Loses), r.graphAt(p.Head), enumerated(parts)),
	}, nil
}

// loadLoses is what a load replaces. The inputs are read for it, once: the handler
// commits what was read.
func loadLoses(ctx context.Context, r *running, set kg.ChangeSet) (*loss, error) {
	mode := kg.Mode(r.args.text("mode"))
	if mode != kg.Overwrite && mode != kg.Replace {
		return nil, nil
	}
	if err := r.readLoad(ctx, set); err != nil {
		return nil, err
	}
	goes, err := r.reading.Replaces(ctx)
	l := &loss{head: goes.Head, act: "mode " + string(mode)}
	switch {
	case err != nil:
		return nil, err
	case goes.Statements > 0:
		l.removes, l.what = goes.Statements, fmt.Sprintf("what the data does not repeat of %s", statements(goes.Statements))
		l.question = fmt.Sprintf("Replacing puts the data in the place of %s of %s, in %s. The history keeps what goes. Go on?",
			statements(goes.Statements), graphSaid(rdf.IRI(r.args.text("graph"))), r.graphAt(goes.Head))
	case len(goes.Types) > 0:
		var parts []string
		for _, t := range goes.Types {
			parts, l.removes = append(parts, fmt.Sprintf("%d of %s", t.Nodes, oneLine(t.Name, 100))), l.removes+t.Nodes
		}
		l.what = fmt.Sprintf("%d node(s): %s", l.removes, enumerated(parts))
		l.question = fmt.Sprintf("Overwriting replaces all nodes of the types in the data. In %s that removes %s. The history keeps them. Go on?",
			r.graphAt(goes.Head), l.what)
	default:
		return nil, nil
	}
	return l, nil
}

func graphSaid(graph rdf.IRI) string {
	if graph == rdf.DefaultGraph {
		return "the default graph"
	}
	return "the graph <" + oneLine(string(graph), 200) + ">"
}

// deletionLoses is what a deletion removes: the node's statements.
func deletionLoses(ctx context.Context, r *running, _ kg.ChangeSet) (*loss, error) {
	s := r.snapshot.Schema()
	t := s.Type(r.capability.InputShape.NodeType)
	entity, fields := r.entity(t)
	edits := deletion(s, entity)
	if len(fields)+len(edits.Fields) > 0 {
		return nil, nil
	}
	l := &loss{head: r.snapshot.Head(), act: "the deletion"}
	for _, err := range r.snapshot.Match(ctx, rdf.Quad{Subject: edits.IRI, Label: rdf.DefaultGraph}) {
		if err != nil {
			return nil, err
		}
		l.removes++
	}
	if l.removes == 0 {
		return nil, nil
	}
	name := oneLine(t.Name+"/"+s.IDOf(t, edits.IRI), 200)
	l.what = name + " with " + statements(l.removes)
	l.question = fmt.Sprintf("Delete %s with its %s from %s? The history keeps them.", name, statements(l.removes), r.graphAt(l.head))
	return l, nil
}

func statements(n int64) string {
	if n == 1 {
		return "1 statement"
	}
	return fmt.Sprintf("%d statements", n)
}

func enumerated(parts []string) string {
	if more := len(parts) - askSteps; more > 0 {
		parts = append(parts[:askSteps:askSteps], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, "; ")
}
