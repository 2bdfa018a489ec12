package validate_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"trails/rdf"
	"trails/validate"
)

const ex = rdf.IRI("http://example.org/")

func sh(name string) rdf.IRI { return rdf.SHNS + rdf.IRI(name) }

// rule is one constraint of one property, as the oracle knows it.
type rule struct {
	path      rdf.IRI
	parameter string
	number    int
	term      rdf.Term
	list      []rdf.Term
}

// shapesOf writes rules as one shape of class C with a property shape each.
func shapesOf(rules []rule) []rdf.Quad {
	shape := ex + "S"
	all := []rdf.Quad{{Subject: shape, Predicate: sh("targetClass"), Object: ex + "C"}}
	for i, r := range rules {
		property := rdf.BNode(fmt.Sprintf("p%d", i))
		all = append(all,
			rdf.Quad{Subject: shape, Predicate: sh("property"), Object: property},
			rdf.Quad{Subject: property, Predicate: sh("path"), Object: r.path})
		value := r.term
		switch {
		case r.list != nil:
			var cells []rdf.Quad
			value, cells = list(fmt.Sprintf("l%d", i), r.list)
			all = append(all, cells...)
		case value == nil:
			value = rdf.Literal(strconv.Itoa(r.number), rdf.XSDInteger)
		}
		all = append(all, rdf.Quad{Subject: property, Predicate: sh(r.parameter), Object: value})
	}
	return all
}

func list(name string, terms []rdf.Term) (head rdf.Term, cells []rdf.Quad) {
	head = rdf.Nil
	for i, t := range slices.Backward(terms) {
		cell := rdf.BNode(fmt.Sprintf("%sx%d", name, i))
		cells = append(cells,
			rdf.Quad{Subject: cell, Predicate: rdf.First, Object: t},
			rdf.Quad{Subject: cell, Predicate: rdf.Rest, Object: head})
		head = cell
	}
	return head, cells
}

// naive judges values by one rule, straight from the words of the standard.
func naive(r rule, values []rdf.Term, types map[rdf.Term]rdf.IRI) []string {
	var wrong []string
	fail := func(v rdf.Term) { wrong = append(wrong, r.parameter+" "+string(rdf.AppendTerm(nil, v))) }
	switch r.parameter {
	case "minCount":
		if len(values) < r.number {
			fail(nil)
		}
		return wrong
	case "maxCount":
		if len(values) > r.number {
			fail(nil)
		}
		return wrong
	case "hasValue":
		if !slices.Contains(values, r.term) {
			fail(nil)
		}
		return wrong
	}
	for _, v := range values {
		if !allowed(r, v, types) {
			fail(v)
		}
	}
	return wrong
}

var wholeNumber = regexp.MustCompile(`^[-+]?[0-9]+$`)

func allowed(r rule, v rdf.Term, types map[rdf.Term]rdf.IRI) bool {
	_, isIRI := v.(rdf.IRI)
	_, isBlank := v.(rdf.BNode)
	text := rdf.Lexical(v)
	switch r.parameter {
	case "minLength":
		return !isBlank && len([]rune(text)) >= r.number
	case "maxLength":
		return !isBlank && len([]rune(text)) <= r.number
	case "pattern":
		return !isBlank && regexp.MustCompile(rdf.Lexical(r.term)).MatchString(text)
	case "in":
		return slices.Contains(r.list, v)
	case "datatype":
		return rdf.DatatypeOf(v) == r.term && (r.term == rdf.XSDString || wholeNumber.MatchString(text))
	case "nodeKind":
		return isIRI && r.term == sh("IRI") || isBlank && r.term == sh("BlankNode") || !isIRI && !isBlank && r.term == sh("Literal")
	case "class":
		t := types[v]
		return t == r.term || t == ex+"D" && r.term == ex+"C" // D is a subclass of C
	}
	n, err := strconv.Atoi(text)
	if err != nil || rdf.DatatypeOf(v) != rdf.XSDInteger {
		return false
	}
	switch r.parameter {
	case "minInclusive":
		return n >= r.number
	case "minExclusive":
		return n > r.number
	case "maxInclusive":
		return n <= r.number
	}
	return n < r.number
}

var (
	paths  = rapid.SampledFrom([]rdf.IRI{ex + "p", ex + "q", ex + "r"})
	values = rapid.SampledFrom([]rdf.Term{
		rdf.Literal("", ""), rdf.Literal("a", ""), rdf.Literal("äö", ""), rdf.Literal("abcd", ""), rdf.Literal("2", ""),
		rdf.Literal("2", rdf.XSDInteger), rdf.Literal("-3", rdf.XSDInteger), rdf.Literal("x", rdf.XSDInteger), rdf.LangLiteral("a", "en"),
		ex + "c1", ex + "d1", ex + "none", rdf.BNode("b"),
	})
	parameters = []string{
		"minCount", "maxCount", "minLength", "maxLength", "pattern", "in", "hasValue", "datatype", "nodeKind", "class",
		"minInclusive", "minExclusive", "maxInclusive", "maxExclusive",
	}
	types = map[rdf.Term]rdf.IRI{ex + "c1": ex + "C", ex + "d1": ex + "D"}
)

func drawRule(t *rapid.T) rule {
	r := rule{path: paths.Draw(t, "path"), parameter: rapid.SampledFrom(parameters).Draw(t, "parameter"), number: rapid.IntRange(0, 3).Draw(t, "number")}
	switch r.parameter {
	case "in":
		r.list = rapid.SliceOfN(values, 1, 4).Draw(t, "list")
	case "hasValue":
		r.term = values.Draw(t, "value")
	case "pattern":
		r.term = rdf.Literal(rapid.SampledFrom([]string{"a", "^a$", "[0-9]", ".", "^$"}).Draw(t, "pattern"), "")
	case "datatype":
		r.term = rapid.SampledFrom([]rdf.Term{rdf.XSDString, rdf.XSDInteger}).Draw(t, "datatype")
	case "nodeKind":
		r.term = rapid.SampledFrom([]rdf.Term{sh("IRI"), sh("BlankNode"), sh("Literal")}).Draw(t, "kind")
	case "class":
		r.term = rapid.SampledFrom([]rdf.Term{ex + "C", ex + "D"}).Draw(t, "class")
	}
	return r
}

func TestNodeAgreesWithANaiveReadingOfTheStandard(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rules := rapid.SliceOfN(rapid.Custom(drawRule), 1, 6).Draw(t, "rules")
		focus := ex + "focus"
		data := []rdf.Quad{{Subject: focus, Predicate: rdf.Type, Object: ex + "D"}}
		for node, class := range types {
			data = append(data, rdf.Quad{Subject: node, Predicate: rdf.Type, Object: class})
		}
		stated := map[rdf.IRI][]rdf.Term{}
		for _, path := range []rdf.IRI{ex + "p", ex + "q"} {
			stated[path] = rapid.SliceOfNDistinct(values, 0, 4, rapid.ID).Draw(t, "values")
			for _, v := range stated[path] {
				data = append(data, rdf.Quad{Subject: focus, Predicate: path, Object: v})
			}
		}
		subclass := rdf.Quad{Subject: ex + "D", Predicate: rdf.SubClassOf, Object: ex + "C"}
		shapes, err := validate.Compile(append(shapesOf(rules), subclass))
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for i, r := range rules {
			for _, wrong := range naive(r, stated[r.path], types) {
				want = append(want, fmt.Sprintf("p%d %s", i, wrong))
			}
		}
		got := []string{}
		results, err := shapes.NodeCached(t.Context(), newMemory(data), focus, validate.NewCache(2))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range results {
			got = append(got, fmt.Sprintf("%s %s %s", rdf.Lexical(r.SourceShape), parameterOf(r.Component), rdf.AppendTerm(nil, r.Value)))
		}
		slices.Sort(want)
		slices.Sort(got)
		if diff := cmp.Diff(append([]string{}, want...), got); diff != "" {
			t.Fatal(diff)
		}
	})
}

// parameterOf turns sh:MinCountConstraintComponent into minCount.
func parameterOf(component rdf.IRI) string {
	for _, p := range parameters {
		if sh(string(p[0]-'a'+'A')+p[1:]+"ConstraintComponent") == component {
			return p
		}
	}
	return string(component)
}
