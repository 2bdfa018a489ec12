package validate

import (
	"context"

	"trails/fault"
	"trails/rdf"
)

// nodeKind says which kinds of term a value may be (SHACL section 4.1.3).
type nodeKind struct {
	iri                   rdf.IRI
	name                  string
	iris, blank, literals bool
}

var nodeKinds = map[rdf.IRI]nodeKind{
	sh("IRI"):                {name: "an IRI", iris: true},
	sh("BlankNode"):          {name: "a blank node", blank: true},
	sh("Literal"):            {name: "a literal", literals: true},
	sh("BlankNodeOrIRI"):     {name: "an IRI or a blank node", iris: true, blank: true},
	sh("BlankNodeOrLiteral"): {name: "a literal or a blank node", blank: true, literals: true},
	sh("IRIOrLiteral"):       {name: "an IRI or a literal", iris: true, literals: true},
}

func compileNodeKind(p parameter) (constraint, error) {
	iri, _ := p.value.(rdf.IRI)
	kind, ok := nodeKinds[iri]
	if !ok {
		return nil, fault.New(fault.InvalidData, "sh:nodeKind must be one of SHACL's six kinds, not %s", label(p.value))
	}
	kind.iri = iri
	return kind, nil
}

func (k nodeKind) check(_ context.Context, e *evaluation, values []rdf.Term) error {
	for _, v := range values {
		if !k.allows(v) {
			e.report(nodeKindComponent, v, string(local(k.iri)), "must be %s, not %s", k.name, e.show(v))
		}
	}
	return nil
}

func (k nodeKind) allows(v rdf.Term) bool {
	switch v.(type) {
	case rdf.IRI:
		return k.iris
	case rdf.BNode:
		return k.blank
	}
	return k.literals
}
