package kg

import (
	"fmt"
	"strings"

	"trails/fault"
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
	return fmt.Sprintf("the change would remove %s and touch %s: %s", fault.Counted(m.Removes, "statement"), fault.Counted(m.NodeCount, "node"), strings.Join(names, ", "))
}

// losses says which statements the steps of a schema change remove.
type losses struct{ moved, lost int64 }

func (c *losses) add(steps ...MigratedStep) {
	for _, s := range steps {
		c.moved += s.Moves
		c.lost += s.Removes
	}
}

// loses counts what the change has removed so far. Renamed statements are not lost; what a step of a migration
// removes is, even if a later step moves as much.
func (t *transaction) loses() int64 {
	if t.job.losses == nil {
		return t.removedData
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
	m := &MassChange{Head: t.before, Removes: t.loses(), NodeCount: t.result.NodeCount}
	for _, node := range t.result.Nodes {
		m.Nodes = append(m.Nodes, t.schema.schema.NodeName(node))
	}
	limit := t.job.set.MaxRemoved
	return fault.New(fault.Conflict, "%v. That is more than %d statements, and nothing was changed. If it is meant, repeat it with allow_mass_change: true", m, limit).
		With("removes", m.Removes).With("limit", limit).With("nodes", m.Nodes).With("node_count", m.NodeCount).Because(m)
}
