package browse

import (
	"cmp"
	"fmt"
	"strings"

	"trails/rdf"
	"trails/text/fulltext"
)

// Why says why a hit stands where it does among the hits of a search.
type Why struct {
	// Place counts the hits from 1.
	Place int
	// Words are the words that the node's texts have, in the order of the search; Missing are the others, except for
	// common words.
	Words   []WordFound
	Missing []string
	// Boost is added to the score for BoostFor; 0 for nothing.
	Boost    float64
	BoostFor Boost
	// Partial means that no text of the node has all words: it stands behind all hits of which one text has.
	Partial bool
	// Score is Boost and the scores of Words together.
	Score float64
	// Where meaning was searched, too: the places by words and by meaning, from 1 or 0 for none, the similarity of the
	// nearest text, -1 to 1, the name of its property, and the score of both places together, at most 1.
	ByWords, ByMeaning int
	Similarity         float64
	Similar            string
	Fused              float64
}

// WordFound is a word of a search that a node has.
type WordFound struct {
	// Word is a word, an identifier or a phrase as it was searched.
	Word string
	// Weight is greater the fewer texts have the word or, where it is a value, the fewer nodes.
	Weight float64
	// Score is Weight by how much of the text the word makes up: twice for a label, and less for a text that several
	// nodes have. It is the highest of the node's texts.
	Score float64
	// Property is the name of the property with that text or value.
	Property string
}

// Boost is what a node gets points for besides its words.
type Boost string

// The boosts, the greatest first.
const (
	BoostID     Boost = "the id is the searched text"
	BoostLabel  Boost = "a label is the searched text"
	BoostText   Boost = "a text is the searched text"
	BoostBegins Boost = "a label begins with the searched text"
	BoostWhole  Boost = "a label has all words"
)

// String returns the reasons in a sentence.
func (w *Why) String() string {
	var parts []string
	for _, word := range w.Words {
		parts = append(parts, fmt.Sprintf("%q %.2f in %s (weight %.2f)", word.Word, word.Score, word.Property, word.Weight))
	}
	if w.Boost > 0 {
		parts = append(parts, fmt.Sprintf("%s %.2f", w.BoostFor, w.Boost))
	}
	text := "all words: "
	switch {
	case w.Partial && w.ByWords > 0:
		text = "some words: "
	case w.Partial:
		text = "some words, so behind the hits with all: "
	case len(w.Words) == 0:
		text = ""
	}
	if len(parts) > 0 {
		text = fmt.Sprintf("%s%s = %.2f", text, strings.Join(parts, " + "), w.Score)
	}
	if len(w.Missing) > 0 {
		text += `; without "` + strings.Join(w.Missing, `", "`) + `"`
	}
	if wordsSaid := text; w.ByWords > 0 || w.ByMeaning > 0 {
		if text = "no place by words"; w.ByWords > 0 {
			text = fmt.Sprintf("place %d by words (%s)", w.ByWords, wordsSaid)
		}
		meant := "none by meaning"
		if w.ByMeaning > 0 {
			meant = fmt.Sprintf("place %d by meaning (similarity %.2f of %s)", w.ByMeaning, w.Similarity, w.Similar)
		}
		text = fmt.Sprintf("%s + %s = %.3f", text, meant, w.Fused)
	}
	return fmt.Sprintf("%d. %s", w.Place, text)
}

// why explains the node at a place of the hits. named returns the name of a property for people.
func (n *nodeFound) why(place int, goals []fulltext.Goal, named func(rdf.IRI) string) *Why {
	w := &Why{Place: place, Boost: n.boost, BoostFor: n.boostFor, Partial: n.partial, Score: n.score(), ByWords: n.byWords, ByMeaning: n.byMeaning, Similarity: n.similarity, Fused: n.fused}
	if n.similar != "" {
		w.Similar = named(n.similar)
	}
	for i, goal := range goals {
		switch {
		case i < len(n.terms) && n.terms[i].score > 0:
			w.Words = append(w.Words, WordFound{goal.Text, cmp.Or(n.terms[i].weight, goal.Weight), n.terms[i].score, named(n.terms[i].property)})
		case !goal.Common && len(n.terms) > 0:
			w.Missing = append(w.Missing, goal.Text)
		}
	}
	return w
}
