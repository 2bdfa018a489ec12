package project_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"trails/capability"
	"trails/capability/project"
)

// saved are the documents that somebody can have kept of the samples.
func saved(t *testing.T) map[string][]byte {
	t.Helper()
	l := listing(t)
	docs := map[string][]byte{}
	for name, write := range map[string]func() ([]byte, error){
		"an OpenAPI document": func() ([]byte, error) { return l.OpenAPI(routes) },
		"a Thing Description": l.Thing, "a manifest": l.LinkedManifest,
		"a tool":                 func() ([]byte, error) { return project.Tools(l.Process).Encode(l.Descriptors[0]) },
		"an entry of a manifest": func() ([]byte, error) { return project.Entry(l.Descriptors[0]) },
		"a list of tools": func() ([]byte, error) {
			var tools [][]byte
			for _, d := range l.Descriptors {
				text, err := project.Tools(l.Process).Encode(d)
				if err != nil {
					return nil, err
				}
				tools = append(tools, text)
			}
			return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"result":{"tools":[%s]}}`, bytes.Join(tools, []byte{','})), nil
		},
	} {
		text, err := write()
		if err != nil {
			t.Fatal(err)
		}
		docs[name] = text
	}
	return docs
}

// knows finds the samples, and other versions of them.
func knows(t *testing.T, other ...capability.Descriptor) project.Known {
	t.Helper()
	all := kinds(t)
	return func(id, version string) (capability.Descriptor, bool) {
		for _, d := range append(slices.Clone(other), all...) {
			if d.ID == id && (version == "" || d.Version == version) {
				return d, true
			}
		}
		return capability.Descriptor{}, false
	}
}

func check(t *testing.T, text []byte, known project.Known) project.Saved {
	t.Helper()
	s, err := project.CheckSaved(text, project.Process{}, known)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestWhatWasSavedAsServedIsFoundWell(t *testing.T) {
	for kind, text := range saved(t) {
		var indented bytes.Buffer
		if err := json.Indent(&indented, text, "", "\t"); err != nil {
			t.Fatal(err)
		}
		var value any
		if err := json.Unmarshal(text, &value); err != nil {
			t.Fatal(err)
		}
		sorted, err := json.Marshal(value) // with HTML escapes, too
		if err != nil {
			t.Fatal(err)
		}
		for _, form := range [][]byte{text, indented.Bytes(), sorted} {
			if s := check(t, form, knows(t)); s.Kind != kind || s.Entries == 0 || len(s.Findings) > 0 {
				t.Errorf("%s: %+v", kind, s)
			}
		}
	}
}

// What is served of any descriptor has the checksum that is read of it.
func TestChecksumsOfRandomDescriptors(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		d := randomDescriptor(r)
		l := project.Listing{Version: "v", Descriptors: []capability.Descriptor{d}, Process: project.Process{Graph: "one"}, Base: "https://one.example"}
		known := func(string, string) (capability.Descriptor, bool) { return d, true }
		for _, write := range []func() ([]byte, error){func() ([]byte, error) { return l.OpenAPI(routes) }, l.Thing, l.Manifest} {
			text, err := write()
			if err != nil {
				r.Fatal(err)
			}
			if s, err := project.CheckSaved(text, l.Process, known); err != nil || s.Entries != 1 || len(s.Findings) > 0 {
				r.Fatalf("%s: %+v, %v", text, s, err)
			}
		}
	})
}

// An edit of any value, anywhere in a document, is found.
func TestAnyEditOfASavedDocumentIsFound(t *testing.T) {
	docs := saved(t)
	rapid.Check(t, func(rt *rapid.T) {
		kind := rapid.SampledFrom(slices.Sorted(maps.Keys(docs))).Draw(rt, "document")
		var value any
		if err := json.Unmarshal(docs[kind], &value); err != nil {
			rt.Fatal(err)
		}
		at := value
		if top, ok := value.(map[string]any)["result"]; ok {
			at = top
		}
		where := ""
		for done := false; !done; {
			switch o := at.(type) {
			case map[string]any:
				if len(o) == 0 {
					rt.Skip("an empty object")
				}
				name := rapid.SampledFrom(slices.Sorted(maps.Keys(o))).Draw(rt, "member")
				where += "." + name
				if done = leaf(o[name]); done {
					o[name] = "edited"
				}
				at = o[name]
			case []any:
				if len(o) == 0 {
					rt.Skip("an empty list")
				}
				i := rapid.IntRange(0, len(o)-1).Draw(rt, "place")
				if done = leaf(o[i]); done {
					o[i] = "edited"
				}
				at = o[i]
			}
		}
		text, err := json.Marshal(value)
		if err != nil {
			rt.Fatal(err)
		}
		if s, err := project.CheckSaved(text, project.Process{}, knows(t)); err == nil && len(s.Findings) == 0 {
			rt.Fatalf("%s%s was edited, and is found well", kind, where)
		}
	})
}

func leaf(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return false
	}
	return true
}

// A finding names the capability and the field, and tells an edit from another version.
func TestASavedDocumentIsToldFromAnother(t *testing.T) {
	docs := saved(t)
	d := kinds(t)[0]
	older := d
	older.Description += " It was so before."
	older.Version = ""
	older = older.Stamped("0.9.0")
	l := listing(t)
	l.Descriptors = slices.Clone(l.Descriptors)
	l.Descriptors[0], l.Cache = older, nil
	before, err := l.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	without := func(id string) project.Known {
		return func(asked, version string) (capability.Descriptor, bool) {
			found, ok := knows(t)(asked, version)
			return found, ok && asked != id
		}
	}
	quoted := func(text string) string { return fmt.Sprintf("%q", text) }
	for _, c := range []struct {
		what  string
		text  []byte
		known project.Known
		want  []string // capability, field and rule of each finding
	}{
		{"a description in a tool", bytes.Replace(docs["a tool"], []byte(`"description":`+quoted(d.Description)), []byte(`"description":"Another."`), 1), knows(t), []string{d.ID + " description edited"}},
		{"a title in OpenAPI", bytes.Replace(docs["an OpenAPI document"], []byte(`"title":"samples"`), []byte(`"title":"others"`), 1), knows(t), []string{"  edited"}},
		{"an older version", before, knows(t, older), nil},
		{"an older version, which is not the newest", before, func(id, version string) (capability.Descriptor, bool) {
			if version == older.Version {
				return older, true
			}
			return knows(t)(id, version)
		}, []string{d.ID + " version stale"}},
		{"an older version with an edit", bytes.Replace(before, []byte(quoted(older.Description)), []byte(`"Another."`), 1), func(id, version string) (capability.Descriptor, bool) {
			if version == older.Version {
				return older, true
			}
			return knows(t)(id, version)
		}, []string{d.ID + " description edited"}},
		{"a capability that is gone", docs["a tool"], without(d.ID), []string{d.ID + "  not-there"}},
		{"a tool without a checksum", []byte(`{"name":"find","inputSchema":{},"trails":{"id":"nowhere"}}`), knows(t), []string{"nowhere  no-sum"}},
	} {
		s := check(t, c.text, c.known)
		var got []string
		for _, f := range s.Findings {
			got = append(got, strings.Join([]string{f.Capability, f.Field, f.Rule}, " "))
			if f.Says == "" || f.Mend == "" {
				t.Errorf("%s: %+v", c.what, f)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.what, got, c.want)
		}
	}
	for _, text := range []string{`{"a":`, `{"a":1}`, `17`} {
		if _, err := project.CheckSaved([]byte(text), project.Process{}, knows(t)); err == nil {
			t.Errorf("%s is checked", text)
		}
	}
}

// Programs that save a tool keep its _meta or drop it.
func TestToolsWithHintsAreFoundWellWithoutThem(t *testing.T) {
	for _, id := range []string{"search", "undo"} {
		d := capability.Descriptor{ID: id, Description: "Tell."}.Stamped("1.0.0")
		text, err := project.Tools(project.Process{}).Encode(d)
		if err != nil || !bytes.Contains(text, []byte(`"anthropic/`)) {
			t.Fatalf("%s has no hint: %s %v", id, text, err)
		}
		var tool map[string]any
		if err := json.Unmarshal(text, &tool); err != nil {
			t.Fatal(err)
		}
		delete(tool, "_meta")
		bare, err := json.Marshal(tool)
		if err != nil {
			t.Fatal(err)
		}
		for _, form := range [][]byte{text, bare} {
			if s := check(t, form, knows(t, d)); s.Entries != 1 || len(s.Findings) > 0 {
				t.Errorf("%s: %+v", form, s)
			}
		}
	}
}
