package builtin

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"trails/auth/cedar"
	"trails/auth/policy"
	"trails/capability"
	"trails/fault"
	"trails/invoke"
	"trails/kg"
	"trails/text/outline"
)

// policiesView are the policies as their tools answer them.
type policiesView struct {
	Text     string   `json:"text" doc:"In Cedar; empty if there are none."`
	Policies []string `json:"policies" doc:"Their names, in their order."`
	Commit   string   `json:"commit,omitempty" doc:"The commit that set them; left out if there are none."`
	Author   string   `json:"author,omitempty" doc:"Who set them."`
	Time     string   `json:"time,omitempty" doc:"When."`
	Problem  string   `json:"problem,omitempty" doc:"Why this program cannot read them, so that nobody whom they bind may do anything."`
}

var policyShow = invoke.Define(capability.Descriptor{
	ID: "trails.meta.policy.show", Description: "Show the policies of the graph: who may do what, in Cedar. Those of main decide.",
	CostEstimate: capability.CostConstant, PolicyRequired: capability.Requirement{Scope: policy.Builder, Action: policy.Read}, Idempotent: true,
}, func(ctx context.Context, r *invoke.Request, _ struct{}) (*policiesView, error) {
	text, p, unread := r.Snapshot.Policies()
	out := &policiesView{Text: text, Policies: p.IDs()}
	if text == "" {
		warnOfNone(r)
		return out, nil
	}
	if unread != nil {
		out.Problem = fault.Of(unread).Message
	}
	set, err := r.Snapshot.PoliciesSet(ctx)
	if err != nil {
		return nil, err
	}
	out.Commit, out.Author, out.Time = set.ID.String(), set.Author, timeText(set.Time)
	return out, nil
}, invoke.On())

// warnOfNone says why the caller finds no policies.
func warnOfNone(r *invoke.Request) {
	if r.Snapshot.SeesAll() {
		r.Warn("there are no policies: %s", kg.ReadOnly)
	} else {
		warnOfPart(r, "policies")
	}
}

// warnOfPart says to who sees a part of the graph why it finds nothing of what is of the whole.
func warnOfPart(r *invoke.Request, what string) {
	r.Warn("you may see a part of the graph only, and %s are not of it; ask somebody who may see all", what)
}

// policyText are the arguments of what takes policies.
type policyText struct {
	Policies *string `json:"policies,omitempty" max:"131072" doc:"In Cedar; empty for none. The vocabulary is in the guide."`
	Starter  bool    `json:"starter,omitempty" doc:"In the place of policies, for a graph without any: everybody may do what the scopes of their token permit."`
}

// text is that of the policies.
func (in policyText) text(r *invoke.Request) (string, error) {
	switch has, _, _ := r.Snapshot.Policies(); {
	case in.Starter && in.Policies != nil:
		return "", fault.Argument("starter", fault.Closed, nil, "starter stands in the place of policies; give one of both")
	case in.Starter && has != "" && has != cedar.Starter:
		return "", fault.New(fault.Conflict, "the graph has policies, and those to begin with would replace them; add to what trails policy show prints, or take them away first (trails policy set FILE --none)")
	case in.Starter:
		return cedar.Starter, nil
	case in.Policies == nil:
		return "", fault.Argument("policies", fault.Required, nil, "give policies, \"\" for none, or starter: true")
	}
	return *in.Policies, nil
}

// policyPlanned says what policies are, before or after they are set.
type policyPlanned struct {
	Policies []string `json:"policies" doc:"Their names, in their order."`
	Added    []string `json:"new,omitempty" doc:"Those that the graph does not have."`
	Gone     []string `json:"gone,omitempty" doc:"Those that only the graph has."`
}

var policyPlan = invoke.Define(capability.Descriptor{
	ID: "trails.meta.policy.plan", Description: "Check policies, and say what is new in them and which names they have that nothing has.",
	CostEstimate: capability.CostConstant, PolicyRequired: capability.Requirement{Scope: policy.Builder, Action: policy.Read}, Idempotent: true,
}, func(ctx context.Context, r *invoke.Request, in policyText) (*policyPlanned, error) {
	text, err := in.text(r)
	if err != nil {
		return nil, err
	}
	return checkedPolicies(ctx, r, text)
}, invoke.On())

// policySet is the answer about policies that were set.
type policySet struct {
	invoke.Written
	policyPlanned
}

var policyApply = invoke.Define(capability.Descriptor{
	ID: "trails.meta.policy.apply", Description: "Replace the policies of the graph as one commit. Those of main decide from the next call on, in every process. They do not bind who has the file.",
	CostEstimate: capability.CostConstant, PolicyRequired: administers, SideEffects: capability.Destroys,
}, func(ctx context.Context, r *invoke.Request, in struct {
	policyText
	capability.WriteArguments
}) (*policySet, error) {
	text, err := in.text(r)
	if err != nil {
		return nil, err
	}
	planned, err := checkedPolicies(ctx, r, text)
	if err != nil {
		return nil, err
	}
	set, err := r.ChangeSet(ctx)
	if err != nil {
		return nil, err
	}
	r.Release()
	done, err := r.Session().ChangePolicies(ctx, kg.PolicyChange{Text: text, Set: set})
	if err != nil {
		return nil, err
	}
	out := &policySet{policyPlanned: *planned, Written: r.Committed(done, set.DryRun)}
	if out.Branch != kg.Main {
		r.Warn("policies of %s decide nothing until it is merged: those of main decide", out.Branch)
	}
	return out, nil
}, invoke.On())

// checkedPolicies reads policies, refuses those that lock everybody out who administers, and warns of names that nothing has.
func checkedPolicies(ctx context.Context, r *invoke.Request, text string) (*policyPlanned, error) {
	p, err := cedar.Parse(text)
	if err != nil {
		return nil, err
	}
	_, had, _ := r.Snapshot.Policies() // those that cannot be read are replaced
	out := &policyPlanned{Policies: p.IDs()}
	for _, id := range p.IDs() {
		if !slices.Contains(had.IDs(), id) {
			out.Added = append(out.Added, id)
		}
	}
	for _, id := range had.IDs() {
		if !slices.Contains(p.IDs(), id) {
			out.Gone = append(out.Gone, id)
		}
	}
	if text == "" {
		r.Warn("%s", kg.ReadOnly)
		return out, nil
	}
	tokens, err := r.Snapshot.Tokens(ctx)
	if err != nil {
		return nil, err
	}
	if err := lockedOut(r, p, tokens); err != nil {
		return nil, err
	}
	if !p.Permit() {
		r.Warn("no policy of these permits anything, so that nobody may do anything but who has the file; add one that permits, such as that of --starter")
	}
	doubts := append(p.Doubts()[:len(p.Doubts()):len(p.Doubts())], wordsOfNothing(p)...)
	names, err := namesOfNothing(ctx, r, p, tokens)
	doubts = append(doubts, names...)
	for _, doubt := range doubts[:min(len(doubts), mostDoubts)] {
		r.Warn("%s", doubt)
	}
	if more := len(doubts) - mostDoubts; more > 0 {
		r.Warn("and %d more doubts about these policies; mend those above, and the next are told", more)
	}
	return out, err
}

// mostDoubts bounds the warnings of one text of policies.
const mostDoubts = 20

// wordsOfNothing tells the conditions that hold an attribute against what it never is: they are never, or always, met.
func wordsOfNothing(p *cedar.Policies) (doubts []string) {
	for _, of := range []struct {
		attribute cedar.Attribute
		name      string
		values    []string
	}{
		{cedar.OriginAttribute, "context.origin", policy.OriginNames()},
		{cedar.ScopesAttribute, "principal.scopes", policy.AllScopes().List()},
	} {
		for _, word := range p.Compared(of.attribute) {
			if !slices.Contains(of.values, word) {
				doubts = append(doubts, fmt.Sprintf("policies compare %s with %q, which it never has: it has %s%s", of.name, outline.Shorten(word, maxProblem), strings.Join(of.values, ", "), fault.DidYouMean(word, of.values)))
			}
		}
	}
	return doubts
}

// lockedOut refuses policies under which no token that may administer by its scope may do so, or the caller not any more.
func lockedOut(r *invoke.Request, p *cedar.Policies, tokens []policy.Token) error {
	var out []string
	for _, t := range tokens {
		if !t.Valid(r.Began()) || !t.Scopes.Has(policy.Builder) {
			continue
		}
		if mayAdminister(r, p, t.Principal()) {
			return nil
		}
		out = append(out, t.Actor())
	}
	if len(out) == 0 && (r.Principal.Owns || mayAdminister(r, p, r.Principal)) {
		return nil
	}
	if len(out) == 0 {
		out = []string{r.Principal.ID}
	}
	return fault.Argument("policies", fault.HasValue, nil, fmt.Sprintf("these policies lock out all who administer this graph (%s): none may administer any more; add permit (principal == Actor::%q, action == Action::\"administer\", resource);",
		enumerated(out), out[0]))
}

func mayAdminister(r *invoke.Request, p *cedar.Policies, who policy.Principal) bool {
	return r.Snapshot.As(who, p).Decides(policy.Administer, cedar.GraphKind, "", kg.Branch{}).Allowed
}

// namesOfNothing tells the names in policies that nothing has, which are mistakes or of later.
func namesOfNothing(ctx context.Context, r *invoke.Request, p *cedar.Policies, tokens []policy.Token) (doubts []string, err error) {
	branches, err := r.Snapshot.Branches(ctx)
	if err != nil {
		return nil, err
	}
	has := map[cedar.Kind][]string{cedar.GraphKind: {r.Snapshot.Graph().Name()}}
	for _, t := range r.Snapshot.Schema().Types {
		has[cedar.TypeKind] = append(has[cedar.TypeKind], t.Name)
	}
	for _, k := range r.Snapshot.Stored() {
		has[cedar.QueryKind] = append(has[cedar.QueryKind], k.ID)
	}
	for _, b := range branches {
		has[cedar.BranchKind] = append(has[cedar.BranchKind], b.Name)
	}
	for _, d := range r.Registry().All() {
		has[cedar.CapabilityKind] = append(has[cedar.CapabilityKind], d.ID)
	}
	for _, t := range tokens {
		has[cedar.ActorKind] = append(has[cedar.ActorKind], t.Actor())
		has[cedar.GroupKind] = append(has[cedar.GroupKind], t.Groups...)
	}
	for _, kind := range []cedar.Kind{cedar.ActorKind, cedar.GroupKind, cedar.GraphKind, cedar.BranchKind, cedar.TypeKind, cedar.QueryKind, cedar.CapabilityKind} {
		for _, name := range p.Named(kind) {
			where := "this graph has none of that name"
			switch {
			case slices.Contains(has[kind], name):
				continue
			case kind == cedar.ActorKind && !strings.HasPrefix(name, policy.TokenActor):
				if where = policy.NoCaller(name); where == "" {
					continue
				}
			case kind == cedar.GroupKind:
				where = "no token is in a group of that name; an identity provider may name it"
			}
			doubts = append(doubts, fmt.Sprintf("policies name %s, and %s%s", cedar.Resource{Kind: kind, ID: outline.Shorten(name, maxProblem)}, where, fault.DidYouMean(name, has[kind])))
		}
	}
	return doubts, nil
}
