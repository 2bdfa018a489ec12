package view

import (
	"encoding/json"
	"strings"

	"trails/fault"
	"trails/text/outline"
)

// PlanRow is a row of the plan of a change of the schema: a step, what it means for the data, and the first nodes that it
// means that for. In JSON it is a list.
type PlanRow struct {
	Step, Effect string
	Nodes        []PlanNode
}

// PlanNode is a node and the reason why a plan names it. The node is "" where something else stands against the step, and
// the reason is "" where the effect says it.
type PlanNode [2]string

// reasonText bounds the characters of a reason.
const reasonText = 200

// PlanNodeOf is the node that a mistake is about, with the mistake.
func PlanNodeOf(f fault.FieldError) PlanNode {
	node := f.Node
	f.Node = ""
	reason := f.String()
	if rest, begins := strings.CutPrefix(reason, node); begins && node != "" {
		reason = strings.TrimLeft(rest, ": ")
	}
	return PlanNode{node, outline.Shorten(reason, reasonText)}
}

// String is the node with its reason.
func (n PlanNode) String() string {
	if n[0] == "" || n[1] == "" {
		return n[0] + n[1]
	}
	return n[0] + ": " + n[1]
}

// SafeEffect begins the effect of a step that breaks and loses nothing.
const SafeEffect = "safe"

// Safe reports that the step breaks and loses nothing.
func (r PlanRow) Safe() bool { return strings.HasPrefix(r.Effect, SafeEffect) }

// list has the cells of the row.
func (r *PlanRow) list() []any { return []any{&r.Step, &r.Effect, &r.Nodes} }

// MarshalJSON writes the row as a list.
func (r PlanRow) MarshalJSON() ([]byte, error) {
	if r.Nodes == nil {
		r.Nodes = []PlanNode{}
	}
	return json.Marshal(r.list())
}

// UnmarshalJSON reads the row from a list.
func (r *PlanRow) UnmarshalJSON(text []byte) error {
	list := r.list()
	return json.Unmarshal(text, &list)
}

// MigrationRow is a row of the plan of a migration: the numbers of its steps that are taken together, and what they do.
type MigrationRow struct {
	Steps string
	PlanRow
}

// MarshalJSON writes the row as a list.
func (r MigrationRow) MarshalJSON() ([]byte, error) {
	if r.Nodes == nil {
		r.Nodes = []PlanNode{}
	}
	return json.Marshal(append([]any{r.Steps}, r.list()...))
}

// UnmarshalJSON reads the row from a list.
func (r *MigrationRow) UnmarshalJSON(text []byte) error {
	list := append([]any{&r.Steps}, r.list()...)
	return json.Unmarshal(text, &list)
}
