package builtin

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

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
	r.WarnWaits(number, "somebody with the scope builder")
	return out, nil
}

// requestView is a request as its tools answer it.
type requestView struct {
	Request int64   `json:"request" doc:"Its number."`
	State   string  `json:"state" doc:"pending, lapsed (a branch has moved since), done or declined."`
	Call    string  `json:"call" doc:"The capability that is called; branches_merge for a merge."`
	Source  string  `json:"source" doc:"The branch that is merged, or else the commit; empty for other calls."`
	Target  string  `json:"target" doc:"The branch that it changes; empty if it is gone."`
	Commit  *string `json:"commit" doc:"The commit that was made of it."`
}

func viewRequest(q *kg.Request) requestView {
	source := q.SourceBranch
	if source == "" && isMerge(q) {
		source = q.Source.ID.String()
	}
	return requestView{q.Number, string(q.State), q.Capability, source, q.Branch, view.CommitID(q.Commit)}
}

func isMerge(q *kg.Request) bool { return q.Capability == branchesMergeBuiltin.ID }

var requestCells = capability.CellsOf("request:integer", "state:string", "source:string", "target:string", "agent:string", "asked:string", "message:string", "decider:string", "decided:string null",
	"reason:string", "commit:string null", "head:string null", "merges:string null", "take:string", "resolutions:array null", "call:string", "args:string")

var requestsListBuiltin = invoke.Define(capability.Descriptor{
	ID: "requests_list", Description: "List the merges and other calls that wait for approval, and with all those that were decided, the newest first.",
	OutputShape: rowsOf("A list for each request: its number, state (pending, lapsed when a branch has moved since, done, declined), source and target, who asked when, the message, who decided when, why, the commit that was made, the head of the target and the commit of the source when it was asked for, how clashes are to be decided, the capability that is called, and its arguments as JSON.", requestCells,
		capability.Field{Name: "next", Description: "Pass it as before for the next page; not there at the end."}),
	PolicyRequired: capability.Requirement{Action: policy.Read}, Idempotent: true,
}, func(ctx context.Context, r *invoke.Request, in struct {
	Request int64 `json:"request,omitempty" min:"0" doc:"Only the one with this number, decided or not, with all of its arguments."`
	All     bool  `json:"all" default:"false" doc:"Those that were decided, too."`
	Limit   int   `json:"limit" min:"1" max:"1000" default:"20"`
	Before  int64 `json:"before,omitempty" min:"0" doc:"next of the last page."`
	capability.NoView
}) (*requestRows, error) {
	list, err := requestsOf(ctx, r, in.Request, !in.All, in.Before, in.Limit+1)
	if err != nil {
		return nil, err
	}
	shown := commitText
	if in.Request > 0 {
		shown = capability.MostChars
	}
	if in.Request > 0 && list[0].State == kg.Lapsed {
		r.Warn("%s", whyLapsed(&list[0]))
	}
	out := &requestRows{table: tableOf(requestCells)}
	room := r.RoomBeside(out)
	for i, q := range list {
		if i == in.Limit {
			out.Next = list[i-1].Number
			break
		}
		row, err := requestRow(&q, shown)
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

// requestsOf reads the request with a number, or if that is 0 a page of them.
func requestsOf(ctx context.Context, r *invoke.Request, number int64, pending bool, before int64, limit int) ([]kg.Request, error) {
	if number == 0 {
		return r.Snapshot.Requests(ctx, pending, before, limit)
	}
	q, err := r.Snapshot.Request(ctx, number)
	return []kg.Request{q}, err
}

// requestRow is the row of a request in a list, with so many characters of its arguments.
func requestRow(q *kg.Request, shown int) ([]any, error) {
	asked, err := mergeAsked(q)
	if err != nil {
		return nil, err
	}
	args := ""
	if !isMerge(q) {
		args = outline.Shorten(q.Args, shown)
	}
	var decided any // null while it waits
	if q.Decider != "" {
		decided = timeText(q.Decided)
	}
	v := viewRequest(q)
	return []any{
		v.Request, v.State, cmp.Or(v.Source, asked.Source), v.Target, q.Agent, timeText(q.Asked), outline.Shorten(asked.Message, commitText),
		q.Decider, decided, outline.Shorten(q.Reason, commitText), v.Commit, view.CommitID(q.Head), view.CommitID(q.Source), asked.Take, asked.Resolutions,
		v.Call, args,
	}, nil
}

// mergeAsked returns the arguments of the merge that was asked for, of another call the message alone.
func mergeAsked(q *kg.Request) (in merging, err error) {
	if !isMerge(q) {
		args, err := argsAsked(q)
		in.Message = args.Text("message")
		return in, err
	}
	if err := json.Unmarshal([]byte(q.Args), &in); err != nil {
		return in, fmt.Errorf("arguments of request %d: %w", q.Number, err)
	}
	return in, nil
}

// argsAsked returns the arguments of the call that was asked for.
func argsAsked(q *kg.Request) (args invoke.Arguments, err error) {
	d := json.NewDecoder(strings.NewReader(q.Args))
	d.UseNumber()
	if err := d.Decode(&args); err != nil {
		return nil, fmt.Errorf("arguments of request %d: %w", q.Number, err)
	}
	return args, nil
}

// deciding is what a decision takes.
type deciding struct {
	Request     int64    `json:"request" doc:"Its number."`
	Decision    string   `json:"decision" oneof:"approve,decline" doc:"approve makes the merge or the call, decline ends the request without."`
	Reason      string   `json:"reason,omitempty" max:"2000" doc:"Why."`
	Take        string   `json:"take,omitempty" oneof:"ours,theirs,base" doc:"In the place of the one that was asked for: decides all clashes without a resolution."`
	Resolutions []string `json:"resolutions,omitempty" doc:"In the place of those that were asked for, as branches_merge takes them."`
	capability.ChangeArguments
}

// decided is what a decision answers.
type decided struct {
	requestView
	Merge  *merged `json:"merge,omitempty" doc:"What was merged."`
	Answer any     `json:"answer,omitempty" type:"any" doc:"What another call answered, as its own tool would."`
	Head   *string `json:"head,omitempty" doc:"The head of the branch on which another call was made or tried."`
	DryRun bool    `json:"dry_run" doc:"Whether this was only tried."`
}

var requestsDecideBuiltin = invoke.Define(capability.Descriptor{
	ID: "requests_decide", Description: "Approve a merge or another call that was asked for, or decline it. A merge is made as it was asked or with other resolutions, a call with the arguments that were kept, by who may make it. Who asked may decline; all else is for callers with the scope builder, and for calls also for a person at a page or a terminal.",
	Preconditions: []string{"The request is pending.", "Each clash is decided.", "The graph fits its schema at the end."},
	CostEstimate:  capability.CostChange, PolicyRequired: capability.Requirement{Action: policy.BranchMerge},
}, decide, invoke.On())

func decide(ctx context.Context, r *invoke.Request, in deciding) (*decided, error) {
	found, err := r.Snapshot.Request(ctx, in.Request)
	if err != nil {
		return nil, err
	}
	q := &found
	if err := q.Over(); err != nil {
		return nil, err
	}
	if in.Decision == "decline" {
		return decline(ctx, r, in, q)
	}
	if err := r.MayGive(capability.Field{Name: "decision", Scope: policy.Builder}); err != nil && (isMerge(q) || !policy.MayAgree(r.Principal)) {
		return nil, err
	}
	if !isMerge(q) {
		return approveCall(ctx, r, in, q)
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
	m.Squash, m.Commit, m.Set.Settles, m.Set.Reason, m.Set.IfCommit = asked.Squash, q.Source.ID, q.Number, in.Reason, &q.Head.ID
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

// approveCall makes the call that a request kept, on the head that it was tried on. If the branch has moved since, it is
// made on the head that if_commit names, which is the one that whoever approves has looked at.
func approveCall(ctx context.Context, r *invoke.Request, in deciding, q *kg.Request) (*decided, error) {
	switch {
	case in.Take != "" || in.Resolutions != nil:
		return nil, fault.Argument("resolutions", fault.Closed, nil, fmt.Sprintf("request %d is a call of %s and no merge, so there are no clashes; leave out take and resolutions", q.Number, q.Capability))
	case q.Branch == "":
		return nil, lapsed(q)
	}
	if err := r.ToBranch(ctx, q.Branch); err != nil {
		return nil, err
	}
	args, err := argsAsked(q)
	if err != nil {
		return nil, err
	}
	at, head := q.Head.ID, r.Snapshot.Head().ID
	if q.State == kg.Lapsed && !in.DryRun && in.IfCommit == "" {
		return nil, fault.New(fault.Conflict, "request %d was asked at %s, and %s is at %s now. dry_run: true says what it would do there, and %[4]s as if_commit approves that; or decline it", q.Number, at, q.Branch, head).
			With("state", string(q.State)).With("head", head.String())
	}
	if in.IfCommit != "" {
		set, err := r.ChangeSet(ctx)
		if err != nil {
			return nil, err
		}
		at = *set.IfCommit
	} else if q.State == kg.Lapsed {
		at = head
	}
	if q.Branch != kg.Main {
		args["branch"] = q.Branch
	}
	if in.Message != "" {
		args["message"] = in.Message
	}
	args["dry_run"] = in.DryRun
	answer, written, err := r.Make(ctx, invoke.Kept{Request: q.Number, Agent: q.Agent, Capability: q.Capability, Args: args, Head: at, Reason: in.Reason})
	if err != nil {
		return nil, err
	}
	out := &decided{requestView: viewRequest(q), Answer: answer, Head: new(at.String()), DryRun: in.DryRun}
	if written != nil && written.Commit != nil {
		out.State, out.Commit = string(kg.Done), written.Commit
	}
	return out, nil
}

func decline(ctx context.Context, r *invoke.Request, in deciding, q *kg.Request) (*decided, error) {
	out, err := changed(ctx, r, in.DryRun, func(s *kg.Session, a kg.Activity) (*decided, error) {
		return &decided{requestView: viewRequest(q), DryRun: in.DryRun}, s.Decline(ctx, q.Number, in.Reason, in.DryRun, a)
	})
	if err == nil && !in.DryRun {
		out.State = string(kg.Declined)
	}
	return out, err
}

// whyLapsed tells whoever asked what a request that has lapsed can still become.
func whyLapsed(q *kg.Request) string {
	if isMerge(q) || q.Branch == "" {
		return fault.Of(lapsed(q)).Message
	}
	return fmt.Sprintf("request %d has lapsed, because %s has moved from %s since; whoever decides can still approve it as it would be there, and the same call with ask: true makes a new request", q.Number, q.Branch, q.Head.ID)
}

// lapsed refuses a request whose branches have moved, and says how to see what happened.
func lapsed(q *kg.Request) error {
	source := cmp.Or(q.SourceBranch, q.Source.ID.String())
	if q.Branch == "" {
		return fault.New(fault.Conflict, "request %d has lapsed: the branch that it would change is gone, or was reset; decline it", q.Number)
	}
	return fault.New(fault.Conflict, "request %d has lapsed, because a branch has moved since; diff with from: %s, to: %s, and from: %s, to: %s say how. Ask again: branches_merge with source: %[5]s, target: %[3]s, ask: true",
		q.Number, q.Head.ID, q.Branch, q.Source.ID, source).With("state", string(q.State))
}
