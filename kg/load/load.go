// Package load converts data of common formats to edits, under a schema: NDJSON lines and table rows become nodes and
// edges, RDF text becomes quads. It reports the error and place of every bad line. It does not access the graph; the
// effect of the edits is decided when they are merged with it.
//
// Read [Options] first, then [Read].
package load

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"trails/fault"
	"trails/kg/change"
	"trails/rdf"
	"trails/rdf/rdfio"
	"trails/schema"
	"trails/schema/infer"
)

// Input is one stream of data, and the name that errors call it by.
type Input struct {
	Name string
	io.Reader
	Size int64 // total bytes; 0 when unknown
	// Source is what provenance calls the input, such as the name of its file; "" leaves it out.
	Source string
	// Graph and Base, unless they are empty, replace those of the load.
	Graph, Base rdf.IRI
	// Own keeps its blank nodes apart from those of other inputs, whatever its format.
	Own bool
	// Table, when set, says how it is read, in the place of what the options say.
	Table *Table
}

// Table says how the rows of one input are read; its fields are those of the [Options].
type Table struct {
	Type, ID, Sheet string
	Map             map[string]string
	Conventions     infer.Conventions
	// By is the column by whose values rows find the nodes that they update; "" finds them by their ids alone.
	By string
	// Cells are texts in the place of those of a table, by the line of the row and the name of the column.
	Cells map[int]map[string]string
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
	// Type is the type of the rows of tables and of JSON objects. Tables need it; JSON without it has records that
	// contain their types.
	Type string
	// Map assigns property names to columns, or members of objects, with other names; "" skips a column. In records
	// it applies to the members of data.
	Map map[string]string
	// ID is the column with the nodes' ids; if it is empty, the column "id", if there is one. Where a cell is empty
	// the type makes the id. Only with Type.
	ID string
	// Lenient leaves out statements of RDF text with an invalid IRI or language tag, and counts them in LeftOut.
	Lenient bool
	// Conventions say how the cells of tables are written; the zero value is the notation of XSD.
	Conventions infer.Conventions
	// Sheet names the sheet of a workbook; if it is empty, the first that is not hidden.
	Sheet string
	// Strict refuses to propose a schema for data with bad rows; otherwise [Records] skips a few.
	Strict bool
	// Rejects keeps the rows and records, so that bad ones can be left out: they are then in Data.Rows, and not in
	// Data.Bad.
	Rejects bool
	// Finder finds nodes of the graph, so that a reference can be the label of its node, too, and for Table.By. Nil finds
	// none: then references are ids.
	Finder Finder
	// Preview is how many of the first nodes are returned in Data.Preview.
	Preview int
}

// MaxBad bounds the errors that are counted.
const MaxBad = 10_000

// Data is the content of the inputs. Close it.
type Data struct {
	// Edits are the edits of the valid lines.
	Edits *change.Spool
	// Sources are the names of the inputs, by change.Source.File.
	Sources []string
	// Records counts the lines that held data: nodes, edges or quads.
	Records int64
	// UsesSchema reports that lines were read by the schema.
	UsesSchema bool
	// Types are those that the data gives its nodes, with Overwrite.
	Types map[rdf.IRI]bool
	// Blank are, with Replace, the edits with blank nodes, if they are few enough to compare with the graph;
	// otherwise they are in Edits, and Blank is nil.
	Blank []change.Edit
	// Bad are the errors; BadNodes are the nodes that are left out because of them.
	Bad      []fault.FieldError
	BadNodes map[string]bool
	// LeftOut are statements in the inputs that cannot be expressed in RDF.
	LeftOut rdfio.LeftOut
	// Tried are the edits of nodes with errors, as far as they can be read, and Told the fields and nodes that the
	// errors are about.
	Tried *change.Spool
	Told  map[[2]string]bool
	// Partial means that an input could not be read to its end.
	Partial bool
	// Predicates and Classes are the first ones that occur in RDF text.
	Predicates, Classes map[rdf.Term]bool
	// Misspelt has a sentence for each name in the namespaces of RDF and RDF Schema that does not exist there.
	Misspelt []string
	// Notes are notes on data that could be read in several ways, or was not read.
	Notes []string
	// Rows are the rows that were read, with Rejects.
	Rows *Rows
	// Preview are the first nodes of the data, as they would be stored if they are new.
	Preview []Node
}

// Node is one node of the data. Its JSON is a line that load can read.
type Node struct {
	Type string         `json:"type"`
	ID   string         `json:"id,omitempty"` // "" if a new id will be made
	Data map[string]any `json:"data"`
}

// Close discards the edits.
func (d *Data) Close() {
	d.Edits.Close()
	d.Tried.Close()
	d.Rows.Close()
}

// Read reads all inputs under a schema. It reports the bytes that it has read as they
// come, unless report is nil. Bad lines are in the Data, and more than [MaxBad] problems
// fault.InvalidData; a type, a property or a column that there is not is
// fault.InvalidArguments or fault.InvalidData.
func Read(ctx context.Context, o Options, under *schema.Schema, report func(bytes int64)) (_ *Data, err error) {
	if err := o.Mode.check(); err != nil {
		return nil, err
	}
	if o.Rejects && o.Mode != "" && o.Mode != Merge && o.Mode != Append && o.Mode != Skip {
		return nil, fault.Argument("rejects", fault.Closed, true, fmt.Sprintf("mode %s would remove the nodes of rows that are left out; rejects is for merge, append and skip", o.Mode))
	}
	if len(o.Inputs) > maxInputs {
		return nil, fault.New(fault.TooLarge, "a load takes at most %d inputs, not %d", maxInputs, len(o.Inputs))
	}
	if report == nil {
		report = func(int64) {}
	}
	r := reader{
		Options: o, ctx: ctx, schema: under, report: report, labels: change.NewLabels(),
		Data: Data{
			Edits: new(change.Spool), Tried: new(change.Spool), Types: map[rdf.IRI]bool{}, BadNodes: map[string]bool{}, Told: map[[2]string]bool{},
			Predicates: map[rdf.Term]bool{}, Classes: map[rdf.Term]bool{},
		},
	}
	if o.Rejects {
		r.Rows = newRows()
		r.Edits.Without = r.Rows.Without
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
	if err := r.finishWaiting(); err != nil {
		return nil, err
	}
	r.tellMisspelt()
	if o.Rejects {
		r.Rows.sources = r.Sources
		apart := slices.ContainsFunc(o.Inputs, func(in Input) bool { return in.Table != nil }) // see [Rows.Write]
		if tables := len(r.Rows.headers); tables > 0 && tables < len(o.Inputs) && !apart {
			return nil, fault.Argument("rejects", fault.Closed, true, "the rejects of tables are CSV and those of JSON are not: load tables and JSON apart")
		}
	}
	return &r.Data, nil
}

// maxInputs is the number of inputs that a [change.Source] can distinguish.
const maxInputs = 1 << 16

// reader is one load while its inputs are read.
type reader struct {
	Options
	Data
	ctx    context.Context
	schema *schema.Schema
	labels change.Labels
	report func(bytes int64)

	// For the current input:
	input    Input
	source   change.Source
	zipped   bool // it is gzip
	format   Format
	guessed  bool // its format was guessed from its beginning
	linewise bool // a bad line does not affect the next one

	siblings
	cells      map[int]map[string]string   // texts in the place of cells
	by         string                      // the column by which rows find their nodes
	seenBy     map[rdf.Term]uint64         // the lines of rows of new nodes, by their values in that column
	labelled   map[[2]string]labelled      // what texts of references mean, by property and text
	each       func(infer.Record) error    // receives the data instead of edits; nil for none
	of         string                      // the type of the data that each receives, "" if records contain it
	currencies map[*schema.Property]string // the currency of the first amount in each column
	noValue    string                      // the first cell that was taken as empty
	noValues   int64                       // how many there are
	shown      map[string]string           // Map by one-line names
	columns    map[string]column           // for members of JSON objects, by name
	misspelt   map[rdf.IRI]*misspelling
	manyBlank  bool // there are too many blank nodes to keep them in Blank
}

func (r *reader) readOne(in Input) error {
	if t := in.Table; t != nil {
		r.Type, r.ID, r.Sheet, r.Map, r.Conventions, r.shown, r.cells = t.Type, t.ID, t.Sheet, t.Map, t.Conventions, nil, t.Cells
		r.by, r.seenBy = t.By, nil
	}
	text, err := r.decompress(in)
	if err != nil {
		return r.unreadable(err)
	}
	if text, err = decoded(in.Name, text); err != nil {
		return err
	}
	format, err := r.formatOf(in.Name, text)
	if err != nil {
		return err
	}
	r.input, r.format, r.of, r.columns, r.linewise = in, format, r.Type, nil, format.OfNodes() || format == NQuads || format == NTriples
	switch {
	case r.each != nil && !format.OfNodes():
		return fault.New(fault.InvalidArguments, "%s; a schema is proposed from NDJSON, CSV, TSV, XLSX and JSON arrays", r.says(format))
	case format.OfNodes() && (r.Mode == Replace || r.OneGraph):
		return fault.New(fault.InvalidArguments, "%s, which is about nodes; one graph is loaded from RDF text", r.says(format))
	case !format.OfNodes() && r.Rejects:
		return fault.Argument("rejects", fault.Closed, true, r.says(format)+"; rejects is for tables and records, and lenient for statements of RDF text")
	case !format.OfNodes() && r.Mode == Skip:
		return fault.Argument("mode", fault.Closed, string(Skip), r.says(format)+"; skip is for tables and records")
	case !format.IsTable() && r.Conventions != (infer.Conventions{}):
		return fault.Argument(cmp.Or(map[bool]string{true: "dates"}[r.Conventions.Dates != ""], "decimal"), fault.Closed, nil, r.says(format)+"; dates and decimal are for tables, whose cells are text")
	case format != XLSX && r.Sheet != "":
		return fault.Argument("sheet", fault.Closed, r.Sheet, r.says(format)+"; sheet is for XLSX")
	case !format.OfNodes() && (r.Type != "" || r.ID != "" || len(r.Map) > 0):
		return fault.New(fault.InvalidArguments, "%s; type, map and id are for CSV, TSV, XLSX and JSON", r.says(format))
	case format.OfNodes():
		r.UsesSchema = true
		return r.readNodes(text, format)
	case format != Auto && slices.Contains(Formats(), format):
		return r.readRDF(text, rdfio.Format(format))
	default:
		return UnknownFormat(format, Formats())
	}
}

// readNodes reads an input of one of the formats of nodes.
func (r *reader) readNodes(text *bufio.Reader, format Format) error {
	if r.each != nil {
		return r.readRecords(text, format)
	}
	var t *schema.Type
	switch {
	case r.Type != "":
		var err error
		if t, err = r.typeOf(r.Type); err != nil {
			return fault.Argument("type", fault.Class, r.Type, err.Error())
		}
	case format.IsTable():
		return fault.Argument("type", fault.Required, nil, r.says(format)+", whose rows are all of one type: say type")
	case r.ID != "":
		return fault.Argument("type", fault.Required, nil, "id is for data of one type: say type")
	}
	switch format {
	case JSONArray:
		return r.readArray(text, t)
	case CSV, TSV, XLSX:
		return r.readTable(text, format, t)
	default:
		return r.readNDJSON(text, t)
	}
}

// put spools one edit with its source.
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
	if err == nil {
		return nil
	}
	var f *fault.Error
	if errors.As(err, &f) {
		return r.rejectLine(f)
	}
	return err
}

// maxTypes bounds the types that one load overwrites.
const maxTypes = 10_000

// touch records the type that an edit adds to its subject.
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

// MaxBlank bounds the quads with blank nodes that are kept in Blank.
const MaxBlank = 50_000

// setAside keeps a quad with blank nodes in Blank, because it may already be in the graph under other labels.
func (r *reader) setAside(e change.Edit) (bool, error) {
	if r.Mode != Replace || r.manyBlank || !HasBlank(e.Quad) {
		return false, nil
	}
	r.Blank = append(r.Blank, e)
	if r.manyBlank = len(r.Blank) > MaxBlank; r.manyBlank {
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
