package tokens

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// expression is cl100k_base's as Go has it: (?i:) names the letters, or ſ would be an s; \s has the spaces of Unicode;
// and what is before (?!\S) is the group.
var expression = regexp.MustCompile(strings.ReplaceAll(
	`\A(?:'(?:[sS]|[tT]|[rR][eE]|[vV][eE]|[mM]|[lL][lL]|[dD])|[^\r\n\pL\pN]?\pL+|\pN{1,3}| ?[^<s>\pL\pN]+[\r\n]*|[<s>]*[\r\n]+|[<s>]+\z|([<s>]+)[<s>]|[<s>])`,
	"<s>", `\pZ\t\n\v\f\r\x{85}`))

func TestAPieceIsWhatTheRegularExpressionMatches(t *testing.T) {
	characters := rapid.OneOf(rapid.RuneFrom([]rune("''sStTrReEvVmMlLdDſKß é1٣²½  \n\n\r\t\v\u0085\u00a0\u2028\u200b\u0301.{}\":,<|>東😀\x7f")), rapid.Rune())
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(characters, 1, 40, -1).Draw(t, "text")
		m := expression.FindStringSubmatch(text)
		want := m[0]
		if m[1] != "" {
			want = m[1]
		}
		if got := text[:piece(text)]; got != want {
			t.Fatalf("the first piece of %q is %q, want %q", text, got, want)
		}
	})
}
