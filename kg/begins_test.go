package kg_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"trails/e2e/testrun"
	"trails/kg"
	"trails/kg/browse"
	"trails/kg/change"
)

// A list of what starts with a text has exactly the nodes that a comparison of each text
// finds, whatever capitals divide, and whether the index of words leads to them or not.
func TestStartsFindsWhatAComparisonOfEachTextFinds(t *testing.T) {
	testrun.Alone(t)
	random := testrun.Random(t)
	pick := func(of ...string) string { return of[random.IntN(len(of))] }
	text := func() string {
		var b strings.Builder
		for range 1 + random.IntN(7) {
			b.WriteString(pick("power", "Power", "POWER", "Shell", "sheLL", "the ", "The", " ", " ", "-", "_", ".", "..", "&", "(", "!", "\"", "é", "E\u0301", "ſ", "\u212a", "k", "s", "東京",
				"한", "İ", "ß", "1", "42", "T1003", "x", "X", "don't", strings.Repeat("Long", 17), strings.Repeat("long-", 14), strings.Repeat("aB", 40)))
		}
		return b.String()
	}
	g := open(t, newFile(t, searchSchema))
	all := map[string]string{}
	more := func(n int) {
		var edits []change.Edit
		for range n {
			code := fmt.Sprint("p", len(all))
			all[code] = text()
			edits = append(edits, saying("Place", code, "name", all[code], "note", text())...)
		}
		commit(t, g, edits)
	}
	led := 0
	ask := func(n int) {
		t.Helper()
		view(t, g, func(s *kg.Snapshot) error {
			place := s.Schema().Type("Place")
			path, _ := s.PathOf(place, "name")
			for range n {
				needle := text()
				if random.IntN(4) > 0 { // one that some text begins with
					begun := []rune(all[fmt.Sprint("p", random.IntN(len(all)))])
					needle = string(begun[:1+random.IntN(len(begun))])
				}
				if random.IntN(2) > 0 {
					needle = pick(strings.ToUpper(needle), strings.ToLower(needle))
				}
				if strings.Trim(needle, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ 0123456789._-&") == "" {
					led++
				}
				where, wrong := s.ConditionOf(path, string(browse.OpStarts), needle)
				if len(wrong) > 0 {
					t.Fatal(wrong)
				}
				table, err := s.Table(t.Context(), browse.TableQuery{Type: place, Where: []browse.Condition{where}, Limit: 10_000})
				if err != nil {
					return err
				}
				var got, want []string
				for _, row := range table.Rows {
					got = append(got, row.Node.ID)
				}
				pattern := regexp.MustCompile("(?i)^" + regexp.QuoteMeta(needle))
				for code, name := range all {
					if pattern.MatchString(name) {
						want = append(want, code)
					}
				}
				slices.Sort(got)
				slices.Sort(want)
				if !slices.Equal(got, want) {
					t.Errorf("%q: got %v, want %v", needle, got, want)
				}
			}
			return nil
		})
	}
	rounds := 100
	if testing.Short() {
		rounds = 25
	}
	more(60)
	ask(rounds) // few of the texts are in the index
	more(600)
	more(10)
	ask(rounds)
	if led == 0 {
		t.Error("the index leads to none")
	}
}
