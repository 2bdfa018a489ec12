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

// ways say it for people.
var ways = [...]string{eachRow: "each row in turn", intoTable: "into a table", intoSet: "into a set", counted: "counted", unread: "not read"}

// use is how the rows of a step are used, and by which slot they are found: -1 when by none.
type use struct {
	way way
	key int
}

// uses are those of the steps. With asSet it does not matter how often a row is in the answer.
//
// A step finds a slot, its value, by another that a step before it has found, its key. Where
// nobody asks for the value, the step says only how often each key has one; where rows that are
// alike are one, only whether it has. Steps that had to be joined with nothing but that value have
// gone the same way before, so that a tree of steps is never joined. A sum is of all rows: the
// product of a large number and a count may be larger than its columns.
func (p *Program) uses(asSet bool) []use {
	alike, counts := asSet || p.Distinct, p.Grouped
	if p.Grouped {
		alike = true
		for _, a := range p.Aggregates {
			alike = alike && a.Func != Count && a.Func != CountBound && a.Func != Sum
			counts = counts && a.Func != Sum
		}
	}
	asked := make([]int, p.Slots) // by how many; not by tests, which are those of each step
	ask := func(slots ...int) {
		for _, slot := range slots {
			asked[slot]++
		}
	}
	ask(p.Keys...)
	for i := range p.Steps {
		if !p.Steps[i].constant() {
			ask(p.Steps[i].Subject.Slot, p.Steps[i].Object.Slot)
		}
	}
	for _, a := range p.Aggregates {
		if a.Func != Count {
			ask(a.Slot)
		}
	}
	for _, m := range p.Members {
		if len(m.Slots) > 1 {
			ask(m.Slots...)
		}
	}
	for _, d := range p.Differ {
		ask(d.Slots[:]...)
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
		case asked[value] > 1 || !alike && !counts:
			u.way = intoTable
		case alike && s.Optional:
			u.way = unread
		case alike:
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

// found is the number of the step that gives each slot its value: the first, or the first behind
// it with two slots. A step whose slots have both been found is of pairs.
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
