package artifact

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"trails/fault"
	"trails/text/quote"
)

// Rows shows rows of a table as CSV: of CSV or TSV with a header, or of a JSON list of objects, whose members are the
// columns.
type Rows struct {
	Type    string   `json:"type"`
	Pointer string   `json:"pointer,omitempty"`                // JSON Pointer to a list (RFC 6901); "" is all
	Columns []string `json:"columns,omitempty" example:"name"` // columns to show, in this order; all if empty
	Where   []Where  `json:"where,omitempty"`                  // conditions that all must hold
	Sort    []string `json:"sort,omitempty" example:"-name"`   // columns to sort by; - before a name means descending
	Offset  int      `json:"offset,omitempty"`                 // rows to skip
	Limit   int      `json:"limit,omitempty"`                  // 1 to 500; 50 when it is 0
}

// Where is a condition on a column. Numbers are compared numerically, and are less than texts.
type Where struct {
	Column string `json:"column" example:"name"`
	Op     string `json:"op,omitempty"` // = (when it is ""), !=, <, <=, >, >=, contains or matches (RE2)
	Value  Scalar `json:"value" type:"text"`
}

// Scalar is the text of a JSON string, number or boolean.
type Scalar string

// UnmarshalJSON reads one.
func (s *Scalar) UnmarshalJSON(text []byte) error {
	switch text[0] {
	case '"':
		return json.Unmarshal(text, (*string)(s))
	case '{', '[', 'n':
		return errors.New("the value of a condition must be a text, a number or a boolean")
	}
	*s = Scalar(text)
	return nil
}

// table is rows by columns.
type table struct {
	columns []string
	rows    [][]string
}

// Bounds of a table that is read.
const (
	mostRows    = 1_000_000
	mostColumns = 1_000
)

// split reads a table of text.
func (a Artifact) split(comma rune) (table, error) {
	text, err := a.text()
	if err != nil {
		return table{}, err
	}
	r := csv.NewReader(strings.NewReader(strings.TrimPrefix(text, "\ufeff")))
	r.FieldsPerRecord, r.LazyQuotes = -1, true
	r.Comma = comma
	var t table
	for {
		row, err := r.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return table{}, fmt.Errorf("it is no table: %w", err)
		}
		if t.columns == nil {
			if t.columns = row; len(row) > mostColumns {
				return table{}, fmt.Errorf("it has %d columns, and %d are read", len(row), mostColumns)
			}
			continue
		}
		if len(t.rows) == mostRows {
			return table{}, fmt.Errorf("it has more than %d rows; use lines or grep", mostRows)
		}
		t.rows = append(t.rows, row)
	}
	if len(t.columns) < 2 && len(t.rows) == 0 {
		return table{}, errors.New("it is no table; use lines, grep or json")
	}
	return t, nil
}

// tableAt reads the table that there is: the list at a pointer when it is JSON.
func (a Artifact) tableAt(pointer string) (table, error) {
	v, err := a.at(pointer)
	if err != nil {
		if pointer != "" {
			return table{}, err
		}
		comma, _ := a.delimiter()
		return a.split(comma)
	}
	list, is := v.([]any)
	if !is {
		return table{}, fmt.Errorf("there is no list at %q, but %s", pointer, quote.Line(shapeOf(v, 2), 300))
	}
	var t table
	place := map[string]int{}
	for _, item := range list {
		object, is := item.(map[string]any)
		if !is {
			object = map[string]any{"value": item}
		}
		for _, name := range names(object) {
			if _, known := place[name]; !known && len(place) < mostColumns {
				place[name] = len(t.columns)
				t.columns = append(t.columns, name)
			}
		}
		row := make([]string, len(t.columns))
		for name, value := range object {
			if at, known := place[name]; known && value != nil {
				row[at] = written(value)
			}
		}
		t.rows = append(t.rows, row)
	}
	return t, nil
}

// column returns the place of a column.
func (t table) column(name string) (int, error) {
	at := slices.Index(t.columns, name)
	if at < 0 {
		return 0, fmt.Errorf("there is no column %s; there are %s%s", quote.Text(name, 100), quote.Line(strings.Join(t.columns, ", "), 500), fault.DidYouMean(name, t.columns))
	}
	return at, nil
}

// value is the cell of a row in a column, "" if the row is too short.
func value(row []string, column int) string {
	if column < len(row) {
		return row[column]
	}
	return ""
}

// compare compares two values as numbers or as texts; numbers are less than texts.
func compare(a, b string) int {
	x, y := number(a), number(b)
	switch {
	case math.IsNaN(x) && math.IsNaN(y):
		return strings.Compare(a, b)
	case math.IsNaN(x):
		return 1
	case math.IsNaN(y):
		return -1
	}
	return cmp.Compare(x, y)
}

// number is a value as a number, NaN when it is none.
func number(value string) float64 {
	n, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	if err != nil || math.IsInf(n, 0) {
		return math.NaN()
	}
	return n
}

// holds returns the test for a condition.
func (w Where) holds() (func(value string) bool, error) {
	by := func(holds func(order int) bool) (func(string) bool, error) {
		return func(value string) bool { return holds(compare(value, string(w.Value))) }, nil
	}
	switch w.Op {
	case "=", "":
		return by(func(order int) bool { return order == 0 })
	case "!=":
		return by(func(order int) bool { return order != 0 })
	case "<":
		return by(func(order int) bool { return order < 0 })
	case "<=":
		return by(func(order int) bool { return order <= 0 })
	case ">":
		return by(func(order int) bool { return order > 0 })
	case ">=":
		return by(func(order int) bool { return order >= 0 })
	case "contains":
		wanted := strings.ToLower(string(w.Value))
		return func(value string) bool { return strings.Contains(strings.ToLower(value), wanted) }, nil
	case "matches":
		pattern, err := patternOf(string(w.Value))
		if err != nil {
			return nil, err
		}
		return pattern.MatchString, nil
	}
	return nil, fmt.Errorf("%s is no op; there are =, !=, <, <=, >, >=, contains and matches", quote.Text(w.Op, 40))
}

func (s *Rows) view(a Artifact) (Excerpt, error) {
	limit, err := within("limit", s.Limit, 50, 1, 500)
	if err != nil {
		return Excerpt{}, err
	}
	t, err := a.tableAt(s.Pointer)
	if err != nil {
		return Excerpt{}, err
	}
	for _, w := range s.Where {
		at, err := t.column(w.Column)
		if err != nil {
			return Excerpt{}, err
		}
		holds, err := w.holds()
		if err != nil {
			return Excerpt{}, err
		}
		t.rows = slices.DeleteFunc(t.rows, func(row []string) bool { return !holds(value(row, at)) })
	}
	for _, by := range slices.Backward(s.Sort) {
		name, down := strings.CutPrefix(by, "-")
		at, err := t.column(name)
		if err != nil {
			return Excerpt{}, err
		}
		sort.SliceStable(t.rows, func(i, j int) bool {
			if down {
				i, j = j, i
			}
			return compare(value(t.rows[i], at), value(t.rows[j], at)) < 0
		})
	}
	columns := s.Columns
	if len(columns) == 0 {
		columns = t.columns
	}
	places := make([]int, len(columns))
	for i, name := range columns {
		if len(s.Columns) == 0 {
			places[i] = i // two columns may have the same name
		} else if places[i], err = t.column(name); err != nil {
			return Excerpt{}, err
		}
	}
	if s.Offset < 0 || s.Offset > len(t.rows) {
		return Excerpt{}, fmt.Errorf("offset is %d, and %d rows are selected", s.Offset, len(t.rows))
	}
	var b strings.Builder
	b.WriteString(line(columns))
	next := s.Offset
	for ; next < len(t.rows) && next-s.Offset < limit; next++ {
		cells := make([]string, len(places))
		for i, at := range places {
			cells[i] = value(t.rows[next], at)
		}
		row := line(cells)
		if b.Len()+len(row) > mostExcerpt && next > s.Offset {
			break
		}
		b.WriteString(row)
	}
	v := Excerpt{Text: b.String()}
	if next < len(t.rows) {
		rest := *s
		rest.Type, rest.Offset = "rows", next
		v.Left, v.Next = fmt.Sprintf("%d of %d rows", len(t.rows)-next, len(t.rows)), &rest
	}
	return v, nil
}

// line writes cells as a line of CSV, cut if they are many or long.
func line(cells []string) string {
	short := make([]string, len(cells))
	for i, cell := range cells {
		most := max(mostExcerpt/2/len(cells)-4, 4)
		if short[i] = whole(cell, most); len(short[i]) < len(cell) {
			short[i] += "…"
		}
	}
	var b strings.Builder
	w := csv.NewWriter(&b)
	if err := w.Write(short); err != nil {
		return "" // writing to a builder never fails
	}
	w.Flush()
	return b.String()
}
