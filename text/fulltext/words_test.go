package fulltext_test

import (
	"strings"
	"testing"

	"trails/text/fulltext"
)

func wordsOf(text string) string {
	var list []string
	fulltext.Each(text, func(w fulltext.Word) bool {
		list = append(list, w.Text)
		return true
	})
	return strings.Join(list, " ")
}

func TestTextsAreCutIntoWords(t *testing.T) {
	for text, want := range map[string]string{
		"": "", " .,- ": "",
		"The Quick, brown fox.":      "the quick brown fox",
		"T1003.001":                  "t1003 001 t1003001",
		"camelCase snake_case a-b":   "camel case camelcase snake case snakecase a b ab",
		"PowerShell HTTPServer iOS":  "power shell powershell http server httpserver i os ios",
		"ATT&CK APT29 don't":         "att ck attck apt29 don t",
		"end. Next -x- y_":           "end next x y",
		"Ümläut STRASSE straße Łódź": "umlaut strasse strasse lodz",
		"e\u0301te\u0301 ÉTÉ":        "ete ete",
		"ﬁle Ｔ１０":                    "file t10",
		"東京都":                        "東京 京都 都", "東": "東", "abc東京": "abc 東京 京",
		"ｶﾞｽ が":   "ガス ス が",
		"한국어 말":   "한국어 말",
		"АБВ где": "абв где", "🦀 crab": "crab",
		"مُحَمَّد": "محمد",
	} {
		if got := wordsOf(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestAnEntryHasEachWordOnceAndBeginningsOfShortTexts(t *testing.T) {
	var e fulltext.Entry
	long := strings.Repeat("phish tank ", 20)
	for text, want := range map[string]string{
		"":               "",
		"Phish phishing": "phish ~p ~ph ~phi phishing ",
		"Öl 7":           "ol ~o ~ol 7 ~7 ",
		long:             "phish tank ",
		strings.Repeat("x", fulltext.MaxText) + "y":   strings.Repeat("x", fulltext.MaxWord) + " ",
		strings.Repeat(" ", fulltext.MaxText-1) + "é": "",
	} {
		if got := e.Of(text); got != want {
			t.Errorf("%.40q: got %q, want %q", text, got, want)
		}
	}
}
