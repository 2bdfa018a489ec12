package querykit

import (
	"strconv"
	"strings"
	"time"

	"trails/rdf"
)

// The ids of certain values, for SQL written by hand, see decision 2. If they were wrong, tests would fail.
const (
	firstDay      = -1 << 23       // 0001-01-01
	zeroInteger   = -1 << 45       //
	firstMoment   = -1<<47 + 1<<45 // 2000-01-01, in milliseconds times two
	zeroDecimal   = -1<<60 + 1<<58 // in millionths times two, plus 1 when there is no point
	lowestMoment  = -1 << 47       //
	lowestDecimal = -1 << 60       //
	lowestInteger = -1 << 46       //
	momentForm    = "2006-01-02T15:04:05Z"
)

var (
	yearOne  = time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)
	year2000 = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
)

// carried returns the inlined id of a value written like 300, 2015-01-01 or 2015-01-01T00:00:00Z.
func carried(value string) (int64, bool) {
	if n, err := strconv.ParseInt(value, 10, 64); err == nil {
		return zeroInteger + n, true
	}
	if t, err := time.Parse(time.DateOnly, value); err == nil {
		return firstDay + (t.Unix()-yearOne.Unix())/(24*60*60), true
	}
	if t, err := time.Parse(momentForm, value); err == nil {
		return firstMoment + (t.UnixMilli()-year2000.UnixMilli())<<1, true
	}
	return 0, false
}

// carriedBy returns the literal of an inlined id, for the kinds that the data has.
func carriedBy(id int64) rdf.Term {
	switch {
	case id >= firstDay:
		day := time.Unix(yearOne.Unix()+(id-firstDay)*24*60*60, 0).UTC()
		return rdf.TypedString{Value: rdf.String(day.Format(time.DateOnly)), Type: rdf.XSDDate}
	case id >= lowestInteger:
		return integer(int(id - zeroInteger))
	case id >= lowestMoment:
		at := time.UnixMilli(year2000.UnixMilli() + (id-firstMoment)>>1).UTC()
		return rdf.TypedString{Value: rdf.String(at.Format(momentForm)), Type: rdf.XSDDateTime}
	}
	return decimal(id - zeroDecimal)
}

func decimal(offset int64) rdf.Term {
	millionths := offset >> 1
	text := strconv.FormatInt(millionths/1_000_000, 10)
	if part := millionths % 1_000_000; part > 0 {
		text += "." + strings.TrimRight(strconv.FormatInt(1_000_000+part, 10)[1:], "0")
	}
	return rdf.TypedString{Value: rdf.String(text), Type: rdf.XSDDecimal}
}
