package invoke_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/piprate/json-gold/ld"

	"trails/auth/policy"
	"trails/builtin"
	"trails/example"
	"trails/fault"
	"trails/invoke"
	"trails/invoke/invoketest"
	"trails/kg"
	"trails/kg/browse"
)

func TestProvenanceSaysHowEachCallEnded(t *testing.T) {
	e := invoketest.Example(t)
	calls := []invoke.Call{
		{Capability: "health", Principal: invoketest.Ana},
		{Capability: "commits_list", Args: json.RawMessage(`{"limit":0}`), Principal: invoketest.Ana},
		{Capability: "standard.create", Args: json.RawMessage(`{"name":"X Y"}`), Principal: invoketest.Ana},
		{Capability: "standard.update", Args: json.RawMessage(`{"id":"nothing","title":"Nothing"}`), Principal: invoketest.Ana},
		{Capability: "nothing", Principal: invoketest.Ana},
		{Capability: "trails_meta_schema_plan", Args: json.RawMessage(`{"schema":""}`), Principal: invoketest.Nobody},
		{Capability: "health", Principal: invoketest.Callers["scopeless"]},
		{Capability: "standard.update", Args: json.RawMessage(`{"id":"mcp","title":"MCP","dry_run":true}`), Principal: invoketest.Ana},
		{Capability: "standard.update", Args: json.RawMessage(`{"id":"mcp","nothing":1,"dry_run":true}`), Principal: invoketest.Ana},
		{Capability: "standard.update", Args: json.RawMessage(`{"id":"mcp","title":"MCP"}`), Principal: invoketest.Ana},
	}
	for _, c := range calls {
		c.Via = "test"
		e.Call(t.Context(), c)
	}
	var got []string
	for _, a := range e.Activities(t) {
		if a.Via != "test" || a.Capability == "load" {
			continue
		}
		if a.Ended.Before(a.Started) || a.ID == "" || len(a.Inputs) != 32 || a.TraceID == "" {
			t.Errorf("incomplete: %+v", a)
		}
		got = append(got, fmt.Sprintf("%s %s/%s by %s, commit %d, made %v, dry run %t", a.Capability, a.Outcome, a.Error, a.Agent, a.CommitSeq, a.Generated, a.DryRun))
	}
	slices.Sort(got)
	want := []string{
		"commits_list invalid/invalid_arguments by local:ana via test, commit 0, made [], dry run false",
		"health denied/scope_denied by token:none, commit 0, made [], dry run false",
		"health ok/ by local:ana via test, commit 0, made [], dry run false",
		"nothing denied/unknown_tool by local:ana via test, commit 0, made [], dry run false",
		"standard.create invalid/invalid_data by local:ana via test, commit 0, made [], dry run false",
		"standard.update failed/missing by local:ana via test, commit 0, made [], dry run false",
		"standard.update invalid/invalid_data by local:ana via test, commit 0, made [], dry run true",
		"standard.update ok/ by local:ana via test, commit 0, made [], dry run true",
		"standard.update ok/ by local:ana via test, commit 3, made [urn:trails:example:Standard/mcp], dry run false",
		"trails.meta.schema.plan denied/unauthenticated by anonymous via test, commit 0, made [], dry run false",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestWhatAReadUsedIsInItsProvenance(t *testing.T) {
	e := invoketest.Example(t)
	if _, err := e.Read(t.Context(), "trails://kg/Decision/4", invoke.Call{Principal: invoketest.Ana}); err != nil {
		t.Fatal(err)
	}
	for _, a := range e.Activities(t) {
		if cmp.Equal(a.Used, []string{"urn:trails:example:Decision/4"}) {
			return
		}
	}
	t.Error("no activity used the decision")
}

// TestClosingTheEngineKeepsWhatWaits reopens the file to see it.
func TestClosingTheEngineKeepsWhatWaits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.db")
	if err := kg.Create(t.Context(), path, kg.CreateOptions{Schema: example.Schema}); err != nil {
		t.Fatal(err)
	}
	g, err := kg.Open(t.Context(), path, kg.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e := invoke.New(g, invoke.Config{Providers: builtin.Providers()})
	const n = 1000
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range n / 4 {
				if _, err := e.Call(t.Context(), invoke.Call{Capability: "health", Principal: invoketest.Ana}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if err := e.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	g.Close()
	again := invoketest.Open(t, path, invoke.Config{Providers: builtin.Providers()})
	list := again.Activities(t)
	kept := slices.DeleteFunc(list, func(a kg.Activity) bool { return a.Capability != "health" })
	if len(kept) != n {
		t.Errorf("%d of %d calls are in the file", len(kept), n)
	}
	seen := map[string]bool{}
	for _, a := range kept {
		seen[a.ID] = true
	}
	if len(seen) != n {
		t.Errorf("%d of them are different ones", len(seen))
	}
}

// TestProvenanceIsJSONLD reads the resource as RDF, with an implementation that is not ours.
func TestProvenanceIsJSONLD(t *testing.T) {
	e := invoketest.Example(t)
	doc, err := e.Read(t.Context(), "trails://prov/latest", invoke.Call{Principal: policy.Principal{ID: "token: <x>", Scopes: policy.AllScopes()}})
	if err != nil {
		t.Fatal(err)
	}
	e.Must(t, "trails.meta.ping", "")
	if doc, err = e.Read(t.Context(), "trails://prov/latest", invoke.Call{Principal: invoketest.Ana}); err != nil {
		t.Fatal(err)
	}
	nquads := toRDF(t, e, doc.Body)
	for _, want := range []string{
		"<http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://www.w3.org/ns/prov#Activity>",
		"<http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <urn:trails:ns#MetaActivity>",
		"<http://www.w3.org/ns/prov#wasAssociatedWith> <urn:trails:agent:token:%20%3Cx%3E>",
		"<http://www.w3.org/ns/prov#generated> <urn:trails:example:Component/capability>",
		"<urn:trails:ns#commit> <urn:trails:commit:",
		"^^<http://www.w3.org/2001/XMLSchema#dateTime>",
	} {
		if !strings.Contains(nquads, want) {
			t.Errorf("no %s in\n%s", want, nquads)
		}
	}
}

var activityName = regexp.MustCompile(`<urn:uuid:[0-9a-f-]+>`)

// TestProvenanceIsOneGraph: the document and the graph that queries ask say the same of
// its activities.
func TestProvenanceIsOneGraph(t *testing.T) {
	e := invoketest.Example(t)
	e.Must(t, "trails.meta.ping", "")
	e.Must(t, "mutate", `{"update":"INSERT DATA { <urn:x> <urn:p> 1 . _:b <urn:p> 2 }"}`)
	e.Must(t, "standard.update", `{"id":"mcp","title":"Tried","dry_run":true}`)
	e.Refused(t, invoke.Call{Capability: "nothing", Principal: policy.Principal{ID: "token: <x>", Scopes: policy.AllScopes()}}, fault.UnknownTool)
	for range 2 { // the second time with the first as an activity that used nothing
		doc, err := e.Read(t.Context(), "trails://prov/latest", invoke.Call{Principal: invoketest.Ana})
		if err != nil {
			t.Fatal(err)
		}
		document := toRDF(t, e, doc.Body)
		answer := e.Must(t, "query", `{"query":"CONSTRUCT { ?s ?p ?o } { GRAPH <urn:trails:graph:prov> { ?s ?p ?o } }","format":"ntriples","limit":10000}`)
		var graph []string
		for line := range strings.Lines(answer["text"].(string)) {
			if strings.Contains(document, activityName.FindString(line)) {
				graph = append(graph, line)
			}
		}
		slices.Sort(graph)
		said := slices.Sorted(strings.Lines(document))
		if diff := cmp.Diff(said, graph); diff != "" {
			t.Errorf("the document (-) and the graph (+):\n%s", diff)
		}
		if !strings.Contains(document, `<urn:trails:ns#dryRun> "true"^^<http://www.w3.org/2001/XMLSchema#boolean>`) {
			t.Error("no call is said to be a dry run")
		}
		if len(said) < 50 {
			t.Errorf("only %d statements", len(said))
		}
	}
}

func toRDF(t *testing.T, e *invoketest.Engine, body []byte) string {
	t.Helper()
	var doc any
	if err := json.Unmarshal(body, &doc); err != nil {
		t.Fatal(err)
	}
	opts := ld.NewJsonLdOptions("")
	opts.Format = "application/n-quads"
	opts.DocumentLoader = graphContext{t, e}
	out, err := ld.NewJsonLdProcessor().ToRDF(doc, opts)
	if err != nil {
		t.Fatal(err)
	}
	return out.(string)
}

// graphContext loads the one context that documents of a graph name: what the graph has there.
type graphContext struct {
	t *testing.T
	e *invoketest.Engine
}

func (g graphContext) LoadDocument(address string) (*ld.RemoteDocument, error) {
	d, err := g.e.Read(g.t.Context(), address, invoke.Call{Principal: invoketest.Ana, Format: "jsonld", Whole: true})
	if err != nil {
		return nil, err
	}
	loaded := &ld.RemoteDocument{DocumentURL: address}
	return loaded, json.Unmarshal(d.Body, &loaded.Document)
}

// TestAnInstanceIsJSONLD holds for every node of the example: its document says what the graph says.
func TestAnInstanceIsJSONLD(t *testing.T) {
	e := invoketest.Example(t)
	err := e.Graph().Session(invoketest.Ana).View(t.Context(), func(s *kg.Snapshot) error {
		for _, typ := range s.Schema().Types {
			page, err := s.Table(t.Context(), browse.TableQuery{Type: typ, Limit: 1000})
			if err != nil {
				return err
			}
			for _, row := range page.Rows {
				item := row.Node
				doc, err := e.Read(t.Context(), "trails://kg/"+s.Name(item.Term), invoke.Call{Principal: invoketest.Ana})
				if err != nil {
					t.Errorf("%s: %v", item.Term, err)
					continue
				}
				quads, err := s.Node(t.Context(), item.Term)
				if err != nil {
					return err
				}
				if got := strings.Count(toRDF(t, e, doc.Body), " .\n"); got != len(quads) {
					t.Errorf("%s: %d statements in the document, %d in the graph", item.Term, got, len(quads))
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
