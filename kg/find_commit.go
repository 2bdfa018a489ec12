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
const HowToNameCommits = "give at least four digits of its id, head, head~2 (two commits before the head), a tag, or a time such as 2026-11-27T12:00:00Z"

// FindCommit returns the commit that a text names: "head"; "head~n", the n-th before it; at least four hexadecimal
// digits with which its id begins; a tag; or a time as in RFC 3339, for the newest commit that is not later. A text that is
// none of these, or several commits, are the fault Malformed; no such commit is the fault Missing.
func (s *Snapshot) FindCommit(ctx context.Context, name string) (Commit, error) {
	name, err := s.untagged(ctx, name)
	if err != nil {
		return Commit{}, err
	}
	return s.findUntagged(ctx, name)
}

// findUntagged is FindCommit for what is no tag.
func (s *Snapshot) findUntagged(ctx context.Context, name string) (Commit, error) {
	if back, of := strings.CutPrefix(strings.ToLower(name), "head"); of {
		return s.before(ctx, name, back)
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
// by the name of the branch for its head, and review~2 for the second commit before it.
func (s *Snapshot) FindState(ctx context.Context, name string) (Commit, error) {
	name, err := s.untagged(ctx, name)
	if err != nil {
		return Commit{}, err
	}
	c, err := s.findUntagged(ctx, name)
	if err == nil {
		return c, nil
	}
	if fault.Is(err, fault.Missing) {
		if other, found := s.source.CommitOfFile(ctx, name); found == nil {
			return other, nil
		}
	}
	branch, back, _ := strings.Cut(name, "~")
	n := uint64(0)
	if back != "" || branch != name {
		var malformed error
		if n, malformed = strconv.ParseUint(back, 10, 62); malformed != nil {
			return c, err
		}
	}
	other, missing := s.source.CommitOfBranch(ctx, branch, int64(n))
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

// before returns the head for "", and the n-th commit before it for "~n".
func (s *Snapshot) before(ctx context.Context, name, back string) (Commit, error) {
	if s.Head().ID.IsZero() {
		return Commit{}, fault.New(fault.Missing, "the graph has no commit yet; write something first")
	}
	n, err := strconv.ParseUint(strings.TrimPrefix(back, "~"), 10, 62)
	switch {
	case back == "":
		return s.Head(), nil
	case err != nil || back[0] != '~':
		return Commit{}, fault.New(fault.Malformed, "%q names no commit; %s", name, HowToNameCommits)
	}
	c, err := s.source.CommitBack(ctx, int64(n))
	if fault.Is(err, fault.Missing) {
		count, failed := s.source.CommitCount(ctx)
		if failed != nil {
			return c, failed
		}
		err = fault.New(fault.Missing, "there is no %s: %s has %d commits", name, s.Branch(), count)
	}
	return c, err
}
