package kg_test

import (
	"fmt"
	"strings"
	"testing"

	"trails/db"
	"trails/e2e/testrun"
	"trails/kg"
	"trails/kg/browse"
	"trails/rdf"
)

// TestFacetsOfNothingAreNone asks for nodes that two conditions leave nothing of, each of which so
// many meet that counting stops before it has tried all.
func TestFacetsOfNothingAreNone(t *testing.T) {
	testrun.Alone(t)
	path := newFile(t, `
types:
  Task:
    properties:
      points: {type: integer, required: true}
      state:  {type: string, one_of: [open, closed]}
`)
	g, err := kg.Open(t.Context(), path, kg.Options{Scans: db.ScansNever}) // which would count all
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	var lines strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&lines, "{\"type\":\"Task\",\"data\":{\"points\":%d,\"state\":\"open\"}}\n", i%2*30+i%5)
	}
	mustLoad(t, g, "tasks.ndjson", lines.String())
	view(t, g, func(s *kg.Snapshot) error {
		task := s.Schema().Type("Task")
		points := browse.Path{s.Schema().Property(task, "points")}
		number := func(n int) []rdf.Term { return []rdf.Term{rdf.Literal(fmt.Sprint(n), rdf.XSDInteger)} }
		page, err := s.Table(t.Context(), browse.TableQuery{
			Type: task, Limit: 20, Facets: true,
			Where: []browse.Condition{{Path: points, Op: browse.OpAtLeast, Values: number(17)}, {Path: points, Op: browse.OpLess, Values: number(6)}},
		})
		if err != nil {
			return err
		}
		if page.Total != 0 || page.TotalMore || len(page.Facets) != 1 {
			t.Fatalf("%d, more: %v, %d facets", page.Total, page.TotalMore, len(page.Facets))
		}
		for _, v := range page.Facets[0].Values {
			if v.Count != 0 || v.More {
				t.Errorf("%s: %d, more: %v", v.Value, v.Count, v.More)
			}
		}
		return nil
	})
}
