package infer

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"trails/rdf"
	"trails/rdf/xsd"
	"trails/schema"
)

// Conventions describe how a table's cells write values that XSD writes differently. The zero
// Conventions accept what has one meaning only (yes and no, dates that begin with the year or
// name the month, a space between date and time, midnight for a date alone in a column of dates
// with times and the other way round, a time without seconds) and otherwise XSD's forms.
type Conventions struct {
	// Dates is the order of day and month in dates with slashes or dashes: dmy or mdy. Either
	// value also accepts dates with points, which are always day first.
	Dates string
	// Decimal is the decimal mark: a comma or a point. Either value also accepts groups of
	// three digits and a currency.
	Decimal string
}

// Text returns a cell's value as XSD writes it; ok is false for a cell that the conventions do
// not accept.
func (c Conventions) Text(p *schema.Property, cell string) (text string, ok bool) {
	switch kind := schema.Datatypes[p.Datatype]; {
	case kind.JSON == schema.JSONBoolean:
		if word, known := booleans[strings.ToLower(strings.TrimSpace(cell))]; known {
			return word, true
		}
	case IsNumber(p) && c.Decimal != "":
		number, _, ok := plainNumber(cell, c.Decimal[0])
		return number, ok
	case p.Datatype == "date":
		if date, ok := isoDate(cell, c.Dates); ok {
			return date, true
		}
		moment, _ := isoDateTime(cell, c.Dates)
		if date, ok := strings.CutSuffix(moment, midnight); ok {
			return date, true
		}
	case p.Datatype == "datetime" || p.Datatype == "datetime_stamp":
		if moment, ok := isoDateTime(cell, c.Dates); ok {
			return moment, true
		}
		if date, ok := isoDate(cell, c.Dates); ok && p.Datatype == "datetime" {
			return date + midnight, true
		}
	case p.Datatype == "time":
		if clock, ok := isoTime(cell); ok {
			return clock, true
		}
	}
	return cell, true
}

// noValues are the words that tables have in the place of a value.
var noValues = map[string]bool{"n/a": true, "#n/a": true, "na": true, "-": true, "--": true, "–": true, "—": true, "null": true, "nil": true, "none": true}

func isNoValue(cell string) bool { return noValues[strings.ToLower(strings.TrimSpace(cell))] }

// NoValue reports whether a cell says that there is no value, as N/A does: only where it cannot
// be one, among numbers, truth values, dates and times.
func NoValue(p *schema.Property, cell string) bool {
	never := IsNumber(p) || schema.Datatypes[p.Datatype].JSON == schema.JSONBoolean || slices.Contains(moments, p.Datatype)
	return never && isNoValue(cell)
}

var moments = []string{"date", "datetime", "datetime_stamp", "time"}

// IsNumber reports whether the values of a property are numbers.
func IsNumber(p *schema.Property) bool {
	kind := schema.Datatypes[p.Datatype].JSON
	return kind == schema.JSONInteger || kind == schema.JSONNumber || p.Datatype == "big_integer" || p.Datatype == "decimal"
}

// Currency returns the currency of an amount, "" for a number without one.
func (c Conventions) Currency(cell string) string {
	if c.Decimal == "" {
		return ""
	}
	_, currency, _ := plainNumber(cell, c.Decimal[0])
	return currency
}

// booleans are the pairs of words that tables use for true and false.
var booleans = wordsOf([][2]string{
	{"true", "false"}, {"yes", "no"}, {"y", "n"}, {"on", "off"},
	{"wahr", "falsch"}, {"ja", "nein"}, {"j", "n"},
	{"vrai", "faux"}, {"oui", "non"},
	{"verdadero", "falso"}, {"sí", "no"}, {"si", "no"},
	{"verdadeiro", "falso"}, {"sim", "não"}, {"sim", "nao"},
	{"vero", "falso"}, {"sì", "no"},
	{"waar", "onwaar"}, {"ja", "nee"}, {"ja", "nej"}, {"ja", "nei"}, {"tak", "nie"},
})

func wordsOf(pairs [][2]string) map[string]string {
	words := map[string]string{}
	for _, pair := range pairs {
		words[pair[0]], words[pair[1]] = "true", "false"
	}
	return words
}

// isoDate reads a date with a four-digit year. Without an order the year must come first or the
// month be an English name.
func isoDate(text, order string) (date string, ok bool) {
	const longest = len("September 30, 2024")
	text = strings.TrimSpace(text)
	if len(text) > longest {
		return "", false
	}
	parts, named := byMonthName(text)
	if !named {
		at := strings.IndexAny(text, "./-")
		if at < 1 {
			return "", false
		}
		parts = strings.Split(text, text[at:at+1])
		if len(parts) != 3 {
			return "", false
		}
		switch {
		case len(parts[0]) == 4:
		case len(parts[2]) != 4 || order == "":
			return "", false
		case text[at] == '.' || order == "dmy":
			parts[0], parts[2] = parts[2], parts[0]
		default:
			parts[0], parts[1], parts[2] = parts[2], parts[0], parts[1]
		}
	}
	for i, part := range parts {
		if len(part) == 1 {
			parts[i] = "0" + part
		}
	}
	date = strings.Join(parts, "-")
	_, err := time.Parse(time.DateOnly, date)
	return date, err == nil
}

// byMonthName returns year, month and day of a date such as 5 Jan 2024, Jan 5, 2024 or
// 05-Jan-2024.
func byMonthName(text string) (parts []string, ok bool) {
	fields := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" ,.-/", r) })
	if len(fields) != 3 || len(fields[0]) != 4 && len(fields[1]) != 4 && len(fields[2]) != 4 { // one is the year
		return nil, false
	}
	for i, field := range fields[:2] {
		for month := time.January; month <= time.December; month++ {
			if name := month.String(); !strings.EqualFold(field, name) && !strings.EqualFold(field, name[:3]) {
				continue
			}
			day, year := fields[1-i], fields[2]
			if len(day) == 4 {
				day, year = year, day
			}
			return []string{year, strconv.Itoa(int(month)), day}, len(year) == 4
		}
	}
	return nil, false
}

// clock matches a time of day as people write it: hours, minutes, seconds, fraction, AM or PM,
// and zone.
var clock = regexp.MustCompile(`^(\d{1,2}):(\d\d)(?::(\d\d)(\.\d+)?)?(?: ?([AaPp])\.?[Mm]\.?)? ?(Z|UTC|GMT|[+-]\d\d:?\d\d)?$`)

// isoDateTime reads a date, as [isoDate] does, and a time of day after a space or a T.
func isoDateTime(text, order string) (moment string, ok bool) {
	const longest = 60
	text = strings.TrimSpace(text)
	colon := strings.IndexByte(text, ':')
	if colon < 0 || len(text) > longest {
		return "", false
	}
	at := strings.LastIndexAny(text[:colon], " T")
	if at < 0 {
		return "", false
	}
	date, ok := isoDate(strings.TrimSuffix(text[:at], ","), order)
	clock, isClock := isoTime(text[at+1:])
	moment = date + "T" + clock
	return moment, ok && isClock && xsd.Valid(moment, rdf.XSDDateTime)
}

// midnight is the end of a date and time that is a date alone.
const midnight = "T00:00:00"

// isoTime reads a time of day, with or without seconds.
func isoTime(text string) (time string, ok bool) {
	parts := clock.FindStringSubmatch(strings.TrimSpace(text))
	if parts == nil {
		return "", false
	}
	hour, _ := strconv.Atoi(parts[1])
	switch half := strings.ToLower(parts[5]); {
	case half == "":
	case hour < 1 || hour > 12:
		return "", false
	default:
		if hour %= 12; half == "p" {
			hour += 12
		}
	}
	zone := parts[6]
	switch {
	case zone == "UTC" || zone == "GMT":
		zone = "Z"
	case len(zone) == len("+0100"):
		zone = zone[:3] + ":" + zone[3:]
	}
	time = fmt.Sprintf("%02d:%s:%s%s%s", hour, parts[2], cmp.Or(parts[3], "00"), parts[4], zone)
	return time, xsd.Valid(time, rdf.XSDTime)
}

// currencies are accepted before or after an amount.
var currencies = []string{"€", "$", "£", "¥", "₹", "EUR", "USD", "GBP", "CHF", "JPY", "CNY", "INR", "SEK", "NOK", "DKK", "PLN", "CZK", "CAD", "AUD"}

// plainNumber reads a number with groups of three digits, a fraction after the decimal mark,
// and a currency.
func plainNumber(text string, decimal byte) (number, currency string, ok bool) {
	text = strings.TrimSpace(text)
	sign := ""
	text = strings.Replace(text, "−", "-", 1)
	trimSign := func() {
		if rest, minus := strings.CutPrefix(text, "-"); minus && sign == "" {
			sign, text = "-", strings.TrimSpace(rest)
		}
	}
	trimSign()
	for _, c := range currencies {
		if rest, found := strings.CutPrefix(text, c); found {
			currency, text = c, strings.TrimSpace(rest)
			trimSign()
			break
		}
		if rest, found := strings.CutSuffix(text, c); found {
			currency, text = c, strings.TrimSpace(rest)
			break
		}
	}
	whole, fraction, hasFraction := strings.Cut(text, string(rune(decimal)))
	if hasFraction && (fraction == "" || strings.Trim(fraction, "0123456789") != "") {
		return sign + text, currency, currency == "" && decimal == '.' && xsd.Valid(sign+text, rdf.XSDDouble) // 1.5e3
	}
	group, digits, run := rune(0), "", 0
	for _, r := range whole {
		switch {
		case r >= '0' && r <= '9':
			digits += string(r)
			run++
		case r != rune(decimal) && (r == ',' || r == '.' || r == '\'' || r == '’' || unicode.IsSpace(r)) && (group == 0 && run >= 1 && run <= 3 || group == r && run == 3):
			group, run = r, 0
		default:
			return "", currency, false
		}
	}
	if digits == "" || group != 0 && run != 3 || len(digits) > 1 && digits[0] == '0' {
		return "", currency, false
	}
	if hasFraction {
		fraction = "." + fraction
	}
	return sign + digits + fraction, currency, true
}

// written counts in which forms, beyond those of XSD, the cells of a property are written.
type written struct {
	count            int64
	dates, numbers   [2]int64 // cells that dmy and mdy accept; cells that comma and point accept
	times            [2]int64 // as dates, for dates with times
	anyDate, anyTime int64    // cells accepted without an order
	clocks           int64    // cells that are a time of day alone
	words            int64    // cells like yes and no
	yes, no          string   // the first of them
	otherDate        string   // a cell that is a different date under dmy and mdy
	ordered          string   // the first cell that dmy and mdy read differently
	dateAlone        string   // the first date without a time
	otherNumber      string   // a cell that is a different number under comma and point
	percentages      int64    // cells that are a number and a percent sign
	fraction, big    [2]bool
	currency, sample string // sample is a cell, sampled that XSD writes it differently
	sampled          bool
	mixed            bool // there are several currencies, or amounts with and without one
	codes            bool // a cell has a leading zero, which a number would lose
}

// orders and decimals are the values of [Conventions], in the order of the arrays in written.
var (
	orders   = [2]string{"dmy", "mdy"}
	decimals = [2]string{",", "."}
)

func (w *written) add(cell string) {
	w.count++
	digits := strings.TrimPrefix(strings.TrimSpace(cell), "-")
	w.codes = w.codes || len(digits) > 1 && digits[0] == '0' && rdf.IsDigit(digits[1])
	switch word := strings.TrimSpace(cell); booleans[strings.ToLower(word)] {
	case "true":
		w.words++
		w.yes = cmp.Or(w.yes, word)
	case "false":
		w.words++
		w.no = cmp.Or(w.no, word)
	}
	if !strings.ContainsAny(cell, "0123456789") { // what follows has digits
		if len(cell) <= shortText && w.sample == "" {
			w.sample = cell
		}
		return
	}
	if _, ok := isoDate(cell, ""); ok {
		w.anyDate++
	}
	if _, ok := isoDateTime(cell, ""); ok {
		w.anyTime++
	}
	clock, isClock := isoTime(cell)
	if isClock {
		w.clocks++
	}
	if number, isPercent := strings.CutSuffix(strings.TrimSpace(cell), "%"); isPercent {
		_, _, point := plainNumber(number, '.')
		_, _, comma := plainNumber(number, ',')
		if point || comma {
			w.percentages++
		}
	}
	var read [2]string
	for i, order := range orders {
		if date, ok := isoDate(cell, order); ok {
			w.dates[i]++
			read[i] = date
			w.dateAlone = cmp.Or(w.dateAlone, cell)
		} else if moment, ok := isoDateTime(cell, order); ok {
			w.times[i]++
			read[i] = moment
		}
	}
	if read[0] != read[1] {
		w.ordered = cmp.Or(w.ordered, cell)
		if read[0] != "" && read[1] != "" {
			w.otherDate = cell
		}
	}
	dates := read
	read = [2]string{}
	for i, decimal := range decimals {
		number, currency, ok := plainNumber(cell, decimal[0])
		if !ok {
			continue
		}
		w.numbers[i]++
		read[i] = number
		w.fraction[i] = w.fraction[i] || strings.ContainsAny(number, ".eE")
		w.big[i] = w.big[i] || significant(number) > 15
		w.mixed = w.mixed || w.count > 1 && currency != w.currency
		w.currency = currency
	}
	if read[0] != "" && read[1] != "" && read[0] != read[1] {
		w.otherNumber = cell
	}
	otherwise := read != [2]string{} && read[0] != cell && read[1] != cell || dates != [2]string{} && dates[0] != cell && dates[1] != cell || isClock && clock != cell
	if len(cell) <= shortText && (w.sample == "" || otherwise && !w.sampled) {
		w.sample, w.sampled = cell, otherwise
	}
}

// moments returns the count of dates, with times or alone, under dmy and mdy.
func (w *written) moments() [2]int64 {
	return [2]int64{w.dates[0] + w.times[0], w.dates[1] + w.times[1]}
}

// inOrder returns the count of moments under dmy and mdy. It is zero if they need no order.
func (w *written) inOrder() [2]int64 {
	if read := w.moments(); w.anyDate+w.anyTime != slices.Max(read[:]) {
		return read
	}
	return [2]int64{}
}

// amounts returns the count of numbers under comma and point. It is zero if some cells are
// codes.
func (w *written) amounts() [2]int64 {
	if w.codes {
		return [2]int64{}
	}
	return w.numbers
}

// all reports whether n is every cell or, unless strict, all but a few.
func (w *written) all(n int64, strict bool) bool {
	return w.count > 0 && (n == w.count || !strict && few(w.count-n, w.count))
}

// decide finds the conventions of a table that was not given any: ones that make a text column
// typed without making another column text. Cells with two possible meanings leave a convention
// undecided.
func (p *Proposal) decide(t *typeStats) {
	if t.decided || !t.cells {
		return
	}
	t.decided, t.conventions = true, p.Conventions
	pick := func(asked, otherwise string, names [2]string, of func(w *written) [2]int64, differs func(w *written) string) string {
		if asked != "" {
			return asked
		}
		votes := [2]bool{}
		some := false
		for _, s := range t.properties {
			w := &s.written
			read := of(w)
			most := max(read[0], read[1])
			_, bad := s.whole.mostly()
			asXSD := bad > 0 && !p.Strict && most <= w.count-bad
			decided := p.givenOf(t, s).Kind != "" && most > 0
			if !decided && (!s.isText() || asXSD || !w.all(most, p.Strict)) {
				continue
			}
			votes[0], votes[1] = votes[0] || read[0] > read[1], votes[1] || read[1] > read[0]
			some = some || differs(w) == ""
		}
		switch {
		case votes[0] && votes[1]:
			return ""
		case votes[0]:
			return names[0]
		case votes[1]:
			return names[1]
		case some: // every cell has the same meaning under both
			return otherwise
		}
		return ""
	}
	t.conventions.Dates = pick(t.conventions.Dates, "dmy", orders, (*written).inOrder, func(w *written) string { return w.otherDate })
	t.conventions.Decimal = pick(t.conventions.Decimal, ".", decimals, (*written).amounts, func(w *written) string { return w.otherNumber })
	for _, s := range t.properties {
		i := index(decimals, t.conventions.Decimal)
		if i >= 0 && !s.isText() && s.isNumber() && !s.written.all(s.written.amounts()[i], true) && p.Conventions.Decimal == "" {
			t.conventions.Decimal = "" // a number column would become text
		}
	}
}

var numbers = []string{"integer", "big_integer", "number", "decimal"}

// isText and isNumber report the type of all values in XSD's forms.
func (s *propertyStats) isText() bool {
	return len(s.whole.fit) > 0 && s.whole.fit[0] == "string"
}

func (s *propertyStats) isNumber() bool {
	return len(s.whole.fit) > 0 && slices.Contains(numbers, s.whole.fit[0])
}

// byConvention returns the datatype that the conventions give a column which is text in XSD's
// forms; "" if it stays text.
func (p *Proposal) byConvention(t *typeStats, s *propertyStats) (word, because string) {
	p.decide(t)
	w := &s.written
	all := func(n int64) bool { return w.all(n, p.Strict) }
	if !t.cells || !s.isText() && !s.isNumber() {
		return "", ""
	}
	date, number := index(orders, t.conventions.Dates), index(decimals, t.conventions.Decimal)
	switch {
	case number >= 0 && all(w.amounts()[number]) && !w.mixed && (s.isText() || w.otherNumber != ""):
		word = "integer"
		if w.fraction[number] || w.big[number] {
			word = "decimal"
		}
		because = "numbers such as " + strconv.Quote(w.sample)
		if w.currency != "" {
			because += ", all in " + w.currency
		}
	case s.isNumber() && p.mayBeTwoNumbers(t, s):
		return "", strconv.Quote(w.otherNumber) + " may be two numbers, and is read with a point before its fraction: decimal , says that it has a comma"
	case !s.isText():
	case all(w.words):
		switch {
		case w.no == "":
			return "boolean", strings.ToLower(w.yes) + " is true"
		case w.yes == "":
			return "boolean", strings.ToLower(w.no) + " is false"
		}
		return "boolean", strings.ToLower(w.yes) + " and " + strings.ToLower(w.no) + " are true and false"
	case date >= 0 && all(w.moments()[date]) && w.moments()[date] > w.anyDate+w.anyTime:
		return w.momentsReadAs(w.times[date], t.conventions)
	case all(w.anyDate+w.anyTime) && (w.sampled || w.anyDate > 0 && w.anyTime > 0):
		return w.momentsReadAs(w.anyTime, Conventions{})
	case all(w.percentages):
		return "", "percentages are read as texts"
	case !w.sampled: // cells that XSD accepts need no convention
	case all(w.clocks):
		read, _ := isoTime(w.sample)
		return "time", "times such as " + strconv.Quote(w.sample) + " are read as " + read
	case w.otherDate != "" && all(min(w.moments()[0], w.moments()[1])):
		return "", strconv.Quote(w.otherDate) + " may be two dates: dates dmy or mdy says which"
	case all(w.amounts()[0]) && all(w.amounts()[1]) && !w.mixed && w.otherNumber != "":
		return "", strconv.Quote(w.otherNumber) + " may be two numbers: decimal , or . says which"
	case all(max(w.amounts()[0], w.amounts()[1])) && w.mixed:
		return "", "amounts in several currencies, or with and without one, are no numbers of one kind"
	case t.conventions.Decimal == "" && all(w.amounts()[0]):
		return "", "numbers such as " + strconv.Quote(w.sample) + " have a comma before their fraction, those of another column a point: decimal , reads these"
	case t.conventions.Decimal == "" && all(w.amounts()[1]):
		return "", "numbers such as " + strconv.Quote(w.sample) + " have a point before their fraction, those of another column a comma: decimal . reads these"
	}
	return word, because
}

// momentsReadAs returns the datatype of a column of dates, so many of them with times, and how
// its cells are read.
func (w *written) momentsReadAs(times int64, by Conventions) (word, because string) {
	word, because = "date", "dates"
	if times > 0 {
		word = "datetime"
	}
	if w.dateAlone == "" {
		because = "times"
	}
	if w.sampled {
		sample, as := w.sample, by.Dates
		if as == "" {
			as, _ = by.Text(&schema.Property{Datatype: word}, sample)
		} else {
			sample = cmp.Or(w.ordered, sample)
		}
		because += " such as " + strconv.Quote(sample) + " are read as " + as
	}
	if times > 0 && w.dateAlone != "" {
		because += "; " + strconv.Quote(w.dateAlone) + ", without a time, is midnight"
	}
	return word, because
}

func index(names [2]string, name string) int {
	for i := range names {
		if names[i] == name {
			return i
		}
	}
	return -1
}

// Undecided returns a date and a number that have two possible meanings and that no other cell
// of their column decides; "" for none.
func (p *Proposal) Undecided() (date, number string) {
	for _, t := range p.types {
		p.decide(t)
		for _, s := range t.properties {
			w := &s.written
			if p.mayBeTwoNumbers(t, s) {
				number = cmp.Or(number, w.otherNumber)
			}
			if !t.cells || !s.isText() {
				continue
			}
			if t.conventions.Dates == "" && w.all(min(w.moments()[0], w.moments()[1]), p.Strict) {
				date = cmp.Or(date, w.otherDate)
			}
		}
	}
	return date, number
}

// mayBeTwoNumbers reports whether a column has a cell such as 1,250 or 1.250, each of its cells is a number with a comma and
// with a point before the fraction, and nothing else decides which: no other column of numbers with a point, no workbook,
// whose numbers are no texts, and nobody who has given the column a kind.
func (p *Proposal) mayBeTwoNumbers(t *typeStats, s *propertyStats) bool {
	w := &s.written
	amounts := w.amounts()
	if !t.cells || t.conventions.Decimal != "" || w.otherNumber == "" || w.mixed || !w.all(min(amounts[0], amounts[1]), p.Strict) {
		return false
	}
	if s.isText() {
		return true
	}
	pointed := slices.ContainsFunc(t.properties, func(o *propertyStats) bool { return o.isNumber() && o.written.amounts()[1] > o.written.amounts()[0] })
	return s.isNumber() && !pointed && !t.workbook && !t.isKey(s) && p.givenOf(t, s).Kind == ""
}

// ConventionsOf returns the conventions with which to load the rows of a type.
func (p *Proposal) ConventionsOf(typeName string) (c Conventions) {
	t := p.byName[typeName]
	if t == nil || t.named {
		return c
	}
	p.decide(t)
	for _, s := range t.properties {
		words, _ := p.property(t, s)
		switch {
		case len(words) == 0 || t.isKey(s) && !t.keyAsked:
		case words[0] == "type: date", words[0] == "type: datetime":
			c.Dates = t.conventions.Dates
		case slices.Contains(numbers, strings.TrimPrefix(words[0], "type: ")):
			c.Decimal = t.conventions.Decimal
		}
	}
	return c
}
