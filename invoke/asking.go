package invoke

import (
	"cmp"
	"context"
	"fmt"
	"maps"

	"trails/auth/policy"
	"trails/capability"
	"trails/fault"
	"trails/kg"
	"trails/text/jsontext"
)

// maxAsked bounds the bytes of the arguments that a request keeps.
const maxAsked = 100_000

// notKept are the arguments that a request does not keep: its row has the branch, and whoever approves decides about the
// others.
var notKept = []string{capability.Ask, "branch", "if_commit", "dry_run", "plan", "idempotency_key", "timeout_ms", capability.AllowMassChange}

// Asks reports that the call is only tried, to be kept as a request. What it needs consent for is decided by whoever
// approves it.
func (r *Request) Asks() bool { return r.asked != nil }

// AlsoKeeps adds an argument to those that a request keeps, which the dry run has found out.
func (r *Request) AlsoKeeps(name string, value any) { r.asked[name] = value }

// beginAsking makes a dry run of a call that is to be kept as a request, and refuses those that cannot be kept.
func (r *Request) beginAsking(ctx context.Context) error {
	const merge = "make the change on a branch, and ask for its merge: branches_merge with source: BRANCH, ask: true"
	switch {
	case r.Args.Flag("dry_run") || r.Args.Flag("plan"):
		return fault.Argument(capability.Ask, fault.Pattern, true, "a request is no dry run; give ask alone")
	case r.Inputs != nil:
		return fault.Argument(capability.Ask, fault.Pattern, true, "a request keeps no files; "+merge)
	case r.forked != nil:
		return fault.Argument(capability.Ask, fault.Pattern, true, "a request is about a branch that is there; make it with branches_create, or "+merge)
	case !r.Snapshot.SeesAll():
		return fault.New(fault.Denied, "who may see a part of the graph asks for no calls, since whoever approves them may see more")
	}
	set, err := r.ChangeSet(ctx)
	if err != nil {
		return err
	}
	kept := maps.Clone(r.Args)
	for _, name := range notKept {
		delete(kept, name)
	}
	text, err := jsontext.Marshal(kept)
	switch {
	case err != nil:
		return fmt.Errorf("encode request: %w", err)
	case len(text) > maxAsked:
		return fault.New(fault.TooLarge, "the arguments have %d bytes, and a request keeps at most %d; %s", len(text), maxAsked, merge).With("limit", maxAsked)
	case r.engine.config.Secrets.Text(string(text)) != string(text):
		return fault.New(fault.InvalidArguments, "the arguments have a credential, and a request is shown to others; leave it out, or have somebody who may decide make the call")
	}
	if head := r.Snapshot.Head().ID; set.IfCommit == nil || *set.IfCommit == head {
		r.agreedAt = &head
	}
	r.asked, r.call.IdempotencyKey = kept, ""
	r.Args["dry_run"] = true
	return nil
}

// keep keeps a call as a request that was tried with this outcome. If the same call was asked for before and is decided,
// it says what became of that instead: once it is done, another try often fails or would change nothing.
func (r *Request) keep(ctx context.Context, tried error) error {
	text, err := jsontext.Marshal(r.asked)
	if err != nil {
		return fmt.Errorf("encode request: %w", err)
	}
	changes := tried == nil && r.written != nil && r.written.Added+r.written.Removed > 0
	r.Args["dry_run"] = !changes
	r.finish(tried)
	r.Parts.Request, err = r.Session().AskFor(ctx, r.Capability.ID, string(text), r.agreedAt, changes, r.activity)
	switch {
	case err != nil || tried != nil:
		return cmp.Or(err, tried)
	case !changes:
		r.Warn("this would change nothing, so nobody is asked for it")
		return nil
	}
	r.recorded = true
	r.WarnWaits(r.Parts.Request, "a person who may make the call, or somebody with the scope builder")
	return nil
}

// WarnWaits says that a request waits for somebody, and how it is decided.
func (r *Request) WarnWaits(number int64, somebody string) {
	r.Warn("nothing is changed yet: request %d waits for %s, on the page %s or with the command: trails request approve FILE %[1]d; requests_list with request: %[1]d tells what becomes of it",
		number, somebody, r.Address(fmt.Sprintf("/admin/requests/%d", number)))
}

// orAsk adds to a refusal of what a person has to allow that the call can be kept as a request.
func (r *Request) orAsk(err error) error {
	if err == nil || !r.Capability.Keeps || r.asked != nil || r.settles != 0 || r.call.Via == "admin" || r.Inputs != nil || r.forked != nil || r.Args.Flag("dry_run") {
		return err
	}
	f := *fault.Of(err)
	if _, removes := f.Details["removes"]; !removes && f.Details["needs_builder"] == nil {
		return err
	}
	f.Message = fault.Add(f.Message, "; or give ask: true, and the call waits until somebody who may decide approves it, on the page "+r.Address("/admin/requests")+" or with the command trails request")
	return &f
}

// Kept is a call that a request kept.
type Kept struct {
	Request    int64
	Agent      string // who asked
	Capability string
	Args       Arguments
	// Head is the state for which it is approved, for a Reason.
	Head   kg.CommitID
	Reason string
}

// Make makes a kept call in the place of the one that approves it, as a call of who approves. What it writes is at most of
// the class agent, because whoever asked chose the content. It returns the answer, and what was written.
func (r *Request) Make(ctx context.Context, k Kept) (answer any, written *Written, err error) {
	if r.catalog, err = r.engine.catalogs.of(ctx, r.Snapshot); err != nil {
		return nil, nil, err
	}
	if r.Capability, err = r.Named(k.Capability); err != nil {
		return nil, nil, fault.New(fault.Missing, "request %d asks for a call of %s, which there is not any more; decline it", k.Request, k.Capability)
	}
	r.Args, r.agreedAt, r.settles, r.reason = k.Args, &k.Head, k.Request, k.Reason
	r.activity.Capability, r.activity.Version = r.Capability.ID, r.Capability.Version
	r.Principal = r.Principal.Calling(r.Capability.ID)
	r.Principal.Origin = min(r.Principal.Origin, policy.Agent)
	r.Uses(policy.Agent.IRI())
	r.Uses(kg.RequestIRI(k.Request))
	r.Uses(string(kg.AgentIRI(k.Agent)))
	if err := cmp.Or(r.allow(ctx), r.permit(ctx), r.checkArgs(ctx)); err != nil {
		return nil, nil, err
	}
	answer, err = r.Capability.Handle(ctx, r)
	return answer, r.written, err
}
