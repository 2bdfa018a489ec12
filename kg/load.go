package kg

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"errors"
	"fmt"
	"hash"
	"io"
	"path"
	"slices"
	"strings"

	"trails/db"
	"trails/fault"
	"trails/kg/change"
	"trails/policy"
	"trails/rdf"
	"trails/rdf/rdfio"
	"trails/schema"
)

// Format is a syntax that can be loaded or exported.
type Format string

// The formats. Auto looks at the name and the beginning.
const (
	Auto     Format = "auto"
	NDJSON   Format = "ndjson"
	NQuads   Format = Format(rdfio.NQuads)
	NTriples Format = Format(rdfio.NTriples)
	Turtle   Format = Format(rdfio.Turtle)
	TriG     Format = Format(rdfio.TriG)
	JSONLD   Format = Format(rdfio.JSONLD)
	RDFXML   Format = Format(rdfio.RDFXML)
)

// LoadFormats are those that [Session.Load] reads.
func LoadFormats() []Format {
	return []Format{Auto, NDJSON, NQuads, NTriples, Turtle, TriG, JSONLD, RDFXML}
}

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

// Load is a change that comes as streams. It is one atomic commit, whatever its size.
type Load struct {
	Inputs []Input
	Format Format
	Mode   Mode
	// Graph takes the quads of RDF text that name no graph; empty is the default graph,
	// and so is [rdf.DefaultGraph].
	Graph rdf.IRI
	// OneGraph refuses RDF text that names another graph; Replace always does.
	OneGraph bool
	// IfGraph, when set, is required of Graph; what is not so is refused with
	// fault.Precondition.
	IfGraph GraphState
	// Contexts are documents that JSON-LD may name as its contexts, by their IRIs.
	Contexts map[string][]byte
	// Base is what relative IRIs in RDF text are resolved against; without one they
	// are refused, but for JSON-LD, which passes them over.
	Base rdf.IRI
	// KeepGoing reports all bad lines instead of the first; nothing is changed all the same.
	KeepGoing bool
	// Set carries all but the edits.
	Set ChangeSet
	// Progress hears how far it is.
	Progress func(Progress)
}

// Loaded reports a finished load.
type Loaded struct {
	Result
	// Records counts the lines that held data: nodes, edges or quads.
	Records int64
	// Existed reports that the graph that was named was there before.
	Existed bool
}

// Load reads all inputs, outside the write lock, and commits them. A bad line is
// refused with fault.InvalidData, its source, field and reason. Data that would edit
// the schema is refused with fault.Denied; what repeats it edits nothing.
func (s *Session) Load(ctx context.Context, l Load) (Loaded, error) {
	return s.load(ctx, policy.Change, l)
}

// Import is Load of an export of a whole file, its schema included, into a file that
// has no commits yet; any other file is refused with fault.Precondition.
func (s *Session) Import(ctx context.Context, l Load) (Loaded, error) {
	err := s.View(ctx, func(snap *Snapshot) error {
		if snap.Head().ID != (CommitID{}) {
			return fault.New(fault.Precondition, "an export begins a new file, and this one has commits; load the export's data instead")
		}
		return nil
	})
	if err != nil {
		return Loaded{}, err
	}
	l.Set.IfCommit = &CommitID{} // others may commit while it is read
	return s.load(ctx, policy.Restore, l)
}

func (s *Session) load(ctx context.Context, action policy.Action, l Load) (Loaded, error) {
	r, err := s.read(ctx, action, l)
	if err != nil {
		return Loaded{}, err
	}
	defer r.Close()
	return r.Commit(ctx, l.Set.IfCommit)
}

// ReadLoad reads all inputs of a load and changes nothing: what is left is to commit
// them. Its errors are those of [Session.Load].
func (s *Session) ReadLoad(ctx context.Context, l Load) (*ReadyLoad, error) {
	return s.read(ctx, policy.Change, l)
}

// ReadyLoad is a load whose inputs have been read. Close it.
type ReadyLoad struct {
	session *Session
	in      *loading
	job     job
}

// Commit commits the load, on the head with this id unless ifCommit is nil.
func (r *ReadyLoad) Commit(ctx context.Context, ifCommit *CommitID) (Loaded, error) {
	r.job.set.IfCommit = ifCommit
	result, err := r.session.write(ctx, r.job)
	return Loaded{Result: result, Records: r.in.records, Existed: r.in.existed}, err
}

// Close forgets what was read.
func (r *ReadyLoad) Close() { r.in.spool.Close() }

func (s *Session) read(ctx context.Context, action policy.Action, l Load) (_ *ReadyLoad, err error) {
	if err := l.Mode.check(); err != nil {
		return nil, err
	}
	if err := l.checkTarget(); err != nil {
		return nil, err
	}
	under, err := s.schemaNow(ctx)
	if err != nil {
		return nil, err
	}
	in := &loading{
		ctx: ctx, load: l, under: under, spool: new(change.Spool), labels: newRelabel(),
		types: map[rdf.IRI]bool{}, rejected: map[string]bool{}, content: sha256.New(),
	}
	defer func() {
		if err != nil {
			in.spool.Close()
		}
	}()
	in.content.Write(l.Set.Key.Digest[:])
	if err := in.readAll(); err != nil {
		return nil, err
	}
	l.Set.Key.Digest = [32]byte(in.content.Sum(nil))
	j := job{action: action, spool: in.spool, set: l.Set, inputs: in.names, maxErrors: in.maxErrors(), progress: l.Progress}
	if in.usesSchema {
		j.set.Schema = under.schema
	}
	if l.Graph != "" || l.Mode == Overwrite {
		j.prepare = in.atHead
	}
	if len(in.bad) > 0 {
		return nil, in.allBad(s, j)
	}
	if err := in.compareBlank(s); err != nil {
		return nil, err
	}
	return &ReadyLoad{session: s, in: in, job: j}, nil
}

// loading is one load while its inputs are read.
type loading struct {
	ctx    context.Context
	load   Load
	under  *compiled
	spool  *change.Spool
	labels relabel

	names      []string
	types      map[rdf.IRI]bool // touched, for Overwrite
	usesSchema bool
	records    int64
	bad        []fault.FieldError
	content    hash.Hash       // of the key's digest and the data
	rejected   map[string]bool // nodes on bad lines, as far as they could be read
	input      Input           // at hand
	source     change.Source
	zipped     bool // the input at hand is gzip
	linewise   bool // a bad line of the input at hand says nothing about the next
	report     func(int64)

	existed   bool          // the graph that is named, before
	blank     []change.Edit // set aside by Replace
	manyBlank bool          // too many to set more aside
	sameBlank bool          // they say what is there, at sameAt
	sameAt    CommitID
}

func (l *loading) maxErrors() int {
	if l.load.KeepGoing {
		return keepGoingMaxErrors
	}
	return defaultMaxErrors
}

func (l *loading) readAll() error {
	var total int64
	for _, in := range l.load.Inputs {
		total += in.Size
	}
	l.report = reporter(l.load.Progress, "read", "bytes", total)
	if len(l.load.Inputs) > maxInputs {
		return fault.New(fault.TooLarge, "a load takes at most %d inputs, not %d", maxInputs, len(l.load.Inputs))
	}
	for i, in := range l.load.Inputs {
		l.names = append(l.names, in.Name)
		l.source = change.Source{File: uint16(i)}
		if err := l.readOne(in); err != nil {
			return err
		}
	}
	return nil
}

// maxInputs is how many inputs a [change.Source] can tell apart.
const maxInputs = 1 << 16

// allBad tries the lines that could be read without writing them, and reports what
// they break together with the lines that could not. What only follows from a line
// that was left out is not held against the others.
func (l *loading) allBad(s *Session, j job) error {
	j.set.DryRun, j.set.Key, j.set.IfCommit = true, IdempotencyKey{}, nil
	_, err := s.write(l.ctx, j)
	if err != nil && !fault.Is(err, fault.InvalidData) {
		return err
	}
	fields := l.bad
	if err != nil {
		for _, f := range fault.Of(err).Fields {
			if target, _ := f.Value.(string); f.Code != fault.Class || !l.rejected[target] {
				fields = append(fields, f)
			}
		}
	}
	return fault.Invalid(fields[:min(len(fields), keepGoingMaxErrors)])
}

func (l *loading) readOne(in Input) error {
	text, err := l.decompress(l.digested(in))
	if err != nil {
		return l.unreadable(err)
	}
	format := l.formatOf(in.Name, text)
	l.input, l.linewise = in, format == NDJSON || format == NQuads || format == NTriples
	switch {
	case format == csvTable || format == tsvTable:
		return fault.New(fault.Malformed, `%s is %s, which is not read yet; write it as NDJSON, {"type":…,"id":…,"data":{…}} a line, or as RDF text`,
			in.Name, strings.ToUpper(string(format)))
	case format == NDJSON && (l.load.Mode == Replace || l.load.OneGraph):
		return fault.New(fault.InvalidArguments, "%s is NDJSON, which is about nodes; one graph is loaded from RDF text", in.Name)
	case format == NDJSON:
		l.usesSchema = true
		return l.readNDJSON(text)
	case format != Auto && slices.Contains(LoadFormats(), format):
		return l.readRDF(text, rdfio.Format(format))
	default:
		return wrongFormat(format, LoadFormats())
	}
}

func wrongFormat(format Format, known []Format) error {
	names := make([]string, 0, len(known))
	for _, f := range known {
		names = append(names, string(f))
	}
	return fault.Arguments(fault.FieldError{Field: "format", Code: fault.OneOf, Value: string(format), Constraint: known,
		Message: fmt.Sprintf("format %q is not one of %s", format, strings.Join(names, ", "))})
}

// sniffed is how much of an input Auto looks at.
const sniffed = 64 << 10

// Formats that are told, so that the refusal can name them, and not read.
const (
	csvTable Format = "csv"
	tsvTable Format = "tsv"
)

// formatOf decides by what the caller says, then the name, then the beginning. JSON
// that is no JSON-LD is NDJSON, and what is nothing known is refused as N-Quads.
func (l *loading) formatOf(name string, text *bufio.Reader) Format {
	if l.load.Format != "" && l.load.Format != Auto {
		return l.load.Format
	}
	switch path.Ext(strings.TrimSuffix(strings.ToLower(name), ".gz")) {
	case ".ndjson", ".jsonl":
		return NDJSON
	case ".csv":
		return csvTable
	case ".tsv":
		return tsvTable
	}
	head, _ := text.Peek(sniffed)
	if format := rdfio.Sniff(head, name); format != "" {
		return Format(format)
	}
	if bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n\ufeff"), []byte("{")) {
		return NDJSON
	}
	switch {
	case looksLikeTable(head, ','), looksLikeTable(head, ';'):
		return csvTable
	case looksLikeTable(head, '\t'):
		return tsvTable
	}
	return NQuads
}

// looksLikeTable reports whether a text begins with a head and a row of as many cells,
// two at least.
func looksLikeTable(head []byte, separator rune) bool {
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(head, []byte("\xEF\xBB\xBF"))))
	r.Comma = separator
	names, err := r.Read()
	if err != nil || len(names) < 2 {
		return false
	}
	for _, name := range names {
		if strings.TrimSpace(name) == "" || strings.ContainsAny(name, "<>\"{}") {
			return false
		}
	}
	_, err = r.Read()
	return err == nil
}

// digested lets an idempotency key stand for the data, too: the same key with other
// data is another change.
func (l *loading) digested(in io.Reader) io.Reader {
	if l.load.Set.Key.Key == "" {
		return in
	}
	return io.TeeReader(in, l.content)
}

// decompress counts the bytes as they come and unpacks gzip, told by its magic number.
func (l *loading) decompress(in io.Reader) (*bufio.Reader, error) {
	raw := bufio.NewReaderSize(&counting{in, l.report}, 1<<18)
	magic, _ := raw.Peek(2)
	if l.zipped = bytes.Equal(magic, []byte{0x1f, 0x8b}); !l.zipped {
		return raw, nil
	}
	z, err := gzip.NewReader(raw)
	if err != nil {
		return nil, err
	}
	return bufio.NewReaderSize(z, 1<<18), nil
}

type counting struct {
	io.Reader
	report func(int64)
}

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.report(int64(n))
	return n, err
}

// put spools one edit, stamped with where it came from.
func (l *loading) put(e change.Edit) error {
	e.Source = l.source
	e.Quad = l.labels.quad(e.Quad)
	if l.load.Mode == Overwrite {
		if err := l.touch(e); err != nil {
			return err
		}
	}
	if l.setAside(e) {
		return nil
	}
	if err := addEdit(l.spool, e); err != nil {
		var f *fault.Error
		if errors.As(err, &f) {
			return l.rejectLine(f)
		}
		return err
	}
	return nil
}

// maxTypes bounds the types that one load overwrites.
const maxTypes = 10_000

// touch notes the type that an edit gives its subject.
func (l *loading) touch(e change.Edit) error {
	iri, ok := e.Quad.Object.(rdf.IRI)
	if !ok || e.Op != change.Assert || e.Quad.Predicate != rdf.Type || e.Quad.Label != nil {
		return nil
	}
	if len(l.types) == maxTypes && !l.types[iri] {
		return fault.New(fault.TooLarge, "the data has more than %d types to overwrite; load it in parts", maxTypes)
	}
	l.types[iri] = true
	return nil
}

// eraseTypes adds the removal of every instance of the types that the data has.
func (l *loading) eraseTypes(ctx context.Context, w *db.Writer, c *compiled) error {
	for iri := range l.types {
		for q, err := range w.Match(ctx, rdf.Quad{Predicate: rdf.Type, Object: iri, Label: rdf.DefaultGraph}) {
			if err != nil {
				return err
			}
			if err := l.spool.Add(change.Edit{Op: change.Erase, Quad: rdf.Quad{Subject: q.Subject}}); err != nil {
				return err
			}
		}
	}
	return nil
}

// typeOf finds a declared type that has instances of its own.
func (l *loading) typeOf(name string) (*schema.Type, error) {
	t := l.under.schema.Type(name)
	if t == nil {
		return nil, fmt.Errorf("type %q is not in the schema%s", name, l.under.knownTypes())
	}
	if t.Abstract {
		return nil, fmt.Errorf("type %s is abstract; say which of its subtypes it is", name)
	}
	return t, nil
}

func (c *compiled) knownTypes() string {
	if len(c.schema.Types) == 0 {
		return ", which has no types yet; apply one first"
	}
	var names []string
	for _, t := range c.schema.Types {
		if !t.Abstract {
			names = append(names, t.Name)
		}
	}
	return "; it has " + strings.Join(names, ", ")
}
