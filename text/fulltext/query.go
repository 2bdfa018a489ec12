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

// Bounds of what is asked for.
const (
	MaxQuery = 2_000 // bytes
	MaxTerms = 50
)

// Query is what a person asks for, in words. No sign in it is an operator but quotation
// marks, which keep the words between them together.
type Query struct {
	Text  string
	Terms []Term
}

// Term is a word of a query, an identifier or a phrase.
type Term struct {
	// Text is what the query says.
	Text string
	// Parts are its words; a text that has the term has all of them.
	Parts []string
	// Whole is the identifier that the parts make, "" for none. A text that has it has
	// the term, too.
	Whole string
	// Phrase: the parts stand one after another.
	Phrase bool
	// Open: the last part may be the beginning of a word.
	Open bool
	// Common marks an English word that says little, such as "the". It does not have to
	// be in a text when the query has other words.
	Common bool
}

// Parse reads what a person asks for. A text without a word, and one beyond [MaxQuery] or
// [MaxTerms], is fault.InvalidArguments of the field text.
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

// ParseBeginning reads what a text begins with, in which quotation marks are signs like
// others. A last character of Kana or Hangul is left out, since the next one may change it. A
// text without words is refused, and so is one that has letters with capitals right beside a
// script without, as in POWERshell東京: its words cannot be told from its small letters.
func ParseBeginning(text string) (Query, error) {
	text = strings.ReplaceAll(text, `"`, " ")
	if last, _ := utf8.DecodeLastRuneInString(text); unicode.In(last, unicode.Hiragana, unicode.Katakana, unicode.Hangul) {
		text = text[:max(0, norm.NFKC.LastBoundary([]byte(text)))]
	}
	q, err := Parse(text)
	for _, t := range q.Terms {
		cased := slices.DeleteFunc(slices.Clone(t.Parts), func(part string) bool { return !hasCase(part) })
		if err == nil && len(cased) > 0 && len(cased) < len(t.Parts) {
			err = fault.Argument("text", fault.Pattern, t.Text, "capitals divide "+t.Text+" in places that its small letters do not show")
		}
	}
	return q, err
}

// Beginnings says which words a text has that begins with another one, whatever its case.
type Beginnings struct {
	// Words are whole words, all of which the text has.
	Words []string
	// Begun is how one more word of the text begins, "" for none.
	Begun string
	// Parts has what may be a word of the text instead of that one: when it is an identifier of
	// more than [MaxWord] bytes that capitals divide, the index has its parts alone.
	Parts []string
}

// BeginningsOf reads what a text begins with. There are none of a text with other characters
// than those of ASCII, whose cases are not all alike here and in a comparison, or
// without a word that the index must have.
func BeginningsOf(text string) (b Beginnings) {
	if strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return b
	}
	text = strings.ToLower(text)
	runs := strings.FieldsFunc(text+"x", func(r rune) bool { return ascii[r] == apart }) // the last one goes on
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

// hasCase reports a word with a character that is not of a script without capitals.
func hasCase(word string) bool {
	return strings.ContainsFunc(word, func(r rune) bool { return !unicode.Is(unicode.Lo, r) })
}

// addPhrase adds what stands between quotation marks.
func (q *Query) addPhrase(text string) {
	t := Term{Text: text, Phrase: true}
	for w := range Sequence(text) {
		t.Parts = append(t.Parts, w.Text)
	}
	if len(t.Parts) > 0 {
		q.Terms = append(q.Terms, t)
	}
}

// addTerms adds the words and identifiers of a text, each once.
func (q *Query) addTerms(text string) {
	var t Term
	start, end := 0, -1
	add := func() {
		if len(t.Parts) == 0 {
			return
		}
		t.Text = text[start:end]
		t.Common = len(t.Parts) == 1 && common[t.Parts[0]]
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
		default:
			add()
			t.Parts, start, end = []string{w.Text}, w.Start, w.End
		}
		return true
	})
	add()
}

// joined reports whether what stands between two words makes them one identifier.
func joined(text string, end, start int) bool {
	return end == start || kindOf(rune(text[end])) == joins
}

// Sequence gives the words of a text one after another, none of them again.
func Sequence(text string) func(yield func(Word) bool) {
	return func(yield func(Word) bool) {
		Each(text, func(w Word) bool { return w.Again || yield(w) })
	}
}

// IsCommon reports that a word of English says little, such as "the". The word is as in
// [Word].
func IsCommon(word string) bool { return common[word] }

var common = func() map[string]bool {
	words := map[string]bool{}
	for word := range strings.FieldsSeq(`a about all also an and any are as at be been being but by can could did do does
		each for from had has have how i if in into is it its may me more most my no not of on or other our should so some
		such than that the their them then there these they this those through to up use used uses using via was we what when where
		which while who whom whose why will with would you your`) {
		words[word] = true
	}
	return words
}()

// Onward stands behind the beginning of words; no word has it.
const Onward = "*"

// Goal is a term of a query with the words of the vocabulary that are taken for it.
type Goal struct {
	Term
	// Ways are the ways to have the term: each has, for every part, the words that may
	// stand for it. One that ends in [Onward] is all words that begin with it.
	Ways [][][]string
	// Weight says how much a text tells that has the term: more, the fewer have it.
	Weight float64
}

// Weigh sets the weight of a term that so many of all texts have.
func (g *Goal) Weigh(having, all int64) {
	g.Weight = math.Log(1 + (math.Max(0, float64(all-having))+0.5)/(float64(having)+0.5))
}

// Match is the goal as a query of FTS5, "" when no text can have it.
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
