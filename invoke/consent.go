package invoke

import (
	"context"
	"time"

	"trails/fault"
	"trails/kg"
)

// Loss is what a call of a capability that requires consent would remove.
type Loss struct {
	// Head is the commit at which it is so.
	Head kg.Commit
	// Act says what the call does, and What says what it removes: "mode overwrite",
	// "2 node(s): 2 of Note".
	Act, What string
	// Removes counts statements or nodes.
	Removes int64
	// Question is what the person is asked.
	Question string
}

// Loses finds out what a call would remove, and changes nothing; nil is nothing, or
// that the handler has other reasons to refuse the call. What it has read on the way it
// may leave in [Request.Prepared].
type Loses func(context.Context, *Request, kg.ChangeSet) (*Loss, error)

// askPatience is how long a person may think about a question.
const askPatience = 5 * time.Minute

// consent asks the person behind the caller before a capability that requires it
// removes something. A yes is for the head that was asked about; anything else
// refuses the call. Where nobody can be asked the call goes on: then the arguments
// are all the consent there is, and the handler says what they must allow.
func (r *Request) consent(ctx context.Context) error {
	if r.Capability.Loses == nil || r.Ask == nil || r.Args.Flag("dry_run") || r.Args.Flag("plan") {
		return nil
	}
	set, err := r.ChangeSet(ctx)
	if err != nil {
		return nil //nolint:nilerr // the handler says it, together with what else is wrong
	}
	if settled, err := r.Snapshot.Settles(ctx, r.Session(), set); settled || err != nil {
		return err
	}
	before := r.Snapshot.Head()
	goes, err := r.Capability.Loses(ctx, r, set)
	if err != nil {
		return err
	}
	if goes != nil {
		before = goes.Head
		if err := r.agree(ctx, goes); err != nil {
			return err
		}
		r.agreedAt = &before.ID
	}
	if r.Snapshot != nil {
		return nil
	}
	if err := r.pin(ctx); err != nil {
		return err
	}
	switch now := r.Snapshot.Head(); {
	case goes != nil && now.ID != before.ID:
		return fault.New(fault.Precondition, "the head moved from %s to %s while the question was open; read again and repeat", before.ID, now.ID).
			With("head", now.ID.String())
	case now.SchemaSeq != before.SchemaSeq:
		return fault.New(fault.Conflict, "the schema changed while the call was prepared; repeat it")
	}
	return nil
}

// agree asks. No answer in time, or one that cannot be read, is a no. Nothing is locked
// or pinned meanwhile.
func (r *Request) agree(ctx context.Context, goes *Loss) error {
	r.Release()
	patience, cancel := context.WithTimeout(ctx, askPatience)
	defer cancel()
	yes, err := r.Ask(patience, Question{Message: goes.Question})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case !yes || err != nil:
		return fault.New(fault.Conflict, "%s would remove %s; it was not confirmed, and nothing was changed", goes.Act, goes.What).
			With("removes", goes.Removes)
	}
	return nil
}
