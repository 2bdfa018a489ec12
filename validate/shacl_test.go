package validate_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trails/fault"
	"trails/rdf"
	"trails/rdf/rdfio"
	"trails/rdf/rdftest"
	"trails/validate"
)

// turtle reads Turtle under the prefixes of the tests.
func turtle(t testing.TB, text string) []rdf.Quad {
	t.Helper()
	const head = `@prefix : <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix trails: <urn:trails:ns#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
`
	return document(t, strings.NewReader(head+text), "")
}

func document(t testing.TB, from io.Reader, base string) []rdf.Quad {
	t.Helper()
	r := rdfio.NewTurtleReader(from, base, rdfio.Limits{})
	var all []rdf.Quad
	for {
		q, err := r.Read()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, q)
	}
}

// enforced are constraints on the values of :p, each with a value that keeps it and one that
// breaks it; of a pair of values one node has both.
var enforced = []struct{ asks, good, bad string }{
	{`sh:minCount 2`, `1, 2`, `1`},
	{`sh:maxCount 1`, `1`, `1, 2`},
	{`sh:nodeKind sh:IRI`, `:x`, `"x"`},
	{`sh:datatype xsd:integer`, `1`, `"1"`},
	{`sh:datatype xsd:integer`, `1`, `"one"^^xsd:integer`},
	{`sh:minLength 2`, `"ab"`, `"a"`},
	{`sh:maxLength 2`, `"ab"`, `"abc"`},
	{`sh:pattern "^a"`, `"ab"`, `"b"`},
	{`sh:pattern "^a" ; sh:flags "i"`, `"AB"`, `"B"`},
	{`sh:pattern "^a", "b$"`, `"ab"`, `"a"`},
	{`sh:languageIn ("en")`, `"a"@en-GB`, `"a"@de`},
	{`sh:uniqueLang true`, `"a"@en, "b"@de`, `"a"@en, "b"@en`},
	{`sh:in (1 :x)`, `:x`, `2`},
	{`sh:hasValue 1`, `1, 2`, `2`},
	{`sh:minInclusive 1`, `1`, `0`},
	{`sh:minExclusive 1`, `2`, `1`},
	{`sh:maxInclusive 1`, `1`, `2`},
	{`sh:maxExclusive 1`, `0`, `1`},
	{`sh:class :D`, `:d`, `:other`},
	{`trails:unique true`, `1`, `3`},
	{`trails:dim 2`, `"[1,2]"^^trails:vector`, `"[1]"^^trails:vector`},
	{`sh:minCount 1 ; sh:severity sh:Warning`, `1`, ``},
	{`sh:minCount 1 ; sh:severity sh:Info ; sh:message "no"`, `1`, ``},
	{`sh:minCount 1 ; sh:deactivated false`, `1`, ``},
	{`sh:minCount 1 ; sh:name "p" ; sh:description "d" ; sh:order 1 ; sh:group :G ; sh:defaultValue 1`, `1`, ``},
}

// places are where a property shape may stand, with a node that has to keep it.
var places = map[string]string{
	"in a node shape":              `:S a sh:NodeShape ; sh:targetClass :C ; sh:property [ sh:path :p ; %s ] .`,
	"in one that is not declared":  `:S sh:targetClass :C ; sh:property :P . :P sh:path :p ; %s .`,
	"in a class":                   `:C a rdfs:Class, sh:NodeShape ; sh:property [ sh:path :p ; %s ] .`,
	"in a superclass":              `:B a rdfs:Class, sh:NodeShape ; sh:property [ sh:path :p ; %s ] . :C rdfs:subClassOf :B .`,
	"with a target":                `:P sh:targetClass :C ; sh:path :p ; %s .`,
	"declared, with a target":      `:P a sh:PropertyShape ; sh:targetClass :C ; sh:path :p ; %s .`,
	"with the target of its owner": `:S sh:targetClass :E ; sh:property :P . :P sh:targetClass :C ; sh:path :p ; %s .`,
	"that is a class":              `:C a owl:Class, sh:PropertyShape ; sh:path :p ; %s .`,
	"also in a deactivated shape":  `:P sh:targetClass :C ; sh:path :p ; %s . :S sh:deactivated true ; sh:property :P .`,
}

// A property shape is enforced wherever it stands, with every constraint.
func TestAPropertyShapeIsEnforcedWhereverItStands(t *testing.T) {
	for place, text := range places {
		for _, c := range enforced {
			shapes, err := validate.Compile(turtle(t, fmt.Sprintf(text, c.asks)))
			if err != nil {
				t.Errorf("%s, %s: %v", c.asks, place, err)
				continue
			}
			node := func(name, values string) string {
				if values == "" {
					return name + " a :C ."
				}
				return name + " a :C ; :p " + values + " ."
			}
			data := newMemory(turtle(t, ":d a :D . :taken a :C ; :p 3 . "+node(":good", c.good)+node(":bad", c.bad)))
			for name, broken := range map[rdf.IRI]bool{"good": false, "bad": true} {
				results, err := validated(t, shapes, data, ex+name)
				if err != nil || len(results) > 0 != broken {
					t.Errorf("%s, %s: %s has %v, %v", c.asks, place, name, results, err)
				}
			}
		}
	}
}

// vocabulary has the words of SHACL Core, SHACL-SPARQL, SHACL Advanced Features and
// SHACL JavaScript, beside those that the tables above and readAlone have.
var vocabulary = struct{ properties, classes string }{
	`alternativePath inversePath oneOrMorePath zeroOrMorePath zeroOrOnePath
	targetNode targetObjectsOf targetSubjectsOf target
	and or not xone node disjoint equals lessThan lessThanOrEquals
	qualifiedValueShape qualifiedMinCount qualifiedMaxCount qualifiedValueShapesDisjoint
	sparql select ask construct update prefixes parameter optional labelTemplate validator nodeValidator propertyValidator
	returnType expression rule condition subject predicate object values filterShape nodes intersection union
	count min max sum avg distinct limit offset orderBy desc groupConcat if then else exists minus
	js jsFunctionName jsLibrary jsLibraryURL
	entailment shapesGraph shapesGraphWellFormed suggestedShapesGraph
	conforms result resultMessage resultPath resultSeverity focusNode value detail sourceConstraint sourceConstraintComponent sourceShape resultAnnotation
	annotationProperty annotationValue annotationVarName
	minLenght nodes2`,
	`ConstraintComponent Function JSConstraint JSFunction JSLibrary JSRule JSTarget JSTargetType JSValidator Parameter Parameterizable
	ResultAnnotation Rule Rules SPARQLAskExecutable SPARQLAskValidator SPARQLConstraint SPARQLConstructExecutable SPARQLFunction SPARQLRule
	SPARQLSelectValidator SPARQLTarget SPARQLTargetType SPARQLUpdateExecutable Target TargetType TripleRule Validator ValidationReport ValidationResult`,
}

// TestAWordOfSHACLThatIsNotCheckedIsRefused puts every word that nothing checks where a word
// may stand: the refusal names it and what says it.
func TestAWordOfSHACLThatIsNotCheckedIsRefused(t *testing.T) {
	for _, word := range strings.Fields(vocabulary.properties) {
		for _, c := range []struct{ text, subject string }{
			{`:S a sh:NodeShape ; sh:targetClass :C ; sh:%s :x .`, "S"},
			{`:S sh:targetClass :C ; sh:property :P . :P sh:path :p ; sh:%s [] .`, "S"},
			{`:P sh:targetClass :C ; sh:path :p ; sh:%s 1 .`, "P"},
			{`:C a rdfs:Class, sh:NodeShape ; sh:minLength 1 ; sh:%s "x" .`, "C"},
			{`:S a sh:NodeShape ; sh:%s :x .`, "S"},
			{`:P a sh:PropertyShape ; sh:path :p ; sh:%s :x .`, "P"},
			{`:x sh:%s :y .`, "x"},
		} {
			isRefused(t, fmt.Sprintf(c.text, word), "<http://example.org/"+c.subject+">", "sh:"+word)
		}
	}
	for _, word := range strings.Fields(vocabulary.classes) {
		isRefused(t, ":x a sh:"+word+" .", "<http://example.org/x>", "sh:"+word)
		isRefused(t, ":S a sh:NodeShape, sh:"+word+" ; sh:targetClass :C .", "<http://example.org/S>", "sh:"+word)
	}
}

func isRefused(t *testing.T, text string, names ...string) {
	t.Helper()
	_, err := validate.Compile(turtle(t, text))
	if !fault.Is(err, fault.InvalidData) {
		t.Errorf("%s: got %v, want a refusal", text, err)
		return
	}
	for _, name := range names {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %q does not name %s", text, err, name)
		}
	}
}

// A word that is read asks for something where it stands, or its shape is refused: one that no
// node has to keep, a value that none of the standard's is, a parameter at a wrong place.
func TestAShapeThatWouldAskForNothingIsRefused(t *testing.T) {
	for text, says := range map[string]string{
		`:S a sh:NodeShape ; sh:nodeKind sh:IRI .`:                         "no node has to keep it",
		`:S a sh:NodeShape ; sh:property [ sh:path :p ; sh:minCount 1 ] .`: "no node has to keep it",
		`:P a sh:PropertyShape ; sh:path :p ; sh:minCount 1 .`:             "no node has to keep it",
		`:P sh:path :p .`:         "no node has to keep it",
		`:S a sh:Shape .`:         "no node has to keep it",
		`:S sh:minLength 3 .`:     "no node has to keep it",
		`:S trails:unique true .`: "no node has to keep it",
		`:S a sh:NodeShape ; sh:targetClass :C ; sh:path :p .`:                           "sh:NodeShape without sh:path",
		`:S a sh:PropertyShape ; sh:targetClass :C ; sh:nodeKind sh:IRI .`:               "sh:PropertyShape with one",
		`:S sh:targetClass :C ; sh:property :T . :T a sh:NodeShape .`:                    "no sh:path",
		`:S sh:targetClass :C ; sh:property "p" .`:                                       "no sh:path",
		`:S sh:targetClass :C ; sh:property [ sh:path ( :p :q ) ] .`:                     "other paths are not supported",
		`:P sh:targetClass :C ; sh:path :p, :q .`:                                        "sh:path has 2 values",
		`:P sh:targetClass "C" ; sh:path :p .`:                                           "sh:targetClass must be an IRI",
		`:P sh:targetClass :C ; sh:path :p ; sh:property [ sh:path :q ] .`:               "sh:property within a property shape",
		`:S sh:targetClass :C ; sh:deactivated "yes" .`:                                  "sh:deactivated must be true or false",
		`:S sh:targetClass :C ; sh:deactivated "1"^^xsd:boolean .`:                       "sh:deactivated must be true or false",
		`:S sh:targetClass :C ; sh:deactivated true, false .`:                            "sh:deactivated has 2 values",
		`:P sh:targetClass :C ; sh:path :p ; sh:deactivated "1" .`:                       "sh:deactivated must be true or false",
		`:S sh:targetClass :C ; sh:closed "1"^^xsd:boolean .`:                            "sh:closed must be true or false",
		`:S sh:targetClass :C ; sh:closed "true" .`:                                      "sh:closed must be true or false",
		`:P sh:targetClass :C ; sh:path :p ; sh:uniqueLang "1"^^xsd:boolean .`:           "sh:uniqueLang must be true or false",
		`:S sh:targetClass :C ; sh:severity "Warning" .`:                                 "sh:severity must be an IRI",
		`:S sh:targetClass :C ; sh:severity sh:Info, sh:Warning .`:                       "sh:severity has 2 values",
		`:P sh:targetClass :C ; sh:path :p ; sh:pattern "a" ; sh:flags "i", "m" .`:       "sh:flags has 2 values",
		`:P sh:targetClass :C ; sh:path :p ; sh:pattern "(?!a)" .`:                       "sh:pattern",
		`:P sh:targetClass :C ; sh:path :p ; sh:minCount 1.0 .`:                          "sh:minCount must be a whole number",
		`:P sh:targetClass :C ; sh:path :p ; sh:closed true .`:                           "sh:closed belongs on a node shape",
		`:S sh:targetClass :C ; sh:maxCount 1 .`:                                         "sh:maxCount belongs on a property shape",
		`:S sh:targetClass :C ; trails:unique true .`:                                    "trails:unique belongs on a property shape",
		`:P sh:targetClass :C ; sh:path :p ; sh:class [ a :D ] .`:                        "sh:class must be an IRI",
		`:P sh:targetClass :C ; sh:path :p ; sh:in 1 .`:                                  "no well-formed RDF list",
		`:P sh:targetClass :C ; sh:path :p ; trails:uniqe true .`:                        "not supported: trails:uniqe",
		`:C a sh:NodeShape, rdfs:Class ; trails:base "x" .`:                              "not supported: trails:base",
		`:o a owl:Ontology ; owl:imports :more .`:                                        "owl#imports",
		`:M a sh:ConstraintComponent . :S sh:targetClass :C ; :max 1 .`:                  "sh:ConstraintComponent",
		`:S sh:targetClass :C . :C sh:rule [ a sh:TripleRule ; sh:subject sh:this ] .`:   "sh:rule",
		`:S sh:targetClass :C ; sh:property [ sh:path :p ; sh:node [ sh:closed true ] ]`: "sh:node",
	} {
		isRefused(t, strings.TrimSuffix(text, ".")+".", says)
	}
	for _, text := range []string{ // ask for nothing by the standard
		`:S sh:deactivated true ; sh:targetNode :a ; sh:sparql [ sh:select "x" ] .`,
		`:S sh:deactivated true ; sh:targetClass :C ; sh:not [ a sh:NodeShape ; sh:minLength 3 ] ; sh:property [ sh:path :p ; sh:equals :q ] .`,
		`:S sh:targetClass :C ; sh:property [ sh:path :p ; sh:equals :q ; sh:deactivated true ] .`,
		`:S a sh:NodeShape . :G a sh:PropertyGroup ; sh:order 1 ; rdfs:label "g" .`,
		`:o sh:declare [ a sh:PrefixDeclaration ; sh:prefix "x" ; sh:namespace "urn:x:"^^xsd:anyURI ] .`,
		`:S sh:targetClass :C ; :note "ours" .`,
	} {
		shapes, err := validate.Compile(turtle(t, text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if results, err := validated(t, shapes, newMemory(turtle(t, ":a a :C .")), ex+"a"); len(results) > 0 || err != nil {
			t.Errorf("%s: %v, %v", text, results, err)
		}
	}
}

// TestW3C runs the suite of SHACL: a shapes graph is refused, or the results are those of the
// suite. Targets that are nodes are made classes of them.
func TestW3C(t *testing.T) {
	root := filepath.Join(rdftest.Dir(t), "shacl", "tests")
	var ran, refused int
	err := filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".ttl" {
			return err
		}
		name, _ := filepath.Rel(root, path)
		t.Run(filepath.ToSlash(strings.TrimSuffix(name, ".ttl")), func(t *testing.T) {
			test := readSHACL(t, path)
			if test == nil {
				return
			}
			shapes, err := validate.Compile(test.shapes)
			if fault.Is(err, fault.InvalidData) {
				if refused++; !strings.Contains(err.Error(), "sh:") {
					t.Errorf("the refusal names no word: %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			ran++
			var got []string
			data := newMemory(test.data)
			for subject := range data.bySubject {
				results, err := validated(t, shapes, data, subject)
				if err != nil {
					t.Fatal(err)
				}
				for _, r := range results {
					if strings.HasPrefix(rdf.Lexical(r.Value), targetedClass) {
						continue
					}
					got = append(got, fmt.Sprint(local(r.Focus), " ", local(r.Path), " ", local(r.Component), " ", rdf.Lexical(r.Value)))
				}
			}
			slices.Sort(got)
			if diff := cmp.Diff(test.results, got); diff != "" {
				t.Errorf("the results differ (-suite +ours)\n%s", diff)
			}
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if ran != understood {
		t.Errorf("%d tests ran and %d are refused, want %d to run", ran, refused, understood)
	}
}

// understood is how many tests of the suite ask for nothing that is refused.
const understood = 32

// targetedClass is how the classes begin that stand for targets that are nodes.
const targetedClass = "urn:test:"

// suiteTest is one test of SHACL's suite.
type suiteTest struct {
	shapes, data []rdf.Quad
	results      []string
}

// readSHACL reads a test; nil for other documents.
func readSHACL(t *testing.T, path string) *suiteTest {
	t.Helper()
	const manifest, tests = "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#", "http://www.w3.org/ns/shacl-test#"
	read := func(path string) (all []rdf.Quad, about map[rdf.Term]map[rdf.Term][]rdf.Term) {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		all, about = document(t, f, "file://"+filepath.ToSlash(path)), map[rdf.Term]map[rdf.Term][]rdf.Term{}
		for _, q := range all {
			if about[q.Subject] == nil {
				about[q.Subject] = map[rdf.Term][]rdf.Term{}
			}
			about[q.Subject][q.Predicate] = append(about[q.Subject][q.Predicate], q.Object)
		}
		return all, about
	}
	all, about := read(path)
	for subject, of := range about {
		if !slices.Contains(of[rdf.Type], rdf.Term(rdf.IRI(tests+"Validate"))) {
			continue
		}
		graph := func(word rdf.IRI) []rdf.Quad {
			from := strings.TrimPrefix(rdf.Lexical(about[of[rdf.IRI(manifest+"action")][0]][word][0]), "file://")
			quads := all
			if from != filepath.ToSlash(path) {
				quads, _ = read(filepath.FromSlash(from))
			}
			report := map[rdf.Term]bool{} // the manifest and what it says
			var mark func(rdf.Term)
			mark = func(t rdf.Term) {
				if report[t] || about[t] == nil {
					return
				}
				report[t] = true
				for predicate, objects := range about[t] {
					for _, o := range objects {
						_, blank := o.(rdf.BNode)
						if word := rdf.Lexical(predicate); blank && (predicate == sh("result") || predicate == sh("detail") || strings.HasPrefix(word, manifest)) {
							mark(o)
						}
					}
				}
			}
			mark(subject)
			return slices.DeleteFunc(slices.Clone(quads), func(q rdf.Quad) bool {
				return report[q.Subject] || strings.HasPrefix(rdf.Lexical(q.Predicate), manifest)
			})
		}
		test := &suiteTest{shapes: graph(tests + "shapesGraph"), data: graph(tests + "dataGraph")}
		for i, q := range test.shapes {
			if q.Predicate != sh("targetNode") || rdf.IsLiteral(q.Object) {
				continue
			}
			class := rdf.IRI(targetedClass + local(q.Subject))
			test.shapes[i].Predicate, test.shapes[i].Object = sh("targetClass"), class
			test.data = append(test.data, rdf.Quad{Subject: q.Object, Predicate: rdf.Type, Object: class})
		}
		report := about[of[rdf.IRI(manifest+"result")][0]]
		for _, r := range report[sh("result")] {
			one := func(word string) rdf.Term {
				if values := about[r][sh(word)]; len(values) > 0 {
					return values[0]
				}
				return nil
			}
			test.results = append(test.results, fmt.Sprint(local(one("focusNode")), " ", local(one("resultPath")), " ", local(one("sourceConstraintComponent")), " ", rdf.Lexical(one("value"))))
		}
		slices.Sort(test.results)
		return test
	}
	return nil
}

func local(t rdf.Term) string {
	text := rdf.Lexical(t)
	return text[strings.LastIndexAny(text, "#/:")+1:]
}
