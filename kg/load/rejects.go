package load

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"sort"
	"strconv"
	"strings"

	"trails/db/extsort"
	"trails/fault"
	"trails/kg/change"
	"trails/rdf/rdfio"
)

// RejectedBecause is the column or member with the errors in a file of rejected rows. No property has this name, and
// a load skips it.
const RejectedBecause = "_rejected"

// Rows are the rows and records of the inputs, stored so that bad ones can be left out and written with their errors.
// Close removes their temporary files.
type Rows struct {
	kept     extsort.Sorter
	count    int64
	sources  []string
	headers  map[uint16][]string // of the tables, by number of the input
	rejected map[rowStart]*rejection
	gone     map[string]rowStart // where the rows that are left out begin, by the names of their nodes: Person/ana
	long     []longRow           // in the order of the inputs and their lines
}

// longRow is a row of several lines.
type longRow struct {
	at   rowStart
	last uint64 // line
}

// rowStart is where a row begins.
type rowStart = change.Source

// rejection is the errors of a row.
type rejection struct{ fields []fault.FieldError }

// row is one row or record as it was read.
type row struct {
	At    rowStart
	Cells []string `json:",omitempty"`
	Text  []byte   `json:",omitempty"`
}

func newRows() *Rows {
	return &Rows{headers: map[uint16][]string{}, rejected: map[rowStart]*rejection{}, gone: map[string]rowStart{}}
}

// Close removes what the rows left on disk. Nil has nothing to close.
func (k *Rows) Close() {
	if k != nil {
		_ = k.kept.Close() // it is only read
	}
}

// keep stores a row that begins at one place and ends on a line.
func (k *Rows) keep(at rowStart, last uint64, cells []string, text []byte) error {
	if last > at.Line {
		k.long = append(k.long, longRow{at, last})
	}
	k.count++
	encoded, err := json.Marshal(row{At: at, Cells: cells, Text: text})
	if err != nil {
		return fmt.Errorf("keep a row: %w", err)
	}
	return k.kept.Add(func(dst []byte) []byte {
		return append(binary.BigEndian.AppendUint64(dst, uint64(k.count)), encoded...)
	})
}

// startOf returns where the row of a place begins. Cells have their own columns; elements of an array, which may
// share a line, begin at their column.
func (k *Rows) startOf(at change.Source) rowStart {
	if k.headers[at.File] == nil {
		return at
	}
	at.Column = 0
	next, _ := slices.BinarySearchFunc(k.long, at, func(row longRow, at change.Source) int {
		return cmp.Or(cmp.Compare(row.at.File, at.File), cmp.Compare(row.at.Line, at.Line+1)) // the first row behind the line
	})
	if next > 0 && k.long[next-1].at.File == at.File && at.Line <= k.long[next-1].last {
		return k.long[next-1].at
	}
	return at
}

// reject records an error of the row that begins at a place.
func (k *Rows) reject(start rowStart, fields ...fault.FieldError) (fresh bool) {
	known := k.rejected[start]
	if fresh = known == nil; fresh {
		known = new(rejection)
		k.rejected[start] = known
	}
	known.fields = append(known.fields, fields...)
	for _, f := range fields {
		k.lose(f.Node, start)
	}
	return fresh
}

// lose remembers that the row of a node is left out, so that rows which refer to the node can be told apart.
func (k *Rows) lose(node string, start rowStart) {
	if _, known := k.gone[node]; node != "" && !known {
		k.gone[node] = start
	}
}

// followed is a mistake as it is told: one that leads to the node of a row that is left out says so.
func (k *Rows) followed(f fault.FieldError, start rowStart) fault.FieldError {
	target, _ := f.Value.(string)
	of, gone := k.gone[target]
	if f.Code != fault.Class || !gone || of == start {
		return f
	}
	f.Follows = fmt.Sprintf("%s:%d", k.sources[of.File], of.Line)
	f.Message = fmt.Sprintf("%s refers to a row that is left out itself, %q", f.Field, f.Follows)
	return f
}

// Reject leaves out the rows with these errors, and reports whether one of them was not left out before. At most
// [MaxBad] rows are left out.
func (k *Rows) Reject(broken []fault.FieldError) (fresh bool) {
	for _, f := range broken {
		for file, name := range k.sources {
			place, found := strings.CutPrefix(f.Source, name+":")
			if !found {
				continue
			}
			line, column, _ := strings.Cut(place, ":")
			n, err := strconv.ParseUint(line, 10, 48)
			if err != nil {
				continue
			}
			c, _ := strconv.ParseUint(column, 10, 16) // 0 for none
			start := k.startOf(change.Source{File: uint16(file), Line: n, Column: uint16(c)})
			fresh = k.reject(start, k.followed(f, start)) || fresh
		}
	}
	return fresh && len(k.rejected) <= MaxBad
}

// Without reports whether an edit comes from a row that is left out.
func (k *Rows) Without(at change.Source) bool {
	return len(k.rejected) > 0 && k.rejected[k.startOf(at)] != nil
}

// Rejected counts the rows that are left out, and describes the first ones with their places.
func (k *Rows) Rejected() (out rdfio.LeftOut) {
	out.Rows = true
	for _, at := range k.order() {
		out.Add(rdfio.Omission{Source: k.sources[at.File], Line: int(at.Line), Column: int(at.Column), Message: k.rejected[at].reason()})
		if k.rejected[at].follows() {
			out.Following++
		}
	}
	return out
}

// Tables reports whether the rows are those of tables.
func (k *Rows) Tables() bool { return len(k.headers) > 0 }

// Good counts the rows that are not left out.
func (k *Rows) Good() int64 { return k.count - int64(len(k.rejected)) }

// Fields are the errors of the rows that are left out.
func (k *Rows) Fields() (all []fault.FieldError) {
	for _, at := range k.order() {
		all = append(all, k.rejected[at].fields...)
	}
	return all
}

// RejectedOf counts the rows of one input that are left out.
func (k *Rows) RejectedOf(of int) (n int64) {
	for at := range k.rejected {
		if int(at.File) == of {
			n++
		}
	}
	return n
}

func (k *Rows) order() []rowStart {
	var starts []rowStart
	for at := range k.rejected {
		starts = append(starts, at)
	}
	sort.SliceStable(starts, func(i, j int) bool {
		a, b := starts[i], starts[j]
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column)) < 0
	})
	return starts
}

// follows reports that nothing is wrong with a row but that it refers to others that are left out.
func (r *rejection) follows() bool {
	return !slices.ContainsFunc(r.fields, func(f fault.FieldError) bool { return f.Follows == "" })
}

// reason is the errors of a row in one line.
func (r *rejection) reason() string {
	var reasons []string
	for _, f := range r.fields {
		reason := f.Message
		if f.Field != "" && !strings.Contains(reason, f.Field) {
			reason = f.Field + ": " + reason
		}
		if !slices.Contains(reasons, reason) {
			reasons = append(reasons, reason)
		}
	}
	return strings.Join(reasons, "; ")
}

// AllInputs is the number of all inputs in the place of that of one.
const AllInputs = -1

// Write writes the rows that are left out with their errors, so that they can be corrected and loaded: tables as CSV
// with all columns, others as one object a line. They are those of one input, by number, or of [AllInputs].
func (k *Rows) Write(ctx context.Context, to io.Writer, of int) error {
	out := bufio.NewWriter(to)
	table, names, place := csv.NewWriter(out), []string(nil), map[string]int{}
	for file := range k.sources {
		if of != AllInputs && file != of {
			continue
		}
		for _, name := range k.headers[uint16(file)] {
			if _, known := place[name]; !known && name != RejectedBecause {
				place[name] = len(names)
				names = append(names, name)
			}
		}
	}
	if names != nil {
		if err := table.Write(append(slices.Clone(names), RejectedBecause)); err != nil {
			return err
		}
	}
	sorted, err := k.kept.Sorted()
	if err != nil {
		return fmt.Errorf("read kept rows: %w", err)
	}
	for record, more := sorted.Peek(); more; record, more = sorted.Peek() {
		var kept row
		if err := json.Unmarshal(record[8:], &kept); err != nil {
			return fmt.Errorf("read a kept row: %w", err)
		}
		header, rejected := k.headers[kept.At.File], k.rejected[kept.At]
		switch {
		case rejected == nil, of != AllInputs && int(kept.At.File) != of:
		case header != nil:
			cells := make([]string, len(names)+1)
			for i, text := range kept.Cells[:min(len(kept.Cells), len(header))] {
				if header[i] != RejectedBecause {
					cells[place[header[i]]] = text
				}
			}
			cells[len(names)] = rejected.reason()
			if len(kept.Cells) > len(header) {
				cells[len(names)] += "; behind the last column: " + strings.Join(kept.Cells[len(header):], ", ")
			}
			err = table.Write(cells)
		default:
			_, err = out.Write(append(rejected.explained(kept.Text), '\n'))
		}
		if err = cmp.Or(err, sorted.Advance(), ctx.Err()); err != nil {
			return err
		}
	}
	table.Flush()
	return cmp.Or(table.Error(), out.Flush())
}

// explained is an object with its errors as the last member; other text becomes the member "line" of an object.
func (r *rejection) explained(text []byte) []byte {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var members map[string]json.RawMessage
	var compact bytes.Buffer
	because, _ := json.Marshal(r.reason()) // a string can be encoded
	if d.Decode(&members) != nil || members == nil || json.Compact(&compact, text) != nil {
		line, _ := json.Marshal(string(text))
		return fmt.Appendf(nil, `{"line":%s,%q:%s}`, line, RejectedBecause, because)
	}
	if members[RejectedBecause] != nil || len(members) == 0 { // it was rejected in an earlier load
		members[RejectedBecause] = because
		again, _ := json.Marshal(members)
		return again
	}
	return fmt.Appendf(bytes.TrimSuffix(compact.Bytes(), []byte("}")), `,%q:%s}`, RejectedBecause, because)
}
