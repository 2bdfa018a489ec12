package kg_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"trails/e2e/testrun"
	"trails/fault"
	"trails/kg"
	"trails/kg/load"
	"trails/rdf"
)

// tryThere runs an update on a new graph with this way out, and returns what is there
// then, a line for each statement.
func tryThere(t *testing.T, r kg.Remote, text string) (string, error) {
	t.Helper()
	g := openTo(t, r, `:old :p 1 .`)
	_, err := tryUpdate(t, g, text, kg.ChangeSet{}, kg.UpdateOptions{})
	lines := strings.ReplaceAll(export(t, g, load.NQuads), base, ":")
	verify(t, g)
	return lines, err
}

const oldLine = `<:old> <:p> "1"^^<http://www.w3.org/2001/XMLSchema#integer> .` + "\n"

func TestDocumentsAreLoaded(t *testing.T) {
	testrun.Alone(t)
	out := &elsewhere{documents: map[string]string{
		"http://one/d/x":        "text/turtle;charset=utf-8 @prefix : <" + base + "> . <#a> :q [ :r <y> ] .",
		"http://one/d/x.trig":   "application/trig @prefix : <" + base + "> . :a :b :c . :g { :d :e :f }",
		"http://one/d/x.nt":     "text/plain <urn:a> <urn:b> <urn:c> .",
		"http://one/d/unsaid":   "application/octet-stream <urn:a> <urn:b> <urn:c> <urn:g> .",
		"http://one/d/x.rdf":    `application/rdf+xml <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="z"><rdf:type rdf:resource="urn:t"/></rdf:Description></rdf:RDF>`,
		"http://one/d/x.jsonld": `application/ld+json {"@id":"urn:a","urn:b":{"@id":"urn:c"}}`,
	}}
	for text, want := range map[string][]string{
		"LOAD <http://one/d/x>": {`<http://one/d/x#a> <:q> _:B .`, `_:B <:r> <http://one/d/y> .`},
		"LOAD <http://one/d/x.trig> ; INSERT { ?o :was ?s } WHERE { ?s :b ?o }": {`<:a> <:b> <:c> .`, `<:c> <:was> <:a> .`, `<:d> <:e> <:f> <:g> .`},
		"LOAD <http://one/d/x.nt> INTO GRAPH :g":                                {`<urn:a> <urn:b> <urn:c> <:g> .`},
		"LOAD <http://one/d/x.nt> ; LOAD <http://one/d/x.nt> INTO GRAPH :g":     {`<urn:a> <urn:b> <urn:c> .`, `<urn:a> <urn:b> <urn:c> <:g> .`},
		"LOAD <http://one/d/unsaid>":                                            {`<urn:a> <urn:b> <urn:c> <urn:g> .`},
		"LOAD <http://one/d/x.rdf>":                                             {`<http://one/d/z> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <urn:t> .`},
		"LOAD SILENT <http://one/d/x.jsonld>":                                   {`<urn:a> <urn:b> <urn:c> .`},
		"LOAD SILENT <http://nowhere/> ; INSERT DATA { :a :b :c }":              {`<:a> <:b> <:c> .`},
		"LOAD SILENT <file:///etc/passwd>":                                      nil,
		"LOAD SILENT <http://one/d/x.trig> INTO GRAPH :h":                       nil,
	} {
		got, err := tryThere(t, out, text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		}
		lines := strings.Split(strings.TrimSpace(strings.ReplaceAll(got, oldLine, "")), "\n")
		for i, line := range lines {
			for _, word := range strings.Fields(line) {
				if strings.HasPrefix(word, "_:") {
					lines[i] = strings.ReplaceAll(lines[i], word, "_:B")
				}
			}
		}
		slices.Sort(lines)
		slices.Sort(want)
		if joined := strings.Join(want, "\n"); strings.Join(lines, "\n") != joined {
			t.Errorf("%s\ngot\n%s\nwant\n%s", text, got, joined)
		}
	}
}

// What LOAD leaves out of documents is counted and named with its document, over all operations of
// an update, and what is whole counts nothing.
func TestLoadCountsTheStatementsThatAreLeftOut(t *testing.T) {
	testrun.Alone(t)
	out := &elsewhere{documents: map[string]string{
		"http://one/whole":  `application/ld+json {"@id":"urn:a","urn:b":[{"@id":"urn:c"},"text"]}`,
		"http://one/some":   `application/ld+json {"@id":"urn:a","urn:b":[{"@id":"urn:c"},{"@id":"urn:not an iri"},{"@id":"urn:<nor this>"}]}`,
		"http://one/none":   `application/ld+json {"@id":"urn:a","urn:b":{"@id":"urn:not one either"}}`,
		"http://one/x.nt":   "application/n-triples <urn:a> <urn:b> <urn:c> .",
		"http://one/broken": "application/ld+json {",
	}}
	for text, want := range map[string]struct{ added, leftOut int64 }{
		"LOAD <http://one/whole>":                                            {2, 0},
		"LOAD <http://one/x.nt>":                                             {1, 0},
		"LOAD <http://one/some>":                                             {1, 2},
		"LOAD <http://one/some> INTO GRAPH :g":                               {1, 2},
		"LOAD SILENT <http://one/some>":                                      {1, 2},
		"LOAD <http://one/none>":                                             {0, 1},
		"LOAD <http://one/some> ; LOAD <http://one/none> INTO GRAPH :g":      {1, 3},
		"LOAD <http://one/some> ; LOAD <http://one/some> INTO GRAPH :g":      {2, 4},
		"LOAD <http://one/whole> ; LOAD <http://one/none>":                   {2, 1},
		"LOAD SILENT <http://one/broken> ; LOAD <http://one/some>":           {1, 2},
		"LOAD <http://one/some> ; DELETE DATA { <urn:a> <urn:b> <urn:c> }":   {0, 2},
		"INSERT DATA { :x :y :z } ; LOAD <http://one/none> INTO GRAPH <u:n>": {1, 1},
	} {
		res, err := tryUpdate(t, openTo(t, out, ""), text, kg.ChangeSet{}, kg.UpdateOptions{})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if res.AddedCount != want.added || res.LeftOut.Count != want.leftOut || int64(len(res.LeftOut.First)) != want.leftOut {
			t.Errorf("%s: +%d, %d left out %v; want +%d, %d", text, res.AddedCount, res.LeftOut.Count, res.LeftOut.First, want.added, want.leftOut)
		}
		for _, o := range res.LeftOut.First {
			if !strings.HasPrefix(o.Source, "http://one/") || !strings.Contains(o.Message, "urn:") {
				t.Errorf("%s leaves out %+v, without its document or what it is", text, o)
			}
		}
	}
}

func TestADocumentThatCannotBeLoadedChangesNothing(t *testing.T) {
	testrun.Alone(t)
	out := &elsewhere{documents: map[string]string{
		"http://one/bad.ttl":  "text/turtle <urn:a> <urn:b> <urn:c> .\n<urn:a> <urn:b>\n  <<",
		"http://one/page":     "text/html <html>",
		"http://one/what":     "text/plain hello",
		"http://one/x.trig":   "application/trig <urn:g> { <urn:a> <urn:b> <urn:c> }",
		"http://one/our.trig": "application/trig <urn:trails:graph:schema> { <urn:a> <urn:b> <urn:c> }",
		"http://one/x.nt":     "application/n-triples <urn:a> <urn:b> <urn:c> .",
	}}
	for text, want := range map[string]struct {
		kind fault.Kind
		says string
	}{
		"LOAD <http://nowhere/>":                 {fault.Unusable, "LOAD: <http://nowhere/>"},
		"LOAD <http://one/bad.ttl>":              {fault.InvalidData, "http://one/bad.ttl:3: column 4: expected"},
		"LOAD <http://one/page>":                 {fault.Unusable, `came as "text/html", which is no form of RDF`},
		"LOAD <http://one/what>":                 {fault.Unusable, "no form of RDF"},
		"LOAD <http://one/x.trig> INTO GRAPH :g": {fault.InvalidData, "graphs of its own"},
		"LOAD <http://one/our.trig>":             {fault.Denied, "schema"},
		"LOAD <file:///etc/passwd>":              {fault.Denied, "reads no files"},
		"LOAD <FILE:/etc/passwd> INTO GRAPH :g":  {fault.Denied, "reads no files"},
		"LOAD <http://one/x.nt> ; CREATE GRAPH :g; CREATE GRAPH :old ; COPY :none TO :g": {fault.Missing, "is not there"},
		"LOAD <http://one/x.nt> INTO GRAPH <urn:trails:graph:prov>":                      {fault.Denied, "kept by trails itself"},
		"LOAD <http://one/x.nt> INTO GRAPH <urn:trails:graph:schema>":                    {fault.Denied, "schema"},
	} {
		got, err := tryThere(t, out, text)
		if f := fault.Of(err); err == nil || f.Kind != want.kind || !strings.Contains(f.Error(), want.says) || got != oldLine {
			t.Errorf("%s: got %v\nand\n%s", text, err, got)
		}
		if strings.Contains(text, ";") {
			continue
		}
		// SILENT passes over it, and says as much of it.
		res, err := tryUpdate(t, openTo(t, out, ""), strings.Replace(text, "LOAD", "LOAD SILENT", 1), kg.ChangeSet{}, kg.UpdateOptions{})
		if err != nil || !strings.Contains(strings.Join(res.Warnings, "\n"), want.says) {
			t.Errorf("SILENT, %s: %v, warned of %q, want %s", text, err, res.Warnings, want.says)
		}
	}
	if _, err := tryThere(t, nil, "LOAD <http://one/x.nt>"); !fault.Is(err, fault.Denied) {
		t.Errorf("without a way out: %v", err)
	}
}

func TestAnUpdateAsksServices(t *testing.T) {
	out := &elsewhere{endpoints: map[string][]rdf.Quad{"http://one/": factsOf(t, `:a :name "A" . :b :name "B" . _:c :name "C" .`)}}
	got, err := tryThere(t, out, `INSERT DATA { :a :b 1 } ;
		INSERT { GRAPH ?g { ?s :called ?n } } WHERE { VALUES (?g ?s) { (:g :a) } SERVICE <http://one/> { ?s :name ?n } ?s :b 1 } ;
		WITH :g DELETE { ?s :called ?n } INSERT { ?s :was ?n } WHERE { ?s :called ?n SERVICE <http://one/> { ?s :name ?n } }`)
	if want := `<:a> <:b> "1"^^<http://www.w3.org/2001/XMLSchema#integer> .` + "\n" + `<:a> <:was> "A" <:g> .` + "\n" + oldLine; err != nil || got != want {
		t.Errorf("got %v\n%s\nwant\n%s", err, got, want)
	}
	if len(out.asked) != 2 || !strings.Contains(out.asked[0], "VALUES ?s") {
		t.Errorf("asked %s", out.asked)
	}
	_, err = tryThere(t, nil, `INSERT { :a :b 1 } WHERE { SERVICE SILENT <http://one/> {} }`)
	if !fault.Is(err, fault.Denied) {
		t.Errorf("without a way out: %v", err)
	}
}

// writing is a way out that writes to the graph before it answers.
type writing struct {
	*elsewhere
	write func()
}

func (w *writing) Fetch(ctx context.Context, address string) (kg.Document, error) {
	w.write()
	return w.elsewhere.Fetch(ctx, address)
}

func TestNothingIsLockedWhileADocumentIsFetched(t *testing.T) {
	out := &writing{elsewhere: &elsewhere{documents: map[string]string{"http://one/x.nt": "application/n-triples <urn:a> <urn:b> <urn:c> ."}}}
	g := openTo(t, out, "")
	out.write = func() { update(t, g, "INSERT DATA { :meanwhile :p 1 }") }
	r := update(t, g, "LOAD <http://one/x.nt>")
	if len(r.Added) != 1 || r.Before.Message != r.After.Message || !strings.Contains(export(t, g, load.NQuads), "meanwhile") {
		t.Errorf("got %+v", r)
	}
}
