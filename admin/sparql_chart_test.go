package admin_test

import (
	"math"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
)

// TestAnAnswerIsAChart holds which chart follows from the columns of an answer, that its numbers are those of the rows,
// and that each choice is in the address and is kept by the forms of the answer.
func TestAnAnswerIsAChart(t *testing.T) {
	f := newExample(t)
	for _, c := range []struct {
		says, query, address string
		want                 [][]string
		notes                string
	}{
		{"a word and a number are bars", `SELECT ?w ?n { VALUES (?w ?n) { ("a" 2) ("b" 3.5) ("a" 1) } }`, "", [][]string{{"w", "n"}, {"a", "3"}, {"b", "3.5"}}, "Rows with the same w are added up."},
		{"the first number is drawn", `SELECT ?n ?w ?m { VALUES (?n ?w ?m) { (2 "a" 9) } }`, "", [][]string{{"w", "n"}, {"a", "2"}}, ""},
		{"a second word splits", `SELECT ?w ?v ?n { VALUES (?w ?v ?n) { ("a" "x" 1) ("a" "y" 2) } }`, "", [][]string{{"w", "Part", "n"}, {"a", "x", "1"}, {"a", "y", "2"}}, ""},
		{"no parts when that is chosen", `SELECT ?w ?v ?n { VALUES (?w ?v ?n) { ("a" "x" 1) ("a" "y" 2) } }`, "&split=-", [][]string{{"w", "n"}, {"a", "3"}}, "added up"},
		{"without numbers rows are counted", `SELECT ?w { VALUES ?w { "a" "b" "a" } }`, "", [][]string{{"w", "number of rows"}, {"a", "2"}, {"b", "1"}}, ""},
		{"days are in their order, and gaps are said", `SELECT ?n ?d { VALUES (?n ?d) { (1 "2024-03-02"^^xsd:date) (2 "2024-02-28"^^xsd:date) } }`, "", [][]string{{"d", "n"}, {"2024-02-28", "2"}, {"2024-03-02", "1"}}, "2 of 4 days have no row; the line passes over them."},
		{"rows without a number are said", `SELECT ?w ?n { VALUES (?w ?n) { ("a" 2) ("b" UNDEF) } }`, "", [][]string{{"w", "n"}, {"a", "2"}}, "1 row without a value of n is not drawn."},
		{"points against each other stay apart", `SELECT ?x ?y { VALUES (?x ?y) { (1 2) (1 3) } }`, "&x=x&y=y", [][]string{{"x", "y"}, {"1", "2"}, {"1", "3"}}, ""},
		{"the axes can be exchanged", `SELECT ?x ?y { VALUES (?x ?y) { (1 2) } }`, "&x=y&y=x&chart=bar", [][]string{{"y", "x"}, {"2", "1"}}, ""},
		{"a name of the graph leads to it", `SELECT ?r { ?r a :Requirement } ORDER BY ?r LIMIT 1`, "", nil, ""},
	} {
		t.Run(c.says, func(t *testing.T) {
			query := "PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>\n" + prologue + c.query
			address := "/admin/query?run=1&output=chart&query=" + url.QueryEscape(query) + c.address
			a := f.get(t, address, 200)
			checkPage(t, c.says, a)
			if len(a.find(func(n *html.Node) bool {
				return n.Data == "svg" && strings.Contains(attribute(n, "aria-label"), " by ")
			})) != 1 {
				t.Fatalf("there is no picture: %s", mainText(a))
			}
			if !strings.Contains(mainText(a), c.notes) {
				t.Errorf("%q is not said: %s", c.notes, mainText(a))
			}
			got := rows(a.byID(t, "numbers"))
			if c.want == nil {
				if links := a.links("/admin/types/Requirement/"); len(links) == 0 {
					t.Error("the bar leads nowhere")
				}
				return
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			sent := url.Values{}
			for _, n := range a.find(tag("form")) {
				if strings.Contains(attribute(n, "class"), "views") {
					for in := range n.Descendants() {
						if in.Data == "input" {
							sent.Set(attribute(in, "name"), attribute(in, "value"))
						}
					}
				}
			}
			sent.Set("output", "chart")
			if diff := cmp.Diff(got, rows(f.posted(t, sent).byID(t, "numbers"))); diff != "" {
				t.Errorf("the button draws another chart: %s", diff)
			}
		})
	}
	for _, wrong := range []string{"&x=nope", "&y=w", "&split=nope", "&chart=radar"} {
		if a := f.get(t, "/admin/query?run=1&output=chart&query="+url.QueryEscape(`SELECT ?w ?n { VALUES (?w ?n) { ("a" 2) } }`)+wrong, 400); a.text == "" {
			t.Error(wrong)
		}
	}
	if a := f.get(t, "/admin/query?run=1&output=chart&query="+url.QueryEscape(`CONSTRUCT { ?s a ?o } { ?s a ?o } LIMIT 2`), 200); !strings.Contains(mainText(a), "these are triples") {
		t.Errorf("triples: %s", mainText(a))
	}
}

// TestColoursOfChartsStandOut holds that each colour of a series has a contrast of 3:1 to its ground, in both themes
// (WCAG 2.2, 1.4.11).
func TestColoursOfChartsStandOut(t *testing.T) {
	sheet, err := os.ReadFile("static/admin.css")
	if err != nil {
		t.Fatal(err)
	}
	pair := func(before string) [2]string {
		m := regexp.MustCompile(regexp.QuoteMeta(before) + ` *light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)`).FindSubmatch(sheet)
		if m == nil {
			t.Fatalf("the style sheet has no %s", before)
		}
		return [2]string{string(m[1]), string(m[2])}
	}
	ground := pair("--panel:")
	for i := range 8 {
		series := pair(".series-" + strconv.Itoa(i+1) + " { --hue:")
		for theme, name := range []string{"light", "dark"} {
			a, b := luminance(t, ground[theme]), luminance(t, series[theme])
			if got := (max(a, b) + 0.05) / (min(a, b) + 0.05); got < 3 {
				t.Errorf("series %d has a contrast of %.2f in the %s theme", i+1, got, name)
			}
		}
	}
}

// luminance is the relative luminance of a colour, as WCAG defines it.
func luminance(t *testing.T, colour string) float64 {
	n, err := strconv.ParseUint(colour[1:], 16, 32)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for i, weight := range []float64{0.0722, 0.7152, 0.2126} {
		v := float64(n>>(8*i)&0xff) / 255
		if v <= 0.04045 {
			v /= 12.92
		} else {
			v = math.Pow((v+0.055)/1.055, 2.4)
		}
		sum += weight * v
	}
	return sum
}

// TestAChartIsKeptWithItsStoredQuery holds that the button of a chart changes the view of the stored query alone, that the
// query opens with that chart, and that a text which is not stored is refused.
func TestAChartIsKeptWithItsStoredQuery(t *testing.T) {
	f := newExample(t)
	f.call(t, "trails.meta.query.add", map[string]any{"queries": []any{map[string]any{"text": "#+ id: per_status\n" + prologue + "SELECT ?s ?p (COUNT(*) AS ?n) { ?r :status ?s ; :priority ?p } GROUP BY ?s ?p"}}, "message": "store"})
	page := f.get(t, "/admin/query?stored=per_status&run=1&output=chart", 200)
	says(t, page, "Keep this chart with the query")
	text := rawText(page.byID(t, "query"))
	a := f.posted(t, url.Values{"query": {text}, "do": {"chart"}, "x": {"p"}, "y": {"n"}, "split": {"s"}, "chart": {"heat"}})
	says(t, a, "Chart kept", "Commit")
	var to string
	for _, n := range a.find(tag("a")) {
		if textOf(n) == "The answer with its chart" {
			to = attribute(n, "href")
		}
	}
	shown := f.get(t, to, 200)
	says(t, shown, "n by p and s")
	if chosen := shown.find(func(n *html.Node) bool { return attribute(n, "value") == "heat" && hasAttribute(n, "selected") }); len(chosen) != 1 {
		t.Error("the query does not open with the chart that was kept")
	}
	refused := f.posted(t, url.Values{"query": {strings.Replace(text, "COUNT(*)", "SUM(?p)", 1)}, "do": {"chart"}, "x": {"p"}})
	says(t, refused, "store the text first")
	says(t, f.posted(t, url.Values{"query": {"SELECT ?s { ?s ?p ?o }"}, "do": {"chart"}}), "store it first")
}
