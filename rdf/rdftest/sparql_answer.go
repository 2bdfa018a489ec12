package rdftest

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"

	"trails/rdf"
)

// answerReaders reads results by file extension. They are separate from the project's own result formats, so
// that these do not test themselves.
var answerReaders = map[string]func(io.Reader) (Answer, error){
	".srx": readXML,
	".srj": readJSON,
	".tsv": readTSV,
	".csv": readCSV,
}

// expectedAnswer reads the result of a query test. RDF files hold a graph, or a result set
// (https://www.w3.org/2001/sw/DataAccess/tests/result-set).
func (m *Manifest) expectedAnswer(iri rdf.Term) (Answer, error) {
	read, ok := answerReaders[path.Ext(rdf.Lexical(iri))]
	if !ok {
		quads, err := m.Read(iri)
		if err != nil {
			return Answer{}, err
		}
		return answerOf(quads)
	}
	f, err := m.Open(iri)
	if err != nil {
		return Answer{}, err
	}
	defer f.Close()
	return read(f)
}

// answerOf reads a result set in RDF; any other graph is itself the result.
func answerOf(quads []rdf.Quad) (Answer, error) {
	m := &Manifest{about: map[rdf.Term][]rdf.Quad{}}
	var set rdf.Term
	for _, q := range quads {
		m.about[q.Subject] = append(m.about[q.Subject], q)
		if q.Predicate == rdf.Type && q.Object == rdf.IRI(setNS+"ResultSet") {
			set = q.Subject
		}
	}
	if set == nil {
		return Answer{IsGraph: true, Graph: quads}, nil
	}
	if truth := m.Object(set, setNS+"boolean"); truth != nil {
		b := rdf.Lexical(truth) == "true" || rdf.Lexical(truth) == "1"
		return Answer{Truth: &b}, nil
	}
	return m.table(set)
}

func (m *Manifest) table(set rdf.Term) (Answer, error) {
	var a Answer
	for _, v := range m.Objects(set, setNS+"resultVariable") {
		a.Vars = append(a.Vars, rdf.Lexical(v))
	}
	solutions := m.Objects(set, setNS+"solution")
	index := func(solution rdf.Term) int {
		n, _ := strconv.Atoi(rdf.Lexical(m.Object(solution, setNS+"index"))) // 0 if there is none
		return n
	}
	a.Ordered = len(solutions) > 0 && index(solutions[0]) > 0
	slices.SortStableFunc(solutions, func(x, y rdf.Term) int { return index(x) - index(y) })
	for _, solution := range solutions {
		row := make([]rdf.Term, len(a.Vars))
		for _, binding := range m.Objects(solution, setNS+"binding") {
			name := rdf.Lexical(m.Object(binding, setNS+"variable"))
			i := slices.Index(a.Vars, name)
			if i < 0 {
				return a, fmt.Errorf("a binding of %q, which is no result variable", name)
			}
			row[i] = m.Object(binding, setNS+"value")
		}
		a.Rows = append(a.Rows, row)
	}
	return a, nil
}

// xmlResults is SPARQL Query Results XML Format.
type xmlResults struct {
	Variables []struct {
		Name string `xml:"name,attr"`
	} `xml:"head>variable"`
	Boolean *string `xml:"boolean"`
	Results []struct {
		Bindings []xmlBinding `xml:"binding"`
	} `xml:"results>result"`
}

type xmlBinding struct {
	Name    string  `xml:"name,attr"`
	URI     *string `xml:"uri"`
	BNode   *string `xml:"bnode"`
	Literal *struct {
		Text     string `xml:",chardata"`
		Datatype string `xml:"datatype,attr"`
		Lang     string `xml:"http://www.w3.org/XML/1998/namespace lang,attr"`
	} `xml:"literal"`
}

func (b xmlBinding) term() rdf.Term {
	switch {
	case b.URI != nil:
		return rdf.IRI(*b.URI)
	case b.BNode != nil:
		return rdf.BNode(*b.BNode)
	case b.Literal == nil:
		return nil
	}
	return literal(b.Literal.Text, b.Literal.Datatype, b.Literal.Lang)
}

func literal(text, datatype, lang string) rdf.Term {
	if lang != "" {
		return rdf.LangLiteral(text, lang)
	}
	return rdf.Literal(text, rdf.IRI(datatype))
}

func readXML(r io.Reader) (Answer, error) {
	var doc xmlResults
	if err := xml.NewDecoder(r).Decode(&doc); err != nil {
		return Answer{}, err
	}
	if doc.Boolean != nil {
		return truth(*doc.Boolean == "true"), nil
	}
	var a Answer
	for _, v := range doc.Variables {
		a.Vars = append(a.Vars, v.Name)
	}
	for _, result := range doc.Results {
		bound := map[string]rdf.Term{}
		for _, b := range result.Bindings {
			bound[b.Name] = b.term()
		}
		if err := a.add(bound); err != nil {
			return a, err
		}
	}
	return a, nil
}

func truth(b bool) Answer { return Answer{Truth: &b} }

// add appends a row.
func (a *Answer) add(bound map[string]rdf.Term) error {
	row := make([]rdf.Term, len(a.Vars))
	for name, term := range bound {
		i := slices.Index(a.Vars, name)
		if i < 0 {
			return fmt.Errorf("a binding of %q, which is no variable of the head", name)
		}
		row[i] = term
	}
	a.Rows = append(a.Rows, row)
	return nil
}

// jsonResults is SPARQL 1.1 Query Results JSON Format.
type jsonResults struct {
	Head    struct{ Vars []string }
	Boolean *bool
	Results struct{ Bindings []map[string]jsonTerm }
}

type jsonTerm struct {
	Type, Value, Datatype string
	Lang                  string `json:"xml:lang"`
}

func (t jsonTerm) term() rdf.Term {
	switch t.Type {
	case "uri":
		return rdf.IRI(t.Value)
	case "bnode":
		return rdf.BNode(t.Value)
	}
	return literal(t.Value, t.Datatype, t.Lang)
}

func readJSON(r io.Reader) (Answer, error) {
	var doc jsonResults
	if err := json.NewDecoder(r).Decode(&doc); err != nil {
		return Answer{}, err
	}
	if doc.Boolean != nil {
		return truth(*doc.Boolean), nil
	}
	a := Answer{Vars: doc.Head.Vars}
	for _, binding := range doc.Results.Bindings {
		bound := map[string]rdf.Term{}
		for name, t := range binding {
			bound[name] = t.term()
		}
		if err := a.add(bound); err != nil {
			return a, err
		}
	}
	return a, nil
}
