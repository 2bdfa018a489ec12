package view_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trails/builtin/view"
	"trails/invoke"
	"trails/invoke/invoketest"
)

// References are counted by what they lead to, the most frequent first, and dates by year, or by month when all are within
// two years.
func TestFacetsCountReferencesAndDates(t *testing.T) {
	e := invoketest.New(t, `
types:
  Task:
    label: title
    properties:
      title: {type: string}
      state: {type: string, one_of: [open, done]}
      due:   {type: date}
      done:  {type: datetime}
      owner: {class: Person}
  Person:
    label: name
    properties:
      name: {type: string}
`, invoke.Config{})
	var lines strings.Builder
	for i := range 10 {
		fmt.Fprintf(&lines, `{"type":"Person","id":"p%d","data":{"name":"Person %[1]d"}}`+"\n", i)
	}
	for i := range 60 {
		owner := min(i%11, 9)
		fmt.Fprintf(&lines, `{"type":"Task","id":"t%d","data":{"title":"Task %[1]d","state":%q,"due":"%d-0%d-01","done":"2026-0%d-03T10:00:00Z","owner":"Person/p%d"}}`+"\n",
			i, []string{"open", "done"}[i%2], 2020+i%4, 1+i%3, 1+i%2, owner)
	}
	data, _ := json.Marshal(lines.String())
	e.Must(t, "load", `{"data":`+string(data)+`}`)
	facets := func(where string) (out []string) {
		t.Helper()
		var table view.Table
		res, err := e.Do(t, "entities_list", `{"type":"Task","facets":true,"where":[`+where+`]}`)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(res.Structured, &table); err != nil {
			t.Fatal(err)
		}
		for _, f := range table.Facets {
			text := f.Property + " by " + f.By + ":"
			for _, v := range f.Values {
				text += fmt.Sprintf(" %s%s %d", v.Value, v.Label, v.Count)
			}
			out = append(out, text+fmt.Sprintf(" and %d", f.Left))
		}
		return out
	}
	all := []string{
		"state by value: open 30 done 30 and 0",
		"due by year: 2020 15 2021 15 2022 15 2023 15 and 0",
		"done by month: 2026-01 30 2026-02 30 and 0",
		"owner by reference: Person/p9Person 9 10 Person/p0Person 0 6 Person/p1Person 1 6 Person/p2Person 2 6 Person/p3Person 3 6 Person/p4Person 4 6 Person/p5Person 5 5 Person/p6Person 6 5 and 2",
	}
	if diff := cmp.Diff(all, facets("")); diff != "" {
		t.Error(diff)
	}
	// Of a year that is chosen there are the months, and beside a reference that is chosen the others.
	some := []string{
		"state by value: open 3 done 0 and 0",
		"due by month: 2022-01 2 2022-02 1 and 0",
	}
	got := facets(`{"property":"due","value":"2022"},{"property":"owner","value":"Person/p9"}`)
	if diff := cmp.Diff(some, got[:2]); diff != "" {
		t.Error(diff)
	}
	if last := got[len(got)-1]; !strings.HasPrefix(last, "owner by reference: ") || strings.Count(last, "Person/") != 8 {
		t.Errorf("got %q", last)
	}
}
