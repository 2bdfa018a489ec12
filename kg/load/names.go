package load

import (
	"fmt"
	"slices"
	"strings"

	"trails/fault"
	"trails/rdf"
)

// vocabulary is a namespace whose names are all known.
type vocabulary struct {
	prefix, namespace string
	names             []string
	// numbered: it also has _1, _2 and so on.
	numbered bool
}

var vocabularies = []vocabulary{
	{"rdf:", rdf.RDFNS, strings.Fields("type value subject predicate object first rest nil List Seq Bag Alt Statement Property XMLLiteral HTML JSON PlainLiteral langString dirLangString CompoundLiteral direction language reifies"), true},
	{"rdfs:", rdf.RDFSNS, strings.Fields("Resource Class Literal Datatype Container ContainerMembershipProperty Proposition subClassOf subPropertyOf domain range label comment member seeAlso isDefinedBy"), false},
}

// xmlWords are names of XML elements and attributes in RDF/XML; as a predicate or class they are a mistake.
var xmlWords = strings.Fields("resource about ID nodeID datatype parseType Description RDF li")

// misspelling is a name that its vocabulary does not have, with its first place.
type misspelling struct {
	of    vocabulary
	place string
	times int64
}

// maxMisspelt bounds the names that are remembered.
const maxMisspelt = 100

// noteNames finds names in the namespaces of RDF and RDF Schema that do not exist there, such as rdf:datatyp, which a
// parser accepts as a property.
func (r *reader) noteNames(q rdf.Quad) {
	r.noteName(q.Predicate)
	if q.Predicate == rdf.Type {
		r.noteName(q.Object)
	}
}

func (r *reader) noteName(t rdf.Term) {
	iri, ok := t.(rdf.IRI)
	if !ok || iri == rdf.Type {
		return
	}
	for _, v := range vocabularies {
		name, in := strings.CutPrefix(string(iri), v.namespace)
		if !in || slices.Contains(v.names, name) || v.numbered && isNumbered(name) {
			continue
		}
		if r.misspelt == nil {
			r.misspelt = map[rdf.IRI]*misspelling{}
		}
		if r.misspelt[iri] == nil {
			if len(r.misspelt) == maxMisspelt {
				return
			}
			r.misspelt[iri] = &misspelling{of: v, place: fmt.Sprintf("%s:%d", r.Sources[r.source.File], r.source.Line)}
		}
		r.misspelt[iri].times++
	}
}

// isNumbered reports whether a name is _1, _2 and so on.
func isNumbered(name string) bool {
	digits, ok := strings.CutPrefix(name, "_")
	return ok && digits != "" && digits[0] != '0' && strings.Trim(digits, "0123456789") == ""
}

// tellMisspelt makes sentences of the names, in order of first appearance.
func (r *reader) tellMisspelt() {
	for iri, m := range r.misspelt {
		name := strings.TrimPrefix(string(iri), m.of.namespace)
		hint := ""
		switch near := fault.Nearest(name, append(slices.Clone(m.of.names), xmlWords...)); near {
		case "":
		case name:
			hint = "; RDF/XML has it for its elements and attributes alone"
		default:
			hint = fmt.Sprintf("; did you mean %s%s?", m.of.prefix, near)
		}
		times := "once"
		if m.times > 1 {
			times = fmt.Sprintf("%d times, first", m.times)
		}
		r.Misspelt = append(r.Misspelt, fmt.Sprintf("%s%s is no name of that vocabulary (%s in %s)%s", m.of.prefix, name, times, m.place, hint))
	}
	slices.Sort(r.Misspelt)
}
