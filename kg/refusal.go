package kg

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"trails/auth/policy"
	"trails/fault"
	"trails/kg/browse"
	"trails/kg/change"
	"trails/rdf"
	"trails/schema"
)

// report makes one fault of all errors. Nodes are named, unless all errors are about the only node of the change.
func (t *transaction) report(ctx context.Context, found []problem) error {
	if len(found) == 0 && t.job.counts == nil {
		return t.failed(ctx)
	}
	sources, err := t.sources(ctx, found)
	if err != nil {
		return err
	}
	named := t.job.inputs != nil || t.job.action == policy.BranchMerge || len(t.changed) != 1
	for _, p := range found {
		named = named || p.focus != rdf.IRI(t.changed[0])
	}
	fields := make([]fault.FieldError, len(found))
	for i, p := range found {
		fields[i] = p.field
		if named {
			fields[i].Node = t.schema.schema.NodeName(p.focus)
			fields[i].Value = fault.Bounded(fields[i].Value)
		}
		fields[i].Source = sources[p.focus].of(p.path, p.value)
		if p.field.Code == fault.Class && i < mostHinted {
			hint, err := t.labelHint(ctx, p.value)
			if err != nil {
				return err
			}
			fields[i].Message = fault.Add(fields[i].Message, hint)
		}
	}
	more, err := t.failedFields(ctx)
	if err != nil {
		return err
	}
	fields = append(fields, more...)
	if counts := t.job.counts; counts != nil {
		fields = slices.DeleteFunc(fields, func(f fault.FieldError) bool { return !counts(f) })
	}
	if len(fields) == 0 {
		return nil
	}
	return fault.Invalid(fields)
}

// place is the position in the input that a subject's edits came from.
type place struct {
	first   string
	byPath  map[rdf.Term]string
	byValue map[[2]rdf.Term]string // predicate and object
}

// of returns the most precise place: that of the value, the property, the node's type, or anything of the node.
func (p place) of(path rdf.IRI, value rdf.Term) string {
	return cmp.Or(p.byValue[[2]rdf.Term{path, value}], p.byPath[path], p.byPath[rdf.Type], p.first)
}

// sources looks up where the subjects with errors came from, in another pass over the edits, which is only made after
// an error.
func (t *transaction) sources(ctx context.Context, found []problem) (map[rdf.Term]place, error) {
	out := map[rdf.Term]place{}
	if t.job.inputs == nil {
		return out, nil
	}
	failing := map[rdf.Term]bool{}
	for _, p := range found {
		failing[p.focus] = true
	}
	for group, err := range t.job.spool.Groups(ctx) {
		if err != nil {
			return nil, err
		}
		if failing[group.Subject] {
			out[group.Subject] = t.job.placeOf(group)
		}
	}
	return out, nil
}

func (j job) placeOf(group *change.Group) place {
	p := place{byPath: map[rdf.Term]string{}, byValue: map[[2]rdf.Term]string{}}
	for _, e := range group.Edits {
		at := j.at(e.Source)
		p.first = cmp.Or(p.first, at)
		if e.Op != change.Assert {
			continue
		}
		p.byPath[e.Quad.Predicate] = cmp.Or(p.byPath[e.Quad.Predicate], at)
		p.byValue[[2]rdf.Term{e.Quad.Predicate, e.Quad.Object}] = at
	}
	return p
}

// placeIn names where in the input the first edit of a graph came from, or "".
func (j job) placeIn(group *change.Group, graph rdf.IRI) string {
	for _, e := range group.Edits {
		if e.Quad.Label == graph {
			return j.at(e.Source)
		}
	}
	return ""
}

// at names a place in the input, "file:line", of a table's cell "file:line:column", or ""
// for none.
func (j job) at(s change.Source) string {
	if s.Line == 0 || int(s.File) >= len(j.inputs) {
		return ""
	}
	place := fmt.Sprintf("%s:%d", j.inputs[s.File], s.Line)
	if s.Column > 0 {
		place += fmt.Sprintf(":%d", s.Column)
	}
	return place
}

// failures are the requirements of a change that did not hold.
type failures struct{ requirements []change.Failure }

// failed returns the fault for the requirements that did not hold, or nil.
func (t *transaction) failed(ctx context.Context) error {
	if len(t.failures.requirements) == 0 {
		return nil
	}
	if e := t.failures.requirements[0].Edit; t.job.inputs == nil && e.Op == change.Require {
		hint, err := t.labelHint(ctx, e.Quad.Subject)
		if err != nil {
			return err
		}
		name := t.schema.schema.NodeName(e.Quad.Subject)
		return fault.New(fault.Missing, "%s does not exist%s", name, hint).With("node", name)
	}
	fields, err := t.failedFields(ctx)
	if err != nil {
		return err
	}
	return fault.Invalid(fields)
}

// failedFields are the field errors for the requirements that did not hold.
func (t *transaction) failedFields(ctx context.Context) (fields []fault.FieldError, err error) {
	for i, r := range t.failures.requirements[:min(len(t.failures.requirements), t.job.limit())] {
		e := requirementError(r, t.job, t.schema)
		if e.Code == fault.Class && i < mostHinted {
			hint, err := t.labelHint(ctx, r.Edit.Quad.Subject)
			if err != nil {
				return nil, err
			}
			e.Message = fault.Add(e.Message, hint)
		}
		fields = append(fields, e)
	}
	return fields, nil
}

// mostHinted is how many missing nodes of a refusal are looked for by label.
const mostHinted = 20

// labelHint names the nodes whose label is the id of a node that is missing. Those that the refused call made an id for are
// not there, and have another one the next time.
func (t *transaction) labelHint(ctx context.Context, missing rdf.Term) (string, error) {
	s := t.schema.schema
	iri, _ := missing.(rdf.IRI)
	typeName, local, is := s.Local(iri)
	if !is {
		return "", nil
	}
	minted, failed := false, error(nil)
	made := func(node rdf.Term) bool {
		if t.job.inputs == nil { // one node, or what an update says
			return slices.Contains(t.changed, rdf.Lexical(node))
		}
		if !hasMintedID(s, node) || failed != nil {
			return false
		}
		var known bool
		known, failed = t.w.WasKnown(ctx, node)
		minted = minted || !known
		return !known
	}
	hint, err := browse.New(t.w.Seen(), s).LabelHint(ctx, s.Type(typeName), local, made)
	if hint == "" && minted {
		hint = fmt.Sprintf("; %q is the label of a node of this data that has no id: give it one, and refer to that", local)
	}
	return hint, cmp.Or(err, failed)
}

// hasMintedID reports whether the id of a node is one as they are made for nodes without any.
func hasMintedID(s *schema.Schema, node rdf.Term) bool {
	iri, _ := node.(rdf.IRI)
	_, local, is := s.Local(iri)
	id, err := uuid.Parse(local)
	return is && err == nil && id.Version() == 7
}

// requirementError says as a field error what did not hold.
func requirementError(r change.Failure, j job, c *compiled) fault.FieldError {
	e := fault.FieldError{Field: "id", Source: j.at(r.Edit.Source), Node: c.schema.NodeName(r.Edit.Quad.Subject), Value: c.schema.NodeName(r.Edit.Quad.Subject)}
	switch r.Edit.Op {
	case change.Fresh:
		e.Code, e.Message = fault.Unique, e.Node+" exists already; update it, or load with mode merge"
	case change.Once:
		e.Code, e.Message = fault.Unique, e.Node+" is given twice"+first(j.at(r.First))+"; give it once, or load with mode merge"
	default:
		e.Code, e.Constraint = fault.Class, c.typeName(r.Edit.Quad.Object)
		e.Message = fmt.Sprintf("%s does not exist; load it too, or create it first", e.Node)
	}
	if j.inputs == nil {
		e.Node = ""
	}
	return e
}

// first says where something was given before, if that is known.
func first(place string) string {
	if place == "" {
		return ""
	}
	return ", first at " + place
}
