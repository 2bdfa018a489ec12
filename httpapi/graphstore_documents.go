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

// tripleMedia are the media types of triples that can be put, by their formats.
var tripleMedia = []struct {
	media, extension string
	format           rdfio.Format
}{
	{"text/turtle", ".ttl", rdfio.Turtle},
	{"application/n-triples", ".nt", rdfio.NTriples},
	{"application/ld+json", ".jsonld", rdfio.JSONLD},
	{"application/rdf+xml", ".rdf", rdfio.RDFXML},
}

const (
	multipartMedia = "multipart/form-data"
	maxDocuments   = 100
)

// documentsOf reads the body's documents; nil when their media type was refused.
func documentsOf(w http.ResponseWriter, r *http.Request, graph rdf.IRI) ([]document, error) {
	media, base := plainMedia(r), string(graph)
	if graph == rdf.DefaultGraph {
		base = auth.Origin(r) + graphStore
	}
	if media != multipartMedia && !isTriples(media) {
		refuseTriples(w, r)
		return nil, nil
	}
	text, err := readText(w, r)
	if err != nil {
		return nil, err
	}
	if media == multipartMedia {
		return partsOf(r, base, text)
	}
	return []document{newDocument("body", media, base, text)}, nil
}

func isTriples(media string) bool {
	for _, t := range tripleMedia {
		if t.media == media {
			return true
		}
	}
	return false
}

func refuseTriples(w http.ResponseWriter, r *http.Request) {
	var known []string
	for _, t := range tripleMedia {
		known = append(known, t.media)
	}
	accept := strings.Join(append(known, multipartMedia), ", ")
	w.Header().Set("Accept-Post", accept)
	refuseOutside(w, r, http.StatusUnsupportedMediaType, "the body must be in UTF-8, without a Content-Encoding, and one of "+accept)
}

func newDocument(name, media, base string, text []byte) document {
	for _, t := range tripleMedia {
		if t.media == media {
			return document{name + t.extension, t.format, base, text}
		}
	}
	return document{}
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
		d, err := documentIn(part, "part-"+strconv.Itoa(n), base)
		if err != nil {
			return nil, err
		}
		documents = append(documents, d)
	}
}

func documentIn(part *multipart.Part, name, base string) (document, error) {
	media := plainMedia(&http.Request{Header: http.Header(part.Header)})
	if !isTriples(media) {
		return document{}, fault.New(fault.Malformed, "%s is of no media type that can be read", name)
	}
	text, err := io.ReadAll(part)
	if err != nil || !utf8.Valid(text) {
		return document{}, fault.New(fault.Malformed, "%s is cut short", name)
	}
	return newDocument(name, media, base, text), nil
}

// check refuses text that does not parse. Of JSON-LD only the JSON is looked at: its
// contexts are the call path's.
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
