package expr

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestARunOfRunesIsFoundAsByRegexp replaces what classes of characters match in random texts: the search for them and
// package regexp find the same places.
func TestARunOfRunesIsFoundAsByRegexp(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	pieces := []string{"a", "e", "i", "A", "z", " ", "\n", "9", "é", "É", "ſ", "K", "日", "\xff", "\xe6\x97", "\ufffd", "."}
	for _, pattern := range []string{
		"[aeiou]", "[aeiou]+", "[^a-z]", "[^a-z]+", "a", "a+", "é", "日+", "\\s", "\\s+", "\\d", "\\W+", "\\p{Lu}", "\\P{L}+", "[a-zé-\u65e5]+", "[a-z-[aeiou]]", "\ufffd", "[^\ufffd]+", "\\.",
	} {
		for _, flags := range []string{"", "i", "s", "m", "x", "q"} {
			m, err := newMatcher(pattern, flags)
			if err != nil {
				t.Fatal(err)
			}
			if m.runs == nil && flags != "i" && flags != "q" {
				t.Errorf("%s with %q is left to package regexp", pattern, flags)
			}
			for range 100 {
				text := ""
				for range random.IntN(12) {
					text += pieces[random.IntN(len(pieces))]
				}
				places := func(m matcher) (list [][]int) {
					if err := m.each(text, func(match []int) error { list = append(list, append([]int{}, match...)); return nil }); err != nil {
						t.Fatal(err)
					}
					return list
				}
				got := places(m)
				m.runs = nil
				if diff := cmp.Diff(places(m), got); diff != "" {
					t.Fatalf("%s with %q in %q: %s", pattern, flags, text, diff)
				}
			}
		}
	}
	for _, pattern := range []string{"ab", "a+?", "a*", "(a)", "^a", "[ab]c", "a|bc", "."} {
		if m, err := newMatcher(pattern, ""); err != nil || m.runs != nil {
			t.Errorf("%s is no class of characters: %v", pattern, err)
		}
	}
}
