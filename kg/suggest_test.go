package kg_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"trails/kg"
	"trails/kg/change"
	"trails/schema"
)

// Every beginning of a label, in any case, suggests its node and no node whose label begins
// otherwise.
func TestAnyBeginningOfALabelSuggestsItsNode(t *testing.T) {
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
						var want, got []string
						for j, other := range labels {
							if strings.HasPrefix(strings.ToLower(other), strings.ToLower(prefix)) {
								want = append(want, fmt.Sprintf("p%d", j))
							}
						}
						for _, d := range found.Nodes {
							got = append(got, d.ID)
						}
						slices.Sort(want)
						slices.Sort(got)
						if !slices.Equal(got, want) {
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
