package fulltext

import "strings"

// endings are those of English words that are taken off, the longer ones first. What is
// left always begins the word, so the words with one stem are neighbours in the vocabulary.
var endings = []string{
	"ations", "ation", "ators", "ator", "ating", "ated", "ates", "ate", "ences", "ence", "ances", "ance", "ments", "ment",
	"ings", "ing", "ions", "ion", "edly", "ies", "ied", "ents", "ent", "ants", "ant", "ors", "or", "ers", "er", "ed", "es", "ly", "s", "e", "y",
}

// leastStem is the length of the shortest stem.
const leastStem = 3

// Stem returns what English words of one family begin with: "encrypt" for encrypts,
// encrypted and encryption. Words of other alphabets, with digits, or short are their own
// stems. It errs now and then, which is why the word itself counts for more.
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

// single takes the second of two equal letters at the end off, which stopped has and stop has
// not. Short words such as fill and pass have it in all their forms, so that fill is not file.
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
