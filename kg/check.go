package kg

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"trails/db"
	"trails/kg/change"
	"trails/kg/fault"
	"trails/kg/rdf"
	"trails/kg/schema"
	"trails/validate"
)

// Limits on what a refused change reports.
const (
	defaultMaxErrors   = 100
	keepGoingMaxErrors = 1000
)

// errEnough stops a check that has found as much as will be reported.
var errEnough = errors.New("enough found")

// validate checks what the change can have broken: the changed subjects, the nodes
// that refer to one that lost its type, and after a change of schema the instances
// of every type that it made stricter.
func (t *transaction) validate(ctx context.Context) error {
	if !t.result.changedAnything() {
		return nil
	}
	c := checking{transaction: t, shapes: t.schema.shapes, data: state{t.w}, memo: validate.NewCache(100_000)}
	checks := []func(context.Context) error{c.changedNodes, c.referrers}
	if t.schemaEdited {
		checks = append([]func(context.Context) error{c.newSchema}, checks...)
	}
	for _, check := range checks {
		if err := check(ctx); errors.Is(err, errEnough) {
			break
		} else if err != nil {
			return err
		}
	}
	return c.report(ctx)
}

func (r Result) changedAnything() bool { return r.AddedCount+r.RemovedCount > 0 }

// state is the graph after the change, as validation reads it.
type state struct{ *db.Writer }

// Having implements validate.Data.
func (s state) Having(ctx context.Context, pairs []validate.PredicateObject, limit int) ([]rdf.Term, error) {
	return having(ctx, s.Writer, pairs, limit)
}

// checking is one validation of one change.
type checking struct {
	*transaction
	shapes *validate.Shapes
	data   state
	memo   *validate.Cache
	found  []validate.Result
}

// newSchema compiles the schema as the change leaves it, and checks what it made stricter.
func (c *checking) newSchema(ctx context.Context) error {
	after, err := c.session.graph.compile(ctx, c.w)
	if err != nil {
		return err
	}
	c.shapes = after.shapes
	for _, t := range affected(c.schema.schema, after.schema) {
		if err := c.instances(ctx, after.schema, t); err != nil {
			return err
		}
	}
	return nil
}

func (c *checking) instances(ctx context.Context, s *schema.Schema, t *schema.Type) error {
	for _, sub := range s.Subtypes(t) {
		for q, err := range c.w.Match(ctx, rdf.Quad{Predicate: rdf.Type, Object: sub.IRI, Label: rdf.DefaultGraph}) {
			if err != nil {
				return err
			}
			if err := c.node(ctx, q.Subject); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *checking) changedNodes(ctx context.Context) error {
	if c.shapes.Empty() {
		return nil
	}
	report := c.job.reporter("validate", "nodes", 0)
	for subject, err := range c.job.subjects(ctx) {
		if err != nil {
			return err
		}
		if err := c.node(ctx, subject); err != nil {
			return err
		}
		report(1)
	}
	return nil
}

// referrers checks the nodes that point to one that lost its type: whole-graph
// integrity at the cost of the references to it.
func (c *checking) referrers(ctx context.Context) error {
	paths := map[rdf.Term]bool{}
	for _, p := range c.shapes.ReferencePaths() {
		paths[p] = true
	}
	seen := map[rdf.Term]bool{}
	for _, target := range c.lost {
		for q, err := range c.w.Match(ctx, rdf.Quad{Object: target, Label: rdf.DefaultGraph}) {
			if err != nil {
				return err
			}
			if !paths[q.Predicate] || seen[q.Subject] {
				continue
			}
			seen[q.Subject] = true
			if err := c.node(ctx, q.Subject); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *checking) node(ctx context.Context, focus rdf.Term) error {
	results, err := c.shapes.NodeCached(ctx, c.data, focus, c.memo)
	if err != nil {
		return fmt.Errorf("validate %s: %w", focus, err)
	}
	c.found = append(c.found, results...)
	if len(c.found) >= c.job.limit() {
		return errEnough
	}
	return nil
}

func (j job) limit() int {
	if j.maxErrors > 0 {
		return j.maxErrors
	}
	return defaultMaxErrors
}

// report turns what was found into one fault.
func (c *checking) report(ctx context.Context) error {
	if len(c.found) == 0 {
		return nil
	}
	sources, err := c.sources(ctx)
	if err != nil {
		return err
	}
	only, many := c.found[0].Focus, c.job.inputs != nil
	for _, r := range c.found {
		many = many || r.Focus != only
	}
	fields := make([]fault.FieldError, len(c.found))
	for i, r := range c.found {
		fields[i] = r.FieldError()
		if many {
			fields[i].Node = c.schema.nameOf(r.Focus)
			fields[i].Value = bounded(fields[i].Value)
		}
		fields[i].Source = sources[r.Focus].of(r.Path, r.Value)
	}
	return fault.Invalid(fields)
}

// place is where in the input a subject's edits came from.
type place struct {
	first   string
	byPath  map[rdf.Term]string
	byValue map[[2]rdf.Term]string // predicate and object
}

// of names the most telling place: where the value was said, the property, the
// node's type, anything of the node.
func (p place) of(path rdf.IRI, value rdf.Term) string {
	return cmp.Or(p.byValue[[2]rdf.Term{path, value}], p.byPath[path], p.byPath[rdf.Type], p.first)
}

// sources looks up where the failing subjects came from; another pass over the
// input's edits, taken only when something is wrong.
func (c *checking) sources(ctx context.Context) (map[rdf.Term]place, error) {
	out := map[rdf.Term]place{}
	if c.job.inputs == nil {
		return out, nil
	}
	failing := map[rdf.Term]bool{}
	for _, r := range c.found {
		failing[r.Focus] = true
	}
	for group, err := range c.job.spool.Groups(ctx) {
		if err != nil {
			return nil, err
		}
		if failing[group.Subject] {
			out[group.Subject] = c.job.placeOf(group)
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

// at names a place in the input, "file:line", or "" for none.
func (j job) at(s change.Source) string {
	if s.Line == 0 || int(s.File) >= len(j.inputs) {
		return ""
	}
	return fmt.Sprintf("%s:%d", j.inputs[s.File], s.Line)
}

// typeName returns what people call a type.
func (c *compiled) typeName(class rdf.Term) string {
	iri, _ := class.(rdf.IRI)
	if t := c.schema.TypeByIRI(iri); t != nil {
		return t.Name
	}
	return c.nameOf(class)
}

// nameOf returns what people call a node: Type/local when it is ours, else its IRI or label.
func (c *compiled) nameOf(node rdf.Term) string {
	iri, ok := node.(rdf.IRI)
	if !ok {
		return "_:" + rdf.Lexical(node)
	}
	if t, local, ok := c.schema.Local(iri); ok {
		return t + "/" + local
	}
	return string(iri)
}

// failures are the requirements that a change made and that did not hold.
type failures struct{ requirements []change.Failure }

// asError returns the fault for what did not hold, or nil.
func (f failures) asError(j job, c *compiled) error {
	if len(f.requirements) == 0 {
		return nil
	}
	if j.inputs == nil && f.requirements[0].Edit.Op == change.Require {
		return f.missing(c)
	}
	var fields []fault.FieldError
	for _, r := range f.requirements[:min(len(f.requirements), j.limit())] {
		fields = append(fields, requirementError(r, j, c))
	}
	return fault.Invalid(fields)
}

// missing is the fault for a change to a node that is not there.
func (f failures) missing(c *compiled) error {
	e := f.requirements[0].Edit
	return fault.New(fault.Missing, "%s does not exist", c.nameOf(e.Quad.Subject)).With("node", c.nameOf(e.Quad.Subject))
}

// requirementError says as a field error what did not hold.
func requirementError(r change.Failure, j job, c *compiled) fault.FieldError {
	e := fault.FieldError{Field: "id", Source: j.at(r.Edit.Source), Node: c.nameOf(r.Edit.Quad.Subject), Value: c.nameOf(r.Edit.Quad.Subject)}
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

// first says where something was given before, as far as that is known.
func first(place string) string {
	if place == "" {
		return ""
	}
	return ", first at " + place
}
