package admin

import (
	"fmt"
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

// Many types that refer to one are a box with one link; those that are referred to, that refer to others besides, or that are
// few, stand alone.
func TestTypesThatAreAlikeAreOneBox(t *testing.T) {
	var g schemaGraph
	refer := func(from, property, to string) {
		g.Edges = append(g.Edges, schemaEdge{From: from, Property: property, To: to, Targets: []string{to}, Count: 2})
	}
	g.Types = []schemaNode{{Name: "Hub", Column: 1}, {Name: "Other", Column: 1}}
	for i := range 59 {
		name := fmt.Sprintf("Leaf%d", i)
		g.Types = append(g.Types, schemaNode{Name: name})
		refer(name, "part", "Hub")
	}
	g.Types = append(g.Types, schemaNode{Name: "Apart"}, schemaNode{Name: "Also"}, schemaNode{Name: "Known"}, schemaNode{Name: "Knows"})
	refer("Apart", "part", "Other")
	refer("Also", "part", "Hub")
	refer("Also", "other", "Other")
	refer("Known", "part", "Hub")
	refer("Knows", "knows", "Known")
	var got []string
	for _, b := range g.boxes(g.Types) {
		got = append(got, fmt.Sprintf("%s×%d", b.Types[0].Name, len(b.Types)))
		if len(b.Types) == 59 && (len(b.Edges) != 1 || b.Edges[0].Count != 118) {
			t.Errorf("the box of many has the links %v", b.Edges)
		}
	}
	if want := []string{"Hub×1", "Other×1", "Leaf0×59", "Apart×1", "Also×1", "Known×1", "Knows×1"}; !slices.Equal(got, want) {
		t.Errorf("the boxes are %v, want %v", got, want)
	}
	var text strings.Builder
	if err := g.drawPicture(newPalette(&typeColours{}, nil)).Render(&text); err != nil {
		t.Fatal(err)
	}
	if links := strings.Count(text.String(), `class="link"`); links != 6 {
		t.Errorf("%d links are drawn", links)
	}
	for _, name := range []string{"Leaf0", "Leaf58"} {
		if !strings.Contains(text.String(), ">"+name+"<") || !strings.Contains(text.String(), `href="/admin/types/`+name+`"`) {
			t.Errorf("%s is not in the picture", name)
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
