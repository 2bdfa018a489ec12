package scan

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// The test of this file runs programs of every kind and holds them to what [solve] finds, which
// goes through all statements for every step. Kinds of steps and ways to answer are combined with
// each other, so that each way meets each step: what is counted, held, multiplied or a set for one
// of them is so beside all others.

// stated is a statement in a graph, 0 for the default graph.
type stated struct{ s, p, o, g int64 }

// The predicates of the statements, the named graph, and the classes that are objects of kind.
const (
	kindID, oneID, manyID, sizeID, namedID = 501, 502, 503, 504, 601
	classID                                = 701
)

// theArgs are the arguments of all programs: those of conditions come behind the constants.
var theArgs = []int64{kindID, oneID, manyID, sizeID, namedID, classID, classID + 1, 5, 9999, 1 << 40, 1<<40 + 6, 0, 20, -5, -2}

const (
	argKind, argOne, argMany, argSize, argNamed, argClass, argOther, argNode, argNowhere = 1, 2, 3, 4, 5, 6, 7, 8, 9
	argLow, argHigh, argZero, argFew                                                     = 10, 11, 12, 13
	argLeast, argMost                                                                    = 14, 15 // of what is computed
)

// someStatements are links with hubs, one and many, numbers that ids carry, and classes.
func someStatements(random *rand.Rand, nodes int64) (list []stated) {
	hub := func() int64 { return 1 + int64(float64(nodes)*random.Float64()*random.Float64()) }
	for s := int64(1); s <= nodes; s++ {
		add := func(p, o int64) {
			list = append(list, stated{s, p, o, []int64{0, 0, 0, namedID}[random.IntN(4)]})
		}
		add(kindID, classID+random.Int64N(3))
		if random.IntN(3) > 0 {
			add(oneID, hub())
		}
		for range random.IntN(4) {
			add(manyID, hub())
		}
		if random.IntN(3) > 0 {
			add(sizeID, 1<<40+random.Int64N(12))
		}
	}
	slices.SortFunc(list, func(a, b stated) int {
		return cmp.Or(cmp.Compare(a.s, b.s), cmp.Compare(a.p, b.p), cmp.Compare(a.o, b.o), cmp.Compare(a.g, b.g))
	})
	return slices.Compact(list)
}

// view is what a leaf shows: the statements at a commit of main, 0 for the newest, or at the head of the last of some
// branches, the first of which was made from that commit and each other one from the one before it.
type view struct {
	until    int64
	branches int
}

// bounds are main and the branches, with the last commits of them that the view has.
func (v view) bounds() []Bound {
	lines := []Bound{{MainLine, v.until}}
	for i := range v.branches {
		lines = append(lines, Bound{MainLine + 1 + int64(i), v.until + 100*int64(i+1)})
	}
	return lines
}

// recorded is a row of a statement: its line, or the negative of it, and the commits that added and removed it. The
// latter is 0 on main, if it is still there.
type recorded struct{ line, added, removed int64 }

// historyOf draws the rows of a statement that the view has, or has not.
func historyOf(random *rand.Rand, v view, has bool) (rows []recorded) {
	there, row := false, 0 // the row says that it is there
	toggle := func(line, commit int64) {
		switch {
		case !there:
			row = len(rows)
			rows = append(rows, recorded{line: line, added: commit})
			if line != MainLine {
				rows[row].removed = Forever
			}
		case rows[row].line == line:
			rows[row].removed = commit
		default: // of an earlier line
			rows = append(rows, recorded{-line, rows[row].added, commit})
		}
		there = !there
	}
	lines, commit := v.bounds(), int64(0)
	for i, of := range lines {
		for range random.IntN(4) {
			commit += 1 + random.Int64N(20)
			toggle(of.Line, commit)
		}
		if i == len(lines)-1 && there != has {
			toggle(of.Line, commit+1)
		}
		commit = of.Until
		was, its := there, row
		for range random.IntN(3) { // what comes later is not in the view
			commit += 1 + random.Int64N(20)
			toggle(of.Line, commit)
		}
		commit, there, row = of.Until, was, its
	}
	return rows
}

// leafOf is the leaf of some statements in a view, in the order of columns that of makes of them. Of a view that is not
// the newest one there are others that came later or went before.
func leafOf(t *testing.T, list []stated, v view, of func(stated) [4]int64) Leaf {
	random := rand.New(rand.NewPCG(5, 6))
	var present [][5]int64
	var retired [][7]int64
	keep := func(x stated, rows []recorded) {
		row := of(x)
		for _, r := range rows {
			switch {
			case row == [4]int64{}:
			case r.removed == 0:
				present = append(present, [5]int64{row[0], row[1], row[2], row[3], r.added})
			default:
				retired = append(retired, [7]int64{r.line, row[0], row[1], row[2], row[3], r.added, r.removed})
			}
		}
	}
	for _, x := range list {
		if v.until == 0 {
			keep(x, []recorded{{MainLine, 1, 0}})
			continue
		}
		keep(x, historyOf(random, v, true))
		if x.o++; !slices.Contains(list, x) { // another statement
			keep(x, historyOf(random, v, false))
		}
	}
	slices.SortFunc(present, func(a, b [5]int64) int { return slices.Compare(a[:], b[:]) })
	slices.SortFunc(retired, func(a, b [7]int64) int { return slices.Compare(a[:], b[:]) })
	pages, root := builtOf(t, present)
	leaf := Leaf{Present: Tree{pages, root}}
	if v.until != 0 {
		pages, root := builtOf(t, retired)
		leaf.Retired, leaf.Until, leaf.Branches = Tree{pages, root}, v.until, v.bounds()[1:]
	}
	return leaf
}

// holds is what expressions say of ids: one is of one id, the other of two.
func holds(expr int, ids ...int64) bool {
	switch expr {
	case 0:
		return ids[0]%3 != 0
	case equalExpr:
		return equalOf(valueOf(ids[:1]), valueOf(ids[1:]))
	}
	return ids[0] != ids[1]
}

// equalExpr is the equality of an expression of one id and one of others.
const equalExpr = 3

// valueOf is the value of an expression that is compared: 0 is an error, and those beyond exactValues have no exact key.
func valueOf(ids []int64) int64 {
	sum := int64(len(ids))
	for _, id := range ids {
		sum += id
	}
	return sum % 11
}

const exactValues = 7

// equalOf is an equality that is not transitive where a value has no exact key.
func equalOf(a, b int64) bool {
	if a <= exactValues && b <= exactValues || a == 0 || b == 0 {
		return a/2 == b/2 && a != 0 && b != 0
	}
	return (a+b)%3 == 0
}

// keyOf has one key for each two values that are exact.
func keyOf(value int64) int64 {
	if value <= exactValues {
		return value / 2
	}
	return LooseKey
}

// computedOf is the value of an expression: an error for each fourth, otherwise a number below zero.
func computedOf(ids []int64) int64 {
	sum := int64(len(ids))
	for _, id := range ids {
		sum += id
	}
	if sum%4 == 0 {
		return 0
	}
	return -1 - sum%9
}

// The kinds of aggregates that are computed from values, by their numbers modulo 2: a sum, and the least value.
const (
	foldSum = iota
	foldLeast
)

// foldedOf is a Fold after it was given the ids of a row.
func foldedOf(number int, so int64, ids []int64) int64 {
	value := computedOf(ids)
	if number%2 == foldSum {
		return so + value
	}
	return min(so, value)
}

// withFolds is the environment of a run.
func withFolds(env *Env) *Env {
	out, groups := *env, map[[2]int]int64{}
	out.Fold = func(number, group, _ int, ids ...int64) error {
		of := [2]int{number, group}
		groups[of] = foldedOf(number, groups[of], ids)
		return nil
	}
	out.Folded = func(number, group int) (int64, error) { return groups[[2]int{number, group}], nil }
	return &out
}

// reached is what a walk along one or more links of many comes to.
func reached(list []stated, graph, start int64, back bool) []int64 {
	found := map[int64]bool{}
	for at := []int64{start}; len(at) > 0; at = at[1:] {
		for _, x := range list {
			from, to := x.s, x.o
			if back {
				from, to = to, from
			}
			if x.p == manyID && x.g == graph && from == at[0] && !found[to] {
				found[to] = true
				at = append(at, to)
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// isKnown reports whether the set of [Env.Known] has an id.
func isKnown(id int64) bool { return id%3 != 0 && id < 1<<20 }

// envOf is the environment of programs that read some statements in a view.
func envOf(t *testing.T, list []stated, v view) *Env {
	known := NewSet(func(int64) error { return nil })
	for _, x := range list {
		for _, id := range []int64{x.s, x.o} {
			if !isKnown(id) {
				continue
			}
			if err := known.Add(id); err != nil {
				t.Fatal(err)
			}
		}
	}
	return &Env{
		Known: known,
		SPO:   leafOf(t, list, v, func(x stated) [4]int64 { return [4]int64{x.s, x.p, x.o, x.g} }),
		POS:   leafOf(t, list, v, func(x stated) [4]int64 { return [4]int64{x.p, x.o, x.s, x.g} }),
		GPOS: leafOf(t, list, v, func(x stated) [4]int64 {
			if x.g == 0 {
				return [4]int64{}
			}
			return [4]int64{x.g, x.p, x.o, x.s}
		}),
		Args:   theArgs,
		Holds:  func(expr int, ids ...int64) (bool, error) { return holds(expr, ids...), nil },
		Node:   func(id int64) (bool, error) { return id < 1<<40, nil },
		String: func(int64) (bool, error) { return false, nil },
		Grow:   func(int64) error { return nil },
		Ended:  func() error { return nil },
		Compute: func(expr int, ids ...int64) (int64, error) {
			if expr > equalExpr {
				return valueOf(ids), nil
			}
			return computedOf(ids), nil
		},
		Key:   keyOf,
		Order: func(a, b int64) (int, error) { return orderOf(a, b), nil },
		Reach: func(_ int, graph, start int64, back bool) (func() (int64, bool, error), error) {
			rest := reached(list, graph, start, back)
			return func() (int64, bool, error) {
				if len(rest) == 0 {
					return 0, false, nil
				}
				id := rest[0]
				rest = rest[1:]
				return id, true, nil
			}, nil
		},
	}
}

// closureOf are the pairs of a closure: what is reached from each node, link by link.
func closureOf(list []stated, c *Closure, graph int64) (rows [][2]int64) {
	next, nodes := map[int64][]int64{}, map[int64]bool{}
	for _, x := range list {
		if x.g != graph {
			continue
		}
		nodes[x.s], nodes[x.o] = true, true
		for _, link := range c.Links {
			switch {
			case x.p != theArgs[link.Predicate-1]:
			case link.Inverse:
				next[x.o] = append(next[x.o], x.s)
			default:
				next[x.s] = append(next[x.s], x.o)
			}
		}
	}
	for _, start := range slices.Sorted(maps.Keys(nodes)) {
		found := map[int64]bool{start: c.Zero}
		for at, known := []int64{start}, map[int64]bool{start: true}; len(at) > 0; at = at[1:] {
			for _, to := range next[at[0]] {
				if found[to] = true; !known[to] {
					known[to] = true
					at = append(at, to)
				}
			}
		}
		maps.DeleteFunc(found, func(_ int64, is bool) bool { return !is })
		for _, to := range slices.Sorted(maps.Keys(found)) {
			rows = append(rows, [2]int64{start, to})
		}
	}
	return rows
}

// rowsOf are the subjects and objects of a step, whatever its slots are.
func rowsOf(list []stated, s *Step) (rows [][2]int64) {
	graph := int64(0)
	if s.Graph != 0 {
		graph = theArgs[s.Graph-1]
	}
	if s.Closure != nil {
		return closureOf(list, s.Closure, graph)
	}
	if s.Walk != 0 {
		starts := map[int64]bool{}
		for _, x := range list {
			starts[x.s] = true
		}
		for _, start := range slices.Sorted(maps.Keys(starts)) {
			for _, to := range reached(list, graph, start, false) {
				rows = append(rows, [2]int64{start, to})
			}
		}
		return rows
	}
	for _, x := range list {
		switch {
		case x.g != graph:
		case s.Columns == SubjectPredicate:
			rows = append(rows, [2]int64{x.s, x.p})
		case s.Columns == PredicateObject:
			rows = append(rows, [2]int64{x.p, x.o})
		case x.p == theArgs[s.Predicate-1]:
			rows = append(rows, [2]int64{x.s, x.o})
		}
	}
	return rows
}

// solve finds the solutions of a program, a value for each slot.
func solve(list []stated, p *Program) [][]int64 {
	solutions := [][]int64{make([]int64, p.Slots)}
	if len(p.Sides) > 0 {
		solutions = nil
	}
	for _, side := range p.Sides {
		for _, solution := range solve(list, side.Of) {
			row := make([]int64, p.Slots)
			for i, slot := range side.Slots {
				row[slot] = solution[side.Of.Keys[i]]
			}
			solutions = append(solutions, row)
		}
	}
	for i := range p.Steps {
		s := &p.Steps[i]
		rows := rowsOf(list, s)
		var next [][]int64
		for _, solution := range solutions {
			found := false
			for _, row := range rows {
				out := slices.Clone(solution)
				fits := true
				for k, e := range s.Ends() {
					switch {
					case e.Arg != 0:
						fits = fits && theArgs[e.Arg-1] == row[k]
					case out[e.Slot] == 0:
						out[e.Slot] = row[k]
					default:
						fits = fits && out[e.Slot] == row[k]
					}
				}
				if fits {
					found = true
					next = append(next, out)
				}
			}
			if !found && s.Optional {
				next = append(next, solution)
			}
		}
		solutions = next
	}
	if m := p.Match; m != nil {
		var matched [][]int64
		partners := solve(list, m.Of)
		for _, row := range solutions {
			for _, partner := range partners {
				if !equalOf(valueOf(picked(row, m.Left.Of)), valueOf(picked(partner, m.Right.Of))) {
					continue
				}
				out := slices.Clone(row)
				for i, slot := range m.Slots {
					out[slot] = partner[m.Of.Keys[i]]
				}
				matched = append(matched, out)
			}
		}
		solutions = matched
	}
	for _, row := range solutions {
		for _, c := range p.Computed {
			row[c.Slot] = computedOf(picked(row, c.Of))
		}
	}
	members := make([]map[string]bool, len(p.Members))
	for i, m := range p.Members {
		members[i] = map[string]bool{}
		for _, solution := range solve(list, m.Of) {
			members[i][fmt.Sprint(picked(solution, m.Of.Keys))] = true
		}
	}
	return slices.DeleteFunc(solutions, func(row []int64) bool {
		for _, w := range p.Within {
			if (theArgs[w.Low-1] <= row[w.Slot] && row[w.Slot] <= theArgs[w.High-1]) == w.Not {
				return true
			}
		}
		for _, a := range p.Among {
			if !slices.ContainsFunc(a.Args, func(arg int) bool { return theArgs[arg-1] == row[a.Slot] }) {
				return true
			}
		}
		if p.Known && !isKnown(row[0]) {
			return true
		}
		for i, m := range p.Members {
			if members[i][fmt.Sprint(picked(row, m.Slots))] == m.Not {
				return true
			}
		}
		for _, a := range p.Asked {
			if !holds(a.Expr, row[a.Slot]) {
				return true
			}
		}
		for _, d := range p.Differ {
			if row[d.Slots[0]] == row[d.Slots[1]] {
				return true
			}
		}
		return false
	})
}

func picked(row []int64, slots []int) []int64 {
	out := make([]int64, len(slots))
	for i, slot := range slots {
		out[i] = row[slot]
	}
	return out
}

// answered is what a program answers of its solutions, in order. The columns of a sum are one.
func answered(p *Program, solutions [][]int64) (lines []string) {
	if !p.Grouped {
		if len(p.Order) > 0 {
			solutions = firstOf(p, solutions)
		}
		for _, row := range solutions {
			lines = append(lines, fmt.Sprint(picked(row, p.Keys)))
		}
		if slices.Sort(lines); p.Distinct {
			lines = slices.Compact(lines)
		}
		return lines
	}
	groups := map[string][][]int64{}
	if len(p.Keys) == 0 {
		groups[fmt.Sprint([]int64{})] = nil
	}
	for _, row := range solutions {
		key := fmt.Sprint(picked(row, p.Keys))
		groups[key] = append(groups[key], row)
	}
	for key, rows := range groups {
		line, keep := key, true
		column := len(p.Keys)
		for _, a := range p.Aggregates {
			n, summed := int64(0), int64(len(rows))
			values := map[int64]bool{}
			for _, row := range rows {
				id := row[a.Slot]
				switch a.Func {
				case Count:
					n++
				case CountBound:
					if id != 0 {
						n++
					}
				case CountDistinct:
					if values[id] = true; id == 0 {
						delete(values, id)
					}
					n = int64(len(values))
				case Sum:
					if n += (id - theArgs[a.Zero-1]) >> a.Shift; a.Maybe && id == 0 {
						summed = -1
					}
				case Min:
					if n == 0 || id < n {
						n = id
					}
				case Max:
					n = max(n, id)
				case Fold:
					n = foldedOf(a.Number, n, picked(row, a.Of))
				default:
					panic("no answer for " + functions[a.Func])
				}
			}
			for _, h := range p.Having {
				at := theArgs[h.Zero-1] + n
				keep = keep && (h.Slot != column || at >= theArgs[h.Low-1] && at <= theArgs[h.High-1])
			}
			column += a.Width()
			switch {
			case a.Func == Sum && summed < 0:
				line += " no sum"
			case a.Func == Sum:
				line += fmt.Sprint(" ", n, " of ", summed)
			default:
				line += fmt.Sprint(" ", n)
			}
		}
		if keep {
			lines = append(lines, line)
		}
	}
	slices.Sort(lines)
	return lines
}

// firstOf are the first of some solutions, or all if too many are asked for.
func firstOf(p *Program, solutions [][]int64) [][]int64 {
	n := 0
	for _, arg := range p.First {
		n += int(theArgs[arg-1])
	}
	if n > mostFirst {
		return solutions
	}
	solutions = slices.Clone(solutions)
	slices.SortFunc(solutions, func(a, b []int64) int {
		for _, o := range p.Order {
			order := orderOf(a[o.Slot], b[o.Slot])
			if o.ByID && a[o.Slot] != 0 && b[o.Slot] != 0 {
				order = cmp.Compare(a[o.Slot], b[o.Slot])
			}
			if o.Descending {
				order = -order
			}
			if order != 0 {
				return order
			}
		}
		return 0
	})
	return solutions[:min(n, len(solutions))]
}

// orderOf is an order that is not that of the ids. No value comes first.
func orderOf(a, b int64) int {
	return cmp.Or(cmp.Compare(bound(a), bound(b)), cmp.Compare(a%7, b%7), cmp.Compare(a, b))
}

func bound(id int64) int {
	if id == 0 {
		return 0
	}
	return 1
}

// ran is the same by a run.
func ran(p *Program, env *Env) (lines []string, err error) {
	env = withFolds(env)
	run, err := Open(p, env)
	if err != nil {
		return nil, err
	}
	for {
		row, err := run.Next()
		if err != nil {
			return nil, err
		}
		if row == nil {
			slices.Sort(lines)
			return lines, nil
		}
		line := fmt.Sprint(row[:len(p.Keys)])
		at := len(p.Keys)
		for _, a := range p.Aggregates {
			switch {
			case a.Func == Sum && row[at+2] < 0:
				line += " no sum"
			case a.Func == Sum:
				line += fmt.Sprint(" ", row[at]<<24+row[at+1], " of ", row[at+2])
			default:
				line += fmt.Sprint(" ", row[at])
			}
			at += a.Width()
		}
		lines = append(lines, line)
	}
}

// firstSteps are the kinds of a first step. They give slot 0, and slot 1 where they have two.
var firstSteps = map[string]Step{
	"links":               {Predicate: argMany, Object: End{Slot: 1}},
	"links of a graph":    {Predicate: argMany, Object: End{Slot: 1}, Graph: argNamed},
	"subjects":            {Predicate: argKind, Object: End{Arg: argClass}},
	"subjects of a graph": {Predicate: argKind, Object: End{Arg: argClass}, Graph: argNamed},
	"objects":             {Predicate: argMany, Subject: End{Arg: argNode}},
	"nothing":             {Predicate: argKind, Object: End{Arg: argNowhere}},
	"a walk":              {Walk: 1, Subject: End{Arg: argNode}},
	"a walk back":         {Walk: 1, Object: End{Arg: argNode}},
	"a walk between two":  {Walk: 1, Object: End{Slot: 1}},
	"a closure":           {Walk: 1, Object: End{Slot: 1}, Closure: &Closure{Links: []Link{{Predicate: argMany}}}},
	"a closure of two":    {Walk: 1, Subject: End{Slot: 1}, Closure: &Closure{Links: []Link{{Predicate: argOne}, {Predicate: argMany, Inverse: true}}}},
	"a closure in graph":  {Walk: 1, Object: End{Slot: 1}, Closure: &Closure{Links: []Link{{Predicate: argMany}}, Zero: true}, Graph: argNamed},
	"a cycle":             {Walk: 1, Closure: &Closure{Links: []Link{{Predicate: argOne}, {Predicate: argMany}}}},
	"predicates":          {Columns: SubjectPredicate, Object: End{Slot: 1}},
	"objects of all":      {Columns: PredicateObject, Subject: End{Slot: 1}},
}

// aSet is a step that says where a walk between two slots begins.
var aSet = Step{Predicate: argKind, Object: End{Arg: argOther}}

// laterSteps are the kinds of the others. Slot 0 is known; they give a new one, or 1.
var laterSteps = map[string]func(fresh int) Step{
	"to":            func(fresh int) Step { return Step{Predicate: argMany, Object: End{Slot: fresh}} },
	"from":          func(fresh int) Step { return Step{Predicate: argOne, Subject: End{Slot: fresh}} },
	"size":          func(fresh int) Step { return Step{Predicate: argSize, Object: End{Slot: fresh}} },
	"optional to":   func(fresh int) Step { return Step{Predicate: argOne, Object: End{Slot: fresh}, Optional: true} },
	"optional from": func(fresh int) Step { return Step{Predicate: argMany, Subject: End{Slot: fresh}, Optional: true} },
	"optional of graph": func(fresh int) Step {
		return Step{Predicate: argMany, Object: End{Slot: fresh}, Graph: argNamed, Optional: true}
	},
	"pairs":            func(int) Step { return Step{Predicate: argOne, Object: End{Slot: 1}} },
	"a set":            func(int) Step { return aSet },
	"a set of objects": func(int) Step { return Step{Predicate: argMany, Subject: End{Arg: argNode}} },
	"a statement": func(int) Step {
		return Step{Predicate: argKind, Subject: End{Arg: argNode}, Object: End{Arg: argClass}}
	},
	"a walk between two": func(fresh int) Step { return Step{Walk: 1, Object: End{Slot: fresh}} },
	"predicates of all":  func(fresh int) Step { return Step{Columns: SubjectPredicate, Object: End{Slot: fresh}} },
	"a set walked":       func(int) Step { return Step{Walk: 1, Subject: End{Arg: argNode}} },
	"to, in another way": func(fresh int) Step { return Step{Predicate: argOne, Object: End{Slot: fresh}} },
}

// matches are programs whose solutions are matched. All their slots are keys.
var matches = []Program{
	{Slots: 2, Keys: []int{0, 1}, Steps: []Step{{Predicate: argOne, Object: End{Slot: 1}}}},
	{Slots: 1, Keys: []int{0}, Steps: []Step{{Predicate: argKind, Object: End{Arg: argClass}}}},
	{Slots: 3, Keys: []int{0, 1, 2}, Steps: []Step{{Predicate: argOne, Object: End{Slot: 1}}, {Predicate: argKind, Object: End{Slot: 2}}}},
	{Slots: 1, Keys: []int{0}, Steps: []Step{{Predicate: argKind, Object: End{Arg: argNowhere}}}},
}

// unionOf is a union of two programs, in which an expression of its last slot is computed, and says which slots may have
// no value.
func unionOf(one Program, other *Program) (p Program, maybe []bool) {
	p = Program{Slots: one.Slots + 2, Sides: []Side{{Of: &one}, {Of: other}}}
	maybe = slices.Repeat([]bool{true}, p.Slots)
	for slot := range one.Slots {
		one.Keys, p.Sides[0].Slots = append(one.Keys, slot), append(p.Sides[0].Slots, one.Slots-slot)
	}
	for slot := range other.Slots {
		p.Sides[1].Slots = append(p.Sides[1].Slots, slot)
	}
	p.Computed = []Computed{{Slot: p.Slots - 1, Expr: 2, Of: []int{one.Slots}}}
	return p, maybe
}

// conditions are the kinds of conditions, of slots that have a value in every solution.
var conditions = map[string]func(p *Program, slot, other int){
	"all": func(*Program, int, int) {},
	"within": func(p *Program, slot, _ int) {
		p.Within = append(p.Within, Within{Slot: slot, Low: argNode, High: argFew})
	},
	"not within": func(p *Program, slot, _ int) {
		p.Within = append(p.Within, Within{Slot: slot, Low: argLow, High: argHigh, Not: true})
	},
	"among": func(p *Program, slot, _ int) {
		p.Among = append(p.Among, Among{Slot: slot, Args: []int{argNode, argNowhere, argFew}})
	},
	"asked": func(p *Program, slot, _ int) { p.Asked = append(p.Asked, Asked{Slot: slot}) },
	"known": func(p *Program, _, _ int) { p.Known = true },
	"differ": func(p *Program, slot, other int) {
		p.Differ = append(p.Differ, Differ{Slots: [2]int{slot, other}, Expr: 1})
	},
	"a member": func(p *Program, slot, _ int) {
		p.Members = append(p.Members, Member{Slots: []int{slot}, Of: &Program{Slots: 2, Keys: []int{0}, Steps: []Step{{Predicate: argOne, Object: End{Slot: 1}}}}})
	},
	"no member": func(p *Program, slot, _ int) {
		p.Members = append(p.Members, Member{Slots: []int{slot}, Not: true, Of: &Program{Slots: 3, Keys: []int{1}, Steps: []Step{
			{Predicate: argMany, Object: End{Slot: 1}}, {Predicate: argOne, Object: End{Slot: 2}}, {Predicate: argKind, Object: End{Arg: argClass}},
		}}})
	},
	"a pair that is a member": func(p *Program, slot, other int) {
		p.Members = append(p.Members, Member{Slots: []int{slot, other}, Not: p.Slots%2 == 0, Of: &Program{Slots: 2, Keys: []int{0, 1}, Steps: []Step{{Predicate: argOne, Object: End{Slot: 1}}}}})
	},
	"three that are members": func(p *Program, slot, other int) {
		p.Members = append(p.Members, Member{Slots: []int{slot, other, 0}, Not: p.Slots%2 == 1, Of: &Program{Slots: 3, Keys: []int{0, 1, 2}, Steps: []Step{
			{Predicate: argMany, Object: End{Slot: 1}}, {Predicate: argOne, Object: End{Slot: 2}},
		}}})
	},
}

// answersOf are all ways to answer a pattern: all of its rows, those of each slot and of all that
// differ, and groups by none, each and two of its slots, of every aggregate of every slot. Sums,
// least and greatest ids are not of slots that may have no value.
func answersOf(pattern Program, maybe []bool) (list []Program) {
	add := func(change func(*Program)) {
		p := pattern
		change(&p)
		list = append(list, p)
	}
	keys := [][]int{{}}
	var all []int
	for slot := range pattern.Slots {
		keys, all = append(keys, []int{slot}), append(all, slot)
	}
	keys = append(keys, all[max(0, len(all)-2):])
	var every []Aggregate
	for f := range functions {
		for slot := range pattern.Slots {
			a := Aggregate{Func: Func(f), Slot: slot}
			if a.Func == Sum {
				a.Zero, a.Shift = argLow, uint(slot%2)
				a.Maybe = slices.ContainsFunc(pattern.Computed, func(c Computed) bool { return c.Slot == slot })
			}
			if a.Func == Fold {
				a = Aggregate{Func: Fold, Number: 2*slot + slot%2, Each: slot%2 == foldSum, Expr: 2, Of: []int{slot, 0}[:1+slot%3%2]}
			}
			if !maybe[slot] || a.Maybe || a.Func == Fold || a.Func == Count || a.Func == CountBound || a.Func == CountDistinct {
				every = append(every, a)
			}
		}
	}
	add(func(p *Program) { p.Keys = all })
	for i, first := range [][]int{{argNode}, {argZero}, {argFew, argNode}, {argNode, argHigh}} {
		add(func(p *Program) {
			p.Keys, p.First = all, first
			for slot := range all {
				p.Order = append(p.Order, Order{Slot: slot, Descending: slot%2 == 0, ByID: slot%3 == 0})
			}
			if i%2 == 0 {
				slices.Reverse(p.Order)
			}
		})
	}
	for _, by := range keys {
		if len(by) > 0 {
			add(func(p *Program) { p.Keys = by })
			add(func(p *Program) { p.Keys, p.Distinct = by, true })
		}
		add(func(p *Program) { p.Keys, p.Grouped = by, true })
		for i := range every {
			add(func(p *Program) { p.Keys, p.Grouped, p.Aggregates = by, true, every[i:i+1] })
		}
		add(func(p *Program) { p.Keys, p.Grouped, p.Aggregates = by, true, every })
		add(func(p *Program) {
			p.Keys, p.Grouped, p.Aggregates = by, true, every[:1]
			p.Having = []Having{{Within{Slot: len(by), Low: argNode, High: argFew}, argZero}}
		})
	}
	return list
}

// TestEveryAnswerBesideEveryStep combines first steps, none to two others, conditions and ways to
// answer, of two others every eighth. It fails where a kind that the types have is in none of the programs.
func TestEveryAnswerBesideEveryStep(t *testing.T) {
	random := rand.New(rand.NewPCG(21, 22))
	list := someStatements(random, 60)
	var envs []*Env
	for _, v := range []view{{}, {until: 400}, {until: 400, branches: 1}, {until: 90, branches: 3}, {until: 90, branches: mostByCells + 1}} { // 400 takes two bytes
		envs = append(envs, envOf(t, list, v))
	}
	met := features{}
	run := 0
	for name, first := range sortedMap(firstSteps) {
		for _, others := range combined(slices.Sorted(maps.Keys(laterSteps))) {
			pattern := Program{Slots: 1 + first.Subject.Slot + first.Object.Slot, Steps: []Step{first}}
			if first.Walk != 0 && first.Closure == nil && !first.constant() {
				pattern.Steps = append(pattern.Steps, aSet)
			}
			maybe := make([]bool, 12)
			var optional []Step
			fits := true
			for _, other := range others {
				s := laterSteps[other](pattern.Slots)
				pattern.Slots = max(pattern.Slots, 1+s.Subject.Slot, 1+s.Object.Slot)
				fits = fits && (other != "pairs" || first.Subject.Slot+first.Object.Slot == 1) // both slots are known
				if s.Walk != 0 && !s.constant() {
					pattern.Steps = append(pattern.Steps, aSet)
				}
				if s.Optional {
					maybe[pattern.Slots-1] = true
					optional = append(optional, s)
				} else {
					pattern.Steps = append(pattern.Steps, s)
				}
			}
			if !fits {
				continue
			}
			pattern.Steps = append(pattern.Steps, optional...) // they stand behind the others
			ofSteps := pattern.Slots
			if len(others) < 2 && random.IntN(4) == 0 {
				of := matches[random.IntN(len(matches))]
				pattern.Match = &Match{Of: &of, Left: Keyed{Expr: 4, Of: []int{random.IntN(ofSteps)}}, Right: Keyed{Expr: 5, Of: []int{0, of.Slots - 1}[random.IntN(2):]}, Equal: equalExpr}
				for range of.Keys {
					pattern.Match.Slots = append(pattern.Match.Slots, pattern.Slots)
					pattern.Slots++
				}
				if random.IntN(2) > 0 {
					pattern.Differ = []Differ{{Slots: [2]int{0, pattern.Slots - 1}, Expr: 1}}
				}
			}
			if random.IntN(2) > 0 {
				of := []int{random.IntN(pattern.Slots), random.IntN(pattern.Slots)}[:1+random.IntN(2)]
				pattern.Computed = []Computed{{Slot: pattern.Slots, Expr: 2, Of: of}}
				if random.IntN(3) == 0 {
					pattern.Within = []Within{{Slot: pattern.Slots, Low: argLeast, High: argMost, Not: random.IntN(2) > 0}}
				}
				maybe[pattern.Slots] = true
				pattern.Slots++
			}
			for condition, add := range sortedMap(conditions) {
				if condition != "all" && random.IntN(len(conditions)) > 0 {
					continue // each now and then
				}
				p := pattern
				known := slices.DeleteFunc([]int{0, 1, 2, 3}, func(slot int) bool { return slot >= ofSteps || maybe[slot] })
				add(&p, known[random.IntN(len(known))], known[len(known)-1])
				unbound := maybe
				if random.IntN(4) == 0 {
					p, unbound = unionOf(p, &matches[random.IntN(len(matches))])
				}
				solutions := solve(list, &p)
				for _, p := range answersOf(p, unbound) {
					if len(others) > 1 && random.IntN(8) > 0 {
						continue
					}
					run++
					met.of(reflect.ValueOf(p))
					for _, use := range p.uses(p.merges(merging{})) {
						met["way "+ways[use.way]] = true
					}
					want := answered(&p, solutions)
					got, err := ran(&p, envs[run%len(envs)])
					if err != nil || !slices.Equal(got, want) {
						t.Fatalf("%s, %s, %s:%s\ngave %s, error %v\nwant %s", name, others, condition, p.Text(nil), got, err, want)
					}
				}
			}
		}
	}
	t.Logf("%d programs", run)
	for _, way := range ways {
		if !met["way "+way] {
			t.Errorf("no step is %s", way)
		}
	}
	for _, kind := range []reflect.Type{reflect.TypeFor[Program](), reflect.TypeFor[Step](), reflect.TypeFor[Closure](), reflect.TypeFor[Link](), reflect.TypeFor[Aggregate](), reflect.TypeFor[Member](), reflect.TypeFor[Side](), reflect.TypeFor[Computed](), reflect.TypeFor[Order](), reflect.TypeFor[Match](), reflect.TypeFor[Keyed]()} {
		for i := range kind.NumField() {
			if name := kind.Name() + "." + kind.Field(i).Name; !met[name] && name != "Step.Rows" { // an estimate, which says nothing of the answer
				t.Errorf("%s is never set", name)
			}
		}
	}
}

// features are the fields that were set, and the ways of steps.
type features map[string]bool

// of adds the fields of a value that are set, and theirs.
func (f features) of(v reflect.Value) {
	switch v.Kind() { //nolint:exhaustive // the others have no fields
	case reflect.Pointer:
		f.of(v.Elem())
	case reflect.Slice:
		for i := range v.Len() {
			f.of(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if field := v.Field(i); !field.IsZero() {
				f[v.Type().Name()+"."+v.Type().Field(i).Name] = true
				f.of(field)
			}
		}
	}
}

// combined are none, each, and two of some.
func combined(of []string) (list [][]string) {
	list = append(list, nil)
	for i, one := range of {
		list = append(list, []string{one})
		for _, other := range of[i:] {
			list = append(list, []string{one, other})
		}
	}
	return list
}

func sortedMap[V any](of map[string]V) func(yield func(string, V) bool) {
	return func(yield func(string, V) bool) {
		for _, key := range slices.Sorted(maps.Keys(of)) {
			if !yield(key, of[key]) {
				return
			}
		}
	}
}
