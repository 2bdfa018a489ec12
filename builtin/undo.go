package builtin

import (
	"context"
	"strings"

	"trails/capability"
	"trails/invoke"
	"trails/kg"
	"trails/policy"
	"trails/quote"
)

// undoQuotes is how many characters of the old message the new one has.
const undoQuotes = 200

var undoBuiltin = invoke.Capability{
	Descriptor: capability.Descriptor{
		ID: "undo", Description: "Take back what one commit changed, as a new commit. Refused where later ones touched the same values.",
		InputShape: capability.Shape{Fields: append([]capability.Field{
			{Name: "commit", Type: capability.String, Required: true, Brief: true, Description: "Its first digits, or head for the newest."},
		}, capability.MassArguments()...)},
		OutputShape: capability.Shape{Fields: append([]capability.Field{
			{Name: "undone", Type: capability.String, Required: true, Description: "The commit that was taken back, by its first digits."},
			{Name: "nodes", Type: capability.String, Many: true, Description: "The first 20 nodes that change."},
			{Name: "node_count", Type: capability.Integer, Description: "How many nodes change."},
			capability.Changes(),
		}, capability.CommitResult()...)},
		Preconditions: []string{"No later commit touched the same values.", "The graph fits its schema at the end."},
		SideEffects:   capability.Destroys,
		CostEstimate:  capability.CostChange, PolicyRequired: capability.Requirement{Action: "change"},
	},
	Handle: undoing((*kg.Session).Undo), Forward: undoForward,
}

const schemaUndoID = "schema_undo"

// schemaUndo is undo of a commit that changed the schema, which is a change of the schema.
var schemaUndo = invoke.Capability{
	Descriptor: capability.Descriptor{
		ID: schemaUndoID, Description: "Take back a change of the schema, the last one, as a new commit. What loosens the schema or renames needs the scope builder; what was added goes where no data has it.",
		InputShape: undoBuiltin.InputShape, OutputShape: undoBuiltin.OutputShape,
		Preconditions: []string{"No definition was changed after it.", "The graph fits the schema before."},
		SideEffects:   capability.Destroys,
		CostEstimate:  capability.CostGraph, PolicyRequired: capability.Requirement{Action: policy.SchemaApply},
	},
	Handle: undoing((*kg.Session).UndoSchema), Hidden: true,
}

// undoForward finds what takes a commit back; nil is undo itself, which also says what is wrong
// with the argument.
func undoForward(ctx context.Context, r *invoke.Request) (*invoke.Capability, invoke.Arguments, error) {
	c, err := r.Snapshot.FindCommit(ctx, r.Args.Text("commit"))
	if err != nil {
		return nil, nil, nil //nolint:nilerr // the handler says it
	}
	if alone, err := r.Snapshot.ChangedSchemaAlone(ctx, c); !alone || err != nil {
		return nil, nil, err
	}
	next, err := r.Named(schemaUndoID)
	return next, r.Args, err
}

// undone is what an undo answers.
type undone struct {
	Undone    string       `json:"undone"`
	Nodes     []string     `json:"nodes,omitempty"`
	NodeCount int64        `json:"node_count,omitempty"`
	Changes   *changeTable `json:"changes,omitempty"`
	invoke.Written
}

// undoing takes back a commit as take does.
func undoing(take func(*kg.Session, context.Context, kg.Undo) (kg.Result, error)) invoke.Handler {
	return func(ctx context.Context, r *invoke.Request) (any, error) { return undo(ctx, r, take) }
}

func undo(ctx context.Context, r *invoke.Request, take func(*kg.Session, context.Context, kg.Undo) (kg.Result, error)) (any, error) {
	commit, err := commitOf(ctx, r, "commit")
	if err != nil {
		return nil, err
	}
	r.Uses(string(commit.ID.IRI()))
	set, err := r.ChangeSet(ctx)
	if err != nil {
		return nil, err
	}
	if set.Message == "" {
		set.Message = undoMessage(commit)
	}
	s := r.Snapshot.Schema()
	r.Release() // a long write must not hold the log
	result, err := take(r.Session(), ctx, kg.Undo{Commit: commit.ID, Set: set, Guard: mayLoosen(r), Progress: r.Progress})
	if err != nil {
		return nil, err
	}
	answer := undone{Undone: commit.ID.String(), NodeCount: result.NodeCount, Changes: changesOf(s, result, set.DryRun), Written: r.Committed(result, set.DryRun)}
	for _, node := range result.Nodes {
		answer.Nodes = append(answer.Nodes, s.NodeName(node))
	}
	return answer, nil
}

// undoMessage says what is taken back, and what it said of itself.
func undoMessage(c kg.Commit) string {
	message := "undo " + c.ID.String()
	if first, _, _ := strings.Cut(strings.TrimSpace(c.Message), "\n"); first != "" {
		message += ": " + quote.Line(first, undoQuotes)
	}
	return message
}
