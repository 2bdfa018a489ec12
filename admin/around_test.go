package admin_test

import (
	"encoding/xml"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"trails/admin"
)

// The picture of a node has a line for each neighbour, or one for all that a property leads to when they are many, each
// a link; and none of it needs a script.
func TestThePictureOfANodeGroupsManyNeighbours(t *testing.T) {
	f := newFixture(t, []byte(`
types:
  Hub: {label: title, key: code, iri: key, properties: {title: {type: string}, code: {type: string, required: true}, near: {class: Hub, many: true}}}
  Leaf: {label: title, key: code, iri: key, properties: {title: {type: string}, code: {type: string, required: true}, uses: {class: Hub}, made_by: {class: Hub}}}
`), admin.Options{})
	f.call(t, "hub.create", map[string]any{"code": "h", "title": "<b>The hub</b>"})
	f.call(t, "hub.create", map[string]any{"code": "n", "title": "Next", "near": []string{"h"}})
	f.call(t, "hub.update", map[string]any{"id": "h", "near": []string{"n"}})
	for i := range 40 {
		f.call(t, "leaf.create", map[string]any{"code": fmt.Sprint(i), "title": fmt.Sprint("Leaf ", i), "uses": "h"})
	}
	f.call(t, "leaf.update", map[string]any{"id": "3", "made_by": "h"})
	a := f.get(t, "/admin/types/Hub/h", 200)
	checkPage(t, "picture", a)
	svg := a.find(func(n *html.Node) bool {
		return n.Data == "svg" && attribute(n, "viewbox")+attribute(n, "viewBox") != "" && attribute(n, "aria-label") != ""
	})
	if len(svg) != 1 {
		t.Fatalf("%d pictures", len(svg))
	}
	var texts, links []string
	for n := range svg[0].Descendants() {
		switch n.Data {
		case "text":
			texts = append(texts, textOf(n))
		case "a":
			links = append(links, attribute(n, "href"))
		}
	}
	for _, want := range []string{"▸ 40 Leaf", "Leaf 3", "Next", "<b>The hub</b>", "Uses →", "Made by →", "Near →"} {
		if !slices.Contains(texts, want) {
			t.Errorf("%q is not in the picture: %q", want, texts)
		}
	}
	for _, want := range []string{"/admin/types/Leaf?where=uses%3DHub%2Fh", "/admin/types/Leaf/3", "/admin/types/Hub/n"} {
		if !slices.Contains(links, want) {
			t.Errorf("%s is not linked: %q", want, links)
		}
	}
	if strings.Contains(a.text, "cytoscape.min.js") {
		t.Error("the page loads a library for the picture")
	}
	if a := f.get(t, "/admin/types/Leaf/1", 200); !strings.Contains(a.text, "▸") && len(a.find(tag("svg"))) == 0 {
		t.Error("a leaf has no picture")
	}
}

// A property that leads to nodes of any type is a reference like others: it stands among them, is counted in the line
// about the node, and its nodes are in the picture by their types.
func TestAPropertyOfAnyNodeIsAReference(t *testing.T) {
	f := newFixture(t, []byte(`
types:
  Band: {label: title, key: code, iri: key, properties: {title: string, code: {type: string, required: true}, uses: {type: iri, many: true}}}
  Tool: {label: title, key: code, iri: key, properties: {title: string, code: {type: string, required: true}}}
  Trick: {extends: Tool}
`), admin.Options{})
	var used []any
	for i := range 34 {
		used = append(used, f.call(t, []string{"tool.create", "trick.create"}[i%2], map[string]any{"code": fmt.Sprint("c", i), "title": fmt.Sprint("Thing ", i)})["iri"])
	}
	f.call(t, "band.create", map[string]any{"code": "few", "title": "Few", "uses": append([]any{"urn:elsewhere"}, used[:2]...)})
	f.call(t, "band.create", map[string]any{"code": "many", "title": "Many", "uses": used})
	for id, want := range map[string][]string{"few": {"Thing 0", "Thing 1"}, "many": {"▸ 17 Tool", "▸ 17 Trick"}} {
		a := f.get(t, "/admin/types/Band/"+id, 200)
		checkPage(t, id, a)
		if text := strings.ToLower(mainText(a)); !strings.Contains(text, "refers to 3 nodes") && !strings.Contains(text, "refers to 34 nodes") {
			t.Errorf("%s: the line about the node says nothing of its references: %s", id, text)
		}
		drawn := ""
		for _, svg := range a.find(tag("svg")) {
			drawn += textOf(svg) + "\n"
		}
		for _, one := range want {
			if !strings.Contains(drawn, one) {
				t.Errorf("%s: %q is not in the picture: %s", id, one, drawn)
			}
		}
	}
}

// The values of a property that leads to nodes of any type are counted by type also where a page reads the first of them
// alone. Those whose types are not read have a box of their own.
func TestManyValuesOfAnyTypeAreCountedByType(t *testing.T) {
	f := newFixture(t, []byte(`
types:
  Band: {label: title, key: code, iri: key, properties: {title: string, code: {type: string, required: true}, uses: {type: iri, many: true}}}
  Tool: {label: title, key: code, iri: key, properties: {title: string, code: {type: string, required: true}}}
  Rare: {extends: Tool}
`), admin.Options{})
	var used []any
	for i := range 70 {
		used = append(used, f.call(t, "tool.create", map[string]any{"code": fmt.Sprint("c", i), "title": fmt.Sprint("Thing ", i)})["iri"])
	}
	for i := range 2 { // behind those that a page reads
		used = append(used, f.call(t, "rare.create", map[string]any{"code": fmt.Sprint("r", i), "title": fmt.Sprint("Rare thing ", i)})["iri"])
	}
	f.call(t, "band.create", map[string]any{"code": "many", "title": "Many", "uses": used})
	for i := range 933 {
		used = append(used, fmt.Sprint("urn:elsewhere:", i))
	}
	f.call(t, "band.create", map[string]any{"code": "most", "title": "Most", "uses": used[:700]})
	f.call(t, "update", map[string]any{"type": "Band", "id": "most", "add": map[string]any{"uses": used[700:]}})
	for id, want := range map[string][]string{"many": {"▸ 70 Tool", "Rare thing 0", "Rare thing 1"}, "most": {"▸ 70 Tool", "Rare thing 1", "… 5 more"}} {
		for _, page := range []string{"", "/graph"} {
			a := f.get(t, "/admin/types/Band/"+id+page, 200)
			checkPage(t, id, a)
			var texts []string
			for _, n := range a.find(tag("text")) {
				texts = append(texts, textOf(n))
			}
			for _, one := range want {
				if !slices.Contains(texts, one) {
					t.Errorf("%s%s: %q is not in the picture: %q", id, page, one, texts)
				}
			}
		}
	}
	a := f.get(t, "/admin/types/Band/many/graph?"+url.Values{"open": {"out uses Tool Band/many"}}.Encode(), 200)
	if texts := pictureTexts(t, a); !slices.Contains(texts, "… 10 more") || !slices.Contains(texts, "Thing 1") {
		t.Errorf("the open group shows %q", texts)
	}
}

// hub is a node that forty others refer to, of which one has a neighbour of its own.
func hub(t *testing.T) fixture {
	f := newFixture(t, []byte(`
types:
  Hub: {label: title, key: code, iri: key, properties: {title: {type: string}, code: {type: string, required: true}, near: {class: Hub, many: true}}}
  Leaf: {label: title, key: code, iri: key, properties: {title: {type: string}, code: {type: string, required: true}, about: {type: string}, since: {type: date}, uses: {class: Hub}, part_of: {class: Leaf}}}
`), admin.Options{})
	f.call(t, "hub.create", map[string]any{"code": "h", "title": "The hub"})
	f.call(t, "hub.create", map[string]any{"code": "n", "title": "Next"})
	f.call(t, "hub.update", map[string]any{"id": "h", "near": []string{"n"}})
	for i := range 40 {
		f.call(t, "leaf.create", map[string]any{"code": fmt.Sprint(i), "title": fmt.Sprint("Leaf ", i), "uses": "h", "since": fmt.Sprintf("2024-01-%02d", i%28+1)})
	}
	f.call(t, "leaf.create", map[string]any{"code": "deep", "title": "Deeper", "part_of": "7", "about": "what the card says"})
	return f
}

// pictureTexts are the texts of the one picture of a page.
func pictureTexts(t *testing.T, a answer) (texts []string) {
	t.Helper()
	for n := range a.byID(t, "around").Descendants() {
		if n.Data == "text" {
			texts = append(texts, textOf(n))
		}
	}
	return texts
}

// TestGroupsOpenAndNodesExpand follows the links of a picture as somebody without scripts does.
func TestGroupsOpenAndNodesExpand(t *testing.T) {
	f := hub(t)
	follow := func(a answer, text string) answer {
		t.Helper()
		for n := range a.byID(t, "around").Descendants() {
			if n.Data == "a" && textOf(n) == text {
				next := f.get(t, attribute(n, "href"), 200)
				checkPage(t, text, next)
				return next
			}
		}
		t.Fatalf("there is no link %q: %s", text, mainText(a))
		return a
	}
	has := func(a answer, text string, want bool) {
		t.Helper()
		if got := slices.Contains(pictureTexts(t, a), text); got != want {
			t.Errorf("%q is in the picture: %v, want %v", text, got, want)
		}
	}
	a := f.get(t, "/admin/types/Hub/h/graph", 200)
	has(a, "▸ 40 Leaf", true)
	has(a, "Leaf 7", false)
	has(a, "Next", true)
	a = follow(a, "▸ 40 Leaf")
	has(a, "▾ 40 Leaf", true)
	has(a, "Leaf 7", true)
	if !slices.ContainsFunc(rows(a.byID(t, "around")), func(row []string) bool { return slices.Equal(row, []string{"Leaf 7", "Uses", "The hub"}) }) {
		t.Error("the table does not have the link of a member of the group")
	}
	a = follow(a, "Leaf 7")
	has(a, "Deeper", true)
	a = follow(a, "Deeper")
	says(t, a, "About: what the card says", "Fold", "1 link out, 0 in")
	has(follow(a, "Fold"), "Deeper", true) // Leaf 7 is still expanded
	a = follow(a, "▾ 40 Leaf")
	has(a, "Leaf 8", false)
	has(a, "Leaf 7", true) // it is expanded, and what is around it has the hub
	hidden := f.get(t, "/admin/types/Hub/h/graph?hide=Leaf", 200)
	has(hidden, "▸ 40 Leaf", false)
	says(t, hidden, "Leaf 40 Show")
	has(f.get(t, "/admin/types/Hub/h/graph?without=near", 200), "Next", false)
	has(f.get(t, "/admin/types/Hub/h/graph?direction=out", 200), "▸ 40 Leaf", false)
}

// TestATimelineHasTheDatesOfNodes holds that the timeline is offered where a type has a date, and that it says what has no
// place there.
func TestATimelineHasTheDatesOfNodes(t *testing.T) {
	f := hub(t)
	a := f.get(t, "/admin/types/Leaf/7/graph?layout=time", 200)
	texts := pictureTexts(t, a)
	if !slices.Contains(texts, "2024-01-08") || !slices.Contains(texts, "Leaf 7") || slices.Contains(texts, "Deeper") {
		t.Errorf("the timeline has %q", texts)
	}
	says(t, a, "2 nodes and groups without a date are in the table alone", "8 January 2024")
	if a := f.get(t, "/admin/types/Hub/n/graph", 200); strings.Contains(mainText(a), "Timeline") {
		t.Error("a timeline is offered of what has no dates")
	}
	f.get(t, "/admin/types/Hub/h/graph?layout=circle", 400)
	f.get(t, "/admin/types/Hub/h/graph?expand=a"+strings.Repeat("&expand=a", 12), 400)
	says(t, f.get(t, "/admin/types/Hub/h/graph?expand=Leaf/none", 200), "Leaf/none cannot be expanded")
	says(t, f.get(t, "/admin/types/Hub/h/graph?depth=2&limit=20", 200), "There is more than these 20 nodes: choose more nodes, or fewer steps.")
	if a := f.get(t, "/admin/types/Hub/h/graph?depth=2", 200); !slices.Contains(pictureTexts(t, a), "Deeper") {
		t.Error("two steps away is not drawn")
	}
}

// TestATimelineHasTheDaysOfTimes holds that a time is a whole day at the left, and a time as people read it in the table.
func TestATimelineHasTheDaysOfTimes(t *testing.T) {
	f := newFixture(t, []byte("types:\n  Leaf: {label: title, key: code, iri: key, properties: {title: {type: string}, code: {type: string, required: true}, since: {type: datetime}, part_of: {class: Leaf}}}\n"), admin.Options{})
	f.call(t, "leaf.create", map[string]any{"code": "a", "title": "A", "since": "2017-05-31T21:31:17.472Z"})
	f.call(t, "leaf.create", map[string]any{"code": "b", "title": "B", "since": "-0044-03-15T12:00:00Z", "part_of": "a"})
	a := f.get(t, "/admin/types/Leaf/a/graph?layout=time", 200)
	if texts := pictureTexts(t, a); !slices.Contains(texts, "2017-05-31") || !slices.Contains(texts, "-0044-03-15") {
		t.Errorf("the timeline has %q", texts)
	}
	says(t, a, "31 May 2017, 21:31:17")
}

// TestPicturesAreFiles holds that each page with a picture links to it as a file: SVG that parses as XML and needs nothing
// else, with no link and no address.
func TestPicturesAreFiles(t *testing.T) {
	f := newExample(t)
	f.call(t, "component.create", map[string]any{"name": "odd", "path": "odd", "row": "logic", "title": "bell\u0007 \ufffe\uffff ]]> <b>", "dependsOn": []string{"kg"}}) // XML has no place for these
	ask := url.Values{"query": {"SELECT ?s (COUNT(*) AS ?n) { ?r :status ?s } GROUP BY ?s"}, "run": {"1"}, "output": {"chart"}}
	for _, page := range []string{
		"/admin/types/Component/kg", "/admin/types/Component/kg/graph?layout=layers", "/admin/types/Component/kg/graph?depth=2", "/admin/types/Component/kg/tree", "/admin/types/Component/odd", "/admin/types/Component/odd/graph",
		"/admin/paths?from=Component/kg&to=Component/db", "/admin/schema", "/admin/types/Requirement?by=status&split=priority", "/admin/query?" + ask.Encode(),
	} {
		a := f.get(t, page, 200)
		var files []string
		for _, n := range a.find(func(n *html.Node) bool { return n.Data == "a" && attribute(n, "download") == "picture.svg" }) {
			files = append(files, attribute(n, "href"))
		}
		if len(files) != 1 {
			t.Errorf("%s links to the files %q", page, files)
			continue
		}
		file := f.get(t, files[0], 200)
		if kind := file.Header.Get("Content-Type"); kind != "image/svg+xml" || !strings.HasPrefix(file.text, "<svg xmlns=") {
			t.Errorf("%s is %s: %.200s", files[0], kind, file.text)
		}
		d := xml.NewDecoder(strings.NewReader(file.text))
		texts := 0
		for {
			token, err := d.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Errorf("%s: %v", files[0], err)
				break
			}
			if e, ok := token.(xml.StartElement); ok {
				for _, at := range e.Attr {
					if at.Name.Local == "href" || strings.HasPrefix(at.Value, "/") {
						t.Errorf("%s has the address %s", files[0], at.Value)
					}
				}
				if e.Name.Local == "text" {
					texts++
				}
			}
		}
		if texts == 0 || strings.Contains(file.text, "var(") {
			t.Errorf("%s has %d texts: %.300s", files[0], texts, file.text)
		}
	}
	says(t, f.get(t, "/admin/types/Component/kg?picture=none", 404), `no picture "none"`)
}

// TestLinksBetweenNeighboursAreDrawn holds that a picture has the links between two nodes around the one in the middle,
// without either being expanded, that their relation can be hidden, and that more than it has room for is said.
func TestLinksBetweenNeighboursAreDrawn(t *testing.T) {
	f := hub(t)
	f.call(t, "leaf.update", map[string]any{"id": "9", "part_of": "7"})
	page := "/admin/types/Hub/h/graph?open=" + url.QueryEscape("in uses Leaf Hub/h")
	between := []string{"Leaf 9", "Part of", "Leaf 7"}
	has := func(path string, want bool) answer {
		t.Helper()
		a := f.get(t, path, 200)
		checkPage(t, path, a)
		if got := slices.ContainsFunc(rows(a.byID(t, "around")), func(row []string) bool { return slices.Equal(row, between) }); got != want {
			t.Errorf("%s has the link: %v, want %v", path, got, want)
		}
		return a
	}
	has(page, true)
	has("/admin/types/Hub/h/graph", false) // its ends are in a group that is not open
	if a := has(page+"&without=part_of", false); !strings.Contains(mainText(a), "Part of") {
		t.Error("the relation cannot be shown again")
	}
	has(page+"&at=main~1", false)
	for i := range 40 {
		f.call(t, "hub.create", map[string]any{"code": fmt.Sprintf("x%d", i), "title": fmt.Sprint("Near ", i)})
	}
	for i := range 40 {
		near := []string{"Hub/h"}
		for n := 1; n <= 6; n++ {
			near = append(near, fmt.Sprintf("Hub/x%d", (i+n)%40))
		}
		f.call(t, "hub.update", map[string]any{"id": fmt.Sprintf("x%d", i), "near": near})
	}
	says(t, f.get(t, "/admin/types/Hub/h/graph?open="+url.QueryEscape("in near Hub Hub/h"), 200), "There are more links between these nodes than the 200 that the picture has")
}
