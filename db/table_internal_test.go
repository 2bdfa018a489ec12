package db

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"trails/db/inline"
	"trails/e2e/testrun"
	"trails/rdf"
	"trails/rdf/xsd"
)

// A table in memory: what is said in the default graph, by subject and predicate.
type model struct {
	values map[rdf.Term]map[rdf.IRI][]rdf.Term
	ids    map[rdf.Term]inline.TermID
}

const (
	modelNumber = rdf.IRI("urn:p:number")
	modelText   = rdf.IRI("urn:p:text")
	modelLink   = rdf.IRI("urn:p:link")
	modelClassA = rdf.IRI("urn:c:A")
	modelClassB = rdf.IRI("urn:c:B")
)

var modelValues = map[rdf.IRI]*rapid.Generator[rdf.Term]{
	rdf.Type: rapid.SampledFrom([]rdf.Term{modelClassA, modelClassB}),
	modelNumber: rapid.OneOf(
		rapid.Map(rapid.IntRange(-3, 12), func(n int) rdf.Term { return rdf.Literal(fmt.Sprint(n), rdf.XSDInteger) }),
		rapid.SampledFrom([]rdf.Term{rdf.Literal("007", rdf.XSDInteger), rdf.Literal("99999999999999999999", rdf.XSDInteger)}),
	),
	modelText: rapid.SampledFrom([]rdf.Term{
		rdf.String("a"), rdf.String("B"), rdf.String("b"), rdf.String(""), rdf.String("É"), rdf.String("éa"), rdf.String("a%b_"), rdf.String(`a\b`), rdf.LangString{Value: "c", Lang: "de"},
		rdf.String(strings.Repeat("z", 300)),
	}),
	modelLink: rapid.Map(rapid.IntRange(0, 6), func(n int) rdf.Term { return rdf.IRI(fmt.Sprintf("urn:s:%d", n)) }),
}

// drawQuads draws what is said; onlyInline leaves out numbers that ids do not carry.
func drawQuads(t *rapid.T, onlyInline bool) []rdf.Quad {
	var out []rdf.Quad
	for i := range rapid.IntRange(0, 30).Draw(t, "subjects") {
		s := rdf.IRI(fmt.Sprintf("urn:s:%d", i))
		for _, p := range []rdf.IRI{rdf.Type, modelNumber, modelText, modelLink} {
			for range rapid.IntRange(0, 2).Draw(t, "values") {
				q := rdf.Quad{Subject: s, Predicate: p, Object: modelValues[p].Draw(t, "value")}
				if _, inline := inline.ID(q.Object); p == modelNumber && onlyInline && !inline {
					continue
				}
				if rapid.IntRange(0, 9).Draw(t, "graph") == 0 && p != rdf.Type {
					q.Label = rdf.IRI("urn:g")
				}
				out = append(out, q)
			}
		}
	}
	// A writer takes them in the order of their lines, each once.
	line := func(q rdf.Quad) string { return string(rdf.AppendQuad(nil, q)) }
	slices.SortFunc(out, func(a, b rdf.Quad) int { return cmp.Compare(line(a), line(b)) })
	return slices.Compact(out)
}

func newModel(t *rapid.T, r *Reader, quads []rdf.Quad) model {
	m := model{map[rdf.Term]map[rdf.IRI][]rdf.Term{}, map[rdf.Term]inline.TermID{}}
	for _, q := range quads {
		if q.Label != nil {
			continue
		}
		about := m.values[q.Subject]
		if about == nil {
			about = map[rdf.IRI][]rdf.Term{}
			m.values[q.Subject] = about
		}
		p := q.Predicate.(rdf.IRI)
		if !slices.Contains(about[p], q.Object) {
			about[p] = append(about[p], q.Object)
		}
		for _, term := range []rdf.Term{q.Subject, q.Object} {
			id, ok, err := r.dict.Lookup(term)
			if err != nil || !ok {
				t.Fatalf("%v is not in the file: %v", term, err)
			}
			m.ids[term] = id
		}
	}
	return m
}

// selected lists the subjects in the order of their ids.
func (m model) selected(sel Selection) []rdf.Term {
	out := []rdf.Term{}
	for s, about := range m.values {
		fits := slices.ContainsFunc(about[rdf.Type], func(c rdf.Term) bool { return slices.Contains(sel.Classes, c.(rdf.IRI)) })
		for _, c := range sel.Where {
			fits = fits && m.meets(s, c)
		}
		if fits {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b rdf.Term) int { return cmp.Compare(m.ids[a], m.ids[b]) })
	return out
}

// meets reports whether a subject meets a condition.
func (m model) meets(s rdf.Term, c Condition) bool {
	values := []rdf.Term{s}
	for _, p := range c.Path {
		var next []rdf.Term
		for _, v := range values {
			next = append(next, m.values[v][p]...)
		}
		values = next
	}
	return c.None != slices.ContainsFunc(values, func(v rdf.Term) bool { return modelPasses(c, v) })
}

func modelPasses(c Condition, v rdf.Term) bool {
	compare := func(o rdf.Term) int {
		if order, ok := xsd.Compare(v, o); ok {
			return order
		}
		return cmp.Compare(rdf.Lexical(v), rdf.Lexical(o))
	}
	equal := func(o rdf.Term) bool {
		_, number := xsd.NumberOf(o)
		return v == o || number && compare(o) == 0
	}
	switch c.Test {
	case Equal:
		return slices.ContainsFunc(c.Operands, equal)
	case Less:
		return compare(c.Operands[0]) < 0
	case LessOrEqual:
		return compare(c.Operands[0]) <= 0
	case Greater:
		return compare(c.Operands[0]) > 0
	case GreaterOrEqual:
		return compare(c.Operands[0]) >= 0
	case Contains:
		return strings.Contains(strings.ToLower(rdf.Lexical(v)), strings.ToLower(rdf.Lexical(c.Operands[0])))
	case Begins:
		return strings.HasPrefix(strings.ToLower(rdf.Lexical(v)), strings.ToLower(rdf.Lexical(c.Operands[0])))
	case Any, FromOthers:
	}
	return true
}

// sorted is selected in several orders.
func (m model) sorted(sel Selection, orders ...Order) []rdf.Term {
	list := m.selected(sel)
	slices.SortFunc(list, func(a, b rdf.Term) int {
		for i, by := range orders {
			order := m.compare(by, a, b, i == len(orders)-1)
			if order != 0 {
				return order
			}
		}
		return 0
	})
	return list
}

// compare compares subjects by their first values; ids says that subjects with equal values compare by ids.
func (m model) compare(by Order, a, b rdf.Term, ids bool) int {
	values := func(s rdf.Term) []rdf.Term {
		from := []rdf.Term{s}
		for _, p := range append(slices.Clone(by.Via), by.Property) {
			var next []rdf.Term
			for _, v := range from {
				next = append(next, m.values[v][p]...)
			}
			from = next
		}
		return from
	}
	compare := func(x, y rdf.Term) int { return cmp.Or(m.compareValues(by, x, y), cmp.Compare(m.ids[x], m.ids[y])) }
	first := slices.MinFunc[[]rdf.Term]
	if by.Descending {
		first = slices.MaxFunc[[]rdf.Term]
	}
	of, other := values(a), values(b)
	if len(of) == 0 != (len(other) == 0) {
		return len(other) - len(of)
	}
	order := 0
	if len(of) > 0 {
		x, y := first(of, compare), first(other, compare)
		if order = m.compareValues(by, x, y); order == 0 && ids {
			order = cmp.Compare(m.ids[x], m.ids[y])
		}
	}
	if ids {
		order = cmp.Or(order, cmp.Compare(m.ids[a], m.ids[b]))
	}
	if by.Descending {
		return -order
	}
	return order
}

func (m model) compareValues(by Order, a, b rdf.Term) int {
	if by.Property == modelNumber {
		order, ok := xsd.Compare(a, b)
		if !ok {
			panic(fmt.Sprintf("%v and %v do not compare", a, b))
		}
		return order
	}
	return cmp.Compare(modelFold(a), modelFold(b))
}

func modelFold(t rdf.Term) string {
	runes := []rune(strings.ToLower(rdf.Lexical(t)))
	return string(runes[:min(len(runes), sortRunes)])
}

func page[T any](list []T, limit, offset int) []T {
	offset = min(offset, len(list))
	return list[offset:min(len(list), offset+limit)]
}

var drawSelection = rapid.Custom(func(t *rapid.T) Selection {
	sel := Selection{Classes: rapid.SliceOfNDistinct(rapid.SampledFrom([]rdf.IRI{modelClassA, modelClassB, "urn:c:None"}), 1, 3, rapid.ID).Draw(t, "classes")}
	for range rapid.IntRange(0, 2).Draw(t, "conditions") {
		sel.Where = append(sel.Where, drawCondition.Draw(t, "condition"))
	}
	return sel
})

var drawCondition = rapid.Custom(func(t *rapid.T) Condition {
	p := rapid.SampledFrom([]rdf.IRI{modelNumber, modelText, modelLink}).Draw(t, "property")
	tests := []Test{Any, Equal}
	operands := modelValues[p]
	switch p {
	case modelNumber:
		tests = append(tests, Less, LessOrEqual, Greater, GreaterOrEqual)
	case modelText:
		tests = append(tests, Less, LessOrEqual, Greater, GreaterOrEqual, Contains, Begins)
	}
	c := Condition{Test: rapid.SampledFrom(tests).Draw(t, "test"), None: rapid.Bool().Draw(t, "none")}
	switch c.Test {
	case Any, FromOthers: // where statements come from has tests of its own
	case Equal:
		c.Operands = rapid.SliceOfN(operands, 1, 3).Draw(t, "operands")
	case Contains, Begins:
		c.Operands = []rdf.Term{rapid.SampledFrom([]rdf.Term{rdf.String("A"), rdf.String("é"), rdf.String("%"), rdf.String(`\b`), rdf.String("")}).Draw(t, "part")}
	case Less, LessOrEqual, Greater, GreaterOrEqual:
		c.Operands = []rdf.Term{operands.Filter(func(o rdf.Term) bool { _, tagged := rdf.LangOf(o); return !tagged }).Draw(t, "bound")}
	}
	for range rapid.IntRange(0, 2).Draw(t, "references") {
		c.Path = append(c.Path, modelLink)
	}
	c.Path = append(c.Path, p)
	return c
})

// TestTablesAreAsInMemory compares pages, counts and every way to sort and to search
// with a table in memory.
func TestTablesAreAsInMemory(t *testing.T) {
	testrun.Alone(t)
	dir := t.TempDir()
	files := 0
	rapid.Check(t, func(t *rapid.T) {
		files++
		scans := rapid.SampledFrom([]Scans{ScansChosen, ScansAlways}).Draw(t, "scans")
		onlyInline := rapid.Bool().Draw(t, "only inline")
		quads := drawQuads(t, onlyInline)
		r := modelFile(t, filepath.Join(dir, fmt.Sprint(files)), quads, scans)
		m := newModel(t, r, quads)
		for range 8 {
			sel := drawSelection.Draw(t, "selection")
			limit, offset := rapid.IntRange(1, 12).Draw(t, "limit"), rapid.IntRange(0, 20).Draw(t, "offset")
			got, err := r.Select(t.Context(), sel, limit, offset)
			same(t, "select", page(m.selected(sel), limit, offset), got, err)
			n, more, err := r.CountSelected(t.Context(), sel, limit)
			all := len(m.selected(sel))
			if same(t, "count", []int{all}, []int{n}, err); more {
				t.Errorf("there are more than %d, which are all", all)
			}
			n, more, err = r.countUpTo(t.Context(), sel, limit, countWork)
			if same(t, "count up to a limit", []int{min(all, limit)}, []int{n}, err); more != (all > limit) {
				t.Errorf("more is %t of %d up to %d", more, all, limit)
			}
			checkOrders(t, r, m, sel, limit, offset, onlyInline)
			checkCounts(t, r, m, sel, limit)
			checkSearch(t, r, m, sel, limit, offset)
		}
	})
}

func modelFile(t *rapid.T, path string, quads []rdf.Quad, scans Scans) *Reader {
	if err := fresh(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	f, err := Open(t.Context(), path, Options{Scans: scans})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	w, err := f.Write(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for _, q := range quads {
		if _, err := w.Add(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Commit(t.Context(), CommitMeta{}, nil); err != nil {
		t.Fatal(err)
	}
	r, err := f.Read(t.Context(), View{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func same[T any](t *rapid.T, what string, want, got []T, err error) {
	if err != nil {
		t.Fatal(what, err)
	}
	if len(want) == 0 && len(got) == 0 {
		return
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("%s: %s", what, diff)
	}
}

func checkOrders(t *rapid.T, r *Reader, m model, sel Selection, limit, offset int, onlyInline bool) {
	by := Order{Property: modelNumber, Datatype: rdf.XSDInteger, Descending: rapid.Bool().Draw(t, "descending")}
	want := page(m.sorted(sel, by), limit, offset)
	got, err := r.SelectSorted(t.Context(), sel, []Order{by}, limit, offset)
	same(t, "sorted by number", want, got, err)
	if onlyInline {
		same(t, "sorted by the index", want, walked(t, r, sel, by, limit, offset), nil)
		deep := deepOffset
		deepOffset = 0
		same(t, "sorted by the index, among held subjects", want, walked(t, r, sel, by, limit, offset), nil)
		deepOffset = deep
	}
	by.Property, by.Datatype = modelText, rdf.XSDString
	want = page(m.sorted(sel, by), limit, offset)
	got, err = r.SelectSorted(t.Context(), sel, []Order{by}, limit, offset)
	same(t, "sorted by text", want, got, err)
	if _, ok, _ := r.dict.Lookup(modelText); ok {
		same(t, "sorted by kept texts", want, walked(t, r, sel, by, limit, offset), nil)
	}
	orders := rapid.SliceOfNDistinct(drawOrder, 2, 3, func(by Order) string { return fmt.Sprint(by.Via, by.Property) }).Draw(t, "orders")
	want = page(m.sorted(sel, orders...), limit, offset)
	got, err = r.SelectSorted(t.Context(), sel, orders, limit, offset)
	same(t, "sorted in several orders", want, got, err)
	each, groups, deep := sortedEach, groupsMost, deepOffset
	defer func() { sortedEach, groupsMost, deepOffset = each, groups, deep }()
	sortedEach = 0
	got, err = r.SelectSorted(t.Context(), sel, orders, limit, offset)
	same(t, "sorted value by value", want, got, err)
	groupsMost = 0
	got, err = r.SelectSorted(t.Context(), sel, orders, limit, offset)
	same(t, "sorted by walks over the first order", want, got, err)
	groupsMost, deepOffset = groups, 0
	got, err = r.SelectSorted(t.Context(), sel, orders, limit, offset)
	same(t, "sorted value by value, among held subjects", want, got, err)
}

var drawOrder = rapid.Custom(func(t *rapid.T) Order {
	by := rapid.SampledFrom([]Order{{Property: modelNumber, Datatype: rdf.XSDInteger}, {Property: modelText, Datatype: rdf.XSDString}}).Draw(t, "by")
	if by.Descending = rapid.Bool().Draw(t, "descending"); rapid.IntRange(0, 2).Draw(t, "over a reference") == 0 {
		by.Via = []rdf.IRI{modelLink}
	}
	return by
})

// walked is a page as it is made of many subjects: by walking their values in order.
func walked(t *rapid.T, r *Reader, sel Selection, by Order, limit, offset int) []rdf.Term {
	p := &pageOf{limit: limit, offset: offset, seen: map[inline.TermID]bool{}}
	ok, err := r.walkValues(t.Context(), sel, by, p)
	if err != nil || !ok {
		t.Fatalf("the values are in order: %t, %v", ok, err)
	}
	if err := r.without(t.Context(), sel, []Order{by}, p); err != nil {
		t.Fatal(err)
	}
	list, err := r.terms(p.ids)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func checkCounts(t *rapid.T, r *Reader, m model, sel Selection, most int) {
	objects := []rdf.Term{rdf.String("a"), rdf.String("b"), rdf.String("nowhere")}
	var all, some []ValueCount
	for _, o := range objects {
		with := sel
		with.Where = append(slices.Clone(sel.Where), Has(modelText, o))
		n := len(m.selected(with))
		all, some = append(all, ValueCount{n, false}), append(some, ValueCount{min(n, most), n > most})
	}
	each := map[rdf.Term]int64{}
	for _, s := range m.selected(sel) {
		for _, o := range m.values[s][modelText] {
			each[o]++
		}
	}
	for _, sel.Held = range []*Held{nil, {}, {most: -1}} {
		n, more, err := r.countSelected(t.Context(), sel, most)
		if same(t, "number", []int{len(m.selected(sel))}, []int{n}, err); more {
			t.Errorf("there are more than all %d", n)
		}
		got, err := r.countValuesAmong(t.Context(), sel, modelText, objects, most)
		same(t, "counts", all, got, err)
		found, err := r.objectsAmong(t.Context(), sel, modelText, most)
		if err != nil || found.Counted != 0 || found.Left != max(0, len(each)-most) || len(found.Most)+found.Left != len(each) {
			t.Errorf("%d objects and %d more, counted %d, want %v: %v", len(found.Most), found.Left, found.Counted, each, err)
		}
		for i, c := range found.Most {
			if c.Count != each[c.Object] || i > 0 && c.Count > found.Most[i-1].Count {
				t.Errorf("%v is counted %d times at place %d, want %v", c.Object, c.Count, i, each)
			}
		}
		if h := sel.Held; h != nil && len(m.selected(sel)) > 0 && (h.full != (h.most < 0) || h.full != (h.ids == nil)) {
			t.Errorf("%d ids are held: %+v", n, h)
		}
	}
	got := make([]ValueCount, len(objects))
	err := r.countByIndex(t.Context(), sel, modelText, objects, got, most)
	same(t, "counts by index", some, got, err)
}

func checkSearch(t *rapid.T, r *Reader, m model, sel Selection, limit, offset int) {
	prefix := rapid.SampledFrom([]string{"A", "b", "é", "a%", "a_", `A\`, "zz", "x"}).Draw(t, "prefix")
	text := SearchedText{Property: modelText, Strings: true}
	texts := map[rdf.IRI]SearchedText{modelClassA: text, modelClassB: text}
	var want []rdf.Term
	for _, s := range m.selected(sel) {
		if slices.ContainsFunc(m.values[s][modelText], func(o rdf.Term) bool {
			return strings.HasPrefix(strings.ToLower(rdf.Lexical(o)), strings.ToLower(prefix))
		}) {
			want = append(want, s)
		}
	}
	found, err := r.Search(t.Context(), sel, Search{Prefix: prefix, Text: texts})
	if err != nil {
		t.Fatal(err)
	}
	sel.Among = found
	got, err := r.Select(t.Context(), sel, limit, offset)
	same(t, "search", page(want, limit, offset), got, err)
	by := Order{Property: modelText, Datatype: rdf.XSDString}
	got, err = r.SelectSorted(t.Context(), sel, []Order{by}, 100, 0)
	slices.SortFunc(got, func(a, b rdf.Term) int { return cmp.Compare(m.ids[a], m.ids[b]) })
	same(t, "search, sorted", want, got, err)
	s := newSearching(t.Context(), r, Search{Prefix: prefix})
	for _, class := range sel.Classes {
		one := Selection{Classes: []rdf.IRI{class}, Where: sel.Where}
		if err := s.texts(s.restricted(t.Context(), bgp(triplePattern(nil, modelText, nil)), one)); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.found) != len(want) {
		t.Errorf("the texts themselves give %d for %q, want %d", len(s.found), prefix, len(want))
	}
	if s.words != nil {
		return
	}
	s.found = map[inline.TermID]bool{}
	for _, class := range sel.Classes {
		if err := s.byWords(Selection{Classes: []rdf.IRI{class}, Where: sel.Where}, modelText); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.found) != len(want) {
		t.Errorf("the index of words finds %d for %q, want %d", len(s.found), prefix, len(want))
	}
}
