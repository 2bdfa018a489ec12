package db

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"trails/db/history"
	"trails/rdf"
)

// keptCounts are counts of selected subjects as of one commit. A page of a list asks for the same ones as the page before it,
// and as the same page in another order. The zero keptCounts has none. It is safe for concurrent use.
type keptCounts struct {
	mu    sync.Mutex
	of    history.CommitID
	found map[countQuestion]any
	bytes int // approximate
}

// countQuestion is what was counted, with the selection written out.
type countQuestion struct {
	kind, selection string
	of              rdf.IRI
	most            int
}

// Bounds of what is kept. When there is more, all is dropped. An answer has at most half of it.
const (
	maxCountBytes     = 1 << 20
	bytesOfCount      = 100
	maxSelectionBytes = 4 << 10
)

func (k *keptCounts) get(of history.CommitID, q countQuestion) (answer any, known bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.of != of {
		return nil, false
	}
	answer, known = k.found[q]
	return answer, known
}

func (k *keptCounts) put(of history.CommitID, q countQuestion, answer any, counts int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	size := len(q.selection) + bytesOfCount*(1+counts)
	if k.found == nil || k.of != of || k.bytes+size > maxCountBytes {
		k.of, k.found, k.bytes = of, map[countQuestion]any{}, 0
	}
	if size <= maxCountBytes/2 {
		k.found[q] = answer
		k.bytes += size
	}
}

// notKept, as the number of counts in an answer, means that it is soon counted again and takes no room.
const notKept = -1

// keptCount returns the answer that is kept for the commit of the reader, or counts. The subjects of a search, and what an open
// write has changed, are counted each time. beside is what the question has besides the selection.
func (r *Reader) keptCount(q countQuestion, sel Selection, beside []rdf.Term, count func() (answer any, counts int, err error)) (any, error) {
	q.selection = fmt.Sprintf("%#v %#v %#v", sel.Classes, sel.Where, beside)
	if r.before != nil || sel.Among != nil || len(q.selection) > maxSelectionBytes {
		answer, _, err := count()
		return answer, err
	}
	if known, is := r.caches.facts.exact.get(r.head.ID, q); is {
		return known, nil
	}
	answer, counts, err := count()
	if err == nil && counts != notKept {
		r.caches.facts.exact.put(r.head.ID, q, answer, counts)
	}
	return answer, err
}

// CountSelected counts the selected subjects: all if that is soon done (see [Reader.planSoon]), else up to most of those
// that are tested. more reports that there may be others.
func (r *Reader) CountSelected(ctx context.Context, sel Selection, most int) (n int, more bool, err error) {
	if err := r.ready(ctx); err != nil {
		return 0, false, r.fail(ctx, "count", err)
	}
	answer, err := r.keptCount(countQuestion{kind: "selected", most: most}, sel, nil, func() (any, int, error) {
		n, more, err := r.countSelected(ctx, sel, most)
		return ValueCount{n, more}, 1, err
	})
	c := answer.(ValueCount)
	return c.Count, c.More, err
}

// CountValuesAmong counts for each object the selected subjects that have it for p: all if that is soon done (see
// [Reader.planSoon]), else up to most for each object.
func (r *Reader) CountValuesAmong(ctx context.Context, sel Selection, p rdf.IRI, objects []rdf.Term, most int) ([]ValueCount, error) {
	if err := r.ready(ctx); err != nil {
		return nil, r.fail(ctx, "count", err)
	}
	answer, err := r.keptCount(countQuestion{"values", "", p, most}, sel, objects, func() (any, int, error) {
		counts, err := r.countValuesAmong(ctx, sel, p, objects, most)
		return counts, len(counts), err
	})
	return slices.Clone(answer.([]ValueCount)), err
}

// ObjectsAmong returns up to most objects that selected subjects have for p, the most frequent ones first and equally
// frequent ones in the order of their ids: all are counted if that is soon done (see [Reader.planSoon]), else some.
func (r *Reader) ObjectsAmong(ctx context.Context, sel Selection, p rdf.IRI, most int) (Objects, error) {
	if err := r.ready(ctx); err != nil {
		return Objects{}, r.fail(ctx, "objects", err)
	}
	answer, err := r.keptCount(countQuestion{"objects", "", p, most}, sel, nil, func() (any, int, error) {
		found, err := r.objectsAmong(ctx, sel, p, most)
		return found, len(found.Most), err
	})
	found := answer.(Objects)
	found.Most = slices.Clone(found.Most)
	return found, err
}
