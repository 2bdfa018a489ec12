package fulltext_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"trails/fault"
	"trails/text/fulltext"
)

func TestAQueryIsReadAsWordsIdentifiersAndPhrases(t *testing.T) {
	for text, want := range map[string]string{
		"phish":                    "phish*",
		"Phish ":                   "phish",
		"the phishing mails":       "(the) phishing mails*",
		"the ":                     "the",
		"T1003.001":                "t1003+001=t1003001*",
		"lsassDump x":              "lsass+dump=lsassdump x*",
		`"pass the hash" tool`:     `"pass the hash" tool*`,
		`an open "quote`:           "(an) open quote*",
		"a a a b ":                 "(a) b",
		"NOT near(x OR y) * -z ^ ": "(not) near x (or) y z",
		"東京都 x ":                   "東京+京都 x",
		"都":                        "都*",
	} {
		q, err := fulltext.Parse(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
		}
		var got []string
		for _, term := range q.Terms {
			word := strings.Join(term.Parts, "+")
			if term.Whole != "" {
				word += "=" + term.Whole
			}
			if term.Open {
				word += "*"
			}
			if term.Common {
				word = "(" + word + ")"
			}
			if term.Phrase {
				word = `"` + strings.Join(term.Parts, " ") + `"`
			}
			got = append(got, word)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: got %s, want %s", text, strings.Join(got, " "), want)
		}
	}
	for _, text := range []string{"", " ", `""`, "?!", strings.Repeat("x", 1<<20), strings.Repeat("a b c d e f g h i j k l m n o p q r s t u v w x y z ", 2) + "aa ab ac ad ae af ag ah ai aj ak al am an ao ap aq ar as at au av aw ax ay az"} {
		if _, err := fulltext.Parse(text); !fault.Is(err, fault.InvalidArguments) {
			t.Errorf("%.40q: %v", text, err)
		}
	}
}

func TestWordsOfOneFamilyHaveOneStem(t *testing.T) {
	for _, family := range []string{
		"encrypt encrypts encrypted encrypting encryption", "steal steals stealing", "policy policies", "dump dumps dumped dumping dumper",
		"authenticate authentication authenticated authenticating", "run runs running runner", "process processes processed processing", "persist persistence persistent",
		"fill fills filled filling", "control controls controlled controlling", "stop stops stopped stopping", "pass passes passed passing",
	} {
		stems := map[string]bool{}
		for word := range strings.FieldsSeq(family) {
			stems[fulltext.Stem(word)] = true
			if !strings.HasPrefix(word, fulltext.Stem(word)) {
				t.Errorf("%s does not begin with its stem %s", word, fulltext.Stem(word))
			}
		}
		if len(stems) != 1 {
			t.Errorf("%s: %v", family, stems)
		}
	}
	for _, pair := range []string{"file fill", "role roll", "pole poll", "base bass"} {
		if a, b, _ := strings.Cut(pair, " "); fulltext.Stem(a) == fulltext.Stem(b) {
			t.Errorf("%s and %s have the stem %s", a, b, fulltext.Stem(a))
		}
	}
	for _, word := range []string{"os", "t1003", "überall", "москва"} {
		if fulltext.Stem(word) != word {
			t.Errorf("%s has the stem %s", word, fulltext.Stem(word))
		}
	}
}

func TestMistakesAreCounted(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"mimikatz", "mimikatz", 0}, {"mimikats", "mimikatz", 1}, {"mimiaktz", "mimikatz", 1}, {"mimikat", "mimikatz", 1}, {"mimikatzz", "mimikatz", 1}, {"mmikats", "mimikatz", 2}, {"überal", "überall", 1}} {
		if got, near, _ := fulltext.NewNear(c.a, 2).Distance([]byte(c.b)); got != c.want || !near {
			t.Errorf("%s and %s: %d", c.a, c.b, got)
		}
	}
	if _, near, prefix := fulltext.NewNear("mimikatz", 2).Distance([]byte("powershell")); near || prefix == 0 || prefix > 4 {
		t.Errorf("what begins with the first %d characters is passed over", prefix)
	}
}

// A word that is passed over with a prefix has no near word among those that begin so.
func TestNoNearWordIsPassedOver(t *testing.T) {
	letters := "abc"
	var words []string
	for n := range 81 * 9 {
		word := ""
		for ; n > 0; n /= 3 {
			word += letters[n%3 : n%3+1]
		}
		words = append(words, word)
	}
	for _, most := range []int{1, 2} {
		near := fulltext.NewNear("abcab", most)
		for _, word := range words {
			_, _, prefix := near.Distance([]byte(word))
			if prefix == 0 {
				continue
			}
			for _, other := range words {
				if _, is, _ := near.Distance([]byte(other)); is && strings.HasPrefix(other, word[:prefix]) {
					t.Fatalf("%s is near and is passed over with %s", other, word[:prefix])
				}
			}
		}
	}
}

// What a comparison keeps of the words before does not change what it says of the next one.
func TestNearWordsDoNotDependOnTheWordsBefore(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	word := func() []byte {
		var b []byte
		for range random.IntN(9) {
			b = append(b, []string{"a", "b", "é"}[random.IntN(3)]...)
		}
		return b
	}
	for _, most := range []int{1, 2} {
		near := fulltext.NewNear("abéab", most)
		for range 3000 {
			other := word()
			edits, is, prefix := near.Distance(other)
			if e, i, p := fulltext.NewNear("abéab", most).Distance(other); e != edits || i != is || p != prefix {
				t.Fatalf("%s has %d mistakes, near %v, passed over with %d; alone %d, %v, %d", other, edits, is, prefix, e, i, p)
			}
		}
	}
}

func TestASnippetIsAroundTheMatch(t *testing.T) {
	long := strings.Repeat("nothing here ", 30) + "but Encryption of files" + strings.Repeat(" and more", 30)
	q, err := fulltext.Parse("encrypt ")
	if err != nil {
		t.Fatal(err)
	}
	got := fulltext.Snippet(long, q)
	if !strings.HasPrefix(got, "…") || !strings.HasSuffix(got, "…") || !strings.Contains(got, "Encryption of files") || len(got) > 280 {
		t.Errorf("%d: %s", len(got), got)
	}
	for _, text := range []string{"", "encrypted", "of nothing", "ümläut encrypts"} {
		if got := fulltext.Snippet(text, q); got != text {
			t.Errorf("%q: %q", text, got)
		}
	}
	if got := fulltext.Snippet(strings.Repeat("é", 4000), q); len(got) > 200 || !strings.HasSuffix(got, "é…") {
		t.Errorf("%d: %s", len(got), got)
	}
}

// What a query is written in is told from its common words. A word that is common in German and matters in English does
// not make a query German.
func TestTheLanguageOfAQueryIsToldFromItsCommonWords(t *testing.T) {
	for text, want := range map[string]string{
		"when did he open the studio ":          "open studio",
		"Wann hat die Stadt das Haus verkauft ": "stadt haus verkauft",
		"was hat der Mann in der Hand ":         "mann hand",
		"the war in which men die ":             "war men die",
		"man hat war ":                          "man hat war",
		"die hat ":                              "die hat",
		`wer sagte "das war alles" `:            "sagte das+war+alles",
		"der das ":                              "der das",
	} {
		q, err := fulltext.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		var matter []string
		for _, term := range q.Terms {
			if !term.Common {
				matter = append(matter, strings.Join(term.Parts, "+"))
			}
		}
		if got := strings.Join(matter, " "); got != want {
			t.Errorf("%q: %s matter, want %s", text, got, want)
		}
	}
	german, err := fulltext.Parse("wo sind die Häuser der Stadt")
	if err != nil {
		t.Fatal(err)
	}
	for forms, same := range map[[2]string]bool{
		{"hauser", "haus"}: true, {"verkauft", "verkaufen"}: true, {"baume", "baum"}: true, {"stadt", "stadte"}: true, {"muhle", "mull"}: false, {"t1003", "t100"}: false,
	} {
		if (german.Stem(forms[0]) == german.Stem(forms[1])) != same {
			t.Errorf("%v: %s and %s", forms, german.Stem(forms[0]), german.Stem(forms[1]))
		}
	}
}

// The passage with most of the words is shown, wherever it stands, and of two with as many the one whose words the text
// has least often. It is no longer for that.
func TestASnippetIsThePassageThatSaysMost(t *testing.T) {
	filler := strings.Repeat("nothing here at all ", 20)
	text := "A dancer came. " + filler + "The dancer opened a studio in Paris. " + filler + "The dancer slept. " + filler + "Studio. " + filler + "A festival for a dancer!"
	for asked, want := range map[string]string{
		"when did the dancer open her studio ": "dancer opened a studio",
		"dancer festival ":                     "festival for a dancer!",
		"dancer slept ":                        "dancer slept",
		"dancer ":                              "A dancer came.",
		"studio sle":                           "dancer slept",
	} {
		q, err := fulltext.Parse(asked)
		if err != nil {
			t.Fatal(err)
		}
		if got := fulltext.Snippet(text, q); !strings.Contains(got, want) || len(got) > 240 {
			t.Errorf("%q: %d bytes, %q has no %q", asked, len(got), got, want)
		}
	}
}

func FuzzTextsAreCutAndCompared(f *testing.F) {
	f.Add("T1003.001 camelCase ümläut", "東京都 camel")
	f.Add("\xff\xfe ǅ ŉ İ", "ﬃ é")
	f.Add(strings.Repeat("\x95", 81), "0")
	f.Fuzz(func(t *testing.T, text, asked string) {
		last := 0
		fulltext.Each(text, func(w fulltext.Word) bool {
			if w.Start < 0 || w.End > len(text) || w.Start >= w.End || w.Start < last && !w.Again && w.End <= last {
				t.Fatalf("%q: %+v", text, w)
			}
			if len(w.Text) > fulltext.MaxWord || strings.ContainsAny(w.Text, " \"~") || w.Text == "" {
				t.Fatalf("%q: %+v", text, w)
			}
			last = w.Start
			return true
		})
		q, err := fulltext.Parse(asked)
		if err != nil {
			return
		}
		var goals []fulltext.Goal
		for _, term := range q.Terms {
			g := fulltext.Goal{Term: term, Weight: 1}
			var way [][]string
			for _, part := range term.Parts {
				way = append(way, []string{part})
			}
			g.Ways = [][][]string{way}
			goals = append(goals, g)
		}
		scorer := fulltext.NewScorer(q, goals)
		if score := scorer.Of(asked); !score.All && !strings.Contains(asked, `"`) {
			t.Fatalf("%q does not have its own words: %+v", asked, fmt.Sprint(score))
		}
		scorer.Of(text)
		fulltext.Snippet(text, q)
	})
}

// Of a text with letters that have capitals beside others that have none, the words of its
// capitals cannot be told from its small letters.
func TestABeginningWhoseCapitalsMayDivideItIsRefused(t *testing.T) {
	for text, refused := range map[string]bool{
		"shell東京": true, "한éｶﾞ": true, "한é": false, "東京都": false, "shell 東京": false,
	} {
		if _, err := fulltext.ParseBeginning(text); (err != nil) != refused {
			t.Errorf("%q: %v", text, err)
		}
	}
}
