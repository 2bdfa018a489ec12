package db

import (
	"context"

	"trails/rdf"
)

// The values of one property of one subject, in the order of their ids. Statements
// of named graphs are no values.
const (
	valuesOf = `SELECT l.o, t.kind, t.value, t.datatype, t.lang FROM
		(SELECT o FROM live NOT INDEXED WHERE s = ? AND p = ? AND g = 0 ORDER BY o LIMIT ? + 0 OFFSET ?) l
		LEFT JOIN terms t ON t.id = l.o`
	countValues = "SELECT count(*) FROM (SELECT 1 FROM live l NOT INDEXED WHERE l.s = ? AND l.p = ? AND l.g = 0 LIMIT ? + 0)"
	// nextPredicate jumps over the values of the one before, however many they are.
	nextPredicate = "SELECT l.p FROM live l NOT INDEXED WHERE l.s = ? AND l.p > ? AND l.g = 0 ORDER BY l.p LIMIT 1"
	anyOfSubject  = "SELECT 1 FROM live l NOT INDEXED WHERE l.s = ? AND l.g = 0 LIMIT 1"
)

// Values returns the objects that a subject of the default graph has for a
// predicate, from offset on and limit at most.
func (r *Reader) Values(ctx context.Context, s rdf.Term, p rdf.IRI, limit, offset int) ([]rdf.Term, error) {
	ids, ok, err := r.known(ctx, s, p)
	if err != nil || !ok {
		return nil, r.fail(ctx, "values", err)
	}
	list, err := r.objects(ctx, valuesOf, ids[0], ids[1], limit, offset)
	return list, r.fail(ctx, "values", err)
}

// known is ready and ids in one.
func (r *Reader) known(ctx context.Context, terms ...rdf.Term) ([]int64, bool, error) {
	if err := r.ready(ctx); err != nil {
		return nil, false, err
	}
	return r.ids(terms...)
}

// objects reads rows of an id and its joined term.
func (r *Reader) objects(ctx context.Context, sql string, args ...any) (list []rdf.Term, err error) {
	s, err := r.conn.take(sql)
	if err != nil {
		return nil, err
	}
	defer s.release()
	for i, arg := range args {
		s.bind(i+1, arg)
	}
	err = r.steps(ctx, s, func() (bool, error) {
		t, err := r.dict.joined(s.ColumnInt64(0), s, 1)
		list = append(list, t)
		return true, err
	})
	return list, err
}

// CountValues counts what [Reader.Values] lists, up to most.
func (r *Reader) CountValues(ctx context.Context, s rdf.Term, p rdf.IRI, most int) (int, error) {
	ids, ok, err := r.known(ctx, s, p)
	if err != nil || !ok {
		return 0, r.fail(ctx, "count values", err)
	}
	n, err := r.conn.int64(countValues, ids[0], ids[1], most)
	return int(n), r.fail(ctx, "count values", err)
}

// Predicates returns the predicates of a subject in the default graph, limit at most.
func (r *Reader) Predicates(ctx context.Context, s rdf.Term, limit int) ([]rdf.IRI, error) {
	ids, ok, err := r.known(ctx, s)
	if err != nil || !ok {
		return nil, r.fail(ctx, "predicates", err)
	}
	list, err := r.predicates(ids[0], limit)
	return list, r.fail(ctx, "predicates", err)
}

func (r *Reader) predicates(subject int64, limit int) (list []rdf.IRI, err error) {
	for at := int64(0); len(list) < limit; {
		if at, err = r.conn.int64(nextPredicate, subject, at); err != nil || at == 0 {
			return list, err
		}
		t, err := r.dict.term(at)
		if err != nil {
			return nil, err
		}
		iri, _ := t.(rdf.IRI)
		list = append(list, iri)
	}
	return list, nil
}

// Exists reports whether anything is said of a subject in the default graph.
func (r *Reader) Exists(ctx context.Context, s rdf.Term) (bool, error) {
	ids, ok, err := r.known(ctx, s)
	if err != nil || !ok {
		return false, r.fail(ctx, "exists", err)
	}
	n, err := r.conn.int64(anyOfSubject, ids[0])
	return n == 1, r.fail(ctx, "exists", err)
}
