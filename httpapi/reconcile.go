package httpapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	markup "html"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-chi/chi/v5"

	"trails/auth"
	"trails/fault"
	"trails/text/jsontext"
	"trails/text/outline"
)

// The Reconciliation API 0.2 (https://www.w3.org/community/reports/reconciliation/CG-FINAL-specs-0.2-20230410/), by which
// OpenRefine and others match the cells of tables with entities.

// maxReconcileBody is the most bytes that a batch may have: 50 queries of 10 KB each, escaped.
const maxReconcileBody = 2 << 20

// reconcile answers GET and POST /reconcile: the candidates for a batch of queries, or without one the manifest.
func (s *server) reconcile(w http.ResponseWriter, r *http.Request) error {
	values, err := parameters(r, "queries")
	if err != nil {
		return err
	}
	if r.Method == http.MethodPost {
		if media := plainMedia(r); media != mediaForm[0] {
			w.Header().Set("Accept-Post", mediaForm[0])
			refuseOutside(w, r, http.StatusUnsupportedMediaType, "the body must be "+mediaForm[0]+" with queries, without a Content-Encoding")
			return nil
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxReconcileBody))
		if err != nil {
			return fault.New(fault.TooLarge, "a batch of queries has at most %d bytes, or is cut short; send several", maxReconcileBody).Because(err)
		}
		form, err := url.ParseQuery(string(body))
		if err != nil {
			return fault.New(fault.Malformed, "the body does not parse as a form").Because(err)
		}
		for name, given := range form {
			values[name] = append(values[name], given...)
		}
		if err := only(values, "queries"); err != nil {
			return err
		}
	}
	if !values.Has("queries") {
		return s.reconcileManifest(w, r)
	}
	queries := json.RawMessage(values.Get("queries"))
	switch {
	case !json.Valid(queries):
		return fault.New(fault.Malformed, "queries is not JSON")
	case !bytes.HasPrefix(bytes.TrimSpace(queries), []byte("{")):
		return fault.Argument("queries", fault.Datatype, nil, `queries is an object: {"q0": {"query": "text"}}`)
	case jsontext.TooDeep(queries, MaxDepth):
		return fault.New(fault.TooLarge, "queries nests deeper than %d levels", MaxDepth)
	}
	var answer struct{ Results json.RawMessage }
	if err := s.reconciled(r, "reconcile", map[string]any{"queries": queries}, &answer); err != nil {
		return err
	}
	return writeJSON(w, answer.Results)
}

// reconciled makes a call and decodes its answer.
func (s *server) reconciled(r *http.Request, capability string, args map[string]any, out any) error {
	c := s.call(r, capability, nil)
	if args != nil {
		text, err := json.Marshal(args)
		if err != nil {
			return err
		}
		c.Args = text
	}
	c.Whole = true
	res, err := s.engine.Call(r.Context(), c)
	if err != nil {
		return err
	}
	return json.Unmarshal(res.Structured, out)
}

// reconcileManifest says what the service is and where the parts of it are.
func (s *server) reconcileManifest(w http.ResponseWriter, r *http.Request) error {
	var graph struct{ Graph, Base string }
	var types struct{ Items []struct{ Value string } }
	if err := s.reconciled(r, "snapshot", nil, &graph); err != nil {
		return err
	}
	if err := s.reconciled(r, "suggest", map[string]any{"what": "concrete_types", "limit": 100}, &types); err != nil {
		return err
	}
	base := auth.Base(r) + "/reconcile"
	suggest := func(what string) map[string]any {
		return map[string]any{"service_url": base, "service_path": "/suggest/" + what}
	}
	named := []map[string]string{}
	for _, t := range types.Items {
		named = append(named, map[string]string{"id": t.Value, "name": t.Value})
	}
	body, err := jsontext.Marshal(map[string]any{
		"versions": []string{"0.2"}, "name": strings.TrimSpace("trails " + graph.Graph), "identifierSpace": graph.Base, "schemaSpace": graph.Base, "defaultTypes": named, "batchSize": 50,
		"view":    map[string]any{"url": base + "/view?id={{id}}"},
		"preview": map[string]any{"url": base + "/preview?id={{id}}", "width": 400, "height": 200},
		"suggest": map[string]any{"entity": suggest("entity"), "type": suggest("type"), "property": suggest("property")},
	})
	if err != nil {
		return err
	}
	return writeJSON(w, body)
}

// suggestPassedOver are parameters that OpenRefine sends with each suggestion, because another service had them once. They
// change nothing here.
var suggestPassedOver = []string{"spell", "exact", "prefixed", "filter", "key", "lang", "scoring", "stemmed", "format", "output", "mql_output", "type_strict"}

// reconcileSuggest answers what somebody has typed so far of an entity, a type or a property, also of the properties of one
// type.
func (s *server) reconcileSuggest(w http.ResponseWriter, r *http.Request) error {
	allowed := append([]string{"prefix", "cursor"}, suggestPassedOver...)
	if chi.URLParam(r, "what") == "property" {
		allowed = append(allowed, "type")
	}
	values, err := parameters(r, allowed...)
	if err != nil {
		return err
	}
	what, known := map[string]string{"entity": "entities", "type": "types", "property": "properties"}[chi.URLParam(r, "what")]
	if !known {
		return fault.New(fault.NotFound, "there are suggestions of entity, type and property, not of %q", chi.URLParam(r, "what"))
	}
	const page = 20
	from := 0
	if given := values.Get("cursor"); given != "" {
		if from, err = strconv.Atoi(given); err != nil || from < 0 || from > 100-page {
			return fault.Argument("cursor", fault.MaxValue, given, "cursor is how many suggestions to pass over, up to 80")
		}
	}
	var found struct {
		Items []struct{ Value, Label string }
	}
	asked := map[string]any{"what": what, "prefix": values.Get("prefix"), "limit": from + page}
	if of := values.Get("type"); of != "" {
		asked["type"] = of
	}
	if err := s.reconciled(r, "suggest", asked, &found); err != nil {
		return err
	}
	type suggestion struct {
		ID          string `json:"id"`
		Name        string `json:"name"`
		Description string `json:"description,omitempty"`
	}
	list := []suggestion{}
	for _, item := range found.Items[min(from, len(found.Items)):] {
		one := suggestion{ID: item.Value, Name: item.Label}
		if what == "entities" {
			one.Description = item.Value
		}
		list = append(list, one)
	}
	body, err := jsontext.Marshal(map[string]any{"result": list})
	if err != nil {
		return err
	}
	return writeJSON(w, body)
}

// reconcileView leads to the address of an entity, which differs in the escaping of its id.
func (s *server) reconcileView(w http.ResponseWriter, r *http.Request) error {
	values, err := parameters(r, "id")
	if err != nil {
		return err
	}
	typeName, local, found := strings.Cut(values.Get("id"), "/")
	if !found || strings.Contains(typeName, ":") {
		return fault.New(fault.NotFound, "there is no page for the id %q; an id is Type/id", values.Get("id"))
	}
	w.Header().Set("Location", "/kg/"+url.PathEscape(typeName)+"/"+url.PathEscape(local))
	w.WriteHeader(http.StatusSeeOther)
	return nil
}

// reconcilePreview shows an entity in the small frame that a program has for it.
func (s *server) reconcilePreview(w http.ResponseWriter, r *http.Request) error {
	values, err := parameters(r, "id")
	if err != nil {
		return err
	}
	var found struct {
		Nodes []struct {
			Node, Label string
			Values      map[string]any
		}
	}
	if err := s.reconciled(r, "get", map[string]any{"ids": []string{values.Get("id")}}, &found); fault.Is(err, fault.InvalidArguments) {
		return fault.New(fault.NotFound, "no entity has the id %q; an id is Type/id", values.Get("id"))
	} else if err != nil {
		return err
	}
	var b strings.Builder
	b.WriteString("<!DOCTYPE html><html lang=\"en\"><meta charset=\"utf-8\"><title>Preview</title>")
	for _, n := range found.Nodes {
		b.WriteString("<h1 dir=\"auto\">" + markup.EscapeString(n.Label) + "</h1><p>" + markup.EscapeString(n.Node) + "</p><dl>")
		names := slices.Sorted(maps.Keys(n.Values))
		for _, name := range names[:min(len(names), previewProperties)] {
			b.WriteString("<dt>" + markup.EscapeString(name) + "</dt><dd dir=\"auto\">" + markup.EscapeString(outline.Shorten(previewText(n.Values[name]), previewLength)) + "</dd>")
		}
		b.WriteString("</dl>")
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; frame-ancestors *") // it has no controls, and is shown in a frame
	_, _ = w.Write([]byte(b.String()))                                                 // the connection may be closed
	return nil
}

// Bounds of a preview.
const (
	previewProperties = 10
	previewLength     = 200 // characters of a value
)

// previewText is a value, or several, as a line.
func previewText(v any) string {
	if list, several := v.([]any); several {
		texts := make([]string, 0, len(list))
		for _, one := range list {
			texts = append(texts, previewText(one))
		}
		return strings.Join(texts, ", ")
	}
	if links, are := v.(map[string]any); are { // labels by id
		texts := []any{}
		for _, id := range slices.Sorted(maps.Keys(links)) {
			texts = append(texts, links[id])
		}
		return previewText(texts)
	}
	return fmt.Sprint(v)
}
