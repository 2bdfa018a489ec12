package db

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"

	"trails/db/inline"
	"trails/fault"
	"trails/rdf"
	"trails/rdf/xsd"
)

// Order says how a table is sorted: by the least value of a property, or by the
// greatest when it is Descending. Subjects without a value come last either way, and
// equal ones are in the order of their ids, or against it when it is Descending.
type Order struct {
	Property   rdf.IRI
	Descending bool
	// Datatype is that of the values. Those of numbers, dates and booleans that ids
	// carry are in the index in their order; all others have to be read and sorted.
	Datatype rdf.IRI
	// Many means that a subject may have several values.
	Many bool
	// Text, when set, gives the text by which a value is sorted: a node's label.
	Text func(rdf.Term) (string, error)
	// Label, when set, is the property that Text reads first.
	Label rdf.IRI
}

// Bounds of sorting without an index.
const (
	sortLimit  = 1_000_000 // subjects
	sortRunes  = 200       // of each text
	sortedEach = 3_000     // subjects: so many are read and sorted in any order
)

// SelectSorted returns the selected subjects in an order, from offset on and limit
// at most. By a number, a date, a boolean or a text it costs what the page and those
// before it do, once the texts are kept; see textStore. By anything else, and for few
// subjects, it reads the value of each subject; more than a million of them are refused
// with fault.TooLarge.
func (r *Reader) SelectSorted(ctx context.Context, sel Selection, by Order, limit, offset int) ([]rdf.Term, error) {
	ids, ok, err := r.known(ctx, by.Property)
	if err != nil {
		return nil, r.fail(ctx, "sort", err)
	}
	if !ok { // nobody has a value
		ids = []int64{0}
	}
	list, err := r.selectSorted(ctx, sel, by, ids[0], limit, offset)
	return list, r.fail(ctx, "sort", err)
}

func (r *Reader) selectSorted(ctx context.Context, sel Selection, by Order, p int64, limit, offset int) ([]rdf.Term, error) {
	q, ok, err := r.selectFrom(ctx, sel)
	if err != nil || !ok {
		return nil, err
	}
	_, many, err := r.countUpTo(q, sortedEach, countWork)
	if err != nil {
		return nil, err
	}
	if many && sel.Among == nil && by.Text == nil {
		list, done, err := r.sortMany(ctx, sel, by, p, limit, offset)
		if err != nil || done {
			return list, err
		}
	}
	return r.sortAll(ctx, q, by, p, limit, offset)
}

// sortMany walks the values in their order, when there is one to walk in: that of the
// index, or of the texts that are kept.
func (r *Reader) sortMany(ctx context.Context, sel Selection, by Order, p int64, limit, offset int) (list []rdf.Term, done bool, err error) {
	if region := inline.RegionOf(by.Datatype); region != nil {
		only, err := r.onlyIn(p, region)
		if err != nil {
			return nil, false, err
		}
		if only {
			list, err = r.sortByIndex(ctx, sel, by, p, region, limit, offset)
			return list, true, err
		}
	}
	if ordered[by.Datatype] {
		return nil, false, nil
	}
	rows, kept, err := r.sortedTexts(ctx, keyOf(p, by.Datatype))
	if err != nil || !kept {
		return nil, false, err
	}
	list, err = r.sortByTexts(ctx, sel, by, p, rows, limit, offset)
	return list, true, err
}

// onlyIn reports whether all values of a property are in one region of ids.
func (r *Reader) onlyIn(p int64, in *inline.Region) (bool, error) {
	n, err := r.conn.int64(onlyInRange, p, in.Low, in.High)
	return n == 1, err
}

const onlyInRange = `SELECT NOT EXISTS (SELECT 1 FROM live l INDEXED BY live_pos WHERE l.p = ?1 AND l.o < ?2)
	AND NOT EXISTS (SELECT 1 FROM live l INDEXED BY live_pos WHERE l.p = ?1 AND l.o >= ?3)`

// sortByIndex walks the values in their order and keeps those of selected subjects.
func (r *Reader) sortByIndex(ctx context.Context, sel Selection, by Order, p int64, in *inline.Region, limit, offset int) ([]rdf.Term, error) {
	pairs, _, err := r.selectionPairs(ctx, sel)
	if err != nil {
		return nil, err
	}
	sql, args := sortedQuery(pairs, by)
	args = append([]any{p, in.Low, in.High - 1}, args...)
	ids, err := r.column(ctx, sql+" LIMIT ? + 0 OFFSET ?", append(args, limit, offset)...)
	if err != nil {
		return nil, err
	}
	list, err := r.terms(ids)
	if err != nil || len(list) == limit {
		return list, err
	}
	// The page reaches beyond those with a value, or begins there.
	skip := int64(0)
	if len(ids) == 0 {
		valued, err := r.conn.int64("SELECT count(*) FROM ("+sql+")", args...)
		if err != nil {
			return nil, err
		}
		skip = int64(offset) - valued
	}
	rest, err := r.without(ctx, sel, by, p, limit-len(list), int(skip))
	return append(list, rest...), err
}

// sortedQuery lists the subjects with a value in a range, in its order.
func sortedQuery(pairs []idPair, by Order) (sql string, args []any) {
	less, direction := "<", ""
	if by.Descending {
		less, direction = ">", " DESC"
	}
	sql = "SELECT a.s FROM live a INDEXED BY live_pos WHERE a.p = ?1 AND a.o BETWEEN ?2 AND ?3 AND a.g = 0"
	for _, pair := range pairs {
		sql += probe(pair)
		args = append(args, pair.args()...)
	}
	if by.Many { // a subject stands where its first value does
		sql += " AND NOT EXISTS (SELECT 1 FROM live c NOT INDEXED WHERE c.s = a.s AND c.p = a.p AND c.o " + less + " a.o AND c.g = 0)"
	}
	return sql + " ORDER BY a.o" + direction + ", a.s" + direction, args
}

// probe asks whether the subject of a row a has a pair.
func probe(p idPair) string {
	return " AND EXISTS (SELECT 1 FROM live b NOT INDEXED WHERE b.s = a.s AND b.p = ? AND b.o" + oneOf(p.objects) + " AND b.g = 0)"
}

// sortByTexts walks the texts that are kept and keeps those of selected subjects.
func (r *Reader) sortByTexts(ctx context.Context, sel Selection, by Order, p int64, rows []textRow, limit, offset int) ([]rdf.Term, error) {
	pairs, ok, err := r.selectionPairs(ctx, sel)
	if err != nil || !ok {
		return nil, err
	}
	seen := map[int64]bool{}
	var page []int64
	for chunk := range chunks(rows, by.Descending) {
		ids, err := r.among(ctx, pairs, subjectsOf(chunk))
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			if seen[id] {
				continue
			}
			seen[id] = true
			if len(seen) > offset {
				page = append(page, id)
			}
			if len(page) == limit {
				return r.terms(page)
			}
		}
	}
	list, err := r.terms(page)
	if err != nil {
		return nil, err
	}
	rest, err := r.without(ctx, sel, by, p, limit-len(list), max(0, offset-len(seen)))
	return append(list, rest...), err
}

// chunks are the rows in their order, or against it, some at a time.
func chunks(rows []textRow, backwards bool) iter.Seq[[]textRow] {
	if !backwards {
		return slices.Chunk(rows, textChunk)
	}
	return func(yield func([]textRow) bool) {
		for end := len(rows); end > 0; end -= textChunk {
			chunk := slices.Clone(rows[max(0, end-textChunk):end])
			slices.Reverse(chunk)
			if !yield(chunk) {
				return
			}
		}
	}
}

// without returns the selected subjects that have no value.
func (r *Reader) without(ctx context.Context, sel Selection, by Order, p int64, limit, offset int) ([]rdf.Term, error) {
	q, ok, err := r.selectFrom(ctx, sel)
	if err != nil || !ok {
		return nil, err
	}
	q = q.and("NOT EXISTS (SELECT 1 FROM live c NOT INDEXED WHERE c.s = a.s AND c.p = ? AND c.g = 0)", p)
	order := " ORDER BY s"
	if by.Descending {
		order += " DESC"
	}
	return r.pageOf(ctx, q, order, limit, offset)
}

// sortKey is a subject with the value that it is sorted by.
type sortKey struct {
	s, o  int64 // o is 0 without a value
	text  string
	value rdf.Term // when the order is by value
}

// sortBytes bounds the keys of one sort. A variable, so that a test reaches it with little
// data.
var sortBytes int64 = DefaultQueryBytes

// sortKeyBytes is what a key takes without its text, among the subjects that were seen.
const sortKeyBytes = 96

// sortAll reads the values of all selected subjects and sorts them.
func (r *Reader) sortAll(ctx context.Context, q *selected, by Order, p int64, limit, offset int) ([]rdf.Term, error) {
	memory := r.Memory(Limits{Bytes: sortBytes})
	defer memory.Release()
	keys, err := r.sortKeys(ctx, q, by, p, memory)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(keys, by.compare)
	seen := make(map[int64]bool, len(keys))
	var page []int64
	for _, k := range keys {
		if seen[k.s] {
			continue
		}
		seen[k.s] = true
		if len(seen) > offset {
			page = append(page, k.s)
		}
		if len(page) == limit {
			break
		}
	}
	return r.terms(page)
}

func (r *Reader) sortKeys(ctx context.Context, q *selected, by Order, p int64, memory *Memory) (keys []sortKey, err error) {
	sql, args := keysQuery(q)
	s, err := r.conn.take(sql)
	if err != nil {
		return nil, err
	}
	defer s.release()
	s.bind(1, sortRunes)
	for i, arg := range append(args, p) {
		s.bind(i+2, arg)
	}
	reads := keyReader{Reader: r, by: by, texts: map[int64]string{}}
	if err := reads.readLabels(ctx); err != nil {
		return nil, err
	}
	err = r.steps(ctx, s, func() (bool, error) {
		if len(keys) == sortLimit {
			return false, fault.New(fault.TooLarge, "more than %d nodes cannot be sorted by this property; filter them first", sortLimit)
		}
		k, err := reads.key(s)
		if err == nil {
			err = memory.Grow(sortKeyBytes + int64(len(k.text)))
		}
		keys = append(keys, k)
		return true, err
	})
	return keys, err
}

// keysQuery reads the values of one more argument, a predicate, of what is selected;
// the first argument is how much of a text.
func keysQuery(q *selected) (sql string, args []any) {
	sql, args = q.union()
	return "SELECT c.s, v.o, t.kind, substr(t.value, 1, ?), t.datatype, t.lang FROM (" + sql +
		") c LEFT JOIN live v NOT INDEXED ON v.s = c.s AND v.p = ? AND v.g = 0 LEFT JOIN terms t ON t.id = v.o", args
}

// keyReader turns rows into keys, and remembers the texts of values that many have.
type keyReader struct {
	*Reader
	by    Order
	texts map[int64]string
}

// readLabels takes the texts of all labels from those that are kept.
func (r *keyReader) readLabels(ctx context.Context) error {
	p, ok, err := r.dict.lookup(r.by.Label)
	if r.by.Text == nil || r.by.Label == "" || err != nil || !ok {
		return err
	}
	rows, _, err := r.sortedTexts(ctx, keyOf(p, rdf.XSDString))
	least := map[int64]int64{} // a node's label is the value with the least id
	for _, row := range rows {
		if o, ok := least[row.s]; !ok || row.o < o {
			r.texts[row.s], least[row.s] = row.text, row.o
		}
	}
	for s, text := range r.texts {
		if strings.TrimSpace(text) == "" { // it is called otherwise
			delete(r.texts, s)
		}
	}
	return err
}

func (r *keyReader) key(s *stmt) (k sortKey, err error) {
	k = sortKey{s: s.ColumnInt64(0), o: s.ColumnInt64(1)}
	if s.ColumnIsNull(1) {
		return k, nil
	}
	if r.by.Text != nil {
		k.text, err = r.text(k.o)
		return k, err
	}
	if k.value, err = r.dict.joined(k.o, s, 2); err != nil {
		return k, err
	}
	k.text = orderText(r.by.Datatype, rdf.Lexical(k.value))
	if !ordered[r.by.Datatype] {
		k.value = nil
	}
	return k, nil
}

func (r *keyReader) text(o int64) (string, error) {
	if text, ok := r.texts[o]; ok {
		return text, nil
	}
	t, err := r.dict.term(o)
	if err != nil {
		return "", err
	}
	text, err := r.by.Text(t)
	if err != nil {
		return "", err
	}
	text = folded(text)
	r.texts[o] = text
	return text, nil
}

// ordered are the datatypes whose values are compared as such.
var ordered = map[rdf.IRI]bool{
	rdf.XSDBoolean: true, rdf.XSDDate: true, rdf.XSDTime: true, rdf.XSDGYear: true,
}

// compare is a total order of keys: one subject's smallest comes first.
func (by Order) compare(a, b sortKey) int {
	if (a.o == 0) != (b.o == 0) {
		if a.o == 0 {
			return 1
		}
		return -1
	}
	order := cmp.Or(compareValues(a, b), cmp.Compare(a.o, b.o), cmp.Compare(a.s, b.s))
	if by.Descending {
		return -order
	}
	return order
}

func compareValues(a, b sortKey) int {
	if a.value == nil || b.value == nil {
		return cmp.Compare(a.text, b.text)
	}
	if a.o < 0 && b.o < 0 && inline.RegionAt(a.o) == inline.RegionAt(b.o) {
		return cmp.Compare(a.o, b.o)
	}
	if order, ok := xsd.Compare(a.value, b.value); ok {
		return order
	}
	return cmp.Compare(a.text, b.text)
}
