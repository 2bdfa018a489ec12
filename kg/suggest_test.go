package kg_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"trails/e2e/testrun"
	"trails/kg"
	"trails/kg/browse"
	"trails/kg/change"
	"trails/rdf"
	"trails/schema"
	"trails/text/fulltext"
)

// fits reports whether a label begins with what was typed, or has its words.
func fits(label, typed string) (begins, has bool) {
	query, err := fulltext.ParseBeginning(strings.ToLower(typed))
	return strings.HasPrefix(strings.ToLower(label), strings.ToLower(typed)), err == nil && query.Has()(label)
}

// Lists and pickers find a label by any of its words, whatever case and accents, and several in any order; labels
// that begin with what was typed are suggested first. The same is found before and after the index has the labels.
func TestLabelsAreFoundByAnyOfTheirWords(t *testing.T) {
	testrun.Alone(t)
	g := open(t, newFile(t, searchSchema))
	var edits []change.Edit
	for id, label := range map[string]string{"a": "Petr Novák", "b": "Novák & Söhne", "c": "Anna Müller-Novotná", "d": "The Mullet", "e": "Nov"} {
		edits = append(edits, saying("Place", id, "name", label)...)
	}
	commit(t, g, edits)
	ask := func() {
		t.Helper()
		for typed, want := range map[string][]string{
			"novak": {"b", "a"}, "mull": {"c", "d"}, "MÜLL": {"c", "d"}, "nov": {"e", "b", "c", "a"}, "novak petr": {"a"}, "novotna mu": {"c"},
			"petr ": {"a"}, "ovak": nil, "novak mull": nil, "sohne": {"b"},
		} {
			view(t, g, func(s *kg.Snapshot) error {
				place := s.Schema().Type("Place")
				found, err := s.SuggestEntities(t.Context(), []*schema.Type{place}, typed, 10)
				if err != nil {
					return err
				}
				table, err := s.Table(t.Context(), browse.TableQuery{Type: place, Search: typed, Limit: 10})
				if err != nil {
					return err
				}
				var suggested, listed []string
				for _, d := range found.Nodes {
					suggested = append(suggested, d.ID)
				}
				for _, row := range table.Rows {
					listed = append(listed, row.Node.ID)
				}
				if !slices.Equal(suggested, want) {
					t.Errorf("%q suggests %v, want %v", typed, suggested, want)
				}
				slices.Sort(listed)
				if slices.Sort(want); !slices.Equal(listed, want) {
					t.Errorf("%q lists %v, want %v", typed, listed, want)
				}
				return nil
			})
		}
	}
	ask()
	var filler []change.Edit
	for i := range 300 {
		filler = append(filler, saying("Place", fmt.Sprintf("f%d", i), "name", fmt.Sprintf("filler %d", i))...)
	}
	commit(t, g, filler)
	ask()
}

// Every beginning of a label, in any case, suggests its node first, and otherwise only nodes whose label has its
// words.
func TestAnyBeginningOfALabelSuggestsItsNode(t *testing.T) {
	testrun.Alone(t)
	labels := []string{
		"Ada Lovelace", "ada_lovelace", "AdaLovelace", "The Who", "PowerShell", "T1003.001", "(x) y", "Émile", "東京都", "iOS 26", "C++", "don't",
		"a--b", "naïve café", "x" + strings.Repeat("y", 100), strings.Repeat("very ", 40) + "long", "what is \"quoted\"", "Ⅷ", "100 %",
	}
	g := open(t, newFile(t, searchSchema))
	var edits []change.Edit
	for i, label := range labels {
		edits = append(edits, saying("Place", fmt.Sprintf("p%d", i), "name", label, "note", "Ada Lovelace and the PowerShell")...)
	}
	commit(t, g, edits)
	ask := func() {
		t.Helper()
		view(t, g, func(s *kg.Snapshot) error {
			for i, label := range labels {
				for end := range label + " " {
					prefix := label[:end]
					if end == 0 || strings.TrimSpace(prefix) == "" {
						continue
					}
					for _, prefix := range []string{prefix, strings.ToUpper(prefix)} {
						found, err := s.SuggestEntities(t.Context(), []*schema.Type{s.Schema().Type("Place")}, prefix, 100)
						if err != nil {
							return err
						}
						var first, then, got []string
						for j, other := range labels {
							switch begins, has := fits(other, prefix); {
							case begins:
								first = append(first, fmt.Sprintf("p%d", j))
							case has:
								then = append(then, fmt.Sprintf("p%d", j))
							}
						}
						for _, d := range found.Nodes {
							got = append(got, d.ID)
						}
						for _, part := range [][]string{first, then, got[:min(len(first), len(got))], got[min(len(first), len(got)):]} {
							slices.Sort(part)
						}
						if want := slices.Concat(first, then); !slices.Equal(got, want) {
							t.Errorf("label %d, %q: got %v, want %v", i, prefix, got, want)
						}
					}
				}
			}
			return nil
		})
	}
	ask()
	var filler []change.Edit
	for i := range 300 {
		filler = append(filler, saying("Person", fmt.Sprintf("f%d", i), "name", fmt.Sprintf("filler %d", i))...)
	}
	commit(t, g, filler) // now all are in the index
	ask()
}

// Lists and suggestions have exactly the nodes whose label begins with a text or has its words, whatever
// signs, cases and scripts it is made of, and whether the index has the label or not yet;
// nodes without a label go by their ids.
func TestNodesAreFoundByTheirLabels(t *testing.T) {
	testrun.Alone(t)
	g := open(t, newFile(t, `
types:
  Place: {label: name, key: code, iri: key, properties: {name: {type: string}, code: {type: string, required: true}, note: string}}
  Cafe: {extends: Place}
  Year: {label: year, key: code, iri: key, properties: {year: {type: integer}, code: {type: string, required: true}}}
  Bare: {key: code, iri: key, properties: {code: {type: string, required: true}}}
`))
	random := testrun.Random(t)
	pick := func(of ...string) string { return of[random.IntN(len(of))] }
	label := func() string {
		var b strings.Builder
		for range 1 + random.IntN(5) {
			b.WriteString(pick("power", "Power", "POWER", "Shell", "shell", "the ", "The", " ", " ", "-", "_", ".", "(", "!", "\"", "%", "é", "E\u0301", "ß", "東京", "都", "ｶﾞ", "한", "й", "İ", "1", "42", "T1003", "🦀", "x", "don't", strings.Repeat("long ", 40)))
		}
		return b.String()
	}
	said := map[string]map[string]string{"Place": {}, "Cafe": {}, "Year": {}, "Bare": {}}
	more := func(n int) {
		var edits []change.Edit
		for i := range n {
			for _, typ := range []string{"Place", "Cafe", "Year", "Bare"} { // a seed makes the same labels again
				code := fmt.Sprintf("%s%d%s", pick("a", "B", "c-"), i+n, typ)
				text := code
				switch typ {
				case "Year":
					text = fmt.Sprint(random.IntN(3000))
					edits = append(edits, saying(typ, code)...)
					edits = append(edits, change.Edit{Op: change.Assert, Quad: rdf.Quad{Subject: rdf.IRI(base + typ + "/" + code), Predicate: rdf.IRI(base + "year"), Object: rdf.Literal(text, rdf.XSDInteger)}})
				case "Bare":
					edits = append(edits, saying(typ, code)...)
				default:
					text = label()
					edits = append(edits, saying(typ, code, "name", text)...)
				}
				said[typ][code] = text
			}
		}
		commit(t, g, edits)
	}
	ask := func() {
		t.Helper()
		view(t, g, func(s *kg.Snapshot) error {
			for typ, of := range map[string][]string{"Place": {"Place", "Cafe"}, "Cafe": {"Cafe"}, "Year": {"Year"}, "Bare": {"Bare"}} {
				texts := map[string]string{} // by type and id
				for _, own := range of {
					for code, text := range said[own] {
						texts[own+"/"+code] = text
					}
				}
				all := slices.Sorted(maps.Keys(texts))
				for range 60 {
					runes := []rune(texts[all[random.IntN(len(all))]])
					prefix := string(runes[:1+random.IntN(len(runes))])
					switch random.IntN(4) {
					case 0:
						prefix = strings.ToUpper(prefix)
					case 1:
						prefix = strings.ToLower(prefix)
					case 2:
						prefix += pick("x", " ", "1", ".", "東")
					}
					var want, listed, suggested []string
					for _, node := range all {
						if begins, has := fits(texts[node], prefix); begins || has {
							want = append(want, node)
						}
					}
					nodes := []*schema.Type{s.Schema().Type(typ)}
					table, err := s.Table(t.Context(), browse.TableQuery{Type: nodes[0], Search: prefix, Limit: 10_000})
					if err != nil {
						return err
					}
					for _, row := range table.Rows {
						listed = append(listed, row.Node.Type.Name+"/"+row.Node.ID)
					}
					slices.Sort(listed)
					if table.TotalMore { // of long labels some may be missing
						want = slices.DeleteFunc(want, func(node string) bool {
							return len(texts[node]) > fulltext.ShortText && !slices.Contains(listed, node)
						})
					}
					if !slices.Equal(listed, want) || table.Total != len(want) {
						t.Errorf("a list of %s searched for %q has %d of %d: %q, want %q", typ, prefix, len(listed), table.Total, listed, want)
					}
					found, err := s.SuggestEntities(t.Context(), nodes, prefix, 1000)
					if err != nil {
						return err
					}
					for _, d := range found.Nodes {
						suggested = append(suggested, d.Type.Name+"/"+d.ID)
					}
					slices.Sort(suggested)
					if found.More && len(want) < 200 {
						want = slices.DeleteFunc(want, func(node string) bool {
							return len(texts[node]) > fulltext.ShortText && !slices.Contains(suggested, node)
						})
					}
					if len(want) > 0 && len(want) < 200 && !slices.Equal(suggested, want) || len(want) >= 200 && !found.More {
						t.Errorf("%q suggests %q, want %q", prefix, suggested, want)
					}
				}
			}
			return nil
		})
	}
	more(300)
	ask()
	more(50) // these are not in the index
	ask()
}

// Suggestions are in the order of their labels and described as each node by itself, whether
// their IRIs name the type that is asked for or not, and whether nodes have one type or two.
func TestSuggestionsAreDescribedAsEachNodeIs(t *testing.T) {
	g := open(t, newFile(t, `
types:
  Place: {label: name, key: code, iri: key, properties: {name: {type: string}, code: {type: string, required: true}}}
  Cafe: {extends: Place}
  Stop: {label: line, key: code, iri: key, properties: {line: string, code: {type: string, required: true}}}
`))
	random := rand.New(rand.NewPCG(4, 5))
	var edits []change.Edit
	for i := range 600 {
		typ := []string{"Place", "Cafe", "Stop"}[i%3]
		code, name := fmt.Sprintf("x%d", i), []string{"north ", "North ", "nor"}[random.IntN(3)]+fmt.Sprint(random.IntN(5000))
		made := saying(typ, code, map[string]string{"Place": "name", "Cafe": "name", "Stop": "line"}[typ], name)
		node := made[0].Quad.Subject
		switch i / 3 % 5 {
		case 1: // a second type, with another label
			if typ == "Cafe" {
				second := saying("Stop", code, "line", fmt.Sprint("a line ", i))
				for j := range second {
					second[j].Quad.Subject = node
				}
				made = append(made, second...)
			}
		case 2: // an IRI of elsewhere
			for j := range made {
				made[j].Quad.Subject = rdf.IRI("https://example.org/" + code)
			}
		}
		edits = append(edits, made...)
	}
	commit(t, g, edits)
	for _, names := range [][]string{{"Place"}, {"Cafe"}, {"Stop"}, {"Stop", "Cafe"}} {
		for _, prefix := range []string{"", "n", "NOR", "nor1", "north 1", "north 47", "other", "x1"} {
			view(t, g, func(s *kg.Snapshot) error {
				var types []*schema.Type
				for _, name := range names {
					types = append(types, s.Schema().Type(name))
				}
				all, err := s.SuggestEntities(t.Context(), types, prefix, 1000)
				if err != nil {
					return err
				}
				first, err := s.SuggestEntities(t.Context(), types, prefix, 7)
				if err != nil {
					return err
				}
				if first.Total != all.Total || !slices.Equal(first.Nodes, all.Nodes[:min(7, len(all.Nodes))]) {
					t.Errorf("%v, %q: the first seven are %v, want %v", names, prefix, first.Nodes, all.Nodes)
				}
				view(t, g, func(fresh *kg.Snapshot) error {
					for i, got := range all.Nodes {
						want, err := fresh.Describe(t.Context(), got.Term)
						if err != nil {
							return err
						}
						if got != want {
							t.Errorf("%v, %q suggests %+v, want %+v", names, prefix, got, want)
						}
						rank := func(d browse.Described) string { // those that begin with the text come first
							begins, _ := fits(d.Label, prefix)
							return fmt.Sprint(!begins, strings.ToLower(d.Label))
						}
						if prefix != "" && i > 0 && rank(all.Nodes[i-1]) > rank(got) {
							t.Errorf("%v, %q: %q comes before %q", names, prefix, all.Nodes[i-1].Label, got.Label)
						}
					}
					return nil
				})
				return nil
			})
		}
	}
}
