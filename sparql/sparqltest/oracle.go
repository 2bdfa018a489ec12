package sparqltest

import (
	"context"

	"trails/rdf"
	"trails/rdf/rdftest"
	"trails/sparql"
	"trails/sparql/naive"
)

// Oracle is package naive as an engine of the suites.
type Oracle struct{}

// Accepts parses a query or an update.
func (Oracle) Accepts(text, base string, update bool) error {
	if update {
		_, err := sparql.ParseUpdate(text, sparql.Options{Base: base})
		return err
	}
	_, err := sparql.Parse(text, sparql.Options{Base: base})
	return err
}

// Query answers a query with package naive.
func (Oracle) Query(ctx context.Context, text, base string, dataset []rdf.Quad) (rdftest.Answer, error) {
	q, err := sparql.Parse(text, sparql.Options{Base: base})
	if err != nil {
		return rdftest.Answer{}, err
	}
	result, err := naive.Eval(ctx, q, dataset)
	if err != nil {
		return rdftest.Answer{}, err
	}
	return answer(result), nil
}

// Update applies an update with package naive.
func (Oracle) Update(ctx context.Context, text, base string, dataset []rdf.Quad) ([]rdf.Quad, error) {
	u, err := sparql.ParseUpdate(text, sparql.Options{Base: base})
	if err != nil {
		return nil, err
	}
	return naive.Apply(ctx, u, dataset)
}

func answer(r naive.Result) rdftest.Answer {
	switch r.Form {
	case sparql.Ask:
		return rdftest.Answer{Truth: &r.True}
	case sparql.Construct, sparql.Describe:
		return rdftest.Answer{IsGraph: true, Graph: r.Graph}
	case sparql.Select:
	}
	a := rdftest.Answer{Rows: r.Rows}
	for _, v := range r.Vars {
		a.Vars = append(a.Vars, string(v))
	}
	return a
}
