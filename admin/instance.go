package admin

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"trails/auth"
	"trails/builtin/view"
	"trails/invoke"
	"trails/schema"
)

// Limits of an instance's page.
const (
	valuesShown  = 50
	historyFirst = 5
	versionsMost = 50
	historyLimit = 50
	historyMax   = 500
	longText     = 400 // characters from which a text is folded
	lineText     = 120 // characters from which a text stands below the short ones
)

type instanceData struct {
	view.Entity
	Type, ID       string
	Doc            schemaDocument
	Raw            bool // texts are shown as they are, and not as Markdown
	Capacity       string
	Links          []view.Property // those that refer to nodes
	Texts          []view.Property // the others with short values
	Long           []view.Property // the others with a long or marked text
	History        view.History
	Versions       versions
	Listed         map[string]bool // the capabilities that have a page
	Only           string          // the one property that is paged through, or ""
	Pager          *pager
	Blame          []blamedProperty // nil if nobody asked
	URI, Curl, CLI string           // the same for programs
}

// instance answers the page of one node: all of it, or one property, and its latest history.
func (s *site) instance(w http.ResponseWriter, r *http.Request) error {
	q := queryOf(r, "at", "property", "offset", "blame", "raw")
	blame, raw, offset := q.word("blame", "0", "1") == "1", q.word("raw", "0", "1") == "1", q.number("offset", 0, 0, maxOffset)
	if err := q.err(); err != nil {
		return err
	}
	a := s.asker(w, r)
	doc, t, err := a.typeNamed(r.PathValue("type"))
	if err != nil {
		return err
	}
	data := instanceData{Raw: raw, Type: t.Name, Doc: doc, ID: r.PathValue("id"), Only: q.Get("property"), Capacity: schema.SnakeName(t.Name)}
	args := map[string]any{"type": data.Type, "id": data.ID, "limit": valuesShown}
	if data.Only != "" {
		args["property"], args["offset"] = data.Only, offset
	}
	if err := a.ask("entity_get", args, &data.Entity); err != nil {
		return err
	}
	data.ID = firstOf(data.Node.ID, data.ID)
	if err := data.readHistory(a); err != nil {
		return err
	}
	if data.Listed, err = a.listed(); err != nil {
		return err
	}
	data.sort(t.Label, offset)
	if blame {
		if err := data.blame(a, offset); err != nil {
			return err
		}
	}
	shows, arguments := url.Values{}, ""
	for _, one := range [][2]string{{"at", textIf(a.At != "", a.head, "")}, {"branch", a.Branch}} {
		if one[1] != "" {
			shows.Set(one[0], one[1])
			arguments += " " + shellQuote(one[0]+"="+one[1])
		}
	}
	data.URI = withQuery(invoke.Address(data.Type, data.ID), shows)
	data.Curl = "curl -s '" + auth.Base(r) + withQuery(kgURL(data.Type, data.ID), shows) + "'"
	data.CLI = "trails invoke FILE entity_get " + shellQuote("type="+data.Type) + " " + shellQuote("id="+data.ID) + arguments
	return s.respond(w, r, http.StatusOK, page{
		Title: firstOf(line(data.Node.Label), data.ID), Nav: "types", Type: data.Type, Main: data.main,
		Crumbs: []link{{data.Type, typeURL(data.Type)}}, Twins: twinsOf(kgURL(data.Type, data.ID), url.Values{}),
		Live: live{Mode: "types", Types: doc.referring(data.Type), Head: a.head},
	})
}

// versions are the states of a node, the newest first: those that the latest commits made that changed it.
type versions struct {
	Commits []view.Commit
	Shown   int  // the index of the one that the page shows; after the last if it is older than these
	Gone    bool // the newest is that it was deleted
	More    bool // there are older ones
}

// readHistory reads the versions of the node up to now, and the first entries of its history up to what is shown.
func (d *instanceData) readHistory(a *asker) error {
	now := *a
	now.At = ""
	if err := now.ask("entity_history", map[string]any{"type": d.Type, "id": d.ID, "limit": versionsMost}, &d.History); err != nil {
		return err
	}
	v := versions{Gone: !d.History.Node.Exists, More: d.History.Next != nil}
	for _, e := range d.History.Entries {
		v.Commits = append(v.Commits, e.Commit)
	}
	v.Shown = len(v.Commits)
	if d.Changed != nil {
		if i := slices.IndexFunc(v.Commits, func(c view.Commit) bool { return c.ID == d.Changed.ID }); i >= 0 {
			v.Shown = i
		}
	}
	d.Versions, d.History.Entries = v, d.History.Entries[v.Shown:]
	if len(d.History.Entries) == 0 {
		return a.ask("entity_history", map[string]any{"type": d.Type, "id": d.ID, "limit": historyFirst}, &d.History)
	}
	d.History.Entries = d.History.Entries[:min(len(d.History.Entries), historyFirst)]
	return nil
}

// versionPath is where a version is shown: now, at its commit, or where the history tells that there is none any more.
func (d *instanceData) versionPath(a state, i int) string {
	path, shows := nodeURL(d.Type, d.ID), url.Values{}
	switch {
	case i == 0 && d.Versions.Gone:
		path += "/history"
	case i > 0:
		shows.Set("at", d.Versions.Commits[i].ID)
	}
	if a.Branch != "" {
		shows.Set("branch", a.Branch)
	}
	return withQuery(path, shows)
}

// sort parts references from other values, with the label first among these, and leads
// through the values of the one property that is asked for.
func (d *instanceData) sort(label string, offset int) {
	for _, p := range d.Properties {
		switch {
		case d.Only != "" && p.Name != d.Only:
			continue
		case p.Class != "" || slices.ContainsFunc(p.Values, refers):
			d.Links = append(d.Links, p)
		case p.Name == label:
			d.Texts = slices.Insert(d.Texts, 0, p)
		case slices.ContainsFunc(p.Values, func(c view.Cell) bool { return lengthOf(c) > lineText || markdownIn(c) }):
			d.Long = append(d.Long, p)
		default:
			d.Texts = append(d.Texts, p)
		}
		if end := offset + len(p.Values); d.Only != "" {
			text := count(min(offset+1, end)) + "–" + count(end) + " of " + count(p.Total)
			d.Pager = pagerAt(text, offset, valuesShown, end, end < p.Total && end > offset, func(offset int) string {
				q := url.Values{"property": {p.Name}}
				if offset > 0 {
					q.Set("offset", strconv.Itoa(offset))
				}
				return withQuery(nodeURL(d.Type, d.ID), q)
			})
		}
	}
}

// MorePath is where further values of a property are.
func (d instanceData) MorePath(name string) string {
	return withQuery(nodeURL(d.Type, d.ID), url.Values{"property": {name}})
}

// AllOf is where all nodes that refer to this one by a property are, in pages: the list
// of their type, or a query where no type declares the property.
func (d instanceData) AllOf(g view.Incoming) string {
	if g.Type != "" && !strings.Contains(g.Property, ":") {
		return withQuery(typeURL(g.Type), url.Values{"where": {g.Property + "=" + referenceTo(d.Node)}})
	}
	return example{Query: "SELECT ?node WHERE {\n  ?node <" + g.Property + "> <" + d.Node.IRI + ">\n}\nORDER BY ?node\n"}.Href()
}
