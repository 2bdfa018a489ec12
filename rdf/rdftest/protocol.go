package rdftest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"unicode/utf16"

	"trails/rdf"
)

// Vocabularies in which manifests describe requests and answers.
const (
	httpNS    = "http://www.w3.org/2011/http#"
	contentNS = "http://www.w3.org/2011/content#"
)

// Protocol is the service that a protocol suite tests.
type Protocol struct {
	// New returns a service on a new store with these quads.
	New func(quads []rdf.Quad) (http.Handler, error)
	// Paths maps prefixes of the suite's paths to those of the service.
	Paths map[string]string
}

// host is the authority in request URLs.
const host = "localhost"

// Script returns a function that runs tests which are lists of requests to one service, each with the
// expected answer.
func Script(p Protocol) func(Test) error {
	return func(test Test) error {
		m := test.Manifest
		data, err := m.store(test.IRI)
		if err != nil {
			return err
		}
		service, err := p.New(data)
		if err != nil {
			return err
		}
		requests := m.Lists(test.Action, httpNS+"requests")
		if len(requests) == 0 {
			return fmt.Errorf("no requests")
		}
		script := script{Manifest: m, paths: p.Paths, service: service, known: strings.NewReplacer()}
		for i, node := range requests {
			if err := script.exchange(node); err != nil {
				return fmt.Errorf("request %d: %w", i+1, err)
			}
		}
		return nil
	}
}

type script struct {
	*Manifest
	paths   map[string]string
	service http.Handler
	known   *strings.Replacer // placeholders, with their values from earlier answers
}

func (s *script) exchange(node rdf.Term) error {
	r, err := s.request(node)
	if err != nil {
		return err
	}
	w := httptest.NewRecorder()
	s.service.ServeHTTP(w, r)
	want := s.Object(node, httpNS+"resp")
	if want == nil {
		return fmt.Errorf("nothing is expected")
	}
	if err := s.answer(want, w.Result()); err != nil {
		return fmt.Errorf("%s %s: %w; status %d, %.300s", r.Method, r.URL, err, w.Code, w.Body)
	}
	return nil
}

func (s *script) text(node rdf.Term, property rdf.IRI) string {
	if t := s.Object(node, property); t != nil {
		return rdf.Lexical(t)
	}
	return ""
}

func (s *script) request(node rdf.Term) (*http.Request, error) {
	path := s.known.Replace(s.text(node, httpNS+"absolutePath"))
	for from, to := range s.paths {
		if rest, ok := strings.CutPrefix(path, from); ok {
			path = to + rest
			break
		}
	}
	body := s.body(s.Object(node, httpNS+"body"))
	r, err := http.NewRequest(s.text(node, httpNS+"methodName"), "http://"+host+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	for name, value := range s.headers(node) {
		r.Header.Set(name, value)
	}
	return r, nil
}

func (s *script) headers(node rdf.Term) map[string]string {
	headers := map[string]string{}
	for _, h := range s.Lists(node, httpNS+"headers") {
		headers[s.text(h, httpNS+"fieldName")] = s.text(h, httpNS+"fieldValue")
	}
	return headers
}

// body returns the body of a request in its encoding.
func (s *script) body(node rdf.Term) []byte {
	text := s.text(node, contentNS+"chars")
	if s.text(node, contentNS+"characterEncoding") != "UTF-16" {
		return []byte(text)
	}
	var b []byte
	for _, unit := range utf16.Encode([]rune("\ufeff" + text)) {
		b = binary.BigEndian.AppendUint16(b, unit)
	}
	return b
}
