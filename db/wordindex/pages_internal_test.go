package wordindex

import (
	"testing"

	"trails/e2e/testrun"
)

// A damaged page is an error or other words, and nothing worse.
func FuzzAPageOfWords(f *testing.F) {
	testrun.Alone(f)
	f.Add([]byte{0, 0, 0, 9, 3, '0', 'a', 'b', 1, 4})
	f.Add([]byte{0, 0, 0, 14, 3, '0', 'a', 'b', 1, 2, 1, 'c', 1, 1, 4, 5})
	f.Fuzz(func(t *testing.T, page []byte) {
		n := 0
		_ = wordsOn(page, func([]byte) bool {
			if n++; n > len(page) {
				t.Fatalf("%d words on a page of %d bytes", n, len(page))
			}
			return true
		})
	})
}
