package db

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"sort"
	"strings"

	"trails/db/inline"
	"trails/db/lower"
	"trails/db/scan"
	"trails/fault"
	"trails/rdf"
	"trails/rdf/xsd"
	"trails/sparql"
)

// Order says how subjects are sorted: by the least value of a property or, if Descending, by the greatest. Subjects
// without a value always come last. Equal ones are in the order of their ids, reversed if Descending; of several orders
// the later ones sort what the earlier ones leave equal, and the last one decides about ids.
type Order struct {
	// Via are the references, if any, from a subject to the node that has the property.
	Via        []rdf.IRI
	Property   rdf.IRI
	Descending bool
	// Datatype is the datatype of the values. Numbers, dates and booleans that are inlined in ids are sorted in the
	// index; other values have to be read and sorted.
	Datatype rdf.IRI
	// Text, when set, returns the text by which a value is sorted: a node's label.
	Text func(rdf.Term) (string, error)
	// Label, when set, is the property from which Text takes the label.
	Label rdf.IRI
}

// Bounds of sorting without an index.
const (
	sortLimit = 1_000_000 // subjects
	sortRunes = 200       // characters of each text
)

// groupsMost is how many values a property may have for its subjects to be read value by value. It is a variable for
// tests.
var groupsMost = 32

// sortedEach subjects, or fewer, have their values read one by one and sorted. It is a variable, so that a test can reach
// the walks over sorted values with little data.
var sortedEach = 3_000

// SelectSorted returns up to limit selected subjects in one or several orders, from offset on. Sorting by a number,
// date, boolean or text costs as much as the pages up to this one, once the texts are in memory (see textStore); so does
// a text or number over references, and the label of a node. Any other order, and one of few subjects, reads the value of each subject; more than
// a million subjects are the fault TooLarge. The later orders cost as many values as the page's subjects, and those that
// the first order leaves equal to them, have.
func (r *Reader) SelectSorted(ctx context.Context, sel Selection, by []Order, limit, offset int) ([]rdf.Term, error) {
	page := &pageOf{limit: limit, offset: offset, seen: map[inline.TermID]bool{}}
	err := r.ready(ctx)
	if err == nil {
		err = r.selectSorted(ctx, sel, by, page)
	}
	if err == nil {
		err = page.endRun()
	}
	if err != nil {
		return nil, r.fail(ctx, "sort", err)
	}
	list, err := r.terms(page.ids)
	return list, r.fail(ctx, "sort", err)
}

// deepOffset is from which place on of an order in the index the selected subjects are found first, by a scan, so that
// those before are not looked at one by one. It is a variable, so that a test can reach it with little data.
var deepOffset = 5_000

// pageOf collects one page of subjects that come in order, possibly with repetitions.
type pageOf struct {
	ids           []inline.TermID
	seen          map[inline.TermID]bool
	limit, offset int
	// among, unless it is nil, has the subjects that may be taken.
	among *scan.Set
	// refine, unless it is nil, sorts subjects of equal values. They wait in run until the last one of them came.
	refine func([]inline.TermID) error
	// follows means that others come after those of the selection that is read now.
	follows bool
	run     []inline.TermID
	rank    int64 // of the subjects in run
	failed  error
}

// add takes the next subject, and reports whether more are needed. Subjects whose values sort as equal have the same
// rank, which is needed only to refine the order.
func (p *pageOf) add(id inline.TermID, rank int64) bool {
	if p.among != nil && !p.among.Has(int64(id)) || p.seen[id] {
		return true
	}
	if rank != p.rank && p.endRun() != nil || p.full() {
		return false
	}
	p.seen[id], p.rank = true, rank
	if p.refine != nil {
		p.run = append(p.run, id)
		return true
	}
	if len(p.seen) > p.offset {
		p.ids = append(p.ids, id)
	}
	return !p.full()
}

func (p *pageOf) full() bool { return len(p.ids) >= p.limit }

// endRun sorts the subjects that wait, if some are on the page, and takes them.
func (p *pageOf) endRun() error {
	run := p.run
	p.run = nil
	skip := max(0, p.offset-(len(p.seen)-len(run)))
	if skip >= len(run) || p.failed != nil {
		return p.failed
	}
	if len(run) > 1 {
		if p.failed = p.refine(run); p.failed != nil {
			return p.failed
		}
	}
	p.ids = append(p.ids, run[skip:min(len(run), skip+p.limit-len(p.ids))]...)
	return nil
}

func (r *Reader) selectSorted(ctx context.Context, sel Selection, orders []Order, page *pageOf) error {
	by, then := orders[0], orders[1:]
	page.refine, page.among = nil, nil
	if len(then) > 0 {
		page.refine = func(run []inline.TermID) error { return r.sortRun(ctx, run, then) }
	}
	if sel.Among == nil {
		n, more, err := r.CountSelected(ctx, sel, sortedEach)
		if err != nil {
			return err
		}
		if more || n > sortedEach {
			if grouped, err := r.byGroups(ctx, sel, orders, page); err != nil || grouped {
				return err
			}
			walked, err := r.walkValues(ctx, sel, by, page)
			if err == nil {
				err = page.endRun()
			}
			if err == nil && walked && !page.full() {
				err = r.without(ctx, sel, orders, page)
			}
			if err != nil || walked {
				return err
			}
		}
	}
	return r.sortAll(ctx, sel, by, page)
}

// byGroups sorts by the later orders the subjects of each value of the first one, if that has few values: then those of
// one value are many, and only the page of them is read. It returns false for a single order, and where conditions do not
// tell values apart as the order does.
func (r *Reader) byGroups(ctx context.Context, sel Selection, orders []Order, page *pageOf) (bool, error) {
	by := orders[0]
	if len(orders) == 1 || len(by.Via) > 0 || by.Text != nil {
		return false, nil
	}
	inIndex, err := r.inIndex(ctx, by)
	if err != nil || !inIndex && (keyed[by.Datatype] != nil || ordered[by.Datatype]) {
		return false, err
	}
	reads := keyReader{Reader: r, by: by, texts: map[inline.TermID]string{}}
	var groups []sortKey // one for each value
	values := sparql.Distinct{Op: project(bgp(triplePattern(nil, by.Property, nil)), varO)}
	apart := true
	failed := r.askIDs(ctx, slice(values, groupsMost+1, 0), []sparql.Var{varO}, func(ids []inline.TermID) bool {
		var k sortKey
		if k, err = reads.key(0, ids[0]); err != nil {
			return false
		}
		if k.value, err = r.dict.Term(ids[0]); err != nil {
			return false
		}
		_, tagged := rdf.LangOf(k.value)
		apart = inIndex || tagged || rdf.DatatypeOf(k.value) == rdf.XSDString
		groups = append(groups, k)
		return apart
	})
	if err = cmp.Or(err, failed); err != nil || !apart || len(groups) > groupsMost {
		return false, err
	}
	rank := func(a, b sortKey) int {
		if inIndex {
			return cmp.Compare(a.o, b.o)
		}
		return cmp.Compare(a.text, b.text)
	}
	slices.SortFunc(groups, rank)
	if by.Descending {
		slices.Reverse(groups)
	}
	follows := page.follows
	page.follows = true
	for len(groups) > 0 && !page.full() {
		same := Condition{Path: by.path(), Test: Equal}
		first := groups[0]
		for len(groups) > 0 && rank(first, groups[0]) == 0 {
			same.Operands, groups = append(same.Operands, groups[0].value), groups[1:]
		}
		one := sel
		one.Where = append(slices.Clip(sel.Where), same)
		err := r.selectSorted(ctx, one, orders[1:], page)
		if err == nil {
			err = page.endRun()
		}
		if err != nil {
			return true, err
		}
	}
	page.follows = follows
	return true, r.without(ctx, sel, orders, page)
}

// walkValues walks the values in order, if the index or the texts in memory have them in order, and takes the
// subjects that meet all conditions.
func (r *Reader) walkValues(ctx context.Context, sel Selection, by Order, page *pageOf) (bool, error) {
	if by.Text != nil {
		return r.walkLabels(ctx, sel, by, page)
	}
	inIndex, err := r.inIndex(ctx, by)
	if err != nil {
		return false, err
	}
	if inIndex && len(by.Via) == 0 {
		values, err := r.valuesInIndex(ctx, sel, by, page)
		if err != nil {
			return true, err
		}
		_, err = r.askPages(ctx, stored(values, by.Descending, varO, varS), page, func(ids []inline.TermID) int64 { return int64(ids[1]) })
		return true, err
	}
	p, known, err := r.dict.Lookup(by.Property)
	if err != nil || !known || ordered[by.Datatype] {
		return false, err
	}
	rows, kept, err := r.sortedTexts(ctx, keyOf(p, by.Datatype))
	if err != nil || !kept {
		return false, err
	}
	if len(by.Via) > 0 {
		return true, r.walkPath(ctx, sel, by, rows, page)
	}
	more := true
	ranks := ranking{}
	for chunk := range chunks(rows, by.Descending) {
		if page.refine != nil {
			ranks.add(chunk)
		}
		err := r.among(ctx, sel, subjectsOf(chunk), func(id inline.TermID) bool {
			more = page.add(id, ranks.of[id])
			return more
		})
		if err != nil || !more {
			return true, err
		}
	}
	return true, nil
}

// valuesInIndex is the pattern for the values of the subjects of a page.
func (r *Reader) valuesInIndex(ctx context.Context, sel Selection, by Order, page *pageOf) (values sparql.Op, err error) {
	values = bgp(triplePattern(nil, by.Property, nil))
	if page.offset >= deepOffset {
		page.among, err = r.held(ctx, &Held{}, r.selected(ctx, sel))
	}
	if page.among == nil {
		values = r.restricted(ctx, values, sel)
	}
	return values, err
}

// askPages takes the subjects of a pattern in its order, with ranks by their ids and those of varO, and reports whether more
// are needed. A subject may have several values, so more are asked for, as often as a page is not full.
func (r *Reader) askPages(ctx context.Context, op sparql.Op, page *pageOf, rank func(ids []inline.TermID) int64) (more bool, err error) {
	for most := max(1, page.offset+page.limit); ; most *= 2 {
		rows := 0
		more = true
		err := r.askIDs(ctx, slice(op, most, 0), []sparql.Var{varS, varO}, func(ids []inline.TermID) bool {
			rows++
			more = page.add(ids[0], rank(ids))
			return more
		})
		if err != nil || !more || rows < most {
			return more, err
		}
	}
}

// ranking has the ranks of the subjects of one chunk of sorted texts: equal texts have equal ranks.
type ranking struct {
	of   map[inline.TermID]int64
	last int64
	text string
}

// add takes the next chunk. A subject with several texts has the rank of the first one.
func (r *ranking) add(chunk []textRow) {
	r.of = make(map[inline.TermID]int64, len(chunk))
	for _, row := range chunk {
		if row.text != r.text || r.last == 0 {
			r.text, r.last = row.text, r.last+1
		}
		if r.of[row.s] == 0 {
			r.of[row.s] = r.last
		}
	}
}

// walkPath walks the texts of the nodes that subjects refer to. Subjects with the same text are in the order of their
// ids.
func (r *Reader) walkPath(ctx context.Context, sel Selection, by Order, rows []textRow, page *pageOf) error {
	var of inline.TermID // text of the subjects that are waiting for others with the same text
	var waiting []inline.TermID
	rank, text := int64(0), ""
	give := func() (more bool) {
		slices.Sort(waiting)
		if by.Descending {
			slices.Reverse(waiting)
		}
		more = true
		for _, s := range waiting {
			more = more && page.add(s, rank)
		}
		waiting = waiting[:0]
		return more
	}
	for chunk := range chunks(rows, by.Descending) {
		op := r.restricted(ctx, sparql.Join{Left: amongIDs(holder, subjectsOf(chunk)), Right: bgp(along(nil, by.Via, sparql.Operand{Var: holder})...)}, sel)
		who := map[inline.TermID][]inline.TermID{}
		err := r.askIDs(ctx, op, []sparql.Var{varS, holder}, func(ids []inline.TermID) bool {
			who[ids[1]] = append(who[ids[1]], ids[0])
			return true
		})
		if err != nil {
			return err
		}
		for _, row := range chunk {
			if row.o != of && !give() {
				return nil
			}
			if row.text != text {
				rank, text = rank+1, row.text
			}
			of, waiting = row.o, append(waiting, who[row.s]...)
		}
	}
	give()
	return nil
}

// inIndex reports whether the index has all values of a property in the order of their datatype. It is true for a
// property without values.
func (r *Reader) inIndex(ctx context.Context, by Order) (bool, error) {
	region := inline.RegionOf(by.Datatype)
	if region == nil {
		return false, nil
	}
	if r.statistics(ctx, nil).region(by.Property) == lower.Region(region.Datatype) {
		return true, nil
	}
	n, err := r.askCount(ctx, slice(bgp(triplePattern(nil, by.Property, nil)), 1, 0))
	return n == 0, err
}

// chunks returns the rows in order or in reverse, some at a time.
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

// without adds the selected subjects without a value for the first order, behind those with one.
func (r *Reader) without(ctx context.Context, sel Selection, orders []Order, page *pageOf) error {
	if page.full() {
		return nil
	}
	by := orders[0]
	if len(orders) > 1 {
		sel.Where = append(slices.Clip(sel.Where), Condition{Path: by.path(), Test: Any, None: true})
		return r.selectSorted(ctx, sel, orders[1:], page)
	}
	values := bgp(along(nil, by.path(), sparql.Operand{Var: varO})...)
	op := filtered(r.selected(ctx, sel), not(exists(values)))
	if page.follows {
		return r.askIDs(ctx, stored(op, by.Descending, varS), []sparql.Var{varS}, func(ids []inline.TermID) bool { return page.add(ids[0], 0) })
	}
	skip := max(0, page.offset-len(page.seen))
	op = slice(stored(op, by.Descending, varS), page.limit-len(page.ids), skip)
	return r.askIDs(ctx, op, []sparql.Var{varS}, func(ids []inline.TermID) bool {
		page.ids = append(page.ids, ids[0])
		return true
	})
}

// sortKey is a subject with the value by which it is sorted.
type sortKey struct {
	s, o  inline.TermID // o is 0 without a value
	text  string
	value rdf.Term // when the order is by value
}

// sortBytes bounds the keys of one sort. It is a variable, so that a test can reach it with little data.
var sortBytes int64 = DefaultQueryBytes

// sortKeyBytes is the memory of a key without its text.
const sortKeyBytes = 96

// sortAll reads the values of all selected subjects and sorts them.
func (r *Reader) sortAll(ctx context.Context, sel Selection, by Order, page *pageOf) error {
	memory := r.Memory(Limits{Bytes: sortBytes})
	defer memory.Release()
	keys, err := r.sortKeys(ctx, r.selected(ctx, sel), by, memory)
	if err != nil {
		return err
	}
	sort.Slice(keys, func(i, j int) bool { return by.compare(keys[i], keys[j]) < 0 })
	rank := int64(0)
	for i, k := range keys {
		if i > 0 && by.compareValues(keys[i-1], k) != 0 {
			rank++
		}
		if !page.add(k.s, rank) {
			break
		}
	}
	return nil
}

// sortRun sorts subjects by several orders.
func (r *Reader) sortRun(ctx context.Context, run []inline.TermID, orders []Order) error {
	memory := r.Memory(Limits{Bytes: sortBytes})
	defer memory.Release()
	keys := make([]map[inline.TermID]sortKey, len(orders))
	for i, by := range orders {
		keys[i] = make(map[inline.TermID]sortKey, len(run))
		all, err := r.sortKeys(ctx, amongIDs(varS, run), by, memory)
		if err != nil {
			return err
		}
		for _, k := range all {
			if first, several := keys[i][k.s]; !several || by.compare(k, first) < 0 {
				keys[i][k.s] = k
			}
		}
	}
	last := len(orders) - 1
	slices.SortFunc(run, func(a, b inline.TermID) int {
		for i, by := range orders[:last] {
			if order := by.compareValues(keys[i][a], keys[i][b]); order != 0 {
				return order
			}
		}
		return orders[last].compare(keys[last][a], keys[last][b])
	})
	return nil
}

// sortKeys reads the keys of the subjects that a pattern has as varS.
func (r *Reader) sortKeys(ctx context.Context, subjects sparql.Op, by Order, memory *Memory) (keys []sortKey, err error) {
	reads := keyReader{Reader: r, by: by, texts: map[inline.TermID]string{}}
	if err := reads.readLabels(ctx); err != nil {
		return nil, err
	}
	op := sparql.LeftJoin{Left: project(subjects, varS), Right: bgp(along(nil, by.path(), sparql.Operand{Var: varO})...)}
	failed := r.askIDs(ctx, op, []sparql.Var{varS, varO}, func(ids []inline.TermID) bool {
		if len(keys) == sortLimit {
			err = fault.New(fault.TooLarge, "more than %d nodes cannot be sorted by this property; filter them first", sortLimit)
			return false
		}
		var k sortKey
		if k, err = reads.key(ids[0], ids[1]); err == nil {
			err = memory.Grow(sortKeyBytes + int64(len(k.text)))
		}
		keys = append(keys, k)
		return err == nil
	})
	return keys, cmp.Or(err, failed)
}

// keyReader converts rows to keys, and caches the texts of values that many subjects have.
type keyReader struct {
	*Reader
	by    Order
	texts map[inline.TermID]string
}

// readLabels takes the texts of all labels from those in memory.
func (r *keyReader) readLabels(ctx context.Context) error {
	p, ok, err := r.dict.Lookup(r.by.Label)
	if r.by.Text == nil || r.by.Label == "" || err != nil || !ok {
		return err
	}
	rows, _, err := r.sortedTexts(ctx, keyOf(p, rdf.XSDString))
	least := map[inline.TermID]inline.TermID{} // the label of a node is its value with the least id
	for _, row := range rows {
		if o, ok := least[row.s]; !ok || row.o < o {
			r.texts[row.s], least[row.s] = row.text, row.o
		}
	}
	for s, text := range r.texts {
		if strings.TrimSpace(text) == "" { // the node has another name
			delete(r.texts, s)
		}
	}
	return err
}

func (r *keyReader) key(s, o inline.TermID) (k sortKey, err error) {
	k = sortKey{s: s, o: o}
	if o == 0 {
		return k, nil
	}
	if r.by.Text != nil {
		k.text, err = r.text(o)
		return k, err
	}
	if k.value, err = r.dict.Term(o); err != nil {
		return k, err
	}
	k.text = orderText(r.by.Datatype, rdf.Lexical(k.value))
	if !ordered[r.by.Datatype] {
		k.value = nil
	}
	return k, nil
}

func (r *keyReader) text(o inline.TermID) (string, error) {
	if text, ok := r.texts[o]; ok {
		return text, nil
	}
	t, err := r.dict.Term(o)
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

// ordered are the datatypes whose values are compared by value.
var ordered = map[rdf.IRI]bool{
	rdf.XSDBoolean: true, rdf.XSDDate: true, rdf.XSDTime: true, rdf.XSDGYear: true,
}

// path leads from a subject to the values by which it is sorted.
func (by Order) path() []rdf.IRI { return append(slices.Clone(by.Via), by.Property) }

// compare is a total order of keys: of one subject's keys the smallest is first.
func (by Order) compare(a, b sortKey) int {
	if order := by.compareValues(a, b); order != 0 {
		return order
	}
	order := cmp.Or(cmp.Compare(a.o, b.o), cmp.Compare(a.s, b.s))
	if by.Descending {
		return -order
	}
	return order
}

// compareValues compares keys by their values alone.
func (by Order) compareValues(a, b sortKey) int {
	switch {
	case a.o == 0 && b.o == 0:
		return 0
	case a.o == 0:
		return 1
	case b.o == 0:
		return -1
	case by.Descending:
		return compareValues(b, a)
	}
	return compareValues(a, b)
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
