package db

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"

	"trails/db/inline"
	"trails/db/scan"
	"trails/rdf"
	"trails/sparql"
)

// unlabelledMost is how many nodes without a label may be among those that references lead to, for their labels to be
// walked. It is a variable, so that a test can reach it with little data.
var unlabelledMost = 1_000

// holder is the variable of the nodes that references lead to.
const holder sparql.Var = "holder"

// labelWalk walks the nodes that references lead to in the order of their labels, and takes the subjects that refer to
// them: equal labels are in the order of the nodes' ids, and the subjects of a node in that of theirs.
type labelWalk struct {
	*Reader
	sel  Selection
	by   Order
	page *pageOf
	rank int64 // of the label text
	text string
}

// walkLabels is [Reader.walkValues] for an order by labels. It returns false if the labels are not in memory, or if many of
// the nodes have none.
func (r *Reader) walkLabels(ctx context.Context, sel Selection, by Order, page *pageOf) (bool, error) {
	if by.Label == "" {
		return false, nil
	}
	p, known, err := r.dict.Lookup(by.Label)
	if err != nil || !known {
		return false, err
	}
	rows, kept, err := r.sortedTexts(ctx, keyOf(p, rdf.XSDString))
	if err != nil || !kept {
		return false, err
	}
	others, few, err := r.unlabelled(ctx, by, rows)
	if err != nil || !few {
		return false, err
	}
	w := labelWalk{Reader: r, sel: sel, by: by, page: page}
	for chunk := range labelChunks(rows, others, by.Descending) {
		if more, err := w.take(ctx, chunk); err != nil || !more {
			return true, err
		}
	}
	return true, nil
}

// to is the pattern for what leads from varS to a node.
func (by Order) to(node sparql.Operand) sparql.Op { return bgp(along(nil, by.path(), node)...) }

// unlabelled returns the nodes that references lead to and that have no label but another name, as rows without an object.
// It returns false if they are many.
func (r *Reader) unlabelled(ctx context.Context, by Order, rows []textRow) (list []textRow, few bool, err error) {
	labelled := scan.NewSet(anySize)
	for _, row := range rows {
		if int64(row.s) > maxInstanceIDs {
			return nil, false, nil
		}
		_ = labelled.Add(int64(row.s)) // anySize has no error
	}
	var nodes []inline.TermID
	// Groups are counted by a scan, and an inlined value, whose id is below zero, has no label.
	err = r.askIDs(ctx, countBy(by.to(sparql.Operand{Var: holder}), holder), []sparql.Var{holder}, func(ids []inline.TermID) bool {
		if ids[0] < 0 || !labelled.Has(int64(ids[0])) {
			nodes = append(nodes, ids[0])
		}
		return len(nodes) <= unlabelledMost
	})
	var blank []textRow
	for _, row := range rows {
		if strings.TrimSpace(row.text) == "" {
			blank = append(blank, row)
		}
	}
	if err != nil || len(nodes)+len(blank) > unlabelledMost {
		return nil, false, err
	}
	least, err := r.leastLabels(ctx, by.Label, subjectsOf(blank))
	if err != nil {
		return nil, false, err
	}
	for _, row := range blank {
		if row.o == least[row.s] {
			nodes = append(nodes, row.s)
		}
	}
	reads := keyReader{Reader: r, by: by, texts: map[inline.TermID]string{}}
	for _, node := range nodes {
		text, err := reads.text(node)
		if err != nil {
			return nil, false, err
		}
		list = append(list, textRow{text: text, s: node})
	}
	slices.SortFunc(list, compareLabels)
	return list, true, nil
}

// leastLabels returns the label of each node: of several values the one with the least id.
func (r *Reader) leastLabels(ctx context.Context, label rdf.IRI, nodes []inline.TermID) (map[inline.TermID]inline.TermID, error) {
	least := make(map[inline.TermID]inline.TermID, len(nodes))
	if len(nodes) == 0 {
		return least, nil
	}
	values := sparql.Join{Left: amongIDs(varS, nodes), Right: bgp(triplePattern(nil, label, nil))}
	err := r.askIDs(ctx, values, []sparql.Var{varS, varO}, func(ids []inline.TermID) bool {
		if o, is := least[ids[0]]; !is || ids[1] < o {
			least[ids[0]] = ids[1]
		}
		return true
	})
	return least, err
}

func compareLabels(a, b textRow) int {
	return cmp.Or(cmp.Compare(a.text, b.text), cmp.Compare(a.s, b.s))
}

// labelChunks returns some of the rows of labels and of the other names at a time, in the order of [compareLabels] or in
// reverse. Equal texts are in one chunk.
func labelChunks(rows, others []textRow, backwards bool) iter.Seq[[]textRow] {
	return func(yield func([]textRow) bool) {
		for len(rows)+len(others) > 0 {
			var chunk []textRow
			if backwards {
				from := max(0, len(rows)-textChunk)
				for from > 0 && rows[from-1].text == rows[from].text {
					from--
				}
				i := 0
				if from > 0 {
					i, _ = slices.BinarySearchFunc(others, textRow{text: rows[from].text}, compareLabels)
				}
				chunk = append(slices.Clone(others[i:]), rows[from:]...)
				rows, others = rows[:from], others[:i]
			} else {
				until := min(len(rows), textChunk)
				for until < len(rows) && rows[until].text == rows[until-1].text {
					until++
				}
				i := len(others)
				if until < len(rows) {
					i, _ = slices.BinarySearchFunc(others, textRow{text: rows[until].text}, compareLabels)
				}
				chunk = append(slices.Clone(others[:i]), rows[:until]...)
				rows, others = rows[until:], others[i:]
			}
			slices.SortFunc(chunk, compareLabels)
			if backwards {
				slices.Reverse(chunk)
			}
			if !yield(chunk) {
				return
			}
		}
	}
}

// take takes the subjects that refer to the nodes of rows, and reports whether more are needed. Where these are many more
// than the page needs, it reads those of fewer nodes.
func (w *labelWalk) take(ctx context.Context, rows []textRow) (more bool, err error) {
	if len(rows) == 1 {
		return w.takeAll(ctx, rows, nil)
	}
	nodes := subjectsOf(rows)
	slices.Sort(nodes)
	op := sparql.Join{Left: amongIDs(holder, slices.Compact(nodes)), Right: w.by.to(sparql.Operand{Var: holder})}
	most := max(textChunk, 2*(w.page.offset+w.page.limit-len(w.page.seen)))
	who, n := map[inline.TermID][]inline.TermID{}, 0
	err = w.askIDs(ctx, slice(w.restricted(ctx, op, w.sel), most, 0), []sparql.Var{varS, holder}, func(ids []inline.TermID) bool {
		who[ids[1]] = append(who[ids[1]], ids[0])
		n++
		return true
	})
	if err != nil {
		return false, err
	}
	if n < most {
		return w.takeAll(ctx, rows, who)
	}
	half := len(rows) / 2
	if more, err = w.take(ctx, rows[:half]); err != nil || !more {
		return more, err
	}
	return w.take(ctx, rows[half:])
}

// takeAll takes the subjects of nodes, which are read unless who has them.
func (w *labelWalk) takeAll(ctx context.Context, rows []textRow, who map[inline.TermID][]inline.TermID) (more bool, err error) {
	rows = slices.DeleteFunc(slices.Clone(rows), func(row textRow) bool { return who != nil && len(who[row.s]) == 0 })
	least, err := w.leastLabels(ctx, w.by.Label, subjectsOf(rows))
	if err != nil {
		return false, err
	}
	for _, row := range rows {
		if row.o != 0 && (row.o != least[row.s] || strings.TrimSpace(row.text) == "") {
			continue // it has another name
		}
		if w.rank == 0 || row.text != w.text {
			w.rank, w.text = w.rank+1, row.text
		}
		if who == nil {
			op := w.restricted(ctx, w.by.to(sparql.Operand{Term: idTerm(row.s)}), w.sel)
			more, err := w.askPages(ctx, stored(project(op, varS), w.by.Descending, varS), w.page, func([]inline.TermID) int64 { return w.rank })
			if err != nil || !more {
				return false, err
			}
			continue
		}
		of := who[row.s]
		slices.Sort(of)
		if w.by.Descending {
			slices.Reverse(of)
		}
		for _, s := range of {
			if !w.page.add(s, w.rank) {
				return false, nil
			}
		}
	}
	return true, nil
}
