package view_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"trails/e2e/testrun"
	"trails/invoke"
	"trails/invoke/invoketest"
)

const modelSchema = `
types:
  Note:
    label: title
    properties:
      title: {type: string}
      rank: {type: integer}
      score: {type: number}
      day: {type: date}
      kind: {type: string, one_of: [idea, task, fact]}
      tags: {type: string, many: true}
`

// modelNote is a note in memory: its values as texts, each property's in no order.
type modelNote map[string][]string

// modelStep is what one commit did to one note.
type modelStep struct{ before, after modelNote }

// notesModel is the notes, and each one's history, oldest first.
type notesModel struct {
	notes   map[string]modelNote
	history map[string][]modelStep
}

// modelJSON draws a value of each property, as a call takes it and as a cell shows it.
var modelJSON = map[string]*rapid.Generator[any]{
	"title": rapid.Map(rapid.SampledFrom([]string{"Alpha", "beta", "Beta two", "gamma", "élan", ""}), func(s string) any { return s }),
	"rank":  rapid.Map(rapid.IntRange(-5, 5), func(n int) any { return n }),
	"score": rapid.Map(rapid.SampledFrom([]string{"0.5", "-1.25", "1e-9", "3", "1e20"}), func(s string) any { return json.Number(s) }),
	"day":   rapid.Map(rapid.IntRange(1, 9), func(n int) any { return fmt.Sprintf("2026-01-%02d", n) }),
	"kind":  rapid.Map(rapid.SampledFrom([]string{"idea", "task", "fact"}), func(s string) any { return s }),
	"tags": rapid.Map(rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f", "g"}), 0, 7, rapid.ID), func(list []string) any {
		return list
	}),
}

// modelScores are the canonical forms of numbers.
var modelScores = map[string]string{"0.5": "5.0E-1", "-1.25": "-1.25E0", "1e-9": "1.0E-9", "3": "3.0E0", "1e20": "1.0E20"}

func modelTexts(v any) []string {
	switch v := v.(type) {
	case nil:
		return nil
	case []string:
		return slices.Sorted(slices.Values(v))
	case json.Number:
		return []string{modelScores[string(v)]}
	}
	return []string{fmt.Sprint(v)}
}

var modelProperties = slices.Sorted(maps.Keys(modelJSON))

// TestViewsAreAsInMemory makes random histories of notes and compares tables, pages and
// histories with the same in memory.
func TestViewsAreAsInMemory(t *testing.T) {
	testrun.Alone(t)
	rapid.Check(t, func(r *rapid.T) {
		m := notesModel{map[string]modelNote{}, map[string][]modelStep{}}
		e := invoketest.New(t, modelSchema, invoke.Config{})
		for range rapid.IntRange(0, 12).Draw(r, "steps") {
			m.step(r, e)
		}
		for range 6 {
			m.checkTable(r, e)
		}
		for id := range m.history {
			m.checkHistory(r, e, id)
		}
	})
}

func modelCall(r *rapid.T, e *invoketest.Engine, capability string, args any, out any) error {
	text, err := json.Marshal(args)
	if err != nil {
		r.Fatal(err)
	}
	res, err := e.Call(r.Context(), invoke.Call{Capability: capability, Args: text, Principal: invoketest.Ana, Via: "test"})
	if err != nil {
		return err
	}
	return json.Unmarshal(res.Structured, out)
}

// step is one write, on the file and in memory.
func (m notesModel) step(r *rapid.T, e *invoketest.Engine) {
	id := fmt.Sprint("n", rapid.IntRange(1, 6).Draw(r, "note"))
	old, exists := m.notes[id]
	args, note, op := map[string]any{"id": id}, maps.Clone(old), "note.update"
	switch {
	case !exists:
		op, note = "note.create", modelNote{}
	case rapid.IntRange(0, 3).Draw(r, "delete") == 0:
		op, note = "note.delete", nil
	}
	if note != nil {
		for _, p := range modelProperties {
			if !rapid.Bool().Draw(r, "give "+p) {
				continue
			}
			v := modelJSON[p].Draw(r, p)
			if exists && rapid.IntRange(0, 3).Draw(r, "null") == 0 {
				v = nil
			}
			args[p] = v
			delete(note, p)
			if texts := modelTexts(v); len(texts) > 0 {
				note[p] = texts
			}
		}
	}
	var done struct{ Commit *string }
	if err := modelCall(r, e, op, args, &done); err != nil {
		r.Fatalf("%s %v: %v", op, args, err)
	}
	if done.Commit == nil {
		return
	}
	m.history[id] = append(m.history[id], modelStep{old, note})
	if m.notes[id] = note; note == nil {
		delete(m.notes, id)
	}
}

// tableArgs are arguments of entities_list.
type tableArgs struct {
	Type    string           `json:"type"`
	Where   []map[string]any `json:"where,omitempty"`
	Search  string           `json:"search,omitempty"`
	Sort    string           `json:"sort,omitempty"`
	Limit   int              `json:"limit"`
	Offset  int              `json:"offset"`
	Columns []string         `json:"columns"`
	Facets  bool             `json:"facets"`
}

func (m notesModel) checkTable(r *rapid.T, e *invoketest.Engine) {
	a := tableArgs{
		Type: "Note", Limit: rapid.IntRange(1, 4).Draw(r, "limit"), Offset: rapid.IntRange(0, 5).Draw(r, "offset"), Columns: modelProperties, Facets: true,
		Sort: strings.Join(drawSort.Draw(r, "sort"), ","),
	}
	if rapid.Bool().Draw(r, "filter") {
		a.Where = []map[string]any{{"property": "kind", "value": "idea"}}
	}
	if rapid.Bool().Draw(r, "search") {
		a.Search = rapid.SampledFrom([]string{"AL", "b", "É"}).Draw(r, "prefix")
	}
	var got viewed
	if err := modelCall(r, e, "entities_list", a, &got); err != nil {
		r.Fatal(err)
	}
	want := m.table(a, m.idOrder(r, e))
	if got.Total == nil || *got.Total != len(want) || got.TotalMore {
		r.Errorf("total %v, want %d", got.Total, len(want))
	}
	want = want[min(a.Offset, len(want)):min(len(want), a.Offset+a.Limit)]
	shown := []string{}
	for _, row := range got.Rows {
		shown = append(shown, row.Node.ID)
		for _, p := range modelProperties {
			m.checkCell(r, row.Node.ID, p, row.Cells[p], row.More[p])
		}
	}
	if diff := gocmp.Diff(want, shown); diff != "" {
		r.Errorf("%+v of %v: %s", a, m.notes, diff)
	}
	if a.Search == "" {
		m.checkFacet(r, got)
	}
}

// idOrder lists the notes in the order of the file.
func (m notesModel) idOrder(r *rapid.T, e *invoketest.Engine) map[string]int {
	var all viewed
	if err := modelCall(r, e, "entities_list", tableArgs{Type: "Note", Limit: 100, Columns: []string{}}, &all); err != nil {
		r.Fatal(err)
	}
	order := map[string]int{}
	for i, row := range all.Rows {
		order[row.Node.ID] = i
	}
	if len(order) != len(m.notes) {
		r.Errorf("%d notes are listed, want %d", len(order), len(m.notes))
	}
	return order
}

// table filters and sorts in memory.
func (m notesModel) table(a tableArgs, order map[string]int) []string {
	list := []string{}
	for id, note := range m.notes {
		if len(a.Where) > 0 && !slices.Equal(note["kind"], []string{"idea"}) {
			continue
		}
		if label := strings.Join(note["title"], ""); a.Search != "" && !strings.HasPrefix(strings.ToLower(label), strings.ToLower(a.Search)) {
			continue
		}
		list = append(list, id)
	}
	slices.SortFunc(list, func(x, y string) int {
		keys := strings.Split(a.Sort, ",")
		for i, key := range keys {
			property, descending := strings.CutPrefix(key, "-")
			vx, vy := m.notes[x][property], m.notes[y][property]
			if len(vx) != len(vy) {
				return len(vy) - len(vx) // without a value last
			}
			c := 0
			if len(vx) > 0 {
				c = modelRank(property)(vx[0], vy[0])
			}
			if i == len(keys)-1 {
				c = cmp.Or(c, cmp.Compare(order[x], order[y]))
			}
			if descending {
				c = -c
			}
			if c != 0 {
				return c
			}
		}
		return 0
	})
	return list
}

var drawSort = rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"title", "-title", "rank", "-rank", "score", "-score", "day", "-day", "kind", "-kind"}), 1, 3,
	func(key string) string { return strings.TrimPrefix(key, "-") })

func modelRank(property string) func(a, b string) int {
	number := func(s string) float64 {
		var f float64
		fmt.Sscan(s, &f)
		return f
	}
	if property == "rank" || property == "score" {
		return func(a, b string) int { return cmp.Compare(number(a), number(b)) }
	}
	return func(a, b string) int { return cmp.Compare(strings.ToLower(a), strings.ToLower(b)) }
}

func (m notesModel) checkCell(r *rapid.T, id, property string, cells []cell, more int) {
	want := m.notes[id][property]
	var got []string
	for _, c := range cells {
		got = append(got, c.Text)
	}
	all := len(got) + more
	if all != len(want) || more > 0 && len(got) != 5 {
		r.Errorf("%s of %s: %d and %d more, want %v", property, id, len(got), more, want)
	}
	for _, text := range got {
		if !slices.Contains(want, text) {
			r.Errorf("%s of %s: %q is none of %v", property, id, text, want)
		}
	}
}

// checkFacet counts kinds, of all notes: the condition is on the same property.
func (m notesModel) checkFacet(r *rapid.T, got viewed) {
	counts := map[string]int{}
	for _, note := range m.notes {
		for _, kind := range note["kind"] {
			counts[kind]++
		}
	}
	for _, f := range got.Facets {
		for _, v := range f.Values {
			if counts[v.Value] != v.Count || v.More {
				r.Errorf("%s: %d notes, want %d", v.Value, v.Count, counts[v.Value])
			}
		}
	}
}

// checkHistory pages through a note's history, newest first, and replays it.
func (m notesModel) checkHistory(r *rapid.T, e *invoketest.Engine, id string) {
	args := map[string]any{"type": "Note", "id": id, "limit": rapid.IntRange(1, 3).Draw(r, "entries")}
	steps := slices.Clone(m.history[id])
	slices.Reverse(steps)
	for len(steps) > 0 {
		var page viewed
		if err := modelCall(r, e, "entity_history", args, &page); err != nil {
			r.Fatal(err)
		}
		for _, entry := range page.Entries {
			if len(steps) == 0 {
				r.Fatalf("%s has more history than was made", id)
			}
			for _, c := range entry.Changes {
				checkChange(r, steps[0], c)
			}
			if len(entry.Changes) != steps[0].changes() {
				r.Errorf("%s: %d changes, want %d: %v", id, len(entry.Changes), steps[0].changes(), steps[0])
			}
			steps = steps[1:]
		}
		if page.Next == nil {
			break
		}
		args["before"] = *page.Next
	}
	if len(steps) > 0 {
		r.Errorf("%d commits of %s are missing", len(steps), id)
	}
}

// changes counts the properties that differ, and rdf:type when the note comes or goes.
func (s modelStep) changes() int {
	n := 0
	if (s.before == nil) != (s.after == nil) {
		n++
	}
	for _, p := range modelProperties {
		if !slices.Equal(s.before[p], s.after[p]) {
			n++
		}
	}
	return n
}

func checkChange(r *rapid.T, s modelStep, c change) {
	if strings.HasSuffix(c.Property, "#type") {
		return
	}
	if diff := gocmp.Diff(without(s.before[c.Property], s.after[c.Property]), cellTexts(c.Old)); diff != "" {
		r.Errorf("%s was: %s", c.Property, diff)
	}
	if diff := gocmp.Diff(without(s.after[c.Property], s.before[c.Property]), cellTexts(c.New)); diff != "" {
		r.Errorf("%s is: %s", c.Property, diff)
	}
}

// without are the values of a that b has not.
func without(a, b []string) []string {
	out := []string{}
	for _, v := range a {
		if !slices.Contains(b, v) {
			out = append(out, v)
		}
	}
	return out
}

func cellTexts(cells []cell) []string {
	out := []string{}
	for _, c := range cells {
		out = append(out, c.Text)
	}
	slices.Sort(out)
	return out
}
