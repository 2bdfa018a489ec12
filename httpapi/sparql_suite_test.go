package httpapi_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"trails/auth"
	"trails/auth/policy"
	"trails/builtin"
	"trails/e2e/testrun"
	"trails/httpapi"
	"trails/invoke"
	"trails/kg"
	"trails/rdf"
	"trails/rdf/rdftest"
)

// stores makes services on new files, whose ends are the test's.
type stores struct {
	t testing.TB
	n int
}

func (s *stores) service(quads []rdf.Quad) (http.Handler, error) {
	s.n++
	path := filepath.Join(s.t.TempDir(), strconv.Itoa(s.n)+".trails")
	if err := kg.Create(s.t.Context(), path, kg.CreateOptions{}); err != nil {
		return nil, err
	}
	g, err := kg.Open(s.t.Context(), path, kg.Options{})
	if err != nil {
		return nil, err
	}
	e := invoke.New(g, invoke.Config{Providers: builtin.Providers(), Log: slog.New(slog.DiscardHandler)})
	s.t.Cleanup(func() {
		if err := e.Close(context.Background()); err != nil {
			s.t.Error(err)
		}
		if err := g.Close(); err != nil {
			s.t.Error(err)
		}
	})
	scopes := policy.NewScopes(policy.Runtime)
	if err := fill(s.t.Context(), e, quads, scopes); err != nil {
		return nil, err
	}
	return httpapi.New(e, httpapi.Options{Auth: auth.New(auth.Options{Scopes: scopes})}), nil
}

// fill loads quads as they are.
func fill(ctx context.Context, e *invoke.Engine, quads []rdf.Quad, scopes policy.Scopes) error {
	if len(quads) == 0 {
		return nil
	}
	var text []byte
	for _, q := range quads {
		text = append(rdf.AppendQuad(text, q), '\n')
	}
	_, err := e.Call(ctx, invoke.Call{
		Capability: "load", Args: []byte(`{"format":"nquads"}`), Principal: policy.Anonymous("test", scopes), Via: "go",
		Inputs: []invoke.Input{{Name: "data.nq", Reader: bytes.NewReader(text)}},
	})
	return err
}

func protocol(t testing.TB) rdftest.Protocol {
	s := &stores{t: t}
	return rdftest.Protocol{New: s.service, Paths: map[string]string{"/sparql/": "/sparql", "/gsp": "/rdf-graphs"}}
}

// protocolSuite reads a suite's tests below sparql11.
func protocolSuite(t *testing.T, category string) []rdftest.Test {
	t.Helper()
	suites := rdftest.Dir(t)
	tests := rdftest.Load(t, suites, "sparql/sparql11/"+category+"/manifest.ttl")
	rdftest.CheckCounts(t, suites, "sparql11", tests, category)
	return tests
}

func TestW3CProtocol(t *testing.T) {
	testrun.Alone(t)
	tests := protocolSuite(t, "protocol")
	rdftest.Suite{Name: "sparql11-protocol", Tests: tests, Run: rdftest.Script(protocol(t))}.W3C(t)
}

func TestW3CGraphStore(t *testing.T) {
	testrun.Alone(t)
	tests := protocolSuite(t, "graph-store-protocol")
	rdftest.Suite{Name: "sparql11-gsp", Tests: tests, Run: rdftest.Script(protocol(t))}.W3C(t)
}

func TestW3CServiceDescription(t *testing.T) {
	testrun.Alone(t)
	tests := protocolSuite(t, "service-description")
	rdftest.Suite{Name: "sparql11-sd", Tests: tests, Run: rdftest.ServiceDescription(protocol(t), "/sparql")}.W3C(t)
}

// spoiled changes what a service answers.
func spoiled(p rdftest.Protocol, spoil func(*httptest.ResponseRecorder)) rdftest.Protocol {
	whole := p.New
	p.New = func(quads []rdf.Quad) (http.Handler, error) {
		h, err := whole(quads)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			got := httptest.NewRecorder()
			h.ServeHTTP(got, r)
			spoil(got)
			maps.Copy(w.Header(), got.Header())
			w.WriteHeader(got.Code)
			_, _ = w.Write(got.Body.Bytes())
		}), err
	}
	return p
}

func replaced(old, text string) func(*httptest.ResponseRecorder) {
	return func(w *httptest.ResponseRecorder) {
		w.Body = bytes.NewBufferString(strings.ReplaceAll(w.Body.String(), old, text))
	}
}

// TestASpoiledServiceFailsItsSuite breaks answers in ways that a weak harness would
// not see.
func TestASpoiledServiceFailsItsSuite(t *testing.T) {
	testrun.Alone(t)
	always := func(status int) func(*httptest.ResponseRecorder) {
		return func(w *httptest.ResponseRecorder) { w.Code = status }
	}
	noHeader := func(name string) func(*httptest.ResponseRecorder) {
		return func(w *httptest.ResponseRecorder) { w.Header().Del(name) }
	}
	for says, x := range map[string]struct {
		category string
		spoil    func(*httptest.ResponseRecorder)
	}{
		"everything succeeds":      {"protocol", always(200)},
		"everything is refused":    {"protocol", always(400)},
		"false where it is true":   {"protocol", replaced("true", "false")},
		"no media type":            {"protocol", noHeader("Content-Type")},
		"graphs are all found":     {"graph-store-protocol", always(200)},
		"new graphs are not told":  {"graph-store-protocol", noHeader("Location")},
		"another name in a graph":  {"graph-store-protocol", replaced("Doe", "Roe")},
		"graphs have no triples":   {"graph-store-protocol", func(w *httptest.ResponseRecorder) { w.Body.Reset() }},
		"the endpoint is another":  {"service-description", replaced("localhost", "elsewhere")},
		"a class is another":       {"service-description", replaced("sd:Dataset", "sd:Graph")},
		"a language is none":       {"service-description", replaced("SPARQL11Update", "SPARQL12Update")},
		"the description is empty": {"service-description", func(w *httptest.ResponseRecorder) { w.Body.Reset() }},
	} {
		t.Run(says, func(t *testing.T) {
			run := rdftest.Script
			if x.category == "service-description" {
				run = func(p rdftest.Protocol) func(rdftest.Test) error { return rdftest.ServiceDescription(p, "/sparql") }
			}
			suite := rdftest.Suite{Tests: protocolSuite(t, x.category), Run: run(spoiled(protocol(t), x.spoil))}
			failed, err := suite.Check()
			if err != nil || failed == nil {
				t.Errorf("failed %v, %v", failed, err)
			}
		})
	}
}

// overHTTP is the engine of a query suite, reached through the door.
type overHTTP struct{ stores }

func (o *overHTTP) Accepts(string, string, bool) error {
	return fmt.Errorf("syntax is not tested here")
}

func (o *overHTTP) Update(context.Context, string, string, []rdf.Quad) ([]rdf.Quad, error) {
	return nil, fmt.Errorf("updates are not tested here")
}

func (o *overHTTP) Query(_ context.Context, text, base string, dataset []rdf.Quad) (rdftest.Answer, error) {
	h, err := o.service(dataset)
	if err != nil {
		return rdftest.Answer{}, err
	}
	r := sparqlRequest{"POST", "", queryType, "BASE <" + base + "> " + text, nil}
	answer, err := rdftest.ReadAnswer(do(h, r.request()))
	answer.Ordered = strings.Contains(strings.ToUpper(text), "ORDER BY")
	return answer, err
}

// TestW3CQueriesThroughHTTPGiveTheSameAnswers takes fifty tests from all over the
// suite; those about files' own behaviour run elsewhere.
func TestW3CQueriesThroughHTTPGiveTheSameAnswers(t *testing.T) {
	testrun.Alone(t)
	tests := rdftest.Load(t, rdftest.Dir(t), "sparql/sparql11/manifest-all.ttl")
	run := rdftest.SPARQL(&overHTTP{stores{t: t}})
	for _, test := range rdftest.Sample(tests, "QueryEvaluationTest", 50) {
		t.Run(test.Category+"/"+test.Name, func(t *testing.T) {
			if err := run(test); err != nil {
				t.Error(err)
			}
		})
	}
}
