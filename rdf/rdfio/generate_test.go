package rdfio_test

import (
	"github.com/cayleygraph/quad"
	"pgregory.net/rapid"

	"trails/rdf"
)

// quadGen draws quads of all term kinds, with few names so that they share terms.
func quadGen() *rapid.Generator[rdf.Quad] {
	return rapid.Custom(func(t *rapid.T) rdf.Quad {
		return rdf.Quad{
			Subject:   nodeGen().Draw(t, "subject"),
			Predicate: iriGen().Draw(t, "predicate"),
			Object:    termGen().Draw(t, "object"),
			Label:     rapid.SampledFrom([]rdf.Term{nil, rdf.IRI("urn:g"), rdf.BNode("g")}).Draw(t, "graph"),
		}
	})
}

func termGen() *rapid.Generator[rdf.Term] { return rapid.OneOf(nodeGen(), literalGen()) }

func nodeGen() *rapid.Generator[rdf.Term] {
	return rapid.OneOf(iriGen(), rapid.Map(rapid.SampledFrom([]string{"a", "b", "c1", "0", "d.e", "é"}), func(s string) rdf.Term { return rdf.BNode(s) }))
}

func iriGen() *rapid.Generator[rdf.Term] {
	return rapid.Map(rapid.SampledFrom([]string{
		"http://example.org/a", "http://example.org/b#c", "urn:trails:demo:Note/1", "urn:trails:demo:title",
		"http://example.org/é", "a:", "tag:x,2024:y", "http://example.org/a.b", "http://example.org/a/-b",
		"urn:trails:demo:rank", string(rdf.Label), string(rdf.XSDString),
	}), func(s string) rdf.Term { return rdf.IRI(s) })
}

func literalGen() *rapid.Generator[rdf.Term] {
	return rapid.Custom(func(t *rapid.T) rdf.Term {
		switch rapid.IntRange(0, 2).Draw(t, "kind") {
		case 0:
			return quad.String(textGen().Draw(t, "text"))
		case 1:
			lang := rapid.SampledFrom([]string{"en", "de-ch", "zh-hant-tw"}).Draw(t, "lang")
			return rdf.LangLiteral(textGen().Draw(t, "text"), lang)
		}
		return rdf.Literal(lexicalGen().Draw(t, "lexical"), datatypeGen().Draw(t, "datatype"))
	})
}

func textGen() *rapid.Generator[string] {
	return rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
		"", `"`, `""`, `"""`, `\`, "a\nb", "a\r\n\"b\"\n", "tab\tend\\", "\x00\x01\x1f\x7f", "\ufffe\U0010ffff", "<b>&amp;</b>", "\u2028",
	}))
}

func lexicalGen() *rapid.Generator[string] {
	return rapid.OneOf(textGen(), rapid.SampledFrom([]string{
		"1", "01", "+1", "-0", "0", "-7", "9007199254740991", "9007199254740993", "123456789012345678901234567890",
		"1.5", "1.50", ".5", "5.", "1.0", "1.5E0", "1.0E0", "0.0E0", "-0.0E0", "1.0E-1", "1.0E21", "1e0", "3.333333333333333E-1", "3.3333333333333331E-1",
		"INF", "-INF", "NaN", "true", "false", "1", "0", "TRUE",
		"2024-02-29", "2024-02-29T24:00:00Z", "2024-01-01T00:00:00.10+02:00",
	}))
}

func datatypeGen() *rapid.Generator[rdf.IRI] {
	return rapid.SampledFrom([]rdf.IRI{
		rdf.XSDInteger, rdf.XSDDecimal, rdf.XSDDouble, rdf.XSDFloat, rdf.XSDBoolean, rdf.XSDDate, rdf.XSDDateTime,
		rdf.XSDNS + "long", rdf.XSDAnyURI, "urn:trails:demo:point", rdf.RDFNS + "JSON",
	})
}
