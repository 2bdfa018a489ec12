package builtin

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"trails/auth/policy"
	"trails/capability"
	"trails/fault"
	"trails/invoke"
	"trails/kg"
	"trails/text/quote"
)

// undoQuotes is how many characters of the undone commit's message the new one quotes.
const undoQuotes = 200

// undoing is what an undo takes.
type undoing struct {
	Commit string   `json:"commit" is:"brief" doc:"Its first digits, head~2, or A..B for those after A up to B."`
	Nodes  []string `json:"nodes,omitempty" is:"rare" doc:"Take back only what was changed of these: Type/id or an IRI."`
	capability.AskArgument
	capability.ChangeArguments
}

// undoingDefinitions is what the undo of commits that changed definitions takes.
type undoingDefinitions struct {
	Commit string `json:"commit" is:"brief" doc:"Its first digits, head~2, or A..B for those after A up to B."`
	capability.AskArgument
	capability.ChangeArguments
}

// undoingPromotion is what the undo of a promotion takes.
type undoingPromotion struct {
	Commit string `json:"commit" is:"brief" doc:"Its first digits, or head~2."`
	capability.AskArgument
	capability.ChangeArguments
}

// undone is what an undo answers.
type undone struct {
	Undone    string   `json:"undone" doc:"What was taken back: a commit, or A..B, by first digits."`
	Nodes     []string `json:"nodes,omitempty" doc:"The first 20 nodes that change."`
	NodeCount int64    `json:"node_count,omitempty" doc:"How many nodes change."`
	capability.Changed
	invoke.Written
}

var undoBuiltin = invoke.Define(capability.Descriptor{
	ID: "undo", Description: "Take back a commit or A..B.",
	Preconditions: []string{"No later commit touched the same values.", "The graph fits its schema at the end."},
	CostEstimate:  capability.CostChange, PolicyRequired: capability.Requirement{Action: policy.Change},
}, undo, invoke.Forwards(undoForward))

const schemaUndoID = "schema_undo"

// schemaUndo is undo for commits that changed the schema.
var schemaUndo = invoke.Define(capability.Descriptor{
	ID: schemaUndoID, Description: "Take back a change of the schema or of stored queries, the last one that stands, or a range of commits with such changes, as a new commit. What loosens the schema or renames, and stored queries, need the scope builder; what was added goes where no data has it.",
	Preconditions: []string{"No definition was changed after it, or all that was is taken back.", "The graph fits the schema before."},
	CostEstimate:  capability.CostGraph, PolicyRequired: capability.Requirement{Action: policy.SchemaApply},
}, func(ctx context.Context, r *invoke.Request, in undoingDefinitions) (*undone, error) {
	after, last, err := commitsOf(ctx, r, "commit", in.Commit)
	if err != nil {
		return nil, err
	}
	return undoDefinitions(ctx, r, after, last, (*kg.Session).UndoSchema)
}, invoke.Hidden)

// undoForward returns the capability that undoes commits; "" is undo itself, which also reports errors of the
// argument.
func undoForward(ctx context.Context, r *invoke.Request, in undoing) (string, invoke.Arguments, error) {
	after, last, err := r.Snapshot.FindCommits(ctx, in.Commit)
	if err != nil || len(in.Nodes) > 0 {
		return "", nil, nil //nolint:nilerr // the handler says it
	}
	if alone, err := r.Snapshot.ChangedSchemaAlone(ctx, kg.Undo{Commit: last.ID, After: after.ID}); !alone || err != nil {
		return "", nil, err
	}
	return schemaUndoID, r.Args, nil
}

// undo takes back commits of data.
func undo(ctx context.Context, r *invoke.Request, in undoing) (*undone, error) {
	after, last, err := commitsOf(ctx, r, "commit", in.Commit)
	if err != nil {
		return nil, err
	}
	u := kg.Undo{Commit: last.ID, After: after.ID}
	for i, name := range in.Nodes {
		node, _, ok := namedNode(r.Snapshot.Schema(), name)
		if !ok {
			return nil, fault.Argument(fmt.Sprintf("nodes[%d]", i), fault.Pattern, name, "give a node as Type/id or by its IRI")
		}
		u.Nodes = append(u.Nodes, node)
	}
	return takeBack(ctx, r, u, last, (*kg.Session).Undo)
}

// undoDefinitions takes back commits that changed definitions: last alone, or those behind after.
func undoDefinitions(ctx context.Context, r *invoke.Request, after, last kg.Commit, take func(*kg.Session, context.Context, kg.Undo) (kg.Result, error)) (*undone, error) {
	out, err := takeBack(ctx, r, kg.Undo{Commit: last.ID, After: after.ID}, last, take)
	if fault.Is(err, fault.InvalidData) {
		fields := slices.Clone(fault.Of(err).Fields)
		fields[0].Message = fault.Add(fields[0].Message, fmt.Sprintf("; undo {\"commit\":\"%s..head\"} takes back what was done since, which may be what needs it", last.ID))
		err = fault.Invalid(fields)
	}
	return out, err
}

// takeBack takes commits back, of which last is the last one.
func takeBack(ctx context.Context, r *invoke.Request, u kg.Undo, last kg.Commit, take func(*kg.Session, context.Context, kg.Undo) (kg.Result, error)) (*undone, error) {
	what, said := last.ID.String(), last.Message
	if !u.After.IsZero() {
		r.Uses(string(u.After.IRI()))
		what, said = u.After.String()+".."+what, ""
	}
	r.Uses(string(last.ID.IRI()))
	set, err := r.ChangeSet(ctx)
	if err != nil {
		return nil, err
	}
	if set.Message == "" {
		set.Message = undoMessage(what, len(u.Nodes) > 0, said)
	}
	s := r.Snapshot.Schema()
	r.Release() // a snapshot would keep the log from starting over during a long write
	u.Set, u.Guard, u.Defines, u.Progress = set, mayLoosen(r), definesByBuilders(r, "commit"), r.Progress
	result, err := take(r.Session(), ctx, u)
	if err != nil {
		return nil, err
	}
	return &undone{
		Undone: what, NodeCount: result.NodeCount, Nodes: s.DefinitionNames(result.Nodes),
		Changed: changesOf(s, result, set.DryRun), Written: r.Committed(result, set.DryRun),
	}, nil
}

// undoMessage says what is taken back, whether in part, and what a commit said of itself.
func undoMessage(what string, inPart bool, said string) string {
	message := "undo " + what
	if inPart {
		message += " in part"
	}
	if first, _, _ := strings.Cut(strings.TrimSpace(said), "\n"); first != "" {
		message += ": " + quote.Line(first, undoQuotes)
	}
	return message
}
