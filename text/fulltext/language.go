package fulltext

import "strings"

// A language has its common words and stems. What a query is written in is told from its common words; the texts of
// a graph may be of any language.
type language struct {
	common map[string]bool
	// shared are common words that other languages have as words that matter. Alone they tell of no language.
	shared map[string]bool
	stem   func(word string) string
}

var english = &language{stem: Stem, common: wordSet(`a about all also an and any are as at be been being but by can could did do does
	each for from had has have he her him his how i if in into is it its may me more most my no not of on or other our she should so some
	such than that the their them then there these they this those through to up use used uses using via was we were what when where
	which while who whom whose why will with would you your`)}

// german has its words as they are in the index, without accents.
var german = &language{stem: stemGerman, common: wordSet(`aber als am an auch auf aus bei bis da dann das dass dem den der des die dies diese dieser
	dieses du durch durfen ein eine einem einen einer eines er es fur hat hatte hatten haben habe ich ihr ihre ihrem ihren ihrer im in ist kann
	kein keine keinem keinen keiner konnen man mit mussen muss nach nicht noch nur ob oder ohne sein seine seinem seinen
	seiner seit sich sie sind so uber um und unter vom von vor wann war waren warum was wegen welche welchem welchen
	welcher welches wem wen wenn wer werden weshalb wessen wie wieso wieviel wir wird wo wodurch woher wohin womit
	woran worauf woraus woruber worden wurde wurden zu zum zur`), shared: wordSet("also am an da die du er es hat in man mit ob so um war was wo")}

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}

// languageOf returns the language of a query: German if it has more common words of it than English ones, one of them
// not shared, and else English.
func languageOf(terms []Term) *language {
	var ofEnglish, ofGerman int
	sure := false
	for _, t := range terms {
		if len(t.Parts) > 1 || t.Phrase {
			continue
		}
		word := t.Parts[0]
		if english.common[word] {
			ofEnglish++
		}
		if german.common[word] {
			ofGerman++
			sure = sure || !german.shared[word]
		}
	}
	if sure && ofGerman > ofEnglish {
		return german
	}
	return english
}

// germanEndings are suffixes of inflected German words, longer ones first; verbEndings follow the stem of a verb.
var (
	germanEndings = []string{"ern", "em", "en", "er", "es", "e", "n", "s"}
	verbEndings   = []string{"st", "t"}
)

// stemGerman returns the common beginning of the forms of a German word: "verkauf" for verkaufen and verkauft,
// "baum" for Bäume. A word may lose an ending of each kind; the s of Haus is none.
func stemGerman(word string) string {
	for i := range len(word) {
		if word[i] < 'a' || word[i] > 'z' {
			return word
		}
	}
	for _, endings := range [][]string{germanEndings, verbEndings} {
		for _, ending := range endings {
			stem, has := strings.CutSuffix(word, ending)
			if has && len(stem) >= leastStem && !(ending == "s" && strings.ContainsRune("aeiou", rune(stem[len(stem)-1]))) {
				word = stem
				break
			}
		}
	}
	return word
}
