package admin

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"trails/builtin/view"
	"trails/rdf"
)

// blameShown is how many values the page of a node says the origin of at once.
const blameShown = 200

// blamedProperty is a property with where its values come from.
type blamedProperty struct {
	Name   string
	Values []blamed
}

// blamed is a value, and the commit and the call that set it.
type blamed struct {
	Value          view.Cell
	Origin         string
	Commit         view.Commit
	Call, Graph    string
	CallHasItsPage bool
}

// blame asks where the values of the node come from.
func (d *instanceData) blame(a *asker, offset int) error {
	var answer struct {
		Rows   [][9]json.RawMessage
		Origin string
		More   bool
	}
	if err := a.ask("blame", map[string]any{"id": referenceTo(d.Node), "limit": blameShown, "offset": offset}, &answer); err != nil {
		return err
	}
	d.Blame = []blamedProperty{}
	for _, row := range answer.Rows {
		text := func(i int) string { return strings.Join(cellTexts(row[i]), "") }
		name, call := text(0), text(5)
		if n := len(d.Blame); n == 0 || d.Blame[n-1].Name != name {
			d.Blame = append(d.Blame, blamedProperty{Name: name})
		}
		one := blamed{Commit: view.Commit{ID: text(2), Time: stampOf(text(3)), Author: text(4), Message: text(6)}, Call: call, Graph: text(7), Origin: firstOf(answer.Origin, text(8)), CallHasItsPage: d.Listed[call]}
		if cells := cellsOf(row[1]); len(cells) > 0 {
			one.Value = cells[0]
		}
		last := &d.Blame[len(d.Blame)-1]
		last.Values = append(last.Values, one)
	}
	if offset > 0 || answer.More {
		d.Pager = pagerAt("Values from the "+count(offset+1)+". on", offset, blameShown, offset+blameShown, answer.More, func(offset int) string {
			return withQuery(nodeURL(d.Type, d.ID), url.Values{"blame": {"1"}, "offset": {strconv.Itoa(offset)}})
		})
	}
	return d.describeBlame(a)
}

// stampOf is a time of an answer as pages take times.
func stampOf(text string) string {
	if at, err := time.Parse(time.DateTime, text); err == nil {
		return view.Stamp(at)
	}
	return text
}

// describeBlame shows the values as other pages do: days and times, and nodes by their labels.
func (d *instanceData) describeBlame(a *asker) error {
	all := view.NodeChange{Node: nodeNamed(referenceTo(d.Node))}
	for _, p := range d.Blame {
		c := view.PropertyChange{Property: p.Name}
		for _, b := range p.Values {
			c.New = append(c.New, b.Value)
		}
		all.Changes = append(all.Changes, c)
	}
	if err := a.describe([]view.NodeChange{all}); err != nil {
		return err
	}
	for i, c := range all.Changes {
		d.Blame[i].Name = c.Property
		for j, value := range c.New {
			d.Blame[i].Values[j].Value = value
		}
	}
	return nil
}

// kindOf says what a property of the node holds.
func (d instanceData) kindOf(name string) string {
	if i := slices.IndexFunc(d.Properties, func(p view.Property) bool { return p.Name == name }); i >= 0 {
		return firstOf(d.Properties[i].Class, datatypeName(d.Properties[i].Datatype))
	}
	return textIf(name != string(rdf.Type), "not in the schema", "")
}
