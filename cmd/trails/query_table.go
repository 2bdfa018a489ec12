package main

import (
	"bytes"
	"io"
	"strings"
	"unicode/utf8"
)

// Bounds of a table: the rows for measuring columns, and the widest column with aligned columns behind it.
const (
	measuredRows = 200
	widestColumn = 60
)

// table aligns tab-separated lines in columns. Other lines, such as Turtle, pass unchanged.
type table struct {
	w      io.Writer
	rest   []byte // incomplete last line
	rows   [][]string
	widths []int // nil until the columns are measured
	plain  bool
	begun  bool
}

// Write handles more lines.
func (t *table) Write(p []byte) (int, error) {
	if !t.begun && len(p) > 0 {
		t.begun, t.plain = true, !bytes.HasPrefix(p, []byte("?"))
	}
	if t.plain {
		return t.w.Write(p)
	}
	t.rest = append(t.rest, p...)
	for {
		text, after, whole := bytes.Cut(t.rest, []byte("\n"))
		if !whole {
			return len(p), nil
		}
		if err := t.row(strings.Split(string(text), "\t")); err != nil {
			return 0, err
		}
		t.rest = after
	}
}

func (t *table) row(cells []string) error {
	for i, cell := range cells {
		cells[i] = line(cell)
	}
	if t.widths != nil {
		return t.write(cells)
	}
	if t.rows = append(t.rows, cells); len(t.rows) > measuredRows {
		return t.flush()
	}
	return nil
}

// flush measures the columns and writes the waiting rows.
func (t *table) flush() error {
	rows := t.rows
	t.rows = nil
	if t.widths == nil && len(rows) > 0 {
		t.widths = make([]int, len(rows[0]))
	}
	for _, cells := range rows {
		for i, cell := range cells {
			if width := utf8.RuneCountInString(cell); i < len(t.widths) && width <= widestColumn {
				t.widths[i] = max(t.widths[i], width)
			}
		}
	}
	for _, cells := range rows {
		if err := t.write(cells); err != nil {
			return err
		}
	}
	return nil
}

func (t *table) write(cells []string) error {
	var out strings.Builder
	for i, cell := range cells {
		out.WriteString(cell)
		if i < len(cells)-1 {
			out.WriteString(strings.Repeat(" ", max(t.widths[i]-utf8.RuneCountInString(cell), 0)+2))
		}
	}
	_, err := io.WriteString(t.w, strings.TrimRight(out.String(), " ")+"\n")
	return err
}
