package builtin

import (
	"context"
	"strings"

	"trails/auth/policy"
	"trails/capability"
	"trails/invoke"
	"trails/kg"
	"trails/text/quote"
)

// undoQuotes is how many characters of the undone commit's message the new one quotes.
const undoQuotes = 200

// undoing is what an undo takes.
type undoing struct {
	Commit string `json:"commit" is:"brief" doc:"Its first digits, or head~2."`
	capability.ChangeArguments
}

// undone is what an undo answers.
type undone struct {
	Undone    string   `json:"undone" doc:"The commit that was taken back, by its first digits."`
	Nodes     []string `json:"nodes,omitempty" doc:"The first 20 nodes that change."`
	NodeCount int64    `json:"node_count,omitempty" doc:"How many nodes change."`
	capability.Changed
	invoke.Written
}

var undoBuiltin = invoke.Define(capability.Descriptor{
	ID: "undo", Description: "Take back what one commit changed. Refused where later ones touched the same values.",
	Preconditions: []string{"No later commit touched the same values.", "The graph fits its schema at the end."},
	CostEstimate:  capability.CostChange, PolicyRequired: capability.Requirement{Action: policy.Change},
}, undo((*kg.Session).Undo), invoke.Forwards(undoForward))

const schemaUndoID = "schema_undo"

// schemaUndo is undo for a commit that changed the schema.
var schemaUndo = invoke.Define(capability.Descriptor{
	ID: schemaUndoID, Description: "Take back a change of the schema, the last one, as a new commit. What loosens the schema or renames needs the scope builder; what was added goes where no data has it.",
	Preconditions: []string{"No definition was changed after it.", "The graph fits the schema before."},
	CostEstimate:  capability.CostGraph, PolicyRequired: capability.Requirement{Action: policy.SchemaApply},
}, undo((*kg.Session).UndoSchema), invoke.Hidden)

// undoForward returns the capability that undoes a commit; "" is undo itself, which also reports errors of the
// argument.
func undoForward(ctx context.Context, r *invoke.Request, in undoing) (string, invoke.Arguments, error) {
	c, err := r.Snapshot.FindCommit(ctx, in.Commit)
	if err != nil {
		return "", nil, nil //nolint:nilerr // the handler says it
	}
	if alone, err := r.Snapshot.ChangedSchemaAlone(ctx, c); !alone || err != nil {
		return "", nil, err
	}
	return schemaUndoID, r.Args, nil
}

// undo undoes a commit with take.
func undo(take func(*kg.Session, context.Context, kg.Undo) (kg.Result, error)) func(context.Context, *invoke.Request, undoing) (*undone, error) {
	return func(ctx context.Context, r *invoke.Request, in undoing) (*undone, error) {
		commit, err := commitOf(ctx, r, "commit", in.Commit)
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
		r.Release() // a snapshot would keep the log from starting over during a long write
		result, err := take(r.Session(), ctx, kg.Undo{Commit: commit.ID, Set: set, Guard: mayLoosen(r), Progress: r.Progress})
		if err != nil {
			return nil, err
		}
		return &undone{
			Undone: commit.ID.String(), NodeCount: result.NodeCount, Nodes: s.NodeNames(result.Nodes),
			Changed: changesOf(s, result, set.DryRun), Written: r.Committed(result, set.DryRun),
		}, nil
	}
}

// undoMessage says what is taken back, and what it said of itself.
func undoMessage(c kg.Commit) string {
	message := "undo " + c.ID.String()
	if first, _, _ := strings.Cut(strings.TrimSpace(c.Message), "\n"); first != "" {
		message += ": " + quote.Line(first, undoQuotes)
	}
	return message
}
