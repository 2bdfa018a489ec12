package admin

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"trails/fault"
	"trails/schema"
	"trails/text/fulltext"
)

const (
	searchURL  = "/admin/search"
	findURL    = "/admin/find"
	searchMost = 100 // hits of a page
	findMost   = 8   // hits while somebody types
	findWays   = 6   // pages, types, queries and actions while somebody types
)

// hit is a node that a search found.
type hit struct {
	Name, Label, Property string
	Text                  string // the part of the property's text that fits
	Why                   string // why it stands there, if that was asked for
}

// hits are what a search answers.
type hits struct {
	Matching string
	Partial  int
	Instead  string  `json:"did_you_mean"`
	Rows     [][]any // node, label, property, text, why
	Next     string
	Warnings []string
}

func (a hits) list() []hit {
	out := make([]hit, 0, len(a.Rows))
	for _, row := range a.Rows {
		var texts [5]string
		for i, cell := range row[:min(len(row), len(texts))] {
			texts[i], _ = cell.(string)
		}
		out = append(out, hit{texts[0], texts[1], texts[2], texts[3], texts[4]})
	}
	return out
}

// searchData is the page of a search.
type searchData struct {
	Text, Type string
	Explain    bool // say of each hit why it stands there
	Hits       []hit
	Matching   string
	Partial    int // the last hits, which have some of the words
	Instead    string
	Query      fulltext.Query // what was found, to mark it
	Facets     facetLinks
	More       *link
	Warnings   []string
	Problem    string
}

// search answers the page of a search: the nodes that have the words, with the types that they are of.
func (s *site) search(w http.ResponseWriter, r *http.Request) error {
	q := queryOf(r, "at", "q", "type", "cursor", "explain")
	d := searchData{Text: q.Get("q"), Type: q.Get("type"), Explain: q.Get("explain") != ""}
	if err := q.err(); err != nil {
		return err
	}
	a := s.asker(w, r)
	if strings.TrimSpace(d.Text) != "" {
		if err := d.find(a, q.Get("cursor")); err != nil {
			return err
		}
	}
	return s.respond(w, r, http.StatusOK, page{Title: textIf(d.Text != "", line(d.Text)+" · Search", "Search"), Find: d.Text, Live: live{Head: a.head}, Main: d.main})
}

func (d *searchData) find(a *asker, cursor string) error {
	args := map[string]any{"text": d.Text, "limit": searchMost}
	if d.Explain {
		args["explain"] = true
	}
	var all hits
	ask := func(args map[string]any, out *hits) error {
		err := a.ask("search", args, out)
		if f := fault.Of(err); f != nil && len(f.Fields) == 1 && f.Fields[0].Field == "text" {
			d.Problem, err = f.Fields[0].Message, nil
		}
		return err
	}
	if d.Type == "" && cursor != "" {
		args["cursor"] = cursor
	}
	if err := ask(args, &all); err != nil || d.Problem != "" {
		return err
	}
	d.facets(all)
	if d.Type != "" {
		args["type"] = d.Type
		if cursor != "" {
			args["cursor"] = cursor
		}
		all = hits{}
		if err := ask(args, &all); err != nil || d.Problem != "" {
			return err
		}
	}
	d.Partial, d.Warnings = all.Partial, all.Warnings
	d.Hits, d.Matching, d.Instead, d.Query = all.list(), all.Matching, all.Instead, marked(d.Text, all.Instead)
	if all.Next != "" {
		d.More = &link{"More", d.address(d.Type, all.Next)}
	}
	return nil
}

// facets counts the types of the first hits.
func (d *searchData) facets(all hits) {
	d.Facets.Title = "Type"
	counts, order := map[string]int{}, []string{}
	for _, h := range all.list() {
		if typeName, _, ok := nodeOf(h.Name); ok {
			if counts[typeName]++; counts[typeName] == 1 {
				order = append(order, typeName)
			}
		}
	}
	more := textIf(all.Next != "", "+", "")
	for _, typeName := range order {
		current := typeName == d.Type
		href := d.address(textIf(current, "", typeName), "")
		d.Facets.Links = append(d.Facets.Links, facetLink{Value: typeName, Count: count(counts[typeName]) + more, Href: href, Current: current})
	}
}

// address leads to this search among the nodes of a type, or of all; a cursor leads to a later page of it.
func (d *searchData) address(typeName, cursor string) string {
	values := url.Values{"q": {d.Text}}
	for name, value := range map[string]string{"type": typeName, "cursor": cursor, "explain": textIf(d.Explain, "1", "")} {
		if value != "" {
			values.Set(name, value)
		}
	}
	return withQuery(searchURL, values)
}

// marked is the query whose words are marked in the hits: the text, with the words that were searched instead.
func marked(text, instead string) fulltext.Query {
	for _, change := range strings.Split(instead, ", ") {
		if word, other, ok := strings.Cut(change, " → "); ok {
			text += " " + word + " " + other
		}
	}
	q, _ := fulltext.Parse(text) // the search has refused a text that has no words
	return q
}

// findData is what the box in the header shows while somebody types.
type findData struct {
	Text  string
	Ways  []way
	Hits  []hit
	Query fulltext.Query
	More  bool
}

// way is a page, a type, a stored query or an action that the words name.
type way struct{ Kind, Text, Href string }

// find answers what the words that were typed so far lead to: pages and actions by their names, and nodes. What cannot
// be asked is left out: this is a courtesy, and the page of the search says why.
func (s *site) find(w http.ResponseWriter, r *http.Request) error {
	q := queryOf(r, "at", "q")
	if err := q.err(); err != nil {
		return err
	}
	a, d := s.asker(w, r), findData{Text: strings.TrimSpace(q.Get("q"))}
	doc, _ := a.schema()
	if parsed, err := fulltext.ParseBeginning(d.Text); err == nil {
		d.Ways = a.ways(doc, parsed.Has())
	}
	var found hits
	if d.Text != "" && a.furnish("search", map[string]any{"text": d.Text, "limit": findMost}, &found) == nil {
		d.Hits, d.Query, d.More = found.list(), marked(d.Text, found.Instead), found.Next != ""
	}
	return send(w, r, http.StatusOK, d.draw(newPalette(s.colours, doc.Types)), a.state)
}

// ways are the pages, types, stored queries and actions whose name fits.
func (a *asker) ways(doc schemaDocument, fits func(string) bool) []way {
	var out []way
	add := func(kind, text, href string) {
		if len(out) < findWays && fits(text) {
			out = append(out, way{kind, text, href})
		}
	}
	for _, t := range doc.Types {
		add("type", t.Name, typeURL(t.Name))
	}
	for _, e := range slices.Concat(mainNav, moreNav) {
		add("page", e.text, e.address)
	}
	for _, t := range doc.Types {
		if !t.Abstract && a.At == "" {
			add("action", "New "+t.Name, capabilityURL(schema.SnakeName(t.Name)+".create"))
		}
	}
	var stored struct{ Queries []storedLine }
	_ = a.furnish("stored_query_list", nil, &stored)
	for _, q := range stored.Queries {
		if q.View != "" {
			one := savedView{storedLine: q}
			add("view", one.Title(), one.Href())
			continue
		}
		add("query", q.Name, q.Href())
	}
	return out
}
