package view

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strings"

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
	return writeCSV(out, args, limit, read, importable, func(text string) string { return text })
}

// writeCSV is WriteCSV in a layout, with each cell of a node as shown returns it.
func writeCSV(out io.Writer, args map[string]any, limit int, read ReadTable, l layout, shown func(text string) string) (written int, t Table, err error) {
	w := csv.NewWriter(out)
	return EachPage(args, limit, read, func(t Table, columns []Column) error {
		if written == 0 {
			_ = w.Write(l.head(t, columns)) // Error has it
		}
		for _, row := range t.Rows {
			record := l.record(row, columns)
			for i, text := range record {
				record[i] = shown(text)
			}
			_ = w.Write(record)
		}
		w.Flush()
		written += len(t.Rows)
		return w.Error()
	})
}

// layout is what a file has of a table.
type layout struct {
	// own is how many columns about the node itself are before the others.
	own    int
	head   func(t Table, columns []Column) []string
	record func(r Row, columns []Column) []string
}

// importable has the node's id and label and the names of the other columns, with ids for references, so that it can be
// imported again.
var importable = layout{2, func(_ Table, columns []Column) []string {
	head := []string{"node", "label"}
	for _, c := range columns {
		head = append(head, c.Name)
	}
	return head
}, func(r Row, columns []Column) []string {
	record := []string{r.Node.name(), r.Node.Label}
	for _, c := range columns {
		record = append(record, cellsText(c, r.Cells[c.Name]))
	}
	return record
}}

// asShown has what people see of a list: the label, and the other columns, under their titles, with labels for
// references.
func (w listWriter) asShown() layout {
	return layout{1, func(t Table, columns []Column) []string {
		own := Column{Label: t.Type}
		if label := w.schema.Property(w.schema.Type(t.Type), t.Label); label != nil {
			own = viewColumn(label)
		}
		head := []string{w.title(own)}
		for _, c := range columns {
			head = append(head, w.title(c))
		}
		return head
	}, func(r Row, columns []Column) []string {
		record := []string{cmp.Or(r.Node.Label, r.Node.name())}
		for _, c := range columns {
			var texts []string
			for _, value := range r.Cells[c.Name] {
				texts = append(texts, value.Text)
			}
			record = append(record, strings.Join(texts, ", "))
		}
		return record
	}}
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
