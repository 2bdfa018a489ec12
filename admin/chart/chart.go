// Package chart draws tables of numbers as SVG that needs no script: text that can be selected, read aloud and
// printed, and marks that can be links. Colours are classes of the style sheet, series-1 to series-8.
//
// Read [Chart] first, then draw.go.
package chart

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"time"
)

// Kind is a kind of chart.
type Kind string

// The kinds.
const (
	Bar     Kind = "bar"
	Stacked Kind = "stacked"
	Line    Kind = "line"
	Time    Kind = "time"
	Scatter Kind = "scatter"
	Pie     Kind = "pie"
	Heat    Kind = "heat"
)

// Kinds are all kinds with their names for people, in the order of forms.
var Kinds = []struct {
	Kind Kind
	Name string
}{{Bar, "Bars"}, {Stacked, "Stacked bars"}, {Line, "Line"}, {Time, "Time series"}, {Scatter, "Scatter"}, {Pie, "Pie"}, {Heat, "Heat map"}}

// Bounds of a chart.
const (
	MaxPoints = 2_000
	MaxSeries = 8  // with a colour each; further ones are added up as the last
	maxGroups = 40 // lines of bars and of a heat map
	maxSlices = 8
)

// Others is the name of what a chart adds up because it has no room for each.
const Others = "all others"

// Chart is a table of numbers to draw. The zero value has no points.
type Chart struct {
	Kind Kind
	// Name says what the chart shows.
	Name string
	// X and Y name the axes.
	X, Y   string
	Points []Point
	// Low makes a plot with axes less high, to stand beside others.
	Low bool
}

// Point is one number.
type Point struct {
	// Label is the group, Series what splits groups, "" for nothing.
	Label, Series string
	Value         float64
	// Href is where the point leads, "" for nowhere.
	Href string
}

// Fit returns the kind that suits the points: a time series for dates and years, points against each other for other
// numbers, bars in parts for points with a series, and else bars. Points without a label do not count. When the values only
// count what has the label, numbers are labels as any other.
func Fit(points []Point, counts bool) Kind {
	some, dates, numbers := false, true, true
	for _, p := range points {
		if p.Label == "" {
			continue
		}
		_, isDate := place(Time, p.Label)
		_, isNumber := place(Scatter, p.Label)
		some, dates, numbers = true, dates && isDate, numbers && isNumber
	}
	switch {
	case some && dates:
		return Time
	case some && numbers && !counts:
		return Scatter
	case slices.ContainsFunc(points, func(p Point) bool { return p.Series != "" }):
		return Stacked
	}
	return Bar
}

// instant is a date of XML Schema, or the beginning of one: a year, or a year and a month.
func instant(text string) (time.Time, bool) {
	for _, layout := range []string{"2006", "2006-01", time.DateOnly, "2006-01-02T15:04:05", time.RFC3339} {
		if at, err := time.Parse(layout, text); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}

// Steps are all days, months or years, whichever the labels are, from the first to the last, with the name of one. They
// are nil for other labels, and for more than [MaxPoints].
func Steps(labels []string) (steps []string, unit string) {
	layouts := map[int]string{len("2006"): "2006", len("2006-01"): "2006-01", len(time.DateOnly): time.DateOnly}
	if len(labels) == 0 {
		return nil, ""
	}
	layout := layouts[len(labels[0])]
	var first, last time.Time
	for i, label := range labels {
		at, err := time.Parse(layout, label)
		if err != nil || layout == "" {
			return nil, ""
		}
		if i == 0 || at.Before(first) {
			first = at
		}
		if i == 0 || at.After(last) {
			last = at
		}
	}
	next := map[string]func(time.Time) time.Time{
		"2006":        func(t time.Time) time.Time { return t.AddDate(1, 0, 0) },
		"2006-01":     func(t time.Time) time.Time { return t.AddDate(0, 1, 0) },
		time.DateOnly: func(t time.Time) time.Time { return t.AddDate(0, 0, 1) },
	}[layout]
	for at := first; !at.After(last); at = next(at) {
		if len(steps) == MaxPoints {
			return nil, ""
		}
		steps = append(steps, at.Format(layout))
	}
	return steps, map[string]string{"2006": "years", "2006-01": "months", time.DateOnly: "days"}[layout]
}

// Instant is the time of a label as [Time] places it, the zero time of one that has none.
func Instant(label string) time.Time {
	at, _ := instant(label)
	return at
}

// CompareTimes orders labels by their times, as [Time] places them; others come first.
func CompareTimes(a, b string) int {
	return Instant(a).Compare(Instant(b))
}

// place is where a label lies on a scale of numbers or of time.
func place(kind Kind, label string) (float64, bool) {
	if kind == Time {
		at, ok := instant(label)
		return float64(at.Unix()), ok
	}
	n, err := strconv.ParseFloat(label, 64)
	return n, err == nil && math.Abs(n) <= maxNumber
}

// maxNumber bounds what can be drawn, so that sums and differences stay finite.
const maxNumber = 1e300

// Drawable reports whether the kind can show the points, and why not.
func (c Chart) Drawable() (why string, ok bool) {
	for _, p := range c.Points {
		if !(math.Abs(p.Value) <= maxNumber) { // not a number, too
			return "A picture has numbers up to " + says(maxNumber) + ", and that of " + strconv.Quote(p.Label) + " is not one of them; leave it out.", false
		}
	}
	switch c.Kind {
	case Time, Scatter:
		for _, p := range c.Points {
			if _, ok := place(c.Kind, p.Label); !ok {
				return map[Kind]string{Time: "A time series needs dates, and there is ", Scatter: "Points need numbers, and there is "}[c.Kind] + strconv.Quote(p.Label) + "; choose bars.", false
			}
		}
	case Pie, Stacked, Heat:
		for _, p := range c.Points {
			if p.Value < 0 {
				return "Parts of a whole cannot be negative, and " + strconv.Quote(p.Label) + " is; choose bars or a line.", false
			}
		}
	case Bar, Line:
	}
	return "", true
}

// series are the names of the series, those with the largest sums first; all beyond [MaxSeries] become one.
func (c *Chart) series() []string {
	sums := map[string]float64{}
	var names []string
	for _, p := range c.Points {
		if _, known := sums[p.Series]; !known {
			names = append(names, p.Series)
		}
		sums[p.Series] += math.Abs(p.Value)
	}
	if len(names) <= MaxSeries {
		return names
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(sums[b], sums[a]) })
	kept := names[:MaxSeries-1]
	points := slices.Clone(c.Points)
	for i, p := range points {
		if !slices.Contains(kept, p.Series) {
			points[i].Series, points[i].Href = Others, ""
		}
	}
	c.Points = points
	return append(slices.Clone(kept), Others)
}

// group is the points of one label.
type group struct {
	label, href string
	values      map[string]float64
	total       float64
}

// groups are the points by label, in their order.
func (c Chart) groups() []*group {
	var out []*group
	byLabel := map[string]*group{}
	for _, p := range c.Points {
		g := byLabel[p.Label]
		if g == nil {
			g = &group{label: p.Label, href: p.Href, values: map[string]float64{}}
			byLabel[p.Label] = g
			out = append(out, g)
		}
		g.values[p.Series] += p.Value
		g.total += p.Value
	}
	return out
}

// whole reports whether all numbers of the chart are whole, as counts are. Then none between them is on an axis.
func (c Chart) whole() bool {
	return !slices.ContainsFunc(c.Points, func(p Point) bool { return p.Value != math.Trunc(p.Value) })
}

// ticks are round numbers from at most low to at least high, and whole ones if these are to be whole.
func ticks(low, high float64, whole bool) []float64 {
	if low == high {
		low, high = math.Min(low, 0), math.Max(high, 1)
		if low == high {
			high = low + 1
		}
	}
	// A step below the precision of the numbers would not move from one tick to the next.
	span := max(high-low, (math.Abs(low)+math.Abs(high))*1e-12, 1e-300)
	step := math.Pow(10, math.Floor(math.Log10(span/4)))
	for _, f := range []float64{1, 2, 5, 10} {
		if span/(step*f) <= 5 {
			step *= f
			break
		}
	}
	if whole {
		step = max(step, 1)
	}
	var out []float64
	for i := math.Floor(low / step); ; i++ {
		out = append(out, i*step)
		if len(out) > 1 && i*step >= high {
			return out
		}
	}
}

// says is a number for people: at most two digits behind the point, and groups of three.
func says(v float64) string {
	if math.Abs(v) >= 1e15 || v != 0 && math.Abs(v) < 0.01 {
		return strconv.FormatFloat(v, 'g', 4, 64)
	}
	text := strconv.FormatFloat(math.Abs(math.Round(v*100)/100), 'f', -1, 64)
	whole, rest := text, ""
	if i := slices.Index([]byte(text), '.'); i >= 0 {
		whole, rest = text[:i], text[i:]
	}
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if v < 0 {
		whole = "−" + whole
	}
	return whole + rest
}
