package kg

import (
	"cmp"
	"context"
	"strconv"
	"strings"
	"time"

	"trails/fault"
)

// HowToNameCommits is the end of an error about the name of a commit.
const HowToNameCommits = "give at least four digits of its id, head, head~2 (two commits before the head; ~2 stands behind any of these), a tag, or a time such as 2026-11-27T12:00:00Z"

// FindCommit returns the commit that a text names: "head"; at least four hexadecimal digits with which its id begins; a
// tag; or a time as in RFC 3339, for the newest commit that is not later. "~n" behind any of them is the n-th commit
// before that one. A text that is none of these, or several commits, are the fault Malformed; no such commit is the fault
// Missing.
func (s *Snapshot) FindCommit(ctx context.Context, name string) (Commit, error) {
	return s.findBack(ctx, name, s.findInView)
}

// findBack splits a name from "~n" behind it, puts the commit in the place of a tag, and finds the n-th commit before it.
func (s *Snapshot) findBack(ctx context.Context, name string, find func(ctx context.Context, name string, n int64) (Commit, error)) (Commit, error) {
	first, back, before := strings.Cut(strings.TrimSpace(name), "~")
	n, err := strconv.ParseUint(back, 10, 62)
	if before && err != nil {
		return Commit{}, fault.New(fault.Malformed, "%q names no commit; %s", name, HowToNameCommits)
	}
	if first, err = s.untagged(ctx, first); err != nil {
		return Commit{}, err
	}
	return find(ctx, first, int64(n))
}

// findInView finds the n-th commit before one of the branch.
func (s *Snapshot) findInView(ctx context.Context, name string, n int64) (Commit, error) {
	c, err := s.findUntagged(ctx, name)
	if err != nil || n == 0 {
		return c, err
	}
	earlier, err := s.source.CommitBack(ctx, c.Seq, n)
	switch {
	case !fault.Is(err, fault.Missing):
		return earlier, err
	case c.ID != s.Head().ID:
		return earlier, tooFew(c, n)
	}
	count, err := s.source.CommitCount(ctx)
	if err == nil {
		err = fault.New(fault.Missing, "there is no %s~%d: %s has %d commits", name, n, s.Branch(), count)
	}
	return earlier, err
}

func tooFew(c Commit, n int64) error {
	return fault.New(fault.Missing, "there is no %s~%d: fewer commits come before it", c.ID, n)
}

// findUntagged is FindCommit for what is no tag and has no "~n".
func (s *Snapshot) findUntagged(ctx context.Context, name string) (Commit, error) {
	if strings.EqualFold(name, "head") {
		if s.Head().ID.IsZero() {
			return Commit{}, fault.New(fault.Missing, "the graph has no commit yet; write something first")
		}
		return s.Head(), nil
	}
	if at, err := time.Parse(time.RFC3339, name); err == nil {
		return s.source.CommitAt(ctx, at)
	}
	if len(name) < 4 || strings.Trim(name, "0123456789abcdefABCDEF") != "" {
		return Commit{}, fault.New(fault.Malformed, "%q names no commit; %s", name, HowToNameCommits)
	}
	c, err := s.source.CommitByID(ctx, name)
	if fault.Is(err, fault.Missing) && fault.Of(err).Details["branch"] == nil {
		err = fault.New(fault.Missing, "no commit %s; commits_list has them", name)
	}
	return c, err
}

// FindCommits is FindCommit for several: "head~3..head" names those after one commit up to another one, the head if
// none is named. Without dots it is one commit, and after is zero.
func (s *Snapshot) FindCommits(ctx context.Context, name string) (after, last Commit, err error) {
	return findBoth(ctx, name, s.FindCommit)
}

func findBoth(ctx context.Context, name string, find func(context.Context, string) (Commit, error)) (after, last Commit, err error) {
	first, until, several := strings.Cut(name, "..")
	if !several {
		last, err = find(ctx, name)
		return after, last, err
	}
	if after, err = find(ctx, first); err != nil {
		return after, last, err
	}
	last, err = find(ctx, cmp.Or(strings.TrimSpace(until), "head"))
	return after, last, err
}

// FindState is FindCommit for a state that is to be read. It may be one of another branch, which is named by its id, or
// by the name of the branch for its head.
func (s *Snapshot) FindState(ctx context.Context, name string) (Commit, error) {
	return s.findBack(ctx, name, s.findInFile)
}

// findInFile is findInView for commits of all branches.
func (s *Snapshot) findInFile(ctx context.Context, name string, n int64) (Commit, error) {
	c, err := s.findInView(ctx, name, n)
	if err == nil {
		return c, nil
	}
	if fault.Is(err, fault.Missing) {
		if other, found := s.source.CommitOfFile(ctx, name); found == nil {
			earlier, missing := s.source.CommitBefore(ctx, other, n)
			if fault.Is(missing, fault.Missing) {
				missing = tooFew(other, n)
			}
			return earlier, missing
		}
	}
	other, missing := s.source.CommitOfBranch(ctx, name, n)
	if missing == nil || fault.Of(missing).Details["branch"] == nil { // there is the branch
		return other, missing
	}
	return c, err
}

// untagged returns the whole id of a commit for its tag, and any other name as it is, without spaces around it.
func (s *Snapshot) untagged(ctx context.Context, name string) (string, error) {
	name = strings.TrimSpace(name)
	if nameFits("", name) != nil {
		return name, nil
	}
	c, tagged, err := s.source.CommitOfTag(ctx, name)
	if tagged {
		name = c.ID.Whole()
	}
	return name, err
}
