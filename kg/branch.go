package kg

import (
	"context"
	"regexp"

	"trails/auth/policy"
	"trails/db"
	"trails/fault"
)

// branchName is what a branch may be called: its name stands in addresses, commands and paths. It is not what a commit may
// be called.
var branchName, commitName = regexp.MustCompile(`^[a-z0-9]([a-z0-9._/-]{0,62}[a-z0-9])?$`), regexp.MustCompile(`^(head|[0-9a-f]{4,})$`)

// NewBranch is a branch to be made.
type NewBranch struct {
	Name string
	// From names the branch or the commit that it is made from, as [Snapshot.FindState] takes it; "" is the head of the
	// session's branch.
	From string
	// DryRun does everything except for making it.
	DryRun bool
	// Activity is the call that makes it.
	Activity Activity
}

// MakeBranch makes a branch and returns it. It takes the same time whatever the size of the graph. A name that cannot
// be one is the fault InvalidArguments, one that another branch has is Conflict, and an unknown From is Missing.
func (s *Session) MakeBranch(ctx context.Context, b NewBranch) (Branch, error) {
	if err := s.may(policy.BranchCreate); err != nil {
		return Branch{}, err
	}
	switch {
	case !branchName.MatchString(b.Name):
		return Branch{}, fault.Argument("name", fault.Pattern, b.Name, "the name of a branch has at most 64 of a-z, 0-9, dashes, dots, slashes and underscores, and begins and ends with a letter or digit")
	case commitName.MatchString(b.Name):
		return Branch{}, fault.Argument("name", fault.Pattern, b.Name, "this names a commit: head, and four or more of 0-9 and a-f alone, are the names of commits; take another name")
	}
	from, err := s.stateNamed(ctx, b.From)
	if err != nil {
		return Branch{}, err
	}
	w, err := s.graph.file.Write(ctx)
	if err != nil {
		return Branch{}, err
	}
	defer w.Close()
	if err := w.AddBranch(ctx, b.Name, from); err != nil {
		return Branch{}, err
	}
	made := Branch{Name: b.Name, From: from.Branch, Fork: from, Head: from}
	if b.DryRun {
		return made, nil
	}
	return made, s.keep(ctx, w, b.Activity)
}

// stateNamed returns the head of a branch, or a commit, by its name; "" is the head of the session's branch.
func (s *Session) stateNamed(ctx context.Context, name string) (c Commit, err error) {
	err = s.View(ctx, func(snap *Snapshot) error {
		if c = snap.Head(); name != "" {
			c, err = snap.FindState(ctx, name)
		}
		return err
	})
	if fault.Is(err, fault.Malformed) || fault.Is(err, fault.Missing) {
		err = fault.New(fault.Missing, "%q is no branch and no commit; branches_list has the branches, commits_list the commits", name).With("from", name)
	}
	return c, err
}

// keep ends a transaction that changed no statements, with the call that made it.
func (s *Session) keep(ctx context.Context, w *db.Writer, a Activity) error {
	if err := w.AddActivity(ctx, s.completed(a)); err != nil {
		return err
	}
	if err := w.Keep(ctx); err != nil {
		return err
	}
	s.graph.bell.ring()
	return nil
}

// DropBranch takes a branch away, and returns what it was; see [db.Writer.RemoveBranch].
func (s *Session) DropBranch(ctx context.Context, name string, dryRun bool, a Activity) (was Branch, err error) {
	if err := s.may(policy.BranchDelete); err != nil {
		return was, err
	}
	w, err := s.graph.file.Write(ctx)
	if err != nil {
		return was, err
	}
	defer w.Close()
	list, err := w.Branches(ctx)
	if err != nil {
		return was, err
	}
	for _, b := range list {
		if b.Name == name {
			was = b
		}
	}
	if err := w.RemoveBranch(ctx, name); err != nil || dryRun {
		return was, err
	}
	return was, s.keep(ctx, w, a)
}
