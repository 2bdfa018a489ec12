package fulltext

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"trails/fault"
)

// Bounds of a query.
const (
	MaxQuery = 2_000 // bytes
	MaxTerms = 50
)

// Query is a search for words as a person types it. It has no operators except quotation marks, which make a
// phrase.
type Query struct {
	Text  string
	Terms []Term
	in    *language
}

// Stem returns the common beginning of the forms of a word in the language of the query, which is told from its common
// words: German or else English. See [Stem].
func (q Query) Stem(word string) string {
	if q.in == nil {
		return Stem(word)
	}
	return q.in.stem(word)
}

// Term is a word, an identifier or a phrase in a query.
type Term struct {
	// Text is the term as typed.
	Text string
	// Parts are its words, all of which a matching text must have.
	Parts []string
	// Whole is the identifier formed by Parts, "" if there is none. A text that has it matches, too.
	Whole string
	// Also are other ways in which a number or a date is written: for each of their words those of which one must be in
	// the text, close to the others.
	Also [][][]string
	// dated means that the word is a month beside a day or a year.
	dated bool
	// Phrase means that Parts must be adjacent and in order.
	Phrase bool
	// Open means that the last part may be a prefix of a word.
	Open bool
	// Common means that this is a frequent word of the query's language, such as "the" or "when". If the query has other words, a text
	// need not have it.
	Common bool
}

// Parse reads a query. A text without words, or beyond [MaxQuery] or [MaxTerms], is fault.InvalidArguments for
// the field text.
func Parse(text string) (Query, error) {
	q := Query{Text: text}
	if len(text) > MaxQuery {
		return q, fault.Argument("text", fault.MaxLength, nil, fmt.Sprintf("text has %d bytes, and a search takes at most %d; give the words that matter", len(text), MaxQuery))
	}
	for i, between := range strings.Split(text, `"`) {
		if i%2 == 1 && strings.Count(text, `"`) > i {
			q.addPhrase(between)
			continue
		}
		q.addTerms(between)
	}
	if len(q.Terms) == 0 {
		return q, fault.Argument("text", fault.MinLength, nil, "text has no word to search for; give letters or digits")
	}
	if len(q.Terms) > MaxTerms {
		return q, fault.Argument("text", fault.MaxCount, nil, fmt.Sprintf("text has %d words, and a search takes at most %d; give the words that matter", len(q.Terms), MaxTerms))
	}
	spell(q.Terms)
	q.in = languageOf(q.Terms)
	for i, t := range q.Terms {
		q.Terms[i].Common = !t.Phrase && !t.dated && len(t.Parts) == 1 && q.in.common[t.Parts[0]]
	}
	last, _ := utf8.DecodeLastRuneInString(text)
	if t := &q.Terms[len(q.Terms)-1]; !t.Phrase && !unicode.IsSpace(last) {
		t.Open, t.Common = true, false
	}
	if !slices.ContainsFunc(q.Terms, func(t Term) bool { return !t.Common }) {
		for i := range q.Terms {
			q.Terms[i].Common = false
		}
	}
	return q, nil
}

// ParseBeginning reads the beginning of a text; quotation marks have no meaning. A last character in Kana or
// Hangul is ignored, because the next one may change it. A text without words is refused, as is one with cased
// letters directly beside a script without case, such as POWERshell東京, because the words of its lower-case form
// may differ.
func ParseBeginning(text string) (Query, error) {
	text = strings.ReplaceAll(text, `"`, " ")
	if last, _ := utf8.DecodeLastRuneInString(text); unicode.In(last, unicode.Hiragana, unicode.Katakana, unicode.Hangul) {
		text = text[:max(0, norm.NFKC.LastBoundary([]byte(text)))]
	}
	q, err := Parse(text)
	for _, t := range q.Terms {
		cased := slices.DeleteFunc(slices.Clone(t.Parts), func(part string) bool { return !hasCase(part) })
		if err == nil && len(cased) > 0 && len(cased) < len(t.Parts) {
			err = fault.Argument("text", fault.Pattern, t.Text, "in "+t.Text+" a letter with capitals stands beside a script without spaces, so its words depend on case; give only the text before or after that place")
		}
	}
	return q, err
}

// Beginnings is the index entries that every text with a certain beginning has, in any case.
type Beginnings struct {
	// Words are complete words; the text has all of them.
	Words []string
	// Begun is a prefix of one more word, "" if there is none.
	Begun string
	// Parts may stand for that word: an identifier of more than [MaxWord] bytes with inner capitals is indexed
	// by its parts only.
	Parts []string
}

// BeginningsOf returns the entries for a beginning. There are none if it has characters outside ASCII, where
// case folding here differs from that of the comparison, or no complete word.
func BeginningsOf(text string) (b Beginnings) {
	if strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return b
	}
	text = strings.ToLower(text)
	runs := strings.FieldsFunc(text+"x", func(r rune) bool { return ascii[r] == separator }) // the last word may continue
	last := len(runs) - 1
	runs[last] = strings.TrimSuffix(runs[last], "x")
	for i, run := range runs {
		run = strings.Trim(strings.Map(func(r rune) rune {
			if ascii[r] == joins {
				return '.'
			}
			return r
		}, run), ".")
		parts, whole := strings.Split(run, "."), strings.ReplaceAll(run, ".", "")
		if len(whole) > MaxWord || slices.Contains(parts, "") {
			continue
		}
		if i < last {
			b.Words = append(b.Words, whole)
			continue
		}
		b.Begun = whole
		first := parts[0]
		for at := 1; at < len(first); at++ {
			if first[at] >= 'a' {
				b.Parts = append(b.Parts, first[:at])
			}
		}
		if len(parts) > 1 {
			b.Parts = append(b.Parts, first)
		}
	}
	return b
}

// hasCase reports whether a word has a character of a script with case.
func hasCase(word string) bool {
	return strings.ContainsFunc(word, func(r rune) bool { return !unicode.Is(unicode.Lo, r) })
}

// Several reports whether the query has several terms that are not common words, so that a text may have some of them.
func (q Query) Several() bool {
	n := 0
	for _, t := range q.Terms {
		if !t.Common {
			n++
		}
	}
	return n > 1
}

// addPhrase adds the text between quotation marks.
func (q *Query) addPhrase(text string) {
	t := Term{Text: text, Phrase: true}
	for w := range Sequence(text) {
		t.Parts = append(t.Parts, w.Text)
	}
	if len(t.Parts) > 0 {
		q.Terms = append(q.Terms, t)
	}
}

// addTerms adds the distinct words and identifiers of a text.
func (q *Query) addTerms(text string) {
	var t Term
	start, end, commas := 0, -1, false
	add := func() {
		if len(t.Parts) == 0 {
			return
		}
		t.Text = text[start:end]
		if commas {
			t.Whole, commas = strings.Join(t.Parts, ""), false
		}
		same := func(other Term) bool { return slices.Equal(other.Parts, t.Parts) && !other.Phrase }
		if !slices.ContainsFunc(q.Terms, same) {
			q.Terms = append(q.Terms, t)
		}
		t = Term{}
	}
	Each(text, func(w Word) bool {
		switch {
		case w.Again && w.Open:
		case w.Again:
			t.Whole = w.Text
		case end >= 0 && (w.Start < end || w.Start <= end+1 && joined(text, end, w.Start)):
			t.Parts, end = append(t.Parts, w.Text), w.End
		case end >= 0 && w.Start == end+1 && isGroup(text, start, end):
			t.Parts, end, commas = append(t.Parts, w.Text), w.End, true
		default:
			add()
			t.Parts, start, end = []string{w.Text}, w.Start, w.End
		}
		return true
	})
	add()
}

// joined reports whether the text between two words joins them into one identifier.
func joined(text string, end, start int) bool {
	return end == start || kindOf(rune(text[end])) == joins
}

// Sequence yields the words of a text in order, without those marked Again.
func Sequence(text string) func(yield func(Word) bool) {
	return func(yield func(Word) bool) {
		Each(text, func(w Word) bool { return w.Again || yield(w) })
	}
}

// IsCommon reports whether a word is a frequent English word such as "the". The word is in the form of [Word].
func IsCommon(word string) bool { return english.common[word] }

// Onward marks a prefix; no word contains it.
const Onward = "*"

// Goal is a term of a query, with the index words that match it.
type Goal struct {
	Term
	// Ways are alternatives. Each has, for every part, the words that match it. A word that ends in [Onward] is
	// a prefix.
	Ways [][][]string
	// Weight is the term's, see [Weight].
	Weight float64
}

// Weight is the inverse document frequency of what so many of all texts have: the rarer, the higher.
func Weight(having, all int64) float64 {
	return math.Log(1 + (math.Max(0, float64(all-having))+0.5)/(float64(having)+0.5))
}

// Words are the words of which any matches the goal; nil if some match only together with others, or are prefixes.
func (g *Goal) Words() (words []string) {
	for _, way := range g.Ways {
		if len(way) != 1 || slices.ContainsFunc(way[0], func(word string) bool { return strings.HasSuffix(word, Onward) }) {
			return nil
		}
		words = append(words, way[0]...)
	}
	return words
}

// Match returns the goal as an FTS5 query, "" if nothing can match.
func (g *Goal) Match() string {
	var ways []string
	for _, way := range g.Ways {
		var parts []string
		for _, words := range way {
			if len(words) == 0 {
				parts = nil
				break
			}
			quoted := make([]string, len(words))
			for i, word := range words {
				if begin, open := strings.CutSuffix(word, Onward); open {
					quoted[i] = Quote(begin) + Onward
				} else {
					quoted[i] = Quote(word)
				}
			}
			parts = append(parts, "("+strings.Join(quoted, " OR ")+")")
		}
		if len(parts) > 0 {
			ways = append(ways, "("+strings.Join(parts, " AND ")+")")
		}
	}
	return strings.Join(ways, " OR ")
}
