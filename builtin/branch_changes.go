package builtin

import (
	"context"
	"slices"

	"trails/auth/policy"
	"trails/builtin/view"
	"trails/capability"
	"trails/invoke"
	"trails/kg"
)

// What is done with branches and tags now and then is called by its name and stands in no list of tools.

var branchesRenameBuiltin = invoke.Define(capability.Descriptor{
	ID: "branches_rename", Description: "Give a branch another name. Its commits and what was made from it stay as they are.",
	PolicyRequired: capability.Requirement{Action: policy.BranchDelete}, SideEffects: capability.Writes,
}, func(ctx context.Context, r *invoke.Request, in struct {
	Name string `json:"name" is:"brief" min:"1" max:"64" doc:"The branch."`
	To   string `json:"to" is:"brief" min:"1" max:"64" doc:"Its new name."`
	capability.TryArgument
}) (*branchDone, error) {
	return changeBranch(ctx, r, in.DryRun, func(s *kg.Session, a kg.Activity) (kg.Branch, error) {
		return s.RenameBranch(ctx, in.Name, in.To, in.DryRun, a)
	})
}, invoke.On())

// branchReset is the answer about a branch that was reset.
type branchReset struct {
	Was *string `json:"was" doc:"The head before; it is still read by this id."`
	*branchDone
}

var branchesResetBuiltin = invoke.Define(capability.Descriptor{
	ID: "branches_reset", Description: "Make a commit the head of a branch. The commits after it stay in the file and are read by their ids. Main is not reset: undo takes back what its commits did.",
	PolicyRequired: capability.Requirement{Action: policy.BranchDelete}, SideEffects: capability.Writes,
}, func(ctx context.Context, r *invoke.Request, in struct {
	Name string `json:"name" is:"brief" min:"1" max:"64" doc:"The branch."`
	To   string `json:"to" is:"brief" min:"1" max:"64" doc:"A commit, as at takes it, such as head~2 or a tag; head is that of the branch."`
	capability.TryArgument
}) (*branchReset, error) {
	var was kg.Branch
	done, err := changeBranch(ctx, r, in.DryRun, func(s *kg.Session, a kg.Activity) (is kg.Branch, err error) {
		if was, is, err = s.ResetBranch(ctx, in.Name, in.To, in.DryRun, a); err == nil && was.Head.Seq == is.Head.Seq {
			r.Warn("%s is at %s already, so nothing was changed", in.Name, is.Head.ID)
		}
		return is, err
	})
	return &branchReset{view.CommitID(was.Head), done}, err
}, invoke.On())

var branchesProtectBuiltin = invoke.Define(capability.Descriptor{
	ID: "branches_protect", Description: "Protect a branch: only callers with the scope builder move its head, by whatever call. Others write on a draft and ask for a merge.",
	PolicyRequired: capability.Requirement{Action: policy.BranchDelete}, SideEffects: capability.Writes,
}, func(ctx context.Context, r *invoke.Request, in struct {
	Name      string `json:"name" is:"brief" min:"1" max:"64" doc:"The branch."`
	Protected bool   `json:"protected" default:"true" doc:"false lets everybody write it again."`
	capability.TryArgument
}) (*branchDone, error) {
	if err := r.MayGive(capability.Field{Name: "protected", Scope: policy.Builder}); err != nil {
		return nil, err
	}
	return changeBranch(ctx, r, in.DryRun, func(s *kg.Session, a kg.Activity) (kg.Branch, error) {
		return s.ProtectBranch(ctx, in.Name, in.Protected, in.DryRun, a)
	})
}, invoke.On())

// tagView is a tag as its tools answer it.
type tagView struct {
	Tag    string  `json:"tag" doc:"Its name, which reads take as at."`
	Commit *string `json:"commit" doc:"The commit that it names."`
	Branch string  `json:"branch,omitempty" doc:"The branch of the commit."`
}

// tagDone is the answer of a tool that makes or removes a tag.
type tagDone struct {
	tagView
	DryRun bool `json:"dry_run" doc:"Whether this was only tried."`
}

var tagCells = capability.CellsOf("tag:string", "commit:string null", "time:string null", "branch:string", "author:string", "tagged:string")

var tagsListBuiltin = invoke.Define(capability.Descriptor{
	ID: "tags_list", Description: "List the tags: names of commits, which reads take as at.",
	OutputShape:    rowsOf("A list for each tag: its name, its commit, the commit's time and branch, and who made it when.", tagCells),
	PolicyRequired: capability.Requirement{Action: policy.Read}, Idempotent: true,
}, func(ctx context.Context, r *invoke.Request, _ struct{ capability.NoView }) (*rowsAnswer, error) {
	list, err := r.Snapshot.Tags(ctx)
	if err != nil {
		return nil, err
	}
	out := &rowsAnswer{table: tableOf(tagCells)}
	return out, fill(r, &out.table, "tags", slices.Values(list), func(t kg.Tag) []any {
		return []any{t.Name, view.CommitID(t.Commit), timeOf(t.Commit), t.Commit.Branch, t.Author, timeText(t.Time)}
	})
}, invoke.On())

var tagsCreateBuiltin = invoke.Define(capability.Descriptor{
	ID: "tags_create", Description: "Give a commit a name. Reads take it as at, wherever a commit is named.",
	PolicyRequired: capability.Requirement{Action: policy.BranchCreate}, SideEffects: capability.Writes,
}, func(ctx context.Context, r *invoke.Request, in struct {
	Name   string `json:"name" is:"brief" min:"1" max:"64" doc:"Of a-z, 0-9, dashes, dots, slashes and underscores."`
	Commit string `json:"commit,omitempty" is:"brief" max:"64" doc:"A branch or commit; the head of main when left out."`
	capability.TryArgument
}) (*tagDone, error) {
	return changeTag(ctx, r, in.DryRun, func(s *kg.Session, a kg.Activity) (kg.Tag, error) {
		return s.AddTag(ctx, in.Name, in.Commit, in.DryRun, a)
	})
}, invoke.On())

var tagsDeleteBuiltin = invoke.Define(capability.Descriptor{
	ID: "tags_delete", Description: "Remove a tag. The commit that it names stays.",
	PolicyRequired: capability.Requirement{Action: policy.BranchDelete}, SideEffects: capability.Writes,
}, func(ctx context.Context, r *invoke.Request, in struct {
	Name string `json:"name" is:"brief" min:"1" max:"64" doc:"The tag."`
	capability.TryArgument
}) (*tagDone, error) {
	return changeTag(ctx, r, in.DryRun, func(s *kg.Session, a kg.Activity) (kg.Tag, error) {
		return s.RemoveTag(ctx, in.Name, in.DryRun, a)
	})
}, invoke.On())

// changeTag makes or removes a tag, and answers what it is, or was.
func changeTag(ctx context.Context, r *invoke.Request, dryRun bool, do func(*kg.Session, kg.Activity) (kg.Tag, error)) (*tagDone, error) {
	t, err := changed(ctx, r, dryRun, do)
	return &tagDone{tagView{t.Name, view.CommitID(t.Commit), t.Commit.Branch}, dryRun}, err
}
