package validate

import (
	"context"

	"trails/fault"
	"trails/rdf"
)

// constraint is one compiled constraint of a shape. It is immutable.
type constraint interface {
	// check reports each of the shape's value nodes that breaks the constraint. An
	// error means that the data could not be read.
	check(ctx context.Context, e *evaluation, values []rdf.Term) error
}

// component is a kind of constraint: SHACL's word for a validator and its parameter.
type component struct {
	parameter rdf.IRI
	iri       rdf.IRI
	code      fault.Code
	place     place
	// repeats means that a shape may have several values of the parameter, each a
	// constraint of its own.
	repeats bool
	compile func(p parameter) (constraint, error)
}

// place says on which shapes a component may stand.
type place uint8

const (
	anywhere place = iota
	onProperty
	onNode
)

func sh(name string) rdf.IRI { return rdf.SHNS + rdf.IRI(name) }

func ours(name string) rdf.IRI { return rdf.TrailsNS + rdf.IRI(name) }

// The components, by the names of their results.
var (
	minCountComponent       = sh("MinCountConstraintComponent")
	maxCountComponent       = sh("MaxCountConstraintComponent")
	datatypeComponent       = sh("DatatypeConstraintComponent")
	nodeKindComponent       = sh("NodeKindConstraintComponent")
	classComponent          = sh("ClassConstraintComponent")
	minLengthComponent      = sh("MinLengthConstraintComponent")
	maxLengthComponent      = sh("MaxLengthConstraintComponent")
	patternComponent        = sh("PatternConstraintComponent")
	inComponent             = sh("InConstraintComponent")
	hasValueComponent       = sh("HasValueConstraintComponent")
	minInclusiveComponent   = sh("MinInclusiveConstraintComponent")
	minExclusiveComponent   = sh("MinExclusiveConstraintComponent")
	maxInclusiveComponent   = sh("MaxInclusiveConstraintComponent")
	maxExclusiveComponent   = sh("MaxExclusiveConstraintComponent")
	closedComponent         = sh("ClosedConstraintComponent")
	uniqueComponent         = ours("UniqueConstraintComponent")
	uniqueTogetherComponent = ours("UniqueTogetherConstraintComponent")
	keyComponent            = ours("KeyConstraintComponent")
	dimComponent            = ours("DimConstraintComponent")
	abstractComponent       = ours("AbstractConstraintComponent")
)

// components are all that is understood, in the order in which they are checked:
// what is cheap and says most comes first, what looks other nodes up last.
var components = []component{
	{sh("minCount"), minCountComponent, fault.MinCount, onProperty, false, compileMinCount},
	{sh("maxCount"), maxCountComponent, fault.MaxCount, onProperty, false, compileMaxCount},
	{sh("nodeKind"), nodeKindComponent, fault.NodeKind, anywhere, false, compileNodeKind},
	{sh("datatype"), datatypeComponent, fault.Datatype, anywhere, false, compileDatatype},
	{sh("minLength"), minLengthComponent, fault.MinLength, anywhere, false, compileMinLength},
	{sh("maxLength"), maxLengthComponent, fault.MaxLength, anywhere, false, compileMaxLength},
	{sh("pattern"), patternComponent, fault.Pattern, anywhere, true, compilePattern},
	{sh("in"), inComponent, fault.OneOf, anywhere, false, compileIn},
	{sh("hasValue"), hasValueComponent, fault.HasValue, anywhere, true, compileHasValue},
	{sh("minInclusive"), minInclusiveComponent, fault.MinValue, anywhere, false, compileMinInclusive},
	{sh("minExclusive"), minExclusiveComponent, fault.MinValue, anywhere, false, compileMinExclusive},
	{sh("maxInclusive"), maxInclusiveComponent, fault.MaxValue, anywhere, false, compileMaxInclusive},
	{sh("maxExclusive"), maxExclusiveComponent, fault.MaxValue, anywhere, false, compileMaxExclusive},
	{ours("dim"), dimComponent, fault.Datatype, onProperty, false, compileDim},
	{sh("closed"), closedComponent, fault.Closed, onNode, false, compileClosed},
	{ours("abstract"), abstractComponent, fault.Class, onNode, false, compileAbstract},
	{sh("class"), classComponent, fault.Class, anywhere, true, compileClass},
	{ours("unique"), uniqueComponent, fault.Unique, onProperty, false, compileUnique},
	{ours("uniqueTogether"), uniqueTogetherComponent, fault.Unique, onNode, true, compileUniqueTogether},
	{ours("key"), keyComponent, fault.Unique, onNode, false, compileKey},
}

// codes is the contract's code of each component's results.
var codes = func() map[rdf.IRI]fault.Code {
	byIRI := make(map[rdf.IRI]fault.Code, len(components))
	for _, c := range components {
		byIRI[c.iri] = c.code
	}
	return byIRI
}()

// known are the parameters of SHACL that are no constraints of their own: what
// they say is read where it belongs, or is for people and tools.
var known = map[rdf.IRI]bool{
	sh("path"): true, sh("property"): true, sh("targetClass"): true,
	sh("name"): true, sh("description"): true, sh("order"): true, sh("group"): true, sh("defaultValue"): true,
	sh("severity"): true, sh("message"): true, sh("deactivated"): true,
	sh("flags"): true, sh("ignoredProperties"): true,
}

// isParameter tells the constraints of the table from other predicates.
var isParameter = func() map[rdf.IRI]bool {
	set := make(map[rdf.IRI]bool, len(components))
	for _, c := range components {
		set[c.parameter] = true
	}
	return set
}()
