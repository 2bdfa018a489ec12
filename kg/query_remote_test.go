package kg_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"trails/e2e/testrun"
	"trails/fault"
	"trails/kg"
	"trails/kg/load"
	"trails/rdf"
	"trails/rdf/rdfio"
	"trails/rdf/rdftest"
	"trails/sparql"
	"trails/sparql/naive"
	"trails/sparql/results"
	"trails/sparql/sparqltest"
)

// elsewhere is the world outside a graph: endpoints by address, each answered by the
// oracle, and documents, each of them its media type, a space and its text.
type elsewhere struct {
	endpoints map[string][]rdf.Quad
	documents map[string]string
	asked     []string // the queries
	err       error    // of every answer
	answer    *results.Result
}

func (e *elsewhere) Select(ctx context.Context, endpoint, query string) (results.Result, error) {
	e.asked = append(e.asked, query)
	if e.err != nil {
		return results.Result{}, e.err
	}
	if e.answer != nil {
		return *e.answer, nil
	}
	data, ok := e.endpoints[endpoint]
	if !ok {
		return results.Result{}, fault.New(fault.Unusable, "<%s> cannot be reached", endpoint)
	}
	q, err := sparql.Parse(query, sparql.Options{})
	if err != nil {
		return results.Result{}, fmt.Errorf("%w in\n%s", err, query)
	}
	found, err := naive.Eval(ctx, q, slices.Clone(data))
	if err != nil {
		return results.Result{}, err
	}
	return results.Result{Vars: found.Vars, Rows: found.Rows}, nil
}

func (e *elsewhere) Fetch(_ context.Context, address string) (kg.Document, error) {
	if e.err != nil {
		return kg.Document{}, e.err
	}
	text, ok := e.documents[address]
	if !ok {
		return kg.Document{}, fault.New(fault.Unusable, "<%s> cannot be reached", address)
	}
	media, text, _ := strings.Cut(text, " ")
	return kg.Document{ReadCloser: io.NopCloser(strings.NewReader(text)), Location: address, MediaType: media}, nil
}

func (e *elsewhere) Reaches() bool { return true }

// openTo opens a new graph with these statements and this way out.
func openTo(t testing.TB, r kg.Remote, data string) *kg.Graph {
	t.Helper()
	path := t.TempDir() + "/g.db"
	fileAt(t, path, "")
	g, err := kg.Open(t.Context(), path, kg.Options{Remote: r})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	if _, err := g.Session(ana).Load(t.Context(), kg.Load{Options: load.Options{Inputs: []load.Input{{Name: "data", Reader: strings.NewReader("PREFIX : <" + base + ">\n" + data)}}, Format: load.TriG}}); err != nil {
		t.Fatal(err)
	}
	return g
}

func factsOf(t testing.TB, trig string) []rdf.Quad {
	t.Helper()
	r, err := rdfio.NewReader(rdfio.TriG, strings.NewReader("PREFIX : <"+base+">\n"+trig), "", rdfio.Limits{}, nil)
	if err != nil {
		t.Fatal(err)
	}
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

// rowsOf returns the rows of a SELECT, sorted, each its terms in their order.
func rowsOf(t testing.TB, g *kg.Graph, text string, o kg.QueryOptions) ([]string, error) {
	t.Helper()
	q, err := sparql.Parse("PREFIX : <"+base+">\n"+text, sparql.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	err = g.Session(ana).View(t.Context(), func(s *kg.Snapshot) error {
		a, err := s.Query(t.Context(), q, o)
		if err != nil {
			return err
		}
		for row, err := range a.Rows(t.Context()) {
			if err != nil {
				return err
			}
			var line []string
			for _, t := range row {
				line = append(line, strings.ReplaceAll(string(rdf.AppendTerm(nil, t)), base, ":"))
			}
			rows = append(rows, strings.Join(line, " "))
		}
		return nil
	})
	slices.Sort(rows)
	return rows, err
}

// The tests of the W3C's federated query, section by section, as our suite has none.
func TestServicesAreAnswered(t *testing.T) {
	there := map[string][]rdf.Quad{
		"http://one/sparql": factsOf(t, `:s :name "Anna", "Ana"@pt ; :knows :u . :u :name "Uwe" .`),
		"http://two/sparql": factsOf(t, `:u :mail <mailto:u> ; :age 7 . _:b :age 8 .`),
	}
	const here = `:s :size 3 . :u :size 4 . :one :at <http://one/sparql> . :g { :s :size 5 }`
	for name, c := range map[string]struct {
		query string
		rows  []string
		asks  int
	}{
		"a pattern": {`SELECT ?n { SERVICE <http://one/sparql> { :s :name ?n } }`, []string{`"Ana"@pt`, `"Anna"`}, 1},
		"joined with what is here": {`SELECT ?s ?z ?n { ?s :size ?z SERVICE <http://one/sparql> { ?s :name ?n } }`,
			[]string{`<:s> "3"^^<http://www.w3.org/2001/XMLSchema#integer> "Ana"@pt`, `<:s> "3"^^<http://www.w3.org/2001/XMLSchema#integer> "Anna"`, `<:u> "4"^^<http://www.w3.org/2001/XMLSchema#integer> "Uwe"`}, 1},
		"two services":     {`SELECT ?n ?m { SERVICE <http://one/sparql> { ?s :name ?n } SERVICE <http://two/sparql> { ?s :mail ?m } }`, []string{`"Uwe" <mailto:u>`}, 2},
		"OPTIONAL":         {`SELECT ?s ?m { ?s :size ?z OPTIONAL { SERVICE <http://two/sparql> { ?s :mail ?m } } }`, []string{`<:s> `, `<:u> <mailto:u>`}, 1},
		"MINUS and UNION":  {`SELECT ?s { { ?s :size ?z MINUS { SERVICE <http://two/sparql> { ?s :mail ?m } } } UNION { SERVICE <http://two/sparql> { ?s :mail ?m } } }`, []string{`<:s>`, `<:u>`}, 2},
		"NOT EXISTS":       {`SELECT ?s { ?s :size ?z FILTER NOT EXISTS { SERVICE <http://two/sparql> { ?s :mail ?m } } }`, []string{`<:s>`}, 1},
		"in a graph":       {`SELECT ?s ?n { GRAPH :g { ?s :size 5 SERVICE <http://one/sparql> { ?s :name ?n FILTER(LANG(?n) = "") } } }`, []string{`<:s> "Anna"`}, 1},
		"a subquery":       {`SELECT ?s ?c { ?s :size ?z { SELECT ?s (COUNT(*) AS ?c) { SERVICE <http://one/sparql> { ?s :name ?n } } GROUP BY ?s } }`, []string{`<:s> "2"^^<http://www.w3.org/2001/XMLSchema#integer>`, `<:u> "1"^^<http://www.w3.org/2001/XMLSchema#integer>`}, 1},
		"a subquery there": {`SELECT ?c { SERVICE <http://one/sparql> { SELECT (COUNT(?n) AS ?c) { ?s :name ?n } } }`, []string{`"3"^^<http://www.w3.org/2001/XMLSchema#integer>`}, 1},
		"a path there":     {`SELECT ?n { SERVICE <http://one/sparql> { :s :knows+/:name ?n } }`, []string{`"Uwe"`}, 1},
		"a name by VALUES": {`SELECT ?e ?s { VALUES ?e { <http://one/sparql> <http://two/sparql> } SERVICE ?e { ?s :name|:mail ?o } }`,
			[]string{`<http://one/sparql> <:s>`, `<http://one/sparql> <:s>`, `<http://one/sparql> <:u>`, `<http://two/sparql> <:u>`}, 2},
		"a name by BIND":          {`SELECT ?s { BIND(<http://two/sparql> AS ?e) SERVICE ?e { ?s :mail ?o } }`, []string{`<:u>`}, 1},
		"SILENT, which nobody is": {`SELECT ?s ?n { ?s :size 3 SERVICE SILENT <http://nowhere/> { ?s :name ?n } }`, []string{`<:s> `}, 1},
		"SILENT by VALUES":        {`SELECT ?e ?s { VALUES ?e { <http://nowhere/> <http://two/sparql> } SERVICE SILENT ?e { ?s :mail ?o } }`, []string{`<http://nowhere/> `, `<http://two/sparql> <:u>`}, 2},
		"no variables":            {`SELECT ?z { :s :size ?z SERVICE <http://one/sparql> { :s :knows :u } }`, []string{`"3"^^<http://www.w3.org/2001/XMLSchema#integer>`}, 1},
		"no variables, no":        {`SELECT ?z { :s :size ?z SERVICE <http://one/sparql> { :u :knows :s } }`, nil, 1},
		"one inside another's":    {`SELECT ?n { SERVICE <http://one/sparql> { ?s :name ?n SERVICE SILENT <http://two/sparql> { ?s :mail ?m } } }`, []string{`"Ana"@pt`, `"Anna"`, `"Uwe"`}, 1},
		"a blank node is a new one": {`SELECT (COUNT(DISTINCT ?b) AS ?n) { { SERVICE <http://two/sparql> { ?b :age 8 } } UNION { SERVICE <http://two/sparql> { ?b :age 8 } } }`,
			[]string{`"2"^^<http://www.w3.org/2001/XMLSchema#integer>`}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			out := &elsewhere{endpoints: there}
			rows, err := rowsOf(t, openTo(t, out, here), c.query, kg.QueryOptions{})
			if err != nil || !slices.Equal(rows, c.rows) || len(out.asked) != c.asks {
				t.Errorf("%v\ngot  %q\nwant %q\nasked %d: %s", err, rows, c.rows, len(out.asked), out.asked)
			}
		})
	}
}

func TestAServiceIsAskedForNoMoreThanVALUESLetThrough(t *testing.T) {
	for query, want := range map[string]string{
		`SELECT * { VALUES ?s { :a :b } SERVICE <http://one/> { ?s :p ?o } }`:                            "VALUES ?s {\n    <:a>\n    <:b>\n  }",
		`SELECT * { VALUES (?x ?s) { (1 :a) (2 :a) (3 :a) } SERVICE <http://one/> { ?s :p ?o } }`:        "VALUES ?s {\n    <:a>\n  }",
		`SELECT * { { SERVICE <http://one/> { ?s :p ?o } } UNION { ?s :q ?o } VALUES ?s { :a } }`:        "VALUES ?s {\n    <:a>\n  }",
		`SELECT * { VALUES ?s { :a } ?s :q ?x OPTIONAL { SERVICE <http://one/> { ?s :p ?o } } }`:         "VALUES ?s {\n    <:a>\n  }",
		`SELECT * { VALUES ?e { <http://one/> } SERVICE ?e { ?s :p ?e } }`:                               "VALUES ?e {\n    <http://one/>\n  }",
		`SELECT * { VALUES ?s { :a } OPTIONAL { SERVICE <http://one/> { ?s :p ?o } FILTER(?o = ?x) } }`:  "VALUES ?s {\n    <:a>\n  }",
		`SELECT * { VALUES ?s { :a } { SERVICE <http://one/> { ?s :p ?o } FILTER(!BOUND(?s)) } }`:        "",
		`SELECT * { VALUES ?s { UNDEF :a } SERVICE <http://one/> { ?s :p ?o } }`:                         "",
		`SELECT * { VALUES (?o ?s) { (UNDEF :a) (1 :a) } SERVICE <http://one/> { ?s :p ?o } }`:           "VALUES ?s {\n    <:a>\n  }",
		`SELECT * { VALUES ?s { :a } { SELECT ?o { SERVICE <http://one/> { ?s :p ?o } } } }`:             "",
		`SELECT * { VALUES ?o { :a } { SERVICE <http://one/> { ?s :p ?x } OPTIONAL { ?s :p ?o } } }`:     "",
		`SELECT * { ?s :p ?o FILTER(?s = :a) SERVICE <http://one/> { ?s :p ?o } }`:                       "",
		`SELECT * { VALUES ?s {` + strings.Repeat(":a ", 600) + `} SERVICE <http://one/> { ?s :p ?o } }`: "VALUES ?s {\n    <:a>\n  }",
	} {
		out := &elsewhere{endpoints: map[string][]rdf.Quad{"http://one/": nil}}
		if _, err := rowsOf(t, openTo(t, out, ""), query, kg.QueryOptions{}); err != nil || len(out.asked) != 1 {
			t.Errorf("%s: %v, asked %q", query, err, out.asked)
			continue
		}
		asked := strings.ReplaceAll(out.asked[0], base, ":")
		if strings.Contains(asked, "VALUES") != (want != "") || !strings.Contains(asked, want) {
			t.Errorf("%.200s\nwas asked as\n%s\nwithout\n%s", query, asked, want)
		}
	}
}

func TestNobodyIsAskedForWhatIsJoinedWithNothing(t *testing.T) {
	testrun.Alone(t)
	out := &elsewhere{err: fault.New(fault.Unusable, "down")}
	rows, err := rowsOf(t, openTo(t, out, ""), `SELECT * { VALUES ?s { } SERVICE <http://one/> { ?x :p ?o } }`, kg.QueryOptions{})
	if err != nil || len(rows) != 0 || len(out.asked) != 0 {
		t.Errorf("got %q, %v; asked %q", rows, err, out.asked)
	}
}

func TestAParameterIsKnownToAService(t *testing.T) {
	out := &elsewhere{endpoints: map[string][]rdf.Quad{"http://one/": factsOf(t, `:a :p 1 . :b :p 2 .`)}}
	params := map[sparql.Var]rdf.Term{"e": rdf.IRI("http://one/"), "s": rdf.IRI(base + "b")}
	rows, err := rowsOf(t, openTo(t, out, ""), `SELECT ?s ?o { SERVICE ?e { ?s :p ?o } }`, kg.QueryOptions{Params: params})
	if err != nil || len(rows) != 1 || !strings.HasPrefix(rows[0], `<:b> "2"`) {
		t.Errorf("got %q, %v; asked %s", rows, err, out.asked)
	}
}

func TestWhatCannotBeAskedIsRefused(t *testing.T) {
	wide := &results.Result{Vars: []sparql.Var{"o"}}
	for range 40_000 {
		wide.Rows = append(wide.Rows, []rdf.Term{rdf.IRI("urn:x")})
	}
	down := fault.New(fault.Unusable, "down")
	for name, c := range map[string]struct {
		out   *elsewhere
		query string
		kind  fault.Kind
		says  string
	}{
		"no way out":            {nil, `SELECT * { SERVICE <http://one/> {} }`, fault.Denied, "<http://one/> is not asked"},
		"no way out, SILENT":    {nil, `SELECT * { SERVICE SILENT <http://one/> {} }`, fault.Denied, "<http://one/> is not asked"},
		"an unknown endpoint":   {&elsewhere{}, `SELECT * { ?s ?p ?e SERVICE ?e {} }`, fault.InvalidArguments, "give ?e by VALUES in the same group"},
		"UNDEF":                 {&elsewhere{}, `SELECT * { VALUES ?e { UNDEF } SERVICE ?e {} }`, fault.InvalidArguments, "leaves ?e open"},
		"a text as endpoint":    {&elsewhere{}, `SELECT * { VALUES ?e { "one" } SERVICE ?e {} }`, fault.InvalidArguments, `"one" is no IRI`},
		"too many rows":         {&elsewhere{answer: wide}, `SELECT * { SERVICE <http://one/> { ?s ?p ?o } }`, fault.TooLarge, "put a LIMIT"},
		"too many rows, SILENT": {&elsewhere{answer: wide}, `SELECT * { SERVICE SILENT <http://one/> { ?s ?p ?o } }`, fault.TooLarge, "put a LIMIT"},
		"no RDF": {&elsewhere{answer: &results.Result{Vars: []sparql.Var{"o"}, Rows: [][]rdf.Term{{rdf.IRI("a b> <c")}}}},
			`SELECT * { SERVICE <http://one/> { ?s ?p ?o } }`, fault.Unusable, "no RDF term"},
		"an endpoint that is down": {&elsewhere{err: down}, `SELECT * { SERVICE <http://one/> { ?s ?p ?o } }`, fault.Unusable, "SERVICE: down"},
		"too often": {&elsewhere{endpoints: map[string][]rdf.Quad{"http://one/": nil}},
			`SELECT * { ` + strings.Repeat(`SERVICE <http://one/> { } `, 101) + `}`, fault.TooLarge, "at most 100 times"},
	} {
		t.Run(name, func(t *testing.T) {
			var way kg.Remote
			if c.out != nil {
				way = c.out
			}
			_, err := rowsOf(t, openTo(t, way, ":a :b :c ."), c.query, kg.QueryOptions{})
			if f := fault.Of(err); err == nil || f.Kind != c.kind || !strings.Contains(f.Message, c.says) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestAServiceWithTheSameDataIsTheGroup wraps parts of drawn queries in SERVICE: an
// endpoint that has what the graph has must answer them as the graph does.
func TestAServiceWithTheSameDataIsTheGroup(t *testing.T) {
	testrun.Alone(t)
	path := t.TempDir() + "/same.db"
	rapid.Check(t, func(rt *rapid.T) {
		data := slices.DeleteFunc(sparqltest.Data(rt), func(q rdf.Quad) bool { return isBlank(q.Subject) || isBlank(q.Object) })
		c := sparqltest.Query(rt)
		q, err := sparql.Parse(c.Text, sparql.Options{})
		if err != nil || !q.Dataset.IsZero() || strings.Contains(c.Text, "BNODE") {
			rt.Skip("it asks other graphs, or makes nodes")
		}
		q.Op = inServices(rt, q.Op)
		out := &elsewhere{endpoints: map[string][]rdf.Quad{"http://one/": data}}
		var got rdftest.Answer
		if err := withData(t, path, out, data, func(s *kg.Snapshot) (err error) {
			got, err = answerOf(t.Context(), s, q)
			return err
		}); err != nil {
			rt.Fatalf("%v\nfor\n%s\nasked\n%s", err, q.Dump(), out.asked)
		}
		if err := sparqltest.Agree(t.Context(), c, slices.Clone(data), got); err != nil {
			rt.Fatalf("%v\nfor\n%s\nthat is\n%s\nasked\n%s\non\n%v", err, c.Text, q.Dump(), out.asked, data)
		}
	})
}

func isBlank(t rdf.Term) bool { _, is := t.(rdf.BNode); return is }

func withData(t testing.TB, path string, r kg.Remote, data []rdf.Quad, read func(*kg.Snapshot) error) error {
	for _, end := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(path + end); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	fileAt(t, path, "")
	g, err := kg.Open(t.Context(), path, kg.Options{Remote: r})
	if err != nil {
		return err
	}
	defer g.Close()
	var lines []byte
	for _, q := range data {
		lines = append(rdf.AppendQuad(lines, q), '\n')
	}
	if _, err := g.Session(ana).Load(t.Context(), kg.Load{Options: load.Options{Inputs: []load.Input{{Name: "data", Reader: strings.NewReader(string(lines))}}, Format: load.NQuads}}); err != nil {
		return err
	}
	return g.Session(ana).View(t.Context(), read)
}

// inServices wraps some of the operands of joins. What is in a GRAPH stays: an endpoint
// would ask its default graph.
func inServices(t *rapid.T, op sparql.Op) sparql.Op {
	in := func(op sparql.Op) sparql.Op {
		op = inServices(t, op)
		if _, table := op.(sparql.Table); table || hasService(op) || hasBlank(op) || isLevel(op) || !rapid.Bool().Draw(t, "service") {
			return op
		}
		return sparql.Service{Name: sparql.Operand{Term: rdf.IRI("http://one/")}, Op: op}
	}
	switch op := op.(type) {
	case sparql.Join:
		return sparql.Join{Left: in(op.Left), Right: in(op.Right)}
	case sparql.LeftJoin:
		return sparql.LeftJoin{Left: in(op.Left), Right: in(op.Right), Expr: op.Expr}
	case sparql.Union:
		return sparql.Union{Left: in(op.Left), Right: in(op.Right)}
	case sparql.Minus:
		return sparql.Minus{Left: in(op.Left), Right: in(op.Right)}
	case sparql.Filter:
		return sparql.Filter{Expr: op.Expr, Op: in(op.Op)}
	case sparql.Extend:
		return sparql.Extend{Op: in(op.Op), Var: op.Var, Expr: op.Expr}
	case sparql.Project:
		return sparql.Project{Op: inServices(t, op.Op), Vars: op.Vars}
	case sparql.Distinct:
		return sparql.Distinct{Op: inServices(t, op.Op)}
	case sparql.OrderBy:
		return sparql.OrderBy{Op: inServices(t, op.Op), Keys: op.Keys}
	case sparql.Slice:
		return sparql.Slice{Op: inServices(t, op.Op), Offset: op.Offset, Limit: op.Limit}
	case sparql.Group:
		return sparql.Group{Op: in(op.Op), Keys: op.Keys, Aggregates: op.Aggregates}
	}
	return op
}

// isLevel reports whether op is what a SELECT makes of a group, which is no pattern.
func isLevel(op sparql.Op) bool {
	switch op := op.(type) {
	case sparql.Group:
		return true
	case sparql.Filter:
		return isLevel(op.Op)
	case sparql.Extend:
		return isLevel(op.Op)
	case sparql.Join:
		return isLevel(op.Left)
	}
	return false
}

// hasBlank reports whether a pattern has a blank node, which it may share with the one
// beside it.
func hasBlank(op sparql.Op) bool {
	return strings.Contains((&sparql.Query{Op: op}).Dump(), "?.")
}

func hasService(op sparql.Op) bool {
	_, remote := (&sparql.Query{Op: op}).Remote()
	return remote
}
