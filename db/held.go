package db

import (
	"cmp"
	"context"

	"trails/db/inline"
	"trails/db/lower"
	"trails/db/scan"
	"trails/sparql"
)

// Held are the ids of the subjects of one [Selection], which are read once for several counts. The zero Held has none yet.
// It is for one Reader, which may not write meanwhile, and not safe for concurrent use.
type Held struct {
	ids  *scan.Set // nil before the first count, and if an id is too great
	n    int
	full bool  // an id is too great for a small set
	most int64 // the greatest id, [maxInstanceIDs] if it is 0
}

// held returns the ids of the subjects of a pattern, which are in h, or are read now. It returns nil if they are not to be
// held: without h, while a write is open, without scans, or if an id is too great.
func (r *Reader) held(ctx context.Context, h *Held, selected sparql.Op) (*scan.Set, error) {
	if h == nil || h.full || r.before != nil || r.scans() == ScansNever {
		return nil, nil
	}
	if h.ids != nil {
		return h.ids, nil
	}
	ids, n, most := scan.NewSet(anySize), 0, cmp.Or(h.most, maxInstanceIDs)
	err := r.askIDs(ctx, project(selected, varS), []sparql.Var{varS}, func(row []inline.TermID) bool {
		if id := int64(row[0]); id > most {
			h.full = true
		} else if !ids.Has(id) {
			n++
			_ = ids.Add(id) // anySize has no error
		}
		return !h.full
	})
	if err == nil && !h.full {
		h.ids, h.n = ids, n
	}
	return h.ids, err
}

// countsByObject is the plan that counts the subjects of a known set by the objects of a predicate, the first constant. The
// second one is 0.
var countsByObject = prepared{Plan: lower.Plan{
	Args:    []lower.Arg{{Term: lower.Slot(0)}, {Term: lower.Slot(1)}},
	Columns: []sparql.Var{varO, varN},
	Programs: []scan.Program{{
		Slots: 2, Steps: []scan.Step{{Object: scan.End{Slot: 1}, Predicate: 1}}, Known: true,
		Keys: []int{1}, Grouped: true, Aggregates: []scan.Aggregate{{Func: scan.Count}},
	}},
	Listing: &lower.Listing{Columns: []lower.Listed{{Place: 1}, {Place: 2, Plus: 2}}},
}}
