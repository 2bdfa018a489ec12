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
	// Of has the numbers of the steps of a migration that are taken together, "" for what is no step; nil in other plans.
	Of           *string
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

// list has the cells of the row, of which the first is that of a migration alone.
func (r *PlanRow) list(cells int) []any {
	return []any{&r.Of, &r.Step, &r.Effect, &r.Nodes}[4-cells:]
}

// MarshalJSON writes the row as a list.
func (r PlanRow) MarshalJSON() ([]byte, error) {
	if r.Nodes == nil {
		r.Nodes = []PlanNode{}
	}
	cells := 4
	if r.Of == nil {
		cells = 3
	}
	return json.Marshal(r.list(cells))
}

// UnmarshalJSON reads the row from a list.
func (r *PlanRow) UnmarshalJSON(text []byte) error {
	var cells []json.RawMessage
	if err := json.Unmarshal(text, &cells); err != nil {
		return err
	}
	list := r.list(min(max(len(cells), 3), 4))
	return json.Unmarshal(text, &list)
}
