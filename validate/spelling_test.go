package validate_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/unicode/norm"

	"trails/fault"
)

// TestUniqueTextsAreComparedInOneSpelling holds texts against the same text in other
// forms of Unicode. Case and look-alikes stay apart.
func TestUniqueTextsAreComparedInOneSpelling(t *testing.T) {
	shapes := compileSchema(t, "types:\n  A:\n    key: [name, year]\n    properties: {code: {type: string, unique: true}, name: {type: string, required: true}, year: {type: integer, required: true}}\n")
	mixed := norm.NFC.String("é") + "t" + norm.NFD.String("é") + " ǖ"
	long := strings.Repeat("é", 40)
	for name, c := range map[string]struct {
		a, b string
		want []fault.Code
	}{
		"composed and decomposed":  {norm.NFC.String("Zoë"), norm.NFD.String("Zoë"), []fault.Code{fault.Unique}},
		"both at once":             {mixed, norm.NFC.String(mixed), []fault.Code{fault.Unique}},
		"the other way":            {norm.NFC.String(mixed), mixed, []fault.Code{fault.Unique}},
		"a character that moved":   {"\u212b", "\u00c5", []fault.Code{fault.Unique}},
		"syllables":                {norm.NFC.String("한글"), norm.NFD.String("한글"), []fault.Code{fault.Unique}},
		"more than can be counted": {norm.NFC.String(long), norm.NFD.String(long), []fault.Code{fault.Unique}},
		"case":                     {"Zoë", "zoë", nil},
		"look-alikes":              {"a", "а", nil},
		"compatibility":            {"ﬁ", "fi", nil},
	} {
		t.Run(name, func(t *testing.T) {
			for _, form := range []string{
				"<ex:%[1]s> <rdf:type> <ex:A>\n<ex:%[1]s> <ex:code> \"%[2]s\"\n<ex:%[1]s> <ex:name> \"%[1]s\"\n<ex:%[1]s> <ex:year> \"7\"^^<xsd:integer>\n",
				"<ex:%[1]s> <rdf:type> <ex:A>\n<ex:%[1]s> <ex:name> \"%[2]s\"\n<ex:%[1]s> <ex:year> \"7\"^^<xsd:integer>\n",
			} {
				text := fmt.Sprintf(form, "a", c.a) + fmt.Sprintf(form, "b", c.b)
				if diff := cmp.Diff(c.want, codes(t, shapes, newMemory(quads(t, text)), ex+"a")); diff != "" {
					t.Errorf("%s\n%s", text, diff)
				}
			}
		})
	}
}
