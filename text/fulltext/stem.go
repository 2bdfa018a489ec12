package fulltext

import "strings"

// endings are suffixes removed from English words, longer ones first. A stem is always a prefix of its word, so
// words with one stem are neighbours in the vocabulary.
var endings = []string{
	"ations", "ation", "ators", "ator", "ating", "ated", "ates", "ate", "ences", "ence", "ances", "ance", "ments", "ment",
	"ings", "ing", "ions", "ion", "edly", "ies", "ied", "ents", "ent", "ants", "ant", "ors", "or", "ers", "er", "ed", "es", "ly", "s", "e", "y",
}

// leastStem is the shortest length of a stem.
const leastStem = 3

// Stem returns the common beginning of related English words: "encrypt" for encrypts, encrypted and encryption.
// Words of other alphabets, with digits, or short are their own stems. It is sometimes wrong, therefore an
// exact match has a higher weight.
func Stem(word string) string {
	if len(word) <= leastStem {
		return word
	}
	for i := range len(word) {
		if word[i] < 'a' || word[i] > 'z' {
			return word
		}
	}
	for _, ending := range endings {
		stem, has := strings.CutSuffix(word, ending)
		if !has || len(stem) < leastStem || ending == "s" && strings.HasSuffix(stem, "s") {
			continue
		}
		return single(stem)
	}
	return single(word)
}

// single removes a doubled letter at the end: stopped becomes stop. Short words such as fill and pass keep it,
// so that fill does not become file.
func single(stem string) string {
	n := len(stem)
	if n <= leastStem || stem[n-1] != stem[n-2] {
		return stem
	}
	if strings.ContainsRune("lsz", rune(stem[n-1])) && !strings.ContainsAny(strings.TrimLeft(stem[strings.IndexAny(stem, "aeiouy")+1:], "aeiouy"), "aeiouy") {
		return stem
	}
	return stem[:n-1]
}
