package form

import (
	"regexp"
	"testing"
)

func TestAnExampleFitsItsPattern(t *testing.T) {
	for _, c := range []struct {
		pattern string
		least   int
		want    string
	}{
		{`^[A-Z]{2}-[0-9]+$`, 0, "AB-123"},
		{`^R-\d{3}$`, 0, "R-123"},
		{`^(draft|done)$`, 0, "draft"},
		{`^[a-z]+$`, 3, "abc"},
		{`^\S+@\S+\.\S+$`, 0, "abc@abc.abc"},
		{`x`, 0, "x"},
		{`\bx\b`, 0, "x"},
		{`^$`, 0, ""},
		{`^[^\x00-\x{10FFFF}]$`, 0, ""},
		{`^a{200}$`, 0, ""},
		{`(`, 0, ""},
		{`^\d+$`, 500, ""},
	} {
		got := sample(c.pattern, c.least)
		if got != c.want {
			t.Errorf("sample(%q, %d) = %q, want %q", c.pattern, c.least, got, c.want)
		}
		if got != "" && !regexp.MustCompile(c.pattern).MatchString(got) {
			t.Errorf("%q does not match %q", got, c.pattern)
		}
	}
}
