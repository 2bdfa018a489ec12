package schema

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"trails/fault"
	"trails/rdf"
)

// FromQuads reads the quads of [Schema.Quads]. Quads of other graphs are ignored, statements beyond a schema are
// [Schema.Foreign], and without quads the schema is empty. base is that of the file, "" uses the one in the quads.
// Contradictions and violated rules are fault.InvalidData.
func FromQuads(quads []rdf.Quad, base string) (*Schema, error) {
	r := newQuadReader(quads)
	declared := r.text(Node, TrailsBase)
	if base != "" && declared != "" && base != declared {
		return nil, fault.New(fault.InvalidData, "the schema is of the base %s, and the file has the base %s, which is fixed; make one with that base: trails init FILE --base %s", declared, base, declared)
	}
	s, err := r.schema(cmp.Or(base, declared))
	if err != nil {
		return nil, err
	}
	s.foreign = r.foreign(s)
	if len(s.Types) == 0 {
		return s, nil
	}
	if problems := s.check(nil); len(problems) > 0 {
		return nil, fault.Invalid(problems)
	}
	return s, nil
}

// quadReader holds the quads by subject.
type quadReader struct {
	about map[rdf.Term][]rdf.Quad
	err   error // the first quad that cannot be read
	// known has the types' shapes, and those of their properties under the names that
	// [Schema.Quads] gives them.
	known  map[rdf.IRI]rdf.IRI
	blank  map[rdf.BNode]rdf.Term // canonical names of blank nodes
	owners map[rdf.Term]rdf.Term  // of blank nodes
}

func newQuadReader(quads []rdf.Quad) *quadReader {
	r := &quadReader{about: map[rdf.Term][]rdf.Quad{}, known: map[rdf.IRI]rdf.IRI{}, blank: map[rdf.BNode]rdf.Term{}, owners: map[rdf.Term]rdf.Term{}}
	for _, q := range quads {
		if q.Label == rdf.SchemaGraph {
			r.about[q.Subject] = append(r.about[q.Subject], q)
		}
	}
	return r
}

func (r *quadReader) fail(subject rdf.Term, predicate rdf.IRI, what string) {
	if r.err == nil {
		r.err = fault.New(fault.InvalidData, "the schema's quads cannot be read: %s of %s %s", predicate, rdf.Lexical(subject), what)
	}
}

func (r *quadReader) schema(base string) (*Schema, error) {
	shapes := r.shapes()
	names := make(map[rdf.IRI]string, len(shapes))
	for _, iri := range shapes {
		names[iri] = r.text(iri, shName)
	}
	types := make([]*Type, len(shapes))
	for i, iri := range shapes {
		types[i] = r.typ(iri, names)
	}
	s := assemble(base, r.prefixes(), types)
	for i, iri := range shapes {
		r.predicates(s, types[i], iri)
	}
	if r.err != nil {
		return nil, r.err
	}
	return assemble(base, s.Prefixes, types), nil
}

// shapes are the types' IRIs in order of declaration.
func (r *quadReader) shapes() []rdf.IRI {
	var shapes []rdf.IRI
	for subject := range r.about {
		iri, ok := subject.(rdf.IRI)
		if ok && r.has(iri, rdf.Type, shNodeShape) && r.has(iri, rdf.Type, rdf.RDFSClass) && r.text(iri, shName) != "" {
			shapes = append(shapes, iri)
		}
	}
	r.sort(shapes)
	return shapes
}

// sort sorts shapes by sh:order.
func (r *quadReader) sort(shapes []rdf.IRI) {
	slices.SortFunc(shapes, func(a, b rdf.IRI) int {
		return cmp.Or(cmp.Compare(r.count(a, shOrder), r.count(b, shOrder)), cmp.Compare(a, b))
	})
}

func (r *quadReader) prefixes() map[string]string {
	prefixes := map[string]string{}
	for _, declaration := range r.all(Node, shDeclare) {
		prefixes[r.text(declaration, shPrefix)] = r.text(declaration, shNamespace)
	}
	return prefixes
}

func (r *quadReader) typ(iri rdf.IRI, names map[rdf.IRI]string) *Type {
	t := &Type{
		Name: names[iri], IRI: iri,
		Description: r.text(iri, rdf.Comment),
		IDs:         r.text(iri, TrailsIDs),
		Mint:        Mint(r.text(iri, TrailsMint)),
		Abstract:    r.text(iri, TrailsAbstract) == "true",
		Open:        r.text(iri, TrailsOpen) == "true",
		Embedded:    r.text(iri, TrailsEmbed) == "true",
	}
	for _, super := range r.all(iri, rdf.SubClassOf) {
		t.Extends = append(t.Extends, r.typeName(iri, rdf.SubClassOf, super, names))
	}
	r.known[iri] = iri
	for _, shape := range r.propertyShapes(iri) {
		p := r.property(shape, names)
		t.Properties = append(t.Properties, p)
		if r.known[shape] == "" {
			r.known[shape] = ShapeIRI(t, p)
		}
	}
	return t
}

func (r *quadReader) typeName(subject, predicate rdf.IRI, object rdf.Term, names map[rdf.IRI]string) string {
	iri, _ := object.(rdf.IRI)
	if names[iri] == "" {
		r.fail(subject, predicate, "is not a type of the schema")
	}
	return names[iri]
}

func (r *quadReader) propertyShapes(iri rdf.IRI) []rdf.IRI {
	var shapes []rdf.IRI
	for _, object := range r.all(iri, shProperty) {
		shape, ok := object.(rdf.IRI)
		if ok && r.text(shape, shName) != "" {
			shapes = append(shapes, shape)
		}
	}
	r.sort(shapes)
	return shapes
}

func (r *quadReader) property(shape rdf.IRI, names map[rdf.IRI]string) *Property {
	path, ok := r.one(shape, shPath).(rdf.IRI)
	if !ok {
		r.fail(shape, shPath, "is not an IRI")
	}
	p := &Property{
		Name: cmp.Or(r.text(shape, TrailsName), r.text(shape, shName)), IRI: path,
		Description: r.text(shape, shDescription),
		Datatype:    r.datatype(shape),
	}
	for k, field := range p.fields() {
		switch f := field.(type) {
		case *string:
			*f = r.text(shape, k.predicate)
		case *bool:
			*f = r.text(shape, k.predicate) == strconv.FormatBool(!k.negated)
		case **bool:
			if said, err := strconv.ParseBool(r.text(shape, k.predicate)); err == nil {
				*f = &said
			}
		case *int:
			*f = r.count(shape, k.predicate)
		case **int:
			*f = r.number(shape, k.predicate)
		case *rdf.Term:
			*f = r.one(shape, k.predicate)
		case *[]rdf.Term:
			*f = r.list(shape, k.predicate, r.one(shape, k.predicate))
		case *[]string:
			for _, term := range r.list(shape, k.predicate, r.one(shape, k.predicate)) {
				*f = append(*f, rdf.Lexical(term))
			}
		}
	}
	if r.one(shape, TrailsName) == nil {
		p.Label = "" // sh:name is the name
	}
	if class := r.one(shape, shClass); class != nil {
		p.Class = r.typeName(shape, shClass, class, names)
	}
	return p
}

func (r *quadReader) datatype(shape rdf.IRI) string {
	iri, _ := r.one(shape, shDatatype).(rdf.IRI)
	switch word := r.text(shape, TrailsWord); {
	case r.one(shape, shNodeKind) == shIRI:
		return wordIRI
	case iri == "":
		r.fail(shape, shDatatype, "is missing, and so is sh:nodeKind sh:IRI: nothing says what its values are, and every schema that is shown does")
	case word != "":
		return word
	}
	return cmp.Or(wordOf[iri], string(iri))
}

// predicates reads label, key and the unique groups, which are predicates in quads and names in a type. It needs s to
// know what t inherits.
func (r *quadReader) predicates(s *Schema, t *Type, iri rdf.IRI) {
	name := func(predicate rdf.IRI, object rdf.Term) string {
		path, _ := object.(rdf.IRI)
		p := s.PropertyByIRI(t, path)
		if p == nil {
			r.fail(iri, predicate, "is not a property of the type")
			return ""
		}
		return p.Name
	}
	namesIn := func(predicate rdf.IRI, head rdf.Term) []string {
		var names []string
		for _, object := range r.list(iri, predicate, head) {
			names = append(names, name(predicate, object))
		}
		return names
	}
	if label := r.one(iri, TrailsLabel); label != nil {
		t.Label = name(TrailsLabel, label)
	}
	t.Key = namesIn(TrailsKey, r.one(iri, TrailsKey))
	for _, head := range r.all(iri, TrailsUniqueTogether) {
		t.Unique = append(t.Unique, namesIn(TrailsUniqueTogether, head))
	}
}

// all returns the objects of a subject and predicate.
func (r *quadReader) all(subject rdf.Term, predicate rdf.IRI) []rdf.Term {
	var objects []rdf.Term
	for _, q := range r.about[subject] {
		if q.Predicate == predicate {
			objects = append(objects, q.Object)
		}
	}
	return objects
}

// one returns the only object, or nil.
func (r *quadReader) one(subject rdf.Term, predicate rdf.IRI) rdf.Term {
	objects := r.all(subject, predicate)
	if len(objects) > 1 {
		r.fail(subject, predicate, "has more than one value")
	}
	if len(objects) == 0 {
		return nil
	}
	return objects[0]
}

func (r *quadReader) has(subject rdf.Term, predicate rdf.IRI, object rdf.Term) bool {
	return slices.Contains(r.all(subject, predicate), object)
}

func (r *quadReader) text(subject rdf.Term, predicate rdf.IRI) string {
	return rdf.Lexical(r.one(subject, predicate))
}

func (r *quadReader) number(subject rdf.Term, predicate rdf.IRI) *int {
	term := r.one(subject, predicate)
	if term == nil {
		return nil
	}
	n, err := strconv.Atoi(strings.TrimPrefix(rdf.Lexical(term), "+"))
	if err != nil {
		r.fail(subject, predicate, "is not a whole number")
	}
	return &n
}

func (r *quadReader) count(subject rdf.Term, predicate rdf.IRI) int {
	if n := r.number(subject, predicate); n != nil {
		return *n
	}
	return 0
}

// list returns the items of an RDF list; it stops at a cycle.
func (r *quadReader) list(subject rdf.Term, predicate rdf.IRI, head rdf.Term) []rdf.Term {
	var items []rdf.Term
	seen := map[rdf.Term]bool{}
	for ; head != nil && head != rdf.Nil; head = r.one(head, rdf.Rest) {
		first := r.one(head, rdf.First)
		if seen[head] || first == nil {
			r.fail(subject, predicate, "is not a well-formed list")
			return nil
		}
		seen[head] = true
		items = append(items, first)
	}
	return items
}
