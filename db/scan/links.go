package scan

import "math"

// Links are the subject-object pairs of a predicate in a graph, to be found by one of the two. Those of the requested
// nodes are looked up in the index, until the lookups have cost as much as reading all pairs. Then all are read into
// memory, if they are not too many and there is room. So no estimate of the number of nodes is needed.
type Links struct {
	step    Step
	inverse bool
	patient bool
	spent   float64 // cost of the lookups so far, in sequentially read rows
	all     float64 // number of pairs, 0 before it is estimated; infinity if they must not be read into memory
	rows    *reading
	held    bool
	lists   *lists
	far     *table // pairs of which one is not dense
}

const (
	// spentFirst is the cost of lookups after which the number of pairs is estimated.
	spentFirst = 2_000
	// maxLinks is how many pairs are held in memory: 5 bytes each, and 13 while they are read.
	maxLinks = 4 << 20
)

// NewLinks returns the links of a predicate in a graph. Both are numbers of arguments; graph is 0 for the default
// graph. Links are found by their subjects or, if inverse is set, by their objects. Without patience all are read
// into memory at once.
func NewLinks(predicate, graph int, inverse, patience bool) *Links {
	return &Links{step: Step{Object: End{Slot: 1}, Predicate: predicate, Graph: graph}, inverse: inverse, patient: patience}
}

// Each calls f with the nodes that the given nodes are linked to. The given nodes must be sorted, without duplicates.
func (l *Links) Each(env *Env, nodes []int64, to func(id int64) error) error {
	if !l.held {
		l.spent += float64(RowsOfSubject * len(nodes))
		if err := l.hold(env); err != nil {
			return err
		}
	}
	if !l.held {
		return l.lookUp(env, nodes, to)
	}
	for i, node := range nodes {
		if i%batchRows == 0 {
			if err := env.Ended(); err != nil {
				return err
			}
		}
		for _, id := range l.lists.of(node) {
			if err := to(int64(id)); err != nil {
				return err
			}
		}
		for place := l.far.of(node); place != 0; {
			id, next := l.far.at(place)
			if err := to(id); err != nil {
				return err
			}
			place = next
		}
	}
	return nil
}

// read starts reading rows.
func (l *Links) read(env *Env) (*reading, error) {
	b := &builder{program: &Program{Slots: 2}, env: env, tests: make([][]test, 2), keys: make([][]ids, 2)}
	r := &reading{pairs: b.pairs(&l.step, 0, 1)}
	r.pairs.fill = r.fill
	return r, r.begin()
}

// lookUp looks up the links of nodes in the index.
func (l *Links) lookUp(env *Env, nodes []int64, to func(id int64) error) error {
	if l.rows == nil || l.rows.builder.env != env {
		var err error
		if l.rows, err = l.read(env); err != nil {
			return err
		}
	}
	if err := l.rows.lookUp(nodes, !l.inverse); err != nil {
		return err
	}
	other := 1
	if l.inverse {
		other = 0
	}
	return l.rows.each(func(ids [2]int64) error {
		l.spent++
		return to(ids[other])
	})
}

// hold reads all links into memory, unless they are too many for the lookups so far.
func (l *Links) hold(env *Env) error {
	if l.patient && l.spent < max(spentFirst, l.all) || math.IsInf(l.all, 1) {
		return nil
	}
	r, err := l.read(env)
	if err != nil {
		return err
	}
	if l.all == 0 {
		all, err := r.rows.leaf.Estimate(r.rows.low, r.rows.high)
		if err != nil {
			return err
		}
		if l.all = max(all, 1); all > maxLinks {
			l.all = math.Inf(1)
		}
		if l.patient && l.spent < l.all || all > maxLinks {
			return nil
		}
	}
	most := int64(l.all*5/4) + batchRows // an estimate may be wrong
	// Half of this is for the pairs and their lists, the rest for what a walk finds with them.
	if err := env.Grow(32 * most); err != nil {
		l.all = math.Inf(1)
		return env.Grow(-32 * most)
	}
	l.far = &table{grow: env.Grow}
	came := make([]uint64, 0, most)
	key := 0
	if l.inverse {
		key = 1
	}
	err = r.each(func(ids [2]int64) error {
		if isDense(ids[0]) && isDense(ids[1]) {
			came = append(came, packed(ids[key], ids[1-key]))
			return nil
		}
		return l.far.add(ids[key], ids[1-key])
	})
	if err != nil {
		return err
	}
	l.held, l.rows = true, nil
	if err := env.Grow(-24 * most); err != nil {
		return err
	}
	if l.lists, err = newLists(came, env.Grow); err != nil {
		return err
	}
	return env.Grow(-8 * most)
}
