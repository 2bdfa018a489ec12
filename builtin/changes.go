package builtin

import (
	"slices"
	"sort"

	"trails/builtin/view"
	"trails/capability"
	"trails/kg"
	"trails/rdf"
	"trails/schema"
)

// Bounds of the changes that a write lists, and the number of values that a property may lose before they are listed
// without being requested.
const (
	changesListed = 50
	fewValues     = 3
)

// changesOf lists what a write changed: everything on a dry run, otherwise the values of properties that lost more
// than a few, which may be a mistake. It is empty if there is nothing to list.
func changesOf(s *schema.Schema, res kg.Result, dryRun bool) (none capability.Changed) {
	removed, added := res.Removed, res.Added
	out := capability.Changes{Total: res.RemovedCount + res.AddedCount, Columns: []string{"op", "node", "property", "value"}}
	if dryRun && res.NodeCount > 1 {
		out.Nodes = res.NodeCount
	}
	if !dryRun {
		lost := map[[2]rdf.Term]int{}
		for _, q := range removed {
			lost[[2]rdf.Term{q.Subject, q.Predicate}]++
		}
		removed = slices.DeleteFunc(slices.Clone(removed), func(q rdf.Quad) bool { return lost[[2]rdf.Term{q.Subject, q.Predicate}] <= fewValues })
		added, out.Total = nil, int64(len(removed))
	}
	if out.Total == 0 {
		return none
	}
	type statement struct {
		op string
		rdf.Quad
	}
	var all []statement
	for _, q := range removed {
		all = append(all, statement{"-", q})
	}
	for _, q := range added {
		all = append(all, statement{"+", q})
	}
	place := func(q rdf.Quad) string { return rdf.Lexical(q.Subject) + "\x00" + rdf.Lexical(q.Predicate) }
	sort.SliceStable(all, func(i, j int) bool { return place(all[i].Quad) < place(all[j].Quad) })
	all = all[:min(len(all), changesListed)]
	named := slices.ContainsFunc(all, func(a statement) bool { return a.Label != nil })
	if named {
		out.Columns = append(out.Columns, "graph")
	}
	for _, a := range all {
		row := []rdf.Term{a.Subject, a.Predicate, a.Object}
		if named {
			row = append(row, a.Label)
		}
		out.Rows = append(out.Rows, append([]any{a.op}, view.PlainRow(s, row)...))
	}
	return capability.Changed{Changes: &out}
}
