package httpapi

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/go-chi/chi/v5"

	"trails/kg/fault"
)

// resource answers with the document at one fixed trails:// address.
func (s *server) resource(uri string) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		return s.document(w, r, uri+query(r))
	}
}

// kg answers GET /kg/{Type} and GET /kg/{Type}/{id}. The path goes on as it was
// escaped: an id that is a percent-encoded IRI is one segment, slashes and all.
func (s *server) kg(w http.ResponseWriter, r *http.Request) error {
	return s.document(w, r, "trails:/"+r.URL.EscapedPath()+query(r))
}

func (s *server) document(w http.ResponseWriter, r *http.Request, uri string) error {
	doc, err := s.engine.Read(r.Context(), uri, s.call(r))
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", doc.MIME)
	_, _ = w.Write(doc.Body) // a reader that left is no concern of ours
	return nil
}

// query is the request's query as a resource URI writes it: a form's "+" is a space there.
func query(r *http.Request) string {
	if r.URL.RawQuery == "" {
		return ""
	}
	return "?" + strings.ReplaceAll(r.URL.RawQuery, "+", "%20")
}

// segment returns a decoded path parameter.
func segment(r *http.Request, name string) (string, error) {
	raw := chi.URLParam(r, name)
	if r.URL.RawPath == "" {
		return raw, nil // the router saw the decoded path
	}
	decoded, err := url.PathUnescape(raw)
	if err != nil {
		return "", fault.New(fault.Malformed, "the path does not parse: %s", err)
	}
	return decoded, nil
}
