package chart

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	h "trails/admin/html"
)

// Sizes in units of the picture.
const (
	wide     = 720
	rowHigh  = 24
	nameWide = 210 // what stands left of bars
	nameMost = 30  // characters there
	plotHigh = 300
	lowHigh  = 110 // height of a plot of columns, and of a low one
	edge     = 56  // left of a plot, for the numbers of its axis
)

// Draw returns the chart as an SVG element with the legend in it, and says what it leaves out; it must be drawable.
func (c Chart) Draw() (drawn h.Node, left string) {
	names := c.series()
	switch c.Kind {
	case Line, Time, Scatter:
		return c.plot(names), ""
	case Pie:
		return c.pie(), ""
	case Heat:
		return c.heat(names)
	case Bar, Stacked:
	}
	return c.bars(names)
}

// picture is the element around the drawing. Its text is read, and its links can be reached by keys.
func (c Chart) picture(high float64, inner ...h.Node) h.Node {
	return h.SVG(h.Attr("viewBox", fmt.Sprintf("0 0 %d %s", wide, h.Length(high))), h.Attr("width", strconv.Itoa(wide)), h.Attr("height", h.Length(high)),
		h.Role("group"), h.Aria("label", c.Name+"; the table below has the numbers"), h.Group(inner))
}

// legend is a line of the series' names, nothing for one series without a name.
func (c Chart) legend(names []string, y float64) h.Node {
	if len(names) == 1 && names[0] == "" {
		return nil
	}
	var out h.Group
	each := float64(wide) / float64(min(len(names), 4))
	for i, name := range names {
		x, down := float64(i%4)*each, float64(i/4)*20
		out = append(out, h.G(h.Class(colour(i)), box(x, y+down, 12, 12), h.SVGLabel(x+18, y+down+11, "start", "", short(orNone(name), int(each/8)))))
	}
	return out
}

func legendHigh(names []string) float64 {
	if len(names) == 1 && names[0] == "" {
		return 0
	}
	return float64((len(names)+3)/4)*20 + 8
}

// firstGroups are the groups that have a line each, and what is said of the others.
func (c Chart) firstGroups() (groups []*group, left string) {
	groups = c.groups()
	if n := len(groups); n > maxGroups {
		return groups[:maxGroups], fmt.Sprintf("The picture has the first %d of %s groups; the table has all.", maxGroups, says(float64(n)))
	}
	return groups, ""
}

// bars has a line for each group: its name, its bar, in parts for the series, and its number.
func (c Chart) bars(names []string) (h.Node, string) {
	groups, left := c.firstGroups()
	apart := c.Kind == Bar && len(names) > 1 // a bar for each series
	low, high := 0.0, 0.0
	for _, g := range groups {
		for _, v := range g.values {
			if apart {
				low, high = math.Min(low, v), math.Max(high, v)
			}
		}
		if !apart {
			low, high = math.Min(low, g.total), math.Max(high, g.total)
		}
	}
	if low == high {
		high = 1
	}
	const room = wide - nameWide - 80 // and the number
	at := func(v float64) float64 { return nameWide + (v-low)/(high-low)*room }
	y := legendHigh(names)
	drawn := h.Group{c.legend(names, 0)}
	for _, g := range groups {
		parts := h.Group{h.SVGLabel(nameWide-8, y+16, "end", "", short(orNone(g.label), nameMost))}
		from := 0.0
		tall := float64(rowHigh)
		for i, name := range names {
			v, has := g.values[name]
			if !has {
				continue
			}
			title := h.TitleEl(h.Text(joined(orNone(g.label), name) + ": " + says(v)))
			switch {
			case apart:
				parts = append(parts, h.G(h.Class(colour(i)), title, box(math.Min(at(0), at(v)), y+tall-20, math.Abs(at(v)-at(0)), 14), h.SVGLabel(math.Max(at(0), at(v))+6, y+tall-8, "start", "value", says(v))))
				tall += 18
			default:
				parts = append(parts, h.G(h.Class(colour(i)), title, box(math.Min(at(from), at(from+v)), y+4, math.Abs(at(from+v)-at(from)), 16)))
				from += v
			}
		}
		if apart {
			tall -= 18
		} else {
			parts = append(parts, h.SVGLabel(math.Max(at(0), at(g.total))+6, y+16, "start", "value", says(g.total)))
		}
		drawn = append(drawn, linked(g.href, "", parts))
		y += tall
	}
	drawn = append(drawn, h.Path(h.Class("axis"), h.Attr("d", fmt.Sprintf("M%s %sV%s", h.Length(at(0)), h.Length(legendHigh(names)), h.Length(y)))))
	return c.picture(y+4, drawn...), left
}

// plot has axes, and for each series a line or points.
func (c Chart) plot(names []string) h.Node {
	top := legendHigh(names) + 26
	tall := map[bool]float64{false: plotHigh, true: lowHigh}[c.Low]
	bottom := top + tall
	var labels []string // of an axis without numbers
	xs := make([]float64, len(c.Points))
	low, high := math.Inf(1), math.Inf(-1)
	least, most := math.Inf(1), math.Inf(-1)
	if c.Kind != Scatter {
		least, most = 0, 0
	}
	for i, p := range c.Points {
		if c.Kind == Line {
			at := slices.Index(labels, p.Label)
			if at < 0 {
				at = len(labels)
				labels = append(labels, p.Label)
			}
			xs[i] = float64(at)
		} else {
			xs[i], _ = place(c.Kind, p.Label)
		}
		low, high = math.Min(low, xs[i]), math.Max(high, xs[i])
		least, most = math.Min(least, p.Value), math.Max(most, p.Value)
	}
	yTicks := ticks(least, most, c.whole())
	least, most = yTicks[0], yTicks[len(yTicks)-1]
	var xTicks []float64
	if c.Kind == Scatter {
		xTicks = ticks(low, high, false)
		low, high = xTicks[0], xTicks[len(xTicks)-1]
	} else {
		for i := range 6 {
			v := low + (high-low)*float64(i)/5
			if c.Kind == Line {
				v = math.Round(v)
			}
			if !slices.Contains(xTicks, v) {
				xTicks = append(xTicks, v)
			}
		}
	}
	if low == high {
		low, high = low-1, high+1
	}
	x := func(v float64) float64 { return edge + (v-low)/(high-low)*(wide-edge-50) }
	y := func(v float64) float64 { return bottom - (v-least)/(most-least)*tall }
	drawn := h.Group{c.legend(names, 0), h.SVGLabel(0, top-14, "start", "value", short(c.Y, 40))}
	for _, v := range yTicks {
		drawn = append(drawn, h.Path(h.Class("grid"), h.Attr("d", fmt.Sprintf("M%d %sH%d", edge, h.Length(y(v)), wide-50))), h.SVGLabel(edge-8, y(v)+4, "end", "value", says(v)))
	}
	before := ""
	for _, v := range xTicks {
		name := says(v)
		if c.Kind == Line {
			name = short(orNone(labels[int(v)]), 14)
		} else if c.Kind == Time {
			name = day(v, high-low)
		}
		if name == before { // two places of the same day
			continue
		}
		before = name
		drawn = append(drawn, h.SVGLabel(x(v), bottom+18, "middle", "value", name))
	}
	drawn = append(drawn, h.SVGLabel(wide-50, bottom+38, "end", "value", short(c.X, 60)))
	for s, name := range names {
		path := ""
		marks := h.Group{}
		for i, p := range c.Points {
			if p.Series != name {
				continue
			}
			if c.Kind != Scatter {
				path += fmt.Sprintf("%s%s %s", map[bool]string{true: "M", false: "L"}[path == ""], h.Length(x(xs[i])), h.Length(y(p.Value)))
			}
			says := joined(orNone(p.Label), name) + ": " + says(p.Value)
			marks = append(marks, linked(p.Href, says, h.Group{h.G(h.TitleEl(h.Text(says)), h.Circle(h.Attr("cx", h.Length(x(xs[i]))), h.Attr("cy", h.Length(y(p.Value))), h.Attr("r", "3.5")))}))
		}
		drawn = append(drawn, h.G(h.Class(colour(s)), h.If(path != "", h.Path(h.Class("line"), h.Attr("d", path))), marks))
	}
	return c.picture(bottom+46, drawn...)
}

// pie has a slice for each of the largest groups, and a line with its name and number.
func (c Chart) pie() h.Node {
	groups := c.groups()
	slices.SortStableFunc(groups, func(a, b *group) int { return int(math.Copysign(1, b.total-a.total)) })
	if len(groups) > maxSlices {
		rest := &group{label: Others}
		for _, g := range groups[maxSlices-1:] {
			rest.total += g.total
		}
		groups = append(groups[:maxSlices-1:maxSlices-1], rest)
	}
	sum := 0.0
	for _, g := range groups {
		sum += g.total
	}
	const radius, middle = 110.0, 120.0
	var drawn h.Group
	turned := 0.0
	for i, g := range groups {
		share := 0.0
		if sum > 0 {
			share = g.total / sum
		}
		from, to := turned*2*math.Pi, (turned+share)*2*math.Pi
		turned += share
		shape := h.Node(h.Circle(h.Attr("cx", h.Length(middle)), h.Attr("cy", h.Length(middle)), h.Attr("r", h.Length(radius))))
		if share < 0.9999 {
			shape = h.Path(h.Class("slice"), h.Attr("d", fmt.Sprintf("M%s %sL%s %sA%s %s 0 %d 1 %s %sZ", h.Length(middle), h.Length(middle),
				h.Length(middle+radius*math.Sin(from)), h.Length(middle-radius*math.Cos(from)), h.Length(radius), h.Length(radius), map[bool]int{true: 1}[share > 0.5],
				h.Length(middle+radius*math.Sin(to)), h.Length(middle-radius*math.Cos(to)))))
		}
		y := 20 + float64(i)*26
		says := fmt.Sprintf("%s: %s (%s %%)", short(orNone(g.label), 40), says(g.total), says(math.Round(share*1000)/10))
		drawn = append(drawn, linked(g.href, says, h.Group{h.G(h.Class(colour(i)), h.TitleEl(h.Text(says)), h.If(share > 0, shape), box(280, y, 12, 12), h.SVGLabel(300, y+11, "start", "", says))}))
	}
	return c.picture(2*middle, drawn...)
}

// heat has a line for each group and a column for each series; the number stands in each field.
func (c Chart) heat(names []string) (h.Node, string) {
	groups, left := c.firstGroups()
	most := 0.0
	for _, g := range groups {
		for _, v := range g.values {
			most = math.Max(most, v)
		}
	}
	each := float64(wide-nameWide) / float64(len(names))
	var drawn h.Group
	for i, name := range names {
		drawn = append(drawn, h.SVGLabel(nameWide+(float64(i)+.5)*each, 14, "middle", "value", short(orNone(name), int(each/8))))
	}
	for i, g := range groups {
		y := 24 + float64(i)*rowHigh
		cells := h.Group{h.SVGLabel(nameWide-8, y+16, "end", "", short(orNone(g.label), nameMost))}
		for k, name := range names {
			v, has := g.values[name]
			if !has {
				continue
			}
			x := nameWide + float64(k)*each
			cells = append(cells, h.G(h.Class(colour(0)), h.TitleEl(h.Text(joined(orNone(g.label), name)+": "+says(v))),
				h.Rect(h.Attr("x", h.Length(x+1)), h.Attr("y", h.Length(y+1)), h.Attr("width", h.Length(each-2)), h.Attr("height", h.Length(rowHigh-2)), h.Attr("fill-opacity", number2(0.08+0.47*v/math.Max(most, 1e-300)))),
				h.SVGLabel(x+each/2, y+16, "middle", "", says(v))))
		}
		drawn = append(drawn, linked(g.href, "", cells))
	}
	return c.picture(28+float64(len(groups))*rowHigh, drawn...), left
}

// day is a time on an axis of so many seconds.
func day(at, span float64) string {
	layout := "2006"
	switch t := 24 * time.Hour.Seconds(); {
	case span < 2*t:
		layout = "Jan 2 15:04"
	case span < 100*t:
		layout = "Jan 2"
	case span < 6*365*t:
		layout = "Jan 2006"
	}
	return time.Unix(int64(at), 0).UTC().Format(layout)
}

// linked is a link, which needs a name where it has no text.
func linked(href, says string, inner h.Group) h.Node {
	if href == "" {
		return h.G(inner)
	}
	return h.A(h.Href(href), h.If(says != "", h.Aria("label", says)), inner)
}

func box(x, y, width, height float64) h.Node {
	return h.Rect(h.Attr("x", h.Length(x)), h.Attr("y", h.Length(y)), h.Attr("width", h.Length(math.Max(width, 0.5))), h.Attr("height", h.Length(height)))
}

// colour is the class of a series.
func colour(i int) string { return "series-" + strconv.Itoa(i%MaxSeries+1) }

func number2(v float64) string { return fmt.Sprint(math.Round(v*100) / 100) }

func orNone(label string) string {
	if label == "" {
		return "(none)"
	}
	return label
}

func joined(label, series string) string {
	if series == "" {
		return label
	}
	return label + ", " + series
}

// short is at most so many characters of a text.
func short(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= max(most, 4) {
		return text
	}
	return string(runes[:max(most, 4)-1]) + "…"
}

// Columns draws a column for each label, in parts for the series, with few names beneath: for days, of which there are
// many. The chart must be drawable as [Stacked].
func (c Chart) Columns() h.Node {
	names := c.series()
	groups := c.groups()
	most := 0.0
	for _, g := range groups {
		most = math.Max(most, g.total)
	}
	marks := ticks(0, math.Max(most, 1), c.whole())
	most = marks[len(marks)-1]
	top := legendHigh(names) + 26
	bottom := top + lowHigh
	each := float64(wide-edge-20) / float64(max(len(groups), 1))
	drawn := h.Group{c.legend(names, 0), h.SVGLabel(0, top-14, "start", "value", short(c.Y, 40))}
	for _, v := range marks {
		y := bottom - v/most*lowHigh
		drawn = append(drawn, h.Path(h.Class("grid"), h.Attr("d", fmt.Sprintf("M%d %sH%d", edge, h.Length(y), wide-20))), h.SVGLabel(edge-8, y+4, "end", "value", says(v)))
	}
	every := max((len(groups)+5)/6, 1)
	for i, g := range groups {
		x, y := edge+float64(i)*each, bottom
		var parts h.Group
		for k, name := range names {
			v := g.values[name]
			if v == 0 {
				continue
			}
			y -= v / most * lowHigh
			parts = append(parts, h.G(h.Class(colour(k)), h.TitleEl(h.Text(joined(g.label, name)+": "+says(v))), box(x+1, y, each-2, v/most*lowHigh)))
		}
		if len(parts) > 0 {
			drawn = append(drawn, linked(g.href, g.label+": "+says(g.total), parts))
		}
		if i%every == 0 {
			drawn = append(drawn, h.SVGLabel(x, bottom+18, "start", "value", short(g.label, 12)))
		}
	}
	return c.picture(bottom+28, drawn...)
}
