package fulltext_test

import (
	"strings"
	"testing"

	"trails/text/fulltext"
)

func TestTheWordsThatAreLookedForAreFoundInATextOnce(t *testing.T) {
	for _, c := range []struct{ query, text, want string }{
		{"sqlite file", "The SQLite file", "SQLite|file"}, // the whole of a name, not its parts
		{"lite", "The SQLite file", "Lite"},
		{"SQLite", "The SQLite file", "SQ|Lite"},
		{"powershell", "Power-Shell, PowerShell and powershell", "Power-Shell|PowerShell|powershell"},
		{"sqlite lite", "SQLite", "Lite"},
		{"none", "The SQLite file", ""},
	} {
		q, err := fulltext.Parse(c.query)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for start, end := range fulltext.Matches(c.text, q) {
			got = append(got, c.text[start:end])
		}
		if strings.Join(got, "|") != c.want {
			t.Errorf("%q is found in %q as %q, want %q", c.query, c.text, got, c.want)
		}
	}
}
