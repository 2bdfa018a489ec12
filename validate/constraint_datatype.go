package validate

import (
	"context"
	"encoding/json"

	"trails/rdf"
	"trails/rdf/xsd"
)

// vectorDatatype is the datatype of vectors: a JSON array of numbers.
const vectorDatatype = rdf.IRI(rdf.TrailsNS + "vector")

// datatype asks for literals of one datatype whose text belongs to it
// (SHACL section 4.1.2).
type datatype struct {
	iri  rdf.IRI
	name string
}

func compileDatatype(p parameter) (constraint, error) {
	iri, err := p.iri()
	return datatype{iri, datatypeName(iri)}, err
}

// datatypeNames is how messages call the datatypes whose own names say too little.
var datatypeNames = map[rdf.IRI]string{
	rdf.XSDString:       "a string",
	rdf.XSDBoolean:      "true or false",
	rdf.XSDInteger:      "a whole number",
	rdf.XSDDecimal:      "a decimal number",
	rdf.XSDDouble:       "a number",
	rdf.XSDFloat:        "a number",
	rdf.XSDDate:         "a date such as 2024-05-31",
	rdf.XSDDateTime:     "a date and time such as 2024-05-31T12:00:00Z",
	rdf.XSDTime:         "a time such as 12:00:00",
	rdf.XSDDuration:     "a duration such as P1DT2H",
	rdf.XSDGYear:        "a year such as 2024",
	rdf.XSDAnyURI:       "a URI",
	rdf.XSDBase64Binary: "base64",
	rdf.RDFLangString:   "text with a language",
	vectorDatatype:      "an array of numbers",
}

func datatypeName(iri rdf.IRI) string {
	if name := datatypeNames[iri]; name != "" {
		return name
	}
	return "of the datatype " + local(iri)
}

func (d datatype) check(_ context.Context, e *evaluation, values []rdf.Term) error {
	for _, v := range values {
		if !d.allows(v) {
			e.report(datatypeComponent, v, local(d.iri), "must be %s, not %s", d.name, d.found(e, v))
		}
	}
	return nil
}

// found shows a value, and its kind where its text would look right.
func (d datatype) found(e *evaluation, v rdf.Term) string {
	got := rdf.DatatypeOf(v)
	switch {
	case got == d.iri || got == rdf.XSDString:
		return e.show(v)
	case got == "":
		return "the node " + e.show(v)
	}
	return e.show(v) + " of the datatype " + local(got)
}

func (d datatype) allows(v rdf.Term) bool {
	if rdf.DatatypeOf(v) != d.iri {
		return false
	}
	if d.iri == vectorDatatype {
		_, ok := vectorLength(v)
		return ok
	}
	return xsd.Valid(rdf.Lexical(v), d.iri)
}

// vectorLength returns how many numbers a vector has; false when it is none.
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
