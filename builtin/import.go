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
	"trails/builtin/view"
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
	Data    string              `json:"data" is:"brief" doc:"A table, JSON or records, as text."`
	Name    string              `json:"name" is:"brief" default:"data" max:"200" doc:"What the data is called; a new type is named after it."`
	Format  load.Format         `json:"format" is:"rare" default:"auto" doc:"auto tells it by how the data begins."`
	Type    string              `json:"type,omitempty" doc:"What the rows are of: a type that is there, or a new name; else found by the columns."`
	ID      string              `json:"id,omitempty" doc:"The column of ids, else found."`
	Map     map[string]any      `json:"map,omitempty" doc:"Properties by column; \"\" passes over."`
	As      map[string]any      `json:"as,omitempty" doc:"Kinds by column of a new type: a datatype such as date, or the type that it refers to."`
	Dates   string              `json:"dates,omitempty" is:"rare" oneof:"dmy,mdy" doc:"The order of the parts of dates such as 12.4.2023; else found where the data decides it."`
	Decimal string              `json:"decimal,omitempty" is:"rare" doc:"What stands before the fraction of numbers such as 1.234,56."`
	Sheet   string              `json:"sheet,omitempty" is:"rare" doc:"The sheet of a workbook."`
	Mode    load.Mode           `json:"mode" default:"merge" doc:"Of rows that are there already: merge sets what the row has, append refuses them, skip passes them over."`
	By      string              `json:"by,omitempty" doc:"The column by whose values rows of a type that is there find what they are about; else by ids."`
	Strict  bool                `json:"strict" is:"rare" default:"false" doc:"A bad cell decides what its column is."`
	Cells   []view.ImportedCell `json:"cells,omitempty" is:"rare" max:"10000" doc:"Texts in the place of cells of a table, to mend them."`
	Rows    int                 `json:"rows" is:"rare" default:"5" min:"0" max:"200" doc:"How many of the first rows to show."`
	Places  int                 `json:"places" is:"rare" default:"3" min:"1" max:"1000" doc:"How many places to give of each mistake."`
}

// cellsOf are texts in the place of cells, by line and column; nil for none.
func cellsOf(given []view.ImportedCell) map[int]map[string]string {
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

func planImport(ctx context.Context, r *invoke.Request, in importAsked) (*view.ImportPlan, error) {
	asked := kg.ImportAsked{Rows: in.Rows, By: in.By, Kinds: map[string]string{}, Progress: r.Progress, Options: load.Options{
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
	out := plannedOf(plan, in, under)
	if r.IsMass(plan.Changes.Loses) {
		out.Removes = plan.Changes.Loses
	}
	return out, nil
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

func plannedOf(plan *kg.ImportPlan, in importAsked, under *schema.Schema) *view.ImportPlan {
	out := &view.ImportPlan{
		Types: plan.Added, Tables: []view.ImportTable{}, Records: plan.Records, LeftOut: plan.LeftOut, Following: plan.Following, Met: view.Met(plan.Met), TooMany: plan.TooMany, RDF: plan.RDF,
		Mistakes: mistakesOf(plan, in.Places), Notes: plan.Changes.Doubts, Date: plan.Date, Number: plan.Number,
		Import: view.ImportArguments{Patch: string(plan.Patch), Tables: []view.ImportedTable{}, Format: in.Format, Mode: in.Mode},
	}
	if len(plan.Added) > 0 {
		out.Schema = string(plan.Proposed)
	}
	for _, f := range plan.Blocked {
		out.Blocked = append(out.Blocked, f.Message)
	}
	for _, t := range plan.Tables {
		shown := view.ImportTable{Name: t.Name, Type: t.Type, New: t.New, Near: t.Near, Shared: t.Shared, Count: t.Count, Sheets: t.Sheets, Columns: []view.ImportColumn{}, Lines: []int{}, Rows: [][]string{}}
		shown.Lines, shown.Rows = append(shown.Lines, t.Lines...), append(shown.Rows, t.Rows...)
		for _, c := range t.Columns {
			shown.Columns = append(shown.Columns, view.ImportColumn(c))
		}
		shown.Can = canBe(plan, t, under)
		out.Tables = append(out.Tables, shown)
		given := view.ImportedTable{Cells: in.Cells, Type: t.Type, ID: t.ID, Dates: t.Conventions.Dates, Decimal: t.Conventions.Decimal, Sheet: t.Sheet, By: t.By}
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
func mistakesOf(plan *kg.ImportPlan, places int) []view.ImportMistake {
	type kind struct {
		input, column string
		code          fault.Code
		follows       bool
	}
	type where struct {
		source, field string
		code          fault.Code
	}
	var alike [][]string                                                      // of each mistake the messages of its places without the texts of their cells
	all, at, told := []view.ImportMistake{}, map[kind]int{}, map[where]bool{} // a row is tried again without others, and told again
	for _, f := range plan.Bad {
		if told[where{f.Source, f.Field, f.Code}] {
			continue
		}
		told[where{f.Source, f.Field, f.Code}] = true
		input, line := placeOf(f.Source)
		k := kind{input, columnOf(plan, input, f.Field), f.Code, f.Follows != ""}
		i, known := at[k]
		if !known {
			i = len(all)
			at[k] = i
			all, alike = append(all, view.ImportMistake{Input: input, Column: k.column, Code: f.Code, Follows: k.follows, Places: []view.ImportPlace{}}), append(alike, nil)
		}
		m := &all[i]
		m.Count += max(1, f.Times)
		if len(m.Places) < places {
			text, _ := f.Value.(string)
			if _, local, is := strings.Cut(text, "/"); is && f.Code == fault.Class {
				text = local // of a reference the cell has the id
			}
			m.Places = append(m.Places, view.ImportPlace{Line: line, Text: outline.Shorten(text, shownText), Message: f.Message})
			alike[i] = append(alike[i], strings.ReplaceAll(f.Message, strconv.Quote(text)[1:], ""))
		}
	}
	for i := range all {
		sayOnce(&all[i], alike[i])
	}
	slices.SortStableFunc(all, func(a, b view.ImportMistake) int { return cmp.Compare(b.Count, a.Count) })
	return all
}

// sayOnce gives a mistake the plainest message of its places, and leaves a message to those that say something else, such as
// which value is probably meant. Alike are the messages without the texts of their cells.
func sayOnce(m *view.ImportMistake, alike []string) {
	plain := slices.MinFunc(alike, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
	m.Message = m.Places[slices.Index(alike, plain)].Message
	for i, message := range alike {
		if message == plain {
			m.Places[i].Message = ""
		}
	}
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
	view.ImportArguments
	Rejects bool `json:"rejects" default:"false" doc:"Leave out rows that do not fit, and return them."`
	capability.ChangeArguments
}

// imported is what an import answers.
type imported struct {
	Records  int64      `json:"records" doc:"How many rows were loaded."`
	LeftOut  int64      `json:"left_out" doc:"How many do not fit."`
	Met      view.Met   `json:"met" doc:"What became of the nodes of the others."`
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
	out := &imported{Records: result.Records, LeftOut: result.LeftOut.Count, Met: view.Met(result.Met), Written: r.Committed(result.Result, set.DryRun)}
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
