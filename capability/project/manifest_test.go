package project_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/piprate/json-gold/ld"

	"trails/capability"
	"trails/capability/project"
)

func listing(t testing.TB) project.Listing {
	return project.Listing{Version: "v1", Descriptors: kinds(t), Process: project.Process{Graph: "samples"}, Base: "https://samples.example", Cache: &project.Cache{}}
}

// Every member that a descriptor can have as JSON means something as JSON-LD.
func TestTheContextHasEveryMemberOfADescriptor(t *testing.T) {
	context := project.Context()
	var named func(reflect.Type)
	named = func(s reflect.Type) {
		for f := range s.Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if _, ok := context[name]; !ok && name != "-" {
				t.Errorf("%s.%s: there is no term %s", s, f.Name, name)
			}
			if f.Type.Kind() == reflect.Struct {
				named(f.Type)
			}
		}
	}
	named(reflect.TypeFor[capability.Descriptor]())
	named(reflect.TypeFor[capability.Field]())
}

func TestTheLinkedManifestIsTheManifestWithAContext(t *testing.T) {
	plain, err := listing(t).Manifest()
	if err != nil {
		t.Fatal(err)
	}
	linked, err := listing(t).LinkedManifest()
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := bytes.Cut(linked, []byte("},\"version\""))
	if end := bytes.LastIndex(rest, []byte(`,"checksum"`)); !bytes.Contains(plain, rest[:end]) {
		t.Error("they differ behind the context")
	}
	var doc any
	if err := json.Unmarshal(linked, &doc); err != nil {
		t.Fatal(err)
	}
	opts := ld.NewJsonLdOptions("")
	opts.SafeMode = true // refuses what has no IRI
	expanded, err := ld.NewJsonLdProcessor().Expand(doc, opts)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(expanded)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"@id":"https://samples.example/invoke/sample.create"`, `"urn:trails:ns#side_effects":[{"@value":"destroys"}]`, `"urn:trails:ns#one_of":[{"@type":"@json","@value":["proposed","accepted"]}]`} {
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("no %s in %.2000s", want, text)
		}
	}
}

func TestMarkdownEscapesWhatHasAMeaning(t *testing.T) {
	text := string(listing(t).Markdown())
	for _, want := range []string{"## `sample.create`\n", "What people call it \\<\\&\\>", "| `parts` | list of iri of Thing |", "https://samples.example/invoke/{id}"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s", want)
		}
	}
}
