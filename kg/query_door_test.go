package kg_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trails/fault"
	"trails/kg"
	"trails/rdf"
	"trails/rdf/rdfio"
	"trails/sparql"
)

const asked = `<urn:a> <urn:p> "1"^^<http://www.w3.org/2001/XMLSchema#integer> .
<urn:a> <urn:q> <urn:b> .
<urn:b> <urn:p> "2"^^<http://www.w3.org/2001/XMLSchema#integer> .
<urn:b> <urn:about> _:n .
_:n <urn:p> _:m .
_:m <urn:p> "deep" .
<urn:a> <urn:q> "named" <urn:g> .
<urn:g> <urn:q> "no more" <urn:h> .
`

// look asks a query of a graph with these statements.
func look(t *testing.T, text string, o kg.QueryOptions) (string, error) {
	t.Helper()
	e := newAsker(t)
	r := rdfio.NewNQuadsReader(strings.NewReader(asked), rdfio.Limits{})
	var quads []rdf.Quad
	for {
		q, err := r.Read()
		if err != nil {
			break
		}
		quads = append(quads, q)
	}
	g, err := e.graph(t.Context(), quads)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	q, err := sparql.Parse(text, sparql.Options{})
	if err != nil {
		return "", err
	}
	var out strings.Builder
	err = g.Session(ana).View(t.Context(), func(s *kg.Snapshot) error { return shown(t.Context(), &out, s, q, o) })
	return out.String(), err
}

func shown(ctx context.Context, out *strings.Builder, s *kg.Snapshot, q *sparql.Query, o kg.QueryOptions) error {
	a, err := s.Query(ctx, q, o)
	if err != nil {
		return err
	}
	if a.Form == sparql.Construct || a.Form == sparql.Describe {
		for t, err := range a.Triples(ctx) {
			if err != nil {
				return err
			}
			out.Write(rdf.AppendQuad(nil, t))
			out.WriteByte('\n')
		}
		return nil
	}
	for row, err := range a.Rows(ctx) {
		if err != nil {
			return err
		}
		for i, t := range row {
			fmt.Fprintf(out, "%s=%s ", a.Vars[i], rdf.AppendTerm(nil, t))
		}
		out.WriteString("\n")
	}
	return nil
}

func TestParametersAreTheTermsThatTheyStandFor(t *testing.T) {
	a, one := rdf.Term(rdf.IRI("urn:a")), rdf.Literal("1", rdf.XSDInteger)
	for text, want := range map[string]string{
		`SELECT ?x ?y { ?x <urn:q> ?y }`:                                               "x=<urn:a> y=<urn:b> \n",
		`SELECT DISTINCT ?x { ?x ?p ?o }`:                                              "x=<urn:a> \n",
		`SELECT ?s { ?s <urn:p> ?n . FILTER(?s = ?x) }`:                                "s=<urn:a> \n",
		`SELECT ?s { ?s <urn:p> ?n . MINUS { ?x <urn:p> ?n } }`:                        "",
		`SELECT ?s { ?s <urn:q> ?o . MINUS { ?other <urn:p> ?n } }`:                    "s=<urn:a> \n",
		`SELECT (COUNT(*) AS ?c) { ?x <urn:none> ?o } HAVING (COUNT(*) < ?n)`:          "c=\"0\"^^<http://www.w3.org/2001/XMLSchema#integer> \n",
		`SELECT ?x (COUNT(*) AS ?c) { ?x <urn:q> ?o } GROUP BY ?x`:                     "x=<urn:a> c=\"1\"^^<http://www.w3.org/2001/XMLSchema#integer> \n",
		`SELECT ?n { GRAPH ?g { ?x <urn:q> ?o } }`:                                     "n=\"1\"^^<http://www.w3.org/2001/XMLSchema#integer> \n",
		`SELECT ?n { ?n ?p ?o }`:                                                       "",
		`DESCRIBE ?x`:                                                                  "<urn:a> <urn:p> \"1\"^^<http://www.w3.org/2001/XMLSchema#integer> .\n<urn:a> <urn:q> <urn:b> .\n",
		`CONSTRUCT { ?x <urn:has> ?n . ?n <urn:has> ?x . ?x ?n ?x } { ?x <urn:p> ?n }`: "<urn:a> <urn:has> \"1\"^^<http://www.w3.org/2001/XMLSchema#integer> .\n",
	} {
		params := map[sparql.Var]rdf.Term{}
		for v, term := range map[sparql.Var]rdf.Term{"x": a, "n": one} {
			if strings.Contains(text, "?"+string(v)) {
				params[v] = term
			}
		}
		got, err := look(t, text, kg.QueryOptions{Params: params})
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", text, err, diff)
		}
	}
}

func TestADescriptionHasTheBlankNodesThatItNames(t *testing.T) {
	got, err := look(t, `DESCRIBE <urn:b> ?g FROM <urn:h> FROM <urn:g> WHERE { ?g <urn:q> "no more" }`, kg.QueryOptions{})
	if want := "<urn:g> <urn:q> \"no more\" .\n"; got != want || err != nil {
		t.Errorf("%v\n%s", err, got)
	}
	got, err = look(t, `DESCRIBE <urn:b>`, kg.QueryOptions{})
	if strings.Count(got, "\n") != 4 || !strings.Contains(got, "deep") || err != nil {
		t.Errorf("%v\n%s", err, got)
	}
}

func TestAConstructedBlankNodeIsOfOneSolution(t *testing.T) {
	got, err := look(t, `CONSTRUCT { [] <urn:of> ?s . _:b <urn:is> _:b } { ?s <urn:p> ?n FILTER(ISNUMERIC(?n)) }`, kg.QueryOptions{})
	labels := map[string]bool{}
	for line := range strings.Lines(got) {
		label, _, _ := strings.Cut(line, " ")
		labels[label] = true
	}
	if len(labels) != 4 || strings.Count(got, "\n") != 4 || err != nil {
		t.Errorf("%d blank nodes: %v\n%s", len(labels), err, got)
	}
}

func TestWhatAQueryMayNotDoIsRefused(t *testing.T) {
	late, cancel := context.WithTimeout(context.Background(), 0)
	defer cancel()
	for text, want := range map[string]struct {
		kind    fault.Kind
		options kg.QueryOptions
	}{
		`SELECT * { SERVICE <urn:x> { ?s ?p ?o } }`:                {fault.Denied, kg.QueryOptions{}},
		`SELECT * FROM <urn:trails:graph:default> { ?s ?p ?o }`:    {fault.InvalidArguments, kg.QueryOptions{}},
		`SELECT * { ?s ?p ?o`:                                      {fault.Malformed, kg.QueryOptions{}},
		`SELECT * { ?s ?p ?o . ?a ?b ?c }`:                         {fault.TooLarge, kg.QueryOptions{Limits: kg.QueryLimits{Rows: 3}}},
		`CONSTRUCT WHERE { ?s ?p ?o }`:                             {fault.TooLarge, kg.QueryOptions{Limits: kg.QueryLimits{Bytes: 300}}},
		`DESCRIBE ?n { VALUES ?n { <urn:n1> <urn:n2> <urn:n3> } }`: {fault.TooLarge, kg.QueryOptions{Limits: kg.QueryLimits{Bytes: 600}}},
		`ASK { ?s ?p ?o FILTER(?o = ?nobody) }`:                    {fault.InvalidArguments, kg.QueryOptions{Params: map[sparql.Var]rdf.Term{"someone": rdf.IRI("urn:a")}}},
	} {
		if got, err := look(t, text, want.options); !fault.Is(err, want.kind) {
			t.Errorf("%s: got %v and %s, want %s", text, err, got, want.kind)
		}
	}
	e := newAsker(t)
	g, err := e.graph(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	err = g.Session(ana).View(t.Context(), func(s *kg.Snapshot) error {
		return shown(late, &strings.Builder{}, s, mustParse(t, `SELECT * { ?s ?p ?o . ?a ?b ?c . ?d ?e ?f }`), kg.QueryOptions{})
	})
	if !fault.Is(err, fault.TimedOut) {
		t.Errorf("out of time: %v", err)
	}
}

func mustParse(t *testing.T, text string) *sparql.Query {
	t.Helper()
	q, err := sparql.Parse(text, sparql.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return q
}
