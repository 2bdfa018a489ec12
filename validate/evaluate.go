package validate

import (
	"context"
	"fmt"
	"slices"

	"trails/rdf"
)

// MaxResults is the maximum number of results for one node; others are not reported.
const MaxResults = 1000

// evaluation checks one node against the shapes that target it.
type evaluation struct {
	shapes *Shapes
	data   Data
	cache  *Cache
	focus  rdf.Term
	// properties are the node's statements in the default graph, by predicate.
	properties map[rdf.IRI][]rdf.Term
	shape      *shape // being evaluated; its constraints report in its name
	results    []Result
}

// Node returns the results of all shapes that target one of a node's types, at most [MaxResults]. A node without such
// a type has none. An error means that the data could not be read.
func (s *Shapes) Node(ctx context.Context, data Data, focus rdf.Term) ([]Result, error) {
	return s.NodeCached(ctx, data, focus, nil)
}

// NodeCached is [Shapes.Node] with a cache of instances, for runs over many nodes in one state of the data; a nil
// cache caches nothing.
func (s *Shapes) NodeCached(ctx context.Context, data Data, focus rdf.Term, cache *Cache) ([]Result, error) {
	if s.Empty() {
		return nil, nil
	}
	e := &evaluation{shapes: s, data: data, cache: cache, focus: focus}
	if err := e.read(ctx); err != nil {
		return nil, fmt.Errorf("validate %s: %w", rdf.AppendTerm(nil, focus), err)
	}
	for _, shape := range e.targeting() {
		if err := e.node(ctx, shape); err != nil {
			return nil, fmt.Errorf("validate %s: %w", rdf.AppendTerm(nil, focus), err)
		}
	}
	return e.results, nil
}

func (e *evaluation) read(ctx context.Context) error {
	e.properties = make(map[rdf.IRI][]rdf.Term, 16)
	for q, err := range e.data.Match(ctx, rdf.Quad{Subject: e.focus, Label: rdf.DefaultGraph}) {
		if err != nil {
			return err
		}
		p, _ := q.Predicate.(rdf.IRI)
		e.properties[p] = append(e.properties[p], q.Object)
	}
	return ctx.Err()
}

// targeting returns the shapes of all of the node's types, each once.
func (e *evaluation) targeting() []*shape {
	types := e.properties[rdf.Type]
	if len(types) == 1 {
		class, _ := types[0].(rdf.IRI)
		return e.shapes.byClass[class]
	}
	var all []*shape
	for _, t := range types {
		class, _ := t.(rdf.IRI)
		for _, shape := range e.shapes.byClass[class] {
			if !slices.Contains(all, shape) {
				all = append(all, shape)
			}
		}
	}
	return all
}

func (e *evaluation) node(ctx context.Context, s *shape) error {
	if err := e.check(ctx, s, []rdf.Term{e.focus}); err != nil {
		return err
	}
	for _, property := range s.properties {
		if err := e.check(ctx, property, e.properties[property.path]); err != nil {
			return err
		}
	}
	return nil
}

// check evaluates the constraints of one shape on its value nodes.
func (e *evaluation) check(ctx context.Context, s *shape, values []rdf.Term) error {
	e.shape = s
	for _, c := range s.constraints {
		if len(e.results) >= MaxResults {
			return nil
		}
		if err := c(ctx, e, values); err != nil {
			return err
		}
	}
	return nil
}

// report adds a result for the current shape. The message follows the name of the field: "must be at least 3".
func (e *evaluation) report(component rdf.IRI, value rdf.Term, constraint any, format string, args ...any) {
	e.add(Result{
		Path: e.shape.path, Name: e.shape.name, Value: value, Component: component, Constraint: constraint,
		Message: e.shape.name + " " + fmt.Sprintf(format, args...),
	})
}

// add completes a result with its own path, and drops it if there are enough already.
func (e *evaluation) add(r Result) {
	if len(e.results) >= MaxResults {
		return
	}
	r.json = e.json(r.Value)
	r.Focus, r.SourceShape, r.Severity = e.focus, e.shape.id, e.shape.severity
	if e.shape.message != "" {
		r.Message = e.shape.message
	}
	e.results = append(e.results, r)
}

// instanceOf reports whether node has a type that is the class or a subclass of it.
func (e *evaluation) instanceOf(ctx context.Context, node rdf.Term, class rdf.IRI) (bool, error) {
	this := membership{node, class}
	if e.cache != nil {
		if has, err := e.cache.instancesOf(ctx, class, e.shapes.Subclasses(class)); err != nil {
			return false, err
		} else if has != nil {
			return has(node)
		}
		if is, known := e.cache.known[this]; known {
			return is, nil
		}
	}
	types, err := e.typesOf(ctx, node)
	if err != nil {
		return false, err
	}
	is := slices.ContainsFunc(types, func(t rdf.IRI) bool { return e.shapes.isA(t, class) })
	if c := e.cache; c != nil && c.limit > 0 {
		if len(c.known) >= c.limit {
			clear(c.known)
		}
		c.known[this] = is
	}
	return is, nil
}

func (e *evaluation) typesOf(ctx context.Context, node rdf.Term) ([]rdf.IRI, error) {
	if rdf.IsLiteral(node) {
		return nil, nil
	}
	var types []rdf.IRI
	for q, err := range e.data.Match(ctx, rdf.Quad{Subject: node, Predicate: rdf.Type, Label: rdf.DefaultGraph}) {
		if err != nil {
			return nil, err
		}
		if class, ok := q.Object.(rdf.IRI); ok {
			types = append(types, class)
		}
	}
	return types, ctx.Err()
}
