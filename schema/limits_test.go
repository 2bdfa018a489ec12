package schema_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"trails/fault"
	"trails/rdf"
	"trails/schema"
)

// repeated is text with %d in it, n times over.
func repeated(n int, text string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(text, "%d", fmt.Sprint(i)))
	}
	return b.String()
}

func TestLimits(t *testing.T) {
	chain := "types:\n  T0: {properties: {p0: string}}\n"
	for i := 1; i < 1000; i++ {
		chain += fmt.Sprintf("  T%d: {extends: T%d, properties: {p%d: string}}\n", i, i-1, i)
	}
	for _, c := range []struct {
		name, text string
		want       string // in the error; "" for none
	}{
		{"1,000 types are allowed", "types:\n" + repeated(1000, "  T%d: {}\n"), ""},
		{"1,001 types are not", "types:\n" + repeated(1001, "  T%d: {}\n"), "there are 1001 types; at most 1000"},
		{"1,000 properties are allowed", "types:\n  T:\n    properties:\n" + repeated(1000, "      p%d: string\n"), ""},
		{"1,001 properties are not", "types:\n  T:\n    properties:\n" + repeated(1001, "      p%d: string\n"), "more than 1000 properties"},
		{"inherited properties count", "types:\n  T:\n    properties:\n" + repeated(600, "      p%d: string\n") + "  U:\n    extends: T\n    properties:\n" + repeated(600, "      q%d: string\n"), "more than 1000 properties"},
		{"a chain of 1,000 types is allowed", chain, ""},
		{"a megabyte is not", "#" + strings.Repeat("x", 1<<20), "at most 1048576"},
		{"long lists are not", "types: {T: {extends: [" + repeated(5000, "A%d,") + "]}}", "the list has 5000 names"},
		{"deep nesting is not", strings.Repeat("[", 100000), "the schema is not YAML"},
		{"a thousand wrong words are all named", "types:\n  T:\n    properties:\n" + repeated(1000, "      p%d: strin\n"), `did you mean "string"?`},
		{"Turtle is told where it goes", "# shapes\n@prefix ex: <http://e/> .\nex:a a ex:B .\n", "init --from"},
		{"invalid UTF-8 is refused", "types: {\xff: {}}", "not valid UTF-8"},
		{"a NUL is refused", "types: {A: {description: \x00}}", "not YAML"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := schema.ParseYAML([]byte(c.text), "urn:trails:test:")
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got %.300v, want %q", err, c.want)
			}
		})
	}
}

func TestDamagedQuadsAreFaults(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := generateSchema(t)
		quads := s.Quads()
		term := func(q rdf.Quad) rdf.Term {
			return []rdf.Term{q.Subject, q.Object}[rapid.IntRange(0, 1).Draw(t, "which")]
		}
		for range rapid.IntRange(1, 4).Draw(t, "damages") {
			i := rapid.IntRange(0, len(quads)-1).Draw(t, "quad")
			other := quads[rapid.IntRange(0, len(quads)-1).Draw(t, "other")]
			switch rapid.IntRange(0, 2).Draw(t, "damage") {
			case 0:
				quads[i].Object = term(other)
			case 1:
				quads[i].Subject = term(other)
			case 2:
				quads = append(quads[:i:i], quads[i+1:]...)
			}
			if len(quads) == 0 {
				return
			}
		}
		got, err := schema.FromQuads(quads, s.Base)
		var f *fault.Error
		if err != nil && !errors.As(err, &f) {
			t.Fatalf("not a fault: %v", err)
		}
		if err == nil {
			got.YAML()
			schema.Diff(s, got)
		}
	})
}

func TestQuadsOfOtherGraphsAreIgnored(t *testing.T) {
	s := parse(t, family)
	shape := func(label rdf.Term) rdf.Quad {
		return rdf.Quad{Subject: rdf.IRI("urn:x"), Predicate: rdf.Type, Object: rdf.IRI(rdf.SHNS + "NodeShape"), Label: label}
	}
	got, err := schema.FromQuads(append(s.Quads(), shape(nil), shape(rdf.IRI("urn:graph"))), s.Base)
	if err != nil {
		t.Fatal(err)
	}
	if steps := schema.Diff(s, got); len(steps) > 0 {
		t.Errorf("got steps %v, want none", steps)
	}
	if empty, err := schema.FromQuads(nil, "urn:a:"); err != nil || empty.Base != "urn:a:" || len(empty.Types) > 0 {
		t.Errorf("no quads: got %v, %v, want the empty schema", empty, err)
	}
	if _, err := schema.FromQuads(s.Quads(), "urn:other:"); !fault.Is(err, fault.InvalidData) {
		t.Errorf("another base: got %v, want invalid data", err)
	}
}
