package rank

import (
	"slices"
	"strings"

	"trails/text/fulltext"
)

// part is a word in the index.
type part struct {
	stem  string
	share float32 // weight: 1, less for an identifier whose parts are also indexed
}

// compound is the weight of a whole identifier besides its parts.
const compound = 0.5

// cutter splits texts into words. It caches words and short texts, such as tags and argument names, because most of
// them repeat.
type cutter struct {
	stems map[string]string
	short map[string][]part
	parts []part
}

// shortText is the maximum length of cached texts in bytes.
const shortText = 20

// maxText is how much of a text is read, in bytes.
const maxText = 4_000

// words returns the meaningful words of a text; the result is valid until the next call.
func (c *cutter) words(text string) []part {
	if c.stems == nil {
		c.stems, c.short = map[string]string{}, map[string][]part{}
	}
	if len(text) <= shortText {
		if parts, known := c.short[text]; known {
			return parts
		}
	}
	c.parts = c.parts[:0]
	text = text[:min(len(text), maxText)]
	fulltext.Each(text, func(w fulltext.Word) bool {
		stem, known := c.stems[w.Text]
		if !known {
			if !fulltext.IsCommon(w.Text) {
				stem = fulltext.Stem(w.Text)
			}
			c.stems[strings.Clone(w.Text)] = stem
		}
		switch {
		case stem == "":
		case w.Again:
			c.parts = append(c.parts, part{stem, compound})
		default:
			c.parts = append(c.parts, part{stem, 1})
		}
		return true
	})
	if len(text) <= shortText {
		c.short[text] = slices.Clone(c.parts)
	}
	return c.parts
}

// tag returns the single term of a tag, such as readonly for read-only, because its words only have a meaning
// together.
func (c *cutter) tag(text string) []part {
	words := c.words(text)
	if len(words) < 2 {
		return words
	}
	whole := ""
	for w := range fulltext.Sequence(text) {
		whole += w.Text
	}
	return []part{{fulltext.Stem(whole), 1}}
}
