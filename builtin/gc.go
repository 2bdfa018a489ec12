package builtin

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"time"

	"trails/auth/policy"
	"trails/capability"
	"trails/fault"
	"trails/invoke"
	"trails/kg"
	"trails/text/outline"
)

// collected is the answer of a collection.
type collected struct {
	table
	Commits int64 `json:"commits" doc:"How many commits were dropped."`
	Changes int64 `json:"changes" doc:"How many statements they had added and removed."`
	Calls   int64 `json:"calls" doc:"How many recorded calls were dropped, each with its commit."`
	Bytes   int64 `json:"bytes" doc:"How many bytes of the file are free for other content because of that. The file stays as large."`
	Kept    int64 `json:"kept" doc:"How many commits are unreachable, and stay until the grace period is over."`
	DryRun  bool  `json:"dry_run" doc:"Whether this was only tried."`
}

// durationForm says how a duration is written, with examples behind it.
const durationForm = "a number up to 99999 with d, h or m, such as "

// durationText is how a duration is written.
var durationText = regexp.MustCompile(`^([0-9]{1,5})([dhm])$`)

// leaving are the capabilities after which nothing may need a commit any more.
var leaving = []string{branchesDeleteBuiltin.ID, branchesResetBuiltin.ID, tagsDeleteBuiltin.ID, requestsDecideBuiltin.ID}

// durationUnits are the units of a duration.
var durationUnits = map[string]time.Duration{"d": 24 * time.Hour, "h": time.Hour, "m": time.Minute}

// durationOf reads a duration, such as 14d.
func durationOf(text string) (time.Duration, bool) {
	parts := durationText.FindStringSubmatch(text)
	if parts == nil {
		return 0, false
	}
	number, err := strconv.Atoi(parts[1])
	return time.Duration(number) * durationUnits[parts[2]], err == nil
}

var gcCells = capability.CellsOf("fate:string", "head:string", "commits:integer", "changes:integer", "author:string", "time:string", "message:string", "since:string")

var gcBuiltin = invoke.Define(capability.Descriptor{
	ID: "gc", Description: "Drop unreachable history: the commits that deleted and reset branches left behind, if no branch, tag or pending request has them or comes from them. It cannot be taken back; dry_run tells what it drops.",
	OutputShape:  rowsOf("A list for each line of history that ends so: dropped or kept, its newest commit, how many commits and changes, the author, time and message of the newest commit, and since when it is unreachable.", gcCells),
	CostEstimate: capability.CostGraph, PolicyRequired: capability.Requirement{Scope: policy.Builder, Action: policy.BranchDelete}, SideEffects: capability.Destroys,
}, func(ctx context.Context, r *invoke.Request, in struct {
	Grace string `json:"grace" default:"14d" max:"20" doc:"How long history stays after it became unreachable: a number with d, h or m, such as 36h; 0d drops all."`
	capability.TryArgument
}) (*collected, error) {
	grace, ok := durationOf(in.Grace)
	if !ok {
		return nil, fault.Argument("grace", fault.Pattern, in.Grace, "a grace period is "+durationForm+"14d or 36h")
	}
	set, err := r.ChangeSet(ctx)
	if err != nil {
		return nil, err
	}
	r.Release() // a snapshot would keep the log from starting over during a long write
	done, err := r.Session().Collect(ctx, kg.Collecting{
		Grace: grace, Leaving: leaving,
		DryRun: in.DryRun, Activity: set.Activity,
	})
	if err != nil {
		return nil, err
	}
	if !in.DryRun {
		r.Recorded()
	}
	out := &collected{table: tableOf(gcCells), Calls: done.Activities, Bytes: done.Bytes, DryRun: in.DryRun}
	for _, u := range done.Kept {
		out.Kept += u.Commits
	}
	for _, u := range done.Dropped {
		out.Commits, out.Changes = out.Commits+u.Commits, out.Changes+u.Changes
	}
	room := r.RoomBeside(out)
	for i, u := range slices.Concat(done.Dropped, done.Kept) {
		fate := "dropped"
		if i >= len(done.Dropped) {
			fate = "kept"
		}
		c := u.Head
		row := []any{fate, c.ID.String(), u.Commits, u.Changes, c.Author, timeText(c.Time), outline.Shorten(c.Message, commitText), timeText(u.Since)}
		added, err := out.add(&room, row)
		if err != nil {
			return nil, err
		}
		if !added {
			r.Parts.Cut = fmt.Sprintf("not all of the %d lines of history are shown; more fit with max_chars", len(done.Dropped)+len(done.Kept))
			break
		}
	}
	return out, nil
}, invoke.On())
