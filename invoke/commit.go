package invoke

import (
	"cmp"
	"context"
	"fmt"
	"unicode/utf8"

	"trails/capability"
	"trails/fault"
	"trails/kg"
)

// maxMessage is how many characters the message of a commit may have.
const maxMessage = 10_000

// ChangeSet returns the arguments that all writes have as a change set, with the activity that its commit records.
func (r *Request) ChangeSet(ctx context.Context) (kg.ChangeSet, error) {
	c := kg.ChangeSet{Message: r.Args.Text("message"), DryRun: r.Args.Flag("dry_run")}
	if r.Args.Has("if_commit") {
		id := r.Args.Text("if_commit")
		if id == "" {
			return c, fault.Argument("if_commit", fault.MinLength, id, "if_commit names a commit; leave it out to write on any")
		}
		commit, err := r.Snapshot.FindCommit(ctx, id)
		switch {
		case fault.Is(err, fault.Missing):
			head := r.Snapshot.Head().ID.String()
			return c, fault.New(fault.Precondition, "the head is %s, and if_commit names %s, which is no commit here; read again and repeat", cmp.Or(head, "nothing yet"), id).
				With("head", head).With("if_commit", id)
		case err != nil:
			return c, fault.Argument("if_commit", fault.Pattern, id, "if_commit: "+err.Error())
		}
		c.IfCommit = &commit.ID
	}
	if utf8.RuneCountInString(c.Message) > maxMessage {
		return c, fault.Argument("message", fault.MaxLength, nil, fmt.Sprintf("message has at most %d characters", maxMessage))
	}
	if r.agreedAt != nil {
		c.IfCommit = r.agreedAt
	}
	if r.isBounded() && r.agreedAt == nil {
		c.MaxRemoved = r.engine.config.MassChange
	}
	c.Settles, c.Reason = r.settles, r.reason
	if key := r.call.IdempotencyKey; key != "" {
		if len(key) > 255 {
			return c, fault.Argument("idempotency_key", fault.MaxLength, nil, "an idempotency key has at most 255 bytes")
		}
		asked, err := r.identity()
		if err != nil {
			return c, err
		}
		c.Key = kg.IdempotencyKey{Key: key, Digest: asked}
	}
	r.finish(nil)
	c.Activity = r.activity
	return c, nil
}

// isBounded reports whether the call may only remove a limited number of statements, because it lacks
// allow_mass_change.
func (r *Request) isBounded() bool { return !r.Args.Flag(capability.AllowMassChange) }

// WarnMass adds a warning to a plan that removes so much that it needs consent.
func (r *Request) WarnMass(what string, removes int64) {
	if r.isBounded() && r.agreedAt == nil && r.IsMass(removes) {
		r.Warn("%s would remove more than %d statements, which needs %s: true", what, r.engine.config.MassChange, capability.AllowMassChange)
	}
}

// IsMass reports whether a call that removes so many statements needs consent.
func (r *Request) IsMass(removes int64) bool { return removes > r.engine.config.MassChange }

// Written is the part of an answer that all writes have.
type Written = capability.Written

// Committed records that the activity is in the commit, and returns what the write did.
func (r *Request) Committed(res kg.Result, dryRun bool) Written {
	if dryRun {
		r.WarnMass("it", res.Loses)
		if res.Goes.Nodes() > 1 {
			r.Warn("this takes away %s", res.Goes)
		}
	}
	for _, text := range res.Warnings {
		r.Warn("%s", text)
	}
	if !res.Changed && len(r.Parts.Warnings) == 0 {
		r.Warn("this changes nothing: no value to add or remove is given")
	}
	r.recorded = res.Changed && !dryRun && !res.Replayed
	w := Written{Added: res.AddedCount, Removed: res.RemovedCount, DryRun: dryRun, Branch: cmp.Or(r.Ref.Branch, kg.Main), Replayed: res.Replayed}
	if res.Changed && !dryRun {
		id := res.After.ID.String()
		w.Commit = &id
	}
	r.written = &w
	return w
}
