package builtin

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"trails/auth/policy"
	"trails/builtin/view"
	"trails/capability"
	"trails/fault"
	"trails/invoke"
	"trails/kg"
	"trails/text/jsontext"
	"trails/text/outline"
)

// askFor stores a merge as a request, and answers what it would do.
func askFor(ctx context.Context, r *invoke.Request, m kg.Merge) (*merged, error) {
	if m.Set.DryRun {
		return nil, fault.Argument("ask", fault.Pattern, "true", "a request is no dry run; leave out one of ask and dry_run")
	}
	asked := maps.Clone(r.Args)
	for _, name := range []string{"ask", "branch", "if_commit", "idempotency_key"} {
		delete(asked, name)
	}
	asked["target"] = cmp.Or(r.Ref.Branch, kg.Main)
	args, err := jsontext.Marshal(asked)
	if err != nil {
		return nil, fmt.Errorf("encode request: %w", err)
	}
	m.Defines = nil // who approves is asked for that
	s := r.Snapshot.Schema()
	r.Release()
	number, would, err := r.Session().Ask(ctx, m, r.Capability.ID, string(args))
	if err != nil {
		return nil, err
	}
	out := mergedOf(r, s, would, true)
	if number == 0 {
		return out, nil
	}
	r.Recorded()
	out.Outcome, out.Request = "requested", number
	r.Warn("nothing is merged yet: request %d waits for somebody with the scope builder, on the page %s or with the command: trails request approve FILE %[1]d", number, r.Address(fmt.Sprintf("/admin/requests/%d", number)))
	return out, nil
}

// requestView is a request as its tools answer it.
type requestView struct {
	Request int64   `json:"request" doc:"Its number."`
	State   string  `json:"state" doc:"pending, lapsed (a branch has moved since), done or declined."`
	Source  string  `json:"source" doc:"The branch that is merged, or else the commit."`
	Target  string  `json:"target" doc:"The branch that it is merged into."`
	Commit  *string `json:"commit" doc:"The commit that was made of it."`
}

func viewRequest(q kg.Request) requestView {
	return requestView{q.Number, string(q.State), cmp.Or(q.SourceBranch, q.Source.ID.String()), q.Branch, view.CommitID(q.Commit)}
}

var requestsListBuiltin = invoke.Define(capability.Descriptor{
	ID: "requests_list", Description: "List the merges that wait for approval, and with all those that were decided, the newest first.",
	OutputShape: rowsOf("A list for each request: its number, state (pending, lapsed when a branch has moved since, done, declined), source and target, who asked when, the message, who decided when, why, the commit that was made, the head of the target and the commit of the source when it was asked for, and how clashes are to be decided.",
		capability.Field{Name: "next", Description: "Pass it as before for the next page; not there at the end."}),
	PolicyRequired: capability.Requirement{Action: policy.Read}, Idempotent: true,
}, func(ctx context.Context, r *invoke.Request, in struct {
	All    bool  `json:"all" default:"false" doc:"Those that were decided, too."`
	Limit  int   `json:"limit" min:"1" max:"1000" default:"20"`
	Before int64 `json:"before,omitempty" min:"0" doc:"next of the last page."`
	capability.NoView
}) (*requestRows, error) {
	list, err := r.Snapshot.Requests(ctx, !in.All, in.Before, in.Limit+1)
	if err != nil {
		return nil, err
	}
	out := &requestRows{table: tableOf("request", "state", "source", "target", "agent", "asked", "message", "decider", "decided", "reason", "commit", "head", "merges", "take", "resolutions")}
	room := r.Room()
	for i, q := range list {
		if i == in.Limit {
			out.Next = list[i-1].Number
			break
		}
		row, err := requestRow(q)
		if err != nil {
			return nil, err
		}
		added, err := out.add(&room, row)
		if err != nil {
			return nil, err
		}
		if !added {
			out.Next, r.Parts.Cut = list[i-1].Number, "not all requests are shown"
			break
		}
	}
	return out, nil
}, invoke.On())

// requestRows are the rows of a list of requests.
type requestRows struct {
	table
	Next int64 `json:"next,omitempty" doc:"The cursor of the next page; absent at the end."`
}

// requestRow is the row of a request in a list.
func requestRow(q kg.Request) ([]any, error) {
	asked, err := mergeAsked(q)
	if err != nil {
		return nil, err
	}
	var decided any // null while it waits
	if q.Decider != "" {
		decided = timeText(q.Decided)
	}
	v := viewRequest(q)
	return []any{
		v.Request, v.State, cmp.Or(v.Source, asked.Source), v.Target, q.Agent, timeText(q.Asked), outline.Shorten(asked.Message, commitText),
		q.Decider, decided, outline.Shorten(q.Reason, commitText), v.Commit, view.CommitID(q.Head), view.CommitID(q.Source), asked.Take, asked.Resolutions,
	}, nil
}

// mergeAsked returns the arguments of the merge that was asked for.
func mergeAsked(q kg.Request) (in merging, err error) {
	if err := json.Unmarshal([]byte(q.Args), &in); err != nil {
		return in, fmt.Errorf("arguments of request %d: %w", q.Number, err)
	}
	return in, nil
}

// deciding is what a decision takes.
type deciding struct {
	Request     int64    `json:"request" doc:"Its number."`
	Decision    string   `json:"decision" oneof:"approve,decline" doc:"approve merges, decline ends the request without."`
	Reason      string   `json:"reason,omitempty" max:"2000" doc:"Why."`
	Take        string   `json:"take,omitempty" oneof:"ours,theirs,base" doc:"In the place of the one that was asked for: decides all clashes without a resolution."`
	Resolutions []string `json:"resolutions,omitempty" doc:"In the place of those that were asked for, as branches_merge takes them."`
	capability.ChangeArguments
}

// decided is what a decision answers.
type decided struct {
	requestView
	Merge  *merged `json:"merge,omitempty" doc:"What was merged."`
	DryRun bool    `json:"dry_run" doc:"Whether this was only tried."`
}

var requestsDecideBuiltin = invoke.Define(capability.Descriptor{
	ID: "requests_decide", Description: "Approve a merge that was asked for, as it was asked or with other resolutions, or decline it. Who asked may decline; all else is for callers with the scope builder.",
	Preconditions: []string{"The request is pending.", "Each clash is decided.", "The graph fits its schema at the end."},
	CostEstimate:  capability.CostChange, PolicyRequired: capability.Requirement{Action: policy.BranchMerge},
}, decide, invoke.On())

func decide(ctx context.Context, r *invoke.Request, in deciding) (*decided, error) {
	q, err := r.Snapshot.Request(ctx, in.Request)
	if err != nil {
		return nil, err
	}
	if q.State == kg.Done || q.State == kg.Declined {
		return nil, fault.New(fault.Conflict, "request %d is %s since %s, by %s", q.Number, q.State, q.Decided.UTC().Format(time.DateTime), q.Decider).With("state", string(q.State))
	}
	if in.Decision == "decline" {
		return decline(ctx, r, in, q)
	}
	if err := r.MayGive(capability.Field{Name: "decision", Scope: policy.Builder}); err != nil {
		return nil, err
	}
	if q.State == kg.Lapsed {
		return nil, lapsed(q)
	}
	asked, err := mergeAsked(q)
	if err != nil {
		return nil, err
	}
	if err := r.ToBranch(ctx, q.Branch); err != nil {
		return nil, err
	}
	if in.Take != "" || in.Resolutions != nil {
		asked.Take, asked.Resolutions = in.Take, in.Resolutions
	}
	m, err := mergeOf(ctx, r, cmp.Or(q.SourceBranch, q.Source.ID.String()), asked.Take, asked.Resolutions)
	if err != nil {
		return nil, err
	}
	m.Squash, m.Commit, m.Request, m.Reason, m.Set.IfCommit = asked.Squash, q.Source.ID, q.Number, in.Reason, &q.Head.ID
	m.Set.Message = cmp.Or(m.Set.Message, asked.Message)
	s := r.Snapshot.Schema()
	r.Release()
	done, err := r.Session().Merge(ctx, m)
	if err != nil {
		return nil, err
	}
	out := &decided{requestView: viewRequest(q), Merge: mergedOf(r, s, done, m.Set.DryRun), DryRun: m.Set.DryRun}
	if out.Commit = out.Merge.Written.Commit; out.Commit != nil {
		out.State = string(kg.Done)
	}
	return out, nil
}

func decline(ctx context.Context, r *invoke.Request, in deciding, q kg.Request) (*decided, error) {
	out, err := changed(ctx, r, in.DryRun, func(s *kg.Session, a kg.Activity) (*decided, error) {
		return &decided{requestView: viewRequest(q), DryRun: in.DryRun}, s.Decline(ctx, q.Number, in.Reason, in.DryRun, a)
	})
	if err == nil && !in.DryRun {
		out.State = string(kg.Declined)
	}
	return out, err
}

// lapsed refuses a request whose branches have moved, and says how to see what happened.
func lapsed(q kg.Request) error {
	source := cmp.Or(q.SourceBranch, q.Source.ID.String())
	if q.Branch == "" {
		return fault.New(fault.Conflict, "request %d has lapsed: the branch that it would change is gone, or was reset; decline it", q.Number)
	}
	return fault.New(fault.Conflict, "request %d has lapsed, because a branch has moved since; diff with from: %s, to: %s, and from: %s, to: %s say how. Ask again: branches_merge with source: %[5]s, target: %[3]s, ask: true",
		q.Number, q.Head.ID, q.Branch, q.Source.ID, source).With("state", string(q.State))
}
