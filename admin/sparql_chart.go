package admin

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"

	"trails/admin/chart"
	h "trails/admin/html"
	"trails/builtin/view"
	"trails/fault"
	"trails/rdf"
	"trails/rdf/xsd"
)

// A chart of an answer draws the rows that the page has read: a column names the points, another has their numbers. What
// is not chosen follows from the columns.

// answerView is the part of a query's address that says how its chart is drawn.
type answerView struct {
	X, Y, Split string // columns; "" for what fits
	Kind        chart.Kind
}

const (
	countRows = "*" // as Y: rows are counted
	noSplit   = "-" // as Split: no parts
)

func answerViewOf(q *query) answerView {
	return answerView{X: q.Get("x"), Y: q.Get("y"), Split: q.Get("split"), Kind: chart.Kind(q.word("chart", chartWords...))}
}

// values are the choices as parameters, without what is not chosen.
func (c answerView) values() url.Values {
	out := url.Values{}
	for name, value := range map[string]string{"x": c.X, "y": c.Y, "split": c.Split, "chart": string(c.Kind)} {
		if value != "" {
			out.Set(name, value)
		}
	}
	return out
}

func (c answerView) drawHidden() h.Node {
	values := c.values()
	return h.Map(slices.Sorted(maps.Keys(values)), func(name string) h.Node { return hiddenInput(name, values.Get(name)) })
}

// answerChart is the chart of an answer, with what was chosen and what can be.
type answerChart struct {
	drawnChart
	View    answerView
	Columns []string
	Numbers []string // columns of numbers
	// KeepWith is the stored query that the chart can be kept with, "" for none.
	KeepWith string
}

// columnKind is what all values of a column are: number, time, or "" for anything else.
func columnKind(rows [][]view.Term, at int) string {
	kind := ""
	for _, row := range rows {
		t := row[at]
		if t.Type == "" {
			continue
		}
		is := termKind(t)
		if is == "" || kind != "" && is != kind {
			return ""
		}
		kind = is
	}
	return kind
}

// timeTypes are the datatypes that a time series has a place for.
var timeTypes = []rdf.IRI{rdf.XSDNS + "date", rdf.XSDNS + "dateTime", rdf.XSDNS + "gYear", rdf.XSDNS + "gYearMonth"}

func termKind(t view.Term) string {
	switch datatype := rdf.IRI(t.Datatype); {
	case xsd.IsNumeric(datatype):
		return "number"
	case slices.Contains(timeTypes, datatype):
		return "time"
	}
	return ""
}

// chartOf draws the rows of an answer, whose cells are out.Lines. A choice that names no column is an error.
func (out *sparqlAnswer) chartOf(rows [][]view.Term) (*answerChart, error) {
	c := &answerChart{View: out.View.Chart, Columns: out.Columns}
	kinds := map[string]string{}
	for i, name := range out.Columns {
		kinds[name] = columnKind(rows, i)
		if kinds[name] == "number" {
			c.Numbers = append(c.Numbers, name)
		}
	}
	for name, value := range map[string]string{"x": c.View.X, "y": c.View.Y, "split": c.View.Split} {
		if value != "" && value != countRows && value != noSplit && !slices.Contains(out.Columns, value) {
			return nil, fault.Argument(name, fault.OneOf, value, fmt.Sprintf("the answer has no column %s%s", value, fault.DidYouMean(value, out.Columns)))
		}
	}
	c.choose(kinds, rows)
	if c.View.Y != countRows && kinds[c.View.Y] != "number" {
		return nil, fault.Argument("y", fault.Datatype, c.View.Y, fmt.Sprintf("the column %s has values that are no numbers; choose another, or count rows", c.View.Y))
	}
	c.addPoints(out, rows)
	return c, nil
}

// choose decides what the address leaves open: times are the first choice for the axis, then what is no number; the
// first number that is left is drawn; a last column that is no number splits the points, unless anything was chosen.
func (c *answerChart) choose(kinds map[string]string, rows [][]view.Term) {
	first := func(fits func(name string) bool) string {
		if i := slices.IndexFunc(c.Columns, fits); i >= 0 {
			return c.Columns[i]
		}
		return ""
	}
	v, untouched := &c.View, c.View == (answerView{})
	notY := func(name string) bool { return name != v.Y }
	v.X = cmp.Or(v.X, first(func(name string) bool { return kinds[name] == "time" && notY(name) }),
		first(func(name string) bool { return kinds[name] == "" && notY(name) }), first(notY), v.Y)
	v.Y = cmp.Or(v.Y, first(func(name string) bool { return kinds[name] == "number" && name != v.X }), countRows)
	if untouched && v.Y != countRows {
		v.Split = first(func(name string) bool {
			return kinds[name] == "" && name != v.X && distinct(rows, slices.Index(c.Columns, name)) <= chart.MaxSeries
		})
	}
	v.Split = cmp.Or(v.Split, noSplit)
}

// distinct counts the values of a column, up to one more than a chart has series.
func distinct(rows [][]view.Term, at int) int {
	seen := map[view.Term]bool{}
	for _, row := range rows {
		if seen[row[at]] = true; len(seen) > chart.MaxSeries {
			break
		}
	}
	return len(seen)
}

// addPoints makes a point of each row. Rows of one place are added up, but not points against each other.
func (c *answerChart) addPoints(out *sparqlAnswer, rows [][]view.Term) {
	v := c.View
	x, y, split := slices.Index(c.Columns, v.X), slices.Index(c.Columns, v.Y), slices.Index(c.Columns, v.Split)
	var points []chart.Point
	without := 0
	for i, row := range rows {
		p := chart.Point{Label: axisLabel(row[x], out.Lines[i][x]), Value: 1}
		if v.Y != countRows {
			n, err := strconv.ParseFloat(row[y].Value, 64)
			if err != nil { // unbound
				without++
				continue
			}
			p.Value = n
		}
		if split >= 0 {
			p.Series = cmp.Or(axisLabel(row[split], out.Lines[i][split]), "(none)")
		}
		if cell := out.Lines[i][x]; cell.ID != "" {
			p.Href = nodeAt(cell.Type, cell.ID, cell.At)
		}
		points = append(points, p)
	}
	note := func(format string, args ...any) { c.Notes = append(c.Notes, fmt.Sprintf(format, args...)) }
	c.Chart = chart.Chart{Kind: cmp.Or(v.Kind, chart.Fit(points, v.Y == countRows)), X: v.X, Y: v.Y}
	if v.Y == countRows {
		c.Y = "number of rows"
	}
	c.Name = c.Y + " by " + c.X
	if split >= 0 {
		c.Name += " and " + v.Split
	}
	if without > 0 {
		note("%s without a value of %s %s not drawn.", times(without, "row", "rows"), v.Y, isOrAre(without))
	}
	if c.Kind == chart.Time || c.Kind == chart.Scatter {
		all := len(points)
		points = slices.DeleteFunc(points, func(p chart.Point) bool { return p.Label == "" })
		if n := all - len(points); n > 0 {
			note("%s without a value of %s %s not drawn.", times(n, "row", "rows"), v.X, isOrAre(n))
		}
	}
	if c.Kind != chart.Scatter {
		several := len(points)
		points = addedUp(points)
		if several -= len(points); several > 0 && v.Y != countRows {
			note("Rows with the same %s are added up.", c.Name[len(c.Y+" by "):])
		}
	}
	if c.Kind == chart.Time {
		slices.SortStableFunc(points, func(a, b chart.Point) int { return chart.CompareTimes(a.Label, b.Label) })
		labels := make([]string, len(points))
		seen := map[string]bool{}
		for i, p := range points {
			labels[i], seen[p.Label] = p.Label, true
		}
		if steps, unit := chart.Steps(labels); len(steps) > len(seen) {
			note("%s of %s %s have no row; the line passes over them.", count(len(steps)-len(seen)), count(len(steps)), unit)
		}
	}
	if n := len(points); n > chart.MaxPoints {
		points = points[:chart.MaxPoints]
		note("It has the first %s of %s numbers.", count(chart.MaxPoints), count(n))
	}
	if out.Cut != "" {
		note("It draws the rows that were read; there are more.")
	}
	c.Points = points
}

func isOrAre(n int) string { return textIf(n == 1, "is", "are") }

// axisLabel is a term as a name on a chart, "" for an unbound one.
func axisLabel(t view.Term, cell sparqlCell) string {
	switch {
	case cell.ID != "":
		return cell.Label()
	case t.Type == "literal":
		return firstRunes(line(t.Value), cellShown)
	}
	return cell.Text
}

// addedUp are the points with those of the same label and series as one.
func addedUp(points []chart.Point) []chart.Point {
	at := map[[2]string]int{}
	out := make([]chart.Point, 0, len(points))
	for _, p := range points {
		key := [2]string{p.Label, p.Series}
		if i, known := at[key]; known {
			out[i].Value += p.Value
			continue
		}
		at[key] = len(out)
		out = append(out, p)
	}
	return out
}

// kept are the parameters that a stored query keeps.
func (c *answerChart) kept() url.Values {
	out := c.View.values()
	out.Set("output", "chart")
	return out
}

// draw is the choices, and the chart.
func (c *answerChart) draw(v sparqlView) h.Node {
	if c == nil {
		return nil
	}
	c.Address = v.Link()
	hidden := v
	hidden.Chart = answerView{}
	columns := func(names []string, chosen string) h.Node {
		return h.Map(names, func(name string) h.Node { return option(name, name, name == chosen) })
	}
	return h.Group{
		h.Form(h.Class("view filter"), h.Method("post"), h.Action(queryURL), h.Aria("label", "What the chart shows"), hidden.drawHidden(),
			labelled("", "chart-x", "By", h.Select(h.ID("chart-x"), h.Name("x"), columns(c.Columns, c.View.X))),
			labelled("", "chart-y", "Show", h.Select(h.ID("chart-y"), h.Name("y"), option(countRows, "the number of rows", c.View.Y == countRows), columns(c.Numbers, c.View.Y))),
			labelled("", "chart-split", "In parts by", h.Select(h.ID("chart-split"), h.Name("split"), option(noSplit, "nothing", c.View.Split == noSplit), columns(c.Columns, c.View.Split))),
			labelled("", "chart-kind", "As", h.Select(h.ID("chart-kind"), h.Name("chart"), kindOptions(c.View.Kind))),
			h.Button(h.Name("output"), h.Value("chart"), h.Text("Draw")),
			h.If(c.KeepWith != "", h.Button(h.Name("do"), h.Value("chart"), h.Text("Keep this chart with the query")))),
		c.drawnChart.draw(),
		h.If(c.KeepWith == "", h.P(h.Class("faint"), h.Text("A stored query opens with this chart when its first lines have "), plainCode("#+ view: query?"+c.kept().Encode()), h.Text("."))),
	}
}
