package kg_test

import (
	"strings"
	"sync"
	"testing"

	"trails/e2e/testrun"
	"trails/fault"
	"trails/kg"
	"trails/kg/load"
	"trails/rdf"
	"trails/sparql"
)

func parseUpdate(t testing.TB, text string) *sparql.Update {
	t.Helper()
	u, err := sparql.ParseUpdate("PREFIX : <"+base+"> "+text, sparql.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func tryUpdate(t testing.TB, g *kg.Graph, text string, set kg.ChangeSet, o kg.UpdateOptions) (kg.Result, error) {
	t.Helper()
	return g.Session(ana).Update(t.Context(), parseUpdate(t, text), set, o)
}

func update(t testing.TB, g *kg.Graph, text string) kg.Result {
	t.Helper()
	r, err := tryUpdate(t, g, text, kg.ChangeSet{}, kg.UpdateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestAParameterOfAnUpdateIsATerm holds in templates and in patterns; its text is
// never read as SPARQL.
func TestAParameterOfAnUpdateIsATerm(t *testing.T) {
	g := newGraph(t, "")
	evil := rdf.Literal(`x" } ; CLEAR ALL ; INSERT DATA { :a :b "`, "")
	params := map[sparql.Var]rdf.Term{"v": evil, "s": rdf.IRI(base + "s")}
	for _, text := range []string{"INSERT { ?s :p ?v } WHERE {}", "INSERT { ?s :q ?o } WHERE { ?s :p ?o FILTER (?o = ?v) }"} {
		r, err := tryUpdate(t, g, text, kg.ChangeSet{}, kg.UpdateOptions{Params: params})
		if err != nil || len(r.Added) != 1 || r.Added[0].Object != evil {
			t.Fatalf("%s: got %+v, %v", text, r.Added, err)
		}
	}
	_, err := tryUpdate(t, g, "INSERT { :s :p 1 } WHERE {}", kg.ChangeSet{}, kg.UpdateOptions{Params: params})
	if !fault.Is(err, fault.InvalidArguments) || len(fault.Of(err).Fields) != 2 {
		t.Errorf("parameters that the text does not name: %v", err)
	}
}

func TestTheCallSaysWhatWhereReadsUnlessTheTextDoes(t *testing.T) {
	g := newGraph(t, "")
	update(t, g, "INSERT DATA { :s :p 1 . GRAPH :g { :s :p 2 } GRAPH :h { :s :p 3 } }")
	o := kg.UpdateOptions{Dataset: sparql.Dataset{Default: []rdf.IRI{base + "g"}}}
	r, err := tryUpdate(t, g, "INSERT { :s :copy ?o } WHERE { :s :p ?o }", kg.ChangeSet{}, o)
	if err != nil || len(r.Added) != 1 || rdf.Lexical(r.Added[0].Object) != "2" || r.Added[0].Label != nil {
		t.Errorf("got %v, %v", r.Added, err)
	}
	for _, text := range []string{"WITH :h DELETE { ?s :p ?o } WHERE { ?s :p ?o }", "DELETE { ?s :p ?o } USING :h WHERE { ?s :p ?o }"} {
		if _, err := tryUpdate(t, g, text, kg.ChangeSet{}, o); !fault.Is(err, fault.InvalidArguments) {
			t.Errorf("%s: got %v", text, err)
		}
	}
}

// TestUpdatesOfTwoHandlesCountOnEachOther is the counter that loses steps when a
// WHERE reads what another writer is about to change.
func TestUpdatesOfTwoHandlesCountOnEachOther(t *testing.T) {
	path := newFile(t, "")
	graphs := []*kg.Graph{open(t, path), open(t, path)}
	update(t, graphs[0], "INSERT DATA { :counter :n 0 }")
	const steps = 20
	var all sync.WaitGroup
	for _, g := range graphs {
		for range 2 {
			all.Go(func() {
				for range steps {
					_, err := tryUpdate(t, g, "DELETE { ?c :n ?n } INSERT { ?c :n ?next } WHERE { ?c :n ?n BIND (?n + 1 AS ?next) }", kg.ChangeSet{}, kg.UpdateOptions{})
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	all.Wait()
	if got := export(t, graphs[0], load.NQuads); !strings.Contains(got, `"80"`) {
		t.Errorf("got %s", got)
	}
	verify(t, graphs[1])
}

// TestALongRequestLeavesNothingBehind has an operation that fails after others were
// tried, and then one that succeeds on the same connection.
func TestALongRequestLeavesNothingBehind(t *testing.T) {
	g := newGraph(t, notes)
	before := export(t, g, load.NQuads)
	_, err := tryUpdate(t, g, `INSERT DATA { :x <urn:p> "kept by nobody" } ; COPY :none TO :g`, kg.ChangeSet{}, kg.UpdateOptions{})
	if !fault.Is(err, fault.Missing) {
		t.Errorf("got %v", err)
	}
	if got := export(t, g, load.NQuads); got != before {
		t.Errorf("a refused request left\n%s", got)
	}
	if _, err := g.Session(ana).Update(cancelled(t), parseUpdate(t, "CLEAR ALL"), kg.ChangeSet{}, kg.UpdateOptions{}); err == nil {
		t.Error("a cancelled update went on")
	}
	update(t, g, `INSERT DATA { :x <urn:p> "kept by nobody" } ; DELETE DATA { :x <urn:p> "kept by nobody" } ; INSERT DATA { :x <urn:p> "kept" }`)
	if got := strings.Count(export(t, g, load.NQuads), "kept"); got != 1 {
		t.Errorf("%d statements, want one", got)
	}
	verify(t, g)
}

// TestAnUpdateOfManyStatements goes beyond what a transaction holds in memory at
// once, alone and as one of several operations.
func TestAnUpdateOfManyStatements(t *testing.T) {
	testrun.Alone(t)
	for name, then := range map[string]string{"alone": "", "of two": " ; DELETE DATA { :a0 :n 1 }"} {
		t.Run(name, func(t *testing.T) {
			g := newGraph(t, "")
			update(t, g, "INSERT DATA { :d :d 0,1,2,3,4,5,6,7,8,9 }")
			r := update(t, g, `INSERT { ?s :n ?n ; :m ?b } WHERE { :d :d ?a, ?b, ?c, ?e BIND (?a + 10*?b + 100*?c + 1000*?e AS ?n) BIND (IRI(CONCAT(STR(:a), STR(?n))) AS ?s) }`+then)
			if r.AddedCount != 20_000 {
				t.Errorf("added %d", r.AddedCount)
			}
			r = update(t, g, "DELETE WHERE { ?s :n ?n ; :m ?m }"+then)
			if r.RemovedCount != 20_000 {
				t.Errorf("removed %d", r.RemovedCount)
			}
			verify(t, g)
		})
	}
}
