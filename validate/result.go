package validate

import (
	"trails/fault"
	"trails/rdf"
)

// Result is one validation result (SHACL section 3.6.2).
type Result struct {
	Focus rdf.Term
	// Path is the predicate; "" for results about the node itself and for groups of properties.
	Path rdf.IRI
	// Value is the offending value; nil if it is missing or there is no single one.
	Value       rdf.Term
	Component   rdf.IRI
	SourceShape rdf.Term
	// Name is the name of the field for people: sh:name, or the end of the path's IRI; names of a group are joined
	// with a comma.
	Name string
	// Constraint is the parameter as a JSON value: the bound, the pattern, the list.
	Constraint any
	Message    string
	Severity   rdf.IRI
	json       any // Value in FieldError
}

// FieldError returns the result as the contract's error of one field.
func (r Result) FieldError() fault.FieldError {
	f := fault.FieldError{
		Field:      r.Name,
		Code:       codes[r.Component],
		Message:    r.Message,
		Value:      r.json,
		Constraint: r.Constraint,
	}
	if f.Code == fault.MinCount && r.Constraint == 1 {
		f.Code, f.Constraint = fault.Required, true
	}
	return f
}
