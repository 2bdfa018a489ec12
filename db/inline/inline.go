// Package inline encodes values of literals in ids. An id below zero contains the value of a literal, so the literal
// needs no dictionary row, and an index sorts by value. Only lexical forms that can be restored exactly have such an
// id; all other literals have a dictionary row like other terms.
//
// Read [TermID] first, then [Region]: each datatype has one, ordered by value.
package inline

import (
	"strconv"
	"time"

	"trails/rdf"
)

// TermID identifies a term in one file. Above zero it is a row of the file's dictionary, below zero it contains the
// value of a literal. Zero means unknown or unbound or, for a graph, the default graph.
type TermID int64

// Region is the interval of the ids of one datatype.
type Region struct {
	Datatype rdf.IRI
	// Low is the first id, High the first one after the region, and Zero the id of offset 0. Ids above -2^47 take six
	// bytes in an index, dates three, booleans one.
	Low, High, Zero TermID

	encode func(lexical string) (offset int64, ok bool)
	decode func(offset int64) (lexical string)
}

var regions = [...]Region{
	{rdf.XSDBoolean, -2, 0, -2, encodeBoolean, decodeBoolean},
	{rdf.XSDDate, -1 << 23, -1<<23 + maxDays, -1 << 23, encodeDate, decodeDate},
	{rdf.XSDInteger, -1 << 46, -1 << 24, -1 << 45, encodeInteger, decodeInteger},
	{rdf.XSDDateTime, -1 << 47, -1 << 46, -1<<47 + 1<<45, encodeDateTime, decodeDateTime},
	{rdf.XSDDecimal, -1 << 60, -1 << 59, -1<<60 + 1<<58, encodeDecimal, decodeDecimal},
	{rdf.XSDDouble, -1 << 61, -1 << 60, -1<<61 + 1<<59, encodeDouble, decodeDouble},
}

// ID returns the id that contains the value of t; ok is false if there is none.
func ID(t rdf.Term) (TermID, bool) {
	v, ok := t.(rdf.TypedString)
	if !ok || len(v.Value) > 32 {
		return 0, false
	}
	r := RegionOf(v.Type)
	if r == nil {
		return 0, false
	}
	offset, ok := r.encode(string(v.Value))
	id := r.Zero + TermID(offset)
	if !ok || id < r.Low || id >= r.High || r.decode(offset) != string(v.Value) {
		return 0, false
	}
	return id, true
}

// RegionOf returns the region of a datatype, nil if it has none.
func RegionOf(datatype rdf.IRI) *Region {
	if len(datatype) < len(rdf.XSDNS) || datatype[:len(rdf.XSDNS)] != rdf.XSDNS {
		return nil
	}
	for i := range regions {
		if regions[i].Datatype == datatype {
			return &regions[i]
		}
	}
	return nil
}

// RegionAt returns the region of an id, nil if it is in none.
func RegionAt(id TermID) *Region {
	for i := range regions {
		if r := &regions[i]; id >= r.Low && id < r.High {
			return r
		}
	}
	return nil
}

// Term returns the literal of an id below zero. It is nil if the id is in no region, which only occurs in a damaged
// file.
func Term(id TermID) rdf.Term {
	r := RegionAt(id)
	if r == nil {
		return nil
	}
	return rdf.TypedString{Value: rdf.String(r.decode(int64(id - r.Zero))), Type: r.Datatype}
}

// Time returns the moment of a date, at its beginning, or of a date with a time, in UTC; ok is false for other ids.
func Time(id TermID) (t time.Time, hasTime, ok bool) {
	switch r := RegionAt(id); {
	case r == nil:
		return t, false, false
	case r.Datatype == rdf.XSDDate:
		return time.Unix(int64(id-r.Zero)*secondsDay+yearOne, 0).UTC(), false, true
	case r.Datatype == rdf.XSDDateTime:
		return time.UnixMilli(int64(id-r.Zero)>>1 + year2000).UTC(), true, true
	}
	return t, false, false
}

func encodeBoolean(s string) (int64, bool) {
	switch s {
	case "false":
		return 0, true
	case "true":
		return 1, true
	}
	return 0, false
}

func decodeBoolean(offset int64) string { return strconv.FormatBool(offset == 1) }

func encodeInteger(s string) (int64, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil && n > -1<<46 && n < 1<<46
}

func decodeInteger(offset int64) string { return strconv.FormatInt(offset, 10) }

// Dates count days from 0001-01-01 to 9999-12-31, without a time zone.
const (
	maxDays    = 3652059
	secondsDay = 24 * 60 * 60
	dateForm   = "2006-01-02"
)

var yearOne = time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC).Unix()

func encodeDate(s string) (int64, bool) {
	if len(s) != len(dateForm) {
		return 0, false
	}
	t, err := time.Parse(dateForm, s)
	return (t.Unix() - yearOne) / secondsDay, err == nil
}

func decodeDate(offset int64) string {
	var text [len(dateForm)]byte
	putDate(text[:], time.Unix(offset*secondsDay+yearOne, 0).UTC())
	return string(text[:])
}

// putDate and putTime format like [time.Time.Format], in a third of the time. Years have four digits.
func putDate(text []byte, t time.Time) {
	year, month, day := t.Date()
	putDigits(text[:4], year)
	putDigits(text[5:7], int(month))
	putDigits(text[8:10], day)
	text[4], text[7] = '-', '-'
}

func putTime(text []byte, t time.Time) {
	hour, minute, second := t.Clock()
	putDigits(text[:2], hour)
	putDigits(text[3:5], minute)
	putDigits(text[6:8], second)
	text[2], text[5] = ':', ':'
}

// putDigits fills text with the last digits of n.
func putDigits(text []byte, n int) {
	for i := len(text) - 1; i >= 0; i-- {
		text[i] = byte('0' + n%10)
		n /= 10
	}
}

// Times count milliseconds from 2000-01-01 in UTC, some 550 years either way. The
// low bit is the form: set when the fraction of three digits was written.
const (
	secondForm = "2006-01-02T15:04:05Z"
	milliForm  = "2006-01-02T15:04:05.000Z"
)

var year2000 = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli()

func encodeDateTime(s string) (int64, bool) {
	form, bit := secondForm, int64(0)
	if len(s) == len(milliForm) {
		form, bit = milliForm, 1
	}
	if len(s) != len(form) || s[len(s)-1] != 'Z' {
		return 0, false
	}
	t, err := time.Parse(form, s)
	return (t.UnixMilli()-year2000)<<1 | bit, err == nil
}

func decodeDateTime(offset int64) string {
	var text [len(milliForm)]byte
	t := time.UnixMilli(offset>>1 + year2000).UTC()
	putDate(text[:], t)
	putTime(text[11:], t)
	text[10] = 'T'
	end := len(secondForm) - 1
	if offset&1 == 1 {
		text[end] = '.'
		putDigits(text[end+1:end+4], t.Nanosecond()/1e6)
		end += 4
	}
	text[end] = 'Z'
	return string(text[:end+1])
}
