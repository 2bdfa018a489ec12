package schema

import (
	"maps"
	"slices"
	"strconv"

	"trails/rdf"
)

// Node is the subject that carries the schema's base and prefixes.
const Node = rdf.IRI("urn:trails:schema")

// Terms of SHACL that a schema uses (https://www.w3.org/TR/shacl/).
const (
	shNodeShape     = rdf.IRI(rdf.SHNS + "NodeShape")
	shPropertyShape = rdf.IRI(rdf.SHNS + "PropertyShape")
	shProperty      = rdf.IRI(rdf.SHNS + "property")
	shPath          = rdf.IRI(rdf.SHNS + "path")
	shName          = rdf.IRI(rdf.SHNS + "name")
	shDescription   = rdf.IRI(rdf.SHNS + "description")
	shOrder         = rdf.IRI(rdf.SHNS + "order")
	shDatatype      = rdf.IRI(rdf.SHNS + "datatype")
	shNodeKind      = rdf.IRI(rdf.SHNS + "nodeKind")
	shIRI           = rdf.IRI(rdf.SHNS + "IRI")
	shClass         = rdf.IRI(rdf.SHNS + "class")
	shMinCount      = rdf.IRI(rdf.SHNS + "minCount")
	shMaxCount      = rdf.IRI(rdf.SHNS + "maxCount")
	shMinLength     = rdf.IRI(rdf.SHNS + "minLength")
	shMaxLength     = rdf.IRI(rdf.SHNS + "maxLength")
	shPattern       = rdf.IRI(rdf.SHNS + "pattern")
	shIn            = rdf.IRI(rdf.SHNS + "in")
	shMinInclusive  = rdf.IRI(rdf.SHNS + "minInclusive")
	shMaxInclusive  = rdf.IRI(rdf.SHNS + "maxInclusive")
	shLanguageIn    = rdf.IRI(rdf.SHNS + "languageIn")
	shUniqueLang    = rdf.IRI(rdf.SHNS + "uniqueLang")
	shHasValue      = rdf.IRI(rdf.SHNS + "hasValue")
	shDefaultValue  = rdf.IRI(rdf.SHNS + "defaultValue")
	shDeclare       = rdf.IRI(rdf.SHNS + "declare")
	shPrefix        = rdf.IRI(rdf.SHNS + "prefix")
	shNamespace     = rdf.IRI(rdf.SHNS + "namespace")
)

// Terms of our own, for what SHACL has no word for.
const (
	TrailsSchema         = rdf.IRI(rdf.TrailsNS + "Schema")         // the class of [Node]
	TrailsBase           = rdf.IRI(rdf.TrailsNS + "base")           // of [Node]: the base IRI, a string
	TrailsLabel          = rdf.IRI(rdf.TrailsNS + "label")          // of a type: the label property's predicate
	TrailsKey            = rdf.IRI(rdf.TrailsNS + "key")            // of a type: a list of predicates, unique together
	TrailsUniqueTogether = rdf.IRI(rdf.TrailsNS + "uniqueTogether") // of a type: a list of predicates for each group
	TrailsUnique         = rdf.IRI(rdf.TrailsNS + "unique")         // of a property shape: true
	TrailsMint           = rdf.IRI(rdf.TrailsNS + "mint")           // of a type: a string, see [Mint]
	TrailsIDs            = rdf.IRI(rdf.TrailsNS + "ids")            // of a type: a string, see [Type.IDs]
	TrailsAbstract       = rdf.IRI(rdf.TrailsNS + "abstract")       // of a type: true
	TrailsOpen           = rdf.IRI(rdf.TrailsNS + "open")           // of a type: true, see [Schema.IsOpen]
	TrailsWord           = rdf.IRI(rdf.TrailsNS + "word")           // of a property shape: the datatype's word when its IRI has two
	TrailsName           = rdf.IRI(rdf.TrailsNS + "name")           // of a property shape: the property's name when sh:name is its label
	TrailsDim            = rdf.IRI(rdf.TrailsNS + "dim")            // of a property shape: components of a vector
	TrailsSearch         = rdf.IRI(rdf.TrailsNS + "search")         // of a property shape: false when search leaves its values out
	TrailsEmbed          = rdf.IRI(rdf.TrailsNS + "embed")          // of a type: true, and of a property shape: whether its texts are found by what they mean, see [Schema.Embeds]
	TrailsWas            = rdf.IRI(rdf.TrailsNS + "was")            // of a property shape: a list of the names that it had, strings
)

// ShapeIRI names the property shape of t's own property p.
func ShapeIRI(t *Type, p *Property) rdf.IRI {
	for i := range len(t.IRI) {
		if t.IRI[i] == '#' {
			return t.IRI + "." + rdf.IRI(p.Name) // an IRI has one fragment
		}
	}
	return t.IRI + "#" + rdf.IRI(p.Name)
}

// Quads returns the schema as SHACL in [rdf.SchemaGraph]. A type is a class and a
// node shape in one, so that it targets its own instances (SHACL 2.1.3.3). The
// same schema gives the same quads, blank nodes included.
func (s *Schema) Quads() []rdf.Quad {
	w := &quadWriter{}
	w.add(Node, rdf.Type, TrailsSchema)
	w.text(Node, TrailsBase, s.Base)
	for _, prefix := range slices.Sorted(maps.Keys(s.Prefixes)) {
		declaration := rdf.BNode("p" + digest(string(Node), prefix, s.Prefixes[prefix]))
		w.add(Node, shDeclare, declaration)
		w.text(declaration, shPrefix, prefix)
		w.add(declaration, shNamespace, rdf.Literal(s.Prefixes[prefix], rdf.XSDAnyURI))
	}
	for i, t := range s.Types {
		w.typ(s, t, i)
	}
	return w.quads
}

type quadWriter struct{ quads []rdf.Quad }

// Not inlined, for the size of the binary.
//
//go:noinline
func (w *quadWriter) add(subject rdf.Term, predicate rdf.IRI, object rdf.Term) {
	w.quads = append(w.quads, rdf.Quad{Subject: subject, Predicate: predicate, Object: object, Label: rdf.SchemaGraph})
}

func (w *quadWriter) text(subject rdf.Term, predicate rdf.IRI, text string) {
	if text != "" {
		w.add(subject, predicate, rdf.Literal(text, rdf.XSDString))
	}
}

func (w *quadWriter) number(subject rdf.Term, predicate rdf.IRI, n int) {
	w.add(subject, predicate, rdf.Literal(strconv.Itoa(n), rdf.XSDInteger))
}

// list adds an RDF list. Its cells' labels are made from owner, predicate and
// content, so that one schema has one form in every file.
func (w *quadWriter) list(owner rdf.Term, predicate rdf.IRI, items []rdf.Term) {
	if len(items) == 0 {
		return
	}
	content := []string{string(rdf.AppendTerm(nil, owner)), string(predicate)}
	for _, item := range items {
		content = append(content, string(rdf.AppendTerm(nil, item)))
	}
	id := digest(content...)
	w.add(owner, predicate, cell(id, 0))
	for i, item := range items {
		w.add(cell(id, i), rdf.First, item)
		if i+1 < len(items) {
			w.add(cell(id, i), rdf.Rest, cell(id, i+1))
		}
	}
	w.add(cell(id, len(items)-1), rdf.Rest, rdf.Nil)
}

func cell(id string, i int) rdf.BNode { return rdf.BNode("l" + id + "x" + strconv.Itoa(i)) }

func (w *quadWriter) typ(s *Schema, t *Type, order int) {
	w.add(t.IRI, rdf.Type, rdf.RDFSClass)
	w.add(t.IRI, rdf.Type, shNodeShape)
	w.text(t.IRI, shName, t.Name)
	w.text(t.IRI, rdf.Label, t.Name)
	w.text(t.IRI, rdf.Comment, t.Description)
	w.number(t.IRI, shOrder, order)
	for _, name := range t.Extends {
		w.add(t.IRI, rdf.SubClassOf, s.byName[name].IRI)
	}
	if t.Abstract {
		w.add(t.IRI, TrailsAbstract, rdf.Literal("true", rdf.XSDBoolean))
	}
	if t.Open {
		w.add(t.IRI, TrailsOpen, rdf.Literal("true", rdf.XSDBoolean))
	}
	if t.Embedded {
		w.add(t.IRI, TrailsEmbed, rdf.Literal("true", rdf.XSDBoolean))
	}
	w.text(t.IRI, TrailsMint, string(t.Mint))
	w.text(t.IRI, TrailsIDs, t.IDs)
	if t.Label != "" {
		w.add(t.IRI, TrailsLabel, s.Property(t, t.Label).IRI)
	}
	w.list(t.IRI, TrailsKey, s.predicates(t, t.Key))
	for _, group := range t.Unique {
		w.list(t.IRI, TrailsUniqueTogether, s.predicates(t, group))
	}
	for i, p := range t.Properties {
		w.property(s, t, p, i)
	}
}

func (s *Schema) predicates(t *Type, names []string) []rdf.Term {
	iris := make([]rdf.Term, len(names))
	for i, name := range names {
		iris[i] = s.Property(t, name).IRI
	}
	return iris
}

func (w *quadWriter) property(s *Schema, t *Type, p *Property, order int) {
	shape := ShapeIRI(t, p)
	w.add(t.IRI, shProperty, shape)
	w.add(shape, shPath, p.IRI)
	if p.Label == "" {
		w.text(shape, shName, p.Name)
	} else { // the label is its sh:name, as that is for people (SHACL 2.3.2.1)
		w.text(shape, TrailsName, p.Name)
	}
	w.text(shape, shDescription, p.Description)
	w.number(shape, shOrder, order)
	w.datatype(s, shape, p)
	for k, field := range p.fields() {
		if isAbsent(field) {
			continue
		}
		switch f := field.(type) {
		case *string:
			w.text(shape, k.predicate, *f)
		case *bool:
			w.add(shape, k.predicate, rdf.Literal(strconv.FormatBool(!k.negated), rdf.XSDBoolean))
		case **bool:
			w.add(shape, k.predicate, rdf.Literal(strconv.FormatBool(**f), rdf.XSDBoolean))
		case *int:
			w.number(shape, k.predicate, *f)
		case **int:
			w.number(shape, k.predicate, **f)
		case *rdf.Term:
			w.add(shape, k.predicate, *f)
		case *[]rdf.Term:
			w.list(shape, k.predicate, *f)
		case *[]string:
			tags := make([]rdf.Term, len(*f))
			for i, tag := range *f {
				tags[i] = rdf.String(tag)
			}
			w.list(shape, k.predicate, tags)
		}
	}
}

func (w *quadWriter) datatype(s *Schema, shape rdf.IRI, p *Property) {
	if p.isReference() {
		w.add(shape, shNodeKind, shIRI)
		if p.Class != "" {
			w.add(shape, shClass, s.byName[p.Class].IRI)
		}
		return
	}
	w.add(shape, shDatatype, p.datatypeIRI())
	if wordOf[p.datatypeIRI()] != p.Datatype {
		w.text(shape, TrailsWord, p.Datatype)
	}
}
