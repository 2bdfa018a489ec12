package db

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"trails/kg/rdf"
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
}

// selectFrom looks the selection's terms up; false when it selects nothing.
func (r *Reader) selectFrom(ctx context.Context, sel Selection) (*selected, bool, error) {
	if sel.Among != nil {
		text, err := json.Marshal(sel.Among.ids)
		return &selected{[]string{"SELECT value AS s FROM json_each(?)"}, [][]any{{string(text)}}}, len(sel.Among.ids) > 0, err
	}
	pairs, ok, err := r.selectionPairs(ctx, sel)
	if err != nil || !ok {
		return nil, false, err
	}
	q := &selected{}
	for _, o := range pairs[0].objects {
		pairs[0].objects = []int64{o}
		sql, args := subjectQuery(pairs)
		q.parts, q.args = append(q.parts, strings.Replace(sql, "SELECT a.s ", "SELECT a.s AS s ", 1)), append(q.args, args)
	}
	return q, true, nil
}

// selectionPairs has the rarest pair first.
func (r *Reader) selectionPairs(ctx context.Context, sel Selection) ([]idPair, bool, error) {
	pairs, ok, err := r.instancePairs(ctx, sel.Classes, nil)
	if err != nil || !ok {
		return nil, false, err
	}
	for _, pair := range sel.Pairs {
		ids, ok, err := r.ids(pair.P, pair.O)
		if err != nil || !ok {
			return nil, false, err
		}
		pairs = append(pairs, idPair{p: ids[0], objects: ids[1:]})
	}
	pairs, err = r.rarestFirst(pairs)
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
	ids, err := r.column(ctx, sql+order+" LIMIT ? OFFSET ?", append(args, limit, offset)...)
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

// CountSelected counts the selected subjects, up to most.
func (r *Reader) CountSelected(ctx context.Context, sel Selection, most int) (int, error) {
	if err := r.ready(ctx); err != nil {
		return 0, r.fail(ctx, "count selected", err)
	}
	if sel.Among != nil {
		return min(len(sel.Among.ids), most), nil
	}
	q, ok, err := r.selectFrom(ctx, sel)
	if err != nil || !ok {
		return 0, r.fail(ctx, "count selected", err)
	}
	n, err := r.countUpTo(q, most)
	return n, r.fail(ctx, "count selected", err)
}

func (r *Reader) countUpTo(q *selected, most int) (int, error) {
	sql, args := q.union()
	n, err := r.conn.int64("SELECT count(*) FROM ("+sql+" LIMIT ?)", append(args, most)...)
	return int(n), err
}

// CountValuesAmong counts, for each of the objects, how many selected subjects have
// it for p, up to most each.
func (r *Reader) CountValuesAmong(ctx context.Context, sel Selection, p rdf.IRI, objects []rdf.Term, most int) ([]int, error) {
	if err := r.ready(ctx); err != nil {
		return nil, r.fail(ctx, "count values among", err)
	}
	counts, err := r.countValuesAmong(ctx, sel, p, objects, most)
	return counts, r.fail(ctx, "count values among", err)
}

func (r *Reader) countValuesAmong(ctx context.Context, sel Selection, p rdf.IRI, objects []rdf.Term, most int) ([]int, error) {
	counts := make([]int, len(objects))
	few, err := r.CountSelected(ctx, sel, fewSelected+1)
	if err != nil || few == 0 {
		return counts, err
	}
	if few <= fewSelected {
		return counts, r.countEach(ctx, sel, p, objects, counts, most)
	}
	for i, o := range objects {
		with := sel
		with.Pairs = append(slices.Clone(sel.Pairs), Pair{p, o})
		if counts[i], err = r.CountSelected(ctx, with, most); err != nil {
			return nil, err
		}
	}
	return counts, nil
}

// fewSelected is up to how many subjects each of them is asked for its values;
// beyond it the index of the values is asked.
const fewSelected = 1000

// countEach reads the values of each selected subject once.
func (r *Reader) countEach(ctx context.Context, sel Selection, p rdf.IRI, objects []rdf.Term, counts []int, most int) error {
	ids, ok, err := r.ids(p)
	if err != nil || !ok {
		return err
	}
	q, ok, err := r.selectFrom(ctx, sel)
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
	sql, args := q.union()
	return r.conn.exec("SELECT v.o, count(*) FROM ("+sql+") c CROSS JOIN live v NOT INDEXED WHERE v.s = c.s AND v.p = ? AND v.g = 0 GROUP BY v.o", func(s *stmt) error {
		if i, ok := at[s.ColumnInt64(0)]; ok {
			counts[i] = min(int(s.ColumnInt64(1)), most)
		}
		return nil
	}, append(args, ids[0])...)
}
