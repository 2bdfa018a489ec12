package rdftest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"

	"trails/rdf"
	"trails/sparql"
)

// Engine is the engine that the SPARQL suites test. Datasets are quads; the engine must neither keep nor
// change the slice.
type Engine interface {
	// Accepts returns an error if the text is no valid query or, with update, no valid update.
	Accepts(text, base string, update bool) error
	Query(ctx context.Context, text, base string, dataset []rdf.Quad) (Answer, error)
	Update(ctx context.Context, text, base string, dataset []rdf.Quad) ([]rdf.Quad, error)
}

// Answer is the result of a query: a boolean, a graph, or a table.
type Answer struct {
	// Truth is the result of ASK.
	Truth *bool
	// IsGraph means that Graph is the result, of CONSTRUCT or DESCRIBE.
	IsGraph bool
	Graph   []rdf.Quad
	// Vars and Rows are the result of SELECT; a nil term is unbound.
	Vars []string
	Rows [][]rdf.Term
	// Ordered means that the order of Rows matters.
	Ordered bool
	// Lax means that duplicates may be dropped (REDUCED).
	Lax bool
	// TextOnly means that only the texts of terms are known, as in CSV.
	TextOnly bool
}

const (
	queryNS  = "http://www.w3.org/2001/sw/DataAccess/tests/test-query#"
	updateNS = "http://www.w3.org/2009/sparql/tests/test-update#"
	setNS    = "http://www.w3.org/2001/sw/DataAccess/tests/result-set#"
)

// SPARQL returns a function that runs syntax and evaluation tests on an engine.
func SPARQL(engine Engine) func(Test) error {
	return func(test Test) error {
		switch test.Type {
		case "PositiveSyntaxTest", "PositiveSyntaxTest11":
			return accepted(engine, test, false)
		case "NegativeSyntaxTest", "NegativeSyntaxTest11":
			return refused(engine, test, false)
		case "PositiveUpdateSyntaxTest11":
			return accepted(engine, test, true)
		case "NegativeUpdateSyntaxTest11":
			return refused(engine, test, true)
		case "QueryEvaluationTest", "CSVResultFormatTest":
			return queryTest(engine, test)
		case "UpdateEvaluationTest":
			return updateTest(engine, test)
		}
		return fmt.Errorf("nothing runs tests of type %s", test.Type)
	}
}

func accepted(engine Engine, test Test, update bool) error {
	text, err := test.Manifest.Text(test.Action)
	if err != nil {
		return err
	}
	if err := engine.Accepts(text, rdf.Lexical(test.Action), update); err != nil {
		return fmt.Errorf("refused: %w", err)
	}
	return nil
}

func refused(engine Engine, test Test, update bool) error {
	text, err := test.Manifest.Text(test.Action)
	if err != nil {
		return err
	}
	if engine.Accepts(text, rdf.Lexical(test.Action), update) == nil {
		return errors.New("accepted what must be refused")
	}
	return nil
}

func queryTest(engine Engine, test Test) error {
	m := test.Manifest
	file := m.Object(test.Action, queryNS+"query")
	text, err := m.Text(file)
	if err != nil {
		return err
	}
	dataset, err := m.queryData(test.Action, text, rdf.Lexical(file))
	if err != nil {
		return err
	}
	want, err := m.expectedAnswer(test.Result)
	if err != nil {
		return fmt.Errorf("expected result: %w", err)
	}
	got, err := engine.Query(context.Background(), text, rdf.Lexical(file), dataset)
	if err != nil {
		return fmt.Errorf("query: %w", err)
	}
	want.Lax = m.Object(test.IRI, manifestNS+"resultCardinality") == rdf.IRI(manifestNS+"LaxCardinality")
	return CompareAnswers(want, got)
}

// Text returns the contents of a file of the suite.
func (m *Manifest) Text(iri rdf.Term) (string, error) {
	name, err := m.File(iri)
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(name)
	return string(text), err
}

// queryData returns the dataset of a query test: files of the manifest, and those of FROM and FROM NAMED.
func (m *Manifest) queryData(action rdf.Term, text, base string) ([]rdf.Quad, error) {
	var d documents
	for _, file := range m.Objects(action, queryNS+"data") {
		d.read(m, file, nil)
	}
	for _, g := range m.Objects(action, queryNS+"graphData") {
		file, name := m.graphData(g, queryNS)
		d.read(m, file, name)
	}
	query, err := sparql.Parse(text, sparql.Options{Base: base})
	if err != nil {
		return d.quads, d.err // the engine reports it
	}
	named := map[rdf.IRI]bool{}
	for _, iri := range append(query.Dataset.Default, query.Dataset.Named...) {
		if !named[iri] {
			d.read(m, iri, iri)
		}
		named[iri] = true
	}
	return d.quads, d.err
}

// graphData returns file and name of a named graph: an IRI is both, another node has a property for each.
func (m *Manifest) graphData(node rdf.Term, ns rdf.IRI) (file, name rdf.Term) {
	file = m.Object(node, ns+"graph")
	if file == nil {
		return node, node
	}
	if label := m.Object(node, rdf.Label); label != nil {
		return file, rdf.IRI(rdf.Lexical(label))
	}
	return file, file
}

// documents collects the quads of files; each file has its own blank nodes.
type documents struct {
	quads []rdf.Quad
	n     int
	err   error
}

func (d *documents) read(m *Manifest, file, graph rdf.Term) {
	if d.err != nil {
		return
	}
	quads, err := m.Read(file)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("no such file: %w", err)
	}
	d.n++
	d.err = err
	ownLabel := func(t rdf.Term) rdf.Term {
		if b, ok := t.(rdf.BNode); ok {
			return rdf.BNode("d" + strconv.Itoa(d.n) + "-" + string(b))
		}
		return t
	}
	for _, q := range quads {
		d.quads = append(d.quads, rdf.Quad{Subject: ownLabel(q.Subject), Predicate: q.Predicate, Object: ownLabel(q.Object), Label: graph})
	}
}

func updateTest(engine Engine, test Test) error {
	m := test.Manifest
	file := m.Object(test.Action, updateNS+"request")
	text, err := m.Text(file)
	if err != nil {
		return err
	}
	before, err := m.store(test.Action)
	if err != nil {
		return err
	}
	want, err := m.store(test.Result)
	if err != nil {
		return fmt.Errorf("expected result: %w", err)
	}
	got, err := engine.Update(context.Background(), text, rdf.Lexical(file), before)
	if err != nil {
		return fmt.Errorf("update: %w", err)
	}
	if m.Object(test.Result, updateNS+"result") != nil && len(want) == 0 {
		return nil // ut:success means only that
	}
	if !rdf.Isomorphic(want, got) {
		return fmt.Errorf("another dataset:\ngot\n%swant\n%s", lines(got), lines(want))
	}
	return nil
}

// store returns the graph store before or after an update test.
func (m *Manifest) store(node rdf.Term) ([]rdf.Quad, error) {
	var d documents
	for _, file := range m.Objects(node, updateNS+"data") {
		d.read(m, file, nil)
	}
	for _, g := range m.Objects(node, updateNS+"graphData") {
		file, name := m.graphData(g, updateNS)
		d.read(m, file, name)
	}
	return d.quads, d.err
}
