package db

import (
	"context"

	"trails/db/history"
	"trails/db/stmt"
	"trails/rdf"
)

// Touch is a changed subject of the default graph, with a type that it has or had.
type Touch struct{ Subject, Type rdf.Term }

// touchedTypes are pairs of a changed subject and a type. A subject is changed if a quad of it is. The type of a
// deleted subject is among the removed quads.
const touchedTypes = `SELECT s, o FROM changes WHERE line = ?1 AND seq BETWEEN ?2 AND ?3 AND p = ?4 AND g = 0
	UNION
	SELECT l.s, l.o FROM (SELECT DISTINCT s FROM changes WHERE line = ?1 AND seq BETWEEN ?2 AND ?3 AND g = 0) x
	CROSS JOIN live l NOT INDEXED ON l.s = x.s AND l.p = ?4 AND l.g = 0`

// Touched returns up to limit typed subjects in the change logs of main's commits from first to last. Bulk commits
// have no log, and are left out.
func (r *Reader) Touched(ctx context.Context, first, last history.Seq, limit int) (list []Touch, err error) {
	err = r.touched(ctx, touchedTypes+" LIMIT ?5 + 0", []any{first, last, limit}, func(s *stmt.Stmt) error {
		subject, err := r.dict.term(s.ID(0))
		if err != nil {
			return err
		}
		kind, err := r.dict.term(s.ID(1))
		list = append(list, Touch{subject, kind})
		return err
	})
	return list, r.fail(ctx, "touched", err)
}

// TouchedTypes returns only the types, without a limit. Its cost is that of reading the change logs.
func (r *Reader) TouchedTypes(ctx context.Context, first, last history.Seq) (list []rdf.Term, err error) {
	err = r.touched(ctx, "SELECT DISTINCT o FROM ("+touchedTypes+")", []any{first, last}, func(s *stmt.Stmt) error {
		kind, err := r.dict.term(s.ID(0))
		list = append(list, kind)
		return err
	})
	return list, r.fail(ctx, "touched types", err)
}

// touched runs one of the two statements; args are bound from ?2 on, around ?4.
func (r *Reader) touched(ctx context.Context, sql string, args []any, row func(*stmt.Stmt) error) error {
	if err := r.ready(ctx); err != nil {
		return err
	}
	kind, ok, err := r.dict.lookup(rdf.Type)
	if err != nil || !ok {
		return err
	}
	return r.rows(ctx, sql, func(s *stmt.Stmt) (bool, error) {
		err := row(s)
		return err == nil, err
	}, append([]any{mainLine, args[0], args[1], kind}, args[2:]...)...)
}
