package scan

import (
	"errors"
	"slices"
)

// reach is a relation between the strongly connected components of its nodes: the sets of nodes that all reach each
// other. Components are numbered so that links lead to lower numbers.
type reach struct {
	env   *Env
	n     int       // number of components
	links adjacency // between different components
	stays []bool    // whether the nodes of a component reach themselves
	ends  [2]members
}

// adjacency has for each number those that it is linked to.
type adjacency struct{ first, to []uint32 }

func (a *adjacency) of(i int) []uint32 { return a.to[a.first[i]:a.first[i+1]] }

// members are the nodes of each component that an end of a path may be: where it begins, and where it ends.
type members struct {
	first []uint32
	ids   []int64
}

func (m *members) of(component int) []int64 { return m.ids[m.first[component]:m.first[component+1]] }

// condensedAtOnce is the number of steps of condensing between two looks at whether the run must end.
const condensedAtOnce = 1 << 14

// condensed reads all links of a closure and condenses their components. Paths begin at the subject or, if from is 1,
// at the object.
func (p *pairs) condensed(from int) (*reach, error) {
	env, s := p.builder.env, p.step
	nodes := newTuples(1, env)
	came, err := p.links(from, nodes)
	if err != nil {
		return nil, err
	}
	links, err := newAdjacency(env, nodes.n, came)
	if err != nil {
		return nil, err
	}
	if err := env.Grow(-8 * int64(cap(came))); err != nil {
		return nil, err
	}
	components, n, err := componentsOf(env, links)
	if err != nil {
		return nil, err
	}
	byComponent, err := nodesOf(env, components, n)
	if err != nil {
		return nil, err
	}
	r := &reach{env: env, n: n}
	if r.links, r.stays, err = condense(env, links, components, byComponent, s.Closure.Zero); err != nil {
		return nil, err
	}
	for i := range r.ends {
		if i == 1 && len(p.tests) == 0 {
			r.ends[1] = r.ends[0]
			break
		}
		if r.ends[i], err = p.members(from^i, nodes.rows, byComponent); err != nil {
			return nil, err
		}
	}
	return r, env.Grow(-4 * int64(len(links.to)+len(links.first)+len(components)+len(byComponent.first)+len(byComponent.to)))
}

// links reads the links of a closure as pairs of numbers of nodes. If a path may have no step, nodes get numbers for all
// subjects and objects of the graph.
func (p *pairs) links(from int, nodes *tuples) (came []uint64, err error) {
	env, s := p.builder.env, p.step
	var numbers [2][]int32
	read := func(predicate int, each func(*batch) error) error {
		rows, err := NewLinks(predicate, s.Graph, false, true).read(env)
		if err != nil {
			return err
		}
		return batches(rows.pairs, each)
	}
	for _, link := range s.Closure.Links {
		begin := from
		if link.Inverse {
			begin = 1 - from
		}
		err := read(link.Predicate, func(batch *batch) (err error) {
			for i := range numbers {
				if numbers[i], err = nodes.all(batch.slots[i:i+1], batch.n, numbers[i]); err != nil {
					return err
				}
			}
			if len(came)+batch.n > cap(came) {
				was := cap(came)
				came = slices.Grow(came, max(batch.n, was/2))
				if err := env.Grow(8 * int64(cap(came)-was)); err != nil {
					return err
				}
			}
			for i := range batch.n {
				came = append(came, packed(int64(numbers[begin][i]), int64(numbers[1-begin][i])))
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if !s.Closure.Zero {
		return came, nil
	}
	all := NewSet(env.Grow) // they get numbers in their order, which is faster than in that of statements
	err = read(0, func(batch *batch) error {
		return errors.Join(all.addAll(batch.slots[0]), all.addAll(batch.slots[1]))
	})
	if err == nil {
		err = env.Grow(8 * all.n)
	}
	if err != nil {
		return nil, err
	}
	for ids := range slices.Chunk(all.ordered(), batchRows) {
		if numbers[0], err = nodes.all([][]int64{ids}, len(ids), numbers[0]); err != nil {
			return nil, err
		}
	}
	return came, env.Grow(-8 * all.n)
}

// newAdjacency sorts pairs by their first number, which is below n.
func newAdjacency(env *Env, n int, came []uint64) (a adjacency, err error) {
	if err := env.Grow(4 * int64(n+2+len(came))); err != nil {
		return a, err
	}
	first, to := make([]uint32, n+2), make([]uint32, len(came))
	for _, link := range came {
		first[link>>32+2]++
	}
	for i := range n {
		first[i+2] += first[i+1]
	}
	for _, link := range came {
		place := &first[link>>32+1]
		to[*place] = uint32(link)
		*place++
	}
	return adjacency{first[:n+1], to}, nil
}

// nodesOf lists the nodes of each of n components.
func nodesOf(env *Env, components []uint32, n int) (a adjacency, err error) {
	size := 8 * int64(len(components))
	if err := env.Grow(size); err != nil {
		return a, err
	}
	pairs := make([]uint64, len(components))
	for node, component := range components {
		pairs[node] = packed(int64(component), int64(node))
	}
	if a, err = newAdjacency(env, n, pairs); err != nil {
		return a, err
	}
	return a, env.Grow(-size)
}

// componentsOf returns the strongly connected component of each node, and their number. The component of a node has a
// number above those of all other components that it reaches (Tarjan, "Depth-first search and linear graph
// algorithms", 1972, without recursion).
func componentsOf(env *Env, links adjacency) (components []uint32, n int, err error) {
	const none = ^uint32(0)
	nodes := len(links.first) - 1
	if err := env.Grow(24 * int64(nodes)); err != nil {
		return nil, 0, err
	}
	components = make([]uint32, nodes)
	for i := range components {
		components[i] = none
	}
	// The nodes are numbered in the order in which they are met, from 1 on. low is the lowest number among the open
	// nodes, those without a component, that are known to be reached from a node. next is the next link of a node.
	met, low, next := make([]uint32, nodes), make([]uint32, nodes), slices.Clone(links.first[:nodes])
	open, path := make([]uint32, 0, nodes), make([]uint32, 0, nodes)
	last := uint32(0)
	meet := func(node uint32) {
		last++
		met[node], low[node] = last, last
		open, path = append(open, node), append(path, node)
	}
	steps := 0
	for root := range nodes {
		if met[root] != 0 {
			continue
		}
		for meet(uint32(root)); len(path) > 0; {
			if steps++; steps%condensedAtOnce == 0 {
				if err := env.Ended(); err != nil {
					return nil, 0, err
				}
			}
			node := path[len(path)-1]
			if at := next[node]; at < links.first[node+1] {
				next[node]++
				switch to := links.to[at]; {
				case met[to] == 0:
					meet(to)
				case components[to] == none:
					low[node] = min(low[node], met[to])
				}
				continue
			}
			if path = path[:len(path)-1]; len(path) > 0 {
				before := path[len(path)-1]
				low[before] = min(low[before], low[node])
			}
			if low[node] < met[node] {
				continue
			}
			for i := len(open) - 1; ; i-- {
				components[open[i]] = uint32(n)
				if open[i] == node {
					open = open[:i]
					break
				}
			}
			n++
		}
	}
	return components, n, env.Grow(-20 * int64(nodes))
}

// condense returns the links between different components, each once, and whether the nodes of each component reach
// themselves.
func condense(env *Env, links adjacency, components []uint32, byComponent adjacency, zero bool) (between adjacency, stays []bool, err error) {
	n := len(byComponent.first) - 1
	if err := env.Grow(int64(9*n + 4*len(links.to))); err != nil {
		return between, nil, err
	}
	between = adjacency{make([]uint32, 0, n+1), make([]uint32, 0, len(links.to))}
	stays = make([]bool, n)
	seen := make([]uint32, n) // 1 plus the last component that is linked to each
	for component := range n {
		if component%condensedAtOnce == 0 {
			if err := env.Ended(); err != nil {
				return between, nil, err
			}
		}
		between.first = append(between.first, uint32(len(between.to)))
		nodes := byComponent.of(component)
		stays[component] = zero
		for _, node := range nodes {
			for _, other := range links.of(int(node)) {
				to := components[other]
				switch {
				case int(to) == component:
					stays[component] = true
				case seen[to] != uint32(component)+1:
					seen[to] = uint32(component) + 1
					between.to = append(between.to, to)
				}
			}
		}
	}
	between.first = append(between.first, uint32(len(between.to)))
	return between, stays, env.Grow(-4 * int64(n))
}

// members lists the nodes of each component that pass the tests of an end.
func (p *pairs) members(end int, nodes []int64, byComponent adjacency) (m members, err error) {
	n := len(byComponent.first) - 1
	if err := p.builder.env.Grow(int64(4*(n+1) + 8*len(nodes))); err != nil {
		return m, err
	}
	m = members{make([]uint32, n+1), make([]int64, 0, len(nodes))}
	var ids, components []int64
	keep := func() {
		for _, t := range p.tests {
			if t.end == end {
				kept := t.keep(ids, components)
				ids, components = ids[:kept], components[:kept]
			}
		}
		m.ids = append(m.ids, ids...)
		for _, component := range components {
			m.first[component+1]++
		}
		ids, components = ids[:0], components[:0]
	}
	for component := range n {
		for _, node := range byComponent.of(component) {
			ids, components = append(ids, nodes[node]), append(components, int64(component))
		}
		if len(ids) >= batchRows {
			if err := p.builder.env.Ended(); err != nil {
				return m, err
			}
			keep()
		}
	}
	keep()
	for component := range n {
		m.first[component+1] += m.first[component]
	}
	return m, p.builder.failed
}
