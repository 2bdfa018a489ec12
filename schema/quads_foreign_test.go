package schema_test

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"trails/fault"
	"trails/rdf"
	"trails/rdf/rdfio"
	"trails/schema"
)

const ownShapes = `
@prefix : <urn:trails:s:> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix trails: <urn:trails:ns#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
<urn:trails:graph:schema> {
	<urn:trails:schema> a trails:Schema ; trails:base "urn:trails:s:" .
	:Person a rdfs:Class, sh:NodeShape ; rdfs:label "Person" ; sh:name "Person" ; sh:order 0 ;
		sh:property <urn:trails:s:Person#name>, <urn:trails:s:Person#age> .
	<urn:trails:s:Person#name> sh:path :name ; sh:name "name" ; sh:order 0 ; sh:datatype xsd:string ; sh:in ( "a" "b" ) .
	<urn:trails:s:Person#age> sh:path :age ; sh:name "age" ; sh:order 1 ; sh:datatype xsd:integer ; sh:minInclusive 1 .
	%s
}`

func quadsOf(t *testing.T, extra string) []rdf.Quad {
	t.Helper()
	r := rdfio.NewTriGReader(strings.NewReader(fmt.Sprintf(ownShapes, extra)), "", rdfio.Limits{})
	var quads []rdf.Quad
	for {
		q, err := r.Read()
		if err == io.EOF {
			return quads
		}
		if err != nil {
			t.Fatal(err)
		}
		quads = append(quads, q)
	}
}

// Every statement of the schema's graph is part of the schema as it is shown, or it is named:
// one of each kind that SHACL, OWL and people have, put beside and into a type.
func TestWhatNoSchemaCanSayIsNamed(t *testing.T) {
	for _, c := range []struct{ extra, subject, says string }{
		{`<urn:x:P> a sh:PropertyShape ; sh:targetClass :Person ; sh:path :name ; sh:minLength 3 .`, "<urn:x:P>", "sh:minLength, sh:path, sh:targetClass"},
		{`<urn:x:S> a sh:NodeShape ; sh:targetClass :Person ; sh:property [ sh:path :name ; sh:minLength 3 ] .`, "<urn:x:S>", "sh:property"},
		{`<urn:x:S> a sh:NodeShape ; sh:targetNode :ana ; sh:nodeKind sh:IRI .`, "<urn:x:S>", "sh:targetNode"},
		{`<urn:x:S> a sh:NodeShape ; sh:targetSubjectsOf :name .`, "<urn:x:S>", "sh:targetSubjectsOf"},
		{`<urn:x:C> a sh:ConstraintComponent ; sh:parameter [ sh:path :limit ] ; sh:validator [ sh:ask "ASK {}" ] .`, "<urn:x:C>", "sh:ask, sh:parameter"},
		{`:Person sh:sparql [ sh:select "SELECT $this {}" ] .`, "<urn:trails:s:Person>", "sh:sparql"},
		{`:Person sh:property [ sh:path :name ; sh:minLength 3 ] .`, "<urn:trails:s:Person>", "sh:minLength"},
		{`:Person sh:closed true .`, "<urn:trails:s:Person>", "sh:closed"},
		{`:Person sh:deactivated true .`, "<urn:trails:s:Person>", "sh:deactivated"},
		{`:Person sh:message "no" .`, "<urn:trails:s:Person>", "sh:message"},
		{`:Person sh:not [ sh:class :Other ] .`, "<urn:trails:s:Person>", "sh:not"},
		{`:Person a owl:Class .`, "<urn:trails:s:Person>", "rdf:type"},
		{`:Person owl:disjointWith :Other .`, "<urn:trails:s:Person>", "owl:disjointWith"},
		{`<urn:trails:s:Person#name> sh:flags "i" .`, "<urn:trails:s:Person#name>", "sh:flags"},
		{`<urn:trails:s:Person#name> sh:severity sh:Warning .`, "<urn:trails:s:Person#name>", "sh:severity"},
		{`<urn:trails:s:Person#name> sh:equals :age .`, "<urn:trails:s:Person#name>", "sh:equals"},
		{`<urn:trails:s:Person#age> sh:minExclusive 0 .`, "<urn:trails:s:Person#age>", "sh:minExclusive"},
		{`:Other a rdfs:Class ; rdfs:subClassOf :Person .`, "<urn:trails:s:Other>", "rdfs:subClassOf"},
		{`<urn:x:o> a owl:Ontology .`, "<urn:x:o>", "rdf:type"},
		{`[] rdfs:comment "a note" .`, "_:", "rdfs:comment"},
	} {
		s, err := schema.FromQuads(quadsOf(t, c.extra), "")
		if err != nil {
			t.Errorf("%s: %v", c.extra, err)
			continue
		}
		if i := slices.IndexFunc(s.Foreign(), func(f schema.Foreign) bool {
			return strings.HasPrefix(f.Subject, c.subject) && strings.Contains(strings.Join(f.Says, ", "), c.says)
		}); i < 0 {
			t.Errorf("%s: got %v, want %s of %s", c.extra, s.Foreign(), c.says, c.subject)
		}
		if err := s.RefuseForeign(); !fault.Is(err, fault.InvalidData) {
			t.Errorf("%s: got %v, want a refusal", c.extra, err)
		}
		shown, err := schema.ParseYAML(s.YAML(), "")
		if err != nil {
			t.Fatal(err)
		}
		steps := schema.Diff(s, shown)
		if len(steps) != len(s.Foreign()) || steps[0].Kind != schema.DropForeign || len(schema.Diff(s, s)) > 0 {
			t.Errorf("%s: applying what is shown has the steps %v", c.extra, steps)
		}
	}
}

// What is shown of a property is also checked: a statement that every schema has cannot be left out.
func TestWhatIsShownOfAPropertyIsInTheGraph(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := generateSchema(t)
		quads := s.Quads()
		i := rapid.IntRange(0, len(quads)-1).Draw(t, "without")
		s, err := schema.FromQuads(slices.Delete(slices.Clone(quads), i, i+1), s.Base)
		if err != nil || len(s.Foreign()) > 0 {
			return
		}
		for _, q := range s.Quads() {
			kind := q.Predicate == rdf.IRI(rdf.SHNS+"datatype") || q.Predicate == rdf.IRI(rdf.SHNS+"nodeKind")
			if kind && q.Subject == quads[i].Subject && !slices.Contains(quads, q) {
				t.Fatalf("without %v the schema has %v", quads[i], q)
			}
		}
	})
}

// Who writes a schema in other words for the same is not told of it.
func TestTheSameSchemaInOtherWordsIsTheSchema(t *testing.T) {
	for _, extra := range []string{
		``,
		`<urn:trails:s:Person#name> a sh:PropertyShape ; sh:minCount 0 .`,
		`:Note a rdfs:Class, sh:NodeShape ; rdfs:label "Note" ; sh:name "Note" ; sh:order 7 ; sh:property <urn:x:p> .
		 <urn:x:p> sh:path :text ; sh:name "text" ; sh:order 3 ; sh:datatype xsd:decimal ; sh:minInclusive 1.50 .`,
	} {
		s, err := schema.FromQuads(quadsOf(t, extra), "")
		if err != nil || len(s.Foreign()) > 0 {
			t.Errorf("%s: got %v, %v", extra, s.Foreign(), err)
		}
	}
	t.Run("as do generated ones", rapid.MakeCheck(func(t *rapid.T) {
		s := generateSchema(t)
		got, err := schema.FromQuads(shuffled(t, s.Quads()), s.Base)
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Foreign()) > 0 {
			t.Fatalf("got %v", got.Foreign())
		}
	}))
}
