package httpapi

import (
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"trails/kg/fault"
	"trails/kg/rdf"
	"trails/kg/rdfio"
)

// document is a body, or a part of one, that holds triples.
type document struct {
	name   string // with the extension of its format
	format rdfio.Format
	base   string // of relative IRIs
	text   string
}

// tripleMedia are the media types of triples that can be put, by their formats.
var tripleMedia = []struct {
	media, extension string
	format           rdfio.Format
}{
	{"text/turtle", ".ttl", rdfio.Turtle},
	{"application/n-triples", ".nt", rdfio.NTriples},
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
		base = origin(r) + graphStore
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
		return partsOf(r, base, string(text))
	}
	return []document{newDocument("body", media, base, string(text))}, nil
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

func newDocument(name, media, base, text string) document {
	for _, t := range tripleMedia {
		if t.media == media {
			return document{name + t.extension, t.format, base, text}
		}
	}
	return document{}
}

// partsOf are the documents of a form, each with a media type of its own.
func partsOf(r *http.Request, base, text string) ([]document, error) {
	_, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		return nil, fault.New(fault.Malformed, "the Content-Type does not parse: %s", err)
	}
	var documents []document
	parts := multipart.NewReader(strings.NewReader(text), params["boundary"])
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
	return newDocument(name, media, base, string(text)), nil
}

// each calls visit with every triple.
func (d document) each(visit func(rdf.Quad) error) error {
	in, err := rdfio.NewReader(d.format, strings.NewReader(d.text), d.base, rdfio.Limits{}, nil)
	if err != nil {
		return err
	}
	for {
		q, err := in.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = visit(q)
		}
		if err != nil {
			return err
		}
	}
}

// check refuses text that does not parse.
func (d document) check() error { return d.each(func(rdf.Quad) error { return nil }) }

// drop is the update that removes a graph's triples.
func drop(graph rdf.IRI) string {
	if graph == rdf.DefaultGraph {
		return "DROP DEFAULT"
	}
	return "DROP SILENT GRAPH <" + string(graph) + ">"
}

// replacement is the update that puts a document in the place of a graph.
func replacement(graph rdf.IRI, d document) (string, error) {
	before, after := "GRAPH <"+string(graph)+"> {", "}"
	if graph == rdf.DefaultGraph {
		before, after = "", ""
	}
	text := []byte(drop(graph) + ";\nINSERT DATA {" + before + "\n")
	err := d.each(func(q rdf.Quad) error {
		if text = append(rdf.AppendQuad(text, q), '\n'); len(text) > maxReplacement {
			return fault.New(fault.TooLarge, "PUT takes at most %d bytes as N-Triples; DELETE the graph and POST larger ones", maxReplacement)
		}
		return nil
	})
	return string(text) + after + "}", err
}

// maxReplacement is how long the update may be that a PUT becomes.
const maxReplacement = 1<<20 - 1<<10
