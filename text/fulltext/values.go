package fulltext

import (
	"strconv"
	"strings"
	"time"
)

// Value is a number or a date that a query names, for values that are no texts.
type Value struct {
	// Terms are the places of the query's terms that name it.
	Terms []int
	// Number is a number in decimal digits, "" for a date that is none. A year is a number, too.
	Number string
	// From is the beginning of a day, a month or a year, Until that of the next one, and Layout how package time writes
	// it. Layout is "" for what is no date.
	From, Until time.Time
	Layout      string
}

// The layouts of a [Value].
const (
	LayoutYear  = "2006"
	LayoutMonth = "2006-01"
	LayoutDay   = time.DateOnly
)

// mostDigits is the greatest number of digits of a number that is looked for.
const mostDigits = 15

// Values returns the numbers and dates of the query, read as those whose other ways of writing are looked for in texts.
// A term belongs to one of them at most: that of a date to the date. A day without its year is none.
func (q Query) Values() (list []Value) {
	word, dated := wordsOf(q.Terms), make([]bool, len(q.Terms))
	add := func(layout string, year, month, day int, terms ...int) {
		v := Value{Terms: terms, Layout: layout, From: time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)}
		switch layout {
		case LayoutYear:
			v.Number, v.Until = strconv.Itoa(year), v.From.AddDate(1, 0, 0)
		case LayoutMonth:
			v.Until = v.From.AddDate(0, 1, 0)
		case LayoutDay:
			v.Until = v.From.AddDate(0, 0, 1)
		}
		if v.From.Day() == day { // there is no 31 February
			list = append(list, v)
		}
	}
	for i := range q.Terms {
		m := monthNamed(word(i))
		day, year := dateAround(word, i)
		if m == 0 || day < 0 && year < 0 {
			continue
		}
		terms := []int{i}
		for _, at := range []int{day, year} {
			if at >= 0 {
				dated[at], terms = true, append(terms, at)
			}
		}
		dated[i] = true
		switch y := yearOf(word(max(0, year))); {
		case year < 0:
		case day < 0:
			add(LayoutMonth, y, m, 1, terms...)
		default:
			add(LayoutDay, y, m, dayOf(word(day)), terms...)
		}
	}
	for i, t := range q.Terms {
		if dated[i] || t.Phrase {
			continue
		}
		if len(t.Parts) == 3 {
			if y, m, d := dayIn(t.Parts); y != 0 {
				add(LayoutDay, y, m, d, i)
				continue
			}
		}
		if len(t.Parts) == 2 && !strings.ContainsAny(t.Text, ".,") {
			if y, m := monthIn(t.Parts); y != 0 {
				add(LayoutMonth, y, m, 1, i)
				continue
			}
		}
		digits := strings.ReplaceAll(t.Text, ",", "")
		whole, fraction, _ := strings.Cut(digits, ".")
		switch y := yearOf(t.Text); {
		case y != 0:
			add(LayoutYear, y, 1, 1, i)
		case whole == "" || len(digits) > mostDigits || strings.Trim(whole+fraction, "0123456789") != "" || len(whole) > 1 && whole[0] == '0' || strings.HasSuffix(digits, "."):
		default:
			list = append(list, Value{Terms: []int{i}, Number: digits})
		}
	}
	return list
}

// ScoreOfValue is the score of a node for a value of so many terms and a weight, for each of the terms: together they say as
// much as a word of that weight which is a text of its own.
func ScoreOfValue(weight float64, terms int) float64 { return worth(weight/float64(terms), 1, 1) }
