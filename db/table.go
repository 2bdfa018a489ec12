package db

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"trails/rdf"
)

// Selection says which subjects of the default graph a table shows: those whose
// rdf:type is one of Classes and that have every one of Pairs.
type Selection struct {
	Classes []rdf.IRI
	Pairs   []Pair
	// Among, when it is not nil, keeps only these; see [Reader.Search].
	Among *Found
}

// selected is a selection as SQL: one statement for each alternative, that lists
// ids of subjects in one column. Each lists them in their order, or can be made to.
type selected struct {
	parts []string
	args  [][]any
	pairs []idPair // the rarest first; none for what a search found
}

// selectFrom looks the selection's terms up; false when it selects nothing.
func (r *Reader) selectFrom(ctx context.Context, sel Selection) (*selected, bool, error) {
	if sel.Among != nil {
		return &selected{parts: []string{"SELECT value AS s FROM json_each(?)"}, args: [][]any{{jsonIDs(sel.Among.ids)}}}, len(sel.Among.ids) > 0, nil
	}
	pairs, ok, err := r.selectionPairs(ctx, sel)
	if err != nil || !ok {
		return nil, false, err
	}
	q := &selected{pairs: pairs}
	one := slices.Clone(pairs)
	for _, o := range pairs[0].objects {
		one[0].objects = []int64{o}
		sql, args := subjectQuery(one)
		q.parts, q.args = append(q.parts, strings.Replace(sql, "SELECT a.s ", "SELECT a.s AS s ", 1)), append(q.args, args)
	}
	return q, true, nil
}

// jsonIDs is a list of ids as one argument of json_each.
func jsonIDs(ids []int64) string {
	b := []byte{'['}
	for i, id := range ids {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, id, 10)
	}
	return string(append(b, ']'))
}

// selectionPairs has the rarest pair first. Of those that are beyond counting the
// types come last: nearly every subject of a condition has the type.
func (r *Reader) selectionPairs(ctx context.Context, sel Selection) ([]idPair, bool, error) {
	types, ok, err := r.instancePairs(ctx, sel.Classes, nil)
	if err != nil || !ok {
		return nil, false, err
	}
	var pairs []idPair
	for _, pair := range sel.Pairs {
		ids, ok, err := r.ids(pair.P, pair.O)
		if err != nil || !ok {
			return nil, false, err
		}
		pairs = append(pairs, idPair{p: ids[0], objects: ids[1:]})
	}
	pairs, err = r.rarestFirst(append(pairs, types...))
	return pairs, true, err
}

// and adds a condition on a.s to every alternative.
func (q *selected) and(condition string, args ...any) *selected {
	out := &selected{}
	for i, part := range q.parts {
		out.parts = append(out.parts, part+" AND "+condition)
		out.args = append(out.args, append(slices.Clone(q.args[i]), args...))
	}
	return out
}

// union is the whole as one statement; UNION drops the repeats of a subject with two
// of the types, and merges the alternatives in order as they are read.
func (q *selected) union() (sql string, args []any) {
	return strings.Join(q.parts, " UNION "), slices.Concat(q.args...)
}

// Select returns the selected subjects in the order of their ids, from offset on and
// limit at most.
func (r *Reader) Select(ctx context.Context, sel Selection, limit, offset int) ([]rdf.Term, error) {
	if err := r.ready(ctx); err != nil {
		return nil, r.fail(ctx, "select", err)
	}
	if sel.Among != nil {
		list, err := r.terms(sel.Among.page(limit, offset))
		return list, r.fail(ctx, "select", err)
	}
	q, ok, err := r.selectFrom(ctx, sel)
	if err != nil || !ok {
		return nil, r.fail(ctx, "select", err)
	}
	list, err := r.pageOf(ctx, q, " ORDER BY s", limit, offset)
	return list, r.fail(ctx, "select", err)
}

func (r *Reader) pageOf(ctx context.Context, q *selected, order string, limit, offset int) ([]rdf.Term, error) {
	sql, args := q.union()
	ids, err := r.column(ctx, sql+order+" LIMIT ? + 0 OFFSET ?", append(args, limit, offset)...)
	if err != nil {
		return nil, err
	}
	return r.terms(ids)
}

func (r *Reader) terms(ids []int64) (list []rdf.Term, err error) {
	for _, id := range ids {
		t, err := r.dict.term(id)
		if err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	return list, nil
}

// countWork bounds how many subjects of the rarest condition are tried while counting.
const countWork = 20_000

// CountSelected counts the selected subjects, up to most; more means that there are
// others, or that it stopped before it had tried them all.
func (r *Reader) CountSelected(ctx context.Context, sel Selection, most int) (n int, more bool, err error) {
	if err := r.ready(ctx); err != nil {
		return 0, false, r.fail(ctx, "count selected", err)
	}
	if sel.Among != nil {
		return min(len(sel.Among.ids), most), sel.Among.More || len(sel.Among.ids) > most, nil
	}
	q, ok, err := r.selectFrom(ctx, sel)
	if err != nil || !ok {
		return 0, false, r.fail(ctx, "count selected", err)
	}
	n, more, err = r.countUpTo(q, most, countWork)
	return n, more, r.fail(ctx, "count selected", err)
}

// countUpTo counts what is selected up to most, with work tries at most.
func (r *Reader) countUpTo(q *selected, most, work int) (n int, more bool, err error) {
	var sql string
	var args []any
	if len(q.pairs) > 1 {
		sql, args = triedQuery(q.pairs, work)
	} else {
		sql, args = q.union()
	}
	found, err := r.conn.int64("SELECT count(*) FROM ("+sql+" LIMIT ? + 0)", append(args, most+1)...)
	if err != nil || int(found) > most || len(q.pairs) < 2 {
		return min(int(found), most), int(found) > most, err
	}
	sql, args = pairRows("1", q.pairs[0])
	tried, err := r.conn.int64("SELECT count(*) FROM ("+sql+" LIMIT ? + 0)", append(args, work+1)...)
	return int(found), int(tried) > work, err
}

// triedQuery is subjectQuery that gives up after so many subjects of the first pair.
func triedQuery(pairs []idPair, work int) (sql string, args []any) {
	sql, args = subjectQuery(pairs[:1])
	sql, args = "SELECT a.s FROM ("+sql+" LIMIT ? + 0) a WHERE 1", append(args, work)
	for _, p := range pairs[1:] {
		sql += probe(p)
		args = append(args, p.args()...)
	}
	return sql, args
}

// ValueCount says how many subjects have a value; More means that there are others,
// or may be.
type ValueCount struct {
	Count int
	More  bool
}

// How much is done for a facet: up to fewSelected subjects are each asked for their
// values; beyond it the index of each value is asked, with facetWork tries.
const (
	fewSelected = 2000
	facetWork   = 2000
)

// CountValuesAmong counts, for each of the objects, how many selected subjects have
// it for p, up to most each.
func (r *Reader) CountValuesAmong(ctx context.Context, sel Selection, p rdf.IRI, objects []rdf.Term, most int) ([]ValueCount, error) {
	if err := r.ready(ctx); err != nil {
		return nil, r.fail(ctx, "count values among", err)
	}
	counts, err := r.countValuesAmong(ctx, sel, p, objects, most)
	return counts, r.fail(ctx, "count values among", err)
}

func (r *Reader) countValuesAmong(ctx context.Context, sel Selection, p rdf.IRI, objects []rdf.Term, most int) ([]ValueCount, error) {
	counts := make([]ValueCount, len(objects))
	q, ok, err := r.selectFrom(ctx, sel)
	if err != nil || !ok {
		return counts, err
	}
	_, many, err := r.countUpTo(q, fewSelected, countWork)
	if err != nil {
		return nil, err
	}
	if !many || sel.Among != nil {
		return counts, r.countEach(q, p, objects, counts, most)
	}
	return r.countByIndex(ctx, sel, p, objects, most)
}

// countByIndex tries the subjects that have each value.
func (r *Reader) countByIndex(ctx context.Context, sel Selection, p rdf.IRI, objects []rdf.Term, most int) ([]ValueCount, error) {
	counts := make([]ValueCount, len(objects))
	for i, o := range objects {
		q, ok, err := r.selectWith(ctx, sel, Pair{p, o})
		if err != nil {
			return nil, err
		}
		if ok {
			if counts[i].Count, counts[i].More, err = r.countUpTo(q, most, facetWork); err != nil {
				return nil, err
			}
		}
	}
	return counts, nil
}

// selectWith is selectFrom with one more pair. When that is the only one it comes
// before the types, without counting which is rarer.
func (r *Reader) selectWith(ctx context.Context, sel Selection, pair Pair) (*selected, bool, error) {
	if len(sel.Pairs) > 0 {
		sel.Pairs = append(slices.Clone(sel.Pairs), pair)
		return r.selectFrom(ctx, sel)
	}
	types, ok, err := r.instancePairs(ctx, sel.Classes, nil)
	if err != nil || !ok {
		return nil, false, err
	}
	ids, ok, err := r.ids(pair.P, pair.O)
	if err != nil || !ok {
		return nil, false, err
	}
	return &selected{pairs: append([]idPair{{p: ids[0], objects: ids[1:]}}, types...)}, true, nil
}

// countEach reads the values of each selected subject once.
func (r *Reader) countEach(q *selected, p rdf.IRI, objects []rdf.Term, counts []ValueCount, most int) error {
	ids, ok, err := r.ids(p)
	if err != nil || !ok {
		return err
	}
	at := make(map[int64]int, len(objects))
	for i, o := range objects {
		if id, ok, err := r.dict.lookup(o); err != nil {
			return err
		} else if ok {
			at[id] = i
		}
	}
	sql, args := eachQuery(q)
	return r.conn.exec(sql, func(s *stmt) error {
		if i, ok := at[s.ColumnInt64(0)]; ok {
			n := int(s.ColumnInt64(1))
			counts[i] = ValueCount{min(n, most), n > most}
		}
		return nil
	}, append(args, ids[0])...)
}

// eachQuery counts the values of one more argument, a predicate, among what is selected.
func eachQuery(q *selected) (sql string, args []any) {
	sql, args = q.union()
	return "SELECT v.o, count(*) FROM (" + sql + ") c CROSS JOIN live v NOT INDEXED WHERE v.s = c.s AND v.p = ? AND v.g = 0 GROUP BY v.o", args
}
