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
	"trails/fault"
	"trails/rdf"
	"trails/rdf/xsd"
	"trails/sparql"
)

// Order says how subjects are sorted: by the least value of a property or, if Descending, by the greatest. Subjects
// without a value always come last. Equal ones are in the order of their ids, reversed if Descending.
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
	sortLimit  = 1_000_000 // subjects
	sortRunes  = 200       // characters of each text
	sortedEach = 3_000     // subjects: up to this number, values are read one by one and sorted
)

// SelectSorted returns up to limit selected subjects in an order, from offset on. Sorting by a number, date, boolean
// or text costs as much as the pages up to this one, once the texts are in memory (see textStore); so does a text or
// number over references. Any other order, and one of few subjects, reads the value of each subject; more than a
// million subjects are the fault TooLarge.
func (r *Reader) SelectSorted(ctx context.Context, sel Selection, by Order, limit, offset int) ([]rdf.Term, error) {
	page := &pageOf{limit: limit, offset: offset, seen: map[inline.TermID]bool{}}
	err := r.ready(ctx)
	if err == nil {
		err = r.selectSorted(ctx, sel, by, page)
	}
	if err != nil {
		return nil, r.fail(ctx, "sort", err)
	}
	list, err := r.terms(page.ids)
	return list, r.fail(ctx, "sort", err)
}

// pageOf collects one page of subjects that come in order, possibly with repetitions.
type pageOf struct {
	ids           []inline.TermID
	seen          map[inline.TermID]bool
	limit, offset int
}

// add takes the next subject, and reports whether more are needed.
func (p *pageOf) add(id inline.TermID) bool {
	if p.seen[id] {
		return true
	}
	p.seen[id] = true
	if len(p.seen) > p.offset {
		p.ids = append(p.ids, id)
	}
	return len(p.ids) < p.limit
}

func (r *Reader) selectSorted(ctx context.Context, sel Selection, by Order, page *pageOf) error {
	if sel.Among == nil && by.Text == nil {
		n, more, err := r.CountSelected(ctx, sel, sortedEach)
		if err != nil {
			return err
		}
		if more || n > sortedEach {
			walked, err := r.walkValues(ctx, sel, by, page)
			if err == nil && walked {
				err = r.without(ctx, sel, by, page)
			}
			if err != nil || walked {
				return err
			}
		}
	}
	return r.sortAll(ctx, sel, by, page)
}

// walkValues walks the values in order, if the index or the texts in memory have them in order, and takes the
// subjects that meet all conditions.
func (r *Reader) walkValues(ctx context.Context, sel Selection, by Order, page *pageOf) (bool, error) {
	inIndex, err := r.inIndex(ctx, by)
	if err != nil {
		return false, err
	}
	if inIndex && len(by.Via) == 0 {
		values := r.restricted(ctx, bgp(triplePattern(nil, by.Property, nil)), sel)
		return true, r.askPages(ctx, stored(values, by.Descending, varO, varS), page)
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
	for chunk := range chunks(rows, by.Descending) {
		err := r.among(ctx, sel, subjectsOf(chunk), func(id inline.TermID) bool {
			more = page.add(id)
			return more
		})
		if err != nil || !more {
			return true, err
		}
	}
	return true, nil
}

// askPages takes the subjects of a pattern in its order. A subject may have several values, so more are asked for, as
// often as a page is not full.
func (r *Reader) askPages(ctx context.Context, op sparql.Op, page *pageOf) error {
	for most := max(1, page.offset+page.limit); ; most *= 2 {
		rows, more := 0, true
		err := r.askIDs(ctx, slice(op, most, 0), []sparql.Var{varS}, func(ids []inline.TermID) bool {
			rows++
			more = page.add(ids[0])
			return more
		})
		if err != nil || !more || rows < most {
			return err
		}
	}
}

// walkPath walks the texts of the nodes that subjects refer to. Subjects with the same text are in the order of their
// ids.
func (r *Reader) walkPath(ctx context.Context, sel Selection, by Order, rows []textRow, page *pageOf) error {
	const holder sparql.Var = "holder"
	var of inline.TermID // text of the subjects that are waiting for others with the same text
	var waiting []inline.TermID
	give := func() (more bool) {
		slices.Sort(waiting)
		if by.Descending {
			slices.Reverse(waiting)
		}
		more = true
		for _, s := range waiting {
			more = more && page.add(s)
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

// without adds the selected subjects without a value, behind those with one.
func (r *Reader) without(ctx context.Context, sel Selection, by Order, page *pageOf) error {
	if len(page.ids) == page.limit {
		return nil
	}
	values := bgp(along(nil, append(slices.Clone(by.Via), by.Property), sparql.Operand{Var: varO})...)
	op := filtered(r.selected(ctx, sel), not(exists(values)))
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
	keys, err := r.sortKeys(ctx, sel, by, memory)
	if err != nil {
		return err
	}
	sort.Slice(keys, func(i, j int) bool { return by.compare(keys[i], keys[j]) < 0 })
	for _, k := range keys {
		if !page.add(k.s) {
			break
		}
	}
	return nil
}

func (r *Reader) sortKeys(ctx context.Context, sel Selection, by Order, memory *Memory) (keys []sortKey, err error) {
	reads := keyReader{Reader: r, by: by, texts: map[inline.TermID]string{}}
	if err := reads.readLabels(ctx); err != nil {
		return nil, err
	}
	op := sparql.LeftJoin{Left: project(r.selected(ctx, sel), varS), Right: bgp(along(nil, append(slices.Clone(by.Via), by.Property), sparql.Operand{Var: varO})...)}
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

// compare is a total order of keys: of one subject's keys the smallest is first.
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
