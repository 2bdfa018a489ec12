package builtin

import (
	"slices"

	"trails/kg"
	"trails/rdf"
	"trails/schema"
	"trails/view"
)

// Bounds of the changes that a write lists, and how many values a property may lose
// before they are listed though nobody asked.
const (
	changesListed = 50
	fewValues     = 3
)

// changeTable lists statements that a write added (+) or removed (-).
type changeTable struct {
	Total   int      `json:"total"`
	Columns []string `json:"columns"`
	Rows    [][]any  `json:"rows"`
}

// changesOf lists what a write changed: all of it on a dry run, and else the values of
// properties that lost more than a few, which may have been a mistake. It is nil when there
// is nothing to list.
func changesOf(s *schema.Schema, res kg.Result, dryRun bool) *changeTable {
	out := changeTable{Columns: []string{"op", "node", "property", "value"}}
	list := func(op string, quads []rdf.Quad) {
		for _, q := range quads {
			if out.Total++; len(out.Rows) < changesListed {
				out.Rows = append(out.Rows, append([]any{op}, view.PlainRow(s, []rdf.Term{q.Subject, q.Predicate, q.Object})...))
			}
		}
	}
	if dryRun {
		list("-", res.Removed)
		list("+", res.Added)
		out.Total = int(res.RemovedCount + res.AddedCount)
	} else {
		lost := map[[2]rdf.Term]int{}
		for _, q := range res.Removed {
			lost[[2]rdf.Term{q.Subject, q.Predicate}]++
		}
		list("-", slices.DeleteFunc(slices.Clone(res.Removed), func(q rdf.Quad) bool { return lost[[2]rdf.Term{q.Subject, q.Predicate}] <= fewValues }))
	}
	if out.Total == 0 {
		return nil
	}
	return &out
}
