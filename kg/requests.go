package kg

import (
	"context"
	"fmt"

	"trails/auth/policy"
	"trails/db"
	"trails/fault"
)

// Request is a call that waits for somebody who may decide, or waited; see db.Request.
type Request = db.Request

// What became of a request; see db.RequestState.
const (
	Pending  = db.Pending
	Lapsed   = db.Lapsed
	Done     = db.Done
	Declined = db.Declined
)

// Requests lists requests, the newest first; see [db.Reader.Requests]. Somebody who may see a part of the graph sees
// none, since each is about all of it.
func (s *Snapshot) Requests(ctx context.Context, pending bool, before int64, limit int) ([]Request, error) {
	if !s.SeesAll() {
		return nil, nil
	}
	return s.source.Requests(ctx, pending, before, limit)
}

// Request returns the request with a number, or the fault Missing; see [Snapshot.Requests].
func (s *Snapshot) Request(ctx context.Context, number int64) (Request, error) {
	if !s.SeesAll() {
		return Request{}, fault.New(fault.Missing, "no request %d; requests_list has them", number)
	}
	return s.source.Request(ctx, number)
}

// Ask stores a merge as a request, with the call that it comes from, and returns its number with what the merge would
// do. Nothing is stored, and the number is 0, for a merge that would change nothing. What [Session.Merge] refuses in a
// dry run is refused. Asked again, the same call has the same number while neither branch has moved; of the same source
// commit it is the fault Conflict once it was decided, see [db.Reader.DecidedBefore].
func (s *Session) Ask(ctx context.Context, m Merge, capability, args string) (number int64, would Merged, err error) {
	m.Set.DryRun = true
	would, err = s.Merge(ctx, m)
	if err != nil {
		return 0, would, err
	}
	w, _, err := s.writer(ctx)
	if err != nil {
		return 0, would, err
	}
	defer w.Close()
	agent := s.principal.Author()
	err = w.DecidedBefore(ctx, agent, capability, args, would.Source)
	if err != nil || would.UpToDate || would.Open == 0 && !would.Changed {
		return 0, would, err
	}
	source, err := w.BranchNamed(ctx, m.Source)
	if err != nil {
		return 0, would, err
	}
	if w.Head().ID != would.Before.ID || source.Name != "" && source.Head.ID != would.Source.ID {
		return 0, would, fault.New(fault.Conflict, "a branch moved while this was asked for; ask again")
	}
	number, err = w.AddRequest(ctx, Request{
		Capability: capability, Args: args, Source: would.Source, SourceBranch: source.Name, Agent: agent, Asked: s.graph.now(),
	})
	if err != nil {
		return 0, would, err
	}
	return number, would, s.keep(ctx, w, m.Set.Activity)
}

// RequestIRI names a request in provenance, as what a call used that it asked for.
func RequestIRI(number int64) string { return fmt.Sprintf("urn:trails:request:%d", number) }

// AskFor stores a call, which is no merge, as a request to make it on the session's branch, and returns its number. Nothing
// is stored, and the number is 0, for a call that changes nothing. Tried is the commit that it was tried on, used
// if it changes something: if it is not the head any more, that is the fault Conflict. Asked again, the same call has the same number while the branch has not
// moved; once it was decided it is the fault Conflict, see [db.Reader.DecidedBefore].
func (s *Session) AskFor(ctx context.Context, capability, args string, tried *CommitID, changes bool, a Activity) (number int64, err error) {
	w, _, err := s.writer(ctx)
	if err != nil {
		return 0, err
	}
	defer w.Close()
	agent := s.principal.Author()
	if err := w.DecidedBefore(ctx, agent, capability, args, Commit{}); err != nil || !changes {
		return 0, err
	}
	if w.Head().ID != *tried {
		return 0, fault.New(fault.Conflict, "the branch moved while this was asked for; ask again")
	}
	number, err = w.AddRequest(ctx, Request{Capability: capability, Args: args, Agent: agent, Asked: s.graph.now()})
	if err != nil {
		return 0, err
	}
	return number, s.keep(ctx, w, a)
}

// Decline ends a request without what it asks for. Who asked may do so, and who may decide: somebody with the scope builder
// and, of a call that is no merge, a person. For others it is the fault
// Denied. A request that was decided before is the fault Conflict.
func (s *Session) Decline(ctx context.Context, number int64, reason string, dryRun bool, a Activity) error {
	if err := s.may(ctx, policy.BranchMerge, ""); err != nil {
		return err
	}
	return s.changeBranches(ctx, dryRun, &a, func(w *db.Writer) error {
		q, err := w.Request(ctx, number)
		if err != nil {
			return err
		}
		isMerge := q.Source.Seq != 0
		if q.Agent != s.principal.Author() && !policy.May(s.principal, policy.Builder) && (isMerge || !policy.MayAgree(s.principal)) {
			return fault.New(fault.Denied, "request %d is of %s; who asked declines it, or somebody with the scope builder", number, q.Agent)
		}
		leaves(&a, q.Source)
		leaves(&a, q.Head)
		return w.DecideRequest(ctx, s.decided(q.Number, Declined, reason), false)
	})
}

// decided is what the session's principal decides about a request.
func (s *Session) decided(number int64, state db.RequestState, reason string) Request {
	return Request{Number: number, State: state, Decider: s.principal.Author(), Decided: s.graph.now(), Reason: reason}
}
