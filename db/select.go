package db

import (
	"context"
	"iter"
	"strings"

	"trails/rdf"
)

// Pair is a predicate and an object that a subject must have.
type Pair struct {
	P rdf.IRI
	O rdf.Term
}

// countLimit bounds the counting that finds the rarest pair: beyond it, two pairs
// are as good as each other.
const countLimit = 1000

// idPair is a pair whose terms are looked up; objects are alternatives.
type idPair struct {
	p       int64
	objects []int64
}

// Having returns at most limit subjects of the default graph that have every one
// of the pairs there, in the order of their ids. No pairs: no subjects.
func (r *Reader) Having(ctx context.Context, pairs []Pair, limit int) ([]rdf.Term, error) {
	list, err := r.having(ctx, pairs, limit)
	return list, r.fail(ctx, "having", err)
}

func (r *Reader) having(ctx context.Context, pairs []Pair, limit int) ([]rdf.Term, error) {
	if err := r.ready(ctx); err != nil {
		return nil, err
	}
	list := make([]idPair, 0, len(pairs))
	for _, pair := range pairs {
		ids, ok, err := r.ids(pair.P, pair.O)
		if err != nil || !ok {
			return nil, err
		}
		list = append(list, idPair{p: ids[0], objects: ids[1:]})
	}
	return r.subjects(ctx, list, limit, 0)
}

// Instances returns the subjects of the default graph whose rdf:type is one of
// classes, in the order of their ids, from offset on and limit at most; with a
// filter, those of them that have the pair.
func (r *Reader) Instances(ctx context.Context, classes []rdf.IRI, filter *Pair, limit, offset int) ([]rdf.Term, error) {
	list, err := r.instances(ctx, classes, filter, limit, offset)
	return list, r.fail(ctx, "instances", err)
}

func (r *Reader) instances(ctx context.Context, classes []rdf.IRI, filter *Pair, limit, offset int) ([]rdf.Term, error) {
	pairs, ok, err := r.instancePairs(ctx, classes, filter)
	if err != nil || !ok {
		return nil, err
	}
	return r.subjects(ctx, pairs, limit, offset)
}

// CountInstances returns how many Instances there are in all.
func (r *Reader) CountInstances(ctx context.Context, classes []rdf.IRI, filter *Pair) (int64, error) {
	return r.CountInstancesUpTo(ctx, classes, filter, -1)
}

// CountInstancesUpTo counts as CountInstances does and stops at most, so that the
// cost of it does not grow with the graph; a negative most never stops.
func (r *Reader) CountInstancesUpTo(ctx context.Context, classes []rdf.IRI, filter *Pair, most int64) (int64, error) {
	pairs, ok, err := r.instancePairs(ctx, classes, filter)
	if err != nil || !ok {
		return 0, r.fail(ctx, "count instances", err)
	}
	pairs, err = r.rarestFirst(pairs)
	if err != nil {
		return 0, r.fail(ctx, "count instances", err)
	}
	sql, args := subjectQuery(pairs)
	n, err := r.conn.int64("SELECT count(*) FROM ("+sql+" LIMIT ? + 0)", append(args, most)...)
	return n, r.fail(ctx, "count instances", err)
}

func (r *Reader) instancePairs(ctx context.Context, classes []rdf.IRI, filter *Pair) (pairs []idPair, ok bool, err error) {
	if err := r.ready(ctx); err != nil {
		return nil, false, err
	}
	kind, ok, err := r.dict.lookup(rdf.Type)
	if err != nil || !ok {
		return nil, false, err
	}
	types := idPair{p: kind}
	for _, class := range classes {
		id, ok, err := r.dict.lookup(class)
		if err != nil {
			return nil, false, err
		}
		if ok {
			types.objects = append(types.objects, id)
		}
	}
	if len(types.objects) == 0 {
		return nil, false, nil
	}
	if filter == nil {
		return []idPair{types}, true, nil
	}
	ids, ok, err := r.ids(filter.P, filter.O)
	if err != nil || !ok {
		return nil, false, err
	}
	return []idPair{types, {p: ids[0], objects: ids[1:]}}, true, nil
}

func (r *Reader) subjects(ctx context.Context, pairs []idPair, limit, offset int) (list []rdf.Term, err error) {
	if len(pairs) == 0 || limit <= 0 {
		return nil, nil
	}
	if pairs, err = r.rarestFirst(pairs); err != nil {
		return nil, err
	}
	sql, args := subjectQuery(pairs)
	ids, err := r.column(ctx, sql+" ORDER BY a.s LIMIT ? + 0 OFFSET ?", append(args, limit, offset)...)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		t, err := r.dict.term(id)
		if err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	return list, nil
}

func (r *Reader) column(ctx context.Context, sql string, args ...any) (ids []int64, err error) {
	s, err := r.conn.take(sql)
	if err != nil {
		return nil, err
	}
	defer s.release()
	for i, arg := range args {
		s.bind(i+1, arg)
	}
	err = r.steps(ctx, s, func() (bool, error) {
		ids = append(ids, s.ColumnInt64(0))
		return true, nil
	})
	return ids, err
}

// rarestFirst puts the pair with the fewest rows first, counted up to countLimit.
func (r *Reader) rarestFirst(pairs []idPair) ([]idPair, error) {
	if len(pairs) < 2 {
		return pairs, nil
	}
	rarest, least := 0, int64(countLimit+1)
	for i, p := range pairs {
		sql, args := pairRows("1", p)
		n, err := r.conn.int64("SELECT count(*) FROM ("+sql+" LIMIT ? + 0)", append(args, least)...)
		if err != nil {
			return nil, err
		}
		if n < least {
			rarest, least = i, n
		}
	}
	pairs[0], pairs[rarest] = pairs[rarest], pairs[0]
	return pairs, nil
}

func pairRows(fields string, p idPair) (sql string, args []any) {
	sql = "SELECT " + fields + " FROM live a INDEXED BY live_pos WHERE a.p = ? AND a.o" + oneOf(p.objects) + " AND a.g = 0"
	return sql, p.args()
}

// subjectQuery reads the first pair's subjects and probes the others for each.
func subjectQuery(pairs []idPair) (sql string, args []any) {
	fields := "a.s"
	if len(pairs[0].objects) > 1 {
		fields = "DISTINCT a.s"
	}
	sql, args = pairRows(fields, pairs[0])
	for _, p := range pairs[1:] {
		sql += " AND EXISTS (SELECT 1 FROM live b NOT INDEXED WHERE b.s = a.s AND b.p = ? AND b.o" + oneOf(p.objects) + " AND b.g = 0)"
		args = append(args, p.args()...)
	}
	return sql, args
}

func (p idPair) args() []any {
	args := []any{p.p}
	for _, o := range p.objects {
		args = append(args, o)
	}
	return args
}

func oneOf(objects []int64) string {
	if len(objects) == 1 {
		return " = ?"
	}
	return " IN (?" + strings.Repeat(", ?", len(objects)-1) + ")"
}

// ObjectCount is an object and how many subjects of the default graph have it.
type ObjectCount struct {
	Object rdf.Term
	Count  int64
}

// CountByObject returns the objects of a predicate in the default graph with their
// counts, in the order of their ids: for rdf:type, the types and their instances.
// It is one pass over an index.
func (r *Reader) CountByObject(ctx context.Context, predicate rdf.IRI) ([]ObjectCount, error) {
	list, err := r.countByObject(ctx, predicate)
	return list, r.fail(ctx, "count by object", err)
}

func (r *Reader) countByObject(ctx context.Context, predicate rdf.IRI) (list []ObjectCount, err error) {
	if err := r.ready(ctx); err != nil {
		return nil, err
	}
	p, ok, err := r.dict.lookup(predicate)
	if err != nil || !ok {
		return nil, err
	}
	s, err := r.conn.take("SELECT o, count(*) FROM live INDEXED BY live_pos WHERE p = ? AND g = 0 GROUP BY o")
	if err != nil {
		return nil, err
	}
	defer s.release()
	s.BindInt64(1, p)
	err = r.steps(ctx, s, func() (bool, error) {
		t, err := r.dict.term(s.ColumnInt64(0))
		list = append(list, ObjectCount{t, s.ColumnInt64(1)})
		return true, err
	})
	return list, err
}

// Change is one quad that a commit added or removed.
type Change struct {
	// Op is [OpAdd] or [OpRemove].
	Op byte
	// Seq is the commit's number.
	Seq int64
	rdf.Quad
}

// changeColumns joins the terms of a row x; the columns are those of an access
// without bound positions.
const changeColumns = `SELECT x.s, x.p, x.o, x.g,
	ts.kind, ts.value, ts.datatype, ts.lang, ob.kind, ob.value, ob.datatype, ob.lang, x.op, x.seq FROM (`

const changeJoins = `) x LEFT JOIN terms ts ON ts.id = x.s LEFT JOIN terms ob ON ob.id = x.o`

const (
	loggedChanges = changeColumns + "SELECT s, p, o, g, op, seq FROM changes WHERE line = ?1 AND seq = ?2" + changeJoins
	// A bulk commit only adds: what it added is in live, or was removed since.
	bulkChanges = changeColumns + `SELECT s, p, o, g, 43 AS op, added AS seq FROM live WHERE added = ?2
		UNION ALL SELECT s, p, o, g, 43, added FROM hist WHERE line = ?1 AND added = ?2` + changeJoins
	subjectChanges = changeColumns + `SELECT s, p, o, g, 43 AS op, added AS seq FROM live WHERE s = ?1
		UNION ALL SELECT s, p, o, g, 43, added FROM hist WHERE line = 1 AND s = ?1
		UNION ALL SELECT s, p, o, g, 45, removed FROM hist WHERE line = 1 AND s = ?1` + changeJoins +
		" ORDER BY x.seq DESC, x.op, x.p, x.o, x.g LIMIT ?2 + 0"
)

// Changes returns what the commit with number seq added and removed, in the order
// of the ids. For a bulk commit it reads the whole table.
func (r *Reader) Changes(ctx context.Context, seq int64) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		c, err := r.CommitBySeq(ctx, seq)
		if err != nil {
			yield(Change{}, err)
			return
		}
		sql := loggedChanges
		if c.Bulk {
			sql = bulkChanges
		}
		if err := r.changes(ctx, sql, yield, c.Line, seq); err != nil {
			yield(Change{}, r.fail(ctx, "changes", err))
		}
	}
}

func (r *Reader) changes(ctx context.Context, sql string, yield func(Change, error) bool, args ...any) error {
	s, err := r.conn.take(sql)
	if err != nil {
		return err
	}
	defer s.release()
	for i, arg := range args {
		s.bind(i+1, arg)
	}
	rows := quadRows{dict: &r.dict, pattern: pattern{access: accesses[bound{}]}}
	return r.steps(ctx, s, func() (bool, error) {
		q, err := rows.quad(s)
		c := Change{Op: byte(s.ColumnInt64(12)), Seq: s.ColumnInt64(13), Quad: q}
		return err == nil && yield(c, nil), err
	})
}

// SubjectChanges returns the latest changes of one subject's quads, newest first,
// limit at most.
func (r *Reader) SubjectChanges(ctx context.Context, subject rdf.Term, limit int) ([]Change, error) {
	if err := r.ready(ctx); err != nil {
		return nil, r.fail(ctx, "subject changes", err)
	}
	id, ok, err := r.dict.lookup(subject)
	if err != nil || !ok {
		return nil, r.fail(ctx, "subject changes", err)
	}
	var list []Change
	err = r.changes(ctx, subjectChanges, func(c Change, _ error) bool {
		list = append(list, c)
		return true
	}, id, limit)
	return list, r.fail(ctx, "subject changes", err)
}
