package infer

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"trails/rdf"
	"trails/schema"
)

// words are the datatypes to try, narrowest first.
var words = []string{"boolean", "integer", "big_integer", "number", "decimal", "date", "datetime", "time", "uri", "string", langString}

const langString = "lang_string"

// values are statistics of a property's values.
type values struct {
	count    int64
	fit      []string // datatypes that every value fits
	nearly   []misfit // datatypes that most values may fit
	distinct set
	listed   map[string]int // the distinct values, while they are few
	many     bool           // they are too many to list
	shape    shape
	spaced   bool            // a value has space in it
	shortest int             // bytes of the shortest value
	typed    bool            // a value is Type/id
	untyped  bool            // a value is not Type/id
	targets  map[string]*set // the ids by type, while all values are Type/id
}

// misfit counts the values that do not fit a datatype.
type misfit struct {
	word     string
	count    int64
	accepted bool // a load would accept one of them, and change it
}

// few reports whether bad values are few enough to be mistakes: one in ten to twenty values, or
// 5 %.
func few(bad, all int64) bool { return bad > 0 && all >= 10 && bad <= max(1, all/20) }

// mostly returns the narrowest datatype that all values but a few fit, and the number of those;
// "" for none.
func (s *values) mostly() (word string, bad int64) {
	for _, m := range s.nearly {
		if few(m.count, s.count) && !m.accepted {
			return m.word, m.count
		}
	}
	return "", 0
}

// clone is a copy that can be added to by itself.
func (s *values) clone(p *Proposal) values {
	c := *s
	c.fit, c.nearly, c.listed, c.distinct = slices.Clone(s.fit), slices.Clone(s.nearly), maps.Clone(s.listed), s.distinct.clone(p)
	c.shape.runs = slices.Clone(s.shape.runs)
	c.targets = maps.Clone(s.targets)
	for name, ids := range s.targets {
		of := ids.clone(p)
		c.targets[name] = &of
	}
	return c
}

// forget frees the memory.
func (s *values) forget(p *Proposal) {
	s.distinct.forget(p)
	for _, t := range s.targets {
		t.forget(p)
	}
	*s = values{}
}

func number(v any) (string, bool) {
	n, ok := v.(json.Number)
	return string(n), ok
}

// add counts one value: JSON, or the text of a cell.
func (s *values) add(p *Proposal, v any, cell bool) {
	s.count++
	if s.count == 1 {
		s.fit, s.nearly = slices.Clone(words), nil
		for _, word := range words {
			s.nearly = append(s.nearly, misfit{word: word})
		}
	}
	s.nearly = slices.DeleteFunc(s.nearly, func(m misfit) bool { return m.count > 100 && m.count*5 > s.count })
	for i := range s.nearly {
		m := &s.nearly[i]
		if fits(m.word, v, cell) {
			continue
		}
		m.accepted = m.accepted || accepts(m.word, v, cell)
		if m.count++; m.count == 1 {
			s.fit = slices.DeleteFunc(s.fit, func(word string) bool { return word == m.word })
		}
	}
	if _, isObject := v.(map[string]any); isObject {
		s.distinct.forget(p)
		s.many, s.listed, s.shape.none = true, nil, true
	}
	text, isText := v.(string)
	if !isText {
		text, _ = number(v)
	}
	if length := len(strings.TrimSpace(text)); s.count == 1 || length < s.shortest {
		s.shortest = length
	}
	s.spaced = s.spaced || strings.ContainsAny(text, " \t\r\n")
	s.distinct.add(p, strings.TrimSpace(text))                                                           // space around a number or an id is ignored
	s.distinct.twice = s.distinct.twice || !isText && (strings.ContainsAny(text, ".eE") || text == "-0") // texts may differ and be the same number: 1.0 and 1
	s.shape.add(text)
	if !s.many {
		if s.listed == nil {
			s.listed = map[string]int{}
		}
		s.listed[text]++
		if s.many = len(s.listed) > fewValues || len(text) > shortText; s.many {
			s.listed = nil
		}
	}
	name, local, typed := strings.Cut(text, "/")
	typed = typed && isText && local != "" && typeName.MatchString(name)
	s.typed, s.untyped = s.typed || typed, s.untyped || !typed || len(s.targets) > maxTargets
	if s.untyped {
		for _, t := range s.targets {
			t.forget(p)
		}
		s.targets = nil
		return
	}
	if s.targets[name] == nil {
		if s.targets == nil {
			s.targets = map[string]*set{}
		}
		s.targets[name] = new(set)
	}
	s.targets[name].add(p, local)
}

// fits reports whether a value fits a datatype and probably means it: a number must keep all
// digits, so text that begins with a zero or a plus is no number.
func fits(word string, v any, cell bool) bool {
	text, isText := v.(string)
	text = strings.TrimSpace(text)
	switch word {
	case "boolean":
		if cell && text != "true" && text != "false" {
			return false
		}
	case "big_integer":
		if !cell {
			return false
		}
		fallthrough
	case "integer", "number", "decimal":
		digits := strings.TrimPrefix(text, "-")
		if isText && (!cell || digits == "" || strings.HasPrefix(digits, "+") || len(digits) > 1 && digits[0] == '0' && digits[1] != '.') {
			return false
		}
		if n, isNumber := number(v); word == "number" && (significant(n+text) > 15 || keepsZeros(text)) || !isText && !isNumber {
			return false
		}
	case "uri":
		if !strings.HasPrefix(text, "https://") && !strings.HasPrefix(text, "http://") {
			return false
		}
	}
	return accepts(word, v, cell)
}

// accepts reports whether a load accepts a value for a datatype.
func accepts(word string, v any, cell bool) bool {
	p := properties[word]
	if text, isText := v.(string); cell && isText {
		v = p.CellValue(strings.TrimSpace(text)) // as a load reads cells, except texts
		if v == nil && word == "string" {
			v = text // of spaces
		}
	}
	_, problem := noTypes.Term(p, v)
	return problem == nil
}

// properties have one value of each of the words, in a schema without types.
var properties, noTypes = func() (map[string]*schema.Property, *schema.Schema) {
	all, one := map[string]*schema.Property{}, 1
	for _, word := range words {
		all[word] = &schema.Property{Datatype: word, MaxCount: &one}
	}
	return all, new(schema.Schema)
}()

// keepsZeros reports whether a cell has trailing zeros after the point, as prices do: 1.50.
func keepsZeros(cell string) bool {
	return strings.Contains(cell, ".") && strings.HasSuffix(cell, "0") && !strings.ContainsAny(cell, "eE")
}

// significant counts the digits of a number's mantissa.
func significant(number string) int {
	mantissa, _, _ := strings.Cut(strings.ToLower(number), "e")
	n := 0
	for _, c := range []byte(mantissa) {
		if rdf.IsDigit(c) {
			n++
		}
	}
	return n
}

// shape is the common form of ASCII texts: runs of lower-case letters, upper-case letters,
// digits, and single other characters. Some texts may have more runs than others.
type shape struct {
	count int64
	runs  []run
	tail  int // trailing runs that some texts lack; 0 if all have the same runs
	none  bool
}

// run is one piece of a shape.
type run struct {
	class          byte // 'd', 'U', 'l', or the character itself
	least, longest int
	text           string // the common text, "" if texts differ
}

func classOf(c byte) byte {
	switch {
	case rdf.IsDigit(c):
		return 'd'
	case 'A' <= c && c <= 'Z':
		return 'U'
	case 'a' <= c && c <= 'z':
		return 'l'
	}
	return c
}

const maxRuns = 12

func (s *shape) add(text string) {
	if s.none {
		return
	}
	s.count++
	var room [maxRuns + 1]run
	runs := room[:0]
	for i := 0; i < len(text); {
		c, end := classOf(text[i]), i+1
		for end < len(text) && classOf(text[end]) == c {
			end++
		}
		if runs = append(runs, run{c, end - i, end - i, text[i:end]}); len(runs) > maxRuns || text[i] <= ' ' || text[i] > '~' {
			s.none = true
			return
		}
		i = end
	}
	if s.count == 1 {
		s.runs = slices.Clone(runs)
		return
	}
	always := len(s.runs) - s.tail
	common := min(len(runs), len(s.runs))
	for i := range common {
		if s.none = s.runs[i].class != runs[i].class; s.none {
			return
		}
		r := &s.runs[i]
		r.least, r.longest = min(r.least, runs[i].least), max(r.longest, runs[i].longest)
		if r.text != runs[i].text {
			r.text = ""
		}
	}
	switch {
	case len(runs) > len(s.runs) && s.tail == 0:
		s.runs, s.tail = append(s.runs, runs[common:]...), len(runs)-common
	case len(runs) < len(s.runs) && s.tail == 0:
		s.tail = len(s.runs) - len(runs)
	case len(runs) != len(s.runs) && len(runs) != always:
		s.none = true
	}
}

// pattern returns a regular expression that all texts match. It is "" unless the texts have
// digits and some common text.
func (s *shape) pattern() string {
	if s.none || s.count < 10 || len(s.runs) < 2 {
		return ""
	}
	var b strings.Builder
	fixed, digits := false, false
	for i, r := range s.runs {
		if s.tail > 0 && i == len(s.runs)-s.tail {
			if i == 0 {
				return ""
			}
			b.WriteByte('(')
		}
		fixed, digits = fixed || r.text != "" && i < len(s.runs)-s.tail && r.class != 'd', digits || r.class == 'd'
		b.WriteString(r.expression())
	}
	if !fixed || !digits {
		return ""
	}
	if s.tail > 0 {
		b.WriteString(")?")
	}
	return "^" + b.String() + "$"
}

func (r run) expression() string {
	if r.text != "" && r.class != 'd' {
		return quoteMeta(r.text)
	}
	class := map[byte]string{'d': `\d`, 'U': "[A-Z]", 'l': "[a-z]"}[r.class]
	if class == "" {
		class = quoteMeta(string(rune(r.class)))
	}
	return class + times(r.least, r.longest)
}
