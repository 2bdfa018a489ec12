package admin

import (
	"cmp"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"trails/admin/chart"
	"trails/auth/policy"
	"trails/builtin/view"
	"trails/fault"
	"trails/schema"
)

// Limits of a list's page.
const (
	listLimit  = 100
	listMax    = view.PageMost
	maxOffset  = 1_000_000_000
	maxFilters = 16
)

// listView is what the address of a list asks for.
type listView struct {
	Type          string
	Where         []condition
	Search        string
	Origin        string // the class of sources that alone said what the list shows, "" for any
	Sort          []view.SortKey
	Form          view.ListForm // of the file to download, the zero value for a page
	Columns       []string
	Offset, Limit int
	Chart         chartView
	Edit          bool // each cell has a link to its field, for browsers without scripts
}

// condition is one filter: how the values of a property, or at the end of a path, compare with a value.
type condition struct {
	Property, Op, Value string
}

// conditionOps are the operators of filters, with the words of the form. In an address a condition is the property, the
// operator and the value; an operator that is a word stands between spaces. Longer signs come before their beginnings.
var conditionOps = []conditionOp{
	{"=", "is"}, {"!=", "is not"}, {"<=", "≤"}, {">=", "≥"}, {"<", "<"}, {">", ">"},
	{"contains", "contains"}, {"starts", "starts with"}, {"is_empty", "is empty"}, {"not_empty", "is not empty"},
}

type conditionOp struct{ op, says string }

// valueless reports an operator that takes no value.
func valueless(op string) bool { return op == "is_empty" || op == "not_empty" }

// conditionOf reads a condition of an address.
func conditionOf(text string) (c condition, ok bool) {
	end := strings.IndexAny(text, "=!<> ")
	if end < 1 {
		return c, false
	}
	c.Property, text = text[:end], text[end:]
	for _, o := range conditionOps {
		sign := o.op
		switch {
		case valueless(o.op):
			sign = " " + o.op
		case o.op[0] >= 'a':
			sign = " " + o.op + " "
		}
		if rest, is := strings.CutPrefix(text, sign); is && (!valueless(o.op) || rest == "") {
			c.Op, c.Value = o.op, rest
			return c, true
		}
	}
	return c, false
}

// String writes a condition for an address.
func (c condition) String() string {
	switch {
	case valueless(c.Op):
		return c.Property + " " + c.Op
	case c.Op[0] >= 'a':
		return c.Property + " " + c.Op + " " + c.Value
	}
	return c.Property + c.Op + c.Value
}

// says is the condition without its value, for people; title is what they call the property.
func (c condition) says(title string) string {
	for _, o := range conditionOps {
		if o.op == c.Op && o.op != "=" {
			return title + " " + o.says
		}
	}
	return title
}

// argument is the condition as a call takes it.
func (c condition) argument() map[string]any {
	out := map[string]any{"property": c.Property, "op": c.Op}
	if !valueless(c.Op) {
		out["value"] = c.Value
	}
	return out
}

type listData struct {
	listView
	Schema    schema.TypeDocument
	Paths     []pathGroup
	Trees     []treeRelation
	Capacity  string // the capabilities' prefix: note of note.create
	Label     string // the property that labels instances
	All       []schema.PropertyDocument
	Columns   []heading
	Rows      []view.Row
	First     heading
	Chips     []chip
	Facets    []facetLinks
	Problems  listProblems
	Warnings  []string // of filters, such as one on a value that no node has
	Options   []string // values of enums, to choose from
	Pager     *pager
	Announce  string
	Drawn     *drawnChart
	Total     int
	TotalMore bool
	Tickable  bool // rows can be changed here
	// Listed are the capabilities that the reader may call, by id: those that change a node, and the one that saves a view.
	Listed map[string]bool
}

// pathGroup is what a filter can compare: the properties of the type, or of what one of its references leads to.
type pathGroup struct {
	Reference string // what people call it; "" for the type's own
	Paths     []titled
}

// titled is a property, or a path to one, and what people call it.
type titled struct{ Path, Title string }

// pathsOf lists what a filter of the type can compare: its properties, and those one reference away.
func (d schemaDocument) pathsOf(typeName string) []pathGroup {
	var own pathGroup
	var others []pathGroup
	for _, p := range d.properties(typeName) {
		own.Paths = append(own.Paths, titled{p.Name, titleOf(p)})
		if p.Class == "" {
			continue
		}
		group := pathGroup{Reference: titleOf(p)}
		for _, q := range d.properties(p.Class) {
			path := p.Name + "." + q.Name
			group.Paths = append(group.Paths, titled{path, d.title(typeName, path)})
		}
		if len(group.Paths) > 0 {
			others = append(others, group)
		}
	}
	return append([]pathGroup{own}, others...)
}

// titleOf is what people call a property: its label, else its name in words.
func titleOf(p schema.PropertyDocument) string { return firstOf(p.Label, propertyName(p.Name)) }

// labelsOf are the labels of properties by name. A name whose labels differ from type to type has none.
func labelsOf(types []schema.TypeDocument) propertyLabels {
	labels := propertyLabels{}
	for _, t := range types {
		for _, p := range t.Properties {
			if p.Label == "" {
				continue
			}
			if known, has := labels[p.Name]; has && known != p.Label {
				labels[p.Name] = ""
			} else {
				labels[p.Name] = p.Label
			}
		}
	}
	return labels
}

// propertyLabels are labels by the names of properties.
type propertyLabels map[string]string

// title is what people call a property: its label, or its name in words.
func (l propertyLabels) title(name string) string { return firstOf(l[name], propertyName(name)) }

// relation is what people call a property of any type.
func (d schemaDocument) relation(name string) string {
	return labelsOf(d.Types).title(name)
}

// title is what people call a property of a type, or a path of two.
func (d schemaDocument) title(typeName, path string) string {
	name, rest, deep := strings.Cut(path, ".")
	properties := d.properties(typeName)
	i := slices.IndexFunc(properties, func(p schema.PropertyDocument) bool { return p.Name == name })
	if i < 0 {
		return path
	}
	title := titleOf(properties[i])
	if !deep {
		return title
	}
	return title + " › " + d.title(properties[i].Class, rest)
}

// heading is a column's head, which sorts when it can.
type heading struct {
	Name, Title string // Title is the name for people
	Href, Sort  string // Sort is ascending, descending or ""
	// Too is the list that is sorted by this column as well, or by it in the other direction; "" where there is none.
	Too         string
	Place       int // among the columns that sort, from 1; 0 when it is alone or does not sort
	Number      bool
	Class, Kind string
}

// listProblems are the errors of a view's parts, which the page leaves out: beside each form its input and the error.
type listProblems struct {
	Filter, Search problemAt
}

type problemAt struct{ Property, Op, Value, Message string }

// Any reports that there is a problem.
func (p listProblems) Any() bool { return p.Filter.Message != "" || p.Search.Message != "" }

type chip struct{ Text, Value, Href string }

type facetLinks struct {
	Title string // what people call the property
	Links []facetLink
	Bars  bool   // of years or months
	Note  string // what is left out
	// Property and Unbound are for the script that bounds the list by bars: the name, and the list without bounds of it.
	Property, Unbound string
}

type facetLink struct {
	Value   string
	Count   string
	Number  int
	Href    string
	Current bool
}

type pager struct {
	Text           string
	Previous, Next *link
}

// pagerAt links from the rows at an offset to the previous and next ones.
func pagerAt(text string, offset, step, next int, more bool, href func(offset int) string) *pager {
	out := &pager{Text: text}
	if offset > 0 {
		out.Previous = &link{"Previous", href(max(0, offset-step))}
	}
	if more {
		out.Next = &link{"Next", href(next)}
	}
	return out
}

// list answers the page of a type: its instances as a table.
func (s *site) list(w http.ResponseWriter, r *http.Request) error {
	a := s.asker(w, r)
	doc, t, err := a.typeNamed(r.PathValue("type"))
	if err != nil {
		return err
	}
	asked, added, problems, err := listViewOf(r)
	if err != nil {
		return err
	}
	if asked.Form.Name != "" {
		if problems.Any() {
			return fault.New(fault.InvalidArguments, "%s", cmp.Or(problems.Filter.Message, problems.Search.Message))
		}
		return s.listFile(w, a, asked, nil)
	}
	var answer view.Table
	result, err := a.answered("entities_list", asked.arguments(), &answer)
	if fault.Is(err, fault.InvalidArguments) && asked.dropRefused(fault.Of(err).Fields, &problems) {
		result, err = a.answered("entities_list", asked.arguments(), &answer)
	}
	if err != nil {
		return err
	}
	status := http.StatusOK
	switch {
	case problems.Any():
		status = http.StatusBadRequest
	case added: // the form of a filter was sent: its address is the list's
		http.Redirect(w, r, stateOf(r).Lead(asked.href()), http.StatusSeeOther)
		return nil
	}
	data := newListData(asked, doc, t, answer, result.Warnings)
	data.Problems, data.Tickable = problems, a.At == ""
	if data.Listed, err = a.listed(); err != nil {
		return err
	}
	if asked.Chart.By != "" {
		if data.Drawn, err = a.listChart(asked); err != nil {
			return err
		}
	}
	return s.respond(w, r, status, page{
		Title: t.Name, Nav: "types", Type: t.Name, Main: data.main, Twins: asked.twins(),
		Scripts: []string{"form.js", "list.js", "make.js"}, Live: live{Mode: "types", Types: append([]string{t.Name}, references(data.All)...), Head: a.head},
	})
}

// tickedFile answers the rows of a list that are ticked as a file.
func (s *site) tickedFile(w http.ResponseWriter, r *http.Request, values url.Values) error {
	a := s.asker(w, r)
	_, t, err := a.typeNamed(r.PathValue("type"))
	if err != nil {
		return err
	}
	address, _ := url.ParseQuery(values.Get(listName)) // the page wrote it; what does not parse is no part of a list
	asked, _, problems, err := listViewIn(t.Name, &query{Values: address})
	if err != nil {
		return err
	}
	asked.Form = listForm(values.Get(fileName))
	ticked := values["node"]
	switch {
	case problems.Any():
		return fault.New(fault.InvalidArguments, "%s", cmp.Or(problems.Filter.Message, problems.Search.Message))
	case asked.Form.Name == "":
		return fault.Argument(fileName, fault.OneOf, line(values.Get(fileName)), "a list is no file of this form")
	case len(ticked) == 0:
		return fault.Argument("node", fault.MinCount, 0, "tick the rows of the list first that the file is to have; Download has all of them")
	}
	return s.listFile(w, a, asked, ticked)
}

// onlyTicked keeps the rows of a page of a list that are ticked, by the IRIs of their nodes.
func onlyTicked(t *view.Table, ticked []string) error {
	t.Rows = slices.DeleteFunc(t.Rows, func(r view.Row) bool { return !slices.Contains(ticked, r.Node.IRI) })
	t.Total, t.TotalMore = len(t.Rows), false
	if gone := len(ticked) - len(t.Rows); gone > 0 {
		return fault.New(fault.Conflict, "%d of the %s ticked %s not on this page of the list any more, because somebody changed it; go back, reload the list, and tick them again", gone, fault.Counted(len(ticked), "row"), plural(gone, "is", "are"))
	}
	return nil
}

// listFile answers all rows of a list, or those of its page that are ticked, as a file, whose texts are whole: what is
// wrong with the filters is an error, and not a page without them.
func (s *site) listFile(w http.ResponseWriter, a *asker, asked listView, ticked []string) error {
	known, err := a.graphSchema()
	if err != nil {
		return err
	}
	out := &begunWriter{w: w, begin: func() {
		w.Header().Set("Content-Type", asked.Form.MIME)
		w.Header().Set("Content-Disposition", `attachment; filename="`+asked.Type+asked.Form.Ending+`"`)
	}}
	err = asked.Form.Write(out, known, asked.arguments(), func(args map[string]any) (t view.Table, err error) {
		if ticked == nil {
			return t, a.ask("entities_list", args, &t)
		}
		args["offset"], args["limit"] = asked.Offset, asked.Limit
		if err = a.ask("entities_list", args, &t); err == nil {
			err = onlyTicked(&t, ticked)
		}
		return t, err
	}, columnTitle)
	if err != nil && out.begun {
		panic(http.ErrAbortHandler) // half a file must not look like a whole one
	}
	return err
}

// begunWriter calls begin before the first byte.
type begunWriter struct {
	w     io.Writer
	begin func()
	begun bool
}

func (b *begunWriter) Write(p []byte) (int, error) {
	if !b.begun {
		b.begun = true
		b.begin()
	}
	return b.w.Write(p)
}

// references are the types whose labels a list shows.
func references(properties []schema.PropertyDocument) []string {
	var out []string
	for _, p := range properties {
		if p.Class != "" && !slices.Contains(out, p.Class) {
			out = append(out, p.Class)
		}
	}
	return out
}

// listViewOf reads the address; added reports a filter that came from the form,
// as property and value. A filter that cannot be read is a problem of the page.
func listViewOf(r *http.Request) (v listView, added bool, problems listProblems, err error) {
	return listViewIn(r.PathValue("type"), queryOf(r, "at", "format", "where", "search", "origin", "sort", "desc", "offset", "limit", "col", "by", "split", "sum", "chart", "edit", "property", "op", "value"))
}

// listViewIn is [listViewOf] for the parameters of a list's address.
func listViewIn(typeName string, q *query) (v listView, added bool, problems listProblems, err error) {
	v = listView{
		Type: typeName, Search: q.Get("search"), Origin: q.word("origin", append([]string{""}, policy.OriginNames()...)...), Columns: q.Values["col"],
		Sort: sortKeysOf(q.Get("sort"), q.word("desc", "0", "1") == "1"), Form: listForm(q.word("format", listFormNames...)),
		Offset: q.number("offset", 0, 0, maxOffset), Limit: q.number("limit", listLimit, 1, listMax),
		Chart: chartView{By: q.Get("by"), Split: q.Get("split"), Sum: q.Get("sum"), Kind: chart.Kind(q.word("chart", chartWords...))},
		Edit:  q.word("edit", "0", "1") == "1",
	}
	for _, text := range q.Values["where"] {
		c, ok := conditionOf(text)
		if !ok {
			problems.Filter = problemAt{Value: text, Message: "a filter is written property=value, or with another operator, as property>=value or property contains value"}
			continue
		}
		v.Where = append(v.Where, c)
	}
	if p := q.Get("property"); p != "" {
		c := condition{p, firstOf(q.Get("op"), "="), strings.TrimSpace(q.Get("value"))}
		if known, ok := conditionOf(c.String()); !ok || known.Op != c.Op {
			return v, true, problems, fault.Argument("op", fault.OneOf, c.Op, "there is no operator "+strconv.Quote(line(c.Op)))
		}
		if valueless(c.Op) {
			c.Value = ""
		}
		if c.Value == "" && !valueless(c.Op) {
			problems.Filter = problemAt{c.Property, c.Op, "", "say a value; “is empty” finds those without one"}
		} else {
			v.Where = append(v.Where, c)
		}
	}
	if len(v.Where) > maxFilters {
		last := v.Where[len(v.Where)-1]
		problems.Filter = problemAt{last.Property, last.Op, last.Value, "at most " + strconv.Itoa(maxFilters) + " filters can be combined"}
		v.Where = v.Where[:maxFilters]
	}
	return v, q.Has("property") || q.Has("value"), problems, q.err()
}

// dropRefused removes refused filters and a refused search from the view. It reports whether that was all, so that
// the view can be requested again.
func (v *listView) dropRefused(refused []fault.FieldError, problems *listProblems) bool {
	bad := map[int]bool{}
	for _, f := range refused {
		if f.Field == "search" {
			problems.Search = problemAt{Value: v.Search, Message: f.Message}
			v.Search = ""
			continue
		}
		rest, isFilter := strings.CutPrefix(f.Field, "where[")
		number, _, _ := strings.Cut(rest, "]")
		i, err := strconv.Atoi(number)
		if !isFilter || err != nil || i < 0 || i >= len(v.Where) {
			return false
		}
		bad[i] = true
		problems.Filter = problemAt{v.Where[i].Property, v.Where[i].Op, v.Where[i].Value, f.Message}
	}
	var good []condition
	for i, c := range v.Where {
		if !bad[i] {
			good = append(good, c)
		}
	}
	v.Where = good
	return true
}

func (v listView) arguments() map[string]any {
	args := map[string]any{"type": v.Type, "limit": v.Limit, "offset": v.Offset, "facets": true}
	if len(v.Where) > 0 {
		where := make([]any, len(v.Where))
		for i, c := range v.Where {
			where[i] = c.argument()
		}
		args["where"] = where
	}
	if v.Search != "" {
		args["search"] = v.Search
	}
	if v.Origin != "" {
		args["origin"] = v.Origin
	}
	if len(v.Sort) > 0 {
		args["sort"] = view.SortText(v.Sort)
	}
	if len(v.Columns) > 0 {
		args["columns"] = v.Columns
	}
	return args
}

// atFirst is the list with the columns that it has where none are chosen.
func (v listView) atFirst() listView {
	v.Columns = nil
	return v
}

// href is the address of the view; what is as usual is left out.
func (v listView) href() string { return withQuery(typeURL(v.Type), v.query()) }

// query are the parameters of the address.
func (v listView) query() url.Values {
	q := url.Values{}
	for _, c := range v.Where {
		q.Add("where", c.String())
	}
	for _, c := range v.Columns {
		q.Add("col", c)
	}
	set := func(name, value string, given bool) {
		if given {
			q.Set(name, value)
		}
	}
	set("search", v.Search, v.Search != "")
	set("origin", v.Origin, v.Origin != "")
	sort, descending := v.sortParameters()
	set("sort", sort, sort != "")
	set("desc", "1", descending)
	set("offset", strconv.Itoa(v.Offset), v.Offset > 0)
	set("limit", strconv.Itoa(v.Limit), v.Limit != listLimit)
	set("edit", "1", v.Edit)
	v.Chart.set(q)
	return q
}

// at is the view from another offset.
func (v listView) at(offset int) listView {
	v.Offset = offset
	return v
}

// withoutChart is the view as a list alone.
func (v listView) withoutChart() listView {
	v.Chart = chartView{}
	return v
}

// edited is the view in which each cell leads to its field, or the one in which none does.
func (v listView) edited(each bool) listView {
	v.Edit = each
	return v
}

// saidBy is a class of sources in the words of a list, which has what that class alone said.
func saidBy(origin string) string {
	switch origin {
	case "":
		return "anybody"
	case "person":
		return "people alone"
	case "upstream":
		return "other servers alone"
	case "unknown":
		return "unknown sources alone"
	}
	return origin + "s alone"
}

// sorted is the view by a property alone: ascending, and descending when it already is.
func (v listView) sorted(property string) listView {
	v.Sort = []view.SortKey{{Property: property, Descending: slices.Equal(v.Sort, []view.SortKey{{Property: property}})}}
	return v.at(0)
}

// sortedToo is the view by one more property. It turns the direction of one that sorts already. ok is false when the
// list is sorted by nothing else, or by as many as it may be.
func (v listView) sortedToo(property string) (_ listView, ok bool) {
	i := v.sortPlace(property)
	v.Sort = slices.Clone(v.Sort)
	switch {
	case i >= 0:
		v.Sort[i].Descending = !v.Sort[i].Descending
		return v.at(0), len(v.Sort) > 1
	case len(v.Sort) == 0 || len(v.Sort) == view.MaxSortKeys:
		return v, false
	}
	v.Sort = append(v.Sort, view.SortKey{Property: property})
	return v.at(0), true
}

// sortPlace is the place of a property among those that the list is sorted by, -1 for none.
func (v listView) sortPlace(property string) int {
	return slices.IndexFunc(v.Sort, func(k view.SortKey) bool { return k.Property == property })
}

// sortKeysOf reads the parameters of an address: what sorts, and whether the first of it descends.
func sortKeysOf(text string, descending bool) []view.SortKey {
	keys := view.SortKeys(text)
	if descending && len(keys) > 0 {
		keys[0].Descending = true
	}
	return keys
}

// sortParameters are the parameters sort and desc of the view's address: a single property has its direction beside it.
func (v listView) sortParameters() (sort string, descending bool) {
	if len(v.Sort) == 1 {
		return v.Sort[0].Property, v.Sort[0].Descending
	}
	return view.SortText(v.Sort), false
}

// with is the view with one more filter, without is the view with one less.
func (v listView) with(c condition) listView {
	v.Where = append(slices.Clone(v.Where), c)
	return v.at(0)
}

func (v listView) without(c condition) listView {
	v.Where = slices.DeleteFunc(slices.Clone(v.Where), func(other condition) bool { return other == c })
	return v.at(0)
}

// withoutOps is the view without the conditions of a property that have one of these operators.
func (v listView) withoutOps(property string, ops ...string) listView {
	v.Where = slices.DeleteFunc(slices.Clone(v.Where), func(c condition) bool { return c.Property == property && slices.Contains(ops, c.Op) })
	return v.at(0)
}

// facetNote says what a facet leaves out.
func facetNote(f view.Facet) string {
	var notes []string
	if f.Left > 0 {
		notes = append(notes, "and "+count(f.Left)+" more")
	}
	if f.Counted > 0 {
		notes = append(notes, "of the first "+count(f.Counted)+"; filter the list to count all")
	}
	return strings.Join(notes, ", ")
}

// listFormNames are the names of the forms of a list, of which the page is the first.
var listFormNames = func() []string {
	names := []string{"html"}
	for _, f := range view.ListForms {
		names = append(names, f.Name)
	}
	return names
}()

// listForm is the form of this name, the zero value for the page.
func listForm(name string) view.ListForm {
	if i := slices.IndexFunc(view.ListForms, func(f view.ListForm) bool { return f.Name == name }); i >= 0 {
		return view.ListForms[i]
	}
	return view.ListForm{}
}

// twins are the list for programs.
func (v listView) twins() []twin {
	var out []twin
	for _, f := range view.ListForms {
		mime, _, _ := strings.Cut(f.MIME, ";")
		out = append(out, twin{f.Label, mime, v.fileURL(f.Name)})
	}
	return out
}

// fileURL is the address of all rows of the view as a file.
func (v listView) fileURL(form string) string {
	v.Offset, v.Limit = 0, listLimit
	address, join := v.withoutChart().href(), "?"
	if strings.Contains(address, "?") {
		join = "&"
	}
	return address + join + "format=" + form
}

// forms are the media types in which programs read what a page shows.
var forms = []struct{ label, mime, format string }{
	{"JSON", "application/json", "json"},
	{"JSON-LD", "application/ld+json", "jsonld"},
	{"Turtle", "text/turtle", "turtle"},
}

func twinsOf(path string, q url.Values) []twin {
	var out []twin
	for _, f := range forms {
		q.Set("format", f.format)
		out = append(out, twin{f.label, f.mime, withQuery(path, q)})
	}
	return out
}

func newListData(v listView, doc schemaDocument, t schema.TypeDocument, a view.Table, warnings []string) listData {
	d := listData{
		listView: v, Schema: t, Capacity: schema.SnakeName(t.Name), All: doc.properties(t.Name), Paths: doc.pathsOf(t.Name), Trees: doc.treeRelations(t.Name), Label: t.Label,
		First: v.heading(view.Column{Name: t.Label, Label: doc.title(t.Name, t.Label)}), Rows: a.Rows, Total: a.Total, TotalMore: a.TotalMore,
	}
	for _, c := range a.Columns {
		if c.Name != d.Label || slices.Contains(v.Columns, c.Name) { // the first column shows the label
			d.Columns = append(d.Columns, v.heading(c))
		}
	}
	for _, c := range d.Where {
		d.Chips = append(d.Chips, chip{c.says(doc.title(t.Name, c.Property)), c.Value, d.without(c).href()})
	}
	if len(d.Where) > 0 || d.Origin != "" { // else the page itself says that there is nothing
		d.Warnings = warnings
	}
	if d.Search != "" {
		all := d.at(0)
		all.Search = ""
		d.Chips = append(d.Chips, chip{"label has", d.Search, all.href()})
	}
	if d.Origin != "" {
		all := d.at(0)
		all.Origin = ""
		d.Chips = append(d.Chips, chip{"said by", saidBy(d.Origin), all.href()})
	}
	for _, f := range a.Facets {
		links := facetLinks{Title: doc.title(t.Name, f.Property), Bars: f.By == "year" || f.By == "month", Note: facetNote(f), Property: f.Property}
		if links.Bars {
			links.Unbound = d.withoutOps(f.Property, "=", "<", "<=", ">", ">=").href()
		}
		for _, val := range f.Values {
			c := condition{f.Property, "=", val.Value}
			of := d.listView
			if links.Bars { // a month takes the place of its year
				of = d.withoutOps(f.Property, "=")
			}
			l := facetLink{Value: firstOf(val.Label, val.Value), Count: count(val.Count), Number: val.Count, Href: of.with(c).href(), Current: slices.Contains(d.Where, c)}
			switch {
			case val.More && val.Count == 0:
				l.Count = "not counted"
			case val.More:
				l.Count += "+"
			}
			if l.Current {
				l.Href = d.without(c).href()
			}
			links.Links = append(links.Links, l)
		}
		if len(links.Links) > 0 {
			d.Facets = append(d.Facets, links)
		}
	}
	for _, p := range d.All {
		for _, v := range p.OneOf {
			if text := literal(v); !slices.Contains(d.Options, text) {
				d.Options = append(d.Options, text)
			}
		}
	}
	total, rows := count(d.Total), len(a.Rows)
	switch {
	case d.TotalMore && d.Total == 0:
		total = "an unknown number"
	case d.TotalMore:
		total = "more than " + total
	}
	text := "None of " + total
	if rows > 0 {
		text = count(d.Offset+1) + "–" + count(d.Offset+rows) + " of " + total
	}
	d.Pager = pagerAt(text, d.Offset, d.Limit, d.Offset+d.Limit, d.Offset+rows < d.Total || d.TotalMore && rows == d.Limit,
		func(offset int) string { return d.at(offset).href() })
	d.Announce = text + " shown"
	return d
}

// numbers are the datatypes that stand to the right.
var numbers = []string{"integer", "number", "decimal", "double", "float", "int", "long"}

// columnTitle is what people call a column.
func columnTitle(c view.Column) string { return firstOf(c.Label, propertyName(c.Name)) }

func (v listView) heading(c view.Column) heading {
	h := heading{Name: c.Name, Title: columnTitle(c), Number: slices.Contains(numbers, datatypeName(c.Datatype)), Class: c.Class, Kind: datatypeName(c.Datatype)}
	if !c.Many && c.Name != "" {
		h.Href = v.sorted(c.Name).href()
		if too, ok := v.sortedToo(c.Name); ok {
			h.Too = too.href()
		}
	}
	if i := v.sortPlace(c.Name); i >= 0 && c.Name != "" {
		h.Sort = "ascending"
		if v.Sort[i].Descending {
			h.Sort = "descending"
		}
		if len(v.Sort) > 1 {
			h.Place = i + 1
		}
	}
	return h
}

// editURL is the form of a node; "" where it cannot be changed: in the past, or by this reader.
func (d listData) editURL(n view.Node) string {
	update := schema.SnakeName(n.Type) + ".update"
	if !d.Tickable || !d.Listed[update] {
		return ""
	}
	return formURL(update, "id", n.ID)
}

// mayEdit reports that there is a row whose cells can be changed where they are.
func (d listData) mayEdit() bool {
	return slices.ContainsFunc(d.Rows, func(r view.Row) bool { return d.editURL(r.Node) != "" })
}

// Shows reports a column that the picker marks: the label, which is the first column of every list, where it has one more.
func (d listData) Shows(property string) bool {
	return slices.ContainsFunc(d.Columns, func(h heading) bool { return h.Name == property })
}
