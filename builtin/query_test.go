package builtin_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"trails/e2e/testrun"
	"trails/fault"

	"trails/invoke"
	"trails/invoke/invoketest"
)

const countTo = `SELECT ?n { VALUES ?a {0 1 2 3 4 5 6 7 8 9} VALUES ?b {0 1 2 3 4 5 6 7 8 9} VALUES ?c {0 1 2 3 4 5 6 7 8 9} VALUES ?d {0 1 2 3 4 5 6 7 8 9} VALUES ?e {0 1 2 3 4 5 6 7 8 9} BIND(CONCAT("row ", STR(?a), STR(?b), STR(?c), STR(?d), STR(?e)) AS ?n) }`

func queryArgs(query string, more map[string]any) string {
	args := map[string]any{"query": query}
	for k, v := range more {
		args[k] = v
	}
	text, err := json.Marshal(args)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// A node is a parameter by what answers call it, by its IRI and by a prefix.
func TestAParameterIsANodeByAnyOfItsNames(t *testing.T) {
	e := invoketest.New(t, "types:\n  Note:\n    label: title\n    properties:\n      title: {type: string}\n", invoke.Config{})
	out := e.Must(t, "note_create", `{"id":"a","title":"Ann"}`)
	for _, name := range []string{"Note/a", out["iri"].(string), ":Note/a"} {
		rows := e.Must(t, "query", queryArgs("SELECT ?t { ?note :title ?t }", map[string]any{"params": map[string]any{"note": map[string]string{"iri": name}}}))["rows"]
		if fmt.Sprint(rows) != "[[Ann]]" {
			t.Errorf("%s finds %v", name, rows)
		}
	}
	for _, datatype := range []string{"string", "xsd:string", "http://www.w3.org/2001/XMLSchema#string"} {
		rows := e.Must(t, "query", queryArgs("SELECT ?note { ?note :title ?t }", map[string]any{"params": map[string]any{"?t": map[string]string{"value": "Ann", "datatype": datatype}}}))["rows"]
		if rows := fmt.Sprint(rows); !strings.Contains(rows, "Note/a") {
			t.Errorf("%s: %s", datatype, rows)
		}
	}
	if rows := e.Must(t, "query", queryArgs("SELECT ?t { ?note :title ?t }", map[string]any{"params": map[string]any{"note": map[string]string{"iri": "Note/b"}}}))["rows"]; fmt.Sprint(rows) != "[]" {
		t.Errorf("another node has %v", rows)
	}
}

// A variable gets one value: a parameter that is given under two names is refused, in queries and in updates.
func TestAParameterUnderTwoNamesIsRefused(t *testing.T) {
	e := invoketest.New(t, "types:\n  Note:\n    properties:\n      title: {type: string}\n", invoke.Config{})
	for _, names := range [][]string{{"o", "?o"}, {"?o", "$o"}, {"$o", "o"}, {"o", "?o", "$o"}} {
		params := map[string]any{}
		for i, name := range names {
			params[name] = i
		}
		for tool, argument := range map[string]string{"query": "query", "mutate": "update"} {
			text := map[string]string{"query": "SELECT ?s { ?s :title ?o }", "mutate": "DELETE { ?s :title ?o } WHERE { ?s :title ?o }"}[tool]
			args, err := json.Marshal(map[string]any{argument: text, "params": params})
			if err != nil {
				t.Fatal(err)
			}
			if _, err = e.Do(t, tool, string(args)); err == nil || !strings.Contains(err.Error(), "params has ?o twice") {
				t.Errorf("%s with %v: %v", tool, names, err)
			}
		}
	}
}

func TestAnAnswerIsBoundedHoweverMuchThereIs(t *testing.T) {
	testrun.Alone(t)
	e := invoketest.New(t, "", invoke.Config{})
	wide := `SELECT (CONCAT(` + strings.Repeat(`"0123456789abcdef", `, 2000) + `STR(?a)) AS ?n) { VALUES ?a {` + strings.Repeat("1 ", 100) + `} }`
	for query, more := range map[string]map[string]any{
		countTo: {"limit": 10_000},
		wide:    {"limit": 10_000},
		strings.Replace(countTo, "SELECT ?n", "CONSTRUCT { <urn:x> <urn:y> ?n }", 1): {"limit": 10_000},
	} {
		for _, format := range []string{"", "csv", "turtle"} {
			if strings.HasPrefix(query, "CONSTRUCT") != (format == "turtle") {
				continue
			}
			if format != "" {
				more["format"] = format
			}
			out := e.Must(t, "query", queryArgs(query, more))
			text, err := json.Marshal(out)
			if err != nil {
				t.Fatal(err)
			}
			if cut, _ := out["cut"].(string); cut == "" || len(text) > 300<<10 {
				t.Errorf("%.40s: %d bytes, cut: %s", query, len(text), cut)
			}
		}
	}
}

func TestOneRowThatIsTooLargeIsSaidSo(t *testing.T) {
	testrun.Alone(t)
	e := invoketest.New(t, "", invoke.Config{})
	out := e.Must(t, "query", queryArgs(`SELECT (CONCAT(`+strings.Repeat(`"0123456789abcdef", `, 20_000)+`"") AS ?n) {}`, nil))
	if cut, _ := out["cut"].(string); out["count"] != float64(0) || !strings.Contains(cut, "one row") {
		t.Errorf("%v: %s", out["count"], cut)
	}
}

// A model is shown the long texts of a row that does not fit shortened, and is told so; a
// row that fits is whole.
func TestLongTextsOfRowsAreShortened(t *testing.T) {
	e := invoketest.New(t, "", invoke.Config{})
	args := queryArgs(`SELECT ?n (CONCAT(?t, ?t, ?t, ?t) AS ?text) {VALUES (?n ?t) {(1 "`+strings.Repeat("a", 3_000)+`") (2 "`+strings.Repeat("b", 3_000)+`") (3 "c")}}`, nil)
	res, err := e.Call(t.Context(), invoke.Call{Capability: "query", Args: json.RawMessage(args), Principal: invoketest.Ana})
	if err != nil {
		t.Fatal(err)
	}
	var out struct {
		Warnings []string
		Rows     [][]any
	}
	if err := json.Unmarshal(res.Structured, &out); err != nil {
		t.Fatal(err)
	}
	want := [][]any{{1.0, strings.Repeat("a", 12_000)}, {2.0, strings.Repeat("b", 200) + "… (12000 characters)"}, {3.0, "cccc"}}
	if diff := cmp.Diff(want, out.Rows); diff != "" || len(out.Warnings) != 1 || !strings.Contains(out.Warnings[0], "from row 2 on") {
		t.Errorf("%q, rows (-want +got):\n%s", out.Warnings, diff)
	}
}

// counter counts lines and forgets them.
type counter struct {
	lines, bytes int
}

func (c *counter) Write(p []byte) (int, error) {
	c.lines += strings.Count(string(p), "\n")
	c.bytes += len(p)
	return len(p), nil
}

func TestAStreamHasEveryRow(t *testing.T) {
	testrun.Alone(t)
	e := invoketest.New(t, "", invoke.Config{})
	var c counter
	_, err := e.Call(t.Context(), invoke.Call{Capability: "query", Args: json.RawMessage(queryArgs(countTo, nil)), Principal: invoketest.Ana, Output: &c, Format: "csv"})
	if err != nil || c.lines != 100_001 {
		t.Errorf("%d lines: %v", c.lines, err)
	}
}

func TestAQueryThatFailsAtOnceWritesNothing(t *testing.T) {
	e := invoketest.New(t, "", invoke.Config{})
	for _, query := range []string{`SELECT ?x {`, `ASK { SERVICE <urn:x> {} }`} {
		var c counter
		_, err := e.Call(t.Context(), invoke.Call{Capability: "query", Args: json.RawMessage(queryArgs(query, nil)), Principal: invoketest.Ana, Output: &c})
		if err == nil || c.bytes != 0 {
			t.Errorf("%s: %d bytes, %v", query, c.bytes, err)
		}
	}
}

func TestAReaderThatGoesAwayEndsTheQuery(t *testing.T) {
	e := invoketest.New(t, "", invoke.Config{})
	gone := errors.New("gone")
	r, w := io.Pipe()
	_ = r.CloseWithError(fault.New(fault.Unusable, "the reader went away").Because(gone))
	_, err := e.Call(t.Context(), invoke.Call{Capability: "query", Args: json.RawMessage(queryArgs(countTo, nil)), Principal: invoketest.Ana, Output: w})
	if !fault.Is(err, fault.Unusable) {
		t.Errorf("got %v", err)
	}
}

// slow takes longer than any test.
var slow = `SELECT (COUNT(*) AS ?n) { VALUES ?a {` + strings.Repeat("1 ", 3000) + `} VALUES ?b {` + strings.Repeat("2 ", 3000) + `} VALUES ?c {` + strings.Repeat("3 ", 3000) + `} FILTER(CONCAT(STR(?a), STR(?b), STR(?c)) != "") }`

func TestAQueryThatIsTooSlowTooDeepOrTooLongIsToldSo(t *testing.T) {
	testrun.Alone(t)
	e := invoketest.New(t, "", invoke.Config{})
	for query, want := range map[string]fault.Kind{
		slow: fault.TimedOut,
		`ASK ` + strings.Repeat("{", 500) + strings.Repeat("}", 500):                          fault.TooLarge,
		`ASK { FILTER(` + strings.Repeat("(", 5000) + "1" + strings.Repeat(")", 5000) + `) }`: fault.TooLarge,
		`ASK { ` + strings.Repeat("é", 600_000) + ` }`:                                        fault.TooLarge,
	} {
		if _, err := e.Do(t, "query", queryArgs(query, map[string]any{"timeout_ms": 50})); !fault.Is(err, want) {
			t.Errorf("%.60s: %v, want %s", query, err, want)
		}
	}
	if got := e.Must(t, "query", queryArgs("ASK {}", nil)); got["boolean"] != true {
		t.Errorf("after all of that: %v", got)
	}
}

func TestWhatIsOutOfTimeSaysItsLimitAndHowToRaiseIt(t *testing.T) {
	e := invoketest.New(t, "", invoke.Config{})
	_, err := e.Do(t, "query", queryArgs(slow, map[string]any{"timeout_ms": 50}))
	if f := fault.Of(err); f.Message != "the query took longer than its 50 ms; restrict it, or raise timeout_ms, at most 60000" || f.Details["timeout_ms"] != 50 {
		t.Errorf("got %v with %v", err, f.Details)
	}
	update, err := json.Marshal(map[string]any{"timeout_ms": 60, "update": "INSERT { <urn:a> <urn:b> ?n } WHERE { { " + slow + " } }"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = e.Do(t, "mutate", string(update))
	if f := fault.Of(err); f.Message != "the update, which changed nothing, took longer than its 60 ms; restrict it, or raise timeout_ms, at most 600000" {
		t.Errorf("got %v", err)
	}
}

// TestALargeGraphIsStreamedOrRefused: what is laid out whole has a bound, and the
// refusal names the form that has none.
func TestALargeGraphIsStreamedOrRefused(t *testing.T) {
	if testing.Short() {
		t.Skip("half a million triples")
	}
	e := invoketest.New(t, "", invoke.Config{})
	query := queryArgs(strings.Replace(countTo, "SELECT ?n", "CONSTRUCT { <urn:x> <urn:1> ?n ; <urn:2> ?n ; <urn:3> ?n ; <urn:4> ?n ; <urn:5> ?n ; <urn:6> ?n }", 1), nil)
	for format, lines := range map[string]int{"ntriples": 600_000, "turtle": 0, "jsonld": 0} {
		var c counter
		_, err := e.Call(t.Context(), invoke.Call{Capability: "query", Args: json.RawMessage(query), Principal: invoketest.Ana, Output: &c, Format: format})
		refused := fault.Is(err, fault.TooLarge) && strings.Contains(err.Error(), "ask for ntriples")
		if c.lines != lines || refused != (lines == 0) {
			t.Errorf("%s: %d lines, %v", format, c.lines, err)
		}
	}
}
