package rank

import (
	_ "embed"
	"slices"
	"strings"
)

// thesaurus has a line for each meaning: English words that requests and tools use for the
// same thing. It is general: of what programs do, and of what most of them are about.
//
//go:embed thesaurus.txt
var thesaurus string

// sameShare is what a word counts for that only means the same.
const sameShare = 0.45

// same has for a stem the stems that may mean the same.
var same = func() map[string][]string {
	meanings := map[string][]string{}
	var cutter cutter
	for line := range strings.Lines(thesaurus) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		words := cutter.words(line)
		for _, word := range words {
			for _, other := range words {
				if other.stem != word.stem && !slices.Contains(meanings[word.stem], other.stem) {
					meanings[word.stem] = append(meanings[word.stem], other.stem)
				}
			}
		}
	}
	return meanings
}()

// expand returns the words of a request with what may stand for each.
func (x *Index) expand(request string) []wanted {
	var cutter cutter
	var words []wanted
	asked := map[string]bool{}
	for _, p := range cutter.words(request) {
		if asked[p.stem] {
			continue
		}
		asked[p.stem] = true
		var ways wanted
		add := func(stem string, share float64) {
			if term, known := x.terms[stem]; known {
				ways = append(ways, struct {
					term  int32
					share float64
				}{term, share})
			}
		}
		add(p.stem, float64(p.share))
		for _, other := range same[p.stem] {
			add(other, sameShare*float64(p.share))
		}
		if len(ways) > 0 {
			words = append(words, ways)
		}
	}
	return words
}
