package kg_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trails/db"
	"trails/e2e/testrun"
	"trails/fault"
	"trails/kg"
	"trails/rdf"
	"trails/sparql"
)

// solved returns the rows of a query in a session.
func solved(t *testing.T, s *kg.Session, text string, o kg.QueryOptions) (string, error) {
	t.Helper()
	var out strings.Builder
	err := s.View(t.Context(), func(snap *kg.Snapshot) error {
		q, err := sparql.Parse("PREFIX : <"+snap.Graph().Base()+"> PREFIX at: <"+rdf.GraphsAt+"> "+text, sparql.Options{})
		if err != nil {
			return err
		}
		return shown(t.Context(), &out, snap, q, o)
	})
	return out.String(), err
}

// linked is a graph with a list of three nodes that was cut in the newest commit, the tag "whole" before that, and the
// branch "side/one", which has a title of its own.
func linked(t *testing.T) *kg.Graph {
	t.Helper()
	g := open(t, newFile(t, ""))
	s := g.Session(ana)
	update(t, g, `INSERT DATA { :a :title "old" ; :next :b . :b :next :c ; :title "same" . GRAPH :g { :a :title "named" } }`)
	if _, err := s.AddTag(t.Context(), "whole", "", false, kg.Activity{}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.MakeBranch(t.Context(), kg.NewBranch{Name: "side/one"}); err != nil {
		t.Fatal(err)
	}
	on := s.On("side/one")
	if _, err := on.Update(t.Context(), parseUpdate(t, `INSERT DATA { :c :title "aside" }`), kg.ChangeSet{}, kg.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	update(t, g, `DELETE DATA { :a :title "old" ; :next :b } ; INSERT DATA { :a :title "new" }`)
	return g
}

func TestAQueryComparesCommits(t *testing.T) {
	g := linked(t)
	var whole kg.Commit
	viewOf(t, g.Session(ana), func(snap *kg.Snapshot) { whole = mustFind(t, snap, "whole") })
	for text, want := range map[string]string{
		`SELECT ?n ?old ?new { ?n :title ?new GRAPH at:whole { ?n :title ?old } FILTER(?old != ?new) }`:           "n=<a> old=\"old\" new=\"new\" \n",
		`SELECT ?old { GRAPH <urn:trails:at:` + whole.ID.Whole()[:8] + `> { :a :title ?old } }`:                   "old=\"old\" \n",
		`SELECT ?t { GRAPH <urn:trails:at:head~1> { :a :title ?t } }`:                                             "t=\"old\" \n",
		`SELECT ?t { GRAPH <urn:trails:at:head%7E1> { :a :title ?t } }`:                                           "t=\"old\" \n",
		`SELECT ?t { GRAPH <urn:trails:at:side/one> { ?n :title ?t MINUS { GRAPH at:whole { ?n :title ?t } } } }`: "t=\"aside\" \n",
		`SELECT ?x { GRAPH at:whole { :a :next+ ?x } } ORDER BY ?x`:                                               "x=<b> \nx=<c> \n",
		`SELECT ?x ?t { GRAPH at:whole { ?x :next ?y OPTIONAL { ?y :title ?t } } } ORDER BY ?x`:                   "x=<a> t=\"same\" \nx=<b> t= \n",
		`SELECT (COUNT(*) AS ?n) { GRAPH at:whole { ?x :title ?t FILTER NOT EXISTS { ?x :next :c } } }`:           "n=\"1\"^^<http://www.w3.org/2001/XMLSchema#integer> \n",
		`SELECT ?x { ?x :title "new" FILTER NOT EXISTS { GRAPH at:whole { ?x :title "new" } } }`:                  "x=<a> \n",
		`SELECT ?x { GRAPH at:whole { { SELECT ?x { ?x :title ?t } ORDER BY ?t LIMIT 1 } } }`:                     "x=<a> \n",
		`SELECT ?t { GRAPH at:whole { GRAPH :g { :a :title ?t } } }`:                                              "t=\"named\" \n",
		`SELECT ?g { GRAPH ?g { ?s ?p ?o } }`:                                                                     "g=<g> \n",
		`SELECT ?t FROM at:whole { :a :title ?t }`:                                                                "t=\"old\" \n",
		`SELECT ?g ?t FROM NAMED at:whole FROM NAMED at:head { GRAPH ?g { :a :title ?t } FILTER(?g = at:head) }`:  "g=<urn:trails:at:head> t=\"new\" \n",
		`DESCRIBE :b FROM at:whole`:                   "<b> <next> <c> .\n<b> <title> \"same\" .\n",
		`SELECT ?t { GRAPH ?state { :a :title ?t } }`: "t=\"old\" \n",
		`CONSTRUCT { ?n :was ?old } { GRAPH at:whole { ?n :title ?old } MINUS { ?n :title ?old } }`:                     "<a> <was> \"old\" .\n",
		`SELECT ?t { GRAPH at:main { :a :title ?t } GRAPH <urn:trails:at:2999-01-01T00:00:00+01:00> { :a :title ?t } }`: "t=\"new\" \n",
	} {
		o := kg.QueryOptions{}
		if strings.Contains(text, "?state") {
			o.Params = map[sparql.Var]rdf.Term{"state": rdf.IRI("urn:trails:at:whole")}
		}
		got, err := solved(t, g.Session(ana), text, o)
		if diff := cmp.Diff(want, strings.ReplaceAll(got, g.Base(), "")); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", text, err, diff)
		}
	}
}

// An unknown commit, and a graph that would not be found, are told: the answer is never empty for them.
func TestAQueryOfNoCommitIsRefused(t *testing.T) {
	g := linked(t)
	for text, want := range map[string]struct {
		kind fault.Kind
		text string
	}{
		`SELECT * { GRAPH at:deadbeef { ?s ?p ?o } }`:                              {fault.Missing, "no commit deadbeef; commits_list has them"},
		`SELECT * { GRAPH <urn:trails:at:head~9> { ?s ?p ?o } }`:                   {fault.Missing, "there is no head~9: main has 2 commits"},
		`SELECT * { GRAPH at:nowhere { ?s ?p ?o } }`:                               {fault.Malformed, `"nowhere" names no commit; give`},
		`SELECT * { GRAPH <urn:trails:at:> { ?s ?p ?o } }`:                         {fault.Malformed, `graph <urn:trails:at:> names no commit; give`},
		`SELECT * { ?s ?p ?o FILTER EXISTS { GRAPH at:nowhere { ?s ?p ?o } } }`:    {fault.Malformed, "names no commit"},
		`SELECT * FROM at:nowhere { ?s ?p ?o }`:                                    {fault.Malformed, "names no commit"},
		`SELECT * { VALUES ?g { at:whole } GRAPH ?g { ?s ?p ?o } }`:                {fault.InvalidArguments, "write GRAPH <urn:trails:at:whole>"},
		`SELECT * { GRAPH ?g { ?s ?p ?o } FILTER(?g = at:whole) }`:                 {fault.InvalidArguments, "write GRAPH <urn:trails:at:whole>"},
		`SELECT * { BIND(at:whole AS ?g) { SELECT * { GRAPH ?g { ?s ?p ?o } } } }`: {fault.InvalidArguments, "write GRAPH <urn:trails:at:whole>"},
	} {
		if got, err := solved(t, g.Session(ana), text, kg.QueryOptions{}); !fault.Is(err, want.kind) || !strings.Contains(err.Error(), want.text) {
			t.Errorf("%s: got %v and %q, want %s with %q", text, err, got, want.kind, want.text)
		}
	}
}

// An update reads graphs of commits, on main and on a branch, and writes to none.
func TestAnUpdateReadsCommitsAndWritesNone(t *testing.T) {
	testrun.Alone(t)
	const denied = "cannot be written to"
	for text, want := range map[string]string{
		`INSERT { ?s :was ?o } WHERE { GRAPH at:whole { ?s :title ?o } }`:                                    "",
		`INSERT { ?s :was ?o } USING at:whole WHERE { ?s :title ?o }`:                                        "",
		`DELETE DATA { :b :title "same" } ; INSERT { ?s :was ?o } WHERE { GRAPH at:whole { ?s :title ?o } }`: "",
		`ADD GRAPH at:whole TO GRAPH :copy`:                                                                  "",
		`WITH at:whole INSERT { GRAPH :copy { ?s :was ?o } } WHERE { ?s :title ?o }`:                         "",
		`INSERT DATA { GRAPH at:whole { :a :b :c } }`:                                                        denied,
		`DELETE WHERE { GRAPH at:whole { ?s :nothing ?o } }`:                                                 denied,
		`WITH at:whole DELETE { ?s :nothing ?o } WHERE { ?s :nothing ?o }`:                                   denied,
		`INSERT { GRAPH ?g { :a :b :c } } WHERE { BIND(at:whole AS ?g) }`:                                    denied,
		`CLEAR GRAPH at:whole`:     denied,
		`CREATE GRAPH at:whole`:    denied,
		`MOVE at:whole TO DEFAULT`: denied,
		`COPY DEFAULT TO at:whole`: denied,
		`INSERT { ?s :was ?o } WHERE { GRAPH at:deadbeef { ?s :title ?o } }`: "no commit deadbeef",
		`COPY at:deadbeef TO DEFAULT`:                                        "no commit deadbeef",
	} {
		for _, branch := range []string{kg.Main, "side/one"} {
			g := linked(t)
			s := g.Session(ana).On(branch)
			before := allOf(t, s)
			_, err := s.Update(t.Context(), parseUpdate(t, "PREFIX at: <"+rdf.GraphsAt+"> "+text), kg.ChangeSet{}, kg.UpdateOptions{})
			if want != "" {
				if err == nil || !strings.Contains(err.Error(), want) || !cmp.Equal(before, allOf(t, s)) {
					t.Errorf("%s on %s: %v, want %q and no change", text, branch, err, want)
				}
				continue
			}
			const left = `SELECT ?o { { ?s :was|:title ?o } UNION { GRAPH :copy { ?s :was|:title ?o } } FILTER(?o = "old") }`
			if got, asked := solved(t, s, left, kg.QueryOptions{}); err != nil || asked != nil || !strings.Contains(got, "old") {
				t.Errorf("%s on %s: %v, %v, left %q", text, branch, err, asked, got)
			}
		}
	}
}

// What somebody may not see is not seen in a graph of a commit, whenever it was written, and neither is a commit that
// changed nothing else.
func TestRightsHoldInTheGraphOfACommit(t *testing.T) {
	g, rights := secretive(t)
	seen := update(t, g, `INSERT DATA { :Person\/a <urn:note> "public" }`).After
	hidden := update(t, g, `DELETE DATA { :Person\/a :salary 5 } ; INSERT DATA { :Person\/a :salary 6 }`).After
	update(t, g, `DELETE WHERE { :Secret\/s ?p ?o } ; DELETE WHERE { :Person\/a :salary ?o } ; DELETE WHERE { :Person\/b :boss ?o }`)
	s := g.Session(ana).Seeing(rights)
	for _, c := range []db.View{{At: seen.ID}, {At: hidden.ID}} {
		text := `SELECT ?s ?p ?o { GRAPH at:` + c.At.Whole() + ` { ?s ?p ?o } } ORDER BY ?s ?p ?o`
		got, err := solved(t, s, text, kg.QueryOptions{})
		if c.At == hidden.ID {
			if !fault.Is(err, fault.Missing) {
				t.Errorf("a hidden commit: %v and\n%s", err, got)
			}
			continue
		}
		all, failed := solved(t, g.Session(ana), text, kg.QueryOptions{})
		if err != nil || failed != nil || !strings.Contains(got, "public") {
			t.Fatal(err, failed, got)
		}
		for _, of := range []string{"salary", "Secret", "Person/x"} {
			if strings.Contains(got, of) || !strings.Contains(all, of) {
				t.Errorf("%q is seen in\n%s\nor not in\n%s", of, got, all)
			}
		}
	}
}
