package builtin

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"trails/auth/policy"
	"trails/capability"
	"trails/fault"
	"trails/invoke"
	"trails/kg"
	"trails/kg/load"
	"trails/schema"
	"trails/schema/infer"
	"trails/text/outline"
)

// importAsked says what is to be imported.
type importAsked struct {
	Data    string         `json:"data" is:"brief" doc:"A table, JSON or records, as text."`
	Name    string         `json:"name" is:"brief" default:"data" max:"200" doc:"What the data is called; a new type is named after it."`
	Format  load.Format    `json:"format" is:"rare" default:"auto" doc:"auto tells it by how the data begins."`
	Type    string         `json:"type,omitempty" doc:"What the rows are of: a type that is there, or a new name; else found by the columns."`
	ID      string         `json:"id,omitempty" doc:"The column of ids, else found."`
	Map     map[string]any `json:"map,omitempty" doc:"Properties by column; \"\" passes over."`
	As      map[string]any `json:"as,omitempty" doc:"Kinds by column of a new type: a datatype such as date, or the type that it refers to."`
	Dates   string         `json:"dates,omitempty" is:"rare" oneof:"dmy,mdy" doc:"The order of the parts of dates such as 12.4.2023; else found where the data decides it."`
	Decimal string         `json:"decimal,omitempty" is:"rare" doc:"What stands before the fraction of numbers such as 1.234,56."`
	Sheet   string         `json:"sheet,omitempty" is:"rare" doc:"The sheet of a workbook."`
	Mode    load.Mode      `json:"mode" default:"merge" doc:"Of rows that are there already: merge sets what the row has, append refuses them, skip passes them over."`
	By      string         `json:"by,omitempty" doc:"The column by whose values rows of a type that is there find what they are about; else by ids."`
	Strict  bool           `json:"strict" is:"rare" default:"false" doc:"A bad cell decides what its column is."`
	Cells   []cellGiven    `json:"cells,omitempty" is:"rare" max:"10000" doc:"Texts in the place of cells of a table, to mend them."`
	Rows    int            `json:"rows" is:"rare" default:"5" min:"0" max:"200" doc:"How many of the first rows to show."`
	Places  int            `json:"places" is:"rare" default:"3" min:"1" max:"1000" doc:"How many places to give of each mistake."`
}

// cellGiven is a text in the place of a cell.
type cellGiven struct {
	Line   int    `json:"line" doc:"Where its row begins."`
	Column string `json:"column"`
	Text   string `json:"text"`
}

// importPlanned is what an import would do.
type importPlanned struct {
	Types    []string        `json:"types" doc:"New types."`
	Tables   []importTable   `json:"tables" doc:"How each input is read."`
	Records  int64           `json:"records" doc:"How many rows fit."`
	LeftOut  int64           `json:"left_out" doc:"How many do not, by mistakes."`
	Met      metNodes        `json:"met" doc:"What becomes of the nodes of rows that fit."`
	RDF      bool            `json:"rdf,omitempty" doc:"It is RDF text, which is added as it is."`
	TooMany  bool            `json:"too_many,omitempty" doc:"So many are left out that the data is probably read amiss."`
	Mistakes []importMistake `json:"mistakes" doc:"Of one kind in one column together."`
	Blocked  []string        `json:"blocked,omitempty" doc:"What has to be decided first, by map; nothing was tried."`
	Date     string          `json:"date,omitempty" doc:"A date that can be read in two ways: dates says which."`
	Number   string          `json:"number,omitempty" doc:"A number that can be read in two ways: decimal says which."`
	Schema   string          `json:"schema,omitempty" doc:"Of new types: the proposal, with its reasons."`
	Import   importArguments `json:"import" doc:"Pass this to import, with the data."`
}

// importTable says how one input is read.
type importTable struct {
	Name    string         `json:"name"`
	Type    string         `json:"type,omitempty" doc:"None where records have their types."`
	New     bool           `json:"new" doc:"Whether the type is new."`
	Near    string         `json:"near,omitempty" doc:"A type that is there and has some of the columns."`
	Shared  []string       `json:"shared,omitempty" doc:"These."`
	Count   int64          `json:"count" doc:"How many rows it has."`
	Sheets  []string       `json:"sheets,omitempty" doc:"Of a workbook: those to choose from, by sheet."`
	Columns []importColumn `json:"columns"`
	Can     []string       `json:"can,omitempty" doc:"What a column can be: kinds for as, or properties for map where the type is there."`
	Lines   []int          `json:"lines" doc:"Where the first rows begin."`
	Rows    [][]string     `json:"rows" type:"any" doc:"Their cells."`
}

// metNodes counts the nodes of rows.
type metNodes struct {
	New     int64 `json:"new"`
	Changed int64 `json:"changed"`
	Equal   int64 `json:"equal" doc:"As they were, or passed over."`
}

// importColumn says what a column becomes.
type importColumn struct {
	Name     string `json:"name"`
	Property string `json:"property,omitempty" doc:"None if it is passed over."`
	Kind     string `json:"kind,omitempty" doc:"A datatype, or the type that it refers to."`
	Key      bool   `json:"key,omitempty" doc:"Whether it has the ids."`
	Many     bool   `json:"many,omitempty"`
	Required bool   `json:"required,omitempty"`
}

// importMistake is one kind of mistake in one column.
type importMistake struct {
	Input   string        `json:"input"`
	Column  string        `json:"column,omitempty" doc:"None for whole rows."`
	Code    fault.Code    `json:"code"`
	Message string        `json:"message" doc:"Of the first."`
	Count   int           `json:"count"`
	Places  []importPlace `json:"places" doc:"The first."`
}

// importPlace is where a mistake is.
type importPlace struct {
	Line int    `json:"line"`
	Text string `json:"text,omitempty"`
}

// importArguments are what an import does, as its plan has found it.
type importArguments struct {
	Patch  string       `json:"patch,omitempty" doc:"Steps that add types, as schema_apply takes them; they need its permission."`
	Tables []tableGiven `json:"tables" doc:"How each input is read, in order."`
	Format load.Format  `json:"format" is:"rare" default:"auto" doc:"As of the plan."`
	Mode   load.Mode    `json:"mode" default:"merge" doc:"As of the plan."`
}

// tableGiven says how one input is read.
type tableGiven struct {
	Type    string         `json:"type,omitempty"`
	ID      string         `json:"id,omitempty"`
	Map     map[string]any `json:"map,omitempty" doc:"Properties by column; \"\" passes over."`
	Dates   string         `json:"dates,omitempty" oneof:"dmy,mdy"`
	Decimal string         `json:"decimal,omitempty"`
	Sheet   string         `json:"sheet,omitempty"`
	By      string         `json:"by,omitempty"`
	Cells   []cellGiven    `json:"cells,omitempty" max:"10000" doc:"Texts in the place of cells."`
}

// cellsOf are texts in the place of cells, by line and column; nil for none.
func cellsOf(given []cellGiven) map[int]map[string]string {
	var cells map[int]map[string]string
	for _, c := range given {
		if cells == nil {
			cells = map[int]map[string]string{}
		}
		if cells[c.Line] == nil {
			cells[c.Line] = map[string]string{}
		}
		cells[c.Line][c.Column] = c.Text
	}
	return cells
}

// importModes are those that only add and set.
var importModes = []load.Mode{load.Merge, load.Append, load.Skip}

// importFields are what tags cannot say of the arguments of imports.
func importFields(more ...capability.Field) capability.Shape {
	return details(append(more, capability.Field{Name: "format", OneOf: anyOf(load.Formats())}, capability.Field{Name: "mode", OneOf: anyOf(importModes)})...)
}

var importPlan = invoke.Define(capability.Descriptor{
	ID: "import_plan", Description: "Find out how a table, JSON, records or RDF are imported: types, columns and their kinds, found or proposed, and all mistakes, by trying it. Nothing is changed.",
	InputShape:     importFields(capability.Field{Name: "decimal", OneOf: []any{",", "."}}),
	CostEstimate:   capability.CostGraph,
	PolicyRequired: capability.Requirement{Action: policy.Read}, Idempotent: true,
}, planImport, invoke.On(), invoke.Newest, invoke.Inputs("data"))

func planImport(ctx context.Context, r *invoke.Request, in importAsked) (*importPlanned, error) {
	asked := kg.ImportAsked{Rows: in.Rows, By: in.By, Kinds: map[string]string{}, Options: load.Options{
		Type: in.Type, ID: in.ID, Sheet: in.Sheet, Format: in.Format, Mode: in.Mode, Strict: in.Strict,
		Conventions: infer.Conventions{Dates: in.Dates, Decimal: in.Decimal},
	}}
	var err error
	if asked.Map, err = columnNames(in.Map); err != nil {
		return nil, err
	}
	for column, given := range in.As {
		kind, isText := given.(string)
		if !isText {
			return nil, fault.Argument("as", fault.Datatype, given, fmt.Sprintf("as gives the column %q no kind; pass a datatype or the name of a type", column))
		}
		asked.Kinds[column] = kind
	}
	if r.Inputs == nil {
		r.Inputs = []load.Input{{Name: in.Name, Reader: strings.NewReader(in.Data)}}
	}
	sources, end, err := repeatable(ctx, r.Inputs)
	if err != nil {
		return nil, err
	}
	defer end()
	if len(in.Cells) > 0 && len(sources) > 1 {
		return nil, fault.Argument("cells", fault.Closed, nil, "cells is for one table, and there are several inputs")
	}
	sources[0].Cells = cellsOf(in.Cells)
	under := r.Snapshot.Schema()
	r.Release() // because it takes time
	plan, err := r.Session().PlanImport(ctx, sources, asked)
	if err != nil {
		return nil, err
	}
	return plannedOf(plan, in, under), nil
}

// repeatable makes sources of inputs, which can be read more than once: what cannot go back to its beginning is copied.
func repeatable(ctx context.Context, inputs []load.Input) (sources []kg.Source, end func(), err error) {
	var copies []*os.File
	end = func() {
		for _, f := range copies {
			_ = f.Close()           // only read
			_ = os.Remove(f.Name()) // it is in the temporary directory
		}
	}
	for _, in := range inputs {
		seeker, can := in.Reader.(io.ReadSeeker)
		if can {
			_, err := seeker.Seek(0, io.SeekStart)
			can = err == nil // a pipe cannot
		}
		if !can {
			f, err := os.CreateTemp("", "trails-import-")
			if err != nil {
				end()
				return nil, nil, fmt.Errorf("keep an input: %w", err)
			}
			copies = append(copies, f)
			if _, err := io.Copy(f, cancelled{ctx, in.Reader}); err != nil {
				end()
				return nil, nil, err
			}
			seeker = f
		}
		sources = append(sources, kg.Source{Name: in.Name, Open: func() (io.ReadCloser, error) {
			_, err := seeker.Seek(0, io.SeekStart)
			return io.NopCloser(seeker), err
		}})
	}
	return sources, end, nil
}

// cancelled is a reader that ends with a context.
type cancelled struct {
	ctx context.Context
	io.Reader
}

// Read implements [io.Reader].
func (c cancelled) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.Reader.Read(p)
}

// shownText bounds a cell in a list of mistakes, in characters.
const shownText = 80

func plannedOf(plan *kg.ImportPlan, in importAsked, under *schema.Schema) *importPlanned {
	out := &importPlanned{
		Types: plan.Added, Tables: []importTable{}, Records: plan.Records, LeftOut: plan.LeftOut, Met: metNodes(plan.Met), TooMany: plan.TooMany, RDF: plan.RDF,
		Mistakes: mistakesOf(plan, in.Places), Date: plan.Date, Number: plan.Number,
		Import: importArguments{Patch: string(plan.Patch), Tables: []tableGiven{}, Format: in.Format, Mode: in.Mode},
	}
	if len(plan.Added) > 0 {
		out.Schema = string(plan.Proposed)
	}
	for _, f := range plan.Blocked {
		out.Blocked = append(out.Blocked, f.Message)
	}
	for _, t := range plan.Tables {
		shown := importTable{Name: t.Name, Type: t.Type, New: t.New, Near: t.Near, Shared: t.Shared, Count: t.Count, Sheets: t.Sheets, Columns: []importColumn{}, Lines: []int{}, Rows: [][]string{}}
		shown.Lines, shown.Rows = append(shown.Lines, t.Lines...), append(shown.Rows, t.Rows...)
		for _, c := range t.Columns {
			shown.Columns = append(shown.Columns, importColumn(c))
		}
		shown.Can = canBe(plan, t, under)
		out.Tables = append(out.Tables, shown)
		given := tableGiven{Cells: in.Cells, Type: t.Type, ID: t.ID, Dates: t.Conventions.Dates, Decimal: t.Conventions.Decimal, Sheet: t.Sheet, By: t.By}
		for column, property := range t.Map {
			if given.Map == nil {
				given.Map = map[string]any{}
			}
			given.Map[column] = property
		}
		out.Import.Tables = append(out.Import.Tables, given)
	}
	return out
}

// canBe are the kinds that a column of a new type can be given, or the properties that one can be.
func canBe(plan *kg.ImportPlan, t kg.ImportTable, under *schema.Schema) (can []string) {
	if typ := under.Type(t.Type); typ != nil {
		for _, p := range under.PropertiesOf(typ) {
			can = append(can, p.Name)
		}
		return can
	}
	if !t.Cells {
		return nil
	}
	can = append(kg.ImportKinds(), plan.Added...)
	for _, typ := range under.Types {
		can = append(can, typ.Name)
	}
	return can
}

// mistakesOf groups mistakes by input, column and kind, in the order of their first places.
func mistakesOf(plan *kg.ImportPlan, places int) []importMistake {
	type kind struct {
		input, column string
		code          fault.Code
	}
	type where struct {
		source, field string
		code          fault.Code
	}
	all, at, told := []importMistake{}, map[kind]int{}, map[where]bool{} // a row is tried again without others, and told again
	for _, f := range plan.Bad {
		if told[where{f.Source, f.Field, f.Code}] {
			continue
		}
		told[where{f.Source, f.Field, f.Code}] = true
		input, line := placeOf(f.Source)
		k := kind{input, columnOf(plan, input, f.Field), f.Code}
		i, known := at[k]
		if !known {
			i = len(all)
			at[k] = i
			all = append(all, importMistake{Input: input, Column: k.column, Code: f.Code, Message: f.Message, Places: []importPlace{}})
		}
		m := &all[i]
		m.Count += max(1, f.Times)
		if len(m.Places) < places {
			text, _ := f.Value.(string)
			if _, local, is := strings.Cut(text, "/"); is && f.Code == fault.Class {
				text = local // of a reference the cell has the id
			}
			m.Places = append(m.Places, importPlace{Line: line, Text: outline.Shorten(text, shownText)})
		}
	}
	slices.SortStableFunc(all, func(a, b importMistake) int { return cmp.Compare(b.Count, a.Count) })
	return all
}

// columnOf is the column of a field, which may be called as the property.
func columnOf(plan *kg.ImportPlan, input, field string) string {
	for _, t := range plan.Tables {
		for _, c := range t.Columns {
			if t.Name == input && c.Property == field && c.Name != field {
				return c.Name
			}
		}
	}
	return field
}

// placeOf reads the input and the line of a place "input:line:column" or "input:line".
func placeOf(source string) (input string, line int) {
	rest, last, _ := cutLast(source)
	n, err := strconv.Atoi(last)
	if err != nil {
		return source, 0
	}
	if before, middle, found := cutLast(rest); found {
		if line, err := strconv.Atoi(middle); err == nil {
			return before, line
		}
	}
	return rest, n
}

// cutLast cuts a text at its last colon.
func cutLast(text string) (before, after string, found bool) {
	i := strings.LastIndexByte(text, ':')
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+1:], true
}

// importing is what an import takes.
type importing struct {
	Data string `json:"data" is:"brief" doc:"As of the plan."`
	Name string `json:"name" is:"brief" default:"data" max:"200" doc:"As of the plan."`
	importArguments
	Rejects bool `json:"rejects" default:"false" doc:"Leave out rows that do not fit, and return them."`
	capability.ChangeArguments
}

// imported is what an import answers.
type imported struct {
	Records  int64      `json:"records" doc:"How many rows were loaded."`
	LeftOut  int64      `json:"left_out" doc:"How many do not fit."`
	Met      metNodes   `json:"met" doc:"What became of the nodes of the others."`
	Rejected []rejected `json:"rejected,omitempty" doc:"With rejects: the rows that do not fit, by input."`
	invoke.Written
}

// rejected are the rows of one input that do not fit.
type rejected struct {
	Input int    `json:"input" doc:"Its number, from 0."`
	Rows  int64  `json:"rows"`
	Table bool   `json:"table" doc:"Whether text is CSV; else an object a line."`
	Text  string `json:"text" doc:"The rows with what is wrong with each, to mend and import."`
}

const importTypesID = "import_types"

var importRows = invoke.Define(capability.Descriptor{
	ID: "import", Description: "Load a table, JSON or records as import_plan has planned it: new types and rows as one commit.",
	InputShape: importFields(), Preconditions: []string{"The rows fit, or rejects leaves them out."},
	CostEstimate: capability.CostChange, PolicyRequired: capability.Requirement{Action: policy.Change},
}, doImport, invoke.On(), invoke.Inputs("data"), invoke.Forwards(importForward))

// importTypes is import where types are added.
var importTypes = invoke.Define(capability.Descriptor{
	ID: importTypesID, Description: "Add types to the schema and load their rows, as one commit; import calls it where its plan has a patch.",
	InputShape: importFields(), Preconditions: []string{"The rows fit, or rejects leaves them out.", "The schema is that of the plan."},
	CostEstimate: capability.CostChange, PolicyRequired: capability.Requirement{Action: policy.SchemaApply},
}, doImport, invoke.Hidden, invoke.Inputs("data"))

// importForward returns the capability that imports; "" is import itself.
func importForward(_ context.Context, r *invoke.Request, in importing) (string, invoke.Arguments, error) {
	if in.Patch == "" {
		return "", nil, nil
	}
	return importTypesID, r.Args, nil
}

func doImport(ctx context.Context, r *invoke.Request, in importing) (*imported, error) {
	set, err := r.ChangeSet(ctx)
	if err != nil {
		return nil, err
	}
	l := kg.Load{Set: set, Matches: true, Progress: r.Progress, Options: load.Options{Inputs: slices.Clone(r.Inputs), Format: in.Format, Mode: in.Mode, Rejects: in.Rejects}}
	if in.Patch != "" {
		l.Patch = []byte(in.Patch)
	}
	if r.Inputs == nil {
		l.Inputs = []load.Input{{Name: in.Name, Reader: strings.NewReader(in.Data), Size: int64(len(in.Data))}}
	}
	if len(in.Tables) != len(l.Inputs) {
		return nil, fault.Argument("tables", fault.MinCount, nil, fmt.Sprintf("tables says how each input is read, and there are %d for %d inputs; import_plan answers them", len(in.Tables), len(l.Inputs)))
	}
	for i, t := range in.Tables {
		table := &load.Table{Type: t.Type, ID: t.ID, Sheet: t.Sheet, By: t.By, Conventions: infer.Conventions{Dates: t.Dates, Decimal: t.Decimal}, Cells: cellsOf(t.Cells)}
		if table.Map, err = columnNames(t.Map); err != nil {
			return nil, err
		}
		l.Inputs[i].Table = table
	}
	r.Release() // because reading takes time
	reading, err := r.Session().ReadLoad(ctx, l)
	if err != nil {
		return nil, err
	}
	defer reading.Close()
	result, err := reading.Commit(ctx, set)
	if err != nil {
		return nil, err
	}
	out := &imported{Records: result.Records, LeftOut: result.LeftOut.Count, Met: metNodes(result.Met), Written: r.Committed(result.Result, set.DryRun)}
	for i := range l.Inputs {
		var text bytes.Buffer
		rows, err := reading.RejectedOf(ctx, i, &text)
		if err != nil {
			return nil, err
		}
		if rows > 0 {
			out.Rejected = append(out.Rejected, rejected{Input: i, Rows: rows, Table: result.Tables, Text: text.String()})
		}
	}
	r.Parts.Records = result.Records
	tellLeftOut(r, result.Result)
	return out, nil
}
