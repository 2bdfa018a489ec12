package admin

import (
	"slices"
	"strings"
	"testing"
)

// TestACycleOfReferencesLeavesNoColumnEmpty places types that refer to each other.
func TestACycleOfReferencesLeavesNoColumnEmpty(t *testing.T) {
	for name, c := range map[string]struct {
		edges []string // from and to
		want  []int    // the columns of A to F
	}{
		"a chain":           {[]string{"AB", "BC"}, []int{0, 1, 2, 0, 0, 0}},
		"the longest way":   {[]string{"AB", "AC", "CB"}, []int{0, 2, 1, 0, 0, 0}},
		"itself":            {[]string{"AA", "AB"}, []int{0, 1, 0, 0, 0, 0}},
		"two":               {[]string{"AB", "BA"}, []int{0, 1, 0, 0, 0, 0}},
		"two and a third":   {[]string{"AB", "BA", "CA"}, []int{1, 2, 0, 0, 0, 0}},
		"more than columns": {[]string{"AB", "BC", "CD", "DE", "EF", "FA"}, []int{0, 1, 2, 3, 3, 3}},
	} {
		var g schemaGraph
		for _, typ := range "ABCDEF" {
			g.Types = append(g.Types, schemaNode{Name: string(typ)})
		}
		for _, e := range c.edges {
			g.Edges = append(g.Edges, schemaEdge{From: e[:1], To: e[1:], Targets: []string{e[1:]}})
		}
		g.place()
		var got []int
		for _, typ := range g.Types {
			got = append(got, typ.Column)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: the columns are %v, want %v", name, got, c.want)
		}
	}
}

func TestTheNameOfATypeBreaksWhereAWordBegins(t *testing.T) {
	for name, want := range map[string]string{
		"Person": "<span>Person</span>", "Kind02OfThing": "<span>Kind02<wbr>Of<wbr>Thing</span>", "CVEEntry": "<span>CVEEntry</span>", "": "<span></span>",
		"Component, many": "<span>Component, many</span>", "<A>": "<span>&lt;<wbr>A&gt;</span>",
	} {
		var got strings.Builder
		if err := typeText(name).Render(&got); err != nil {
			t.Fatal(err)
		}
		if got.String() != want {
			t.Errorf("%q is drawn as %s, want %s", name, &got, want)
		}
	}
}
