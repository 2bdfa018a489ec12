package admin_test

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"trails/admin"
)

const formSchema = `
base: https://notes.example/
types:
  Person:
    label: name
    iri: key
    key: name
    properties:
      name: {type: string, required: true}
  Note:
    description: A short text
    label: title
    properties:
      title: {type: string, required: true, min_length: 3, description: What it is about}
      body: {type: string}
      status: {type: string, one_of: [draft, final], default: draft}
      priority: {type: integer, min_value: 1, max_value: 5}
      price: {type: decimal}
      size: {type: big_integer}
      done: {type: boolean}
      due: {type: date}
      moment: {type: datetime}
      tags: {type: string, many: true, pattern: '^[a-z]+$'}
      author: {class: Person}
      readers: {class: Person, many: true}
      place: {type: vector, dim: 2}
`

// newNotes serves a graph of notes with two people.
func newNotes(t testing.TB) fixture {
	t.Helper()
	f := newFixture(t, []byte(formSchema), admin.Options{})
	f.call(t, "person.create", map[string]any{"name": "ana"})
	f.call(t, "person.create", map[string]any{"name": "ben"})
	return f
}

// note makes a note past the pages.
func (f fixture) note(t testing.TB, id string, more map[string]any) {
	t.Helper()
	args := map[string]any{"id": id, "title": "Title of " + id}
	for k, v := range more {
		args[k] = v
	}
	f.call(t, "note.create", args)
}

// values are what entity_get says of a note, by property.
func (f fixture) values(t testing.TB, id string) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	for _, p := range f.call(t, "entity_get", map[string]any{"type": "Note", "id": id})["properties"].([]any) {
		p := p.(map[string]any)
		for _, v := range p["values"].([]any) {
			out[p["name"].(string)] = append(out[p["name"].(string)], v.(map[string]any)["text"].(string))
		}
	}
	return out
}

// commits counts them.
func (f fixture) commits(t testing.TB) int {
	t.Helper()
	return len(f.call(t, "commits_list", map[string]any{"limit": 1000})["rows"].([]any))
}

// filled is a form of a page as a browser would send it.
type filled struct {
	action string
	url.Values
}

// form collects what a browser would post of the form with this action.
func (a answer) form(t testing.TB, action string) filled {
	t.Helper()
	for _, n := range a.find(tag("form")) {
		if attribute(n, "action") == action && attribute(n, "method") == "post" {
			return filled{action, controlsOf(n)}
		}
	}
	t.Fatalf("no form posts to %s:\n%s", action, mainText(a))
	return filled{}
}

func controlsOf(form *html.Node) url.Values {
	values := url.Values{}
	for n := range form.Descendants() {
		name := attribute(n, "name")
		switch {
		case name == "":
		case n.Data == "input" && slices.Contains([]string{"radio", "checkbox"}, attribute(n, "type")):
			if hasAttribute(n, "checked") {
				values.Add(name, attribute(n, "value"))
			}
		case n.Data == "input" && attribute(n, "type") == "file":
		case n.Data == "input" && attribute(n, "type") != "hidden":
			values.Add(name, strings.NewReplacer("\r", "", "\n", "").Replace(attribute(n, "value")))
		case n.Data == "input":
			values.Add(name, attribute(n, "value"))
		case n.Data == "textarea":
			values.Add(name, strings.ReplaceAll(rawText(n), "\n", "\r\n"))
		case n.Data == "select":
			values.Add(name, selected(n))
		}
	}
	return values
}

func selected(n *html.Node) string {
	value, first := "", true
	for o := range n.Descendants() {
		if o.Data == "option" && (first || hasAttribute(o, "selected")) {
			value, first = attribute(o, "value"), false
		}
	}
	return value
}

func rawText(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

func hasAttribute(n *html.Node, name string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
}

// press sends the form with a button, in parts, and follows a redirect.
func (f fixture) press(t testing.TB, form filled, button string) answer {
	t.Helper()
	return f.follow(t, f.send(t, form, button))
}

func (f fixture) send(t testing.TB, form filled, button string) answer {
	t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	name, value, _ := strings.Cut(button, "=")
	for n, values := range form.Values {
		for _, v := range values {
			if err := w.WriteField(n, v); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.WriteField(name, value); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, form.action, &body)
	r.Header.Set("Content-Type", w.FormDataContentType())
	return f.do(t, r)
}

func (f fixture) follow(t testing.TB, a answer) answer {
	t.Helper()
	if a.StatusCode != http.StatusSeeOther {
		return a
	}
	return f.get(t, a.Header.Get("Location"), http.StatusOK)
}

// blank opens an empty form.
func (f fixture) blank(t testing.TB, capability, query string) filled {
	t.Helper()
	path := "/admin/capabilities/" + capability
	return f.get(t, path+query, http.StatusOK).form(t, path)
}

// errorsOf are the errors next to a field.
func errorsOf(a answer, field string) []string {
	var out []string
	for _, n := range a.find(func(n *html.Node) bool { return attribute(n, "data-field") == field }) {
		for d := range n.Descendants() {
			if d.Data == "ul" && attribute(d, "class") == "errors" {
				for li := range d.ChildNodes() {
					if li.Data == "li" {
						out = append(out, textOf(li))
					}
				}
			}
		}
	}
	return out
}

// says fails unless the page's main part contains each text.
func says(t testing.TB, a answer, texts ...string) {
	t.Helper()
	main := mainText(a)
	for _, text := range texts {
		if !strings.Contains(main, text) {
			t.Fatalf("%d: the page does not say %q:\n%s", a.StatusCode, text, main)
		}
	}
}

const (
	call   = "_do=call"
	dryRun = "_do=dry-run"
	edit   = "_do=edit"
)

func sorted(list []string) []string {
	out := slices.Clone(list)
	slices.Sort(out)
	return out
}
