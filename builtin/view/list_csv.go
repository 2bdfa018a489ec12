package view

import (
	"encoding/csv"
	"encoding/json"
	"io"

	"trails/schema"
)

// CSV writes tables of one list as CSV, one after the other: the node by its id, its label, and the
// columns but for the label's, each cell as an export of the type has it. The tables are whole.
type CSV struct {
	w     *csv.Writer
	label string
	begun bool
}

// NewCSV returns a writer of tables; label is the property that the label is of, "" for none.
func NewCSV(w io.Writer, label string) *CSV { return &CSV{w: csv.NewWriter(w), label: label} }

// Write writes the rows of a table, before the first the names of the columns.
func (c *CSV) Write(t Table) error {
	if !c.begun {
		c.begun = true
		head := []string{"node", "label"}
		for _, column := range t.Columns {
			if column.Name != c.label {
				head = append(head, column.Name)
			}
		}
		if err := c.w.Write(head); err != nil {
			return err
		}
	}
	for _, row := range t.Rows {
		record := []string{row.Node.name(), row.Node.Label}
		for _, column := range t.Columns {
			if column.Name != c.label {
				record = append(record, cellsText(column, row.Cells[column.Name]))
			}
		}
		if err := c.w.Write(record); err != nil {
			return err
		}
	}
	c.w.Flush()
	return c.w.Error()
}

// name is what a call takes for the node: Type/id, or its IRI when it has no id of its own.
func (n Node) name() string {
	if n.Type == "" || n.ID == n.IRI {
		return n.IRI
	}
	return n.Type + "/" + n.ID
}

// cellsText is the values of a property as a cell.
func cellsText(column Column, cells []Cell) string {
	texts, values := make([]string, len(cells)), make([]any, len(cells))
	for i, c := range cells {
		texts[i], values[i] = c.Text, c.Text
		switch {
		case c.Ref != nil:
			texts[i] = c.Ref.name()
			values[i] = texts[i]
		case c.Lang != "":
			texts[i], values[i] = c.Text+"@"+c.Lang, schema.LangJSON(c.Text, c.Lang)
		case column.Datatype == string(schema.Vector):
			values[i] = json.RawMessage(c.Text)
		}
	}
	if !column.Many && len(texts) == 1 {
		return texts[0]
	}
	return schema.JoinCells(texts, values)
}
