package validate

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"trails/fault"
	"trails/rdf"
	"trails/schema"
)

// Compile compiles a shapes graph, ignoring the graph labels of its quads. A graph that is not well-formed, or uses
// something that is not supported, is an InvalidData fault that names shape and parameter.
func Compile(shapesGraph []rdf.Quad) (*Shapes, error) {
	c := &compiler{graph: newGraph(shapesGraph), read: map[rdf.Term]bool{}, off: map[rdf.Term]bool{}, out: &Shapes{
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
		if c.out.above[class] == nil { // only mentioned as a superclass
			c.out.above[class] = map[rdf.IRI]bool{class: true}
			within = append(within, class)
		}
		slices.Sort(within)
		c.out.within[class] = within
	}
	for _, subject := range c.graph.subjects {
		if off, err := c.isDeactivated(subject); err != nil {
			return nil, fmt.Errorf("compile shape %s: %w", label(subject), err)
		} else if off {
			c.switchOff(subject)
		}
	}
	var shapes []*shape
	for _, subject := range c.graph.subjects {
		var compiled func(rdf.Term) (*shape, error)
		switch {
		case c.off[subject] && len(c.graph.all(subject, sh("targetClass"))) == 0 && !c.isClass(subject):
			continue
		case c.isNodeShape(subject):
			compiled = c.nodeShape
		case c.isTargeted(subject):
			compiled = c.targetedProperty
		default:
			continue
		}
		s, err := compiled(subject)
		if err != nil {
			return nil, fmt.Errorf("compile shape %s: %w", label(subject), err)
		}
		if s != nil {
			shapes = append(shapes, s)
		}
	}
	if err := c.unread(); err != nil {
		return nil, err
	}
	// Every class has its shapes and those of its superclasses, found by one lookup.
	for _, s := range shapes {
		for _, target := range s.targets {
			if c.out.names[target] == "" || s.id == target {
				c.out.names[target] = s.name
			}
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
	read  map[rdf.Term]bool // shapes that are compiled
	off   map[rdf.Term]bool // deactivated shapes, and the shapes that only they refer to
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

// isNodeShape follows SHACL section 2.1: a node shape is declared as one, has a class target or has property shapes,
// and has no path.
func (c *compiler) isNodeShape(t rdf.Term) bool {
	of := c.graph.objects[t]
	if c.graph.has(t, rdf.Type, sh("NodeShape")) {
		return true
	}
	return len(of[sh("path")]) == 0 && len(of[sh("targetClass")])+len(of[sh("property")]) > 0
}

func (c *compiler) nodeShape(id rdf.Term) (*shape, error) {
	if off, err := c.isDeactivated(id); off || err != nil {
		return nil, err
	}
	c.read[id] = true
	s := &shape{id: id, name: c.nodeName(id)}
	if err := c.targets(s); err != nil {
		return nil, err
	}
	if len(c.graph.all(id, sh("path"))) > 0 || c.graph.has(id, rdf.Type, sh("PropertyShape")) {
		return nil, fault.New(fault.InvalidData, "a shape is an sh:NodeShape without sh:path, or an sh:PropertyShape with one")
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
	if err := c.constraints(s, s); err != nil {
		return nil, err
	}
	if len(s.targets) == 0 && len(s.properties)+len(s.constraints) > 0 {
		return nil, fault.New(fault.InvalidData, "no node has to keep it; give it an sh:targetClass, or take it out")
	}
	return s, nil
}

// isTargeted reports whether a property shape has targets of its own (SHACL section 2.1.3).
func (c *compiler) isTargeted(t rdf.Term) bool {
	return len(c.graph.all(t, sh("path"))) > 0 && (len(c.graph.all(t, sh("targetClass"))) > 0 || c.isClass(t))
}

// targetedProperty compiles a property shape with targets as the only property of a node shape with these targets.
func (c *compiler) targetedProperty(id rdf.Term) (*shape, error) {
	if off, err := c.isDeactivated(id); off || err != nil {
		return nil, err
	}
	s := &shape{id: id, name: c.nodeName(id)}
	if err := c.targets(s); err != nil {
		return nil, err
	}
	p, err := c.propertyShape(id, s)
	s.properties = []*shape{p}
	return s, err
}

// isDeactivated reads sh:deactivated (SHACL section 2.1.4).
func (c *compiler) isDeactivated(id rdf.Term) (bool, error) {
	value, err := c.graph.one(id, sh("deactivated"))
	if value == nil || err != nil {
		return false, err
	}
	return parameter{name: sh("deactivated"), value: value}.flag()
}

// switchOff marks a deactivated shape and the shapes that it refers to, unless another shape also refers to them.
func (c *compiler) switchOff(t rdf.Term) {
	if c.off[t] || rdf.IsLiteral(t) {
		return
	}
	c.off[t] = true
	for predicate, objects := range c.graph.objects[t] {
		for _, o := range objects {
			if _, blank := o.(rdf.BNode); blank || predicate == sh("property") {
				c.switchOff(o)
			}
		}
	}
}

// unread refuses statements with terms of SHACL that no compiled shape uses: other kinds of targets, components or
// functions, rules, entailment, or shapes without targets.
func (c *compiler) unread() error {
	for _, subject := range c.graph.subjects {
		if c.read[subject] || c.off[subject] {
			continue
		}
		if err := c.understood(subject); err != nil {
			return fmt.Errorf("compile shape %s: %w", label(subject), err)
		}
		asks := c.graph.has(subject, rdf.Type, sh("PropertyShape")) || c.graph.has(subject, rdf.Type, sh("Shape"))
		for p := range c.graph.objects[subject] {
			asks = asks || isParameter[p] || p == sh("path") || p == sh("flags") || p == sh("ignoredProperties")
		}
		if asks {
			return fmt.Errorf("compile shape %s: %w", label(subject),
				fault.New(fault.InvalidData, "no node has to keep it: it has no sh:targetClass, and no node shape has it as its sh:property; give it one, or take it out"))
		}
	}
	return nil
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
	if class, ok := s.id.(rdf.IRI); ok && c.isClass(s.id) && !slices.Contains(s.targets, class) {
		s.targets = append(s.targets, class)
	}
	return nil
}

func (c *compiler) isClass(t rdf.Term) bool {
	return slices.ContainsFunc(c.graph.all(t, rdf.Type), func(class rdf.Term) bool {
		iri, _ := class.(rdf.IRI)
		return iri == owlClass || c.out.isA(iri, rdf.RDFSClass)
	})
}

// owlClass is accepted as a class although shapes graphs rarely declare it as one: RDFS would infer it.
const owlClass = rdf.IRI(rdf.OWLNS + "Class")

// owlImports names shapes that are not in the graph.
const owlImports = rdf.IRI(rdf.OWLNS + "imports")

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
	if off, err := c.isDeactivated(id); off || err != nil {
		return nil, err
	}
	c.read[id] = true
	s := &shape{id: id, path: path, name: cmp.Or(c.graph.text(id, schema.TrailsName), c.graph.text(id, sh("name")), local(path), string(path))}
	if len(c.graph.all(id, sh("property"))) > 0 {
		return nil, fault.New(fault.InvalidData, "property %s: sh:property within a property shape is not supported", s.name)
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

// constraints compiles all constraints of a shape.
func (c *compiler) constraints(s, owner *shape) error {
	if err := c.understood(s.id); err != nil {
		return err
	}
	s.message = c.graph.text(s.id, sh("message"))
	s.severity = sh("Violation")
	severity, err := c.graph.one(s.id, sh("severity"))
	if err != nil {
		return err
	}
	if severity != nil {
		if s.severity, err = (parameter{name: sh("severity"), value: severity}).iri(); err != nil {
			return err
		}
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

// understood refuses terms of SHACL that are not supported: ignoring one would promise a check that is not made.
func (c *compiler) understood(id rdf.Term) error {
	var strange []string
	for p, objects := range c.graph.objects[id] {
		unknown := strings.HasPrefix(string(p), rdf.SHNS) || c.read[id] && strings.HasPrefix(string(p), rdf.TrailsNS)
		if unknown && !known[p] && !isParameter[p] || p == owlImports {
			strange = append(strange, word(p))
		}
		for _, o := range objects {
			if class, _ := o.(rdf.IRI); p == rdf.Type && strings.HasPrefix(string(class), rdf.SHNS) && !classes[class] {
				strange = append(strange, word(class))
			}
		}
	}
	if len(strange) == 0 {
		return nil
	}
	slices.Sort(strange)
	return fault.New(fault.InvalidData, "not supported: %s", strings.Join(strange, ", "))
}
