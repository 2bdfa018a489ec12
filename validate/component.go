package validate

import (
	"context"

	"trails/fault"
	"trails/rdf"
	"trails/schema"
)

// constraint is one compiled constraint of a shape: it reports each value node that violates it. It is immutable. An
// error means that the data could not be read.
type constraint func(ctx context.Context, e *evaluation, values []rdf.Term) error

// component is a constraint component: SHACL's term for a validator with its parameter.
type component struct {
	parameter rdf.IRI
	name      string // name in its results, without "ConstraintComponent"
	code      fault.Code
	place     place
	// repeats means that a shape may have several values of the parameter, each a separate constraint.
	repeats bool
	// compile may return nil for a value that requires nothing.
	compile func(p parameter) (constraint, error)
}

// place says in which shapes a component may occur.
type place uint8

const (
	anywhere place = iota
	onProperty
	onNode
)

func sh(name string) rdf.IRI { return rdf.SHNS + rdf.IRI(name) }

func ours(name string) rdf.IRI { return rdf.TrailsNS + rdf.IRI(name) }

// components are all supported components in the order of checking: cheap and informative ones first, those that read
// other nodes last.
var components = []component{
	{sh("minCount"), "MinCount", fault.MinCount, onProperty, false, minCount},
	{sh("maxCount"), "MaxCount", fault.MaxCount, onProperty, false, maxCount},
	{sh("nodeKind"), "NodeKind", fault.NodeKind, anywhere, false, nodeKind},
	{sh("datatype"), "Datatype", fault.Datatype, anywhere, false, datatype},
	{sh("minLength"), "MinLength", fault.MinLength, anywhere, false, length("at least", func(n, limit int) bool { return n >= limit })},
	{sh("maxLength"), "MaxLength", fault.MaxLength, anywhere, false, length("at most", func(n, limit int) bool { return n <= limit })},
	{sh("pattern"), "Pattern", fault.Pattern, anywhere, true, pattern},
	{sh("languageIn"), "LanguageIn", fault.Languages, anywhere, false, languageIn},
	{sh("uniqueLang"), "UniqueLang", fault.UniqueLang, onProperty, false, uniqueLang},
	{sh("in"), "In", fault.OneOf, anywhere, false, in},
	{sh("hasValue"), "HasValue", fault.HasValue, anywhere, true, hasValue},
	{sh("minInclusive"), "MinInclusive", fault.MinValue, anywhere, false, bound("at least", func(order int) bool { return order >= 0 })},
	{sh("minExclusive"), "MinExclusive", fault.MinValue, anywhere, false, bound("more than", func(order int) bool { return order > 0 })},
	{sh("maxInclusive"), "MaxInclusive", fault.MaxValue, anywhere, false, bound("at most", func(order int) bool { return order <= 0 })},
	{sh("maxExclusive"), "MaxExclusive", fault.MaxValue, anywhere, false, bound("less than", func(order int) bool { return order < 0 })},
	{ours("dim"), "Dim", fault.Datatype, onProperty, false, dim},
	{sh("closed"), "Closed", fault.Closed, onNode, false, closed},
	{ours("abstract"), "Abstract", fault.Class, onNode, false, abstract},
	{sh("class"), "Class", fault.Class, anywhere, true, class},
	{ours("unique"), "Unique", fault.Unique, onProperty, false, unique},
	{ours("uniqueTogether"), "UniqueTogether", fault.Unique, onNode, true, together},
	{ours("key"), "Key", fault.Unique, onNode, false, together},
}

// iri names the component's results, in the namespace of its parameter.
func (c component) iri() rdf.IRI {
	return c.parameter[:len(c.parameter)-len(local(c.parameter))] + rdf.IRI(c.name) + "ConstraintComponent"
}

// codes maps components to the contract's error codes; isParameter has the parameters of all components.
var codes, isParameter = func() (map[rdf.IRI]fault.Code, map[rdf.IRI]bool) {
	byIRI, parameters := map[rdf.IRI]fault.Code{}, map[rdf.IRI]bool{}
	for _, c := range components {
		byIRI[c.iri()], parameters[c.parameter] = c.code, true
	}
	return byIRI, parameters
}()

// known are the terms of shapes that are not constraints: they are read elsewhere, or are for people and tools.
var known = map[rdf.IRI]bool{
	sh("path"): true, sh("property"): true, sh("targetClass"): true,
	sh("name"): true, sh("description"): true, sh("order"): true, sh("group"): true, sh("defaultValue"): true,
	sh("severity"): true, sh("message"): true, sh("deactivated"): true,
	sh("flags"): true, sh("ignoredProperties"): true,
	sh("declare"): true, sh("prefix"): true, sh("namespace"): true,
	schema.TrailsLabel: true, schema.TrailsMint: true, schema.TrailsIDs: true, schema.TrailsOpen: true,
	schema.TrailsName: true, schema.TrailsWord: true, schema.TrailsSearch: true, schema.TrailsEmbed: true, schema.TrailsWas: true,
}

// classes are those of SHACL whose instances are read, or are for people and tools.
var classes = map[rdf.IRI]bool{
	sh("NodeShape"): true, sh("PropertyShape"): true, sh("Shape"): true,
	sh("PropertyGroup"): true, sh("PrefixDeclaration"): true,
}
