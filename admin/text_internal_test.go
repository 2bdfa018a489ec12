package admin

import (
	"encoding/json"
	"strings"
	"testing"

	"trails/schema"
)

func TestTextForPeople(t *testing.T) {
	for _, c := range []struct{ name, got, want string }{
		{"a line has single spaces", line(" a\n\tb\u2028c\u00a0 d "), "a b c d"},
		{"a line turns nothing around", line("a\u202eb\u2066c\u200fd"), "abcd"},
		{"a line marks controls", line("a\u0007b\x1bc"), "a\ufffdb\ufffdc"},
		{"a line is cut at characters", line(strings.Repeat("é", 200)), strings.Repeat("é", 160) + "…"},
		{"joiners stay, emoji need them", line("👩\u200d👧"), "👩\u200d👧"},
		{"a label with room", fit("Execution", 96), "Execution"},
		{"a label of wide letters", fit("Windows Command Shell", 96), "Windows C…"},
		{"a label of narrow letters", fit("little tilt: illicit", 96), "little tilt: i…"},
		{"a label in squares", fit("漢字漢字漢字漢字", 96), "漢字漢字漢…"},
		{"thousands", count(1234567), "1\u202f234\u202f567"},
		{"below a thousand", count(999), "999"},
		{"negative", count(-1234), "-1\u202f234"},
		{"a time", when("2026-03-01T10:20:30.5Z"), "1 Mar 2026, 10:20:30"},
		{"a time elsewhere is told in UTC", when("2026-03-01T23:20:30-02:00"), "2 Mar 2026, 01:20:30"},
		{"a day", when("2026-03-01"), "1 March 2026"},
		{"no time", when("some day\n"), "some day"},
		{"a plain word", shellQuote("id=R-001"), "id=R-001"},
		{"a word with a quote", shellQuote("it's $(x)"), `'it'\''s $(x)'`},
		{"no word", shellQuote(""), "''"},
		{"the type", propertyName("http://www.w3.org/1999/02/22-rdf-syntax-ns#type"), "Type"},
		{"a property", propertyName("hired_on"), "Hired on"},
		{"a property in another way", propertyName("dependsOn"), "Depends on"},
		{"a path", propertyName("team.baseURL"), "Team › Base URL"},
		{"an IRI", propertyName("https://example.org/dependsOn"), "https://example.org/dependsOn"},
		{"a prefixed name", propertyName("skos:prefLabel"), "skos:prefLabel"},
		{"no property", propertyName(""), ""},
		{"a JSON string", literal(`a"b`), `a"b`},
		{"a JSON number", literal(json.Number("1.50")), "1.50"},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, c.got, c.want)
		}
	}
}

func TestOnlyWebAddressesAreLinked(t *testing.T) {
	for address, linked := range map[string]bool{
		"https://example.org/a?b=c&d#e":                   true,
		"http://example.org":                              true,
		"HTTPS://example.org/":                            true,
		"javascript:alert(1)":                             false,
		"data:text/html,x":                                false,
		"//example.org/":                                  false,
		"https:example.org":                               false,
		"https://":                                        false,
		" https://example.org":                            false,
		"https://example.org/\u202egnp.exe":               false,
		"https://example.org/a b":                         false,
		"urn:trails:example:Component/kg":                 false,
		"https://example.org/" + strings.Repeat("a", 3e3): false,
	} {
		if got := webURL(address); (got != "") != linked || got != "" && got != address {
			t.Errorf("%.60q: got %q", address, got)
		}
	}
}

func TestFormsSendTheBrowserOnlyBackToOurPages(t *testing.T) {
	for address, want := range map[string]string{
		"/admin":                       "/admin",
		"/admin/types/A%2FB?where=a=b": "/admin/types/A%2FB?where=a=b",
		"/administrator":               "/admin",
		"/kg":                          "/admin",
		"https://evil.example/admin":   "/admin",
		"//evil.example/admin":         "/admin",
		`/admin\evil`:                  "/admin",
		"/admin\nx":                    "/admin",
		"":                             "/admin",
	} {
		if got := returnTo(address); got != want {
			t.Errorf("%q: got %q, want %q", address, got, want)
		}
	}
}

func TestPropertiesAndReferencesFollowSupertypes(t *testing.T) {
	doc := schemaDocument{schema.Document{Types: []schema.TypeDocument{
		{Name: "Thing", Label: "name", Properties: []schema.PropertyDocument{{Name: "name"}, {Name: "near", Class: "Thing"}}},
		{Name: "Book", Extends: []string{"Thing"}, Properties: []schema.PropertyDocument{{Name: "pages"}}},
		{Name: "Review", Properties: []schema.PropertyDocument{{Name: "of", Class: "Book"}}},
		{Name: "Place"},
	}}}
	names := ""
	for _, p := range doc.properties("Book") {
		names += p.Name + " "
	}
	if names != "pages name near " {
		t.Errorf("properties %s", names)
	}
	if got := strings.Join(doc.referring("Book"), " "); got != "Thing Book Review" {
		t.Errorf("a Book's page shows %s", got)
	}
	if got := strings.Join(doc.referring("Place"), " "); got != "Place" {
		t.Errorf("a Place's page shows %s", got)
	}
}
