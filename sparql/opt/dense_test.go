package opt_test

import (
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"trails/rdf"
	"trails/sparql"
	"trails/sparql/sparqltest"
)

// TestPassesChangeNoAnswerOfFewNames draws what passes are about, operators beside each
// other that name the same few variables, over data in which most patterns match.
func TestPassesChangeNoAnswerOfFewNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := &dense{T: t}
		data := d.data()
		text := "PREFIX : <" + sparqltest.NS + "> " + d.one("SELECT *", "SELECT ?a ?b", "SELECT DISTINCT ?a ?c", "ASK") + d.group(2)
		q, err := sparql.Parse(text, sparql.Options{})
		if err != nil {
			t.Skip("a name that BIND must not have")
		}
		passed(t, q, data)
	})
}

type dense struct {
	*rapid.T
	made int
}

func (d *dense) one(of ...string) string { return rapid.SampledFrom(of).Draw(d.T, "") }

func (d *dense) data() (quads []rdf.Quad) {
	node := func() rdf.Term { return sparqltest.Term(d.one(":a", ":b", ":c")) }
	for range 3 + len(d.one("", "-", "--", "---", "----")) {
		q := rdf.Quad{Subject: node(), Predicate: sparqltest.Term(d.one(":p", ":q")), Object: node()}
		if d.one("", "", "g") != "" {
			q.Label = sparqltest.Term(":g1")
		}
		quads = append(quads, q)
	}
	return quads
}

func (d *dense) group(depth int) string {
	parts := []string{d.element(0)}
	for range 1 + len(d.one("", "-", "--")) {
		parts = append(parts, d.element(depth))
	}
	return " { " + strings.Join(parts, " ") + " } "
}

func (d *dense) variable() string { return d.one("?a", "?b", "?c") }

func (d *dense) node() string { return d.one("?a", "?b", "?c", "?a", "?b", "?c", ":a") }

func (d *dense) triple() string {
	return d.node() + " " + d.one(":p", ":q", ":p", ":q", ":p?", ":q*", ":p+", "(:p|:q)", "(:p/:q)|:q") + " " + d.node() + " . "
}

func (d *dense) element(depth int) string {
	if depth == 0 {
		return d.triple()
	}
	switch d.one("triple", "triple", "optional", "optional", "minus", "filter", "filter", "bind", "union", "values", "group", "graph", "subquery") {
	case "optional":
		return "OPTIONAL" + d.group(depth-1)
	case "minus":
		return "MINUS" + d.group(depth-1)
	case "filter":
		return d.filter(depth)
	case "bind":
		d.made++
		return "BIND(" + d.one("?a", "?b", ":a", "1") + " AS " + d.one("?c", "?n"+strconv.Itoa(d.made)) + ")"
	case "union":
		return d.group(depth-1) + "UNION" + d.one(d.group(depth-1), " { ?a :p ?b BIND(?b AS ?c) } ")
	case "values":
		return "VALUES " + d.variable() + " { " + d.one("", ":a", ":a :b", ":a UNDEF") + " }"
	case "group":
		return d.group(depth - 1)
	case "graph":
		return "GRAPH " + d.one("?a", "?g", ":g1") + d.group(depth-1)
	case "subquery":
		return "{ SELECT " + d.one("?a", "?a ?b", "DISTINCT ?b", "?a (COUNT(*) AS ?k)") + d.group(depth-1) + "GROUP BY ?a ?b }"
	}
	return d.triple()
}

func (d *dense) filter(depth int) string {
	switch d.one("=", "=", "!=", "bound", "exists", "constant") {
	case "=":
		return "FILTER(" + d.variable() + " = " + d.one(":a", ":b", ":nowhere") + ") "
	case "!=":
		return "FILTER(" + d.variable() + d.one(" != ", " = ") + d.node() + ") "
	case "bound":
		return "FILTER(" + d.one("", "!") + "BOUND(" + d.variable() + ")) "
	case "exists":
		return "FILTER " + d.one("", "NOT ") + "EXISTS" + d.group(depth-1)
	}
	return "FILTER(" + d.one("true", "false", d.variable()+" = :a || true", d.variable()+" = :a && true") + ") "
}
