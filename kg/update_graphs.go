package kg

import (
	"context"
	"fmt"
	"strings"

	"trails/fault"
	"trails/kg/change"
	"trails/rdf"
	"trails/sparql"
)

// operation spools the edits of an operation, and says why there are none. It makes all checks before it changes
// anything, so that SILENT leaves nothing half done.
func (u *updating) operation(ctx context.Context, op sparql.Operation) (idle string, err error) {
	u.silenced, u.made = "", nil
	solutions := u.fill.solution
	switch op := op.(type) {
	case sparql.Modify:
		err = u.modify(ctx, op)
	case sparql.Load:
		u.silenced = u.unread[op]
		err = u.unless(op.Silent, u.load(ctx, op))
	case sparql.Clear:
		err = u.unless(op.Silent, u.clear(ctx, op.Target))
	case sparql.Drop:
		err = u.unless(op.Silent, u.clear(ctx, op.Target))
	case sparql.Create:
		err = u.unless(op.Silent, u.create(ctx, op.Graph))
	case sparql.Transfer:
		err = u.unless(op.Silent, u.transfer(ctx, op))
	default:
		err = fmt.Errorf("%T is no operation", op)
	}
	u.solved = u.fill.solution - solutions
	if err != nil || u.spool.Len() > 0 {
		return "", err
	}
	return u.makesNothing(op), nil
}

// silentPasses ends refusals that SILENT passes over.
const silentPasses = "; SILENT lets that pass"

// unless returns err, except for a refusal under SILENT.
func (u *updating) unless(silent bool, err error) error {
	if silent && (fault.Is(err, fault.Denied) || fault.Is(err, fault.Conflict) || fault.Is(err, fault.Missing)) {
		u.silenced = strings.TrimSuffix(err.Error(), silentPasses)
		return nil
	}
	return err
}

// graphsOfTrails is the beginning of the names of system graphs.
const graphsOfTrails = "urn:trails:graph:"

// checkUpdatable refuses graphs that an update cannot write to.
func checkUpdatable(label rdf.Term) error {
	name, ok := label.(rdf.IRI)
	switch {
	case rdf.IsGraphAt(label):
		return fault.New(fault.Denied, "graph <%s> is the data as of a commit and cannot be written to; write to the default graph, or to a graph with another name", string(name))
	case rdf.IsOriginGraph(label):
		return fault.New(fault.Denied, "graph <%s> is what one class of sources says and cannot be written to; write to the default graph, which the statements are in", string(name))
	case !ok || !strings.HasPrefix(string(name), graphsOfTrails):
		return nil
	case name == rdf.SchemaGraph:
		return schemaIsKept("")
	case name == rdf.DefaultGraph:
		return fault.New(fault.Denied, "the default graph is not written to by its name; leave GRAPH <%s> out", string(name))
	}
	return fault.New(fault.Denied, "graph <%s> is kept by trails itself and cannot be written to", string(name))
}

// pattern matches the statements of a target; for ALL and NAMED everything.
func pattern(t sparql.Target) rdf.Quad {
	switch {
	case t.All || t.Named:
		return rdf.Quad{}
	case t.Graph == "":
		return rdf.Quad{Label: rdf.DefaultGraph}
	}
	return rdf.Quad{Label: t.Graph}
}

// clear is CLEAR and DROP (sections 3.1.3, 3.2.2): a graph exists while it has statements. ALL and NAMED only affect
// the graphs that an update may write.
func (u *updating) clear(ctx context.Context, t sparql.Target) error {
	if err := checkUpdatable(t.Graph); err != nil {
		return err
	}
	for q, err := range u.seen.Match(ctx, pattern(t)) {
		if err != nil {
			return err
		}
		if t.Named && q.Label == nil || checkUpdatable(q.Label) != nil {
			continue
		}
		if err := u.spool.Add(change.Edit{Op: change.Retract, Quad: q}); err != nil {
			return err
		}
	}
	return nil
}

// create is CREATE (section 3.2.1), which changes nothing, because empty graphs are not stored.
func (u *updating) create(ctx context.Context, graph rdf.IRI) error {
	if err := checkUpdatable(graph); err != nil {
		return err
	}
	there, err := graphExists(ctx, u.seen, graph)
	if there {
		return fault.New(fault.Conflict, "graph <%s> is there already"+silentPasses, string(graph))
	}
	return err
}

// transfer is COPY, MOVE and ADD (sections 3.2.3 to 3.2.5). From a graph to itself they do nothing.
func (u *updating) transfer(ctx context.Context, op sparql.Transfer) error {
	if op.From == op.To {
		return nil
	}
	if err := u.checkTransfer(ctx, op); err != nil {
		return err
	}
	if op.Kind != sparql.AddGraph {
		if err := u.clear(ctx, op.To); err != nil {
			return err
		}
	}
	for q, err := range u.seen.Match(ctx, pattern(op.From)) {
		if err != nil {
			return err
		}
		if op.Kind == sparql.MoveGraph {
			if err := u.edit(change.Retract, q); err != nil {
				return err
			}
		}
		q.Label = nil
		if op.To.Graph != "" {
			q.Label = op.To.Graph
		}
		if err := u.edit(change.Assert, q); err != nil {
			return err
		}
	}
	return nil
}

func (u *updating) checkTransfer(ctx context.Context, op sparql.Transfer) error {
	written := []rdf.IRI{op.To.Graph}
	if op.Kind == sparql.MoveGraph {
		written = append(written, op.From.Graph)
	}
	for _, graph := range written {
		if err := checkUpdatable(graph); err != nil {
			return err
		}
	}
	if op.From.Graph == "" {
		return nil
	}
	there, err := graphExists(ctx, u.seen, op.From.Graph)
	if err == nil && !there {
		return fault.New(fault.Missing, "graph <%s> is not there"+silentPasses, string(op.From.Graph))
	}
	return err
}
