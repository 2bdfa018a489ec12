package httpapi

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"

	"github.com/google/uuid"

	"trails/auth"
	"trails/capability"
	"trails/fault"
	"trails/invoke"
	"trails/rdf"
	"trails/rdf/rdfio"
	"trails/schema"
)

// graphStore is the address of the graph store. It is not itself a graph; an address below it is the graph with that
// IRI.
const graphStore = "/rdf-graphs"

// graphOf is the graph of a request (Graph Store HTTP Protocol, sections 4.1 and 4.2): ?graph=, ?default, or the
// address itself; "" is the store.
func graphOf(r *http.Request) (rdf.IRI, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return "", fault.New(fault.Malformed, "the query of the address does not parse: %s", err)
	}
	named, byDefault := values["graph"], values.Has("default")
	direct := r.URL.EscapedPath() != graphStore
	switch {
	case len(named) > 1 || len(named) == 1 && byDefault || direct && (byDefault || len(named) > 0):
		return "", badParameter("graph", fault.MaxCount, named, "a request is about one graph")
	case byDefault:
		return rdf.DefaultGraph, nil
	case direct:
		named = []string{auth.Base(r) + r.URL.EscapedPath()}
	case len(named) == 0:
		return "", nil
	}
	if err := schema.CheckIRI(named[0]); err != nil {
		return "", badParameter("graph", fault.NodeKind, named[0], "graph must be an absolute IRI: "+err.Error())
	}
	return rdf.IRI(named[0]), nil
}

// someGraph is [graphOf], and refuses the store itself.
func someGraph(r *http.Request) (rdf.IRI, error) {
	graph, err := graphOf(r)
	if err == nil && graph == "" {
		err = badParameter("graph", fault.Required, nil, "say which graph: ?graph=IRI or ?default")
	}
	return graph, err
}

func noGraph(graph rdf.IRI) error {
	return fault.New(fault.NotFound, "there is no graph <%s>; SELECT DISTINCT ?g { GRAPH ?g { ?s ?p ?o } } lists those that are there", string(graph)).With("graph", string(graph))
}

// getGraph answers with the triples of a graph. A graph without triples does not exist, except for the default graph.
func (s *server) getGraph(w http.ResponseWriter, r *http.Request) error {
	graph, err := someGraph(r)
	if err != nil {
		return err
	}
	chosen, ok, err := chooseForm(w, r, r.URL.Query(), graphForms)
	if err != nil || !ok {
		return err
	}
	args := map[string]any{"format": chosen.name, "graph": string(graph)}
	if err := addView(args, r.URL.Query()); err != nil {
		return err
	}
	text, err := json.Marshal(args)
	if err != nil {
		return err
	}
	return s.stream(w, r, s.call(r, "export", text), chosen, func(result invoke.Result) error {
		if graph != rdf.DefaultGraph && result.Records == 0 {
			return noGraph(graph)
		}
		return nil
	})
}

// putGraph replaces the triples of a graph.
func (s *server) putGraph(w http.ResponseWriter, r *http.Request) error {
	graph, err := someGraph(r)
	if err != nil {
		return err
	}
	documents, err := documentsOf(w, r, graph)
	if err != nil || documents == nil {
		return err
	}
	if len(documents) > 1 {
		return fault.New(fault.Malformed, "PUT takes one document; send several with POST")
	}
	return s.load(w, r, graph, "replace", documents)
}

// postGraph adds triples to a graph; at the store itself, as a new graph.
func (s *server) postGraph(w http.ResponseWriter, r *http.Request) error {
	graph, err := graphOf(r)
	if err != nil {
		return err
	}
	if graph == "" {
		graph = rdf.IRI(auth.Base(r) + graphStore + "/" + uuid.NewString())
		w.Header().Set("Location", string(graph))
	}
	documents, err := documentsOf(w, r, graph)
	if err != nil || documents == nil {
		return err
	}
	err = s.load(w, r, graph, "merge", documents)
	if err != nil {
		w.Header().Del("Location")
	}
	return err
}

// deleteGraph removes a graph's triples: nothing is put in their place.
func (s *server) deleteGraph(w http.ResponseWriter, r *http.Request) error {
	graph, err := someGraph(r)
	if err != nil {
		return err
	}
	return s.load(w, r, graph, "replace", nil)
}

// load loads the documents as one commit, under the request's conditions, and reports whether the graph is new
// (section 5.3). Without a document the graph must exist.
func (s *server) load(w http.ResponseWriter, r *http.Request, graph rdf.IRI, mode string, documents []document) error {
	removes := len(documents) == 0
	if removes {
		documents = []document{{name: "nothing.nt", format: rdfio.NTriples}}
	}
	args := map[string]any{"format": "auto", "graph": string(graph), "mode": mode, "one_graph": true, capability.AllowMassChange: true}
	var inputs []invoke.Input
	for _, d := range documents {
		if err := d.check(); err != nil {
			return err
		}
		inputs = append(inputs, invoke.Input{Name: d.name, Reader: bytes.NewReader(d.text), Size: int64(len(d.text))})
	}
	if base := documents[0].base; base != "" {
		args["base"] = base
	}
	if err := s.addConditions(r, args); err != nil {
		return err
	}
	if err := addView(args, r.URL.Query()); err != nil {
		return err
	}
	if slices.ContainsFunc(documents, func(d document) bool { return d.format == rdfio.JSONLD }) {
		c := s.call(r, "", nil)
		c.Whole, c.Format = true, "jsonld"
		if own, err := s.engine.Read(r.Context(), schema.ContextIRI, c); err == nil { // who may not read it cannot name it
			args["contexts"] = map[string]json.RawMessage{contextOf(r): own.Body}
		}
	}
	text, err := json.Marshal(args)
	if err != nil {
		return err
	}
	c := s.call(r, "load", text)
	c.Inputs = inputs
	result, err := s.engine.Call(r.Context(), c)
	switch {
	case err != nil:
		return err
	case removes && !result.Existed:
		return noGraph(graph)
	}
	nameCommit(w.Header(), result)
	nameWarnings(w.Header(), result.Warnings)
	if isNew := !result.Existed && result.Written != nil && result.Written.Commit != nil; isNew { // without statements there is no graph
		w.WriteHeader(http.StatusCreated)
	} else {
		w.WriteHeader(http.StatusNoContent)
	}
	return nil
}
