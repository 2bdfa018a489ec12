package schema_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"trails/fault"
	"trails/schema"
)

var lineNamed = regexp.MustCompile(`\bline (\d+)\b`)

// A text that is no schema is refused with a line of it, wherever the mistake is.
func TestATextThatIsNoSchemaIsRefusedWithItsLine(t *testing.T) {
	for broken, exact := range map[string]bool{
		"a: [": false, "a: 'x": false, "a: {b: c": false, "a: b: c": true, "a: \x01": true, "a: \xff": true, "@": true, "a: *x": true, "a: &x b": true, "\t- a": false,
	} {
		for before := range 3 {
			text := strings.Repeat("# a comment\n", before) + broken + "\n"
			_, err := schema.ParseYAML([]byte(text), "urn:x:")
			if !fault.Is(err, fault.Malformed) {
				t.Errorf("%q: %v", text, err)
				continue
			}
			m := lineNamed.FindStringSubmatch(err.Error())
			if m == nil {
				t.Errorf("%q: no line in %v", text, err)
				continue
			}
			if n, _ := strconv.Atoi(m[1]); n < 1 || n > before+2 || exact && n != before+1 {
				t.Errorf("%q: line %d in %v", text, n, err)
			}
		}
	}
}
