package kg

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"trails/fault"
	"trails/kg/change"
	"trails/rdf"
	"trails/schema"
	"trails/text/quote"
)

// MassChange describes a change that was refused because it removes more than [ChangeSet.MaxRemoved] statements.
type MassChange struct {
	// Head is the commit that it was tried on.
	Head Commit
	// Removes counts statements, NodeCount the nodes that would change, of which Nodes are
	// the first ones, as people call them.
	Removes, NodeCount int64
	Nodes              []string
	// Goes counts the nodes that would be of no type any more.
	Goes Going
}

// Going counts nodes by type, sorted by name.
type Going []Replaced

// Nodes counts all of them. A node of two types counts twice.
func (g Going) Nodes() (n int64) {
	for _, t := range g {
		n += t.Nodes
	}
	return n
}

// String says how many nodes of which type: 12 Contract, 3 Person. It is "" for none.
func (g Going) String() string {
	const shown = 8
	var parts []string
	for _, t := range g[:min(shown, len(g))] {
		parts = append(parts, fmt.Sprintf("%d %s", t.Nodes, quote.Line(t.Name, maxSaid)))
	}
	if more := len(g) - len(parts); more > 0 {
		parts = append(parts, "and of "+fault.Counted(more, "more type"))
	}
	return strings.Join(parts, ", ")
}

// going counts the nodes of a change that lose their type, by type.
type going map[string]int64

// add counts the subject of these deltas. One that gets another type stays.
func (g *going) add(s *schema.Schema, deltas []change.Delta) {
	var lost []string
	for _, d := range deltas {
		if d.Quad.Predicate != rdf.Type || d.Quad.Label != nil {
			continue
		}
		if d.Added {
			return
		}
		class, _ := d.Quad.Object.(rdf.IRI)
		if t := s.TypeByIRI(class); t != nil {
			lost = append(lost, t.Name)
		}
	}
	for _, name := range lost {
		if *g == nil {
			*g = going{}
		}
		(*g)[name]++
	}
}

func (g going) list() (out Going) {
	for _, name := range slices.Sorted(maps.Keys(g)) {
		out = append(out, Replaced{name, g[name]})
	}
	return out
}

// Error says what would have been removed.
func (m *MassChange) Error() string {
	const shown = 5
	var names []string
	for _, node := range m.Nodes[:min(shown, len(m.Nodes))] {
		names = append(names, quote.Line(node, maxSaid))
	}
	if more := m.NodeCount - int64(len(names)); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	text := fmt.Sprintf("the change would remove %s and touch %s: %s", fault.Counted(m.Removes, "statement"), fault.Counted(m.NodeCount, "node"), strings.Join(names, ", "))
	if len(m.Goes) > 0 {
		text += "; what goes as a whole is " + m.Goes.String()
	}
	return text
}

// losses says which statements the steps of a schema change remove.
type losses struct{ moved, lost int64 }

func (c *losses) add(steps ...MigratedStep) {
	for _, s := range steps {
		c.moved += s.Moves
		c.lost += s.Removes
	}
}

// moved counts the removed statements of a node that are not lost, because an added one takes their place: the same
// value under another property, or the same statement in another graph. Each added statement takes the place of one.
// Lists, constraints and searches read types, and the default graph alone: what leaves them is lost.
func moved(deltas []change.Delta) (n int64) {
	if !slices.ContainsFunc(deltas, func(d change.Delta) bool { return !d.Added }) {
		return 0 // as in a load
	}
	added := map[rdf.Quad][]int{} // by the statement in any graph, and by the value in one
	places := func(q rdf.Quad) [2]rdf.Quad {
		return [2]rdf.Quad{{Predicate: q.Predicate, Object: q.Object}, {Object: q.Object, Label: q.Label}}
	}
	for i, d := range deltas {
		if d.Added && d.Quad.Label != rdf.SchemaGraph {
			for _, place := range places(d.Quad) {
				added[place] = append(added[place], i)
			}
		}
	}
	taken := make([]bool, len(deltas))
	for _, d := range deltas {
		if d.Added || d.Quad.Label == rdf.SchemaGraph {
			continue
		}
		places := places(d.Quad)
		for i, place := range places {
			if i == 0 && d.Quad.Label == nil || i == 1 && d.Quad.Predicate == rdf.Type {
				continue
			}
			for len(added[place]) > 0 && taken[added[place][0]] {
				added[place] = added[place][1:]
			}
			if len(added[place]) > 0 {
				taken[added[place][0]] = true
				n++
				break
			}
		}
	}
	return n
}

// loses counts what the change has removed so far. Statements that move are not lost; what a step of a migration
// removes is, even if a later step moves as much.
func (t *transaction) loses() int64 {
	if t.job.losses == nil {
		return t.removedData - t.movedData
	}
	return max(t.removedData-t.job.losses.moved, t.job.losses.lost)
}

// isMass reports that the change has removed more than it may. From then on statements are only counted, not written.
func (t *transaction) isMass() bool {
	set := t.job.set
	return set.MaxRemoved > 0 && !set.DryRun && t.loses() > set.MaxRemoved
}

// massRefusal is the fault for a change that removes more than it may.
func (t *transaction) massRefusal() error {
	names := t.schema.schema.NodeNames(t.result.Nodes)
	m := &MassChange{Head: t.before, Removes: t.loses(), NodeCount: t.result.NodeCount, Nodes: names, Goes: t.result.Goes}
	return m.refusal(t.job.set.MaxRemoved)
}

// refusal is the fault for a change that removes more than the limit.
func (m *MassChange) refusal(limit int64) error {
	return fault.New(fault.Conflict, "%v. That is more than %d statements, and nothing was changed. If it is meant, repeat it with allow_mass_change: true", m, limit).
		With("removes", m.Removes).With("limit", limit).With("nodes", m.Nodes).With("node_count", m.NodeCount).Because(m)
}
