package db_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"trails/db"
	"trails/db/history"
	"trails/e2e/testrun"
	"trails/rdf"
	"trails/rdf/rdftest"
	"trails/sparql"
	"trails/sparql/sparqltest"
)

// calls is a file with some commits and calls: two people, an entity that comes and
// goes, a blank node, a refusal and a read. Data says things of a commit and of a call.
func calls(t testing.TB) *db.Reader {
	f := create(t)
	at := epoch
	step := func(agent, capability string, add, remove []rdf.Quad, made ...string) history.Commit {
		at = at.Add(1501 * time.Millisecond).Add(7 * time.Microsecond)
		w, err := f.Write(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		if err := apply(t.Context(), w, add, remove); err != nil {
			t.Fatal(err)
		}
		n := int64(w.Head().Seq) + 1
		c, err := w.Commit(t.Context(), db.CommitMeta{Time: at, Author: agent, Message: strings.Repeat("m", int(n%3)), SchemaVersion: 1 + n/3}, &db.Activity{
			ID: fmt.Sprintf("00000000-0000-7000-8000-00000000000%d", n), Capability: capability, Version: "1.0.0", Agent: agent, Via: "cli",
			Started: at.Add(-time.Duration(n) * time.Millisecond), Ended: at, Inputs: []byte{1, byte(n)}, Outcome: "ok", CostMicros: 10 * n,
			Used: []string{"urn:test:a", "urn:test:a"}, Generated: made,
		})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	first := step("ana", "load", []rdf.Quad{q("a", "p", iri("b")), q("b", "p", iri("c"))}, nil, "urn:test:a", "urn:test:b")
	step("cli:bo <x>", "note.create", []rdf.Quad{q("a", "q", iri("b")), {Subject: rdf.BNode("n1"), Predicate: iri("p"), Object: iri("a")}}, nil, "urn:test:a", "_:n1")
	step("ana", "trails.meta.schema.apply", []rdf.Quad{in(iri("g"), q("c", "p", iri("a")))}, []rdf.Quad{q("b", "p", iri("c"))}, "urn:test:b", "urn:test:c")
	step("ana", "update", []rdf.Quad{
		{Subject: first.ID.IRI(), Predicate: iri("reviewedBy"), Object: iri("a")},
		{Subject: iri("a"), Predicate: iri("call"), Object: rdf.IRI("urn:uuid:00000000-0000-7000-8000-000000000002")},
		q("a", "at", rdf.Literal(first.Time.Format(time.RFC3339Nano), rdf.XSDDateTime)),
		q("a", "count", rdf.Literal("2", rdf.XSDInteger)),
	}, nil, "urn:test:a")
	others := []db.Activity{
		{ID: "00000000-0000-7000-8000-0000000000a1", Capability: "query", Agent: "bo", Started: at, Ended: at.Add(time.Second), Outcome: "ok", Used: []string{"urn:test:b", "_:n1"}},
		{ID: "00000000-0000-7000-8000-0000000000a2", Capability: "note.delete", Agent: "bo", Started: at.Truncate(time.Second), Ended: at, Outcome: "denied", Error: "denied", TraceID: "t1"},
		{ID: "00000000-0000-7000-8000-0000000000a3", Capability: "note.delete", Agent: "ana", Started: at.Add(time.Minute), Ended: at.Add(time.Minute), Outcome: "ok", DryRun: true},
	}
	if err := f.Record(t.Context(), others); err != nil {
		t.Fatal(err)
	}
	versions := func(capability, agent string, versions ...string) {
		var list []db.CapabilityVersion
		for i, version := range versions {
			list = append(list, db.CapabilityVersion{
				Capability: capability, Version: version, At: at.Add(time.Duration(i) * time.Second), Agent: agent, Program: "trails 1", CommitSeq: history.Seq(i),
				Descriptor: fmt.Sprintf(`{"description":"Version %d.","side_effects":"writes","policy_required":{"scope":"runtime"},"idempotent":%t,"preconditions":["One.","One.","Two."],"deprecates":["note.old"]}`, i, i > 0),
			})
		}
		err := f.AddCapabilityVersions(t.Context(), func(*db.Reader) ([]db.CapabilityVersion, error) { return list, nil })
		if err != nil {
			t.Fatal(err)
		}
	}
	versions("note.create", "ana", "1.0.0+aa", "1.1.0+bb")
	versions("note", "", "1.0.0")
	versions("note.create", "cli:bo <x>", "2.0.0+cc")
	return read(t, f)
}

// TestVirtualGraphsAgreeWithAScan asks for every pattern of terms that there are.
func TestVirtualGraphsAgreeWithAScan(t *testing.T) {
	testrun.Alone(t)
	r := calls(t)
	for _, graph := range []rdf.IRI{rdf.ProvGraph, rdf.CommitsGraph, rdf.CapabilitiesGraph} {
		all := collect(t, r.Match(t.Context(), rdf.Quad{Label: graph}))
		if len(all) < 40 {
			t.Errorf("%s has %d statements", graph, len(all))
		}
		if once := slices.Compact(slices.Clone(sorted(all))); len(once) != len(all) {
			t.Errorf("%s has %d statements, %d different ones", graph, len(all), len(once))
		}
		for _, q := range append(slices.Clone(all), q("none", "none", iri("none"))) {
			for shape := range 8 {
				pattern := rdf.Quad{Label: graph}
				if shape&1 != 0 {
					pattern.Subject = q.Subject
				}
				if shape&2 != 0 {
					pattern.Predicate = q.Predicate
				}
				if shape&4 != 0 {
					pattern.Object = q.Object
				}
				checkPattern(t, r, all, pattern)
			}
		}
	}
	for q, err := range r.Match(t.Context(), rdf.Quad{}) {
		if err != nil || rdf.IsVirtual(q.Label) {
			t.Fatalf("%v is stored, error %v", q, err)
		}
	}
}

const virtualPrefixes = `PREFIX : <urn:test:> PREFIX prov: <http://www.w3.org/ns/prov#> PREFIX t: <urn:trails:ns#>
PREFIX dct: <http://purl.org/dc/terms/> PREFIX g: <urn:trails:graph:> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> `

// TestQueriesOfVirtualGraphsAgreeWithTheOracle, which is given their statements.
func TestQueriesOfVirtualGraphsAgreeWithTheOracle(t *testing.T) {
	testrun.Alone(t)
	r := calls(t)
	var all []rdf.Quad
	for _, label := range []rdf.Term{nil, rdf.ProvGraph, rdf.CommitsGraph, rdf.CapabilitiesGraph} {
		all = append(all, collect(t, r.Match(t.Context(), rdf.Quad{Label: label}))...)
	}
	for _, text := range virtualQueries {
		t.Run(text, func(t *testing.T) {
			text := virtualPrefixes + text
			c := sparqltest.Case{Text: text}
			q, err := sparql.Parse(text, sparql.Options{})
			if err != nil {
				t.Fatal(err)
			}
			got, err := answer(t.Context(), r, q)
			if err != nil {
				t.Fatal(err)
			}
			if err := sparqltest.Agree(context.Background(), c, all, got); err != nil {
				t.Error(err)
			}
			if len(got.Rows) == 0 && got.Truth == nil && !strings.Contains(text, "# none") {
				t.Error("no row, which proves little")
			}
			inOrder(t, text, all, got)
		})
	}
}

// inOrder compares the rows one by one where the query sorts them.
func inOrder(t *testing.T, text string, all []rdf.Quad, got rdftest.Answer) {
	if !strings.Contains(text, "ORDER BY") {
		return
	}
	want, err := sparqltest.Oracle{}.Query(t.Context(), text, "", all)
	if err != nil {
		t.Fatal(err)
	}
	for i := range want.Rows {
		if !slices.Equal(want.Rows[i], got.Rows[i]) {
			t.Errorf("row %d is %v, want %v", i, got.Rows[i], want.Rows[i])
		}
	}
}

var virtualQueries = []string{
	`SELECT * { GRAPH g:prov { ?a a prov:Activity ; prov:wasAssociatedWith ?agent } }`,
	`SELECT * { GRAPH g:prov { ?s ?p ?o } }`,
	`SELECT * { GRAPH g:commits { ?s ?p ?o } }`,
	`SELECT * FROM g:prov { ?s ?p ?o }`,
	`SELECT * FROM g:prov FROM g:commits { ?s a ?type ; ?p ?o FILTER(?type != prov:Entity) }`,
	`SELECT * FROM g:prov FROM :g FROM g:prov { ?s ?p ?o }`,
	`SELECT * FROM :g FROM g:commits { ?s ?p ?o } ORDER BY DESC(?p) ?s ?o`,
	`SELECT ?g (COUNT(*) AS ?n) FROM NAMED g:prov FROM NAMED :g FROM NAMED :nowhere { GRAPH ?g { ?s ?p ?o } } GROUP BY ?g`,
	`SELECT ?g FROM NAMED g:prov FROM NAMED g:commits FROM NAMED :g FROM NAMED :nowhere { GRAPH ?g {} }`,
	`SELECT ?g FROM NAMED g:prov FROM NAMED :g { GRAPH ?g { VALUES ?x { 1 2 } } }`,
	`SELECT ?g ?s FROM NAMED g:prov FROM NAMED g:commits FROM g:prov { GRAPH ?g { ?s a ?type } FILTER EXISTS { GRAPH ?g { ?s prov:endedAtTime ?x } } }`,
	`SELECT ?g ?s FROM NAMED g:prov FROM NAMED g:commits { GRAPH ?g { ?s a ?type FILTER NOT EXISTS { ?s prov:endedAtTime ?x } } }`,
	`ASK { GRAPH g:prov {} }`,
	`SELECT * { GRAPH g:prov { VALUES ?x { 1 } } }`,
	// Joins with the data, which has some of the same terms.
	`SELECT * { ?e :p ?o GRAPH g:prov { ?e prov:wasGeneratedBy ?a . ?a prov:startedAtTime ?t } }`,
	`SELECT * { GRAPH g:prov { ?a prov:generated ?e ; t:capability ?c } OPTIONAL { ?e :p ?o } }`,
	`SELECT * { ?e :q ?o OPTIONAL { GRAPH g:prov { ?e prov:wasGeneratedBy ?a } } }`,
	`SELECT * { ?c :reviewedBy ?who GRAPH g:commits { ?c prov:generatedAtTime ?t ; t:added ?n } }`,
	`SELECT * { GRAPH g:commits { ?c prov:generatedAtTime ?t } ?c :reviewedBy ?who }`,
	`SELECT * { ?x :at ?t GRAPH g:commits { ?c prov:generatedAtTime ?t } }`,
	`SELECT * { GRAPH g:commits { ?c prov:generatedAtTime ?t } ?x :at ?t }`,
	`SELECT * { ?x :count ?n GRAPH g:commits { ?c t:added ?n } }`,
	`SELECT * { ?x :call ?a GRAPH g:prov { ?a ?p ?o } }`,
	`SELECT * { GRAPH g:prov { ?a t:commit ?c } GRAPH g:commits { ?c dct:description ?m } }`,
	`SELECT * { GRAPH g:commits { ?c t:author "ana" } GRAPH g:prov { ?a t:commit ?c ; prov:generated ?e } }`,
	`SELECT * { GRAPH g:commits { ?c prov:wasAttributedTo ?who } MINUS { GRAPH g:prov { ?a t:commit ?c ; prov:generated :b } } }`,
	`SELECT * { { GRAPH g:commits { ?n prov:generatedAtTime ?t } } UNION { GRAPH g:prov { ?n prov:startedAtTime ?t } } }`,
	`SELECT * { GRAPH g:capabilities { ?v ?p ?o } }`,
	`SELECT * { GRAPH g:capabilities { ?v t:capability "note.create" ; t:version ?n ; prov:generatedAtTime ?t OPTIONAL { ?v prov:wasRevisionOf ?b } } } ORDER BY ?t`,
	`SELECT * { GRAPH g:capabilities { ?v t:idempotent true ; t:deprecates "note.old" ; prov:wasRevisionOf+ ?b } }`,
	`SELECT * { GRAPH g:capabilities { ?v t:commit ?c } GRAPH g:commits { ?c t:author ?who } }`,
	`SELECT * { GRAPH g:capabilities { <urn:trails:capability:note@1.0.0> ?p ?o } }`,
	// Constants.
	`SELECT * { GRAPH g:prov { ?a prov:generated :a } }`,
	`SELECT * { GRAPH g:prov { :b prov:wasGeneratedBy ?a } }`,
	`SELECT * { GRAPH g:prov { ?a prov:generated :nowhere } } # none`,
	`SELECT * { GRAPH g:prov { <urn:uuid:00000000-0000-7000-8000-000000000003> ?p ?o } }`,
	`SELECT * { GRAPH g:prov { ?a t:outcome "denied" ; t:trace ?trace ; prov:wasAssociatedWith <urn:trails:agent:bo> } }`,
	`SELECT * { GRAPH g:prov { ?a prov:wasAssociatedWith <urn:trails:agent:cli:bo%20%3Cx%3E> } }`,
	`SELECT * { GRAPH g:prov { ?a prov:wasAssociatedWith <urn:trails:agent:cli:bo%20%3cx%3e> } } # none`,
	`SELECT * { GRAPH g:prov { ?a a t:MetaActivity } }`,
	`SELECT * { GRAPH g:prov { ?a t:dryRun true ; t:capability ?what } }`,
	`SELECT * { GRAPH g:prov { ?a t:capability ?what MINUS { ?a t:dryRun ?x } } }`,
	`SELECT * { GRAPH g:prov { ?a t:dryRun false } } # none`,
	`SELECT * { GRAPH g:commits { ?c t:added 2 ; t:schemaVersion 1 } }`,
	`SELECT * { GRAPH g:commits { ?c t:added "02"^^xsd:integer } } # none`,
	// Filters, groups and orders.
	`SELECT * { GRAPH g:prov { ?a prov:startedAtTime ?t FILTER(?t > "2026-01-01T00:00:03Z"^^xsd:dateTime) } }`,
	`SELECT * { GRAPH g:commits { ?c prov:generatedAtTime ?t FILTER(?t <= "2026-01-02T03:04:08.00202Z"^^xsd:dateTime) } }`,
	`SELECT * { GRAPH g:commits { ?c prov:generatedAtTime ?t FILTER(?t = "2026-01-02T03:04:08.00202Z"^^xsd:dateTime) } }`,
	`SELECT * { GRAPH g:commits { ?c prov:generatedAtTime ?t FILTER(?t > "2026-01-02T03:04:08.00202Z"^^xsd:dateTime && ?t < "2026-01-02T03:04:09.5030271Z"^^xsd:dateTime) } }`,
	`SELECT * { GRAPH g:commits { ?c prov:generatedAtTime ?t ; t:added ?n FILTER(?n >= 2 && ?n < 3.5) } } ORDER BY ?t`,
	`SELECT * FROM g:commits { ?c t:statements ?n OPTIONAL { ?c t:added ?m FILTER(?m > 2) } FILTER(?n > 2) }`,
	`SELECT * FROM g:commits { ?c t:author ?who OPTIONAL { ?c t:added ?m } FILTER(?m > 2) }`,
	`SELECT * FROM g:commits FROM g:prov { ?x t:added|t:costMicros ?n FILTER(?n > 3) }`,
	`SELECT ?who (COUNT(?a) AS ?n) (MAX(?t) AS ?last) { GRAPH g:prov { ?a prov:wasAssociatedWith ?who ; prov:endedAtTime ?t } } GROUP BY ?who`,
	`SELECT ?a ?t { GRAPH g:prov { ?a a prov:Activity ; prov:startedAtTime ?t } } ORDER BY DESC(?t) LIMIT 3`,
	`SELECT ?a ?t { GRAPH g:prov { ?a a prov:Activity ; prov:startedAtTime ?t } } ORDER BY ?t OFFSET 2`,
	`SELECT ?c ?m FROM g:commits { ?c prov:generatedAtTime ?t OPTIONAL { ?c dct:description ?m } } ORDER BY DESC(?t) LIMIT 2`,
	`SELECT ?c ?t FROM NAMED g:commits { GRAPH ?g { ?c prov:generatedAtTime ?t } } ORDER BY DESC(?t) LIMIT 2`,
	`SELECT ?c ?n { GRAPH g:commits { ?c t:statements ?n } } ORDER BY DESC(?n) ?c`,
	`SELECT ?e ?t { ?e :p ?o OPTIONAL { GRAPH g:prov { ?e prov:wasGeneratedBy/prov:endedAtTime ?t } } } ORDER BY ?t ?e ?o`,
	`SELECT (COUNT(DISTINCT ?s) AS ?n) { GRAPH g:prov { ?s ?p ?o } }`,
	// Functions of terms that no dictionary has.
	`SELECT ?c (DATATYPE(?t) AS ?d) (STR(?t) AS ?s) (YEAR(?t) AS ?y) { GRAPH g:commits { ?c prov:generatedAtTime ?t } }`,
	`SELECT ?c (STRLEN(?m) AS ?n) (UCASE(?m) AS ?u) (LANG(?m) AS ?l) (isLITERAL(?m) AS ?is) { GRAPH g:commits { ?c dct:description ?m } }`,
	`SELECT * { GRAPH g:prov { ?a t:capability ?name FILTER(REGEX(?name, "^n.*e$") && CONTAINS(STR(?a), "uuid")) } }`,
	`SELECT * { GRAPH g:prov { ?a t:capability ?name FILTER(STRSTARTS(?name, "note.")) } }`,
	`SELECT * { GRAPH g:prov { ?a t:capability ?name FILTER(?name > "m" && isIRI(?a)) } }`,
	`SELECT ?a ?b { GRAPH g:prov { ?a t:via ?x . ?b t:via ?y FILTER(?x = ?y && ?a != ?b) } }`,
	`SELECT * { GRAPH g:commits { ?c t:author ?x } GRAPH g:prov { ?a t:author ?y } FILTER(?x = ?y) }`,
	`SELECT (GROUP_CONCAT(?m) AS ?all) (MIN(?t) AS ?first) { GRAPH g:commits { ?c prov:generatedAtTime ?t ; dct:description ?m } } GROUP BY ?m`,
	`SELECT ?name (COUNT(*) AS ?n) { GRAPH g:prov { ?a prov:wasAssociatedWith ?who } } GROUP BY (STR(?who) AS ?name) ORDER BY ?name`,
	// Paths.
	`SELECT * { GRAPH g:commits { ?c prov:wasRevisionOf+ ?before } }`,
	`SELECT * { GRAPH g:commits { ?c prov:wasRevisionOf* ?before . ?c dct:description "m" } }`,
	`SELECT * { GRAPH g:commits { ?c ^prov:wasRevisionOf/prov:wasRevisionOf? ?x } }`,
	`SELECT * { GRAPH g:commits { ?c ^prov:wasRevisionOf+ ?after . ?c t:schemaVersion 1 } }`,
	`SELECT * { GRAPH g:prov { :a prov:wasGeneratedBy/prov:wasAssociatedWith ?who } }`,
	`SELECT * { GRAPH g:prov { ?a ^prov:wasGeneratedBy|prov:used ?e } }`,
	`SELECT * { GRAPH g:prov { :a (prov:wasGeneratedBy/prov:generated)+ ?e } }`,
	`SELECT * { GRAPH g:prov { ?a !(prov:generated|^prov:generated) ?e } }`,
	`SELECT ?g ?c ?b FROM NAMED g:prov FROM NAMED g:commits FROM NAMED :g { GRAPH ?g { ?c prov:wasRevisionOf* ?b } }`,
}

// TestVirtualGraphsAreAskedByName: GRAPH with a variable has the stored ones, unless
// FROM NAMED says more.
func TestVirtualGraphsAreAskedByName(t *testing.T) {
	r := calls(t)
	for _, c := range []struct{ query, want string }{
		{"SELECT ?g { GRAPH ?g {} }", "[<urn:test:g>]"},
		{"SELECT DISTINCT ?g { GRAPH ?g { ?s ?p ?o } }", "[<urn:test:g>]"},
		{"SELECT DISTINCT ?g { VALUES ?g { g:prov :g } GRAPH ?g { ?s ?p ?o } }", "[<urn:test:g>]"},
		{"SELECT DISTINCT ?g FROM NAMED g:commits { GRAPH ?g { ?s ?p ?o } }", "[<urn:trails:graph:commits>]"},
		{"SELECT ?g FROM NAMED g:commits { BIND(g:prov AS ?g) GRAPH g:prov { ?s ?p ?o } }", ""},
	} {
		q, err := sparql.Parse(virtualPrefixes+c.query, sparql.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := answer(t.Context(), r, q)
		if err != nil {
			t.Fatal(err)
		}
		if text := strings.Trim(fmt.Sprint(got.Rows), "[]"); text != strings.Trim(c.want, "[]") {
			t.Errorf("%s: %s, want %s", c.query, text, c.want)
		}
	}
}
