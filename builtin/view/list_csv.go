package view

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"slices"

	"trails/schema"
)

// PageMost is the most rows that entities_list reads at once.
const PageMost = maxLimit

// WriteCSV writes up to limit rows of a list as CSV, with as many reads as needed, and returns their number and the
// last page. The columns are the node's id, its label, and the other columns, or the requested ones; cells are as in
// an export. The arguments are those of entities_list; read makes one call of it.
func WriteCSV(out io.Writer, args map[string]any, limit int, read func(args map[string]any) (Table, error)) (written int, t Table, err error) {
	w := csv.NewWriter(out)
	args["whole"], args["facets"] = true, false
	for {
		most := min(limit-written, PageMost)
		args["offset"], args["limit"] = written, most
		if t, err = read(args); err != nil {
			return written, t, err
		}
		columns := t.Columns
		if args["columns"] == nil {
			columns = slices.DeleteFunc(columns, func(c Column) bool { return c.Name == t.Label })
		}
		if written == 0 {
			head := []string{"node", "label"}
			for _, column := range columns {
				head = append(head, column.Name)
			}
			_ = w.Write(head) // Error has it
		}
		for _, row := range t.Rows {
			record := []string{row.Node.name(), row.Node.Label}
			for _, column := range columns {
				record = append(record, cellsText(column, row.Cells[column.Name]))
			}
			_ = w.Write(record)
		}
		w.Flush()
		written += len(t.Rows)
		if err := w.Error(); err != nil || len(t.Rows) < most || written == limit || written == t.Total && !t.TotalMore {
			return written, t, err
		}
	}
}

// name is the node as an argument of a call: Type/id, or its IRI if it has no local id.
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
