package surface_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"trails/capability"
	"trails/invoke"
	"trails/invoke/invoketest"
	"trails/surface"
)

// listOf returns what a list of tools has under a schema, and how many tokens a model reads of it.
func listOf(t *testing.T, m surface.Mode, schema string) ([]capability.Descriptor, int) {
	t.Helper()
	e := invoketest.New(t, schema, invoke.Config{Surface: m.Choose})
	tools, err := e.Tools(t.Context(), invoketest.Ana)
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, d := range tools.Listed {
		text += surface.Shown(d)
	}
	return tools.Listed, surface.Tokens(text)
}

func manyTypes(n int) string {
	var b strings.Builder
	b.WriteString("types:\n")
	for i := range n {
		fmt.Fprintf(&b, "  Kind%d:\n    label: title\n    properties:\n      title: {type: string, required: true, description: What it is called}\n      about: {class: Kind0, many: true}\n", i)
	}
	return b.String()
}

func TestAListCostsWhatItMay(t *testing.T) {
	attack, err := os.ReadFile("../testdata/attack/schema.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, schema string
		mode         surface.Mode
		most         int
		typed        string // the id of a typed tool, and whether it is listed
		listed       bool
	}{
		{"attack in full", string(attack), surface.Full, 7_000, "technique.create", true},
		{"attack compact", string(attack), surface.Compact, 3_500, "technique.create", false},
		{"one type by itself", manyTypes(1), surface.Auto, surface.Budget, "kind0.create", true},
		{"sixty types by themselves", manyTypes(60), surface.Auto, 3_500, "kind0.create", false},
		{"no types compact", "", surface.Compact, 3_500, "kind0.create", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			list, tokens := listOf(t, c.mode, c.schema)
			t.Logf("%d tools, %d tokens", len(list), tokens)
			if tokens > c.most {
				t.Errorf("%d tokens, at most %d", tokens, c.most)
			}
			named := func(id string) bool {
				return slices.ContainsFunc(list, func(d capability.Descriptor) bool { return d.ID == id })
			}
			if named(c.typed) != c.listed || named("create") == c.listed {
				t.Errorf("%s is listed: %t; create is: %t", c.typed, named(c.typed), named("create"))
			}
			if len(list) > 40 {
				t.Errorf("%d tools", len(list))
			}
			for _, d := range list {
				if len(d.Description) > 1_000 {
					t.Errorf("the description of %s has %d characters", d.ID, len(d.Description))
				}
			}
		})
	}
}
