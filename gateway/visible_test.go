package gateway_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"trails/gateway"
)

// hidden reports characters that a terminal obeys or that nobody sees.
func hidden(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return r != '\n' && r != '\t' && r != '\u200c' && r != '\u200d' && !unicode.IsPrint(r)
	})
}

// TestNothingThatIsShownIsHidden draws texts of what servers hide things in. JSON stays JSON, with
// texts that are as Visible shows them, however its characters were written.
func TestNothingThatIsShownIsHidden(t *testing.T) {
	for text, want := range map[string]string{
		"a\x1b[31mb\u202e\u0085\U000e0041": `a\x1b[31mb\u202e\x85\U000e0041`,
		"a\r\nb\rc\n\td":                   "a\nb\\rc\n\td",
		"\ufeffname\u00a0x":                "name x",
		"👩\u200d🔬 é":                       "👩\u200d🔬 é",
		"a\xffb":                           "a\ufffdb",
	} {
		if got := gateway.Visible(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
	pieces := rapid.SampledFrom([]string{"a", "\\", `\u202e`, `"`, "\x1b", "\x07", "\x00", "\r\n", "\r", "\n", "\t", "\u202e", "\u2066", "\u0085", "\U000e0041", "😀", "é", "/", "u001b", "\u200d", "\ufeff", "\u2028"})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(pieces).Draw(t, "text"), "")
		if shown := gateway.Visible(text); hidden(shown) {
			t.Fatalf("%q is shown as %q", text, shown)
		}
		var written []byte
		if rapid.Bool().Draw(t, "escaped") { // as it may be written, in escapes alone
			written = append(written, '"')
			for _, r := range text {
				if r > 0xffff {
					q, _ := json.Marshal(string(r))
					written = append(written, q[1:len(q)-1]...)
					continue
				}
				written = append(written, []byte(`\u`+strings.Repeat("0", 4-len(hex(r)))+hex(r))...)
			}
			written = append(written, '"')
		} else {
			written, _ = json.Marshal(text)
		}
		var shown any
		document := append(append([]byte("{\"a\": [\r\n"), written...), "]}"...)
		if err := json.Unmarshal(gateway.VisibleJSON(document), &shown); err != nil {
			t.Fatalf("%s is no JSON any more: %s: %v", document, gateway.VisibleJSON(document), err)
		}
		if got := shown.(map[string]any)["a"].([]any)[0].(string); hidden(got) {
			t.Fatalf("%s has %q", document, got)
		}
	})
}

func hex(r rune) string {
	const digits = "0123456789abcdef"
	out := ""
	for ; r > 0; r /= 16 {
		out = digits[r%16:r%16+1] + out
	}
	return out
}
