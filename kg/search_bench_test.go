package kg_test

import (
	"fmt"
	"testing"

	"trails/kg"
)

// BenchmarkSearch searches a file of generated quads: for a name, for a word of every
// name, for the beginning of one, and for a misspelt one.
func BenchmarkSearch(b *testing.B) {
	for _, n := range benchSizes() {
		g := filledGraph(b, n)
		for _, text := range []string{"thing 4711", "thing", "thi", "thing 12", "thigng 471"} {
			b.Run(fmt.Sprintf("%d/%s", n, text), func(b *testing.B) {
				for b.Loop() {
					view(b, g, func(s *kg.Snapshot) error {
						found, err := s.Search(b.Context(), kg.Search{Text: text})
						if err == nil && len(found.Hits) == 0 {
							b.Fatal("nothing is found")
						}
						return err
					})
				}
			})
		}
	}
}
