package fulltext

import (
	"slices"
	"strings"
)

// Scorer says how near texts are to what was asked for. It serves one goroutine at a time.
type Scorer struct {
	Goals []Goal
	asked []string // the words of the query one after another
	words map[string][]slot
	found [][]float64 // for each slot of a goal how often its words are in the text
	order []string
}

// slot is a part of a way of a goal; own says that the word is the part itself.
type slot struct {
	goal, at int
	own      bool
}

// NewScorer prepares the comparison of texts with a query whose goals these are.
func NewScorer(q Query, goals []Goal) *Scorer {
	s := &Scorer{Goals: goals, words: map[string][]slot{}, found: make([][]float64, len(goals))}
	for w := range Sequence(strings.ReplaceAll(q.Text, `"`, " ")) {
		s.asked = append(s.asked, w.Text)
	}
	for i, g := range goals {
		at := 0
		for _, way := range g.Ways {
			for part, words := range way {
				for _, word := range words {
					own := len(way) == 1 && word == g.Whole || part < len(g.Parts) && word == g.Parts[part]
					s.words[word] = append(s.words[word], slot{i, at, own})
				}
				at++
			}
		}
		s.found[i] = make([]float64, at)
	}
	return s
}

// Score is how near a text is to what was asked for.
type Score struct {
	// Terms is for each goal how much the text says of it, 0 when it does not have it.
	Terms []float64
	// All: the text has every goal that is not a common word.
	All bool
	// Same: the text has the words of the query and no others; Begins: it begins with them.
	Same, Begins bool
	// Words is how many words the text has.
	Words int
}

// The constants of BM25 (Robertson and Zaragoza 2009), and the length of a text that
// counts as usual.
const (
	saturation  = 1.2
	lengthShare = 0.75
	usualWords  = 60
)

// otherForm is what another word of the same stem counts for.
const otherForm = 0.7

// Of compares a text.
func (s *Scorer) Of(text string) Score {
	score := Score{Terms: make([]float64, len(s.Goals)), All: true}
	for _, found := range s.found {
		clear(found)
	}
	s.order = s.order[:0]
	if len(text) > MaxText {
		text = text[:MaxText]
	}
	Each(text, func(w Word) bool {
		if !w.Again {
			score.Words++
			s.order = append(s.order, w.Text)
		}
		known := false
		for _, at := range s.words[w.Text] {
			known = true
			if at.own {
				s.found[at.goal][at.at]++
			} else {
				s.found[at.goal][at.at] += otherForm
			}
		}
		if !known {
			s.begins(w.Text)
		}
		return true
	})
	for i := range s.Goals {
		tf := s.frequency(i)
		if tf == 0 {
			score.All = score.All && s.Goals[i].Common
			continue
		}
		length := 1 - lengthShare + lengthShare*float64(score.Words)/usualWords
		score.Terms[i] = s.Goals[i].Weight * tf * (saturation + 1) / (tf + saturation*length)
	}
	// One that is written in two words is the same as in one.
	asked, text := strings.Join(s.asked, ""), strings.Join(s.order[:min(len(s.order), 4*len(s.asked)+4)], "")
	score.Begins = score.All && strings.HasPrefix(text, asked)
	score.Same = score.Begins && len(text) == len(asked)
	return score
}

// begins counts a word that begins with the last part of an open goal, and is none of those
// of the vocabulary that were taken.
func (s *Scorer) begins(word string) {
	for i, g := range s.Goals {
		if !g.Open {
			continue
		}
		at := 0
		for _, way := range g.Ways {
			at += len(way)
			last := g.Whole
			if len(way) == len(g.Parts) {
				last = g.Parts[len(g.Parts)-1]
			}
			if last != "" && strings.HasPrefix(word, last) {
				s.found[i][at-1] += otherForm
			}
		}
	}
}

// frequency is how often the text has a goal, in the way that it has most of.
func (s *Scorer) frequency(goal int) (most float64) {
	g, at := s.Goals[goal], 0
	for i, way := range g.Ways {
		least := s.found[goal][at]
		for part := range way {
			least = min(least, s.found[goal][at+part])
		}
		at += len(way)
		if i == 0 && len(way) > 1 && least > most && !s.together(g.Parts, g.Open) {
			continue
		}
		most = max(most, least)
	}
	return most
}

// together reports whether words stand one after another in the text; of the last one only
// the beginning has to when it is open.
func (s *Scorer) together(words []string, open bool) bool {
	last := len(words) - 1
	for i := range len(s.order) - last {
		next := s.order[i : i+len(words)]
		if slices.Equal(next[:last], words[:last]) && (next[last] == words[last] || open && strings.HasPrefix(next[last], words[last])) {
			return true
		}
	}
	return false
}
