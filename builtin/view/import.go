package view

import (
	"trails/fault"
	"trails/kg/load"
)

// ImportPlan is what an import would do.
type ImportPlan struct {
	Types     []string        `json:"types" doc:"New types."`
	Tables    []ImportTable   `json:"tables" doc:"How each input is read."`
	Records   int64           `json:"records" doc:"How many rows fit."`
	LeftOut   int64           `json:"left_out" doc:"How many do not, by mistakes."`
	Following int64           `json:"following,omitempty" doc:"How many of these are right but for their references to others of them."`
	Met       Met             `json:"met" doc:"What becomes of the nodes of rows that fit."`
	Removes   int64           `json:"removes,omitempty" doc:"How many statements go, where import needs allow_mass_change: true for so many."`
	RDF       bool            `json:"rdf,omitempty" doc:"It is RDF text, which is added as it is."`
	TooMany   bool            `json:"too_many,omitempty" doc:"So many are left out that the data is probably read amiss."`
	Mistakes  []ImportMistake `json:"mistakes" doc:"Of one kind in one column together."`
	Notes     []string        `json:"notes,omitempty" doc:"What is read otherwise than it is written, or not at all."`
	Blocked   []string        `json:"blocked,omitempty" doc:"What has to be decided first, by map; nothing was tried."`
	Date      string          `json:"date,omitempty" doc:"A date that can be read in two ways: dates says which."`
	Number    string          `json:"number,omitempty" doc:"A number that can be read in two ways: decimal says which."`
	Schema    string          `json:"schema,omitempty" doc:"Of new types: the proposal, with its reasons."`
	Import    ImportArguments `json:"import" doc:"Pass this to import, with the data."`
}

// ImportTable says how one input is read.
type ImportTable struct {
	Name    string         `json:"name"`
	Type    string         `json:"type,omitempty" doc:"None where records have their types."`
	New     bool           `json:"new" doc:"Whether the type is new."`
	Near    string         `json:"near,omitempty" doc:"A type that is there and has some of the columns."`
	Shared  []string       `json:"shared,omitempty" doc:"These."`
	Count   int64          `json:"count" doc:"How many rows it has."`
	Sheets  []string       `json:"sheets,omitempty" doc:"Of a workbook: those to choose from, by sheet."`
	Columns []ImportColumn `json:"columns"`
	Can     []string       `json:"can,omitempty" doc:"What a column can be: kinds for as, or properties for map where the type is there."`
	Lines   []int          `json:"lines" doc:"Where the first rows begin."`
	Rows    [][]string     `json:"rows" type:"any" doc:"Their cells."`
}

// Met counts the nodes of rows.
type Met struct {
	New     int64 `json:"new"`
	Changed int64 `json:"changed"`
	Equal   int64 `json:"equal" doc:"As they were, or passed over."`
}

// ImportColumn says what a column becomes.
type ImportColumn struct {
	Name     string `json:"name"`
	Property string `json:"property,omitempty" doc:"None if it is passed over."`
	Kind     string `json:"kind,omitempty" doc:"A datatype, or the type that it refers to."`
	Key      bool   `json:"key,omitempty" doc:"Whether it has the ids."`
	Many     bool   `json:"many,omitempty"`
	Required bool   `json:"required,omitempty"`
}

// ImportMistake is one kind of mistake in one column.
type ImportMistake struct {
	Input   string        `json:"input"`
	Column  string        `json:"column,omitempty" doc:"None for whole rows."`
	Code    fault.Code    `json:"code"`
	Message string        `json:"message" doc:"The plainest one."`
	Count   int           `json:"count"`
	Follows bool          `json:"follows,omitempty" doc:"Whether the cells are right, and refer to rows that are left out."`
	Places  []ImportPlace `json:"places" doc:"The first."`
}

// ImportPlace is where a mistake is.
type ImportPlace struct {
	Line    int    `json:"line"`
	Text    string `json:"text,omitempty"`
	Message string `json:"message,omitempty" doc:"Where it says more, such as what is probably meant."`
}

// ImportArguments are what an import does, as its plan has found it.
type ImportArguments struct {
	Patch  string          `json:"patch,omitempty" doc:"Steps that add types, as schema_apply takes them; they need its permission."`
	Tables []ImportedTable `json:"tables" doc:"How each input is read, in order."`
	Format load.Format     `json:"format" is:"rare" default:"auto" doc:"As of the plan."`
	Mode   load.Mode       `json:"mode" default:"merge" doc:"As of the plan."`
}

// ImportedTable says how one input is read.
type ImportedTable struct {
	Type    string         `json:"type,omitempty"`
	ID      string         `json:"id,omitempty"`
	Map     map[string]any `json:"map,omitempty" doc:"Properties by column; \"\" passes over."`
	Dates   string         `json:"dates,omitempty" oneof:"dmy,mdy"`
	Decimal string         `json:"decimal,omitempty"`
	Sheet   string         `json:"sheet,omitempty"`
	By      string         `json:"by,omitempty"`
	Cells   []ImportedCell `json:"cells,omitempty" max:"10000" doc:"Texts in the place of cells."`
}

// ImportedCell is a text in the place of a cell.
type ImportedCell struct {
	Line   int    `json:"line" doc:"Where its row begins."`
	Column string `json:"column"`
	Text   string `json:"text"`
}
