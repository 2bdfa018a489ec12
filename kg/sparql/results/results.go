// Package results is the answers to SELECT and ASK as text: SPARQL 1.1 Query
// Results JSON (https://www.w3.org/TR/sparql11-results-json/), XML
// (https://www.w3.org/TR/rdf-sparql-XMLres/), CSV and TSV
// (https://www.w3.org/TR/sparql11-results-csv-tsv/). Answers that are graphs are
// package rdfio's. Writers stream; start with [NewWriter], and with [Read] for
// the other way.
package results
