package change_test

import (
	"pgregory.net/rapid"

	"trails/kg/change"
	"trails/rdf"
)

// Few names, so that edits meet each other. Some are prefixes of others, or sort
// around the bytes that a record puts between its parts.
var (
	subjects   = []rdf.Term{rdf.IRI("urn:s"), rdf.IRI("urn:s/1"), rdf.IRI("urn:sé"), rdf.BNode("a"), rdf.BNode("a-1"), rdf.BNode("a.b"), rdf.BNode("ab")}
	predicates = []rdf.Term{rdf.Type, rdf.IRI("urn:p"), rdf.IRI("urn:p#q")}
	labels     = []rdf.Term{nil, nil, rdf.IRI("urn:g"), rdf.IRI("urn:g/1"), rdf.BNode("g")}
	objects    = []rdf.Term{
		rdf.IRI("urn:s"), rdf.BNode("a"), rdf.String(""), rdf.String("a"), rdf.String("a b"), rdf.String(`"`), rdf.String("a\x00b"),
		rdf.String("\x00"), rdf.String("\n\r\t\\\x7f"), rdf.String(". <urn:g> ."), rdf.String("é\U0010ffff"),
		rdf.LangLiteral("a", "en"), rdf.LangLiteral("a", "en-GB"), rdf.Literal("1", rdf.XSDInteger), rdf.Literal("01", rdf.XSDInteger), rdf.Literal("1 ", rdf.XSDDecimal),
	}
)

func quadGen() *rapid.Generator[rdf.Quad] {
	return rapid.Custom(func(t *rapid.T) rdf.Quad {
		return rdf.Quad{
			Subject:   rapid.SampledFrom(subjects).Draw(t, "subject"),
			Predicate: rapid.SampledFrom(predicates).Draw(t, "predicate"),
			Object:    objectGen().Draw(t, "object"),
			Label:     rapid.SampledFrom(labels).Draw(t, "label"),
		}
	})
}

func objectGen() *rapid.Generator[rdf.Term] {
	return rapid.OneOf(rapid.SampledFrom(objects), rapid.Map(rapid.String(), func(s string) rdf.Term { return rdf.String(s) }))
}

var ops = []change.Op{change.Fresh, change.Once, change.Require, change.Erase, change.Clear, change.Retract, change.Assert, change.Assert, change.Default}

// editGen draws edits of every op, some with parts of the quad that the op does not use.
func editGen() *rapid.Generator[change.Edit] {
	return rapid.Custom(func(t *rapid.T) change.Edit {
		return change.Edit{
			Op:   rapid.SampledFrom(ops).Draw(t, "op"),
			Quad: quadGen().Draw(t, "quad"),
			Source: change.Source{
				File:   rapid.Uint16().Draw(t, "file"),
				Line:   rapid.Uint64Max(1<<48-1).Draw(t, "line"),
				Column: rapid.Uint16().Draw(t, "column"),
			},
		}
	})
}
