package html_test

import (
	"strings"
	"testing"

	h "trails/admin/html"
)

func TestAnAddressLeadsToThisSiteOrToTheWeb(t *testing.T) {
	for to, want := range map[string]string{
		"/admin/types/A?where=b%3Dc&d=e#f": "/admin/types/A?where=b%3Dc&d=e#f",
		"#part":                            "#part",
		"?at=1:2":                          "?at=1:2",
		"/a:b":                             "/a:b",
		"https://example.org/a":            "https://example.org/a",
		"HTTP://example.org/":              "HTTP://example.org/",
		"":                                 "",
		"/a b\"c'<d>\\\n":                  "/a%20b%22c%27%3cd%3e%5c%0a",
		"/é%zz%2":                          "/%c3%a9%25zz%252",
		"javascript:alert(1)":              "#",
		"JavaScript:alert(1)":              "#",
		" javascript:alert(1)":             "#",
		"java\nscript:alert(1)":            "#",
		"\x00javascript:alert(1)":          "#",
		"data:text/html,<b>":               "#",
		"vbscript:a":                       "#",
		"file:///etc/passwd":               "#",
		"mailto:a@example.org":             "#",
		"urn:a:b":                          "#",
	} {
		if got := h.Address(to); got != want {
			t.Errorf("%q: got %q, want %q", to, got, want)
		}
	}
}

func TestTextAndValuesAreEscaped(t *testing.T) {
	const hostile = `"><script>alert('1')</script>&`
	var b strings.Builder
	if err := h.Div(h.Class(hostile), h.Data("key", hostile), h.Attr("hx-get", hostile), h.Bdi(h.Text(hostile)), h.Textf("%s", hostile)).Render(&b); err != nil {
		t.Fatal(err)
	}
	const escaped = `&#34;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;`
	if want := strings.ReplaceAll(`<div class="X" data-key="X" hx-get="X"><bdi>X</bdi>X</div>`, "X", escaped); b.String() != want {
		t.Errorf("got  %s\nwant %s", b.String(), want)
	}
	b.Reset()
	if err := (h.Group{h.A(h.Href("javascript:alert(1)")), h.Form(h.Action("javascript:alert(1)")), h.Script(h.Src("data:,alert(1)"))}).Render(&b); err != nil || b.String() != `<a href="#"></a><form action="#"></form><script src="#"></script>` {
		t.Errorf("got %s %v", b.String(), err)
	}
}

func TestAttributesThatCouldRunAreRefused(t *testing.T) {
	for _, name := range []string{"href", "HREF", "src", "action", "formaction", "style", "srcdoc", "onclick", "OnError"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s is an attribute", name)
				}
			}()
			h.Attr(name, "x")
		}()
	}
}
