package validate

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"trails/fault"
	"trails/rdf"
)

// Compile reads a shapes graph, whatever graph its quads are labelled with. It is
// an InvalidData fault, which names shape and parameter, when the graph is not
// well-formed or asks for something that is not understood here.
func Compile(shapesGraph []rdf.Quad) (*Shapes, error) {
	c := &compiler{graph: newGraph(shapesGraph), out: &Shapes{
		byClass: make(map[rdf.IRI][]*shape),
		within:  make(map[rdf.IRI][]rdf.IRI),
		above:   make(map[rdf.IRI]map[rdf.IRI]bool),
		names:   make(map[rdf.IRI]string),
	}}
	// Close rdfs:subClassOf over the graph. The classes of a cycle are subclasses of each other.
	for _, subject := range c.graph.subjects {
		class, ok := subject.(rdf.IRI)
		if !ok {
			continue
		}
		above := map[rdf.IRI]bool{class: true}
		c.climb(class, above)
		c.out.above[class] = above
		for super := range above {
			c.out.within[super] = append(c.out.within[super], class)
		}
	}
	for class, within := range c.out.within {
		if c.out.above[class] == nil { // mentioned as a superclass only
			c.out.above[class] = map[rdf.IRI]bool{class: true}
			within = append(within, class)
		}
		slices.Sort(within)
		c.out.within[class] = within
	}
	var shapes []*shape
	for _, subject := range c.graph.subjects {
		if !c.isNodeShape(subject) {
			continue
		}
		s, err := c.nodeShape(subject)
		if err != nil {
			return nil, fmt.Errorf("compile shape %s: %w", label(subject), err)
		}
		if s != nil {
			shapes = append(shapes, s)
		}
	}
	// Every class finds its shapes, and those of its superclasses, with one look-up.
	for _, s := range shapes {
		for _, target := range s.targets {
			c.out.names[target] = s.name
			for _, class := range c.out.Subclasses(target) {
				if !slices.Contains(c.out.byClass[class], s) {
					c.out.byClass[class] = append(c.out.byClass[class], s)
				}
			}
		}
		for _, p := range s.properties {
			if len(c.graph.all(p.id, sh("class"))) > 0 {
				c.out.references = append(c.out.references, p.path)
			}
		}
	}
	slices.Sort(c.out.references)
	c.out.references = slices.Compact(c.out.references)
	return c.out, nil
}

type compiler struct {
	graph *graph
	out   *Shapes
}

func (c *compiler) climb(class rdf.IRI, above map[rdf.IRI]bool) {
	for _, o := range c.graph.all(class, rdf.SubClassOf) {
		super, ok := o.(rdf.IRI)
		if ok && !above[super] {
			above[super] = true
			c.climb(super, above)
		}
	}
}

// isNodeShape follows SHACL section 2.1: what is declared one, has a class target
// or has property shapes, and has no path.
func (c *compiler) isNodeShape(t rdf.Term) bool {
	of := c.graph.objects[t]
	if c.graph.has(t, rdf.Type, sh("NodeShape")) {
		return true
	}
	return len(of[sh("path")]) == 0 && len(of[sh("targetClass")])+len(of[sh("property")]) > 0
}

func (c *compiler) nodeShape(id rdf.Term) (*shape, error) {
	if c.graph.has(id, sh("deactivated"), rdf.Literal("true", rdf.XSDBoolean)) {
		return nil, nil
	}
	s := &shape{id: id, name: c.nodeName(id)}
	if err := c.targets(s); err != nil {
		return nil, err
	}
	for _, property := range c.graph.all(id, sh("property")) {
		p, err := c.propertyShape(property, s)
		if err != nil {
			return nil, err
		}
		if p != nil {
			s.properties = append(s.properties, p)
		}
	}
	slices.SortStableFunc(s.properties, func(a, b *shape) int {
		return cmp.Or(cmp.Compare(c.order(a.id), c.order(b.id)), cmp.Compare(a.path, b.path))
	})
	return s, c.constraints(s, s)
}

// targets reads sh:targetClass, and the implicit target of a shape that is a class
// (SHACL section 2.1.3.3).
func (c *compiler) targets(s *shape) error {
	for _, t := range c.graph.all(s.id, sh("targetClass")) {
		class, ok := t.(rdf.IRI)
		if !ok {
			return fault.New(fault.InvalidData, "sh:targetClass must be an IRI, not %s", label(t))
		}
		s.targets = append(s.targets, class)
	}
	isClass := slices.ContainsFunc(c.graph.all(s.id, rdf.Type), func(class rdf.Term) bool {
		iri, _ := class.(rdf.IRI)
		return iri == owlClass || c.out.isA(iri, rdf.RDFSClass)
	})
	if class, ok := s.id.(rdf.IRI); ok && isClass && !slices.Contains(s.targets, class) {
		s.targets = append(s.targets, class)
	}
	return nil
}

// owlClass is accepted as a class although a shapes graph seldom says that it is
// one: RDFS would conclude it.
const owlClass = rdf.IRI("http://www.w3.org/2002/07/owl#Class")

func (c *compiler) nodeName(id rdf.Term) string {
	for _, p := range []rdf.IRI{sh("name"), rdf.Label} {
		if name := c.graph.text(id, p); name != "" {
			return name
		}
	}
	if iri, ok := id.(rdf.IRI); ok {
		return local(iri)
	}
	return "the node"
}

func (c *compiler) order(shape rdf.Term) float64 {
	order, _ := strconv.ParseFloat(c.graph.text(shape, sh("order")), 64)
	return order
}

func (c *compiler) propertyShape(id rdf.Term, owner *shape) (*shape, error) {
	path, err := c.path(id)
	if err != nil {
		return nil, err
	}
	if c.graph.has(id, sh("deactivated"), rdf.Literal("true", rdf.XSDBoolean)) {
		return nil, nil
	}
	s := &shape{id: id, path: path, name: cmp.Or(c.graph.text(id, sh("name")), local(path), string(path))}
	if len(c.graph.all(id, sh("property"))) > 0 {
		return nil, fault.New(fault.InvalidData, "property %s: a property shape within a property shape is not supported", s.name)
	}
	if err := c.constraints(s, owner); err != nil {
		return nil, fmt.Errorf("property %s: %w", s.name, err)
	}
	return s, nil
}

func (c *compiler) path(id rdf.Term) (rdf.IRI, error) {
	path, err := c.graph.one(id, sh("path"))
	if err != nil {
		return "", err
	}
	iri, ok := path.(rdf.IRI)
	switch {
	case path == nil:
		return "", fault.New(fault.InvalidData, "property shape %s has no sh:path", label(id))
	case !ok:
		return "", fault.New(fault.InvalidData, "property shape %s: the sh:path %s is no predicate; other paths are not supported", label(id), label(path))
	}
	return iri, nil
}

// constraints compiles everything that a shape asks for.
func (c *compiler) constraints(s, owner *shape) error {
	if err := c.understood(s.id); err != nil {
		return err
	}
	s.message = c.graph.text(s.id, sh("message"))
	s.severity = sh("Violation")
	if severity, ok := first(c.graph.all(s.id, sh("severity"))).(rdf.IRI); ok {
		s.severity = severity
	}
	for _, component := range components {
		values := c.graph.all(s.id, component.parameter)
		switch {
		case len(values) > 1 && !component.repeats:
			return fault.New(fault.InvalidData, "%s has %d values, not one", word(component.parameter), len(values))
		case len(values) > 0 && component.place == onProperty && s.path == "":
			return fault.New(fault.InvalidData, "%s belongs on a property shape", word(component.parameter))
		case len(values) > 0 && component.place == onNode && s.path != "":
			return fault.New(fault.InvalidData, "%s belongs on a node shape", word(component.parameter))
		}
		for _, value := range values {
			made, err := component.compile(parameter{c.graph, s, owner, component.iri(), component.parameter, value})
			if err != nil {
				return err
			}
			if made != nil {
				s.constraints = append(s.constraints, made)
			}
		}
	}
	return nil
}

func first(terms []rdf.Term) rdf.Term {
	if len(terms) == 0 {
		return nil
	}
	return terms[0]
}

// understood refuses parameters of SHACL that nothing here checks: to pass over
// one would be to promise what is not kept.
func (c *compiler) understood(id rdf.Term) error {
	var strange []string
	for p := range c.graph.objects[id] {
		if strings.HasPrefix(string(p), rdf.SHNS) && !known[p] && !isParameter[p] {
			strange = append(strange, word(p))
		}
	}
	if len(strange) == 0 {
		return nil
	}
	slices.Sort(strange)
	return fault.New(fault.InvalidData, "not supported: %s", strings.Join(strange, ", "))
}
