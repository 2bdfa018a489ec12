package builtin

import (
	"context"
	"slices"

	"trails/auth/policy"
	"trails/builtin/view"
	"trails/capability"
	"trails/fault"
	"trails/invoke"
)

// versionsAsked is a capability.
type versionsAsked struct {
	ID    string `json:"id" max:"200" doc:"A capability's id or tool name."`
	Limit int    `json:"limit" min:"1" max:"200" default:"50"`
}

// capabilityHistory tells the versions of one capability.
var capabilityHistory = invoke.Define(capability.Descriptor{
	ID: "capability_history", Description: "List the versions of one capability, newest first: what changed and which part of the version rose for it, when, by whose schema and which program. It works for those that are gone, too.",
	PolicyRequired: capability.Requirement{Action: policy.Read}, Idempotent: true,
}, tellVersions, invoke.On(), invoke.Newest)

func tellVersions(ctx context.Context, r *invoke.Request, in versionsAsked) (*view.CapabilityHistory, error) {
	out := &view.CapabilityHistory{ID: in.ID, Deprecates: []string{}, Versions: []view.Version{}}
	tools, err := r.Engine().Tools(ctx, r.Principal)
	if err != nil {
		return nil, err
	}
	seen := slices.Concat(tools.Descriptors, tools.Helpers)
	missing := func() error {
		var ids []string
		for _, d := range seen {
			ids = append(ids, d.ID)
		}
		return fault.New(fault.Missing, "no capability %q, now or before%s", out.ID, fault.DidYouMean(out.ID, ids))
	}
	if d, now := r.Registry().Find(out.ID); now {
		if !slices.ContainsFunc(seen, func(other capability.Descriptor) bool { return other.ID == d.ID }) {
			return nil, missing() // the caller may not see it
		}
		out.ID, out.Version, out.Deprecates = d.ID, &d.Version, append(out.Deprecates, d.Deprecates...)
	}
	history, err := r.Snapshot.CapabilityHistory(ctx, out.ID)
	if err != nil {
		return nil, err
	}
	if len(history) == 0 && out.Version == nil {
		return nil, missing()
	}
	var after *capability.Descriptor // the version that the last entry is of
	for i, v := range history[:min(len(history), in.Limit+1)] {
		d, err := capability.Read([]byte(v.Descriptor))
		if err != nil {
			return nil, err
		}
		if after != nil {
			last := &out.Versions[i-1]
			changes := capability.Compare(d, *after)
			for _, c := range changes {
				last.Changes = append(last.Changes, view.VersionChange{Field: c.Field, What: c.What, Part: c.Part.String()})
			}
			last.Part = max(capability.Greatest(changes).Part, capability.Patch).String()
		}
		after = &d
		if i == in.Limit {
			break // it was read for the comparison
		}
		e := view.Version{Version: v.Version, Changes: []view.VersionChange{}, Time: view.Stamp(v.At), Author: v.Agent, Program: v.Program}
		if v.CommitSeq > 0 {
			c, err := r.Snapshot.CommitBySeq(ctx, v.CommitSeq)
			if err != nil {
				return nil, err
			}
			e.Commit = view.CommitID(c)
		}
		out.Versions = append(out.Versions, e)
	}
	return out, nil
}
