package kg

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"trails/fault"
	"trails/kg/load"
	"trails/rdf"
	"trails/rdf/rdfio"
	"trails/schema"
	"trails/schema/infer"
)

// ImportAsked is a request to find out how data is imported.
type ImportAsked struct {
	// Options that count are Type, ID, Map, Sheet, Conventions, Format and Strict. A column whose Map is a name that the
	// type of its rows does not have is refused; for a new type that name is made.
	load.Options
	// Kinds are, by column of a new type, a datatype or the name of a type to which its values refer.
	Kinds map[string]string
	// By is the column by whose values rows find the nodes of a type that is there, see [load.Table].
	By string
	// Rows is how many of the first rows of each table are returned.
	Rows int
	// Progress, when set, hears how far it is.
	Progress func(Progress)
}

// ImportPlan is how data is imported: what is added to the schema, how each input is read, and what comes of it. It was
// tried without changing anything.
type ImportPlan struct {
	Head Commit
	// Proposed is the schema for the data by itself, as YAML with the reasons.
	Proposed []byte
	// Added are the new types, and Patch the steps that add them, as [Load] takes them; nil if there are none.
	Added []string
	Patch []byte
	// Tables say how each input is read, in the order of the inputs.
	Tables []ImportTable
	// RDF means that the inputs are RDF text, which is added as it is, or refused as a whole.
	RDF bool
	// Blocked are decisions that have to be made first; then nothing was tried.
	Blocked []fault.FieldError
	// Records fit, and LeftOut rows and records do not, for the reasons in Bad. Following are those of them with which
	// nothing is wrong but that they refer to others.
	Records, LeftOut, Following int64
	Bad                         []fault.FieldError
	// Met says how many nodes would be made, changed, and stay as they are.
	Met Met
	// TooMany means that so many are left out that the data is probably read amiss.
	TooMany bool
	// Date and Number are formats that can be read in two ways, see [Proposed].
	Date, Number string
	// Changes are what the import would do to the graph.
	Changes Result
}

// ImportTable says how one input is read.
type ImportTable struct {
	Name       string
	load.Table // of RDF text, and of records with their types, without a type
	// Cells means that it is a table; otherwise it has objects of JSON, or records.
	Cells bool
	// New means that Type is added.
	New bool
	// Near is a type of the graph that has some of the columns, which are Shared; "" if there is none.
	Near    string
	Shared  []string
	Columns []ImportColumn
	// Rows are the first rows, and Lines where they begin.
	Rows  [][]string
	Lines []int
	// Sheets are those of the workbook that are not hidden.
	Sheets []string
	// Count is the number of all rows and objects.
	Count int64
}

// ImportColumn says what a column of a table becomes.
type ImportColumn struct {
	Name string
	// Property gets its cells; "" if it is left out, or only the key.
	Property string
	// Kind is the datatype of the property, or the type that it refers to.
	Kind string
	Key  bool // the column has the ids
	Many bool
	// Required means that each row must have a value.
	Required bool
}

// planning of an import.
type importing struct {
	ImportAsked
	session *Session
	sources []Source
	there   *schema.Schema
	plan    *ImportPlan
	seen    []seenInput    // of each source
	types   []string       // the types of the sources' records; "" where records say theirs
	fits    *schema.Schema // the proposal
}

// seenInput is what an import shows of one input.
type seenInput struct {
	header infer.Record // of a table
	sheets []string
	count  int64
	rows   [][]string // the first ones
	lines  []int      // where they begin
}

// PlanImport finds out how sources are imported into the graph, and changes nothing. Rows of a table are of the type that
// the request names, else of the only one that has all proposed properties, else of a new one. A table whose columns are
// those of several types is refused, and so is what [Propose] refuses.
//
// All rows are read once for a proposal, and then loaded in a dry run. Types that would be added are weakened by what the
// load refuses, as [Propose] does it, and loaded again.
func (s *Session) PlanImport(ctx context.Context, sources []Source, asked ImportAsked) (*ImportPlan, error) {
	under, err := s.schemaNow(ctx)
	if err != nil {
		return nil, err
	}
	p := &importing{ImportAsked: asked, session: s, sources: heard(sources, asked.Progress), there: under.schema}
	if rdf, err := p.isRDF(); err != nil {
		return nil, err
	} else if rdf {
		p.plan = &ImportPlan{Added: []string{}, RDF: true}
		for _, source := range sources {
			p.plan.Tables = append(p.plan.Tables, ImportTable{Name: source.Name})
		}
		_, err := p.try(ctx, nil)
		return p.plan, err
	}
	proposal, err := p.read(ctx)
	if err != nil {
		return nil, err
	}
	for range maxTries {
		p.plan = &ImportPlan{Added: []string{}}
		if err := p.propose(proposal); err != nil {
			return nil, err
		}
		if len(p.plan.Blocked) > 0 {
			return p.plan, nil
		}
		if weakened, err := p.try(ctx, proposal); err != nil || !weakened {
			p.plan.Proposed = proposal.YAML() // which names bad cells now
			return p.plan, err
		}
	}
	return nil, errManyTries
}

// heard are the sources, of which each reading is reported.
func heard(sources []Source, to func(Progress)) []Source {
	out := slices.Clone(sources)
	for i, source := range sources {
		out[i].Open = func() (io.ReadCloser, error) {
			in, err := source.Open()
			return &heardReader{in, reporter(to, "plan", "bytes", 0)}, err
		}
	}
	return out
}

// heardReader reports the bytes that are read.
type heardReader struct {
	io.ReadCloser
	report func(int64)
}

// Read implements [io.Reader].
func (h *heardReader) Read(p []byte) (int, error) {
	n, err := h.ReadCloser.Read(p)
	h.report(int64(n))
	return n, err
}

// isRDF reports whether the sources are RDF text, which is added as it is.
func (p *importing) isRDF() (bool, error) {
	n := 0
	for _, source := range p.sources {
		in, err := source.Open()
		if err != nil {
			return false, err
		}
		format, err := load.FormatOf(p.Options, load.Input{Name: source.Name, Reader: in})
		_ = in.Close() // only read
		if err != nil {
			return false, err
		}
		if !format.OfNodes() {
			n++
		}
	}
	if n > 0 && n < len(p.sources) {
		return false, fault.New(fault.InvalidArguments, "some of the inputs are RDF text and others are not: import them apart")
	}
	return n > 0, nil
}

// areColumns refuses decisions about columns that no table has.
func (p *importing) areColumns() error {
	var names []string
	for _, seen := range p.seen {
		if !seen.header.Cells {
			return nil // members of objects are known when they are read
		}
		names = append(names, seen.header.Names...)
	}
	for argument, given := range map[string]map[string]string{"map": p.Map, "as": p.Kinds} {
		for _, column := range slices.Sorted(maps.Keys(given)) {
			if !slices.Contains(names, infer.ColumnName(column)) {
				return fault.Argument(argument, fault.Closed, column, fmt.Sprintf("%s names the column %q, which there is not%s", argument, column, fault.DidYouMean(column, names)))
			}
		}
	}
	return nil
}

// read reads all records for a proposal, and keeps what is shown of them.
func (p *importing) read(ctx context.Context) (*infer.Proposal, error) {
	proposal := &infer.Proposal{Conventions: p.Conventions, Strict: p.Strict, Given: p.given(), Labels: true}
	for column, kind := range p.Kinds {
		if err := p.isKind(column, kind); err != nil {
			return nil, err
		}
	}
	p.seen = make([]seenInput, len(p.sources))
	var err error
	if p.types, err = addRecords(ctx, p.sources, p.Options, proposal, p.see); err != nil {
		return nil, err
	}
	return proposal, p.areColumns()
}

// see keeps what is shown of an input.
func (p *importing) see(source int, r infer.Record) {
	seen := &p.seen[source]
	if r.Header {
		seen.header, seen.sheets = r, r.Sheets
		return
	}
	seen.count++
	if len(seen.rows) == p.Rows || !r.Cells {
		return
	}
	row := make([]string, len(seen.header.Names))
	for i, name := range seen.header.Names {
		row[i], _ = r.Data[name].(string)
	}
	seen.rows, seen.lines = append(seen.rows, row), append(seen.lines, r.Line)
}

// propose makes the plan of a proposal, and decides for each input whether it is of a type that is there.
func (p *importing) propose(proposal *infer.Proposal) (err error) {
	proposed := &Proposed{Schema: proposal.YAML()}
	proposed.Date, proposed.Number = proposal.Undecided()
	proposed.plan(proposal, p.sources, p.types, p.Options)
	plan := p.plan
	plan.Proposed, plan.Date, plan.Number = proposed.Schema, proposed.Date, proposed.Number
	outside := ""
	for _, t := range p.there.Types {
		if !strings.Contains(string(proposed.Schema), "\n  "+t.Name+":") {
			outside += "  " + t.Name + ": {}\n"
		}
	}
	if p.fits, err = schema.ParseYAML([]byte(string(proposed.Schema)+outside), "urn:trails:import:"); err != nil { // only its names are used
		return err
	}
	plan.Tables = make([]ImportTable, len(p.sources))
	for i, o := range proposed.Loads {
		for _, at := range proposed.Sources[i] {
			t := &plan.Tables[at]
			t.Name = p.sources[at].Name
			t.Table = load.Table{Type: o.Type, ID: o.ID, Sheet: o.Sheet, Map: o.Map, Conventions: o.Conventions, Cells: p.sources[at].Cells}
			if err := p.findType(t); err != nil {
				return err
			}
			seen := p.seen[at]
			t.Cells, t.Sheets, t.Count, t.Rows, t.Lines = seen.header.Cells, seen.sheets, seen.count, seen.rows, seen.lines
			if t.Cells {
				p.columns(t, seen.header.Names)
			}
		}
	}
	for _, t := range p.fits.Types {
		if !slices.Contains(plan.Added, t.Name) {
			continue
		}
		plan.Patch = append(plan.Patch, "- add_type:\n"...)
		for line := range strings.Lines(string(p.fits.TypeYAML(t))) {
			plan.Patch = append(plan.Patch, "    "+line...)
		}
	}
	return nil
}

// given are the decisions about columns as a proposal takes them.
func (p *importing) given() map[string]infer.Given {
	given := map[string]infer.Given{}
	for column, property := range p.Map {
		given[infer.ColumnName(column)] = infer.Given{Skip: property == "", Property: property}
	}
	for column, kind := range p.Kinds {
		g := given[infer.ColumnName(column)]
		g.Kind = kind
		given[infer.ColumnName(column)] = g
	}
	return given
}

// isKind refuses what is neither a datatype of a cell nor a type.
func (p *importing) isKind(column, kind string) error {
	if slices.Contains(ImportKinds(), kind) || kind == p.Type || p.there.Type(kind) != nil || p.Type == "" && infer.IsTypeName(kind) {
		return nil
	}
	names := ImportKinds()
	for _, t := range p.there.Types {
		names = append(names, t.Name)
	}
	return fault.Argument("as", fault.OneOf, kind, fmt.Sprintf("as gives the column %q the kind %q, which is neither one of %s nor a type that is here%s",
		column, kind, strings.Join(ImportKinds(), ", "), fault.DidYouMean(kind, names)))
}

// ImportKinds are the datatypes that a column of an import can be given.
func ImportKinds() []string {
	return []string{"string", "boolean", "integer", "big_integer", "number", "decimal", "date", "datetime", "time", "uri"}
}

// findType finds the type of the graph for rows: the named one, or one with all proposed properties. Otherwise the
// proposed type is added.
func (p *importing) findType(o *ImportTable) error {
	if o.Type == "" { // records contain their types
		for _, t := range p.fits.Types {
			switch there := p.there.Type(t.Name); {
			case there != nil:
				maps.DeleteFunc(o.Map, func(member, name string) bool { return p.isKept(there, member, name) })
			case !slices.Contains(p.plan.Added, t.Name):
				p.plan.Added = append(p.plan.Added, t.Name)
			}
		}
		return nil
	}
	proposed, named := p.fits.Type(o.Type), p.Type != ""
	found := p.there.Type(o.Type)
	if found == nil || !named && !p.hasAll(found, proposed) {
		var able []string
		for _, t := range p.there.Types {
			if !t.Abstract && p.hasAll(t, proposed) {
				able = append(able, t.Name)
			}
		}
		switch {
		case named: // a new type was named
		case len(able) == 1:
			found = p.there.Type(able[0])
		case len(able) > 1:
			return fault.Argument("type", fault.OneOf, nil, fmt.Sprintf("the columns of %s are properties of %s: say type", o.Name, strings.Join(able, " and of ")))
		case found != nil:
			return fault.Argument("type", fault.Closed, o.Type, fmt.Sprintf("there is a type %s, and not all columns of %s are properties of it: type %s says that the rows are of it, and map which is which; type with a new name adds a type", o.Type, o.Name, o.Type))
		}
	}
	if found == nil {
		o.New = true
		if !slices.Contains(p.plan.Added, o.Type) {
			p.plan.Added = append(p.plan.Added, o.Type)
		}
		if !named {
			o.Near, o.Shared = p.nearType(proposed)
		}
		if p.By != "" {
			return fault.Argument("by", fault.Closed, p.By, fmt.Sprintf("by finds nodes that are there, and %s is a new type, which has none", o.Type))
		}
		return nil
	}
	for column := range p.Kinds {
		return fault.Argument("as", fault.Closed, column, fmt.Sprintf("as is for the columns of a new type, and %s is there: its properties have their kinds", found.Name))
	}
	columns := map[string]string{}
	for column, name := range o.Map {
		switch q := propertyCalled(p.there, found, name); {
		case p.isKept(found, column, name):
		case name == "":
			columns[column] = ""
		case q != nil:
			columns[column] = q.Name
		}
	}
	maps.Copy(columns, p.Map)
	o.Type, o.Map, o.By = found.Name, columns, p.By
	// What the caller says holds also where so many cells are bad that the column would be of another kind by itself.
	o.Conventions.Dates, o.Conventions.Decimal = cmp.Or(p.Conventions.Dates, o.Conventions.Dates), cmp.Or(p.Conventions.Decimal, o.Conventions.Decimal)
	if p.there.MintOf(found) != schema.MintPreserve {
		o.ID = p.ID
	}
	return nil
}

// isKept reports that a proposal passes over what is a property of a type that is there, because no type fits its values: the
// property decides which of them are bad. What the caller passes over is passed over.
func (p *importing) isKept(there *schema.Type, column, name string) bool {
	_, given := p.Map[column]
	return name == "" && !given && propertyCalled(p.there, there, column) != nil
}

// nearType returns the type that has most of the proposed properties, and which: a third of them at least.
func (p *importing) nearType(proposed *schema.Type) (name string, shared []string) {
	all := p.fits.PropertiesOf(proposed)
	for _, t := range p.there.Types {
		var same []string
		for _, q := range all {
			if has := propertyCalled(p.there, t, q.Name); has != nil {
				same = append(same, has.Name)
			}
		}
		if !t.Abstract && len(same) > len(shared) && len(same)*3 >= len(all) {
			name, shared = t.Name, same
		}
	}
	return name, shared
}

// hasAll reports whether a type of the graph has all proposed properties.
func (p *importing) hasAll(t, proposed *schema.Type) bool {
	return !slices.ContainsFunc(p.fits.PropertiesOf(proposed), func(q *schema.Property) bool { return propertyCalled(p.there, t, q.Name) == nil })
}

// propertyCalled is the property of a type that a load takes a name for.
func propertyCalled(s *schema.Schema, t *schema.Type, name string) *schema.Property {
	if q := s.Property(t, name); q != nil {
		return q
	}
	for _, q := range s.PropertiesOf(t) {
		if infer.Folded(q.Name) == infer.Folded(name) {
			return q
		}
	}
	return nil
}

// columns says what each column of a table becomes.
func (p *importing) columns(t *ImportTable, names []string) {
	s := p.there
	if t.New {
		s = p.fits
	}
	typ := s.Type(t.Type)
	for _, name := range names {
		c := ImportColumn{Name: name, Key: p.isKey(t, name)}
		property, mapped := t.Map[name]
		if !mapped {
			property, mapped = t.Map[infer.ColumnName(name)]
		}
		q := s.Property(typ, property)
		if !mapped {
			q = propertyCalled(s, typ, name)
		}
		switch {
		case q != nil:
			c.Property, c.Kind, c.Many, c.Required = q.Name, q.Datatype, q.Many(), q.Required()
			if q.Class != "" {
				c.Kind = q.Class
			}
		case !t.New && !c.Key && (!mapped || property != "") && !strings.Contains(name, "@"):
			message := fmt.Sprintf("the column %q of %s is no property of %s; map %s=PROPERTY says which it is, map %s= passes it over", name, t.Name, typ.Name, name, name)
			if mapped {
				message, _ = s.NoProperty(typ, property)
			}
			p.plan.Blocked = append(p.plan.Blocked, fault.FieldError{Field: name, Code: fault.Closed, Value: name, Message: message})
		}
		t.Columns = append(t.Columns, c)
	}
}

// isKey reports whether a load reads a column as the ids.
func (p *importing) isKey(t *ImportTable, name string) bool {
	if t.ID != "" {
		return infer.ColumnName(name) == infer.ColumnName(t.ID)
	}
	_, mapped := p.Map[name]
	return strings.EqualFold(name, "id") && !mapped
}

// try imports everything in a dry run. It reports whether the proposal was weakened by what was refused: then the plan has to
// be made and tried again.
func (p *importing) try(ctx context.Context, proposal *infer.Proposal) (weakened bool, err error) {
	s := *p.session
	s.action = "" // a plan of those who may do it or not
	l, end, err := p.plan.Load(p.sources)
	if err != nil {
		return false, err
	}
	defer end()
	l.Progress = func(at Progress) {
		if p.Progress != nil && at.Phase != "read" { // the sources are heard
			p.Progress(at)
		}
	}
	l.Mode, l.Rejects, l.Set.DryRun, l.Format = p.Mode, !p.plan.RDF, true, p.Format
	reading, err := s.ReadLoad(ctx, l)
	if err != nil {
		if fault.Is(err, fault.InvalidData) && proposal != nil && proposal.LoosenAll(p.ofAdded(fault.Of(err).Fields)) {
			return true, nil
		}
		return false, err
	}
	defer reading.Close()
	if rows := reading.data.Rows; rows != nil { // it is cheaper to find out before the lock is taken
		if weakened, err := p.weaken(proposal, rows.Fields(), rows.Good(), rows.Rejected()); weakened || err != nil {
			return weakened, err
		}
	}
	done, err := reading.Commit(ctx, l.Set)
	var left rdfio.LeftOut
	switch rows := reading.data.Rows; {
	case fault.Is(err, fault.InvalidData) && rows != nil && len(rows.Fields()) > 0: // no row fits
		p.plan.Bad, left = rows.Fields(), rows.Rejected()
	case err != nil:
		return false, err
	default:
		p.plan.Records, left, p.plan.Bad, p.plan.Changes = done.Records, done.LeftOut, done.Broken, done.Result
		p.plan.Met = done.Met
	}
	p.plan.LeftOut, p.plan.Following = left.Count, left.Following
	if weakened, err := p.weaken(proposal, p.plan.Bad, p.plan.Records, left); weakened || err != nil {
		return weakened, err
	}
	if err := p.suggest(ctx); err != nil {
		return false, err
	}
	p.plan.Head = p.plan.Changes.Before
	p.plan.TooMany = infer.TooMany(left.Count-left.Following, p.plan.Records+p.plan.LeftOut)
	return false, nil
}

// weaken weakens the types that would be added by what is wrong with their rows, unless it is expected. Errors that are
// neither expected nor make a type weaker are returned.
func (p *importing) weaken(proposal *infer.Proposal, bad []fault.FieldError, good int64, left rdfio.LeftOut) (weakened bool, err error) {
	if bad = p.ofAdded(bad); len(bad) == 0 {
		return false, nil
	}
	expected, weakened := proposal.Bad(bad, good+left.Count, left.Count-left.Following)
	if !expected && !weakened {
		err = fault.Invalid(bad)
	}
	return weakened, err
}

// ofAdded are the errors of nodes of the types that would be added, and of rows of them that cannot be read.
func (p *importing) ofAdded(fields []fault.FieldError) (out []fault.FieldError) {
	for _, f := range fields {
		name, _, _ := strings.Cut(f.Node, "/")
		if f.Node == "" && len(p.plan.Added) > 0 || slices.Contains(p.plan.Added, name) {
			out = append(out, f)
		}
	}
	return out
}

// Bounds of the labels that are suggested for references that lead nowhere.
const (
	suggested  = 20  // references
	candidates = 500 // labels of each type
)

// suggest ends the messages of references that lead nowhere with the label that is nearest.
func (p *importing) suggest(ctx context.Context) error {
	labels := map[string][]string{}
	return p.session.View(ctx, func(snap *Snapshot) error {
		told := 0
		for i := range p.plan.Bad {
			f := &p.plan.Bad[i]
			name, text, of := strings.Cut(fmt.Sprint(f.Value), "/")
			class := p.there.Type(name)
			if f.Code != fault.Class || f.Follows != "" || !of || class == nil || told == suggested {
				continue
			}
			if _, known := labels[name]; !known {
				found, err := snap.labelsOf(ctx, class)
				if err != nil {
					return err
				}
				labels[name] = found
			}
			if near := fault.DidYouMean(text, labels[name]); near != "" {
				f.Message = fault.Add(f.Message, near)
				told++
			}
		}
		return nil
	})
}

// labelsOf returns the first labels of the instances of a type.
func (s *Snapshot) labelsOf(ctx context.Context, t *schema.Type) (labels []string, err error) {
	label := s.Schema().Property(t, s.Schema().LabelOf(t))
	if label == nil {
		return nil, nil
	}
	for q, err := range s.Match(ctx, rdf.Quad{Predicate: rdf.Type, Object: t.IRI, Label: rdf.DefaultGraph}) {
		if err != nil {
			return nil, err
		}
		for has, err := range s.Match(ctx, rdf.Quad{Subject: q.Subject, Predicate: label.IRI, Label: rdf.DefaultGraph}) {
			if err != nil {
				return nil, err
			}
			labels = append(labels, rdf.Lexical(has.Object))
		}
		if len(labels) >= candidates {
			break
		}
	}
	return labels, nil
}

// Load is the load that does what the plan says. End closes the sources, which it has opened.
func (plan *ImportPlan) Load(sources []Source) (l Load, end func(), err error) {
	l.Patch, l.Matches = plan.Patch, !plan.RDF
	var opened []func() error
	end = func() {
		for _, one := range opened {
			_ = one() // only read
		}
	}
	for i, source := range sources {
		in, err := source.Open()
		if err != nil {
			end()
			return l, nil, err
		}
		opened = append(opened, in.Close)
		l.Inputs = append(l.Inputs, load.Input{Name: source.Name, Reader: in, Table: &plan.Tables[i].Table})
	}
	return l, end, nil
}
