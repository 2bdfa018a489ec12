package db

import (
	"context"

	"trails/db/scan"
	"trails/db/stmt"
	"trails/rdf"
)

// maxInstanceIDs bounds the ids in a bit set of instances: 4 MB.
const maxInstanceIDs = 32 << 20

// instancesOf reads the part of an index for one type.
const instancesOf = "SELECT s FROM live INDEXED BY live_pos WHERE p = ?1 AND o = ?2 AND g = 0"

// Instances returns a function that reports whether a term has one of some types in the default graph. It uses a bit
// set over all terms, filled in one pass over the instances, and is valid until the next write. It is nil if the file
// has too many terms.
func (r *Reader) Instances(ctx context.Context, classes []rdf.IRI) (func(rdf.Term) (bool, error), error) {
	last, err := r.number(ctx, "instances", "SELECT max(id) FROM terms")
	if err != nil || last > maxInstanceIDs {
		return nil, err
	}
	has := scan.NewSet(func(int64) error { return nil })
	for _, class := range classes {
		ids, ok, err := r.known(ctx, rdf.Type, class)
		if err != nil {
			return nil, r.fail(ctx, "instances", err)
		}
		if !ok {
			continue
		}
		err = r.rows(ctx, instancesOf, func(s *stmt.Stmt) (bool, error) {
			id := s.ID(0)
			if id < 0 || int64(id) > last {
				return false, stmt.Damaged("a subject has the id %d", id)
			}
			return true, has.Add(int64(id))
		}, ids[0], ids[1])
		if err != nil {
			return nil, r.fail(ctx, "instances", err)
		}
	}
	return func(t rdf.Term) (bool, error) {
		id, ok, err := r.dict.lookup(t)
		if err != nil || !ok || id < 0 || int64(id) > last {
			return false, r.fail(ctx, "instances", err)
		}
		return has.Has(int64(id)), nil
	}, nil
}
