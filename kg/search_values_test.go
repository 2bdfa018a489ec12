package kg_test

import (
	"fmt"
	"strings"
	"testing"

	"trails/kg"
	"trails/kg/browse"
	"trails/rdf"
	"trails/schema"
)

// datedGraph has values of each kind of number and date.
func datedGraph(t *testing.T) *kg.Graph {
	t.Helper()
	g := open(t, newFile(t, `
types:
  Thing: {abstract: true, label: name, key: code, iri: key, properties: {code: {type: string, required: true}, name: string, note: string}}
  Person: {extends: Thing, properties: {hired: {type: date, many: true}, seen: datetime, age: integer, kept: {type: date, search: false}}}
  Film: {extends: Thing, properties: {year: year, shown: year_month, price: decimal, stars: float, takes: int32}}
`))
	update(t, g, `PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> INSERT DATA {
		:Person\/a a :Person ; :code "a" ; :name "Ada" ; :note "from Berlin" ; :hired "2023-03-12"^^xsd:date ; :age 42 .
		:Person\/b a :Person ; :code "b" ; :name "Ben" ; :note "from Berlin" ; :hired "2023-07-01"^^xsd:date, "1999-01-01"^^xsd:date ; :seen "2024-03-12T09:00:00Z"^^xsd:dateTime .
		:Person\/c a :Person ; :code "c" ; :name "Cy" ; :note "from Rome" ; :seen "2023-03-12T23:30:00-02:00"^^xsd:dateTime ; :kept "2023-03-12"^^xsd:date .
		:Person\/d a :Person ; :code "d" ; :name "Dee" ; :note "came on 12 March 2023" .
		:Film\/f a :Film ; :code "f" ; :name "Heat" ; :year "2023"^^xsd:gYear ; :price 19.50 ; :stars "4.5"^^xsd:float ; :takes "42"^^xsd:int .
		:Film\/g a :Film ; :code "g" ; :name "Cold" ; :shown "2023-03"^^xsd:gYearMonth ; :price 1200.0 . }`)
	return g
}

// A number, a day, a month or a year is found as a value of a property that has it, in each way of writing it, and beside
// words of a text as if it were one of them.
func TestNumbersAndDatesAreFoundAsValues(t *testing.T) {
	g := datedGraph(t)
	for text, want := range map[string]string{
		"2023-03-12": "d a", "12.03.2023": "d a", "12 March 2023": "d a", "March 12, 2023": "d a", // times count in UTC
		"2023-03-13": "c",
		"2023-03":    "d g a c", "March 2023": "d g a c",
		"2023": "d f a b c", "1999": "b", "2024": "b",
		"42": "f a", "42.0": "f a", "19.5": "f", "4.5": "f", "1,200": "g", "1200": "g", "7": "",
		"Berlin 2023": "a b | d f c", "2023 in Berlin": "a b | d f c", "Berlin 12 March 2023": "a | d b", "Rome 1999": " | c b",
		"2023 42":          "f a | d b c",
		"31 February 2023": " | d", "12 March": "d", `"2023"`: "d", "12 March 2022": " | d",
	} {
		ids, out := hits(t, g, browse.Search{Text: text})
		var whole, partial []string
		for i, hit := range out.Hits {
			if hit.Partial {
				partial = append(partial, ids[i])
			} else {
				whole = append(whole, ids[i])
			}
		}
		if got := strings.TrimSuffix(strings.Join(whole, " ")+" | "+strings.Join(partial, " "), " | "); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
		if out.Bounded {
			t.Errorf("%q: the search is bounded", text)
		}
	}
}

// A hit by a value shows the value, and says what it is worth: less, the more nodes have it.
func TestAValueSaysWhyItIsFound(t *testing.T) {
	g := datedGraph(t)
	_, out := hits(t, g, browse.Search{Text: "2023-07-01", Explain: true})
	hit := out.Hits[0]
	if hit.PropertyName != "hired" || out.Snippet(hit) != "2023-07-01" {
		t.Errorf("shown is %s: %s", hit.PropertyName, out.Snippet(hit))
	}
	day := hit.Why.Words[0]
	if day.Property != "hired" || day.Word != "2023-07-01" {
		t.Errorf("the reason is %+v", day)
	}
	_, out = hits(t, g, browse.Search{Text: "Berlin 2023", Explain: true})
	year := out.Hits[1].Why.Words[1]
	if out.Hits[1].ID != "b" || year.Property != "hired" || year.Weight >= day.Weight {
		t.Errorf("the year is worth %+v, and the day %+v", year, day)
	}
}

// Of a type its instances are found, of an earlier commit the values that it had, and of what is hidden nothing.
func TestValuesAreFoundAsTheReaderSeesThem(t *testing.T) {
	g := datedGraph(t)
	person := rdf.IRI(g.Base() + "Person")
	if _, err := g.Session(ana).MakeBranch(t.Context(), kg.NewBranch{Name: "side"}); err != nil {
		t.Fatal(err)
	}
	update(t, g, `DELETE WHERE { :Person\/a :hired ?d }`)
	for name, c := range map[string]struct {
		session *kg.Session
		at      string
		typ     string
		text    string
		want    string
	}{
		"of a type":           {g.Session(ana), "", "Film", "42", "f"},
		"of another":          {g.Session(ana), "", "Person", "42", "a"},
		"removed":             {g.Session(ana), "", "", "2023-03-12", "d"},
		"before":              {g.Session(ana), "head~1", "", "2023-03-12", "d a"},
		"on a branch":         {g.Session(ana).On("side"), "", "", "2023-03-12", "d a"},
		"hidden nodes":        {g.Session(ana).Seeing(&kg.Rights{Types: []rdf.IRI{person}}), "", "", "2023", "f"},
		"hidden values":       {g.Session(ana).Seeing(&kg.Rights{Predicates: []rdf.IRI{rdf.IRI(g.Base() + "hired")}}), "", "", "2023", "d f c"},
		"hidden nodes before": {g.Session(ana).Seeing(&kg.Rights{Types: []rdf.IRI{person}}), "head", "", "42", "f"},
	} {
		snap, err := c.session.Snapshot(t.Context())
		if err == nil && c.at != "" {
			snap, err = snap.At(t.Context(), mustFind(t, snap, c.at))
		}
		if err != nil {
			t.Fatal(err)
		}
		search := browse.Search{Text: c.text}
		if c.typ != "" {
			search.Types = []*schema.Type{snap.Schema().Type(c.typ)}
		}
		found, err := snap.Search(t.Context(), search)
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, hit := range found.Hits {
			ids = append(ids, hit.ID)
		}
		if got := strings.Join(ids, " "); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
		if err := snap.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A value that very many nodes have is found with some of them, which are said to be some; beside a word that few have it is
// found with these.
func TestAValueOfVeryManyNodesIsBounded(t *testing.T) {
	g := datedGraph(t)
	var b strings.Builder
	for i := range 1_200 {
		fmt.Fprintf(&b, ":Person\\/n%d a :Person ; :code \"n%d\" ; :hired \"2010-01-%02d\"^^<http://www.w3.org/2001/XMLSchema#date> . ", i, i, i%28+1)
	}
	b.WriteString(":Person\\/last a :Person ; :code \"last\" ; :note \"of Oslo\" ; :hired \"2010-12-31\"^^<http://www.w3.org/2001/XMLSchema#date> .")
	update(t, g, "INSERT DATA { "+b.String()+" }")
	if ids, out := hits(t, g, browse.Search{Text: "2010", Limit: 100}); len(ids) != 100 || !out.More || !out.Bounded {
		t.Errorf("%d hits, more %t, bounded %t", len(ids), out.More, out.Bounded)
	}
	if ids, _ := hits(t, g, browse.Search{Text: "oslo 2010"}); len(ids) == 0 || ids[0] != "last" {
		t.Errorf("got %v", ids)
	}
	if _, out := hits(t, g, browse.Search{Text: "oslo 2010"}); out.Hits[0].Partial || out.Matching != browse.MatchedAll {
		t.Errorf("%+v, %s", out.Hits[0], out.Matching)
	}
	var film *schema.Type
	view(t, g, func(s *kg.Snapshot) error { film = s.Schema().Type("Film"); return nil })
	if ids, out := hits(t, g, browse.Search{Text: "2010", Types: []*schema.Type{film}}); len(ids) != 0 {
		t.Errorf("got %v, bounded %t", ids, out.Bounded)
	}
}

// TestValuesThatAreNotLookedAtAreTold holds that a search says which numbers and dates it does not compare, and that the way out
// finds them.
func TestValuesThatAreNotLookedAtAreTold(t *testing.T) {
	g := open(t, newFile(t, "types:\n  Signal: {label: name, properties: {name: string, seen: datetime, price: decimal}}\n"))
	var b strings.Builder
	for i := range 5_001 {
		fmt.Fprintf(&b, ":Signal\\/n%d a :Signal ; :seen \"2020-01-01T%02d:%02d:%02d+01:00\"^^xsd:dateTime ; :price %d.50 . ", i, 10+i/3600, i/60%60, i%60, i)
	}
	update(t, g, "PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> INSERT DATA { "+b.String()+" }")
	ids, found := hits(t, g, browse.Search{Text: "2020-01-01"})
	if len(ids) != 0 || found.Bounded || len(found.Left) != 1 || !strings.HasPrefix(found.Left[0], "dates and times of Signal.seen are not looked at: ") {
		t.Errorf("a day finds %q, bounded %t, and %q is told", ids, found.Bounded, found.Left)
	}
	ids, found = hits(t, g, browse.Search{Text: "7.50"})
	if len(ids) != 1 || ids[0] != "n7" || found.Bounded || len(found.Left) != 1 || !strings.HasPrefix(found.Left[0], "numbers of Signal.price are found in their usual forms alone") {
		t.Errorf("a number finds %q, bounded %t, and %q is told", ids, found.Bounded, found.Left)
	}
	if ids, found = hits(t, g, browse.Search{Text: "nothing"}); len(found.Left) != 0 {
		t.Errorf("a word finds %q, and %q is told", ids, found.Left)
	}
	_, told, err := searched(t, g, kg.QueryOptions{}, `SELECT ?n { ?n trails:matches "2020-01-01" }`)
	if err != nil || !strings.Contains(told, "dates and times of Signal.seen are not looked at") {
		t.Errorf("a query tells %q: %v", told, err)
	}
	view(t, g, func(s *kg.Snapshot) error {
		signal := s.Schema().Type("Signal")
		path, _ := s.PathOf(signal, "seen")
		where, problems := s.ConditionOf(path, string(browse.OpAtLeast), "2020-01-01T00:00:00Z")
		list, err := s.Table(t.Context(), browse.TableQuery{Type: signal, Where: []browse.Condition{where}, Limit: 5, Each: 1})
		if len(problems) > 0 || err != nil || len(list.Rows) != 5 {
			t.Errorf("a list with where has %d rows: %v, %v", len(list.Rows), problems, err)
		}
		return err
	})
}
