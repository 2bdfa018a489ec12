package e2e_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"trails/e2e/testrun"
	"trails/rdf"
	"trails/rdf/rdftest"
)

// endpoint is a running server as an engine of the query suites. Each query begins with an empty graph.
type endpoint struct{ *web }

func (e endpoint) send(ctx context.Context, path, media, body string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, e.base+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", media)
	return http.DefaultClient.Do(r)
}

// change sends a request that must succeed.
func (e endpoint) change(ctx context.Context, path, media, body string) error {
	got, err := e.send(ctx, path, media, body)
	if err != nil {
		return err
	}
	defer got.Body.Close()
	if text, err := io.ReadAll(got.Body); err != nil || got.StatusCode >= 300 {
		return fmt.Errorf("POST %s: status %d, %s, %w", path, got.StatusCode, text, err)
	}
	return nil
}

// fill loads the triples of each graph.
func (e endpoint) fill(ctx context.Context, dataset []rdf.Quad) error {
	graphs := map[string][]byte{}
	for _, q := range dataset {
		path := "/rdf-graphs?default"
		if q.Label != nil {
			path = "/rdf-graphs?graph=" + url.QueryEscape(rdf.Lexical(q.Label))
		}
		q.Label = nil
		graphs[path] = append(rdf.AppendQuad(graphs[path], q), '\n')
	}
	for path, triples := range graphs {
		if err := e.change(ctx, path, "application/n-triples", string(triples)); err != nil {
			return err
		}
	}
	return nil
}

func (e endpoint) Query(ctx context.Context, text, base string, dataset []rdf.Quad) (rdftest.Answer, error) {
	if err := e.change(ctx, "/sparql", "application/sparql-update", "CLEAR ALL"); err != nil {
		return rdftest.Answer{}, err
	}
	if err := e.fill(ctx, dataset); err != nil {
		return rdftest.Answer{}, err
	}
	got, err := e.send(ctx, "/sparql", "application/sparql-query", "BASE <"+base+"> "+text)
	if err != nil {
		return rdftest.Answer{}, err
	}
	defer got.Body.Close()
	answer, err := rdftest.ReadAnswer(got)
	answer.Ordered = strings.Contains(strings.ToUpper(text), "ORDER BY")
	return answer, err
}

func (endpoint) Accepts(string, string, bool) error { return fmt.Errorf("syntax is not tested here") }

func (endpoint) Update(context.Context, string, string, []rdf.Quad) ([]rdf.Quad, error) {
	return nil, fmt.Errorf("updates are not tested here")
}

// TestW3CQueriesAskedOfTheBinaryGiveTheSameAnswers runs fifty tests, spread over the whole suite.
func TestW3CQueriesAskedOfTheBinaryGiveTheSameAnswers(t *testing.T) {
	testrun.Alone(t)
	tests := rdftest.Sample(rdftest.Load(t, rdftest.Dir(t), "sparql/sparql11/manifest-all.ttl"), "QueryEvaluationTest", 50)
	file := filepath.Join(t.TempDir(), "suite.db")
	must(t, "init", file)
	run := rdftest.SPARQL(endpoint{openWeb(t, file)})
	for _, test := range tests {
		t.Run(test.Category+"/"+test.Name, func(t *testing.T) {
			if err := run(test); err != nil {
				t.Error(err)
			}
		})
	}
}
