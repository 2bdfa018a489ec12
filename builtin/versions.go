package builtin

import (
	"context"
	"slices"
	"time"

	"trails/capability"
	"trails/fault"
	"trails/invoke"
	"trails/view"
)

// capabilityHistory tells the versions of one capability.
var capabilityHistory = invoke.Capability{
	Descriptor: capability.Descriptor{
		ID: "capability_history", Description: "List the versions of one capability, newest first: what changed and which part of the version rose for it, when, by whose schema and which program. It works for those that are gone, too.",
		InputShape: capability.Shape{Fields: []capability.Field{
			{Name: "id", Type: capability.String, Required: true, MaxLength: new(200), Description: "A capability's id or tool name."},
			{Name: "limit", Type: capability.Integer, MinValue: 1, MaxValue: 200, Default: 50},
			capability.ReadBranch(),
		}},
		OutputShape: capability.Shape{Fields: []capability.Field{
			{Name: "id", Type: capability.String, Required: true},
			{Name: "version", Type: capability.String, Required: true, Nullable: true, Description: "The one of now; null for a capability that is gone."},
			{Name: "deprecates", Type: capability.String, Many: true, Required: true, Description: "The ids that it replaces."},
			{Name: "versions", Type: capability.Object, Many: true, Required: true, Fields: []capability.Field{
				{Name: "version", Type: capability.String, Required: true},
				{Name: "part", Type: capability.String, Required: true, OneOf: []any{"", capability.Patch.String(), capability.Minor.String(), capability.Major.String()}, Description: "What the changes ask to rise; empty for the first version."},
				{Name: "changes", Type: capability.Object, Many: true, Required: true, Description: "Since the version before.", Fields: []capability.Field{
					{Name: "field", Type: capability.String, Required: true},
					{Name: "what", Type: capability.String, Required: true},
					{Name: "part", Type: capability.String, Required: true},
				}},
				{Name: "time", Type: capability.DateTime, Required: true, Description: "When the file saw it first."},
				{Name: "author", Type: capability.String, Required: true, Description: "Who changed the schema that it follows from; empty for what the program has by itself."},
				{Name: "program", Type: capability.String, Required: true, Description: "The version of trails, or of the program, that had it."},
				{Name: "commit", Type: capability.String, Required: true, Nullable: true, Description: "The head at that time."},
			}},
		}},
		CostEstimate: capability.CostResult, PolicyRequired: capability.Requirement{Action: "read"}, Idempotent: true,
	},
	Handle: tellVersions, Surfaces: foundOnly,
}

type versionChange struct {
	Field string `json:"field"`
	What  string `json:"what"`
	Part  string `json:"part"`
}

type versionEntry struct {
	Version string          `json:"version"`
	Part    string          `json:"part"`
	Changes []versionChange `json:"changes"`
	Time    time.Time       `json:"time"`
	Author  string          `json:"author"`
	Program string          `json:"program"`
	Commit  *string         `json:"commit"`
}

func tellVersions(ctx context.Context, r *invoke.Request) (any, error) {
	out := struct {
		ID         string         `json:"id"`
		Version    *string        `json:"version"`
		Deprecates []string       `json:"deprecates"`
		Versions   []versionEntry `json:"versions"`
	}{ID: r.Args.Text("id"), Deprecates: []string{}, Versions: []versionEntry{}}
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
			return nil, missing() // the caller may not know of it
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
	for i, v := range history[:min(len(history), r.Args.Integer("limit", 50)+1)] {
		d, err := capability.Read([]byte(v.Descriptor))
		if err != nil {
			return nil, err
		}
		if after != nil {
			last := &out.Versions[i-1]
			changes := capability.Compare(d, *after)
			for _, c := range changes {
				last.Changes = append(last.Changes, versionChange{c.Field, c.What, c.Part.String()})
			}
			last.Part = max(capability.Greatest(changes).Part, capability.Patch).String()
		}
		after = &d
		if i == r.Args.Integer("limit", 50) {
			break // it was read for what changed since
		}
		e := versionEntry{Version: v.Version, Changes: []versionChange{}, Time: v.At.UTC(), Author: v.Agent, Program: v.Program}
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
