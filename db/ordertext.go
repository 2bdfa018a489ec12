package db

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"trails/rdf"
	"trails/rdf/xsd"
)

// keyed maps datatypes to functions that return a text for a value, such that the texts sort like the values.
// Datatypes that are neither here nor in a region of ids are sorted by their case-folded text. A time without a zone
// is taken as UTC, so that any two times compare.
var keyed = map[rdf.IRI]func(lexical string) string{
	rdf.XSDDouble:   func(s string) string { return numberText(s, 64) },
	rdf.XSDFloat:    func(s string) string { return numberText(s, 32) },
	rdf.XSDDateTime: momentText,
	rdf.XSDInteger:  decimalText,
	rdf.XSDDecimal:  decimalText,
}

// orderText returns the text by which a value of a datatype is sorted.
func orderText(datatype rdf.IRI, lexical string) string {
	if key := keyed[datatype]; key != nil {
		return key(lexical)
	}
	return folded(lexical)
}

// lastText is the prefix for values that do not compare: they sort after all numbers, including infinity, and all
// dates and times.
const lastText = "\xff\xff"

// numberText returns a text that sorts like the floating point number; NaN is last.
func numberText(lexical string, bits int) string {
	f, err := strconv.ParseFloat(lexical, bits)
	if math.IsNaN(f) || err != nil && !math.IsInf(f, 0) {
		return lastText + lexical
	}
	n := math.Float64bits(math.Abs(f)) | 1<<63 // positive and negative zero are equal
	if f < 0 {
		n = ^math.Float64bits(f)
	}
	return string(binary.BigEndian.AppendUint64(nil, n))
}

// decimalText returns a text that sorts like the decimal: the number of digits before the point, these digits, and
// those after it. For a negative number each digit is replaced by nine minus the digit.
func decimalText(lexical string) string {
	canonical, ok := xsd.Canonical(lexical, rdf.XSDDecimal)
	if !ok {
		return lastText + lexical
	}
	digits, negative := strings.CutPrefix(canonical, "-")
	whole, fraction, _ := strings.Cut(digits, ".")
	whole = strings.TrimLeft(whole, "0")
	text := []byte(fmt.Sprintf("%06d", len(whole)) + whole + fraction)
	if !negative {
		return "1" + string(text)
	}
	for i, digit := range text {
		text[i] = '0' + '9' - digit
	}
	return "0" + string(text) + "~" // -1.51 is less than -1.5
}

// momentText returns a text that sorts like the date or time.
func momentText(lexical string) string {
	t, ok := moment(lexical)
	if !ok {
		canonical, _ := xsd.Canonical(lexical, rdf.XSDDateTime) // 24:00:00 is the next day
		if t, ok = moment(canonical); !ok {
			return lastText + lexical
		}
	}
	b := binary.BigEndian.AppendUint64(nil, uint64(t.Unix())^1<<63)
	return string(binary.BigEndian.AppendUint32(b, uint32(t.Nanosecond())))
}

func moment(lexical string) (time.Time, bool) {
	t, err := time.Parse(time.RFC3339Nano, lexical)
	if err != nil {
		t, err = time.Parse("2006-01-02T15:04:05.999999999", lexical)
	}
	return t, err == nil
}

// folded returns the text for sorting regardless of case, cut if it is long.
func folded(text string) string {
	text = strings.ToLower(text)
	n := 0
	for i := range text {
		if n++; n > sortRunes {
			return text[:i]
		}
	}
	return text
}
