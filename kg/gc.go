package kg

import (
	"context"
	"time"

	"trails/auth/policy"
	"trails/db"
)

// Collection is what a collection dropped and what it left; see db.Collection.
type Collection = db.Collection

// Unreachable is the end of a line of history that nothing needs any more; see db.Unreachable.
type Unreachable = db.Unreachable

// Collecting is a collection of unreachable history.
type Collecting struct {
	// Grace is how long history stays after it was left behind. The zero value drops all of it.
	Grace time.Duration
	// Leaving are the capabilities that leave history behind: those that delete or reset a branch, delete a tag or decline
	// a request.
	Leaving []string
	// DryRun does everything except for dropping it.
	DryRun bool
	// Activity is the call that drops it.
	Activity Activity
}

// Collect drops the commits that no branch, tag or pending request needs, with all that only they need; see
// [db.Writer.Collect]. It is one transaction, during which others read, and wait to write.
func (s *Session) Collect(ctx context.Context, c Collecting) (done Collection, err error) {
	if err := s.may(ctx, policy.BranchDelete, ""); err != nil {
		return done, err
	}
	err = s.changeBranches(ctx, c.DryRun, &c.Activity, func(w *db.Writer) (err error) {
		done, err = w.Collect(ctx, s.graph.now().Add(-c.Grace), c.Leaving)
		return err
	})
	return done, err
}

// leaves notes that an activity leaves a commit behind, so that a collection knows since when nothing needs it.
func leaves(a *Activity, c Commit) {
	if !c.ID.IsZero() {
		a.Used = append(a.Used, string(c.ID.IRI()))
	}
}
