package kg_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trails/e2e/testrun"
	"trails/fault"
	"trails/kg"
	"trails/kg/browse"
	"trails/kg/change"
	"trails/rdf"
	"trails/schema"
)

const searchSchema = `
types:
  Thing: {abstract: true, label: name, properties: {name: {type: string, required: true}, note: string, secret: {type: string, search: false}}}
  Person: {extends: Thing, key: code, iri: key, properties: {code: {type: string, required: true}, alias: {type: string, many: true}}}
  Place: {extends: Thing, key: code, iri: key, properties: {code: {type: string, required: true}}}
`

// saying makes the edits of a node: its type, and texts as property and value by turns.
func saying(typ, code string, texts ...string) []change.Edit {
	node := rdf.IRI(base + typ + "/" + code)
	edits := []change.Edit{
		{Op: change.Assert, Quad: rdf.Quad{Subject: node, Predicate: rdf.Type, Object: rdf.IRI(base + typ)}},
		{Op: change.Assert, Quad: rdf.Quad{Subject: node, Predicate: rdf.IRI(base + "code"), Object: rdf.Literal(code, "")}},
	}
	for i := 0; i < len(texts); i += 2 {
		edits = append(edits, change.Edit{Op: change.Assert, Quad: rdf.Quad{Subject: node, Predicate: rdf.IRI(base + texts[i]), Object: rdf.Literal(texts[i+1], "")}})
	}
	return edits
}

func searchGraph(t *testing.T) *kg.Graph {
	t.Helper()
	g := open(t, newFile(t, searchSchema))
	var edits []change.Edit
	for _, e := range [][]change.Edit{
		saying("Person", "ada", "name", "Ada Lovelace", "note", "Wrote the first program for the Analytical Engine.", "secret", "enchantress"),
		saying("Person", "grace", "name", "Grace Hopper", "alias", "Amazing Grace", "note", "Made compilers, and found a moth in a relay."),
		saying("Person", "p3", "name", "Émile Zola", "note", "東京都 was never visited"),
		saying("Person", "p4", "name", "LovelaceFan", "note", "writes about ada_lovelace and T1003.001, and programming"),
		saying("Place", "engine", "name", "Engine House", "note", "Nothing analytical"),
		saying("Place", "moth", "name", "Mothland", "note", strings.Repeat("long ", 300)+"compiled at the end"),
	} {
		edits = append(edits, e...)
	}
	commit(t, g, edits)
	return g
}

// hits are the ids that a search finds, in their order.
func hits(t *testing.T, g *kg.Graph, search browse.Search) (ids []string, out browse.SearchResult) {
	t.Helper()
	view(t, g, func(s *kg.Snapshot) (err error) {
		if out, err = s.Search(t.Context(), search); err != nil {
			t.Fatalf("%q: %v", search.Text, err)
		}
		for _, hit := range out.Hits {
			ids = append(ids, hit.ID)
		}
		return nil
	})
	return ids, out
}

func TestSearchFindsNodesByTheirTexts(t *testing.T) {
	g := searchGraph(t)
	for _, c := range []struct {
		text, want string
		matching   browse.Matching
	}{
		{"lovelace", "p4 ada", browse.MatchedAll},
		{"LOVE", "p4 ada", browse.MatchedAll},
		{"love ", "", browse.MatchedAny},
		{"ada lovelace", "ada p4", browse.MatchedAll},
		{"ada_lovelace", "ada p4", browse.MatchedAll},
		{"emile zola", "p3", browse.MatchedAll},
		{"ÉMILE", "p3", browse.MatchedAll},
		{"京都", "p3", browse.MatchedAll},
		{"東", "p3", browse.MatchedAll},
		{"t1003.001", "p4", browse.MatchedAll},
		{"1003", "", browse.MatchedAny},
		{"compiler", "grace moth", browse.MatchedAll},
		{`"first program"`, "ada", browse.MatchedAll},
		{`"program first"`, "", browse.MatchedAny},
		{"the program", "ada p4", browse.MatchedAll},
		{"engine", "engine ada", browse.MatchedAll},
		{"moth", "moth grace", browse.MatchedAll},
		{"lovelase", "p4 ada", browse.MatchedCorrected},
		{"engine moth", "engine moth ada grace", browse.MatchedAny},
		{"enchantress", "", browse.MatchedAny},
		{"amazing grace", "grace", browse.MatchedAll},
		{"Person/ada", "ada", browse.MatchedAll},
		{base + "Person/ada", "ada", browse.MatchedAll},
		{"house:ada OR NOT (zola) AND *", "p4 ada p3 engine grace", browse.MatchedAny},
		{`") OR words MATCH ("ada`, "ada p4", browse.MatchedAny},
	} {
		ids, out := hits(t, g, browse.Search{Text: c.text})
		if got := strings.Join(ids, " "); got != c.want || out.Matching != c.matching && c.want != "" {
			t.Errorf("%q: got %s (%s, %v), want %s (%s)", c.text, got, out.Matching, out.Corrections, c.want, c.matching)
		}
	}
}

// The index of words has the texts of all times: a word that no text has any more is taken for one that a text has.
func TestAWordOfRemovedTextsAloneIsCorrected(t *testing.T) {
	g := searchGraph(t)
	was := saying("Place", "old", "name", "Harbour")
	commit(t, g, was)
	commit(t, g, saying("Place", "new", "name", "Harbor"))
	ids, out := hits(t, g, browse.Search{Text: "harbour "})
	if strings.Join(ids, " ") != "old" || out.Matching != browse.MatchedAll {
		t.Errorf("got %v, %s", ids, out.Matching)
	}
	for i := range was {
		was[i].Op = change.Retract
	}
	commit(t, g, was)
	ids, out = hits(t, g, browse.Search{Text: "harbour "})
	if want := []browse.Correction{{Word: "harbour", Instead: "harbor"}}; strings.Join(ids, " ") != "new" || !cmp.Equal(out.Corrections, want) {
		t.Errorf("got %v, %v", ids, out.Corrections)
	}
}

// Nodes with some of the words fill the page after those with all, and stand at the same place whatever the page. A name
// or id alone is no question: nothing is added to what has it.
func TestAPageIsFilledWithHitsOfSomeWords(t *testing.T) {
	g := searchGraph(t)
	for text, want := range map[string]string{
		"moth relay":                 "grace moth?",
		"what program, first engine": "ada engine? p4?",
		"ada lovelace":               "ada p4",
		"Engine House":               "engine",
		"Person/ada engine":          "ada? engine? p4?",
		"moth":                       "moth grace",
	} {
		var whole, paged []string
		_, all := hits(t, g, browse.Search{Text: text})
		for _, hit := range all.Hits {
			whole = append(whole, hit.ID+strings.Repeat("?", strings.Count(fmt.Sprint(hit.Partial), "true")))
		}
		for more, at := true, 0; more && at < 10; at++ {
			ids, out := hits(t, g, browse.Search{Text: text, Limit: 1, Offset: at})
			paged, more = append(paged, ids...), out.More
		}
		if got := strings.Join(whole, " "); got != want || strings.ReplaceAll(got, "?", "") != strings.Join(paged, " ") {
			t.Errorf("%q: got %s and by pages %v, want %s", text, got, paged, want)
		}
	}
}

func TestSearchSaysWhatItFound(t *testing.T) {
	g := searchGraph(t)
	_, out := hits(t, g, browse.Search{Text: "compilers relai", Limit: 1})
	if want := []browse.Correction{{Word: "relai", Instead: "relay"}}; !cmp.Equal(out.Corrections, want) || out.Matching != browse.MatchedCorrected {
		t.Errorf("%v, %s", out.Corrections, out.Matching)
	}
	hit := out.Hits[0]
	if hit.Label != "Grace Hopper" || hit.Type.Name != "Person" || hit.PropertyName != "note" || out.Snippet(hit) != "Made compilers, and found a moth in a relay." {
		t.Errorf("%+v", hit)
	}
	first, out := hits(t, g, browse.Search{Text: "engine moth", Limit: 2})
	second, last := hits(t, g, browse.Search{Text: "engine moth", Limit: 2, Offset: 2})
	if !out.More || last.More || len(first) != 2 || len(second) != 2 {
		t.Errorf("pages %v (%v) and %v (%v)", first, out.More, second, last.More)
	}
	view(t, g, func(s *kg.Snapshot) error {
		sch := s.Schema()
		for types, want := range map[*schema.Type]string{sch.Type("Thing"): "engine ada", sch.Type("Place"): "engine", sch.Type("Person"): "ada"} {
			found, err := s.Search(t.Context(), browse.Search{Text: "engine", Types: []*schema.Type{types}})
			if err != nil {
				return err
			}
			var ids []string
			for _, hit := range found.Hits {
				ids = append(ids, hit.ID)
			}
			if strings.Join(ids, " ") != want {
				t.Errorf("%s: %v", types.Name, ids)
			}
		}
		for _, wrong := range []browse.Search{{}, {Text: "?"}, {Text: strings.Repeat("word ", 1<<18)}, {Text: "a", Limit: 1000}, {Text: "a", Limit: -1}, {Text: "a", Offset: -1}, {Text: "a", Offset: 1 << 20}} {
			if _, err := s.Search(t.Context(), wrong); !fault.Is(err, fault.InvalidArguments) {
				t.Errorf("%.20q, limit %d, offset %d: %v", wrong.Text, wrong.Limit, wrong.Offset, err)
			}
		}
		return nil
	})
}

// What is written is found at once, whether it is in the index yet or not, and what is
// removed is not found.
func TestSearchFollowsWrites(t *testing.T) {
	testrun.Alone(t)
	g := searchGraph(t)
	for round := range 3 {
		code := fmt.Sprintf("new%d", round)
		commit(t, g, saying("Place", code, "name", "Quokka island "+code))
		if ids, out := hits(t, g, browse.Search{Text: "quokka"}); len(ids) != round+1 || out.Matching != browse.MatchedAll {
			t.Errorf("round %d: %v", round, ids)
		}
		if ids, out := hits(t, g, browse.Search{Text: "qoukka"}); len(ids) != round+1 || out.Matching != browse.MatchedCorrected {
			t.Errorf("round %d: %v", round, ids)
		}
		var many []change.Edit
		for i := range 300 {
			many = append(many, saying("Place", fmt.Sprintf("%s-%d", code, i), "name", fmt.Sprintf("filler %d %d", round, i))...)
		}
		commit(t, g, many)
		verify(t, g)
	}
	commit(t, g, []change.Edit{{Op: change.Clear, Quad: rdf.Quad{Subject: rdf.IRI(base + "Place/new0"), Predicate: rdf.IRI(base + "note")}},
		{Op: change.Clear, Quad: rdf.Quad{Subject: rdf.IRI(base + "Place/new0"), Predicate: rdf.IRI(base + "name")}},
		{Op: change.Assert, Quad: rdf.Quad{Subject: rdf.IRI(base + "Place/new0"), Predicate: rdf.IRI(base + "name"), Object: rdf.Literal("Rottnest", "")}}})
	if ids, _ := hits(t, g, browse.Search{Text: "quokka"}); len(ids) != 2 {
		t.Errorf("after a change: %v", ids)
	}
	verify(t, g)
}

// The nodes of a type are found by a word that very many texts of other types have, be the type
// small or not.
func TestATypeIsSearchedAmongManyTextsOfOthers(t *testing.T) {
	testrun.Alone(t)
	g := open(t, newFile(t, searchSchema))
	var edits []change.Edit
	for i := range 5000 {
		edits = append(edits, saying("Person", fmt.Sprintf("p%d", i), "name", fmt.Sprintf("research fellow %d", i))...)
	}
	edits = append(edits, saying("Place", "lab", "name", "House of research", "note", "built for fellows")...)
	commit(t, g, append(edits, saying("Place", "inn", "name", "The inn")...))
	search := func(text string) (found browse.SearchResult) {
		view(t, g, func(s *kg.Snapshot) (err error) {
			found, err = s.Search(t.Context(), browse.Search{Text: text, Types: []*schema.Type{s.Schema().Type("Place")}})
			return err
		})
		return found
	}
	for _, text := range []string{"research", "resea", "house research", "research nosuchword", "resaerch"} {
		if found := search(text); len(found.Hits) != 1 || found.Hits[0].ID != "lab" || found.More {
			t.Errorf("%q: %+v, more %t", text, found.Hits, found.More)
		}
	}
	edits = nil
	for i := range 600 {
		edits = append(edits, saying("Place", fmt.Sprintf("lab%d", i), "name", fmt.Sprintf("research place %d", i))...)
	}
	commit(t, g, edits)
	if found := search("research"); len(found.Hits) != 10 || !found.More {
		t.Errorf("%d hits, more %t", len(found.Hits), found.More)
	}
	for _, text := range []string{"research", "research place house", "resea"} { // more than a search looks at
		seen, last := map[string]bool{}, browse.SearchResult{More: true}
		for last.More {
			ids, found := hits(t, g, browse.Search{Text: text, Limit: 100, Offset: len(seen)})
			if last = found; len(ids) == 0 {
				t.Fatalf("%q: after %d nodes there is a page of none", text, len(seen))
			}
			for _, id := range ids {
				if seen[id] {
					t.Fatalf("%q: %s is on two pages", text, id)
				}
				seen[id] = true
			}
		}
		if !last.Bounded {
			t.Errorf("%q: ends after %d nodes, as if these were all", text, len(seen))
		}
	}
}

func TestASearchExplainsWhereItsHitsStand(t *testing.T) {
	g := searchGraph(t)
	_, plain := hits(t, g, browse.Search{Text: "engine"})
	if plain.Hits[0].Why != nil {
		t.Error("an explanation that nobody asked for")
	}
	for _, c := range []struct {
		text   string
		offset int
		want   []string // of each hit the begin of its explanation, without numbers
	}{
		{"engine", 0, []string{`1. all words: "engine" in name + the id is the searched text`, `2. all words: "engine" in note`}},
		{"engine", 1, []string{`2. all words: "engine" in note`}},
		{"ada lovelace", 0, []string{`1. all words: "ada" in name + "lovelace" in name + a label is the searched text`, `2. all words: "ada" in note + "lovelace" in note`}},
		{"the zebra compiler", 0, []string{
			`1. some words, so behind the hits with all: "compilers" in note; without "zebra"`,
			`2. some words, so behind the hits with all: "the" in note + "compilers" in note; without "zebra"`,
		}},
		{"lovelase", 0, []string{`1. all words: "lovelace" in name + a label begins with the searched text`, `2. all words: "lovelace" in name + a label has all words`}},
		{"Person/ada", 0, []string{`1. the id is the searched text`}},
	} {
		_, found := hits(t, g, browse.Search{Text: c.text, Offset: c.offset, Explain: true})
		var got []string
		for _, hit := range found.Hits {
			sum := hit.Why.Boost
			for _, word := range hit.Why.Words {
				sum += word.Score
				if word.Weight <= 0 {
					t.Errorf("%q: %q has no weight", c.text, word.Word)
				}
			}
			if sum != hit.Score || hit.Why.Score != hit.Score {
				t.Errorf("%q: %v explains %g, and the score is %g", c.text, hit.Why, sum, hit.Score)
			}
			got = append(got, numbers.ReplaceAllString(hit.Why.String(), ""))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q: %s", c.text, diff)
		}
	}
}

// numbers are the scores and weights of an explanation.
var numbers = regexp.MustCompile(`( \(weight [\d.]+\)| =? ?\d+\.\d\d)`)

// TestASearchSaysWhichPhraseNoTextHas holds what is said of phrases, and that nodes are found by what it says.
func TestASearchSaysWhichPhraseNoTextHas(t *testing.T) {
	g := searchGraph(t)
	for text, want := range map[string]string{
		`"hopper grace"`:                `no text has the phrase "hopper grace"; leave the quotation marks out`,
		`"hopper grace" xyzzyq`:         `no text has the phrase "hopper grace", nor any of the other words; leave the quotation marks out`,
		`"hopper grace" "lovelace ada"`: `no text has any of the phrases "hopper grace", "lovelace ada"; leave the quotation marks out`,
		`"lovelce"`:                     `no text has the phrase "lovelce"; leave the quotation marks out`,
		`"xyzzyq plugh"`:                `nothing has any of these words; try others`,
		`xyzzyq`:                        `nothing has any of these words; try others`,
	} {
		ids, found := hits(t, g, browse.Search{Text: text})
		if told := found.ToldNothing(); len(ids) != 0 || !strings.HasPrefix(told, want) {
			t.Errorf("%s finds %q, and is told %q, want %q", text, ids, told, want)
		}
		ids, _ = hits(t, g, browse.Search{Text: strings.ReplaceAll(text, `"`, "")})
		if follows := strings.Contains(want, "quotation marks"); follows != (len(ids) > 0) {
			t.Errorf("%s without quotation marks finds %q", text, ids)
		}
	}
	if ids, found := hits(t, g, browse.Search{Text: `"grace hopper"`}); len(ids) != 1 || found.Phrases != nil {
		t.Errorf("a phrase that is there finds %q, and is told of %q", ids, found.Phrases)
	}
}
