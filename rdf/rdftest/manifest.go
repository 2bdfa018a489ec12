package rdftest

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"trails/rdf"
	"trails/rdf/rdfio"
)

// Base is the web address of rdf-tests, against which file names are resolved.
const Base = "https://w3c.github.io/rdf-tests/"

// Terms of the vocabulary of manifests.
const (
	manifestNS    = "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#"
	manifestClass = rdf.IRI(manifestNS + "Manifest")
	Include       = rdf.IRI(manifestNS + "include")
	Entries       = rdf.IRI(manifestNS + "entries")
	Name          = rdf.IRI(manifestNS + "name")
	Action        = rdf.IRI(manifestNS + "action")
	Result        = rdf.IRI(manifestNS + "result")
	Approval      = rdf.IRI("http://www.w3.org/ns/rdftest#approval")
	approvalDA    = rdf.IRI("http://www.w3.org/2001/sw/DataAccess/tests/test-dawg#approval")
)

// absent are manifests that the suites refer to but do not contain.
var absent = []string{"entailment/manifest.ttl", "service/manifest.ttl"}

// Manifest is the graph of one manifest.
type Manifest struct {
	dir   string // of rdf-tests
	iri   string
	about map[rdf.Term][]rdf.Quad
}

// Load returns the tests of the manifest at a path below rdf-tests, and of the manifests that it includes, in
// order.
func Load(t testing.TB, suites, name string) []Test {
	t.Helper()
	tests, err := load(filepath.Join(suites, "rdf-tests"), name)
	if err != nil {
		t.Fatal(err)
	}
	return tests
}

func load(dir, name string) ([]Test, error) {
	m := &Manifest{dir: dir, iri: Base + name, about: map[rdf.Term][]rdf.Quad{}}
	quads, err := m.Read(rdf.IRI(m.iri))
	if err != nil {
		return nil, err
	}
	for _, q := range quads {
		m.about[q.Subject] = append(m.about[q.Subject], q)
	}
	var tests []Test
	node := manifestNode(quads, rdf.IRI(m.iri))
	for _, included := range m.Lists(node, Include) {
		name := strings.TrimPrefix(rdf.Lexical(included), Base)
		more, err := load(dir, name)
		if errors.Is(err, os.ErrNotExist) && isAbsent(name) {
			continue
		}
		if err != nil {
			return nil, err
		}
		tests = append(tests, more...)
	}
	for _, entry := range m.Lists(node, Entries) {
		tests = append(tests, m.test(entry))
	}
	return tests, nil
}

// manifestNode returns the node of the manifest: the document or, in some, a blank node.
func manifestNode(quads []rdf.Quad, document rdf.Term) rdf.Term {
	for _, q := range quads {
		if q.Predicate == rdf.Type && q.Object == manifestClass {
			return q.Subject
		}
	}
	return document
}

func isAbsent(name string) bool {
	for _, a := range absent {
		if strings.HasSuffix(name, a) {
			return true
		}
	}
	return false
}

func (m *Manifest) test(entry rdf.Term) Test {
	approval := m.Object(entry, Approval)
	if approval == nil {
		approval = m.Object(entry, approvalDA)
	}
	t := Test{
		IRI:      rdf.IRI(rdf.Lexical(entry)),
		Name:     rdf.Lexical(m.Object(entry, Name)),
		Type:     local(m.Object(entry, rdf.Type)),
		Approval: local(approval),
		Category: path.Base(path.Dir(m.iri)),
		Action:   m.Object(entry, Action),
		Result:   m.Object(entry, Result),
		Manifest: m,
	}
	if t.Approval == "" {
		t.Approval = "none"
	}
	return t
}

func local(t rdf.Term) string {
	iri := rdf.Lexical(t)
	return iri[strings.LastIndexAny(iri, "#/")+1:]
}

// Object returns the first object of a node's property, or nil.
func (m *Manifest) Object(node rdf.Term, property rdf.IRI) rdf.Term {
	for _, q := range m.about[node] {
		if q.Predicate == property {
			return q.Object
		}
	}
	return nil
}

// Objects returns all objects of a node's property.
func (m *Manifest) Objects(node rdf.Term, property rdf.IRI) []rdf.Term {
	var objects []rdf.Term
	for _, q := range m.about[node] {
		if q.Predicate == property {
			objects = append(objects, q.Object)
		}
	}
	return objects
}

// Lists returns the items of all lists that are values of a node's property.
func (m *Manifest) Lists(node rdf.Term, property rdf.IRI) []rdf.Term {
	var items []rdf.Term
	for _, cell := range m.Objects(node, property) {
		for cell != rdf.Nil && cell != nil {
			items = append(items, m.Object(cell, rdf.First))
			cell = m.Object(cell, rdf.Rest)
		}
	}
	return items
}

// File returns the path of the suite's file with an IRI.
func (m *Manifest) File(iri rdf.Term) (string, error) {
	name, ok := strings.CutPrefix(rdf.Lexical(iri), Base)
	if _, isIRI := iri.(rdf.IRI); !isIRI || !ok || !filepath.IsLocal(name) {
		return "", fmt.Errorf("%v names no file of the suite", iri)
	}
	return filepath.Join(m.dir, filepath.FromSlash(name)), nil
}

// Open opens the suite's file with an IRI.
func (m *Manifest) Open(iri rdf.Term) (*os.File, error) {
	name, err := m.File(iri)
	if err != nil {
		return nil, err
	}
	return os.Open(name)
}

// NewReader returns a reader of a document with a base.
type NewReader func(r io.Reader, base string) rdfio.Reader

// readers reads the suites' data, by file extension.
var readers = map[string]NewReader{
	".nt":   func(r io.Reader, _ string) rdfio.Reader { return rdfio.NewNTriplesReader(r, rdfio.Limits{}) },
	".nq":   func(r io.Reader, _ string) rdfio.Reader { return rdfio.NewNQuadsReader(r, rdfio.Limits{}) },
	".ttl":  func(r io.Reader, base string) rdfio.Reader { return rdfio.NewTurtleReader(r, base, rdfio.Limits{}) },
	".rdf":  func(r io.Reader, base string) rdfio.Reader { return rdfio.NewRDFXMLReader(r, base, rdfio.Limits{}) },
	".trig": func(r io.Reader, base string) rdfio.Reader { return rdfio.NewTriGReader(r, base, rdfio.Limits{}) },
}

// Read returns the quads of a file of the suite.
func (m *Manifest) Read(iri rdf.Term) ([]rdf.Quad, error) {
	read, ok := readers[path.Ext(rdf.Lexical(iri))]
	if !ok {
		return nil, fmt.Errorf("no reader for %v", iri)
	}
	return m.ReadWith(iri, read)
}

// ReadWith returns the quads of a file of the suite; its IRI is the base.
func (m *Manifest) ReadWith(iri rdf.Term, read NewReader) ([]rdf.Quad, error) {
	f, err := m.Open(iri)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	quads, err := All(read(f, rdf.Lexical(iri)))
	if err != nil {
		return nil, fmt.Errorf("read %v: %w", iri, err)
	}
	return quads, nil
}

// All returns the quads before the first error; io.EOF is no error.
func All(r rdfio.Reader) ([]rdf.Quad, error) {
	var quads []rdf.Quad
	for {
		q, err := r.Read()
		if err == io.EOF {
			return quads, nil
		}
		if err != nil {
			return quads, err
		}
		quads = append(quads, q)
	}
}
