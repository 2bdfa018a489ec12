package db

import (
	"cmp"
	"context"
	"errors"

	"trails/db/inline"
	"trails/db/lower"
	"trails/db/scan"
	"trails/sparql"
)

// Held are the ids of the subjects of one [Selection], which are read once for several counts. The zero Held has none yet.
// It is for one Reader, which may not write meanwhile, and not safe for concurrent use.
type Held struct {
	ids  *scan.Set // nil before the first count, and if there are too many
	n    int
	full bool  // there are too many
	room int64 // in bytes, [maxHeld] if it is 0
}

// maxHeld bounds the bytes of held ids, which is a bit for each of 32 million terms.
const maxHeld = 4 << 20

var errHeld = errors.New("db: too many ids to be held")

// held returns the ids of the subjects of a pattern, which are in h, or are read now. It returns nil if they are not to be
// held: without h, while a write is open, without scans, or if there are too many.
func (r *Reader) held(ctx context.Context, h *Held, selected sparql.Op) (*scan.Set, error) {
	if h == nil || h.full || r.before != nil || r.scans() == ScansNever {
		return nil, nil
	}
	if h.ids != nil {
		return h.ids, nil
	}
	room := cmp.Or(h.room, maxHeld)
	ids, n := scan.NewSet(func(bytes int64) error {
		if room -= bytes; room < 0 {
			return errHeld
		}
		return nil
	}), 0
	err := r.askIDs(ctx, project(selected, varS), []sparql.Var{varS}, func(row []inline.TermID) bool {
		if id := int64(row[0]); !ids.Has(id) {
			n++
			h.full = ids.Add(id) != nil
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
