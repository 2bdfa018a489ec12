package fulltext

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// This file is about numbers and dates, which people write in several ways. The words of a text are indexed as they are;
// a query looks for the other ways, too.

// months have the names of each month in English and German, as words of the index.
var months = [][]string{
	{"january", "jan", "januar"}, {"february", "feb", "februar"}, {"march", "mar", "marz"}, {"april", "apr"},
	{"may", "mai"}, {"june", "jun", "juni"}, {"july", "jul", "juli"}, {"august", "aug"},
	{"september", "sep", "sept"}, {"october", "oct", "oktober", "okt"}, {"november", "nov"}, {"december", "dec", "dezember", "dez"},
}

// monthNamed returns the number of a month by one of its names, 0 if there is none.
func monthNamed(word string) int {
	return 1 + slices.IndexFunc(months, func(names []string) bool { return slices.Contains(names, word) })
}

// number returns the value of a word of so many digits if it lies between two numbers, and otherwise 0.
func number(word string, digits, least, most int) int {
	n, err := strconv.Atoi(word)
	if err != nil || len(word) > digits || n < least || n > most {
		return 0
	}
	return n
}

func dayOf(word string) int { return number(strings.TrimRight(word, "stndrh"), 2, 1, 31) }

func yearOf(word string) int { return number(word, 4, 1000, 2999) }

// spellDay returns the words by which a day of the month is written.
func spellDay(day int) []string {
	ending := "th"
	if tens := day / 10; tens != 1 && day%10 >= 1 && day%10 <= 3 {
		ending = [...]string{"st", "nd", "rd"}[day%10-1]
	}
	return []string{strconv.Itoa(day), fmt.Sprintf("%02d", day), strconv.Itoa(day) + ending}
}

// wordsOf returns the term at a place if it is one word, and otherwise "".
func wordsOf(terms []Term) func(i int) string {
	return func(i int) string {
		if i < 0 || i >= len(terms) || terms[i].Phrase || len(terms[i].Parts) != 1 {
			return ""
		}
		return terms[i].Parts[0]
	}
}

// dayIn reads the three parts of a date in digits, in one of the two orders; the year is 0 if they are none.
func dayIn(parts []string) (year, month, day int) {
	year, month, day = yearOf(parts[0]), number(parts[1], 2, 1, 12), number(parts[2], 2, 1, 31)
	if year == 0 {
		year, day = yearOf(parts[2]), number(parts[0], 2, 1, 31)
	}
	if month == 0 || day == 0 {
		year = 0
	}
	return year, month, day
}

// monthIn reads the two parts of a month of a year in digits; the year is 0 if they are none.
func monthIn(parts []string) (year, month int) {
	year, month = yearOf(parts[0]), number(parts[1], 2, 1, 12)
	if month == 0 || len(parts[1]) != 2 {
		year = 0
	}
	return year, month
}

// dateAround returns the places of the day and of the year beside a month in words, -1 for what is not there.
func dateAround(word func(i int) string, month int) (day, year int) {
	day, year = month-1, month+1
	if dayOf(word(day)) == 0 {
		if day = month + 1; dayOf(word(day)) != 0 {
			year = month + 2
		}
	}
	if yearOf(word(year)) == 0 {
		year = month - 1
	}
	if dayOf(word(day)) == 0 {
		day = -1
	}
	if yearOf(word(year)) == 0 {
		year = -1
	}
	return day, year
}

// spell adds to the terms the other ways in which their numbers and dates are written: 8 May 2023, May 8th, 2023,
// 2023-05-08, 08.05.2023; May 2023, 2023-05; 1,200 and 1200.
func spell(terms []Term) {
	word := wordsOf(terms)
	also := func(i int, words []string) { terms[i].Also = append(terms[i].Also, [][]string{words}) }
	for i := range terms {
		t := &terms[i]
		switch {
		case t.Phrase:
		case len(t.Parts) == 3:
			if y, m, d := dayIn(t.Parts); y != 0 {
				year := strconv.Itoa(y)
				t.Also = append(t.Also, [][]string{spellDay(d), months[m-1], {year}}, [][]string{{
					fmt.Sprintf("%s%02d%02d", year, m, d), fmt.Sprintf("%02d%02d%s", d, m, year), fmt.Sprintf("%d%d%s", d, m, year), // identifiers
				}})
			}
		case len(t.Parts) == 2:
			if y, m := monthIn(t.Parts); y != 0 {
				t.Also = append(t.Also, [][]string{months[m-1], {strconv.Itoa(y)}})
			}
		case monthNamed(word(i)) > 0:
			m := monthNamed(word(i))
			day, year := dateAround(word, i)
			if day < 0 && year < 0 {
				continue // the word may be another, such as the verb may
			}
			t.dated = true
			also(i, months[m-1])
			// As a number a month is one only beside the year or the day: of itself it is in very many texts.
			digits := fmt.Sprintf("%02d", m)
			if year >= 0 {
				t.Also = append(t.Also, [][]string{{digits}, {word(year)}})
			}
			if d := dayOf(word(day)); day >= 0 {
				t.Also = append(t.Also, [][]string{{digits}, {fmt.Sprintf("%02d", d)}})
				also(day, spellDay(d))
			}
		default:
			if grouped := thousands(word(i)); grouped != nil {
				t.Also = append(t.Also, grouped)
			}
		}
	}
}

// thousands returns the words of a number that is written with a comma between thousands: {"1"}, {"200"} for 1200. It is
// nil for what is no such number, or most probably a year.
func thousands(word string) (groups [][]string) {
	if len(word) < 4 || len(word) > 12 || word[0] == '0' || strings.Trim(word, "0123456789") != "" || word >= "1900" && word <= "2099" && len(word) == 4 {
		return nil
	}
	for at := len(word) % 3; at <= len(word); at += 3 {
		if at > 0 {
			groups = append(groups, []string{word[max(0, at-3):at]})
		}
	}
	return groups
}

// isGroup reports whether a comma between two places of a text, each the place of a number, stands between thousands.
func isGroup(text string, start, comma int) bool {
	digits := func(from, to int) bool { return strings.Trim(text[from:to], "0123456789") == "" }
	from := max(start, strings.LastIndexByte(text[:comma], ',')+1)
	end := comma + 4
	if text[comma] != ',' || comma == from || comma-from > 3 || end > len(text) || !digits(from, comma) || !digits(comma+1, end) || from > start && comma-from != 3 {
		return false
	}
	r, _ := runeAt(text+" ", end)
	return kindOf(r) == separator || kindOf(r) == joins
}

// nearWords is how many words may stand between those of a date.
const nearWords = 2

// near reports whether words for all parts of a way stand close to each other in the text.
func (s *Scorer) near(way [][]string) bool {
	reach := len(way) + nearWords
	for at, word := range s.order {
		if !slices.Contains(way[0], word) {
			continue
		}
		around := s.order[max(0, at-reach+1):min(len(s.order), at+reach)]
		if !slices.ContainsFunc(way[1:], func(words []string) bool {
			return !slices.ContainsFunc(around, func(other string) bool { return slices.Contains(words, other) })
		}) {
			return true
		}
	}
	return false
}
