package artifact

import (
	"encoding/csv"
	"errors"
	"io"
	"math"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// How much of a text is examined to detect tables: a short text completely, otherwise parts from its beginning,
// middle and end.
const (
	sniffed     = 64 << 10
	sniffedPart = 16 << 10
)

// Criteria of a table: the share of rows with as many cells as the first one, at the beginning and in other parts,
// which may begin within a cell.
const (
	evenRows     = 0.95
	evenRowsLate = 0.8
	leastRows    = 3 // with the header
)

// delimiters are possible delimiters of tables, the most reliable first.
var delimiters = []rune{'\t', ',', ';', '|'}

// delimiter detects the delimiter of a table. If the media type says that it is a table, any may be; otherwise the
// first line must look like a header, and all parts must have the same number of cells, with quotes as in CSV (RFC
// 4180).
func (a Artifact) delimiter() (comma rune, isTable bool) {
	text, err := a.text()
	if err != nil {
		return 0, false
	}
	text = strings.TrimPrefix(text, "\ufeff")
	if strings.Contains(a.MediaType, "tab-separated") {
		return '\t', true
	}
	parts := sample(text)
	for _, comma := range delimiters {
		if isTableBy(parts, comma) {
			return comma, true
		}
	}
	// The first line decides if the media type says so, or if it is read as a table.
	header, _, _ := strings.Cut(text, "\n")
	comma = ','
	for _, other := range []rune{'\t', ';'} {
		if strings.Count(header, string(other)) > strings.Count(header, string(comma)) {
			comma = other
		}
	}
	return comma, strings.Contains(a.MediaType, "csv")
}

// table is the table of an artifact that looks like one, see [Artifact.delimiter], and can be read.
func (a Artifact) table() (table, bool) {
	comma, is := a.delimiter()
	if !is {
		return table{}, false
	}
	t, err := a.split(comma)
	return t, err == nil
}

// sample returns the parts of a text to examine, in whole lines.
func sample(text string) []string {
	if len(text) <= sniffed {
		return []string{text}
	}
	lines := func(from, to int) string {
		part := text[from:to]
		if from > 0 {
			_, part, _ = strings.Cut(part, "\n")
		}
		if to < len(text) {
			part = part[:strings.LastIndexByte(part, '\n')+1]
		}
		return part
	}
	middle := len(text) / 2
	return []string{lines(0, sniffed-2*sniffedPart), lines(middle, middle+sniffedPart), lines(len(text)-sniffedPart, len(text))}
}

// isTableBy reports whether parts of a text are rows of a table with this delimiter.
func isTableBy(parts []string, comma rune) bool {
	var header []string
	var rows [][]string
	for i, part := range parts {
		of, whole := records(part, comma, i > 0 || comma == '\t')
		if !whole && i == 0 && len(parts) == 1 || len(of) == 0 {
			return false
		}
		least := evenRowsLate
		if i == 0 {
			if header, of = of[0], of[1:]; len(header) < 2 || len(of) < leastRows-1 {
				return false
			}
			least = evenRows
		}
		even := 0
		for _, row := range of {
			if len(row) == len(header) {
				even++
			}
		}
		if float64(even) < least*float64(len(of)) {
			return false
		}
		rows = append(rows, of...)
	}
	return isHeader(header, rows, comma)
}

// records reads rows, and reports whether it reached the end.
func records(text string, comma rune, lazy bool) (rows [][]string, whole bool) {
	r := csv.NewReader(strings.NewReader(text))
	r.FieldsPerRecord, r.Comma, r.LazyQuotes = -1, comma, lazy
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return rows, true
		}
		if err != nil {
			return rows, false
		}
		rows = append(rows, row)
	}
}

var (
	clock     = regexp.MustCompile(`\d:\d\d`)
	oddInName = "=<>{}[]\"\\"
)

// Bounds on column names.
const (
	nameChars  = 60
	nameWords  = 5
	plainWords = 3 // words of a name that is accepted whatever is below it
)

// isHeader reports whether cells are column names instead of the first row: each is a short and distinct text without
// unusual characters that does not repeat in its column, and they are plain names, or some column has numbers below
// its name. Names with a space after each comma are not plain: sentences have it, and tables seldom.
func isHeader(cells []string, rows [][]string, comma rune) bool {
	seen, names, plain := map[string]bool{}, 0, true
	for i, cell := range cells {
		plain = plain && !(strings.HasPrefix(cell, " ") && strings.ContainsRune(",;", comma))
		cell = strings.TrimSpace(cell)
		first, _ := utf8.DecodeRuneInString(cell)
		last, _ := utf8.DecodeLastRuneInString(cell)
		words := len(strings.Fields(cell))
		switch {
		case cell == "" || seen[strings.ToLower(cell)] || utf8.RuneCountInString(cell) > nameChars || words > nameWords:
			return false
		case strings.ContainsAny(cell, oddInName) || strings.ContainsRune(".!?:", last) || clock.MatchString(cell):
			return false
		case i == 0 && !unicode.IsLetter(first) && !strings.ContainsRune("#_@$", first):
			return false
		}
		seen[strings.ToLower(cell)] = true
		if strings.ContainsFunc(cell, unicode.IsLetter) {
			names++
		}
		plain = plain && words <= plainWords
	}
	if names == 0 {
		return false
	}
	numbers := false
	for i, cell := range cells {
		filled, numeric := 0, 0
		for _, row := range rows {
			v := strings.TrimSpace(value(row, i))
			if v == "" {
				continue
			}
			if strings.EqualFold(v, strings.TrimSpace(cell)) && math.IsNaN(number(v)) {
				return false
			}
			if filled++; !math.IsNaN(number(v)) {
				numeric++
			}
		}
		numbers = numbers || filled > 0 && numeric == filled && math.IsNaN(number(cell))
	}
	return plain || numbers
}

var (
	trouble = regexp.MustCompile(`(?i)error|warn|fail`)
	aWord   = regexp.MustCompile(`\p{L}{6,20}`)
)

// pattern is a pattern for Grep that some lines match: for errors, otherwise the most frequent long word; "" if there
// is none.
func pattern(text string) string {
	best, counts := "", map[string]int{}
	for _, part := range sample(text) {
		if trouble.MatchString(part) {
			return trouble.String()
		}
		for _, word := range aWord.FindAllString(part, -1) {
			counts[word]++
			if n := counts[word]; n > counts[best] || n == counts[best] && word < best {
				best = word
			}
		}
	}
	return best
}

// readers are selectors for prose and logs; none if the first view shows everything.
func (a Artifact) readers() []Selector {
	text, err := a.text()
	if err != nil {
		return []Selector{}
	}
	if lines(text) < leastRows {
		if len(text) <= mostExcerpt {
			return []Selector{}
		}
		return []Selector{&Head{Type: "head", Chars: mostExcerpt}}
	}
	all := []Selector{&Lines{Type: "lines"}}
	if p := pattern(text); p != "" {
		all = append(all, &Grep{Type: "grep", Pattern: p})
	}
	return append(all, &Head{Type: "head"})
}
