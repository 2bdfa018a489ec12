package builtin

import (
	"context"
	"slices"
	"time"

	"trails/auth/policy"
	"trails/builtin/view"
	"trails/capability"
	"trails/fault"
	"trails/invoke"
	"trails/kg"
)

// branchView is a branch as its tools answer it.
type branchView struct {
	Branch string  `json:"branch" doc:"Its name."`
	From   *string `json:"from" doc:"The branch that it was made from; null for main."`
	Fork   *string `json:"fork" doc:"The commit that it was made from; null for main."`
	Head   *string `json:"head" doc:"Its newest commit."`
	// Protected is left out of most answers.
	Protected bool `json:"protected,omitempty" doc:"Whether only those who may decide move its head."`
}

// branchDone is the answer of a tool that makes or deletes a branch.
type branchDone struct {
	branchView
	DryRun bool `json:"dry_run" doc:"Whether this was only tried."`
}

var branchCells = capability.CellsOf("branch:string", "from:string null", "fork:string null", "head:string null", "time:string null", "protected:boolean")

var branchesListBuiltin = invoke.Define(capability.Descriptor{
	ID: "branches_list", Description: "List branches.",
	OutputShape:    rowsOf("A list for each branch: its name, the branch and the commit that it was made from, its head, the head's time, and whether it is protected.", branchCells),
	PolicyRequired: capability.Requirement{Action: policy.Read}, Idempotent: true,
}, func(ctx context.Context, r *invoke.Request, _ struct{ capability.NoView }) (*rowsAnswer, error) {
	list, err := r.Snapshot.Branches(ctx)
	if err != nil {
		return nil, err
	}
	out := &rowsAnswer{table: tableOf(branchCells)}
	return out, fill(r, &out.table, "branches", slices.Values(list), func(b kg.Branch) []any {
		v := viewBranch(b)
		return []any{v.Branch, v.From, v.Fork, v.Head, timeOf(b.Head), b.Protected}
	})
}, invoke.On("compact"))

// branches is the answer of the address of all branches.
func branches(ctx context.Context, r *invoke.Request) (any, error) {
	list, err := r.Snapshot.Branches(ctx)
	out := make([]branchView, len(list))
	for i, b := range list {
		out[i] = viewBranch(b)
	}
	return out, err
}

// timeOf is the time of a commit, null for none.
func timeOf(c kg.Commit) any {
	if c.ID.IsZero() {
		return nil
	}
	return timeText(c.Time)
}

// timeOrNil is a time as answers have it, nil for the zero time.
func timeOrNil(at time.Time) any {
	if at.IsZero() {
		return nil
	}
	return timeText(at)
}

func timeText(at time.Time) string { return at.UTC().Format(time.DateTime) }

func viewBranch(b kg.Branch) branchView {
	v := branchView{Branch: b.Name, Protected: b.Protected, Fork: view.CommitID(b.Fork), Head: view.CommitID(b.Head)}
	if b.From != "" {
		v.From = &b.From
	}
	return v
}

var branchesCreateBuiltin = invoke.Define(capability.Descriptor{
	ID: "branches_create", Description: "Make a branch; calls take its name as branch.",
	PolicyRequired: capability.Requirement{Action: policy.BranchCreate}, SideEffects: capability.Writes,
}, func(ctx context.Context, r *invoke.Request, in struct {
	Name  string `json:"name,omitempty" is:"brief" min:"1" max:"64" doc:"Of a-z, 0-9, dashes, dots, slashes and underscores."`
	From  string `json:"from,omitempty" is:"brief" max:"64" doc:"A branch or commit; main when left out."`
	Draft bool   `json:"draft" default:"false" doc:"Name it after you."`
	capability.TryArgument
}) (*branchDone, error) {
	switch {
	case in.Name == "" && !in.Draft:
		return nil, fault.Argument("name", fault.Required, "", "give a name, or draft: true for one that is made after you")
	case in.Name != "" && in.Draft:
		return nil, fault.Argument("name", fault.Pattern, in.Name, "a draft is named after you; leave out name, or draft")
	}
	return changeBranch(ctx, r, in.DryRun, func(s *kg.Session, a kg.Activity) (kg.Branch, error) {
		return s.MakeBranch(ctx, kg.NewBranch{Name: in.Name, From: in.From, Draft: in.Draft, DryRun: in.DryRun, Activity: a})
	})
}, invoke.On("compact"))

var branchesDeleteBuiltin = invoke.Define(capability.Descriptor{
	ID: "branches_delete", Description: "Delete a branch; commits stay.",
	PolicyRequired: capability.Requirement{Action: policy.BranchDelete}, SideEffects: capability.Writes,
}, func(ctx context.Context, r *invoke.Request, in struct {
	Name string `json:"name" is:"brief" min:"1" max:"64"`
	capability.TryArgument
}) (*branchDone, error) {
	return changeBranch(ctx, r, in.DryRun, func(s *kg.Session, a kg.Activity) (kg.Branch, error) {
		return s.DropBranch(ctx, in.Name, in.DryRun, a)
	})
}, invoke.On("compact"))

// changeBranch makes a change of a branch, and answers what it is, or was.
func changeBranch(ctx context.Context, r *invoke.Request, dryRun bool, do func(*kg.Session, kg.Activity) (kg.Branch, error)) (*branchDone, error) {
	b, err := changed(ctx, r, dryRun, do)
	return &branchDone{viewBranch(b), dryRun}, err
}

// changed makes a change of branches, tags or tokens, which keeps the call that makes it unless it is only tried.
func changed[T any](ctx context.Context, r *invoke.Request, dryRun bool, do func(*kg.Session, kg.Activity) (T, error)) (done T, err error) {
	set, err := r.ChangeSet(ctx)
	if err != nil {
		return done, err
	}
	r.Release() // the change reads by itself: calls that hold one reader each and wait for another would wait for ever
	if done, err = do(r.Session(), set.Activity); err == nil && !dryRun {
		r.Recorded()
	}
	return done, err
}
