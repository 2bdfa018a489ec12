package schema_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"trails/fault"
	"trails/rdf"
	"trails/schema"
)

const family = `
types:
  Agent: {abstract: true, properties: {name: {type: string, required: true}}}
  Person:
    extends: Agent
    iri: key
    key: [name, born]
    properties: {born: {type: date, required: true}, friend: {class: Person, many: true}, employer: {class: Agent}, home: {class: City}, see: iri}
  Company: {extends: Agent, iri: key, key: name}
  City: {abstract: true}
  Town: {extends: City, iri: content, properties: {size: integer, alias: {type: string, many: true}}}
`

func TestSnakeName(t *testing.T) {
	for name, want := range map[string]string{
		"Technique": "technique", "AttackPattern": "attack_pattern", "HTTPThing": "http_thing", "HttpThing": "http_thing",
		"ThingHTTP": "thing_http", "X": "x", "AB": "ab", "OAuth2Client": "o_auth2_client", "H2O": "h2_o", "": "",
	} {
		if got := schema.SnakeName(name); got != want {
			t.Errorf("SnakeName(%q): got %q, want %q", name, got, want)
		}
	}
}

func TestEntityIRI(t *testing.T) {
	s := parse(t, family)
	for local, want := range map[string]string{
		"t1":           "t1",
		"a/b c":        "a/b%20c",
		"100%":         "100%25",
		"<é|漢>":        "%3Cé%7C漢%3E",
		`a\b^c` + "`{": `a%5Cb%5Ec%60%7B`,
	} {
		if got := s.EntityIRI(s.Type("Town"), local); string(got) != "urn:trails:test:Town/"+want {
			t.Errorf("EntityIRI(%q): got %s, want %s", local, got, want)
		}
	}
}

func TestLocalIsTheInverseOfEntityIRI(t *testing.T) {
	s := parse(t, family)
	rapid.Check(t, func(t *rapid.T) {
		local := rapid.OneOf(localID, rapid.String()).Draw(t, "local")
		iri := s.EntityIRI(s.Type("Town"), local)
		name, got, ok := s.Local(iri)
		if ok != (schema.CheckLocal(local) == nil) {
			t.Fatalf("Local(%s): ok %t, want that of CheckLocal: %v", iri, ok, schema.CheckLocal(local))
		}
		if ok && (name != "Town" || got != local) {
			t.Fatalf("Local(%s): got %s/%s, want Town/%s", iri, name, got, local)
		}
	})
}

func TestLocalKnowsOnlyItsOwn(t *testing.T) {
	s := parse(t, family)
	for _, iri := range []rdf.IRI{
		"urn:trails:test:", "urn:trails:test:Town", "urn:trails:test:Town/", "urn:trails:test:Village/a", "urn:trails:other:Town/a",
		"urn:trails:test:Town/%", "urn:trails:test:Town/%41", "urn:trails:test:Town/%2f", "urn:trails:test:Town/..", "urn:trails:test:town/a",
	} {
		if name, local, ok := s.Local(iri); ok {
			t.Errorf("Local(%s): got %s/%s, want none", iri, name, local)
		}
	}
}

func TestHostileIDsAreRefused(t *testing.T) {
	s := parse(t, family)
	ids := map[string]string{
		"empty": "", "control": "a\x00b", "newline": "a\nb", "C1 control": "a\u0085b", "not UTF-8": "a\xff", "too long": strings.Repeat("a", 513),
		"dot": ".", "dot dot": "..", "climbing": "../a", "inside": "a/../b", "IRI with space": "http://x/ y", "IRI with angle": "urn:<x>", "IRI with newline": "urn:x\ny",
		"long IRI": "urn:" + strings.Repeat("a", 2048), "typed, empty": "Town/", "typed, climbing": "Town/..",
	}
	for name, id := range ids {
		t.Run(name, func(t *testing.T) {
			if iri, err := s.ResolveID(s.Type("Town"), id); !fault.Is(err, fault.InvalidArguments) {
				t.Errorf("ResolveID(%q): got %s, %v, want invalid arguments", id, iri, err)
			}
			if iri, err := s.ResolveRef(s.Property(s.Type("Person"), "home"), id); !fault.Is(err, fault.InvalidArguments) {
				t.Errorf("ResolveRef(%q): got %s, %v, want invalid arguments", id, iri, err)
			}
		})
	}
}

func TestResolveID(t *testing.T) {
	s := parse(t, family)
	for id, want := range map[string]rdf.IRI{
		"a":                      "urn:trails:test:Agent/a",
		"a/b":                    "urn:trails:test:Agent/a/b",
		"https://example.org/a":  "https://example.org/a",
		"Person/a":               "urn:trails:test:Person/a",
		"Town/a":                 "urn:trails:test:Agent/Town/a",
		"urn:trails:test:Town/a": "urn:trails:test:Town/a",
	} {
		got, err := s.ResolveID(s.Type("Agent"), id)
		if err != nil || got != want {
			t.Errorf("ResolveID(Agent, %q): got %s, %v, want %s", id, got, err, want)
		}
	}
}

func TestResolveRef(t *testing.T) {
	s := parse(t, family)
	for _, c := range []struct {
		property, ref, want string // want "" is a refusal
	}{
		{"friend", "a", "urn:trails:test:Person/a"},
		{"friend", "a b", "urn:trails:test:Person/a%20b"},
		{"friend", "Person/a:b", ""},
		{"friend", "Person/1:b", "urn:trails:test:Person/1:b"},
		{"friend", "Company/a", "urn:trails:test:Company/a"},
		{"friend", "urn:x:y", "urn:x:y"},
		{"friend", "Persn/a", ""},
		{"employer", "a", ""},
		{"employer", "Company/a", "urn:trails:test:Company/a"},
		{"home", "a/b", "urn:trails:test:Town/a/b"},
		{"see", "a", ""},
		{"see", "Town/a", "urn:trails:test:Town/a"},
		{"see", "mailto:a@example.org", "mailto:a@example.org"},
	} {
		got, err := s.ResolveRef(s.Property(s.Type("Person"), c.property), c.ref)
		if string(got) != c.want && c.want != "" || (err != nil) != (c.want == "") {
			t.Errorf("ResolveRef(%s, %q): got %s, %v, want %s", c.property, c.ref, got, err, c.want)
		}
	}
}

func TestKeysGiveIDs(t *testing.T) {
	s := parse(t, family)
	text := func(v string) []rdf.Term { return []rdf.Term{rdf.Literal(v, rdf.XSDString)} }
	for want, values := range map[string]map[string][]rdf.Term{
		"Ada/1815-12-10":    {"name": text("Ada"), "born": text("1815-12-10")},
		"a%2Fb/%25":         {"name": text("a/b"), "born": text("%")},
		"urn%3Ax/y":         {"name": text("urn:x"), "born": text("y")},
		"1:2/urn:x":         {"name": text("1:2"), "born": text("urn:x")},
		"Ada Lovelace/1815": {"name": text("Ada Lovelace"), "born": text("1815")},
	} {
		got, err := s.KeyLocal(s.Type("Person"), values)
		if err != nil || got != want {
			t.Errorf("KeyLocal(%v): got %q, %v, want %q", values, got, err, want)
		}
	}
	if got, err := s.KeyLocal(s.Type("Company"), map[string][]rdf.Term{"name": text("a/b")}); got != "a/b" || err != nil {
		t.Errorf("a key of one property: got %q, %v, want a/b", got, err)
	}
	for name, values := range map[string]map[string][]rdf.Term{
		"missing": {"name": text("a")}, "empty": {"name": text("a"), "born": text("")}, "hostile": {"name": text("a\n"), "born": text("x")},
	} {
		if got, err := s.KeyLocal(s.Type("Person"), values); !fault.Is(err, fault.InvalidArguments) {
			t.Errorf("%s: got %q, %v, want invalid arguments", name, got, err)
		}
	}
}

func TestDifferentKeysGiveDifferentIDs(t *testing.T) {
	s := parse(t, family)
	part := rapid.OneOf(rapid.StringMatching(`[a-c/%:2F]{1,5}`), localID)
	rapid.Check(t, func(t *rapid.T) {
		key := func(label string) (parts [2]string, local string) {
			parts = [2]string{part.Draw(t, label+" name"), part.Draw(t, label+" born")}
			local, err := s.KeyLocal(s.Type("Person"), map[string][]rdf.Term{
				"name": {rdf.Literal(parts[0], "")}, "born": {rdf.Literal(parts[1], "")},
			})
			if err != nil {
				t.Skip(err)
			}
			return parts, local
		}
		a, idA := key("a")
		b, idB := key("b")
		if (a == b) != (idA == idB) {
			t.Fatalf("%q is %s, %q is %s", a, idA, b, idB)
		}
	})
}

func TestContentGivesIDs(t *testing.T) {
	s := parse(t, family)
	town := s.Type("Town")
	one, two := rdf.Literal("1", rdf.XSDInteger), rdf.Literal("a", "")
	a := s.ContentLocal(town, map[string][]rdf.Term{"size": {one}, "alias": {two, one}})
	b := s.ContentLocal(town, map[string][]rdf.Term{"alias": {one, two, one}, "size": {one}, "unknown": {one}})
	c := s.ContentLocal(town, map[string][]rdf.Term{"alias": {one, two}})
	if a != b || a == c || len(a) != 32 {
		t.Errorf("the same content gives %s and %s, other content %s", a, b, c)
	}
}

func TestLookups(t *testing.T) {
	s := parse(t, family)
	agent, person := s.Type("Agent"), s.Type("Person")
	names := func(types []*schema.Type) string {
		var b strings.Builder
		for _, t := range types {
			b.WriteString(t.Name + " ")
		}
		return strings.TrimSpace(b.String())
	}
	quad := func(class string) rdf.Quad {
		return rdf.Quad{Subject: rdf.IRI("urn:x"), Predicate: rdf.Type, Object: rdf.IRI("urn:trails:test:" + class)}
	}
	for _, c := range []struct{ what, got, want string }{
		{"subtypes", names(s.Subtypes(agent)), "Agent Person Company"},
		{"concrete", names(s.Concrete(agent)), "Person Company"},
		{"supertypes", names(s.Supertypes(person)), "Agent"},
		{"types of a node", names(s.TypesOf([]rdf.Quad{quad("Town"), quad("Person"), quad("Nothing"), quad("Town")})), "Person Town"},
		{"first property", s.PropertiesOf(person)[0].Name, "name"},
		{"by predicate", s.PropertyByIRI(person, "urn:trails:test:name").Name, "name"},
		{"by IRI", s.TypeByIRI("urn:trails:test:City").Name, "City"},
		{"mint", string(s.MintOf(agent)), "uuidv7"},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %q, want %q", c.what, c.got, c.want)
		}
	}
	if s.Type("Nobody") != nil || s.TypeByIRI("urn:x") != nil || s.Property(person, "x") != nil || len(s.Subtypes(nil)) > 0 {
		t.Error("something is found that is not there")
	}
}

func TestTheNameOfAPropertyIsReadAsWords(t *testing.T) {
	for name, want := range map[string]string{
		"title": "title", "fullName": "full name", "full_name": "full name", "baseURL": "base URL", "urlOfPage": "url of page", "a": "a", "page2Of": "page2 of", "": "",
	} {
		if got := schema.Words(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}
