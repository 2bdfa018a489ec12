package scan

import "slices"

// way is how the rows of a step are used.
type way uint8

const (
	eachRow way = iota
	intoTable
	intoSet
	counted
	unread
)

// ways are the descriptions for people.
var ways = [...]string{eachRow: "each row in turn", intoTable: "into a table", intoSet: "into a set", counted: "counted", unread: "not read"}

// use is how the rows of a step are used, and the slot by which they are looked up, -1 for none.
type use struct {
	way way
	key int
}

// uses decides how the rows of each step are used, if equal rows may be merged like this.
//
// A step looks up the value of a slot by the value of an earlier slot, its key. If the value is not needed, only its
// number for each key counts; if duplicates do not matter, only whether there is one. Steps that are only joined with
// such a value are handled the same way before, so a subtree of steps is never joined. With a sum all rows are
// joined, because the product of a large number and a count might overflow; so they are with a Fold of each row.
func (p *Program) uses(m merging) []use {
	if len(p.Steps) == 0 {
		return nil
	}
	asked := make([]int, p.Slots) // by how many later steps; tests belong to each step
	ask := func(slots ...int) {
		for _, slot := range slots {
			asked[slot]++
		}
	}
	ask(p.answered()...)
	if p.Match != nil {
		ask(p.Match.Left.Of...)
	}
	for i := range p.Steps {
		if !p.Steps[i].constant() {
			ask(p.Steps[i].Subject.Slot, p.Steps[i].Object.Slot)
		}
	}
	found := p.found()
	out := make([]use, len(p.Steps))
	for i, s := range slices.Backward(p.Steps[1:]) {
		u := &out[i+1]
		switch {
		case s.Subject.Arg != 0 && s.Object.Arg != 0:
			*u = use{intoSet, -1}
			continue
		case s.Subject.Arg != 0:
			*u = use{intoSet, s.Object.Slot}
			continue
		case s.Object.Arg != 0:
			*u = use{intoSet, s.Subject.Slot}
			continue
		}
		key, value := s.Subject.Slot, s.Object.Slot
		if found[key] == i+1 {
			key, value = value, key
		}
		switch {
		case asked[value] > 1 || !m.alike && !m.counts:
			u.way = intoTable
		case m.alike && s.Optional:
			u.way = unread
		case m.alike:
			*u = use{intoSet, key}
		default:
			*u = use{counted, key}
		}
		if u.way != intoTable {
			asked[key]--
		}
	}
	return out
}

// merging says how equal rows may be merged: alike that duplicates do not matter, counts that a row with a cardinality
// may stand for them.
type merging struct{ alike, counts bool }

// merges says how equal solutions may be merged, if those of the answer may be merged as around says.
func (p *Program) merges(around merging) merging {
	m := merging{around.alike || p.Distinct, around.counts || p.Grouped}
	if p.Grouped {
		m.alike = true
		for _, a := range p.Aggregates {
			m.alike = m.alike && a.Func != Count && a.Func != CountBound && a.Func != Sum && !a.Each
			m.counts = m.counts && a.Func != Sum && !a.Each
		}
	}
	return m
}

// withoutRepeats returns the program without a DISTINCT that changes nothing: if a closure is the only step that may
// have several rows for a solution, no two rows have the same two ends.
func (p *Program) withoutRepeats() *Program {
	if len(p.Steps) == 0 {
		return p
	}
	first := &p.Steps[0]
	if first.Closure == nil || p.Match != nil || slices.ContainsFunc(p.Steps[1:], func(s Step) bool { return !s.constant() }) {
		return p
	}
	out := *p
	unique := func(slots ...int) bool {
		slots = append(slots, p.Keys...)
		return slices.Contains(slots, first.Subject.Slot) && slices.Contains(slots, first.Object.Slot)
	}
	out.Distinct = p.Distinct && !unique()
	out.Aggregates = slices.Clone(p.Aggregates)
	for i, a := range p.Aggregates {
		if a.Func == CountDistinct && (a.Slot == first.Subject.Slot || a.Slot == first.Object.Slot) && unique(a.Slot) {
			out.Aggregates[i].Func = Count
		}
	}
	return &out
}

// found returns for each slot the step that binds it: the first step, or the first later one with two slots. A step
// whose slots are both bound before checks pairs.
func (p *Program) found() []int {
	found := make([]int, p.Slots)
	for slot := range found {
		found[slot] = -1
	}
	for i := range p.Steps {
		if i > 0 && p.Steps[i].constant() {
			continue
		}
		for _, e := range p.Steps[i].Ends() {
			if e.Arg == 0 && found[e.Slot] < 0 {
				found[e.Slot] = i
			}
		}
	}
	return found
}
