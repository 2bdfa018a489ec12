package kg

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"

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
	// Draft gives it the first free name of a draft of the session's author, in the place of Name.
	Draft bool
	// DryRun does everything except for making it.
	DryRun bool
	// Activity is the call that makes it.
	Activity Activity
}

// MakeBranch makes a branch and returns it. It takes the same time whatever the size of the graph. A name that cannot
// be one is the fault InvalidArguments, one that another branch has is Conflict, and an unknown From is Missing.
func (s *Session) MakeBranch(ctx context.Context, b NewBranch) (Branch, error) {
	if err := s.may(ctx, policy.BranchCreate, b.Name); err != nil {
		return Branch{}, err
	}
	if !b.Draft {
		if err := nameFits("name", b.Name); err != nil {
			return Branch{}, err
		}
	}
	from, err := s.StateNamed(ctx, b.From)
	if err != nil {
		return Branch{}, err
	}
	made := Branch{Name: b.Name, From: from.Branch, Fork: from, Head: from}
	return made, s.changeBranches(ctx, b.DryRun, &b.Activity, func(w *db.Writer) (err error) {
		if b.Draft {
			if made.Name, err = s.draftName(ctx, w); err != nil {
				return err
			}
		}
		return w.AddBranch(ctx, made.Name, from)
	})
}

// nameFits refuses what cannot be the name of a branch or a tag.
func nameFits(argument, name string) error {
	switch {
	case !branchName.MatchString(name):
		return fault.Argument(argument, fault.Pattern, name, "such a name has at most 64 of a-z, 0-9, dashes, dots, slashes and underscores, and begins and ends with a letter or digit")
	case commitName.MatchString(name):
		return fault.Argument(argument, fault.Pattern, name, "this names a commit: head, and four or more of 0-9 and a-f alone, are the names of commits; take another name")
	}
	return nil
}

// notInName are the characters of an author that the name of a draft has not.
var notInName = regexp.MustCompile(`[^a-z0-9]+`)

// draftName returns the first free name of a draft of the session's author.
func (s *Session) draftName(ctx context.Context, w *db.Writer) (string, error) {
	author, _, _ := strings.Cut(cmp.Or(s.principal.Client, s.principal.ID, "anonymous"), " (") // claude.ai of a grant
	author = author[strings.LastIndexByte(author, ':')+1:]                                     // ana of local:ana
	author = strings.Trim(notInName.ReplaceAllString(strings.ToLower(author), "-"), "-")
	prefix := "draft/" + strings.Trim(author[:min(len(author), 40)], "-") + "-"
	list, err := w.Branches(ctx)
	if err != nil {
		return "", err
	}
	last := 0
	for _, b := range list {
		if digits, of := strings.CutPrefix(b.Name, prefix); of {
			if n, err := strconv.Atoi(digits); err == nil {
				last = max(last, n)
			}
		}
	}
	return fmt.Sprint(prefix, last+1), nil
}

// changeBranches makes a change of branches, tags or tokens, which is no commit, with the call that makes it as it is then;
// in a dry run nothing stays of it.
func (s *Session) changeBranches(ctx context.Context, dryRun bool, a *Activity, do func(*db.Writer) error) error {
	w, _, err := s.On(Main).writer(ctx)
	if err != nil {
		return err
	}
	defer w.Close()
	if err := do(w); err != nil || dryRun {
		return err
	}
	return s.keep(ctx, w, *a)
}

// StateNamed returns the head of a branch, or a commit, by its name, as [Snapshot.FindState] does; "" is the head of the
// session's branch. A name of nothing is the fault Missing.
func (s *Session) StateNamed(ctx context.Context, name string) (c Commit, err error) {
	err = s.View(ctx, func(snap *Snapshot) error {
		if c = snap.Head(); name != "" {
			c, err = snap.FindState(ctx, name)
		}
		return err
	})
	if fault.Is(err, fault.Malformed) || fault.Is(err, fault.Missing) {
		err = fault.New(fault.Missing, "%q is no branch, no tag and no commit; branches_list, tags_list and commits_list have them", name).With("from", name)
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
	if err := s.may(ctx, policy.BranchDelete, name); err != nil {
		return was, err
	}
	err = s.changeBranches(ctx, dryRun, &a, func(w *db.Writer) (err error) {
		if was, err = w.BranchNamed(ctx, name); err != nil {
			return err
		}
		leaves(&a, was.Head)
		return w.RemoveBranch(ctx, name)
	})
	return was, err
}

// RenameBranch gives a branch another name, and returns it as it is then; see [db.Writer.RenameBranch].
func (s *Session) RenameBranch(ctx context.Context, name, to string, dryRun bool, a Activity) (is Branch, err error) {
	if err := s.may(ctx, policy.BranchDelete, name); err != nil {
		return is, err
	}
	if err := nameFits("to", to); err != nil {
		return is, err
	}
	err = s.changeBranches(ctx, dryRun, &a, func(w *db.Writer) (err error) {
		if err := w.RenameBranch(ctx, name, to); err != nil {
			return err
		}
		is, err = w.BranchNamed(ctx, to)
		return err
	})
	return is, err
}

// ResetBranch makes a commit the head of a branch, and returns the branch before and after; see [db.Writer.ResetBranch].
// The commit is named as for [Snapshot.FindState], and of main too if the branch is asked for it.
func (s *Session) ResetBranch(ctx context.Context, name, to string, dryRun bool, a Activity) (was, is Branch, err error) {
	if err := s.may(ctx, policy.BranchDelete, name); err != nil {
		return was, is, err
	}
	commit, err := s.On(name).StateNamed(ctx, to)
	if err != nil {
		return was, is, err
	}
	err = s.changeBranches(ctx, dryRun, &a, func(w *db.Writer) (err error) {
		if was, err = w.BranchNamed(ctx, name); err != nil {
			return err
		}
		leaves(&a, was.Head)
		if err := w.ResetBranch(ctx, name, commit); err != nil {
			return err
		}
		is, err = w.BranchNamed(ctx, name)
		return err
	})
	return was, is, err
}

// ProtectBranch protects a branch, or ends that, and returns it; see [db.Writer.ProtectBranch].
func (s *Session) ProtectBranch(ctx context.Context, name string, protected, dryRun bool, a Activity) (is Branch, err error) {
	if err := s.may(ctx, policy.BranchDelete, name); err != nil {
		return is, err
	}
	err = s.changeBranches(ctx, dryRun, &a, func(w *db.Writer) (err error) {
		if err := w.ProtectBranch(ctx, name, protected); err != nil {
			return err
		}
		is, err = w.BranchNamed(ctx, name)
		return err
	})
	return is, err
}

// Tag is a name of a commit; see db.Tag.
type Tag = db.Tag

// AddTag gives a commit a name, and returns it. The commit is named as for [Snapshot.FindState]; "" is the head of the
// session's branch. A name that cannot be one is the fault InvalidArguments, one that is taken is Conflict.
func (s *Session) AddTag(ctx context.Context, name, commit string, dryRun bool, a Activity) (Tag, error) {
	if err := s.may(ctx, policy.BranchCreate, ""); err != nil {
		return Tag{}, err
	}
	if err := nameFits("name", name); err != nil {
		return Tag{}, err
	}
	of, err := s.StateNamed(ctx, commit)
	if err == nil && of.ID.IsZero() {
		err = fault.New(fault.Precondition, "a tag names a commit, and there is none yet; write something first")
	}
	if err != nil {
		return Tag{}, err
	}
	tag := Tag{Name: name, Commit: of, Author: s.principal.Author(), Time: s.graph.now()}
	return tag, s.changeBranches(ctx, dryRun, &a, func(w *db.Writer) error { return w.AddTag(ctx, tag) })
}

// RemoveTag removes a tag, and returns what it was; an unknown one is the fault Missing. The commit stays.
func (s *Session) RemoveTag(ctx context.Context, name string, dryRun bool, a Activity) (was Tag, err error) {
	if err := s.may(ctx, policy.BranchDelete, ""); err != nil {
		return was, err
	}
	err = s.changeBranches(ctx, dryRun, &a, func(w *db.Writer) error {
		list, err := w.Tags(ctx)
		if err != nil {
			return err
		}
		names := make([]string, len(list))
		for i, t := range list {
			if names[i] = t.Name; t.Name == name {
				was = t
			}
		}
		leaves(&a, was.Commit)
		if was.Name == "" {
			return fault.New(fault.Missing, "no tag %q; tags_list has them%s", name, fault.DidYouMean(name, names)).With("tag", name)
		}
		_, err = w.RemoveTag(ctx, name)
		return err
	})
	return was, err
}
