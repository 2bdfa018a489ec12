package load

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"trails/fault"
	"trails/kg/change"
	"trails/rdf"
	"trails/schema"
	"trails/schema/infer"
)

// column is the meaning of one column of a table, or of one member of JSON objects. The zero column is skipped.
type column struct {
	id   bool             // it contains the ids of the nodes
	p    *schema.Property // its cells are values of this property; nil for none
	lang string           // its cells are texts in this language, or ""
}

// value returns the value of a cell.
func (c column) value(text string) any {
	if c.lang != "" {
		return c.p.LangCellValue(c.lang, text)
	}
	return c.p.CellValue(text)
}

// add adds the value of a cell to a node, besides the values from other columns of the property.
func (c column) add(values map[string]any, v any) {
	if before, ok := values[c.p.Name]; ok {
		values[c.p.Name] = append(asList(before), asList(v)...)
		return
	}
	values[c.p.Name] = v
}

func asList(v any) []any {
	if list, isList := v.([]any); isList {
		return slices.Clip(list)
	}
	return []any{v}
}

// mapped is the property that the caller assigned to a column or member. Names with line breaks or invisible
// characters also match in their one-line form.
func (r *reader) mapped(name string) (property string, found bool) {
	if property, found = r.Map[name]; found || len(r.Map) == 0 {
		return property, found
	}
	if r.shown == nil {
		r.shown = make(map[string]string, len(r.Map))
		for name, property := range r.Map {
			r.shown[infer.ColumnName(name)] = property
		}
	}
	property, found = r.shown[infer.ColumnName(name)]
	return property, found
}

// isID reports whether a column or member contains the ids: the one that the caller named, otherwise the one called
// id, unless the caller gave it another meaning.
func (r *reader) isID(name string) bool {
	if r.ID != "" {
		return name == r.ID || infer.ColumnName(name) == infer.ColumnName(r.ID)
	}
	_, mapped := r.mapped(name)
	return strings.EqualFold(name, "id") && !mapped
}

// columnOf decides the meaning of a column: the caller's choice, otherwise the property with the same letters and
// digits. The column of ids may be a property, too.
func (r *reader) columnOf(t *schema.Type, name string) (column, *fault.FieldError) {
	if name == RejectedBecause {
		return column{}, nil
	}
	c := column{id: r.isID(name)}
	property, mapped := r.mapped(name)
	switch {
	case mapped && property == "":
		return c, nil
	case mapped:
		if c.p = r.schema.Property(t, property); c.p == nil {
			if base, tag, tagged := rdf.SplitLang(property); tagged {
				if of := r.schema.Property(t, base); of != nil && of.IsLang() {
					c.p, c.lang = of, tag
					return c, nil
				}
			}
			return c, &fault.FieldError{Field: name, Code: fault.Closed, Value: property,
				Message: fmt.Sprintf("%s has no property %q, which map gives the column %q%s", t.Name, property, name, r.nearest(t, property))}
		}
		return c, nil
	}
	if c.p = r.schema.Property(t, name); c.p != nil {
		return c, nil
	}
	if base, tag, tagged := rdf.SplitLang(name); tagged {
		of, problem := r.columnOf(t, base)
		if problem == nil && of.p != nil && of.p.IsLang() {
			of.id, of.lang = false, tag
			return of, nil
		}
	}
	folded := infer.Folded(name)
	for _, p := range r.schema.PropertiesOf(t) {
		if folded == "" || infer.Folded(p.Name) != folded {
			continue
		}
		if c.p != nil {
			return c, &fault.FieldError{Field: name, Code: fault.Closed, Value: name,
				Message: fmt.Sprintf("the column %q may be %s or %s; map %s=%s says which", name, c.p.Name, p.Name, name, p.Name)}
		}
		c.p = p
	}
	if c.p != nil || c.id {
		return c, nil
	}
	hint := "map " + name + "=PROPERTY says which it is"
	if near := fault.Nearest(name, propertyNames(r.schema, t)); near != "" {
		hint = fmt.Sprintf("did you mean %q? map %s=%s says so", near, name, near)
	}
	return c, &fault.FieldError{Field: name, Code: fault.Closed, Value: name, Constraint: propertyNames(r.schema, t),
		Message: fmt.Sprintf("the column %q is no property of %s; %s, map %s= passes it over", name, t.Name, hint, name)}
}

// nearest names the property that is nearest to a name, or lists all.
func (r *reader) nearest(t *schema.Type, name string) string {
	names := propertyNames(r.schema, t)
	if hint := fault.DidYouMean(name, names); hint != "" {
		return hint
	}
	return "; it has " + strings.Join(names, ", ")
}

func propertyNames(s *schema.Schema, t *schema.Type) []string {
	var names []string
	for _, p := range s.PropertiesOf(t) {
		names = append(names, p.Name)
	}
	return names
}

// readTable reads the rows of a table as nodes of a type.
func (r *reader) readTable(text *bufio.Reader, format Format, t *schema.Type) error {
	rows, err := r.newTable(text, format)
	var columns []column
	if err == nil {
		r.saySheet(rows)
		if r.Rows != nil {
			r.Rows.headers[r.source.File] = rows.header
		}
		columns, err = r.readHeader(rows, t)
	}
	var wrong *rowError
	if errors.As(err, &wrong) {
		return fault.Invalid([]fault.FieldError{r.rowProblem(wrong)}) // no row can be read without it
	}
	for err == nil {
		var cells []string
		cells, err = rows.next()
		r.source.Line = uint64(rows.line)
		switch {
		case err == io.EOF:
			r.sayTaken(rows)
			return nil
		case errors.As(err, &wrong):
			if r.Rows != nil {
				if err := r.Rows.keep(r.source, wrong.last(rows), wrong.cells, nil); err != nil {
					return err
				}
				if at := slices.IndexFunc(columns, func(c column) bool { return c.id }); at >= 0 && at < len(wrong.cells) {
					r.Rows.lose(nodeName(t, strings.TrimSpace(wrong.cells[at])), r.source)
				}
			}
			err = r.reject(r.rowProblem(wrong))
		case err == nil:
			err = r.readRow(t, rows, columns, cells)
		}
	}
	if broken := (*breakError)(nil); errors.As(err, &broken) {
		return r.breakOff(fault.FieldError{Code: fault.Shape, Message: broken.reason, Source: r.placeAt(broken.line, broken.column)})
	}
	return r.unreadableTable(rows, err)
}

// saySheet adds a note on which sheet of several is read.
func (r *reader) saySheet(rows *table) {
	if rows.book == nil || r.Sheet != "" {
		return
	}
	var others []string
	for _, name := range rows.book.shown() {
		if name != rows.book.sheet.name && len(others) < maxShownSheets {
			others = append(others, strconv.Quote(name))
		}
	}
	if len(others) > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("of %s the sheet %q is read, and not %s; sheet names another", r.input.Name, rows.book.sheet.name, strings.Join(others, ", ")))
	}
}

// sayTaken adds notes on cells that were taken as empty.
func (r *reader) sayTaken(rows *table) {
	if r.noValues > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("taken as empty: %s of %s such as %q", fault.Counted(r.noValues, "cell"), r.input.Name, r.noValue))
		r.noValues, r.noValue = 0, ""
	}
	if rows.book != nil && rows.book.merged > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("%s of merged cells in %s, such as %s: the first cell of an area has the value, the others are empty", fault.Counted(rows.book.merged, "area"), r.input.Name, rows.book.area))
	}
}

// rowProblem adds the place to an error.
func (r *reader) rowProblem(e *rowError) fault.FieldError {
	return fault.FieldError{Code: fault.Shape, Message: e.reason, Source: r.placeAt(e.line, e.column)}
}

// placeAt is a place in the current input, "file:line:column".
func (r *reader) placeAt(line, column int) string {
	return fmt.Sprintf("%s:%d:%d", r.Sources[r.source.File], line, column)
}

// readHeader decides the meaning of the columns. All errors in the header are one fault.
func (r *reader) readHeader(rows *table, t *schema.Type) ([]column, error) {
	columns := make([]column, len(rows.header))
	var wrong []fault.FieldError
	report := func(at int, f fault.FieldError) {
		f.Source = r.placeAt(rows.at(at))
		wrong = append(wrong, f)
	}
	byName, byProperty := map[string]int{}, map[column]string{}
	for i, name := range rows.header {
		byName[name] = i
		c, problem := r.columnOf(t, name)
		if c.lang != "" {
			base, _, _ := rdf.SplitLang(name)
			byName[base] = i
		}
		switch other := byProperty[column{p: c.p, lang: rdf.LangTag(c.lang)}]; {
		case problem != nil:
			report(i, *problem)
		case c.p != nil && other != "":
			report(i, fault.FieldError{Field: name, Code: fault.Unique, Value: name,
				Message: fmt.Sprintf("the columns %q and %q are both %s; map %s= passes one over", other, name, c.p.Name, name)})
		case c.p != nil:
			byProperty[column{p: c.p, lang: rdf.LangTag(c.lang)}] = name
		}
		columns[i] = c
	}
	if c, named := r.columnNamed(rows.header, columns, r.by); named && r.by != "" && (c.p == nil || c.p.Many() || c.lang != "") {
		report(byName[infer.ColumnName(r.by)], fault.FieldError{Field: r.by, Code: fault.Closed, Value: r.by,
			Message: fmt.Sprintf("by is the column %q, which is no property of %s with one value", r.by, t.Name)})
	}
	asked := slices.Sorted(maps.Keys(r.Map))
	if r.by != "" {
		asked = append(asked, r.by)
	}
	if r.ID != "" {
		asked = append(asked, r.ID)
	}
	for _, name := range asked {
		if _, there := byName[infer.ColumnName(name)]; !there {
			message := fmt.Sprintf("there is no column %q%s", name, fault.DidYouMean(name, rows.header))
			report(0, fault.FieldError{Field: name, Code: fault.Closed, Value: name, Constraint: rows.header, Message: message})
		}
	}
	if len(wrong) > 0 {
		return nil, fault.Invalid(wrong)
	}
	return columns, nil
}

// readRow reads one row as a node.
func (r *reader) readRow(t *schema.Type, rows *table, columns []column, cells []string) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	r.Records++
	r.edit(rows, cells)
	if r.Rows != nil {
		last, _ := rows.at(len(cells) - 1)
		if err := r.Rows.keep(r.source, uint64(last), cells, nil); err != nil {
			return err
		}
	}
	n := change.Entity{Type: t, Values: make(map[string]any, len(columns))}
	for i, c := range columns {
		if c.id {
			n.ID = strings.TrimSpace(cells[i])
		}
		if c.p == nil {
			continue
		}
		if v := r.cellValue(c, cells[i]); v != nil {
			c.add(n.Values, v)
		}
	}
	by, _ := r.columnNamed(rows.header, columns, r.by)
	unmatched, err := r.match(&n, by.p)
	if err != nil {
		return err
	}
	w := tableRow{n: n, header: rows.header, columns: columns, at: rows.at, unmatched: unmatched}
	if waits := r.await(w, cells, rows.at); waits {
		return nil
	}
	return r.finishRow(w)
}

// tableRow is a row of a table whose cells were read.
type tableRow struct {
	n         change.Entity
	header    []string
	columns   []column
	at        func(cell int) (line, column int) // where its cells stand
	unmatched []fault.FieldError                // what is wrong with its labels
}

// finishRow makes edits of a row.
func (r *reader) finishRow(w tableRow) error {
	e := r.node(w.n)
	e.Fields = append(e.Fields, w.unmatched...)
	for i := range e.Fields {
		e.Fields[i].Message = fault.Add(e.Fields[i].Message, r.conventionFor(e.Fields[i]))
	}
	if len(e.Fields) == 0 {
		r.label(w.n, e.IRI)
		return r.takeRow(e, w)
	}
	for i, f := range e.Fields {
		at := slices.IndexFunc(w.columns, func(c column) bool { return c.p != nil && c.p.Name == f.Field || c.id && f.Field == "id" })
		if at < 0 {
			continue
		}
		name := w.header[at]
		if text, ok := strings.CutPrefix(f.Message, f.Field+": "); ok {
			e.Fields[i].Message = name + ": " + text
		}
		e.Fields[i].Field, e.Fields[i].Source = name, r.placeAt(w.at(at))
	}
	r.loseLabel(w.n)
	return r.take(e, nodeName(w.n.Type, w.n.ID))
}

// loseLabel remembers the label of a row that is left out: a reference with it is an id that there is not.
func (r *reader) loseLabel(n change.Entity) {
	text, isText := n.Values[r.schema.LabelOf(n.Type)].(string)
	if r.Rows == nil || !isText {
		return
	}
	for _, t := range append([]*schema.Type{n.Type}, r.schema.Supertypes(n.Type)...) {
		r.Rows.lose(nodeName(t, strings.TrimSpace(text)), r.source)
	}
}

// edit puts the texts of the caller in the place of cells.
func (r *reader) edit(rows *table, cells []string) {
	for name, text := range r.cells[rows.line] {
		if at := slices.Index(rows.header, name); at >= 0 && at < len(cells) {
			cells[at] = text
		}
	}
}

// cellValue converts a cell to JSON, by the conventions of the table. Text that does not follow them stays text,
// which the schema then refuses.
func (r *reader) cellValue(c column, cell string) any {
	if infer.NoValue(c.p, cell) {
		r.noValue = cmp.Or(r.noValue, cell)
		r.noValues++
		return nil
	}
	if c.lang != "" {
		return c.value(cell)
	}
	if c.p.Many() && !strings.HasPrefix(strings.TrimSpace(cell), "[") {
		parts := strings.Split(cell, ";")
		for i, part := range parts {
			if text, ok := r.Conventions.Text(c.p, part); ok && strings.TrimSpace(part) != "" {
				parts[i] = text
			} else if !ok && strings.TrimSpace(part) != "" {
				return cell
			}
		}
		return c.p.CellValue(strings.Join(parts, ";"))
	}
	if c.p.Many() {
		return c.p.CellValue(cell)
	}
	text, ok := r.Conventions.Text(c.p, cell)
	if strings.TrimSpace(cell) == "" {
		return c.p.CellValue(cell)
	}
	if ok && r.Conventions.Decimal != "" && infer.IsNumber(c.p) {
		currency := r.Conventions.Currency(cell)
		if first, known := r.currencies[c.p]; known && first != currency {
			return cell // amounts in different currencies are not numbers
		}
		if r.currencies == nil {
			r.currencies = map[*schema.Property]string{}
		}
		r.currencies[c.p] = currency
	}
	if !ok {
		return cell
	}
	return c.p.CellValue(text)
}

// conventionFor suggests a convention under which a value could be read.
func (r *reader) conventionFor(f fault.FieldError) string {
	text, isText := f.Value.(string)
	if !isText || f.Code != fault.Datatype || text == "" {
		return ""
	}
	if r.Conventions.Decimal != "" && r.Conventions.Currency(text) != "" {
		return "; the amounts of a column are in one currency, as its first one is"
	}
	if _, read := (infer.Conventions{Decimal: "."}).Text(&schema.Property{Datatype: "decimal"}, text); read && r.Conventions.Decimal == "," {
		return "; the load reads a comma before the fraction, as decimal says: 19,95"
	}
	for _, c := range []struct {
		datatype, text string
		with           infer.Conventions
		hint           string
	}{
		{"date", r.Conventions.Dates, infer.Conventions{Dates: "dmy"}, "; dates says the order that it is written in: dmy or mdy"},
		{"date", r.Conventions.Dates, infer.Conventions{Dates: "mdy"}, "; dates says the order that it is written in: dmy or mdy"},
		{"datetime", r.Conventions.Dates, infer.Conventions{Dates: "dmy"}, "; dates says the order that it is written in: dmy or mdy"},
		{"datetime", r.Conventions.Dates, infer.Conventions{Dates: "mdy"}, "; dates says the order that it is written in: dmy or mdy"},
		{"decimal", r.Conventions.Decimal, infer.Conventions{Decimal: ","}, "; decimal says what stands before its fraction, a comma or a point"},
		{"decimal", r.Conventions.Decimal, infer.Conventions{Decimal: "."}, "; decimal says what stands before its fraction, a comma or a point"},
	} {
		read, ok := c.with.Text(&schema.Property{Datatype: c.datatype}, text)
		if c.text == "" && ok && read != text && strings.Contains(f.Message, "valid") && strings.HasPrefix(c.datatype, "date") == strings.Contains(f.Message, "date") {
			return c.hint
		}
	}
	return ""
}

// takeRow spools the edits of a row. The source of a value is its cell, that of everything else the row.
func (r *reader) takeRow(e change.Edits, w tableRow) error {
	cells := make(map[rdf.Term]int, len(w.columns))
	for i, c := range w.columns {
		if c.p != nil {
			cells[c.p.IRI] = i
		}
	}
	row := r.source
	defer func() { r.source = row }()
	for _, edit := range e.List {
		r.source = row
		if cell, ok := cells[edit.Quad.Predicate]; ok {
			line, column := w.at(cell)
			r.source.Line = uint64(line)
			if column <= math.MaxUint16 {
				r.source.Column = uint16(column)
			}
		}
		if err := r.put(edit); err != nil {
			return err
		}
	}
	return nil
}

// readData reads a JSON object as a node: its members are named like columns.
func (r *reader) readData(t *schema.Type, data map[string]any) error {
	n := change.Entity{Type: t, Values: make(map[string]any, len(data))}
	var wrong []fault.FieldError
	for name, v := range data {
		c, known := r.columns[name]
		if !known {
			var problem *fault.FieldError
			if c, problem = r.columnOf(t, name); problem != nil {
				wrong = append(wrong, *problem)
				continue
			}
			if r.columns == nil {
				r.columns = map[string]column{}
			}
			r.columns[name] = c
		}
		if text, isText := v.(string); c.id && isText {
			n.ID = text
		} else if number, isNumber := v.(json.Number); c.id && isNumber {
			n.ID = string(number)
		} else if c.id && v != nil && c.p == nil {
			wrong = append(wrong, fault.FieldError{Field: name, Code: fault.Datatype, Value: v, Message: fmt.Sprintf("the id in %s must be a string or a number", name)})
		}
		if c.p == nil {
			continue
		}
		if c.lang != "" {
			if v != nil {
				c.add(n.Values, schema.InLang(c.lang, v))
			}
			continue
		}
		if _, twice := n.Values[c.p.Name]; twice {
			wrong = append(wrong, fault.FieldError{Field: name, Code: fault.Unique, Message: fmt.Sprintf("two members are both %s; map %s= passes one over", c.p.Name, name)})
			continue
		}
		n.Values[c.p.Name] = v
	}
	unmatched, err := r.match(&n, r.columns[r.by].p)
	if err != nil {
		return err
	}
	e := r.node(n)
	e.Fields = append(append(e.Fields, wrong...), unmatched...)
	return r.take(e, nodeName(t, n.ID))
}
