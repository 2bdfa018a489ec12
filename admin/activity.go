package admin

import (
	"fmt"
	"net/url"
	"time"

	"trails/admin/chart"
	h "trails/admin/html"
	"trails/builtin/view"
)

// activityMost is how many of the newest commits are counted by day.
const activityMost = 100_000

// activity is what was done in the last days.
type activity struct {
	Days  []view.DayCount // those with commits
	Today time.Time
}

// commitsOn is the log of one day.
func commitsOn(day string) string { return withQuery(commitsURL, url.Values{"when": {day}}) }

// byActor is the chart of commits by day and author, also of the days without any.
func (a activity) byActor() drawnChart {
	c := drawnChart{Chart: chart.Chart{Kind: chart.Stacked, Name: "Commits by day and author", X: "day", Y: "commits"}}
	days := map[string]view.DayCount{}
	all := int64(0)
	for _, d := range a.Days {
		days[d.Day] = d
		all += d.Commits
	}
	for back := daysShown - 1; back >= 0; back-- {
		day := a.Today.AddDate(0, 0, -back).Format(time.DateOnly)
		if len(days[day].Authors) == 0 {
			c.Points = append(c.Points, chart.Point{Label: day, Series: whoIs(a.Days[0].Authors[0].Author)}) // a place without a column
		}
		for _, by := range days[day].Authors {
			name := firstOf(whoIs(by.Author), chart.Others)
			c.Points = append(c.Points, chart.Point{Label: day, Series: name, Value: float64(by.Commits), Href: commitsOn(day)})
		}
	}
	if all >= activityMost {
		c.Notes = append(c.Notes, fmt.Sprintf("It counts the newest %s commits.", count(activityMost)))
	}
	return c
}

// growth is the chart of the number of statements after the last commit of each day, without points for a caller who may see
// a part of the graph.
func (a activity) growth() drawnChart {
	c := drawnChart{Chart: chart.Chart{Kind: chart.Time, Name: "Statements by day", X: "day", Y: "statements", Low: true}}
	for _, d := range a.Days {
		if d.Statements != nil {
			c.Points = append(c.Points, chart.Point{Label: d.Day, Value: float64(*d.Statements), Href: commitsOn(d.Day)})
		}
	}
	return c
}

// draw is both charts with their numbers, nothing for a graph where nothing happened.
func (a activity) draw() h.Node {
	if len(a.Days) == 0 {
		return nil
	}
	part := func(name string, c drawnChart, picture h.Node) h.Node {
		return h.Div(framed(name, "Chart: "+c.Name, "chart", "", picture), h.Map(c.Notes, func(note string) h.Node { return h.P(h.Class("faint"), h.Text(note)) }), c.drawNumbers("numbers-of-"+name))
	}
	by, growth := a.byActor(), a.growth()
	return section("activity", h.Text(fmt.Sprintf("The last %d days", daysShown)), nil, h.Div(h.Class("tiles"),
		part(chartPicture, by, by.Columns()),
		h.Iff(len(growth.Points) > 1, func() h.Node { picture, _ := growth.Draw(); return part(chartPicture+"-growth", growth, picture) }),
		h.If(len(growth.Points) == 1, h.P(h.Class("faint"), h.Text("How the graph grew is drawn when it was changed on two days.")))))
}
