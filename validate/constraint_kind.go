package validate

import (
	"context"
	"encoding/json"

	"trails/fault"
	"trails/rdf"
	"trails/rdf/xsd"
	"trails/schema"
)

// nodeKinds are the kinds of term that a value may be (SHACL section 4.1.3).
var nodeKinds = map[rdf.IRI]struct {
	name                  string
	iris, blank, literals bool
}{
	sh("IRI"):                {name: "an IRI", iris: true},
	sh("BlankNode"):          {name: "a blank node", blank: true},
	sh("Literal"):            {name: "a literal", literals: true},
	sh("BlankNodeOrIRI"):     {name: "an IRI or a blank node", iris: true, blank: true},
	sh("BlankNodeOrLiteral"): {name: "a literal or a blank node", blank: true, literals: true},
	sh("IRIOrLiteral"):       {name: "an IRI or a literal", iris: true, literals: true},
}

func nodeKind(p parameter) (constraint, error) {
	iri, _ := p.value.(rdf.IRI)
	kind, ok := nodeKinds[iri]
	if !ok {
		return nil, fault.New(fault.InvalidData, "sh:nodeKind must be one of SHACL's six kinds, not %s", label(p.value))
	}
	return func(_ context.Context, e *evaluation, values []rdf.Term) error {
		for _, v := range values {
			allowed := kind.literals
			switch v.(type) {
			case rdf.IRI:
				allowed = kind.iris
			case rdf.BNode:
				allowed = kind.blank
			}
			if !allowed {
				e.report(p.component, v, local(iri), "must be %s, not %s", kind.name, e.show(v))
			}
		}
		return nil
	}, nil
}

// datatype asks for literals of one datatype whose text belongs to it (SHACL section
// 4.1.2).
func datatype(p parameter) (constraint, error) {
	iri, err := p.iri()
	name := schema.Noun(iri)
	if name == "" {
		name = "of the datatype " + local(iri)
	}
	return func(_ context.Context, e *evaluation, values []rdf.Term) error {
		for _, v := range values {
			got := rdf.DatatypeOf(v)
			valid := got == iri
			if valid && iri == schema.Vector {
				_, valid = vectorLength(v)
			} else if valid {
				valid = xsd.Valid(rdf.Lexical(v), iri)
			}
			if valid {
				continue
			}
			found := e.show(v) // the kind of term matters where the text alone would be valid
			switch {
			case got == "":
				found = "the node " + found
			case got != iri && got != rdf.XSDString:
				found += " of the datatype " + local(got)
			}
			e.report(p.component, v, local(iri), "must be %s, not %s", name, found)
		}
		return nil
	}, err
}

// vectorLength returns the number of components of a vector; false if it is none.
func vectorLength(v rdf.Term) (int, bool) {
	var members []json.RawMessage
	if json.Unmarshal([]byte(rdf.Lexical(v)), &members) != nil || members == nil {
		return 0, false
	}
	for _, m := range members {
		if !isJSONNumber(string(m)) {
			return 0, false
		}
	}
	return len(members), true
}
