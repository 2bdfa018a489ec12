package httpapi

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"trails/auth"
	"trails/capability"
	"trails/fault"
)

// operation is one operation of the SPARQL 1.1 Protocol.
type operation struct {
	kind *operationKind // nil without a text: a request for the service description
	text string
	// lists are the graphs in the request, by argument name.
	lists map[string][]string
	// values are all parameters, from the address and from a form in the body.
	values url.Values
}

// operationKind is a kind of operation: the parameter with its text, which is also the argument, its capability, and
// the parameters for graphs.
type operationKind struct {
	parameter, capability, media string
	lists                        [][2]string // parameter, argument
}

var (
	queryKind = operationKind{"query", "query", "application/sparql-query", [][2]string{
		{"default-graph-uri", "default_graph_uri"}, {"named-graph-uri", "named_graph_uri"}}}
	updateKind = operationKind{"update", "mutate", "application/sparql-update", [][2]string{
		{"using-graph-uri", "using_graph_uri"}, {"using-named-graph-uri", "using_named_graph_uri"}}}
	operationKinds = []*operationKind{&queryKind, &updateKind}
)

const formMedia = "application/x-www-form-urlencoded"

// sparql answers a query, an update, or a question about the service itself
// (SPARQL 1.1 Protocol, section 2; Service Description, section 2).
func (s *server) sparql(w http.ResponseWriter, r *http.Request) error {
	media := plainMedia(r)
	if r.Method == http.MethodPost && media != formMedia && kindOfMedia(media) == nil {
		accept := strings.Join([]string{formMedia, queryKind.media, updateKind.media}, ", ")
		w.Header().Set("Accept-Post", accept)
		refuseOutside(w, r, http.StatusUnsupportedMediaType, "the body must be in UTF-8, without a Content-Encoding, and one of "+accept)
		return nil
	}
	op, err := operationOf(w, r, media)
	switch {
	case err != nil:
		return err
	case op.kind == nil:
		return s.describe(w, r)
	case op.kind == &updateKind:
		return s.update(w, r, op)
	}
	return s.query(w, r, op)
}

func kindOfMedia(media string) *operationKind {
	for _, k := range operationKinds {
		if media == k.media {
			return k
		}
	}
	return nil
}

// operationOf decodes a request with a media type of the protocol: the body has form parameters, or the text. There
// must be exactly one text, and no graphs of the other kind; unknown parameters are ignored.
func operationOf(w http.ResponseWriter, r *http.Request, media string) (operation, error) {
	op := operation{lists: map[string][]string{}}
	var err error
	if op.values, err = url.ParseQuery(r.URL.RawQuery); err != nil {
		return op, fault.New(fault.Malformed, "the query of the address does not parse: %s", err)
	}
	if r.Method == http.MethodPost {
		body, err := readText(w, r)
		if err != nil {
			return op, err
		}
		form := url.Values{}
		if kind := kindOfMedia(media); kind != nil {
			form.Add(kind.parameter, string(body))
		} else if form, err = url.ParseQuery(string(body)); err != nil {
			return op, fault.New(fault.Malformed, "the form does not parse: %s", err)
		}
		for name, more := range form {
			op.values[name] = append(op.values[name], more...)
		}
	}
	for _, k := range operationKinds {
		texts := op.values[k.parameter]
		if len(texts) == 0 {
			continue
		}
		if op.kind != nil || len(texts) > 1 {
			return op, badParameter(k.parameter, fault.MaxCount, len(texts), "a request takes one query or one update")
		}
		op.kind, op.text = k, texts[0]
	}
	switch {
	case op.kind == nil && r.Method == http.MethodPost:
		return op, badParameter("query", fault.Required, nil, "the form has neither query nor update")
	case op.kind == &updateKind && r.Method != http.MethodPost:
		return op, badParameter("update", fault.Closed, nil, "an update comes by POST")
	}
	if err := addView(map[string]any{}, op.values); err != nil {
		return op, err
	}
	for _, k := range operationKinds {
		for _, list := range k.lists {
			parameter, argument := list[0], list[1]
			given := op.values[parameter]
			if len(given) > 0 && k != op.kind {
				return op, badParameter(parameter, fault.Closed, given, parameter+" goes with "+k.parameter)
			}
			if len(given) > 0 {
				op.lists[argument] = given
			}
		}
	}
	return op, nil
}

// addView adds the parameters of the state that a request is about to the arguments of its call.
func addView(args map[string]any, values url.Values) error {
	for _, name := range []string{"branch", "at"} {
		switch given := values[name]; len(given) {
		case 0:
		case 1:
			args[name] = given[0]
		default:
			return badParameter(name, fault.MaxCount, given, "a request is about one branch and one commit")
		}
	}
	return nil
}

// args are the arguments of the call. Relative IRIs are resolved against the service's address, unless the text has a
// base.
func (op *operation) args(r *http.Request) (json.RawMessage, error) {
	args := map[string]any{op.kind.parameter: op.text, "base": auth.Base(r) + "/sparql"}
	if op.kind == &updateKind {
		args[capability.AllowMassChange] = true // the protocol has no limit
	}
	for argument, graphs := range op.lists {
		args[argument] = graphs
	}
	if err := addView(args, op.values); err != nil {
		return nil, err
	}
	return json.Marshal(args)
}

// update runs an update as a commit. If-Match names the commit that it is based on.
func (s *server) update(w http.ResponseWriter, r *http.Request, op operation) error {
	args, err := op.args(r)
	if err != nil {
		return err
	}
	if args, err = s.onCommit(r, args); err != nil {
		return err
	}
	return s.run(w, r, s.call(r, op.kind.capability, args))
}

// query streams the answer of a query in the preferred form.
func (s *server) query(w http.ResponseWriter, r *http.Request, op operation) error {
	chosen, ok, err := chooseForm(w, r, op.values, offersFor(op.text))
	if err != nil || !ok {
		return err
	}
	args, err := op.args(r)
	if err != nil {
		return err
	}
	c := s.call(r, op.kind.capability, args)
	c.Format = chosen.name
	return s.stream(w, r, c, chosen, nil)
}
