package fulltext

import (
	"slices"
	"strings"
)

// Scorer rates how well texts match a query. It must be used by one goroutine at a time.
type Scorer struct {
	Goals []Goal
	asked string // the words of the query in order, without spaces
	most  int    // words of a text that are compared with them
	words map[string][]slot
	first [256]bool // whether one of words, in small letters or capitals, begins with a byte: most words of a text need no more
	open  []opened
	found [][]float64 // for each slot of a goal, the frequency of its words in the text
	// order is the words of the text in order: all if inOrder is set, because a goal is of several words, and otherwise those
	// that are compared with asked.
	order   []string
	inOrder bool
}

// slot is a part of one of a goal's ways; own means that the word is the part itself, not another form.
type slot struct {
	goal, at int
	own      bool
}

// opened is the beginning of a word that counts for a slot of an open goal.
type opened struct {
	goal, at int
	begins   string
}

// NewScorer returns a scorer for a query with its goals.
func NewScorer(q Query, goals []Goal) *Scorer {
	s := &Scorer{Goals: goals, words: map[string][]slot{}, found: make([][]float64, len(goals))}
	asked := 0
	for w := range Sequence(strings.ReplaceAll(q.Text, `"`, " ")) {
		s.asked += w.Text
		asked++
	}
	s.most = 4*asked + 4
	for i, g := range goals {
		at := 0
		for n, way := range g.Ways {
			s.inOrder = s.inOrder || len(way) > 1
			for part, words := range way {
				for _, word := range words {
					own := len(way) == 1 && word == g.Whole || part < len(g.Parts) && word == g.Parts[part]
					s.words[word] = append(s.words[word], slot{i, at, own})
					s.begin(word)
				}
				at++
			}
			if !g.Open || n > 0 && len(way) > 1 { // the other ways of a date end with it
				continue
			}
			last := g.Whole
			if len(way) == len(g.Parts) {
				last = g.Parts[len(g.Parts)-1]
			}
			if last != "" {
				s.open = append(s.open, opened{i, at - 1, last})
				s.begin(last)
			}
		}
		s.found[i] = make([]float64, at)
	}
	return s
}

// begin notes the first byte of a word.
func (s *Scorer) begin(word string) {
	first := (word + Onward)[0]
	s.first[first] = true
	if first >= 'a' && first <= 'z' {
		s.first[first-'a'+'A'] = true
	}
}

// Has returns a function that reports whether a text has the words of the query as they are, in any order: all that
// are not common, and an open one as the beginning of a word. It must be used by one goroutine at a time.
func (q Query) Has() func(text string) bool {
	goals := make([]Goal, len(q.Terms))
	for i, t := range q.Terms {
		way := make([][]string, len(t.Parts))
		for j, part := range t.Parts {
			way[j] = []string{part}
		}
		goals[i] = Goal{Term: t, Ways: [][][]string{way}}
		if t.Whole != "" {
			goals[i].Ways = append(goals[i].Ways, [][]string{{t.Whole}})
		}
		goals[i].Ways = append(goals[i].Ways, t.Also...)
	}
	s := NewScorer(q, goals)
	return func(text string) bool { return s.Of(text).All }
}

// Score is how well a text matches a query.
type Score struct {
	// Terms is the score for each goal, 0 if it does not match.
	Terms []float64
	// All means that every goal matches that is not a common word.
	All bool
	// Same means that the text consists of the words of the query; Begins, that it begins with them.
	Same, Begins bool
	// Words is the number of words in the text.
	Words int
}

// Any reports whether a goal matches.
func (s Score) Any() bool {
	return slices.ContainsFunc(s.Terms, func(term float64) bool { return term > 0 })
}

// Constants of BM25 (Robertson and Zaragoza 2009). The last is the assumed average length of a text: with less, long
// texts lose to short ones that have fewer of the words.
const (
	saturation  = 1.2
	lengthShare = 0.75
	usualWords  = 200
)

// worth is what a word of a weight says of a text that has it so often among its words.
func worth(weight, frequency float64, words int) float64 {
	length := 1 - lengthShare + lengthShare*float64(words)/usualWords
	return weight * frequency * (saturation + 1) / (frequency + saturation*length)
}

// otherForm is the weight of another word with the same stem.
const otherForm = 0.7

// Of returns the score of a text.
func (s *Scorer) Of(text string) Score {
	score := Score{Terms: make([]float64, len(s.Goals)), All: true}
	for _, found := range s.found {
		clear(found)
	}
	s.order = s.order[:0]
	if len(text) > MaxText {
		text = text[:MaxText]
	}
	ordered := true
	c := cutter{text: text, wanted: &s.first}
	c.yield = func(w Word) bool {
		if !w.Again {
			score.Words++
			if s.inOrder || ordered && len(s.order) < s.most {
				ordered = s.follow(w, text)
			}
		}
		if w.Text == "" || !s.first[w.Text[0]] {
			return true
		}
		slots := s.words[w.Text]
		for _, at := range slots {
			if at.own {
				s.found[at.goal][at.at]++
			} else {
				s.found[at.goal][at.at] += otherForm
			}
		}
		for _, o := range s.open {
			if slots == nil && strings.HasPrefix(w.Text, o.begins) {
				s.found[o.goal][o.at] += otherForm
			}
		}
		return true
	}
	c.words()
	for i := range s.Goals {
		tf := s.frequency(i)
		if tf == 0 {
			score.All = score.All && s.Goals[i].Common
			continue
		}
		score.Terms[i] = worth(s.Goals[i].Weight, tf, score.Words)
	}
	// A word that is written as two counts as the same.
	begins := strings.Join(s.order[:min(len(s.order), s.most)], "")
	score.Begins = score.All && strings.HasPrefix(begins, s.asked)
	score.Same = score.Begins && len(begins) == len(s.asked)
	return score
}

// follow adds a word to the order, and reports whether the text may begin with what is asked.
func (s *Scorer) follow(w Word, text string) bool {
	if w.Text == "" {
		w.Text = w.of(text)
	}
	s.order = append(s.order, w.Text)
	return len(s.order) > 1 || strings.HasPrefix(s.asked, w.Text) || strings.HasPrefix(w.Text, s.asked)
}

// frequency returns the frequency of a goal in the text, for the way with the highest.
func (s *Scorer) frequency(goal int) (most float64) {
	g, at := s.Goals[goal], 0
	for i, way := range g.Ways {
		least := s.found[goal][at]
		for part := range way {
			least = min(least, s.found[goal][at+part])
		}
		at += len(way)
		if len(way) > 1 && least > most && (i == 0 && !s.together(g.Parts, g.Open) || i > 0 && !s.near(way)) {
			continue
		}
		most = max(most, least)
	}
	return most
}

// together reports whether words are adjacent in the text; with open, the last one may be a prefix.
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
