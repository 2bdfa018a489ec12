package view

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"maps"
	"slices"

	"trails/schema"
)

// PageMost is the most rows that entities_list reads at once.
const PageMost = maxLimit

// ReadTable makes one call of entities_list with these arguments.
type ReadTable func(args map[string]any) (Table, error)

// WriteCSV writes up to limit rows of a list as CSV, with as many reads as needed, and returns their number and the
// last page. The columns are the node's id, its label, and the other columns, or the requested ones; cells are as in
// an export. The arguments are those of entities_list.
func WriteCSV(out io.Writer, args map[string]any, limit int, read ReadTable) (written int, t Table, err error) {
	return writeCSV(out, args, limit, read, func(_ Column, text string) string { return text })
}

// writeCSV is WriteCSV, with each cell as shown returns it; the zero column is for a node's id and label.
func writeCSV(out io.Writer, args map[string]any, limit int, read ReadTable, shown func(c Column, text string) string) (written int, t Table, err error) {
	w := csv.NewWriter(out)
	return EachPage(args, limit, read, func(t Table, columns []Column) error {
		if written == 0 {
			_ = w.Write(headOf(columns)) // Error has it
		}
		for _, row := range t.Rows {
			record := []string{shown(Column{}, row.Node.name()), shown(Column{}, row.Node.Label)}
			for _, c := range columns {
				record = append(record, shown(c, cellsText(c, row.Cells[c.Name])))
			}
			_ = w.Write(record)
		}
		w.Flush()
		written += len(t.Rows)
		return w.Error()
	})
}

// headOf is the header of a table with these columns.
func headOf(columns []Column) []string {
	head := []string{"node", "label"}
	for _, c := range columns {
		head = append(head, c.Name)
	}
	return head
}

// EachPage reads up to limit rows of a list, all values whole, page by page. Columns are those beside the label, or
// the requested ones. It returns the number of rows and the last page.
func EachPage(args map[string]any, limit int, read ReadTable, each func(t Table, columns []Column) error) (done int, t Table, err error) {
	args = maps.Clone(args)
	args["whole"], args["facets"] = true, false
	for {
		most := min(limit-done, PageMost)
		args["offset"], args["limit"] = done, most
		if t, err = read(args); err != nil {
			return done, t, err
		}
		columns := t.Columns
		if args["columns"] == nil {
			columns = slices.DeleteFunc(slices.Clone(columns), func(c Column) bool { return c.Name == t.Label })
		}
		if err := each(t, columns); err != nil {
			return done, t, err
		}
		done += len(t.Rows)
		if len(t.Rows) < most || done == limit || done == t.Total && !t.TotalMore {
			return done, t, nil
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
