package rdftest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"trails/rdf"
	"trails/rdf/rdfio"
)

// statuses are the status codes that manifests describe by words.
var statuses = map[string]int{
	"OK": http.StatusOK, "Created": http.StatusCreated, "NoContent": http.StatusNoContent, "NotFound": http.StatusNotFound,
	"BadRequest": http.StatusBadRequest,
}

// tableMedia and graphMedia are the media types of tables and of graphs.
var (
	tableMedia = map[string]func(io.Reader) (Answer, error){
		"application/sparql-results+json": readJSON,
		"application/sparql-results+xml":  readXML,
		"text/csv":                        readCSV,
		"text/tab-separated-values":       readTSV,
	}
	graphMedia = map[string]NewReader{
		"text/turtle":           readers[".ttl"],
		"application/n-triples": readers[".nt"],
		"application/rdf+xml":   readers[".rdf"],
	}
)

// answer checks an answer against the expected one.
func (s *script) answer(want rdf.Term, got *http.Response) error {
	body, err := io.ReadAll(got.Body)
	if err != nil {
		return err
	}
	return errors.Join(
		s.status(want, got.StatusCode),
		s.contentType(want, got),
		s.format(want, got, body),
		s.graph(want, got, body),
		s.location(want, got),
	)
}

func (s *script) status(want rdf.Term, got int) error {
	var names []string
	for _, t := range s.Objects(want, manifestNS+"expectedStatus") {
		name := local(t)
		class, isClass := strings.CutPrefix(name, "StatusCode")
		if isClass && strings.TrimSuffix(class, "xx") == strconv.Itoa(got/100) || statuses[name] == got {
			return nil
		}
		names = append(names, name)
	}
	return fmt.Errorf("want status %v", names)
}

func (s *script) contentType(want rdf.Term, got *http.Response) error {
	wanted, ok := s.headers(want)["content-type"]
	if !ok {
		return nil
	}
	media, _, err := mime.ParseMediaType(wanted)
	if err != nil {
		return err
	}
	if media != mediaOf(got) {
		return fmt.Errorf("Content-Type is %q, want %q", mediaOf(got), media)
	}
	return nil
}

func mediaOf(got *http.Response) string {
	media, _, _ := mime.ParseMediaType(got.Header.Get("Content-Type")) // "" is no expected media type
	return media
}

// format checks the media type of an answer and, for ASK, its value.
func (s *script) format(want rdf.Term, got *http.Response, body []byte) error {
	switch format := s.text(want, manifestNS+"expectedFormat"); format {
	case "":
		return nil
	case "RDF":
		_, err := graphIn(got, body)
		return err
	case "boolean", "tabular":
		return s.solutions(want, got, body, format == "boolean")
	default:
		return fmt.Errorf("no format %q", format)
	}
}

func (s *script) solutions(want rdf.Term, got *http.Response, body []byte, boolean bool) error {
	answer, err := answerIn(got, body)
	switch truth := s.text(want, manifestNS+"expectedBoolean"); {
	case err != nil:
		return err
	case answer.IsGraph || boolean != (answer.Truth != nil):
		return fmt.Errorf("the answer is of another form")
	case truth != "" && truth != strconv.FormatBool(*answer.Truth):
		return fmt.Errorf("the answer is %v, want %s", *answer.Truth, truth)
	}
	return nil
}

// ReadAnswer reads a service's answer to a query, by its Content-Type.
func ReadAnswer(got *http.Response) (Answer, error) {
	body, err := io.ReadAll(got.Body)
	if err != nil {
		return Answer{}, err
	}
	if got.StatusCode != http.StatusOK {
		return Answer{}, fmt.Errorf("status %d: %s", got.StatusCode, body)
	}
	return answerIn(got, body)
}

func answerIn(got *http.Response, body []byte) (Answer, error) {
	if read, ok := tableMedia[mediaOf(got)]; ok {
		return read(bytes.NewReader(body))
	}
	quads, err := graphIn(got, body)
	return Answer{IsGraph: true, Graph: quads}, err
}

func graphIn(got *http.Response, body []byte) ([]rdf.Quad, error) {
	read, ok := graphMedia[mediaOf(got)]
	if !ok {
		return nil, fmt.Errorf("no answer comes as %q", mediaOf(got))
	}
	return All(read(bytes.NewReader(body), "http://"+host+"/"))
}

// graph checks that the body is the expected graph.
func (s *script) graph(want rdf.Term, got *http.Response, body []byte) error {
	wanted := s.Object(want, httpNS+"body")
	if wanted == nil {
		return nil
	}
	quads, err := graphIn(got, body)
	if err != nil {
		return err
	}
	expected, err := All(rdfio.NewTurtleReader(strings.NewReader(s.text(wanted, contentNS+"chars")), "http://"+host+"/", rdfio.Limits{}))
	if err != nil {
		return fmt.Errorf("expected graph: %w", err)
	}
	if !rdf.Isomorphic(expected, quads) {
		return fmt.Errorf("another graph, want\n%s", lines(expected))
	}
	return nil
}

// location keeps the address in the answer for later requests.
func (s *script) location(want rdf.Term, got *http.Response) error {
	name := s.text(want, manifestNS+"expectedLocation")
	if name == "" {
		return nil
	}
	where := got.Header.Get("Location")
	if where == "" {
		return fmt.Errorf("no Location")
	}
	s.known = strings.NewReplacer(name, where)
	return nil
}
