package rank

import (
	_ "embed"
	"slices"
	"strings"

	"trails/text/fulltext"
)

// thesaurus has a line of synonyms for each meaning that occurs in requests and tools in general.
//
//go:embed thesaurus.txt
var thesaurus string

// sameShare is the weight of a synonym.
const sameShare = 0.45

// same maps a stem to its synonyms.
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

// light are verbs that hardly distinguish tools, such as run, make and show.
var light = func() map[string]bool {
	stems := map[string]bool{}
	for verb := range strings.FieldsSeq("call do execute get give go help invoke let make need perform please put run see show take tell want") {
		stems[fulltext.Stem(verb)] = true
	}
	return stems
}()

// The weights of a light word, and of a part of an unknown word.
const (
	lightShare = 0.5
	partShare  = 0.4
)

// shortestPart is the minimum length of a word's part.
const shortestPart = 3

// mostJoined is how many words of a request may be joined to one word of the index.
const mostJoined = 3

// expand returns the words of a request with the terms that they may match.
func (x *Index) expand(request string) []wanted {
	var cutter cutter
	var words []wanted
	asked := map[string]bool{}
	for _, p := range cutter.words(request) {
		if asked[p.stem] {
			continue
		}
		asked[p.stem] = true
		share := float64(p.share)
		if light[p.stem] {
			share = lightShare
		}
		ways := x.ways(nil, p.stem, share)
		for cut := shortestPart; len(ways) == 0 && cut <= len(p.stem)-shortestPart; cut++ {
			ways = x.ways(ways, fulltext.Stem(p.stem[:cut]), partShare*share)
			ways = x.ways(ways, fulltext.Stem(p.stem[cut:]), partShare*share)
		}
		if len(ways) > 0 {
			words = append(words, ways)
		}
	}
	// One word of the index may be written as two or three words, such as a tag.
	var texts []string
	for w := range fulltext.Sequence(request) {
		texts = append(texts, w.Text)
		for first := max(0, len(texts)-mostJoined); first < len(texts)-1; first++ {
			whole := fulltext.Stem(strings.Join(texts[first:], ""))
			if term, known := x.terms[whole]; known && !asked[whole] {
				asked[whole] = true
				words = append(words, wanted{{term, 1}})
			}
		}
	}
	return words
}

// ways adds the terms for a stem.
func (x *Index) ways(ways wanted, stem string, share float64) wanted {
	if term, known := x.terms[stem]; known {
		ways = append(ways, way{term, share})
	}
	for _, other := range same[stem] {
		if term, known := x.terms[other]; known {
			ways = append(ways, way{term, sameShare * share})
		}
	}
	return ways
}
