package rdftest

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"strings"

	"trails/rdf"
	"trails/rdf/rdfio"
)

// readTSV reads SPARQL 1.1 Query Results TSV.
func readTSV(r io.Reader) (Answer, error) {
	var a Answer
	lines := bufio.NewScanner(r)
	for first := true; lines.Scan(); first = false {
		cells := strings.Split(strings.TrimSuffix(lines.Text(), "\r"), "\t")
		if first {
			for _, name := range cells {
				a.Vars = append(a.Vars, strings.TrimPrefix(name, "?"))
			}
			continue
		}
		row := make([]rdf.Term, len(cells))
		for i, cell := range cells {
			term, err := turtleTerm(cell)
			if err != nil {
				return a, err
			}
			row[i] = term
		}
		a.Rows = append(a.Rows, row)
	}
	return a, lines.Err()
}

// turtleTerm reads one term in Turtle; "" is unbound.
func turtleTerm(text string) (rdf.Term, error) {
	if text == "" {
		return nil, nil
	}
	if label, ok := strings.CutPrefix(text, "_:"); ok {
		return rdf.BNode(label), nil
	}
	quads, err := All(rdfio.NewTurtleReader(strings.NewReader("<urn:s> <urn:p> "+text+" ."), "", rdfio.Limits{}))
	if err != nil {
		return nil, err
	}
	if len(quads) != 1 {
		return nil, fmt.Errorf("%q is no term", text)
	}
	return quads[0].Object, nil
}

// readCSV reads SPARQL 1.1 Query Results CSV: except for blank nodes all values become plain strings.
func readCSV(r io.Reader) (Answer, error) {
	records, err := csv.NewReader(r).ReadAll()
	if err != nil || len(records) == 0 {
		return Answer{}, err
	}
	a := Answer{Vars: records[0], TextOnly: true}
	for _, record := range records[1:] {
		row := make([]rdf.Term, len(record))
		for i, text := range record {
			row[i] = csvTerm(text)
		}
		a.Rows = append(a.Rows, row)
	}
	return a, nil
}

func csvTerm(text string) rdf.Term {
	if label, ok := strings.CutPrefix(text, "_:"); ok {
		return rdf.BNode(label)
	}
	return rdf.Literal(text, "")
}
