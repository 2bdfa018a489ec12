package rdfio

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/cayleygraph/quad"

	"trails/rdf"
)

// WriteTurtle writes triples as RDF 1.1 Turtle (https://www.w3.org/TR/turtle/) for people to
// read and compare. Graph labels and repeats are dropped, and the input's order does not
// matter: subjects are sorted, rdf:type comes first as "a", then predicates and objects by
// text. A blank node with one reference is nested there as [ … ], an RDF list as ( … ).
// Prefixes map a prefix to a namespace; only used ones are declared. A prefix that Turtle
// cannot write is an InvalidArguments fault.
func WriteTurtle(w io.Writer, quads []rdf.Quad, prefixes map[string]string) error {
	names, err := newPrefixNames(prefixes)
	if err != nil {
		return err
	}
	t := &turtle{names: names, plan: planTurtle(quads)}
	var body strings.Builder
	for _, s := range t.plan.roots {
		subject := t.term(s)
		if b, ok := s.(rdf.BNode); ok && t.plan.references[b] == 0 {
			subject = "[]" // nothing refers to it
		}
		body.WriteString("\n" + subject + " " + t.properties(t.plan.about[s], indentation) + " .\n")
	}
	text := names.declarations() + body.String()
	if names.used == nil {
		text = strings.TrimPrefix(text, "\n")
	}
	if _, err := io.WriteString(w, text); err != nil {
		return fmt.Errorf("write turtle: %w", err)
	}
	return nil
}

// turtle renders one document.
type turtle struct {
	names *prefixNames
	plan  *turtlePlan
}

const indentation = "    "

// properties returns the predicates and objects of a subject, one predicate a line; quads are
// sorted.
func (t *turtle) properties(quads []rdf.Quad, indent string) string {
	var out []string
	for len(quads) > 0 {
		n := 1
		for n < len(quads) && quads[n].Predicate == quads[0].Predicate {
			n++
		}
		objects := make([]string, n)
		for i, q := range quads[:n] {
			objects[i] = t.object(q.Object, indent)
		}
		slices.Sort(objects) // by text, because the labels of nested blank nodes are not written
		if property := strings.Join(objects, ", "); quads[0].Predicate == rdf.Type {
			out = slices.Insert(out, 0, "a "+property)
		} else {
			out = append(out, t.term(quads[0].Predicate)+" "+property)
		}
		quads = quads[n:]
	}
	return strings.Join(out, " ;\n"+indent)
}

func (t *turtle) object(o rdf.Term, indent string) string {
	b, ok := o.(rdf.BNode)
	switch {
	case o == rdf.Nil:
		return "()"
	case !ok || !t.plan.inline[b]:
		return t.term(o)
	case t.plan.lists[b] != nil:
		return t.list(t.plan.lists[b], indent)
	case len(t.plan.about[b]) == 0:
		return "[]"
	}
	inner := indent + indentation
	return "[\n" + inner + t.properties(t.plan.about[b], inner) + "\n" + indent + "]"
}

func (t *turtle) list(items []rdf.Term, indent string) string {
	out := make([]string, 0, len(items))
	for _, item := range items {
		out = append(out, t.object(item, indent))
	}
	return "( " + strings.Join(out, " ") + " )"
}

func (t *turtle) term(o rdf.Term) string {
	switch v := o.(type) {
	case rdf.IRI:
		return t.names.iri(v)
	case quad.TypedString:
		if isShorthand(string(v.Value), v.Type) {
			return string(v.Value)
		}
		return quoteTurtle(string(v.Value)) + "^^" + t.names.iri(v.Type)
	case quad.LangString:
		return quoteTurtle(string(v.Value)) + "@" + v.Lang
	case quad.String:
		return quoteTurtle(string(v))
	}
	return string(rdf.AppendTerm(nil, o))
}
