package naive_test

import (
	"context"
	"slices"
	"testing"

	"trails/e2e/testrun"
	"trails/rdf"
	"trails/rdf/rdftest"
	"trails/sparql/sparqltest"
)

// liar is an engine that changes what an honest one says. A nil field is honest.
type liar struct {
	sparqltest.Oracle
	accepts func(error) error
	dataset func([]rdf.Quad) []rdf.Quad
	answer  func(rdftest.Answer) rdftest.Answer
	update  func(before, after []rdf.Quad) []rdf.Quad
}

func (l liar) Accepts(text, base string, update bool) error {
	err := l.Oracle.Accepts(text, base, update)
	if l.accepts != nil {
		return l.accepts(err)
	}
	return err
}

func (l liar) Query(ctx context.Context, text, base string, dataset []rdf.Quad) (rdftest.Answer, error) {
	if l.dataset != nil {
		dataset = l.dataset(dataset)
	}
	a, err := l.Oracle.Query(ctx, text, base, dataset)
	if err == nil && l.answer != nil {
		a = l.answer(a)
	}
	return a, err
}

func (l liar) Update(ctx context.Context, text, base string, dataset []rdf.Quad) ([]rdf.Quad, error) {
	after, err := l.Oracle.Update(ctx, text, base, dataset)
	if err == nil && l.update != nil {
		after = l.update(dataset, after)
	}
	return after, err
}

// eachTerm changes the terms of tables and graphs.
func eachTerm(change func(rdf.Term) rdf.Term) func(rdftest.Answer) rdftest.Answer {
	return func(a rdftest.Answer) rdftest.Answer {
		a.Graph = eachQuad(a.Graph, change)
		a.Rows = slices.Clone(a.Rows)
		for i, row := range a.Rows {
			a.Rows[i] = make([]rdf.Term, len(row))
			for j, term := range row {
				a.Rows[i][j] = change(term)
			}
		}
		return a
	}
}

func eachQuad(quads []rdf.Quad, change func(rdf.Term) rdf.Term) []rdf.Quad {
	var out []rdf.Quad
	for _, q := range quads {
		q.Subject, q.Object = change(q.Subject), change(q.Object)
		out = append(out, q)
	}
	return out
}

func onlyRows(change func(rdftest.Answer) rdftest.Answer) func(rdftest.Answer) rdftest.Answer {
	return func(a rdftest.Answer) rdftest.Answer {
		if a.Truth != nil || a.IsGraph || len(a.Vars) == 0 || len(a.Rows) == 0 {
			return a
		}
		return change(a)
	}
}

func emptyGraph(a rdftest.Answer) rdftest.Answer {
	a.Graph = nil
	return a
}

// loseVariable drops a projected variable, and its column.
func loseVariable(a rdftest.Answer) rdftest.Answer {
	last := len(a.Vars) - 1
	out := rdftest.Answer{Vars: a.Vars[:last]}
	for _, row := range a.Rows {
		out.Rows = append(out.Rows, row[:last])
	}
	return out
}

// loseColumn keeps the variable and binds it nowhere.
func loseColumn(a rdftest.Answer) rdftest.Answer {
	out := rdftest.Answer{Vars: a.Vars}
	for _, row := range a.Rows {
		row = slices.Clone(row)
		row[len(row)-1] = nil
		out.Rows = append(out.Rows, row)
	}
	return out
}

// shuffle keeps the rows, in another order.
func shuffle(a rdftest.Answer) rdftest.Answer {
	a.Rows = slices.Concat(a.Rows[1:], a.Rows[:1])
	return a
}

func doubleRow(a rdftest.Answer) rdftest.Answer {
	a.Rows = slices.Concat(a.Rows, a.Rows[:1])
	return a
}

func loseRow(a rdftest.Answer) rdftest.Answer {
	a.Rows = a.Rows[1:]
	return a
}

// repeatRow has the right number of rows, and one of them instead of another.
func repeatRow(a rdftest.Answer) rdftest.Answer {
	a.Rows = slices.Clone(a.Rows)
	a.Rows[0] = a.Rows[len(a.Rows)-1]
	return a
}

func changeDatatype(t rdf.Term) rdf.Term {
	if rdf.DatatypeOf(t) == rdf.XSDInteger {
		return rdf.Literal(rdf.Lexical(t), rdf.XSDDecimal)
	}
	return t
}

func changeNumber(t rdf.Term) rdf.Term {
	if rdf.DatatypeOf(t) == rdf.XSDDouble {
		return rdf.Literal("1.25E-3", rdf.XSDDouble)
	}
	return t
}

func changeLanguage(t rdf.Term) rdf.Term {
	if lang, ok := rdf.LangOf(t); ok {
		return rdf.LangLiteral(rdf.Lexical(t), lang+"-x-other")
	}
	return t
}

func loseLanguage(t rdf.Term) rdf.Term {
	if _, ok := rdf.LangOf(t); ok {
		return rdf.Literal(rdf.Lexical(t), "")
	}
	return t
}

func mergeBlanks(t rdf.Term) rdf.Term {
	if _, ok := t.(rdf.BNode); ok {
		return rdf.BNode("one")
	}
	return t
}

// splitBlanks gives every occurrence a blank node of its own.
func splitBlanks() func(rdf.Term) rdf.Term {
	n := ""
	return func(t rdf.Term) rdf.Term {
		if _, ok := t.(rdf.BNode); ok {
			n += "x"
			return rdf.BNode(n)
		}
		return t
	}
}

func opposite(a rdftest.Answer) rdftest.Answer {
	if a.Truth != nil {
		b := !*a.Truth
		a.Truth = &b
	}
	return a
}

// loseGraph loses the graph that is named last.
func loseGraph(quads []rdf.Quad) []rdf.Quad {
	var last rdf.Term
	for _, q := range quads {
		if q.Label != nil {
			last = q.Label
		}
	}
	return slices.DeleteFunc(slices.Clone(quads), func(q rdf.Quad) bool { return last != nil && q.Label == last })
}

func TestAnEngineThatLiesFailsTheSuites(t *testing.T) {
	testrun.Alone(t)
	dir := rdftest.Dir(t)
	tests := map[string][]rdftest.Test{}
	for _, s := range suites {
		tests[s.name] = rdftest.Load(t, dir, s.manifest)
	}
	const ten, query, update = "oracle-sparql10", "oracle-sparql11-query", "oracle-sparql11-update"
	for _, c := range []struct {
		says   string
		liar   liar
		suites []string // which must each fail
	}{
		{"empties the graphs of CONSTRUCT", liar{answer: emptyGraph}, []string{ten, query}},
		{"drops a projected variable", liar{answer: onlyRows(loseVariable)}, []string{ten, query}},
		{"leaves a variable unbound", liar{answer: onlyRows(loseColumn)}, []string{ten, query}},
		{"shuffles an ORDER BY", liar{answer: onlyRows(shuffle)}, []string{ten}},
		{"has a row twice", liar{answer: onlyRows(doubleRow)}, []string{ten, query}},
		{"loses a row", liar{answer: onlyRows(loseRow)}, []string{ten, query}},
		{"has one row for another", liar{answer: onlyRows(repeatRow)}, []string{ten, query}},
		{"changes a numeric datatype", liar{answer: eachTerm(changeDatatype)}, []string{ten, query}},
		{"changes a number", liar{answer: eachTerm(changeNumber)}, []string{ten, query}},
		{"changes a language tag", liar{answer: eachTerm(changeLanguage)}, []string{ten, query}},
		{"loses a language tag", liar{answer: eachTerm(loseLanguage)}, []string{ten, query}},
		{"merges blank nodes", liar{answer: eachTerm(mergeBlanks)}, []string{ten, query}},
		{"splits blank nodes", liar{answer: eachTerm(splitBlanks())}, []string{ten, query}},
		{"says the opposite", liar{answer: opposite}, []string{ten, query}},
		{"loses a named graph", liar{dataset: loseGraph}, []string{ten, query}},
		{"accepts what is wrong", liar{accepts: func(error) error { return nil }}, []string{ten, query, update}},
		{"refuses what is right", liar{accepts: func(error) error { return context.Canceled }}, []string{ten, query, update}},
		{"updates nothing", liar{update: func(before, _ []rdf.Quad) []rdf.Quad { return before }}, []string{update}},
		{"loses all", liar{update: func(_, _ []rdf.Quad) []rdf.Quad { return nil }}, []string{update}},
		{"loses a graph in an update", liar{update: func(_, after []rdf.Quad) []rdf.Quad { return loseGraph(after) }}, []string{update}},
		{"changes numbers in an update", liar{update: func(_, after []rdf.Quad) []rdf.Quad { return eachQuad(after, changeDatatype) }}, []string{update}},
	} {
		t.Run(c.says, func(t *testing.T) {
			for _, name := range c.suites {
				failed, err := rdftest.Suite{Name: name, Tests: tests[name], Run: rdftest.SPARQL(c.liar)}.Check()
				if err != nil {
					t.Fatal(err)
				}
				if len(failed) == 0 {
					t.Errorf("%s passes", name)
				}
			}
		})
	}
}
