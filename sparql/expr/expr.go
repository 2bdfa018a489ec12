// Package expr evaluates the expressions of SPARQL 1.1 Query, section 17
// (https://www.w3.org/TR/sparql11-query/#expressions), over one solution at a time, and its aggregates over many
// (section 18.5.1). It knows nothing of patterns: an [Env] answers for variables, EXISTS, the clock and chance. Start
// with [Compile].
//
// Simple literals are those of RDF 1.1: xsd:string. Extensions, which replace a type error by an answer as section
// 17.3.1 allows:
//   - Dates, times and durations compare as in package xsd; if a missing zone leaves the order open, that is a type error. Values of different kinds are not equal.
//   - YEAR and its like take xsd:date and xsd:time, too, for the parts they have.
//   - xsd:date and xsd:time are casts.
//
// Regular expressions are those of XPath without back-references ([xsd.Pattern]). An invalid pattern is an error of
// the expression; package sparql refuses invalid constant patterns.
package expr

import (
	"time"

	"trails/fault"
	"trails/rdf"
	"trails/sparql"
)

// Env is what an expression is evaluated in: one solution of one query.
type Env interface {
	// Value returns the variable's value, or nil when it is unbound.
	Value(v sparql.Var) rdf.Term
	// Exists reports whether the pattern has a solution compatible with this one. Its
	// error ends the query.
	Exists(op sparql.Op) (bool, error)
	// Now is the same for a whole query.
	Now() time.Time
	// NewUUID returns a fresh UUID in its text form.
	NewUUID() string
	// NewBNode returns the blank node for a label: the same one for the same label within a solution, and different
	// ones in different solutions. The empty label always gives a new one.
	NewBNode(label string) rdf.Term
	// Rand returns a number from 0 up to but not including 1.
	Rand() float64
	// Base is the IRI that IRI(…) resolves against; it may be empty.
	Base() string
}

// Error is an error of an expression (section 17.2): it makes a filter false and
// leaves a variable unbound, and never ends a query. Any other error does.
type Error string

// Error says what was wrong.
func (e Error) Error() string { return string(e) }

// The errors of expressions, as values, so that none is formatted for each solution.
var (
	ErrUnbound  error = Error("unbound variable")
	ErrType     error = Error("type error")
	ErrDivision error = Error("division by zero")
	ErrOverflow error = Error("number out of range")
	ErrRegex    error = Error("not a regular expression")
)

// IsError reports whether err is an error of an expression, not one that ends the query.
func IsError(err error) bool {
	_, ok := err.(Error) //nolint:errorlint // nobody wraps them, and errors.As costs too much for every row
	return ok
}

// MaxText is the longest text in bytes that a function returns. A longer one ends the query with fault.TooLarge.
const MaxText = 16 << 20

func errTooLong(what string) error {
	return fault.New(fault.TooLarge, "%s makes a text of more than %d bytes", what, MaxText)
}

// Program is an expression ready to be evaluated often. It is immutable and safe
// for concurrent use; each evaluation has an Env of its own.
type Program struct{ eval evaluator }

// Eval returns the value. It is nil only with an error.
func (p Program) Eval(env Env) (rdf.Term, error) {
	v, err := p.eval(env)
	if err != nil {
		return nil, err
	}
	return v.asTerm(), nil
}

// Test returns the effective boolean value (section 17.2.2); an [Error] is false, as in a filter.
func (p Program) Test(env Env) (bool, error) {
	v, err := p.eval(env)
	if err != nil {
		return false, err
	}
	return v.truth()
}
