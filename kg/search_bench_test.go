package kg_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"trails/kg"
	"trails/kg/browse"
	"trails/rdf"
	"trails/schema"
	"trails/sparql"
)

// wordySchema has texts as people write them, of types of very different sizes.
const wordySchema = `
types:
  Named: {abstract: true, label: name, key: code, iri: key, properties: {name: {type: string, required: true}, code: {type: string, required: true}, note: string, about: {class: Named, many: true}}}
  Paper: {extends: Named}
  Person: {extends: Named}
  Prize: {extends: Named}
`

// wordy returns about n quads, six of each node, with a vocabulary of some 100,000 words in
// a million quads. A note in seven has the word research. A node in ten is a person, one in a
// thousand a prize, and these come last; two thirds of the papers are about one node.
func wordy(n int) []byte {
	random := rand.New(rand.NewPCG(5, 6))
	zipf := rand.NewZipf(random, 1.05, 20, uint64(n/8))
	syllables := []string{"ba", "con", "der", "est", "fi", "gra", "hol", "in", "ka", "lu", "men", "no", "or", "pre", "qui", "ro", "sta", "ter", "un", "vi", "wex", "yl"}
	word := func() string {
		text := ""
		for i := zipf.Uint64() + 30; i > 0; i /= uint64(len(syllables)) {
			text += syllables[i%uint64(len(syllables))]
		}
		return text
	}
	var b bytes.Buffer
	nodes := n / 6
	iri := func(typ string, i int) string { return fmt.Sprintf("<%s%s/n%d>", base, typ, i) }
	typeOf := func(i int) string {
		switch {
		case i >= nodes-nodes/1000:
			return "Prize"
		case i%10 == 3:
			return "Person"
		}
		return "Paper"
	}
	for i := range nodes {
		typ := typeOf(i)
		s, note := iri(typ, i), ""
		for range 6 {
			note += " " + word()
		}
		if i%7 == 0 || typ == "Prize" {
			note += " research"
		}
		if i == nodes-1 {
			note += " constaba" // few prizes have none by chance
		}
		fmt.Fprintf(&b, "%s <%s> <%s%s> .\n", s, string(rdf.Type), base, typ)
		fmt.Fprintf(&b, "%s <%scode> \"n%d\" .\n", s, base, i)
		fmt.Fprintf(&b, "%s <%sname> \"%s %s %d\" .\n", s, base, word(), word(), i%100)
		fmt.Fprintf(&b, "%s <%snote> \"on%s\" .\n", s, base, note)
		if typ == "Paper" {
			hub := 3
			if i%3 > 1 {
				hub = random.IntN(nodes)
			}
			fmt.Fprintf(&b, "%s <%sabout> %s .\n", s, base, iri(typeOf(hub), hub))
			if other := random.IntN(nodes); other != hub {
				fmt.Fprintf(&b, "%s <%sabout> %s .\n", s, base, iri(typeOf(other), other))
			}
		}
	}
	return b.Bytes()
}

// BenchmarkSearch searches for a rare word, common ones, several, the beginning of one,
// misspelt ones, and for a word that very many texts have among the nodes of a type.
func BenchmarkSearch(b *testing.B) {
	for _, n := range benchSizes() {
		g := filledFile(b, n, wordySchema, wordy)
		for _, c := range []struct{ text, typ string }{
			{"constader 47", ""}, {"research", ""}, {"res", ""}, {"research on constaba", ""}, {"consta 12", ""}, {fmt.Sprintf("n%d", min(4711, n/12)), ""},
			{"resaerch", ""}, {"resaerch constadr", ""},
			{"research", "Person"}, {"research", "Prize"}, {"on research", "Prize"}, {"consta", "Prize"},
		} {
			b.Run(fmt.Sprintf("%d/%s/%s", n, c.text, c.typ), func(b *testing.B) {
				best := quickest(b)
				for b.Loop() {
					best.start()
					view(b, g, func(s *kg.Snapshot) error {
						search := browse.Search{Text: c.text}
						if t := s.Schema().Type(c.typ); t != nil {
							search.Types = []*schema.Type{t}
						}
						found, err := s.Search(b.Context(), search)
						if err == nil && len(found.Hits) == 0 {
							b.Fatal("nothing is found")
						}
						return err
					})
					best.stop()
				}
			})
		}
	}
}

// BenchmarkMatches finds a hundred nodes by the words of a query beside a search of its own for the same.
func BenchmarkMatches(b *testing.B) {
	for _, n := range benchSizes() {
		g := filledFile(b, n, wordySchema, wordy)
		for _, text := range []string{"constader 47", "research", "research on constaba"} {
			for name, find := range map[string]func(*kg.Snapshot) (int, error){
				"search": func(s *kg.Snapshot) (int, error) {
					found, err := s.Search(b.Context(), browse.Search{Text: text, Limit: 100})
					return len(found.Hits), err
				},
				"query": func(s *kg.Snapshot) (hits int, err error) {
					q, err := s.ParseQuery(`SELECT ?n ?passage { (?n ?score ?passage) trails:matches $words } ORDER BY DESC(?score)`, "")
					if err != nil {
						return 0, err
					}
					a, err := s.Query(b.Context(), q, kg.QueryOptions{Params: map[sparql.Var]rdf.Term{"words": rdf.Literal(text, "")}})
					if err != nil {
						return 0, err
					}
					for _, err := range a.Rows(b.Context()) {
						if err != nil {
							return 0, err
						}
						hits++
					}
					return hits, nil
				},
			} {
				b.Run(fmt.Sprintf("%d/%s/%s", n, text, name), func(b *testing.B) {
					best := quickest(b)
					for b.Loop() {
						best.start()
						view(b, g, func(s *kg.Snapshot) error {
							hits, err := find(s)
							if err == nil && hits == 0 {
								b.Fatal("nothing is found")
							}
							return err
						})
						best.stop()
					}
				})
			}
		}
	}
}

// BenchmarkHub reads the page and the history of a node that a tenth of all statements are
// about.
func BenchmarkHub(b *testing.B) {
	for _, n := range benchSizes() {
		g := filledFile(b, n, wordySchema, wordy)
		for name, read := range map[string]func(*kg.Snapshot, browse.Described) error{
			"page": func(s *kg.Snapshot, hub browse.Described) error {
				_, err := s.Page(b.Context(), hub, 10)
				return err
			},
			"history": func(s *kg.Snapshot, hub browse.Described) error {
				_, err := s.History(b.Context(), hub, 0, 20)
				return err
			},
		} {
			b.Run(fmt.Sprintf("%d/%s", n, name), func(b *testing.B) {
				best := quickest(b)
				for b.Loop() {
					best.start()
					view(b, g, func(s *kg.Snapshot) error {
						hub, err := s.Find(b.Context(), s.Schema().Type("Person"), "n3")
						if err != nil {
							return err
						}
						return read(s, hub)
					})
					best.stop()
				}
			})
		}
	}
}

// BenchmarkSuggest is what a picker asks for: the first nodes of a type, and those whose
// label begins with what was typed so far; and the same of a list.
func BenchmarkSuggest(b *testing.B) {
	for _, n := range benchSizes() {
		g := filledFile(b, n, wordySchema, wordy)
		for _, c := range []struct{ typ, prefix string }{
			{"Paper", ""}, {"Paper", "c"}, {"Paper", "con"}, {"Paper", "consta"}, {"Paper", "consta de"}, {"Prize", "con"}, {"Named", "b"}, {"Paper", "nosuchlabel"},
		} {
			typed := func(b *testing.B, ask func(*kg.Snapshot, *schema.Type) error) {
				best := quickest(b)
				for b.Loop() {
					best.start()
					view(b, g, func(s *kg.Snapshot) error { return ask(s, s.Schema().Type(c.typ)) })
					best.stop()
				}
			}
			b.Run(fmt.Sprintf("%d/%s/%s", n, c.typ, c.prefix), func(b *testing.B) {
				typed(b, func(s *kg.Snapshot, t *schema.Type) error {
					_, err := s.SuggestEntities(b.Context(), []*schema.Type{t}, c.prefix, 20)
					return err
				})
			})
			b.Run(fmt.Sprintf("%d/%s/%s listed", n, c.typ, c.prefix), func(b *testing.B) {
				typed(b, func(s *kg.Snapshot, t *schema.Type) error {
					_, err := s.Table(b.Context(), browse.TableQuery{Type: t, Search: c.prefix, Limit: 50, Each: 3})
					return err
				})
			})
		}
	}
}

// BenchmarkStarts lists the nodes of which a text starts with something.
func BenchmarkStarts(b *testing.B) {
	for _, n := range benchSizes() {
		g := filledFile(b, n, wordySchema, wordy)
		for _, c := range []struct{ property, prefix string }{
			{"name", "consta"}, {"name", "CONSTADER 4"}, {"name", "con"}, {"note", "on constaba"}, {"code", "n4711"}, {"name", "nosuchlabel"},
		} {
			b.Run(fmt.Sprintf("%d/%s/%s", n, c.property, c.prefix), func(b *testing.B) {
				best := quickest(b)
				for b.Loop() {
					best.start()
					view(b, g, func(s *kg.Snapshot) error {
						t := s.Schema().Type("Paper")
						path, _ := s.PathOf(t, c.property)
						where, _ := s.ConditionOf(path, string(browse.OpStarts), c.prefix)
						_, err := s.Table(b.Context(), browse.TableQuery{Type: t, Where: []browse.Condition{where}, Limit: 50, Each: 3})
						return err
					})
					best.stop()
				}
			})
		}
	}
}

// BenchmarkSortByPath lists the nodes of a type in the order of a text of those that they
// refer to.
func BenchmarkSortByPath(b *testing.B) {
	for _, n := range benchSizes() {
		g := filledFile(b, n, wordySchema, wordy)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			best := quickest(b)
			for b.Loop() {
				best.start()
				view(b, g, func(s *kg.Snapshot) error {
					t := s.Schema().Type("Paper")
					path, _ := s.PathOf(t, "about.name")
					_, err := s.Table(b.Context(), browse.TableQuery{Type: t, Sort: []browse.SortKey{{Path: path}}, Limit: 50, Each: 3})
					return err
				})
				best.stop()
			}
		})
	}
}
