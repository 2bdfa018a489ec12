package kg

import (
	"context"
	"fmt"
	"iter"

	"trails/auth/policy"
	"trails/db"
	"trails/fault"
)

// Picked are commits that are to be made on another branch, too: the last one, and the one before the first, which is
// the zero Commit if there is none.
type Picked struct{ Before, Last Commit }

// FindPicked returns the commits that a name names: one, or those after one up to another one ("A..B"). They may be of
// any branch; see [Snapshot.FindState].
func (s *Snapshot) FindPicked(ctx context.Context, name string) (p Picked, err error) {
	if p.Before, p.Last, err = findBoth(ctx, name, s.FindState); err != nil {
		return p, err
	}
	if p.Before.Seq == 0 {
		if !p.Last.Parent.IsZero() {
			p.Before, err = s.source.CommitOfFile(ctx, p.Last.Parent.Whole())
		}
		return p, err
	}
	common, err := s.source.MergeBases(ctx, p.Before, p.Last)
	if err != nil {
		return p, err
	}
	if p.Before.Seq == p.Last.Seq || len(common) != 1 || common[0].Seq != p.Before.Seq {
		return p, fault.New(fault.Malformed, "%s has no commits: the one before the dots has to come before the other in its history", name)
	}
	return p, nil
}

// Pick makes one commit of what commits changed, on whatever branch they are. It is a merge whose base is the commit
// before them: what clashes, how it is decided and what is refused is as of [Session.Merge], which takes the same
// request. The new commit has one parent and, unless a message is given, the message of the commit, if it is one.
func (s *Session) Pick(ctx context.Context, p Picked, m Merge) (Merged, error) {
	if err := s.may(ctx, policy.BranchMerge, s.branch); err != nil {
		return Merged{}, err
	}
	run := s.merging(m)
	run.picks, run.base, run.commit, run.text = true, p.Before, p.Last, p.Last.Message
	if p.Last.Parent != p.Before.ID {
		run.text = fmt.Sprintf("pick %s..%s", p.Before.ID, p.Last.ID)
	}
	run.sides = func(ctx context.Context, all, _ *db.Reader, _ *compiled) (ours, theirs iter.Seq2[db.Change, error], err error) {
		return all.Difference(ctx, p.Before, run.head), all.Difference(ctx, p.Before, p.Last), nil
	}
	return s.merge(ctx, run, job{action: policy.BranchMerge})
}
