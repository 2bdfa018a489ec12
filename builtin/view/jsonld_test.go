package view_test

import (
	"encoding/json"
	"slices"
	"testing"

	"trails/e2e/testrun"
	"trails/invoke"
	"trails/invoke/invoketest"
)

// TestJSONLDIsReadByAnyProcessor reads every node and every page of the example as JSON-LD, and
// a graph that a query makes, without a context from anywhere: they say what Turtle says.
func TestJSONLDIsReadByAnyProcessor(t *testing.T) {
	testrun.Alone(t)
	e := invoketest.Example(t)
	read := func(uri, format string) invoke.Document {
		t.Helper()
		d, err := e.Read(t.Context(), uri, invoke.Call{Principal: invoketest.Ana, Format: format, Whole: true})
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	var types struct{ Types []struct{ Name string } }
	if err := json.Unmarshal(read("trails://kg/types", "json").Body, &types); err != nil {
		t.Fatal(err)
	}
	nodes := 0
	same := func(uri string) {
		t.Helper()
		linked, turtle := statements(t, read(uri, "jsonld")), statements(t, read(uri, "turtle"))
		if nodes++; len(turtle) == 0 || !slices.Equal(linked, turtle) {
			t.Errorf("%s: %d statements as JSON-LD, %d as Turtle", uri, len(linked), len(turtle))
		}
	}
	for _, one := range types.Types {
		page := "trails://kg/" + one.Name + "?limit=100"
		same(page)
		var list struct {
			Graph []struct {
				ID string `json:"@id"`
			} `json:"@graph"`
		}
		if err := json.Unmarshal(read(page, "jsonld").Body, &list); err != nil {
			t.Fatal(err)
		}
		for _, node := range list.Graph {
			same(invoke.Address(one.Name, node.ID))
		}
	}
	if nodes < 30 {
		t.Errorf("only %d documents were read", nodes)
	}
	res, err := e.Call(t.Context(), invoke.Call{Principal: invoketest.Ana, Capability: "query", Args: json.RawMessage(`{"query":"CONSTRUCT WHERE { ?s :title ?o }","format":"jsonld"}`)})
	if err != nil {
		t.Fatal(err)
	}
	var answer struct{ Text string }
	if err := json.Unmarshal(res.Structured, &answer); err != nil {
		t.Fatal(err)
	}
	if got := statements(t, invoke.Document{Body: []byte(answer.Text)}); len(got) < 10 {
		t.Errorf("the query's graph has %d statements: %s", len(got), answer.Text)
	}
}
