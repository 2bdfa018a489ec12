package builtin_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"trails/fault"
	"trails/invoke"
	"trails/invoke/invoketest"
)

// forged says in each format that there is a type Forged.
var forged = map[string]string{
	"nquads": `<urn:trails:example:Forged> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://www.w3.org/ns/shacl#NodeShape> <urn:trails:graph:schema> .
<urn:trails:example:Forged> <http://www.w3.org/ns/shacl#name> "Forged" <urn:trails:graph:schema> .`,
	"trig": `@prefix sh: <http://www.w3.org/ns/shacl#> .
<urn:trails:graph:schema> { <urn:trails:example:Forged> a sh:NodeShape ; sh:name "Forged" }`,
	"jsonld": `{"@id": "urn:trails:graph:schema", "@graph": [{"@id": "urn:trails:example:Forged",
 "@type": "http://www.w3.org/ns/shacl#NodeShape", "http://www.w3.org/ns/shacl#name": "Forged"}]}`,
	"turtle":   `<urn:trails:example:Forged> a <http://www.w3.org/ns/shacl#NodeShape> .`,
	"ntriples": `<urn:trails:example:Forged> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://www.w3.org/ns/shacl#NodeShape> .`,
	"rdfxml": `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="urn:trails:example:Forged">
<rdf:type rdf:resource="http://www.w3.org/ns/shacl#NodeShape"/></rdf:Description></rdf:RDF>`,
}

// Whoever may change data may not change the schema with it, in whatever form and by
// whatever way: each try is refused and nothing of it is kept.
func TestNoWayToWriteDataEditsTheSchema(t *testing.T) {
	e := notes(t)
	schema := func() string {
		rows, _ := e.Must(t, "query", `{"query": "SELECT ?s ?p ?o FROM <urn:trails:graph:schema> {?s ?p ?o} ORDER BY ?s ?p ?o"}`)["rows"].([]any)
		if len(rows) == 0 {
			t.Fatal("the schema's graph is empty")
		}
		return fmt.Sprint(rows)
	}
	before, was := head(t, e), schema()
	refused := func(t *testing.T, capability string, args map[string]any) {
		t.Helper()
		text, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		f := e.Refused(t, invoke.Call{Capability: capability, Args: text, Principal: invoketest.Ana, Via: "test"}, fault.Denied)
		if !strings.Contains(f.Message, "holds the schema, which data cannot change; use schema_apply") {
			t.Errorf("refused with %q", f.Message)
		}
		if now := head(t, e); now != before {
			t.Fatalf("the head moved from %s to %s", before, now)
		}
	}
	for format, text := range forged {
		for _, mode := range []string{"merge", "append", "overwrite", "replace"} {
			t.Run("load "+format+" "+mode, func(t *testing.T) {
				args := map[string]any{"data": text, "format": format, "mode": mode}
				if !strings.Contains(text, "graph:schema") || mode == "replace" {
					args["graph"] = "urn:trails:graph:schema"
				}
				refused(t, "load", args)
				args["keep_going"] = true
				refused(t, "load", args)
			})
		}
	}
	for _, update := range []string{
		`INSERT DATA { GRAPH <urn:trails:graph:schema> { <urn:a> <urn:b> 1 } }`,
		`INSERT DATA { <urn:a> <urn:b> 1 } ; INSERT { GRAPH ?g { <urn:a> <urn:b> 1 } } WHERE { BIND(IRI("urn:trails:graph:schema") AS ?g) }`,
		`WITH <urn:trails:graph:schema> DELETE { ?s ?p ?o } WHERE { ?s ?p ?o }`,
		`DELETE WHERE { GRAPH ?g { ?s ?p ?o } }`,
		`CLEAR GRAPH <urn:trails:graph:schema>`, `DROP GRAPH <urn:trails:graph:schema>`, `CREATE GRAPH <urn:trails:graph:schema>`,
		`COPY DEFAULT TO <urn:trails:graph:schema>`, `ADD <urn:g> TO <urn:trails:graph:schema>`, `MOVE <urn:trails:graph:schema> TO <urn:h>`,
		`LOAD <http://example.org/x> INTO GRAPH <urn:trails:graph:schema>`,
	} {
		t.Run(update, func(t *testing.T) { refused(t, "mutate", map[string]any{"update": update}) })
	}
	// These are about nodes of data, whatever these are called.
	for _, id := range []string{"urn:trails:graph:schema", "urn:trails:schema", "urn:trails:example:Note", "urn:trails:example:Note#title"} {
		for _, call := range []struct{ capability, args string }{
			{"note.create", `{"id": %q, "title": "A node"}`}, {"note.update", `{"id": %q, "title": "Another"}`}, {"note.delete", `{"id": %q}`},
		} {
			e.Must(t, call.capability, fmt.Sprintf(call.args, id))
		}
	}
	if now := schema(); now != was {
		t.Errorf("the schema was\n%s\nand is\n%s", was, now)
	}
}
