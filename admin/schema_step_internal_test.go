package admin

import (
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	kgschema "trails/schema"
)

// everyWord is a schema with every word that a property or a type can have.
const everyWord = `base: "urn:x:"
types:
  Thing:
    abstract: true
    properties:
      code: {type: string, required: true, pattern: '^[a-z]+$', min_length: 2, max_length: 9, unique: true, embed: false, description: Its code}
  Person:
    extends: Thing
    label: code
    open: true
    embed: true
    iri: preserve
    rdf_type: http://xmlns.com/foaf/0.1/Person
    unique: [[born, rank], [rank, code]]
    description: Somebody
    properties:
      born: {type: date, min_value: "1900-01-01", max_value: "2100-01-01"}
      rank: {type: uint8, one_of: [1, 2, 3], default: 2}
      names: {type: lang_string, many: true, languages: [en, de], unique_lang: true, search: false}
      tags: {type: string, min_count: 2, max_count: 5, has_value: a, embed: true}
      place: {type: vector, dim: 3}
      mbox: {type: iri, predicate: http://xmlns.com/foaf/0.1/mbox}
      knows: {class: Person, many: true}
      month: {type: year_month}
`

func TestTheControlsHoldEveryWordOfTheSchema(t *testing.T) {
	s, err := kgschema.ParseYAML([]byte(everyWord), "")
	if err != nil {
		t.Fatal(err)
	}
	d := &schemaEdit{before: s, after: s}
	var steps []string
	for _, of := range s.JSON().Types {
		is, _, err := d.typeOf(of.Name)
		if err != nil {
			t.Fatal(err)
		}
		words := object{{"properties", object{}}}
		bare := is
		bare.Label, bare.Unique = "", ""
		one, err := step("add_type", object{{of.Name, append(bare.words(), words...)}})
		if err != nil {
			t.Fatal(err)
		}
		steps = append(steps, one)
		for _, p := range of.Properties {
			one, err := step("add_property", object{{of.Name + "." + p.Name, typedOf(p, s.Base).words()}})
			if err != nil {
				t.Fatal(err)
			}
			steps = append(steps, one)
		}
		one, err = step("alter_type", object{{of.Name, changes(bare.words(), is.words())}})
		if err != nil {
			t.Fatal(err)
		}
		if len(changes(bare.words(), is.words())) > 0 {
			steps = append(steps, one)
		}
	}
	empty, err := kgschema.ParseYAML([]byte("base: \"urn:x:\"\ntypes: {}\n"), "")
	if err != nil {
		t.Fatal(err)
	}
	made, err := empty.Patch([]byte(patchOf(steps)))
	if err != nil {
		t.Fatalf("%v\n%s", err, patchOf(steps))
	}
	if diff := cmp.Diff(s.JSON(), made.Schema.JSON()); diff != "" {
		t.Error(diff)
	}
	for _, one := range steps {
		if said := sentence(one); strings.Contains(said, `{"`) || strings.Contains(said, `["`) {
			t.Errorf("the sentence of a step has JSON: %s", said)
		}
	}
}

func TestANewTypeCanHaveWhatIsRare(t *testing.T) {
	s, err := kgschema.ParseYAML([]byte(everyWord), "")
	if err != nil {
		t.Fatal(err)
	}
	d := &schemaEdit{before: s, after: s, Rows: 2, Typed: url.Values{
		"title": {"Good friend"}, "extends": {"Person"}, "abstract": {"1"}, "open": {"1"}, "unique": {"First met, lastMet\n"}, "ids": {"content"}, "class": {"urn:y:Friend"},
		"p0.title": {"First met"}, "p0.kind": {"day"}, "p1.title": {"Last met"}, "p1.kind": {"day"},
	}}
	steps, err := d.newType()
	if err != nil {
		t.Fatal(err)
	}
	made, err := s.Patch([]byte(patchOf(steps)))
	if err != nil {
		t.Fatal(err)
	}
	friend, err := schemaDocument{made.Schema.JSON()}.named("GoodFriend")
	if err != nil {
		t.Fatal(err)
	}
	want := []any{[]string{"Person"}, true, true, [][]string{{"firstMet", "lastMet"}}, kgschema.MintContent, "urn:y:Friend", "day"}
	got := []any{friend.Extends, friend.Abstract, friend.Open, friend.Unique, friend.Mint, friend.IRI, friend.Properties[0].Type}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if said, want := sentence(steps[0]), "Add the type GoodFriend with firstMet (day), lastMet (day); extends Person; abstract; open; unique together: firstMet with lastMet; ids: made of all values; rdf type urn:y:Friend."; said != want {
		t.Errorf("the sentence is\n%s\nnot\n%s", said, want)
	}
}
