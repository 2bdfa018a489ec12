package admin

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"trails/auth"
	"trails/builtin/view"
	"trails/capability/stored"
	"trails/fault"
	"trails/schema"
)

// A saved view is a stored query whose first lines have an address of these pages: a list with its conditions, order,
// columns and chart, or the chart of an answer. Those with a place are on the dashboard.

const (
	dashboardURL  = "/admin/dashboard"
	dashboardMost = 12 // views that are drawn
	dashboardRows = 8  // of a list there
)

// savedView is a saved view, and why it cannot be shown.
type savedView struct {
	storedLine
	Broken string
}

// Title is what people call it.
func (v savedView) Title() string { return firstOf(line(v.Description), v.Name) }

// dashboardData is the page of all saved views.
type dashboardData struct {
	Views []savedView
	Tiles []tile
	Left  int // views on the dashboard that are not drawn
	May   bool
	Done  string // the commit that was just made
}

// tile is a saved view as the dashboard shows it.
type tile struct {
	savedView
	Drawn  *drawnChart
	List   *listData
	Answer *sparqlAnswer
}

// savedViews are the stored queries with a view, those on the dashboard first, in their order.
func (a *asker) savedViews(doc schemaDocument) ([]savedView, error) {
	var answer struct{ Queries []storedLine }
	if err := a.furnish("stored_query_list", nil, &answer); err != nil {
		return nil, err
	}
	var out []savedView
	for _, q := range answer.Queries {
		if q.View != "" {
			out = append(out, savedView{q, doc.brokenView(q)})
		}
	}
	slices.SortStableFunc(out, func(a, b savedView) int {
		return cmp.Or(cmp.Compare(orLast(a.Dashboard), orLast(b.Dashboard)), cmp.Compare(a.Title(), b.Title()))
	})
	return out, nil
}

// orLast orders what has no place last.
func orLast(n int) int { return cmp.Or(n, 1<<30) }

// brokenView says why a view does not fit the schema, and what to do; "" if it does.
func (d schemaDocument) brokenView(q storedLine) string {
	v, isList, err := q.list()
	if err != nil {
		return "its address cannot be read: " + fault.Of(err).Message + "; delete it, and save the list again"
	}
	if !isList {
		return q.Problem
	}
	if _, ok := d.find(v.Type); !ok {
		return fmt.Sprintf("the schema has no type %s any more; delete this view, or undo the change of the schema", line(v.Type))
	}
	var known []string
	for _, g := range d.pathsOf(v.Type) {
		for _, p := range g.Paths {
			known = append(known, p.Path)
		}
	}
	for _, path := range v.paths() {
		if !slices.Contains(known, path) && strings.Count(path, ".") < 2 {
			return fmt.Sprintf("%s has no property %s any more; open the list of %s, save it without that under this name, or delete this view", v.Type, line(path), v.Type)
		}
	}
	return q.Problem
}

// paths are the properties that the view names.
func (v listView) paths() []string {
	out := slices.Clone(v.Columns)
	for _, c := range v.Where {
		out = append(out, c.Property)
	}
	for _, k := range v.Sort {
		out = append(out, k.Property)
	}
	for _, path := range []string{v.Chart.By, v.Chart.Split, v.Chart.Sum} {
		if path != "" {
			out = append(out, path)
		}
	}
	return out
}

// list is the list that the stored query shows, if it shows one.
func (l storedLine) list() (v listView, isList bool, err error) {
	path, parameters, _ := strings.Cut(l.View, "?")
	name, isList := strings.CutPrefix(path, "types/")
	if !isList {
		return v, false, nil
	}
	if name, err = url.PathUnescape(name); err != nil {
		return v, true, fault.New(fault.Malformed, "%s is no name of a type in an address", line(path))
	}
	values, err := url.ParseQuery(parameters)
	if err != nil {
		return v, true, fault.New(fault.Malformed, "its parameters do not parse")
	}
	v, _, problems, err := listViewIn(name, &query{Values: values})
	if err == nil && problems.Filter.Message != "" {
		err = fault.New(fault.InvalidArguments, "%s", problems.Filter.Message)
	}
	return v, true, err
}

// dashboard answers the page of the saved views.
func (s *site) dashboard(w http.ResponseWriter, r *http.Request) error {
	q := queryOf(r, "at", "done")
	if err := q.err(); err != nil {
		return err
	}
	a := s.asker(w, r)
	doc, err := a.schema()
	if err != nil {
		return err
	}
	d := dashboardData{Done: q.Get("done")}
	if d.Views, err = a.savedViews(doc); err != nil {
		return err
	}
	listed, err := a.listed()
	if err != nil {
		return err
	}
	d.May = listed["trails.meta.query.add"] && a.At == ""
	for _, v := range d.Views {
		switch {
		case v.Dashboard == 0:
		case len(d.Tiles) == dashboardMost:
			d.Left++
		default:
			t := tile{savedView: v}
			if t.Broken == "" {
				if err := a.fill(&t, doc, auth.Base(r)); err != nil {
					f := fault.Of(err)
					if f == nil || status(err) >= http.StatusInternalServerError {
						return err
					}
					t.Broken = f.Message + "; open it to see what it asks for"
				}
			}
			d.Tiles = append(d.Tiles, t)
		}
	}
	return s.respond(w, r, http.StatusOK, page{Title: "Dashboard", Nav: "dashboard", Main: d.main, Live: live{Mode: "any", Head: a.head}})
}

// fill reads what a tile shows.
func (a *asker) fill(t *tile, doc schemaDocument, base string) error {
	v, isList, err := t.list()
	switch {
	case err != nil:
		return err
	case isList && v.Chart.By != "":
		t.Drawn, err = a.listChart(v)
		return err
	case isList:
		v.Limit = dashboardRows
		named, err := doc.named(v.Type)
		if err != nil {
			return err
		}
		var answer view.Table
		result, err := a.answered("entities_list", v.arguments(), &answer)
		if err != nil {
			return err
		}
		data := newListData(v, doc, named, answer, result.Warnings)
		t.List = &data
		return nil
	}
	values, err := url.ParseQuery(strings.TrimPrefix(t.View, "query?"))
	if err != nil {
		return fault.New(fault.Malformed, "its parameters do not parse")
	}
	text, err := a.storedText(t.Name)
	if err != nil {
		return err
	}
	values.Set("query", text)
	asked, err := sparqlViewOf(&query{Values: values})
	if err != nil {
		return err
	}
	declared, err := a.declaredIn(asked)
	if err != nil {
		return err
	}
	if asked.asked, err = declared.ask(asked); err != nil {
		return err
	}
	if asked.Output != "chart" {
		asked.Limit = dashboardRows
	}
	t.Answer, err = a.sparqlAnswer(asked, base)
	return err
}

// dashboardPosted saves, renames, places or deletes a view, as one commit.
func (s *site) dashboardPosted(w http.ResponseWriter, r *http.Request) error {
	values, err := readForm(w, r, formLimit)
	if err != nil {
		return err
	}
	a := s.asker(w, r)
	doc, err := a.schema()
	if err != nil {
		return err
	}
	var done struct{ Commit *string }
	name, title := values.Get("name"), strings.Join(strings.Fields(values.Get("title")), " ")
	if values.Get("do") == "delete" {
		err = a.ask("trails.meta.query.remove", map[string]any{"names": []string{name}, "message": "Delete the saved view " + name}, &done)
	} else {
		var text, message string
		if name == "" {
			text, message, err = a.newView(doc, values.Get("view"), title, values.Get("dashboard") != "")
		} else {
			text, message, err = a.changedView(name, title, values.Get("place"))
		}
		if err == nil {
			err = a.ask("trails.meta.query.add", map[string]any{"queries": []any{map[string]any{"text": text}}, "message": message}, &done)
		}
	}
	if fault.Is(err, fault.InvalidArguments) {
		return s.showRefused(w, r, values, err)
	}
	if err != nil {
		return err
	}
	back := url.Values{}
	if done.Commit != nil {
		back.Set("done", *done.Commit)
	}
	http.Redirect(w, r, stateOf(r).Lead(withQuery(dashboardURL, back)), http.StatusSeeOther)
	return nil
}

// showRefused shows the form of a saved view again that was refused.
func (s *site) showRefused(w http.ResponseWriter, r *http.Request, values url.Values, err error) error {
	d := viewRefused{Problem: mistakesIn(err), Form: changeForm(values.Get("name"), values.Get("title"), values.Get("place"))}
	if values.Get("name") == "" {
		d.Form = saveForm("form", values.Get("view"), values.Get("title"), values.Has("dashboard"))
	}
	return s.respond(w, r, status(err), page{Title: "The view was not saved", Main: d.main})
}

// newView is the text of a stored query that keeps a list under a title.
func (a *asker) newView(doc schemaDocument, address, title string, onDashboard bool) (text, message string, err error) {
	if title == "" {
		return "", "", fault.Argument("title", fault.Required, "", "the view needs a name")
	}
	v, isList, err := storedLine{View: address}.list()
	if err == nil && !isList {
		err = fault.Argument("view", fault.Pattern, address, "a view that is saved here is a list of a type")
	}
	if err != nil {
		return "", "", err
	}
	t, err := doc.named(v.Type)
	if err != nil {
		return "", "", err
	}
	views, err := a.savedViews(doc)
	if err != nil {
		return "", "", err
	}
	v.Offset = 0
	head := stored.Front{ID: viewID(title), Description: title, View: strings.TrimPrefix(v.href(), "/admin/")}
	for _, other := range views {
		if onDashboard {
			head.Dashboard = max(head.Dashboard, other.Dashboard)
		}
		if other.Name == head.ID {
			return "", "", fault.Argument("title", fault.Unique, title, fmt.Sprintf("there is a saved view %q with the name %s already; choose another name, or delete that one first", other.Title(), other.Name))
		}
	}
	if onDashboard {
		head.Dashboard++
	}
	return head.Write(doc.viewQuery(t, v)), "Save the view " + title, nil
}

// viewQuery is the SPARQL of a saved list. The list is what its address says, with conditions that the pages read; the
// query has the names of the schema that the view needs, so that a change of the schema takes it along or asks.
func (d schemaDocument) viewQuery(t schema.TypeDocument, v listView) string {
	node := variable(t.Name)
	vars, iris, body, used := "?"+node, []string{t.IRI}, "  ?"+node+" a "+d.term(t.IRI)+" .\n", map[string]bool{node: true}
	paths := v.paths()
	for i, path := range paths {
		paths[i], _, _ = strings.Cut(path, ".")
	}
	for _, p := range d.properties(t.Name) {
		if name := variable(p.Name); slices.Contains(paths, p.Name) && !used[name] {
			used[name], vars, iris = true, vars+" ?"+name, append(iris, p.IRI)
			body += "  OPTIONAL { ?" + node + " " + d.term(p.IRI) + " ?" + name + " }\n"
		}
	}
	return "# The view has the conditions and the order; this query has the type and the properties that it names.\n" +
		d.prologue(iris...) + "SELECT " + vars + " WHERE {\n" + body + "}\n"
}

// viewID is the id of the stored query of a view.
func viewID(title string) string {
	id := wordsOfID(title)
	if id == "" { // of letters that no id has
		id = hex.EncodeToString([]byte(firstRunes(title, 8)))
	}
	return strings.TrimRight(firstRunes("view_"+id, longestID), "_…")
}

// changedView is the text of a view with another title and place; "" for the place takes it off the dashboard.
func (a *asker) changedView(name, title, place string) (text, message string, err error) {
	one, err := a.storedNamed(name)
	if err != nil {
		return "", "", err
	}
	n := 0
	if place != "" {
		if n, err = strconv.Atoi(place); err != nil || n < 1 || n > 1000 {
			return "", "", fault.Argument("place", fault.Datatype, place, "the place on the dashboard is a whole number from 1 to 1000; leave it empty to take the view off")
		}
	}
	text, err = stored.Reviewed(one.Text, firstOf(title, one.Description), n)
	return text, "Change the saved view " + name, err
}
