package builtin

import (
	"cmp"
	"context"
	"fmt"
	"strconv"

	"trails/auth/policy"
	"trails/builtin/view"
	"trails/capability"
	"trails/fault"
	"trails/invoke"
	"trails/kg"
)

// refusalsAsked is a page of refused calls.
type refusalsAsked struct {
	All    bool   `json:"all,omitempty" doc:"Those that were invalid or failed, too, not only those that were denied."`
	Actor  string `json:"actor,omitempty" max:"400" doc:"Who called, such as token:ci; without \" via \" and what follows, by whatever client."`
	Limit  int    `json:"limit" is:"brief" min:"1" max:"1000" default:"50"`
	Before string `json:"before,omitempty" is:"brief" max:"40" doc:"next of the last page."`
	capability.NoView
}

var refusalCells = capability.CellsOf("time:string", "actor:string", "capability:string", "outcome:string", "kind:string", "why:string", "via:string", "dry_run:boolean", "trace_id:string")

var refusalsList = invoke.Define(capability.Descriptor{
	ID: "refusals_list", Description: "List calls that were denied, newest first: who was refused what, and why. Requests without a valid token are calls of authenticate.",
	OutputShape:  rowsOf("A list for each call: its time, who called, the capability, the outcome, the kind of the error, why it was refused, the transport, whether it was a dry run, and its trace id.", refusalCells),
	CostEstimate: capability.CostResult, PolicyRequired: capability.Requirement{Action: policy.Read}, Idempotent: true,
}, func(ctx context.Context, r *invoke.Request, in refusalsAsked) (*rowsAnswer, error) {
	filter := kg.ActivityFilter{Refused: true, Agent: in.Actor, Outcome: "denied"}
	if in.All {
		filter.Outcome = ""
	}
	var err error
	if in.Before != "" {
		if filter.Before, err = strconv.ParseInt(in.Before, 10, 64); err != nil || filter.Before < 1 {
			return nil, fault.Argument("before", fault.Pattern, in.Before, "before is what next of the last page says")
		}
	}
	if err := r.Latest(ctx); err != nil {
		return nil, err
	}
	list, err := r.Snapshot.Activities(ctx, filter, in.Limit+1)
	if err != nil {
		return nil, err
	}
	out := &rowsAnswer{table: tableOf(refusalCells)}
	room := r.RoomBeside(out)
	for i, a := range list {
		full := i == in.Limit
		if !full {
			added, err := out.add(&room, []any{view.Stamp(a.Started), a.Agent, a.Capability, a.Outcome, a.Error, whyRefused(a), a.Via, a.DryRun, a.TraceID})
			if err != nil {
				return nil, err
			}
			full = !added
		}
		if full {
			out.Next = fmt.Sprint(list[i-1].Seq)
			if i < in.Limit {
				r.Parts.Cut = fmt.Sprintf("%d refusals are shown; go on with before %q", i, out.Next)
			}
			break
		}
	}
	switch {
	case len(list) > 0:
	case !r.Snapshot.SeesAll():
		warnOfPart(r, "refusals")
	case in.Before != "":
		r.Warn("there are no older ones")
	case in.Actor != "":
		r.Warn("no such call of %s is recorded; without actor there are those of all", in.Actor)
	case in.All:
		r.Warn("no call that was refused or failed is recorded")
	default:
		r.Warn("no call that was denied is recorded; all (trails log --refused) has those that were invalid or failed, too")
	}
	return out, nil
}, invoke.On())

// whyRefused is why a call was refused, as far as it is recorded.
func whyRefused(a kg.Activity) string {
	return cmp.Or(kg.RefusedBy(a).String(), meanings[a.Error])
}

// meanings are what the kinds of faults say of a call.
var meanings = map[string]string{
	fault.Internal.String():         "an error of trails; the log has its cause under the trace id",
	fault.InvalidData.String():      "the data violates the schema",
	fault.InvalidArguments.String(): "the arguments are wrong",
	fault.UnknownTool.String():      "there is no such capability, or none for this caller: policy explain says which",
	fault.Unauthenticated.String():  "no valid token was shown",
	fault.ScopeDenied.String():      "a scope is missing",
	fault.Denied.String():           "a rule forbids it to this caller",
	fault.Exhausted.String():        "a budget was used up",
	fault.Busy.String():             "others kept the process or the file busy",
	fault.NotFound.String():         "nothing is at the address",
	fault.Missing.String():          "a branch, a commit or a node does not exist",
	fault.Precondition.String():     "the graph had changed, or the idempotency key was of another call",
	fault.Conflict.String():         "it contradicts the data",
	fault.Malformed.String():        "a text does not parse",
	fault.TooLarge.String():         "a limit on size, depth or rows was exceeded",
	fault.TimedOut.String():         "a time limit was exceeded",
	fault.Unusable.String():         "the file, the disk or a server could not be used",
}
