package httpapi

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/google/uuid"

	"trails/invoke"
	"trails/kg/fault"
	"trails/kg/rdf"
	"trails/kg/schema"
)

// graphStore is where graphs are reached over HTTP. Its name is no graph; a name
// below it is the graph of that whole address.
const graphStore = "/rdf-graphs"

// storedForms are the forms in which a graph can be had whole.
var storedForms = []form{graphForms[0], graphForms[1]}

// graphOf is the graph that a request is about (Graph Store HTTP Protocol, sections
// 4.1 and 4.2): ?graph=, ?default, or the address itself. "" is the store.
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
		named = []string{origin(r) + r.URL.EscapedPath()}
	case len(named) == 0:
		return "", nil
	}
	if err := schema.CheckIRI(named[0]); err != nil {
		return "", badParameter("graph", fault.NodeKind, named[0], "graph must be an absolute IRI: "+err.Error())
	}
	return rdf.IRI(named[0]), nil
}

// someGraph is [graphOf] where the store itself will not do.
func someGraph(r *http.Request) (rdf.IRI, error) {
	graph, err := graphOf(r)
	if err == nil && graph == "" {
		err = badParameter("graph", fault.Required, nil, "say which graph: ?graph=IRI or ?default")
	}
	return graph, err
}

func noGraph(graph rdf.IRI) error {
	return fault.New(fault.NotFound, "there is no graph <%s>", string(graph)).With("graph", string(graph))
}

// getGraph answers with a graph's triples. A graph without any is no graph, but for
// the default one, which always is.
func (s *server) getGraph(w http.ResponseWriter, r *http.Request) error {
	graph, err := someGraph(r)
	if err != nil {
		return err
	}
	w.Header().Add("Vary", "Accept")
	chosen, ok, err := chooseForm(r, r.URL.Query(), storedForms)
	if err != nil {
		return err
	}
	if !ok {
		refuseMedia(w, r, storedForms)
		return nil
	}
	c := s.call(r)
	c.Capability = "export"
	if c.Args, err = json.Marshal(map[string]string{"format": chosen.name, "graph": string(graph)}); err != nil {
		return err
	}
	a, result, err := s.begin(w, r, c, chosen)
	if err != nil {
		return err
	}
	if graph != rdf.DefaultGraph && numberIn(result, "records") == 0 {
		return noGraph(graph)
	}
	return s.finish(w, r, a, result)
}

// numberIn is a member of a call's result that is a number, or 0.
func numberIn(result invoke.Result, name string) float64 {
	var members map[string]any
	if json.Unmarshal(result.Structured, &members) != nil {
		return 0
	}
	n, _ := members[name].(float64)
	return n
}

// putGraph puts triples in the place of a graph's.
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
		return fault.New(fault.Malformed, "PUT takes one document")
	}
	text, err := replacement(graph, documents[0])
	if err != nil {
		return err
	}
	existed, err := s.graphExists(r, graph)
	if err != nil {
		return err
	}
	result, err := s.mutate(r, text)
	if err != nil {
		return err
	}
	answerWrite(w, result, existed)
	return nil
}

// postGraph adds triples to a graph; to the store itself, as a new graph.
func (s *server) postGraph(w http.ResponseWriter, r *http.Request) error {
	graph, err := graphOf(r)
	if err != nil {
		return err
	}
	if graph == "" {
		graph = rdf.IRI(origin(r) + graphStore + "/" + uuid.NewString())
		w.Header().Set("Location", string(graph))
	}
	documents, err := documentsOf(w, r, graph)
	if err != nil || documents == nil {
		return err
	}
	existed, err := s.graphExists(r, graph)
	if err != nil {
		return err
	}
	result, err := s.load(r, graph, documents)
	if err != nil {
		w.Header().Del("Location")
		return err
	}
	answerWrite(w, result, existed)
	return nil
}

// deleteGraph removes a graph's triples.
func (s *server) deleteGraph(w http.ResponseWriter, r *http.Request) error {
	graph, err := someGraph(r)
	if err != nil {
		return err
	}
	result, err := s.mutate(r, drop(graph))
	if err != nil {
		return err
	}
	if graph != rdf.DefaultGraph && numberIn(result, "removed") == 0 {
		return noGraph(graph)
	}
	answerWrite(w, result, true)
	return nil
}

// answerWrite says that a graph is there now, or is another (section 5.3).
func answerWrite(w http.ResponseWriter, result invoke.Result, existed bool) {
	nameCommit(w.Header(), result.Structured)
	if existed {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	w.WriteHeader(http.StatusCreated)
}

// graphExists only decides which success a write answers with.
func (s *server) graphExists(r *http.Request, graph rdf.IRI) (bool, error) {
	if graph == rdf.DefaultGraph {
		return true, nil
	}
	args, err := json.Marshal(map[string]string{"query": "ASK { GRAPH <" + string(graph) + "> { ?s ?p ?o } }"})
	if err != nil {
		return false, err
	}
	c := s.call(r)
	c.Capability, c.Args, c.IdempotencyKey = queryKind.capability, args, ""
	result, err := s.engine.Call(r.Context(), c)
	if err != nil {
		return false, err
	}
	var answer struct {
		Boolean bool `json:"boolean"`
	}
	err = json.Unmarshal(result.Structured, &answer)
	return answer.Boolean, err
}

// mutate runs an update as one commit, on the one that If-Match names.
func (s *server) mutate(r *http.Request, update string) (invoke.Result, error) {
	return s.write(r, updateKind.capability, map[string]string{updateKind.parameter: update}, nil)
}

// load adds documents to a graph as one commit.
func (s *server) load(r *http.Request, graph rdf.IRI, documents []document) (invoke.Result, error) {
	var inputs []invoke.Input
	for _, d := range documents {
		if err := d.check(); err != nil {
			return invoke.Result{}, err
		}
		inputs = append(inputs, invoke.Input{Name: d.name, Reader: strings.NewReader(d.text), Size: int64(len(d.text))})
	}
	args := map[string]string{"base": documents[0].base, "format": "auto"}
	if graph != rdf.DefaultGraph {
		args["graph"] = string(graph)
	}
	return s.write(r, "load", args, inputs)
}

func (s *server) write(r *http.Request, capability string, args map[string]string, inputs []invoke.Input) (invoke.Result, error) {
	text, err := json.Marshal(args)
	if err != nil {
		return invoke.Result{}, err
	}
	if text, err = onCommit(r, text); err != nil {
		return invoke.Result{}, err
	}
	c := s.call(r)
	c.Capability, c.Args, c.Inputs = capability, text, inputs
	return s.engine.Call(r.Context(), c)
}
