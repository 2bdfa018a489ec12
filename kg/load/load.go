// Package load reads data of every format that people have, under a schema, into edits:
// NDJSON lines become nodes and edges, RDF text quads. It says of every bad line what is
// wrong and where. It knows no file and no commit; what the edits come to is decided when
// they are merged with the graph.
//
// Read [Options] first, then [Read].
package load

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"trails/fault"
	"trails/kg/change"
	"trails/rdf"
	"trails/rdf/rdfio"
	"trails/schema"
)

// Input is one stream of data, and the name that errors call it by.
type Input struct {
	Name string
	io.Reader
	Size int64 // bytes to come; 0 when unknown
	// Graph and Base, unless they are empty, stand in the place of the load's.
	Graph, Base rdf.IRI
	// Own keeps its blank nodes apart from those of other inputs, whatever its format.
	Own bool
}

// Options say what is read, and how. The zero Options read nothing.
type Options struct {
	Inputs []Input
	Format Format // empty is Auto
	Mode   Mode   // empty is Merge
	// Graph takes the quads of RDF text that name no graph; empty is the default graph,
	// and so is [rdf.DefaultGraph].
	Graph rdf.IRI
	// OneGraph refuses RDF text that names another graph; Replace always does.
	OneGraph bool
	// Contexts are documents that JSON-LD may name as its contexts, by their IRIs.
	Contexts map[string][]byte
	// Base is what relative IRIs in RDF text are resolved against; without one they
	// are refused, but for JSON-LD, which passes them over.
	Base rdf.IRI
	// KeepGoing reports all bad lines, at most [MaxBad], instead of the first.
	KeepGoing bool
}

// MaxBad bounds the problems that are reported with KeepGoing.
const MaxBad = 1000

// Data is what the inputs say. Close it.
type Data struct {
	// Edits are what the good lines say.
	Edits *change.Spool
	// Sources are the names of the inputs, by the File of an edit's source.
	Sources []string
	// Records counts the lines that held data: nodes, edges or quads.
	Records int64
	// UsesSchema reports that lines were read by the schema.
	UsesSchema bool
	// Types are those that the data gives its nodes, with Overwrite.
	Types map[rdf.IRI]bool
	// Blank are the edits with blank nodes, with Replace, while there are few enough to
	// compare them with what is there; they are in Edits otherwise, and Blank is nil.
	Blank []change.Edit
	// Bad are the problems, with KeepGoing; BadNodes those of them that name a node.
	Bad      []fault.FieldError
	BadNodes map[string]bool
}

// Close forgets the edits.
func (d *Data) Close() { d.Edits.Close() }

// Read reads all inputs under a schema. It reports the bytes that it has read as they
// come, unless report is nil. Bad lines are fault.InvalidData, with KeepGoing in the Data.
func Read(ctx context.Context, o Options, under *schema.Schema, report func(bytes int64)) (_ *Data, err error) {
	if err := o.Mode.check(); err != nil {
		return nil, err
	}
	if len(o.Inputs) > maxInputs {
		return nil, fault.New(fault.TooLarge, "a load takes at most %d inputs, not %d", maxInputs, len(o.Inputs))
	}
	if report == nil {
		report = func(int64) {}
	}
	r := reader{
		Options: o, ctx: ctx, schema: under, report: report, labels: change.NewLabels(),
		Data: Data{Edits: new(change.Spool), Types: map[rdf.IRI]bool{}, BadNodes: map[string]bool{}},
	}
	defer func() {
		if err != nil {
			r.Close()
		}
	}()
	for i, in := range o.Inputs {
		r.Sources = append(r.Sources, in.Name)
		r.source = change.Source{File: uint16(i)}
		if err := r.readOne(in); err != nil {
			return nil, err
		}
	}
	return &r.Data, nil
}

// maxInputs is how many inputs a [change.Source] can tell apart.
const maxInputs = 1 << 16

// reader is one load while its inputs are read.
type reader struct {
	Options
	Data
	ctx    context.Context
	schema *schema.Schema
	labels change.Labels
	report func(bytes int64)

	// Of the input at hand:
	input    Input
	source   change.Source
	zipped   bool // it is gzip
	linewise bool // a bad line says nothing about the next

	manyBlank bool // there are too many blank nodes to set them aside
}

func (r *reader) readOne(in Input) error {
	text, err := r.decompress(in)
	if err != nil {
		return r.unreadable(err)
	}
	format := r.formatOf(in.Name, text)
	r.input, r.linewise = in, format == NDJSON || format == NQuads || format == NTriples
	switch {
	case format == csvTable || format == tsvTable:
		return fault.New(fault.Malformed, `%s is %s, which is not read yet; write it as NDJSON, {"type":…,"id":…,"data":{…}} a line, or as RDF text`,
			in.Name, strings.ToUpper(string(format)))
	case format == NDJSON && (r.Mode == Replace || r.OneGraph):
		return fault.New(fault.InvalidArguments, "%s is NDJSON, which is about nodes; one graph is loaded from RDF text", in.Name)
	case format == NDJSON:
		r.UsesSchema = true
		return r.readNDJSON(text)
	case format != Auto && slices.Contains(Formats(), format):
		return r.readRDF(text, rdfio.Format(format))
	default:
		return UnknownFormat(format, Formats())
	}
}

// put spools one edit, stamped with where it came from.
func (r *reader) put(e change.Edit) error {
	e.Source = r.source
	e.Quad = r.labels.Quad(e.Quad)
	if r.Mode == Overwrite {
		if err := r.touch(e); err != nil {
			return err
		}
	}
	err := change.CheckGraph(e.Quad.Label)
	aside := false
	if err == nil {
		aside, err = r.setAside(e)
	}
	if err == nil && !aside {
		err = r.Edits.Add(e)
	}
	var f *fault.Error
	if errors.As(err, &f) {
		return r.rejectLine(f)
	}
	return err
}

// maxTypes bounds the types that one load overwrites.
const maxTypes = 10_000

// touch notes the type that an edit gives its subject.
func (r *reader) touch(e change.Edit) error {
	iri, ok := e.Quad.Object.(rdf.IRI)
	if !ok || e.Op != change.Assert || e.Quad.Predicate != rdf.Type || e.Quad.Label != nil {
		return nil
	}
	if len(r.Types) == maxTypes && !r.Types[iri] {
		return fault.New(fault.TooLarge, "the data has more than %d types to overwrite; load it in parts", maxTypes)
	}
	r.Types[iri] = true
	return nil
}

// maxBlank bounds the quads with blank nodes that are set aside.
const maxBlank = 10_000

// setAside keeps a quad with blank nodes back while all such may turn out to be those
// that are there, under other labels.
func (r *reader) setAside(e change.Edit) (bool, error) {
	if r.Mode != Replace || r.manyBlank || !HasBlank(e.Quad) {
		return false, nil
	}
	r.Blank = append(r.Blank, e)
	if r.manyBlank = len(r.Blank) > maxBlank; r.manyBlank {
		for _, e := range r.Blank {
			if err := r.Edits.Add(e); err != nil {
				return false, err
			}
		}
		r.Blank = nil
	}
	return true, nil
}

// HasBlank reports whether the subject or the object of a quad is a blank node.
func HasBlank(q rdf.Quad) bool {
	_, subject := q.Subject.(rdf.BNode)
	_, object := q.Object.(rdf.BNode)
	return subject || object
}
