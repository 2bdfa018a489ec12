package chart

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
	"pgregory.net/rapid"

	h "trails/admin/html"
)

func pointsOf(labels ...string) (out []Point) {
	for _, label := range labels {
		out = append(out, Point{Label: label, Value: 1})
	}
	return out
}

func TestAChartFitsItsPoints(t *testing.T) {
	inParts := pointsOf("open", "closed")
	inParts[0].Series = "Ada"
	for _, c := range []struct {
		says   string
		points []Point
		want   Kind
	}{
		{"nothing is bars", nil, Bar},
		{"words are bars", pointsOf("open", "closed"), Bar},
		{"words in parts are stacked", inParts, Stacked},
		{"days are a time series", pointsOf("2024-02-29", "2024-03-01"), Time},
		{"a day that no calendar has is a word", pointsOf("2023-02-29", "2024-03-01"), Bar},
		{"times are a time series", pointsOf("2024-02-29T10:00:00Z", "2024-03-01T10:00:00.5+02:00"), Time},
		{"months are a time series", pointsOf("2024-02", "2024-03"), Time},
		{"years are a time series", pointsOf("1999", "2024"), Time},
		{"numbers are points", pointsOf("1", "-2.5", "1e3"), Scatter},
		{"numbers without bound are words", pointsOf("1", "INF"), Bar},
		{"a number among words is a word", pointsOf("1", "many"), Bar},
		{"what has no label does not count", pointsOf("2024", ""), Time},
		{"no label at all is bars", pointsOf("", ""), Bar},
	} {
		t.Run(c.says, func(t *testing.T) {
			got := Fit(c.points, false)
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			if counted := Fit(c.points, true); counted != got && (got != Scatter || counted != Bar) {
				t.Errorf("%s when it counts, and %s when it does not", counted, got)
			}
			labelled := slices.DeleteFunc(c.points, func(p Point) bool { return p.Label == "" })
			if why, ok := (Chart{Kind: got, Points: labelled}).Drawable(); !ok {
				t.Errorf("%s fits, and cannot be drawn: %s", got, why)
			}
		})
	}
}

func TestStepsHaveNoGap(t *testing.T) {
	for _, c := range []struct {
		labels, want []string
		unit         string
	}{
		{[]string{"2024-02-28", "2024-03-01"}, []string{"2024-02-28", "2024-02-29", "2024-03-01"}, "days"},
		{[]string{"2024-01", "2023-11"}, []string{"2023-11", "2023-12", "2024-01"}, "months"},
		{[]string{"2021", "2021"}, []string{"2021"}, "years"},
		{[]string{"2021", "2021-03"}, nil, ""},
		{[]string{"word"}, nil, ""},
		{[]string{"2024-01-01T00:00:00"}, nil, ""},
		{[]string{"1990-01-01", "2024-01-01"}, nil, ""}, // too many days
		{nil, nil, ""},
	} {
		steps, unit := Steps(c.labels)
		if diff := cmp.Diff(c.want, steps); diff != "" || unit != c.unit {
			t.Errorf("%v: %s %s", c.labels, unit, diff)
		}
	}
}

// TestTicksAreRoundAndHoldAllNumbers holds that ticks are few, rise by equal steps of 1, 2 or 5 times a power of ten, and
// begin and end around the numbers.
func TestTicksAreRoundAndHoldAllNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Float64Range(-maxNumber, maxNumber).Draw(t, "a"), rapid.Float64Range(-maxNumber, maxNumber).Draw(t, "b")
		if rapid.Bool().Draw(t, "near") {
			b = math.Nextafter(a, maxNumber)
		}
		low, high := min(a, b), max(a, b)
		got := ticks(low, high, false)
		if len(got) < 2 || len(got) > 8 {
			t.Fatalf("%d ticks from %g to %g", len(got), low, high)
		}
		step := (got[len(got)-1] - got[0]) / float64(len(got)-1)
		slack := step * 1e-3
		if low < got[0]-slack || high > got[len(got)-1]+slack {
			t.Fatalf("%g to %g is not within %v", low, high, got)
		}
		for i := 1; i < len(got); i++ {
			if d := got[i] - got[i-1]; math.Abs(d-step) > slack || d <= 0 {
				t.Fatalf("the ticks %v have no equal steps", got)
			}
		}
		if digits := strconv.FormatFloat(step, 'e', 2, 64); !slices.ContainsFunc([]string{"1.00e", "2.00e", "5.00e"}, func(p string) bool { return strings.HasPrefix(digits, p) }) {
			t.Fatalf("the step of %v is %s", got, digits)
		}
	})
}

func TestNumbersForPeople(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 7: "7", 999: "999", 1000: "1,000", -1234567.891: "−1,234,567.89", 0.005: "0.005", 0.25: "0.25", 1e20: "1e+20",
	} {
		if got := says(v); got != want {
			t.Errorf("%g is %q, want %q", v, got, want)
		}
	}
}

// anyPoints are points that any kind but a time series can draw.
func anyPoints(t *rapid.T) (out []Point) {
	for range rapid.IntRange(1, 120).Draw(t, "n") {
		value := float64(rapid.IntRange(0, 9).Draw(t, "value"))
		if rapid.IntRange(0, 9).Draw(t, "large") == 0 {
			value = rapid.Float64Range(0, maxNumber).Draw(t, "much")
		}
		out = append(out, Point{
			Label: strconv.Itoa(rapid.IntRange(0, 60).Draw(t, "label")), Series: rapid.StringMatching(`[a-m]?`).Draw(t, "series"), Value: value,
			Href: rapid.SampledFrom([]string{"", "/x?a=1&b=2"}).Draw(t, "href"),
		})
	}
	return out
}

// TestSeriesAddUp holds that at most eight series are drawn, that those which are drawn alone are larger than each that
// is not, and that groups and series have the sums of the points.
func TestSeriesAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		points := anyPoints(t)
		for i := range points {
			points[i].Value = math.Mod(points[i].Value, 10) // so that sums are exact
		}
		points = slices.Clone(points)
		for i := range points {
			points[i].Value = math.Floor(points[i].Value)
		}
		sums, byLabel := map[string]float64{}, map[string]float64{}
		for _, p := range points {
			sums[p.Series] += p.Value
			byLabel[p.Label] += p.Value
		}
		c := Chart{Points: slices.Clone(points)}
		names := c.series()
		if len(names) > MaxSeries || len(names) != min(len(sums), MaxSeries) {
			t.Fatalf("%d series of %d", len(names), len(sums))
		}
		drawn := map[string]float64{}
		for _, g := range c.groups() {
			if g.total != byLabel[g.label] {
				t.Fatalf("%s has %g, want %g", g.label, g.total, byLabel[g.label])
			}
			for name, v := range g.values {
				if !slices.Contains(names, name) {
					t.Fatalf("%q is not among %v", name, names)
				}
				drawn[name] += v
			}
		}
		for name, sum := range sums {
			switch {
			case slices.Contains(names, name):
				if drawn[name] != sum {
					t.Fatalf("%q has %g, want %g", name, drawn[name], sum)
				}
			case slices.ContainsFunc(names, func(n string) bool { return n != Others && sums[n] < sum }):
				t.Fatalf("%q is left out of %v, and larger than one of them", name, names)
			}
		}
	})
}

// TestPicturesStayWithinTheirEdges draws random points as every kind: each number of the picture is finite and within
// the picture, each element has what it needs, and what is left out is said.
func TestPicturesStayWithinTheirEdges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		points := anyPoints(t)
		for _, k := range Kinds {
			c := Chart{Kind: k.Kind, Name: "n", X: "x", Y: "y", Points: slices.Clone(points)}
			if k.Kind == Time {
				for i, p := range c.Points {
					n, _ := strconv.Atoi(p.Label)
					c.Points[i].Label = time.Date(2020, 1, 1+n*n, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
				}
			}
			if k.Kind == Bar || k.Kind == Line || k.Kind == Scatter {
				for i := range c.Points {
					c.Points[i].Value *= float64(1 - i%2*2)
				}
			}
			if why, ok := c.Drawable(); !ok {
				t.Fatalf("%s: %s", k.Kind, why)
			}
			drawn, left := c.Draw()
			checkPicture(t, k.Kind, drawn)
			groups := len(c.groups())
			if cut := slices.Contains([]Kind{Bar, Stacked, Heat}, k.Kind) && groups > maxGroups; cut != (left != "") {
				t.Fatalf("%s of %d groups says %q", k.Kind, groups, left)
			}
		}
	})
}

func checkPicture(t *rapid.T, kind Kind, drawn h.Node) {
	var text bytes.Buffer
	if err := h.Div(drawn).Render(&text); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text.String(), "NaN") || strings.Contains(text.String(), "Inf") {
		t.Fatalf("%s has a number that is none: %s", kind, text.String())
	}
	doc, err := html.Parse(&text)
	if err != nil {
		t.Fatal(err)
	}
	var width, height float64
	for n := range doc.Descendants() {
		at := map[string]float64{}
		for _, a := range n.Attr {
			if v, err := strconv.ParseFloat(a.Val, 64); err == nil {
				at[a.Key] = v
			}
		}
		const slack = 0.6
		switch n.Data {
		case "svg":
			width, height = at["width"], at["height"]
		case "rect":
			if at["x"] < -slack || at["y"] < -slack || at["width"] <= 0 || at["height"] <= 0 || at["x"]+at["width"] > width+slack || at["y"]+at["height"] > height+slack {
				t.Fatalf("%s: a rectangle %v leaves %g × %g", kind, at, width, height)
			}
		case "circle":
			if at["cx"] < 0 || at["cy"] < 0 || at["cx"] > width || at["cy"] > height {
				t.Fatalf("%s: a point %v leaves %g × %g", kind, at, width, height)
			}
		case "text":
			if at["x"] < 0 || at["y"] < 0 || at["x"] > width || at["y"] > height {
				t.Fatalf("%s: a text %v leaves %g × %g", kind, at, width, height)
			}
		}
	}
	if width == 0 || height == 0 {
		t.Fatalf("%s is no picture", kind)
	}
}

func TestWhatCannotBeDrawnSaysWhy(t *testing.T) {
	for says, c := range map[string]Chart{
		"choose bars":           {Kind: Time, Points: pointsOf("word")},
		"choose bars.":          {Kind: Scatter, Points: pointsOf("2024-01-01")},
		"cannot be negative":    {Kind: Pie, Points: []Point{{Label: "a", Value: -1}}},
		"is not one of them":    {Kind: Bar, Points: []Point{{Label: "a", Value: math.Inf(1)}}},
		"is not one of them; l": {Kind: Line, Points: []Point{{Label: "a", Value: math.NaN()}}},
	} {
		if why, ok := c.Drawable(); ok || !strings.Contains(why, says) {
			t.Errorf("%s: %s", fmt.Sprint(c.Kind), why)
		}
	}
}

// TestCountsHaveWholeTicks holds that no axis of counts has parts of one, and that other numbers keep theirs.
func TestCountsHaveWholeTicks(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   []float64
	}{
		{[]float64{0, 1}, []float64{0, 1}},
		{[]float64{2, 3}, []float64{0, 1, 2, 3}},
		{[]float64{0, 0.5, 1}, []float64{0, 0.2, 0.4, 0.6, 0.8, 1}},
	} {
		var chart Chart
		high := 0.0
		for _, v := range c.values {
			chart.Points, high = append(chart.Points, Point{Value: v}), max(high, v)
		}
		got := ticks(0, high, chart.whole())
		if diff := cmp.Diff(c.want, got, cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-9 })); diff != "" {
			t.Errorf("%v: %s", c.values, diff)
		}
	}
}
