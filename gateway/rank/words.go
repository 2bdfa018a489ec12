package rank

import (
	"slices"
	"strings"

	"trails/text/fulltext"
)

// part is a word as the index has it.
type part struct {
	stem  string
	share float32 // what it counts for: 1, less for an identifier whose parts are there, too
}

// compound is what an identifier as a whole counts for beside its parts.
const compound = 0.5

// cutter cuts texts into words. Most words come again, and so do short texts, such as tags
// and the names of arguments: it remembers what became of them.
type cutter struct {
	stems map[string]string
	short map[string][]part
	parts []part
}

// shortText is the length in bytes of what is remembered whole.
const shortText = 20

// maxText is how much of a text is read, in bytes.
const maxText = 4_000

// words returns the words of a text that say something, until it is called again.
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

// tag returns the one term of a tag, such as readonly of read-only: its words say something
// together, and are no words of the text.
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
