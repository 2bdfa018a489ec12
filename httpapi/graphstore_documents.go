package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"trails/auth"
	"trails/fault"
	"trails/rdf"
	"trails/rdf/rdfio"
)

// document is a body, or a part of one, that holds triples.
type document struct {
	name   string // with the extension of its format
	format rdfio.Format
	base   string // of relative IRIs
	text   []byte
}

// tripleMedia is a media type of triples that can be loaded.
type tripleMedia struct {
	media, extension string
	format           rdfio.Format
}

var tripleMedias = []tripleMedia{
	{"text/turtle", ".ttl", rdfio.Turtle},
	{"application/n-triples", ".nt", rdfio.NTriples},
	{"application/ld+json", ".jsonld", rdfio.JSONLD},
	{"application/rdf+xml", ".rdf", rdfio.RDFXML},
}

// triplesOf returns the media type of triples that has this name.
func triplesOf(media string) (found tripleMedia, known bool) {
	for _, t := range tripleMedias {
		if t.media == media {
			return t, true
		}
	}
	return found, false
}

const (
	multipartMedia = "multipart/form-data"
	maxDocuments   = 100
)

// documentsOf reads the documents of the body; nil after their media type was refused.
func documentsOf(w http.ResponseWriter, r *http.Request, graph rdf.IRI) ([]document, error) {
	media, base := plainMedia(r), string(graph)
	if graph == rdf.DefaultGraph {
		base = auth.Base(r) + graphStore
	}
	triples, known := triplesOf(media)
	if media != multipartMedia && !known {
		var all []string
		for _, t := range tripleMedias {
			all = append(all, t.media)
		}
		accept := strings.Join(append(all, multipartMedia), ", ")
		w.Header().Set("Accept-Post", accept)
		refuseOutside(w, r, http.StatusUnsupportedMediaType, "the body must be in UTF-8, without a Content-Encoding, and one of "+accept)
		return nil, nil
	}
	text, err := readText(w, r)
	if err != nil {
		return nil, err
	}
	if media == multipartMedia {
		return partsOf(r, base, text)
	}
	return []document{{"body" + triples.extension, triples.format, base, text}}, nil
}

// partsOf are the documents of a form, each with a media type of its own.
func partsOf(r *http.Request, base string, text []byte) ([]document, error) {
	_, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		return nil, fault.New(fault.Malformed, "the Content-Type does not parse: %s", err)
	}
	var documents []document
	parts := multipart.NewReader(bytes.NewReader(text), params["boundary"])
	for n := 1; ; n++ {
		part, err := parts.NextPart()
		switch {
		case errors.Is(err, io.EOF) && n > 1:
			return documents, nil
		case err != nil:
			return nil, fault.New(fault.Malformed, "the body is no form of parts: %s", err)
		case n > maxDocuments:
			return nil, fault.New(fault.TooLarge, "a form has at most %d parts", maxDocuments)
		}
		name := "part-" + strconv.Itoa(n)
		triples, known := triplesOf(plainMedia(&http.Request{Header: http.Header(part.Header)}))
		if !known {
			return nil, fault.New(fault.Malformed, "%s is of no media type that can be read; give its Content-Type, such as text/turtle", name)
		}
		text, err := io.ReadAll(part)
		if err != nil || !utf8.Valid(text) {
			return nil, fault.New(fault.Malformed, "%s is cut short", name)
		}
		documents = append(documents, document{name + triples.extension, triples.format, base, text})
	}
}

// check refuses a document with a syntax error. For JSON-LD it only checks the JSON, because the call loads the
// contexts.
func (d document) check() error {
	if d.format == rdfio.JSONLD {
		var whole json.RawMessage
		if err := json.Unmarshal(d.text, &whole); err != nil {
			return malformedJSON(err)
		}
		return nil
	}
	in, err := rdfio.NewReader(d.format, bytes.NewReader(d.text), d.base, rdfio.Limits{}, nil)
	for err == nil {
		_, err = in.Read()
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
