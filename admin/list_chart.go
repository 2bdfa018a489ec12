package admin

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"

	"trails/admin/chart"
	"trails/builtin/view"
	"trails/fault"
)

// A chart of a list counts its rows, or adds up a number of theirs, by the values of a property. It reads the list
// itself, so that conditions and rights are the list's; what it may read is bounded.
const chartRows = 10_000

// chartView is the part of a list's address that asks for a chart; without By there is none.
type chartView struct {
	By, Split string // paths whose values group the rows, and split the groups
	Sum       string // a path whose numbers are added up; "" counts
	Kind      chart.Kind
}

// drawnChart is a chart with what is said beside it.
type drawnChart struct {
	chart.Chart
	Notes []string
	// Warnings are those of the list, which its page shows by itself.
	Warnings []string
	// Address is that of the page with the chart, "" for the page that it is on.
	Address string
}

// chartWords are the kinds as an address has them; "" leaves the choice to the page.
var chartWords = func() []string {
	words := []string{""}
	for _, k := range chart.Kinds {
		words = append(words, string(k.Kind))
	}
	return words
}()

// set adds the chart to an address.
func (c chartView) set(q url.Values) {
	for name, value := range map[string]string{"by": c.By, "split": c.Split, "sum": c.Sum, "chart": string(c.Kind)} {
		if value != "" {
			q.Set(name, value)
		}
	}
}

// tally is the numbers of a chart while rows are read.
type tally struct {
	view   listView
	titles propertyLabels // what people call the columns
	points map[[2]string]*chart.Point
	order  [][2]string
	date   bool
	number bool
}

// listChart reads the list and counts.
func (a *asker) listChart(v listView) (*drawnChart, error) {
	t := tally{view: v, titles: propertyLabels{}, points: map[[2]string]*chart.Point{}}
	args := v.arguments()
	var columns []string
	for _, path := range []string{v.Chart.By, v.Chart.Split, v.Chart.Sum} {
		if path != "" && !slices.Contains(columns, path) {
			columns = append(columns, path)
		}
	}
	args["columns"] = columns
	out := &drawnChart{}
	several := 0
	done, last, err := view.EachPage(args, chartRows, func(args map[string]any) (t view.Table, err error) {
		result, err := a.answered("entities_list", args, &t)
		out.Warnings = result.Warnings
		return t, err
	}, func(page view.Table, columns []view.Column) error {
		for _, c := range columns {
			kind := datatypeName(c.Datatype)
			t.titles[c.Name] = firstOf(c.Label, c.Name)
			if c.Name == v.Chart.By {
				t.date, t.number = kind == "date" || kind == "dateTime", slices.Contains(numbers, kind)
			}
			if c.Name == v.Chart.Sum && !slices.Contains(numbers, kind) {
				return fault.Argument("sum", fault.Datatype, c.Name, fmt.Sprintf("%s has no numbers to add up; count instead", c.Name))
			}
		}
		for _, row := range page.Rows {
			if len(row.Cells[v.Chart.By]) > 1 {
				several++
			}
			t.row(row)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if last.TotalMore || last.Total > done {
		out.Notes = append(out.Notes, fmt.Sprintf("It counts the first %s of more rows; filter the list to see the others.", count(done)))
	}
	if several > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("%s rows have several values of %s and count for each.", count(several), t.title(v.Chart.By)))
	}
	out.Chart = t.chart()
	if out.Kind == chart.Time {
		out.fill()
	}
	if n := len(out.Points); n > chart.MaxPoints {
		out.Points = out.Points[:chart.MaxPoints]
		out.Notes = append(out.Notes, fmt.Sprintf("It has the first %s of %s numbers; filter the list to see the others.", count(chart.MaxPoints), count(n)))
	}
	return out, nil
}

// fill gives a time series a zero for each day, month or year between its first and its last that no row has: the number
// or sum of no rows is 0, and a line that passes over them would say otherwise.
func (c *drawnChart) fill() {
	var labels, series []string
	has := map[[2]string]bool{}
	for _, p := range c.Points {
		if has[[2]string{p.Label, p.Series}] = true; !slices.Contains(labels, p.Label) {
			labels = append(labels, p.Label)
		}
		if !slices.Contains(series, p.Series) {
			series = append(series, p.Series)
		}
	}
	steps, unit := chart.Steps(labels)
	if len(steps)*len(series) <= len(c.Points) || len(steps)*len(series) > chart.MaxPoints {
		return
	}
	for _, step := range steps {
		for _, name := range series {
			if !has[[2]string{step, name}] {
				c.Points = append(c.Points, chart.Point{Label: step, Series: name})
			}
		}
	}
	slices.SortStableFunc(c.Points, func(a, b chart.Point) int { return cmp.Compare(a.Label, b.Label) })
	if empty := len(steps) - len(labels); empty > 0 {
		c.Notes = append(c.Notes, fmt.Sprintf("%s of %s %s have no rows; they are drawn as 0.", count(empty), count(len(steps)), unit))
	}
}

// row counts one row, for each pair of its values.
func (t *tally) row(row view.Row) {
	v := t.view.Chart
	value := 1.0
	if v.Sum != "" {
		value = 0
		for _, c := range row.Cells[v.Sum] {
			n, _ := strconv.ParseFloat(c.Text, 64)
			value += n
		}
	}
	groups := groupsOf(row.Cells[v.By])
	splits := []group{{}}
	if v.Split != "" {
		splits = groupsOf(row.Cells[v.Split])
	}
	for _, g := range groups {
		for _, s := range splits {
			key := [2]string{g.key, s.key}
			p := t.points[key]
			if p == nil {
				series := s.label
				if v.Split != "" && series == "" {
					series = "(none)"
				}
				p = &chart.Point{Label: g.label, Series: series, Href: t.href(g)}
				t.points[key] = p
				t.order = append(t.order, key)
			}
			p.Value += value
		}
	}
}

// group is a value that groups rows; the zero value is none.
type group struct{ key, label string }

func groupsOf(cells []view.Cell) []group {
	if len(cells) == 0 {
		return []group{{}}
	}
	out := make([]group, len(cells))
	for i, c := range cells {
		out[i] = group{c.Text, c.Text}
		if c.Ref != nil {
			out[i] = group{referenceTo(*c.Ref), labelOf(*c.Ref)}
		}
	}
	return out
}

// title is what people call a column.
func (t *tally) title(path string) string { return t.titles.title(path) }

// href is the list of the rows of a group, without the chart.
func (t *tally) href(g group) string {
	c := condition{Property: t.view.Chart.By, Op: "=", Value: g.key}
	if g.key == "" {
		c = condition{Property: c.Property, Op: "is_empty"}
	}
	return t.view.with(c).withoutChart().href()
}

// chart is what was counted: times and numbers in their order, other groups by their size.
func (t *tally) chart() chart.Chart {
	v := t.view.Chart
	out := chart.Chart{Kind: v.Kind, X: t.title(v.By), Y: "number of " + t.view.Type}
	if v.Sum != "" {
		out.Y = "sum of " + t.title(v.Sum)
	}
	out.Name = t.view.Type + ": " + out.Y + " by " + out.X
	if v.Split != "" {
		out.Name += " and " + t.title(v.Split)
	}
	if v.Kind == "" {
		var points []chart.Point
		for _, key := range t.order {
			points = append(points, *t.points[key])
		}
		out.Kind = chart.Fit(points, v.Sum == "")
		t.date = t.date || out.Kind == chart.Time
	}
	if t.date && (v.Kind == "" || v.Kind == chart.Time || v.Kind == chart.Line) {
		t.bin()
	}
	sums := map[string]float64{}
	for _, key := range t.order {
		out.Points = append(out.Points, *t.points[key])
		sums[t.points[key].Label] += t.points[key].Value
	}
	slices.SortStableFunc(out.Points, func(a, b chart.Point) int {
		if (a.Label == "") != (b.Label == "") {
			return cmp.Compare(b.Label, a.Label) // what has none is last
		}
		switch {
		case t.number:
			x, _ := strconv.ParseFloat(a.Label, 64)
			y, _ := strconv.ParseFloat(b.Label, 64)
			return cmp.Compare(x, y)
		case t.date:
			return cmp.Compare(a.Label, b.Label)
		}
		return cmp.Or(cmp.Compare(sums[b.Label], sums[a.Label]), cmp.Compare(a.Label, b.Label))
	})
	if out.Kind == chart.Time || out.Kind == chart.Scatter { // there is no place for none
		out.Points = slices.DeleteFunc(out.Points, func(p chart.Point) bool { return p.Label == "" })
	}
	return out
}

// binsMost is how many days or months a time series has before it goes by months or years.
const binsMost = 62

// bin counts times by day, by month or by year, whichever first has few enough.
func (t *tally) bin() {
	for _, digits := range []int{len("2006-01-02"), len("2006-01"), len("2006")} {
		seen := map[string]bool{}
		for _, p := range t.points {
			seen[p.Label[:min(digits, len(p.Label))]] = true
		}
		if len(seen) > binsMost && digits > len("2006") {
			continue
		}
		before, order := t.points, t.order
		t.points, t.order = map[[2]string]*chart.Point{}, nil
		for _, key := range order {
			p := *before[key]
			p.Label = p.Label[:min(digits, len(p.Label))]
			to := [2]string{p.Label, key[1]}
			if t.points[to] == nil {
				p.Href = t.href(group{p.Label, p.Label})
				t.points[to] = &p
				t.order = append(t.order, to)
				continue
			}
			t.points[to].Value += p.Value
		}
		return
	}
}

// numbersOf are the paths with numbers among those of a list.
func (d listData) numbersOf() (out []titled) {
	for _, p := range d.All {
		if slices.Contains(numbers, p.Type) {
			out = append(out, titled{p.Name, titleOf(p)})
		}
	}
	return out
}
