package admin

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/html"
	"pgregory.net/rapid"

	h "trails/admin/html"
	"trails/builtin/view"
)

// TestLabelsOfAPictureNeverOverlap draws random nodes and links in each layout, and holds that no text is over another
// one, that no box is over another one, and that all are within the picture.
func TestLabelsOfAPictureNeverOverlap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var f figure
		n := rapid.IntRange(1, 40).Draw(t, "nodes")
		for i := range n {
			time := ""
			if rapid.Bool().Draw(t, "timed") {
				time = fmt.Sprintf("20%02d-01-0%d", rapid.IntRange(0, 30).Draw(t, "year"), 1+i%9)
			}
			name := rapid.SampledFrom([]string{"", "x", strings.Repeat("A wide NAME ", 5), "WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW"}).Draw(t, "name")
			f.add(figureNode{Node: view.Node{Label: name, IRI: "urn:n"}, Key: strconv.Itoa(i), Time: time, Here: i == 0})
		}
		for range rapid.IntRange(0, 60).Draw(t, "links") {
			f.link(figureLink{From: rapid.IntRange(0, n-1).Draw(t, "from"), To: rapid.IntRange(0, n-1).Draw(t, "to"), Property: rapid.SampledFrom([]string{"p", "a property with a long name"}).Draw(t, "property")})
		}
		for _, l := range layouts {
			checkBoxes(t, l.word, f.draw(newPalette(&typeColours{}, nil), l.word, "picture"))
		}
	})
}

type extent struct {
	what                     string
	left, top, right, bottom float64
}

func (a extent) overlaps(b extent) bool {
	return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
}

func checkBoxes(t *rapid.T, layout string, drawn h.Node) {
	var text bytes.Buffer
	if err := h.Div(drawn).Render(&text); err != nil {
		t.Fatal(err)
	}
	doc, err := html.Parse(&text)
	if err != nil {
		t.Fatal(err)
	}
	var texts, boxes []extent
	var width, height float64
	for n := range doc.Descendants() {
		at, words := map[string]float64{}, map[string]string{}
		for _, a := range n.Attr {
			words[a.Key] = a.Val
			at[a.Key], _ = strconv.ParseFloat(a.Val, 64)
		}
		switch n.Data {
		case "svg":
			width, height = at["width"], at["height"]
		case "rect":
			boxes = append(boxes, extent{"a box", at["x"], at["y"], at["x"] + at["width"], at["y"] + at["height"]})
		case "text":
			letter, high := 7.0, 13.0 // of an ordinary text
			if words["class"] == "property" {
				letter, high = 6.0, 11
			}
			says := n.FirstChild.Data
			wide := letter * float64(utf8.RuneCountInString(says))
			left := at["x"]
			switch words["text-anchor"] {
			case "end":
				left -= wide
			case "middle":
				left -= wide / 2
			}
			texts = append(texts, extent{says, left, at["y"] - high*0.75, left + wide, at["y"] + high*0.2})
		}
	}
	for _, list := range [][]extent{texts, boxes} {
		for i, a := range list {
			if a.left < -1 || a.top < -1 || a.right > width+1 || a.bottom > height+1 {
				t.Fatalf("%s: %q leaves the picture of %g × %g: %+v", layout, a.what, width, height, a)
			}
			if at := slices.IndexFunc(list[i+1:], a.overlaps); at >= 0 {
				t.Fatalf("%s: %q is over %q", layout, a.what, list[i+1+at].what)
			}
		}
	}
	for _, a := range texts {
		for _, b := range boxes {
			if a.overlaps(b) && (a.left < b.left || a.right > b.right) {
				t.Fatalf("%s: %q crosses the edge of a box", layout, a.what)
			}
		}
	}
}

// A timeline has room for any centuries: a node stands as far to the right as it is late.
func TestATimelineOfCenturiesKeepsItsOrder(t *testing.T) {
	var f figure
	for _, at := range []string{"0900-01-01", "1300-01-01", "1700-01-01", "2100-01-01"} {
		f.add(figureNode{Key: at, Time: at})
	}
	var text strings.Builder
	if err := f.draw(newPalette(&typeColours{}, nil), layoutTime, "picture").Render(&text); err != nil {
		t.Fatal(err)
	}
	var at []float64
	for _, found := range regexp.MustCompile(`<circle cx="([0-9.]+)"`).FindAllStringSubmatch(text.String(), -1) {
		x, err := strconv.ParseFloat(found[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		at = append(at, x)
	}
	if len(at) != 4 {
		t.Fatalf("%d nodes are drawn: %s", len(at), &text)
	}
	for i := 1; i < len(at); i++ {
		if step := at[i] - at[i-1]; step < timesWide/3-2 || step > timesWide/3+2 {
			t.Errorf("the nodes stand at %v, want the same step between them", at)
		}
	}
}
