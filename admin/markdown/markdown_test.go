package markdown_test

import (
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"trails/admin/markdown"
)

func drawn(t testing.TB, source string) string {
	t.Helper()
	var out strings.Builder
	if err := markdown.Draw(source).Render(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestMarksAreDrawn(t *testing.T) {
	for source, want := range map[string]string{
		"# Title\nOne *two* **three** `a<b`":  `<p class="heading"><b>Title</b></p><p>One <em>two</em> <b>three</b> <code>a&lt;b</code></p>`,
		"one\ntwo":                            `<p>one<br>two</p>`,
		"- a\n- b\n\n1. c":                    `<ul><li>a</li><li>b</li></ul><ol><li>c</li></ol>`,
		"> said\n\n---\n~~no~~":               `<blockquote><p>said</p></blockquote><hr><p><s>no</s></p>`,
		"```go\nx < y\n```":                   `<pre tabindex="0"><code>x &lt; y` + "\n" + `</code></pre>`,
		"| a | b |\n|---|---|\n| 1 | 2 |":     `<div class="scroll"><table><thead><tr><th scope="col">a</th><th scope="col">b</th></tr></thead><tr><td>1</td><td>2</td></tr></table></div>`,
		"[x](https://example.org/a?b=c&d)":    `<p><a class="outside" rel="noopener noreferrer external nofollow" href="https://example.org/a?b=c&amp;d">x</a></p>`,
		"see https://example.org/":            `<p>see <a class="outside" rel="noopener noreferrer external nofollow" href="https://example.org/">https://example.org/</a></p>`,
		"![a cat](https://example.org/c.png)": `<p><a class="outside" rel="noopener noreferrer external nofollow" href="https://example.org/c.png">picture: a cat</a></p>`,
		"plain":                               `<p>plain</p>`, "": ``,
	} {
		if got := drawn(t, source); got != want {
			t.Errorf("%q\n got %s\nwant %s", source, got, want)
		}
	}
}

// What is drawn has only these elements and attributes.
var known = regexp.MustCompile(`^(?:p|b|em|s|br|hr|ul|ol|li|pre|code|blockquote|a|div|table|thead|tbody|tr|th|td)$`)

func checkSafe(t testing.TB, source string) {
	t.Helper()
	text := drawn(t, source)
	doc, err := html.ParseFragment(strings.NewReader(text), &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div})
	if err != nil {
		t.Fatal(err)
	}
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.ElementNode && !known.MatchString(n.Data) {
			t.Errorf("%.200q draws a %s: %.300s", source, n.Data, text)
		}
		for _, a := range n.Attr {
			switch {
			case a.Key == "href" && (strings.HasPrefix(a.Val, "https://") || strings.HasPrefix(a.Val, "http://")):
			case a.Key == "class" || a.Key == "rel" || a.Key == "scope" || a.Key == "tabindex":
			default:
				t.Errorf("%.200q draws %s=%q", source, a.Key, a.Val)
			}
		}
		for c := range n.ChildNodes() {
			walk(c)
		}
	}
	for _, n := range doc {
		walk(n)
	}
}

var hostile = []string{
	`<script>alert(1)</script>`, `<img src=x onerror=alert(1)>`, "a <b onclick=x>b</b>", `[x](javascript:alert(1))`, `[x](JaVaScRiPt:alert(1))`, `[x](data:text/html,<script>)`,
	`<javascript:alert(1)>`, `![x](javascript:alert(1))`, `[x]( "onmouseover=alert(1)")`, `[a]: javascript:alert(1)` + "\n\n[a]", "<div>\n\n**x**\n\n</div>", "`<script>`", "~~~\"><script>\n</script>\n~~~",
	`[x](https://example.org/"onmouseover="alert(1))`, "&lt;script&gt;", "\x00\u202e<b>", "| <b>a | \n|---|\n| <script> |",
}

func TestNothingOfATextBecomesMarkup(t *testing.T) {
	for _, source := range hostile {
		checkSafe(t, source)
	}
}

// Texts that nest without end, or are long, are drawn in bounded depth, and what is deep is text.
func TestDeepAndLongTextsAreBounded(t *testing.T) {
	for _, source := range []string{
		strings.Repeat("> ", 20_000) + "x", strings.Repeat("- ", 20_000) + "x", strings.Repeat("[", 30_000), strings.Repeat("*a ", 15_000), strings.Repeat("`", 30_000),
		strings.Repeat("![", 10_000) + strings.Repeat("](x)", 10_000), strings.Repeat("<a>", 20_000), strings.Repeat("x", markdown.MaxText+1),
	} {
		if got := drawn(t, source); strings.Count(got, "<blockquote>") > 30 || strings.Count(got, "<ul>") > 30 || len(got) > 12*len(source) {
			t.Errorf("%.20q draws %d bytes", source, len(got))
		}
	}
	if got := drawn(t, strings.Repeat("*x* ", markdown.MaxText)); strings.Contains(got, "<em>") {
		t.Error("a text beyond the bound was drawn")
	}
}

func FuzzDraw(f *testing.F) {
	for _, source := range hostile {
		f.Add(source)
	}
	f.Fuzz(func(t *testing.T, source string) { checkSafe(t, source) })
}
